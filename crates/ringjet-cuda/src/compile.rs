//! The code of the kernels: machine code that NVRTC compiles and the disk caches, or the embedded
//! PTX where NVRTC is missing or too old.

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, process};

use cudarc::nvrtc::{result as nvrtc, sys};

use crate::gpu::{Compiler, Gpu};
use crate::portable::fnv;
use crate::unavailable::Unavailable;
use crate::{portable, source};

const KERNELS: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.cu"));
const ENTRIES: &str = include_str!(concat!(env!("OUT_DIR"), "/entries.cu"));

/// First bytes of a cached file.
const MAGIC: &[u8; 8] = b"RJCUBIN1";

/// Chooses the compiler for a device of this name and compute capability.
pub fn compiler(name: &str, capability: (i32, i32)) -> Result<Compiler, Unavailable> {
    let nvrtc = version().and_then(|version| Ok((version, architectures()?)));
    chosen(nvrtc, &kernels()?, name, capability)
}

/// Chooses the compiler. `nvrtc` is NVRTC's version and the architectures that it knows, or why it
/// cannot be used; `source` is the kernels' source.
fn chosen(
    nvrtc: Result<((i32, i32), Vec<i32>), Unavailable>,
    source: &str,
    name: &str,
    capability: (i32, i32),
) -> Result<Compiler, Unavailable> {
    match nvrtc {
        // NVRTC is older than the GPU.
        Ok((_, known))
            if !known.contains(&(10 * capability.0 + capability.1))
                && capability >= portable::CAPABILITY
                && portable::of(source).is_some() =>
        {
            Ok(Compiler::Driver)
        }
        Ok(((major, minor), _)) => Ok(Compiler::Nvrtc { major, minor }),
        Err(Unavailable::NoCompiler) if portable::of(source).is_none() => Err(Unavailable::NoCompiler),
        Err(Unavailable::NoCompiler) if capability < portable::CAPABILITY => {
            let what = "compute capability 8.0, which the embedded PTX needs; installing NVRTC may help";
            Err(Unavailable::OldDevice { name: name.into(), what })
        }
        Err(Unavailable::NoCompiler) => Ok(Compiler::Driver),
        Err(other) => Err(other),
    }
}

/// The kernels in the form that the driver of this GPU loads: machine code or PTX.
pub fn code(gpu: &Gpu) -> Result<Vec<u8>, Unavailable> {
    let source = kernels()?;
    match gpu.compiler {
        Compiler::Nvrtc { .. } => cubin(&source, &gpu.architecture(), cache_folder().as_deref()),
        Compiler::Driver => portable::of(&source).ok_or(Unavailable::NoCompiler),
    }
}

/// The kernels' source that is embedded in this crate.
pub fn embedded() -> String {
    [KERNELS, ENTRIES].concat()
}

/// The kernels' source: from the folder `RINGJET_KERNEL_DIR` if that is set, else the embedded one.
fn kernels() -> Result<String, Unavailable> {
    let Some(folder) = env::var_os("RINGJET_KERNEL_DIR") else { return Ok(embedded()) };
    let read = |file: &str| {
        let path = Path::new(&folder).join(file);
        let refuse =
            |e: std::io::Error| Unavailable::Source { file: path.display().to_string(), message: e.to_string() };
        fs::read_to_string(&path).map_err(refuse)
    };
    Ok(source::expand(source::ROOT, &read)? + ENTRIES)
}

/// Machine code of `source` for `architecture` (such as `sm_90`). Reads it from `folder` if it is
/// cached there. A damaged file is compiled again. If the folder cannot be written to, nothing is
/// cached.
fn cubin(source: &str, architecture: &str, folder: Option<&Path>) -> Result<Vec<u8>, Unavailable> {
    let version = version()?;
    let key = format!("{architecture}\0{}.{}\0{source}", version.0, version.1);
    cached(folder, architecture, &key, || Ok(compile(source, architecture, &[])?.0))
}

/// The folder of compiled kernels: `RINGJET_CACHE_DIR`, or `ringjet` in the user's cache folder.
fn cache_folder() -> Option<PathBuf> {
    let from = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let user = || from("XDG_CACHE_HOME").or_else(|| Some(from("HOME")?.join(".cache")));
    from("RINGJET_CACHE_DIR").or_else(|| Some(user()?.join("ringjet")))
}

fn cached(
    folder: Option<&Path>,
    architecture: &str,
    key: &str,
    compile: impl FnOnce() -> Result<Vec<u8>, Unavailable>,
) -> Result<Vec<u8>, Unavailable> {
    let hash = fnv(key.as_bytes());
    let path = folder.map(|f| f.join(format!("kernels-{architecture}-{hash:016x}.cubin")));
    if let Some(code) = path.as_ref().and_then(|p| fs::read(p).ok()).and_then(|bytes| unpacked(&bytes, hash)) {
        return Ok(code);
    }
    let code = compile()?;
    if let Some(path) = path {
        keep(&path, &packed(&code, hash));
    }
    Ok(code)
}

/// Writes a file at once: readers see the old contents or the new ones. Errors are ignored, as the
/// next start can compile again.
fn keep(path: &Path, bytes: &[u8]) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_extension(format!("{}-{number}.tmp", process::id()));
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = folder.and_then(|()| fs::write(&temporary, bytes)).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
}

/// The contents of a cached file: magic bytes, hash of the key, checksum of the code, the code.
fn packed(code: &[u8], hash: u64) -> Vec<u8> {
    [&MAGIC[..], &hash.to_le_bytes(), &crc32fast::hash(code).to_le_bytes(), code].concat()
}

fn unpacked(bytes: &[u8], hash: u64) -> Option<Vec<u8>> {
    let rest = bytes.strip_prefix(MAGIC)?.strip_prefix(&hash.to_le_bytes())?;
    let (checksum, code) = rest.split_first_chunk::<4>()?;
    (crc32fast::hash(code).to_le_bytes() == *checksum).then(|| code.to_vec())
}

/// Fails if NVRTC cannot be loaded, or if `RINGJET_DISABLE_NVRTC` is set to anything but `0` or the
/// empty string.
fn present() -> Result<(), Unavailable> {
    let off = env::var_os("RINGJET_DISABLE_NVRTC").is_some_and(|v| !v.is_empty() && v != "0");
    // SAFETY: only loads the library, as the calls below would.
    if !off && unsafe { sys::is_culib_present() } { Ok(()) } else { Err(Unavailable::NoCompiler) }
}

/// NVRTC's version.
fn version() -> Result<(i32, i32), Unavailable> {
    present()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both arguments are valid for writes.
    let result = unsafe { sys::nvrtcVersion(&mut major, &mut minor) };
    result.result().map_err(|e| Unavailable::failed("NVRTC's version", e))?;
    Ok((major, minor))
}

/// The architectures that NVRTC can compile for, such as 90.
fn architectures() -> Result<Vec<i32>, Unavailable> {
    let failed = |e: nvrtc::NvrtcError| Unavailable::failed("NVRTC's architectures", e);
    let mut count = 0;
    // SAFETY: the argument is valid for writes.
    unsafe { sys::nvrtcGetNumSupportedArchs(&mut count) }.result().map_err(failed)?;
    let mut known = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: `known` has as many elements as NVRTC says it writes.
    unsafe { sys::nvrtcGetSupportedArchs(known.as_mut_ptr()) }.result().map_err(failed)?;
    Ok(known)
}

/// An NVRTC program; dropping it destroys it.
struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: `create_program` made the program, and this is its only destruction.
        let _ = unsafe { nvrtc::destroy_program(self.0) };
    }
}

/// Compiles `source`; returns machine code and the compiler's log.
fn compile(source: &str, architecture: &str, more: &[&str]) -> Result<(Vec<u8>, String), Unavailable> {
    present()?;
    let failed = |e: nvrtc::NvrtcError| Unavailable::failed("NVRTC", e);
    let text = CString::new(source).map_err(|e| Unavailable::failed("the kernels' source", e))?;
    let program = Program(nvrtc::create_program(&text, Some(c"kernels.cu")).map_err(failed)?);
    let mut options = vec![format!("--gpu-architecture={architecture}"), "--std=c++17".into()];
    options.extend(more.iter().map(|&o| o.to_owned()));
    // SAFETY: the program exists.
    if unsafe { nvrtc::compile_program(program.0, &options) }.is_err() {
        return Err(Unavailable::Compilation { architecture: architecture.into(), log: log(&program) });
    }
    let mut size = 0;
    // SAFETY: the program is compiled; the size is valid for writes.
    unsafe { sys::nvrtcGetCUBINSize(program.0, &mut size) }.result().map_err(failed)?;
    let mut code = vec![0u8; size];
    // SAFETY: `code` has as many bytes as the program says it writes.
    unsafe { sys::nvrtcGetCUBIN(program.0, code.as_mut_ptr().cast::<c_char>()) }.result().map_err(failed)?;
    Ok((code, log(&program)))
}

fn log(program: &Program) -> String {
    // SAFETY: the program exists.
    let Ok(log) = (unsafe { nvrtc::get_program_log(program.0) }) else { return "no log".into() };
    let bytes: Vec<u8> = log.iter().map(|&c| c as u8).collect();
    CStr::from_bytes_until_nul(&bytes).map_or_else(|_| String::new(), |s| s.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            Self(env::temp_dir().join(format!("ringjet-{name}-{}", process::id())))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn cached_code_is_read_and_damaged_files_are_compiled_again() {
        let folder = Folder::new("cache");
        let times = Cell::new(0);
        let get = |key: &str| {
            let compile = || {
                times.set(times.get() + 1);
                Ok(key.as_bytes().to_vec())
            };
            cached(Some(&folder.0), "sm_90", key, compile).unwrap()
        };
        assert_eq!((get("one"), get("one"), times.get()), (b"one".to_vec(), b"one".to_vec(), 1));
        get("two");
        assert_eq!(times.get(), 2);
        let file = folder.0.join(format!("kernels-sm_90-{:016x}.cubin", fnv(b"one")));
        let whole = fs::read(&file).unwrap();
        let flipped: Vec<u8> = whole.iter().enumerate().map(|(i, b)| b ^ u8::from(i + 1 == whole.len())).collect();
        let other = packed(b"one", fnv(b"two"));
        for (i, broken) in [&whole[..whole.len() - 1], &whole[..9], &[], &flipped, &other].into_iter().enumerate() {
            fs::write(&file, broken).unwrap();
            assert_eq!((get("one"), times.get()), (b"one".to_vec(), 3 + i), "{broken:?}");
            assert_eq!(fs::read(&file).unwrap(), whole);
        }
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2); // no temporary file is left
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_does_no_harm() {
        let folder = Folder::new("file");
        fs::write(&folder.0, "not a folder").unwrap();
        assert_eq!(cached(Some(&folder.0), "sm_90", "key", || Ok(vec![7])).unwrap(), [7]);
        assert_eq!(cached(None, "sm_90", "key", || Ok(vec![7])).unwrap(), [7]);
        let _ = fs::remove_file(&folder.0);
    }

    #[test]
    fn without_nvrtc_the_driver_compiles_the_embedded_kernels_only() {
        let choose = |nvrtc, source: &str, capability| chosen(nvrtc, source, "a GPU", capability);
        let (none, embedded) = (|| Err(Unavailable::NoCompiler), embedded());
        let (nvrtc, old) = (Compiler::Nvrtc { major: 12, minor: 0 }, || Ok(((12, 0), vec![70, 80, 90])));
        assert_eq!(choose(old(), "other", (7, 0)), Ok(nvrtc));
        assert_eq!(choose(old(), &embedded, (9, 0)), Ok(nvrtc));
        assert_eq!(choose(old(), &embedded, (10, 0)), Ok(Compiler::Driver));
        // Other kernels (RINGJET_KERNEL_DIR), or a GPU too old for the PTX: NVRTC is chosen and
        // reports what it cannot compile.
        assert_eq!((choose(old(), "other", (10, 0)), choose(old(), &embedded, (6, 0))), (Ok(nvrtc), Ok(nvrtc)));
        assert_eq!(choose(none(), &embedded, (9, 0)), Ok(Compiler::Driver));
        // Other kernels, as from RINGJET_KERNEL_DIR.
        assert_eq!(choose(none(), "other", (9, 0)), Err(Unavailable::NoCompiler));
        let old = choose(none(), &embedded, (7, 5)).unwrap_err().to_string();
        assert!(old.starts_with("a GPU has no compute capability 8.0, ") && old.contains("NVRTC"), "{old}");
        let broken = Unavailable::failed("NVRTC's version", "broken");
        assert_eq!(choose(Err(broken.clone()), &embedded, (9, 0)), Err(broken));
        let gpu = |compiler| Gpu {
            name: "a GPU".into(),
            capability: (9, 0),
            bytes: 0,
            driver: 13000,
            single_to_double: 2,
            compiler,
        };
        assert_eq!(code(&gpu(Compiler::Driver)).ok(), portable::of(&embedded));
    }

    /// Parses the output of ptxas: the bytes of spilled registers of each entry point.
    fn spills(log: &str) -> Vec<(String, u64)> {
        let mut found: Vec<(String, u64)> = vec![];
        for line in log.lines() {
            if let Some((_, rest)) = line.split_once("Compiling entry function '") {
                found.push((rest.split('\'').next().unwrap_or("").into(), u64::MAX));
            } else if let (Some((before, _)), Some(last)) = (line.split_once(" bytes spill stores"), found.last_mut()) {
                last.1 = before.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(u64::MAX);
            }
        }
        found
    }

    /// Compiles the kernels with NVRTC where it is installed (the Python package nvidia-cuda-nvrtc
    /// has it). The kernels that take most of the time, transforms and base conversion, must not
    /// spill registers.
    #[test]
    fn kernels_compile_for_gpus() {
        if present().is_err() {
            eprintln!("skipped: no NVRTC here");
            return;
        }
        let source = kernels().unwrap();
        for architecture in ["sm_80", "sm_90", "sm_100"] {
            let compiled = compile(&source, architecture, &["--ptxas-options=-v"]);
            let (code, log) = compiled.unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(&code[..4], b"\x7fELF", "{architecture}");
            let spills = spills(&log);
            assert_eq!(spills.len(), crate::launch::NAMES.len(), "{log}");
            for (name, bytes) in spills.iter().filter(|(name, _)| name.contains("ntt") || name.contains("base_convert"))
            {
                assert_eq!(*bytes, 0, "{name} spills on {architecture}");
            }
        }
        let wrong = source + "\nvoid broken(";
        let refused = cubin(&wrong, "sm_90", None);
        assert!(matches!(refused, Err(Unavailable::Compilation { .. })), "{refused:?}");
    }
}
