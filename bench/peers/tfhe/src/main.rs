//! `peer-tfhe [--threads N] [--reps N] [--json] [BENCH ...]`
//!
//! Tables and integers of TFHE-rs with the parameters that its high-level interface takes by default, and for
//! tables of 8 bits with those of the same kind for 4 bits and 4 bits of carry. `NAME` is the time of one
//! operation alone, `NAME_each` that of one of a batch, which the threads share.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use rayon::prelude::*;
use tfhe::integer::{RadixCiphertext, RadixClientKey, ServerKey, gen_keys_radix};
use tfhe::shortint::parameters::ClassicPBSParameters;
use tfhe::shortint::parameters::current_params::classic::tuniform::p_fail_2_minus_128::ks_pbs::{
    V1_8_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128, V1_8_PARAM_MESSAGE_4_CARRY_4_KS_PBS_TUNIFORM_2M128,
};
use tfhe::shortint::{self, gen_keys};

const USAGE: &str = "usage: peer-tfhe [--threads 1] [--reps 3] [--json] \
                     [table4 table8 add64 less64 mul64 div64 mul16 div16]";
const BACKEND: &str = "tfhe-1.8.2";
const NAMES: [&str; 8] = ["table4", "table8", "add64", "less64", "mul64", "div64", "mul16", "div16"];

/// Operations of a batch, for each thread.
const EACH: u64 = 2;

/// A table is short: so many samples for each one of other operations.
const TABLES: usize = 5;

struct Options {
    threads: usize,
    reps: usize,
    json: bool,
    names: Vec<String>,
}

fn options() -> Option<Options> {
    let mut found = Options { threads: 1, reps: 3, json: false, names: Vec::new() };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => found.json = true,
            "--threads" => found.threads = args.next()?.parse().ok().filter(|&n| n > 0)?,
            "--reps" => found.reps = args.next()?.parse().ok().filter(|&n| n > 0)?,
            name if NAMES.contains(&name) => found.names.push(name.to_owned()),
            _ => return None,
        }
    }
    if found.names.is_empty() {
        found.names = NAMES.map(str::to_owned).to_vec();
    }
    Some(found)
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    run(&options);
    ExitCode::SUCCESS
}

fn run(options: &Options) {
    let mut radix: Option<(u32, RadixClientKey, ServerKey)> = None;
    for name in &options.names {
        match name.as_str() {
            "table4" => table(options, name, V1_8_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128, "2_2 p_fail 2^-129.6"),
            "table8" => table(options, name, V1_8_PARAM_MESSAGE_4_CARRY_4_KS_PBS_TUNIFORM_2M128, "4_4 p_fail 2^-141.6"),
            _ => {
                let (operation, bits) = name.split_at(name.len() - 2);
                let bits: u32 = bits.parse().expect("a name ends with its bits");
                if radix.as_ref().is_none_or(|(found, ..)| *found != bits) {
                    let blocks = bits as usize / 2;
                    let (client, server) = gen_keys_radix(V1_8_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128, blocks);
                    radix = Some((bits, client, server));
                }
                let (_, client, server) = radix.as_ref().expect("made above");
                integers(options, name, operation, bits, client, server);
            }
        }
    }
}

/// A table with a result of all bits for all messages with their carries.
fn table(options: &Options, name: &str, params: ClassicPBSParameters, label: &str) {
    let (client, server) = gen_keys(params);
    let size = params.message_modulus.0 * params.carry_modulus.0;
    // an odd factor: a permutation
    let f = |m: u64| (m * 5 + 3) % size;
    let lookup = server.generate_lookup_table(f);
    let options = &Options { reps: options.reps * TABLES, names: Vec::new(), ..*options };
    let inputs: Vec<(u64, shortint::Ciphertext)> =
        (0..EACH * options.threads as u64).map(|i| i * 37 % size).map(|m| (m, client.unchecked_encrypt(m))).collect();
    for (m, x) in &inputs {
        let found = client.decrypt_message_and_carry(&server.apply_lookup_table(x, &lookup));
        assert_eq!(found, f(*m), "table of {m}");
    }
    let one = |(_, x): &(u64, shortint::Ciphertext)| {
        let _ = black_box(server.apply_lookup_table(x, &lookup));
    };
    report(options, name, label, &inputs, one);
}

fn integers(
    options: &Options,
    name: &str,
    operation: &str,
    bits: u32,
    client: &RadixClientKey,
    server: &ServerKey,
) {
    let mask = u64::MAX >> (64 - bits);
    let spread = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17) & mask;
    let inputs: Vec<(u64, u64, RadixCiphertext, RadixCiphertext)> = (1..=EACH * options.threads as u64)
        .map(|i| (spread(i), spread(i + 1000) >> (bits / 3)))
        .map(|(a, b)| (a, b, client.encrypt(a), client.encrypt(b)))
        .collect();
    let computed = |x: &RadixCiphertext, y: &RadixCiphertext| -> Result<RadixCiphertext, bool> {
        match operation {
            "add" => Ok(server.add_parallelized(x, y)),
            "mul" => Ok(server.mul_parallelized(x, y)),
            "div" => Ok(server.div_parallelized(x, y)),
            _ => Err(client.decrypt_bool(&server.lt_parallelized(x, y))),
        }
    };
    let (a, b, x, y) = &inputs[0];
    match computed(x, y) {
        Ok(made) => {
            let want = match operation {
                "add" => a.wrapping_add(*b) & mask,
                "mul" => a.wrapping_mul(*b) & mask,
                _ => a / b,
            };
            assert_eq!(client.decrypt::<u64>(&made), want, "{name} of {a} and {b}");
        }
        Err(less) => assert_eq!(less, a < b, "{name} of {a} and {b}"),
    }
    // decryption of one bit is a millionth of a comparison
    let one = |(_, _, x, y): &(u64, u64, RadixCiphertext, RadixCiphertext)| {
        let _ = black_box(computed(x, y));
    };
    report(options, name, "2_2 p_fail 2^-129.6", &inputs, one);
}

/// Times one operation alone, and one of a batch. Keys are made on all cores before.
fn report<T: Sync>(options: &Options, name: &str, label: &str, inputs: &[T], one: impl Fn(&T) + Sync + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build().expect("threads start");
    pool.install(|| {
        let alone = (0..options.reps).map(|i| timed(|| one(&inputs[i % inputs.len()]))).collect();
        print(options, name, label, alone);
        if options.threads > 1 {
            let batch = || inputs.par_iter().with_max_len(1).for_each(&one);
            let each = (0..options.reps).map(|_| timed(batch) / inputs.len() as f64).collect();
            print(options, &format!("{name}_each"), label, each);
        }
    });
}

fn timed(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64()
}

fn print(options: &Options, name: &str, label: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let (min, median) = (times[0], times[times.len() / 2]);
    let (threads, n) = (options.threads, times.len());
    if options.json {
        println!(
            "{{\"bench\":\"{name}\",\"backend\":\"{BACKEND}\",\"params\":\"{label}\",\"threads\":{threads},\
             \"unit\":\"s\",\"min\":{min:e},\"median\":{median:e},\"n\":{n}}}"
        );
    } else {
        println!("{name:<12} {label:<20} {threads} thread(s)  min {min:10.6} s  median {median:10.6} s  n {n}");
    }
}
