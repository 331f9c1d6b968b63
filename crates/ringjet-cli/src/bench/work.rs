//! The work of each bench, and the check of its result.

use std::sync::Arc;

use ringjet::approximate::Approximate;
use ringjet::circuits::Bootstraps;
use ringjet::rng::Seed;
use ringjet::vectors::Ciphertext;
use ringjet::{Evaluator, KeyPlan};
use ringjet_backend::{Backend, ViewMut};
use ringjet_math::fft::Complex64;
use ringjet_math::{Basis, prime};

use super::chain::Chain;
use super::measure::Body;
use crate::Result;
use crate::client::{Client, encode, product, rotated};

/// Name and meaning of every timed bench. All run at the top level on full complex vectors.
pub const BENCHES: [(&str, &str); 19] = [
    ("ntt", "forward transform of one limb, in place"),
    ("intt", "inverse transform of one limb, in place"),
    ("ntt_limbs", "forward transform of all limbs"),
    ("intt_limbs", "inverse transform of all limbs"),
    ("encode", "vector to plaintext, all limbs"),
    ("decode", "plaintext of all limbs to vector"),
    ("decode_2limbs", "plaintext of two limbs to vector"),
    ("encrypt", "with the public key"),
    ("encrypt_sk", "with the secret key"),
    ("decrypt", "to a plaintext, not decoded"),
    ("add", "ciphertext + ciphertext"),
    ("mul_plain", "ciphertext times plaintext, not rescaled"),
    ("mul_relin", "product, relinearised"),
    ("rescale", "division by the last prime"),
    ("mul_relin_rescale", "product, relinearised and rescaled"),
    ("rotate", "rotation by one slot"),
    ("rotate_hoisted8", "eight rotations of one ciphertext"),
    ("keygen", "one relinearisation key"),
    (MEMORY, "64 MiB, more than caches keep, read by each thread; not one of all"),
];

/// A bench of the machine's memory speed at the time, for comparison with the others.
pub const MEMORY: &str = "memory";

/// Whether a bench needs keys and vectors, not just a ring.
pub fn needs_client(name: &str) -> bool {
    !matches!(name, "ntt" | "intt" | "ntt_limbs" | "intt_limbs" | MEMORY)
}

/// The evaluation keys that the benches `names` use.
pub fn keys_for(names: &[&str]) -> KeyPlan {
    let has = |n: &str| names.contains(&n);
    let rotations = match (has("rotate"), has("rotate_hoisted8")) {
        (_, true) => HOISTED.to_vec(),
        (true, false) => vec![1],
        (false, false) => vec![],
    };
    let relinearization = has("mul_relin") || has("mul_relin_rescale");
    if relinearization { KeyPlan::default() } else { KeyPlan::none() }.and_rotations(rotations)
}

pub const HOISTED: [i64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

pub struct Rig {
    pub chain: Chain,
    pub backend: Arc<dyn Backend>,
    pub client: Option<Client>,
    pub threads: usize,
}

impl Rig {
    /// Number of limbs that the bench `name` works on.
    pub fn limbs(&self, name: &str) -> usize {
        if matches!(name, "ntt" | "intt") { 1 } else { self.chain.limbs }
    }
}

/// Runs the bench once and checks its result. Returns the work to time, and the largest error.
pub fn prepare<'a>(name: &str, rig: &'a Rig) -> Result<(Body<'a>, f64)> {
    if name == MEMORY {
        return Ok((memory_body(rig.threads)?, 0.0));
    }
    if !needs_client(name) {
        return Ok((ring_body(name, rig)?, 0.0));
    }
    let c = rig.client.as_ref().ok_or("this bench needs keys")?;
    Ok(synced(c.ctx.backend(), client_body(name, c)?))
}

/// Adds a wait for queued work, so that its time is in the sample that started it.
pub fn synced<'a>(backend: &'a dyn Backend, (mut body, error): (Body<'a>, f64)) -> (Body<'a>, f64) {
    let sync = move || {
        body()?;
        Ok(backend.sync()?)
    };
    (Box::new(sync), error)
}

/// Reads memory; every thread has its own words.
fn memory_body(threads: usize) -> Result<Body<'static>> {
    const WORDS: u64 = (64 << 20) / size_of::<u64>() as u64;
    let blocks: Vec<Vec<u64>> = (0..threads as u64).map(|t| (0..WORDS).map(|i| i + t).collect()).collect();
    let body = move || {
        std::thread::scope(|scope| {
            let others: Vec<_> = blocks[1..].iter().map(|block| scope.spawn(|| sum(block))).collect();
            let first = sum(&blocks[0]);
            let others = others.into_iter().map(|other| other.join().map_err(|_| "a thread has failed"));
            let sums = std::iter::once(Ok(first)).chain(others).collect::<std::result::Result<Vec<_>, _>>()?;
            match (0u64..).zip(sums).find(|&(t, sum)| sum != WORDS * (WORDS - 1) / 2 + WORDS * t) {
                Some((t, sum)) => Err(format!("wrong result: the words of thread {t} make {sum}").into()),
                None => Ok(()),
            }
        })
    };
    body()?;
    Ok(Box::new(body))
}

/// Sums in 64 independent accumulators, so that only memory limits the speed.
fn sum(words: &[u64]) -> u64 {
    let mut sums = [0u64; 64];
    for words in words.chunks_exact(sums.len()) {
        sums.iter_mut().zip(words).for_each(|(sum, word)| *sum = sum.wrapping_add(*word));
    }
    sums.into_iter().sum()
}

fn ring_body<'a>(name: &str, rig: &'a Rig) -> Result<Body<'a>> {
    let primes = prime::ntt_primes(rig.chain.log_n, rig.chain.prime_bits, rig.limbs(name), &[])?;
    let basis = Basis::new(rig.chain.log_n, &primes)?;
    transforms(&*rig.backend, &basis, 1, name.starts_with("ntt"))
}

/// Transforms of `polys` polynomials over a basis, checked against the textbook.
pub fn transforms<'a>(b: &'a dyn Backend, basis: &Basis, polys: usize, forward: bool) -> Result<Body<'a>> {
    let (n, limbs, basis) = (1u64 << basis.log_n(), basis.len(), basis.clone());
    let mut buf = b.alloc(polys * limbs, n as usize)?;
    type Transform = fn(&dyn Backend, ViewMut<'_>, &Basis) -> ringjet_backend::Result<()>;
    let transform: Transform = if forward { |b, x, basis| b.ntt(x, basis) } else { |b, x, basis| b.intt(x, basis) };
    // any residues will do; the textbook transform gives the expected result
    let residues = |i: usize, q: u64| (0..n).map(|j| (j * j * 0x9e37_79b9 + i as u64) % q).collect::<Vec<u64>>();
    let prime = |i: usize| &basis.primes()[i % limbs];
    for i in 0..polys * limbs {
        b.upload(&mut buf, i, &residues(i, prime(i).value()))?;
    }
    transform(b, buf.view_mut(polys), &basis)?;
    let mut got = vec![0; n as usize];
    for i in 0..polys * limbs {
        let (mut want, modulus) = (residues(i, prime(i).value()), prime(i).value());
        let table = prime(i).table();
        if forward {
            table.forward(&mut want)
        } else {
            table.inverse(&mut want)
        }
        b.download(&buf, i, &mut got)?;
        if got != want {
            return Err(
                format!("wrong result: limb {i} (modulus {modulus}) differs from the textbook transform").into()
            );
        }
    }
    Ok(Box::new(move || {
        transform(b, buf.view_mut(polys), &basis)?;
        Ok(b.sync()?)
    }))
}

fn client_body<'a>(name: &str, c: &'a Client) -> Result<(Body<'a>, f64)> {
    let (ctx, top) = (&c.ctx, c.ctx.params().top_level());
    let (e, [a, b], [v, w]) = (&c.eval, &c.ct, &c.values);
    Ok(match name {
        "encode" => {
            let error = c.check_plain(&encode(ctx, v, top)?, v)?;
            (Box::new(move || encode(ctx, v, top).map(drop)), error)
        }
        "decode" | "decode_2limbs" => {
            let level = if name == "decode" { top } else { top.min(1) };
            let plain = encode(ctx, v, level)?;
            let error = c.check_plain(&plain, v)?;
            (Box::new(move || Ok(plain.decode(ctx).map(drop)?)), error)
        }
        "encrypt" => {
            let key = c.public_key()?;
            let error = c.check(&key.encrypt(ctx, &c.plain[0], &c.next_seed())?, v)?;
            (Box::new(move || Ok(key.encrypt(ctx, &c.plain[0], &Seed::from_os()?).map(drop)?)), error)
        }
        "encrypt_sk" => {
            let error = c.check(&c.secret.encrypt(ctx, &c.plain[0], &c.next_seed())?, v)?;
            // as clients do: with a seed of the operating system, which needs no hash of the
            // message
            (Box::new(move || Ok(c.secret.encrypt(ctx, &c.plain[0], &Seed::from_os()?).map(drop)?)), error)
        }
        "decrypt" => {
            let error = c.check(&c.ct[0], v)?;
            (Box::new(move || Ok(c.secret.decrypt(ctx, &c.ct[0]).map(drop)?)), error)
        }
        "add" => operation(c, v.iter().zip(w).map(|(&x, &y)| x + y).collect(), || e.add(a, b))?,
        "mul_plain" => operation(c, product(v, w), || e.mul_plain(a, &c.plain[1]))?,
        "mul_relin" => operation(c, product(v, w), || e.mul_relin(a, b))?,
        "rescale" => {
            let before = e.mul_plain(a, &c.plain[1])?;
            operation(c, product(v, w), move || e.rescale(&before))?
        }
        "mul_relin_rescale" => operation(c, product(v, w), || e.mul_relin_rescale(a, b))?,
        "rotate" => operation(c, rotated(v, 1), || e.rotate(a, 1))?,
        "rotate_hoisted8" => {
            let mut worst: f64 = 0.0;
            for (ct, steps) in e.rotate_hoisted(a, &HOISTED)?.iter().zip(HOISTED) {
                worst = worst.max(c.check(ct, &rotated(v, steps as usize))?);
            }
            (Box::new(move || Ok(e.rotate_hoisted(a, &HOISTED).map(drop)?)), worst)
        }
        "keygen" => {
            let generate = || c.secret.evaluation_keys(ctx, &KeyPlan::default(), &c.next_seed(), |_, _| true);
            let keys = generate()?;
            let error = c.check(&Evaluator::new(&c.ctx, Arc::new(keys))?.mul_relin(a, b)?, &product(v, w))?;
            (Box::new(move || Ok(generate().map(drop)?)), error)
        }
        _ => return Err(format!("no bench {name}").into()),
    })
}

/// The work to time for an operation, with the largest error of its result.
pub fn operation<'a, P: Bootstraps + Approximate>(
    c: &Client<P>,
    want: Vec<Complex64>,
    work: impl Fn() -> ringjet::Result<Ciphertext<P>> + 'a,
) -> Result<(Body<'a>, f64)> {
    let error = c.check(&work()?, &want)?;
    Ok((Box::new(move || Ok(work().map(drop)?)), error))
}
