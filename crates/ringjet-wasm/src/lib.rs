//! The client of ringjet for browsers: keys, encryption and decryption, but no computing on
//! ciphertexts.
//!
//! `cargo xtask browser` compiles this crate into the package `js/ringjet-client`, whose JavaScript
//! runs it in a Web Worker. All classes here belong to that worker. Options are JSON objects, so that
//! a misspelt one is refused.

mod client;
mod encryption;
mod errors;
mod options;
mod params;
mod values;

pub use client::Client;
pub use encryption::Encryptor;
pub use params::{Parameters, preset_names};
