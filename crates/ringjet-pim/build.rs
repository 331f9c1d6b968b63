//! Compiles the emulator, and the programs of a DPU: `dpu/program.c` once for each line of
//! `dpu/rungs.txt` and of `dpu/layouts.txt`, `dpu/coefficients/program.c` once for each of `dpu/coefficients/builds.txt`.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

/// A build of a program: its name, its source, and its switches as macro definitions.
struct Rung {
    name: String,
    source: &'static str,
    switches: Vec<(String, String)>,
}

fn main() -> io::Result<()> {
    for path in ["dpu", "emulator", "build.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let out = Path::new(&out);
    let ladder = rungs("dpu/rungs.txt", "program.c")?;
    let layouts = rungs("dpu/layouts.txt", "program.c")?;
    let coefficients = rungs("dpu/coefficients/builds.txt", "coefficients/program.c")?;
    let probe = Rung { name: "probe".to_owned(), source: "probe.c", switches: Vec::new() };
    let all = || ladder.iter().chain(&layouts).chain(&coefficients).chain([&probe]);
    let mut programs = Vec::new();
    for rung in all() {
        let path = out.join(format!("{}.c", symbol(&rung.name)));
        fs::write(&path, program(rung))?;
        programs.push(path);
    }
    programs.extend(twins(out)?);
    fs::write(out.join("programs.c"), list(all()))?;
    programs.push(out.join("programs.c"));
    fs::write(out.join("rungs.rs"), names(&ladder) + &builds(&layouts, &coefficients))?;
    cc::Build::new()
        .files(&programs)
        .include("dpu")
        .include("dpu/shim")
        .include("emulator")
        .opt_level(2)
        .flag_if_supported("-std=gnu11")
        // a build uses some of the functions
        .flag_if_supported("-Wno-unused-function")
        .compile("ringjet_pim_programs");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .files(["emulator/machine.cpp", "emulator/requests.cpp", "emulator/calls.cpp", "emulator/host.cpp"])
        .include("emulator")
        .include("dpu/shim")
        .include(ringjet_fibers::INCLUDE)
        .opt_level(2)
        // the emulator uses no part of the C++ library, so the program does not need it at run time
        .cpp_link_stdlib(None)
        .flag_if_supported("-fno-exceptions")
        .flag_if_supported("-fno-rtti")
        .compile("ringjet_pim_emulator");
    Ok(())
}

/// Files that compile the arithmetic of `dpu/arithmetic.h` and of `dpu/coefficients` for the tests,
/// with some of its switches.
fn twins(out: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    let configurations = [
        ("final", "", "twins.c"),
        ("plain", "#define COALESCED 0\n", "twins.c"),
        ("shoup", "#define SHOUP 1\n", "twins.c"),
        ("nine", "#define NINE_PRODUCTS 1\n", "twins.c"),
        ("barrett", "#define OWN_PRODUCT 0\n#define COALESCED 0\n", "twins.c"),
        ("initial", "#define OWN_PRODUCT 0\n#define BARRETT 0\n#define COALESCED 0\n", "twins.c"),
        ("wide_plain", "#define ADD_WITH_CARRY 0\n#define COALESCED 0\n", "wide_twins.c"),
        ("wide_carry", "#define COALESCED 0\n", "wide_twins.c"),
        ("wide_further", "#define WIDE_CARRY 1\n", "wide_twins.c"),
        ("wide_initial", "#define ADD_WITH_CARRY 0\n#define COALESCED 0\n#define OWN_PRODUCT 0\n", "wide_twins.c"),
        ("wide_final", "#define OWN_PRODUCT 0\n", "wide_twins.c"),
    ];
    let write = |(name, switches, source): (&str, &str, &str)| {
        let path = out.join(format!("twins_{name}.c"));
        fs::write(&path, format!("{switches}#define CONFIG {name}\n#include {source:?}\n"))?;
        Ok(path)
    };
    configurations.into_iter().map(write).collect()
}

/// Format of a line: `name SWITCH=value SWITCH=value ...`
fn rungs(path: &str, source: &'static str) -> io::Result<Vec<Rung>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap_or_default().to_owned();
            let switch = |word: &str| {
                let (name, value) = word.split_once('=')?;
                Some((name.to_owned(), value.to_owned()))
            };
            let switches = words.map(switch).collect::<Option<_>>();
            let switches = switches.ok_or_else(|| io::Error::other(format!("{path}: {line:?} is no rung")))?;
            Ok(Rung { name, source, switches })
        })
        .collect()
}

fn symbol(name: &str) -> String {
    format!("ringjet_pim_program_{}", name.replace('-', "_"))
}

/// A file that compiles the program with the switches of a rung, under names of its own.
fn program(rung: &Rung) -> String {
    let mut text = String::new();
    for (switch, value) in &rung.switches {
        let _ = writeln!(text, "#define {switch} {value}");
    }
    let symbol = symbol(&rung.name);
    let _ = writeln!(text, "#define PROGRAM_SYMBOL {symbol}");
    let _ = writeln!(text, "#define PROGRAM_NAME {:?}", rung.name);
    let _ = writeln!(text, "#define main {symbol}_main");
    // the shared variables of a program must not clash with those of another
    let _ = writeln!(text, "#define result {symbol}_result");
    let _ = writeln!(text, "#include {:?}", rung.source);
    text
}

/// The list in which the emulator finds programs by name.
fn list<'a>(programs: impl Iterator<Item = &'a Rung> + Clone) -> String {
    let mut text = String::from("#include \"defs.h\"\n\n");
    for rung in programs.clone() {
        let _ = writeln!(text, "extern const struct ringjet_pim_program {};", symbol(&rung.name));
    }
    text.push_str("\nconst struct ringjet_pim_program* const ringjet_pim_programs[] = {\n");
    for rung in programs {
        let _ = writeln!(text, "    &{},", symbol(&rung.name));
    }
    text + "    0,\n};\n"
}

/// The table of rungs in Rust: name, whether inverse factors are scrambled, whether factors have
/// companions, most bits of a modulus.
fn names(rungs: &[Rung]) -> String {
    let is_on = |rung: &Rung, name: &str| rung.switches.iter().any(|(n, value)| n == name && value == "1");
    let rows: Vec<String> = rungs
        .iter()
        .map(|r| {
            let (scrambled, companions) = (is_on(r, "SCRAMBLED"), is_on(r, "SHOUP"));
            let bits = if is_on(r, "NINE_PRODUCTS") { 24 } else { 30 };
            format!(
                "Rung {{ name: {:?}, scrambled: {scrambled}, companions: {companions}, most_bits: {bits} }}",
                r.name
            )
        })
        .collect();
    format!("/// The builds of the program.\npub const RUNGS: [Rung; {}] = [{}];\n", rungs.len(), rows.join(", "))
}

/// The names of the other builds in Rust.
fn builds(layouts: &[Rung], coefficients: &[Rung]) -> String {
    let list = |rungs: &[Rung]| format!("{:?}", rungs.iter().map(|rung| rung.name.as_str()).collect::<Vec<_>>());
    format!(
        "/// The builds of the program for other layouts of polynomials.\npub const LAYOUT_BUILDS: [&str; {}] = {};\n\
         /// The builds of the program on coefficients of up to 127 bits.\npub const COEFFICIENT_BUILDS: [&str; {}] = {};\n",
        layouts.len(),
        list(layouts),
        coefficients.len(),
        list(coefficients)
    )
}
