//! The file in the user's cache that keeps the profile of this machine.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use ringjet::files::{Access, Part};
use ringjet_backend::Width;
use sha2::{Digest, Sha256};

use crate::backend::{self, PathChoice};
use crate::{Result, system};

/// The file of the profile. Its name has a part for each processor, number of cores, size of memory, and
/// version of this library: figures of others are not taken for those of this machine.
///
/// # Errors
/// Without a folder for caches, and for a backend that is off.
pub fn path(threads: usize) -> Result<PathBuf> {
    let folder = ringjet_cuda::cache_folder()
        .ok_or("there is no folder for caches: set RINGJET_CACHE_DIR, or give a profile's path")?;
    let backend = backend::open(1, PathChoice::Auto, Width::Eight)?.id().name().to_owned();
    let (memory, _) = system::memory().unwrap_or_default();
    // code without optimisation is slower
    let build = (env!("CARGO_PKG_VERSION"), cfg!(debug_assertions));
    let machine = (system::cpu_model(), system::cores(), memory, build);
    let hash = Sha256::digest(format!("{machine:?}"));
    let short: String = hash[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(folder.join(format!("device-{backend}-{threads}-{short}.toml")))
}

/// A lock that one process at a time holds, for as long as it measures: two at once would disturb each other.
/// `None` where the cache cannot be written to.
pub fn locked(path: &Path) -> Option<File> {
    std::fs::create_dir_all(path.parent()?).ok()?;
    let file = File::create(path.with_extension("lock")).ok()?;
    file.lock().ok()?;
    Some(file)
}

/// Writes a profile, whole or not at all.
///
/// # Errors
/// Those of the system.
pub fn keep(path: &Path, text: &str) -> Result<()> {
    let write = || {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        let (mut file, part) = Part::beside(path, Access::Public)?;
        file.write_all(text.as_bytes())?;
        part.publish(&file, path)
    };
    Ok(write().map_err(|e| crate::text::at(path, e))?)
}
