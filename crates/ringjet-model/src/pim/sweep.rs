//! Comparisons along one axis: ring degree, DPUs, clock, multiplier or tasklets.

use super::arithmetic::Multiplier;
use super::comparison::Comparison;
use super::error::PimModelError;
use super::machine::{MachineSpec, PimMachine};
use super::task::{Task, TaskSpec};
use crate::Device;

/// What changes from point to point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// The ring degree. The batch has the same number of coefficients everywhere.
    RingDegree,
    /// DPUs.
    Dpus,
    /// The clock of the DPUs.
    Clock,
    /// Bits of their multiplier.
    Multiplier,
    /// Tasklets of each DPU.
    Tasklets,
}

/// Machines and batches, and what they are compared with.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The DPUs.
    pub machine: MachineSpec,
    /// The batch.
    pub task: TaskSpec,
    /// One core of the host, which adds sums that DPUs leave.
    pub host: &'a Device,
    /// The other machines.
    pub rivals: &'a [Device],
}

impl Setting<'_> {
    /// Compares the machines.
    ///
    /// # Errors
    /// [`PimModelError`] for figures out of range, and batches that do not fit.
    pub fn compare(&self) -> Result<Comparison, PimModelError> {
        Comparison::new(&Task::new(self.task)?, &PimMachine::new(self.machine)?, self.host, self.rivals)
    }

    /// The setting at one point of an axis.
    fn at(&self, axis: Axis, value: u32) -> Result<Self, PimModelError> {
        let (mut machine, mut task) = (self.machine, self.task);
        match axis {
            Axis::RingDegree => {
                task.n = value.into();
                task.ciphertexts = (self.task.ciphertexts * self.task.n / task.n).max(2);
            }
            Axis::Dpus => machine.dpus = value,
            Axis::Clock => machine.megahertz = value.into(),
            Axis::Multiplier => machine.multiplier = Multiplier::of_bits(value)?,
            Axis::Tasklets => machine.tasklets = value,
        }
        Ok(Self { machine, task, ..*self })
    }

    /// The points of an axis at which the batch fits all machines.
    pub fn along(&self, axis: Axis) -> Vec<(u32, Comparison)> {
        let point = |&value: &u32| Some((value, self.at(axis, value).ok()?.compare().ok()?));
        axis.values().iter().filter_map(point).collect()
    }
}

impl Axis {
    /// All axes.
    pub const ALL: [Self; 5] = [Self::RingDegree, Self::Dpus, Self::Clock, Self::Multiplier, Self::Tasklets];

    /// The axis in words.
    pub fn label(self) -> &'static str {
        match self {
            Self::RingDegree => "ring degree N",
            Self::Dpus => "DPUs",
            Self::Clock => "clock of the DPUs, MHz",
            Self::Multiplier => "multiplier of the DPUs, bits",
            Self::Tasklets => "tasklets of a DPU",
        }
    }

    fn values(self) -> &'static [u32] {
        match self {
            Self::RingDegree => &[1024, 2048, 4096, 8192, 16384, 32768],
            Self::Dpus => &[256, 512, 1024, 2220, 4440, 8880, 17760],
            Self::Clock => &[200, 300, 350, 400, 500, 700, 1000],
            Self::Multiplier => &[8, 16, 32],
            Self::Tasklets => &[1, 2, 4, 8, 11, 12, 16, 20, 24],
        }
    }
}
