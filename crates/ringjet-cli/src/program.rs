//! `ringjet program`: plans, prices, runs and exports program files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Subcommand;
use ringjet::dynamic::{Ciphertext, Context, EvaluationKeys, Evaluator, Parameters};
use ringjet::program::{MAX_BYTES, Program, Recorder, Stored};
use ringjet::wire::{Limits, Object};
use ringjet_backend::Backend;
use ringjet_fhetch::{Exporter, Named, Polynomial, interpret};
use ringjet_model::{CountingBackend, UsedKeys};
use serde_json::{Value, json};

use crate::backend::{self, PathChoice};
use crate::model::devices::device;
use crate::text::{Form, at, bytes, print_table, seconds};
use crate::{Result, system};

/// Plan, price, run and export program files, which `Program.save` of the Python package writes
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
    /// Accept parameters below their stated security: for experiments
    #[arg(long, global = true)]
    allow_insecure: bool,
}

#[derive(Subcommand)]
enum Command {
    /// The levels, precision, keys and bootstraps of a program
    Plan {
        /// A program file
        file: PathBuf,
        #[command(flatten)]
        form: Form,
    },
    /// The time of a program on devices
    Estimate {
        /// A program file
        file: PathBuf,
        /// Names that `ringjet model devices` lists, or profiles (.toml)
        #[arg(long, required = true, num_args = 1.., value_name = "NAME|FILE")]
        device: Vec<String>,
        #[command(flatten)]
        form: Form,
    },
    /// Compute a program on ciphertexts in files
    Run(Files),
    /// Compute a program on ciphertexts in files, and write it as instructions of FHETCH's polynomial IR
    ///
    /// Beside the results, the folder gets program.fhetch, polynomials.json and polynomials.bin. Files
    /// of these names are replaced.
    Export {
        #[command(flatten)]
        files: Files,
        /// Run the instructions with plain arithmetic, and compare the results: slow
        #[arg(long)]
        check: bool,
    },
}

/// What a program is computed on, and where the results go.
#[derive(clap::Args)]
struct Files {
    /// A program file
    file: PathBuf,
    /// The client's evaluation keys, as `EvaluationKeys.save` writes them
    #[arg(long)]
    keys: PathBuf,
    /// The ciphertexts of all inputs, in order
    inputs: Vec<PathBuf>,
    /// The folder for the results: 0.rjet, 1.rjet and so on, in the order of the program's outputs
    #[arg(long, short)]
    out: PathBuf,
    /// The kernels to use
    #[arg(long, value_enum, default_value_t = PathChoice::Auto)]
    path: PathChoice,
    /// Threads; 0: one a core
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

pub fn run(args: &Args) -> Result<()> {
    let limits = Limits { max_bytes: Some(u64::MAX), allow_insecure: args.allow_insecure };
    match &args.command {
        Command::Plan { file, form } => plan(&load(file, args.allow_insecure)?, *form),
        Command::Estimate { file, device, form } => estimate(&load(file, args.allow_insecure)?, device, *form),
        Command::Run(files) => {
            let stored = load(&files.file, args.allow_insecure)?;
            let server = Server::open(files, &stored, files.backend(&stored)?, limits)?;
            let inputs = files.inputs.iter().map(|input| server.input(input)).collect::<Result<Vec<_>>>()?;
            let results = stored.program.run(&server.eval, inputs, &mut |_, _| true)?;
            fs::create_dir_all(&files.out).map_err(|e| at(&files.out, e))?;
            for (i, ct) in results.iter().enumerate() {
                write(&files.out.join(format!("{i}.rjet")), &ct.to_bytes(&server.eval.context())?)?;
            }
            Ok(())
        }
        Command::Export { files, check } => export(files, &load(&files.file, args.allow_insecure)?, *check, limits),
    }
}

impl Files {
    fn backend(&self, stored: &Stored) -> Result<Arc<dyn Backend>> {
        backend::open(self.threads, self.path, stored.params.residue_width())
    }
}

/// Computes with the keys of a client.
struct Server {
    keys: EvaluationKeys,
    eval: Evaluator,
    limits: Limits,
}

impl Server {
    fn open(files: &Files, stored: &Stored, backend: Arc<dyn Backend>, limits: Limits) -> Result<Self> {
        let (params, found) = read_keys(&files.keys, limits)?;
        stored.params.expect_same("evaluation keys", &params)?;
        let context = Context::new(&params, backend);
        let keys = EvaluationKeys::from_bytes(&context, &found, limits)?;
        Ok(Self { eval: Evaluator::new(&context, &keys)?, keys, limits })
    }

    fn input(&self, input: &Path) -> Result<Ciphertext> {
        let data = fs::read(input).map_err(|e| at(input, e))?;
        let ct = Ciphertext::from_bytes(&self.eval.context(), &data, self.limits).map_err(|e| at(input, e))?;
        self.keys.expect(&ct).map_err(|e| at(input, e))?;
        Ok(ct)
    }
}

/// Computes a program, and writes its results and its instructions.
fn export(files: &Files, stored: &Stored, check: bool, limits: Limits) -> Result<()> {
    if stored.params.scheme() == "heaan" {
        let why = "HEAAN computes with integers modulo powers of two, for which FHETCH's polynomial IR has no \
                   instructions: write the program for CKKS, BGV or BFV";
        return Err(at(&files.file, why).into());
    }
    expect_other_files(files, stored.program.outputs().len())?;
    let exporter = Arc::new(Exporter::new(files.backend(stored)?));
    let server = Server::open(files, stored, exporter.clone(), limits)?;
    let names: Vec<&str> = stored.program.inputs().iter().map(|(input, _)| input.name.as_str()).collect();
    let read = |(i, input): (usize, &PathBuf)| {
        exporter.input(names.get(i).copied().unwrap_or_default(), || server.input(input))
    };
    let inputs = files.inputs.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?;
    let ciphertexts = stored.program.run(&server.eval, inputs, &mut |_, _| true)?;
    let bytes = |((name, _), ct): (&(String, _), &Ciphertext)| -> Result<Vec<u8>> {
        Ok(exporter.output(name, || ct.to_bytes(&server.eval.context()))?)
    };
    let results = stored.program.outputs().iter().zip(&ciphertexts).map(bytes).collect::<Result<Vec<_>>>()?;
    let program = exporter.program();
    // the check needs the memory
    drop((ciphertexts, server, exporter));
    fs::create_dir_all(&files.out).map_err(|e| at(&files.out, e))?;
    program.save(&files.out)?;
    for (i, bytes) in results.iter().enumerate() {
        write(&files.out.join(format!("{i}.rjet")), bytes)?;
    }
    let count = |all: &[Named]| all.iter().map(|named| named.polynomials.len()).sum::<usize>();
    println!(
        "{} instructions on polynomials of {} words: {} of inputs, {} of keys and constants, {} of results",
        program.instructions.len(),
        program.degree,
        count(&program.inputs),
        program.constants.len(),
        count(&program.outputs),
    );
    drop((program, results));
    if check {
        expect_results(&ringjet_fhetch::Program::load(&files.out)?, &files.out)?;
        println!("the instructions give ringjet's results");
    }
    Ok(())
}

/// Refuses to replace a file that is read.
fn expect_other_files(files: &Files, results: usize) -> Result<()> {
    let names = (0..results).map(|i| format!("{i}.rjet"));
    let names = names.chain(["program.fhetch", "polynomials.json", "polynomials.bin"].map(String::from));
    // a file that does not exist yet is none that is read
    let written: Vec<PathBuf> = names.filter_map(|name| fs::canonicalize(files.out.join(name)).ok()).collect();
    for read in [&files.file, &files.keys].into_iter().chain(&files.inputs) {
        if fs::canonicalize(read).is_ok_and(|path| written.contains(&path)) {
            return Err(at(read, "the export would replace this file: choose another folder for --out").into());
        }
    }
    Ok(())
}

/// Runs the instructions of a program in a folder, which must give its results.
fn expect_results(program: &ringjet_fhetch::Program, folder: &Path) -> Result<()> {
    let found = interpret(program.degree, &program.instructions, program.given(), &program.results())?;
    for Named { name, polynomials } in &program.outputs {
        for Polynomial { address, words, .. } in polynomials {
            let mut pairs = found[address].iter().zip(&**words).enumerate();
            if let Some((i, (found, expected))) = pairs.find(|(_, (found, expected))| found != expected) {
                let folder = folder.display();
                return Err(format!(
                    "result {name}: word {i} of %{address} is {found}, expected {expected}; do not use {folder}, \
                     please report it"
                )
                .into());
            }
        }
    }
    Ok(())
}

fn load(file: &Path, allow_insecure: bool) -> Result<Stored> {
    let size = fs::metadata(file).map_err(|e| at(file, e))?.len();
    if size > MAX_BYTES {
        return Err(at(file, format!("{size} bytes, more than the {MAX_BYTES} of a program")).into());
    }
    let data = fs::read(file).map_err(|e| at(file, e))?;
    Ok(Program::from_bytes(&data, MAX_BYTES, allow_insecure).map_err(|e| at(file, e))?)
}

/// Parameters and the bytes of the keys that follow them.
fn read_keys(file: &Path, limits: Limits) -> Result<(Parameters, Vec<u8>)> {
    let data = fs::read(file).map_err(|e| at(file, e))?;
    let (params, rest) = Parameters::split(&data, Object::EvaluationKeys, limits, None).map_err(|e| at(file, e))?;
    Ok((params, rest.to_vec()))
}

/// Writes a file that is complete when it has its name.
fn write(path: &Path, data: &[u8]) -> Result<()> {
    let part = path.with_extension("part");
    fs::write(&part, data).and_then(|()| fs::rename(&part, path)).map_err(|e| at(path, e))?;
    Ok(())
}

/// A program that was recorded on a counting backend.
struct Counted {
    backend: Arc<CountingBackend>,
    eval: Evaluator,
    recorder: Recorder,
    made: Vec<Ciphertext>,
    /// Bytes that the backend counts for the shapes of keys.
    shapes: u64,
}

fn counted(stored: &Stored) -> Result<Counted> {
    let backend = Arc::new(CountingBackend::default());
    let context = Context::new(&stored.params, backend.clone());
    let keys = context.uncomputed_keys(stored.bootstrapping)?;
    let eval = Evaluator::new(&context, &keys)?;
    let shapes = backend.take().resident_bytes;
    let mut recorder = Recorder::new(&eval);
    let made = stored.program.record_on(&mut recorder, Vec::new())?.into_iter().map(|x| x.ct).collect();
    Ok(Counted { backend, eval, recorder, made, shapes })
}

fn plan(stored: &Stored, form: Form) -> Result<()> {
    let counted = counted(stored)?;
    let keys = json!(UsedKeys::of(&counted.backend.trace()).request(&counted.eval));
    let bootstraps: usize = counted.recorder.facts().iter().map(|fact| fact.bootstraps.len()).sum();
    let outputs: Vec<(&str, &Ciphertext)> =
        stored.program.outputs().iter().map(|(name, _)| name.as_str()).zip(&counted.made).collect();
    if form.is_csv() {
        return form.print(counted.recorder.facts().iter().map(step));
    }
    if !form.is_table() {
        let results: Vec<Value> = outputs.iter().map(|(name, ct)| result(name, ct)).collect();
        return form.print([json!({ "outputs": results, "keys": keys, "bootstraps": bootstraps })]);
    }
    let header = ["operation", "level", "scale", "slots", "up to", "precision", "bootstraps", "where"];
    let rows: Vec<Vec<String>> = counted.recorder.facts().iter().map(row).collect();
    print_table(&header, &rows);
    println!();
    for (name, ct) in outputs {
        println!("result {name}: {} left, {}", ct.budget().left, quality(ct));
    }
    println!("bootstraps {bootstraps}");
    println!("keys {keys}");
    Ok(())
}

/// An operation as CSV has it.
fn step(fact: &ringjet::program::Fact) -> Value {
    let exact = fact.noise_budget.is_some();
    json!({
        "operation": fact.operation, "left": fact.left, "scale_log2": fact.scale_log2, "slots": fact.slots,
        "magnitude": fact.magnitude, "precision_bits": (!exact).then_some(fact.precision_bits),
        "noise_budget": fact.noise_budget, "bootstraps": fact.bootstraps.len(), "where": fact.place,
    })
}

fn row(fact: &ringjet::program::Fact) -> Vec<String> {
    vec![
        fact.operation.into(),
        fact.left.to_string(),
        format!("2^{:.2}", fact.scale_log2),
        fact.slots.to_string(),
        format!("{:.4}", fact.magnitude),
        fact.noise_budget.map_or_else(|| format!("{:.1}", fact.precision_bits), |bits| format!("budget {bits:.0}")),
        fact.bootstraps.len().to_string(),
        fact.place.clone(),
    ]
}

fn quality(ct: &Ciphertext) -> String {
    ct.noise_budget().map_or_else(|_| ct.noise().precision_text(), |bits| format!("noise budget {bits:.0} bits"))
}

fn result(name: &str, ct: &Ciphertext) -> Value {
    let budget = ct.budget();
    json!({
        "name": name, "left": budget.left, "scale_log2": budget.scale_log2, "slots": ct.slots(), "count": ct.count(),
        "precision_bits": ct.noise_budget().is_err().then(|| ct.noise().precision_bits()),
        "noise_budget": ct.noise_budget().ok(),
    })
}

fn estimate(stored: &Stored, devices: &[String], form: Form) -> Result<()> {
    let counted = counted(stored)?;
    let trace = counted.backend.trace();
    let request = UsedKeys::of(&trace).request(&counted.eval);
    let keys = stored.params.key_sizes(&stored.params.key_plan(&request)?, &*counted.backend)?;
    let peak = trace.peak_bytes - counted.shapes + keys.memory_bytes;
    let (program, set_up) = trace.apart("BootstrapMatrices");
    let (mut rows, mut records) = (Vec::new(), Vec::new());
    for name in devices {
        let device = device(name, system::cores())?;
        let found = program.estimate(&device);
        let once = set_up.estimate(&device).time.total_s;
        if !form.is_table() {
            records.push(json!({
                "device": device.name(), "time": found.time, "energy_joules": found.energy_joules,
                "cost": found.cost, "set_up_s": once, "peak_bytes": peak, "key_bytes": keys.memory_bytes,
            }));
            continue;
        }
        rows.push(vec![
            device.name().into(),
            seconds(found.time.total_s),
            seconds(found.time.compute_s),
            seconds(found.time.memory_s),
            seconds(once),
            bytes(peak),
        ]);
    }
    if !form.is_table() {
        return form.print(records);
    }
    print_table(&["device", "time", "arithmetic", "memory", "set-up", "peak"], &rows);
    Ok(())
}

#[cfg(test)]
mod tests {
    use ringjet_fhetch::{Domain, Instruction, Op, Program};

    use super::*;

    #[test]
    fn a_changed_word_is_reported() {
        let polynomial =
            |address, words: [u64; 2]| Polynomial { address, domain: Domain::Evaluation, words: words.to_vec().into() };
        let named = |name: &str, x| vec![Named { name: name.into(), polynomials: vec![x] }];
        let mut program = Program {
            degree: 2,
            instructions: vec![Instruction { op: Op::MulScalar(5), dst: 2, src: 1, modulus: 17 }],
            inputs: named("x", polynomial(1, [1, 4])),
            constants: vec![],
            outputs: named("y", polynomial(2, [5, 3])),
        };
        let check = |program: &Program| expect_results(program, Path::new("folder")).map_err(|e| e.to_string());
        assert_eq!(check(&program), Ok(()));
        program.outputs = named("y", polynomial(2, [5, 4]));
        let message = "result y: word 1 of %2 is 3, expected 4; do not use folder, please report it";
        assert_eq!(check(&program), Err(message.into()));
    }
}
