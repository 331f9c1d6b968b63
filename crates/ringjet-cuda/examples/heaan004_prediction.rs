//! Prints the predicted times of the variants in `bench/gpu/heaan004.cu` for
//! `tools/predict_heaan004.py`: a line of JSON for the GPU, then one for each variant. That script
//! makes both inputs. SKELETONS is the text of the kernels' skeletons. LIST has lines of the forms
//! `allocated ADDRESS BYTES`, `copied ADDRESS BYTES`, `program NAME`, and
//! `launch KERNEL BLOCKS_X BLOCKS_Y THREADS_X SHARED WARPS WORD...`, where WARPS are those that a
//! multiprocessor has at a time, and each WORD has 32 bits of the arguments.
//!
//!     cargo run -p ringjet-cuda --example heaan004_prediction SKELETONS LIST

use std::error::Error;

use ringjet_cuda::predict::{Gpu, Launched, Predictor, Program};
use ringjet_cuda::{Argument, Launch};
use serde_json::{Value, json};

/// Bytes before the arguments in constant bank 0 on compute capability 7.5.
const PARAMETERS: usize = 0x160;
/// Bytes of 2^16 residues.
const LIMB: u64 = 4 << 16;
/// Copies to the device of more bytes are no tables that the first-level caches keep: roots of unity.
const TABLE: u64 = 128 << 10;

/// The paper's card at its boost clock; at its base clock; and if IMAD.WIDE and IMAD.HI have half the
/// rate of other multiplications.
fn gpus() -> [Gpu; 3] {
    let boost = Gpu::TITAN_RTX;
    let base = Gpu { name: "base clock", clock: 1.35e9, ..boost };
    [boost, base, Gpu { name: "slow IMAD.WIDE", wide: 2.0 * boost.wide, ..boost }]
}

/// The arguments that words stand for: addresses inside allocations, and other words.
fn arguments(words: &[u32], allocated: &[(u64, u64)]) -> Vec<Argument> {
    let (mut found, mut at) = (vec![], 0);
    while at < words.len() {
        let pair = u64::from(words[at]) | u64::from(words.get(at + 1).copied().unwrap_or(0)) << 32;
        let is_address = at % 2 == 0 && allocated.iter().any(|&(from, bytes)| from <= pair && pair < from + bytes);
        found.push(if is_address { Argument::Constants(pair) } else { Argument::Number(words[at]) });
        at += 1 + usize::from(is_address);
    }
    found
}

fn priced(launched: &[Launched]) -> Value {
    let launches = launched.iter().map(|l| {
        let bound = gpus().map(|gpu| {
            let (unit, seconds) = l.bound(&gpu);
            json!([gpu.name, unit.name(), seconds + gpu.start])
        });
        json!({ "warps": l.warps, "bound": bound })
    });
    launches.collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let [skeletons, list] = [1, 2].map(|i| std::env::args().nth(i).unwrap_or_default());
    let (skeletons, list) = (std::fs::read_to_string(skeletons)?.leak(), std::fs::read_to_string(list)?.leak());
    let mut program = Program { skeletons, parameters: PARAMETERS, limb: LIMB, ..Program::default() };
    let mut programs: Vec<(&str, Vec<(Launch, f64)>)> = vec![];
    for line in list.lines() {
        let (kind, rest) = line.split_once(' ').ok_or("a line of one word")?;
        let words: Vec<&'static str> = rest.split(' ').collect();
        let number = |i: usize| -> Result<u64, Box<dyn Error>> { Ok(words.get(i).ok_or("too few words")?.parse()?) };
        match kind {
            "allocated" => program.allocated.push((number(0)?, number(1)?)),
            "copied" if number(1)? <= TABLE => program.tables.push(number(0)?),
            "copied" => {}
            "program" => programs.push((rest, vec![])),
            _ => {
                let small = |i: usize| -> Result<u32, Box<dyn Error>> { Ok(u32::try_from(number(i)?)?) };
                let all = (6..words.len()).map(small).collect::<Result<Vec<u32>, _>>()?;
                let launch = Launch {
                    kernel: words[0],
                    blocks: [small(1)?, small(2)?, 1],
                    threads: [small(3)?, 1],
                    shared: small(4)?,
                    arguments: arguments(&all, &program.allocated),
                    scopes: vec![],
                };
                programs.last_mut().ok_or("a launch before the first program")?.1.push((launch, words[5].parse()?));
            }
        }
    }
    println!("{}", json!({ "cache": Gpu::TITAN_RTX.cache, "memory": Gpu::TITAN_RTX.memory }));
    let mut predictor = Predictor::of(program)?;
    for (name, launches) in programs {
        let (launches, warps): (Vec<Launch>, Vec<f64>) = launches.into_iter().unzip();
        let followed = Launched::followed(launches, &mut predictor, Gpu::TITAN_RTX.cache);
        let found = match followed {
            Ok(mut launched) => {
                launched.iter_mut().zip(warps).for_each(|(l, warps)| l.warps = warps);
                json!({ "name": name, "launches": priced(&launched) })
            }
            Err(e) => json!({ "name": name, "failed": e.to_string() }),
        };
        println!("{found}");
    }
    Ok(())
}
