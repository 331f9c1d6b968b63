//! Files, which are written whole or not at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use ringjet::Error;
use ringjet::files::{self, Access, Part};
use ringjet_backend::host;
use zeroize::Zeroizing;

use crate::border::{Refusal, Result};

/// [`files::read`] of the file `path`.
pub(crate) fn read(path: &Path, max_bytes: u64) -> Result<Zeroizing<Vec<u8>>> {
    let file = File::open(path).map_err(|e| Refusal::file(path, e))?;
    files::read(&file, max_bytes).map_err(|e| match e.kind() {
        ErrorKind::OutOfMemory => {
            Error::from(host::OutOfMemory { bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX) }).into()
        }
        _ => Refusal::file(path, e),
    })
}

/// Writes a file that anybody may read: `write` fills a new one, which then replaces an older one. A file with a
/// secret key, a file that cannot be read, and what is no file, is not replaced. Links are followed. Errors of
/// streams in `write` become errors of the file.
pub(crate) fn replace(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let at = |e: io::Error| Refusal::file(path, e);
    let target = resolved(path);
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return Err(at(io::Error::new(ErrorKind::InvalidInput, "not a file")));
    }
    if old.is_some() {
        expect_no_secret(path, &target)?;
    }
    let (mut file, part) = Part::beside(&target, Access::Public).map_err(at)?;
    write(&mut file).map_err(|refusal| refusal.in_file(path))?;
    if let Some(old) = &old {
        file.set_permissions(old.permissions()).map_err(at)?;
    }
    part.publish(&file, &target).map_err(at)
}

/// Writes a new file that only its owner may read (mode 0600). A file that is there already is not replaced.
pub(crate) fn create_secret(path: &Path, data: &[u8]) -> Result<()> {
    let at = |e: io::Error| match e.kind() {
        ErrorKind::AlreadyExists => Refusal::Overwrite { path: path.to_owned(), holds: "is there already".into() },
        _ => Refusal::file(path, e),
    };
    let (mut file, part) = Part::beside(path, Access::Owner).map_err(at)?;
    file.write_all(data).and_then(|()| file.sync_all()).map_err(at)?;
    part.publish_new(path).map_err(at)
}

/// The file that `path` names after all links.
fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Refuses to replace the file `target`, which the caller calls `path`, if it holds a secret key, or if it cannot be
/// read: then it could hold one.
fn expect_no_secret(path: &Path, target: &Path) -> Result<()> {
    let holds = match files::secret_in(target) {
        Ok(None) => return Ok(()),
        Ok(Some(key)) => format!("holds the secret key {key}"),
        Err(e) => format!("cannot be read ({e}) and may hold a secret key"),
    };
    Err(Refusal::Overwrite { path: path.to_owned(), holds })
}
