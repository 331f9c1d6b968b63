//! Factors from integer coefficients.

use ringjet_backend::{Integers, Result, ViewMut, check};
use ringjet_math::Basis;

use crate::kernels::dispatch;
use crate::machine::CpuMachine;
use crate::system::streaming::fence;

/// [`ringjet_backend::Backend::integer_factors`]. Each limb is reduced, transformed and put in order
/// while it is in a cache. The transforms have the length of the coefficients.
pub fn integer_factors(m: &CpuMachine, dst: ViewMut<'_>, src: &[Integers<'_>], basis: &Basis) -> Result<()> {
    const OP: &str = "integer_factors";
    check::integer_factors(OP, &dst, src, basis)?;
    let dst = m.target(OP, dst)?;
    let (limbs, len) = (basis.len(), src.first().map_or(basis.n(), Integers::len));
    if len == basis.n() {
        let fields = m.fields.of(basis)?;
        m.each_limb(dst, |p, i, out| {
            src[p].reduce(&fields[i].modulus, out);
            fields[i].forward(out);
        });
        return Ok(());
    }
    let log_gap = (basis.n() / len).trailing_zeros();
    let (fields, places) = (m.fields.of_power(basis, log_gap)?, m.fields.places(basis.log_n(), log_gap)?);
    let scratch = m.worker_scratch(len, false)?;
    m.threads.run(src.len() * limbs, src.len() * limbs * len, |worker, task| {
        let (p, i) = (task / limbs, task % limbs);
        // SAFETY: a worker's words are used by one task at a time, and every limb occurs in one task.
        let (few, out) = unsafe { (scratch.of(worker), dst.limb(p, i)) };
        src[p].reduce(&fields[i].modulus, few);
        fields[i].forward(few);
        if out.len() == len {
            dispatch::reorder(&fields[i], out, few, &places, false);
        } else {
            out.iter_mut().zip(&*places).for_each(|(x, &place)| *x = few[place as usize]);
        }
        fence();
    });
    Ok(())
}
