use tollgate_rtl::prelude::*;

/// Nothing.
#[derive(Encoding, Clone, Copy, PartialEq, Debug)]
enum Nothing {}

fn main() {}
