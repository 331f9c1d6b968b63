//! [`Pim`]: DPUs as programs choose them by name.

use std::sync::{Arc, Weak};

use ringjet_backend::{Backend, HostFallback, Moved};

use crate::backend::{EMULATED, PimBackend, Placement, Traffic};
use crate::host::default_dpus;
use crate::{Host, PimError};

/// DPUs, and another backend for the operations that they lack.
#[derive(Debug, Clone)]
pub struct Pim {
    dpus: Arc<PimBackend>,
    both: Arc<HostFallback>,
}

impl Pim {
    /// As many DPUs as [`default_dpus`] says, with all limbs of a polynomial on one of them. `name`:
    /// [`EMULATED`], or the vendor's library for any other. `host` does what DPUs lack.
    pub fn open(name: &str, host: Arc<dyn Backend>) -> Result<Self, PimError> {
        let dpus = default_dpus()?;
        let pim = if name == EMULATED { Host::emulator() } else { Host::open()? };
        let dpus = Arc::new(PimBackend::new(&pim, dpus, Placement::PolynomialPerDpu)?);
        let both = Arc::new(HostFallback::new(Arc::clone(&dpus) as _, host));
        Ok(Self { dpus, both })
    }

    /// The same without keeping the DPUs open.
    pub fn downgrade(&self) -> WeakPim {
        WeakPim { dpus: Arc::downgrade(&self.dpus), both: Arc::downgrade(&self.both) }
    }

    /// The backend to compute with.
    pub fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.both) as _
    }

    /// What the DPUs have done, without what still waits.
    pub fn traffic(&self) -> Traffic {
        self.dpus.traffic()
    }

    /// What the other backend has done.
    pub fn moved(&self) -> Moved {
        self.both.moved()
    }
}

/// A [`Pim`] that closes when nobody else uses it.
#[derive(Debug, Clone)]
pub struct WeakPim {
    dpus: Weak<PimBackend>,
    both: Weak<HostFallback>,
}

impl WeakPim {
    /// The DPUs, if anybody still computes with them.
    pub fn upgrade(&self) -> Option<Pim> {
        Some(Pim { dpus: self.dpus.upgrade()?, both: self.both.upgrade()? })
    }
}
