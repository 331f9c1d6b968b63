//! Key switches and hoisted rotations as operations.

use crate::blocking::{self, STREAMED_WORDS};
use ringjet_backend::host::OutOfMemory;
use ringjet_backend::{BackendError, HoistedRotations, KeySwitch, KeySwitchInput, Result, View, ViewMut, check};

use super::digits::with_digits;
use super::permutation::TilePermutation;
use super::products::{Operand, Products};
use super::switches::{SwitchTail, Switches};
use crate::machine::CpuMachine;
use crate::operands::views::Target;

/// [`blocking::rotations_per_batch`], except that small rings have batches too in tests.
fn rotations_per_batch(digit_words: usize) -> usize {
    blocking::rotations_per_batch(if cfg!(test) { STREAMED_WORDS } else { digit_words })
}

/// [`ringjet_backend::Backend::key_switch`], for a decomposition that [`super::is_fused`].
pub fn key_switch(m: &CpuMachine, dst: ViewMut<'_>, s: &KeySwitch<'_>) -> Result<()> {
    check::key_switch("key_switch", &dst, s)?;
    switch_with_one_key(m, dst, s)
}

/// A key switch of one or more polynomials. `dst` has two polynomials for each of them.
fn switch_with_one_key(m: &CpuMachine, dst: ViewMut<'_>, s: &KeySwitch<'_>) -> Result<()> {
    const OP: &str = "key_switch";
    let (beta, n, inputs) = (s.mod_up.beta(), dst.n(), dst.polys() / 2);
    let keys = vec![m.key(OP, s.key)?];
    let dst = m.target(OP, dst)?;
    let finish = (0..inputs).map(|i| finish(m, OP, dst, i, s)).collect::<Result<Vec<_>>>()?;
    match s.input {
        KeySwitchInput::Digits(digits) => {
            let digits = m.source(OP, digits)?;
            let products = Products { keys, digits: Operand::Ready(digits), inputs, beta, n };
            Switches { m, mod_up: s.mod_up, division: s.division, finish, products, secret: digits.is_secret() }.run()
        }
        KeySwitchInput::Polynomial(src) => with_digits(m, OP, src, s.mod_up, |digits, src| {
            let products = Products { keys, digits: Operand::Coefficients(digits, src), inputs, beta, n };
            Switches { m, mod_up: s.mod_up, division: s.division, finish, products, secret: src.is_secret() }.run()
        }),
        KeySwitchInput::Products(_) => Err(BackendError::Unsupported { op: OP, backend: m.id.name().into() }),
    }
}

/// [`ringjet_backend::Backend::hoisted_rotations`], for a decomposition that [`super::is_fused`].
pub fn hoisted_rotations(m: &CpuMachine, dst: &mut [ViewMut<'_>], r: &HoistedRotations<'_>) -> Result<()> {
    check::hoisted_rotations("hoisted_rotations", dst, r)?;
    let switches: Vec<KeySwitch<'_>> = (0..dst.len()).map(|i| r.switch(i)).collect();
    let batch = rotations_per_batch(r.digits.polys() * r.digits.limbs() * r.digits.n());
    let mut batches = dst.chunks_mut(batch).zip(switches.chunks(batch));
    batches.try_for_each(|(dst, switches)| rotate_batch(m, dst, r.digits, switches))
}

/// Computes rotations of the same `digits` together.
fn rotate_batch(m: &CpuMachine, dst: &mut [ViewMut<'_>], digits: View<'_>, switches: &[KeySwitch<'_>]) -> Result<()> {
    const OP: &str = "hoisted_rotations";
    let KeySwitch { mod_up, division, .. } = switches[0];
    let (beta, n, digits) = (mod_up.beta(), digits.n(), m.source(OP, digits)?);
    let keys = switches.iter().map(|s| m.key(OP, s.key)).collect::<Result<_>>()?;
    let finish = dst.iter_mut().zip(switches).map(|(dst, s)| finish(m, OP, m.target(OP, dst.reborrow())?, 0, s));
    let finish = finish.collect::<Result<_>>()?;
    let products = Products { keys, digits: Operand::Ready(digits), inputs: 1, beta, n };
    Switches { m, mod_up, division, finish, products, secret: digits.is_secret() }.run()
}

/// The end of the switch of input number `i`, whose result is polynomials `2 * i` and `2 * i + 1`
/// of `dst`. The polynomials of `s.add` with these numbers are added, or, if `s.add` has one
/// polynomial for each input, polynomial `i`.
fn finish<'a>(
    m: &'a CpuMachine,
    op: &'static str,
    dst: Target<'a>,
    i: usize,
    s: &KeySwitch<'a>,
) -> Result<SwitchTail<'a>> {
    let mut add = [None; 2];
    if let Some(view) = s.add {
        let (source, pairs) = (m.source(op, view)?, view.polys() == dst.polys());
        add = [Some((source, if pairs { 2 * i } else { i })), Some((source, 2 * i + 1)).filter(|_| pairs)];
    }
    let automorphism =
        s.automorphism.map(|plan| Ok::<_, OutOfMemory>(TilePermutation::new(plan.map()?))).transpose()?;
    Ok(SwitchTail { dst, first: 2 * i, add, automorphism })
}

#[cfg(test)]
mod tests {
    use ringjet_backend::Buf;
    use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
    use ringjet_math::Basis;
    use ringjet_math::prime::ntt_primes;

    use super::super::mod_up;
    use super::*;
    use crate::operations::buffers;
    use crate::system::path::Path;

    const LOG_N: u32 = 10;

    /// `polys` polynomials of arbitrary residues.
    fn random(m: &CpuMachine, basis: &Basis, polys: usize, seed: u64) -> Buf {
        let (n, mut state) = (basis.n(), seed);
        let mut word = |q: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 3) % q
        };
        let limbs = (0..polys).flat_map(|_| basis.values());
        let words: Vec<u64> = limbs.flat_map(|q| (0..n).map(|_| word(q)).collect::<Vec<_>>()).collect();
        let mut buf = m.alloc(polys * basis.len(), n).unwrap();
        buffers::upload(m, &mut buf, 0, &words).unwrap();
        buf
    }

    fn words(m: &CpuMachine, buf: &Buf) -> Vec<u64> {
        let mut words = vec![0; buf.limbs() * buf.n()];
        buffers::download(m, buf, 0, &mut words).unwrap();
        words
    }

    /// One switch of three polynomials, or of their digits, equals three switches: without addend,
    /// with one addend for each polynomial and with two, with and without an automorphism.
    #[test]
    fn several_inputs_are_switched_as_single_ones() {
        const INPUTS: usize = 3;
        let primes = ntt_primes(LOG_N, 50, 8, &[]).unwrap();
        let all = Basis::new(LOG_N, &primes).unwrap();
        let (p, q) = (all.select(0..2), all.select(2..7));
        let plan = ModUpPlan::new(&p, &q, 2);
        // by P and one more prime, while another prime enters
        let division = DivisionPlan::rational(&plan.extended, &all.select([2, 3, 4, 5, 7]));
        let rotation = AutomorphismPlan::new(LOG_N, 5, Domain::Evaluation);
        let (limbs, n, beta) = (division.dst.len(), 1 << LOG_N, plan.beta());
        let paths = Path::usable();
        for m in paths.flat_map(|path| [1, 3].map(|threads| CpuMachine::new(threads, Some(path)).unwrap())) {
            let (src, add) = (random(&m, &q, INPUTS, 1), random(&m, &q, 2 * INPUTS, 2));
            let key = random(&m, &plan.extended, 2 * beta, 3);
            let mut digits = m.alloc(INPUTS * beta * plan.extended.len(), n).unwrap();
            for i in 0..INPUTS {
                let to = digits.view_mut(INPUTS * beta).slice(i * beta, beta);
                mod_up(&m, to, src.view(INPUTS).poly(i), &plan).unwrap();
            }
            for (added, automorphism) in [(0, None), (1, None), (2, Some(&rotation)), (1, Some(&rotation))] {
                let switch = |input, add| KeySwitch {
                    input,
                    key: key.view(2 * beta),
                    mod_up: &plan,
                    division: &division,
                    add,
                    automorphism,
                };
                // the operands for inputs `i..i + count`
                let operands = |i: usize, count: usize| {
                    let add = (added > 0).then(|| add.view(2 * INPUTS).slice(i * added, count * added));
                    let coefficients = KeySwitchInput::Polynomial(src.view(INPUTS).slice(i, count));
                    let ready = KeySwitchInput::Digits(digits.view(INPUTS * beta).slice(i * beta, count * beta));
                    [switch(coefficients, add), switch(ready, add)]
                };
                let mut expected = m.alloc(2 * INPUTS * limbs, n).unwrap();
                for i in 0..INPUTS {
                    let to = expected.view_mut(2 * INPUTS).slice(2 * i, 2);
                    key_switch(&m, to, &operands(i, 1)[0]).unwrap();
                }
                for s in operands(0, INPUTS) {
                    let mut found = random(&m, &division.dst, 2 * INPUTS, 4);
                    switch_with_one_key(&m, found.view_mut(2 * INPUTS), &s).unwrap();
                    let same = words(&m, &found) == words(&m, &expected);
                    assert!(same, "{}, {} threads, {added} added", m.id.name(), m.threads.count());
                }
            }
        }
    }
}
