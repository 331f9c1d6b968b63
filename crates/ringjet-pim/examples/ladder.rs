//! The cycles of the published ladder of optimisations beside the published run times.
//!
//! The published task: 16,384 products of ciphertexts, or transforms of 32,768 ciphertexts of two
//! polynomials, with N = 4096 and three primes of 24 bits, on 2,220 DPUs. Each prime has 740 DPUs,
//! so the DPUs with the most work have 89 of 65,536 polynomials, or 23 of 16,384 products. One such
//! DPU is emulated, and stands for all.
//!
//! The clock of 350 MHz and the occupancy of the DMA engine are fitted; nothing else is.

use ringjet_math::Modulus;
use ringjet_math::ntt::NttTable;
use ringjet_pim::{Command, DpuSet, FITTED_HERTZ, Hardware, Host, Layout, NOMINAL_HERTZ, PimError, Rung};

const LOG_N: u32 = 12;
const POLYNOMIALS: u16 = 89;
const PRODUCTS: u16 = 23;

/// Milliseconds of NTT, inverse NTT and BGV product as published.
const LADDER: [(&str, [f64; 3]); 5] = [
    ("initial", [4737.0, 5155.0, 817.0]),
    ("product", [1705.0, 1701.0, 233.0]),
    ("buffered", [1091.0, 1174.0, 126.0]),
    ("coalesced", [1072.0, 1144.0, 125.0]),
    ("scrambled", [838.0, 912.0, 125.0]),
];

/// Steps of which a relative change of time is published: the rung, the rung that it is compared
/// with, and the change.
const STEPS: [(&str, &str, [f64; 3]); 3] = [
    ("product-only", "initial", [-0.135, -0.135, -0.135]),
    ("barrett-only", "initial", [-0.5, -0.5, -0.5]),
    ("dummy", "scrambled", [-0.625, -0.625, -0.68]),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:13} {:>35} {:>35} {:>35}", "", "NTT", "inverse NTT", "BGV product");
    print!("{:13}", "rung");
    for _ in 0..3 {
        print!(" {:>8} {:>8} {:>9} {:>7}", "400 MHz", "350 MHz", "published", "");
    }
    println!();
    for (name, published) in LADDER {
        let cycles = measure(name)?;
        print!("{name:13}");
        for (cycles, published) in cycles.iter().zip(published) {
            let ms = 1e3 * cycles / FITTED_HERTZ;
            let change = 100.0 * (ms / published - 1.0);
            print!(" {:8.0} {ms:8.0} {published:9.0} {change:+6.1}%", 1e3 * cycles / NOMINAL_HERTZ);
        }
        println!();
    }
    for name in ["shoup", "resident", "nine"] {
        print!("{name:13}");
        for cycles in measure(name)? {
            print!(" {:8.0} {:8.0} {:>9} {:>7}", 1e3 * cycles / NOMINAL_HERTZ, 1e3 * cycles / FITTED_HERTZ, "", "");
        }
        println!();
    }
    println!("\nchange of time, here (published)");
    for (name, base, published) in STEPS {
        let (cycles, base_cycles) = (measure(name)?, measure(base)?);
        print!("{name:13} against {base:10}");
        for i in 0..3 {
            print!(" {:+6.1}% ({:+.1}%)", 100.0 * (cycles[i] / base_cycles[i] - 1.0), 100.0 * published[i]);
        }
        println!();
    }
    Ok(())
}

/// Cycles of the three tasks on a DPU with the most work.
fn measure(name: &str) -> Result<[f64; 3], Box<dyn std::error::Error>> {
    let rung = Rung::named(name)?;
    let table = NttTable::new(Modulus::new(0xff_c001)?, LOG_N)?;
    let layout = Layout::new(rung, &table, &[], 8 * u32::from(PRODUCTS), 16)?;
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
    let forward = time(&[Command::ForwardBatch(0..POLYNOMIALS)])?;
    let inverse = time(&[Command::InverseBatch(0..POLYNOMIALS)])?;
    Ok([forward, inverse, time(&products())?])
}

/// The products of ciphertexts as published: four products of polynomials and one sum, each a
/// command. Ciphertexts have their parts x0, x1, y0, y1 in blocks of `PRODUCTS` polynomials; three
/// blocks of results and one of temporary values follow.
fn products() -> Vec<Command> {
    let block = |i: u16| i * PRODUCTS;
    let mul = |out, a, b| Command::Mul { out: block(out), a: block(a), b: block(b) };
    let steps = [
        mul(4, 0, 2),
        mul(5, 0, 3),
        mul(7, 1, 2),
        mul(6, 1, 3),
        Command::Add { out: block(5), a: block(5), b: block(7) },
    ];
    steps.into_iter().flat_map(|step| [Command::Repeat(PRODUCTS), step]).collect()
}
