//! Files that are replaced whole or not at all, and those that hold secret keys.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process;

use ringjet_backend::host;
use zeroize::Zeroizing;

use crate::wire::{Object, peek};

/// The most bytes of a file with a secret key.
pub const SECRET_LIMIT: u64 = 1 << 20;

/// The bytes of a file, in memory that is wiped when dropped. Of a longer one than `max_bytes` one byte more is
/// read, so that the loader sees that it is too long. Fails with the system's errors; with
/// [`ErrorKind::OutOfMemory`] where there is no memory for them.
pub fn read(file: &File, max_bytes: u64) -> io::Result<Zeroizing<Vec<u8>>> {
    let len = file.metadata()?.len().min(max_bytes);
    // allocated at its final size and one byte more: a vector that grows leaves copies in memory
    let room = host::capacity(usize::try_from(len).unwrap_or(usize::MAX).saturating_add(1));
    let mut data = Zeroizing::new(room.map_err(|_| io::Error::from(ErrorKind::OutOfMemory))?);
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut data)?;
    Ok(data)
}

/// Where the object after its parameters begins in these bytes; None for bytes that begin with nothing of
/// ringjet's.
pub fn start_of_object(data: &[u8]) -> Option<usize> {
    let header = peek(data).ok()?;
    let start = if header.kind.object == Object::Parameters { usize::try_from(header.bytes).ok()? } else { 0 };
    (start <= data.len()).then_some(start)
}

/// The identity of the secret key in a file; None for other files, and where there is none. Fails with the
/// system's errors; such a file may hold a secret key.
pub fn secret_in(path: &Path) -> io::Result<Option<String>> {
    let mut front = Zeroizing::new(Vec::new());
    match File::open(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?.take(SECRET_LIMIT).read_to_end(&mut front)?,
    };
    let object = start_of_object(&front).and_then(|start| peek(&front[start..]).ok());
    Ok(object.filter(|header| header.kind.object == Object::SecretKey).map(|header| header.key.to_string()))
}

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever may read the file that it replaces; without one, what the process's umask allows.
    Public,
    /// Its owner alone: mode 0600.
    Owner,
}

/// The names in the folder of `path` are on the disk when it is synced. Not every system can open a
/// folder.
fn sync_folder(path: &Path) {
    if let Ok(folder) = File::open(folder(path)) {
        let _ = folder.sync_all();
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// An unfinished file. Dropping it removes the file.
#[derive(Debug)]
pub struct Part(PathBuf);

impl Part {
    /// An empty file in the folder of `path`. Fails with the system's errors.
    pub fn beside(path: &Path, access: Access) -> io::Result<(File, Self)> {
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
            // other systems have no modes: there a new file has the rights of its folder
            #[cfg(not(unix))]
            let _ = access;
            match options.open(&part) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists && number < 1000 => {}
                opened => return opened.map(|file| (file, Self(part))),
            }
        }
        unreachable!("the loop ends by itself")
    }

    /// Brings the file to the disk and renames it to `target`. Fails with the system's errors.
    pub fn publish(mut self, file: &File, target: &Path) -> io::Result<()> {
        file.sync_all()?;
        fs::rename(&self.0, target)?;
        self.0 = PathBuf::new();
        sync_folder(target);
        Ok(())
    }

    /// Gives a file that is on the disk the name `target`, which nobody else has. Fails with
    /// [`ErrorKind::AlreadyExists`].
    pub fn publish_new(mut self, target: &Path) -> io::Result<()> {
        match fs::hard_link(&self.0, target) {
            // a link to nothing holds the name, and is replaced
            Err(e) if e.kind() == ErrorKind::AlreadyExists && !fs::symlink_metadata(target)?.is_symlink() => {
                return Err(e);
            }
            Err(e) => {
                // a file system without links: an empty file keeps the name for a moment
                if e.kind() != ErrorKind::AlreadyExists {
                    OpenOptions::new().write(true).create_new(true).open(target)?;
                }
                fs::rename(&self.0, target)?;
                self.0 = PathBuf::new();
            }
            Ok(()) => {}
        }
        sync_folder(target);
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.0);
        }
    }
}
