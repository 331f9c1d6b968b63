//! Compares counted operations with Table IV of Jung et al., "HEAAN Demystified", and counted
//! instructions with the formulas of the cost model, which are derived from the loops by hand.

use ringjet_papers::heaan::{Function, Modular, Operations};
use ringjet_papers::multiplication::counts::{instructions, narrow_instructions, operations, residues};
use ringjet_papers::multiplication::setup::Setup;

/// Small rings with np 43 and 64 and qLimbs 19, and one with a small modulus.
fn setups() -> impl Iterator<Item = Setup> {
    [(4, 1200), (7, 1200), (10, 1200), (9, 100)].into_iter().map(|(n, q)| Setup::new(n, q, q, 57).unwrap())
}

#[test]
fn operations_are_those_of_table_iv() {
    for setup in setups() {
        let residues = residues(&setup, 0);
        let each = residues.coefficients() * residues.primes;
        for (function, counted, formula) in operations(&setup) {
            // For iCRT, Table IV has two modular multiplications for each residue and Algorithm 5
            // has one. The missing one is the reduction modulo P, which is one division of the
            // whole sum here.
            let missing = if function == Function::Icrt { each } else { 0 };
            let counted_as_printed = Operations { modular: counted.operations.modular + missing, ..counted.operations };
            assert_eq!(counted_as_printed, formula, "{}", function.name());
            // A reduction in CRT counts as one in the table; it takes three runs of Algorithm 2.
            let threefold = if function == Function::Crt { 2 * each } else { 0 };
            assert_eq!(counted.shoup, counted.operations.modular + threefold);
        }
    }
}

#[test]
fn the_reference_parameters_have_the_tables_sizes() {
    let setup = Setup::new(4, 1200, 1200, 57).unwrap();
    let r = residues(&setup, 0);
    assert_eq!((r.primes, r.limbs, r.product_limbs), (43, 19, 38));
    assert_eq!((setup.systems[1].count, setup.systems[1].product_limbs), (64, 57));
}

#[test]
fn instructions_are_those_of_the_loops() {
    for setup in setups() {
        for (variant, function, counted) in instructions(&setup) {
            let modular = if variant == "AVX" { Modular::Exact } else { Modular::Modified };
            let expected = residues(&setup, 0).kernel_instructions(function, modular);
            assert_eq!(counted.arithmetic(), expected, "{variant}, {}", function.name());
        }
    }
}

#[test]
fn instructions_of_narrow_words_are_those_of_the_loops() {
    for (log_n, log_q) in [(4, 1200), (7, 1200), (9, 100)] {
        let setup = Setup::narrow(log_n, log_q, log_q).unwrap();
        for (function, counted) in narrow_instructions(&setup) {
            let expected = residues(&setup, 0).kernel_instructions(function, Modular::Narrow);
            assert_eq!(counted.arithmetic(), expected, "{}", function.name());
        }
    }
}
