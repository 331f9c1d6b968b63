//! The C interface of ringjet. `include/ringjet.h` is generated from this crate; `docs/c.md` describes it.
//!
//! * **Handles** are opaque: `rj_client`, `rj_server` and so on. A function that makes one writes it through
//!   its last argument, or null where it fails. Each has a function that frees it, which takes null too.
//! * **Errors** are statuses ([`rj_status`]), one for each class of the library's errors.
//!   [`rj_last_error`] has the text of the last one of a thread. A call that fails changes nothing else.
//! * **Panics** do not cross the border: a fault in the library is [`rj_status::RJ_PANIC`].
//! * **Threads**: every handle may be used by any number of threads at once. One thread frees it, after
//!   all others are done with it.
//! * **Nothing is computed here**: functions check what they are given, and call `ringjet::dynamic` and
//!   `ringjet::program`.
#![allow(non_camel_case_types, reason = "types have the names that they have in C")]
#![allow(clippy::missing_safety_doc, reason = "the header says what pointers must be, once for all functions")]

mod border;
mod buffer;
mod ciphertext;
mod client;
mod files;
mod keys;
mod machine;
mod operations;
mod params;
mod program;
mod server;
mod status;
#[cfg(test)]
mod tests;

pub use border::*;
pub use buffer::*;
pub use ciphertext::*;
pub use client::*;
pub use keys::*;
pub use machine::*;
pub use operations::*;
pub use params::*;
pub use program::*;
pub use server::*;
pub use status::*;
