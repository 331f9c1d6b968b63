//! The same operations on one thread of this machine's processor, measured.
//!
//! A ciphertext has two polynomials of 4096 coefficients modulo two primes of 36 bits: 128 KiB.

use std::hint::black_box;
use std::time::Instant;

use ringjet_backend::{Backend, Basis, Buf, Coeff};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::prime::ntt_primes;

const LOG_N: u32 = 12;
const LIMBS: usize = 2;
const REPEATS: usize = 15;
/// Ciphertexts that do not fit caches: 512 MiB.
const MANY: usize = 4096;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Seconds for each ciphertext, or for each pair: the best and the median of some repeats.
#[derive(Debug, Clone, Copy)]
pub struct Seconds {
    pub best: f64,
    pub median: f64,
}

/// Seconds of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// Whether it works on pairs.
    pub pairs: bool,
    /// On one ciphertext or pair, again and again.
    pub cached: Seconds,
    /// On one ciphertext or pair after the other.
    pub streamed: Seconds,
}

struct Bench {
    backend: CpuBackend,
    basis: Basis,
    x: Vec<Buf>,
    products: Vec<Buf>,
}

/// NTT, inverse NTT, product and sum of ciphertexts.
pub fn measure() -> Result<[Measured; 4]> {
    let backend = CpuBackend::new(CpuConfig { threads: 1, path: None })?;
    let basis = Basis::new(LOG_N, &ntt_primes(LOG_N, 36, LIMBS, &[])?)?;
    let mut bench = Bench { backend, basis, x: vec![], products: vec![] };
    for i in 0..MANY as u64 {
        bench.x.push(bench.ciphertext(i)?);
    }
    for _ in 0..MANY / 2 {
        let mut product = bench.backend.alloc(3 * LIMBS, 1 << LOG_N)?;
        bench.backend.upload(&mut product, 0, &vec![0; (3 * LIMBS) << LOG_N])?;
        bench.products.push(product);
    }
    bench.check()?;
    Ok([
        bench.time(false, |b, i| b.backend.ntt(b.x[i].view_mut(2), &b.basis))?,
        bench.time(false, |b, i| b.backend.intt(b.x[i].view_mut(2), &b.basis))?,
        bench.time(true, |b, i| {
            let [x, y] = [&b.x[2 * i], &b.x[2 * i + 1]].map(|buf| buf.view(2));
            b.backend.tensor(b.products[i].view_mut(3), x, y, &b.basis)
        })?,
        bench.time(true, |b, i| {
            let (left, right) = b.x.split_at_mut(2 * i + 1);
            b.backend.lincomb(left[2 * i].view_mut(2), &[(Coeff::One, right[0].view(2))], &b.basis, true)
        })?,
    ])
}

impl Bench {
    fn ciphertext(&self, seed: u64) -> Result<Buf> {
        let mut buf = self.backend.alloc(2 * LIMBS, 1 << LOG_N)?;
        let word = |i: u64| (i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 29; // below 2^35
        let words: Vec<u64> = (0..(2 * LIMBS as u64) << LOG_N).map(word).collect();
        self.backend.upload(&mut buf, 0, &words)?;
        Ok(buf)
    }

    /// An inverse transform undoes a transform, which changes something.
    fn check(&mut self) -> Result<()> {
        let mut words = [(); 3].map(|()| vec![0; (2 * LIMBS) << LOG_N]);
        let [before, between, after] = &mut words;
        self.backend.download(&self.x[0], 0, before)?;
        self.backend.ntt(self.x[0].view_mut(2), &self.basis)?;
        self.backend.download(&self.x[0], 0, between)?;
        self.backend.intt(self.x[0].view_mut(2), &self.basis)?;
        self.backend.download(&self.x[0], 0, after)?;
        if before == after && before != between { Ok(()) } else { Err("the transforms are wrong".into()) }
    }

    fn time(
        &mut self,
        pairs: bool,
        mut run: impl FnMut(&mut Self, usize) -> ringjet_backend::Result<()>,
    ) -> Result<Measured> {
        let count = if pairs { MANY / 2 } else { MANY };
        let mut sample = |all: bool| -> Result<f64> {
            let start = Instant::now();
            for i in 0..count {
                run(self, if all { i } else { 0 })?;
            }
            black_box(&self.x);
            Ok(start.elapsed().as_secs_f64() / count as f64)
        };
        let mut seconds = |all| -> Result<Seconds> {
            sample(all)?; // warms up
            let mut samples = (0..REPEATS).map(|_| sample(all)).collect::<Result<Vec<_>>>()?;
            samples.sort_by(f64::total_cmp);
            Ok(Seconds { best: samples[0], median: samples[REPEATS / 2] })
        };
        Ok(Measured { pairs, cached: seconds(false)?, streamed: seconds(true)? })
    }
}

/// The processor's name, where the system has it.
pub fn name() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    line.map_or_else(|| "unknown".into(), |(_, name)| name.into())
}
