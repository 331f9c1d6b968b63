//! Programs that run on the counting backend.

use ringjet::{Ciphertext, Plaintext};

use super::configuration::{Algorithms, Configuration, Counted};
use super::error::PaperError;
use super::machine::Machine;
use super::published_deviations::Quirks;
use super::regression::{Regression, Step, Sums};

/// Rotation steps of the operation `HRotate`.
const ROTATIONS: [i64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// Samples in a batch of logistic regression; they fill as many ciphertexts as their slots need.
const BATCH: usize = 1024;

/// Features per sample.
const FEATURES: usize = 256;

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
    application_by(entry, configuration, algorithms, quirks, Sums::Hoisted)
}

/// As [`application`], with a choice of how rotations are summed.
pub(super) fn application_by(
    entry: &str,
    configuration: Configuration,
    algorithms: Algorithms,
    quirks: Quirks,
    sums: Sums,
) -> Result<Counted, PaperError> {
    let limbs = configuration.limbs_out().filter(|&limbs| limbs > Regression::DEPTH);
    let limbs = limbs.ok_or(PaperError::Configuration(configuration))?;
    let width = (FEATURES + usize::from(quirks.lr_pad)).next_power_of_two();
    let slots = 1 << (configuration.log_n - 1);
    let machine = Machine::new(configuration, algorithms, &Regression::rotations(width, slots, &[FEATURES, width]))?;
    let program = Regression::new(machine.eval.clone(), width, sums, quirks);
    let counting = Counting { machine, program, quirks };
    match entry {
        "InnerProduct" => drop(counting.inner_product(limbs, FEATURES)?),
        "PolyEval" => drop(counting.sigmoid(limbs)?),
        "Full LR Iteration" => counting.iteration(limbs, width)?,
        _ => return Err(PaperError::UnknownProgram(entry.into())),
    }
    Ok(counting.machine.counted())
}

/// Counts the steps of an iteration one by one: each starts with new ciphertexts, whose numbers of
/// limbs are those of the published count.
struct Counting {
    machine: Machine,
    program: Regression,
    quirks: Quirks,
}

impl Counting {
    fn inner_product(&self, limbs: usize, count: usize) -> Result<Ciphertext, PaperError> {
        self.program.inner_product(&self.machine.ciphertext(limbs)?, &self.machine.ciphertext(limbs)?, count)
    }

    fn sigmoid(&self, limbs: usize) -> Result<Ciphertext, PaperError> {
        let (y, x) = (self.machine.ciphertext(limbs)?, self.machine.ciphertext(limbs + 1)?);
        self.program.sigmoid(&y, &x, 1.0, y.scale())
    }

    fn iteration(&self, limbs: usize, width: usize) -> Result<(), PaperError> {
        let (m, eval) = (&self.machine, &self.machine.eval);
        let part = m.ciphertext(limbs - 4)?;
        let ciphertexts = BATCH * width / part.slots();
        for _ in 0..ciphertexts {
            self.inner_product(limbs, width)?;
            self.sigmoid(if self.quirks.lr_sig_level { limbs } else { limbs - 2 })?;
        }
        if !self.quirks.lr_ct_sum {
            for _ in 1..ciphertexts {
                eval.add(&part, &part)?;
            }
        }
        let gradient = self.program.sum_of_samples(&part)?;
        let weights = [&m.ciphertext(limbs)?, &m.ciphertext(limbs)?];
        // a division by the primes in between, as the paper counts it
        let down = |x: &Ciphertext| Ok(eval.rescale_to(x, gradient.level())?.with_scale(gradient.scale()));
        let step = Step { rate: 1.0, momentum: 0.5, scaled_by: 1.0 };
        self.program.update(weights, &gradient, &step, down)?;
        Ok(())
    }
}
