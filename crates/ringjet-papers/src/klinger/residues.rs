//! Figures 4.2 to 4.4, and numbers of the text: residues and transforms.

use ringjet_model::Device;
use ringjet_model::pim::PimModelError;
use ringjet_model::pim::{Command, Kernels};
use ringjet_model::pim::{MEGAHERTZ_FITTED, PUBLISHED_DPUS};
use ringjet_model::pim::{
    MachineSpec, Multiplier, Operation, PimMachine, Program, Task, TaskSpec, threads as devices_with,
};

use crate::row::Row;

/// The three published operations, their times with the last published program, and how many times
/// as long it takes as SEAL with 16 threads.
pub const OPERATIONS: [(Operation, f64, f64); 3] =
    [(Operation::Ntt, 838.0, 1.34), (Operation::Inverse, 912.0, 1.87), (Operation::Products, 125.0, 1.0 - 0.359)];

/// Milliseconds of SEAL with 16 threads, which the published ratios imply.
pub fn seal(operation: Operation) -> f64 {
    let found = OPERATIONS.iter().find(|(known, ..)| *known == operation);
    found.map_or(f64::NAN, |(_, ms, ratio)| (10.0 * ms / ratio).round() / 10.0)
}

/// Milliseconds of the published task on DPUs.
pub fn dpus(program: Program, operation: Operation) -> Result<f64, PimModelError> {
    let machine = PimMachine::new(MachineSpec { program, ..MachineSpec::default() })?;
    Ok(1e3 * Task::new(TaskSpec::default())?.time(&machine, operation).dpu_s)
}

/// Milliseconds of the published task on another device.
fn on(device: &Device, operation: Operation) -> Result<f64, PimModelError> {
    Ok(1e3 * Task::new(TaskSpec::default())?.time_on(device, operation).total_s)
}

/// Times of this library on a number of threads; one is measured, two are measured, more are
/// multiples.
fn with_threads(count: u32) -> Result<Device, PimModelError> {
    let found = if count == 1 { Device::builtin("cpu-ifma-1core") } else { devices_with(count) };
    found.map_err(|error| PimModelError::Value {
        what: "profile of a processor",
        value: error.to_string(),
        allowed: "one that is read".into(),
    })
}

/// Figure 4.2.
pub fn threads() -> Result<Vec<Row>, PimModelError> {
    let mut rows = Vec::new();
    for count in [1, 2, 4, 8, 16] {
        let device = with_threads(count)?;
        for (operation, first) in [(Operation::Ntt, 4737.0), (Operation::Inverse, 5155.0)] {
            let paper = match count {
                1 => Some(first),
                16 => Some(seal(operation)),
                _ => None,
            };
            let plural = if count == 1 { "thread" } else { "threads" };
            let entry = format!("{}, {count} {plural}", operation.name());
            rows.push(Row::new(entry, "ms", Some(on(&device, operation)?), paper).note(match count {
                1 => "published: comparable to the first DPU program; that is SEAL without AVX-512, this library has IFMA",
                16 => SEAL,
                _ => "the figure is a plot; times of more than two threads here are multiples of two",
            }));
        }
    }
    Ok(rows)
}

const SEAL: &str = "published is SEAL, by its ratio to DPUs; this library has IFMA, and its time is limited by memory";

/// Figure 4.3.
pub fn sixteen_threads() -> Result<Vec<Row>, PimModelError> {
    let device = with_threads(16)?;
    let row = |(operation, ..): (Operation, f64, f64)| {
        Ok(Row::new(operation.name(), "ms", Some(on(&device, operation)?), Some(seal(operation))).note(SEAL))
    };
    OPERATIONS.into_iter().map(row).collect()
}

/// Published rungs, their times, and why the model deviates.
const LADDER: [(Program, [f64; 3], &str); 5] = [
    (
        Program::Initial,
        [4737.0, 5155.0, 817.0],
        "the vendor's 64-bit division is counted at 390 cycles; the times imply 530",
    ),
    (Program::Product, [1705.0, 1701.0, 233.0], "the inverse has a further product for each word here"),
    (Program::Buffered, [1091.0, 1174.0, 126.0], "stages with small groups cost more there; how is not stated"),
    (Program::Coalesced, [1072.0, 1144.0, 125.0], "stages with small groups cost more there; how is not stated"),
    (Program::Scrambled, [838.0, 912.0, 125.0], "loops over groups and buffers are counted by hand"),
];

/// Published changes of single steps.
const STEPS: [(Program, Program, [f64; 3], &str); 4] = [
    (Program::ProductOnly, Program::Initial, [-0.135; 3], "the first program is faster here, by its division"),
    (Program::BarrettOnly, Program::Initial, [-0.5; 3], "the vendor's division takes longer there"),
    (Program::Scrambled, Program::Initial, [-0.823, -0.823, -0.847], "the first program is faster here"),
    (Program::Dummy, Program::Scrambled, [-0.625, -0.625, -0.68], "the other instructions take less here"),
];

/// Figure 4.4.
pub fn ladder() -> Result<Vec<Row>, PimModelError> {
    let mut rows = Vec::new();
    for (program, published, note) in LADDER {
        for ((operation, ..), paper) in OPERATIONS.into_iter().zip(published) {
            let entry = format!("{}, {}", program.name(), operation.name());
            rows.push(Row::new(entry, "ms", Some(dpus(program, operation)?), Some(paper)).note(note));
        }
    }
    for (program, base, published, note) in STEPS {
        for ((operation, ..), paper) in OPERATIONS.into_iter().zip(published) {
            let entry = format!("{} against {}, {}", program.name(), base.name(), operation.name());
            let change = dpus(program, operation)? / dpus(base, operation)? - 1.0;
            rows.push(Row::new(entry, "change of time", Some(change), Some(paper)).note(note));
        }
    }
    Ok(rows)
}

/// Polynomials of the experiment that residues replace, residues of each coefficient, and their
/// bits.
const OLD_POLYNOMIALS: u64 = 40_960;
const OLD_PRIMES: u64 = 4;
const OLD_BITS: u32 = 27;

/// Numbers that the text states.
pub fn text() -> Result<Vec<Row>, PimModelError> {
    let ms = |cycles: f64| cycles / (1e3 * MEGAHERTZ_FITTED);
    let kernels = Kernels::new(Program::Initial, Multiplier::Bytes, OLD_BITS, 16);
    let share = |count: u64| count.div_ceil(u64::from(PUBLISHED_DPUS) / OLD_PRIMES);
    let of = |command, count| ms(kernels.cycles(command, 4096, share(count)));
    let products = of(Command::Mul, OLD_POLYNOMIALS / 2);
    let with_transforms = of(Command::Forward, OLD_POLYNOMIALS) + products + of(Command::Inverse, OLD_POLYNOMIALS / 2);
    let division = "the vendor's 64-bit division is counted at less than the published times imply";
    let mut rows = vec![
        Row::new("products of 163,840 sub-polynomials of 27 bits", "ms", Some(products), Some(353.0)).note(division),
        Row::new("the same with transforms", "s", Some(with_transforms / 1e3), Some(7.9)).note(division),
    ];
    let last = OPERATIONS.map(|(operation, ..)| dpus(Program::Scrambled, operation));
    let [forward, inverse, product] = last;
    let (forward, inverse, product) = (forward?, inverse?, product?);
    for (i, first) in [7.5, 10.7, 4.2].into_iter().enumerate() {
        let (operation, _, ratio) = OPERATIONS[i];
        let seal = seal(operation);
        let note = "SEAL's time is the published time of DPUs divided by the published ratio";
        let initial = dpus(Program::Initial, operation)? / seal;
        let entry = format!("DPUs / SEAL, {}", operation.name());
        rows.push(Row::new(&*entry, "ratio, first program", Some(initial), Some(first)).note(division));
        rows.push(
            Row::new(entry, "ratio, last program", Some([forward, inverse, product][i] / seal), Some(ratio)).note(note),
        );
    }
    let lost = forward + inverse - seal(Operation::Ntt) - seal(Operation::Inverse);
    let products_needed = lost / (seal(Operation::Products) - product);
    rows.push(
        Row::new("products between transforms until DPUs win", "products", Some(products_needed), Some(9.0))
            .note("published: roughly nine; transforms are 8 and 2 % faster here"),
    );
    rows.extend(layouts());
    Ok(rows)
}

/// The layout that the thesis rejects: residues of a coefficient side by side.
fn layouts() -> Vec<Row> {
    let kernels = Kernels::new(Program::Scrambled, Multiplier::Bytes, 24, 16);
    let ratio = |command| kernels.tuples(command, 4096, 23, 3) / kernels.cycles(command, 4096, 23);
    [("sums", Command::Add), ("products", Command::Mul)]
        .map(|(name, command)| {
            let entry = format!("{name}, array of tuples against tuple of arrays");
            Row::new(entry, "ratio of times", Some(ratio(command)), None).note(
                "three primes; a DPU of one prime reads and writes the residues of all; published without a number",
            )
        })
        .into()
}
