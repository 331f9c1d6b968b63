//! A simulation: what would go wrong with these values.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::clear::Clear;
use super::graph::{Input, Value};
use super::op::{Op, Progress};
use super::text::{short, short3, short6};
use crate::circuits::{Basis, Polynomial};
use crate::dynamic::{Ciphertext, Evaluator, StartModulus};
use crate::vectors::Refreshed;
use crate::{Error, Range, Result, Stated, Unit};

/// The largest absolute value that bootstrapping supports.
const BOOTSTRAPPED: f64 = 1.0;

/// The magnitude that a simulation states to go on after the library refused the true one.
const TINY: f64 = 1.0 / (1 << 20) as f64;

/// How a simulation goes on where levels run out, after the message of an error.
pub(super) const GOES_ON: &str = ". The simulation goes on with the same values, encrypted afresh";

/// A warning of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Where the user wrote the operation.
    pub place: String,
    /// The operation.
    pub operation: String,
    /// What is wrong, for people.
    pub text: String,
    /// The error that the library would have failed with, if there is one: `text` then goes on after
    /// its message.
    pub error: Option<Error>,
}

/// The values of a ciphertext in a simulation, and what was warned of them.
#[derive(Debug, Clone)]
pub struct Seen {
    clear: Clear,
    exceeds: bool,
    overflows: bool,
    drowned: bool,
    wraps: bool,
}

impl Seen {
    /// The values.
    pub fn clear(&self) -> &Clear {
        &self.clear
    }

    /// Whether a warning said that errors drown the values.
    pub fn is_drowned(&self) -> bool {
        self.drowned
    }
}

/// A ciphertext of a program that is being recorded.
#[derive(Clone)]
pub struct Traced {
    /// The ciphertext of the counting backend: it has a level, a scale and an error, but no values.
    pub ct: Ciphertext,
    /// Its number in the program.
    pub value: Value,
    /// In a simulation: its values.
    pub seen: Option<Arc<Seen>>,
}

/// The state of a simulation.
pub(super) struct Simulation {
    modular: bool,
    findings: Vec<Finding>,
}

impl Simulation {
    pub fn new(modular: bool) -> Self {
        Self { modular, findings: Vec::new() }
    }

    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    pub fn warn(&mut self, place: &str, operation: &str, text: String) {
        self.findings.push(Finding { place: place.into(), operation: operation.into(), text, error: None });
    }

    fn warn_of(&mut self, place: &str, operation: &str, error: &Error, text: &str) {
        let (place, operation, text) = (place.into(), operation.into(), text.into());
        self.findings.push(Finding { place, operation, text, error: Some(error.clone()) });
    }

    fn goes_on(&mut self, place: &str, operation: &str, error: &Error) {
        self.warn_of(place, operation, error, GOES_ON);
    }

    /// Computes, and where the library refuses values or levels run out, warns and goes on. Returns the
    /// results, and whether values beyond stated bounds are excused, since the cause was reported.
    pub fn run(
        &mut self,
        eval: &Evaluator,
        op: &Op,
        operands: &[&Traced],
        place: &str,
        step: Progress<'_>,
    ) -> Result<(Vec<Ciphertext>, bool)> {
        let excused = match op {
            Op::Polynomial { p } => self.check_interval(p, operands[0], place),
            // all of one interval leave it at the same values
            Op::Polynomials { ps } => ps.iter().any(|p| self.check_interval(p, operands[0], place)),
            Op::Gap { of, gap, unit, zeros, used } => {
                self.check_gap((of, *gap, *unit), *zeros, used, operands[0], place);
                false
            }
            Op::Bootstrap { real } | Op::BootstrapMany { real } => {
                operands.iter().for_each(|x| self.check_real(*real, x, place));
                false
            }
            Op::Slots { log_slots } => {
                self.check_repeats(1 << log_slots, operands[0], place);
                false
            }
            _ => false,
        };
        let given: HashMap<Value, Ciphertext> = operands.iter().map(|x| (x.value, x.ct.clone())).collect();
        let refused = match self.with_room(eval, op, operands, &given, place, step) {
            Err(e @ (Error::Overflow { .. } | Error::OutsideInterval { .. } | Error::BootstrapMagnitude { .. })) => e,
            other => return other.map(|made| (made, excused)),
        };
        // no second warning of an interval that was left, or of values that are too large to bootstrap
        let said = excused && matches!(refused, Error::OutsideInterval { .. });
        let large = operands.iter().any(|x| clear_of(x).is_some_and(|c| !c.within(BOOTSTRAPPED)));
        if !(said || large && matches!(refused, Error::BootstrapMagnitude { .. })) {
            self.warn_of(place, op.name(), &refused, "");
        }
        // first states the true bound of the values, and if it is refused too, one that always works
        for truly in [true, false] {
            let restated = operands.iter().map(|x| Ok((x.value, restated(x, &refused, truly)?)));
            let restated = restated.collect::<Result<_>>()?;
            match self.with_room(eval, op, operands, &restated, place, step) {
                Err(Error::Overflow { .. } | Error::OutsideInterval { .. } | Error::BootstrapMagnitude { .. }) => {}
                other => {
                    let clears: Vec<&Clear> = operands.iter().filter_map(|x| clear_of(x)).collect();
                    let sizes = Clear::apply(op, &clears)?;
                    let made = other?.into_iter().zip(&sizes).map(|(ct, clear)| ct.with_magnitude(size(clear)));
                    return Ok((made.collect::<Result<_>>()?, excused));
                }
            }
        }
        Err(refused)
    }

    /// Computes on `cts`; where too little is left of them, on fresh ones.
    fn with_room(
        &mut self,
        eval: &Evaluator,
        op: &Op,
        operands: &[&Traced],
        cts: &HashMap<Value, Ciphertext>,
        place: &str,
        step: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let chosen: Vec<&Ciphertext> = operands.iter().map(|x| &cts[&x.value]).collect();
        let error = match op.run(eval, &chosen, step) {
            Err(e @ (Error::ModulusExhausted { .. } | Error::NoiseBudget { .. })) => e,
            other => return other,
        };
        let fresh: HashMap<Value, Ciphertext> =
            cts.iter().map(|(&value, ct)| Ok((value, self.afresh(eval, ct)?))).collect::<Result<_>>()?;
        let chosen: Vec<&Ciphertext> = operands.iter().map(|x| &fresh[&x.value]).collect();
        match op.run(eval, &chosen, step) {
            Err(Error::ModulusExhausted { .. } | Error::NoiseBudget { .. }) => Err(error),
            other => {
                let made = other?;
                self.goes_on(place, op.name(), &error);
                Ok(made)
            }
        }
    }

    /// A fresh ciphertext with the slots, count, bounds and error of another one.
    pub fn afresh(&self, eval: &Evaluator, ct: &Ciphertext) -> Result<Ciphertext> {
        let noise = ct.noise();
        let input = Input {
            name: String::new(),
            log_slots: ct.log_slots(),
            at: StartModulus::default(),
            stated: Stated::Magnitude(1.0),
            complex: !noise.range().is_real(),
            public_key: false,
            count: Some(ct.count()),
            zero_padded: ct.is_zero_padded(),
        };
        let fresh = input.uncomputed(&eval.context())?;
        if ct.params().is_exact() {
            return Ok(fresh);
        }
        let bits = noise.precision_bits().min(fresh.noise().precision_bits());
        let range = noise.range();
        let fresh = if range.is_real() {
            fresh.with_range(Range::real(range.low(), range.high()))?
        } else {
            fresh.with_magnitude(range.largest_part().max(TINY))?
        };
        fresh.with_deviation((-bits).exp2())
    }

    /// Warns of values outside of a series' interval; returns whether there are any.
    fn check_interval(&mut self, p: &Polynomial, x: &Traced, place: &str) -> bool {
        let (Basis::Chebyshev { a, b }, Some(clear)) = (p.basis(), clear_of(x)) else { return false };
        let outside = clear.outside(a, b);
        let count = outside.iter().filter(|&&o| o).count();
        if count == 0 {
            return false;
        }
        let padded = outside.iter().zip(clear.padding()).filter(|&(&o, &p)| o && p).count();
        let (slots, leave) = if count == 1 { ("1 slot".into(), "leaves") } else { (format!("{count} slots"), "leave") };
        let padding = if padded > 0 { format!(", of them {padded} padding,") } else { String::new() };
        let found = clear.span(|i| outside[i]).map_or(String::new(), |s| s.to_string());
        let (a, b) = (short6(a), short6(b));
        self.warn(place, "polynomial", format!("{slots}{padding} {leave} [{a}, {b}]: values are in {found}"));
        true
    }

    /// Warns of values that are closer to 0 than a comparison tells apart.
    fn check_gap(&mut self, (of, gap, unit): (&str, f64, f64), zeros: bool, used: &[bool], x: &Traced, place: &str) {
        let Some(clear) = clear_of(x) else { return };
        let sizes: Vec<f64> = clear.values().iter().map(|z| z.re.abs()).collect();
        let closer = |i: &usize| {
            let here = used.get(*i).copied().unwrap_or(used.is_empty());
            here && !clear.padding()[*i] && sizes[*i] < gap * (1.0 - 1e-9) && !(zeros && sizes[*i] == 0.0)
        };
        let found: Vec<usize> = (0..sizes.len()).filter(closer).collect();
        let Some(&slot) = found.iter().min_by(|&&i, &&j| sizes[i].total_cmp(&sizes[j])) else { return };
        let values = if found.len() == 1 { "1 value is".into() } else { format!("{} values are", found.len()) };
        let (gap, size) = (short(gap * unit), short(sizes[slot] * unit));
        let closest =
            format!("{values} closer than the gap {gap} to where the result changes, by {size} in slot {slot}");
        self.warn(place, of, format!("{closest}: results may be anything between"));
    }

    fn check_real(&mut self, real: bool, x: &Traced, place: &str) {
        let complex = |c: &Clear| !c.is_real() && c.values().iter().any(|z| z.im != 0.0);
        if real && clear_of(x).is_some_and(|c| c.wraps().is_none() && complex(c)) && x.ct.level().is_ok() {
            self.warn(
                place,
                "bootstrap",
                "values are not real, and bootstrapping as real ones keeps their real parts".into(),
            );
        }
    }

    fn check_repeats(&mut self, slots: usize, x: &Traced, place: &str) {
        if slots < x.ct.slots() && clear_of(x).is_some_and(|c| !c.repeats(slots)) {
            let text = format!("values do not repeat after {slots} slots, and become their means");
            self.warn(place, "slots", text);
        }
    }

    /// Warns of bootstrapped values that are too large for it.
    pub fn check_bootstraps(&mut self, op: &Op, operands: &[&Traced], bootstraps: &[Refreshed], place: &str) {
        let mut left: Vec<&&Traced> = operands.iter().collect();
        for refreshed in bootstraps {
            let same = |x: &&&Traced| x.ct.budget().left == refreshed.left && x.ct.log_slots() == refreshed.log_slots;
            let Some(found) = left.iter().position(same) else { continue };
            let operand = left.swap_remove(found);
            left.retain(|x| x.value != operand.value);
            let Some(clear) = clear_of(operand).filter(|c| !c.within(BOOTSTRAPPED)) else { continue };
            let largest = short(clear.largest());
            let hint = format!("bootstrapping is for values up to {BOOTSTRAPPED}: scale them down before");
            self.warn(place, op.name(), format!("values up to {largest} are bootstrapped; {hint}"));
        }
    }

    /// Warns at the first operation whose values exceed the modulus or the stated magnitude, drown in
    /// errors, or wrap around modulo t. Later operations on these values give no further warning.
    pub fn check(
        &mut self,
        clear: Clear,
        ct: &Ciphertext,
        name: &'static str,
        place: &str,
        operands: &[&Seen],
        excused: bool,
    ) -> Seen {
        let was = |of: fn(&Seen) -> bool| operands.iter().any(|x| of(x));
        if let Some((t, wraps)) = clear.wraps() {
            let before = was(|x| x.wraps);
            if let Some(size) = wraps.filter(|_| !before && !self.modular) {
                let text =
                    format!("values up to {} wrap around modulo t = {t}: results are right modulo t only", short(size));
                self.warn(place, name, text);
            }
            let wraps = wraps.is_some() || before;
            return Seen { clear, exceeds: false, overflows: false, drowned: false, wraps };
        }
        let (noise, budget) = (ct.noise(), ct.budget());
        let (range, largest) = (noise.range(), short(clear.largest()));
        let magnitude = short(range.largest_part());
        let drowned = noise.is_drowned() || was(|x| x.drowned);
        if drowned && !was(|x| x.drowned) {
            let error = short3((-noise.precision_bits()).exp2());
            let text = format!(
                "errors are estimated at {error}, and values are at most {magnitude}: by this estimate no digit is right"
            );
            self.warn(place, name, text);
        }
        let exceeds = !clear.within(range.largest_part());
        let states = matches!(name, "magnitude" | "range");
        if exceeds && !excused && (states || !was(|x| x.exceeds)) {
            self.warn(place, name, format!("values up to {largest} exceed the stated magnitude {magnitude}"));
        } else if matches!(name, "range" | "input") && clear.outside(range.low(), range.high()).contains(&true) {
            let found = clear.span(|_| true).map_or(String::new(), |s| s.to_string());
            let (low, high) = (short6(range.low()), short6(range.high()));
            self.warn(place, name, format!("values in {found} exceed the stated range [{low}, {high}]"));
        }
        let finite = clear.largest().is_finite();
        let room = if finite { ct.room(clear.values()).unwrap_or(f64::NEG_INFINITY) } else { f64::NEG_INFINITY };
        let overflows = room <= 0.0 || was(|x| x.overflows);
        if overflows && !was(|x| x.overflows) {
            let of = match budget.unit {
                Unit::Bits => format!("{} bits", budget.left),
                _ => format!("level {}", budget.left),
            };
            let missing = if room.is_finite() { format!(": {:.1} bits are missing", -room) } else { String::new() };
            let text = format!("values up to {largest} do not fit the modulus of {of}{missing}; scale them down");
            self.warn(place, name, text);
        }
        Seen { clear, exceeds, overflows, drowned, wraps: false }
    }
}

fn clear_of(x: &Traced) -> Option<&Clear> {
    x.seen.as_deref().map(Seen::clear)
}

/// The largest absolute value, limited to a range of positive numbers that can be stated as a
/// magnitude.
fn size(clear: &Clear) -> f64 {
    let most = 2f64.powi(1000);
    let largest = clear.largest();
    if largest.is_nan() { most } else { largest.clamp(TINY, most) }
}

/// An operand with a new bound: the true bound of its values, or else one that is always accepted.
fn restated(x: &Traced, refused: &Error, truly: bool) -> Result<Ciphertext> {
    let Some(clear) = clear_of(x) else { return Ok(x.ct.clone()) };
    if let &Error::OutsideInterval { a, b, .. } = refused {
        let span = clear.span(|_| true).filter(|s| truly && s.low.is_finite() && s.high.is_finite());
        let (low, high) = span.map_or((0.5 * (a + b), 0.5 * (a + b)), |s| (s.low, s.high));
        return x.ct.with_range(Range::real(low, high));
    }
    x.ct.with_magnitude(if truly { size(clear) } else { TINY })
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = self.error.as_ref().map_or(String::new(), ToString::to_string);
        let operation = if self.operation == "input" { String::new() } else { format!("{}: ", self.operation) };
        write!(f, "{}: {operation}{error}{}", self.place, self.text)
    }
}
