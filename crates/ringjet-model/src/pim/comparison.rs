//! DPUs beside other machines: who wins, and when.

use serde::Serialize;

use super::error::PimModelError;
use super::machine::PimMachine;
use super::rivals::RivalTime;
use super::task::{Operation, PimTime, Task};
use crate::{Device, DeviceKind};

/// A batch on DPUs and on other machines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Names of the other machines.
    pub rivals: Vec<String>,
    /// Primes on DPUs, and their bits.
    pub limbs: u64,
    /// Bits of each prime on DPUs.
    pub prime_bits: u32,
    /// Primes on the other machines.
    pub rival_limbs: u64,
    /// Watts of the modules.
    pub watts: f64,
    /// Watts of the host's processor while DPUs compute.
    pub host_watts: f64,
    /// One row for each operation.
    pub rows: Vec<Row>,
    /// Against each other machine: products between a transform of the operands and an inverse
    /// transform of as many ciphertexts, from which on DPUs win. `None` if they never do.
    pub products_between_transforms: Vec<Option<f64>>,
    /// Transforms on each other machine, products on DPUs.
    pub pipelines: Vec<Pipeline>,
}

/// Operands in coefficient form, products, results in coefficient form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pipeline {
    /// Seconds if another machine does everything.
    pub alone_s: f64,
    /// Seconds if it transforms, and DPUs multiply: with transfers to the DPUs and back.
    pub shared_s: f64,
    /// The same if both work on the same memory, so that nothing is moved.
    pub same_memory_s: f64,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub operation: &'static str,
    /// On DPUs. The host's part of sums over all DPUs is in `host_s`.
    pub pim: PimTime,
    /// Seconds in which one core of the host adds the DPUs' sums. `pim.total_s` does not have it.
    pub host_s: f64,
    /// On the other machines.
    pub rivals: Vec<RivalTime>,
    /// Seconds to bring the operands to the DPUs once.
    pub bring_s: f64,
    /// Against each other machine: operations on data that stay in the DPUs, from which on bringing
    /// them there was worth it. `None` if DPUs are slower even then.
    pub pays_after: Vec<Option<f64>>,
    /// The fastest machine: `DPUs`, or the name of another.
    pub winner: String,
    /// The fastest of the DPUs and the CPUs.
    pub winner_without_gpus: String,
    /// The machine that takes least energy, of those whose power is known; DPUs with their host.
    pub least_joules: String,
}

impl Row {
    /// Seconds on DPUs, with the host's part.
    pub fn pim_s(&self) -> f64 {
        self.pim.total_s + self.host_s
    }

    /// How many times as long as DPUs the other machines take.
    pub fn ratios(&self) -> impl Iterator<Item = f64> {
        self.rivals.iter().map(|rival| rival.total_s / self.pim_s())
    }
}

impl Comparison {
    /// Compares a machine with others.
    ///
    /// # Errors
    /// [`PimModelError`] if the batch does not fit a machine.
    pub fn new(task: &Task, machine: &PimMachine, host: &Device, rivals: &[Device]) -> Result<Self, PimModelError> {
        task.fits(machine)?;
        rivals.iter().try_for_each(|device| task.fits_device(device))?;
        let operations = task.operations(machine).into_iter();
        let rows: Vec<Row> = operations.map(|operation| row(task, machine, host, rivals, operation)).collect();
        let products_between_transforms = (0..rivals.len()).map(|i| between_transforms(&rows, i)).collect();
        Ok(Self {
            rivals: rivals.iter().map(|device| device.name().into()).collect(),
            limbs: task.limbs(),
            prime_bits: task.bits(),
            rival_limbs: task.wide_limbs(),
            watts: machine.watts(),
            host_watts: machine.spec().host_watts,
            pipelines: (0..rivals.len()).filter_map(|i| pipeline(task, machine, &rows, i)).collect(),
            rows,
            products_between_transforms,
        })
    }

    /// The row of an operation.
    pub fn row(&self, operation: Operation) -> Option<&Row> {
        self.rows.iter().find(|row| row.operation == operation.name())
    }
}

fn row(task: &Task, machine: &PimMachine, host: &Device, devices: &[Device], operation: Operation) -> Row {
    let mut pim = task.time(machine, operation);
    let sums = matches!(operation, Operation::SumOfAll | Operation::WeightedSum);
    let host_s = if sums { task.host_sum(host, task.partial_sums(machine)) } else { 0.0 };
    pim.joules_with_host += machine.spec().host_watts * host_s;
    let rivals: Vec<RivalTime> = devices.iter().map(|device| task.time_on(device, operation)).collect();
    let bring_s = task.bring_seconds(machine, operation);
    let here = pim.total_s + host_s;
    let stays = here - if task.spec().moved { pim.transfer_s } else { 0.0 };
    let pays_after = rivals.iter().map(|rival| times(bring_s, rival.total_s - stays)).collect();
    let winner = |counts: &dyn Fn(&Device) -> bool| {
        let others = devices.iter().zip(&rivals).filter(|(device, _)| counts(device));
        let best = others.min_by(|a, b| a.1.total_s.total_cmp(&b.1.total_s));
        best.filter(|(_, time)| time.total_s < here).map_or("DPUs", |(device, _)| device.name()).to_owned()
    };
    let joules = devices.iter().zip(&rivals).filter_map(|(device, time)| Some((device.name(), time.joules?)));
    let least = joules.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|&(_, joules)| joules < pim.joules_with_host);
    let least_joules = least.map_or("DPUs", |(name, _)| name).to_owned();
    let (of_all, of_cpus) = (winner(&|_| true), winner(&|device| device.spec().kind == DeviceKind::Cpu));
    Row {
        operation: operation.name(),
        pim,
        host_s,
        rivals,
        bring_s,
        pays_after,
        winner: of_all,
        winner_without_gpus: of_cpus,
        least_joules,
    }
}

/// Products between transforms: the operands are transformed, and three polynomials of each product
/// back.
fn pipeline(task: &Task, machine: &PimMachine, rows: &[Row], rival: usize) -> Option<Pipeline> {
    let row = |operation: Operation| rows.iter().find(|row| row.operation == operation.name());
    let on_rival = |operation| Some(row(operation)?.rivals.get(rival)?.total_s);
    let transforms = on_rival(Operation::Ntt)? + RESULTS * on_rival(Operation::Inverse)?;
    let products = row(Operation::Products)?;
    let same_memory_s = transforms + products.pim.dpu_s;
    let moves = task.bring_seconds(machine, Operation::Products) * (1.0 + RESULTS);
    Some(Pipeline {
        alone_s: transforms + on_rival(Operation::Products)?,
        shared_s: same_memory_s + moves,
        same_memory_s,
    })
}

/// Polynomials of a product of two ciphertexts, of the four of its factors.
const RESULTS: f64 = 0.75;

/// How many times a gain makes up for a cost; `None` if there is no gain.
fn times(cost: f64, gain: f64) -> Option<f64> {
    (gain > 0.0).then(|| cost.max(0.0) / gain)
}

/// Products from which on a transform, products and an inverse transform are faster on DPUs.
fn between_transforms(rows: &[Row], rival: usize) -> Option<f64> {
    let lead = |operation: Operation| {
        let row = rows.iter().find(|row| row.operation == operation.name())?;
        Some(row.rivals.get(rival)?.total_s - row.pim_s())
    };
    times(-lead(Operation::Ntt)? - lead(Operation::Inverse)?, lead(Operation::Products)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(operation: Operation, pim_ms: f64, rival_ms: f64) -> Row {
        let total_s = pim_ms / 1e3;
        Row {
            operation: operation.name(),
            pim: PimTime { dpu_s: total_s, transfer_s: 0.0, total_s, joules: 0.0, joules_with_host: 0.0 },
            host_s: 0.0,
            rivals: vec![RivalTime { compute_s: 0.0, memory_s: 0.0, total_s: rival_ms / 1e3, joules: None }],
            bring_s: 0.178,
            pays_after: vec![],
            winner: String::new(),
            winner_without_gpus: String::new(),
            least_joules: String::new(),
        }
    }

    #[test]
    fn the_published_break_even() {
        // 838, 912 and 125 ms, and what the published ratios say of SEAL: 628, 485 and 195 ms
        let rows = |product| {
            [
                row(Operation::Ntt, 838.0, 628.0),
                row(Operation::Inverse, 912.0, 485.0),
                row(Operation::Products, product, 195.0),
            ]
        };
        let products = between_transforms(&rows(125.0), 0).unwrap();
        assert!((products - 9.1).abs() < 0.01, "{products}"); // "roughly nine"
        assert_eq!(between_transforms(&rows(195.0), 0), None);
        assert_eq!(times(-1.0, 2.0), Some(0.0));
    }
}
