//! A GPU through its driver. All calls of the driver are here.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{from_mut, null_mut};
use std::sync::{Mutex, PoisonError};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;

use crate::compile::{self, Compiler};
use crate::device::{Address, Device, DeviceError, Grid};
use crate::launch::NAMES;
use crate::unavailable::Unavailable;

/// The driver of CUDA 12.0: memory pools, 64-bit launches, the code of NVRTC 12 and PTX 8.0 (`tools/compile.py`).
pub const NEEDED: i32 = 12000;

/// Words of each half of the pinned memory through which copies go.
const STAGED: usize = 1 << 20;

/// Copies of at most so many words that are not secret are left to the driver, which takes them into memory of its own.
const SMALL: usize = 1 << 13;

/// One GPU, one queue.
#[derive(Debug)]
pub struct Driver {
    device: sys::CUdevice,
    context: sys::CUcontext,
    stream: sys::CUstream,
    module: sys::CUmodule,
    functions: Vec<sys::CUfunction>,
    staging: Mutex<Staging>,
    name: String,
}

/// Two halves of pinned memory, and for each an event after the last copy from or to it.
#[derive(Debug)]
struct Staging {
    halves: [*mut u64; 2],
    events: [sys::CUevent; 2],
    next: usize,
}

/// While it lives, the driver's context is current for this thread; then the one that was. Others use GPUs in this process.
struct Entered;

impl Drop for Entered {
    fn drop(&mut self) {
        let mut own = null_mut();
        // SAFETY: takes off what `enter` put on. A failure leaves nothing to do.
        let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut own) };
    }
}

// SAFETY: handles of the driver belong to no thread; every call makes the context current first. The pinned memory is owned,
// and used under its lock.
unsafe impl Send for Driver {}
// SAFETY: as above.
unsafe impl Sync for Driver {}

/// A GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpu {
    /// Its name.
    pub name: String,
    /// Compute capability.
    pub capability: (i32, i32),
    /// Bytes of its memory.
    pub bytes: usize,
    /// The driver's version: 1000 major + 10 minor of the CUDA that it is for.
    pub driver: i32,
    /// How many times as fast single precision is as double precision.
    pub single_to_double: i32,
    /// What makes machine code of the kernels for it.
    pub compiler: Compiler,
}

impl Gpu {
    /// Such as `sm_90`.
    pub(crate) fn architecture(&self) -> String {
        format!("sm_{}{}", self.capability.0, self.capability.1)
    }
}

/// What GPU number `ordinal` is.
pub fn find(ordinal: usize) -> Result<Gpu, Unavailable> {
    device(ordinal).map(|(gpu, _)| gpu)
}

fn device(ordinal: usize) -> Result<(Gpu, sys::CUdevice), Unavailable> {
    let failed = |e: DriverError| Unavailable::failed("the NVIDIA driver", e);
    // SAFETY: loads the library, as the calls below do, and nothing else.
    if !unsafe { sys::is_culib_present() } {
        return Err(Unavailable::NoDriver);
    }
    let mut driver = 0;
    // SAFETY: the version is written.
    unsafe { sys::cuDriverGetVersion(&mut driver) }.result().map_err(failed)?;
    if driver < NEEDED {
        return Err(Unavailable::OldDriver { found: driver, needed: NEEDED });
    }
    let none = |found| Unavailable::NoDevice { found, wanted: ordinal };
    match result::init() {
        Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => return Err(none(0)),
        other => other.map_err(failed)?,
    }
    let found = usize::try_from(result::device::get_count().map_err(failed)?).unwrap_or(0);
    if ordinal >= found {
        return Err(none(found));
    }
    let device = result::device::get(ordinal as c_int).map_err(failed)?;
    let name = result::device::get_name(device).map_err(failed)?;
    // SAFETY: `device` is one of the driver's.
    let attribute = |a| unsafe { result::device::get_attribute(device, a) }.map_err(failed);
    use sys::CUdevice_attribute as Attribute;
    if attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
        return Err(Unavailable::OldDevice { name, what: "memory pools" });
    }
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let single_to_double = attribute(Attribute::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)?;
    // SAFETY: as above.
    let bytes = unsafe { result::device::total_mem(device) }.map_err(failed)?;
    let capability = (major, minor);
    let compiler = compile::compiler(&name, capability)?;
    Ok((Gpu { name, capability, bytes, driver, single_to_double, compiler }, device))
}

impl Driver {
    /// GPU number `ordinal` with its kernels.
    pub fn open(ordinal: usize) -> Result<(Self, Gpu), Unavailable> {
        let (gpu, device) = device(ordinal)?;
        let code = compile::code(&gpu)?;
        let failed = |e: DriverError| Unavailable::failed("the start of the GPU", e);
        // SAFETY: `device` is one of the driver's.
        let context = unsafe { result::primary_ctx::retain(device) }.map_err(failed)?;
        // what is null is not there yet: `drop` gives back the rest
        let staging = Mutex::new(Staging { halves: [null_mut(); 2], events: [null_mut(); 2], next: 0 });
        let name = gpu.name.clone();
        let mut driver =
            Self { device, context, stream: null_mut(), module: null_mut(), functions: vec![], staging, name };
        driver.start(&code).map_err(failed)?;
        Ok((driver, gpu))
    }

    fn start(&mut self, code: &[u8]) -> Result<(), DriverError> {
        let _entered = self.enter()?;
        self.stream = result::stream::create(result::stream::StreamKind::NonBlocking)?;
        let staging = self.staging.get_mut().unwrap_or_else(PoisonError::into_inner);
        for half in 0..2 {
            // SAFETY: plain memory, written before it is read; and an event.
            staging.halves[half] = unsafe { result::malloc_host(8 * STAGED, 0) }?.cast();
            staging.events[half] = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)?;
        }
        // SAFETY: `code` is what NVRTC made, a copy of that with the right checksum, or PTX with a zero at its end.
        self.module = unsafe { result::module::load_data(code.as_ptr().cast()) }?;
        for name in NAMES {
            // SAFETY: the module lives as long as `self`.
            self.functions.push(unsafe { result::module::get_function(self.module, CStr::to_owned(name)) }?);
        }
        // freed memory stays with the pool
        let mut threshold = u64::MAX;
        // SAFETY: the pool is the device's, and this attribute is a number of 64 bits.
        unsafe {
            let pool = result::device::get_default_mem_pool(self.device)?;
            let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            result::mem_pool::set_attribute(pool, attribute, from_mut(&mut threshold).cast())
        }
    }

    fn enter(&self) -> Result<Entered, DriverError> {
        // SAFETY: the context is retained as long as `self` lives.
        unsafe { sys::cuCtxPushCurrent_v2(self.context) }.result().map(|()| Entered)
    }

    fn failed(&self, what: &str, e: DriverError) -> DeviceError {
        DeviceError::Failed(format!("{}: {what}: {e}", self.name))
    }

    /// Calls `f` in the context.
    fn call<T>(&self, what: &str, f: impl FnOnce() -> Result<T, DriverError>) -> Result<T, DeviceError> {
        self.enter().and_then(|_entered| f()).map_err(|e| self.failed(what, e))
    }

    /// Waits for the queue, and gives the pool's free memory back to the device, so that it can be cut anew.
    fn trim(&self) -> Result<(), DriverError> {
        // SAFETY: stream and pool are the device's.
        unsafe {
            result::stream::synchronize(self.stream)?;
            result::mem_pool::trim_to(result::device::get_default_mem_pool(self.device)?, 0)
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let entered = self.enter();
        // SAFETY: the context is retained; each handle is given back once, after the queue is done with it, and none that
        // was never made. Errors leave nothing to do: the context goes.
        unsafe {
            if !self.stream.is_null() {
                let _ = self.trim(); // the pool may outlive the context here, where others use the device as well
                let _ = result::stream::destroy(self.stream);
            }
            let staging = self.staging.get_mut().unwrap_or_else(PoisonError::into_inner);
            for half in 0..2 {
                if !staging.halves[half].is_null() {
                    staging.halves[half].write_bytes(0, STAGED);
                    let _ = result::free_host(staging.halves[half].cast());
                }
                if !staging.events[half].is_null() {
                    let _ = result::event::destroy(staging.events[half]);
                }
            }
            if !self.module.is_null() {
                let _ = result::module::unload(self.module);
            }
            drop(entered);
            let _ = result::primary_ctx::release(self.device);
        }
    }
}

impl Device for Driver {
    fn alloc(&self, words: usize) -> Result<Address, DeviceError> {
        let _entered = self.enter().map_err(|e| self.failed("context", e))?;
        let none = || match result::mem_get_info() {
            Ok((free, _)) => DeviceError::OutOfMemory { bytes: words.saturating_mul(8), free },
            Err(e) => self.failed("memory", e),
        };
        let bytes = words.max(1).checked_mul(8).ok_or_else(none)?;
        // SAFETY: the stream lives; contents are written before they mean anything.
        let take = || unsafe { result::malloc_async(self.stream, bytes) };
        let full = |e: &DriverError| e.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY;
        let mut taken = take();
        if taken.as_ref().is_err_and(full) {
            self.trim().map_err(|e| self.failed("memory", e))?;
            taken = take();
        }
        taken.map(Address).map_err(|e| if full(&e) { none() } else { self.failed("memory", e) })
    }

    fn free(&self, at: Address, _words: usize) {
        // SAFETY: `at` came from `alloc`, and its only owner gives it back. A failure leaves nothing to do.
        let _ = self.call("memory", || unsafe { result::free_async(at.0, self.stream) });
    }

    fn wipe(&self, at: Address, words: usize) -> Result<(), DeviceError> {
        if words == 0 {
            return Ok(());
        }
        // SAFETY: the words belong to an allocation of this stream.
        self.call("memory", || unsafe { result::memset_d8_async(at.0, 0, 8 * words, self.stream) })
    }

    fn upload(&self, to: Address, data: &[u64], secret: bool) -> Result<(), DeviceError> {
        if data.is_empty() {
            return Ok(());
        }
        if data.len() <= SMALL && !secret {
            // SAFETY: the words belong to an allocation of this stream. `data` is pageable: the driver has read all of it
            // when the call is back.
            return self.call("upload", || unsafe { result::memcpy_htod_async(to.0, data, self.stream) });
        }
        self.staged(|staging| self.send(staging, to, data, secret))
    }

    fn download(&self, from: Address, out: &mut [u64]) -> Result<(), DeviceError> {
        self.staged(|staging| self.fetch(staging, from, out))
    }

    fn sync(&self) -> Result<(), DeviceError> {
        // SAFETY: the stream lives.
        self.call("queued work", || unsafe { result::stream::synchronize(self.stream) })
    }

    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError> {
        let ([x, y, z], [width, height]) = (grid.blocks, grid.threads);
        let mut arguments: Vec<*mut c_void> = arguments.iter().map(|a| a.cast_mut()).collect();
        let function = self.functions[kernel];
        // SAFETY: function and stream live; the caller answers for the arguments, which the driver copies and does not change.
        self.call("launch", || unsafe {
            result::launch_kernel(function, (x, y, z), (width, height, 1), grid.shared, self.stream, &mut arguments)
        })
    }
}

impl Driver {
    /// A copy through pinned memory. One that fails may have left there what is secret, and work without the event that says
    /// when it is done.
    fn staged(&self, copy: impl FnOnce(&mut Staging) -> Result<(), DeviceError>) -> Result<(), DeviceError> {
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let done = copy(&mut staging);
        if done.is_err() {
            let _ = self.sync(); // a failure is that of the copy, or a later call finds it
            for half in staging.halves {
                // SAFETY: pinned memory of STAGED words, which no work uses: the queue is done with it, or has failed.
                unsafe { half.write_bytes(0, STAGED) };
            }
        }
        done
    }

    fn send(&self, staging: &mut Staging, to: Address, data: &[u64], secret: bool) -> Result<(), DeviceError> {
        for (i, chunk) in data.chunks(STAGED).enumerate() {
            let (half, event) = staging.take();
            // SAFETY: the half is pinned memory of STAGED words that no copy uses once its event has happened; it is changed
            // again after the event that is recorded here, or `staged` waits. The words belong to an allocation of this stream.
            self.call("upload", || unsafe {
                result::event::synchronize(event)?;
                let half = std::slice::from_raw_parts_mut(half, chunk.len());
                half.copy_from_slice(chunk);
                result::memcpy_htod_async(to.offset(i * STAGED).0, half, self.stream)?;
                if secret {
                    // in the order of the queue, so that nobody waits: pinned memory has its address on the device as well
                    result::memset_d8_async(half.as_ptr() as u64, 0, size_of_val(half), self.stream)?;
                }
                result::event::record(event, self.stream)
            })?;
        }
        Ok(())
    }

    fn fetch(&self, staging: &mut Staging, from: Address, out: &mut [u64]) -> Result<(), DeviceError> {
        let mut before: Option<(*mut u64, sys::CUevent, &mut [u64])> = None;
        // SAFETY: the half has as many words, and the copy to it has happened.
        let finish = |(half, event, out): (*mut u64, sys::CUevent, &mut [u64])| unsafe {
            result::event::synchronize(event)?;
            let half = std::slice::from_raw_parts_mut(half, out.len());
            out.copy_from_slice(half);
            half.fill(0); // it may be a secret
            Ok(())
        };
        for (i, chunk) in out.chunks_mut(STAGED).enumerate() {
            let (half, event) = staging.take();
            // SAFETY: the half is pinned memory of STAGED words; copies from it are earlier in the same queue, and what was
            // copied to it has been read. The words belong to an allocation of this stream.
            self.call("download", || unsafe {
                let pinned = std::slice::from_raw_parts_mut(half, chunk.len());
                result::memcpy_dtoh_async(pinned, from.offset(i * STAGED).0, self.stream)?;
                result::event::record(event, self.stream)
            })?;
            if let Some(before) = before.replace((half, event, chunk)) {
                self.call("download", || finish(before))?;
            }
        }
        before.map_or(Ok(()), |last| self.call("download", || finish(last)))
    }
}

impl Staging {
    /// The half whose turn it is, and its event.
    fn take(&mut self) -> (*mut u64, sys::CUevent) {
        let half = self.next;
        self.next = 1 - half;
        (self.halves[half], self.events[half])
    }
}
