//! What the emulator counts.

/// The counts of one command of a program. The layout is that of `Profile` in `emulator/machine.h`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CommandProfile {
    /// The number of the command.
    pub command: u32,
    /// Barriers that all tasklets passed.
    pub barriers: u32,
    /// Instructions of all tasklets.
    pub instructions: u64,
    /// Transfers between WRAM and MRAM.
    pub transfers: u64,
    /// Bytes read from MRAM.
    pub bytes_read: u64,
    /// Bytes written to MRAM.
    pub bytes_written: u64,
    /// Cycles from the end of the command before.
    pub cycles: u64,
    /// Cycles in which no instruction was issued.
    pub stalls: u64,
    /// Cycles in which the transfer engine worked.
    pub engine_busy: u64,
}

/// The counts of a launch on one DPU.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchProfile {
    /// Cycles from the start to the end of the last tasklet.
    pub cycles: u64,
    /// Instructions of all tasklets.
    pub instructions: u64,
    /// One for each command that was done.
    pub commands: Vec<CommandProfile>,
}
