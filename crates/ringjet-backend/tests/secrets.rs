//! Tests that temporaries of composed operations are wiped if they hold values computed from a
//! secret: their memory is marked as secret before anything is written into it.

use std::collections::BTreeSet;
use std::sync::Mutex;

use ringjet_backend::plan::{
    AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, Domain, ModUpPlan,
};
use ringjet_backend::{
    Backend, BigFactor, BigMul, Buf, Composed, HoistedRotations, KeySwitch, KeySwitchInput, Reference, Result,
    RotateFactor, RotateSum, RotateTerm, Rotation, Term, View, ViewMut, delegate,
};
use ringjet_math::Basis;
use ringjet_math::prime::ntt_primes;

/// A backend that watches what operations write into buffers allocated during the operation.
#[derive(Debug, Default)]
struct Watch {
    inner: Reference,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// Addresses of the buffers that were allocated during the operation.
    temporaries: BTreeSet<usize>,
    /// Number of writes of secrets into these buffers.
    secret: usize,
    /// Operations that wrote a secret into such a buffer that was not marked.
    leaks: Vec<&'static str>,
}

fn address(buf: &Buf) -> usize {
    std::ptr::from_ref(buf.storage()).addr()
}

impl Watch {
    /// Records that `dst` is about to be computed from `sources`.
    fn writes(&self, op: &'static str, dst: &ViewMut<'_>, sources: &[View<'_>]) {
        let mut seen = self.seen.lock().unwrap();
        let is_temporary = seen.temporaries.contains(&address(dst.buf()));
        if is_temporary && sources.iter().any(|x| x.is_secret()) {
            seen.secret += 1;
            if !dst.is_secret() {
                seen.leaks.push(op);
            }
        }
    }
}

impl Backend for Watch {
    delegate!(self => self.inner; required except alloc, copy, lincomb, mul, automorphism, base_convert, crt_split,
        crt_join, shift_round, expand);
    delegate!(self => Composed(self); provided);

    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        let buf = self.inner.alloc(limbs, n)?;
        self.seen.lock().unwrap().temporaries.insert(address(&buf));
        Ok(buf)
    }
    fn copy(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        self.writes("copy", &dst, &[src]);
        self.inner.copy(dst, src)
    }
    fn lincomb(&self, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
        self.writes("lincomb", &dst, &terms.iter().map(|t| t.1).collect::<Vec<_>>());
        self.inner.lincomb(dst, terms, basis, accumulate)
    }
    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        self.writes("mul", &dst, &[a, b]);
        self.inner.mul(dst, a, b, basis, accumulate)
    }
    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()> {
        self.writes("automorphism", &dst, &[src]);
        self.inner.automorphism(dst, src, basis, plan)
    }
    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        self.writes("base_convert", &dst, &[src]);
        self.inner.base_convert(dst, src, plan)
    }
    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
        self.writes("crt_split", &dst, &[src]);
        self.inner.crt_split(dst, src, plan)
    }
    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
        self.writes("crt_join", &dst, &[src]);
        self.inner.crt_join(dst, src, plan)
    }
    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
        self.writes("shift_round", &dst, &[src]);
        self.inner.shift_round(dst, src, bits, shift)
    }
    fn expand(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        self.writes("expand", &dst, &[src]);
        self.inner.expand(dst, src)
    }
}

const LOG_N: u32 = 9;
const N: usize = 1 << LOG_N;
const LIMBS: usize = 60;

/// Runs `f(backend, sources, destination)` with each of `sources` sources secret in turn, and with
/// none. `on_the_way` lists the sources that temporaries are computed from. The destination is not
/// marked: a result may be public, as a ciphertext is.
fn watched(what: &str, sources: usize, on_the_way: &[usize], f: impl Fn(&Watch, &[Buf], &mut Buf) -> Result<()>) {
    for secret in 0..=sources {
        let watch = Watch::default();
        let buf = |i: usize| {
            let mut buf = watch.inner.alloc(LIMBS, N).unwrap();
            watch.inner.upload(&mut buf, 0, &[0; LIMBS * N]).unwrap();
            if i == secret { buf.into_secret() } else { buf }
        };
        let (bufs, mut dst) = ((0..sources).map(buf).collect::<Vec<_>>(), buf(usize::MAX));
        f(&watch, &bufs, &mut dst).unwrap_or_else(|e| panic!("{what}: {e}"));
        let seen = watch.seen.into_inner().unwrap();
        assert!(seen.leaks.is_empty(), "{what}, source {secret}: {:?}", seen.leaks);
        assert_eq!(seen.secret > 0, on_the_way.contains(&secret), "{what}, source {secret}");
    }
}

fn basis(primes: usize) -> Basis {
    Basis::new(LOG_N, &ntt_primes(LOG_N, 50, primes, &[]).unwrap()).unwrap()
}

/// A view of `polys` polynomials over three primes.
fn low(buf: &Buf, polys: usize) -> View<'_> {
    buf.view(20).slice(0, polys)
}

/// A view of `polys` polynomials over five primes.
fn wide(buf: &Buf, polys: usize) -> View<'_> {
    buf.view(12).slice(0, polys)
}

#[test]
fn temporaries_of_key_switches_are_as_secret_as_their_sources() {
    let all = basis(5);
    let up = &ModUpPlan::new(&all.prefix(2), &all.select(2..5), 2);
    let division = &DivisionPlan::new(&all, &[0, 1]);
    let galois = &AutomorphismPlan::new(LOG_N, 5, Domain::Evaluation);

    watched("mod_up", 1, &[0], |b, s, d| b.mod_up(d.view_mut(12).slice(0, 2), low(&s[0], 1), up));
    watched("divide_round", 2, &[0], |b, s, d| {
        b.divide_round(d.view_mut(20).slice(0, 2), wide(&s[0], 2), division, Some(low(&s[1], 1)))
    });
    for from_digits in [false, true] {
        watched("key_switch", 3, &[0, 1, 2], |b, s, d| {
            let input = if from_digits {
                KeySwitchInput::Digits(wide(&s[0], 4))
            } else {
                KeySwitchInput::Polynomial(low(&s[0], 2))
            };
            let (key, add, automorphism) = (wide(&s[1], 4), Some(low(&s[2], 2)), Some(galois));
            let switch = KeySwitch { input, key, mod_up: up, division, add, automorphism };
            b.key_switch(d.view_mut(20).slice(0, 4), &switch)
        });
    }
    watched("key_switch of products", 4, &[0, 1, 2, 3], |b, s, d| {
        let sums: [&[_]; 1] = [&[(low(&s[0], 2), low(&s[1], 2)), (low(&s[0], 2), low(&s[0], 2))]];
        let (input, key, add) = (KeySwitchInput::Products(&sums), wide(&s[2], 4), Some(low(&s[3], 1)));
        let switch = KeySwitch { input, key, mod_up: up, division, add, automorphism: None };
        b.key_switch(d.view_mut(20).slice(0, 2), &switch)
    });
    watched("hoisted_rotations", 3, &[0, 1, 2], |b, s, d| {
        let rotations = &[(wide(&s[1], 4), galois)];
        let (digits, add) = (wide(&s[0], 2), low(&s[2], 1));
        let rotations = HoistedRotations { digits, mod_up: up, division, add, rotations };
        b.hoisted_rotations(&mut [d.view_mut(20).slice(0, 2)], &rotations)
    });
    watched("rotate_into", 3, &[0, 1, 2], |b, s, d| {
        let rotation = Rotation { mod_up: up, key: wide(&s[1], 4), automorphism: galois, add: wide(&s[2], 1) };
        b.rotate_into(d.view_mut(12).slice(0, 2), low(&s[0], 1), &rotation, true)
    });
}

#[test]
fn temporaries_of_rotation_sums_are_as_secret_as_their_sources() {
    let (all, galois) = (basis(5), &AutomorphismPlan::new(LOG_N, 5, Domain::Evaluation));
    watched("hoisted_rotate_sum", 4, &[0, 1, 2, 3], |b, s, d| {
        let few = b.inner.compact(wide(&s[3], 1), 4)?;
        assert_eq!((few.n(), few.is_secret()), (N / 4, s[3].is_secret()));
        let factors = [RotateFactor::Poly(few.view(1))];
        let term = RotateTerm { key: Some(wide(&s[1], 4)), automorphism: Some(galois), factors: &factors };
        let terms = [term, RotateTerm { key: None, ..term }];
        let sum = RotateSum { digits: wide(&s[0], 2), add: wide(&s[2], 2), terms: &terms };
        b.hoisted_rotate_sum(d.view_mut(12).slice(0, 2), &sum, &all, false)
    });
}

#[test]
fn temporaries_of_big_products_are_as_secret_as_their_factors() {
    let basis = basis(5);
    let (split, join) = (CrtSplitPlan::new(&basis, 100), CrtJoinPlan::new(&basis, 100));
    watched("big_mul", 3, &[0, 1], |b, s, d| {
        let [left, right, add] = [0, 1, 2].map(|i| s[i].view(30).slice(0, 2));
        let sums: [&[_]; 2] = [&[(0, 0), (1, 1)], &[(0, 1)]];
        let right = BigFactor::Integers(right, &split);
        let product = BigMul { left, split: &split, right, sums: &sums, join: &join, shift: 0, add: Some(add) };
        b.big_mul(d.view_mut(30).slice(0, 2), &product)
    });
    watched("big_prepare", 1, &[0], |b, s, _| {
        let prepared = b.big_prepare(s[0].view(30).slice(0, 2), &split)?;
        assert_eq!(prepared.is_secret(), s[0].is_secret());
        Ok(())
    });
}
