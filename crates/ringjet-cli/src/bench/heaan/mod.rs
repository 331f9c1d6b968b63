//! The benches of HEAAN: a multiplication, its functions, and other operations.

mod functions;

use std::hint::black_box;
use std::sync::Arc;

use ringjet::heaan::{Context, ParamSpec, Parameters, Plaintext};
use ringjet::{Error, KeyPlan};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

use super::floor::{LANES, TERM, rate};
use super::measure::{self, Body, Budget, Summary};
use super::report::{Products, Record};
use super::work::{operation, synced};
use crate::client::{Client, product, rotated};
use crate::text::Form;
use crate::{Result, system};
use functions::{FUNCTIONS, Functions};

#[derive(Clone, Default, clap::Args)]
pub struct HeaanArgs {
    /// `heaan_*`: bits of the largest modulus [default: 1200]
    #[arg(long)]
    log_q: Option<u32>,
    /// `heaan_*`: bits of the scale [default: 30]
    #[arg(long)]
    log_p: Option<u32>,
    /// `heaan_*`: bits of the ciphertexts' modulus [default: --log-q]
    #[arg(long)]
    log_q_current: Option<u32>,
}

/// Name and meaning of the operations. They run on full vectors of complex numbers.
const OPERATIONS: [(&str, &str); 8] = [
    (PRODUCT, "HEAAN: product, relinearised, not rescaled; with the functions that one by residues is made of:"),
    ("heaan_square", "product of a ciphertext with itself"),
    ("heaan_rotate", "rotation by one slot"),
    ("heaan_conjugate", "complex conjugates"),
    ("heaan_rescale", "of a product, by the bits of the scale"),
    ("heaan_add", "sum of two ciphertexts"),
    ("heaan_plain_add", "sum of the same vectors, unencrypted: complex numbers in double precision"),
    ("heaan_plain_mul", "product of the same vectors, unencrypted"),
];
const PRODUCT: &str = "heaan_mul";

pub fn benches() -> impl Iterator<Item = (&'static str, &'static str)> {
    OPERATIONS[..1].iter().chain(&FUNCTIONS).chain(&OPERATIONS[1..]).copied()
}

/// The benches that are asked for, in order. A product includes its functions.
pub fn selected(asked: &[String]) -> Vec<&'static str> {
    let has = |name: &str| asked.iter().any(|a| a == name);
    let is_function = |name: &str| FUNCTIONS.iter().any(|&(f, _)| f == name);
    benches().map(|(name, _)| name).filter(|n| has(n) || has(ALL) || is_function(n) && has(PRODUCT)).collect()
}

pub const ALL: &str = "heaan";

impl HeaanArgs {
    /// The parameters. `allow_insecure` is set only if the size needs it.
    fn parameters(&self, log_n: u32) -> Result<Parameters> {
        let spec = ParamSpec { log_p: self.log_p.unwrap_or(30), ..ParamSpec::new(log_n, self.log_q.unwrap_or(1200)) };
        match Parameters::new(&spec) {
            Err(Error::Insecure { .. }) => Ok(Parameters::new(&spec.allow_insecure())?),
            other => Ok(other?),
        }
    }
}

struct Rig {
    client: Client<Parameters>,
    functions: Option<Functions>,
}

impl Rig {
    fn new(ctx: &Context, log_q: u32, names: &[&str]) -> Result<Self> {
        let params = ctx.params();
        let has = |name: &str| names.contains(&name);
        let plan = KeyPlan::rotations(has("heaan_rotate").then_some(1));
        let plan = if has("heaan_conjugate") { plan.conjugation() } else { plan };
        let client = Client::build(
            ctx,
            |secret, seed| secret.evaluation_keys(ctx, &plan, seed, |_, _| true),
            |values| Ok(Plaintext::encode(ctx, values, params.log_p(), params.log_n() - 1)?.at(log_q)),
            |secret, plain, seed| secret.encrypt(ctx, plain, seed),
        )?;
        let apart = FUNCTIONS.iter().any(|&(f, _)| has(f));
        let functions = if apart { Some(Functions::new(ctx, log_q)?) } else { None };
        Ok(Self { client, functions })
    }

    fn prepare(&self, name: &str) -> Result<(Body<'_>, f64)> {
        if let Some(body) = self.functions.as_ref().and_then(|f| f.body(name)) {
            return Ok((body, 0.0));
        }
        let c = &self.client;
        let (e, [a, b], [v, w]) = (&c.eval, &c.ct, &c.values);
        let operation = match name {
            "heaan_mul" => operation(c, product(v, w), || e.mul(a, b))?,
            "heaan_add" => {
                let sum = v.iter().zip(w).map(|(&x, &y)| x + y).collect();
                operation(c, sum, || e.add(a, b))?
            }
            "heaan_plain_add" => return Ok((plain(v, w, |x, y| x + y), 0.0)),
            "heaan_plain_mul" => return Ok((plain(v, w, |x, y| x * y), 0.0)),
            "heaan_square" => operation(c, product(v, v), || e.square(a))?,
            "heaan_rotate" => operation(c, rotated(v, 1), || e.rotate(a, 1))?,
            "heaan_conjugate" => {
                let conjugates = v.iter().map(|z| Complex64::new(z.re, -z.im)).collect();
                operation(c, conjugates, || e.conjugate(a))?
            }
            "heaan_rescale" => {
                let (before, bits) = (e.mul(a, b)?, c.ctx.params().log_p());
                operation(c, product(v, w), move || e.rescale(&before, bits))?
            }
            _ => return Err(format!("no bench {name}").into()),
        };
        Ok(synced(c.ctx.backend(), operation))
    }
}

/// An operation on all numbers of two vectors.
fn plain<'a>(v: &'a [Complex64], w: &'a [Complex64], of: impl Fn(Complex64, Complex64) -> Complex64 + 'a) -> Body<'a> {
    let mut out = vec![Complex64::new(0.0, 0.0); v.len()];
    Box::new(move || {
        let (v, w) = (black_box(v), black_box(w));
        out.iter_mut().zip(v.iter().zip(w)).for_each(|(out, (&x, &y))| *out = of(x, y));
        black_box(&out);
        Ok(())
    })
}

/// Times the benches `names`, in a ring of degree `2^log_n`.
pub fn times(
    args: &HeaanArgs,
    (log_n, names): (u32, &[&str]),
    backend: Arc<dyn Backend>,
    threads: usize,
    budget: Budget,
    form: Form,
) -> Result<Vec<Record>> {
    let params = args.parameters(log_n)?;
    let log_q = args.log_q_current.unwrap_or(params.log_q());
    let insecure = params.spec().allow_insecure;
    if insecure {
        let bits = 2 * params.log_q();
        eprintln!("note: insecure parameters, for timing only: log2(Q^2) = {bits} in ring degree 2^{log_n}");
    }
    let label = format!("heaan n{log_n} logQ{} logq{log_q} logp{}", params.log_q(), params.log_p());
    if form.is_table() {
        println!("{label} on {}, {threads} thread(s)", backend.id().name());
    }
    let backend_name = format!("ringjet-{}", backend.id().name());
    let blank = Record { backend: backend_name, params: label, threads, unit: "s", insecure, ..Record::default() };
    let peak = rate(&*backend).map(|rate| rate * threads as f64);
    let rig = Rig::new(&Context::new(&params, backend), log_q, names)?;
    let mut bodies = measure::prepared(names, |name| rig.prepare(name))?;
    let shapes = rig.functions.as_ref().map(Functions::shapes);
    let record = |(name, figures): (&&str, Summary)| {
        let mut r = Record { bench: (*name).into(), figures, ..blank.clone() };
        r.peak_rss_bytes = if *name == PRODUCT { system::peak_rss() } else { None };
        if let (Some(peak), Some(shapes)) = (peak, shapes) {
            r.floor = functions::floor_seconds(name, log_n, &shapes, peak);
            r.products = functions::products(name, log_n, &shapes).map(|products| {
                let products_per_s = products / figures.median;
                Products { products, products_per_s, share_of_peak: products_per_s * TERM / LANES / peak }
            });
        }
        r
    };
    Ok(names.iter().zip(measure::measure(&mut bodies, budget)?).map(record).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_comes_with_its_functions() {
        let select = |names: &[&str]| selected(&names.iter().map(|n| (*n).to_string()).collect::<Vec<_>>());
        assert_eq!(select(&["heaan_mul"]), ["heaan_mul", "heaan_crt", "heaan_ntt", "heaan_intt", "heaan_icrt"]);
        assert_eq!(select(&["heaan_rotate", "heaan_crt"]), ["heaan_crt", "heaan_rotate"]);
        assert_eq!(select(&["heaan"]).len(), 12);
        assert!(select(&["add"]).is_empty());
    }
}
