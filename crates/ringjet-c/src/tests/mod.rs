//! Tests of the border: they call the functions as C does.

mod border;
mod computing;
mod header;
mod stored;

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::ptr;

use ringjet::{ParamSpec, dynamic};

use crate::*;

/// Calls a function of the interface, and returns its result.
macro_rules! c {
    ($call:expr) => {{
        #[allow(unused_unsafe, reason = "some functions are safe")]
        // SAFETY: the tests give living handles, or null, and arrays with their lengths
        unsafe {
            $call
        }
    }};
}
pub(crate) use c;

/// Calls a function that writes its result through its last argument, and returns it. Fails with the text of the
/// last error.
macro_rules! made {
    ($name:ident($($arg:expr),*)) => {{
        let mut out = std::ptr::null_mut();
        let status = c!(crate::$name($($arg,)* &mut out));
        assert_eq!(status, crate::rj_status::RJ_OK, "{}", crate::tests::last_error());
        crate::tests::Owned(out)
    }};
}
pub(crate) use made;

/// Calls a function that must fail, and returns its status and the text.
macro_rules! refused {
    ($call:expr) => {{
        let status = c!($call);
        assert_ne!(status, crate::rj_status::RJ_OK);
        (status, crate::tests::last_error())
    }};
}
pub(crate) use refused;

/// A handle that is freed in the end.
pub(crate) struct Owned<T>(pub *mut T)
where
    *mut T: Free;

/// How handles of a type are freed.
pub(crate) trait Free {
    fn free(self);
}

macro_rules! freed {
    ($($T:ident by $free:ident),*) => { $(
        impl Free for *mut $T {
            fn free(self) {
                c!($free(self));
            }
        }
    )* };
}
freed! {
    rj_params by rj_params_free, rj_client by rj_client_free, rj_keys by rj_keys_free, rj_server by rj_server_free,
    rj_ciphertext by rj_ciphertext_free, rj_program by rj_program_free
}

impl<T> Drop for Owned<T>
where
    *mut T: Free,
{
    fn drop(&mut self) {
        self.0.free();
    }
}

pub(crate) fn last_error() -> String {
    c_text(c!(rj_last_error()))
}

pub(crate) fn c_text(text: *const c_char) -> String {
    // SAFETY: texts of the library end with a zero byte
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
}

pub(crate) fn text(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// Small CKKS parameters: 16 slots, 3 levels. They are not secure.
pub(crate) fn ckks() -> dynamic::Parameters {
    ringjet::Parameters::new(&ParamSpec::uniform(5, 50, 3, 40, 2).allow_insecure()).unwrap().into()
}

/// The handle of parameters.
pub(crate) fn params(of: &dynamic::Parameters) -> Owned<rj_params> {
    let json = text(&of.to_json().unwrap());
    made!(rj_params_from_json(json.as_ptr(), RJ_ALLOW_INSECURE))
}

/// A client of small CKKS parameters, and a server with its keys for these rotations.
pub(crate) fn both(rotations: &str) -> (Owned<rj_client>, Owned<rj_server>) {
    let client = made!(rj_client_new(params(&ckks()).0, 0));
    let request = text(&format!("{{\"rotations\": {rotations}}}"));
    let keys = made!(rj_client_keys(client.0, request.as_ptr()));
    let server = made!(rj_server_new(keys.0));
    (client, server)
}

/// Encrypts numbers between -4 and 4.
pub(crate) fn encrypted(client: &Owned<rj_client>, values: &[f64]) -> Owned<rj_ciphertext> {
    made!(rj_client_encrypt(client.0, values.as_ptr(), values.len(), -4.0, 4.0, RJ_TOP_LEVEL))
}

/// Decrypts, and expects these numbers with an error of at most 1e-6.
pub(crate) fn expect(client: &Owned<rj_client>, ct: &Owned<rj_ciphertext>, expected: &[f64]) {
    let (mut room, mut count) = ([0.0; 16], 0);
    let status = c!(rj_client_decrypt(client.0, ct.0, room.as_mut_ptr(), room.len(), &mut count));
    assert_eq!(status, rj_status::RJ_OK, "{}", last_error());
    let found = &room[..count];
    let close = found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-6);
    assert!(count == expected.len() && close, "{found:?} instead of {expected:?}");
}

/// A folder that is removed in the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ringjet-c-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> (PathBuf, CString) {
        let path = self.0.join(name);
        let given = text(path.to_str().unwrap());
        (path, given)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a test again, in a process of its own that a shell starts after the commands `before`. True in that process.
#[cfg(unix)]
pub(crate) fn is_in_own_process(test: &str, before: &str) -> bool {
    const MARK: &str = "RINGJET_C_TEST_IN_OWN_PROCESS";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let script = format!("{before}; exec \"$0\" --exact tests::{test}");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).arg(std::env::current_exe().unwrap()).env(MARK, "1");
    let output = shell.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    false
}

/// The bytes that a function gives away.
pub(crate) fn bytes(give: impl FnOnce(*mut rj_bytes) -> rj_status) -> Vec<u8> {
    let mut made = rj_bytes { data: ptr::null_mut(), len: 0 };
    assert_eq!(give(&mut made), rj_status::RJ_OK, "{}", last_error());
    // SAFETY: the library gave these bytes and the zero after them
    let all = unsafe { std::slice::from_raw_parts(made.data, made.len + 1) }.to_vec();
    assert_eq!(all.last(), Some(&0));
    c!(rj_bytes_free(made));
    all[..all.len() - 1].to_vec()
}

pub(crate) fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
