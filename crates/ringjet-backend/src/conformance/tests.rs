use num_bigint::BigInt;

use super::*;
use crate::plan::{DivisionPlan, ModUpPlan};
use crate::{Coeff, Composed, KeySwitch, KeySwitchInput, View, ViewMut, delegate};

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

/// Compares the formulas of the fused operations with big integers. The suite only compares
/// implementations with each other.
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

/// A key switch of several polynomials, of their digits, or of sums of products equals the switches
/// of the single polynomials, with the products and sums computed before. The suite only compares
/// implementations of one definition; this tests the definition.
#[test]
fn several_switches_are_those_of_each_polynomial() {
    let (b, mut rng, n) = (Reference::default(), Rng::new(9), 16);
    let all = Basis::new(4, &prime::ntt_primes(4, 50, 5, &[]).unwrap()).unwrap();
    let (q, plan) = (all.select(2..5), ModUpPlan::new(&all.prefix(2), &all.select(2..5), 2));
    let (mod_up, division) = (&plan, &DivisionPlan::new(&all, &[0, 1]));
    let random = |rng: &mut Rng, basis: &Basis, polys: usize| {
        Host::new(rng, basis, data::Layout::dense(polys), data::Style::Random).upload(&b).unwrap()
    };
    let (key, src, adds) = (random(&mut rng, &all, 4), random(&mut rng, &q, 6), random(&mut rng, &q, 4));
    let (key, src) = (key.view(4), src.view(6));
    let switched = |input: KeySwitchInput<'_>, add: Option<View<'_>>, polys: usize| {
        let mut dst = b.alloc(polys * q.len(), n).unwrap();
        let switch = KeySwitch { input, key, mod_up, division, add, automorphism: None };
        b.key_switch(dst.view_mut(polys), &switch).unwrap();
        data::download(&b, &dst).unwrap()
    };
    for per in [1, 2] {
        let add = |i: usize| adds.view(4).slice(i * per, per);
        let expected = [0, 1].map(|i| switched(KeySwitchInput::Polynomial(src.poly(i)), Some(add(i)), 2)).concat();
        let both = Some(adds.view(4).slice(0, 2 * per));
        assert_eq!(switched(KeySwitchInput::Polynomial(src.slice(0, 2)), both, 4), expected);
        let mut digits = b.alloc(4 * all.len(), n).unwrap();
        for i in 0..2 {
            b.mod_up(digits.view_mut(4).slice(2 * i, 2), src.poly(i), mod_up).unwrap();
        }
        assert_eq!(switched(KeySwitchInput::Digits(digits.view(4)), both, 4), expected);

        // the first result is of one product, the second of a sum of two
        let pair = |i: usize| src.slice(2 * i, 2);
        let sums: [&[_]; 2] = [&[(pair(0), pair(1))], &[(pair(1), pair(2)), (pair(0), pair(0))]];
        let apart = [0, 1].map(|i| {
            let (mut sum, mut one) = (b.alloc(9, n).unwrap(), b.alloc(9, n).unwrap());
            b.lincomb(sum.view_mut(3), &[], &q, false).unwrap();
            for &(x, y) in sums[i] {
                b.tensor(one.view_mut(3), x, y, &q).unwrap();
                b.lincomb(sum.view_mut(3), &[(Coeff::One, one.view(3))], &q, true).unwrap();
            }
            b.lincomb(sum.view_mut(3).slice(0, per), &[(Coeff::One, add(i))], &q, true).unwrap();
            let sum = sum.view(3);
            switched(KeySwitchInput::Polynomial(sum.poly(2)), Some(sum.slice(0, 2)), 2)
        });
        assert_eq!(switched(KeySwitchInput::Products(&sums), both, 4), apart.concat());
    }
}

/// A key switch with a scaled decomposition multiplies what it adds by the factor: it equals a sum
/// over the extended basis, of the inner product with the key and of the addend times P and the
/// factor, and a division of that sum.
#[test]
fn a_scaled_decomposition_multiplies_the_addend() {
    let (b, mut rng, n, factor) = (Reference::default(), Rng::new(10), 16, 0x1_2345_6789u64);
    for bits in [30, 50] {
        let all = Basis::new(4, &prime::ntt_primes(4, bits, 5, &[]).unwrap()).unwrap();
        let (p, q) = (all.prefix(2), all.select(2..5));
        let (plan, division) = (ModUpPlan::new(&p, &q, 2).scaled(factor), DivisionPlan::new(&all, &[0, 1]));
        let random = |rng: &mut Rng, basis: &Basis, polys: usize| {
            Host::new(rng, basis, data::Layout::dense(polys), data::Style::Random).upload(&b).unwrap()
        };
        let (key, src, add) = (random(&mut rng, &all, 4), random(&mut rng, &q, 1), random(&mut rng, &q, 2));
        let mut got = b.alloc(2 * q.len(), n).unwrap();
        let switch = KeySwitch {
            input: KeySwitchInput::Polynomial(src.view(1)),
            key: key.view(4),
            mod_up: &plan,
            division: &division,
            add: Some(add.view(2)),
            automorphism: None,
        };
        b.key_switch(got.view_mut(2), &switch).unwrap();

        let (mut digits, mut sum) = (b.alloc(2 * all.len(), n).unwrap(), b.alloc(2 * all.len(), n).unwrap());
        b.mod_up(digits.view_mut(2), src.view(1), &plan).unwrap();
        b.key_inner_product(sum.view_mut(2), digits.view(2), key.view(4), &all).unwrap();
        // factor * P is 0 modulo the special primes
        let times: Vec<u64> = (q.values())
            .map(|q| p.values().fold(u128::from(factor % q), |x, p| x * u128::from(p) % u128::from(q)) as u64)
            .collect();
        for i in 0..2 {
            let mut scaled = b.alloc(q.len(), n).unwrap();
            b.lincomb(scaled.view_mut(1), &[(Coeff::PerLimb(&times), add.view(2).poly(i))], &q, false).unwrap();
            let (mut sums, addends) = (data::download(&b, &sum).unwrap(), data::download(&b, &scaled).unwrap());
            for (j, prime) in q.values().enumerate() {
                for c in 0..n {
                    let at = (i * all.len() + p.len() + j) * n + c;
                    sums[at] = (sums[at] + addends[j * n + c]) % prime;
                }
            }
            b.upload(&mut sum, 0, &sums).unwrap();
        }
        let mut want = b.alloc(2 * q.len(), n).unwrap();
        b.divide_round(want.view_mut(2), sum.view(2), &division, None).unwrap();
        assert_eq!(data::download(&b, &got).unwrap(), data::download(&b, &want).unwrap(), "{bits} bits");
    }
}

/// A backend that makes one wrong word in one operation.
#[derive(Debug)]
struct Broken(Reference);

impl Backend for Broken {
    delegate!(self => self.0; all except tensor);

    fn tensor(&self, mut d: ViewMut<'_>, x: View<'_>, y: View<'_>, basis: &Basis) -> Result<()> {
        self.0.tensor(d.reborrow(), x, y, basis)?;
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

/// A backend that stores a residue in 4 bytes, so longer words do not fit.
#[derive(Debug)]
struct Narrow(Reference);

impl Backend for Narrow {
    delegate!(self => self.0; required except upload);
    delegate!(self => Composed(self); provided);

    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
        let most = u64::from(u32::MAX);
        if let Some(word) = data.iter().find(|&&word| word > most) {
            return Err(BackendError::Device { backend: "narrow".into(), message: format!("no room for {word}") });
        }
        self.0.upload(dst, first_limb, data)
    }
}

#[test]
fn a_backend_with_short_words_passes_with_short_primes() {
    let (narrow, options) =
        (Narrow(Reference::default()), Options { log_ns: vec![4], ..Options::of_width(Width::Four) });
    let report = run(&narrow, &options).unwrap();
    assert!(report.checks > 1000, "{report}");
    let wide = Options { bases: vec![vec![50]], ..options };
    assert!(matches!(run(&narrow, &wide).unwrap_err().kind, FailureKind::Refused(_)));
}
