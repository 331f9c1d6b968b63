//! Mistakes of programs that the emulator finds.

use std::fmt;

/// What a tasklet did wrong. The order is that of `emulator/machine.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A transfer outside of MRAM.
    MramRange,
    /// A transfer from or to an address of MRAM that is no multiple of 8.
    MramAlignment,
    /// A transfer from or to an address of WRAM that is no multiple of 8.
    WramAlignment,
    /// A transfer of no multiple of 8 bytes, or outside of 8 to 2048.
    TransferSize,
    /// A transfer whose other end is in no variable, heap block or stack of the tasklet.
    WramRange,
    /// Static variables and stacks do not fit WRAM.
    WramFull,
    /// `mem_alloc` asks for more than there is.
    HeapFull,
    /// A tasklet used more stack than it has.
    StackOverflow,
    /// More tasklets than the hardware has.
    TooManyTasklets,
    /// Some tasklets end without reaching a barrier at which others wait.
    BarrierNotReached,
    /// A tasklet waits for a mutex that is never unlocked.
    MutexDeadlock,
    /// A tasklet unlocks a mutex that it does not hold.
    MutexNotHeld,
    /// More mutexes than the hardware has.
    TooManyMutexes,
    /// A barrier waits for no tasklet, or for more than there are.
    BarrierCount,
    /// A number that this version does not know.
    Other(u32),
}

impl From<u32> for FaultKind {
    fn from(number: u32) -> Self {
        match number {
            1 => Self::MramRange,
            2 => Self::MramAlignment,
            3 => Self::WramAlignment,
            4 => Self::TransferSize,
            5 => Self::WramRange,
            6 => Self::WramFull,
            7 => Self::HeapFull,
            8 => Self::StackOverflow,
            9 => Self::TooManyTasklets,
            10 => Self::BarrierNotReached,
            11 => Self::MutexDeadlock,
            12 => Self::MutexNotHeld,
            13 => Self::TooManyMutexes,
            14 => Self::BarrierCount,
            other => Self::Other(other),
        }
    }
}

/// A mistake, and where it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The DPU.
    pub dpu: u32,
    /// The tasklet.
    pub tasklet: u32,
    /// The address in MRAM, as the program sees it, where there is one.
    pub address: u64,
    /// Bytes of the transfer or allocation, or how many tasklets.
    pub bytes: u32,
    /// What is allowed.
    pub limit: u64,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dpu, tasklet, address, bytes, limit, .. } = self;
        write!(f, "DPU {dpu}, tasklet {tasklet}: ")?;
        let transfer = format_args!("a transfer of {bytes} bytes at MRAM address {address:#x}");
        match self.kind {
            FaultKind::MramRange => write!(f, "{transfer}, outside of the {limit} bytes from 0x8000000"),
            FaultKind::MramAlignment => write!(f, "{transfer}, which is no multiple of {limit}"),
            FaultKind::WramAlignment => write!(f, "{transfer}, whose WRAM address is no multiple of {limit}"),
            FaultKind::TransferSize => write!(f, "{transfer}: sizes are multiples of 8 from 8 to {limit}"),
            FaultKind::WramRange => write!(f, "{transfer}, outside of the tasklet's variables, heap and stack"),
            FaultKind::WramFull => write!(f, "{bytes} bytes of variables and stacks; WRAM has {limit}"),
            FaultKind::HeapFull => write!(f, "an allocation of {bytes} bytes; the heap has {limit} left"),
            FaultKind::StackOverflow => write!(f, "more stack than its {limit} bytes"),
            FaultKind::TooManyTasklets => write!(f, "{bytes} tasklets; the hardware has {limit}"),
            FaultKind::BarrierNotReached => write!(f, "waits at a barrier that only {bytes} of {limit} tasklets reach"),
            FaultKind::MutexDeadlock => write!(f, "waits for a mutex that is never unlocked"),
            FaultKind::MutexNotHeld => write!(f, "unlocks a mutex that it does not hold"),
            FaultKind::TooManyMutexes => write!(f, "uses more mutexes than the {limit} of the hardware"),
            FaultKind::BarrierCount => write!(f, "a barrier of {bytes} tasklets; {limit} run"),
            FaultKind::Other(number) => write!(f, "fault {number}"),
        }
    }
}
