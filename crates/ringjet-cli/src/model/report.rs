//! `ringjet model report`.

use std::path::{Path, PathBuf};

use ringjet::{Bootstrapper, KeyPlan};
use ringjet_model::Device;
use ringjet_papers::report::{Program, Report, html, read_search};

use super::validate::trace;
use crate::text::{self, bytes};
use crate::{Result, system};

/// Write a page for a browser: rooflines, memory traffic, and time of each part.
#[derive(clap::Args)]
pub struct Args {
    /// The file to write
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// Presets. Those that bootstrap are bootstrapped, the others multiply; repeatable
    #[arg(long = "preset", default_values = ["n16-boot", "n15-boot"])]
    presets: Vec<String>,
    /// Machines: names, or files from `ringjet model calibrate`; all by default; repeatable
    #[arg(long = "device", value_name = "NAME|FILE")]
    devices: Vec<String>,
    /// A file with the output of `ringjet params search --json`
    #[arg(long, value_name = "FILE")]
    search: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<()> {
    let devices = if args.devices.is_empty() {
        Device::names().map(Device::builtin).collect::<std::result::Result<Vec<_>, _>>()?
    } else {
        args.devices.iter().map(|name| super::devices::device(name, system::cores())).collect::<Result<Vec<_>>>()?
    };
    let read = |path: &PathBuf| -> Result<_> { Ok(read_search(&text::read(path)?).map_err(|e| text::at(path, e))?) };
    let search = args.search.as_ref().map(read).transpose()?;
    let programs = args.presets.iter().map(|name| program(name)).collect::<Result<Vec<_>>>()?;
    let mut report = Report::new(&args.command(), &programs, &devices);
    report.search = search;
    let page = html(&report)?;
    text::write(&args.out, &page)?;
    println!("{}: {}", args.out.display(), bytes(page.len() as u64));
    Ok(())
}

fn program(name: &str) -> Result<Program> {
    let params = ringjet::preset(name)?;
    let slots = params.bootstrap().map_or(params.log_n() - 1, |boot| boot.most_log_slots());
    let (request, what) = if params.bootstrap().is_some() {
        (Bootstrapper::key_plan(&params, slots)?, "one bootstrap")
    } else {
        (KeyPlan::default(), "one product, relinearised and rescaled,")
    };
    let trace = trace(&params, &request, |eval, x| match params.bootstrap() {
        Some(_) => eval.bootstrap(x).map(drop),
        None => eval.mul_relin_rescale(x, x).map(drop),
    })?;
    Ok(Program { name: name.into(), summary: format!("{what} of 2^{slots} complex numbers"), trace })
}

impl Args {
    /// The command line without folders, which mean nothing on other machines.
    fn command(&self) -> String {
        let file = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut words = vec!["ringjet model report".to_owned()];
        words.extend(self.presets.iter().map(|p| format!("--preset {p}")));
        words.extend(self.devices.iter().map(|d| format!("--device {}", file(Path::new(d)))));
        words.extend(self.search.iter().map(|s| format!("--search {}", file(s))));
        words.push(format!("-o {}", file(&self.out)));
        words.join(" ")
    }
}
