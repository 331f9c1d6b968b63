//! Brings the operands of a limb together on one DPU.

use ringjet_backend::plan::AutomorphismPlan;
use ringjet_backend::{BackendError, Result, Storage as _, View, ViewMut};
use ringjet_math::Basis;
use ringjet_math::ntt::NttTable;
use zeroize::Zeroizing;

use crate::backend::machine::{DpuMachine, Place};
use crate::backend::storage::{Limb, Limbs, lock};
use crate::backend::{PimBackend, Placement};
use crate::{Command, PimError};

/// What is done to one limb: its operands are on one DPU.
pub struct Step<'a> {
    machine: &'a mut DpuMachine,
    table: Option<&'a NttTable>,
    dpu: u32,
    header: u16,
    /// The index of the destination.
    pub out: u16,
    /// The indices of the sources.
    pub sources: &'a [u16],
}

impl Step<'_> {
    pub fn push(&mut self, command: Command) -> std::result::Result<(), Refused> {
        Ok(self.machine.push(self.dpu, self.header, command)?)
    }

    /// `out = value * a`.
    pub fn times(&mut self, out: u16, a: u16, value: u64) -> std::result::Result<(), Refused> {
        let table = self.table.expect("products have a basis");
        Ok(self.machine.push_scalar(self.dpu, self.header, [out, a], value, table)?)
    }
}

impl Step<'_> {
    /// `out = ` the source, permuted by a plan.
    pub fn gather(&mut self, plan: &AutomorphismPlan) -> Outcome<()> {
        let map = self.machine.map(self.dpu, plan)?.ok_or(Refused::Full(4 * plan.n()))?;
        let (out, a, map) = (self.out, self.sources[0], map.index(plan.n()));
        self.push(Command::Gather { out, a, map })
    }
}

/// Why a step fails.
pub enum Refused {
    Pim(PimError),
    /// No room for so many bytes.
    Full(usize),
}

impl From<PimError> for Refused {
    fn from(error: PimError) -> Self {
        Self::Pim(error)
    }
}

pub(super) type Outcome<T> = std::result::Result<T, Refused>;

impl PimBackend {
    /// Calls `step` for every limb of `dst`. `keep`: the old words of `dst` are used.
    pub(super) fn each(
        &self,
        op: &'static str,
        dst: ViewMut<'_>,
        sources: &[View<'_>],
        basis: Option<&Basis>,
        keep: bool,
        mut step: impl FnMut(&mut Step<'_>) -> Outcome<()>,
    ) -> Result<()> {
        let out = self.limbs(op, dst.buf())?;
        let from = sources.iter().map(|view| self.limbs(op, view.buf())).collect::<Result<Vec<_>>>()?;
        let mut machine = lock(&self.machine);
        for p in 0..dst.polys() {
            for i in 0..dst.limbs() {
                let table = basis.map(|basis| basis.primes()[i].table());
                let operands: Vec<(&Limbs, usize)> = from
                    .iter()
                    .zip(sources)
                    .map(|(limbs, view)| (*limbs, view.limb_index(if view.polys() == 1 { 0 } else { p }, i)))
                    .collect();
                let job = Job { n: dst.n(), table, out: (out, dst.limb_index(p, i)), operands, keep };
                let done = self.run(&mut machine, &job, &mut step);
                done.map_err(|refused| self.refusal(&machine, refused))?;
            }
        }
        Ok(())
    }

    fn run(
        &self,
        machine: &mut DpuMachine,
        job: &Job<'_>,
        step: &mut impl FnMut(&mut Step<'_>) -> Outcome<()>,
    ) -> Outcome<()> {
        if job.table.is_none() && copied_on_host(machine, job)? {
            return Ok(());
        }
        let mut copies = Vec::new();
        let done = self.run_with(machine, job, step, &mut copies);
        let secret = job.operands.iter().any(|(limbs, _)| limbs.is_secret());
        done.and(machine.give_all(copies, job.n, secret).map_err(Refused::Pim))
    }

    /// Copies of operands of other DPUs are added to `copies`.
    fn run_with(
        &self,
        machine: &mut DpuMachine,
        job: &Job<'_>,
        step: &mut impl FnMut(&mut Step<'_>) -> Outcome<()>,
        copies: &mut Vec<Place>,
    ) -> Outcome<()> {
        let dpu = self.meeting_point(machine, job);
        let mut sources = Vec::with_capacity(job.operands.len());
        for &(limbs, index) in &job.operands {
            let place = bring(machine, limbs, index, job.n, dpu)?;
            if limbs.place(index) != Some(place) {
                copies.push(place);
            }
            sources.push(place.index(job.n));
        }
        let out = destination(machine, job, dpu)?.index(job.n);
        let header = machine.header(job.n, job.table)?;
        step(&mut Step { machine, table: job.table, dpu, header, out, sources: &sources })
    }

    /// The DPU on which a limb is computed.
    fn meeting_point(&self, machine: &mut DpuMachine, job: &Job<'_>) -> u32 {
        let on = |(limbs, index): (&Limbs, usize)| limbs.place(index).map(|place| place.dpu);
        let kept = if job.keep { on(job.out) } else { None };
        match (self.placement, job.table) {
            (Placement::PrimePerDpu, Some(table)) => machine.dpu_of(table.modulus().value()),
            _ => kept.or_else(|| job.operands.iter().find_map(|&operand| on(operand))).unwrap_or(job.out.0.home),
        }
    }

    pub(super) fn refusal(&self, machine: &DpuMachine, refused: Refused) -> BackendError {
        match refused {
            Refused::Pim(error) => self.failed(error),
            Refused::Full(bytes) => BackendError::OutOfMemory {
                backend: self.id.name().to_owned(),
                bytes,
                free: Some(machine.free_bytes()),
            },
        }
    }
}

/// A limb of an operation.
pub(super) struct Job<'a> {
    pub n: usize,
    pub table: Option<&'a NttTable>,
    pub out: (&'a Limbs, usize),
    pub operands: Vec<(&'a Limbs, usize)>,
    /// The old words of the destination are used.
    pub keep: bool,
}

pub(super) fn room(machine: &mut DpuMachine, dpu: u32, n: usize) -> Outcome<Place> {
    machine.take(dpu, n).ok_or(Refused::Full(4 * n))
}

/// Copies a limb that is not on a DPU yet, so that the copy goes to the DPU of its prime, too.
/// Returns whether the limb was one.
fn copied_on_host(machine: &mut DpuMachine, job: &Job<'_>) -> Outcome<bool> {
    let (out, index) = job.out;
    let copy = match &job.operands[0].0.lock()[job.operands[0].1] {
        Limb::Dpu(_) => return Ok(false),
        Limb::Host(words) => Limb::Host(words.clone()),
        Limb::Unset => Limb::Unset,
    };
    if let Some(old) = out.place(index) {
        out.clear(machine, old)?;
        machine.give(old, job.n);
    }
    out.lock()[index] = copy;
    Ok(true)
}

/// A source on this DPU. One that was on the host moves there and stays; one on another DPU is
/// copied to memory that the caller gives back.
pub(super) fn bring(machine: &mut DpuMachine, limbs: &Limbs, index: usize, n: usize, dpu: u32) -> Outcome<Place> {
    let mut all = limbs.lock();
    let other = match &all[index] {
        Limb::Dpu(place) if place.dpu == dpu => return Ok(*place),
        Limb::Dpu(place) => Some(*place),
        _ => None,
    };
    let to = room(machine, dpu, n)?;
    let done = match (other, &all[index]) {
        (Some(other), _) => carry(machine, other, to, n),
        (None, Limb::Host(words)) => machine.write(to, words).map_err(Refused::Pim),
        (None, _) => machine.write(to, &vec![0; n]).map_err(Refused::Pim),
    };
    if done.is_err() {
        machine.give(to, n);
    } else if other.is_none() {
        all[index] = Limb::Dpu(to);
    }
    done.map(|()| to)
}

/// The destination on this DPU, with its old words if the job keeps them.
pub(super) fn destination(machine: &mut DpuMachine, job: &Job<'_>, dpu: u32) -> Outcome<Place> {
    let ((limbs, index), n) = (job.out, job.n);
    let old = limbs.place(index);
    match old {
        Some(place) if place.dpu == dpu => return Ok(place),
        None if job.keep => return bring(machine, limbs, index, n, dpu),
        _ => {}
    }
    let to = room(machine, dpu, n)?;
    if let Some(old) = old.filter(|_| job.keep)
        && let Err(error) = carry(machine, old, to, n)
    {
        machine.give(to, n);
        return Err(error);
    }
    limbs.lock()[index] = Limb::Dpu(to);
    machine.give_all(old, n, limbs.is_secret())?;
    Ok(to)
}

/// Copies a polynomial from one DPU to another, through the host.
fn carry(machine: &mut DpuMachine, from: Place, to: Place, n: usize) -> Outcome<()> {
    let words = fetch(machine, from, n)?;
    Ok(machine.write(to, &words)?)
}

/// A polynomial that goes to another DPU.
pub(super) fn fetch(machine: &mut DpuMachine, from: Place, n: usize) -> Outcome<Zeroizing<Vec<u32>>> {
    let mut words = Zeroizing::new(vec![0; n]);
    machine.read(from, &mut words)?;
    machine.traffic.between_dpus += 4 * n as u64;
    Ok(words)
}
