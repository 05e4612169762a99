//! The Verilog printer.
