//! The generator, from outside: the command line, its folders, its headers.

mod bad_input;
mod build;
mod check;
mod fresh;
mod headers;
mod pages;
mod render;
mod run;
mod words;
