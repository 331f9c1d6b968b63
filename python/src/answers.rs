//! The count of shared decryptions of a key, kept in the files of the key. Copies of a client and
//! other processes that use the same file take numbers from one count.
//!
//! A process takes numbers in blocks: it writes the end of a block into the file before it gives the
//! first answer of the block. So a process that is killed wastes one block at most, and never gives
//! an answer that the file does not know. Numbers that are left are given back at the end.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ringjet::rlwe::CountAnswers;
use ringjet::wire::{Object, peek, secret_answers, set_secret_answers};
use ringjet::{Error, KeyId, Result};
use zeroize::Zeroizing;

use crate::files::{self, Access, Part};

/// Numbers of answers that are taken at once.
const BLOCK: u64 = 16;

/// The count of the answers that are given under a key.
pub struct AnswerFiles {
    key: KeyId,
    state: Mutex<State>,
}

struct State {
    /// The numbers that this process may give. Without files these are all.
    free: Range<u64>,
    /// The process that took them. A forked child owns nothing of its parent's.
    process: u32,
    /// The files of the key, in order.
    files: Vec<PathBuf>,
}

/// Why a key was not saved.
pub enum Refusal {
    /// The file holds another key, or, for None, something that is no key.
    Holds(Option<String>),
    /// The file cannot be opened.
    Open(io::Error),
    /// The file cannot be written.
    Write(io::Error),
}

impl AnswerFiles {
    /// The count of a key after `given` answers, kept in `file`; without one in memory.
    pub fn new(key: KeyId, given: u64, file: Option<PathBuf>) -> Self {
        let free = given..if file.is_some() { given } else { u64::MAX };
        let state = State { free, process: process::id(), files: file.into_iter().collect() };
        Self { key, state: Mutex::new(state) }
    }

    /// Writes the key to the file `target`, and keeps the count there from now on. `data`: the bytes
    /// of the key. Another key, and what is no key, is replaced only with `overwrite`.
    pub fn save(
        &self,
        target: &Path,
        mut data: Zeroizing<Vec<u8>>,
        overwrite: bool,
    ) -> std::result::Result<(), Refusal> {
        let mut state = self.state();
        let mut count = if state.files.is_empty() { state.free.start } else { state.free.end };
        // other processes may have given more answers since
        count = count.max(self.level(&state.files).map_err(Refusal::Write)?);
        loop {
            if let Some(file) = Locked::open(target).map_err(Refusal::Open)? {
                match file.key().map_err(Refusal::Open)? {
                    Some(key) if key == self.key => count = count.max(file.count(self.key).unwrap_or(0)),
                    _ if overwrite || file.is_empty() => {}
                    other => return Err(Refusal::Holds(other.map(|key| key.to_string()))),
                }
                recount(&mut data, count);
                file.write(&data, None).map_err(Refusal::Write)?;
                break;
            }
            recount(&mut data, count);
            match create(target, &data) {
                // somebody else was faster
                Err(Refusal::Open(e)) if e.kind() == ErrorKind::AlreadyExists => {}
                created => break created?,
            }
        }
        if state.files.is_empty() {
            state.free = count..count;
        }
        state.files.push(target.to_owned());
        state.files.sort();
        state.files.dedup();
        self.level(&state.files).map_err(Refusal::Write)?;
        Ok(())
    }

    /// Sets the counts of all files that still hold the key to the largest one, and returns it.
    fn level(&self, files: &[PathBuf]) -> io::Result<u64> {
        let open = |path: &PathBuf| {
            let file = Locked::open(path).ok()??;
            let count = file.count(self.key)?;
            Some((file, count))
        };
        let held: Vec<(Locked, u64)> = files.iter().filter_map(open).collect();
        let most = held.iter().map(|(_, count)| *count).max().unwrap_or(0);
        held.iter().filter(|(_, count)| *count < most).try_for_each(|(file, _)| file.set(most))?;
        Ok(most)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files that still hold the key, locked, each with its count.
    fn open(&self, files: &[PathBuf]) -> Result<Vec<(Locked, u64)>> {
        let mut all = vec![];
        for path in files {
            let found = Locked::open(path).map_err(|e| unkept(path, &e))?;
            all.extend(found.and_then(|file| file.count(self.key).map(|count| (file, count))));
        }
        match all.is_empty() {
            false => Ok(all),
            true => Err(unkept(&files[0], &"it does not hold this key any more: client.save(path) writes it again")),
        }
    }

    /// Takes the next block of numbers below `limit`, for all files.
    fn take(&self, files: &[PathBuf], limit: u64) -> Result<Range<u64>> {
        let held = self.open(files)?;
        let start = held.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let end = start.saturating_add(BLOCK).min(limit.max(start));
        if end > start {
            held.iter().try_for_each(|(file, _)| file.set(end).map_err(|e| unkept(&file.path, &e)))?;
        }
        Ok(start..end)
    }
}

impl CountAnswers for AnswerFiles {
    fn given(&self) -> u64 {
        self.state().free.start
    }

    fn give(&self, limit: u64) -> Result<()> {
        let mut state = self.state();
        if state.free.is_empty() {
            state.free = self.take(&state.files, limit)?;
        }
        let given = state.free.start;
        if given >= limit {
            return Err(Error::AnswersExhausted { given, limit });
        }
        state.free.start += 1;
        Ok(())
    }
}

/// Gives back the numbers that are left, unless another process has taken more since.
impl Drop for AnswerFiles {
    fn drop(&mut self) {
        let state = self.state();
        if state.files.is_empty() || state.free.is_empty() || state.process != process::id() {
            return;
        }
        // what cannot be given back is wasted
        for (file, count) in self.open(&state.files).unwrap_or_default() {
            if count == state.free.end {
                let _ = file.set(state.free.start);
            }
        }
    }
}

fn unkept(path: &Path, why: &dyn std::fmt::Display) -> Error {
    let reason = format!("the count of shared answers cannot be kept in {}: {why}", path.display());
    Error::Io { what: "secret key", reason }
}

/// Sets the count in the bytes of a key, which may begin with its parameters.
fn recount(data: &mut [u8], count: u64) -> bool {
    let Some(start) = files::start_of_object(data) else { return false };
    set_secret_answers(&mut data[start..], count).is_ok()
}

/// Writes a new file, for its owner alone. It is complete, or not there.
fn create(path: &Path, data: &[u8]) -> std::result::Result<(), Refusal> {
    let (mut file, part) = Part::beside(path, Access::Owner).map_err(Refusal::Open)?;
    file.write_all(data).and_then(|()| file.sync_all()).map_err(Refusal::Write)?;
    part.publish_new(path).map_err(Refusal::Open)
}

/// A file that no other process changes meanwhile.
struct Locked {
    path: PathBuf,
    file: File,
}

impl Locked {
    /// Opens and locks a file; None if there is none.
    fn open(path: &Path) -> io::Result<Option<Self>> {
        loop {
            // some network file systems lock only what is open for writing
            let writable = OpenOptions::new().read(true).write(true).open(path);
            let file = match writable.or_else(|_| File::open(path)) {
                Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
                opened => opened?,
            };
            loop {
                match file.lock() {
                    Err(e) if e.kind() == ErrorKind::Interrupted => {}
                    // a file system without locks: the rename is still whole or not at all
                    Err(e) if e.kind() == ErrorKind::Unsupported => break,
                    locked => break locked?,
                }
            }
            // whoever had the lock before may have put another file in this place
            if fs::metadata(path).is_ok_and(|now| file.metadata().is_ok_and(|own| same(&own, &now))) {
                return Ok(Some(Self { path: path.to_owned(), file }));
            }
        }
    }

    fn read(&self) -> io::Result<Zeroizing<Vec<u8>>> {
        (&self.file).seek(SeekFrom::Start(0))?;
        files::read_all(&self.file, files::SECRET_LIMIT)
    }

    fn is_empty(&self) -> bool {
        self.file.metadata().is_ok_and(|data| data.len() == 0)
    }

    /// The key that the header names, also where the rest is damaged.
    fn key(&self) -> io::Result<Option<KeyId>> {
        let data = self.read()?;
        let header = files::start_of_object(&data).and_then(|start| peek(&data[start..]).ok());
        Ok(header.filter(|h| h.kind.object == Object::SecretKey).map(|h| h.key))
    }

    /// The count of answers of this key; None if the file holds something else.
    fn count(&self, key: KeyId) -> Option<u64> {
        let data = self.read().ok()?;
        let (found, count) = secret_answers(&data[files::start_of_object(&data)?..]).ok()?;
        (found == key).then_some(count)
    }

    /// Replaces the count.
    fn set(&self, count: u64) -> io::Result<()> {
        let (mut data, old) = (self.read()?, self.file.metadata()?);
        match recount(&mut data, count) {
            true => self.write(&data, Some(&old)),
            false => Err(ErrorKind::InvalidData.into()),
        }
    }

    /// Replaces the content. The new file has the owner and the permissions of `old`; without one
    /// only its owner may read it.
    fn write(&self, data: &[u8], old: Option<&Metadata>) -> io::Result<()> {
        let (mut file, part) = Part::beside(&self.path, Access::Owner)?;
        file.write_all(data)?;
        if let Some(old) = old {
            #[cfg(unix)]
            let _ = {
                use std::os::unix::fs::MetadataExt;
                // only root may give files away; for others it is their own already
                std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()))
            };
            file.set_permissions(old.permissions())?;
        }
        part.publish(&file, &self.path)
    }
}

#[cfg(unix)]
fn same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same(one: &Metadata, other: &Metadata) -> bool {
    one.modified().ok() == other.modified().ok() && one.len() == other.len()
}
