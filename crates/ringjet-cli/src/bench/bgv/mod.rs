//! The benches of the exact schemes, BGV and BFV.

mod params;
mod work;

use std::sync::Arc;

use ringjet::bgv::{Context, Product};
use ringjet_backend::Backend;

use super::measure::{self, Budget, Summary};
use super::report::Record;
use crate::Result;
use crate::text::Form;
pub use params::BgvArgs;
use work::Rig;

/// Name and meaning. All run on full vectors of integers modulo t.
const BENCHES: [(&str, &str); 27] = [
    ("bgv_ntt", "BGV: forward transforms of a ciphertext's two polynomials, in place"),
    ("bgv_intt", "inverse transforms of a ciphertext's two polynomials, in place"),
    ("bgv_encode", "integers to plaintext"),
    ("bgv_decode", "plaintext to integers"),
    ("bgv_encrypt", "with the public key"),
    ("bgv_encrypt_sk", "with the secret key"),
    ("bgv_decrypt", "to a plaintext, not decoded; the noise budget is checked"),
    ("bgv_add", "ciphertext + ciphertext"),
    ("bgv_mul_plain", "ciphertext times plaintext"),
    ("bgv_mul_prepared", "ciphertext times plaintext that is prepared for its level"),
    ("bgv_mul_values", "ciphertext times integers, which are encoded and prepared in each call"),
    ("bgv_mul_kept", "ciphertext times the integers of the last product, which the evaluator keeps prepared"),
    ("bgv_mul", "product, not relinearised"),
    ("bgv_mul_relin", "product, relinearised"),
    ("bgv_mul_relin_switch", "product, relinearised and switched to the level below"),
    ("bgv_switch", "to the level below"),
    ("bgv_rotate", "rotation by one column"),
    ("bgv_rotate_hoisted8", "eight rotations of one ciphertext"),
    ("bfv_encrypt", "BFV: with the public key"),
    ("bfv_decrypt", "to a plaintext, not decoded; the noise budget is checked"),
    ("bfv_mul_plain", "ciphertext times plaintext"),
    ("bfv_mul_prepared", "ciphertext times plaintext that is prepared for its level"),
    ("bfv_mul_values", "ciphertext times integers, which are encoded and prepared in each call"),
    ("bfv_mul_kept", "ciphertext times the integers of the last product, which the evaluator keeps prepared"),
    ("bfv_mul", "product, not relinearised"),
    ("bfv_mul_relin", "product, relinearised"),
    ("bfv_rotate", "rotation by one column"),
];

/// The bench of a paper.
const OF_PAPERS: &[(&str, &str)] = if cfg!(feature = "papers") {
    &[(PAPER, "bgv_ntt, bgv_intt and bgv_mul with the parameters of a paper; alone: insecure")]
} else {
    &[]
};

/// The parameters of the bachelor's thesis of Klinger, "Accelerating FHE Operations on a
/// Processing-in-Memory System". BENCHMARKING.md has its figures.
pub const PAPER: &str = "bgv_paper";
/// What the thesis measures.
const IN_PAPER: [&str; 3] = ["bgv_ntt", "bgv_intt", "bgv_mul"];
/// Names that stand for all benches of a scheme.
pub const ALL: [&str; 2] = ["bgv", "bfv"];

pub fn benches() -> impl Iterator<Item = (&'static str, &'static str)> {
    BENCHES.iter().chain(OF_PAPERS).copied()
}

/// Whether a name is that of a bench of exact schemes.
pub fn is_own(name: &str) -> bool {
    ALL.iter().any(|scheme| name.starts_with(scheme))
}

/// The benches that are asked for, in order.
pub fn selected(asked: &[String]) -> Vec<&'static str> {
    let has = |name: &str| asked.iter().any(|a| a == name);
    let of_scheme = |name: &str| name != PAPER && ALL.iter().any(|scheme| has(scheme) && name.starts_with(scheme));
    benches().map(|(name, _)| name).filter(|name| has(name) || of_scheme(name)).collect()
}

/// Times the benches `names`. `preset` and `log_n` are the options that other benches have, too.
pub fn times(
    args: &BgvArgs,
    (preset, log_n, names): (Option<&str>, u32, &[&'static str]),
    backend: Arc<dyn Backend>,
    threads: usize,
    budget: Budget,
    form: Form,
) -> Result<Vec<Record>> {
    let paper = names == [PAPER];
    let names = if paper { &IN_PAPER[..] } else { names };
    if names.contains(&PAPER) {
        return Err(format!("{PAPER} runs alone: its parameters are its own").into());
    }
    let spec = if paper { args.paper(preset)? } else { args.spec(preset, log_n)? };
    let backend_name = format!("ringjet-{}", backend.id().name());
    let mut rigs = Vec::new();
    for product in [Product::Bgv, Product::Bfv] {
        let own: Vec<&str> = names.iter().copied().filter(|name| work::product_of(name) == product).collect();
        if own.is_empty() {
            continue;
        }
        let params = params::parameters(&spec, product)?;
        let level = args.level_of(&params)?;
        let label = params::label(&params, level);
        if form.is_table() {
            println!("{product:?} {label} on {}, {threads} thread(s)", backend.id().name());
        }
        let blank = Record {
            backend: backend_name.clone(),
            params: label,
            threads,
            unit: "s",
            insecure: params.spec().allow_insecure,
            ..Record::default()
        };
        rigs.push((product, Rig::new(&Context::new(&params, backend.clone()), level, &own)?, blank));
    }
    let of = |name: &str| rigs.iter().find(|(product, ..)| *product == work::product_of(name)).ok_or("no parameters");
    let mut bodies = measure::prepared(names, |name| Ok((of(name)?.1.prepare(name)?, 0.0)))?;
    let record = |(name, figures): (&&str, Summary)| {
        let (_, _, blank) = of(name)?;
        Ok(Record { bench: (*name).into(), figures, ..blank.clone() })
    };
    names.iter().zip(measure::measure(&mut bodies, budget)?).map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_selects_all_its_benches() {
        let select = |names: &[&str]| selected(&names.iter().map(|n| (*n).to_string()).collect::<Vec<_>>());
        assert_eq!(select(&["bgv"]).len(), 18);
        assert_eq!(select(&["bgv", "bfv"]).len(), 27);
        assert_eq!(select(&["bgv_paper"]), [PAPER]);
        assert_eq!(select(&["bfv_mul", "bgv_rotate"]), ["bgv_rotate", "bfv_mul"]);
        assert!(select(&["all", "heaan"]).is_empty());
        assert!(is_own("bfv_mul") && !is_own("mul"));
    }
}
