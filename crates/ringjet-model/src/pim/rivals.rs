//! The same operations on CPUs and GPUs, by their profiles.

use super::error::PimModelError;
use super::task::{Operation, Task};
use crate::device::{Device, DeviceError, WorkingSets};
use crate::ringjet_costs::{Policy, between, parts};
use crate::{Cost, Decomposition, Division, Operation as Call};

/// What an operation takes on a CPU or GPU.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct RivalTime {
    /// Seconds of arithmetic.
    pub compute_s: f64,
    /// Seconds of memory traffic.
    pub memory_s: f64,
    /// Seconds in all.
    pub total_s: f64,
    /// Joules: by the energies of the profile, or else by its watts; if it has one of them.
    pub joules: Option<f64>,
}

/// One core, 16 threads, and a GPU. The 16 threads are eight times the measured two cores: nobody
/// has measured them, and memory bandwidth is taken to grow with them.
///
/// # Errors
/// [`DeviceError`], which the profiles of this library do not cause.
pub fn rivals() -> Result<Vec<Device>, DeviceError> {
    Ok(vec![Device::builtin("cpu-ifma-1core")?, threads(16)?, Device::builtin("ideal-h200")?])
}

/// A multiple of two measured threads, which share one memory.
pub fn threads(count: u32) -> Result<Device, DeviceError> {
    let factor = count / 2;
    let times = f64::from(factor);
    let mut spec = Device::builtin("cpu-ifma-2core")?.spec().clone();
    spec.source = format!("{factor} times cpu-ifma-2core, not measured. {}", spec.source.trim());
    spec.name = format!("{count} threads");
    spec.units *= factor;
    for rate in [
        &mut spec.rates.ntt_butterflies,
        &mut spec.rates.base_conversion_macs,
        &mut spec.rates.products,
        &mut spec.rates.additions,
    ] {
        *rate *= times;
    }
    spec.watts = spec.watts.map(|watts| watts * times);
    for level in &mut spec.memory {
        level.bytes *= u64::from(factor);
        level.read_gb_s *= times;
        level.write_gb_s *= times;
        level.tiles_gb_s = level.tiles_gb_s.map(|rate| rate * times);
    }
    Device::new(spec)
}

impl Task {
    /// What an operation takes on a device whose memory has the operands. Ciphertexts are used one
    /// after the other, so a batch that exceeds the caches comes from main memory.
    pub fn time_on(&self, device: &Device, operation: Operation) -> RivalTime {
        let one_by_one = matches!(operation, Operation::Relinearisation | Operation::ModulusSwitching);
        self.priced(device, &self.call(operation), if one_by_one { self.spec().ciphertexts / 2 } else { 1 })
    }

    /// Whether all ciphertexts fit a device's main memory.
    ///
    /// # Errors
    /// [`PimModelError::Value`] if they do not.
    pub fn fits_device(&self, device: &Device) -> Result<(), PimModelError> {
        let most = device.capacity_bytes() / (8 * self.spec().n * 2 * self.wide_limbs());
        if self.spec().ciphertexts <= most {
            return Ok(());
        }
        Err(PimModelError::Value {
            what: "number of ciphertexts",
            value: self.spec().ciphertexts.to_string(),
            allowed: format!("at most {most}, which the memory of {} holds", device.name()),
        })
    }

    /// Seconds in which the host, with one core, adds `terms` partial sums.
    pub(super) fn host_sum(&self, host: &Device, terms: u64) -> f64 {
        let limbs = 2 * self.wide_limbs() as usize;
        self.priced(host, &Call::Lincomb { limbs, plain: terms as usize, scaled: 0, accumulate: false }, 1).total_s
    }

    /// A call, made `times` times on ciphertexts of its own. What it reads besides them (keys) is
    /// the same each time. Launches of a batch are made at once.
    fn priced(&self, device: &Device, call: &Call, times: u64) -> RivalTime {
        let n = self.spec().n as usize;
        let policy = Policy::on(device, call, n);
        let cost: Cost = parts(call, n, policy).iter().map(|part| part.cost).sum();
        let all = cost.bytes();
        let sets = WorkingSets { operands: times * all, keys: all, between: 8 * between(call, n, policy) as u64 };
        let time = device.time(&cost, sets);
        let of_all = |seconds: f64| times as f64 * seconds;
        let total_s = of_all(time.total_s - time.launch_s) + time.launch_s;
        let energies = device.energy_joules(&cost, sets).map(of_all);
        RivalTime {
            compute_s: of_all(time.compute_s),
            memory_s: of_all(time.memory_s),
            total_s,
            joules: energies.or_else(|| device.spec().watts.map(|watts| watts * total_s)),
        }
    }

    /// The operation as a call of a backend.
    fn call(&self, operation: Operation) -> Call {
        let (ciphertexts, limbs) = (self.spec().ciphertexts as usize, self.wide_limbs() as usize);
        let all = 2 * ciphertexts * limbs;
        let sum = |limbs, plain, scaled| Call::Lincomb { limbs, plain, scaled, accumulate: false };
        match operation {
            Operation::Ntt => Call::Ntt { limbs: all },
            Operation::Inverse => Call::Intt { limbs: all },
            Operation::Sums => sum(2 * (ciphertexts / 2) * limbs, 2, 0),
            Operation::SumOfAll => sum(2 * limbs, ciphertexts, 0),
            Operation::Weights => sum(all, 0, 1),
            Operation::WeightedSum => sum(2 * limbs, 0, ciphertexts),
            Operation::PlainProducts => Call::Mul { limbs: all, factor: ciphertexts * limbs, accumulate: false },
            Operation::Products => Call::Tensor { limbs: ciphertexts / 2 * limbs, square: false },
            Operation::Relinearisation => Call::KeySwitch {
                count: 1,
                products: vec![],
                decomposition: Decomposition { special: 1, digits: vec![1; limbs] },
                hoisted: false,
                division: Division::by_first(1, limbs),
                add: 2,
                automorphism: false,
            },
            Operation::ModulusSwitching => {
                Call::DivideRound { polys: 2, division: Division::by_first(1, limbs - 1), add: 0 }
            }
        }
    }
}
