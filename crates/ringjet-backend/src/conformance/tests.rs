use num_bigint::BigInt;

use super::*;
use crate::plan::{DivisionPlan, ModUpPlan};

#[test]
fn the_oracle_passes_its_own_suite() {
    let options = Options { log_ns: vec![3, 5], ..Options::default() };
    let report = run(&Reference::default(), &options).unwrap();
    assert!(report.checks > 1000, "{report}");
}

fn centred(limbs: &[u64], basis: &Basis) -> BigInt {
    let limbs: Vec<[u64; 1]> = limbs.iter().map(|&x| [x]).collect();
    let limbs: Vec<&[u64]> = limbs.iter().map(|l| &l[..]).collect();
    ringjet_math::crt::CrtDecoder::new(basis).decode_exact(&limbs).remove(0)
}

/// The residues of coefficient `c`, from words in the evaluation domain.
fn coefficient(words: &[u64], basis: &Basis, c: usize) -> Vec<u64> {
    let mut words = words.to_vec();
    let limbs = words.chunks_exact_mut(basis.n()).zip(basis.primes());
    limbs
        .map(|(limb, prime)| {
            prime.table().inverse(limb);
            limb[c]
        })
        .collect()
}

/// The fused operations' formulas against big integers: the suite compares implementations, this the meaning.
#[test]
fn division_and_digits_mean_what_they_say() {
    let (b, mut rng) = (Reference::default(), Rng::new(7));
    let primes = prime::ntt_primes(4, 50, 7, &[]).unwrap();
    let all = Basis::new(4, &primes).unwrap();
    let host = |rng: &mut Rng, basis: &Basis| Host::new(rng, basis, data::Layout::dense(1), data::Style::Random);
    let src = host(&mut rng, &all);
    let x = src.upload(&b).unwrap();
    for drop in [vec![0, 1], vec![6], vec![0, 1, 6]] {
        let plan = DivisionPlan::new(&all, &drop);
        let mut y = b.alloc(plan.dst.len(), all.n()).unwrap();
        b.divide_round(y.view_mut(1), x.view(1), &plan, None).unwrap();
        let (before, after) = (data::download(&b, &x).unwrap(), data::download(&b, &y).unwrap());
        for c in 0..all.n() {
            let numerator = centred(&coefficient(&before, &all, c), &all);
            let found = centred(&coefficient(&after, &plan.dst, c), &plan.dst);
            let divisor = BigInt::from(plan.divisor());
            let twice: BigInt = (numerator - found * &divisor) * 2;
            assert!(twice.magnitude() <= divisor.magnitude(), "{c}");
        }
    }
    let (p, q) = (all.prefix(2), all.select(2..7));
    let plan = ModUpPlan::new(&p, &q, 2);
    let src = host(&mut rng, &q);
    let x = src.upload(&b).unwrap();
    let mut digits = b.alloc(plan.beta() * all.len(), all.n()).unwrap();
    b.mod_up(digits.view_mut(plan.beta()), x.view(1), &plan).unwrap();
    let (before, after) = (data::download(&b, &x).unwrap(), data::download(&b, &digits).unwrap());
    for (d, digit) in plan.digits.iter().enumerate() {
        let words = &after[d * all.len() * all.n()..][..all.len() * all.n()];
        for c in 0..all.n() {
            let source = coefficient(&before, &q, c);
            let expected = centred(&source[digit.start..][..digit.len], &digit.conv.conv.src);
            assert_eq!(centred(&coefficient(words, &all, c), &all), expected);
        }
    }
}

/// A backend with one wrong word in one operation.
#[derive(Debug)]
struct Broken(Reference);

impl Backend for Broken {
    fn id(&self) -> &crate::BackendId {
        self.0.id()
    }
    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        self.0.alloc(limbs, n)
    }
    fn upload(&self, dst: &mut Buf, first: usize, data: &[u64]) -> Result<()> {
        self.0.upload(dst, first, data)
    }
    fn download(&self, src: &Buf, first: usize, out: &mut [u64]) -> Result<()> {
        self.0.download(src, first, out)
    }
    fn sync(&self) -> Result<()> {
        Ok(())
    }
    fn copy(&self, dst: crate::ViewMut<'_>, src: crate::View<'_>) -> Result<()> {
        self.0.copy(dst, src)
    }
    fn ntt(&self, x: crate::ViewMut<'_>, basis: &Basis) -> Result<()> {
        self.0.ntt(x, basis)
    }
    fn intt(&self, x: crate::ViewMut<'_>, basis: &Basis) -> Result<()> {
        self.0.intt(x, basis)
    }
    fn lincomb(&self, d: crate::ViewMut<'_>, t: &[crate::Term<'_>], basis: &Basis, acc: bool) -> Result<()> {
        self.0.lincomb(d, t, basis, acc)
    }
    fn mul(
        &self,
        d: crate::ViewMut<'_>,
        x: crate::View<'_>,
        y: crate::View<'_>,
        basis: &Basis,
        acc: bool,
    ) -> Result<()> {
        self.0.mul(d, x, y, basis, acc)
    }
    fn automorphism(
        &self,
        d: crate::ViewMut<'_>,
        s: crate::View<'_>,
        basis: &Basis,
        plan: &crate::plan::AutomorphismPlan,
    ) -> Result<()> {
        self.0.automorphism(d, s, basis, plan)
    }
    fn base_convert(
        &self,
        d: crate::ViewMut<'_>,
        s: crate::View<'_>,
        plan: &crate::plan::BaseConversionPlan,
    ) -> Result<()> {
        self.0.base_convert(d, s, plan)
    }
    fn crt_split(&self, d: crate::ViewMut<'_>, s: crate::View<'_>, plan: &crate::plan::CrtSplitPlan) -> Result<()> {
        self.0.crt_split(d, s, plan)
    }
    fn crt_join(&self, d: crate::ViewMut<'_>, s: crate::View<'_>, plan: &crate::plan::CrtJoinPlan) -> Result<()> {
        self.0.crt_join(d, s, plan)
    }
    fn shift_round(&self, d: crate::ViewMut<'_>, s: crate::View<'_>, bits: u32, shift: u32) -> Result<()> {
        self.0.shift_round(d, s, bits, shift)
    }
    fn big_lincomb(&self, d: crate::ViewMut<'_>, t: &[crate::BigTerm<'_>], bits: u32, acc: bool) -> Result<()> {
        self.0.big_lincomb(d, t, bits, acc)
    }
    fn big_automorphism(
        &self,
        d: crate::ViewMut<'_>,
        s: crate::View<'_>,
        bits: u32,
        plan: &crate::plan::AutomorphismPlan,
    ) -> Result<()> {
        self.0.big_automorphism(d, s, bits, plan)
    }
    fn tensor(&self, mut d: crate::ViewMut<'_>, x: crate::View<'_>, y: crate::View<'_>, basis: &Basis) -> Result<()> {
        crate::unfused::tensor(&self.0, d.reborrow(), x, y, basis)?;
        let limb = d.limb_index(2, 0);
        let mut words = vec![0; d.n()];
        self.0.download(d.buf(), limb, &mut words)?;
        words[3] ^= 1;
        self.0.upload(d.buf_mut(), limb, &words)
    }
}

#[test]
fn one_wrong_bit_is_found_and_named() {
    let failure = run(&Broken(Reference::default()), &Options::default()).unwrap_err();
    assert_eq!(failure.operation, "tensor");
    let FailureKind::Word { source, index, expected, found, .. } = failure.kind else { panic!("{failure}") };
    assert_eq!((source, index, expected ^ found), (None, 3, 1));
}
