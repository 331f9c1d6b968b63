//! The vendor's functions: types, and the two tables of them.

use std::ffi::{OsStr, c_char, c_int, c_void};

use libloading::Library;

use crate::PimError;
use crate::host::profile::CommandProfile;

/// `struct dpu_set_t`: ranks of DPUs, or one DPU.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Set {
    kind: c_int,
    members: Members,
}

#[derive(Clone, Copy)]
#[repr(C)]
union Members {
    ranks: Ranks,
    dpu: *mut c_void,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Ranks {
    count: u32,
    ranks: *mut *mut c_void,
}

impl Set {
    pub const NONE: Self =
        Self { kind: 0, members: Members { ranks: Ranks { count: 0, ranks: std::ptr::null_mut() } } };
}

#[repr(C)]
struct RankIterator {
    set: *mut Set,
    count: u32,
    next_index: u32,
    has_next: bool,
    next: Set,
}

/// `struct dpu_set_dpu_iterator_t`.
#[repr(C)]
pub struct DpuIterator {
    ranks: RankIterator,
    count: u32,
    next_index: u32,
    pub has_next: bool,
    pub next: Set,
}

/// A fault as the emulator writes it.
#[derive(Default)]
#[repr(C)]
pub struct RawFault {
    pub kind: u32,
    pub dpu: u32,
    pub tasklet: u32,
    pub bytes: u32,
    pub address: u64,
    pub limit: u64,
}

type Fault = unsafe extern "C" fn(Set, *mut RawFault) -> bool;
type Profiles = unsafe extern "C" fn(Set, *mut u32, *mut u64, *mut u64) -> *const CommandProfile;

/// Declares the table, the emulator's table, and the one that is read from a library.
macro_rules! functions {
    ($($field:ident $name:ident $emulated:ident ($($argument:ty),*) $(-> $result:ty)?;)*) => {
        unsafe extern "C" {
            $(fn $emulated($(_: $argument),*) $(-> $result)?;)*
            fn ringjet_pim_fault(dpu: Set, fault: *mut RawFault) -> bool;
            fn ringjet_pim_profiles(dpu: Set, count: *mut u32, cycles: *mut u64, instructions: *mut u64) -> *const CommandProfile;
        }

        /// The functions that a host calls.
        #[derive(Debug)]
        pub struct Functions {
            $(pub $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            /// Only the emulator has these.
            pub fault: Option<Fault>,
            pub profiles: Option<Profiles>,
        }

        impl Functions {
            pub fn emulator() -> Self {
                Self { $($field: $emulated,)* fault: Some(ringjet_pim_fault), profiles: Some(ringjet_pim_profiles) }
            }

            /// The functions of a library, which must stay loaded.
            pub fn of(library: &Library, path: &OsStr) -> Result<Self, PimError> {
                Ok(Self {
                    $($field: {
                        let symbol = concat!(stringify!($name), "\0");
                        // SAFETY: the type is that of the vendor's header.
                        let found = unsafe { library.get::<unsafe extern "C" fn($($argument),*) $(-> $result)?>(symbol) };
                        *found.map_err(|_| PimError::NoSymbol {
                            path: path.to_string_lossy().into_owned(),
                            symbol: stringify!($name).to_owned(),
                        })?
                    },)*
                    fault: None,
                    profiles: None,
                })
            }
        }
    };
}

functions! {
    alloc dpu_alloc ringjet_pim_dpu_alloc (u32, *const c_char, *mut Set) -> c_int;
    free dpu_free ringjet_pim_dpu_free (Set) -> c_int;
    count dpu_get_nr_dpus ringjet_pim_dpu_get_nr_dpus (Set, *mut u32) -> c_int;
    load dpu_load ringjet_pim_dpu_load (Set, *const c_char, *mut *mut c_void) -> c_int;
    prepare dpu_prepare_xfer ringjet_pim_dpu_prepare_xfer (Set, *mut c_void) -> c_int;
    push dpu_push_xfer ringjet_pim_dpu_push_xfer (Set, c_int, *const c_char, u32, usize, c_int) -> c_int;
    broadcast dpu_broadcast_to ringjet_pim_dpu_broadcast_to (Set, *const c_char, u32, *const c_void, usize, c_int) -> c_int;
    copy_to dpu_copy_to ringjet_pim_dpu_copy_to (Set, *const c_char, u32, *const c_void, usize) -> c_int;
    copy_from dpu_copy_from ringjet_pim_dpu_copy_from (Set, *const c_char, u32, *mut c_void, usize) -> c_int;
    launch dpu_launch ringjet_pim_dpu_launch (Set, c_int) -> c_int;
    sync dpu_sync ringjet_pim_dpu_sync (Set) -> c_int;
    first dpu_set_dpu_iterator_from ringjet_pim_dpu_set_dpu_iterator_from (*mut Set) -> DpuIterator;
    next dpu_set_dpu_iterator_next ringjet_pim_dpu_set_dpu_iterator_next (*mut DpuIterator);
}

/// Values of the vendor's enumerations.
pub const TO_DPU: c_int = 0;
pub const FROM_DPU: c_int = 1;
pub const DEFAULT: c_int = 0;
pub const ASYNCHRONOUS: c_int = 0;
pub const DPU_FAULT: c_int = 20;

const ERRORS: [&str; 29] = [
    "DPU_OK",
    "DPU_ERR_INTERNAL",
    "DPU_ERR_SYSTEM",
    "DPU_ERR_DRIVER",
    "DPU_ERR_ALLOCATION",
    "DPU_ERR_INVALID_DPU_SET",
    "DPU_ERR_INVALID_THREAD_ID",
    "DPU_ERR_INVALID_NOTIFY_ID",
    "DPU_ERR_INVALID_WRAM_ACCESS",
    "DPU_ERR_INVALID_IRAM_ACCESS",
    "DPU_ERR_INVALID_MRAM_ACCESS",
    "DPU_ERR_INVALID_SYMBOL_ACCESS",
    "DPU_ERR_MRAM_BUSY",
    "DPU_ERR_TRANSFER_ALREADY_SET",
    "DPU_ERR_DIFFERENT_DPU_PROGRAMS",
    "DPU_ERR_CORRUPTED_MEMORY",
    "DPU_ERR_DPU_DISABLED",
    "DPU_ERR_DPU_ALREADY_RUNNING",
    "DPU_ERR_INVALID_MEMORY_TRANSFER",
    "DPU_ERR_INVALID_LAUNCH_POLICY",
    "DPU_ERR_DPU_FAULT",
    "DPU_ERR_ELF_INVALID_FILE",
    "DPU_ERR_ELF_NO_SUCH_FILE",
    "DPU_ERR_ELF_NO_SUCH_SECTION",
    "DPU_ERR_TIMEOUT",
    "DPU_ERR_INVALID_PROFILE",
    "DPU_ERR_UNKNOWN_SYMBOL",
    "DPU_ERR_LOG_FORMAT",
    "DPU_ERR_LOG_CONTEXT_MISSING",
];

/// An error unless `code` is 0.
pub fn check(function: &'static str, code: c_int) -> Result<(), PimError> {
    if code == 0 {
        return Ok(());
    }
    let name = usize::try_from(code).ok().and_then(|i| ERRORS.get(i)).copied().unwrap_or("unknown");
    Err(PimError::Call { function, code, name })
}
