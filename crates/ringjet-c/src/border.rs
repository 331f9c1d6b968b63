//! What every function does at the border: it checks pointers, catches panics, and keeps the text of an error.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{io, process, slice};

use ringjet::Error;
use ringjet::wire::Object;

use crate::status::rj_status;

/// Reads parameters below their stated security, too: for tests and experiments.
pub const RJ_ALLOW_INSECURE: u32 = 1;
/// States that the values of a ciphertext are real numbers.
pub const RJ_REAL: u32 = 2;

/// Why a call is refused. `ProgramInput`: the library refuses the values of an input of a program, whose bounds were
/// recorded with the program.
pub(crate) enum Refusal {
    Library(Error),
    ProgramInput(Error),
    Null { name: &'static str },
    Misaligned { name: &'static str, bytes: usize },
    Length { name: &'static str, found: usize, expected: String },
    NotUtf8 { name: &'static str },
    Flags { found: u32, allowed: u32 },
    File { path: PathBuf, error: io::Error },
    Overwrite { path: PathBuf, holds: String },
    Drowned { text: String },
    Forked { opened_by: u32 },
    TooLate { threads: usize },
}

pub(crate) type Result<T> = std::result::Result<T, Refusal>;

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl Refusal {
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }

    /// The same refusal, where bytes were read from the file `path` or written to it: an error of the library's
    /// streams becomes an error of the file.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        match self {
            Self::Library(Error::Io { reason, .. }) => Self::file(path, io::Error::other(reason)),
            other => other,
        }
    }

    /// The same refusal, where an input of a program was encrypted.
    pub(crate) fn of_program_input(self) -> Self {
        match self {
            Self::Library(error) => Self::ProgramInput(error),
            other => other,
        }
    }

    /// The status, and the text for people.
    fn described(self) -> (rj_status, String) {
        match self {
            Self::Library(error) => {
                let way = way_out(&error);
                of_library(error, way)
            }
            Self::ProgramInput(error) => {
                let way = way_out_of_input(&error);
                of_library(error, way)
            }
            Self::Null { name } => (rj_status::RJ_NULL_POINTER, format!("{name} is a null pointer")),
            Self::Misaligned { name, bytes } => {
                (rj_status::RJ_MISALIGNED, format!("{name} is not at a multiple of {bytes} bytes"))
            }
            Self::Length { name, found, expected } => {
                (rj_status::RJ_LENGTH, format!("{name} has length {found}: expected {expected}"))
            }
            Self::NotUtf8 { name } => (rj_status::RJ_NOT_UTF8, format!("{name} is not UTF-8")),
            Self::Flags { found, allowed } => {
                (rj_status::RJ_FLAGS, format!("flags = {found:#x}: this function takes bits of {allowed:#x}"))
            }
            Self::File { path, error } => (rj_status::RJ_FILE, format!("{}: {error}", path.display())),
            Self::Overwrite { path, holds } => (
                rj_status::RJ_OVERWRITE,
                format!("{} {holds}: choose another name, or remove the file first", path.display()),
            ),
            Self::Drowned { text } => (
                rj_status::RJ_DROWNED,
                format!(
                    "errors drown the values ({text}), no digit of them is right: compute with fewer operations, state \
                     smaller bounds, or take parameters with a larger scale"
                ),
            ),
            Self::Forked { opened_by } => (
                rj_status::RJ_FORKED,
                format!(
                    "process {opened_by} used the library before it was forked: use threads, or start a new program"
                ),
            ),
            Self::TooLate { threads } => (
                rj_status::RJ_TOO_LATE,
                format!("the library already uses {threads} thread(s): call rj_set_threads before all other functions"),
            ),
        }
    }
}

/// The status and the text of an error of the library, with the way out.
fn of_library(error: Error, way: Option<&str>) -> (rj_status, String) {
    let text = way.map_or(error.to_string(), |way| format!("{error} ({way})"));
    (rj_status::of_class(error.describe().class), text)
}

/// [`way_out`] for an input of a program, whose bounds are not arguments of the call.
fn way_out_of_input(error: &Error) -> Option<&'static str> {
    match error {
        Error::Magnitude { .. } | Error::OutsideStated { .. } => {
            Some("the program was recorded with these bounds: record it with wider ones")
        }
        other => way_out(other),
    }
}

/// What the reader of a refusal can do, in calls of this interface.
fn way_out(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::UnknownPreset { .. } => "rj_preset_name lists them",
        Error::Unsupported { op: "exact integers", .. } => {
            "this scheme takes double: rj_..._numbers, rj_client_encrypt"
        }
        Error::Unsupported { op: "real or complex numbers", .. } => {
            "this scheme takes int64_t: rj_..._integers, rj_client_encrypt_integers"
        }
        Error::Magnitude { .. } => "magnitude of rj_client_encrypt_complex",
        Error::OutsideStated { .. } => "low and high of rj_client_encrypt",
        Error::TooManyBytes { what, .. } if *what == Object::EvaluationKeys.name() => "max_bytes of rj_keys_load",
        Error::Insecure { .. } | Error::SparseSecret { .. } | Error::EphemeralSecret { .. } => "RJ_ALLOW_INSECURE",
        Error::MissingRotationKey { .. } | Error::MissingRotationKeys { .. } => {
            "rj_client_keys(client, \"{\\\"rotations\\\": [...]}\", &keys)"
        }
        Error::MissingConjugationKey => "rj_client_keys(client, \"{\\\"conjugation\\\": true}\", &keys)",
        Error::MissingRelinearizationKey => "rj_client_keys(client, NULL, &keys) makes it",
        Error::MissingBootstrappingKeys { .. } => "rj_client_keys(client, \"{\\\"bootstrapping\\\": [slots]}\", &keys)",
        _ => return None,
    })
}

thread_local! {
    /// The text of the last error of this thread.
    static LAST: RefCell<CString> = RefCell::default();
    /// The next call of this thread panics: for tests of the border.
    #[cfg(test)]
    pub(crate) static PLANTED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// The process that uses the library; 0 before its first use. It is no `OnceLock`: a process that is forked while
/// one is filled would wait forever.
pub(crate) static PROCESS: AtomicU32 = AtomicU32::new(0);

/// From now on the library works in this process alone.
pub(crate) fn claim_process() {
    let _ = PROCESS.compare_exchange(0, process::id(), Ordering::Relaxed, Ordering::Relaxed);
}

/// Refuses to go on in a forked process: the threads stayed with the parent, and a call might wait forever for
/// a lock that one of them held.
fn expect_own_process() -> Result<()> {
    match PROCESS.load(Ordering::Relaxed) {
        opened_by if opened_by != 0 && opened_by != process::id() => Err(Refusal::Forked { opened_by }),
        _ => Ok(()),
    }
}

/// Runs the body of a function of the interface. Its error becomes a status and the thread's last text, and so
/// does a panic.
pub(crate) fn call(work: impl FnOnce() -> Result<()>) -> rj_status {
    let guarded = || {
        #[cfg(test)]
        assert!(!PLANTED.take(), "planted by a test");
        expect_own_process()?;
        work()
    };
    // handles do not change after they are made, so a panic leaves none of them half changed
    let (status, text) = match catch_unwind(AssertUnwindSafe(guarded)) {
        Ok(Ok(())) => return rj_status::RJ_OK,
        Ok(Err(refusal)) => refusal.described(),
        Err(payload) => (rj_status::RJ_PANIC, format!("a fault in the library: {}", panic_text(&*payload))),
    };
    // a text with a zero byte would end there
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    let _ = LAST.try_with(|last| *last.borrow_mut() = text);
    status
}

fn panic_text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a text")
}

/// The text of the last error of this thread, in English; empty if there was none. It names the values, and
/// the way out. It is valid until the next call of this thread that fails.
#[unsafe(no_mangle)]
pub extern "C" fn rj_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// The version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn rj_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no zero byte"),
    };
    VERSION.as_ptr()
}

fn expect_pointer<T>(pointer: *const T, name: &'static str) -> Result<()> {
    if pointer.is_null() {
        return Err(Refusal::Null { name });
    }
    if !pointer.is_aligned() {
        return Err(Refusal::Misaligned { name, bytes: align_of::<T>() });
    }
    Ok(())
}

/// The object of a handle.
///
/// # Safety
/// `pointer` is null, or a handle that the library made and nobody has freed; it lives as long as `'a`.
pub(crate) unsafe fn handle<'a, T>(pointer: *const T, name: &'static str) -> Result<&'a T> {
    expect_pointer(pointer, name)?;
    // SAFETY: the pointer is not null, and by the caller's promise it is a living handle
    Ok(unsafe { &*pointer })
}

/// The elements of an array. Without elements the pointer may be null.
///
/// # Safety
/// `pointer` is null or points to `len` elements that live and do not change as long as `'a`.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, len: usize, name: &'static str) -> Result<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    expect_pointer(pointer, name)?;
    expect_addressable::<T>(len, name)?;
    // SAFETY: the pointer is not null and aligned, the array fits the address space, and by the caller's promise
    // the elements are there
    Ok(unsafe { slice::from_raw_parts(pointer, len) })
}

/// The elements of an array that is written to.
///
/// # Safety
/// As for [`array`], and nobody else uses the elements as long as `'a`.
pub(crate) unsafe fn array_mut<'a, T>(
    pointer: *mut T,
    len: usize,
    name: &'static str,
) -> Result<&'a mut [MaybeUninit<T>]> {
    if len == 0 {
        return Ok(&mut []);
    }
    expect_pointer(pointer, name)?;
    expect_addressable::<T>(len, name)?;
    // SAFETY: as in `array`, and by the caller's promise nobody else uses the elements; they may have no values yet
    Ok(unsafe { slice::from_raw_parts_mut(pointer.cast(), len) })
}

/// Refuses an array that is larger than any object of C.
fn expect_addressable<T>(len: usize, name: &'static str) -> Result<()> {
    let most = isize::MAX as usize / size_of::<T>();
    if len <= most { Ok(()) } else { Err(Refusal::Length { name, found: len, expected: format!("at most {most}") }) }
}

/// A text that ends with a zero byte.
///
/// # Safety
/// `pointer` is null or points to a text that ends with a zero byte and does not change as long as `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &'static str) -> Result<&'a str> {
    expect_pointer(pointer, name)?;
    // SAFETY: the pointer is not null, and by the caller's promise the text ends
    unsafe { CStr::from_ptr(pointer) }.to_str().map_err(|_| Refusal::NotUtf8 { name })
}

/// The name of a file, in the system's own encoding.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn path<'a>(pointer: *const c_char) -> Result<&'a Path> {
    let name = "path";
    expect_pointer(pointer, name)?;
    // SAFETY: the pointer is not null, and by the caller's promise the text ends
    let given = unsafe { CStr::from_ptr(pointer) };
    #[cfg(unix)]
    let found = Ok(Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(given.to_bytes())));
    #[cfg(not(unix))]
    let found = given.to_str().map(Path::new).map_err(|_| Refusal::NotUtf8 { name });
    found
}

/// Where a result is written.
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// # Safety
    /// `pointer` is null, or a `T` can be written to it until the `Out` is dropped.
    pub(crate) unsafe fn new(pointer: *mut T, name: &'static str) -> Result<Self> {
        expect_pointer(pointer, name)?;
        Ok(Self(pointer))
    }

    /// Writes the result.
    pub(crate) fn set(&self, value: T) {
        // SAFETY: by the promise of `new`
        unsafe { self.0.write(value) }
    }
}

impl<T> Out<*mut T> {
    /// Where the handle of a new object is written. It is null until then.
    ///
    /// # Safety
    /// As for [`Out::new`].
    pub(crate) unsafe fn of_handle(pointer: *mut *mut T, name: &'static str) -> Result<Self> {
        // SAFETY: by the caller's promise
        let out = unsafe { Self::new(pointer, name) }?;
        out.set(std::ptr::null_mut());
        Ok(out)
    }

    /// Writes the handle of a new object.
    pub(crate) fn give(&self, object: T) {
        self.set(Box::into_raw(Box::new(object)));
    }
}

/// Frees the object of a handle; does nothing for null. A panic in its destructor is kept back.
///
/// # Safety
/// `pointer` is null, or a handle that the library made and nobody has freed or uses.
pub(crate) unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: handles come from `Box::into_raw`, and by the caller's promise this one is still there
        let object = unsafe { Box::from_raw(pointer) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(object)));
    }
}

/// Whether `flag` is set. Other flags are refused.
pub(crate) fn flag(flags: u32, flag: u32) -> Result<bool> {
    if flags & !flag == 0 { Ok(flags == flag) } else { Err(Refusal::Flags { found: flags, allowed: flag }) }
}
