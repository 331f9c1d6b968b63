//! Inner products of digits and a key as a separate operation.

use ringjet_backend::{Result, View, ViewMut, check};
use ringjet_math::Basis;

use crate::kernels::dispatch;
use crate::machine::CpuMachine;
use crate::operands::prefetch::TilePrefetch;
use crate::operands::terms::Start;

/// [`ringjet_backend::Backend::key_inner_product`].
pub fn key_inner_product(
    m: &CpuMachine,
    acc: ViewMut<'_>,
    digits: View<'_>,
    key: View<'_>,
    basis: &Basis,
) -> Result<()> {
    const OP: &str = "key_inner_product";
    check::inner_product(OP, &acc, digits.polys(), key, basis)?;
    check::basis(OP, digits.limbs(), digits.n(), basis)?;
    let beta = digits.polys();
    let (digits, key) = (m.source(OP, digits)?, m.key(OP, key)?);
    let (acc, fields) = (m.target(OP, acc)?, m.fields.of(basis)?);
    m.threads.run(basis.len(), 2 * beta * basis.len() * basis.n(), |_, t| {
        let terms: Vec<[&[u64]; 3]> =
            (0..beta).map(|d| [digits.limb(d, t), key.limb(2 * d, t), key.limb(2 * d + 1, t)]).collect();
        // SAFETY: each limb occurs in one task.
        let acc = unsafe { [acc.limb(0, t), acc.limb(1, t)] };
        dispatch::mul_acc_pair(&fields[t], acc, &terms, Start::Zero, &mut TilePrefetch::default());
    });
    Ok(())
}
