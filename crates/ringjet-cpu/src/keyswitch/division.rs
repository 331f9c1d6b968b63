//! Rounded division of polynomials.

use std::ops::Range;

use ringjet_backend::plan::DivisionPlan;
use ringjet_backend::{Result, View, ViewMut, check};

use super::PAD;
use super::groups::in_groups;
use crate::ahead::Work;
use crate::backend::CpuBackend;
use crate::convert::Conversion;
use crate::kernel::{self, Factor, Output};
use crate::memory::{Scratch, Target, fence, past_caches};

/// [`ringjet_backend::Backend::divide_round`]: with the plan's factor -1/D in the conversion's constants, the transformed
/// remainder is already `-[src]_D / D`, and `src / D + add` remains to be added.
pub fn divide_round(
    b: &CpuBackend,
    dst: ViewMut<'_>,
    src: View<'_>,
    plan: &DivisionPlan,
    add: Option<View<'_>>,
) -> Result<()> {
    const OP: &str = "divide_round";
    check::divide_round(OP, &dst, src, plan, add)?;
    let (dst, src): (Target<'_>, _) = (b.target(OP, dst)?, b.source(OP, src)?);
    let add = add.map(|a| b.source(OP, a)).transpose()?;
    let conv = &plan.conv.conv;
    let (dropped, kept) = (b.fields.of(&conv.src), b.fields.of(&plan.dst));
    let conversion = Conversion::new(conv, dropped.clone(), kept.clone(), None);
    let (n, limbs, polys) = (plan.src.n(), dropped.len(), dst.polys());
    // behind those of the limbs a row for each worker
    let mut block = b.scratch((polys * limbs + b.threads.count()) * (n + PAD), src.is_secret())?;
    let rows = Scratch::new(&mut block, n + PAD);
    let past = past_caches(limbs * polys * n);
    b.threads.run(polys * limbs, polys * limbs * n, |worker, task| {
        let (p, i) = (task % polys, task / polys);
        // SAFETY: each limb occurs in one task, and a worker's row is used by one task at a time.
        let [row, room] = [p * limbs + i, polys * limbs + worker].map(|i| &mut (unsafe { rows.row(i) })[..n]);
        dropped[i].inverse_scaled_into(src.limb(p, plan.drop[i]), room, row, past, conv.hat_inverse[i]);
        fence();
    });
    let all: Vec<usize> = (0..kept.len()).collect();
    let convert = |group: Range<usize>, columns: Range<usize>, past| {
        for p in 0..polys {
            // SAFETY: rows are only read in this phase.
            let y: Vec<&[u64]> = (0..limbs).map(|i| &(unsafe { rows.read(p * limbs + i) })[..n]).collect();
            // SAFETY: tasks have different columns, one tile at a time.
            let out = |i: usize, start, end| unsafe { dst.part(p, group.start + i, start, end) };
            conversion.run(&y, &all[group.clone()], columns.clone(), past, out);
        }
    };
    in_groups(b, n, kept.len(), [polys; 2], convert, |group| {
        b.threads.run(group.len() * polys, group.len() * polys * n, |_, task| {
            let (j, p) = (group.start + task / polys, task % polys);
            // SAFETY: each limb occurs in one task.
            let out = unsafe { dst.limb(p, j) };
            let add = add.filter(|a| p < a.polys()).map(|a| a.limb(p, j));
            let Some(src) = plan.keep[j].map(|i| src.limb(p, i)) else {
                kept[j].forward(out);
                if let Some(add) = add {
                    kernel::lincomb(&kept[j], out, &[(Factor::One, add)], Output::Added);
                }
                return;
            };
            let with = [src, add.unwrap_or_default()].map(|row| row.as_ptr());
            let with = &with[..1 + usize::from(add.is_some())];
            kept[j].forward_each(&mut [out], with, Work::default(), |rows, from, to, _| {
                let (out, add) = (&mut rows[0][from..to], add.map(|a| &a[from..to]));
                kernel::scale_add(&kept[j], out, &src[from..to], plan.inverse[j], add);
            });
        });
    });
    Ok(())
}
