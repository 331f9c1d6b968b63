//! Runs tests in processes of their own, on a machine whose NVIDIA libraries are the fake ones of
//! this folder.

use std::any::type_name;
use std::ffi::{CStr, CString, OsString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs, process};

use libloading::Library;

/// Environment variable that is set in these processes.
const CHILD: &str = "RINGJET_FAKE_CHILD";

/// The library names that the bindings try first. If a library is to be missing, a file of this
/// name holds no library.
const DRIVERS: [&str; 2] = ["libcuda.so", "libcuda.so.1"];
const COMPILERS: [&str; 4] = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11"];

/// A fake machine: which libraries are there, and their settings (`Settings` in `machine.h`).
#[derive(Debug, Clone, Copy)]
pub struct FakeMachine<'a> {
    pub driver: bool,
    pub compiler: bool,
    pub settings: &'a [(&'a str, &'a str)],
}

/// A machine with one GPU and default settings.
pub const PLAIN: FakeMachine<'static> = with(&[]);

/// A machine with these settings.
pub const fn with<'a>(settings: &'a [(&'a str, &'a str)]) -> FakeMachine<'a> {
    FakeMachine { driver: true, compiler: true, settings }
}

/// What the fake driver counts (`Counts` in `work.cpp`).
#[repr(C)]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Device memory that has not been given back: number of blocks, and bytes.
    pub taken: u64,
    pub taken_bytes: u64,
    /// Bytes that pools hold.
    pub reserved_bytes: u64,
    /// Number of blocks of pinned memory.
    pub pinned: u64,
    /// Number of streams, events, pools, modules, graphs and executable graphs.
    pub owned: u64,
    /// How often contexts are retained.
    pub contexts: u64,
    pub complaints: u64,
    /// Kernels that were launched one by one.
    pub launches: u64,
    /// Graphs that were made and run, and their launches that were changed.
    pub graph_builds: u64,
    pub graph_launches: u64,
    pub graph_updates: u64,
    /// Number of images of kernels loaded so far.
    pub images: u64,
    /// Pieces of work that wait in streams.
    pub queued: u64,
    /// Watched words that were in memory when it was given back, counted in the order of its
    /// stream.
    pub freed_watched: u64,
    /// Watched words that are in memory now.
    pub device_watched: u64,
    pub pinned_watched: u64,
    /// Watched words in copies that bypassed pinned memory, so far.
    pub driver_watched: u64,
}

/// The fake libraries of this process, through which tests ask and control them.
#[derive(Debug)]
pub struct Fake {
    driver: Library,
    compiler: Option<Library>,
}

macro_rules! ask {
    ($library:expr, $name:ident, fn($($t:ty),*) $(-> $r:ty)?, $($a:expr),*) => {{
        // SAFETY: work.cpp or nvrtc.cpp defines the function with this type, and the arguments
        // live.
        unsafe {
            let f = $library.get::<unsafe extern "C" fn($($t),*) $(-> $r)?>(stringify!($name)).unwrap();
            f($($a),*)
        }
    }};
}

impl Fake {
    fn loaded(machine: &FakeMachine<'_>) -> Self {
        // SAFETY: the libraries are those of this folder, which the bindings load as well.
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
            // SAFETY: the function returns a string that lives until the next complaint is asked
            // for.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
        };
        (0..self.counts().complaints).map(one).collect()
    }

    /// Number of contexts that are current for this thread, one above the other.
    pub fn depth(&self) -> u64 {
        ask!(self.driver, ringjet_fake_depth, fn() -> u64,)
    }

    /// Counts this word from now on.
    pub fn watch(&self, word: u64) {
        ask!(self.driver, ringjet_fake_watch, fn(u64), word);
    }

    /// Makes the next piece of work fail with this error.
    pub fn fail(&self, error: c_int) {
        ask!(self.driver, ringjet_fake_fail, fn(c_int), error);
    }

    /// Makes this function of the driver fail once, after `after` calls.
    pub fn refuse(&self, function: &str, after: u64) {
        let name = CString::new(function).unwrap();
        ask!(self.driver, ringjet_fake_refuse, fn(*const c_char, u64), name.as_ptr(), after);
    }

    /// How often kernels have been compiled.
    pub fn compilations(&self) -> u64 {
        self.compiler.as_ref().map_or(0, |c| ask!(c, ringjet_fake_compilations, fn() -> u64,))
    }

    /// Asserts that no call was wrong and that everything taken has been given back.
    fn clean(&self) {
        let Counts { taken, pinned, owned, contexts, .. } = self.counts();
        assert_eq!(self.complaints(), Vec::<String>::new());
        assert_eq!((taken, pinned, owned, contexts), (0, 0, 0, 0), "memory, pinned memory, handles, contexts");
        assert_eq!(self.depth(), 0, "contexts are left current");
        let programs = self.compiler.as_ref().map_or(0, |c| ask!(c, ringjet_fake_programs, fn() -> u64,));
        assert_eq!(programs, 0, "programs of the compiler");
    }
}

/// The folder in which a child process caches compiled kernels.
pub fn cache() -> PathBuf {
    env::var_os("RINGJET_CACHE_DIR").expect("set for children").into()
}

/// Runs `body` in a process of its own that sees `machine`, and asserts that it gives back all that
/// it takes. `body` must be the closure of a test. The test runs twice: in this process it starts
/// the other one, and there it runs `body`.
pub fn run<F: FnOnce(&Fake)>(machine: FakeMachine<'_>, body: F) {
    if env::var_os(CHILD).is_some() {
        let fake = Fake::loaded(&machine);
        body(&fake);
        fake.clean();
    } else {
        start(machine, test_of::<F>());
    }
}

/// As [`run`], for a machine that has no driver to ask.
pub fn run_without<F: FnOnce()>(machine: FakeMachine<'_>, body: F) {
    if env::var_os(CHILD).is_some() { body() } else { start(machine, test_of::<F>()) }
}

/// The path of the test that contains a closure, without the crate's name.
fn test_of<F>() -> &'static str {
    let path = type_name::<F>().strip_suffix("::{{closure}}").expect("a closure");
    path.split_once("::").expect("a path in a crate").1
}

fn start(machine: FakeMachine<'_>, test: &str) {
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
        .env_remove("RINGJET_CUDA_GRAPHS")
        .env_remove("RINGJET_CUDA_MIRROR")
        .env_remove("RINGJET_CUDA_WAIT")
        .envs(machine.settings.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    fs::remove_dir_all(&place).unwrap();
    assert!(output.status.success() && text.contains("1 passed"), "{machine:?}: {}\n{text}", output.status);
}

/// The fake driver and the fake compiler, built once for each process.
fn built() -> &'static (PathBuf, PathBuf) {
    static BUILT: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    BUILT.get_or_init(|| {
        let emulator = Path::new(env!("OUT_DIR")).join("libringjet_emulator.a");
        let whole = ["-Wl,--whole-archive", emulator.to_str().unwrap(), "-Wl,--no-whole-archive"];
        (
            library("libcuda.so", &["machine.cpp", "cuda.cpp", "work.cpp", "graphs.cpp"], &whole),
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
    // The library must not use symbols of the test program's own emulator.
    command.args(["-Wl,-Bsymbolic", "-o"]).arg(&to);
    command.args(
        sources.iter().map(|s| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integration/fake_driver").join(s)),
    );
    let output = command.args(more).output().unwrap_or_else(|e| panic!("{}: {e}", compiler.display()));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}\n{said}");
    fs::rename(to, &done).unwrap(); // atomic, because another process may be reading the old file
    done
}
