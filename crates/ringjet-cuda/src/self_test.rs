//! The self-test of a GPU: products of polynomials, a key switch and a sum of rotations, compared with
//! textbook arithmetic on the processor.

use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use ringjet_backend::{
    Backend, BackendError, Buf, KeySwitch, KeySwitchInput, Reference, Result, RotateFactor, RotateSum, RotateTerm,
    Width,
};
use ringjet_math::{Basis, MathError, prime};

use crate::backend::CudaBackend;
use crate::unavailable::Unavailable;

/// The ring of key switches and sums. It is the smallest one with more than one column of a transform,
/// whose kernels are those of large rings.
const LOG_N: u32 = 11;

/// Computes with primes of each size in each width, and compares every word with the processor's
/// result. Returns the backend with residues of 8 bytes.
pub fn widths(mut b: CudaBackend, name: &str) -> std::result::Result<CudaBackend, Unavailable> {
    for (width, bits) in [(Width::Four, 31), (Width::Six, 48), (Width::Eight, 50), (Width::Eight, 60)] {
        b = b.with_width(width);
        operations(&b, name, bits)?;
    }
    Ok(b)
}

/// The self-test modulo primes of `bits` bits. Each product is computed four times: at first the
/// constants are made, then the launches are queued one by one, then as a new graph, then as the same
/// graph with other addresses.
pub fn operations(b: &CudaBackend, name: &str, bits: u32) -> std::result::Result<(), Unavailable> {
    let unlikely = |e: MathError| Unavailable::failed("the self-test's primes", e);
    let primes = prime::ntt_primes(LOG_N, bits, 4, &[]).map_err(unlikely)?;
    let basis = |of: &[u64]| Basis::new(LOG_N, of).map_err(unlikely);
    let (special, chain) = (basis(&primes[..1])?, basis(&primes[1..])?);
    let mut held = vec![]; // results whose addresses the next ones cannot have
    for _ in 0..4 {
        held.push(compare(b, name, "a product of polynomials", |b| product(b, &chain))?);
    }
    let up = ModUpPlan::new(&special, &chain, 2);
    compare(b, name, "a key switch", |b| key_switch(b, &chain, &up))?;
    compare(b, name, "a sum of rotations", |b| rotations(b, &up))?;
    Ok(())
}

/// Compares the result of `run` on the device with the one on the processor, and returns the former.
fn compare(
    b: &CudaBackend,
    name: &str,
    what: &'static str,
    run: impl Fn(&dyn Backend) -> Result<Buf>,
) -> std::result::Result<Buf, Unavailable> {
    let words = |b: &dyn Backend| {
        b.meter().inspect(|meter| meter.enter("SelfTest"));
        let result = run(b);
        b.meter().inspect(|meter| meter.leave());
        let result = result?;
        let mut words = vec![0; result.limbs() * result.n()];
        b.download(&result, 0, &mut words)?;
        Ok((result, words))
    };
    let failed = |e: BackendError| Unavailable::failed("the self-test", e);
    let (result, found) = words(b).map_err(failed)?;
    let (_, expected) = words(&Reference::default()).map_err(failed)?;
    match (0..found.len()).find(|&i| found[i] != expected[i]) {
        None => Ok(result),
        Some(index) => {
            let (found, expected) = (found[index], expected[index]);
            Err(Unavailable::Wrong { name: name.into(), what, index, found, expected })
        }
    }
}

/// A buffer of `polys` polynomials over a basis. Each `seed` gives other residues.
fn residues(b: &dyn Backend, basis: &Basis, polys: usize, seed: u64) -> Result<Buf> {
    let mut state = seed;
    let mut word = |q: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 3) % q
    };
    let limbs = (0..polys).flat_map(|_| basis.values());
    let words: Vec<u64> = limbs.flat_map(|q| (0..basis.n()).map(|_| word(q)).collect::<Vec<_>>()).collect();
    let mut buf = b.alloc(polys * basis.len(), basis.n())?;
    b.upload(&mut buf, 0, &words)?;
    Ok(buf)
}

fn product(b: &dyn Backend, basis: &Basis) -> Result<Buf> {
    let (mut x, mut y) = (residues(b, basis, 1, 1)?, residues(b, basis, 1, 2)?);
    b.ntt(x.view_mut(1), basis)?;
    b.ntt(y.view_mut(1), basis)?;
    let mut product = b.alloc(basis.len(), basis.n())?;
    b.mul(product.view_mut(1), x.view(1), y.view(1), basis, false)?;
    b.intt(product.view_mut(1), basis)?;
    Ok(product)
}

/// A switch of one polynomial over `chain` with a rotation.
fn key_switch(b: &dyn Backend, chain: &Basis, up: &ModUpPlan) -> Result<Buf> {
    let division = DivisionPlan::new(&up.extended, &[0]);
    let rotation = AutomorphismPlan::new(LOG_N, 5, Domain::Evaluation);
    let (x, add) = (residues(b, chain, 1, 3)?, residues(b, chain, 2, 4)?);
    let key = residues(b, &up.extended, 2 * up.beta(), 5)?;
    let mut switched = b.alloc(2 * chain.len(), chain.n())?;
    let switch = KeySwitch {
        input: KeySwitchInput::Polynomial(x.view(1)),
        key: key.view(2 * up.beta()),
        mod_up: up,
        division: &division,
        add: Some(add.view(2)),
        automorphism: Some(&rotation),
    };
    b.key_switch(switched.view_mut(2), &switch)?;
    Ok(switched)
}

/// Two sums of rotations, with and without factors.
fn rotations(b: &dyn Backend, up: &ModUpPlan) -> Result<Buf> {
    let basis = &up.extended;
    let turns = [5, 25].map(|galois| AutomorphismPlan::new(LOG_N, galois, Domain::Evaluation));
    let (digits, add) = (residues(b, basis, up.beta(), 6)?, residues(b, basis, 2, 7)?);
    let (key, factor) = (residues(b, basis, 2 * up.beta(), 8)?, residues(b, basis, 1, 9)?);
    let (by, key) = (RotateFactor::Poly(factor.view(1)), Some(key.view(2 * up.beta())));
    let terms = [
        RotateTerm { key, automorphism: Some(&turns[0]), factors: &[by, RotateFactor::One] },
        RotateTerm { key, automorphism: Some(&turns[1]), factors: &[RotateFactor::None, by] },
        RotateTerm { key: None, automorphism: None, factors: &[by, by] },
    ];
    let mut sums = b.alloc(4 * basis.len(), basis.n())?;
    let sum = RotateSum { digits: digits.view(up.beta()), add: add.view(2), terms: &terms };
    b.hoisted_rotate_sum(sums.view_mut(4), &sum, basis, false)?;
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The emulator passes. One that computes a word wrong does not.
    #[test]
    fn the_emulator_passes() {
        let tested = widths(CudaBackend::emulated(), "the emulator");
        let planted = std::env::var_os("RINGJET_PLANT_FAULT").is_some_and(|kernel| kernel == "rows_product");
        if cfg!(feature = "planted-fault") && planted {
            let Err(Unavailable::Wrong { what, .. }) = tested else { panic!("{tested:?}") };
            assert_eq!(what, "a key switch");
        } else {
            assert_eq!(tested.unwrap().width(), Width::Eight);
        }
    }
}
