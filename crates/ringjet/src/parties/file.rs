//! The file of a party.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process;

use zeroize::Zeroizing;

use crate::files::{Access, Part};
use crate::{Error, Result};

/// A file that one process has for itself. The lock is on a file beside it, as the file is replaced at each
/// change; it ends with the process, however that ends.
#[derive(Debug)]
pub(super) struct PartyFile {
    path: PathBuf,
    /// The process that holds the lock: a forked child inherits it, and must not use it.
    process: u32,
    _lock: File,
}

impl PartyFile {
    /// Locks the file `path`, which need not be there.
    pub(super) fn lock(path: &Path) -> Result<Self> {
        let refuse = |why: &dyn Display| Error::Io { what: "party", reason: format!("{}: {why}", path.display()) };
        let path = fs::canonicalize(path).or_else(|_| std::path::absolute(path)).map_err(|e| refuse(&e))?;
        let name = path.file_name().ok_or_else(|| refuse(&"no name of a file"))?;
        let beside = path.with_file_name(format!(".{}.lock", name.to_string_lossy()));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let lock = options.open(&beside).map_err(|e| refuse(&e))?;
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => return Err(refuse(&"another process has this party open")),
                Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Interrupted => {}
                // without a lock two processes could answer one ciphertext in two ways
                Err(TryLockError::Error(e)) => return Err(refuse(&e)),
            }
        }
        Ok(Self { path, process: process::id(), _lock: lock })
    }

    pub(super) fn refusal(&self, why: impl Display) -> Error {
        Error::Io { what: "party", reason: format!("{}: {why}", self.path.display()) }
    }

    /// The bytes of the file; `None` where there is none.
    pub(super) fn read(&self, most: u64) -> Result<Option<Zeroizing<Vec<u8>>>> {
        let file = match File::open(&self.path) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(|e| self.refusal(e))?,
        };
        let len = file.metadata().map_err(|e| self.refusal(e))?.len().min(most) as usize;
        let mut bytes = Zeroizing::new(Vec::with_capacity(len + 1));
        file.take(most + 1).read_to_end(&mut bytes).map_err(|e| self.refusal(e))?;
        Ok(Some(bytes))
    }

    /// Writes a file that is not there yet.
    pub(super) fn create(&self, bytes: &[u8]) -> Result<()> {
        self.write(bytes, |part, _| part.publish_new(&self.path))
    }

    /// Replaces the file: after a crash the old one or the new one is there.
    pub(super) fn replace(&self, bytes: &[u8]) -> Result<()> {
        self.write(bytes, |part, file| part.publish(file, &self.path))
    }

    fn write(&self, bytes: &[u8], publish: impl FnOnce(Part, &File) -> std::io::Result<()>) -> Result<()> {
        if self.process != process::id() {
            return Err(
                self.refusal("this process is a copy of the one that opened the party: open it anew there alone")
            );
        }
        let written = Part::beside(&self.path, Access::Owner).and_then(|(mut file, part)| {
            file.write_all(bytes)?;
            file.sync_all()?;
            publish(part, &file)?;
            // the new name is on the disk, too
            #[cfg(unix)]
            File::open(self.path.parent().unwrap_or(Path::new("/")))?.sync_all()?;
            Ok(())
        });
        written.map_err(|e| self.refusal(e))
    }
}
