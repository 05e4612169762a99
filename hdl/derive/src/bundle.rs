//! `#[bundle]` and `#[ports]`.

use crate::doc_of;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Error, Expr, Fields, GenericArgument, GenericParam, Ident, LitStr, Result};
use syn::{PathArguments, Stmt, Token, Type, Visibility};

/// Which attribute is at work.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Bundle,
    Ports,
}

/// What the sizes follow from: `name: Type`, or nothing.
pub(crate) struct Parameters(Option<(Ident, Type)>);

impl Parse for Parameters {
    fn parse(input: ParseStream) -> Result<Self> {
        if input.is_empty() {
            return Ok(Self(None));
        }
        let wrong = |error: Error| Error::new(error.span(), "the parameters are one name and its type: `p: Type`");
        let name = input.parse().map_err(wrong)?;
        input.parse::<Token![:]>().map_err(wrong)?;
        Ok(Self(Some((name, input.parse()?))))
    }
}

/// A field as it is declared.
struct Member {
    ident: Ident,
    visibility: Visibility,
    doc: String,
    /// The name in `#[clock("name")]`.
    clock: Option<LitStr>,
    /// The directions around its type, the outermost first.
    flows: Vec<Ident>,
    /// Its type, sizes and all.
    declared: Type,
    /// Its type to Rust.
    ty: Type,
}

/// The struct with the implementations that make it a bundle.
pub(crate) fn expand(parameters: &Parameters, mut input: DeriveInput, kind: Kind) -> TokenStream {
    let expanded = members(&mut input).and_then(|members| implementations(parameters, &input, &members, kind));
    let implementations = expanded.unwrap_or_else(Error::into_compile_error);
    quote! {
        #[derive(Clone, Copy)]
        #input
        #implementations
    }
}

/// Takes what Rust does not know out of the fields.
fn members(input: &mut DeriveInput) -> Result<Vec<Member>> {
    let whole = input.clone();
    let Data::Struct(syn::DataStruct { fields: Fields::Named(fields), .. }) = &mut input.data else {
        return Err(Error::new_spanned(whole, "a bundle is a struct with named fields"));
    };
    let mut members = vec![];
    for field in &mut fields.named {
        let clock = attribute(&field.attrs, "clock").map(Attribute::parse_args).transpose();
        field.attrs.retain(|attribute| !attribute.path().is_ident("clock"));
        let mut declared = field.ty.clone();
        let mut flows = vec![];
        while let Some((flow, inner)) = flow_around(&declared) {
            flows.push(flow);
            declared = inner;
        }
        without_sizes(&mut field.ty);
        let mut ty = declared.clone();
        without_sizes(&mut ty);
        members.push(Member {
            ident: field.ident.clone().expect("named"),
            visibility: field.vis.clone(),
            doc: doc_of(&field.attrs),
            clock: clock?,
            flows,
            declared,
            ty,
        });
    }
    Ok(members)
}

fn implementations(
    parameters: &Parameters,
    input: &DeriveInput,
    members: &[Member],
    kind: Kind,
) -> Result<TokenStream> {
    let bundle = bundle_impl(input, members);
    let shaped = shaped_impl(parameters, input, members, kind)?;
    let generic = generic_shape(input, members)?;
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
fn bundle_impl(input: &DeriveInput, members: &[Member]) -> TokenStream {
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
    let idents: Vec<&Ident> = members.iter().map(|member| &member.ident).collect();
    let types: Vec<&Type> = members.iter().map(|member| &member.ty).collect();
    let visibilities = members.iter().map(|member| &member.visibility);
    let docs = members.iter().map(|member| &member.doc);
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
    let indices = 0..members.len();
    quote! {
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
    }
}

/// The implementation of `Shaped`, and the list of fields that it shares with `Bundle::tree`.
fn shaped_impl(parameters: &Parameters, input: &DeriveInput, members: &[Member], kind: Kind) -> Result<TokenStream> {
    let name = &input.ident;
    let (variable, parameters) = match &parameters.0 {
        Some((name, ty)) => (name.clone(), Some(ty)),
        None => (format_ident!("parameters", span = Span::mixed_site()), None),
    };
    let count = members.len();
    let mut trees = vec![];
    let mut entries = vec![];
    for (index, member) in members.iter().enumerate() {
        let (ident, doc) = (member.ident.to_string(), &member.doc);
        if doc.is_empty() {
            return Err(Error::new_spanned(
                &member.ident,
                format!("`{ident}` needs a doc comment: it is its meaning in the Verilog"),
            ));
        }
        let flow = flow_of(member, kind)?;
        let clock = match &member.clock {
            Some(name) => quote! { ::std::option::Option::Some(#name) },
            None => quote! { ::std::option::Option::None },
        };
        let shape = shape_of(&member.declared, &quote! { #variable })?;
        trees.push(quote! { #shape.tree().clone() });
        let place = quote_spanned! { member.ident.span() => ::tollgate_rtl::Place::here() };
        entries.push(quote! {
            ::tollgate_rtl::Field {
                name: #ident,
                doc: #doc,
                flow: ::tollgate_rtl::Flow::#flow,
                clock: #clock,
                tree: ::std::mem::replace(&mut trees[#index], ::tollgate_rtl::Tree::Fields(::std::vec::Vec::new())),
                place: #place,
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
            fn shape(#variable: &#parameters) -> ::tollgate_rtl::Shape<Self> {
                let _ = #variable;
                ::tollgate_rtl::Shape::from_tree(::tollgate_rtl::Tree::Fields(Self::fields([#(#trees),*])))
            }
        }
    })
}

/// For a generic bundle, its shape from the shapes of its type parameters.
fn generic_shape(input: &DeriveInput, members: &[Member]) -> Result<TokenStream> {
    let parameters: Vec<&Ident> = input.generics.type_params().map(|parameter| &parameter.ident).collect();
    if parameters.is_empty() {
        return Ok(TokenStream::new());
    }
    let name = &input.ident;
    let doc = format!("The shape of a [`{name}`] from the shapes of its members.");
    let values: Vec<Ident> =
        parameters.iter().map(|parameter| format_ident!("{}", parameter.to_string().to_lowercase())).collect();
    let trees = members.iter().map(|member| {
        let shape = match parameters.iter().position(|parameter| is_exactly(&member.ty, parameter)) {
            Some(position) => {
                let value = &values[position];
                quote! { #value }
            }
            None => shape_of(&member.declared, &quote! { &() })?,
        };
        Ok(quote! { #shape.tree().clone() })
    });
    let trees = trees.collect::<Result<Vec<_>>>()?;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics #name #arguments #bounds {
            #[doc = #doc]
            pub fn of(#(#values: ::tollgate_rtl::Shape<#parameters>),*) -> ::tollgate_rtl::Shape<Self> {
                ::tollgate_rtl::Shape::from_tree(::tollgate_rtl::Tree::Fields(Self::fields([#(#trees),*])))
            }
        }
    })
}

// ---- types with sizes ------------------------------------------------------------------------------------------------

/// The shape that a type with sizes says: an expression.
fn shape_of(ty: &Type, parameters: &TokenStream) -> Result<TokenStream> {
    let mut plain = ty.clone();
    without_sizes(&mut plain);
    let (name, types, sizes) = parts(ty);
    let name = name.map(Ident::to_string).unwrap_or_default();
    Ok(match (&name[..], &types[..], &sizes[..]) {
        ("Bits", [], [width]) => quote! { ::tollgate_rtl::bits(#width) },
        ("Signed", [], [width]) => quote! { ::tollgate_rtl::signed(#width) },
        ("Array", [of], [count]) => {
            let of = shape_of(of, parameters)?;
            quote! { ::tollgate_rtl::array(#count, #of) }
        }
        ("Bits" | "Signed", ..) => {
            return Err(Error::new_spanned(ty, format!("a vector needs its width, such as `{name}<8>`")));
        }
        ("Array", ..) => {
            return Err(Error::new_spanned(ty, "an array needs its element and its count, such as `Array<Bit, 8>`"));
        }
        (_, _, [parameters]) => quote! { <#plain as ::tollgate_rtl::Shaped<_>>::shape(&(#parameters)) },
        (_, types, []) if types.iter().any(|ty| is_sized(ty)) => {
            let shapes = types.iter().map(|ty| shape_of(ty, parameters)).collect::<Result<Vec<_>>>()?;
            quote! { <#plain>::of(#(#shapes),*) }
        }
        (_, _, []) => quote! { <#plain as ::tollgate_rtl::Shaped<_>>::shape(#parameters) },
        _ => return Err(Error::new_spanned(ty, "a bundle has one value that its sizes follow from")),
    })
}

/// Whether a type, or a type in it, says a size.
fn is_sized(ty: &Type) -> bool {
    let (name, types, sizes) = parts(ty);
    !sizes.is_empty() || name.is_some_and(|name| name == "Bits" || name == "Signed") || types.into_iter().any(is_sized)
}

/// The last name of a type, its type arguments, and its sizes.
fn parts(ty: &Type) -> (Option<&Ident>, Vec<&Type>, Vec<&Expr>) {
    let (mut types, mut sizes) = (vec![], vec![]);
    let path = match ty {
        Type::Group(group) => return parts(&group.elem),
        Type::Path(path) => &path.path,
        _ => return (None, types, sizes),
    };
    let last = path.segments.last().expect("a path has a segment");
    if let PathArguments::AngleBracketed(arguments) = &last.arguments {
        for argument in &arguments.args {
            match argument {
                GenericArgument::Type(ty) => types.push(ty),
                GenericArgument::Const(size) => sizes.push(without_braces(size)),
                _ => {}
            }
        }
    }
    (Some(&last.ident), types, sizes)
}

/// The expression in a block of nothing else, as a constant argument has to be written.
fn without_braces(size: &Expr) -> &Expr {
    match size {
        Expr::Block(block) => match &block.block.stmts[..] {
            [Stmt::Expr(expression, None)] => expression,
            _ => size,
        },
        _ => size,
    }
}

/// Leaves the sizes out: what remains is the type to Rust.
fn without_sizes(ty: &mut Type) {
    let path = match ty {
        Type::Group(group) => return without_sizes(&mut group.elem),
        Type::Path(path) => &mut path.path,
        _ => return,
    };
    let last = path.segments.last_mut().expect("a path has a segment");
    let PathArguments::AngleBracketed(arguments) = &mut last.arguments else { return };
    let kept = std::mem::take(&mut arguments.args).into_iter();
    let kept = kept.filter(|argument| !matches!(argument, GenericArgument::Const(_)));
    arguments.args = kept.collect::<Punctuated<_, _>>();
    for argument in &mut arguments.args {
        if let GenericArgument::Type(ty) = argument {
            without_sizes(ty);
        }
    }
    if arguments.args.is_empty() {
        last.arguments = PathArguments::None;
    }
}

// ---- directions ------------------------------------------------------------------------------------------------------

/// The direction around a type, and what is in it.
fn flow_around(ty: &Type) -> Option<(Ident, Type)> {
    let (Some(name), types, _) = parts(ty) else { return None };
    let is_flow = ["Input", "Output", "Sink", "Source", "Reverse"].iter().any(|flow| name == flow);
    match types[..] {
        [inner] if is_flow => Some((name.clone(), inner.clone())),
        _ => None,
    }
}

/// A direction among the arguments of a type, where it would mean nothing.
fn flow_within(ty: &Type) -> Option<Ident> {
    let (_, types, _) = parts(ty);
    types.into_iter().find_map(|ty| flow_around(ty).map(|(flow, _)| flow).or_else(|| flow_within(ty)))
}

fn flow_of(member: &Member, kind: Kind) -> Result<Ident> {
    if let Some(flow) = flow_within(&member.declared) {
        let rule = "a direction stands around the whole type of a field";
        return Err(Error::new_spanned(&flow, format!("`{flow}` within a type: {rule}")));
    }
    let (forward, reverse) = (format_ident!("Forward"), format_ident!("Reverse"));
    let given: Vec<String> = member.flows.iter().map(Ident::to_string).collect();
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let rule = match (kind, &given[..]) {
        (Kind::Bundle, []) | (Kind::Ports, ["Output" | "Source"]) => return Ok(forward),
        (Kind::Bundle, ["Reverse"]) | (Kind::Ports, ["Input" | "Sink"]) => return Ok(reverse),
        (Kind::Bundle, _) => "a member of a bundle runs with it, or is Reverse<…>",
        (Kind::Ports, _) => "a port is exactly one of Input<…>, Output<…>, Sink<…> and Source<…>",
    };
    let ident = &member.ident;
    let given = match &given[..] {
        [] => "has no direction".to_owned(),
        _ => format!("is {}", given.join(" and ")),
    };
    Err(Error::new_spanned(ident, format!("`{ident}` {given}: {rule}")))
}

fn attribute<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| attribute.path().is_ident(name))
}

fn is_exactly(ty: &Type, ident: &Ident) -> bool {
    matches!(ty, Type::Path(path) if path.qself.is_none() && path.path.is_ident(ident))
}
