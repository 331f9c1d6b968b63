//! `bench-ntt [--log-n 13,14,16] [--reps 201] [--json]` times the negacyclic transforms of ringjet
//! and of `tfhe-ntt` modulo the same 50-bit prime, on one thread. The libraries take turns in one
//! process.
//!
//! `ntt` and `intt` transform one vector repeatedly, so it stays in the smallest cache that holds
//! it. `ntt_many` and `intt_many` go through 32 vectors, as an operation on a ciphertext does.
//! Times are for one transform.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use peer_tfhe_ntt::{BACKEND, modulus};
use ringjet_backend::{Backend, Buf};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::Basis;
use tfhe_ntt::prime64::Plan;

const USAGE: &str = "usage: bench-ntt [--log-n 13,14,16] [--reps 201] [--json]";
/// Least duration of a sample.
const SAMPLE: Duration = Duration::from_micros(500);
const MANY: usize = 32;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

struct Options {
    log_n: Vec<u32>,
    reps: usize,
    json: bool,
}

fn options() -> Option<Options> {
    let mut o = Options { log_n: vec![13, 14, 16], reps: 201, json: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => o.json = true,
            "--reps" => o.reps = args.next()?.parse().ok().filter(|&r| r > 0)?,
            "--log-n" => {
                let sizes = args.next()?;
                let sizes = sizes.split(',').map(|s| s.parse().ok().filter(|n| (10..=17).contains(n)));
                o.log_n = sizes.collect::<Option<_>>()?;
            }
            _ => return None,
        }
    }
    Some(o)
}

/// Both libraries with their tables and vectors.
struct Rig {
    cpu: CpuBackend,
    basis: Basis,
    ours: Vec<Buf>,
    plan: Plan,
    theirs: Vec<Aligned>,
}

/// A vector that starts on a cache line, like a [`Buf`].
struct Aligned(Vec<Line>);

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u64; 8]);

impl Aligned {
    fn words(&mut self) -> &mut [u64] {
        let n = 8 * self.0.len();
        // SAFETY: a line is eight words without padding.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), n) }
    }
}

impl Rig {
    fn new(log_n: u32) -> Result<Self> {
        let (n, q) = (1usize << log_n, modulus());
        let cpu = CpuBackend::new(CpuConfig { threads: 1, path: None })?;
        let basis = Basis::new(log_n, &[q])?;
        let plan = Plan::try_new(n, q).ok_or("tfhe-ntt has no plan for this size")?;
        let (mut ours, mut theirs) = (vec![], vec![]);
        let table = basis.primes()[0].table();
        for k in 0..MANY as u64 {
            let input: Vec<u64> = (0..n as u64).map(|i| (i * i + k).wrapping_mul(0x9e37_79b9_7f4a_7c15) % q).collect();
            let mut expected = input.clone();
            table.forward(&mut expected);
            let mut buf = cpu.alloc(1, n)?;
            cpu.upload(&mut buf, 0, &input)?;
            cpu.ntt(buf.view_mut(1), &basis)?;
            let mut got = vec![0; n];
            cpu.download(&buf, 0, &mut got)?;
            if got != expected {
                return Err(format!("ringjet's transform of 2^{log_n} differs from the textbook").into());
            }
            ours.push(buf);
            let mut buf = Aligned(vec![Line([0; 8]); n / 8]);
            buf.words().copy_from_slice(&input);
            plan.fwd(buf.words());
            plan.inv(buf.words());
            let back = |(x, y): (&u64, &u64)| u128::from(*x) * n as u128 % u128::from(q) == u128::from(*y);
            if !input.iter().zip(buf.words().iter()).all(back) {
                return Err(format!("tfhe-ntt's transform of 2^{log_n} does not come back").into());
            }
            theirs.push(buf);
        }
        Ok(Self { cpu, basis, ours, plan, theirs })
    }

    /// Runs one transform of vector `k`.
    fn call(&mut self, ours: bool, forward: bool, k: usize) -> Result<()> {
        match (ours, forward) {
            (true, true) => self.cpu.ntt(self.ours[k].view_mut(1), &self.basis)?,
            (true, false) => self.cpu.intt(self.ours[k].view_mut(1), &self.basis)?,
            (false, true) => self.plan.fwd(black_box(self.theirs[k].words())),
            (false, false) => self.plan.inv(black_box(self.theirs[k].words())),
        }
        Ok(())
    }

    /// Measures the seconds of one transform.
    fn sample(&mut self, ours: bool, forward: bool, vectors: usize, calls: usize) -> Result<f64> {
        let start = Instant::now();
        for i in 0..calls {
            self.call(ours, forward, i % vectors)?;
        }
        Ok(start.elapsed().as_secs_f64() / calls as f64)
    }
}

fn quantile(sorted: &[f64], p: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * p).round() as usize]
}

fn run(o: &Options) -> Result<()> {
    for &log_n in &o.log_n {
        let mut rig = Rig::new(log_n)?;
        let ours_name = format!("ringjet-{}", rig.cpu.id().name());
        for (suffix, vectors) in [("", 1), ("_many", MANY)] {
            let one = rig.sample(false, true, vectors, vectors)?;
            let calls = ((SAMPLE.as_secs_f64() / one) as usize + 1).next_multiple_of(vectors);
            // In every repetition each library transforms forward and back; the library that begins
            // changes.
            let mut samples: [[Vec<f64>; 2]; 2] = Default::default();
            for rep in 0..o.reps + 2 {
                for forward in [true, false] {
                    for turn in 0..2 {
                        let ours = (rep + turn) % 2 == 0;
                        let t = rig.sample(ours, forward, vectors, calls)?;
                        if rep >= 2 {
                            samples[usize::from(!forward)][usize::from(!ours)].push(t);
                        }
                    }
                }
            }
            for (direction, samples) in ["ntt", "intt"].iter().zip(&mut samples) {
                let mut ratios: Vec<f64> = samples[0].iter().zip(&samples[1]).map(|(us, them)| them / us).collect();
                samples.iter_mut().chain([&mut ratios]).for_each(|s| s.sort_by(f64::total_cmp));
                for (backend, s) in [ours_name.as_str(), BACKEND].iter().zip(samples.iter()) {
                    let (min, median, q1, q3) = (s[0], quantile(s, 0.5), quantile(s, 0.25), quantile(s, 0.75));
                    if o.json {
                        println!(
                            "{{\"bench\":\"{direction}{suffix}\",\"backend\":\"{backend}\",\"params\":\"n{log_n} p50\",\"threads\":1,\
                             \"unit\":\"s\",\"min\":{min:e},\"median\":{median:e},\"n\":{},\"q1\":{q1:e},\"q3\":{q3:e}}}",
                            s.len()
                        );
                    } else {
                        println!(
                            "{:<10} n{log_n}  {backend:<15} min {:8.2} us   median {:8.2} us",
                            format!("{direction}{suffix}"),
                            min * 1e6,
                            median * 1e6
                        );
                    }
                }
                let ratio = |p| quantile(&ratios, p);
                if !o.json {
                    println!(
                        "{:<10} n{log_n}  faster by {:.2} (quartiles {:.2}, {:.2})",
                        format!("{direction}{suffix}"),
                        ratio(0.5),
                        ratio(0.25),
                        ratio(0.75)
                    );
                }
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("bench-ntt: {e}");
            ExitCode::FAILURE
        }
    }
}
