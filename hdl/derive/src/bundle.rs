//! `#[derive(Bundle)]` and `#[derive(Ports)]`.

use crate::doc_of;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Error, Field, Fields, GenericParam, Ident, LitStr, Result, Type};

/// Which derive is at work.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Bundle,
    Ports,
}

impl Kind {
    fn attribute(self) -> &'static str {
        match self {
            Kind::Bundle => "bundle",
            Kind::Ports => "ports",
        }
    }
}

pub(crate) fn derive(input: &DeriveInput, kind: Kind) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => fields.named.iter().collect::<Vec<_>>(),
            _ => return Err(Error::new_spanned(input, "a bundle is a struct with named fields")),
        },
        _ => return Err(Error::new_spanned(input, "a bundle is a struct with named fields")),
    };
    let bundle = bundle_impl(input, &fields)?;
    let shaped = shaped_impl(input, &fields, kind)?;
    let generic = generic_shape(input, &fields);
    let ports = match kind {
        Kind::Bundle => TokenStream::new(),
        Kind::Ports => {
            let name = &input.ident;
            let (generics, arguments, bounds) = input.generics.split_for_impl();
            quote! { impl #generics ::tollgate_rtl::Ports for #name #arguments #bounds {} }
        }
    };
    Ok(quote! { #bundle #shaped #generic #ports })
}

/// The implementation of `Bundle`, and the plain struct.
fn bundle_impl(input: &DeriveInput, fields: &[&Field]) -> Result<TokenStream> {
    let name = &input.ident;
    let visibility = &input.vis;
    let plain = format_ident!("{name}Plain");
    let doc = format!("The plain values of a [`{name}`], as simulation gives and takes them.");
    let type_parameters: Vec<&Ident> = input
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => Some(&parameter.ident),
            _ => None,
        })
        .collect();
    let idents: Vec<&Ident> = fields.iter().filter_map(|field| field.ident.as_ref()).collect();
    let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
    let visibilities: Vec<_> = fields.iter().map(|field| &field.vis).collect();
    let docs: Vec<String> = fields.iter().map(|field| doc_of(&field.attrs)).collect();
    // A field that is a type parameter is plain in a parameter of its own; any other is plain by its type.
    let plain_types = types.iter().map(|ty| match type_parameters.iter().find(|parameter| is_exactly(ty, parameter)) {
        Some(parameter) => quote! { #parameter },
        None => quote! { <#ty as ::tollgate_rtl::Bundle>::Plain },
    });
    let plain_arguments = match type_parameters.is_empty() {
        true => quote! {},
        false => quote! { <#(<#type_parameters as ::tollgate_rtl::Bundle>::Plain),*> },
    };
    let plain_parameters = match type_parameters.is_empty() {
        true => quote! {},
        false => quote! { <#(#type_parameters),*> },
    };
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let indices = 0..fields.len();
    Ok(quote! {
        #[doc = #doc]
        #[derive(Clone, Debug, PartialEq)]
        #visibility struct #plain #plain_parameters {
            #(#[doc = #docs] #visibilities #idents: #plain_types,)*
        }

        impl #generics ::tollgate_rtl::Bundle for #name #arguments #bounds {
            type Plain = #plain #plain_arguments;

            fn leaves(&self, out: &mut ::std::vec::Vec<::tollgate_rtl::Handle>) {
                #(::tollgate_rtl::Bundle::leaves(&self.#idents, out);)*
            }

            fn map(&self, replace: &mut dyn FnMut(::tollgate_rtl::Handle) -> ::tollgate_rtl::Handle) -> Self {
                Self { #(#idents: ::tollgate_rtl::Bundle::map(&self.#idents, replace),)* }
            }

            fn build(tree: &::tollgate_rtl::Tree, next: &mut dyn FnMut() -> ::tollgate_rtl::Handle) -> Self {
                let ::tollgate_rtl::Tree::Fields(fields) = tree else { unreachable!("a bundle is built from its own shape") };
                Self { #(#idents: <#types as ::tollgate_rtl::Bundle>::build(&fields[#indices].tree, next),)* }
            }

            fn tree(&self) -> ::tollgate_rtl::Tree {
                ::tollgate_rtl::Tree::Fields(Self::fields([#(::tollgate_rtl::Bundle::tree(&self.#idents)),*]))
            }

            fn to_plain(&self, get: &mut dyn FnMut(::tollgate_rtl::Handle) -> ::tollgate_rtl::Value) -> Self::Plain {
                #plain { #(#idents: ::tollgate_rtl::Bundle::to_plain(&self.#idents, get),)* }
            }

            fn from_plain(&self, plain: &Self::Plain, set: &mut dyn FnMut(::tollgate_rtl::Handle, ::tollgate_rtl::Value)) {
                #(::tollgate_rtl::Bundle::from_plain(&self.#idents, &plain.#idents, set);)*
            }
        }
    })
}

/// The implementation of `Shaped`, and the list of fields that it shares with `Bundle::tree`.
fn shaped_impl(input: &DeriveInput, fields: &[&Field], kind: Kind) -> Result<TokenStream> {
    let name = &input.ident;
    let parameters = parameters_of(input, kind)?;
    let count = fields.len();
    let mut trees = vec![];
    let mut entries = vec![];
    for (index, field) in fields.iter().enumerate() {
        let ident = field.ident.as_ref().expect("named").to_string();
        let ty = &field.ty;
        let doc = doc_of(&field.attrs);
        if doc.is_empty() {
            return Err(Error::new_spanned(
                field,
                format!("`{ident}` needs a doc comment: it is its meaning in the Verilog"),
            ));
        }
        let flow = flow_of(field, kind)?;
        let clock = match attribute(&field.attrs, "clock") {
            Some(attribute) => {
                let name: LitStr = attribute.parse_args()?;
                quote! { ::std::option::Option::Some(#name) }
            }
            None => quote! { ::std::option::Option::None },
        };
        trees.push(match attribute(&field.attrs, "shape") {
            Some(attribute) => {
                let shape: syn::Expr = attribute.parse_args()?;
                quote! {{
                    let shape: ::tollgate_rtl::Shape<#ty> = #shape;
                    shape.tree().clone()
                }}
            }
            None if is_named(ty, "Bits") || is_named(ty, "Signed") => {
                return Err(Error::new_spanned(field, format!("`{ident}` needs a width, such as `#[shape(bits(8))]`")));
            }
            None => quote! { <#ty as ::tollgate_rtl::Shaped<_>>::shape(p).tree().clone() },
        });
        entries.push(quote! {
            ::tollgate_rtl::Field {
                name: #ident,
                doc: #doc,
                flow: ::tollgate_rtl::Flow::#flow,
                clock: #clock,
                tree: ::std::mem::replace(&mut trees[#index], ::tollgate_rtl::Tree::Fields(::std::vec::Vec::new())),
            }
        });
    }
    let (own_generics, arguments, bounds) = input.generics.split_for_impl();
    let mut generics = input.generics.clone();
    let parameters = match parameters {
        Some(ty) => quote! { #ty },
        None => {
            for parameter in generics.type_params_mut() {
                parameter.bounds.push(syn::parse_quote!(::tollgate_rtl::Shaped<Parameters>));
            }
            generics.params.push(syn::parse_quote!(Parameters: ?Sized));
            quote! { Parameters }
        }
    };
    let (shaped_generics, _, shaped_bounds) = generics.split_for_impl();
    Ok(quote! {
        impl #own_generics #name #arguments #bounds {
            fn fields(mut trees: [::tollgate_rtl::Tree; #count]) -> ::std::vec::Vec<::tollgate_rtl::Field> {
                ::std::vec![#(#entries),*]
            }
        }

        impl #shaped_generics ::tollgate_rtl::Shaped<#parameters> for #name #arguments #shaped_bounds {
            fn shape(p: &#parameters) -> ::tollgate_rtl::Shape<Self> {
                let _ = p;
                ::tollgate_rtl::Shape::from_tree(::tollgate_rtl::Tree::Fields(Self::fields([#(#trees),*])))
            }
        }
    })
}

/// For a generic bundle, its shape from the shapes of its type parameters.
fn generic_shape(input: &DeriveInput, fields: &[&Field]) -> TokenStream {
    let parameters: Vec<&Ident> = input.generics.type_params().map(|parameter| &parameter.ident).collect();
    if parameters.is_empty() {
        return TokenStream::new();
    }
    let name = &input.ident;
    let doc = format!("The shape of a [`{name}`] from the shapes of its members.");
    let values: Vec<Ident> =
        parameters.iter().map(|parameter| format_ident!("{}", parameter.to_string().to_lowercase())).collect();
    let trees = fields.iter().map(|field| {
        let ty = &field.ty;
        match parameters.iter().position(|parameter| is_exactly(ty, parameter)) {
            Some(position) => {
                let value = &values[position];
                quote! { #value.tree().clone() }
            }
            None => quote! { <#ty as ::tollgate_rtl::Shaped<()>>::shape(&()).tree().clone() },
        }
    });
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote! {
        impl #generics #name #arguments #bounds {
            #[doc = #doc]
            pub fn of(#(#values: ::tollgate_rtl::Shape<#parameters>),*) -> ::tollgate_rtl::Shape<Self> {
                ::tollgate_rtl::Shape::from_tree(::tollgate_rtl::Tree::Fields(Self::fields([#(#trees),*])))
            }
        }
    }
}

/// The type in `#[bundle(params = T)]` or `#[ports(params = T)]`.
fn parameters_of(input: &DeriveInput, kind: Kind) -> Result<Option<Type>> {
    let Some(attribute) = attribute(&input.attrs, kind.attribute()) else { return Ok(None) };
    let mut parameters = None;
    attribute.parse_nested_meta(|meta| {
        if meta.path.is_ident("params") {
            parameters = Some(meta.value()?.parse()?);
            return Ok(());
        }
        Err(meta.error(format!("`{}` knows `params = Type` only", kind.attribute())))
    })?;
    Ok(parameters)
}

fn flow_of(field: &Field, kind: Kind) -> Result<Ident> {
    let forward = format_ident!("Forward");
    let reverse = format_ident!("Reverse");
    match kind {
        Kind::Bundle => Ok(if attribute(&field.attrs, "reverse").is_some() { reverse } else { forward }),
        Kind::Ports => {
            let given: Vec<&str> = ["input", "output", "sink", "source"]
                .into_iter()
                .filter(|name| attribute(&field.attrs, name).is_some())
                .collect();
            match given[..] {
                ["input"] | ["sink"] => Ok(reverse),
                ["output"] | ["source"] => Ok(forward),
                _ => {
                    let name = field.ident.as_ref().expect("named");
                    let given = match given[..] {
                        [] => "has no direction".to_owned(),
                        _ => format!("is {}", given.join(" and ")),
                    };
                    let rule = "a port is exactly one of #[input], #[output], #[sink] and #[source]";
                    Err(Error::new_spanned(field, format!("`{name}` {given}: {rule}")))
                }
            }
        }
    }
}

fn attribute<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| attribute.path().is_ident(name))
}

fn is_exactly(ty: &Type, ident: &Ident) -> bool {
    matches!(ty, Type::Path(path) if path.qself.is_none() && path.path.is_ident(ident))
}

fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == name))
}
