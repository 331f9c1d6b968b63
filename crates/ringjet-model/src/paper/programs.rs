//! Programs that run on the counting backend.

use ringjet::Plaintext;

use super::configuration::{Algorithms, Configuration, Counted};
use super::error::PaperError;
use super::machine::Machine;
use super::quirks::Quirks;
use super::regression::Regression;

/// Rotation steps of the operation `HRotate`.
const ROTATIONS: [i64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// Bootstraps a ciphertext with all slots and returns the library's calls.
///
/// # Errors
/// [`PaperError::Library`] if there are too few limbs.
pub fn bootstrap(configuration: Configuration, algorithms: Algorithms) -> Result<Counted, PaperError> {
    let machine = Machine::bootstrapping(configuration, algorithms)?;
    let log_slots = configuration.log_n - 1;
    let order = algorithms.order(configuration.degree);
    let boot = order.bootstrapper(machine.eval.context(), log_slots, |_, _| true)?;
    let ct = machine.ciphertext(1)?;
    machine.counted();
    boot.bootstrap_observed(&machine.eval, &ct, false, |_| true)?;
    Ok(machine.counted())
}

/// Runs an operation of Table V (de Castro et al., ePrint 2021/1636) on ciphertexts with all limbs
/// and returns the library's calls. `entry` is `PtAdd`, `Add`, `PtMult`, `Mult`, `Rotate`,
/// `Conjugate` or `HRotate` (eight rotations).
///
/// # Errors
/// [`PaperError::UnknownProgram`] if `entry` is no such operation.
pub fn operation(entry: &str, configuration: Configuration, algorithms: Algorithms) -> Result<Counted, PaperError> {
    let machine = Machine::new(configuration, algorithms, &ROTATIONS)?;
    let eval = &machine.eval;
    let (a, b) = (machine.ciphertext(configuration.limbs)?, machine.ciphertext(configuration.limbs)?);
    let plain = Plaintext::encode(eval.context(), &[], a.level(), a.scale(), a.log_slots())?;
    machine.counted();
    match entry {
        "PtAdd" => drop(eval.add_plain(&a, &plain)?),
        "Add" => drop(eval.add(&a, &b)?),
        "PtMult" => drop(eval.rescale(&eval.mul_plain(&a, &plain)?)?),
        "Mult" => drop(eval.mul_relin_rescale(&a, &b)?),
        "Rotate" => drop(eval.rotate(&a, 1)?),
        "Conjugate" => drop(eval.conjugate(&a)?),
        "HRotate" => drop(eval.rotate_hoisted(&a, &ROTATIONS)?),
        _ => return Err(PaperError::UnknownProgram(entry.into())),
    }
    Ok(machine.counted())
}

/// Runs a program of Table VII on ciphertexts with the limbs that bootstrapping leaves. `entry` is
/// `InnerProduct`, `PolyEval` or `Full LR Iteration`. Some of the `quirks` change the program.
///
/// # Errors
/// [`PaperError::UnknownProgram`] if `entry` is no such program; [`PaperError::Configuration`] if
/// bootstrapping leaves too few limbs.
pub fn application(
    entry: &str,
    configuration: Configuration,
    algorithms: Algorithms,
    quirks: Quirks,
) -> Result<Counted, PaperError> {
    let limbs = configuration.limbs_out().filter(|&limbs| limbs > Regression::DEPTH);
    let limbs = limbs.ok_or(PaperError::Configuration(configuration))?;
    let program = Regression::new(configuration, algorithms, quirks)?;
    match entry {
        "InnerProduct" => program.inner_product(limbs),
        "PolyEval" => program.polynomial(limbs),
        "Full LR Iteration" => program.iteration(limbs),
        _ => Err(PaperError::UnknownProgram(entry.into())),
    }
}
