//! The generator.

fn main() {}
