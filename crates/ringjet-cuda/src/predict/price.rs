//! The times of launches: what each unit of a GPU needs for them, if everything overlaps completely.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::PredictError;
use super::follow::{Predictor, Work};
use crate::recorder::{Launch, Recorder};

/// Schedulers of a multiprocessor.
const SCHEDULERS: f64 = 4.0;

/// A GPU for which launches are predicted: the library's on multiprocessors of compute capability 9.0,
/// other programs' on older ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gpu {
    /// Its name.
    pub name: &'static str,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Cycles a second.
    pub clock: f64,
    /// Bytes of memory a second, read and written together.
    pub memory: f64,
    /// Bytes of memory.
    pub capacity: u64,
    /// Bytes a second between multiprocessors and the second-level cache.
    pub second_level: f64,
    /// Bytes that stay in the second-level cache between launches.
    pub cache: f64,
    /// Seconds between launches in a graph.
    pub start: f64,
    /// Cycles for which IMAD.WIDE and IMAD.HI of a warp occupy their unit of a scheduler.
    pub wide: f64,
    /// Cycles for which an instruction of a warp in double precision does.
    pub fp64: f64,
    /// Cycles of a wavefront of the first-level cache or of shared memory.
    pub wavefront: f64,
    /// Bytes of a first-level cache that has nothing in shared memory.
    pub first_level: f64,
}

impl Gpu {
    /// An H200. Its memory's rate was measured; `docs/design/gpu-prediction.md` says where the other
    /// figures come from.
    pub const H200: Self = Self {
        name: "H200",
        multiprocessors: 132,
        clock: 1.98e9,
        memory: 4.3e12,
        capacity: 143_771 << 20,
        second_level: 5.5e12,
        cache: 30e6,
        start: 1e-6,
        wide: 2.0,
        fp64: 2.0,
        wavefront: 1.0,
        first_level: 224e3,
    };

    /// An H100 (SXM5). Its memory has the same part of its data sheet's rate as that of an H200.
    pub const H100: Self = Self { name: "H100", memory: 3.35e12 * 4.3 / 4.8, capacity: 80 << 30, ..Self::H200 };

    /// A Titan RTX, on which Jung et al. measured the variants of `bench/gpu/heaan004.cu`;
    /// `docs/design/heaan004-prediction.md` says where the figures come from.
    pub const TITAN_RTX: Self = Self {
        name: "Titan RTX",
        multiprocessors: 72,
        clock: 1.77e9,
        memory: 672e9 * 4.3 / 4.8,
        capacity: 24 << 30,
        second_level: 2.1e12,
        cache: 3.6e6,
        fp64: 64.0,
        wavefront: 2.0,
        first_level: 64e3,
        ..Self::H200
    };

    /// Multiply-adds in double precision a second, if nothing else runs.
    pub fn fp64_rate(&self) -> f64 {
        f64::from(self.multiprocessors) * SCHEDULERS * 32.0 / self.fp64 * self.clock
    }

    /// All on which the library runs.
    pub const ALL: [Self; 2] = [Self::H200, Self::H100];
}

/// What can limit a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Starting of instructions.
    Starting,
    /// Double precision.
    Fp64,
    /// 32-bit multiplier.
    Multiplier,
    /// Other integer instructions.
    Integer,
    /// Instructions at a quarter of the rate: bit reversal, conversion.
    Quarter,
    /// First-level cache and shared memory.
    FirstLevel,
    /// Second-level cache.
    SecondLevel,
    /// Memory.
    Memory,
}

impl Unit {
    /// All units.
    pub const ALL: [Self; 8] = [
        Self::Starting,
        Self::Fp64,
        Self::Multiplier,
        Self::Integer,
        Self::Quarter,
        Self::FirstLevel,
        Self::SecondLevel,
        Self::Memory,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Fp64 => "FP64",
            Self::Multiplier => "multiplier",
            Self::Integer => "integer units",
            Self::Quarter => "quarter-rate units",
            Self::FirstLevel => "first-level cache",
            Self::SecondLevel => "second-level cache",
            Self::Memory => "memory",
        }
    }
}

/// A launch that was followed.
#[derive(Debug, Clone)]
pub struct Launched {
    /// The launch.
    pub launch: Launch,
    /// What it does.
    pub work: Arc<Work>,
    /// Indices of its allocations.
    pub allocations: Vec<usize>,
    /// Bytes to and from memory.
    pub memory: f64,
    /// Warps of a multiprocessor at a time. Fewer than its schedulers leave some of them idle.
    pub warps: f64,
}

impl Launched {
    /// Follows launches that `recorder` recorded, with a second-level cache that keeps `cache` bytes.
    ///
    /// # Errors
    /// As [`Predictor::follow`].
    pub fn all(launches: Vec<Launch>, recorder: &Recorder, cache: f64) -> Result<Vec<Self>, PredictError> {
        Self::followed(launches, &mut Predictor::new(recorder), cache)
    }

    /// The same, for launches that `predictor` can follow.
    ///
    /// # Errors
    /// As [`Predictor::follow`].
    pub fn followed(launches: Vec<Launch>, predictor: &mut Predictor, cache: f64) -> Result<Vec<Self>, PredictError> {
        let mut cache = Cache::new(cache);
        let follow = |launch: Launch| {
            let (work, allocations) = predictor.follow(&launch)?;
            let memory = cache.memory(&work, &allocations);
            Ok(Self { launch, work, allocations, memory, warps: f64::INFINITY })
        };
        launches.into_iter().map(follow).collect()
    }

    /// The seconds that each of [`Unit::ALL`] needs.
    pub fn times(&self, gpu: &Gpu) -> [f64; 8] {
        let [_, fp64, wide, multiplier, quarter, integer, _] = self.work.instructions;
        let all = self.work.instructions.iter().sum::<f64>();
        let cycles = [all, gpu.fp64 * fp64, gpu.wide * wide + 2.0 * multiplier, 2.0 * integer, 8.0 * quarter];
        let blocks = self.launch.blocks.iter().map(|&b| f64::from(b)).product::<f64>();
        // the multiprocessor with most blocks decides
        let most = (blocks / f64::from(gpu.multiprocessors)).ceil() / blocks;
        let [s, f, m, i, q] = cycles.map(|c| c / SCHEDULERS.min(self.warps) * most / gpu.clock);
        let first = gpu.wavefront * self.work.wavefronts.iter().sum::<f64>() * most / gpu.clock;
        let [second, memory] = self.local(gpu);
        [s, f, m, i, q, first, (self.work.cached + second) / gpu.second_level, (self.memory + memory) / gpu.memory]
    }

    /// Bytes of the threads' own arrays to the second-level cache, and to memory: none if the arrays of
    /// all threads of a multiprocessor, or of the GPU, are in the cache before it. A cache that is too
    /// small keeps nothing of what loops go through again and again.
    fn local(&self, gpu: &Gpu) -> [f64; 2] {
        if self.work.local == 0.0 {
            return [0.0; 2];
        }
        let a_multiprocessor = 32.0 * self.warps * self.work.local_array;
        let beyond = |is: bool| if is { self.work.local } else { 0.0 };
        let first = a_multiprocessor > gpu.first_level;
        [beyond(first), beyond(first && a_multiprocessor * f64::from(gpu.multiprocessors) > gpu.cache)]
    }

    /// The unit that takes longest, and its seconds.
    pub fn bound(&self, gpu: &Gpu) -> (Unit, f64) {
        let times = self.times(gpu);
        let longest = (0..times.len()).fold(0, |a, b| if times[b] > times[a] { b } else { a });
        (Unit::ALL[longest], times[longest])
    }

    /// Seconds of the launch, its start included.
    pub fn seconds(&self, gpu: &Gpu) -> f64 {
        self.bound(gpu).1 + gpu.start
    }
}

/// Which limbs the second-level cache holds: those that were used last. A limb that is read from it
/// is not read from memory. All that is written goes to memory, sooner or later.
#[derive(Debug)]
pub struct Cache {
    size: f64,
    used: f64,
    clock: u64,
    /// Of each limb: bytes and time of the last use.
    limbs: HashMap<(usize, u64), (f64, u64)>,
    by_use: BTreeMap<u64, (usize, u64)>,
}

impl Cache {
    /// An empty cache of `size` bytes.
    pub fn new(size: f64) -> Self {
        Self { size, used: 0.0, clock: 0, limbs: HashMap::new(), by_use: BTreeMap::new() }
    }

    /// The bytes to and from memory of a launch, which then has used the cache.
    pub fn memory(&mut self, work: &Work, allocations: &[usize]) -> f64 {
        let mut total = 0.0;
        for t in &work.traffic {
            let key = (allocations.get(t.allocation).copied().unwrap_or(usize::MAX), t.limb);
            let held = self.limbs.remove(&key);
            if t.store || held.is_none() {
                total += t.bytes;
            }
            let (before, last) = held.unwrap_or((0.0, 0));
            self.by_use.remove(&last);
            self.clock += 1;
            let bytes = before.max(t.bytes);
            self.limbs.insert(key, (bytes, self.clock));
            self.by_use.insert(self.clock, key);
            self.used += bytes - before;
            while self.used > self.size {
                let Some((_, oldest)) = self.by_use.pop_first() else { break };
                self.used -= self.limbs.remove(&oldest).map_or(0.0, |(bytes, _)| bytes);
            }
        }
        total
    }
}
