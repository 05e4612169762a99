//! Hardware keeps its places: what is written in `hdl/src` never passes a function of the language as a value.
//!
//! An error in a circuit points at the line of Rust that wrote it, because every function that can be used wrongly is
//! `#[track_caller]`. Passed as a value, `bits.reduce(Bit::bitand)`, such a function reports a line of the standard
//! library or none. A closure, `|a, b| a & b`, costs as little and keeps the place.

use super::{Tree, Violation};
use std::collections::BTreeSet;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprCall, ExprPath, ImplItemFn, ItemFn, ItemImpl, Macro, Token, TraitItemFn, Type};

/// Methods of the operator traits of `std::ops`; the language may implement them in macros, where they cannot be read.
const OPERATORS: [&str; 14] =
    ["add", "bitand", "bitor", "bitxor", "div", "index", "mul", "neg", "not", "rem", "shl", "shr", "sub", "deref"];

/// Finds functions of the language, and operators, that are passed as values.
pub fn check(tree: &Tree) -> Result<Vec<Violation>, Violation> {
    let mut tracked = Tracked::default();
    let rust = |folder: &'static str| {
        tree.below(folder).filter(|file| file.ends_with(".rs")).map(move |file| format!("{folder}/{file}"))
    };
    for file in rust("hdl/rtl/src").chain(rust("hdl/src")) {
        tracked.visit_file(&tree.rust(&file)?);
    }
    let mut broken = Vec::new();
    if tracked.methods.is_empty() && rust("hdl/src").next().is_some() {
        let what = "no method of the language is `#[track_caller]`: this law would find nothing";
        let cure = "look for the language where it is now, in xtask/src/tidy/places.rs";
        broken.push(Violation::new("hdl/rtl/src", what, cure));
    }
    for file in rust("hdl/src") {
        let mut passed = Passed { tracked: &tracked, found: Vec::new() };
        passed.visit_file(&tree.rust(&file)?);
        broken.extend(passed.found.into_iter().map(|(line, name)| {
            let what = format!("`{name}` passed as a value: errors in it cannot name this line");
            Violation::new(&file, what, "write a closure that calls it").at(line)
        }));
    }
    Ok(broken)
}

/// Functions that report their caller's line.
#[derive(Default)]
struct Tracked {
    /// Names of free functions.
    functions: BTreeSet<String>,
    /// Types (or traits) and names of methods.
    methods: BTreeSet<(String, String)>,
    /// The type (or trait) that is being read.
    owner: Option<String>,
}

impl Tracked {
    /// Whether this path names such a function or an operator.
    fn has(&self, path: &syn::Path) -> bool {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        match &names[..] {
            [function] => self.functions.contains(function),
            [.., owner, name] => {
                OPERATORS.contains(&name.as_str())
                    || self.methods.contains(&(owner.clone(), name.clone()))
                    || self.functions.contains(name) && owner.starts_with(char::is_lowercase)
            }
            [] => false,
        }
    }

    /// Reads what is within a type or trait.
    fn within(&mut self, owner: Option<String>, read: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.owner, owner);
        read(self);
        self.owner = outer;
    }

    /// Notes a function, if it is one of them.
    fn note(&mut self, attributes: &[Attribute], name: &syn::Ident) {
        if attributes.iter().any(|attribute| attribute.path().is_ident("track_caller")) {
            match &self.owner {
                Some(owner) => drop(self.methods.insert((owner.clone(), name.to_string()))),
                None => drop(self.functions.insert(name.to_string())),
            }
        }
    }
}

impl<'ast> Visit<'ast> for Tracked {
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let owner = match &*item.self_ty {
            Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
            _ => None,
        };
        self.within(owner, |this| visit::visit_item_impl(this, item));
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.within(Some(item.ident.to_string()), |this| visit::visit_item_trait(this, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.note(&item.attrs, &item.sig.ident);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.note(&item.attrs, &item.sig.ident);
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.note(&item.attrs, &item.sig.ident);
    }
}

/// Paths of such functions that are not called where they stand.
struct Passed<'a> {
    tracked: &'a Tracked,
    found: Vec<(usize, String)>,
}

impl<'ast> Visit<'ast> for Passed<'_> {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if !matches!(&*call.func, Expr::Path(_)) {
            self.visit_expr(&call.func);
        }
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if self.tracked.has(&path.path) {
            let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let line = path.path.segments.last().map_or(0, |segment| segment.ident.span().start().line);
            self.found.push((line, names.join("::")));
        }
    }

    /// Arguments of macros are looked at if they are expressions, as in `vec![…]` and `assert_eq!(…)`.
    fn visit_macro(&mut self, call: &'ast Macro) {
        if let Ok(arguments) = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
            let mut within = Passed { tracked: self.tracked, found: Vec::new() };
            arguments.iter().for_each(|argument| within.visit_expr(argument));
            self.found.append(&mut within.found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{holds_here, planted, printed};
    use super::check;

    const LANGUAGE: &str = "
        impl Bits { #[track_caller] pub fn equals(self, other: Self) -> Bit {} pub fn width(&self) -> u32 {} }
        pub trait Signal { #[track_caller] fn set(self); }
        #[track_caller] pub fn invert(a: Bit) -> Bit {}";

    /// What is broken in a file of hardware.
    fn broken(hardware: &str) -> Vec<String> {
        let (_folder, tree) = planted(&[("hdl/rtl/src/types.rs", LANGUAGE), ("hdl/src/cells/cam.rs", hardware)]);
        printed(&check(&tree).expect("the tree is readable"))
    }

    /// The violation by this name at this line.
    fn passed(line: usize, name: &str) -> String {
        format!(
            "hdl/src/cells/cam.rs:{line}: `{name}` passed as a value: errors in it cannot name this line\n\
             cure: write a closure that calls it"
        )
    }

    #[test]
    fn holds() {
        holds_here(check);
    }

    #[test]
    fn operators_as_values_are_found() {
        assert_eq!(
            broken("fn f() {\n a.reduce(Bit::bitand);\n b.map(std::ops::Not::not);\n let g = Bits::add;\n}"),
            [passed(2, "Bit::bitand"), passed(3, "std::ops::Not::not"), passed(4, "Bits::add")]
        );
    }

    #[test]
    fn functions_of_the_language_as_values_are_found() {
        assert_eq!(
            broken(
                "fn f() {\n a.map(invert);\n b.map(rtl::invert);\n vec![\n  Bits::equals];\n c.for_each(Signal::set);\n}"
            ),
            [passed(2, "invert"), passed(3, "rtl::invert"), passed(5, "Bits::equals"), passed(6, "Signal::set")]
        );
    }

    #[test]
    fn helpers_of_the_hardware_count_as_well() {
        assert_eq!(broken("#[track_caller] fn helper(a: Bit) {}\nfn f() { a.map(helper); }"), [passed(2, "helper")]);
    }

    #[test]
    fn a_law_that_lost_the_language_says_so() {
        let (_folder, tree) = planted(&[("hdl/src/cells/cam.rs", "")]);
        assert_eq!(
            printed(&check(&tree).expect("the tree is readable")),
            ["hdl/rtl/src: no method of the language is `#[track_caller]`: this law would find nothing\n\
              cure: look for the language where it is now, in xtask/src/tidy/places.rs"]
        );
    }

    #[test]
    fn calls_closures_and_other_values_are_fine() {
        assert_eq!(
            broken(
                "fn f() { a.reduce(|x, y| x & y); invert(a); Bits::equals(a, b); a.map(Bits::width); a.map(u32::from); }"
            ),
            [""; 0]
        );
    }
}
