//! `ringjet params`.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ringjet::params::{PAPER_DIFFERENCES, paper_set};
use ringjet::{ParamSpec, Parameters, preset, presets};
use serde::Serialize;

use crate::explain::{self, Bootstrapping};
use crate::sizes::Sizes;
use crate::text::{bytes, print_table};
use crate::{Result, boot, heaan_params, search};

/// The presets, or one parameter set: security, depth, slots, sizes.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// A preset; all of them where absent
    #[arg(conflicts_with = "check")]
    name: Option<String>,
    /// A parameter set of your own, as JSON; refused (exit code 1) where it is unusable or insecure
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// The chain of a preset that bootstraps, level by level; of all of them where no preset is named
    #[arg(long, conflicts_with = "check")]
    explain: bool,
    /// A parameter set of the literature, and how it differs from its source; insecure ones are shown too
    #[arg(long, value_name = "NAME", conflicts_with_all = ["check", "name"])]
    paper: Option<String>,
    /// One object a line
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Search parameter sets that bootstrap: secure, precise enough, and fast on a device by the cost model
    Search(Box<search::Args>),
}

/// What a user wants to know about a parameter set.
#[derive(Serialize)]
struct Summary {
    name: String,
    scheme: &'static str,
    fingerprint: String,
    log_n: u32,
    slots: usize,
    depth: usize,
    scale_bits: u32,
    log_qp: f64,
    dnum: usize,
    alpha: usize,
    special_primes: usize,
    /// Bits reached by the 2024 guidelines; 0: below 128.
    security_bits: u32,
    /// The largest log2(QP) at that security.
    max_log_qp: u32,
    margin_bits: f64,
    margin_percent: f64,
    allow_insecure: bool,
    bytes: Sizes,
    #[serde(skip_serializing_if = "Option::is_none")]
    bootstrapping: Option<Bootstrapping>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<explain::Chain>,
    /// Where a set of the literature stands, what is stated there, and what differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    paper: Option<Paper>,
    spec: ParamSpec,
    #[serde(skip)]
    parameters: Parameters,
}

#[derive(Serialize)]
struct Paper {
    source: &'static str,
    stated: &'static str,
    differences: &'static [&'static str],
}

impl Summary {
    fn of(name: &str, p: &Parameters) -> Result<Self> {
        let security = p.security();
        Ok(Self {
            name: name.into(),
            scheme: "ckks",
            fingerprint: p.fingerprint_hex(),
            log_n: p.log_n(),
            slots: p.max_slots(),
            depth: p.top_level(),
            scale_bits: p.spec().scale_bits,
            log_qp: p.log_qp(),
            dnum: p.dnum(),
            alpha: p.alpha(),
            special_primes: p.p().len(),
            security_bits: security.level.map_or(0, |l| l.bits()),
            max_log_qp: security.max_log_qp,
            margin_bits: security.margin_bits,
            margin_percent: security.margin_percent,
            allow_insecure: p.spec().allow_insecure,
            bytes: Sizes::of(p),
            bootstrapping: Bootstrapping::of(p)?,
            chain: None,
            paper: None,
            spec: p.spec().clone(),
            parameters: p.clone(),
        })
    }

    fn security(&self) -> String {
        if self.security_bits == 0 { "below 128".into() } else { self.security_bits.to_string() }
    }

    fn row(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            format!("2^{}", self.log_n),
            self.slots.to_string(),
            self.depth.to_string(),
            format!("2^{}", self.scale_bits),
            format!("{:.0}", self.log_qp),
            self.dnum.to_string(),
            self.security(),
            format!("{:.1} %", self.margin_percent),
            bytes(self.bytes.switching_key_at_rest),
            bytes(self.bytes.switching_key_in_memory),
            bytes(self.bytes.ciphertext_at_rest),
        ]
    }

    fn print(&self) {
        let line = |what: &str, value: String| println!("{what:18}{value}");
        line("name", self.name.clone());
        line("fingerprint", self.fingerprint.clone());
        line("ring degree", format!("2^{}, {} complex slots", self.log_n, self.slots));
        let primes = self.parameters.limbs(self.depth);
        line("depth", format!("{} multiplications, {primes} primes", self.depth));
        line("scale", format!("2^{}", self.scale_bits));
        let uneven = if self.spec.digits.is_some() { "up to " } else { "" };
        let digits =
            format!("{} digits of {uneven}{} primes, {} special primes", self.dnum, self.alpha, self.special_primes);
        line("key switching", digits);
        let bound = format!("log2(QP) = {:.1} of {}", self.log_qp, self.max_log_qp);
        let margin = self.parameters.security().margin_text();
        line("security", format!("{} bits: {bound}, {margin}", self.security()));
        if self.allow_insecure {
            line("", "allow_insecure is set: the wanted security is not enforced".into());
        }
        let s = &self.bytes;
        let two = |rest, memory| format!("{} at rest, {} in memory", bytes(rest), bytes(memory));
        line("evaluation key", format!("{}, each", two(s.switching_key_at_rest, s.switching_key_in_memory)));
        line("public key", two(s.public_key_at_rest, s.public_key_in_memory));
        line(
            "ciphertext",
            format!(
                "{}, fresh with the secret key {}",
                bytes(s.ciphertext_at_rest),
                bytes(s.ciphertext_seeded_at_rest)
            ),
        );
        if let Some(paper) = &self.paper {
            line("source", format!("{}: {}", paper.source, paper.stated));
            paper.differences.iter().for_each(|d| line("differs", (*d).into()));
        }
        if let Some(b) = &self.bootstrapping {
            b.lines(&self.parameters).into_iter().for_each(|(what, value)| line(what, value));
        }
    }
}

/// Shows the parameter sets of the command line.
pub fn run(args: &Args) -> Result<ExitCode> {
    if let Some(Command::Search(args)) = &args.command {
        return search::run(args);
    }
    if args.explain && args.paper.is_none() {
        return explain(args);
    }
    if let Some(name) = &args.paper {
        return paper(name, args);
    }
    if let Some(summary) = args.name.as_deref().map(heaan_params::named).transpose()?.flatten() {
        if args.json {
            println!("{}", serde_json::to_string(&summary)?);
        } else {
            summary.print();
        }
        return Ok(ExitCode::SUCCESS);
    }
    let listed = if args.check.is_none() && args.name.is_none() { heaan_params::all()? } else { vec![] };
    let chosen: Result<Vec<Summary>> = match (&args.check, &args.name) {
        (Some(path), _) => {
            Summary::of(&path.display().to_string(), &Parameters::new(&read_spec(path)?)?).map(|s| vec![s])
        }
        (None, Some(name)) => Summary::of(name, &preset(name)?).map(|s| vec![s]),
        (None, None) => presets()?.iter().map(|p| Summary::of(p.name, &p.parameters)).collect(),
    };
    let chosen = chosen?;
    if args.json {
        for s in &chosen {
            println!("{}", serde_json::to_string(s)?);
        }
        for s in &listed {
            println!("{}", serde_json::to_string(s)?);
        }
    } else if let ([one], true) = (&chosen[..], args.check.is_some() || args.name.is_some()) {
        one.print();
    } else {
        let header = [
            "preset",
            "N",
            "slots",
            "depth",
            "scale",
            "logQP",
            "dnum",
            "security",
            "margin",
            "key at rest",
            "key in memory",
            "ciphertext",
        ];
        print_table(&header, &chosen.iter().map(Summary::row).collect::<Vec<_>>());
        println!();
        heaan_params::print_all(&listed);
        println!(
            "security: bits by the 2024 guidelines (ePrint 2024/463); margin: of log2(QP) under their bound, HEAAN's log2(Q^2);"
        );
        println!("key: one relinearisation, rotation or conjugation key; ciphertext: fresh, at the top level");
    }
    Ok(ExitCode::SUCCESS)
}

/// Presets that bootstrap, with their chains.
fn explain(args: &Args) -> Result<ExitCode> {
    let names = args.name.as_deref().map_or_else(|| boot::names().collect(), |name| vec![name]);
    for (i, name) in names.into_iter().enumerate() {
        let explanation = explain::explanation(name)?;
        let mut summary = Summary::of(name, &preset(name)?)?;
        if args.json {
            summary.chain = Some((&explanation).into());
            println!("{}", serde_json::to_string(&summary)?);
        } else {
            if i > 0 {
                println!();
            }
            summary.print();
            print!("\n{explanation}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A set of the literature.
fn paper(name: &str, args: &Args) -> Result<ExitCode> {
    let set = paper_set(name)?;
    let mut summary = Summary::of(name, &boot::paper_parameters(&set)?)?;
    summary.paper = Some(Paper { source: set.source, stated: set.stated, differences: &PAPER_DIFFERENCES });
    let explanation = args.explain.then(|| set.chain.generate()).transpose()?.map(|(_, explanation)| explanation);
    if args.json {
        summary.chain = explanation.as_ref().map(Into::into);
        println!("{}", serde_json::to_string(&summary)?);
        return Ok(ExitCode::SUCCESS);
    }
    summary.print();
    if let Some(explanation) = explanation {
        print!("\n{explanation}");
    }
    Ok(ExitCode::SUCCESS)
}

/// A JSON spec; a megabyte is far more than one has.
pub fn read_spec(path: &Path) -> Result<ParamSpec> {
    let at = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|e| at(&e))?;
    file.take(1 << 20).read_to_string(&mut text).map_err(|e| at(&e))?;
    Ok(serde_json::from_str(&text).map_err(|e| at(&e))?)
}
