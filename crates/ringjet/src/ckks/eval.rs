//! The explicit evaluator: exact scales and levels, one operation a call (Tables II and III of de Castro et al.).
//!
//! Nothing is aligned behind the caller's back; the methods of [`super::auto`] do that on top of these.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ringjet_backend::{Buf, Coeff};

use super::{Ciphertext, Plaintext, Scale, noise};
use crate::noise::{Added, Noise};
use crate::rlwe::keyswitch::{Finish, apply, hoist, rotations};
use crate::{Bootstrapper, Context, Error, EvaluationKeys, KeyId, Result, SwitchingKey};

/// Computes on ciphertexts; holds public keys only.
#[derive(Clone, Debug)]
pub struct Evaluator {
    ctx: Context,
    keys: Arc<EvaluationKeys>,
    /// By the binary logarithm of the number of slots; made when first needed.
    bootstrappers: Arc<Mutex<BTreeMap<u32, Arc<Bootstrapper>>>>,
    merged: bool,
    batched: bool,
}

impl Evaluator {
    /// An evaluator with these keys.
    pub fn new(ctx: &Context, keys: Arc<EvaluationKeys>) -> Result<Self> {
        ctx.params().expect_same("evaluation keys", keys.params())?;
        Ok(Self { ctx: ctx.clone(), keys, bootstrappers: Arc::default(), merged: true, batched: true })
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.ctx
    }

    /// Whether products are divided by P and rescaled at once (the default), or one after the other. For measurement.
    pub fn merged_rescaling(mut self, merged: bool) -> Self {
        self.merged = merged;
        self
    }

    /// Whether the products that a polynomial adds up at one level are relinearised as one sum (the default), or each by
    /// itself. For measurement.
    pub fn batched_products(mut self, batched: bool) -> Self {
        self.batched = batched;
        self
    }

    /// A product that may be part of a sum: finished at once unless sums are.
    pub(crate) fn mul_for_sum(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        if self.batched { self.mul(a, b) } else { self.mul_relin_rescale(a, b) }
    }

    /// A sum of such products.
    pub(crate) fn finish_sum(&self, sum: Ciphertext) -> Result<Ciphertext> {
        if self.batched { self.finish_product(&sum) } else { Ok(sum) }
    }

    /// The keys.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// What bootstraps ciphertexts of `2^log_slots` slots: prepared at the first call, which takes seconds in large
    /// rings, or given by [`Evaluator::set_bootstrapper`].
    pub fn bootstrapper(&self, log_slots: u32) -> Result<Arc<Bootstrapper>> {
        self.keys.encapsulation()?;
        let mut all = self.bootstrappers.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(found) = all.get(&log_slots) {
            return Ok(Arc::clone(found));
        }
        self.keys.expect_bootstrapping(log_slots)?;
        let made = Arc::new(Bootstrapper::new(&self.ctx, log_slots, |_, _| true)?);
        all.insert(log_slots, Arc::clone(&made));
        Ok(made)
    }

    /// Hands over what bootstraps ciphertexts of its number of slots, to this evaluator and its clones.
    pub fn set_bootstrapper(&self, made: Arc<Bootstrapper>) {
        let mut all = self.bootstrappers.lock().unwrap_or_else(|e| e.into_inner());
        all.insert(made.log_slots(), made);
    }

    /// The numbers of slots (binary logarithms) that are prepared for bootstrapping.
    pub fn bootstrappers(&self) -> Vec<u32> {
        self.bootstrappers.lock().unwrap_or_else(|e| e.into_inner()).keys().copied().collect()
    }

    /// Whether ciphertexts can be bootstrapped: parameters and keys are there.
    pub fn can_bootstrap(&self) -> bool {
        self.keys.encapsulation().is_ok()
    }

    /// The same message with all its levels again ([`Bootstrapper::bootstrap`]).
    pub fn bootstrap(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.bootstrapper(a.log_slots())?.bootstrap(self, a)
    }

    /// Refuses a ciphertext of other parameters or of another secret than the keys.
    pub(crate) fn check(&self, ct: &Ciphertext) -> Result<()> {
        self.ctx.params().expect_same("ciphertext", ct.params())?;
        self.keys.key_id().join("ciphertext", ct.key_id()).map(|_| ())
    }

    /// The secret of what is made of `ct` with these keys.
    pub(crate) fn owner(&self, ct: &Ciphertext) -> KeyId {
        ct.key_id().or(self.keys.key_id())
    }

    fn check_pair(&self, op: &'static str, a: &Ciphertext, b: &Ciphertext) -> Result<()> {
        self.check(a)?;
        a.expect_packing(b)?;
        if a.level() != b.level() {
            return Err(Error::ModulusMismatch { unit: crate::Unit::Levels, op, lhs: a.level(), rhs: b.level() });
        }
        Ok(())
    }

    fn check_degree(&self, op: &'static str, ct: &Ciphertext) -> Result<()> {
        self.check(ct)?;
        if ct.polys() != 2 {
            return Err(Error::Degree { op, expected: 2, found: ct.polys() });
        }
        Ok(())
    }

    fn build(&self, buf: Buf, polys: usize, like: &Ciphertext, level: usize, scale: Scale, noise: Noise) -> Ciphertext {
        let made = Ciphertext::from_parts(self.ctx.params(), buf, polys, level, scale, like.log_slots(), noise);
        made.with_key(self.owner(like))
    }

    /// Refuses values that would wrap around the modulus of `level`.
    fn expect_room(&self, op: &'static str, noise: Noise, level: usize) -> Result<()> {
        noise.expect_room(op, self.ctx.params().level(level).basis.log2())
    }

    fn linear(&self, op: &'static str, a: &Ciphertext, b: &Ciphertext, sign: Coeff<'_>) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Add");
        self.check_pair(op, a, b)?;
        expect_scales(op, a.scale(), b.scale())?;
        let noise = match sign {
            Coeff::MinusOne => a.noise().difference(b.noise()),
            _ => a.noise().sum(b.noise()),
        };
        self.expect_room(op, noise, a.level())?;
        let basis = &self.ctx.params().level(a.level()).basis;
        let polys = a.polys().max(b.polys());
        let mut buf = self.ctx.alloc(polys * basis.len())?;
        let common = a.polys().min(b.polys());
        let terms = [(Coeff::One, a.view().slice(0, common)), (sign, b.view().slice(0, common))];
        self.ctx.backend().lincomb(buf.view_mut(polys).slice(0, common), &terms, basis, false)?;
        if polys > common {
            let (sign, longer) = if a.polys() > common { (Coeff::One, a) } else { (sign, b) };
            let rest = longer.view().slice(common, polys - common);
            let dst = buf.view_mut(polys).slice(common, polys - common);
            self.ctx.backend().lincomb(dst, &[(sign, rest)], basis, false)?;
        }
        let made = self.build(buf, polys, a, a.level(), a.scale(), noise);
        Ok(made.with_key(self.owner(a).or(b.key_id())))
    }

    /// `a + b`; levels and scales must agree.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.linear("add", a, b, Coeff::One)
    }

    /// `a - b`; levels and scales must agree.
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.linear("sub", a, b, Coeff::MinusOne)
    }

    /// `-a`.
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.check(a)?;
        let basis = &self.ctx.params().level(a.level()).basis;
        let mut buf = self.ctx.alloc(a.polys() * basis.len())?;
        self.ctx.backend().lincomb(buf.view_mut(a.polys()), &[(Coeff::MinusOne, a.view())], basis, false)?;
        Ok(self.build(buf, a.polys(), a, a.level(), a.scale(), a.noise().scaled(1.0, -1.0, a.scale())))
    }

    fn linear_plain(&self, op: &'static str, a: &Ciphertext, p: &Plaintext, sign: Coeff<'_>) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtAdd");
        self.check_plain(op, a, p)?;
        expect_scales(op, a.scale(), p.scale())?;
        let range = if matches!(sign, Coeff::MinusOne) { p.range().negated() } else { p.range() };
        let noise = a.noise().plus_fixed(noise::encoding(self.ctx.params()));
        let noise = noise.with_range(noise.range().sum(range));
        self.expect_room(op, noise, a.level())?;
        let basis = &self.ctx.params().level(a.level()).basis;
        let mut buf = self.ctx.alloc(a.polys() * basis.len())?;
        self.ctx.backend().copy(buf.view_mut(a.polys()), a.view())?;
        self.ctx.backend().lincomb(buf.view_mut(a.polys()).poly(0), &[(sign, p.view())], basis, true)?;
        Ok(self.build(buf, a.polys(), a, a.level(), a.scale(), noise))
    }

    fn check_plain(&self, op: &'static str, a: &Ciphertext, p: &Plaintext) -> Result<()> {
        self.check(a)?;
        self.ctx.params().expect_same("plaintext", p.params())?;
        if a.level() != p.level() {
            return Err(Error::ModulusMismatch { unit: crate::Unit::Levels, op, lhs: a.level(), rhs: p.level() });
        }
        if a.log_slots() != p.log_slots() {
            return Err(Error::SlotMismatch { lhs: a.slots(), rhs: 1 << p.log_slots() });
        }
        Ok(())
    }

    /// `a + p`; levels and scales must agree.
    pub fn add_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        self.linear_plain("add_plain", a, p, Coeff::One)
    }

    /// `a - p`; levels and scales must agree.
    pub fn sub_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        self.linear_plain("sub_plain", a, p, Coeff::MinusOne)
    }

    /// `a p`, slot by slot; levels must agree, scales multiply, no rescaling.
    pub fn mul_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        self.check_plain("mul_plain", a, p)?;
        let scale = a.scale() * p.scale();
        let noise = a.noise().product(p.noise(), scale);
        self.expect_room("mul_plain", noise, a.level())?;
        let basis = &self.ctx.params().level(a.level()).basis;
        let mut buf = self.ctx.alloc(a.polys() * basis.len())?;
        self.ctx.backend().mul(buf.view_mut(a.polys()), a.view(), p.view(), basis, false)?;
        Ok(self.build(buf, a.polys(), a, a.level(), scale, noise))
    }

    /// `sum of a_i p_i` without rescaling: one pass over the data. Levels and packings must agree, and so must the
    /// products of scales.
    pub fn mul_plain_sum(&self, pairs: &[(&Ciphertext, &Plaintext)]) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        let Some(&(first, p)) = pairs.first() else {
            return Err(Error::Argument { name: "pairs", value: "[]".into(), expected: "at least one product".into() });
        };
        let scale = first.scale() * p.scale();
        let mut noise: Option<Noise> = None;
        let mut owner = self.owner(first);
        for (a, p) in pairs {
            self.check_pair("mul_plain_sum", first, a)?;
            owner = owner.join("ciphertext", a.key_id())?;
            self.check_degree("mul_plain_sum", a)?;
            self.check_plain("mul_plain_sum", a, p)?;
            expect_scales("mul_plain_sum", scale, a.scale() * p.scale())?;
            let one = a.noise().product(p.noise(), scale);
            noise = Some(noise.map_or(one, |n| n.sum(one)));
        }
        let noise = noise.unwrap_or_else(|| first.noise());
        self.expect_room("mul_plain_sum", noise, first.level())?;
        let basis = &self.ctx.params().level(first.level()).basis;
        let mut buf = self.ctx.alloc(2 * basis.len())?;
        let views: Vec<_> = pairs.iter().map(|(a, p)| (a.view(), p.view())).collect();
        self.ctx.backend().mul_acc(buf.view_mut(2), &views, basis, false)?;
        Ok(self.build(buf, 2, first, first.level(), scale, noise).with_key(owner))
    }

    /// `integer * a`, exact: no level, no change of scale.
    pub fn mul_integer(&self, a: &Ciphertext, integer: i64) -> Result<Ciphertext> {
        self.scale_by(a, i128::from(integer), a.scale(), integer as f64)
    }

    /// Multiplies the polynomials by `integer` and declares `scale`; the values are multiplied by `value`.
    pub(crate) fn scale_by(&self, a: &Ciphertext, integer: i128, scale: Scale, value: f64) -> Result<Ciphertext> {
        self.check(a)?;
        let noise = a.noise().scaled(integer as f64, value, scale);
        self.expect_room("multiplication by a constant", noise, a.level())?;
        let basis = &self.ctx.params().level(a.level()).basis;
        let residues: Vec<u64> = basis.values().map(|q| integer.rem_euclid(i128::from(q)) as u64).collect();
        let mut buf = self.ctx.alloc(a.polys() * basis.len())?;
        let terms = [(Coeff::PerLimb(&residues), a.view())];
        self.ctx.backend().lincomb(buf.view_mut(a.polys()), &terms, basis, false)?;
        Ok(self.build(buf, a.polys(), a, a.level(), scale, noise))
    }

    /// `a + constant` with the constant rounded at the ciphertext's scale.
    pub fn add_scalar(&self, a: &Ciphertext, constant: f64) -> Result<Ciphertext> {
        self.combine(&[(a, 1)], constant)
    }

    /// `sum of integer * ciphertext + constant` in one pass; levels and scales must agree.
    pub(crate) fn combine(&self, terms: &[(&Ciphertext, i32)], constant: f64) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Combine");
        let Some(&(a, _)) = terms.first() else {
            return Err(Error::Argument { name: "terms", value: "[]".into(), expected: "at least one term".into() });
        };
        let basis = &self.ctx.params().level(a.level()).basis;
        let mut noise: Option<Noise> = None;
        let mut factors: Vec<Vec<u64>> = Vec::with_capacity(terms.len());
        let mut owner = self.owner(a);
        for &(x, factor) in terms {
            self.check_pair("combine", a, x)?;
            owner = owner.join("ciphertext", x.key_id())?;
            expect_scales("combine", a.scale(), x.scale())?;
            if x.polys() != a.polys() {
                return Err(Error::Degree { op: "combine", expected: a.polys(), found: x.polys() });
            }
            factors.push(basis.values().map(|q| i64::from(factor).rem_euclid(q as i64) as u64).collect());
            let one = x.noise().scaled(f64::from(factor), f64::from(factor), x.scale());
            noise = Some(noise.map_or(one, |n| n.sum(one)));
        }
        let integer = self.scaled_integer(constant, a.scale(), a.level())?;
        let noise = noise.unwrap_or_else(|| a.noise());
        // a constant is rounded once, whatever the slot
        let rounding = Added::fixed(if constant == 0.0 { 0.0 } else { 0.5 });
        let noise = noise.plus_fixed(rounding).with_range(noise.range().shifted(constant));
        self.expect_room("addition", noise, a.level())?;
        let constants = (integer != 0).then(|| self.ctx.constant_poly(integer, basis)).transpose()?;
        let coeff = |i: usize| match terms[i].1 {
            1 => Coeff::One,
            -1 => Coeff::MinusOne,
            _ => Coeff::PerLimb(&factors[i]),
        };
        let (polys, b) = (a.polys(), self.ctx.backend());
        let mut buf = self.ctx.alloc(polys * basis.len())?;
        // a constant is part of the first polynomial only
        let first = usize::from(constants.is_some());
        let slice = |from: usize, count: usize| -> Vec<_> {
            terms.iter().enumerate().map(|(i, (x, _))| (coeff(i), x.view().slice(from, count))).collect()
        };
        if let Some(constants) = &constants {
            let mut all = slice(0, 1);
            all.push((Coeff::One, constants.view(1)));
            b.lincomb(buf.view_mut(polys).poly(0), &all, basis, false)?;
        }
        b.lincomb(buf.view_mut(polys).slice(first, polys - first), &slice(first, polys - first), basis, false)?;
        Ok(self.build(buf, a.polys(), a, a.level(), a.scale(), noise).with_key(owner))
    }

    /// `round(constant * scale)`, refused where it does not fit below Q_level / 2.
    pub(crate) fn scaled_integer(&self, constant: f64, scale: Scale, level: usize) -> Result<i128> {
        if !constant.is_finite() {
            return Err(Error::NotFinite { index: 0, value: constant });
        }
        let (hi, lo) = scale.parts();
        let rounded = (constant * hi).round();
        let available = (self.ctx.params().level(level).basis.log2() - 1.0).min(120.0);
        if rounded != 0.0 && rounded.abs().log2() >= available {
            return Err(Error::TooLarge {
                magnitude: constant.abs(),
                scale_log2: scale.log2(),
                needed: rounded.abs().log2(),
                available,
                level: Some(level),
            });
        }
        Ok(rounded as i128 + (constant * lo + constant.mul_add(hi, -rounded)).round() as i128)
    }

    /// Product without relinearisation: three polynomials; scales multiply.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Tensor");
        self.check_pair("mul", a, b)?;
        self.check_degree("mul", a)?;
        self.check_degree("mul", b)?;
        let scale = a.scale() * b.scale();
        let noise = if a.is_same(b) { a.noise().square(scale) } else { a.noise().product(b.noise(), scale) };
        self.expect_room("multiplication", noise, a.level())?;
        let basis = &self.ctx.params().level(a.level()).basis;
        let mut buf = self.ctx.alloc(3 * basis.len())?;
        self.ctx.backend().tensor(buf.view_mut(3), a.view(), b.view(), basis)?;
        Ok(self.build(buf, 3, a, a.level(), scale, noise).with_key(self.owner(a).or(b.key_id())))
    }

    /// Three polynomials to two.
    pub fn relinearize(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        if a.polys() != 3 {
            return Err(Error::Degree { op: "relinearize", expected: 3, found: a.polys() });
        }
        let key = self.keys.relinearization()?;
        let plans = self.ctx.params().level(a.level());
        let finish = Finish { add: a.view().slice(0, 2), division: &plans.mod_down, automorphism: None };
        let buf = apply(&self.ctx, a.view().poly(2), a.level(), key, finish)?;
        let noise = a.noise().plus(noise::switched(self.ctx.params(), a.level()));
        Ok(self.build(buf, 2, a, a.level(), a.scale(), noise))
    }

    /// `a b`, relinearised, not rescaled.
    pub fn mul_relin(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.relinearize(&self.mul(a, b)?)
    }

    /// Divides by the level's own primes: one level down, scale divided by [`crate::Parameters::ratio`].
    pub fn rescale(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Rescale");
        self.check(a)?;
        let params = self.ctx.params();
        let Some(plan) = &params.level(a.level()).rescale else {
            return Err(Error::levels_exhausted("rescale", 1, a.level()));
        };
        let mut buf = self.ctx.alloc(a.polys() * plan.dst.len())?;
        self.ctx.backend().divide_round(buf.view_mut(a.polys()), a.view(), plan, None)?;
        let (scale, divisor) = self.rescaled(a);
        let noise = a.noise().divided(divisor, noise::rounding_of(params, a.polys()), scale);
        Ok(self.build(buf, a.polys(), a, a.level() - 1, scale, noise))
    }

    fn rescaled(&self, a: &Ciphertext) -> (Scale, f64) {
        let ratio = self.ctx.params().ratio(a.level());
        (a.scale() / ratio, ratio.log2())
    }

    /// Relinearises and rescales a product at once: P (c0, c1) is added before the one division by P q_l
    /// (merged ModDown+Rescale, Algorithm 7 of de Castro et al.).
    pub fn relinearize_rescale(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        if a.polys() != 3 {
            return Err(Error::Degree { op: "relinearize_rescale", expected: 3, found: a.polys() });
        }
        let params = self.ctx.params();
        let Some(plan) = &params.level(a.level()).mod_down_rescale else {
            return Err(Error::levels_exhausted("relinearize_rescale", 1, a.level()));
        };
        let key = self.keys.relinearization()?;
        let finish = Finish { add: a.view().slice(0, 2), division: plan, automorphism: None };
        let buf = apply(&self.ctx, a.view().poly(2), a.level(), key, finish)?;
        let (scale, divisor) = self.rescaled(a);
        let noise = a.noise().plus(noise::switching(params, a.level()));
        let noise = noise.divided(divisor, noise::rounding(params), scale);
        Ok(self.build(buf, 2, a, a.level() - 1, scale, noise))
    }

    /// `a b`, relinearised and rescaled.
    pub fn mul_relin_rescale(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Mult");
        if a.level() == 0 {
            return Err(Error::levels_exhausted("multiplication", 1, 0));
        }
        self.keys.relinearization()?;
        self.finish_product(&self.mul(a, b)?)
    }

    /// A product of three polynomials, or a sum of such, relinearised and rescaled.
    pub(crate) fn finish_product(&self, product: &Ciphertext) -> Result<Ciphertext> {
        if self.merged { self.relinearize_rescale(product) } else { self.rescale(&self.relinearize(product)?) }
    }

    /// Forgets primes down to `level`: exact, the scale stays. Refused where `level` has primes that the ciphertext
    /// lacks.
    pub fn drop_level(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        self.check(a)?;
        let params = self.ctx.params();
        if level > a.level() {
            return Err(Error::NoSuchLevel { level, top: a.level() });
        }
        if !params.is_nested(a.level(), level) {
            return Err(Error::NotNested { upper: a.level(), lower: level });
        }
        self.expect_room("drop_level", a.noise(), level)?;
        let limbs = params.limbs(level);
        let chosen = params.chosen_limbs(params.primes_of(a.level()), level);
        let view = chosen.as_ref().map_or(a.view().prefix(limbs), |c| a.view().choose(c));
        let mut buf = self.ctx.alloc(a.polys() * limbs)?;
        self.ctx.backend().copy(buf.view_mut(a.polys()), view)?;
        Ok(self.build(buf, a.polys(), a, level, a.scale(), a.noise()))
    }

    /// `a` under the automorphism `galois`, whose key is `key`.
    fn galois(&self, a: &Ciphertext, galois: u32, key: &SwitchingKey) -> Result<Ciphertext> {
        let (params, level) = (self.ctx.params(), a.level());
        let automorphism = params.automorphism(galois);
        let finish = Finish {
            add: a.view().poly(0),
            division: &params.level(level).mod_down,
            automorphism: Some(&automorphism),
        };
        Ok(self.turned(a, apply(&self.ctx, a.view().poly(1), level, key, finish)?))
    }

    /// `a` under an automorphism, of which `buf` has the polynomials.
    fn turned(&self, a: &Ciphertext, buf: Buf) -> Ciphertext {
        let (params, level) = (self.ctx.params(), a.level());
        let noise = a.noise().turned(noise::switched(params, level));
        self.build(buf, 2, a, level, a.scale(), noise)
    }

    /// Rotates the slots by `steps` to the left (`steps < 0`: to the right): slot j gets the value of slot j + steps.
    pub fn rotate(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Rotate");
        self.check_degree("rotate", a)?;
        if steps.rem_euclid(a.slots() as i64) == 0 {
            return Ok(a.clone());
        }
        let (galois, key) = self.rotation_key(a, steps)?;
        self.galois(a, galois, key)
    }

    /// The automorphism of a rotation by `steps` of all N/2 slots, whatever the packing.
    pub(crate) fn rotate_full(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Rotate");
        self.check_degree("rotate", a)?;
        self.galois(a, self.ctx.params().rotation_element(steps), self.keys.rotation(steps)?)
    }

    /// A key that rotates `a` by `steps`: with sparse packing, any rotation equal to it modulo the number of slots does.
    pub(crate) fn rotation_key(&self, a: &Ciphertext, steps: i64) -> Result<(u32, &SwitchingKey)> {
        let (params, slots) = (self.ctx.params(), a.slots() as i64);
        let equal = (0..(params.max_slots() as i64 / slots)).map(|k| steps + k * slots);
        let keys = equal.filter_map(|s| Some((params.rotation_element(s), self.keys.rotation(s).ok()?)));
        // one that serves the ciphertext's level, or else the one that serves the highest, whose refusal says more; of equal
        // ones the first, which is what was asked for where there are keys for everything
        let found = keys.rev().max_by_key(|(_, key)| key.level().min(a.level()));
        found.ok_or(Error::MissingRotationKey { rotation: steps })
    }

    /// Refuses where keys for some of these rotations of `a` are missing, naming them all.
    pub(crate) fn expect_rotations(&self, a: &Ciphertext, steps: &[i64]) -> Result<()> {
        let trivial = |s: i64| s.rem_euclid(a.slots() as i64) == 0;
        let missing = |&s: &i64| !trivial(s) && self.rotation_key(a, s).is_err();
        let mut missing: Vec<i64> = steps.iter().copied().filter(missing).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() { Ok(()) } else { Err(Error::missing_rotations(missing)) }
    }

    /// Complex conjugate of every slot.
    pub fn conjugate(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Conjugate");
        self.check_degree("conjugate", a)?;
        let key = self.keys.conjugation()?;
        self.galois(a, self.ctx.params().conjugation_element(), key)
    }

    /// Several rotations of one ciphertext; the decomposition is shared (hoisting, Halevi and Shoup 2018).
    pub fn rotate_hoisted(&self, a: &Ciphertext, steps: &[i64]) -> Result<Vec<Ciphertext>> {
        let _scope = self.ctx.scope("HRotate");
        self.check_degree("rotate_hoisted", a)?;
        self.expect_rotations(a, steps)?;
        let trivial = |s: i64| s.rem_euclid(a.slots() as i64) == 0;
        let keys = steps.iter().filter(|&&s| !trivial(s)).map(|&s| self.rotation_key(a, s));
        let keys = keys.collect::<Result<Vec<_>>>()?;
        if keys.is_empty() {
            return Ok(vec![a.clone(); steps.len()]);
        }
        let digits = hoist(&self.ctx, a.view().poly(1), a.level())?;
        let mut turned = rotations(&self.ctx, &digits, a.level(), &keys, a.view().poly(0))?.into_iter();
        let mut next = || self.turned(a, turned.next().expect("one for each key"));
        Ok(steps.iter().map(|&s| if trivial(s) { a.clone() } else { next() }).collect())
    }

    /// Sum of `count` slots at distance `stride`: slot j gets `sum over i < count of slot j + i stride`. Uses
    /// rotations by `stride 2^i` (and those of [`inner_sum_rotations`] for counts that are no power of two).
    pub fn inner_sum(&self, a: &Ciphertext, stride: i64, count: usize) -> Result<Ciphertext> {
        self.expect_rotations(a, &inner_sum_rotations(stride, count))?;
        let noise = a.noise().inner_sum(stride, count, a.slots(), noise::switched(self.ctx.params(), a.level()));
        self.expect_room("inner_sum", noise, a.level())?;
        let sum = sum_slots(a, stride, count, |x, steps| self.rotate(x, steps), |x, y| self.add(x, y))?;
        Ok(sum.with_noise(noise))
    }
}

/// [`Evaluator::inner_sum`] of whatever can be rotated and added.
pub(crate) fn sum_slots<T: Clone>(
    a: &T,
    stride: i64,
    count: usize,
    rotate: impl Fn(&T, i64) -> Result<T>,
    add: impl Fn(&T, &T) -> Result<T>,
) -> Result<T> {
    if count == 0 {
        return Err(Error::Argument { name: "count", value: "0".into(), expected: "at least 1".into() });
    }
    // Invariant: `window` sums 2^i slots; `sum` holds what the handled bits of `count` ask for.
    let (mut sum, mut covered): (Option<T>, usize) = (None, 0);
    let mut window = a.clone();
    let mut width = 1usize;
    loop {
        if count & width != 0 {
            let part = rotate(&window, stride * covered as i64)?;
            sum = Some(match sum {
                None => part,
                Some(s) => add(&s, &part)?,
            });
            covered += width;
        }
        if covered == count {
            break;
        }
        window = add(&window, &rotate(&window, stride * width as i64)?)?;
        width *= 2;
    }
    sum.ok_or(Error::Argument { name: "count", value: "0".into(), expected: "at least 1".into() })
}

/// Rotations that [`Evaluator::inner_sum`] needs.
pub fn inner_sum_rotations(stride: i64, count: usize) -> Vec<i64> {
    let (mut rotations, mut covered, mut width) = (Vec::new(), 0usize, 1usize);
    while covered < count {
        if count & width != 0 {
            rotations.push(stride * covered as i64);
            covered += width;
        }
        if covered < count {
            rotations.push(stride * width as i64);
            width *= 2;
        }
    }
    rotations.retain(|&r| r != 0);
    rotations.sort_unstable();
    rotations.dedup();
    rotations
}

fn expect_scales(op: &'static str, a: Scale, b: Scale) -> Result<()> {
    if a == b {
        return Ok(());
    }
    Err(Error::ScaleMismatch { op, lhs_log2: a.log2(), rhs_log2: b.log2() })
}
