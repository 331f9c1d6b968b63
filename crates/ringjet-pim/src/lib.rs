//! Polynomial arithmetic on UPMEM's processors in memory (DPUs).
//!
//! The program of a DPU (`dpu/`) is C. A host loads it through the vendor's library where one is
//! installed. Everywhere else the emulator (`emulator/`) runs the same source on the host, counts
//! instructions and transfers, and says how many cycles a DPU would take.
//!
//! No hardware was available: what is said of it is untested. The emulator's costs come from the
//! literature; only the occupancy of the transfer engine and the clock are fitted.
//!
//! # Example
//!
//! ```
//! use ringjet_math::{Modulus, ntt::NttTable};
//! use ringjet_pim::{Command, DpuSet, Hardware, Host, Layout, Rung};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rung = Rung::named("scrambled")?;
//! let table = NttTable::new(Modulus::new(0xffc001)?, 12)?;
//! let layout = Layout::new(rung, &table, &[], 4, 2)?; // room for 2 commands, 4 polynomials
//! let mut dpus = DpuSet::new(&Host::emulator(), 1, Hardware::default())?;
//! dpus.load(rung.name)?;
//! dpus.broadcast(0, &layout.words(&[Command::Forward { out: 0 }])?)?;
//! let one = vec![1; 4096];
//! dpus.write(0, layout.polynomial(0), &one)?;
//! let cycles = dpus.launch()?[0];
//! println!("{} ms at 350 MHz", cycles as f64 / 350e3);
//! # Ok(())
//! # }
//! ```

pub mod assembly;
mod backend;
mod error;
pub mod host;
pub mod program;

pub use backend::{DEVICE, EMULATED, Pim, PimBackend, Placement, Traffic, WeakPim};
pub use error::{PimError, Refusal};
pub use host::{CommandProfile, DpuSet, Fault, FaultKind, Hardware, Host, LIBRARY_VARIABLE, LaunchProfile, Version};
pub use program::{COEFFICIENT_BUILDS, CoefficientLayout, Command, LAYOUT_BUILDS, Layout, RUNGS, Rung};

/// The clock at which counted cycles agree best with published run times. It is fitted; see
/// [`NOMINAL_HERTZ`].
pub const FITTED_HERTZ: f64 = 350e6;

/// The clock that the vendor states for version v1B.
pub const NOMINAL_HERTZ: f64 = 400e6;
