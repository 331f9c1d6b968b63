//! `ringjet params`.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ringjet::any::{self, Sizes};
use ringjet::params::{Explanation, PAPER_DIFFERENCES, paper_set};
use ringjet::rlwe::security::Estimate;
use ringjet::{ParamSpec, heaan};
use serde::Serialize;

use crate::backend::{self, PathChoice};
use crate::explain::{self, Bootstrapping};
use crate::text::{bytes, print_table};
use crate::{Result, boot, search};

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
    /// The chain of a preset that bootstraps, level by level; of all of them where no preset is
    /// named
    #[arg(long, conflicts_with = "check")]
    explain: bool,
    /// A parameter set of the literature, and how it differs from its source; insecure ones are
    /// shown too
    #[arg(long, value_name = "NAME", conflicts_with_all = ["check", "name"])]
    paper: Option<String>,
    /// One object a line
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Search parameter sets that bootstrap: secure, precise enough, and fast on a device by the
    /// cost model
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
    /// Bits reached by the 2024 guidelines; 0: below 128, or a secret that they do not judge.
    security_bits: u32,
    /// The largest log2(QP) at that security; 0 where they do not judge.
    max_log_qp: u32,
    margin_bits: f64,
    margin_percent: f64,
    allow_insecure: bool,
    bytes: Sizes,
    #[serde(flatten)]
    own: Own,
    spec: serde_json::Value,
    #[serde(skip)]
    estimate: Option<Estimate>,
}

/// What one scheme has.
#[derive(Serialize)]
#[serde(untagged)]
enum Own {
    Ckks(Box<OfPrimes>),
    Heaan {
        log_q: u32,
        /// Through which products go.
        primes: usize,
        /// How secrets are drawn.
        #[serde(skip)]
        secret: heaan::Secret,
    },
}

#[derive(Serialize)]
struct OfPrimes {
    dnum: usize,
    alpha: usize,
    special_primes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    bootstrapping: Option<Bootstrapping>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<explain::Chain>,
    /// Where a set of the literature stands, what is stated there, and what differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    paper: Option<Paper>,
    #[serde(skip)]
    parameters: ringjet::Parameters,
}

#[derive(Serialize)]
struct Paper {
    source: &'static str,
    stated: &'static str,
    differences: &'static [&'static str],
}

/// Lines of a title and a text.
type Lines = Vec<(&'static str, String)>;

impl OfPrimes {
    fn of(p: &ringjet::Parameters) -> Result<Self> {
        let (dnum, alpha, special_primes) = (p.dnum(), p.alpha(), p.p().len());
        let bootstrapping = Bootstrapping::of(p)?;
        Ok(Self { dnum, alpha, special_primes, bootstrapping, chain: None, paper: None, parameters: p.clone() })
    }

    fn modulus(&self, depth: usize, scale_bits: u32) -> Lines {
        let uneven = if self.parameters.spec().digits.is_some() { "up to " } else { "" };
        let digits = format!("{} digits of {uneven}{} primes", self.dnum, self.alpha);
        vec![
            ("depth", format!("{depth} multiplications, {} primes", self.parameters.limbs(depth))),
            ("scale", format!("2^{scale_bits}")),
            ("key switching", format!("{digits}, {} special primes", self.special_primes)),
        ]
    }

    fn more(&self) -> Lines {
        let mut lines = Lines::new();
        if let Some(paper) = &self.paper {
            lines.push(("source", format!("{}: {}", paper.source, paper.stated)));
            lines.extend(paper.differences.iter().map(|&d| ("differs", d.to_string())));
        }
        lines.extend(self.bootstrapping.iter().flat_map(|b| b.lines(&self.parameters)));
        lines
    }
}

impl Summary {
    fn of(name: &str, p: &any::Parameters) -> Result<Self> {
        let (security, backend) = (p.security(), backend::open(1, PathChoice::Auto)?);
        Ok(Self {
            name: name.into(),
            scheme: p.scheme(),
            fingerprint: p.fingerprint_hex(),
            log_n: p.log_n(),
            slots: p.slots(),
            depth: p.depth(),
            scale_bits: p.scale_bits(),
            log_qp: p.log_qp(),
            security_bits: security.and_then(|s| s.level).map_or(0, |l| l.bits()),
            max_log_qp: security.map_or(0, |s| s.max_log_qp),
            margin_bits: security.map_or(0.0, |s| s.margin_bits),
            margin_percent: security.map_or(0.0, |s| s.margin_percent),
            allow_insecure: p.allow_insecure(),
            bytes: p.sizes(&*backend)?,
            own: match p {
                any::Parameters::Ckks(p) => Own::Ckks(Box::new(OfPrimes::of(p)?)),
                any::Parameters::Heaan(p) => {
                    Own::Heaan { log_q: p.log_q(), primes: p.basis().len(), secret: p.spec().secret }
                }
            },
            spec: serde_json::from_str(&p.to_json()?)?,
            estimate: security,
        })
    }

    fn preset(name: &str) -> Result<Self> {
        Self::of(name, &any::Parameters::preset(name)?)
    }

    fn security(&self) -> String {
        match (self.security_bits, self.max_log_qp) {
            (0, 0) => "in no table".into(),
            (0, _) => "below 128".into(),
            (bits, _) => bits.to_string(),
        }
    }

    /// The table's cells and the titles of those that every scheme calls its own way.
    fn row(&self) -> ([&'static str; 2], Vec<String>) {
        let (titles, modulus, count) = match &self.own {
            Own::Ckks(own) => (["logQP", "dnum"], format!("{:.0}", self.log_qp), own.dnum),
            Own::Heaan { log_q, primes, .. } => (["logQ", "primes"], log_q.to_string(), *primes),
        };
        let row = vec![
            self.name.clone(),
            format!("2^{}", self.log_n),
            self.slots.to_string(),
            self.depth.to_string(),
            format!("2^{}", self.scale_bits),
            modulus,
            count.to_string(),
            self.security(),
            if self.max_log_qp == 0 { String::new() } else { format!("{:.1} %", self.margin_percent) },
            bytes(self.bytes.switching_key_at_rest),
            bytes(self.bytes.switching_key_in_memory),
            bytes(self.bytes.ciphertext_at_rest),
        ];
        (titles, row)
    }

    fn security_line(&self) -> String {
        let bound = match &self.own {
            Own::Heaan { secret, .. } if self.max_log_qp == 0 => return format!("in no published table: {secret:?}"),
            Own::Heaan { .. } => format!("log2(Q^2) = {} of {}", self.log_qp, self.max_log_qp),
            Own::Ckks(_) => format!("log2(QP) = {:.1} of {}", self.log_qp, self.max_log_qp),
        };
        let margin = self.estimate.map_or(String::new(), |estimate| estimate.margin_text());
        format!("{} bits: {bound}, {margin}", self.security())
    }

    fn print(&self) {
        let line = |what: &str, value: String| println!("{what:18}{value}");
        let print = |lines: Lines| lines.into_iter().for_each(|(what, value)| line(what, value));
        let two = |rest, memory| format!("{} at rest, {} in memory", bytes(rest), bytes(memory));
        line("name", format!("{} ({})", self.name, self.scheme));
        line("fingerprint", self.fingerprint.clone());
        line("ring degree", format!("2^{}, {} complex slots", self.log_n, self.slots));
        print(match &self.own {
            Own::Ckks(own) => own.modulus(self.depth, self.scale_bits),
            Own::Heaan { log_q, primes, .. } => vec![
                ("modulus", format!("2^{log_q}, products through up to {primes} primes")),
                ("depth", format!("{} multiplications rescaled by 2^{}", self.depth, self.scale_bits)),
            ],
        });
        line("security", self.security_line());
        if self.allow_insecure {
            line("", "allow_insecure is set: the wanted security is not enforced".into());
        }
        let s = &self.bytes;
        line("evaluation key", format!("{}, each", two(s.switching_key_at_rest, s.switching_key_in_memory)));
        line("public key", two(s.public_key_at_rest, s.public_key_in_memory));
        let (rest, fresh) = (bytes(s.ciphertext_at_rest), bytes(s.ciphertext_seeded_at_rest));
        line("ciphertext", format!("{rest}, fresh with the secret key {fresh}"));
        if let Own::Ckks(own) = &self.own {
            print(own.more());
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
    let one = match (&args.check, &args.name) {
        (Some(path), _) => {
            Some(Summary::of(&path.display().to_string(), &any::Parameters::from_json(&read(path)?, true)?)?)
        }
        (None, name) => name.as_deref().map(Summary::preset).transpose()?,
    };
    match one {
        Some(one) if !args.json => one.print(),
        Some(one) => println!("{}", serde_json::to_string(&one)?),
        None => print_all(args.json)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// All presets, a table for each scheme.
fn print_all(json: bool) -> Result<()> {
    let all: Vec<Summary> = any::preset_names().into_iter().map(Summary::preset).collect::<Result<_>>()?;
    if json {
        for one in &all {
            println!("{}", serde_json::to_string(one)?);
        }
        return Ok(());
    }
    for of_scheme in all.chunk_by(|a, b| a.scheme == b.scheme) {
        let preset = format!("{} preset", of_scheme[0].scheme);
        let [modulus, count] = of_scheme[0].row().0;
        let first = [&preset, "N", "slots", "depth", "scale", modulus, count];
        let header = [&first[..], &["security", "margin", "key at rest", "key in memory", "ciphertext"]].concat();
        print_table(&header, &of_scheme.iter().map(|one| one.row().1).collect::<Vec<_>>());
        println!();
    }
    println!(
        "security: bits by the 2024 guidelines (ePrint 2024/463); margin: of log2(QP) under their bound, HEAAN's log2(Q^2);"
    );
    println!("key: one relinearisation, rotation or conjugation key; ciphertext: fresh, at the top level");
    Ok(())
}

/// Presets that bootstrap, with their chains.
fn explain(args: &Args) -> Result<ExitCode> {
    let names = args.name.as_deref().map_or_else(|| boot::names().collect(), |name| vec![name]);
    for (i, name) in names.into_iter().enumerate() {
        let explanation = explain::explanation(name)?;
        if i > 0 && !args.json {
            println!();
        }
        show(Summary::preset(name)?, None, Some(&explanation), args.json)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A set of the literature.
fn paper(name: &str, args: &Args) -> Result<ExitCode> {
    let set = paper_set(name)?;
    let summary = Summary::of(name, &boot::paper_parameters(&set)?.into())?;
    let paper = Paper { source: set.source, stated: set.stated, differences: &PAPER_DIFFERENCES };
    let explanation = args.explain.then(|| set.chain.generate()).transpose()?.map(|(_, explanation)| explanation);
    show(summary, Some(paper), explanation.as_ref(), args.json)?;
    Ok(ExitCode::SUCCESS)
}

/// A parameter set with where it comes from.
fn show(mut summary: Summary, paper: Option<Paper>, explanation: Option<&Explanation>, json: bool) -> Result<()> {
    if let Own::Ckks(own) = &mut summary.own {
        own.paper = paper;
        own.chain = explanation.filter(|_| json).map(Into::into);
    }
    if json {
        println!("{}", serde_json::to_string(&summary)?);
        return Ok(());
    }
    summary.print();
    explanation.iter().for_each(|explanation| print!("\n{explanation}"));
    Ok(())
}

/// The text of a JSON file; a megabyte is far more than a parameter set has.
fn read(path: &Path) -> Result<String> {
    let at = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|e| at(&e))?;
    file.take(1 << 20).read_to_string(&mut text).map_err(|e| at(&e))?;
    Ok(text)
}

/// The description of parameters of CKKS in a file.
pub fn read_spec(path: &Path) -> Result<ParamSpec> {
    Ok(serde_json::from_str(&read(path)?).map_err(|e| format!("{}: {e}", path.display()))?)
}
