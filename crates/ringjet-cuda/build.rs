//! Generates entry points and launch functions from the tables of kernels, and compiles the
//! emulator.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

#[cfg(feature = "host-arith")]
#[path = "build/arith.rs"]
mod arith;
#[path = "src/source.rs"]
mod source;

/// Type names of the arithmetics and the bytes of their residues in memory, in the order of
/// `Arithmetic` in `src/arithmetic.rs`. Those of 8 bytes come first.
const ARITHMETICS: [(&str, u32); 7] = [
    ("F64", 8),
    ("U64Below50", 8),
    ("U64Below61", 8),
    ("F64Below48", 6),
    ("U64Below48", 6),
    ("U32", 4),
    ("U32Unsigned", 4),
];

/// Bytes of a residue, in the order of `ringjet_backend::Width`.
const WIDTHS: [u32; 3] = [4, 6, 8];

struct Kernel {
    name: String,
    threads: u32,
    /// How many blocks must fit the registers of a multiprocessor, where the table says so.
    blocks: Option<u32>,
    instances: Instances,
    /// Type and name of each argument.
    arguments: Vec<(String, String)>,
}

/// How often a kernel exists.
#[derive(Clone, Copy, PartialEq)]
enum Instances {
    /// For each arithmetic.
    Each,
    /// For each arithmetic whose residues take 8 bytes.
    Wide,
    /// For each number of bytes of a residue.
    Bytes,
    /// Once, for words of 8 bytes.
    One,
}

/// An entry point of a kernel.
struct Entry {
    name: String,
    /// The function that it calls.
    function: String,
    /// Bytes of a residue in memory.
    bytes: u32,
}

impl Kernel {
    fn entries(&self) -> Vec<Entry> {
        let name = &self.name;
        let arithmetic = |&(a, bytes): &(&str, u32)| Entry {
            name: format!("{name}_{}", a.to_lowercase()),
            function: format!("ringjet::{name}<ringjet::{a}>"),
            bytes,
        };
        match self.instances {
            Instances::Each => ARITHMETICS.iter().map(arithmetic).collect(),
            Instances::Wide => ARITHMETICS.iter().filter(|a| a.1 == 8).map(arithmetic).collect(),
            Instances::Bytes => {
                let width = |&bytes: &u32| Entry {
                    name: format!("{name}_{bytes}"),
                    function: format!("ringjet::{name}<{bytes}>"),
                    bytes,
                };
                WIDTHS.iter().map(width).collect()
            }
            Instances::One => vec![Entry { name: name.clone(), function: format!("ringjet::{name}"), bytes: 8 }],
        }
    }
}

fn main() -> io::Result<()> {
    for folder in ["kernels", "emulator", "src/source.rs"] {
        println!("cargo::rerun-if-changed={folder}");
    }
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let (out, kernels) = (Path::new(&out), table("kernels/table.txt")?);
    let probes = table("emulator/probe.txt")?;
    let text = source::expand(source::ROOT, &|file: &str| fs::read_to_string(Path::new("kernels").join(file)))?;
    fs::write(out.join("kernels.cu"), text)?;
    fs::write(out.join("entries.cu"), device_entries(&kernels))?;
    let all: Vec<&Kernel> = kernels.iter().chain(&probes).collect();
    fs::write(out.join("entries.cpp"), emulated_entries(&all))?;
    fs::write(out.join("launches.rs"), launches(&kernels, 0) + &names(&kernels, &probes))?;
    fs::write(out.join("probes.rs"), launches(&probes, entries_of(&kernels)))?;
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .files(["emulator/emulator.cpp", "emulator/global.cpp", "emulator/kernels.cpp"])
        .include("emulator")
        .include(ringjet_fibers::INCLUDE)
        .include(out)
        .opt_level(2)
        // the emulator uses no part of the C++ library, so the program does not need it at run time
        .cpp_link_stdlib(None)
        // a GPU's kernels fuse products and sums only where they are written as fused, and so must
        // the host
        .flag_if_supported("-ffp-contract=off")
        .flag_if_supported("-fno-exceptions")
        .flag_if_supported("-fno-rtti")
        .flag_if_supported("-Wno-unused-parameter")
        .flag_if_supported("-Wno-unknown-pragmas")
        .compile("ringjet_emulator");
    #[cfg(feature = "host-arith")]
    arith::compile();
    Ok(())
}

fn entries_of(kernels: &[Kernel]) -> usize {
    kernels.iter().map(|k| k.entries().len()).sum()
}

/// Reads a table of kernels. Format of a line: `name threads[/blocks] each|wide|bytes|one Type
/// argument, Type argument, ...`
fn table(path: &str) -> io::Result<Vec<Kernel>> {
    let text = fs::read_to_string(path)?;
    let wrong = |line: &str| io::Error::other(format!("{path}: {line:?} is no kernel"));
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|line| {
            let (name, rest) = line.split_once(' ').ok_or_else(|| wrong(line))?;
            let (bounds, rest) = rest.trim_start().split_once(' ').ok_or_else(|| wrong(line))?;
            let (threads, blocks) = bounds.split_once('/').map_or((bounds, None), |(t, b)| (t, Some(b)));
            let (instances, rest) = rest.trim_start().split_once(' ').ok_or_else(|| wrong(line))?;
            let instances = match instances {
                "each" => Instances::Each,
                "wide" => Instances::Wide,
                "bytes" => Instances::Bytes,
                "one" => Instances::One,
                _ => return Err(wrong(line)),
            };
            let argument = |a: &str| {
                let (kind, name) = a.trim().split_once(' ').ok_or_else(|| wrong(line))?;
                if !["Limbs", "List", "Words", "u32"].contains(&kind) {
                    return Err(wrong(line));
                }
                Ok((kind.to_owned(), name.to_owned()))
            };
            Ok(Kernel {
                name: name.to_owned(),
                threads: threads.parse().map_err(|_| wrong(line))?,
                blocks: blocks.map(str::parse).transpose().map_err(|_| wrong(line))?,
                instances,
                arguments: rest.split(',').map(argument).collect::<io::Result<_>>()?,
            })
        })
        .collect()
}

fn arguments_of(k: &Kernel, form: impl Fn(usize, &str, &str) -> String, between: &str) -> String {
    let each: Vec<String> = k.arguments.iter().enumerate().map(|(i, (kind, name))| form(i, kind, name)).collect();
    each.join(between)
}

/// Entry points for NVRTC.
fn device_entries(kernels: &[Kernel]) -> String {
    let mut text = String::from("#line 1 \"entries.cu\"\n");
    for k in kernels {
        let parameter = |_, kind: &str, name: &str| match kind {
            "List" => format!("const __grid_constant__ List {name}"), // read where it is, not copied
            _ => format!("{kind} {name}"),
        };
        let (parameters, passed) = (arguments_of(k, parameter, ", "), arguments_of(k, |_, _, name| name.into(), ", "));
        let bounds = k.blocks.map_or(k.threads.to_string(), |blocks| format!("{}, {blocks}", k.threads));
        for Entry { name, function, .. } in k.entries() {
            let _ = writeln!(
                text,
                "extern \"C\" __global__ void __launch_bounds__({bounds}) ringjet_{name}({parameters})\n\
                 {{\n    {function}({passed});\n}}\n"
            );
        }
    }
    text
}

/// Entry points for the emulator, and the array of them.
fn emulated_entries(kernels: &[&Kernel]) -> String {
    let (mut text, mut list) = (String::new(), String::new());
    for k in kernels {
        let read = |i: usize, kind: &str, name: &str| {
            format!("    const {kind} {name} = emulator::argument<{kind}>(arguments[{i}]);\n")
        };
        let (read, passed) = (arguments_of(k, read, ""), arguments_of(k, |_, _, name| name.into(), ", "));
        for Entry { name, function, bytes } in k.entries() {
            let _ = writeln!(
                text,
                "static const char* emulate_{name}(const Dim* grid, const Dim* block, u32 shared_bytes, const void* const* \
                 arguments)\n{{\n    emulator::begin({bytes});\n{read}    return emulator::launch(\"{name}\", grid, block, \
                 shared_bytes, [=] {{ {function}({passed}); }});\n}}\n"
            );
            list.push_str(&format!("    emulate_{name},\n"));
        }
    }
    let declaration = "const emulator::Entry ringjet_emulated_kernels[]";
    let _ = writeln!(text, "extern \"C\" {{\nextern {declaration};\n{declaration} = {{\n{list}}};\n}}");
    text + &listed(kernels)
}

/// A letter for the type of each argument.
fn letters(k: &Kernel) -> String {
    let letter = |_, kind: &str, _: &str| match kind {
        "Limbs" => "L".to_owned(),
        "List" => "l".to_owned(),
        "Words" => "W".to_owned(),
        "u32" => "u".to_owned(),
        other => panic!("src/recorder.rs and tests/integration/fake_driver/cuda.cpp have no letter for {other}"),
    };
    arguments_of(k, letter, "")
}

/// The entry points with their names on a GPU and a letter for each argument. The fake driver in
/// `tests/integration/fake_driver` launches them.
fn listed(kernels: &[&Kernel]) -> String {
    let mut text = String::from(
        "struct Listed {\n    const char* name;\n    u32 threads;\n    const char* arguments;\n    emulator::Entry entry;\n};\n\
         extern \"C\" {\nextern const Listed ringjet_kernel_list[];\nconst Listed ringjet_kernel_list[] = {\n",
    );
    for k in kernels {
        let (threads, letters) = (k.threads, letters(k));
        for Entry { name, .. } in k.entries() {
            let _ = writeln!(text, "    {{\"ringjet_{name}\", {threads}, \"{letters}\", emulate_{name}}},");
        }
    }
    text + "    {nullptr, 0, nullptr, nullptr},\n};\n}\n"
}

/// A launch function in Rust for each kernel; `first` is the number of the first entry point.
fn launches(kernels: &[Kernel], first: usize) -> String {
    let (mut text, mut number) = (String::new(), first);
    for k in kernels {
        let rust = |kind: &str| if kind == "Words" { "Address".to_owned() } else { kind.to_owned() };
        let parameters = arguments_of(k, |_, kind, name| format!("{name}: {}", rust(kind)), ", ");
        let passed = arguments_of(k, |_, _, name| format!("from_ref(&{name}).cast()"), ", ");
        let (name, count, threads) = (&k.name, k.arguments.len(), k.threads);
        let (which, entry) = match k.instances {
            Instances::Each | Instances::Wide => {
                ("arithmetic: Arithmetic, ", format!("arithmetic as usize + {number}"))
            }
            Instances::Bytes => ("width: Width, ", format!("width as usize + {number}")),
            Instances::One => ("", number.to_string()),
        };
        let entry = entry.trim_end_matches(" + 0"); // clippy reads what is generated
        let wide = "    assert_eq!(arithmetic.width(), Width::Eight);\n";
        let wide = if k.instances == Instances::Wide { wide } else { "" };
        let _ = writeln!(
            text,
            "/// Enqueues `{name}`; at most {threads} threads a block.\n\
             #[allow(clippy::too_many_arguments, reason = \"as many as the kernel has\")]\n\
             pub fn {name}(device: &dyn Device, {which}grid: Grid, {parameters}) -> Result<(), DeviceError> {{\n{wide}    \
             let arguments: [*const c_void; {count}] = [{passed}];\n    \
             assert!(grid.threads_of_a_block() <= {threads}, \"{name} with {{grid:?}}\");\n    \
             // SAFETY: number and types of the arguments are those of the kernel: both come from one table.\n    \
             unsafe {{ device.launch({entry}, grid, &arguments) }}\n}}\n"
        );
        number += k.entries().len();
    }
    text
}

fn names(kernels: &[Kernel], probes: &[Kernel]) -> String {
    let entries = kernels.iter().flat_map(Kernel::entries);
    let list: Vec<String> = entries.map(|entry| format!("c\"ringjet_{}\"", entry.name)).collect();
    let types: Vec<String> =
        kernels.iter().flat_map(|k| k.entries().into_iter().map(|_| format!("{:?}", letters(k)))).collect();
    let emulated: Vec<String> =
        kernels.iter().chain(probes).flat_map(Kernel::entries).map(|entry| format!("{:?}", entry.name)).collect();
    format!(
        "/// Names of the entry points on a GPU; a kernel's number is its index.\npub const NAMES: [&std::ffi::CStr; {}] = [{}];\n\n\
         /// A letter for the type of each argument of an entry point: `L` for `Limbs`, `l` for `List`, `W` for an address, `u` for a number.\n\
         pub const ARGUMENTS: [&str; {}] = [{}];\n\n\
         /// How many entry points the emulator has, those of its own tests included.\npub const EMULATED: usize = {};\n\n\
         /// The names of these entry points.\npub const EMULATED_NAMES: [&str; EMULATED] = [{}];\n",
        list.len(),
        list.join(", "),
        types.len(),
        types.join(", "),
        emulated.len(),
        emulated.join(", ")
    )
}
