//! The effect of each quirk of the published model (de Castro et al., ePrint 2021/1636). Effects
//! are compared with those of an independent implementation, or, for quirks that it cannot switch
//! off, with values computed from the quirk's definition.

use ringjet_model::{Caching, Cost};
use ringjet_papers::castro::{Algorithms, Configuration, PaperPolicy, Quirks, application, bootstrap, operation};

/// Operations in 10^9, and bytes in 10^9.
type Change = [f64; 2];

/// The changes with one quirk off: the baseline's bootstrap without a cache, with a cache of O(1)
/// limbs, and with re-ordering; the best case's bootstrap; an iteration of the regression for the
/// baseline and for the best case.
const CHANGES: [(&str, [Change; 6]); 24] = [
    ("shrink_p", [[13.28, 6.964], [13.28, 6.506], [13.28, 3.191], [11.296, 2.259], [25.39, 27.846], [38.623, 8.372]]),
    ("beta_dnum", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
    (
        "full_digits",
        [[-0.469, 0.083], [-0.469, 0.083], [-0.469, 0.083], [-0.085, 0.019], [-0.489, 0.117], [-0.251, 0.08]],
    ),
    ("one_poly", [[4.839, 0.0], [4.839, 0.0], [4.839, 0.0], [5.173, 0.0], [1.347, 0.52], [1.282, 0.159]]),
    ("tree_reads", [[0.0, 2.416], [0.0, 2.416], [0.0, 2.416], [0.0, 2.592], [0.0, 0.0], [0.0, 0.0]]),
    ("cheb_parity", [[-0.008, 0.0], [-0.008, 0.0], [-0.008, 0.0], [-0.009, 0.0], [0.0, 0.0], [0.0, 0.0]]),
    ("sq_add_level", [[-0.001, 0.0], [-0.001, 0.0], [-0.001, 0.0], [-0.001, 0.0], [0.0, 0.0], [0.0, 0.0]]),
    ("acc_first", [[-0.044, -0.352], [-0.044, -0.352], [-0.044, -0.352], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
    ("bsgs_digits_wr", [[0.0, 0.0], [0.0, 0.0], [0.0, -8.716], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
    ("ks_order", [[0.0, 0.0], [0.0, 7.265], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
    ("merge_order", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
    ("hrot_read", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
    ("pmult_once", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.479, 0.0], [0.0, 0.0], [0.477, 0.0]]),
    ("conj_write", [[0.0, 0.067], [0.0, 0.067], [0.0, 0.067], [0.0, 0.071], [0.0, 0.0], [0.0, 0.0]]),
    ("evalmod_write", [[0.0, -0.096], [0.0, -0.096], [0.0, -0.096], [0.0, -0.105], [0.0, 0.0], [0.0, 0.0]]),
    ("plain_reads", [[0.0, 14.722], [0.0, 14.722], [0.0, 14.722], [0.0, 7.077], [0.0, 0.168], [0.0, 0.159]]),
    ("modraise", [[0.266, 0.22], [0.266, 0.22], [0.266, 0.073], [0.304, 0.084], [0.0, 0.0], [0.0, 0.0]]),
    ("lr_keep_k", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [-2.317, -3.892], [-2.42, -0.839]]),
    ("lr_drops", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [-2.522, -5.411], [-4.289, -1.678]]),
    ("lr_sig_level", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [-3.035, -2.995], [-2.296, -0.973]]),
    ("lr_pad", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [-46.222, -108.085], [-38.448, -21.815]]),
    ("lr_ct_sum", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.029, 0.705], [0.028, 0.661]]),
    ("lr_update_polys", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.297, 0.149], [0.28, 0.061]]),
    ("lr_nesterov", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.117], [0.0, 0.111]]),
];

fn cached(caching: Caching) -> PaperPolicy {
    PaperPolicy { caching, ..PaperPolicy::BASELINE }
}

fn amounts(cost: &Cost) -> Change {
    [cost.ops() as f64 / 1e9, cost.bytes() as f64 / 1e9]
}

/// The six costs of [`CHANGES`].
fn costs(quirks: Quirks) -> [Change; 6] {
    let base = bootstrap(Configuration::BASELINE, Algorithms::BASELINE).unwrap();
    let best = bootstrap(Configuration::BEST, Algorithms::BEST).unwrap();
    let iteration = |of, algorithms| application("Full LR Iteration", of, algorithms, quirks).unwrap();
    let (slow, fast) =
        (iteration(Configuration::BASELINE, Algorithms::BASELINE), iteration(Configuration::BEST, Algorithms::BEST));
    [
        (&base, PaperPolicy::BASELINE),
        (&base, cached(Caching::Limb)),
        (&base, cached(Caching::Reordered)),
        (&best, PaperPolicy::BEST),
        (&slow, PaperPolicy::BASELINE),
        (&fast, PaperPolicy::BEST),
    ]
    .map(|(counted, policy)| amounts(&PaperPolicy { quirks, ..policy }.cost(counted, &[]).unwrap()))
}

fn without(names: &[&str]) -> Quirks {
    names.iter().fold(Quirks::PAPER, |q, name| q.without(name).unwrap())
}

fn assert_changes(name: &str, found: [Change; 6], expected: [Change; 6]) {
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((found - expected).abs() < 6e-4, "{name}: {found} is not {expected}");
    }
}

fn changes(quirks: Quirks) -> [Change; 6] {
    let (with, without) = (costs(Quirks::PAPER), costs(quirks));
    std::array::from_fn(|i| std::array::from_fn(|j| without[i][j] - with[i][j]))
}

#[test]
fn each_quirk_changes_what_it_is_worth() {
    for (name, expected) in CHANGES {
        // these two quirks affect no table
        if !["merge_order", "hrot_read"].contains(&name) {
            assert_changes(name, changes(without(&[name])), expected);
        }
    }
}

#[test]
fn quirks_together() {
    // with P of a fixed size and as few digits as the limbs need
    let fixed = costs(without(&["shrink_p", "beta_dnum"]));
    assert_printed(fixed, &[(0, [156.47, 206.71]), (1, [156.47, 176.33]), (3, [89.97, 46.93]), (4, [94.09, 183.07])]);
    let fixed = costs(without(&["shrink_p", "beta_dnum", "full_digits"]));
    assert_printed(fixed, &[(0, [154.11, 207.09]), (2, [154.11, 115.76]), (3, [87.29, 47.40]), (5, [84.41, 30.94])]);
    // all quirks off that the independent implementation can switch off
    let own = Quirks {
        leaf_terms: true,
        giant_align: true,
        encapsulation: true,
        times_i: true,
        dh_keep_k: true,
        lr_square: true,
        ..Quirks::NONE
    };
    assert_printed(costs(own), &[(0, [159.16, 224.07]), (3, [93.24, 57.89]), (4, [44.85, 79.87])]);
}

fn assert_printed(found: [Change; 6], expected: &[(usize, Change)]) {
    for (i, expected) in expected {
        for (found, expected) in found[*i].iter().zip(expected) {
            assert!((found - expected).abs() < 0.0051, "{i}: {found} is not {expected}");
        }
    }
}

/// The changes of operations and of words that a quirk makes, in limbs.
fn limbs(with: &Cost, without: &Cost, log_n: u32) -> [i64; 2] {
    let difference = |a: u64, b: u64| (b as i64 - a as i64) >> log_n;
    [difference(with.ops(), without.ops()), difference(with.words(), without.words())]
}

#[test]
fn quirks_of_single_operations() {
    let base = Configuration::BASELINE;
    let change = |entry, algorithms, name, caching| {
        let counted = operation(entry, base, algorithms).unwrap();
        let policy = cached(caching);
        let with = policy.cost(&counted, &[]).unwrap();
        limbs(&with, &PaperPolicy { quirks: without(&[name]), ..policy }.cost(&counted, &[]).unwrap(), base.log_n)
    };
    // three digits of 48 limbs, and one polynomial of 35
    assert_eq!(change("HRotate", Algorithms::BASELINE, "hrot_read", Caching::BetaLimbs), [0, 3 * 48 + 35]);
    assert_eq!(change("HRotate", Algorithms::BASELINE, "hrot_read", Caching::Limb), [0, 0]);
    // 13 limbs of P for each of two polynomials
    let merged = Algorithms { merged: true, ..Algorithms::BASELINE };
    assert_eq!(change("Mult", merged, "merge_order", Caching::Limb), [0, 2 * 13]);
    assert_eq!(change("Mult", merged, "merge_order", Caching::Reordered), [0, 0]);
}

#[test]
fn quirks_of_what_only_the_library_has() {
    let base = Configuration::BASELINE;
    let counted = bootstrap(base, Algorithms::BASELINE).unwrap();
    let with = PaperPolicy::BASELINE.cost(&counted, &[]).unwrap();
    let change = |name| {
        let policy = PaperPolicy { quirks: without(&[name]), ..PaperPolicy::BASELINE };
        limbs(&with, &policy.cost(&counted, &[]).unwrap(), base.log_n)
    };
    // twice eight sums at 29 limbs: two products, two additions and two reads of a limb each
    assert_eq!(change("leaf_terms"), [-16 * 4 * 29, -16 * 2 * 29]);
    // twice: two products of 29 limbs, and a rescaling of one polynomial that is read and written
    assert_eq!(change("giant_align"), [2 * (2 * 29 + 29 * (10 + 17) + 2 * 28), 2 * (2 * 29 + 2 * 28)]);
    // a rotation at 35 limbs without its automorphism, and a key switch at one limb
    assert_eq!(change("encapsulation"), [5098 + 6583 + 193 + 280, 620 + 584 + 288 - 4 * 35 + 32 + 29 + 18]);
    // at 32 and at 23 limbs: two polynomials are read, multiplied by one that is read, and written
    assert_eq!(change("times_i"), [2 * (32 + 23), 5 * (32 + 23)]);

    let square = |quirks| {
        let counted = application("PolyEval", base, Algorithms::BASELINE, quirks).unwrap();
        PaperPolicy { quirks, ..PaperPolicy::BASELINE }.cost(&counted, &[]).unwrap()
    };
    let (with, without_it) = (square(Quirks::PAPER), square(without(&["lr_square"])));
    assert_eq!(limbs(&with, &without_it, base.log_n), [-3 * 20, -3 * 20]);
}

#[test]
fn double_hoisted_giant_steps_in_their_own_basis() {
    let products = ringjet_papers::castro::MatrixProducts::DoubleHoisted;
    let counted = bootstrap(Configuration::BOSSUAT, Algorithms { products, merged: false }).unwrap();
    let [with, without] = [Quirks::PAPER, without(&["dh_keep_k"])]
        .map(|quirks| amounts(&PaperPolicy { quirks, ..PaperPolicy::BASELINE }.cost(&counted, &[]).unwrap()));
    assert!(without[0] < with[0] && without[1] < with[1], "{with:?} {without:?}");
    println!("{with:?} {without:?}");
}

#[test]
fn quirks_have_names_and_are_documented() {
    let page = include_str!("../../../../docs/design/cost-model.md");
    for (name, _) in Quirks::ALL {
        assert!(page.contains(&format!("\n| `{name}` |")), "{name}");
    }
    assert_eq!(Quirks::ALL.len(), 30);
    let off = Quirks::ALL.iter().fold(Quirks::PAPER, |q, (name, _)| q.without(name).unwrap());
    assert_eq!(off, Quirks::NONE);
    assert!(Quirks::PAPER.without("shrink").unwrap_err().to_string().contains("shrink_p, beta_dnum"));
}
