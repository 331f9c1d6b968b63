//! Tests that wrong owners and wrong shapes give typed errors.

use ringjet_math::{Basis, MathError, prime};

use super::{Check, Failure, FailureKind, Suite};
use crate::big::{BigFactor, BigMul, BigTerm};
use crate::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, Domain, ModUpPlan};
use crate::{
    Backend, BackendError, Buf, Coeff, HoistedRotations, Integers, KeySwitch, KeySwitchInput, Reference, Result,
    RotateFactor, RotateSum, RotateTerm, Rotation,
};

const LOG_N: u32 = 4;

impl Suite<'_> {
    /// With primes of `bits` bits; `big`: with big coefficients as well.
    pub(super) fn refusals(&mut self, bits: u32, big: bool) -> Check {
        let options = |e: MathError| self.failure("", "options", "refusals", FailureKind::Options(e));
        let primes = prime::ntt_primes(LOG_N, bits, 5, &[]).map_err(options)?;
        let basis = Basis::new(LOG_N, &primes).map_err(options)?;
        self.wrong_owners(&basis)?;
        self.wrong_shapes(&basis)?;
        if !big {
            return Ok(());
        }
        self.wrong_big_owners(&basis)?;
        self.wrong_big_shapes(&basis)
    }

    fn refused(&mut self, operation: &'static str, case: &str, result: Result<()>, owner: bool) -> Check {
        let name = self.backend.id().name().to_owned();
        self.report.checks += 1;
        match result {
            Err(BackendError::WrongOwner { .. }) if owner => Ok(()),
            Err(BackendError::Shape { .. }) if !owner => Ok(()),
            _ => Err(self.failure(&name, operation, case, FailureKind::Accepted)),
        }
    }

    fn alloc(&self, limbs: usize, n: usize) -> std::result::Result<Buf, Failure> {
        let name = self.backend.id().name();
        self.backend.alloc(limbs, n).map_err(|e| self.failure(name, "alloc", "small", FailureKind::Refused(e.into())))
    }

    fn wrong_owners(&mut self, basis: &Basis) -> Check {
        let (b, n, other_backend) = (self.backend, basis.n(), Reference::default());
        let refuse = |e: BackendError| self.failure("reference", "alloc", "small", FailureKind::Refused(e.into()));
        let mut theirs = other_backend.alloc(10, n).map_err(refuse)?;
        let other = other_backend.alloc(30, n).map_err(refuse)?;
        let (mut ours, x, key) = (self.alloc(30, n)?, self.alloc(10, n)?, self.alloc(20, n)?);
        let mut words = vec![0; n];
        let auto = AutomorphismPlan::new(LOG_N, 5, Domain::Evaluation);
        let conv = BaseConversionPlan::new(&basis.prefix(2), &basis.select(2..5));
        let up = ModUpPlan::new(&basis.prefix(2), &basis.select(2..5), 2);
        let down = DivisionPlan::new(basis, &[0, 1]);
        let foreign = KeySwitch {
            input: KeySwitchInput::Polynomial(x.view(2).poly(0).prefix(3)),
            key: other.view(6).slice(0, 4),
            mod_up: &up,
            division: &down,
            add: None,
            automorphism: None,
        };
        let pair = other.view(10).slice(0, 2);
        let sums: [&[_]; 1] = [&[(pair, pair)]];
        let products = KeySwitch { input: KeySwitchInput::Products(&sums), key: key.view(4), ..foreign };
        let rotations = [(other.view(6).slice(0, 4), &auto)];
        let hoisted = HoistedRotations {
            digits: x.view(2),
            mod_up: &up,
            division: &down,
            add: x.view(2).poly(0).prefix(3),
            rotations: &rotations,
        };
        let results = [
            ("upload", b.upload(&mut theirs, 0, &words)),
            ("download", b.download(&theirs, 0, &mut words)),
            ("copy", b.copy(theirs.view_mut(2), x.view(2))),
            ("copy", b.copy(ours.view_mut(6).slice(0, 2), theirs.view(2))),
            ("ntt", b.ntt(theirs.view_mut(2), basis)),
            ("intt", b.intt(theirs.view_mut(2), basis)),
            ("lincomb", b.lincomb(theirs.view_mut(2), &[(Coeff::One, x.view(2))], basis, false)),
            ("lincomb", b.lincomb(ours.view_mut(6).slice(0, 2), &[(Coeff::One, theirs.view(2))], basis, false)),
            ("mul", b.mul(ours.view_mut(6).slice(0, 2), x.view(2), theirs.view(2), basis, false)),
            ("mul", b.mul(ours.view_mut(6).slice(0, 2), theirs.view(2), x.view(2), basis, false)),
            ("automorphism", b.automorphism(ours.view_mut(6).slice(0, 2), theirs.view(2), basis, &auto)),
            ("base_convert", b.base_convert(ours.view_mut(10), theirs.view(2).poly(0).prefix(2), &conv)),
            ("base_convert", b.base_convert(ours.view_mut(10).poly(0), theirs.view(2).poly(0).prefix(2), &conv)),
            ("tensor", b.tensor(ours.view_mut(6).slice(0, 3), x.view(2), theirs.view(2), basis)),
            ("mul_acc", b.mul_acc(ours.view_mut(6).slice(0, 2), &[(x.view(2), theirs.view(2))], basis, true)),
            ("mod_up", b.mod_up(ours.view_mut(6).slice(0, 2), theirs.view(2).poly(0).prefix(3), &up)),
            (
                "key_inner_product",
                b.key_inner_product(ours.view_mut(6).slice(0, 2), x.view(2), other.view(6).slice(0, 4), basis),
            ),
            ("key_switch", b.key_switch(ours.view_mut(10).slice(0, 2), &foreign)),
            ("key_switch", b.key_switch(ours.view_mut(10).slice(0, 2), &products)),
            ("compact", b.compact(theirs.view(2), 1).map(|_| ())),
            ("expand", b.expand(ours.view_mut(6).slice(0, 2), theirs.view(2))),
            ("divide_round", b.divide_round(ours.view_mut(10).slice(0, 2), theirs.view(2), &down, None)),
            (
                "divide_round",
                b.divide_round(ours.view_mut(10).slice(0, 2), x.view(2), &down, Some(theirs.view(2).poly(0).prefix(3))),
            ),
            ("hoisted_rotations", b.hoisted_rotations(&mut [ours.view_mut(10).slice(0, 2)], &hoisted)),
            ("integer_factors", b.integer_factors(theirs.view_mut(2), &[Integers::I64(&vec![1; basis.n()]); 2], basis)),
        ];
        for (i, (operation, result)) in results.into_iter().enumerate() {
            // call 11 has a wrong owner and a wrong shape; either error is accepted
            let owner = i != 11 || matches!(result, Err(BackendError::WrongOwner { .. }));
            self.refused(operation, "a buffer of another backend", result, owner)?;
        }
        Ok(())
    }

    fn wrong_shapes(&mut self, basis: &Basis) -> Check {
        self.wrong_words(basis)?;
        self.wrong_key_switches(basis)?;
        self.wrong_rotations(basis)?;
        self.wrong_divisions(basis)
    }

    /// Checks that calls with wrong shapes, whose results are `results`, were refused.
    fn all_refused(&mut self, results: impl IntoIterator<Item = (&'static str, Result<()>)>) -> Check {
        results.into_iter().try_for_each(|(operation, result)| self.refused(operation, "a wrong shape", result, false))
    }

    fn wrong_words(&mut self, basis: &Basis) -> Check {
        let (b, n) = (self.backend, basis.n());
        let (mut dst, x) = (self.alloc(30, n)?, self.alloc(30, n)?);
        let short = self.alloc(30, n / 2)?;
        let mut words = vec![0; 2 * n];
        let auto = AutomorphismPlan::new(LOG_N + 1, 5, Domain::Evaluation);
        let conv = BaseConversionPlan::new(&basis.prefix(2), &basis.select(2..5));
        let (five, three, six) = (x.view(6), x.view(10), x.view(5));
        let constants = [1; 4];
        let results = [
            ("upload", b.upload(&mut dst, 29, &words)),
            ("upload", b.upload(&mut dst, 0, &words[..n + 1])),
            ("upload", b.upload(&mut dst, usize::MAX, &words[..n])),
            ("download", b.download(&x, 29, &mut words)),
            ("download", b.download(&x, 0, &mut words[..n - 1])),
            ("copy", b.copy(dst.view_mut(6), six)),
            ("copy", b.copy(dst.view_mut(6), five.slice(0, 2))),
            ("copy", b.copy(dst.view_mut(6), short.view(6))),
            ("ntt", b.ntt(dst.view_mut(5), basis)),
            ("intt", b.intt(dst.view_mut(10), basis)),
            ("lincomb", b.lincomb(dst.view_mut(6), &[(Coeff::One, six)], basis, false)),
            ("lincomb", b.lincomb(dst.view_mut(6), &[(Coeff::PerLimb(&constants), five)], basis, false)),
            ("lincomb", b.lincomb(dst.view_mut(6), &[(Coeff::MinusOne, five.slice(0, 2))], basis, false)),
            ("mul", b.mul(dst.view_mut(6), five, six, basis, false)),
            ("mul", b.mul(dst.view_mut(6), short.view(6), five, basis, false)),
            ("mul", b.mul(dst.view_mut(5), six, six, basis, false)),
            ("automorphism", b.automorphism(dst.view_mut(6), five, basis, &auto)),
            ("base_convert", b.base_convert(dst.view_mut(10), three, &conv)),
            ("base_convert", b.base_convert(dst.view_mut(10), three.slice(0, 1).prefix(2), &conv)),
            ("tensor", b.tensor(dst.view_mut(6), five, five, basis)),
            ("tensor", b.tensor(dst.view_mut(6).slice(0, 3), five.slice(0, 2), five.slice(0, 1), basis)),
            ("tensor", b.tensor(dst.view_mut(6).slice(0, 2), five.slice(0, 2), five.slice(0, 2), basis)),
            ("mul_acc", b.mul_acc(dst.view_mut(6), &[(five, five), (five, six)], basis, false)),
            ("integer_factors", b.integer_factors(dst.view_mut(6), &[Integers::I64(&vec![0; n]); 5], basis)),
            ("integer_factors", b.integer_factors(dst.view_mut(6), &[Integers::I64(&vec![0; n / 8]); 6], basis)),
            ("integer_factors", b.integer_factors(dst.view_mut(6), &[Integers::I64(&vec![0; n - 1]); 6], basis)),
            ("compact", b.compact(five, 3).map(|_| ())),
            ("compact", b.compact(five, 2 * n).map(|_| ())),
            ("expand", b.expand(dst.view_mut(6), short.view(5))),
            ("expand", b.expand(dst.view_mut(6).slice(0, 2), short.view(6).slice(0, 3))),
        ];
        self.all_refused(results)
    }

    fn wrong_key_switches(&mut self, basis: &Basis) -> Check {
        let (b, n) = (self.backend, basis.n());
        let (mut dst, x) = (self.alloc(30, n)?, self.alloc(30, n)?);
        let auto = AutomorphismPlan::new(LOG_N + 1, 5, Domain::Evaluation);
        let up = ModUpPlan::new(&basis.prefix(2), &basis.select(2..5), 2);
        let (down, less) = (DivisionPlan::new(basis, &[0, 1]), DivisionPlan::new(basis, &[1, 2]));
        let (five, three, six) = (x.view(6), x.view(10), x.view(5));
        let switch = KeySwitch {
            input: KeySwitchInput::Polynomial(three.slice(0, 1)),
            key: five.slice(0, 4),
            mod_up: &up,
            division: &down,
            add: None,
            automorphism: None,
        };
        let (no_products, digits) = (KeySwitchInput::Products(&[]), KeySwitchInput::Digits(five.slice(0, 3)));
        let single: [&[_]; 1] = [&[(three.slice(0, 2), three.slice(0, 1))]];
        let no_pair = KeySwitchInput::Products(&single);
        let results = [
            ("mod_up", b.mod_up(dst.view_mut(6), three.slice(0, 1), &up)),
            ("mod_up", b.mod_up(dst.view_mut(6).slice(0, 1), three.slice(0, 1), &up)),
            ("mod_up", b.mod_up(dst.view_mut(6).slice(0, 2), three.slice(0, 2), &up)),
            ("mod_up", b.mod_up(dst.view_mut(6).slice(0, 2), five.slice(0, 1), &up)),
            ("key_inner_product", b.key_inner_product(dst.view_mut(6), five.slice(0, 2), five.slice(0, 4), basis)),
            (
                "key_inner_product",
                b.key_inner_product(dst.view_mut(6).slice(0, 2), five.slice(0, 2), five.slice(0, 3), basis),
            ),
            (
                "key_inner_product",
                b.key_inner_product(dst.view_mut(6).slice(0, 2), five.slice(0, 2), six.slice(0, 4), basis),
            ),
            ("key_switch", b.key_switch(dst.view_mut(10).slice(0, 2), &KeySwitch { key: five.slice(0, 5), ..switch })),
            ("key_switch", b.key_switch(dst.view_mut(10).slice(0, 1), &switch)),
            ("key_switch", b.key_switch(dst.view_mut(6).slice(0, 2), &switch)),
            ("key_switch", b.key_switch(dst.view_mut(10).slice(0, 4), &switch)),
            ("key_switch", b.key_switch(dst.view_mut(10).slice(0, 0), &KeySwitch { input: no_products, ..switch })),
            ("key_switch", b.key_switch(dst.view_mut(10).slice(0, 2), &KeySwitch { input: no_pair, ..switch })),
            ("key_switch", b.key_switch(dst.view_mut(10).slice(0, 2), &KeySwitch { input: digits, ..switch })),
            ("key_switch", b.key_switch(dst.view_mut(10).slice(0, 2), &KeySwitch { division: &less, ..switch })),
            ("key_switch", b.key_switch(dst.view_mut(10).slice(0, 2), &KeySwitch { add: Some(five), ..switch })),
            ("key_switch", b.key_switch(dst.view_mut(10).slice(0, 2), &KeySwitch { add: Some(three), ..switch })),
            (
                "key_switch",
                b.key_switch(dst.view_mut(10).slice(0, 2), &KeySwitch { automorphism: Some(&auto), ..switch }),
            ),
        ];
        self.all_refused(results)
    }

    fn wrong_rotations(&mut self, basis: &Basis) -> Check {
        let (b, n) = (self.backend, basis.n());
        let (mut dst, x) = (self.alloc(30, n)?, self.alloc(30, n)?);
        let auto = AutomorphismPlan::new(LOG_N + 1, 5, Domain::Evaluation);
        let up = ModUpPlan::new(&basis.prefix(2), &basis.select(2..5), 2);
        let down = DivisionPlan::new(basis, &[0, 1]);
        let (five, three) = (x.view(6), x.view(10));
        let term = RotateTerm { key: Some(five.slice(0, 4)), automorphism: None, factors: &[RotateFactor::One] };
        let (terms, turned) = ([term], [RotateTerm { automorphism: Some(&auto), ..term }]);
        let sum = RotateSum { digits: five.slice(0, 2), add: five.slice(0, 2), terms: &terms };
        let turn = AutomorphismPlan::new(LOG_N, 5, Domain::Evaluation);
        let rotation = Rotation { mod_up: &up, key: five.slice(0, 4), automorphism: &turn, add: five.slice(0, 1) };
        let rotations = [(five.slice(0, 4), &turn)];
        let hoisted = HoistedRotations {
            digits: five.slice(0, 2),
            mod_up: &up,
            division: &down,
            add: three.slice(0, 1),
            rotations: &rotations,
        };
        let results = [
            ("hoisted_rotations", b.hoisted_rotations(&mut [], &hoisted)),
            ("hoisted_rotations", b.hoisted_rotations(&mut [dst.view_mut(10).slice(0, 1)], &hoisted)),
            (
                "hoisted_rotations",
                b.hoisted_rotations(
                    &mut [dst.view_mut(10).slice(0, 2)],
                    &HoistedRotations { digits: three, ..hoisted },
                ),
            ),
            (
                "hoisted_rotations",
                b.hoisted_rotations(&mut [dst.view_mut(10).slice(0, 2)], &HoistedRotations { add: five, ..hoisted }),
            ),
            (
                "hoisted_rotations",
                b.hoisted_rotations(
                    &mut [dst.view_mut(10).slice(0, 2)],
                    &HoistedRotations { rotations: &[(five.slice(0, 4), &auto)], ..hoisted },
                ),
            ),
            ("hoisted_rotate_sum", b.hoisted_rotate_sum(dst.view_mut(6).slice(0, 1), &sum, basis, false)),
            ("hoisted_rotate_sum", b.hoisted_rotate_sum(dst.view_mut(6).slice(0, 4), &sum, basis, false)),
            (
                "hoisted_rotate_sum",
                b.hoisted_rotate_sum(dst.view_mut(6).slice(0, 2), &RotateSum { add: five, ..sum }, basis, false),
            ),
            (
                "hoisted_rotate_sum",
                b.hoisted_rotate_sum(dst.view_mut(6).slice(0, 2), &RotateSum { digits: five, ..sum }, basis, false),
            ),
            (
                "hoisted_rotate_sum",
                b.hoisted_rotate_sum(dst.view_mut(6).slice(0, 2), &RotateSum { terms: &turned, ..sum }, basis, false),
            ),
            ("rotate_into", b.rotate_into(dst.view_mut(6).slice(0, 2), five.slice(0, 1), &rotation, false)),
            ("rotate_into", b.rotate_into(dst.view_mut(6).slice(0, 1), three.slice(0, 1), &rotation, false)),
            (
                "rotate_into",
                b.rotate_into(
                    dst.view_mut(6).slice(0, 2),
                    three.slice(0, 1),
                    &Rotation { automorphism: &auto, ..rotation },
                    false,
                ),
            ),
        ];
        self.all_refused(results)
    }

    fn wrong_divisions(&mut self, basis: &Basis) -> Check {
        let (b, n) = (self.backend, basis.n());
        let (mut dst, x) = (self.alloc(30, n)?, self.alloc(30, n)?);
        let (down, by_nothing) = (DivisionPlan::new(basis, &[0, 1]), DivisionPlan::new(basis, &[]));
        let (five, three) = (x.view(6), x.view(10));
        let results = [
            ("divide_round", b.divide_round(dst.view_mut(10).slice(0, 2), five, &down, None)),
            ("divide_round", b.divide_round(dst.view_mut(6), five, &down, None)),
            ("divide_round", b.divide_round(dst.view_mut(10).slice(0, 2), five.slice(0, 2), &down, Some(five))),
            (
                "divide_round",
                b.divide_round(dst.view_mut(10).slice(0, 1), five.slice(0, 1), &down, Some(three.slice(0, 2))),
            ),
            ("divide_round", b.divide_round(dst.view_mut(6).slice(0, 2), five, &by_nothing, None)),
        ];
        self.all_refused(results)
    }

    fn wrong_big_owners(&mut self, basis: &Basis) -> Check {
        let (b, n, other_backend) = (self.backend, basis.n(), Reference::default());
        let refuse = |e: BackendError| self.failure("reference", "alloc", "small", FailureKind::Refused(e.into()));
        let theirs = other_backend.alloc(10, n).map_err(refuse)?;
        let (mut dst, x) = (self.alloc(10, n)?, self.alloc(10, n)?);
        let (split, join) = (CrtSplitPlan::new(basis, 100), CrtJoinPlan::new(basis, 100));
        let turn = AutomorphismPlan::new(LOG_N, 5, Domain::Coefficient);
        let mul = BigMul {
            left: x.view(5),
            split: &split,
            right: BigFactor::Prepared(theirs.view(2), 100),
            sums: &[&[(0, 0)]],
            join: &join,
            shift: 0,
            add: None,
        };
        let term = BigTerm { factor: 1, src: theirs.view(5), bits: 100 };
        let results = [
            ("crt_split", b.crt_split(dst.view_mut(2), theirs.view(5).slice(0, 2), &split)),
            ("crt_join", b.crt_join(dst.view_mut(5).slice(0, 2), theirs.view(2), &join)),
            ("shift_round", b.shift_round(dst.view_mut(10).slice(0, 5), theirs.view(5), 100, 60)),
            ("big_lincomb", b.big_lincomb(dst.view_mut(5), &[term], 100, false)),
            ("big_automorphism", b.big_automorphism(dst.view_mut(5), theirs.view(5), 100, &turn)),
            ("big_mul", b.big_mul(dst.view_mut(5).slice(0, 1), &mul)),
            (
                "big_mul",
                b.big_mul(dst.view_mut(5).slice(0, 1), &BigMul { left: theirs.view(5), right: BigFactor::Same, ..mul }),
            ),
        ];
        for (operation, result) in results {
            self.refused(operation, "a buffer of another backend", result, true)?;
        }
        Ok(())
    }

    fn wrong_big_shapes(&mut self, basis: &Basis) -> Check {
        let (b, n) = (self.backend, basis.n());
        let (mut dst, x) = (self.alloc(10, n)?, self.alloc(10, n)?);
        let (split, join) = (CrtSplitPlan::new(basis, 100), CrtJoinPlan::new(basis, 100));
        let fewer = CrtSplitPlan::new(&basis.prefix(4), 100);
        let turn = AutomorphismPlan::new(LOG_N, 5, Domain::Coefficient);
        let wrong_domain = AutomorphismPlan::new(LOG_N, 5, Domain::Evaluation);
        let (two, residues, one) = (x.view(5).slice(0, 2), x.view(2), x.view(10));
        let mul = BigMul {
            left: two,
            split: &split,
            right: BigFactor::Same,
            sums: &[&[(0, 0)], &[(0, 1)]],
            join: &join,
            shift: 0,
            add: None,
        };
        let term = |factor, bits| [BigTerm { factor, src: two, bits }];
        let mut to = dst.view_mut(5).slice(0, 2);
        let results = [
            ("crt_split", b.crt_split(to.reborrow(), two, &split)),
            ("crt_join", b.crt_join(to.reborrow(), two, &join)),
            ("crt_join", b.crt_join(to.reborrow().slice(0, 1), residues, &join)),
            ("shift_round", b.shift_round(to.reborrow(), two, 100, 100)),
            ("shift_round", b.shift_round(to.reborrow(), two, 100, 60)),
            ("shift_round", b.shift_round(to.reborrow(), one.slice(0, 2), 100, 0)),
            ("big_lincomb", b.big_lincomb(to.reborrow(), &term(1 << 51, 100), 100, false)),
            ("big_lincomb", b.big_lincomb(to.reborrow(), &term(i64::MIN, 100), 100, false)),
            ("big_lincomb", b.big_lincomb(to.reborrow(), &term(1, 105), 100, false)),
            ("big_lincomb", b.big_lincomb(to.reborrow(), &term(1, 0), 100, false)),
            ("big_lincomb", b.big_lincomb(to.reborrow(), &[], 0, false)),
            ("big_automorphism", b.big_automorphism(to.reborrow(), two, 100, &wrong_domain)),
            ("big_automorphism", b.big_automorphism(to.reborrow(), one.slice(0, 2), 100, &turn)),
            ("big_mul", b.big_mul(to.reborrow().slice(0, 1), &mul)),
            ("big_mul", b.big_mul(to.reborrow(), &BigMul { shift: 60, ..mul })),
            ("big_mul", b.big_mul(to.reborrow(), &BigMul { shift: 100, ..mul })),
            ("big_mul", b.big_mul(to.reborrow(), &BigMul { split: &fewer, ..mul })),
            ("big_mul", b.big_mul(to.reborrow(), &BigMul { sums: &[&[(0, 2)], &[]], ..mul })),
            ("big_mul", b.big_mul(to.reborrow(), &BigMul { add: Some(one.slice(0, 2)), ..mul })),
            ("big_mul", b.big_mul(to.reborrow(), &BigMul { right: BigFactor::Prepared(two, 100), ..mul })),
            ("big_mul", b.big_mul(to.reborrow(), &BigMul { right: BigFactor::Prepared(two, 0), ..mul })),
            ("big_mul", b.big_mul(to.reborrow(), &BigMul { left: two.slice(0, 0), sums: &[&[], &[]], ..mul })),
            ("big_mul", b.big_mul(to.reborrow(), &BigMul { left: two.choose(&[1, 0]), ..mul })),
            ("big_mul", b.big_mul(to.reborrow(), &BigMul { add: Some(two.choose(&[1, 0])), ..mul })),
            ("crt_split", b.crt_split(to.reborrow(), two.choose(&[1, 0]), &split)),
            ("big_prepare", b.big_prepare(two.choose(&[1, 0]), &split).map(|_| ())),
            ("big_prepare", b.big_prepare(one, &split).map(|_| ())),
        ];
        for (operation, result) in results {
            self.refused(operation, "a wrong shape of big coefficients", result, false)?;
        }
        Ok(())
    }
}
