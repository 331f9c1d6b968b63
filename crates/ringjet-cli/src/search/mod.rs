//! `ringjet params search`.

mod options;
mod output;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use ringjet_papers::search::{self, Objective};

use crate::text::Form;
use crate::{Result, model, system, text};
use options::Choice;

/// Search parameter sets that bootstrap: secure, precise enough, and fast on a device by the model.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The preset to start from and to compare with [default: n16-boot, or one of --log-n]
    #[arg(long, value_name = "PRESET")]
    from: Option<String>,
    /// The machine: a name from `ringjet model devices`, or a file from `ringjet model calibrate`
    #[arg(long, default_value = "cpu-ifma-2core")]
    device: String,
    /// What to maximize [default: throughput]
    #[arg(long, value_enum, conflicts_with = "minimize")]
    maximize: Option<Maximize>,
    /// What to minimize
    #[arg(long, value_enum)]
    minimize: Option<Minimize>,
    #[command(flatten)]
    choice: Choice,
    /// Candidates to examine, including those that a bound excludes
    #[arg(long, default_value_t = 10_000)]
    candidates: usize,
    /// How many sets to show
    #[arg(long, default_value_t = 10)]
    top: usize,
    /// Threads; 0: one a core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Seed of the random samples: the same options give the same sets
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the best set as JSON, for `ringjet params --check FILE` and `ringjet bench bootstrap --parameters FILE`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Run the search of de Castro et al. (ePrint 2021/1636, Table XI) instead, with their grid,
    /// security and costs
    #[arg(long, conflicts_with_all = ["from", "maximize", "minimize", "save", "device", "candidates", "seed", "Choice"])]
    paper: bool,
    #[command(flatten)]
    form: Form,
}

const AFTER_HELP: &str = "\
Numbers are given as 40, as a list 15,16 or as a range 8.. or 3..6, both ends included. What no option \
fixes is searched.

Every candidate is bounded first: by log2(QP) against the table of ePrint 2024/463, then by its \
precision. The rest are made as real parameter sets and bootstrap once on the counting backend; times are \
the model's, on --device. Precision is the standard deviation of the error of a slot's real part for values \
up to 1; the mean of the bits of all slots is about 0.9 higher, the worst slot of 2^15 three to four bits lower.

Examples:
  ringjet params search --from n16-boot --log-n 16
  ringjet params search --log-n 15,16 --levels 8.. --precision 20 --max-key-bytes 4GiB --save best.json
  ringjet params search --minimize time --levels 5 --log-n 15";

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Maximize {
    /// Slots * levels left * bits of precision, for each microsecond
    Throughput,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Minimize {
    /// The time of a bootstrap, with as few levels as --levels allows
    Time,
    /// The time of a bootstrap divided by the levels left
    TimePerLevel,
}

impl Args {
    fn options(&self) -> Result<search::Options> {
        Ok(search::Options {
            from: self.from.clone(),
            objective: match self.minimize {
                None => Objective::Throughput,
                Some(Minimize::Time) => Objective::Time,
                Some(Minimize::TimePerLevel) => Objective::TimePerLevel,
            },
            candidates: self.candidates,
            top: self.top,
            threads: self.threads,
            seed: self.seed,
            ..self.choice.options()?
        })
    }
}

/// Searches and shows the results; exit code 1 if there are none.
pub fn run(args: &Args) -> Result<()> {
    if args.paper {
        return paper(args);
    }
    let (options, device) = (args.options()?, model::devices::device(&args.device, system::cores())?);
    let stop = interrupted()?;
    let bar = bar(args.candidates as u64);
    let outcome = search::search(&options, &device, |p| {
        bar.set_length(p.total as u64);
        bar.set_position(p.done as u64);
        let best = p.seconds.zip(p.throughput).map(|(s, t)| format!(", best {}, {t:.3}", text::seconds(s).trim_end()));
        bar.set_message(format!("{} counted{}", p.counted, best.unwrap_or_default()));
        !stop.load(Ordering::Relaxed)
    });
    bar.finish_and_clear();
    let outcome = outcome?;
    if outcome.stopped {
        eprintln!("stopped: what was found so far");
    }
    let Some(best) = outcome.found.first() else {
        return Err(format!("no set was found: {}", outcome.tally).into());
    };
    if let Some(path) = &args.save {
        text::write(path, &(serde_json::to_string_pretty(best.spec())? + "\n"))?;
    }
    if !args.form.is_table() {
        return args.form.print(output::lines(&outcome, device.name()));
    }
    output::print(&outcome, &options, device.name());
    if let Some(path) = &args.save {
        println!(
            "the first is in {}; ringjet bench bootstrap --parameters {} measures it",
            path.display(),
            path.display()
        );
    }
    Ok(())
}

/// A flag that Ctrl-C sets, to end the search and show results. A second Ctrl-C ends the process.
fn interrupted() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
    Ok(stop)
}

fn bar(total: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {human_pos}/{human_len} candidates, {msg} {eta}");
    ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn paper(args: &Args) -> Result<()> {
    let bar = bar(0);
    let found = search::published::search(|done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let found = found?;
    if !args.form.is_table() {
        return args.form.print(output::published_lines(&found));
    }
    output::print_published(&found, args.top);
    Ok(())
}
