//! Derive macros of the hardware language: `Bundle`, `Ports` and `Encoding`.
//!
//! They read field names, doc comments and attributes, and write the plumbing that says which signals a struct stands
//! for. The traits they implement are those of `tollgate_rtl`.

mod bundle;
mod encoding;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct of signals a bundle, with a plain struct `<Name>Plain` for simulation.
///
/// - `#[bundle(params = T)]` on the struct: its shape follows from a `&T`, called `p` in the attributes below. Without it
///   the shape follows from whatever its members need.
/// - `#[shape(expression)]` on a field: its shape. Needed for `Bits` and `Signed`; the rest is found by type.
/// - `#[reverse]` on a field: it runs against the bundle, as `ready` of a stream.
#[proc_macro_derive(Bundle, attributes(bundle, shape, reverse))]
pub fn derive_bundle(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    bundle::derive(&input, bundle::Kind::Bundle).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a struct of signals the port list of a module.
///
/// Each field is one of `#[input]`, `#[output]`, `#[sink]` (a stream in) and `#[source]` (a stream out), may have a
/// `#[shape(expression)]`, and a `#[clock("name")]` if it is not synchronous to the default clock. On the struct,
/// `#[ports(params = T)]` names the parameters, called `p` in the shapes. The doc comments reach the Verilog.
#[proc_macro_derive(Ports, attributes(ports, shape, input, output, sink, source, clock))]
pub fn derive_ports(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    bundle::derive(&input, bundle::Kind::Ports).unwrap_or_else(syn::Error::into_compile_error).into()
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
