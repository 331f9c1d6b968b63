//! Times the pieces of a key switch beside what they cannot go below.
//!
//! `keyswitch_profile [log_n] [q limbs] [special limbs] [alpha] [threads] [bits]`; medians over a second each. With one
//! thread its processor time is taken, which other programs disturb less.

use std::time::{Duration, Instant};

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use ringjet_backend::{Backend, Buf, Coeff, KeySwitch, KeySwitchInput, Result};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::{Basis, prime::ntt_primes};

/// Vector operations a second of one core (two ports at 3.55 GHz).
const RATE: f64 = 7.1e9;
/// Bytes a second one core reads from the third-level cache.
const L3: f64 = 31e9;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let args: Vec<usize> = std::env::args().skip(1).map(|a| a.parse()).collect::<std::result::Result<_, _>>()?;
    let arg = |i: usize, default| args.get(i).copied().unwrap_or(default);
    let (log_n, nq, np, alpha, threads) = (arg(0, 16) as u32, arg(1, 25), arg(2, 7), arg(3, 7), arg(4, 1));
    let b = CpuBackend::new(CpuConfig { threads, path: None })?;
    let primes = ntt_primes(log_n, arg(5, 50) as u32, nq + np, &[])?;
    let (p, q) = (Basis::new(log_n, &primes[..np])?, Basis::new(log_n, &primes[np..])?);
    let up = ModUpPlan::new(&p, &q, alpha);
    let all = &up.extended;
    let special: Vec<usize> = (0..np).collect();
    let down = DivisionPlan::new(all, &special);
    let merged: Vec<usize> = special.iter().copied().chain([all.len() - 1]).collect();
    let merged = DivisionPlan::new(all, &merged);
    let galois = AutomorphismPlan::new(log_n, 5, Domain::Evaluation);
    let (n, beta) = (1 << log_n, up.beta());
    println!("{}: N = 2^{log_n}, {nq} + {np} limbs, {beta} digits of {alpha}, {} threads", b.id().name(), b.threads());

    let ct = filled(&b, &q, 2)?;
    let other = filled(&b, &q, 2)?;
    let key = filled(&b, all, 2 * beta)?;
    let mut tensor = filled(&b, &q, 3)?;
    let mut digits = filled(&b, all, beta)?;
    let mut acc = filled(&b, all, 2)?;
    let mut out = filled(&b, &q, 2)?;
    let mut short = filled(&b, &merged.dst, 2)?;

    let profile = Profile { n: n as f64, threads: b.threads() as f64 };
    let (fq, fall, fkeep) = (nq as f64, all.len() as f64, merged.keep.len() as f64);
    let targets: f64 = up.digits.iter().map(|d| d.targets.len() as f64).sum();
    let terms: f64 = up.digits.iter().map(|d| (d.targets.len() * (2 * d.len + 8)) as f64).sum();
    // (operations a vector, limbs read or written, transforms)
    let mul = fall * (4.0 * beta as f64 + 18.0);
    let keys = 2.0 * beta as f64 * fall;
    let division =
        |drop: f64, keep: f64| (2.0 * keep * (2.0 * drop + 16.0), 2.0 * (drop + 3.0 * keep), 2.0 * (drop + keep));
    let ntt =
        profile.time("ntt, each limb", (0.0, 2.0 * fall, 0.0), 0.0, || b.ntt(acc.view_mut(2), all))? / (2.0 * fall);
    profile.time("intt, each limb", (0.0, 2.0 * fall, 0.0), 0.0, || b.intt(acc.view_mut(2), all))?;
    let add = [(Coeff::One, ct.view(2)), (Coeff::One, other.view(2))];
    profile.time("add", (6.0 * fq, 6.0 * fq, 0.0), ntt, || b.lincomb(out.view_mut(2), &add, &q, false))?;
    profile.time("mul by plaintext", (22.0 * fq, 5.0 * fq, 0.0), ntt, || {
        b.mul(out.view_mut(2), ct.view(2), other.view(2).poly(0), &q, false)
    })?;
    let t = profile.time("tensor", (35.0 * fq, 7.0 * fq, 0.0), ntt, || {
        b.tensor(tensor.view_mut(3), ct.view(2), other.view(2), &q)
    })?;
    let up_cost = (terms, fq + fall * beta as f64, fq + targets);
    profile.time("mod_up", up_cost, ntt, || b.mod_up(digits.view_mut(beta), ct.view(2).poly(1), &up))?;
    let inner_cost = (mul, keys + fall * beta as f64 + 2.0 * fall, 0.0);
    profile.time("key_inner_product", inner_cost, ntt, || {
        b.key_inner_product(acc.view_mut(2), digits.view(beta), key.view(2 * beta), all)
    })?;
    profile.time("divide_round by P", division(np as f64, fq), ntt, || {
        b.divide_round(out.view_mut(2), acc.view(2), &down, Some(ct.view(2).poly(0)))
    })?;
    profile.time("divide_round by P q", division(np as f64 + 1.0, fkeep), ntt, || {
        b.divide_round(short.view_mut(2), acc.view(2), &merged, None)
    })?;
    profile.time("automorphism", (2.0 * fq, 4.0 * fq, 0.0), ntt, || {
        b.automorphism(out.view_mut(2), ct.view(2), &q, &galois)
    })?;
    let fused = terms + mul;
    let (divided, shorter) = (division(np as f64, fq), division(np as f64 + 1.0, fkeep));
    let switch = KeySwitch {
        input: KeySwitchInput::Polynomial(tensor.view(3).poly(2)),
        key: key.view(2 * beta),
        mod_up: &up,
        division: &merged,
        add: Some(tensor.view(3).slice(0, 2)),
        automorphism: None,
    };
    let cost = (fused + shorter.0, fq + keys + 2.0 * (fq + fkeep), fq + targets + shorter.2);
    let m = profile.time("key_switch by P q", cost, ntt, || b.key_switch(short.view_mut(2), &switch))?;
    let switch = KeySwitch {
        input: KeySwitchInput::Polynomial(ct.view(2).poly(1)),
        division: &down,
        add: Some(ct.view(2).poly(0)),
        automorphism: Some(&galois),
        ..switch
    };
    let cost = (fused + divided.0, fq + keys + 3.0 * fq, fq + targets + divided.2);
    profile.time("key_switch, rotated", cost, ntt, || b.key_switch(out.view_mut(2), &switch))?;
    let switch = KeySwitch { input: KeySwitchInput::Digits(digits.view(beta)), ..switch };
    let cost = (mul + divided.0, fall * beta as f64 + keys + 3.0 * fq, divided.2);
    profile.time("the same, hoisted", cost, ntt, || b.key_switch(out.view_mut(2), &switch))?;
    println!("\nmultiplication  (tensor, key_switch by P q) {:7.2} ms", t + m);
    Ok(())
}

/// `polys` polynomials of arbitrary residues.
fn filled(b: &CpuBackend, basis: &Basis, polys: usize) -> Result<Buf> {
    let (n, mut state) = (basis.n(), 1u64);
    let mut buf = b.alloc(polys * basis.len(), n)?;
    let mut words = vec![0; n];
    for limb in 0..polys * basis.len() {
        let q = basis.modulus(limb % basis.len()).value();
        for w in &mut words {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *w = ((u128::from(state) * u128::from(q)) >> 64) as u64;
        }
        b.upload(&mut buf, limb, &words)?;
    }
    Ok(buf)
}

struct Profile {
    n: f64,
    threads: f64,
}

impl Profile {
    /// Processor time of this thread, or the time since `begin` where there are others.
    fn seconds(&self, begin: Instant) -> f64 {
        let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `t` is a valid place for the result.
        if self.threads > 1.0 || unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut t) } != 0 {
            return begin.elapsed().as_secs_f64();
        }
        t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
    }

    /// Prints and returns the median in ms. The cost is operations for each vector of eight words, limbs moved, and
    /// transforms (of `ntt` ms each).
    fn time(&self, name: &str, cost: (f64, f64, f64), ntt: f64, mut f: impl FnMut() -> Result<()>) -> Result<f64> {
        let mut times = vec![];
        let begin = Instant::now();
        while times.len() < 5 || begin.elapsed() < Duration::from_secs(1) {
            let start = self.seconds(begin);
            f()?;
            times.push((self.seconds(begin) - start) * 1e3);
        }
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let compute = cost.0 * self.n / 8.0 / RATE * 1e3 / self.threads;
        let memory = cost.1 * self.n * 8.0 / L3 * 1e3 / self.threads;
        let each = if name.ends_with("each limb") {
            format!(" ({:.1} us each)", median / cost.1 * 1e3)
        } else {
            String::new()
        };
        println!(
            "{name:22} {median:7.2} ms (best {:.2}); transforms {:6.2}, operations {compute:5.2}, memory at L3 {memory:5.2}{each}",
            times[0],
            cost.2 * ntt,
        );
        Ok(median)
    }
}
