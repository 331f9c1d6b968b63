//! Counts of key switches of several polynomials with one key, and of products.

use ringjet_backend::plan::{DivisionPlan, ModUpPlan};
use ringjet_backend::{Backend, KeySwitch, KeySwitchInput};
use ringjet_math::Basis;
use ringjet_math::prime::ntt_primes;
use ringjet_model::{Caching, Cost, CountingBackend, Policy, ringjet_parts};

const LOG_N: u32 = 10;

/// The cost of the calls of `run(backend, decomposition, division)`.
fn cost(policy: Policy, run: impl Fn(&CountingBackend, &ModUpPlan, &DivisionPlan)) -> Cost {
    let all = Basis::new(LOG_N, &ntt_primes(LOG_N, 50, 7, &[]).unwrap()).unwrap();
    let up = ModUpPlan::new(&all.prefix(2), &all.select(2..7), 2);
    let division = DivisionPlan::new(&all, &[0, 1]);
    let b = CountingBackend::default();
    run(&b, &up, &division);
    b.trace().total(|operation, n| ringjet_parts(operation, n, policy))
}

/// The cost of `count` key switches with one summand each.
fn several(policy: Policy, count: usize) -> Cost {
    cost(policy, |b, mod_up, division| {
        let n = 1 << LOG_N;
        let (src, key) = (b.alloc(count * 5, n).unwrap(), b.alloc(6 * 7, n).unwrap());
        let mut dst = b.alloc(2 * count * 5, n).unwrap();
        let (input, add) = (KeySwitchInput::Polynomial(src.view(count)), Some(src.view(count)));
        let switch = KeySwitch { input, key: key.view(6), mod_up, division, add, automorphism: None };
        b.key_switch(dst.view_mut(2 * count), &switch).unwrap();
    })
}

#[test]
fn a_key_is_read_once_where_all_polynomials_are_at_hand_with_it() {
    for caching in [Caching::None, Caching::Limb, Caching::BetaLimbs, Caching::AlphaLimbs, Caching::Reordered] {
        for policy in [Policy::CPU, Policy::Cached { caching, seeded_keys: false }] {
            let (one, three) = (several(policy, 1), several(policy, 3));
            let apart = Cost { key_reads: one.key_reads, launches: 1, ..one * 3 };
            assert!(one.key_reads > 0 && one.reads > 0);
            assert_eq!(three, apart, "{policy:?}");
        }
    }
}

#[test]
fn products_cost_what_a_tensor_product_and_a_key_switch_cost() {
    for policy in [Policy::CPU, Policy::Cached { caching: Caching::None, seeded_keys: false }] {
        let run = |fused: bool| {
            cost(policy, |b, mod_up, division| {
                let n = 1 << LOG_N;
                let (x, y, key) = (b.alloc(10, n).unwrap(), b.alloc(10, n).unwrap(), b.alloc(6 * 7, n).unwrap());
                let (mut product, mut dst) = (b.alloc(15, n).unwrap(), b.alloc(10, n).unwrap());
                let products: [&[_]; 1] = [&[(x.view(2), y.view(2))]];
                let (input, add) = if fused {
                    (KeySwitchInput::Products(&products), None)
                } else {
                    b.tensor(product.view_mut(3), x.view(2), y.view(2), &mod_up.src).unwrap();
                    let product = product.view(3);
                    (KeySwitchInput::Polynomial(product.poly(2)), Some(product.slice(0, 2)))
                };
                let switch = KeySwitch { input, key: key.view(6), mod_up, division, add, automorphism: None };
                b.key_switch(dst.view_mut(2), &switch).unwrap();
            })
        };
        let (fused, apart) = (run(true), run(false));
        assert_eq!(Cost { launches: 2, ..fused }, apart, "{policy:?}");
        assert_eq!(fused.launches, 1);
    }
}
