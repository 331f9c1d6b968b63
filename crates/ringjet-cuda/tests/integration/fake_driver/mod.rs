//! Runs tests in processes of their own, on a machine whose NVIDIA libraries are those of this folder.

use std::any::type_name;
use std::ffi::{CStr, CString, OsString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs, process};

use libloading::Library;

/// Set in the processes of their own.
const CHILD: &str = "RINGJET_FAKE_CHILD";

/// What names the bindings try first: a file there that is no library stands for a library that is not there.
const DRIVERS: [&str; 2] = ["libcuda.so", "libcuda.so.1"];
const COMPILERS: [&str; 4] = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11"];

/// Which libraries there are, and what they are told (`Settings` in `machine.h`).
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    pub driver: bool,
    pub compiler: bool,
    pub settings: &'a [(&'a str, &'a str)],
}

/// One GPU, nothing special.
pub const PLAIN: Machine<'static> = with(&[]);

/// A machine with these settings.
pub const fn with<'a>(settings: &'a [(&'a str, &'a str)]) -> Machine<'a> {
    Machine { driver: true, compiler: true, settings }
}

/// What the fake driver has counted (`Counts` in `work.cpp`).
#[repr(C)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Device memory that has not been given back: blocks, and bytes.
    pub taken: u64,
    pub taken_bytes: u64,
    /// Bytes that pools have.
    pub reserved_bytes: u64,
    /// Blocks of pinned memory.
    pub pinned: u64,
    /// Streams, events, modules.
    pub owned: u64,
    /// How often contexts are retained.
    pub contexts: u64,
    pub complaints: u64,
    pub launches: u64,
    /// Images of kernels loaded so far.
    pub images: u64,
    /// Pieces of work that wait in streams.
    pub queued: u64,
    /// Watched words in memory at the time when it was given back, in order of its stream.
    pub freed_watched: u64,
    /// Watched words now.
    pub device_watched: u64,
    pub pinned_watched: u64,
    /// Watched words that were left to the driver to copy, so far.
    pub driver_watched: u64,
}

/// The libraries, asked.
#[derive(Debug)]
pub struct Fake {
    driver: Library,
    compiler: Option<Library>,
}

macro_rules! ask {
    ($library:expr, $name:ident, fn($($t:ty),*) $(-> $r:ty)?, $($a:expr),*) => {{
        // SAFETY: the function has this type in work.cpp or nvrtc.cpp, and what it is given lives.
        unsafe {
            let f = $library.get::<unsafe extern "C" fn($($t),*) $(-> $r)?>(stringify!($name)).unwrap();
            f($($a),*)
        }
    }};
}

impl Fake {
    fn loaded(machine: &Machine<'_>) -> Self {
        // SAFETY: libraries of this folder, which the bindings have loaded or will.
        let load = |name: &str| unsafe { Library::new(name) }.unwrap();
        Self { driver: load(DRIVERS[0]), compiler: machine.compiler.then(|| load(COMPILERS[0])) }
    }

    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        ask!(self.driver, ringjet_fake_counts, fn(*mut Counts), &mut counts);
        counts
    }

    pub fn complaints(&self) -> Vec<String> {
        let one = |i| {
            let text = ask!(self.driver, ringjet_fake_complaint, fn(u64) -> *const c_char, i);
            // SAFETY: a string that lives until the next complaint.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
        };
        (0..self.counts().complaints).map(one).collect()
    }

    /// Contexts that this thread has.
    pub fn depth(&self) -> u64 {
        ask!(self.driver, ringjet_fake_depth, fn() -> u64,)
    }

    /// From now on counts this word.
    pub fn watch(&self, word: u64) {
        ask!(self.driver, ringjet_fake_watch, fn(u64), word);
    }

    /// The next piece of work fails with this error.
    pub fn fail(&self, error: c_int) {
        ask!(self.driver, ringjet_fake_fail, fn(c_int), error);
    }

    /// This function of the driver fails once, after so many calls.
    pub fn refuse(&self, function: &str, after: u64) {
        let name = CString::new(function).unwrap();
        ask!(self.driver, ringjet_fake_refuse, fn(*const c_char, u64), name.as_ptr(), after);
    }

    /// How often kernels have been compiled.
    pub fn compilations(&self) -> u64 {
        self.compiler.as_ref().map_or(0, |c| ask!(c, ringjet_fake_compilations, fn() -> u64,))
    }

    /// Nothing was done wrongly, and everything that was taken has been given back.
    fn clean(&self) {
        let Counts { taken, pinned, owned, contexts, .. } = self.counts();
        assert_eq!(self.complaints(), Vec::<String>::new());
        assert_eq!((taken, pinned, owned, contexts), (0, 0, 0, 0), "memory, pinned memory, handles, contexts");
        assert_eq!(self.depth(), 0, "contexts are left current");
        let programs = self.compiler.as_ref().map_or(0, |c| ask!(c, ringjet_fake_programs, fn() -> u64,));
        assert_eq!(programs, 0, "programs of the compiler");
    }
}

/// Where a child keeps compiled kernels.
pub fn cache() -> PathBuf {
    env::var_os("RINGJET_CACHE_DIR").expect("set for children").into()
}

/// Runs `body` in a process of its own that sees `machine`, where it must give back all that it takes; `body` is the closure
/// of a test, which runs twice: here to start the process, and there.
pub fn run<F: FnOnce(&Fake)>(machine: Machine<'_>, body: F) {
    if env::var_os(CHILD).is_some() {
        let fake = Fake::loaded(&machine);
        body(&fake);
        fake.clean();
    } else {
        start(machine, test_of::<F>());
    }
}

/// The same, where there is no driver to ask.
pub fn run_without<F: FnOnce()>(machine: Machine<'_>, body: F) {
    if env::var_os(CHILD).is_some() { body() } else { start(machine, test_of::<F>()) }
}

/// The path of the test in which a closure is, without the crate's name.
fn test_of<F>() -> &'static str {
    let path = type_name::<F>().strip_suffix("::{{closure}}").expect("a closure");
    path.split_once("::").expect("a path in a crate").1
}

fn start(machine: Machine<'_>, test: &str) {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{}", test.replace("::", "-"), process::id()));
    let libraries = place.join("libraries");
    fs::create_dir_all(&libraries).unwrap();
    let built = built();
    for (names, there, library) in [(&DRIVERS[..], machine.driver, &built.0), (&COMPILERS, machine.compiler, &built.1)]
    {
        for (i, name) in names.iter().enumerate() {
            let to = libraries.join(name);
            match there {
                true if i == 0 => fs::copy(library, to).map(drop).unwrap(),
                true => {}
                false => fs::write(to, "not a library").unwrap(),
            }
        }
    }
    let before = env::var_os("LD_LIBRARY_PATH").map(|old| [":".into(), old].into_iter().collect::<OsString>());
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--include-ignored", "--nocapture"])
        .env(CHILD, "1")
        .env(
            "LD_LIBRARY_PATH",
            [libraries.into_os_string(), before.unwrap_or_default()].into_iter().collect::<OsString>(),
        )
        .env("RINGJET_CACHE_DIR", place.join("cache"))
        .env_remove("RINGJET_KERNEL_DIR")
        .env_remove("RINGJET_DISABLE_NVRTC")
        .env_remove("RINGJET_CUDA_ARITHMETIC")
        .envs(machine.settings.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    fs::remove_dir_all(&place).unwrap();
    assert!(output.status.success() && text.contains("1 passed"), "{machine:?}: {}\n{text}", output.status);
}

/// The driver and the compiler of this folder, made once for each process.
fn built() -> &'static (PathBuf, PathBuf) {
    static BUILT: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    BUILT.get_or_init(|| {
        let emulator = Path::new(env!("OUT_DIR")).join("libringjet_emulator.a");
        let whole = ["-Wl,--whole-archive", emulator.to_str().unwrap(), "-Wl,--no-whole-archive"];
        (
            library("libcuda.so", &["machine.cpp", "cuda.cpp", "work.cpp"], &whole),
            library("libnvrtc.so", &["nvrtc.cpp"], &[]),
        )
    })
}

fn library(name: &str, sources: &[&str], more: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (to, done) = (folder.join(format!("{}-{name}", process::id())), folder.join(name));
    let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let mut command = Command::new(&compiler);
    command.args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread"]);
    // nothing of the test's own emulator gets in
    command.args(["-Wl,-Bsymbolic", "-o"]).arg(&to);
    command.args(
        sources.iter().map(|s| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integration/fake_driver").join(s)),
    );
    let output = command.args(more).output().unwrap_or_else(|e| panic!("{}: {e}", compiler.display()));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}\n{said}");
    fs::rename(to, &done).unwrap(); // another process may be reading the one before
    done
}
