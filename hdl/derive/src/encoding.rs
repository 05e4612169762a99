//! `#[derive(Encoding)]`.

use crate::doc_of;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, Expr, ExprLit, Fields, Ident, Lit, LitInt, Result};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(input, "an encoding is an enumeration"));
    };
    let mut variants: Vec<(&Ident, u64, String)> = vec![];
    let mut reset: Option<(usize, &Ident)> = None;
    for (index, variant) in data.variants.iter().enumerate() {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "a variant of an encoding has no fields"));
        }
        let code = match &variant.discriminant {
            None => variants.last().map_or(0, |(_, code, _)| code + 1),
            Some((_, Expr::Lit(ExprLit { lit: Lit::Int(code), .. }))) => code.base10_parse()?,
            Some((_, other)) => return Err(Error::new_spanned(other, "a code is a plain number")),
        };
        if let Some((twin, ..)) = variants.iter().find(|(_, other, _)| *other == code) {
            return Err(Error::new_spanned(variant, format!("`{}` and `{twin}` both have code {code}", variant.ident)));
        }
        if let Some(attribute) = attribute(&variant.attrs, "encoding") {
            return Err(Error::new_spanned(
                attribute,
                "`encoding` is for the enumeration; the reset variant has `#[reset]`",
            ));
        }
        if attribute(&variant.attrs, "reset").is_some() {
            if let Some((_, first)) = reset {
                let message = format!("`{first}` and `{}` are both the reset variant", variant.ident);
                return Err(Error::new_spanned(variant, message));
            }
            reset = Some((index, &variant.ident));
        }
        variants.push((&variant.ident, code, doc_of(&variant.attrs)));
    }
    let Some(largest) = variants.iter().map(|(_, code, _)| *code).max() else {
        return Err(Error::new_spanned(input, "an encoding has at least one variant"));
    };
    if let Some(attribute) = attribute(&input.attrs, "reset") {
        return Err(Error::new_spanned(attribute, "`#[reset]` is for a variant"));
    }
    let needed = (u64::BITS - largest.leading_zeros()).max(1);
    let width = match attribute(&input.attrs, "encoding") {
        None => needed,
        Some(attribute) => {
            let mut width = needed;
            attribute.parse_nested_meta(|meta| {
                if !meta.path.is_ident("width") {
                    return Err(meta.error("`encoding` knows `width = bits` only"));
                }
                let given: LitInt = meta.value()?.parse()?;
                width = given.base10_parse()?;
                if width < needed {
                    return Err(Error::new_spanned(&given, format!("code {largest} needs {needed} bits, not {width}")));
                }
                Ok(())
            })?;
            width
        }
    };
    let name = &input.ident;
    let text = name.to_string();
    let idents: Vec<&Ident> = variants.iter().map(|(ident, ..)| *ident).collect();
    let names = idents.iter().map(|ident| ident.to_string());
    let codes = variants.iter().map(|(_, code, _)| *code);
    let docs = variants.iter().map(|(.., doc)| doc);
    let reset = reset.map_or(0, |(index, _)| index);
    let reset_ident = idents[reset];
    Ok(quote! {
        impl ::tollgate_rtl::Encoding for #name {
            const VARIANTS: &'static [Self] = &[#(Self::#idents),*];
            const RESET: Self = Self::#reset_ident;

            fn encoding() -> ::std::sync::Arc<::tollgate_rtl::ir::Encoding> {
                static ENCODING: ::std::sync::OnceLock<::std::sync::Arc<::tollgate_rtl::ir::Encoding>> = ::std::sync::OnceLock::new();
                ENCODING
                    .get_or_init(|| {
                        ::std::sync::Arc::new(::tollgate_rtl::ir::Encoding {
                            name: ::std::string::String::from(#text),
                            width: #width,
                            variants: ::std::vec![
                                #((
                                    ::std::string::String::from(#names),
                                    ::tollgate_rtl::Value::new(#width, #codes),
                                    ::std::string::String::from(#docs),
                                )),*
                            ],
                            reset: #reset,
                        })
                    })
                    .clone()
            }
        }
    })
}

/// The attribute of a name.
fn attribute<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| attribute.path().is_ident(name))
}
