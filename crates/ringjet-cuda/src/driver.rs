//! A GPU, used through NVIDIA's driver. Only this module calls the driver.

mod graphs;

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{from_mut, null_mut};
use std::sync::{Mutex, PoisonError};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;

use crate::compile;
use crate::device::{Address, Device, DeviceError, Grid, LEAST_SHARED_BYTES};
use crate::gpu::Gpu;
use crate::launch::NAMES;
use crate::unavailable::Unavailable;

/// The oldest driver that works, that of CUDA 12.0. Memory pools, 64-bit launches, code of NVRTC 12
/// and PTX 8.0 (`tools/compile.py`) need it.
pub const NEEDED: i32 = 12000;

/// Words of each half of the pinned staging memory.
const STAGED: usize = 1 << 20;

/// Most words of a copy that bypasses the staging memory: the driver copies them to its own memory.
/// Secret data is never copied so.
const SMALL: usize = 1 << 13;

/// One GPU with one queue.
#[derive(Debug)]
pub struct Driver {
    device: sys::CUdevice,
    context: sys::CUcontext,
    stream: sys::CUstream,
    module: sys::CUmodule,
    functions: Vec<sys::CUfunction>,
    staging: Mutex<Staging>,
    /// Bytes of shared memory of a block.
    shared: usize,
    name: String,
}

/// Pinned memory through which copies go, in two halves. Each half has an event, recorded after the
/// last copy from or to it.
#[derive(Debug)]
struct Staging {
    halves: [*mut u64; 2],
    events: [sys::CUevent; 2],
    next: usize,
}

/// While it lives, the driver's context is current for this thread. Dropping it makes the context
/// before it current again, because other code of this process may use GPUs.
struct Entered;

impl Drop for Entered {
    fn drop(&mut self) {
        let mut own = null_mut();
        // SAFETY: takes the context off that `enter` pushed. If it fails, nothing can be done.
        let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut own) };
    }
}

// SAFETY: the driver's handles belong to no thread, and every call makes the context current first.
// The pinned memory is owned by `Driver` and used under its lock.
unsafe impl Send for Driver {}
// SAFETY: as above.
unsafe impl Sync for Driver {}

/// Describes GPU number `ordinal`, counted from 0.
pub fn find(ordinal: usize) -> Result<Gpu, Unavailable> {
    device(ordinal).map(|(gpu, _)| gpu)
}

fn device(ordinal: usize) -> Result<(Gpu, sys::CUdevice), Unavailable> {
    let failed = |e: DriverError| Unavailable::failed("the NVIDIA driver", e);
    // SAFETY: only loads the library, as the calls below would.
    if !unsafe { sys::is_culib_present() } {
        return Err(Unavailable::NoDriver);
    }
    let mut driver = 0;
    // SAFETY: the argument is valid for writes.
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
    // SAFETY: the driver returned `device`.
    let attribute = |a| unsafe { result::device::get_attribute(device, a) }.map_err(failed);
    use sys::CUdevice_attribute as Attribute;
    if attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
        return Err(Unavailable::OldDevice { name, what: "memory pools" });
    }
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let single_to_double = attribute(Attribute::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)?;
    // SAFETY: the driver returned `device`.
    let bytes = unsafe { result::device::total_mem(device) }.map_err(failed)?;
    let capability = (major, minor);
    let compiler = compile::compiler(&name, capability)?;
    Ok((Gpu { name, capability, bytes, driver, single_to_double, compiler }, device))
}

impl Driver {
    /// Opens GPU number `ordinal` and loads the kernels.
    pub fn open(ordinal: usize) -> Result<(Self, Gpu), Unavailable> {
        let (gpu, device) = device(ordinal)?;
        let code = compile::code(&gpu)?;
        let failed = |e: DriverError| Unavailable::failed("the start of the GPU", e);
        // SAFETY: the driver returned `device`.
        let context = unsafe { result::primary_ctx::retain(device) }.map_err(failed)?;
        // Null handles have not been made yet; `drop` gives back the others.
        let staging = Mutex::new(Staging { halves: [null_mut(); 2], events: [null_mut(); 2], next: 0 });
        let name = gpu.name.clone();
        let mut driver = Self {
            device,
            context,
            stream: null_mut(),
            module: null_mut(),
            functions: vec![],
            staging,
            shared: 0,
            name,
        };
        driver.start(&code).map_err(failed)?;
        Ok((driver, gpu))
    }

    fn start(&mut self, code: &[u8]) -> Result<(), DriverError> {
        let _entered = self.enter()?;
        self.stream = result::stream::create(result::stream::StreamKind::NonBlocking)?;
        let staging = self.staging.get_mut().unwrap_or_else(PoisonError::into_inner);
        for half in 0..2 {
            // SAFETY: the words are plain memory, which is written before it is read.
            staging.halves[half] = unsafe { result::malloc_host(8 * STAGED, 0) }?.cast();
            staging.events[half] = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)?;
        }
        // SAFETY: `code` is NVRTC's output, a checked copy of it, or PTX that ends with a zero
        // byte.
        self.module = unsafe { result::module::load_data(code.as_ptr().cast()) }?;
        for name in NAMES {
            // SAFETY: the module lives as long as `self`.
            self.functions.push(unsafe { result::module::get_function(self.module, CStr::to_owned(name)) }?);
        }
        self.allow_shared()?;
        // The pool keeps freed memory.
        let mut threshold = u64::MAX;
        // SAFETY: the pool belongs to the device, and the attribute is a 64-bit number.
        unsafe {
            let pool = result::device::get_default_mem_pool(self.device)?;
            let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            result::mem_pool::set_attribute(pool, attribute, from_mut(&mut threshold).cast())
        }
    }

    /// Allows blocks of each kernel all the shared memory that the device has for a block. Without
    /// it they have [`LEAST_SHARED_BYTES`].
    fn allow_shared(&mut self) -> Result<(), DriverError> {
        use sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN as OFFERED;
        use sys::CUfunction_attribute::{
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as DYNAMIC, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES as DECLARED,
        };
        // SAFETY: the driver returned `device`.
        let offered = unsafe { result::device::get_attribute(self.device, OFFERED) }?;
        for &function in &self.functions {
            // SAFETY: the function belongs to the module, which lives as long as `self`.
            unsafe {
                let declared = result::function::get_function_attribute(function, DECLARED)?;
                result::function::set_function_attribute(function, DYNAMIC, offered - declared)?;
            }
        }
        self.shared = usize::try_from(offered).unwrap_or(0).max(LEAST_SHARED_BYTES);
        Ok(())
    }

    fn enter(&self) -> Result<Entered, DriverError> {
        // SAFETY: the context is retained as long as `self` lives.
        unsafe { sys::cuCtxPushCurrent_v2(self.context) }.result().map(|()| Entered)
    }

    fn failed(&self, what: &str, e: DriverError) -> DeviceError {
        DeviceError::Failed(format!("{}: {what}: {e}", self.name))
    }

    /// Calls `f` while the context is current.
    fn call<T>(&self, what: &str, f: impl FnOnce() -> Result<T, DriverError>) -> Result<T, DeviceError> {
        self.enter().and_then(|_entered| f()).map_err(|e| self.failed(what, e))
    }

    /// Waits for the queue and returns the pool's free memory to the device, so that it can be
    /// divided anew.
    fn trim(&self) -> Result<(), DriverError> {
        // SAFETY: stream and pool belong to the device.
        unsafe {
            result::stream::synchronize(self.stream)?;
            result::mem_pool::trim_to(result::device::get_default_mem_pool(self.device)?, 0)
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let entered = self.enter();
        // SAFETY: the context is retained. Each handle that was made is destroyed once, after the
        // queue has finished with it. Errors are ignored, as the context is released anyway.
        unsafe {
            if !self.stream.is_null() {
                let _ = self.trim(); // other users of the device may keep the pool alive
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
        // SAFETY: the stream lives. The caller writes the memory before it reads it.
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
        // SAFETY: `at` came from `alloc`, and its only owner gives it back. If it fails, nothing
        // can be done.
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
            // SAFETY: the words belong to an allocation of this stream. `data` is pageable memory,
            // so the driver has read all of it when the call returns.
            return self.call("upload", || unsafe { result::memcpy_htod_async(to.0, data, self.stream) });
        }
        self.staged(|staging| self.send(staging, to, data, secret))
    }

    fn download(&self, from: Address, out: &mut [u64]) -> Result<(), DeviceError> {
        self.staged(|staging| self.fetch(staging, from, out))
    }

    fn shared_bytes(&self) -> usize {
        self.shared
    }

    fn sync(&self) -> Result<(), DeviceError> {
        // SAFETY: the stream lives.
        self.call("queued work", || unsafe { result::stream::synchronize(self.stream) })
    }

    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError> {
        let ([x, y, z], [width, height]) = (grid.blocks, grid.threads);
        let mut arguments: Vec<*mut c_void> = arguments.iter().map(|a| a.cast_mut()).collect();
        let function = self.functions[kernel];
        // SAFETY: function and stream live. The caller guarantees the arguments; the driver copies
        // them and does not change them.
        self.call("launch", || unsafe {
            result::launch_kernel(function, (x, y, z), (width, height, 1), grid.shared, self.stream, &mut arguments)
        })
    }
}

impl Driver {
    /// Runs `copy`, which copies through pinned memory. If it fails, secrets may be left there, and
    /// work whose event was never recorded. So the queue is waited for and the memory wiped.
    fn staged(&self, copy: impl FnOnce(&mut Staging) -> Result<(), DeviceError>) -> Result<(), DeviceError> {
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let done = copy(&mut staging);
        if done.is_err() {
            let _ = self.sync(); // if this fails too, later calls report it
            for half in staging.halves {
                // SAFETY: each half has STAGED words of pinned memory. No work uses them: the queue
                // is empty or has failed.
                unsafe { half.write_bytes(0, STAGED) };
            }
        }
        done
    }

    fn send(&self, staging: &mut Staging, to: Address, data: &[u64], secret: bool) -> Result<(), DeviceError> {
        for (i, chunk) in data.chunks(STAGED).enumerate() {
            let (half, event) = staging.take();
            // SAFETY: `half` has STAGED words of pinned memory, and no copy uses it once its event
            // has happened. It is written again only after the event recorded here, or after
            // `staged` has waited. The words at `to` belong to an allocation of this stream.
            self.call("upload", || unsafe {
                result::event::synchronize(event)?;
                let half = std::slice::from_raw_parts_mut(half, chunk.len());
                half.copy_from_slice(chunk);
                result::memcpy_htod_async(to.offset(i * STAGED).0, half, self.stream)?;
                if secret {
                    // The wipe is queued, so the host does not wait. Pinned memory has the same
                    // address on the device.
                    result::memset_d8_async(half.as_ptr() as u64, 0, size_of_val(half), self.stream)?;
                }
                result::event::record(event, self.stream)
            })?;
        }
        Ok(())
    }

    fn fetch(&self, staging: &mut Staging, from: Address, out: &mut [u64]) -> Result<(), DeviceError> {
        let mut before: Option<(*mut u64, sys::CUevent, &mut [u64])> = None;
        // SAFETY: `half` has at least `out.len()` words, and the copy to it has finished.
        let finish = |(half, event, out): (*mut u64, sys::CUevent, &mut [u64])| unsafe {
            result::event::synchronize(event)?;
            let half = std::slice::from_raw_parts_mut(half, out.len());
            out.copy_from_slice(half);
            half.fill(0); // the words may be secret
            Ok(())
        };
        for (i, chunk) in out.chunks_mut(STAGED).enumerate() {
            let (half, event) = staging.take();
            // SAFETY: `half` has STAGED words of pinned memory. Earlier copies from it come first
            // in the same queue, and the words of an earlier copy to it have been read. The words
            // at `from` belong to an allocation of this stream.
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
    /// The half to use next, and its event.
    fn take(&mut self) -> (*mut u64, sys::CUevent) {
        let half = self.next;
        self.next = 1 - half;
        (self.halves[half], self.events[half])
    }
}
