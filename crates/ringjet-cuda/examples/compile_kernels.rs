//! Compiles the kernels for a GPU that is elsewhere:
//!
//!     compile_kernels sm_90 FOLDER
//!
//! Needs NVRTC (libnvrtc.so), no GPU. On the machine with the GPU, `RINGJET_CACHE_DIR` has to name
//! the folder with the file.

use std::path::Path;

use ringjet_cuda::{Unavailable, compile_kernels, store_kernels};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [architecture, folder] = &arguments[..] else {
        return Err("usage: compile_kernels ARCHITECTURE FOLDER, such as: compile_kernels sm_90 kernels".into());
    };
    let text = |e: Unavailable| e.to_string();
    let compiled = compile_kernels(architecture).map_err(text)?;
    let path = store_kernels(Path::new(folder), architecture, &compiled).map_err(text)?;
    let ((major, minor), bytes) = (compiled.version, compiled.code.len());
    println!("{}: {bytes} bytes of machine code by NVRTC {major}.{minor}", path.display());
    Ok(())
}
