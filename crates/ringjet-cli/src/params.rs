//! `ringjet params`.

use std::path::PathBuf;

use ringjet::dynamic::{self, Sizes};
use ringjet::params::Explanation;
use ringjet::rlwe::primal_security;
use ringjet_backend::Width;
use serde_json::{Value, json};

use crate::backend::{self, PathChoice};
use crate::boot::Bootstrapping;
use crate::text::{Form, Lines, bytes, print_table, read};
use crate::{Result, boot};

/// All presets or one parameter set: security, depth, slots, sizes.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[cfg(feature = "papers")]
    #[command(subcommand)]
    command: Option<Command>,
    /// A preset; all presets by default
    #[arg(conflicts_with = "check")]
    name: Option<String>,
    /// A file with a parameter set as JSON; refused (exit code 1) if it is unusable or insecure
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Show the chain of a preset that bootstraps, level by level; without a name, of all
    #[arg(long, conflicts_with = "check")]
    explain: bool,
    #[cfg(feature = "papers")]
    /// Show a parameter set of the literature, and how it differs from its source, even insecure
    #[arg(long, value_name = "NAME", conflicts_with_all = ["check", "name"])]
    paper: Option<String>,
    /// Show the exact preset with a plaintext modulus of this many bits
    #[arg(long, value_name = "BITS", requires = "name")]
    t_bits: Option<u32>,
    #[command(flatten)]
    form: Form,
}

#[cfg(feature = "papers")]
#[derive(clap::Subcommand)]
enum Command {
    /// Search parameter sets that bootstrap: secure, precise enough, and fast on a device by the
    /// cost model
    Search(Box<crate::search::Args>),
}

struct Summary {
    name: String,
    params: dynamic::Parameters,
    bytes: Sizes,
    /// The source of a parameter set of the literature, as JSON and as lines.
    paper: Option<(Value, Lines)>,
    explanation: Option<Explanation>,
}

impl Summary {
    fn of(name: &str, params: dynamic::Parameters) -> Result<Self> {
        let bytes = params.sizes(&*backend::open(1, PathChoice::Auto, Width::Eight)?)?;
        Ok(Self { name: name.into(), params, bytes, paper: None, explanation: None })
    }

    fn preset(name: &str) -> Result<Self> {
        Self::of(name, dynamic::Parameters::preset(name)?)
    }

    /// Security in bits by the 2024 guidelines (0 below 128), and the largest log2(QP) at that
    /// security. Both are 0 for a secret that the guidelines do not judge.
    fn security(&self) -> (u32, u32) {
        let security = self.params.security();
        (security.and_then(|s| s.level).map_or(0, |l| l.bits()), security.map_or(0, |s| s.max_log_qp))
    }

    fn security_text(&self) -> String {
        match self.security() {
            (0, 0) => "in no table".into(),
            (0, _) => "below 128".into(),
            (bits, _) => bits.to_string(),
        }
    }

    /// Estimated bits of security of the main secret, if it is dense.
    fn estimate(&self) -> Option<f64> {
        let dense = self.params.security().is_some();
        dense.then(|| primal_security(self.params.log_n(), self.params.log_qp())).flatten()
    }

    fn json(&self) -> Result<Value> {
        let (p, security, (security_bits, max_log_qp)) = (&self.params, self.params.security(), self.security());
        let mut all = json!({
            "name": self.name,
            "scheme": p.scheme(),
            "fingerprint": p.fingerprint_hex(),
            "log_n": p.log_n(),
            "slots": p.slots(),
            "depth": p.depth(),
            "scale_bits": p.scale_bits(),
            "log_qp": p.log_qp(),
            "security_bits": security_bits,
            "max_log_qp": max_log_qp,
            "primal_attack_bits": self.estimate(),
            "margin_bits": security.map_or(0.0, |s| s.margin_bits),
            "margin_percent": security.map_or(0.0, |s| s.margin_percent),
            "allow_insecure": p.allow_insecure(),
            "bytes": self.bytes,
            "spec": serde_json::from_str::<Value>(&p.to_json()?)?,
        });
        match p {
            dynamic::Parameters::Ckks(p) => {
                (all["dnum"], all["alpha"], all["special_primes"]) =
                    (p.dnum().into(), p.alpha().into(), p.p().len().into());
                all["bootstrapping"] = Bootstrapping::of(p)?.map(|boot| boot.json()).into();
                all["chain"] = json!(self.explanation);
                all["paper"] = self.paper.as_ref().map(|(source, _)| source.clone()).into();
            }
            dynamic::Parameters::Heaan(p) => {
                (all["log_q"], all["primes"]) = (p.log_q().into(), p.basis().len().into());
            }
            dynamic::Parameters::Bgv(p) => {
                (all["t"], all["dnum"], all["alpha"], all["special_primes"]) =
                    (p.spec().t.clone().into(), p.dnum().into(), p.alpha().into(), p.p().len().into());
            }
        }
        Ok(all)
    }

    /// The cells of the table's row, and the two column titles that depend on the scheme.
    fn row(&self) -> ([&'static str; 2], Vec<String>) {
        let p = &self.params;
        let (titles, modulus, count) = match p {
            dynamic::Parameters::Ckks(p) => (["logQP", "dnum"], format!("{:.0}", p.log_qp()), p.dnum()),
            dynamic::Parameters::Heaan(p) => (["logQ", "primes"], p.log_q().to_string(), p.basis().len()),
            dynamic::Parameters::Bgv(p) => (["logQP", "dnum"], format!("{:.0}", p.log_qp()), p.dnum()),
        };
        let row = vec![
            self.name.clone(),
            format!("2^{}", p.log_n()),
            p.slots().to_string(),
            p.depth().to_string(),
            p.plaintext_modulus().map_or_else(|| format!("2^{}", p.scale_bits()), |t| format!("t={t}")),
            modulus,
            count.to_string(),
            self.security_text(),
            p.security().filter(|s| s.max_log_qp > 0).map_or(String::new(), |s| format!("{:.1} %", s.margin_percent)),
            bytes(self.bytes.switching_key_at_rest),
            bytes(self.bytes.switching_key_in_memory),
            bytes(self.bytes.ciphertext_at_rest),
        ];
        (titles, row)
    }

    fn security_line(&self) -> String {
        let (_, max) = self.security();
        let bound = match &self.params {
            dynamic::Parameters::Heaan(p) if max == 0 => {
                return format!("in no published table: {:?}", p.spec().secret);
            }
            dynamic::Parameters::Heaan(p) => format!("log2(Q^2) = {} of {max}", p.log_qp()),
            dynamic::Parameters::Ckks(p) => format!("log2(QP) = {:.1} of {max}", p.log_qp()),
            dynamic::Parameters::Bgv(p) => format!("log2(QP) = {:.1} of {max}", p.log_qp()),
        };
        let margin = self.params.security().map_or(String::new(), |estimate| estimate.margin_text());
        format!("{} bits: {bound}, {margin}", self.security_text())
    }

    fn lines(&self) -> Result<Lines> {
        let (p, s) = (&self.params, &self.bytes);
        let two = |rest, memory| format!("{} at rest, {} in memory", bytes(rest), bytes(memory));
        let mut lines = vec![
            ("name", format!("{} ({})", self.name, p.scheme())),
            ("fingerprint", p.fingerprint_hex()),
            (
                "ring degree",
                format!("2^{}, {} {}slots", p.log_n(), p.slots(), if p.is_exact() { "" } else { "complex " }),
            ),
        ];
        lines.extend(match p {
            dynamic::Parameters::Ckks(p) => {
                let uneven = if p.spec().digits.is_some() { "up to " } else { "" };
                let digits = format!("{} digits of {uneven}{} primes", p.dnum(), p.alpha());
                vec![
                    ("levels", format!("{} above the lowest, {} primes", p.top_level(), p.limbs(p.top_level()))),
                    ("scale", format!("2^{}", p.scale_bits())),
                    ("key switching", format!("{digits}, {} special primes", p.p().len())),
                ]
            }
            dynamic::Parameters::Heaan(p) => vec![
                ("modulus", format!("2^{}, products through up to {} primes", p.log_q(), p.basis().len())),
                ("depth", format!("{} multiplications rescaled by 2^{}", p.depth(), p.scale_bits())),
            ],
            dynamic::Parameters::Bgv(p) => vec![
                ("values", format!("integers modulo {}, in two rows", p.t())),
                ("primes", format!("{:?}, one component of a ciphertext each", p.spec().t)),
                ("depth", format!("{} multiplications, each with a rotation; {} primes", p.depth(), p.q().len())),
                (
                    "key switching",
                    format!("{} digits of {} primes, {} special primes", p.dnum(), p.alpha(), p.p().len()),
                ),
            ],
        });
        lines.push(("security", self.security_line()));
        lines.extend(self.estimate().map(|bits| {
            ("", format!("main secret: about {bits:.0} bits by the primal attack in the cost model MATZOV"))
        }));
        if p.allow_insecure() {
            lines.push(("", "allow_insecure is set: the wanted security is not enforced".into()));
        }
        let fresh = bytes(s.ciphertext_seeded_at_rest);
        lines.extend([
            ("evaluation key", format!("{}, each", two(s.switching_key_at_rest, s.switching_key_in_memory))),
            ("public key", two(s.public_key_at_rest, s.public_key_in_memory)),
            ("ciphertext", format!("{}, fresh with the secret key {fresh}", bytes(s.ciphertext_at_rest))),
        ]);
        lines.extend(self.paper.iter().flat_map(|(_, lines)| lines.clone()));
        if let dynamic::Parameters::Ckks(p) = p {
            lines.extend(Bootstrapping::of(p)?.iter().flat_map(Bootstrapping::lines));
        }
        Ok(lines)
    }

    fn show(&self, form: Form) -> Result<()> {
        if !form.is_table() {
            return form.print([self.json()?]);
        }
        self.lines()?.into_iter().for_each(|(what, value)| println!("{what:18}{value}"));
        self.explanation.iter().for_each(|explanation| print!("\n{explanation}"));
        Ok(())
    }
}

pub fn run(args: &Args) -> Result<()> {
    #[cfg(feature = "papers")]
    match (&args.command, &args.paper) {
        (Some(Command::Search(args)), _) => return crate::search::run(args),
        (_, Some(name)) => return paper(name, args),
        _ => {}
    }
    match (&args.check, &args.name) {
        _ if args.explain => explain(args),
        (Some(path), _) => {
            let params = dynamic::Parameters::from_json(&read(path)?, true)?;
            Summary::of(&path.display().to_string(), params)?.show(args.form)
        }
        (_, Some(name)) => {
            let preset = dynamic::Parameters::preset(name)?;
            let params = args.t_bits.map_or(Ok(preset.clone()), |bits| preset.with_t_bits(bits))?;
            Summary::of(name, params)?.show(args.form)
        }
        _ => print_all(args.form),
    }
}

/// All presets, a table for each scheme.
fn print_all(form: Form) -> Result<()> {
    let all: Vec<Summary> = dynamic::preset_names().into_iter().map(Summary::preset).collect::<Result<_>>()?;
    if !form.is_table() {
        return form.print(all.iter().map(Summary::json).collect::<Result<Vec<_>>>()?);
    }
    for of_scheme in all.chunk_by(|a, b| a.params.scheme() == b.params.scheme()) {
        let preset = format!("{} preset", of_scheme[0].params.scheme());
        let [modulus, count] = of_scheme[0].row().0;
        let first = [&preset, "N", "slots", "depth", "scale or t", modulus, count];
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

fn explain(args: &Args) -> Result<()> {
    let names = args.name.as_deref().map_or_else(|| boot::names().collect(), |name| vec![name]);
    let explained = |name: &str| -> Result<Summary> {
        let (_, explanation) = boot::chain(name)?.generate()?;
        Ok(Summary { explanation: Some(explanation), ..Summary::preset(name)? })
    };
    if !args.form.is_table() {
        return args.form.print(names.into_iter().map(|name| explained(name)?.json()).collect::<Result<Vec<_>>>()?);
    }
    for (i, name) in names.into_iter().enumerate() {
        if i > 0 {
            println!();
        }
        explained(name)?.show(args.form)?;
    }
    Ok(())
}

#[cfg(feature = "papers")]
fn paper(name: &str, args: &Args) -> Result<()> {
    use ringjet_papers::sets::{DIFFERENCES, paper_set};
    let set = paper_set(name)?;
    let source = json!({ "source": set.source, "stated": set.stated, "differences": DIFFERENCES });
    let mut lines = vec![("source", format!("{}: {}", set.source, set.stated))];
    lines.extend(DIFFERENCES.map(|difference| ("differs", difference.into())));
    let summary = Summary::of(name, boot::parameters(set.spec()?)?.into())?;
    let explanation = args.explain.then(|| set.chain.generate()).transpose()?.map(|(_, explanation)| explanation);
    Summary { paper: Some((source, lines)), explanation, ..summary }.show(args.form)
}
