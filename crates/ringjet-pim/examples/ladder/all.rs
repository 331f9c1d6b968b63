//! The published tasks on all 2,220 DPUs, with data of their own.

use std::time::Instant;

use ringjet_math::Modulus;
use ringjet_math::ntt::NttTable;
use ringjet_pim::{DpuSet, FITTED_HERTZ, Hardware, Host, Layout, Rung};

use crate::emulated::{Cycles, LOG_N, PAIRS, forward, inverse, products};

/// DPUs of a prime, and what they share.
const DPUS: u32 = 740;
const ALL_POLYNOMIALS: u32 = 65_536;
const ALL_PAIRS: u32 = 16_384;

const PRIMES: [u64; 3] = [0xff_c001, 0xff_6001, 0xfd_2001];

/// How many of `all` things DPU `k` has, if they are spread as evenly as possible.
fn share(all: u32, k: u32) -> u16 {
    (all / DPUS + u32::from(k < all % DPUS)) as u16
}

/// Emulates every DPU with the program of the last published rung, the DPUs of one prime at a time.
/// Compares the first product of each with plain arithmetic, and the cycles with those of the DPU
/// that stands for all elsewhere.
pub fn run(one: Cycles) -> Result<(), Box<dyn std::error::Error>> {
    let begin = Instant::now();
    let mut most = [0.0_f64; 3];
    for prime in PRIMES {
        let table = NttTable::new(Modulus::new(prime)?, LOG_N)?;
        let layout = Layout::new(Rung::named("scrambled")?, &table, &[], 8 * u32::from(PAIRS), 16)?;
        let mut dpus = DpuSet::new(&Host::emulator(), DPUS, Hardware::default())?;
        dpus.load("scrambled")?;
        dpus.broadcast(0, &layout.words(&[])?)?;
        let word = |k: u32, p: u32, i: u32| {
            let mixed = (u64::from(k) << 40 | u64::from(p) << 20 | u64::from(i)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ((mixed >> 16) % prime) as u32
        };
        let polynomial = |k, p| (0..1 << LOG_N).map(|i| word(k, p, i)).collect::<Vec<u32>>();
        for k in 0..DPUS {
            for p in 0..4 * u32::from(PAIRS) {
                dpus.write(k, layout.polynomial(p), &polynomial(k, p))?;
            }
        }
        // products before transforms, so that the words that are multiplied are known
        for task in [2, 0, 1] {
            for k in 0..DPUS {
                let commands = match task {
                    0 => forward(share(ALL_POLYNOMIALS, k)),
                    1 => inverse(share(ALL_POLYNOMIALS, k)),
                    _ => products(share(ALL_PAIRS, k)),
                };
                dpus.write(k, 0, &layout.command_words(&commands)?)?;
            }
            let cycles = dpus.launch()?.into_iter().max().unwrap_or(0);
            most[task] = most[task].max(cycles as f64);
            if task == 2 {
                (0..DPUS).try_for_each(|k| check(&dpus, &layout, &table, k, &polynomial))?;
            }
        }
        println!("modulus {prime}: {DPUS} DPUs, {:.0} s so far", begin.elapsed().as_secs_f64());
    }
    println!("{} DPUs in {:.0} s; at 350 MHz, beside one DPU for all:", 3 * DPUS, begin.elapsed().as_secs_f64());
    for (name, (all, one)) in ["NTT", "inverse NTT", "product"].iter().zip(most.iter().zip(one.published())) {
        let [all, one] = [all, &one].map(|cycles| 1e3 * cycles / FITTED_HERTZ);
        println!("  {name:12} {all:7.1} ms, {one:7.1} ms");
    }
    Ok(())
}

/// The middle part of the first product of a DPU, x0 y1 + x1 y0.
fn check(
    dpus: &DpuSet,
    layout: &Layout,
    table: &NttTable,
    k: u32,
    polynomial: &impl Fn(u32, u32) -> Vec<u32>,
) -> Result<(), Box<dyn std::error::Error>> {
    let (m, pairs) = (table.modulus(), u32::from(share(ALL_PAIRS, k)));
    let [x0, x1, y0, y1] = [0, 1, 2, 3].map(|block| polynomial(k, block * pairs));
    let mut found = vec![0; 1 << LOG_N];
    dpus.read(k, layout.polynomial(5 * pairs), &mut found)?;
    for i in 0..found.len() {
        let product = |a: &[u32], b: &[u32]| m.mul(a[i].into(), b[i].into());
        let expected = m.add(product(&x0, &y1), product(&x1, &y0));
        if u64::from(found[i]) != expected {
            return Err(format!("DPU {k}, word {i}: {} instead of {expected}", found[i]).into());
        }
    }
    Ok(())
}
