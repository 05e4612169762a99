//! Contracts of Tollgate: what hardware, golden models, headers and documents must agree on.
//!
//! Configurations ([`config`]), bit-field layouts ([`layout`], [`pte`], [`context`], [`access_log`], [`tlp`]), codes
//! ([`fault`], [`outstanding_requests`]), flow control ([`flow_control`]) and register maps ([`registers`]) are data here and
//! behaviour nowhere. A text that breaks a rule is refused with the place in the text ([`source`]).

pub mod access_log;
pub mod config;
pub mod context;
pub mod fault;
pub mod flow_control;
pub mod iotlb;
pub mod layout;
pub mod outstanding_requests;
pub mod page_walker;
pub mod pte;
pub mod registers;
pub mod source;
pub mod tlp;
