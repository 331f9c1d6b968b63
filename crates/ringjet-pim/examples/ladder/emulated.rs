//! The published tasks on the emulated DPU that has most work.

use ringjet_math::Modulus;
use ringjet_math::ntt::NttTable;
use ringjet_pim::{Command, DpuSet, Hardware, Host, Layout, PimError, Rung};

pub const LOG_N: u32 = 12;
/// Of 65,536 polynomials on 740 DPUs.
const POLYNOMIALS: u16 = 89;
/// Of 16,384 products or sums of pairs on 740 DPUs.
pub const PAIRS: u16 = 23;

/// Cycles of each task.
#[derive(Debug, Clone, Copy)]
pub struct Cycles {
    pub forward: f64,
    pub inverse: f64,
    pub product: f64,
    /// Sums of pairs of ciphertexts, which are not published.
    pub sum: f64,
}

impl Cycles {
    /// The published tasks.
    pub fn published(&self) -> [f64; 3] {
        [self.forward, self.inverse, self.product]
    }
}

/// Runs a rung.
pub fn measure(name: &str) -> Result<Cycles, Box<dyn std::error::Error>> {
    let rung = Rung::named(name)?;
    let table = NttTable::new(Modulus::new(0xff_c001)?, LOG_N)?;
    let layout = Layout::new(rung, &table, &[], 8 * u32::from(PAIRS), 16)?;
    let mut dpus = DpuSet::new(&Host::emulator(), 1, Hardware::default())?;
    dpus.load(name)?;
    dpus.broadcast(0, &layout.words(&[])?)?;
    let words: Vec<u32> = (0..1u32 << LOG_N).map(|i| i.wrapping_mul(2_654_435_769) % 0xff_c001).collect();
    for p in 0..layout.polynomials() {
        dpus.write(0, layout.polynomial(p), &words)?;
    }
    let mut time = |commands: &[Command]| -> Result<f64, PimError> {
        dpus.broadcast(0, &layout.command_words(commands)?)?;
        Ok(dpus.launch()?[0] as f64)
    };
    Ok(Cycles {
        forward: time(&forward(POLYNOMIALS))?,
        inverse: time(&inverse(POLYNOMIALS))?,
        product: time(&products(PAIRS))?,
        sum: time(&[Command::Repeat(2 * PAIRS), Command::Add { out: 0, a: 0, b: 2 * PAIRS }])?,
    })
}

/// Transforms of the first polynomials.
pub fn forward(polynomials: u16) -> Vec<Command> {
    vec![Command::ForwardBatch(0..polynomials)]
}

/// Inverse transforms of the first polynomials.
pub fn inverse(polynomials: u16) -> Vec<Command> {
    vec![Command::InverseBatch(0..polynomials)]
}

/// The products of ciphertexts as published: four products of polynomials and one sum, each a
/// command. Ciphertexts have their parts x0, x1, y0, y1 in blocks of `pairs` polynomials; three
/// blocks of results and one of temporary values follow.
pub fn products(pairs: u16) -> Vec<Command> {
    let block = |i: u16| i * pairs;
    let mul = |out, a, b| Command::Mul { out: block(out), a: block(a), b: block(b) };
    let steps = [
        mul(4, 0, 2),
        mul(5, 0, 3),
        mul(7, 1, 2),
        mul(6, 1, 3),
        Command::Add { out: block(5), a: block(5), b: block(7) },
    ];
    steps.into_iter().flat_map(|step| [Command::Repeat(pairs), step]).collect()
}
