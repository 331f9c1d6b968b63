//! The conformance suite of backends, through instructions: every operation on views of every shape.

use std::collections::HashSet;
use std::sync::Arc;

use ringjet_backend::conformance::{Chain, Options, run};
use ringjet_backend::plan::BaseConversionPlan;
use ringjet_backend::{Backend, Buf, Composed, Integers, Reference, Result, Term, View, ViewMut, delegate};
use ringjet_fhetch::{Exporter, Op, interpret, parse};
use ringjet_math::Basis;

const DEGREE: usize = 16;

/// An exporter for which every polynomial that is uploaded is an input, and every one that is
/// downloaded is a result. Operations that need the host go through it.
#[derive(Debug)]
struct Traced(Exporter);

impl Backend for Traced {
    delegate!(self => self.0; required except upload, download, upload_each, compact, expand, integer_factors);
    delegate!(self => Composed(self); provided except affine);

    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
        if dst.n() == DEGREE {
            self.0.input("x", || self.0.upload(dst, first_limb, data))
        } else {
            self.0.upload(dst, first_limb, data)
        }
    }

    fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()> {
        if src.n() == DEGREE {
            self.0.output("y", || self.0.download(src, first_limb, out))
        } else {
            self.0.download(src, first_limb, out)
        }
    }

    fn upload_each(
        &self,
        dst: &mut Buf,
        first_limb: usize,
        limbs: usize,
        fill: &(dyn Fn(usize, usize, &mut [u64]) + Sync),
    ) -> Result<()> {
        Composed(self).upload_each(dst, first_limb, limbs, fill)
    }

    fn compact(&self, src: View<'_>, gap: usize) -> Result<Buf> {
        Composed(self).compact(src, gap)
    }

    fn expand(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        Composed(self).expand(dst, src)
    }

    fn integer_factors(&self, dst: ViewMut<'_>, src: &[Integers<'_>], basis: &Basis) -> Result<()> {
        Composed(self).integer_factors(dst, src, basis)
    }

    fn affine(&self, dst: ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], basis: &Basis) -> Result<()> {
        self.0.affine(dst, terms, constant, basis)
    }
}

fn options() -> Options {
    let chain = |p: &[u32], q: &[u32], alpha| Chain { p: p.to_vec(), q: q.to_vec(), alpha };
    Options {
        log_ns: vec![4],
        bases: vec![vec![40], vec![61, 51], vec![50, 30, 60, 40, 49, 20]],
        chains: vec![chain(&[50, 50], &[50; 5], 2), chain(&[50, 60], &[50, 60, 20, 50, 30], 2)],
        bigs: vec![],
        ..Options::default()
    }
}

/// A reader runs the instructions with other arithmetic: it gives all results of the suite.
#[test]
fn instructions_compute_what_every_operation_computes() {
    let traced = Traced(Exporter::new(Arc::new(Reference::default())));
    let report = run(&traced, &options()).unwrap();
    let program = traced.0.program();
    let read = parse(&program.text().unwrap(), program.degree).unwrap();
    assert!(read == program.instructions, "the text has other instructions");
    let found = interpret(program.degree, &read, program.given(), &program.results()).unwrap();
    let results = program.outputs.iter().flat_map(|y| &y.polynomials);
    let written: HashSet<u32> = read.iter().map(|instruction| instruction.dst).collect();
    let mut computed = 0;
    for expected in results {
        assert_eq!(found[&expected.address], expected.words, "%{}", expected.address);
        computed += usize::from(written.contains(&expected.address) && expected.words.iter().any(|&word| word != 0));
    }
    // docs/design/interchange.md states these numbers
    assert_eq!((read.len(), program.results().len(), computed, report.checks), (809_507, 446_942, 27_478, 5129));
}

/// In a ring in which ringjet has another order of values, one constant is a factor of values and of
/// coefficients. An instruction's words are in the order of `sr_ntt`.
#[test]
fn constants_are_stored_in_the_domain_of_their_use() {
    let mut state = 0x5eed_0006u64;
    println!("seed {state:#x}");
    let (n, basis) = (512, Basis::new(9, &[12289]).unwrap());
    let mut random = || -> Vec<u64> {
        let mut next = |_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 33) % 12289
        };
        (0..n).map(&mut next).collect()
    };
    let exporter = Exporter::new(Arc::new(Reference::default()));
    let [mut x, mut c, mut values, mut coefficients] = [(); 4].map(|()| exporter.alloc(1, n).unwrap());
    exporter.input("x", || exporter.upload(&mut x, 0, &random())).unwrap();
    exporter.upload(&mut c, 0, &random()).unwrap();
    exporter.mul(values.view_mut(1), x.view(1), c.view(1), &basis, false).unwrap();
    exporter.copy(coefficients.view_mut(1), x.view(1)).unwrap();
    exporter.intt(coefficients.view_mut(1), &basis).unwrap();
    exporter.mul(x.view_mut(1), coefficients.view(1), c.view(1), &basis, false).unwrap();
    let mut words = vec![0; n];
    exporter.output("values", || exporter.download(&values, 0, &mut words)).unwrap();
    exporter.output("coefficients", || exporter.download(&x, 0, &mut words)).unwrap();

    let program = exporter.program();
    assert_eq!((program.instructions.len(), program.constants.len()), (3, 2));
    let found = interpret(n, &program.instructions, program.given(), &program.results()).unwrap();
    for output in &program.outputs {
        let expected = &output.polynomials[0];
        assert!(found[&expected.address] == expected.words, "{}", output.name);
    }
    // coefficients are in ringjet's order, values are not
    assert!(*program.outputs[1].polynomials[0].words == words);
    exporter.output("again", || exporter.download(&values, 0, &mut words)).unwrap();
    assert!(*program.outputs[0].polynomials[0].words != words);
}

/// As a backend whose uploads are constants it computes all and writes nothing.
#[test]
fn constants_need_no_instructions() {
    let exporter = Exporter::new(Arc::new(Reference::default()));
    let report = run(&exporter, &options()).unwrap();
    assert!(report.checks > 1000, "{report}");
    assert!(exporter.program().instructions.is_empty());
}

/// A conversion to one of its own primes needs no product by 0.
#[test]
fn a_conversion_to_its_own_prime_reads_one_digit() {
    let exporter = Exporter::new(Arc::new(Reference::default()));
    let (src, dst) = (Basis::new(3, &[97, 193]).unwrap(), Basis::new(3, &[97]).unwrap());
    let [mut x, mut y] = [2, 1].map(|limbs| exporter.alloc(limbs, 8).unwrap());
    let words: Vec<u64> = (0..16).collect();
    exporter.input("x", || exporter.upload(&mut x, 0, &words)).unwrap();
    let plan = BaseConversionPlan::new(&src, &dst);
    exporter.base_convert(y.view_mut(1), x.view(1), &plan).unwrap();
    let mut found = vec![0; 8];
    exporter.output("y", || exporter.download(&y, 0, &mut found)).unwrap();
    assert_eq!(found, words[..8]);
    let program = exporter.program();
    let results = interpret(8, &program.instructions, program.given(), &program.results()).unwrap();
    assert_eq!(*results[&program.results()[0]], found);
    // the second digit has products and sums modulo 193; the result is the first digit minus h
    let modulo_97 = program.instructions.iter().filter(|instruction| instruction.modulus == 97);
    assert_eq!(
        modulo_97.map(|instruction| instruction.op).collect::<Vec<_>>(),
        [Op::AddScalar(48), Op::MulScalar(1), Op::AddScalar(49)]
    );
}
