//! The one backend of a process: all handles share it, so that no ciphertext is copied between two of them.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ringjet::Error;
use ringjet_backend::Backend;
use ringjet_cpu::{CpuBackend, CpuConfig};

use crate::border::{self, Refusal, Result, call};
use crate::status::rj_status;

/// The most threads that can be asked for.
const MOST_THREADS: usize = 4096;

struct Machine {
    backend: Arc<dyn Backend>,
    threads: usize,
}

static OPENED: OnceLock<Machine> = OnceLock::new();
/// The number of threads that is asked for; 0: one a core.
pub(crate) static THREADS: Mutex<usize> = Mutex::new(0);

/// The backend, which the first call opens.
pub(crate) fn backend() -> Result<Arc<dyn Backend>> {
    // before the lock: in a process that is forked while the backend starts, nobody would ever release it
    border::claim_process();
    let threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    if OPENED.get().is_none() {
        let backend = CpuBackend::new(CpuConfig { threads: *threads, path: None }).map_err(Error::Backend)?;
        let _ = OPENED.set(Machine { backend: Arc::new(backend), threads: *threads });
    }
    let machine = OPENED.get().expect("it was set above");
    Ok(Arc::clone(&machine.backend))
}

/// Sets the number of threads that compute: 1 to 4096, or 0 for one on each core, which is the default. It
/// must be called before all functions that make a handle; later another number is refused (RJ_TOO_LATE).
#[unsafe(no_mangle)]
pub extern "C" fn rj_set_threads(threads: usize) -> rj_status {
    call(|| {
        if threads > MOST_THREADS {
            let expected = format!("0 (one a core) to {MOST_THREADS}");
            return Err(Error::Argument { name: "threads", value: threads.to_string(), expected }.into());
        }
        let mut asked = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
        match OPENED.get() {
            Some(machine) if machine.threads != threads => Err(Refusal::TooLate { threads: machine.threads }),
            _ => {
                *asked = threads;
                Ok(())
            }
        }
    })
}
