//! Macros of the hardware language: `#[bundle]`, `#[ports]` and `#[derive(Encoding)]`.
//!
//! They read names, types and doc comments of fields, and write the plumbing that says which signals a struct stands
//! for. The traits they implement are those of `tollgate_rtl`.

mod bundle;
mod encoding;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct of signals a bundle, with a plain struct `<Name>Plain` for simulation.
///
/// A type of a field says its sizes where Rust has constant arguments: `Bits<8>`, `Signed<{ p.width }>`,
/// `Array<Bit, { p.count }>`, `Valid<Bits<{ p.width }>>`. They are expressions that run when the shape is made, so to
/// Rust the types are `Bits`, `Signed`, `Array<Bit>`, `Valid<Bits>`. A bundle whose sizes follow from something else than
/// those around it is given that: `Address<{ p.bus }>`.
///
/// - `#[bundle(p: T)]`: its sizes follow from a `&T`, called `p` in them. With `#[bundle]`, from nothing.
/// - `Reverse<T>` around the type of a field: it runs against the bundle, as `ready` of a stream.
/// - The doc comment of a field is its meaning in the Verilog.
///
/// The struct becomes `Clone` and `Copy`: it derives neither itself.
#[proc_macro_attribute]
pub fn bundle(arguments: TokenStream, input: TokenStream) -> TokenStream {
    let parameters = parse_macro_input!(arguments as bundle::Parameters);
    bundle::expand(&parameters, parse_macro_input!(input as DeriveInput), bundle::Kind::Bundle).into()
}

/// Makes a struct of signals the port list of a module: a bundle, as by [`macro@bundle`], whose fields have directions.
///
/// - Around the type of each field is one of `Input<T>`, `Output<T>`, `Sink<T>` (a stream in), `Source<T>` (a stream out).
/// - `#[clock("name")]` on a field: it is synchronous to that clock, not to the default one.
#[proc_macro_attribute]
pub fn ports(arguments: TokenStream, input: TokenStream) -> TokenStream {
    let parameters = parse_macro_input!(arguments as bundle::Parameters);
    bundle::expand(&parameters, parse_macro_input!(input as DeriveInput), bundle::Kind::Ports).into()
}

/// Gives each variant of a field-less enumeration a code: its discriminant, or its number in order.
///
/// - `#[encoding(width = 3)]` on the enumeration: its width in bits; else as many as its largest code needs.
/// - `#[reset]` on a variant: the one that an illegal code counts as; else the first.
#[proc_macro_derive(Encoding, attributes(encoding, reset))]
pub fn derive_encoding(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    encoding::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// The doc comment as one line.
fn doc_of(attributes: &[syn::Attribute]) -> String {
    let lines: Vec<String> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            syn::Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        })
        .take_while(|line| !line.is_empty())
        .collect();
    lines.join(" ")
}
