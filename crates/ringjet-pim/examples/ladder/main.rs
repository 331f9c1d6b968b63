//! The cycles of the published ladder of optimisations beside the published run times.
//!
//! The published task: 16,384 products of ciphertexts, or transforms of 32,768 ciphertexts of two
//! polynomials, with N = 4096 and three primes of 24 bits, on 2,220 DPUs. Each prime has 740 DPUs,
//! so the DPUs with the most work have 89 of 65,536 polynomials, or 23 of 16,384 products. One such
//! DPU is emulated, and stands for all.
//!
//! The last published rung is then compared with SEAL's published and measured times, and with this
//! library on one thread of this machine.
//!
//! With `--all` all DPUs are emulated with the last published rung, and no other: some minutes, and
//! 4 GiB of memory.
//!
//! The clock of 350 MHz and the occupancy of the DMA engine are fitted; nothing else is.

mod all;
mod beside;
mod cpu;
mod emulated;

use std::collections::BTreeMap;

use emulated::{Cycles, measure};
use ringjet_pim::{FITTED_HERTZ, NOMINAL_HERTZ};

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

/// Rungs that go further than the published ones.
const FURTHER: [&str; 3] = ["shoup", "resident", "nine"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        None => {}
        Some("--all") => return all::run(measure("scrambled")?),
        Some(other) => return Err(format!("{other:?}: the only option is --all").into()),
    }
    let published = LADDER.iter().map(|&(name, _)| name);
    let steps = STEPS.iter().map(|&(name, ..)| name);
    let mut cycles = BTreeMap::new();
    for name in published.chain(FURTHER).chain(steps) {
        cycles.insert(name, measure(name)?);
    }
    ladder(&cycles);
    beside::published(cycles["initial"], cycles["scrambled"]);
    beside::one_thread(cycles["scrambled"], &cpu::measure()?);
    Ok(())
}

fn ladder(cycles: &BTreeMap<&str, Cycles>) {
    println!("{:13} {:>35} {:>35} {:>35}", "", "NTT", "inverse NTT", "BGV product");
    print!("{:13}", "rung");
    for _ in 0..3 {
        print!(" {:>8} {:>8} {:>9} {:>7}", "400 MHz", "350 MHz", "published", "");
    }
    println!();
    for (name, published) in LADDER {
        print!("{name:13}");
        for (cycles, published) in cycles[name].published().iter().zip(published) {
            let ms = 1e3 * cycles / FITTED_HERTZ;
            let change = 100.0 * (ms / published - 1.0);
            print!(" {:8.0} {ms:8.0} {published:9.0} {change:+6.1}%", 1e3 * cycles / NOMINAL_HERTZ);
        }
        println!();
    }
    for name in FURTHER {
        print!("{name:13}");
        for cycles in cycles[name].published() {
            print!(" {:8.0} {:8.0} {:>9} {:>7}", 1e3 * cycles / NOMINAL_HERTZ, 1e3 * cycles / FITTED_HERTZ, "", "");
        }
        println!();
    }
    println!("\nchange of time, here (published)");
    for (name, base, published) in STEPS {
        let (cycles, base_cycles) = (cycles[name].published(), cycles[base].published());
        print!("{name:13} against {base:10}");
        for i in 0..3 {
            print!(" {:+6.1}% ({:+.1}%)", 100.0 * (cycles[i] / base_cycles[i] - 1.0), 100.0 * published[i]);
        }
        println!();
    }
}
