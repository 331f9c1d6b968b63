//! Digits in the evaluation domain as a separate operation.

use std::ops::Range;

use ringjet_backend::plan::ModUpPlan;
use ringjet_backend::{Result, View, ViewMut, check};

use super::digits::with_digits;
use super::groups::in_groups;
use crate::machine::CpuMachine;

/// [`ringjet_backend::Backend::mod_up`].
pub fn mod_up(m: &CpuMachine, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
    check::mod_up("mod_up", &dst, src, plan)?;
    let dst = m.target("mod_up", dst)?;
    with_digits(m, "mod_up", src, plan, |digits, src| {
        let (primes, beta, n) = (plan.extended.len(), plan.beta(), digits.n);
        let all: Vec<usize> = (0..primes).collect();
        let convert = |group: Range<usize>, columns: Range<usize>, stream| {
            for d in 0..beta {
                // SAFETY: tasks have different columns, one tile at a time.
                let out = |i: usize, from, to| unsafe { dst.draft(d, group.start + i, from, to) };
                digits.convert([0, d], &all[group.clone()], columns.clone(), stream, out);
            }
        };
        in_groups(m, n, primes, [beta; 2], convert, |group| {
            m.threads.run(group.len() * beta, group.len() * beta * n, |_, task| {
                let (t, d) = (group.start + task / beta, task % beta);
                // SAFETY: each limb occurs in one task.
                let limb = unsafe { dst.limb(d, t) };
                match digits.own_limb(d, t) {
                    Some(i) => limb.copy_from_slice(src.limb(0, i)),
                    None => digits.extended[t].forward(limb),
                }
            });
        });
        Ok(())
    })
}
