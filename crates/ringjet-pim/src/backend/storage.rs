//! Buffers: limbs on the host or on DPUs.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringjet_backend::Storage;
use zeroize::Zeroizing;

use crate::PimError;
use crate::backend::machine::{DpuMachine, Place};

/// Where the words of a limb are.
pub enum Limb {
    /// Nothing was written yet.
    Unset,
    /// On the host: uploaded, and not used by a DPU yet.
    Host(Zeroizing<Vec<u32>>),
    /// On a DPU.
    Dpu(Place),
}

/// The memory of a buffer. A limb goes to a DPU when an operation first uses it, because only then
/// its prime is known.
pub struct Limbs {
    limbs: Mutex<Vec<Limb>>,
    machine: Arc<Mutex<DpuMachine>>,
    n: usize,
    /// The DPU for limbs that no operand draws elsewhere.
    pub home: u32,
    secret: bool,
}

impl Limbs {
    pub fn new(machine: &Arc<Mutex<DpuMachine>>, limbs: usize, n: usize, home: u32) -> Self {
        let limbs = Mutex::new((0..limbs).map(|_| Limb::Unset).collect());
        Self { limbs, machine: Arc::clone(machine), n, home, secret: false }
    }

    /// Overwrites a polynomial that is given back, if it is secret.
    pub fn clear(&self, machine: &mut DpuMachine, place: Place) -> Result<(), PimError> {
        if self.secret { machine.clear(place, self.n) } else { Ok(()) }
    }

    /// Where a limb is, if it is on a DPU.
    pub fn place(&self, index: usize) -> Option<Place> {
        match self.lock()[index] {
            Limb::Dpu(place) => Some(place),
            _ => None,
        }
    }

    pub fn lock(&self) -> MutexGuard<'_, Vec<Limb>> {
        lock(&self.limbs)
    }
}

/// A panic elsewhere leaves nothing half-written: limbs are replaced as a whole.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Storage for Limbs {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn mark_secret(&mut self) {
        self.secret = true;
    }
    fn is_secret(&self) -> bool {
        self.secret
    }
}

impl Drop for Limbs {
    fn drop(&mut self) {
        let (mut machine, mut limbs) = (lock(&self.machine), lock(&self.limbs));
        for limb in limbs.drain(..) {
            let Limb::Dpu(place) = limb else { continue };
            // a DPU that fails cannot be reached any more, not even to clear its memory
            let _ = self.clear(&mut machine, place);
            machine.give(place, self.n);
        }
    }
}
