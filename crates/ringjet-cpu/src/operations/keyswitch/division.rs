//! Rounded division of polynomials.

use std::ops::Range;

use ringjet_backend::plan::DivisionPlan;
use ringjet_backend::{Result, View, ViewMut, check};

use super::groups::in_groups;
use super::layout::PAD;
use crate::kernels::conversion::Conversion;
use crate::kernels::dispatch;
use crate::machine::CpuMachine;
use crate::operands::prefetch::TileWork;
use crate::operands::scratch::Scratch;
use crate::operands::terms::{Factor, Output};
use crate::system::streaming::{fence, use_streaming_stores};

/// [`ringjet_backend::Backend::divide_round`]. D is the divisor. The plan's conversion includes the
/// factor -1/D, so the transformed remainder is already `-[src]_D / D`, and only `src / D + add`
/// has to be added.
pub fn divide_round(
    m: &CpuMachine,
    dst: ViewMut<'_>,
    src: View<'_>,
    plan: &DivisionPlan,
    add: Option<View<'_>>,
) -> Result<()> {
    const OP: &str = "divide_round";
    check::divide_round(OP, &dst, src, plan, add)?;
    let (dst, src) = (m.target(OP, dst)?, m.source(OP, src)?);
    let add = add.map(|a| m.source(OP, a)).transpose()?;
    let conv = &plan.conv.conv;
    let (dropped, kept) = (m.fields.of(&conv.src)?, m.fields.of(&plan.dst)?);
    let conversion = Conversion::new(conv, dropped.clone(), kept.clone());
    let (n, limbs, polys) = (plan.src.n(), dropped.len(), dst.polys());
    // the limbs' rows are followed by one row for each worker
    let mut block = m.scratch((polys * limbs + m.threads.count()) * (n + PAD), src.is_secret())?;
    let rows = Scratch::new(&mut block, n + PAD);
    let stream = use_streaming_stores(limbs * polys * n);
    m.threads.run(polys * limbs, polys * limbs * n, |worker, task| {
        let (p, i) = (task % polys, task / polys);
        // SAFETY: each limb occurs in one task, and a worker's row is used by one task at a time.
        let [row, scratch] = [p * limbs + i, polys * limbs + worker].map(|i| &mut (unsafe { rows.row(i) })[..n]);
        dropped[i].inverse_scaled_into(src.limb(p, plan.drop[i]), scratch, row, stream, conv.hat_inverse[i]);
        fence();
    });
    let all: Vec<usize> = (0..kept.len()).collect();
    let convert = |group: Range<usize>, columns: Range<usize>, stream| {
        for p in 0..polys {
            // SAFETY: rows are only read in this phase.
            let y: Vec<&[u64]> = (0..limbs).map(|i| &(unsafe { rows.read(p * limbs + i) })[..n]).collect();
            // SAFETY: tasks have different columns, one tile at a time.
            let out = |i: usize, start, end| unsafe { dst.draft(p, group.start + i, start, end) };
            conversion.run(&y, &all[group.clone()], columns.clone(), stream, out);
        }
    };
    in_groups(m, n, kept.len(), [polys; 2], convert, |group| {
        m.threads.run(group.len() * polys, group.len() * polys * n, |_, task| {
            let (j, p) = (group.start + task / polys, task % polys);
            // SAFETY: each limb occurs in one task.
            let out = unsafe { dst.limb(p, j) };
            let add = add.filter(|a| p < a.polys()).map(|a| a.limb(p, j));
            let Some(src) = plan.keep[j].map(|i| src.limb(p, i)) else {
                kept[j].forward(out);
                if let Some(add) = add {
                    kept[j].counters.count_near(|| n);
                    dispatch::lincomb(&kept[j], out, &[(Factor::One, add)], Output::Added);
                }
                return;
            };
            let with = [src, add.unwrap_or_default()].map(|row| row.as_ptr());
            let with = &with[..1 + usize::from(add.is_some())];
            kept[j].forward_each(&mut [out], with, TileWork::default(), |rows, from, to, _| {
                let (out, add) = (&mut rows[0][from..to], add.map(|a| &a[from..to]));
                dispatch::scale_add(&kept[j], out, &src[from..to], plan.inverse[j], add);
            });
        });
    });
    Ok(())
}
