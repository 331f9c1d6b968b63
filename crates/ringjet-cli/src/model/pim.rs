//! `ringjet model pim`.

use std::path::PathBuf;

use ringjet_model::Device;
use ringjet_model::pim::{
    Comparison, MachineSpec, Multiplier, Operation, Program, Row, Setting, TaskSpec, page, plot, rivals,
};
use serde_json::json;

use crate::text::{self, Form, bytes, print_table};
use crate::{Result, system};

/// The host's core that adds what DPUs have summed up.
const HOST: &str = "cpu-ifma-1core";

/// When processing in memory wins: operations on ciphertexts on UPMEM's DPUs, a core, 16 threads
/// and a GPU, by models. The defaults are a published task; nothing was measured on DPUs.
#[derive(clap::Args)]
pub struct Args {
    /// Ring degree, a power of two from 1024 to 32768
    #[arg(long, default_value_t = 4096)]
    n: u64,
    /// Bits of the ciphertexts' modulus, 20 to 2000
    #[arg(long, default_value_t = 72, value_name = "BITS")]
    log_q: u32,
    /// Bits of the primes on DPUs at most, 16 to 30 [default: 30, or 24 with --program nine]
    #[arg(long, value_name = "BITS")]
    prime_bits: Option<u32>,
    /// Ciphertexts of two polynomials. Sums and products of pairs have half as many results
    #[arg(long, default_value_t = 32768, value_name = "NUMBER")]
    ciphertexts: u64,
    /// DPUs, 1 to 1000000
    #[arg(long, default_value_t = 2220, value_name = "NUMBER")]
    dpus: u32,
    /// Clock of the DPUs, 50 to 5000: 350 is fitted to published times, 400 is nominal
    #[arg(long, default_value_t = 350.0, value_name = "MHZ")]
    clock_mhz: f64,
    /// Multiplier of the DPUs: 8 as built, 16 or 32 for DPUs that do not exist
    #[arg(long, default_value_t = 8, value_name = "BITS")]
    multiplier_bits: u32,
    /// Build of the DPU program. Published, one step after the other: initial, product, buffered,
    /// coalesced, scrambled. Single steps and a bound: product-only, barrett-only, dummy. Further:
    /// shoup, resident, nine
    #[arg(long, default_value = "scrambled", value_name = "NAME")]
    program: String,
    /// Tasklets of each DPU, 1 to 24. The program takes at most 16
    #[arg(long, default_value_t = 16, value_name = "NUMBER")]
    tasklets: u32,
    /// Power of the host's processor while DPUs compute
    #[arg(long, default_value_t = 85.0, value_name = "WATTS")]
    host_watts: f64,
    /// Data stay in the DPUs' memory: the default
    #[arg(long, conflicts_with = "moved")]
    resident: bool,
    /// Operands are moved to the DPUs before each operation, and results back
    #[arg(long)]
    moved: bool,
    /// Other machines: names, or files from `ringjet model calibrate`; by default a core, 16
    /// threads, and an H200; repeatable
    #[arg(long = "device", value_name = "NAME|FILE")]
    devices: Vec<String>,
    /// Write a page for a browser, with plots
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Write the page's main plot as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
}

pub fn run(args: &Args) -> Result<()> {
    let host = Device::builtin(HOST)?;
    let devices = if args.devices.is_empty() {
        rivals()?
    } else {
        args.devices.iter().map(|name| super::devices::device(name, system::cores())).collect::<Result<Vec<_>>>()?
    };
    let program = Program::named(&args.program)?;
    let setting = Setting {
        machine: MachineSpec {
            dpus: args.dpus,
            megahertz: args.clock_mhz,
            program,
            multiplier: Multiplier::of_bits(args.multiplier_bits)?,
            tasklets: args.tasklets,
            host_watts: args.host_watts,
        },
        task: TaskSpec {
            n: args.n,
            log_q: args.log_q,
            prime_bits: args.prime_bits.unwrap_or(program.most_bits()),
            ciphertexts: args.ciphertexts,
            moved: args.moved && !args.resident,
        },
        host: &host,
        rivals: &devices,
    };
    let comparison = setting.compare()?;
    for (path, made) in [(&args.page, page(&setting, &args.command())), (&args.plot, plot(&setting))] {
        if let Some(path) = path {
            let made = made?;
            text::write(path, &made)?;
            eprintln!("{}: {}", path.display(), bytes(made.len() as u64));
        }
    }
    if args.form.is_csv() {
        return args.form.print(&comparison.rows);
    }
    if !args.form.is_table() {
        return args.form.print([json!({
            "n": args.n,
            "log_q": args.log_q,
            "ciphertexts": args.ciphertexts,
            "dpus": args.dpus,
            "clock_mhz": args.clock_mhz,
            "multiplier_bits": args.multiplier_bits,
            "program": program.name(),
            "tasklets": args.tasklets,
            "moved": setting.task.moved,
            "comparison": comparison,
        })]);
    }
    show(&setting, &comparison);
    Ok(())
}

impl Args {
    /// The command line without folders and output files.
    fn command(&self) -> String {
        let mut words = format!(
            "ringjet model pim --n {} --log-q {} --ciphertexts {} --dpus {} --clock-mhz {} --multiplier-bits {} --program {} --tasklets {} --host-watts {}",
            self.n,
            self.log_q,
            self.ciphertexts,
            self.dpus,
            self.clock_mhz,
            self.multiplier_bits,
            self.program,
            self.tasklets,
            self.host_watts
        );
        if let Some(bits) = self.prime_bits {
            words += &format!(" --prime-bits {bits}");
        }
        if self.moved {
            words += " --moved";
        }
        for device in &self.devices {
            let file = std::path::Path::new(device).file_name().unwrap_or_default();
            words += &format!(" --device {}", file.to_string_lossy());
        }
        words + " --page FILE"
    }
}

fn show(setting: &Setting<'_>, c: &Comparison) {
    let Setting { machine, task, .. } = setting;
    let place = if task.moved { "moved to the DPUs and back" } else { "that stay in the DPUs" };
    println!(
        "{} ciphertexts {place}: N = {}, log Q = {}, {} primes of {} bits on DPUs, {} elsewhere",
        task.ciphertexts, task.n, task.log_q, c.limbs, c.prime_bits, c.rival_limbs
    );
    println!(
        "{} DPUs at {} MHz, {} tasklets, program {}, {:.1} W (modules), {} W (host)\n",
        machine.dpus,
        machine.megahertz,
        machine.tasklets,
        machine.program.name(),
        c.watts,
        c.host_watts
    );
    let names = c.rivals.iter().map(String::as_str);
    let times: Vec<String> = c.rivals.iter().map(|name| format!("{name} / DPUs")).collect();
    let joules: Vec<String> = c.rivals.iter().map(|name| format!("{name}, J")).collect();
    let header: Vec<&str> = ["ms", "DPUs", "transfers", "host"]
        .into_iter()
        .chain(names)
        .chain(times.iter().map(String::as_str))
        .chain(["fastest", "without GPUs", "DPUs, J", "with host, J"])
        .chain(joules.iter().map(String::as_str))
        .chain(["least joules"])
        .collect();
    print_table(&header, &c.rows.iter().map(row).collect::<Vec<_>>());
    for operation in Operation::ALL.into_iter().filter(|&operation| c.row(operation).is_none()) {
        println!("{}: left out, as its keys do not fit a DPU or the modulus has one prime", operation.name());
    }
    println!("\nproducts between a pair of transforms until DPUs win:");
    c.rivals.iter().zip(&c.products_between_transforms).for_each(|(name, products)| {
        println!("  against {name}: {}", count(*products));
    });
    println!("\ntransforms of both factors, products, transforms back, ms:\n");
    let header = ["transforms on", "products there", "products on DPUs", "on DPUs, in the same memory"];
    let rows: Vec<Vec<String>> = (c.rivals.iter().zip(&c.pipelines))
        .map(|(name, p)| vec![name.clone(), ms(p.alone_s), ms(p.shared_s), ms(p.same_memory_s)])
        .collect();
    print_table(&header, &rows);
    println!("\noperations on data in the DPUs until bringing them there has paid:\n");
    let header: Vec<&str> = ["", "bring, ms"].into_iter().chain(c.rivals.iter().map(String::as_str)).collect();
    let rows: Vec<Vec<String>> = (c.rows.iter())
        .map(|row| {
            let pays = row.pays_after.iter().map(|&times| count(times));
            [row.operation.to_owned(), ms(row.bring_s)].into_iter().chain(pays).collect()
        })
        .collect();
    print_table(&header, &rows);
    println!(
        "\nestimates: nothing was measured on DPUs; the clock and the occupancy of the transfer engine are fitted"
    );
}

fn row(row: &Row) -> Vec<String> {
    let dpus = [row.pim_s(), row.pim.transfer_s, row.host_s].map(ms);
    std::iter::once(row.operation.to_owned())
        .chain(dpus)
        .chain(row.rivals.iter().map(|rival| ms(rival.total_s)))
        .chain(row.ratios().map(|ratio| format!("{ratio:.*}", if ratio < 0.1 { 4 } else { 2 })))
        .chain([row.winner.clone(), row.winner_without_gpus.clone()])
        .chain([row.pim.joules, row.pim.joules_with_host].map(|joules| format!("{joules:.1}")))
        .chain(row.rivals.iter().map(|rival| rival.joules.map_or("-".into(), |joules| format!("{joules:.1}"))))
        .chain([row.least_joules.clone()])
        .collect()
}

fn ms(seconds: f64) -> String {
    let ms = 1e3 * seconds;
    if ms == 0.0 { "-".into() } else { format!("{ms:.*}", if ms < 100.0 { 2 } else { 0 }) }
}

/// A number of uses: at least one, `never` if there is no such number.
fn count(times: Option<f64>) -> String {
    match times {
        None => "never".into(),
        Some(times) if times < 0.05 => "at once".into(),
        Some(times) => format!("{times:.1}"),
    }
}
