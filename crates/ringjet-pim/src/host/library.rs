//! The emulator, or the vendor's library.

use std::env;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use libloading::Library;

use crate::PimError;
use crate::host::functions::Functions;

/// The environment variable with the path of the vendor's library.
pub const LIBRARY_VARIABLE: &str = "RINGJET_UPMEM_LIB";

/// What is looked for without that variable.
const DEFAULT_LIBRARY: &str = "libdpu.so";

/// Where DPUs come from.
#[derive(Debug)]
pub struct Host {
    pub(super) functions: Functions,
    emulator: bool,
}

impl Host {
    /// The emulator.
    pub fn emulator() -> Arc<Self> {
        Arc::new(Self { functions: Functions::emulator(), emulator: true })
    }

    /// The vendor's library: the one that `RINGJET_UPMEM_LIB` names, or `libdpu.so`. Untested on
    /// hardware.
    pub fn open() -> Result<Arc<Self>, PimError> {
        let path = env::var_os(LIBRARY_VARIABLE).unwrap_or_else(|| OsString::from(DEFAULT_LIBRARY));
        Self::open_library(&path)
    }

    /// The vendor's library at a path. Untested on hardware.
    pub fn open_library(path: &OsStr) -> Result<Arc<Self>, PimError> {
        // SAFETY: the caller names the vendor's library, whose initialisation is meant to run.
        let library = unsafe { Library::new(path) }.map_err(|error| PimError::NoLibrary {
            path: path.to_string_lossy().into_owned(),
            reason: error.to_string(),
        })?;
        let functions = Functions::of(&library, path)?;
        // Threads may hold what the library frees at their end, so it is never unloaded.
        std::mem::forget(library);
        Ok(Arc::new(Self { functions, emulator: false }))
    }

    /// Whether this is the emulator that is part of this crate.
    pub fn is_emulator(&self) -> bool {
        self.emulator
    }
}
