//! The emulator, or the vendor's library.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use libloading::Library;

use crate::PimError;
use crate::host::functions::Functions;

/// The environment variable with the path of the vendor's library.
pub const LIBRARY_VARIABLE: &str = "RINGJET_UPMEM_LIB";

/// The environment variable with the folder of the programs that the vendor's compiler has made,
/// one of each name in [`crate::RUNGS`]. Without it they are looked for in the current folder.
pub const PROGRAMS_VARIABLE: &str = "RINGJET_UPMEM_PROGRAMS";

/// The environment variable with the number of DPUs of [`default_dpus`].
pub const DPUS_VARIABLE: &str = "RINGJET_PIM_DPUS";

/// What is looked for without a path.
const DEFAULT_LIBRARY: &str = "libdpu.so";

/// A rank of DPUs.
const RANK: u32 = 64;

/// How many DPUs are used where a caller does not say: as many as `RINGJET_PIM_DPUS` says, or 64.
pub fn default_dpus() -> Result<u32, PimError> {
    let Some(value) = env::var_os(DPUS_VARIABLE) else { return Ok(RANK) };
    let value = value.to_string_lossy();
    match value.trim().parse() {
        Ok(dpus) if (1..=MOST_DPUS).contains(&dpus) => Ok(dpus),
        _ => Err(PimError::Dpus { value: value.into_owned(), most: MOST_DPUS }),
    }
}

/// More than any machine has.
const MOST_DPUS: u32 = 1 << 16;

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
            reason: std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string),
        })?;
        let functions = Functions::of(&library, path)?;
        // Threads may hold what the library frees at their end, so it is never unloaded.
        std::mem::forget(library);
        Ok(Arc::new(Self { functions, emulator: false }))
    }

    /// What [`crate::DpuSet::load`] takes for a build of the program: its name for the emulator, a
    /// file of the vendor's compiler otherwise.
    pub fn program(&self, name: &str) -> String {
        let folder = env::var_os(PROGRAMS_VARIABLE).filter(|_| !self.emulator).unwrap_or_default();
        Path::new(&folder).join(name).to_string_lossy().into_owned()
    }

    /// Whether this is the emulator that is part of this crate.
    pub fn is_emulator(&self) -> bool {
        self.emulator
    }
}
