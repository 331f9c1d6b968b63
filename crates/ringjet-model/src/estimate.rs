//! Estimates the time and energy of a traced program on a device.

use serde::Serialize;

use crate::device::{Device, DeviceKind, Time, WorkingSets};
use crate::ringjet_costs::{Caching, CallSizes, Policy, between, parts};
use crate::{Cost, Node, Operation, Part, Trace};

/// Calls of one shape in one step of a program, with their cost and time on a device.
#[derive(Debug, Clone, Serialize)]
pub struct Point {
    /// The names of the steps around the call, outermost first.
    pub path: Vec<&'static str>,
    /// The name of the call.
    pub name: &'static str,
    /// The number of such calls.
    pub count: u64,
    /// The cost of one call.
    pub cost: Cost,
    /// Operations per byte.
    pub intensity: f64,
    /// The time of one call.
    pub time: Time,
}

/// The time, energy and memory of a program on a device.
#[derive(Debug, Clone, Serialize)]
pub struct Estimate {
    /// The device's name.
    pub device: String,
    /// The time of all calls, one after the other.
    pub time: Time,
    /// Energy in joules, if the device's profile has energies.
    pub energy_joules: Option<f64>,
    /// The cost of all calls.
    pub cost: Cost,
    /// The largest number of bytes in use at a time: buffers, keys and matrices.
    pub peak_bytes: u64,
    /// Bytes of the device's main memory.
    pub capacity_bytes: u64,
    /// The calls, sorted by their total time, longest first.
    pub points: Vec<Point>,
    /// The tree of steps, down to the parts of calls.
    pub tree: Node,
}

impl Policy {
    /// How memory traffic is counted on a device: on a CPU as the backend's kernels make it,
    /// elsewhere by which limbs the largest cache keeps.
    pub fn on(device: &Device, operation: &Operation, n: usize) -> Self {
        if device.spec().kind == DeviceKind::Cpu {
            return Self::Cpu { threads: device.spec().units as usize };
        }
        let levels = &device.spec().memory;
        let cache = levels.len().checked_sub(2).map_or(0, |last| levels[last].bytes);
        Self::for_cache(cache, n, operation.sizes(n))
    }
}

impl Operation {
    /// Sizes of the call at ring degree `n`, which decide what a cache keeps.
    pub fn sizes(&self, n: usize) -> CallSizes {
        let (alpha, beta) = self.digits();
        let resident = Policy::Cached { caching: Caching::Resident, seeded_keys: false };
        CallSizes { alpha, beta, all: self.all_limbs(&sum(&parts(self, n, resident)), n) }
    }

    /// The limbs of the largest digit (or the limbs that a division drops), and the number of
    /// digits.
    fn digits(&self) -> (usize, usize) {
        match self {
            Self::ModUp(d)
            | Self::KeySwitch { decomposition: d, .. }
            | Self::HoistedRotations { decomposition: d, .. }
            | Self::RotateInto { decomposition: d, .. } => {
                (d.digits.iter().copied().max().unwrap_or(1).max(d.special), d.beta())
            }
            Self::KeyInnerProduct { digits, .. } => (1, *digits),
            Self::HoistedRotateSum(shape) => (1, shape.digits),
            Self::DivideRound { division, .. } => (division.dropped(), 1),
            Self::BaseConvert { from, .. } => (*from, 1),
            // a cache keeps either one prime's rows of digits and of sums, or nothing
            Self::BigMul(shape) => (1, shape.of_prime().div_ceil(2)),
            _ => (1, 1),
        }
    }
}

impl Trace {
    /// Estimates this program on `device`. Each call takes the time of the device's roofline, and
    /// calls run one after the other. Operands come from the memory level that holds all operands
    /// of a call. Keys and plaintexts come from the level that holds everything that the program
    /// reads and writes, or, elsewhere than on a CPU, everything that it has in use at a time.
    pub fn estimate(&self, device: &Device) -> Estimate {
        self.estimate_by(device, |operation, n| Policy::on(device, operation, n))
    }

    /// The same, with traffic counted by the policy that `policy` gives for a call and its ring
    /// degree.
    pub fn estimate_by(&self, device: &Device, policy: impl Fn(&Operation, usize) -> Policy) -> Estimate {
        let costs: Vec<Vec<Part>> =
            (self.calls.iter()).map(|c| parts(&c.operation, c.n, policy(&c.operation, c.n))).collect();
        let total: Cost = self.calls.iter().zip(&costs).map(|(c, parts)| sum(parts) * c.count).sum();
        // elsewhere than on a CPU nothing but what is in use can push a key out of a cache
        let between_uses = match device.spec().kind {
            DeviceKind::Cpu => total.bytes(),
            _ => total.bytes().min(self.peak_bytes),
        };
        let sets = |operation: &Operation, n: usize, cost: &Cost| WorkingSets {
            operands: 8 * (cost.reads + cost.writes),
            keys: between_uses,
            between: 8 * between(operation, n, policy(operation, n)) as u64,
        };
        let mut time = Time { compute_s: 0.0, memory_s: 0.0, launch_s: 0.0, total_s: 0.0 };
        let mut energy = Some(0.0);
        let mut points = Vec::with_capacity(self.calls.len());
        for (called, parts) in self.calls.iter().zip(&costs) {
            let (cost, times) = (sum(parts), called.count as f64);
            let sets = sets(&called.operation, called.n, &cost);
            let one = device.time(&cost, sets);
            time.compute_s += times * one.compute_s;
            time.memory_s += times * one.memory_s;
            time.launch_s += times * one.launch_s;
            time.total_s += times * one.total_s;
            energy = energy.zip(device.energy_joules(&cost, sets)).map(|(sum, one)| sum + times * one);
            points.push(Point {
                path: self.path(called.scope),
                name: called.operation.name(),
                count: called.count,
                cost,
                intensity: cost.ops() as f64 / cost.bytes().max(1) as f64,
                time: one,
            });
        }
        let tree = self.tree(|operation, n| {
            let mut parts = parts(operation, n, policy(operation, n));
            let cost = sum(&parts);
            let sets = sets(operation, n, &cost);
            let each: Vec<f64> = parts.iter().map(|p| device.time(&p.cost, sets).total_s).collect();
            // scales the times of the parts so that they sum up to the time of the call
            let share = device.time(&cost, sets).total_s / each.iter().sum::<f64>().max(f64::MIN_POSITIVE);
            parts.iter_mut().zip(each).for_each(|(part, alone)| part.seconds = alone * share);
            parts
        });
        points.sort_by(|a, b| (b.time.total_s * b.count as f64).total_cmp(&(a.time.total_s * a.count as f64)));
        Estimate {
            device: device.name().into(),
            time,
            energy_joules: energy,
            cost: total,
            peak_bytes: self.peak_bytes,
            capacity_bytes: device.capacity_bytes(),
            points,
            tree,
        }
    }
}

fn sum(parts: &[Part]) -> Cost {
    parts.iter().map(|p| p.cost).sum()
}
