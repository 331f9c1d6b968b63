//! The code of the kernels: machine code from a file (`stored.rs`), or machine code that NVRTC
//! compiles, or the embedded PTX where NVRTC is missing or too old.

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::{env, fs};

use cudarc::nvrtc::{result as nvrtc, sys};

use crate::gpu::{Compiler, Gpu};
use crate::stored::Compiled;
use crate::unavailable::Unavailable;
use crate::{portable, source, stored};

const KERNELS: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.cu"));
const ENTRIES: &str = include_str!(concat!(env!("OUT_DIR"), "/entries.cu"));

/// Where the code for a device of this name and compute capability comes from. A file comes first.
pub fn compiler(name: &str, capability: (i32, i32)) -> Result<Compiler, Unavailable> {
    let source = kernels()?;
    if let Some(Compiled { version: (major, minor), .. }) = read(&source, &architecture(capability)) {
        return Ok(Compiler::Stored { major, minor });
    }
    let nvrtc = version().and_then(|version| Ok((version, architectures()?)));
    chosen(nvrtc, &source, name, capability)
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

/// The kernels in the form that the driver of this GPU loads: machine code or PTX. Machine code that
/// is compiled here is stored; if the folder cannot be written to, the next start compiles again.
pub fn code(gpu: &Gpu) -> Result<Vec<u8>, Unavailable> {
    let (source, architecture) = (kernels()?, architecture(gpu.capability));
    match gpu.compiler {
        Compiler::Stored { .. } => {
            let gone = || Unavailable::failed("the file of compiled kernels", "removed or damaged just now");
            read(&source, &architecture).map(|compiled| compiled.code).ok_or_else(gone)
        }
        Compiler::Nvrtc { major, minor } => {
            let code = compile(&source, &architecture, &[])?.0;
            let compiled = Compiled { code, version: (major, minor) };
            if let Some(folder) = stored::folder() {
                let _ = stored::write(&folder, &architecture, &source, &compiled);
            }
            Ok(compiled.code)
        }
        Compiler::Driver => portable::of(&source).ok_or(Unavailable::NoCompiler),
    }
}

/// The compiled kernels in the folder of this machine.
fn read(source: &str, architecture: &str) -> Option<Compiled> {
    stored::read(&stored::folder()?, architecture, source)
}

/// The name of an architecture for compilers, such as `sm_90`.
fn architecture((major, minor): (i32, i32)) -> String {
    format!("sm_{major}{minor}")
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

/// Compiles the kernels with NVRTC for `architecture`, such as `sm_90`. Takes NVRTC about a minute of
/// processor time; needs no GPU. [`store_kernels`] puts the result where the library finds it.
pub fn compile_kernels(architecture: &str) -> Result<Compiled, Unavailable> {
    let version = version()?;
    Ok(Compiled { code: compile(&kernels()?, architecture, &[])?.0, version })
}

/// Writes machine code of the kernels to `folder`. Where `RINGJET_CACHE_DIR` names a folder with this
/// file, the library loads the code on GPUs of `architecture`, with any version of NVRTC or none. A
/// library with other kernels ignores the file. Returns the path of the file.
pub fn store_kernels(folder: &Path, architecture: &str, compiled: &Compiled) -> Result<PathBuf, Unavailable> {
    let failed = |e: std::io::Error| Unavailable::failed("the file of compiled kernels", e);
    stored::write(folder, architecture, &kernels()?, compiled).map_err(failed)
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
    use super::*;

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
        let refused = compile(&wrong, "sm_90", &[]);
        assert!(matches!(refused, Err(Unavailable::Compilation { .. })), "{refused:?}");
    }
}
