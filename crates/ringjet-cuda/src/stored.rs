//! Files with machine code of the kernels. The library writes one after it has compiled the
//! kernels, and reads it at later starts. Files that were made on another machine are read too.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, io, process};

use crate::portable::fnv;

/// First bytes of a file. The number is that of the format.
const MAGIC: &[u8; 8] = b"RJCUBIN2";

/// Machine code, and the version of NVRTC that made it: major, minor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The machine code (a cubin).
    pub code: Vec<u8>,
    /// Version of NVRTC.
    pub version: (i32, i32),
}

/// The folder of what ringjet has made and can make again, such as compiled kernels: `RINGJET_CACHE_DIR`, or `ringjet` in the user's cache folder.
pub fn folder() -> Option<PathBuf> {
    let from = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let user = || from("XDG_CACHE_HOME").or_else(|| Some(from("HOME")?.join(".cache")));
    from("RINGJET_CACHE_DIR").or_else(|| Some(user()?.join("ringjet")))
}

/// Reads the machine code of `source` for `architecture` (such as `sm_90`) from `folder`, whatever
/// version of NVRTC made it. `None` if there is no such file or if it is damaged.
pub fn read(folder: &Path, architecture: &str, source: &str) -> Option<Compiled> {
    let hash = hash(architecture, source);
    unpacked(&fs::read(folder.join(name(architecture, hash))).ok()?, hash)
}

/// Writes the machine code of `source` for `architecture` to `folder`, which is made if it is
/// missing. Readers see the old contents of the file or the new ones. Returns the file's path.
pub fn write(folder: &Path, architecture: &str, source: &str, compiled: &Compiled) -> io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let hash = hash(architecture, source);
    let path = folder.join(name(architecture, hash));
    let temporary = path.with_extension(format!("{}-{number}.tmp", process::id()));
    fs::create_dir_all(folder)?;
    let written = fs::write(&temporary, packed(compiled, hash)).and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written.map(|()| path)
}

/// Tells sources and architectures apart. The compiler's version has no part in it.
fn hash(architecture: &str, source: &str) -> u64 {
    fnv(format!("{architecture}\0{source}").as_bytes())
}

fn name(architecture: &str, hash: u64) -> String {
    format!("kernels-{architecture}-{hash:016x}.cubin")
}

/// The contents of a file: magic bytes, hash, checksum of all that follows, compiler's version, the
/// code.
fn packed(compiled: &Compiled, hash: u64) -> Vec<u8> {
    let (major, minor) = compiled.version;
    let rest = [&major.to_le_bytes()[..], &minor.to_le_bytes(), &compiled.code].concat();
    [&MAGIC[..], &hash.to_le_bytes(), &crc32fast::hash(&rest).to_le_bytes(), &rest].concat()
}

fn unpacked(bytes: &[u8], hash: u64) -> Option<Compiled> {
    let rest = bytes.strip_prefix(MAGIC)?.strip_prefix(&hash.to_le_bytes())?;
    let (checksum, rest) = rest.split_first_chunk::<4>()?;
    if crc32fast::hash(rest).to_le_bytes() != *checksum {
        return None;
    }
    let (major, rest) = rest.split_first_chunk::<4>()?;
    let (minor, code) = rest.split_first_chunk::<4>()?;
    Some(Compiled { code: code.to_vec(), version: (i32::from_le_bytes(*major), i32::from_le_bytes(*minor)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_for_their_source_and_architecture_only() {
        let folder = env::temp_dir().join(format!("ringjet-stored-{}", process::id()));
        let compiled = Compiled { code: b"code".to_vec(), version: (13, 0) };
        assert_eq!(read(&folder, "sm_90", "source"), None);
        let path = write(&folder, "sm_90", "source", &compiled).unwrap();
        assert_eq!(read(&folder, "sm_90", "source").as_ref(), Some(&compiled));
        assert_eq!((read(&folder, "sm_90", "other"), read(&folder, "sm_80", "source")), (None, None));
        // a file under the name of another source
        let other = folder.join(name("sm_90", hash("sm_90", "other")));
        fs::copy(&path, other).unwrap();
        assert_eq!(read(&folder, "sm_90", "other"), None);
        // every damaged byte and every shorter length is noticed
        let whole = fs::read(&path).unwrap();
        for i in 0..whole.len() {
            fs::write(&path, whole.iter().enumerate().map(|(k, b)| b ^ u8::from(k == i)).collect::<Vec<_>>()).unwrap();
            assert_eq!(read(&folder, "sm_90", "source"), None, "byte {i}");
            fs::write(&path, &whole[..i]).unwrap();
            assert_eq!(read(&folder, "sm_90", "source"), None, "{i} bytes");
        }
        // a new file replaces the old one, and no temporary file is left
        let newer = Compiled { version: (13, 1), ..compiled };
        assert_eq!(write(&folder, "sm_90", "source", &newer).unwrap(), path);
        assert_eq!((read(&folder, "sm_90", "source"), fs::read_dir(&folder).unwrap().count()), (Some(newer), 2));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_an_error() {
        let file = env::temp_dir().join(format!("ringjet-no-folder-{}", process::id()));
        fs::write(&file, "not a folder").unwrap();
        assert!(write(&file, "sm_90", "source", &Compiled { code: vec![7], version: (13, 0) }).is_err());
        assert_eq!(read(&file, "sm_90", "source"), None);
        fs::remove_file(file).unwrap();
    }
}
