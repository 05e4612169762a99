//! The reference interpreter against tables written by hand.

mod builder;
mod checks;
mod clocks;
mod hierarchy;
mod memories;
mod operators;
mod statements;
mod typed;
mod waves;
