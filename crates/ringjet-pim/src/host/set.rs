//! Sets of DPUs.

use std::ffi::{CString, c_void};
use std::ptr::{from_ref, null, null_mut};
use std::slice;
use std::sync::Arc;

use crate::PimError;
use crate::host::functions::{
    ASYNCHRONOUS, DEFAULT, DPU_FAULT, DpuIterator, FROM_DPU, Functions, RawFault, Set, TO_DPU, check,
};
use crate::host::{Fault, FaultKind, Host, LaunchProfile};

/// The name of the start of MRAM in every program.
const MRAM: &std::ffi::CStr = c"__sys_used_mram_end";
/// The name of `struct result` in `dpu/layout.h`.
const RESULT: &std::ffi::CStr = c"result";

/// A version of the hardware.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 24 tasklets, 65,536 bytes of WRAM.
    V1A,
    /// 16 tasklets, 63,488 bytes of WRAM.
    V1B,
}

/// What is emulated. Real DPUs are what they are; their programs fix the number of tasklets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hardware {
    /// The version.
    pub version: Version,
    /// Tasklets of each DPU.
    pub tasklets: u32,
    /// Bytes of stack of each tasklet.
    pub stack_bytes: u32,
}

impl Default for Hardware {
    fn default() -> Self {
        Self { version: Version::V1B, tasklets: 16, stack_bytes: 1024 }
    }
}

impl Hardware {
    fn profile(&self) -> CString {
        let Self { version, tasklets, stack_bytes } = self;
        CString::new(format!("version=v{},tasklets={tasklets},stack={stack_bytes}", &format!("{version:?}")[1..]))
            .expect("numbers and letters")
    }
}

/// DPUs that run the same program.
pub struct DpuSet {
    host: Arc<Host>,
    set: Set,
    dpus: Vec<Set>,
}

// SAFETY: the pointers in the sets belong to this value, and neither library ties them to a thread.
unsafe impl Send for DpuSet {}

impl std::fmt::Debug for DpuSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DpuSet").field("dpus", &self.dpus.len()).finish_non_exhaustive()
    }
}

impl DpuSet {
    /// Allocates `count` DPUs. `hardware` is for the emulator.
    pub fn new(host: &Arc<Host>, count: u32, hardware: Hardware) -> Result<Self, PimError> {
        let profile = hardware.profile();
        let profile = if host.is_emulator() { profile.as_ptr() } else { null() };
        let mut set = Set::NONE;
        // SAFETY: the profile is a string or null, and the set is valid for a write.
        check("dpu_alloc", unsafe { (host.functions.alloc)(count, profile, &raw mut set) })?;
        let dpus = members(&host.functions, &mut set);
        let set = Self { host: Arc::clone(host), set, dpus }; // from here on freed on errors
        let (mut counted, iterated) = (0, set.count());
        // SAFETY: the set is valid, and the number is valid for a write.
        check("dpu_get_nr_dpus", unsafe { (host.functions.count)(set.set, &raw mut counted) })?;
        if counted == iterated { Ok(set) } else { Err(PimError::Members { counted, iterated }) }
    }

    /// How many DPUs there are.
    pub fn count(&self) -> u32 {
        self.dpus.len() as u32
    }

    /// Loads a program: a file of the vendor's compiler, or in the emulator the name of a rung.
    pub fn load(&mut self, program: &str) -> Result<(), PimError> {
        let unknown = || PimError::UnknownProgram { name: program.to_owned(), known: crate::program::known() };
        let path = CString::new(program).map_err(|_| unknown())?;
        // SAFETY: the set is valid, the path is a string, and programs may be null.
        match unsafe { (self.functions().load)(self.set, path.as_ptr(), null_mut()) } {
            22 => Err(unknown()), // DPU_ERR_ELF_NO_SUCH_FILE
            code => check("dpu_load", code),
        }
    }

    /// Writes the same words to all DPUs, from word `offset` of MRAM.
    pub fn broadcast(&mut self, offset: u32, words: &[u32]) -> Result<(), PimError> {
        even(offset, words.len())?;
        // SAFETY: the set is valid, the name is a string, and as many bytes as stated are readable.
        check("dpu_broadcast_to", unsafe {
            (self.functions().broadcast)(
                self.set,
                MRAM.as_ptr(),
                4 * offset,
                words.as_ptr().cast(),
                size_of_val(words),
                DEFAULT,
            )
        })
    }

    /// Writes words to one DPU.
    pub fn write(&mut self, dpu: u32, offset: u32, words: &[u32]) -> Result<(), PimError> {
        even(offset, words.len())?;
        let set = self.dpu(dpu)?;
        // SAFETY: as in `broadcast`.
        check("dpu_copy_to", unsafe {
            (self.functions().copy_to)(set, MRAM.as_ptr(), 4 * offset, words.as_ptr().cast(), size_of_val(words))
        })
    }

    /// Reads words from one DPU.
    pub fn read(&self, dpu: u32, offset: u32, words: &mut [u32]) -> Result<(), PimError> {
        even(offset, words.len())?;
        let (set, bytes) = (self.dpu(dpu)?, size_of_val(words));
        // SAFETY: the set is valid, the name is a string, and the words are valid for writes.
        check("dpu_copy_from", unsafe {
            (self.functions().copy_from)(set, MRAM.as_ptr(), 4 * offset, words.as_mut_ptr().cast(), bytes)
        })
    }

    /// Writes one row to each DPU in one parallel transfer. Rows have the same length.
    pub fn scatter<R: AsRef<[u32]>>(&mut self, offset: u32, rows: &[R]) -> Result<(), PimError> {
        let words = self.check_rows(offset, rows)?;
        for (i, row) in rows.iter().enumerate() {
            self.prepare(i, row.as_ref().as_ptr().cast_mut().cast())?; // only read from
        }
        self.push(TO_DPU, MRAM, 4 * offset, 4 * words)
    }

    /// Reads one row from each DPU in one parallel transfer.
    pub fn gather<R: AsRef<[u32]> + AsMut<[u32]>>(&self, offset: u32, rows: &mut [R]) -> Result<(), PimError> {
        let words = self.check_rows(offset, rows)?;
        for (i, row) in rows.iter_mut().enumerate() {
            self.prepare(i, row.as_mut().as_mut_ptr().cast())?;
        }
        self.push(FROM_DPU, MRAM, 4 * offset, 4 * words)
    }

    /// Runs the program on all DPUs, and returns the cycles that each DPU counted.
    pub fn launch(&mut self) -> Result<Vec<u64>, PimError> {
        // SAFETY: the set is valid.
        check("dpu_launch", unsafe { (self.functions().launch)(self.set, ASYNCHRONOUS) })?;
        // SAFETY: the set is valid.
        let code = unsafe { (self.functions().sync)(self.set) };
        if code == DPU_FAULT {
            return Err(self.fault());
        }
        check("dpu_sync", code)?;
        let mut results = vec![[0u32; 4]; self.dpus.len()];
        for (i, result) in results.iter_mut().enumerate() {
            self.prepare(i, result.as_mut_ptr().cast())?;
        }
        self.push(FROM_DPU, RESULT, 0, size_of::<[u32; 4]>())?;
        for (dpu, &[status, command, ..]) in (0..).zip(&results) {
            if status != 0 {
                return Err(PimError::Refused { dpu, command, reason: status.into() });
            }
        }
        Ok(results.iter().map(|&[.., low, high]| u64::from(high) << 32 | u64::from(low)).collect())
    }

    /// What the emulator counted in the last launch of one DPU; `None` for the vendor's library.
    pub fn profile(&self, dpu: u32) -> Result<Option<LaunchProfile>, PimError> {
        let set = self.dpu(dpu)?;
        let Some(profiles) = self.functions().profiles else { return Ok(None) };
        let (mut count, mut cycles, mut instructions) = (0, 0, 0);
        // SAFETY: the set is one DPU of the emulator, and the numbers are valid for writes.
        let first = unsafe { profiles(set, &raw mut count, &raw mut cycles, &raw mut instructions) };
        let commands = if count == 0 {
            Vec::new()
        } else {
            // SAFETY: the emulator has `count` counts there, until the next launch of this set.
            unsafe { slice::from_raw_parts(first, count as usize) }.to_vec()
        };
        Ok(Some(LaunchProfile { cycles, instructions, commands }))
    }

    fn functions(&self) -> &Functions {
        &self.host.functions
    }

    fn dpu(&self, dpu: u32) -> Result<Set, PimError> {
        self.dpus.get(dpu as usize).copied().ok_or(PimError::NoSuchDpu { dpu, count: self.count() })
    }

    fn check_rows<R: AsRef<[u32]>>(&self, offset: u32, rows: &[R]) -> Result<usize, PimError> {
        let words = rows.first().map_or(0, |row| row.as_ref().len());
        if rows.len() != self.dpus.len() || rows.iter().any(|row| row.as_ref().len() != words) {
            return Err(PimError::Rows { rows: rows.len(), count: self.count(), words });
        }
        even(offset, words)?;
        Ok(words)
    }

    /// Names the memory of one DPU for the next `push`.
    fn prepare(&self, dpu: usize, memory: *mut c_void) -> Result<(), PimError> {
        // SAFETY: the DPU is valid. The memory is used by the next `push` only.
        check("dpu_prepare_xfer", unsafe { (self.functions().prepare)(self.dpus[dpu], memory) })
    }

    fn push(&self, direction: i32, symbol: &std::ffi::CStr, offset: u32, bytes: usize) -> Result<(), PimError> {
        // SAFETY: the set is valid, the name is a string, and the memory that was prepared has as
        // many bytes, valid for writes if data come from the DPUs.
        check("dpu_push_xfer", unsafe {
            (self.functions().push)(self.set, direction, symbol.as_ptr(), offset, bytes, DEFAULT)
        })
    }

    /// The first fault of the last launch.
    fn fault(&self) -> PimError {
        let Some(fault) = self.functions().fault else { return PimError::UnknownFault };
        let found = self.dpus.iter().find_map(|&dpu| {
            let mut raw = RawFault::default();
            // SAFETY: the set is one DPU of the emulator, and the fault is valid for a write.
            unsafe { fault(dpu, &raw mut raw) }.then_some(raw)
        });
        found.map_or(PimError::UnknownFault, |RawFault { kind, dpu, tasklet, bytes, address, limit }| {
            PimError::Fault(Fault { kind: FaultKind::from(kind), dpu, tasklet, address, bytes, limit })
        })
    }
}

impl Drop for DpuSet {
    fn drop(&mut self) {
        // SAFETY: the set was allocated by this library, and is not used again.
        let _ = unsafe { (self.functions().free)(self.set) };
    }
}

fn members(functions: &Functions, set: &mut Set) -> Vec<Set> {
    let mut dpus = Vec::new();
    // SAFETY: the set is valid, and stays where it is while the iterator is used.
    let mut at: DpuIterator = unsafe { (functions.first)(from_ref(set).cast_mut()) };
    while at.has_next {
        dpus.push(at.next);
        // SAFETY: the iterator is valid for writes.
        unsafe { (functions.next)(&raw mut at) };
    }
    dpus
}

fn even(offset: u32, words: usize) -> Result<(), PimError> {
    if offset.is_multiple_of(2) && words.is_multiple_of(2) && words > 0 && offset < 1 << 24 {
        return Ok(());
    }
    Err(PimError::OddTransfer { offset, words })
}
