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
        let between_uses = between_uses(device, self.bytes(&policy), self.peak_bytes);
        self.estimate_part(device, policy, between_uses)
    }

    /// Estimates the parts of one program on `device`, as [`Trace::estimate`] does for the whole of it: keys and
    /// plaintexts come from the level that holds everything of all parts, so the times add up to that of the
    /// program.
    pub fn estimate_parts(parts: &[Self], device: &Device) -> Vec<Estimate> {
        let policy = |operation: &Operation, n: usize| Policy::on(device, operation, n);
        let bytes = parts.iter().map(|part| part.bytes(policy)).sum();
        let peak_bytes = parts.iter().map(|part| part.peak_bytes).max().unwrap_or(0);
        let between_uses = between_uses(device, bytes, peak_bytes);
        parts.iter().map(|part| part.estimate_part(device, policy, between_uses)).collect()
    }

    /// Bytes that all calls read and write.
    fn bytes(&self, policy: impl Fn(&Operation, usize) -> Policy) -> u64 {
        self.total(|operation, n| parts(operation, n, policy(operation, n))).bytes()
    }

    /// The estimate where the program reads and writes `between_uses` bytes between two uses of a key.
    fn estimate_part(
        &self,
        device: &Device,
        policy: impl Fn(&Operation, usize) -> Policy,
        between_uses: u64,
    ) -> Estimate {
        let costs: Vec<Vec<Part>> =
            (self.calls.iter()).map(|c| parts(&c.operation, c.n, policy(&c.operation, c.n))).collect();
        let total: Cost = self.calls.iter().zip(&costs).map(|(c, parts)| sum(parts) * c.count).sum();
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

/// What can push a key out of a cache before its next use: on a CPU everything that the program reads and writes,
/// elsewhere nothing but what is in use.
fn between_uses(device: &Device, bytes: u64, peak_bytes: u64) -> u64 {
    match device.spec().kind {
        DeviceKind::Cpu => bytes,
        _ => bytes.min(peak_bytes),
    }
}

fn sum(parts: &[Part]) -> Cost {
    parts.iter().map(|p| p.cost).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_program_take_the_time_of_the_program() {
        // of 10 inner products with keys of 8 MiB each the keys come from memory, of one from a cache
        let product = Operation::KeyInnerProduct { digits: 2, limbs: 8 };
        let part = |times: usize| {
            let mut part = Trace::default();
            (0..times).for_each(|_| part.call(product.clone(), 1 << 15));
            part
        };
        let device = Device::builtin("cpu-ifma-1core").unwrap();
        let seconds = |trace: &Trace| trace.estimate(&device).time.total_s;
        let parts = Trace::estimate_parts(&[part(1), part(9)], &device);
        let [one, nine] = [&parts[0], &parts[1]].map(|part| part.time.total_s);
        assert!((one + nine - seconds(&part(10))).abs() < 1e-12 && (nine / one - 9.0).abs() < 1e-9);
        assert!((parts[0].tree.seconds - one).abs() < 1e-12);
        assert!(one > 1.02 * seconds(&part(1)), "alone, its key would be in a cache");
    }
}
