//! Files that are replaced whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process;

use pyo3::{PyErr, PyResult};
use ringjet::Error;
use ringjet_backend::host;
use zeroize::Zeroizing;

use crate::errors::raise;

/// Who may read a new file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever may read the file that it replaces; without one, what the process's umask allows.
    Public,
    /// Its owner alone: mode 0600.
    Owner,
}

/// An error of the file system, with the file's name.
pub fn at(path: &Path, error: io::Error) -> PyErr {
    io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
}

/// Replaces the file `path`. `write` fills a new file in the same folder; the file is synced to the
/// disk and then renamed to `path`. After an error, a signal or a power loss the old file is
/// unchanged. A killed process also leaves the unfinished file `.NAME.PROCESS.NUMBER.part`. Links
/// are followed. Something that is not a file, such as a pipe, is written to directly.
pub fn replace(
    path: &Path,
    what: &'static str,
    access: Access,
    write: impl FnOnce(&mut File) -> Result<(), Error>,
) -> PyResult<()> {
    let io = |e: io::Error| raise(Error::Io { what, reason: format!("{}: {e}", path.display()) });
    let open = |e: io::Error| at(path, e);
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        let mut file = OpenOptions::new().write(true).open(&target).map_err(open)?;
        return write(&mut file).map_err(raise);
    }
    let (mut file, mut part) = Part::beside(&target, access).map_err(open)?;
    write(&mut file).map_err(raise)?;
    if let (Some(old), Access::Public) = (&old, access) {
        file.set_permissions(old.permissions()).map_err(io)?;
    }
    file.sync_all().map_err(io)?;
    fs::rename(&part.0, &target).map_err(io)?;
    part.0 = PathBuf::new();
    // The rename is on the disk when the folder is synced. Not every system can open a folder.
    if let Ok(folder) = File::open(folder(&target)) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Reads a secret file, at most `max_bytes + 1` bytes, into memory that is wiped when dropped.
pub fn read_secret(path: &Path, max_bytes: u64) -> PyResult<Zeroizing<Vec<u8>>> {
    let what = "secret key";
    let open = |e: io::Error| at(path, e);
    let file = File::open(path).map_err(open)?;
    let len = file.metadata().map_err(open)?.len().min(max_bytes);
    // allocated at its final size and one byte more: a vector that grows leaves copies in memory
    let room =
        host::capacity(usize::try_from(len).unwrap_or(usize::MAX).saturating_add(1)).map_err(|e| raise(e.into()))?;
    let mut data = Zeroizing::new(room);
    let read = file.take(max_bytes.saturating_add(1)).read_to_end(&mut data);
    read.map_err(|e| raise(Error::Io { what, reason: format!("{}: {e}", path.display()) }))?;
    Ok(data)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// An unfinished file. Dropping it removes the file.
struct Part(PathBuf);

impl Part {
    fn beside(path: &Path, access: Access) -> io::Result<(File, Self)> {
        let Some(name) = path.file_name() else {
            return Err(io::Error::new(ErrorKind::InvalidInput, "no name of a file"));
        };
        for number in 0.. {
            let part = folder(path).join(format!(".{}.{}.{number}.part", name.to_string_lossy(), process::id()));
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            if access == Access::Owner {
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            }
            match options.open(&part) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists && number < 1000 => {}
                opened => return opened.map(|file| (file, Self(part))),
            }
        }
        unreachable!("the loop ends by itself")
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.0);
        }
    }
}
