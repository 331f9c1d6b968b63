//! The last published rung beside other libraries: time, break-even and energy.

use ringjet_pim::FITTED_HERTZ;

use crate::cpu;
use crate::emulated::Cycles;

/// Watts of the modules: 20 W for each 128 DPUs, of which 2220 work.
const WATTS: f64 = 20.0 * 2220.0 / 128.0;
const CIPHERTEXTS: f64 = 32768.0;
const NAMES: [&str; 4] = ["NTT", "inverse NTT", "product", "sum"];

/// Milliseconds of the published DPU program.
const DPUS: [f64; 3] = [838.0, 912.0, 125.0];
/// Published: how much longer DPUs take than SEAL 4.1.2 with 16 threads on a Xeon 5415+. Products take
/// 35.9 % less.
const OF_SEAL: [f64; 3] = [1.34, 1.87, 1.0 - 0.359];
/// Published: changes of time from the first rung to the last.
const TOTALS: [f64; 3] = [-0.823, -0.823, -0.847];
/// Published times and watts give these Joules.
const JOULES: [f64; 3] = [291.0, 317.0, 43.0];
/// Microseconds for a ciphertext, or a product, of SEAL 4.4.3 with one thread, measured on a machine
/// with two cores: with HEXL, and without.
const SEAL_CORE: [[f64; 3]; 2] = [[28.5, 30.2, 40.6], [199.0, 137.0, 107.0]];

/// Milliseconds of SEAL with 16 threads, which the published ratios imply.
fn seal() -> [f64; 3] {
    [0, 1, 2].map(|i| DPUS[i] / OF_SEAL[i])
}

fn milliseconds(cycles: f64) -> f64 {
    1e3 * cycles / FITTED_HERTZ
}

/// Products between a transform and an inverse transform until the first machine wins.
fn products_until([forward, inverse, product]: [f64; 3], other: [f64; 3]) -> f64 {
    (forward + inverse - other[0] - other[1]) / (other[2] - product)
}

/// Prints totals, energies and the break-even against SEAL.
pub fn published(first: Cycles, last: Cycles) {
    let (first, last) = (first.published(), last.published());
    let ms = last.map(milliseconds);
    println!("\nthe last published rung: here (published)");
    println!("{:13} {:>17} {:>14} {:>17} {:>17}", "", "total", "J", "SEAL, 16 thr., ms", "DPUs / SEAL");
    for i in 0..3 {
        let total = 100.0 * (last[i] / first[i] - 1.0);
        println!(
            "{:13} {total:+6.1}% ({:+.1}%) {:6.0} ({:4.0}) {:17.0} {:8.2} ({:.2})",
            NAMES[i],
            100.0 * TOTALS[i],
            1e-3 * WATTS * ms[i],
            JOULES[i],
            seal()[i],
            ms[i] / seal()[i],
            OF_SEAL[i],
        );
    }
    let [here, there] = [products_until(ms, seal()), products_until(DPUS, seal())];
    println!("products between a pair of transforms until DPUs win: {here:.1} here, {there:.1} by published times");
    println!("the modules take {WATTS:.1} W; the host is not counted");
}

/// Prints times of one thread beside those of DPUs.
pub fn one_thread(last: Cycles, measured: &[cpu::Measured; 4]) {
    println!("\none thread of {}, ringjet-cpu: us each, best / median, and ms of the whole task (median)", cpu::name());
    println!(
        "{:13} {:>14} {:>14} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "", "in cache", "from memory", "cache", "memory", "HEXL", "no HEXL", "DPUs"
    );
    let dpus = [last.forward, last.inverse, last.product, last.sum].map(milliseconds);
    for (i, one) in measured.iter().enumerate() {
        let count = if one.pairs { CIPHERTEXTS / 2.0 } else { CIPHERTEXTS };
        let us = |s: cpu::Seconds| format!("{:.1} / {:.1}", 1e6 * s.best, 1e6 * s.median);
        print!("{:13} {:>14} {:>14}", NAMES[i], us(one.cached), us(one.streamed));
        print!(" {:9.0} {:9.0}", 1e3 * count * one.cached.median, 1e3 * count * one.streamed.median);
        for seal in SEAL_CORE {
            let ms = seal.get(i).map(|us| format!("{:.0}", 1e-3 * count * us));
            print!(" {:>9}", ms.unwrap_or_default());
        }
        println!(" {:9.1}", dpus[i]);
    }
    println!("HEXL, no HEXL: SEAL 4.4.3 with one thread, measured earlier on a machine with two cores");
}
