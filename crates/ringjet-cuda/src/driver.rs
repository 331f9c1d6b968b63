//! A GPU, used through NVIDIA's driver. Only this module calls the driver.

mod graphs;
mod staging;
mod timers;

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{from_mut, null_mut};
use std::sync::{Mutex, PoisonError};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;

use crate::compile;
use crate::device::{Address, Device, DeviceError, Grid, LEAST_SHARED_BYTES, Mark};
use crate::gpu::{Compiler, Gpu};
use crate::launch::{EMULATED_NAMES, NAMES};
use crate::unavailable::Unavailable;
use staging::Staging;
use timers::Timers;

/// The oldest driver that works, that of CUDA 12.0. Memory pools, 64-bit launches, code of NVRTC 12
/// and PTX 8.0 (`tools/compile.py`) need it.
pub const NEEDED: i32 = 12000;

/// The oldest driver that tells the time between events by the function that the bindings have.
const TIMES_NEED: i32 = 12080;

/// One GPU with one queue.
#[derive(Debug)]
pub struct Driver {
    device: sys::CUdevice,
    context: sys::CUcontext,
    stream: sys::CUstream,
    /// Device memory of this backend alone. The device's default pool belongs to all libraries of
    /// the process.
    pool: sys::CUmemoryPool,
    module: sys::CUmodule,
    functions: Vec<sys::CUfunction>,
    staging: Mutex<Staging>,
    timers: Mutex<Timers>,
    /// Whether to wait after each launch, so that its failure is reported as its own.
    wait: bool,
    /// The last launch that was queued.
    last: Mutex<Option<(usize, Grid)>>,
    /// Bytes of shared memory of a block.
    shared: usize,
    multiprocessors: u32,
    name: String,
    /// The CUDA version that the driver supports, as in [`Gpu`].
    version: i32,
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
    /// Opens GPU number `ordinal` and loads the kernels. `wait`: whether to wait after each launch.
    pub fn open(ordinal: usize, wait: bool) -> Result<(Self, Gpu), Unavailable> {
        let (gpu, device) = device(ordinal)?;
        let code = compile::code(&gpu)?;
        let what = match gpu.compiler {
            Compiler::Stored { .. } => "the start of the GPU with kernels from a file",
            _ => "the start of the GPU",
        };
        let failed = |e: DriverError| Unavailable::failed(what, e);
        // SAFETY: the driver returned `device`.
        let context = unsafe { result::primary_ctx::retain(device) }.map_err(failed)?;
        // Null handles have not been made yet; `drop` gives back the others.
        let name = gpu.name.clone();
        let mut driver = Self {
            device,
            context,
            stream: null_mut(),
            pool: null_mut(),
            module: null_mut(),
            functions: vec![],
            staging: Mutex::default(),
            timers: Mutex::default(),
            wait,
            last: Mutex::default(),
            shared: 0,
            multiprocessors: 0,
            name,
            version: gpu.driver,
        };
        driver.start(&code).map_err(failed)?;
        Ok((driver, gpu))
    }

    fn start(&mut self, code: &[u8]) -> Result<(), DriverError> {
        let _entered = self.enter()?;
        self.stream = result::stream::create(result::stream::StreamKind::NonBlocking)?;
        self.staging.get_mut().unwrap_or_else(PoisonError::into_inner).make()?;
        // SAFETY: `code` is NVRTC's output, a checked copy of it, or PTX that ends with a zero
        // byte.
        self.module = unsafe { result::module::load_data(code.as_ptr().cast()) }?;
        for name in NAMES {
            // SAFETY: the module lives as long as `self`.
            self.functions.push(unsafe { result::module::get_function(self.module, CStr::to_owned(name)) }?);
        }
        self.allow_shared()?;
        self.make_pool()
    }

    /// Makes the pool, which keeps freed memory.
    fn make_pool(&mut self) -> Result<(), DriverError> {
        // SAFETY: zeros are valid properties: no handles to other processes, no limit, no usage.
        let mut properties: sys::CUmemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        properties.location.id = self.device;
        let mut threshold = u64::MAX;
        // SAFETY: the properties are those of memory on this device, and the attribute is a 64-bit
        // number.
        unsafe {
            self.pool = result::mem_pool::create(&properties)?;
            let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            result::mem_pool::set_attribute(self.pool, attribute, from_mut(&mut threshold).cast())
        }
    }

    /// Allows blocks of each kernel all the shared memory that the device has for a block. Without
    /// it they have [`LEAST_SHARED_BYTES`].
    fn allow_shared(&mut self) -> Result<(), DriverError> {
        use sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN as OFFERED;
        use sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT as MULTIPROCESSORS;
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
        // SAFETY: the driver returned the device.
        let multiprocessors = unsafe { result::device::get_attribute(self.device, MULTIPROCESSORS) }?;
        self.multiprocessors = multiprocessors.unsigned_abs();
        Ok(())
    }

    fn enter(&self) -> Result<Entered, DriverError> {
        // SAFETY: the context is retained as long as `self` lives.
        unsafe { sys::cuCtxPushCurrent_v2(self.context) }.result().map(|()| Entered)
    }

    fn failed(&self, what: &str, e: DriverError) -> DeviceError {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let suspect = match last.filter(|_| of_a_kernel(e) && !self.wait) {
            None => String::new(),
            Some((kernel, grid)) => format!(
                "; a kernel failed, the last one that was queued was {}, {grid}; RINGJET_CUDA_WAIT=1 names the one \
                 that fails",
                EMULATED_NAMES[kernel]
            ),
        };
        DeviceError::Failed(format!("{}: {what}: {e}{suspect}", self.name))
    }

    /// Notes a launch for messages.
    fn queued(&self, kernel: usize, grid: Grid) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((kernel, grid));
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
            result::mem_pool::trim_to(self.pool, 0)
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
                let _ = result::stream::synchronize(self.stream);
                let _ = result::stream::destroy(self.stream);
            }
            if !self.pool.is_null() {
                let _ = result::mem_pool::destroy(self.pool);
            }
            self.staging.get_mut().unwrap_or_else(PoisonError::into_inner).give_back();
            self.timers.get_mut().unwrap_or_else(PoisonError::into_inner).destroy();
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
        // SAFETY: pool and stream live. The caller writes the memory before it reads it.
        let take = || unsafe {
            let mut at = 0;
            sys::cuMemAllocFromPoolAsync(&mut at, bytes, self.pool, self.stream).result().map(|()| at)
        };
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
        // SAFETY: the words belong to an allocation of this stream.
        self.staged("upload", |staging| unsafe { staging.send(self.stream, to, data, secret) })
    }

    fn download(&self, from: Address, out: &mut [u64]) -> Result<(), DeviceError> {
        // SAFETY: as above.
        self.staged("download", |staging| unsafe { staging.fetch(self.stream, from, out) })
    }

    fn shared_bytes(&self) -> usize {
        self.shared
    }

    fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    fn sync(&self) -> Result<(), DeviceError> {
        self.wait()
    }

    fn mark(&self) -> Result<Mark, DeviceError> {
        if self.version < TIMES_NEED {
            let found = format!("{}.{}", self.version / 1000, self.version % 1000 / 10);
            return Err(DeviceError::Failed(format!("{}: times need a driver for CUDA 12.8, not {found}", self.name)));
        }
        let mut timers = self.timers.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the stream lives.
        self.call("an event", || unsafe { timers.record(self.stream) }).map(Mark::Event)
    }

    fn microseconds(&self, marks: &[Mark]) -> Result<Vec<f64>, DeviceError> {
        let event = |mark: &Mark| match mark {
            Mark::Event(number) => Some(*number),
            Mark::Host(_) => None, // of another device
        };
        let numbers: Vec<usize> = marks.iter().filter_map(event).collect();
        let mut timers = self.timers.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the context is current.
        self.call("times", || unsafe { timers.times(&numbers) })
    }

    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError> {
        let ([x, y, z], [width, height]) = (grid.blocks, grid.threads);
        let mut arguments: Vec<*mut c_void> = arguments.iter().map(|a| a.cast_mut()).collect();
        let (function, stream) = (self.functions[kernel], self.stream);
        // SAFETY: function and stream live. The caller guarantees the arguments; the driver copies
        // them and does not change them.
        let done = self.enter().and_then(|_entered| unsafe {
            result::launch_kernel(function, (x, y, z), (width, height, 1), grid.shared, stream, &mut arguments)?;
            self.queued(kernel, grid);
            if self.wait { result::stream::synchronize(stream) } else { Ok(()) }
        });
        done.map_err(|e| self.failed(&format!("launch of {}, {grid}", EMULATED_NAMES[kernel]), e))
    }
}

impl Driver {
    /// Waits for all queued work.
    fn wait(&self) -> Result<(), DeviceError> {
        // SAFETY: the stream lives.
        self.call("queued work", || unsafe { result::stream::synchronize(self.stream) })
    }

    /// Runs `copy`, which copies through pinned memory. If it fails, secrets may be left there, and
    /// work whose event was never recorded. So the queue is waited for and the memory wiped.
    fn staged(
        &self,
        what: &str,
        copy: impl FnOnce(&mut Staging) -> Result<(), DriverError>,
    ) -> Result<(), DeviceError> {
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let done = self.call(what, || copy(&mut staging));
        if done.is_err() {
            let _ = self.wait(); // if this fails too, later calls report it
            // SAFETY: no work uses the memory: the queue is empty or has failed.
            unsafe { staging.wipe() };
        }
        done
    }
}

/// Whether an error is one of a kernel, which the driver reports at a later call.
fn of_a_kernel(e: DriverError) -> bool {
    use sys::CUresult::{
        CUDA_ERROR_ASSERT, CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_INSTRUCTION,
        CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_PC, CUDA_ERROR_LAUNCH_FAILED,
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_MISALIGNED_ADDRESS,
    };
    matches!(
        e.0,
        CUDA_ERROR_ASSERT
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_MISALIGNED_ADDRESS
    )
}
