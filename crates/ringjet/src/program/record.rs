//! An evaluator that records what it computes.

use std::sync::Arc;

use ringjet_backend::BackendError;

use super::clear::{Clear, Span};
use super::graph::{Input, Program, Value};
use super::op::{Op, Progress};
use super::simulate::{Finding, GOES_ON, Seen, Simulation, Traced};
use crate::Result;
use crate::dynamic::{Ciphertext, Evaluator};
use crate::vectors::Refreshed;

/// What is known of a value of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// The value.
    pub value: Value,
    /// Where the user wrote the operation; of an input its name.
    pub place: String,
    /// The name of the operation, or "input".
    pub operation: &'static str,
    /// Levels, or bits of the modulus, that are left.
    pub left: usize,
    /// Binary logarithm of the scale.
    pub scale_log2: f64,
    /// Number of slots.
    pub slots: usize,
    /// Bound on real and imaginary parts.
    pub magnitude: f64,
    /// Estimated precision in bits; infinite for exact schemes.
    pub precision_bits: f64,
    /// Noise budget of exact schemes in bits.
    pub noise_budget: Option<f64>,
    /// The ciphertexts that the operation bootstrapped, in order.
    pub bootstraps: Vec<Refreshed>,
    /// In a simulation: the range of the slots with given values.
    pub given: Option<Span>,
    /// In a simulation: the range of padded slots.
    pub padding: Option<Span>,
    /// In a simulation: the largest difference between a polynomial and the function that it stands
    /// for.
    pub error: Option<f64>,
}

/// Records a program on an evaluator of a counting backend. What a user computes on [`Traced`]
/// ciphertexts is computed, and written down.
pub struct Recorder {
    eval: Evaluator,
    program: Program,
    facts: Vec<Fact>,
    simulation: Option<Simulation>,
}

/// An input, or a result of an operation.
struct NewValue<'a> {
    ct: Ciphertext,
    value: Value,
    operation: &'static str,
    place: &'a str,
    operands: &'a [&'a Traced],
    /// Its values, in a simulation.
    clear: Option<Clear>,
    bootstraps: Vec<Refreshed>,
    error: Option<f64>,
    /// Whether values beyond stated bounds were warned of already.
    excused: bool,
}

impl Recorder {
    /// A recorder on an evaluator of a counting backend.
    pub fn new(eval: &Evaluator) -> Self {
        eval.watch_bootstraps();
        Self { eval: eval.clone(), program: Program::default(), facts: Vec::new(), simulation: None }
    }

    /// A recorder that simulates: its inputs have values. `modular`: values of exact schemes are meant to
    /// wrap around.
    pub fn simulating(eval: &Evaluator, modular: bool) -> Self {
        Self { simulation: Some(Simulation::new(modular)), ..Self::new(eval) }
    }

    /// Whether it simulates.
    pub fn simulates(&self) -> bool {
        self.simulation.is_some()
    }

    /// The program that returns these values.
    /// Fails with [`Error::Argument`](crate::Error::Argument) for values of no operation.
    pub fn returning(&self, outputs: Vec<(String, Value)>) -> Result<Program> {
        let mut program = self.program.clone();
        program.returns(outputs)?;
        Ok(program)
    }

    /// What is known of every value, in order. Statements of gaps have no facts.
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// The warnings of a simulation.
    pub fn findings(&self) -> &[Finding] {
        self.simulation.as_ref().map_or(&[], Simulation::findings)
    }

    /// Adds an input; in a simulation with its values.
    /// Fails as [`Input::uncomputed`] does, and with [`BackendError::NoValues`] in a simulation without values.
    pub fn input(&mut self, input: Input, values: Option<Clear>) -> Result<Traced> {
        if self.simulates() && values.is_none() {
            return Err(BackendError::NoValues { op: "input", backend: "counting".into() }.into());
        }
        let ct = input.uncomputed(&self.eval.context())?;
        let place = format!("input {}", input.name).trim_end().to_owned();
        let value = self.program.input(input);
        Ok(self.record(NewValue {
            ct,
            value,
            operation: "input",
            place: &place,
            operands: &[],
            clear: values,
            bootstraps: Vec::new(),
            error: None,
            excused: false,
        }))
    }

    /// Computes and records one operation. `error`: see [`Fact::error`]; `step`: see [`Op::run`].
    /// Fails as the operation does. A simulation goes on where values or levels do not suffice, and
    /// warns.
    pub fn step(
        &mut self,
        op: &Op,
        operands: &[&Traced],
        place: &str,
        error: Option<f64>,
        step: Progress<'_>,
    ) -> Result<Vec<Traced>> {
        let cts: Vec<&Ciphertext> = operands.iter().map(|x| &x.ct).collect();
        let _ = self.eval.bootstrapped();
        let (made, excused) = match &mut self.simulation {
            None => (op.run(&self.eval, &cts, step)?, false),
            Some(simulation) => simulation.run(&self.eval, op, operands, place, step)?,
        };
        let mut bootstraps = self.eval.bootstrapped();
        if op.is_bootstrap() {
            bootstraps.extend(cts.iter().map(|ct| Refreshed { left: ct.budget().left, log_slots: ct.log_slots() }));
        }
        if let Some(simulation) = &mut self.simulation {
            simulation.check_bootstraps(op, operands, &bootstraps, place);
        }
        let clear = match self.simulation {
            Some(_) => {
                let seen: Vec<&Clear> = operands.iter().filter_map(|x| x.seen.as_deref()).map(Seen::clear).collect();
                Clear::apply(op, &seen)?.into_iter().map(Some).collect()
            }
            None => vec![None; made.len()],
        };
        let mut counts = vec![Vec::new(); made.len()];
        if let Some(first) = counts.first_mut() {
            *first = bootstraps;
        }
        let number = self.program.place_of(place);
        let values = self.program.push(op.clone(), operands.iter().map(|x| x.value).collect(), number)?;
        let results = made.into_iter().zip(values).zip(clear).zip(counts);
        let operation = op.name();
        Ok(results
            .map(|(((ct, value), clear), bootstraps)| {
                if matches!(op, Op::Gap { .. }) {
                    return Traced { ct, value, seen: operands[0].seen.clone() };
                }
                self.record(NewValue { ct, value, operation, place, operands, clear, bootstraps, error, excused })
            })
            .collect())
    }

    /// In a simulation, a ciphertext with the values of `x` and at least `needed` levels, after the
    /// warning `text` of the operation `op`. `None` without a simulation, or where no ciphertext has so
    /// many levels.
    pub fn afresh(&mut self, x: &Traced, op: &str, needed: usize, text: &str, place: &str) -> Result<Option<Traced>> {
        let Some(simulation) = &mut self.simulation else { return Ok(None) };
        let fresh = simulation.afresh(&self.eval, &x.ct)?;
        if fresh.budget().left < needed {
            return Ok(None);
        }
        simulation.warn(place, op, format!("{text}{GOES_ON}"));
        Ok(Some(Traced { ct: fresh, ..x.clone() }))
    }

    /// The place in the user's code that made a value.
    pub fn place(&self, value: Value) -> Option<&str> {
        self.facts.iter().rfind(|fact| fact.value <= value).map(|fact| fact.place.as_str())
    }

    /// Writes down what is known of a value.
    fn record(&mut self, new: NewValue<'_>) -> Traced {
        let NewValue { ct, value, operation, place, operands, clear, bootstraps, error, excused } = new;
        let (budget, noise) = (ct.budget(), ct.noise());
        let whole = ct.params().plaintext_modulus().map(|t| (t / 2) as f64);
        let span = |padded: bool| clear.as_ref().and_then(|c| c.span(|i| c.padding()[i] == padded));
        self.facts.push(Fact {
            value,
            place: place.into(),
            operation,
            left: budget.left,
            scale_log2: budget.scale_log2,
            slots: ct.slots(),
            magnitude: whole.unwrap_or_else(|| noise.range().largest_part()),
            precision_bits: if whole.is_some() { f64::INFINITY } else { noise.precision_bits() },
            noise_budget: ct.noise_budget().ok(),
            bootstraps,
            given: span(false),
            padding: span(true),
            error,
        });
        let seen = clear.zip(self.simulation.as_mut()).map(|(clear, simulation)| {
            let operands = operands.iter().filter_map(|x| x.seen.as_deref()).collect::<Vec<_>>();
            Arc::new(simulation.check(clear, &ct, operation, place, &operands, excused))
        });
        Traced { ct, value, seen }
    }
}

impl Program {
    /// Records the program again, on the recorder's parameters: its levels, its keys, its bootstraps. In
    /// a simulation `values` are those of the inputs.
    /// Fails as [`Recorder::input`] and [`Recorder::step`] do.
    pub fn record_on(&self, recorder: &mut Recorder, values: Vec<Option<Clear>>) -> Result<Vec<Traced>> {
        let given = self.inputs.iter().zip(values.into_iter().chain(std::iter::repeat(None)));
        let inputs = given.map(|((input, _), values)| recorder.input(input.clone(), values)).collect::<Result<_>>()?;
        let made = self.record_with(recorder, inputs)?;
        let outputs = self.outputs.iter().zip(&made).map(|((name, _), made)| (name.clone(), made.value)).collect();
        recorder.program.returns(outputs)?;
        Ok(made)
    }

    /// Records the program as a part of another one, on ciphertexts of that one.
    /// Fails as [`Recorder::step`] does, for a wrong number of inputs, and for ciphertexts for which the
    /// program was not recorded.
    pub fn record_with(&self, recorder: &mut Recorder, inputs: Vec<Traced>) -> Result<Vec<Traced>> {
        self.expect(inputs.iter().map(|x| &x.ct))?;
        self.each(inputs, |node, operands| recorder.step(&node.op, operands, self.place(node), None, &mut |_, _| true))
    }
}
