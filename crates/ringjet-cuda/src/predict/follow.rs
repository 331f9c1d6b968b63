//! What recorded launches execute and move.
//!
//! A thread is followed for each limb, polynomial and thread group of a launch: the first of block 0
//! in the first dimension. The threads of a group, and the blocks of that dimension, do the same at
//! other coefficients. A warp of the first block is followed thread by thread, to see how its accesses
//! to memory coalesce, and which of them need the same bank of shared memory.

use std::collections::HashMap;
use std::sync::Arc;

use super::PredictError;
use super::limbs::{SUM_OF_ROTATIONS, Share, shares};
use super::skeleton::{KINDS, Skeleton, Space, skeleton, skeletons};
use super::thread::{DATA, Surroundings, Thread};
use crate::launch::LIST_WORDS;
use crate::recorder::{Argument, Launch, Recorder};

/// Bytes before a kernel's arguments in constant bank 0 on compute capability 9.0: sizes of blocks and
/// grid.
const PARAMETERS: usize = 0x210;
/// Accesses of a thread by which coalescing is judged.
const TRACED: usize = 1 << 16;

/// Bytes of a limb that a launch reads or writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// Index among the launch's allocations.
    pub allocation: usize,
    /// Index of the limb in the allocation.
    pub limb: u64,
    /// Whether it is written.
    pub store: bool,
    /// Bytes, each residue counted once.
    pub bytes: f64,
}

/// What a launch does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Work {
    /// Instructions of warps, by kind.
    pub(super) instructions: [f64; KINDS],
    /// Wavefronts of accesses to shared memory, and to global memory.
    pub(super) wavefronts: [f64; 2],
    /// Bytes between multiprocessors and the second-level cache.
    pub(super) cached: f64,
    /// Bytes that threads read and write in arrays of their own, which the compiler puts in memory.
    pub(super) local: f64,
    /// Bytes of such arrays of a thread.
    pub(super) local_array: f64,
    pub(super) traffic: Vec<Traffic>,
}

impl Work {
    /// Instructions of threads.
    pub fn instructions(&self) -> f64 {
        32.0 * self.instructions.iter().sum::<f64>()
    }

    /// The limbs that the launch reads and writes, in the order of their first use.
    pub fn traffic(&self) -> &[Traffic] {
        &self.traffic
    }

    /// Bytes that the launch reads, or writes: each residue counted once.
    pub fn bytes(&self, store: bool) -> f64 {
        self.traffic.iter().filter(|t| t.store == store).map(|t| t.bytes).sum()
    }
}

/// Follows the launches of a program.
#[derive(Debug)]
pub struct Predictor {
    /// Address and bytes of each allocation, in ascending order.
    allocated: Vec<(u64, u64)>,
    /// Address and words of each upload, in ascending order.
    uploaded: Vec<(u64, Vec<u64>)>,
    /// For each allocation whether it has constants.
    constants: Vec<bool>,
    kernels: HashMap<&'static str, Arc<Skeleton>>,
    /// Of a program that is not the library's: bytes before the arguments, and of a limb.
    program: Option<(usize, u64)>,
    known: HashMap<Vec<u64>, Arc<Work>>,
}

/// A program of other kernels than the library's. The launches' arguments are [`Argument::Constants`] for
/// addresses and [`Argument::Number`] for the words of everything else.
#[derive(Debug, Default)]
pub struct Program {
    /// Address and bytes of each allocation.
    pub allocated: Vec<(u64, u64)>,
    /// Addresses of the allocations that the first-level caches keep: tables.
    pub tables: Vec<u64>,
    /// The kernels, as `tools/skeleton.py` writes them.
    pub skeletons: &'static str,
    /// Bytes before a kernel's arguments in constant bank 0.
    pub parameters: usize,
    /// Bytes of a limb.
    pub limb: u64,
}

/// The arguments of a launch, and the memory that has constants.
struct Bank<'a> {
    words: Vec<u32>,
    uploaded: &'a [(u64, Vec<u64>)],
}

impl Surroundings for Bank<'_> {
    fn argument(&self, at: usize) -> Option<u32> {
        self.words.get(at).copied()
    }

    fn memory(&self, address: u64) -> Option<u32> {
        let i = self.uploaded.partition_point(|&(at, _)| at <= address).checked_sub(1)?;
        let (at, words) = &self.uploaded[i];
        let word = words.get(((address - at) / 8) as usize)?;
        Some((word >> (8 * (address & 4))) as u32)
    }
}

impl Bank<'_> {
    fn put(&mut self, word: u64, bytes: usize) {
        if bytes == 8 && self.words.len() % 2 == 1 {
            self.words.push(0);
        }
        self.words.push(word as u32);
        if bytes == 8 {
            self.words.push((word >> 32) as u32);
        }
    }
}

/// How the accesses of a warp coalesce.
#[derive(Clone, Copy)]
struct Coalescing {
    /// Wavefronts of an access of 8 bytes to shared memory, and of one to global memory.
    wavefronts: [f64; 2],
    /// Bytes moved for each byte read, and for each byte written.
    sectors: [f64; 2],
}

impl Predictor {
    /// For the launches that `recorder` has recorded so far.
    pub fn new(recorder: &Recorder) -> Self {
        let mut allocated: Vec<(u64, u64)> =
            recorder.allocated().iter().map(|&(at, words)| (at, 8 * words.max(1) as u64)).collect();
        let mut uploaded = recorder.uploaded();
        allocated.sort_unstable();
        uploaded.sort_unstable_by_key(|(at, _)| *at);
        let mut found = Self { constants: vec![false; allocated.len()], allocated, uploaded, ..Self::empty() };
        for i in 0..found.uploaded.len() {
            if let Some(of) = found.allocation(found.uploaded[i].0) {
                found.constants[of] = true;
            }
        }
        found
    }

    fn empty() -> Self {
        Self {
            allocated: vec![],
            uploaded: vec![],
            constants: vec![],
            kernels: HashMap::new(),
            program: None,
            known: HashMap::new(),
        }
    }

    /// For the launches of another program.
    ///
    /// # Errors
    /// [`PredictError::Skeleton`] if the text has no skeletons.
    pub fn of(program: Program) -> Result<Self, PredictError> {
        let kernels = skeletons(program.skeletons).ok_or(PredictError::Skeleton("no text of skeletons"))?;
        let mut allocated = program.allocated;
        allocated.sort_unstable();
        let constants = allocated.iter().map(|(at, _)| program.tables.contains(at)).collect();
        let program = Some((program.parameters, program.limb));
        Ok(Self { allocated, constants, kernels, program, ..Self::empty() })
    }

    /// The number of the allocation that has an address.
    fn allocation(&self, address: u64) -> Option<usize> {
        let i = self.allocated.partition_point(|&(at, _)| at <= address).checked_sub(1)?;
        let (at, bytes) = self.allocated[i];
        (address < at + bytes).then_some(i)
    }

    /// What a launch does, and its allocations of residues.
    ///
    /// # Errors
    /// [`PredictError::Launch`] if the kernel is not known, or if residues decide about an address or
    /// a loop.
    pub fn follow(&mut self, launch: &Launch) -> Result<(Arc<Work>, Vec<usize>), PredictError> {
        let (key, allocations) = self.normal(launch);
        if let Some(work) = self.known.get(&key) {
            return Ok((Arc::clone(work), allocations));
        }
        let failed = |why: PredictError| PredictError::Launch { kernel: launch.kernel, why: why.to_string() };
        let kernel = match self.kernels.get(launch.kernel) {
            Some(kernel) => Arc::clone(kernel),
            None => {
                let kernel = Arc::new(skeleton(launch.kernel).map_err(failed)?);
                self.kernels.insert(launch.kernel, Arc::clone(&kernel));
                kernel
            }
        };
        let work = Arc::new(self.measure(launch, &kernel, &allocations).map_err(failed)?);
        self.known.insert(key, Arc::clone(&work));
        Ok((work, allocations))
    }

    /// The launch without its addresses, and its allocations of residues in the order of its
    /// arguments. Equal launches do the same.
    fn normal(&self, launch: &Launch) -> (Vec<u64>, Vec<usize>) {
        let mut found = vec![];
        let mut key = vec![launch.kernel.as_ptr() as u64, u64::from(launch.shared)];
        key.extend(launch.blocks.iter().chain(&launch.threads).map(|&x| u64::from(x)));
        let mut plain = |key: &mut Vec<u64>, x: u64| match self.allocation(x) {
            Some(at) if !self.constants[at] => {
                let index = found.iter().position(|&f| f == at).unwrap_or_else(|| {
                    found.push(at);
                    found.len() - 1
                });
                key.extend([1, index as u64, x - self.allocated[at].0]);
            }
            // numbers as large as addresses are factors, which decide about nothing
            None if x >> 44 != 0 => key.push(2),
            _ => key.extend([3, x]),
        };
        for argument in &launch.arguments {
            match argument {
                Argument::View { words, chosen, stride, polys, n } => {
                    plain(&mut key, *words);
                    plain(&mut key, *chosen);
                    key.extend([*stride, *polys, *n].map(u64::from));
                }
                Argument::List(words) => {
                    key.push(words.len() as u64);
                    words.iter().for_each(|&word| plain(&mut key, word));
                }
                Argument::Constants(at) => plain(&mut key, *at),
                Argument::Number(number) => key.push(u64::from(*number)),
            }
        }
        (key, found)
    }

    fn bank(&self, launch: &Launch) -> Bank<'_> {
        let parameters = self.program.map_or(PARAMETERS, |(parameters, _)| parameters);
        let mut bank = Bank { words: vec![0; parameters / 4], uploaded: &self.uploaded };
        let sizes = [&launch.threads[..], &[1], &launch.blocks].concat();
        bank.words[..6].copy_from_slice(&sizes);
        for argument in &launch.arguments {
            match argument {
                Argument::View { words, chosen, stride, polys, n } => {
                    bank.put(*words, 8);
                    bank.put(*chosen, 8);
                    [*stride, *polys, *n, 0].into_iter().for_each(|x| bank.put(u64::from(x), 4));
                }
                Argument::List(words) => {
                    let zeros = std::iter::repeat_n(&0, LIST_WORDS - words.len());
                    words.iter().chain(zeros).for_each(|&word| bank.put(word, 8));
                }
                Argument::Constants(at) => bank.put(*at, 8),
                Argument::Number(number) => bank.put(u64::from(*number), 4),
            }
        }
        bank
    }

    fn measure(&self, launch: &Launch, kernel: &Skeleton, allocations: &[usize]) -> Result<Work, PredictError> {
        let bank = self.bank(launch);
        let coalescing = self.coalescing(kernel, launch, &bank)?;
        let whole = self.sum(launch, kernel, (&bank, coalescing, allocations), true)?;
        let separate = || self.sum(launch, kernel, (&bank, coalescing, allocations), false);
        whole.map_or_else(|| Ok(separate()?.unwrap_or_default()), Ok)
    }

    /// The work of all blocks. If `alike`, one thread stands for those of all groups of a block; `None`
    /// where they do not do the same.
    fn sum(
        &self,
        launch: &Launch,
        kernel: &Skeleton,
        (bank, coalescing, allocations): (&Bank<'_>, Coalescing, &[usize]),
        alike: bool,
    ) -> Result<Option<Work>, PredictError> {
        let ([tx, ty], [bx, by, bz]) = (launch.threads, launch.blocks);
        let (bytes_of_limb, shares) = match self.program {
            Some((_, limb)) => (limb, HashMap::new()),
            None => shares(launch),
        };
        let spans = if self.program.is_some() { spans(kernel, launch, bank)? } else { HashMap::new() };
        let mut sum = Sum {
            of: self,
            kernel,
            coalescing,
            allocations,
            bytes_of_limb,
            shares,
            spans,
            in_tiles: launch.kernel.starts_with(SUM_OF_ROTATIONS),
            work: Work::default(),
            seen: HashMap::new(),
            order: vec![],
        };
        // groups of threads that may differ: the rows of a block; its warps in kernels of other programs
        let groups: Vec<[u32; 2]> = match self.program {
            Some(_) => (0..tx).step_by(32).map(|x| [x, 0]).collect(),
            None => (0..ty).map(|y| [0, y]).collect(),
        };
        let followed = if alike { &groups[..1] } else { &groups[..] };
        let weight = f64::from(bx) * f64::from(tx * ty) / followed.len() as f64;
        let mut thread = Thread::default();
        for block_z in 0..bz {
            for block_y in 0..by {
                let [x, y] = groups[groups.len() - 1];
                thread.follow(kernel, [x, y, block_y, block_z, 0], bank)?;
                let last = thread.instructions;
                for [x, y] in followed {
                    thread.follow(kernel, [*x, *y, block_y, block_z, 0], bank)?;
                    if alike && thread.instructions != last {
                        return Ok(None);
                    }
                    sum.add(&thread, weight)?;
                }
            }
        }
        Ok(Some(sum.finish()))
    }

    fn coalescing(&self, kernel: &Skeleton, launch: &Launch, bank: &Bank<'_>) -> Result<Coalescing, PredictError> {
        let [tx, ty] = launch.threads;
        let mut traces: Vec<Vec<(usize, i128)>> = vec![];
        for t in 0..(tx * ty).min(32) {
            let mut thread = Thread::default();
            thread.follow(kernel, [t % tx, t / tx, 0, 0, 0], bank)?;
            thread.accesses.truncate(TRACED);
            traces.push(thread.accesses);
        }
        let numbers = |trace: &[(usize, i128)]| trace.iter().map(|a| a.0).collect::<Vec<_>>();
        let first = numbers(&traces[0]);
        if traces.iter().any(|trace| numbers(trace) != first) {
            // threads differ; their accesses count as if they were neighbours'
            return Ok(Coalescing { wavefronts: [2.0; 2], sectors: [1.0; 2] });
        }
        let (mut shared, mut global, mut sectors) = ([0.0; 2], [0.0; 2], [[0.0; 2]; 2]);
        for (i, &number) in first.iter().enumerate() {
            let (access, addresses) =
                (kernel.accesses[number], traces.iter().map(|trace| trace[i].1).collect::<Vec<_>>());
            if access.space == Space::Local {
                continue;
            }
            if access.space == Space::Shared {
                shared[0] += banks(&addresses, access.bytes);
                shared[1] += f64::from(access.bytes) / 8.0;
                continue;
            }
            let Some(at) = u64::try_from(addresses[0]).ok().and_then(|a| self.allocation(a)) else { continue };
            if self.constants[at] {
                continue;
            }
            let first = i128::from(self.allocated[at].0);
            let distinct = |bytes: i128| {
                let mut lines: Vec<i128> = addresses.iter().map(|a| (a - first).div_euclid(bytes)).collect();
                lines.sort_unstable();
                lines.dedup();
                lines.len()
            };
            let bytes = access.bytes as usize * addresses.len();
            global[0] += distinct(128).max(bytes / 128) as f64;
            global[1] += 1.0;
            let of = &mut sectors[usize::from(access.store)];
            of[0] += (32 * distinct(32)) as f64;
            of[1] += bytes as f64;
        }
        let part = |[sum, count]: [f64; 2], default: f64| if count > 0.0 { sum / count } else { default };
        Ok(Coalescing { wavefronts: [part(shared, 2.0), part(global, 2.0)], sectors: sectors.map(|of| part(of, 1.0)) })
    }
}

/// Sums up the threads of a launch.
struct Sum<'a> {
    of: &'a Predictor,
    kernel: &'a Skeleton,
    coalescing: Coalescing,
    allocations: &'a [usize],
    bytes_of_limb: u64,
    shares: HashMap<u64, Share>,
    spans: HashMap<(usize, u64), f64>,
    /// Whether the terms of a sum read the tiles of a limb in different orders: no word is read more
    /// than once all the same.
    in_tiles: bool,
    work: Work,
    /// Bytes by address and kind of access: words that several threads access count once.
    seen: HashMap<(u64, bool), f64>,
    order: Vec<(usize, u64, bool)>,
}

impl Sum<'_> {
    /// Adds `weight` threads that do the same.
    fn add(&mut self, thread: &Thread, weight: f64) -> Result<(), PredictError> {
        for (sum, &count) in self.work.instructions.iter_mut().zip(&thread.instructions) {
            *sum += count as f64 * weight / 32.0;
        }
        let warps = weight / 32.0;
        let mut local = [i128::MAX, 0];
        for &(number, address) in &thread.accesses {
            let access = self.kernel.accesses[number];
            if access.space == Space::Local {
                // threads' words are interleaved, so that a warp accesses whole lines
                self.work.wavefronts[1] += warps * f64::from(access.bytes) / 4.0;
                self.work.local += weight * f64::from(access.bytes);
                local = [local[0].min(address), local[1].max(address + i128::from(access.bytes))];
                continue;
            }
            if access.space == Space::Shared {
                self.work.wavefronts[0] += warps * self.coalescing.wavefronts[0] * f64::from(access.bytes) / 8.0;
                continue;
            }
            let address = u64::try_from(address).ok().filter(|_| address != DATA);
            let found = address.and_then(|address| Some((address, self.of.allocation(address)?)));
            let (address, at) = found.ok_or(PredictError::Skeleton("an access to memory that nobody allocated"))?;
            if self.of.constants[at] {
                self.work.wavefronts[1] += warps;
                continue;
            }
            self.work.wavefronts[1] += warps * self.coalescing.wavefronts[1];
            let mut bytes = weight * f64::from(access.bytes);
            self.work.cached += bytes * self.coalescing.sectors[usize::from(access.store)];
            if let Some(span) = self.spans.get(&(number, address)) {
                bytes = bytes.min(*span);
            }
            let order = &mut self.order;
            let most = self.seen.entry((address, access.store)).or_insert_with(|| {
                order.push((at, address, access.store));
                0.0
            });
            *most = most.max(bytes);
        }
        self.work.local_array = self.work.local_array.max((local[1] - local[0]).max(0) as f64);
        Ok(())
    }

    fn finish(mut self) -> Work {
        let mut places = HashMap::new();
        for (at, address, store) in self.order {
            let start = self.of.allocated[at].0;
            let (bytes_of_limb, part) = self.shares.get(&start).copied().unwrap_or((self.bytes_of_limb, 1.0));
            let limb = (address - start) / bytes_of_limb;
            let allocation = self.allocations.iter().position(|&a| a == at).unwrap_or(usize::MAX);
            let bytes = self.seen[&(address, store)] * part;
            let place = *places.entry((allocation, limb, store)).or_insert_with(|| {
                self.work.traffic.push(Traffic { allocation, limb, store, bytes: 0.0 });
                self.work.traffic.len() - 1
            });
            let sum = &mut self.work.traffic[place].bytes;
            *sum += bytes;
            if self.in_tiles {
                *sum = sum.min(bytes_of_limb as f64);
            }
        }
        self.work
    }
}

/// For accesses of the first thread of each row of blocks: bytes from there to the end of what the last
/// thread of the row accesses, where both do the same. Threads that read the same words read no more.
fn spans(kernel: &Skeleton, launch: &Launch, bank: &Bank<'_>) -> Result<HashMap<(usize, u64), f64>, PredictError> {
    let mut found = HashMap::new();
    let (mut first, mut last) = (Thread::default(), Thread::default());
    for block_y in 0..launch.blocks[1] {
        first.follow(kernel, [0, 0, block_y, 0, 0], bank)?;
        last.follow(kernel, [launch.threads[0] - 1, 0, block_y, 0, launch.blocks[0] - 1], bank)?;
        if !first.accesses.iter().map(|a| a.0).eq(last.accesses.iter().map(|a| a.0)) {
            continue;
        }
        for (&(number, from), &(_, to)) in first.accesses.iter().zip(&last.accesses) {
            let bytes = (to - from).abs() + i128::from(kernel.accesses[number].bytes);
            found.extend(u64::try_from(from).ok().map(|from| ((number, from), bytes as f64)));
        }
    }
    Ok(found)
}

/// Wavefronts of a warp's access to shared memory: 32 banks of 4 bytes; half a warp at a time reads
/// 8 bytes each.
fn banks(addresses: &[i128], bytes: u32) -> f64 {
    let at_once = match bytes {
        0..=4 => 32,
        8 => 16,
        _ => 8,
    };
    let mut total = 0;
    for group in addresses.chunks(at_once) {
        let words_of = |a: &i128| (0..i128::from(bytes / 4)).map(move |i| a.div_euclid(4) + i).collect::<Vec<_>>();
        let mut words: Vec<i128> = group.iter().flat_map(words_of).collect();
        words.sort_unstable();
        words.dedup();
        let mut load = [0u32; 32];
        words.iter().for_each(|word| load[word.rem_euclid(32) as usize] += 1);
        total += load.into_iter().max().unwrap_or(0);
    }
    f64::from(total)
}
