//! Files that are replaced whole or not at all.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use ringjet::Error;
use ringjet::files::secret_in;
pub use ringjet::files::{Access, Part, SECRET_LIMIT, read as read_all, start_of_object};
use ringjet_backend::host;
use zeroize::Zeroizing;

use crate::bytes::Input;
use crate::errors::{overwrite, raise};

/// An error of the file system, with the file's name.
pub fn at(path: &Path, error: io::Error) -> PyErr {
    io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
}

/// Replaces the file `path`, which anybody may read. `write` fills a new file in the same folder;
/// the file is synced to the disk and then renamed to `path`. After an error, a signal or a power
/// loss the old file is unchanged. A killed process also leaves the unfinished file
/// `.NAME.PROCESS.NUMBER.part`. Links are followed. Something that is not a file, such as a pipe, is
/// written to directly. A file with a secret key is not replaced, nor one that cannot be read.
pub fn replace(path: &Path, what: &'static str, write: impl FnOnce(&mut File) -> Result<(), Error>) -> PyResult<()> {
    let io = |e: io::Error| raise(Error::Io { what, reason: format!("{}: {e}", path.display()) });
    let open = |e: io::Error| at(path, e);
    let target = resolved(path);
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        let mut file = OpenOptions::new().write(true).open(&target).map_err(open)?;
        return write(&mut file).map_err(raise);
    }
    if old.is_some() {
        expect_no_secret(path, &target)?;
    }
    let (mut file, part) = Part::beside(&target, Access::Public).map_err(open)?;
    write(&mut file).map_err(raise)?;
    if let Some(old) = &old {
        file.set_permissions(old.permissions()).map_err(io)?;
    }
    part.publish(&file, &target).map_err(io)
}

/// [`replace`] with these bytes.
pub fn save(path: &Path, what: &'static str, data: &[u8]) -> PyResult<()> {
    let io = |e: io::Error| Error::Io { what, reason: format!("{}: {e}", path.display()) };
    replace(path, what, |file| file.write_all(data).map_err(io))
}

/// Writes bytes to a file, as `Ciphertext.save` does: those of an object that only Python has.
#[pyfunction]
pub fn replace_file(py: Python<'_>, path: PathBuf, data: Input) -> PyResult<()> {
    py.detach(|| save(&path, "file", &data))
}

/// The file that `path` names after all links, with its whole path.
pub fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// Refuses to replace the file `target`, which the caller calls `path`, if it holds a secret key, or
/// if it cannot be read: then it could hold one.
fn expect_no_secret(path: &Path, target: &Path) -> PyResult<()> {
    match secret_in(target) {
        Ok(None) => Ok(()),
        Ok(Some(key)) => Err(overwrite(path, Some(&key), "choose another name, or remove the file first")),
        Err(e) => {
            let text = format!("{e}: it may hold a secret key; choose another name, or remove the file first");
            Err(at(path, io::Error::new(e.kind(), text)))
        }
    }
}

/// [`ringjet::files::read`] of the file `path`, which holds `what`.
pub fn read(path: &Path, what: &'static str, max_bytes: u64) -> PyResult<Zeroizing<Vec<u8>>> {
    let file = File::open(path).map_err(|e| at(path, e))?;
    read_all(&file, max_bytes).map_err(|e| match e.kind() {
        ErrorKind::OutOfMemory => {
            raise(host::OutOfMemory { bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX) }.into())
        }
        _ => raise(Error::Io { what, reason: format!("{}: {e}", path.display()) }),
    })
}

/// Warns, where the system says so, if others than its owner may read or change a secret file.
pub fn warn_of_readers(py: Python<'_>, path: &Path) -> PyResult<()> {
    #[cfg(unix)]
    if let Ok(found) = fs::metadata(path).as_ref().map(std::os::unix::fs::MetadataExt::mode)
        && found & 0o077 != 0
        && fs::metadata(path).is_ok_and(|data| data.is_file())
    {
        let path = path.display();
        let text = format!(
            "{path} holds a secret key, and others may read or change it (mode {:04o}): chmod 600 {path}, and make a new key if \
             somebody could have read it",
            found & 0o7777
        );
        let text = CString::new(text).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
    }
    Ok(())
}
