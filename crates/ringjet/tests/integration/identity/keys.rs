//! Objects of two clients cannot be combined.

use std::sync::Arc;

use ringjet::circuits::{LinearTransform, Polynomial};
use ringjet::rlwe::Sharing;
use ringjet::rng::Seed;
use ringjet::wire::Limits;
use ringjet::{Bootstrapper, Ciphertext, Context, EvaluationKeys, Evaluator, KeyId, KeyPlan, Parameters, SecretKey};
use ringjet_backend::Reference;
use ringjet_math::fft::Complex64;

use super::{VALUES, ckks, foreign, heaan, request};

#[test]
fn ciphertexts_of_ckks_stay_with_their_key() {
    let [a, b] = [1, 2].map(|seed| ckks::Client::new(&ckks::spec(), seed));
    let [own, other] = [&a, &b].map(|c| c.secret.key_id());
    assert!(own != other && !own.is_any());
    assert_eq!([a.public.key_id(), a.keys.key_id(), a.eval.keys().key_id()], [own; 3]);
    let (x, y, e) = (a.encrypt(&VALUES), b.encrypt(&VALUES), &a.eval);
    let p = a.plain(&VALUES);
    let public = b.public.encrypt(&b.ctx, &b.plain(&VALUES), &b.seed).unwrap();
    assert_eq!((x.key_id(), y.key_id(), public.key_id()), (own, other, other));
    let (v, one) =
        ([Complex64 { re: 0.5, im: 0.0 }; 3], |c: &[f64]| Polynomial::new(ringjet::circuits::Basis::Power, c));
    let matrix = LinearTransform::from_diagonals(8, [(0, vec![Complex64 { re: 1.5, im: 0.0 }; 8])].into()).unwrap();
    let matrix = matrix.encode(&a.ctx, x.level()).unwrap();
    let square = b.eval.mul(&y, &y).unwrap();
    for result in [
        e.add(&x, &y),
        e.add(&y, &x),
        e.add(&y, &y),
        e.sub(&y, &x),
        e.neg(&y),
        e.mul(&x, &y),
        e.mul_auto(&y, &y),
        e.mul_sum_auto(&[(&x, &x), (&x, &y)]),
        e.relinearize(&square),
        e.relinearize_rescale(&square),
        e.rescale(&y),
        e.rescale_to(&y, 1),
        e.drop_level(&y, 1),
        e.align(&y, 1),
        e.weighted_sum(&[(&x, 0.5), (&y, 0.5)], 1),
        e.weighted_sum(&[(&y, 0.5)], 1),
        e.rotate(&y, 1),
        e.rotate(&y, 0),
        e.rotate_hoisted(&y, &[1, 2]).map(|mut all| all.remove(0)),
        e.rotation_sum(&y, &[0, 1]),
        e.rotation_sum_rescale(&y, &[0, 1]),
        e.inner_sum(&y, 1, 4),
        e.conjugate(&y),
        e.add_plain(&y, &p),
        e.sub_plain(&y, &p),
        e.mul_plain(&y, &p),
        e.mul_plain_sum(&[(&x, &p), (&y, &p)]),
        e.add_values(&y, &v),
        e.mul_values(&y, &v),
        e.times_i(&y),
        e.add_scalar(&y, 1.0),
        e.mul_integer(&y, 3),
        e.mul_scalar_auto(&y, 0.3),
        e.polynomial(&y, &one(&[1.0, 0.5, 0.25]).unwrap()),
        e.polynomial(&y, &one(&[1.0]).unwrap()),
        matrix.apply(e, &y),
    ] {
        foreign("ciphertext", own, other, result);
    }
    foreign("ciphertext", own, other, a.secret.decrypt(&a.ctx, &y));
    foreign("ciphertext", own, other, a.secret.decrypt_values(&a.ctx, &y));
    foreign("ciphertext", own, other, a.secret.decrypt_for_sharing(&a.ctx, &y, &y, 2, &Sharing::default(), &a.seed));
    // without keys of its own, an evaluator still tells two clients apart
    let keyless = Evaluator::new(&a.ctx, Arc::new(EvaluationKeys::empty(a.ctx.params()))).unwrap();
    let any = Ciphertext::transparent(&a.ctx, &p).unwrap();
    foreign("ciphertext", own, other, keyless.add(&x, &y));
    foreign("ciphertext", own, other, keyless.mul_plain_sum(&[(&any, &p), (&x, &p), (&y, &p)]));
    foreign("ciphertext", own, other, keyless.weighted_sum(&[(&any, 1.0), (&x, 1.0), (&y, 1.0)], 1));
    let message = keyless.add(&x, &y).unwrap_err().to_string();
    assert!(message.contains(&other.to_string()) && message.contains("encrypt again"), "{message}");
}

#[test]
fn evaluation_keys_of_two_clients_are_not_merged() {
    let [a, b] = [1, 2].map(|seed| ckks::Client::new(&ckks::spec(), seed));
    let [own, other] = [&a, &b].map(|c| c.secret.key_id());
    let mut keys = a.keys.clone();
    foreign("evaluation keys", own, other, keys.merge(b.keys.clone()));
    let more = a.secret.evaluation_keys(&a.ctx, &KeyPlan::rotations([5]), &a.seed, |_, _| true).unwrap();
    keys.merge(more).unwrap();
    keys.merge(EvaluationKeys::empty(a.ctx.params())).unwrap();
    assert!(keys.rotation(5).is_ok() && keys.rotation(1).is_ok() && keys.key_id() == own);
    let mut none = EvaluationKeys::empty(a.ctx.params());
    assert_eq!(none.key_id(), KeyId::ANY);
    none.merge(keys).unwrap();
    assert_eq!(none.key_id(), own);

    let [a, b] = [1, 2].map(|seed| heaan::Client::new(&heaan::spec(), seed));
    let [own, other] = [&a, &b].map(|c| c.secret.key_id());
    let mut keys = a.keys.clone();
    foreign("evaluation keys", own, other, keys.merge(b.keys));
    let mut none = ringjet::heaan::EvaluationKeys::empty(a.ctx.params());
    none.merge(keys).unwrap();
    assert_eq!(none.key_id(), own);
}

#[test]
fn ciphertexts_of_heaan_stay_with_their_key() {
    let [a, b] = [1, 2].map(|seed| heaan::Client::new(&heaan::spec(), seed));
    let [own, other] = [&a, &b].map(|c| c.secret.key_id());
    let (x, y, e) = (a.encrypt(&VALUES), b.encrypt(&VALUES), &a.eval);
    let p = a.plain(&VALUES);
    let public = b.public.encrypt(&b.ctx, &b.plain(&VALUES), &b.seed).unwrap();
    assert_eq!([a.public.key_id(), a.keys.key_id(), x.key_id()], [own; 3]);
    assert_eq!([public.key_id(), y.key_id()], [other; 2]);
    let v = [Complex64 { re: 0.5, im: 0.0 }; 3];
    for result in [
        e.add(&x, &y),
        e.sub(&y, &x),
        e.add(&y, &y),
        e.add_auto(&x, &y),
        e.neg(&y),
        e.mul(&x, &y),
        e.mul_auto(&x, &y),
        e.square(&y),
        e.rescale(&y, 10),
        e.mod_down_to(&y, 60),
        e.scale_up(&y, 5),
        e.mul_integer(&y, 3),
        e.rotate(&y, 1),
        e.rotate(&y, 0),
        e.conjugate(&y),
        e.inner_sum(&y, 1, 4),
        e.add_plain(&y, &p),
        e.mul_plain(&y, &p),
        e.add_scalar(&y, 1.0),
        e.mul_const(&y, 0.3, 30),
        e.mul_scalar_auto(&y, 0.3),
        e.times_i(&y),
        e.add_values(&y, &v),
        e.mul_values(&y, &v),
    ] {
        foreign("ciphertext", own, other, result);
    }
    foreign("ciphertext", own, other, a.secret.decrypt_values(&a.ctx, &y));
    foreign("ciphertext", own, other, a.secret.decrypt_for_sharing(&a.ctx, &y, &y, 2, &Sharing::default(), &a.seed));
}

/// Every result belongs to the key and its bytes say so, even where an operand belongs to none.
#[test]
fn results_belong_to_the_key() {
    let a = ckks::Client::new(&ckks::spec(), 1);
    let (own, x, e, p) = (a.secret.key_id(), a.encrypt(&VALUES), &a.eval, a.plain(&VALUES));
    let any = Ciphertext::transparent(&a.ctx, &p).unwrap();
    assert_eq!(any.key_id(), KeyId::ANY);
    assert!((a.read(&any)[0] - 0.5).abs() < 1e-6);
    for ct in [
        e.add(&any, &x),
        e.add(&x, &any),
        e.mul(&any, &x),
        e.rotate(&any, 1),
        e.mul_auto(&x, &x),
        e.mul_plain_sum(&[(&any, &p), (&x, &p)]),
        e.weighted_sum(&[(&any, 1.0), (&x, 1.0)], 1),
        e.rotation_sum(&x, &[0, 1]),
        e.rescale_to(&x, 1),
        e.polynomial(&x, &Polynomial::new(ringjet::circuits::Basis::Power, &[1.0, 0.5, 0.25]).unwrap()),
        x.with_log_slots(2),
    ] {
        let ct = ct.unwrap();
        assert_eq!(ct.key_id(), own);
        let bytes = ct.to_bytes(&a.ctx).unwrap();
        let limits = Limits::default();
        assert_eq!(Ciphertext::from_bytes(&a.ctx, &bytes, limits).unwrap().key_id(), own);
    }
    let keyless = Evaluator::new(&a.ctx, Arc::new(EvaluationKeys::empty(a.ctx.params()))).unwrap();
    assert_eq!(keyless.neg(&any).unwrap().key_id(), KeyId::ANY);
    assert_eq!(keyless.add(&any, &x).unwrap().key_id(), own);
    let matrix = LinearTransform::from_matrix(8, &[Complex64 { re: 0.1, im: 0.0 }; 64]).unwrap();
    let request = KeyPlan::rotations(matrix.rotations());
    let keys = a.secret.evaluation_keys(&a.ctx, &request, &a.seed, |_, _| true).unwrap();
    let e = Evaluator::new(&a.ctx, Arc::new(keys)).unwrap();
    let matrix = matrix.encode(&a.ctx, x.level()).unwrap();
    assert_eq!(matrix.apply(&e, &x).unwrap().key_id(), own);

    let a = heaan::Client::new(&heaan::spec(), 1);
    let (own, x, e) = (a.secret.key_id(), a.encrypt(&VALUES), &a.eval);
    for ct in
        [e.mul(&x, &x), e.rescale(&x, 10), e.mod_down_to(&x, 60), e.rotate(&x, 1), e.mul_plain(&x, &a.plain(&[1.0]))]
    {
        assert_eq!(ct.unwrap().key_id(), own);
    }
}

#[test]
fn bootstrapping_refuses_foreign_ciphertexts() {
    let params = Parameters::new(&crate::wire::ckks::boot()).unwrap();
    let ctx = Context::new(&params, Arc::new(Reference::default()));
    let [own, other] = [1, 2].map(|i| SecretKey::from_seed(&params, &Seed::from_bytes([i; 32])).unwrap());
    let plan = request().and(Bootstrapper::key_plan(&params, 4).unwrap());
    let keys = own.evaluation_keys(&ctx, &plan, &Seed::from_bytes([3; 32]), |_, _| true).unwrap();
    let eval = Evaluator::bootstrapping(&ctx, Arc::new(keys)).unwrap();
    let p = ringjet::Plaintext::encode_real(&ctx, &VALUES, params.top_level(), 4).unwrap();
    let [x, y] = [&own, &other].map(|s| s.encrypt(&ctx, &p, &Seed::from_bytes([4; 32])).unwrap());
    let ids = (own.key_id(), other.key_id());
    let boot = Bootstrapper::new(&ctx, 4, |_, _| true).unwrap();
    foreign("ciphertext", ids.0, ids.1, eval.bootstrap(&y));
    foreign("ciphertext", ids.0, ids.1, boot.bootstrap(&eval, &y));
    foreign("ciphertext", ids.0, ids.1, boot.bootstrap_many(&eval, &[&x, &y], true, |_| true));
    assert_eq!(boot.bootstrap(&eval, &x).unwrap().key_id(), ids.0);
}
