//! The native half of the Python package `ringjet`: thin classes over the Rust library.
//!
//! Every call that takes more than a moment lets other Python threads run; long ones look for
//! Ctrl-C between steps. What is pure Python (tables, progress, exceptions, machine learning) is in
//! `python/ringjet`.
#![forbid(unsafe_code)]
#![allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]

#[macro_use]
mod class;

mod answers;
mod apply;
mod arrays;
mod backend;
mod bytes;
mod caller;
mod ciphertext;
mod client;
mod command;
mod encryption;
mod errors;
mod explicit;
mod files;
mod function;
mod integers;
mod interchange;
mod keys;
mod launches;
mod lists;
mod loaded;
mod model;
mod operations;
mod operators;
mod params;
mod parties;
mod pricing;
mod profile;
mod program;
mod progress;
mod server;
mod spec;
mod transform;
mod values;

use pyo3::prelude::*;

#[pymodule]
mod _ringjet {
    #[pymodule_export]
    use crate::backend::{backends, set_threads, threads};
    #[pymodule_export]
    use crate::ciphertext::{Ciphertext, restore_ciphertext};
    #[pymodule_export]
    use crate::client::Client;
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::encryption::{Encryptor, PublicKey};
    #[pymodule_export]
    use crate::explicit::Explicit;
    #[pymodule_export]
    use crate::files::replace_file;
    #[pymodule_export]
    use crate::function::{Approximation, approximate, sign_stages, table_error};
    #[pymodule_export]
    use crate::interchange::_decompress_zstd;
    #[pymodule_export]
    use crate::keys::{EvaluationKeys, inner_sum_rotations};
    #[pymodule_export]
    use crate::loaded::{drowned, precision_text};
    #[pymodule_export]
    use crate::model::devices;
    #[pymodule_export]
    use crate::operators::{_mul_rows, _transpose_rows, _weighted_sums, sines, sum_of_products, weighted_sum};
    #[pymodule_export]
    use crate::params::Parameters;
    #[pymodule_export]
    use crate::parties::{PartyKeys, PartySession, PartySpec};
    #[pymodule_export]
    use crate::program::RecordedProgram;
    #[pymodule_export]
    use crate::server::{Counts, Server};
    #[pymodule_export]
    use crate::spec::{bgv_params, bootstrap_chain, heaan_params, params, preset, preset_names};
    #[pymodule_export]
    use crate::transform::LinearTransform;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
