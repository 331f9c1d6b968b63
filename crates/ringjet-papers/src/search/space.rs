//! The allowed candidates, and their neighbours.

use super::axis::NUMBERS;
use super::shape::{even, is_near, splits};
use super::{Axis, Limits, Options, Order, SearchError, Shape};
use crate::orders::BabySteps;

/// All shapes that the options allow.
#[derive(Debug)]
pub(super) struct Space {
    /// The allowed values of each axis, in units of 1/4.
    numbers: [Vec<u16>; NUMBERS],
    /// All primes are below `2^prime_bits`, as those of the preset.
    prime_bits: u32,
    /// Most baby steps, as those of the preset.
    most_baby_steps: u32,
    /// The allowed splits of stages, for each ring.
    stages: Vec<Stages>,
    orders: Vec<bool>,
    rules: Vec<BabySteps>,
    /// The requested ratio of q_0 to the message, and bits of SlotsToCoeffs. Numbers that follow
    /// from others must agree with them.
    room: Option<Limits>,
    transform_bits: Option<Limits>,
}

/// Whether keys contain the first matrix of CoeffsToSlots, and whether message levels share primes:
/// both are tried.
const BOTH: [bool; 2] = [false, true];

#[derive(Debug)]
struct Stages {
    log_n: u32,
    coeffs_to_slots: Vec<Vec<u32>>,
    slots_to_coeffs: Vec<Vec<u32>>,
}

impl Space {
    pub(super) fn new(options: &Options) -> Result<Self, SearchError> {
        let mut numbers: [Vec<u16>; NUMBERS] = Default::default();
        for (axis, values) in Axis::ALL.into_iter().zip(&mut numbers) {
            *values = axis.values(options.limits.get(&axis))?;
        }
        let preset = options.start()?.1;
        let (prime_bits, most_baby_steps) = (preset.prime_bits, preset.bootstrap.baby_steps);
        for axis in [Axis::ScaleBits, Axis::FirstBits, Axis::SlotsToCoeffsBits] {
            let values = &mut numbers[axis as usize];
            values.retain(|quarters| u32::from(quarters / 4) <= prime_bits);
            if values.is_empty() {
                let value = options.limits.get(&axis).map_or_else(String::new, Limits::to_string);
                let allowed = format!("at most {prime_bits}, the bits of the preset's largest primes");
                return Err(SearchError::Option { name: axis.name(), value, allowed });
            }
        }
        let levels = |axis: Axis| axis.values(options.limits.get(&axis));
        let (c2s, s2c) = (levels(Axis::CoeffsToSlots)?, levels(Axis::SlotsToCoeffs)?);
        let all = |levels: &[u16], fixed: &Option<Vec<u32>>, log_n: u32| -> Vec<Vec<u32>> {
            match fixed {
                Some(stages) if stages.iter().sum::<u32>() + 1 == log_n => vec![stages.clone()],
                Some(_) => vec![],
                None => levels.iter().flat_map(|&l| splits(log_n - 1, u32::from(l / 4))).collect(),
            }
        };
        let stages: Vec<Stages> = (numbers[Axis::LogN as usize].iter())
            .map(|&quarters| u32::from(quarters / 4))
            .map(|log_n| Stages {
                log_n,
                coeffs_to_slots: all(&c2s, &options.coeffs_to_slots_stages, log_n),
                slots_to_coeffs: all(&s2c, &options.slots_to_coeffs_stages, log_n),
            })
            .filter(|s| !s.coeffs_to_slots.is_empty() && !s.slots_to_coeffs.is_empty())
            .collect();
        if stages.is_empty() {
            let value = format!("{:?}, {:?}", options.coeffs_to_slots_stages, options.slots_to_coeffs_stages);
            let allowed = "stages whose sum is an allowed --log-n less one".into();
            return Err(SearchError::Option { name: "stages", value, allowed });
        }
        let kept = |q: &u16| stages.iter().any(|s| s.log_n == u32::from(q / 4));
        numbers[Axis::LogN as usize].retain(kept);
        let orders = match options.order {
            Order::Any => vec![true, false],
            Order::SlotsToCoeffsFirst => vec![true],
            Order::SlotsToCoeffsLast => vec![false],
        };
        let rules = if options.baby_steps.is_empty() { vec![BabySteps::Cheapest] } else { options.baby_steps.clone() };
        let asked = |axis: Axis| options.limits.get(&axis).cloned();
        let (room, transform_bits) = (asked(Axis::LogRatio), asked(Axis::SlotsToCoeffsBits));
        Ok(Self { numbers, prime_bits, most_baby_steps, stages, orders, rules, room, transform_bits })
    }

    fn stages(&self, log_n: u32) -> Option<&Stages> {
        self.stages.iter().find(|s| s.log_n == log_n)
    }

    /// The number of shapes. A shape whose ratio of q_0 to the message follows is counted once per
    /// ratio.
    pub(super) fn size(&self) -> f64 {
        let numbers: f64 = self.numbers[1..].iter().map(|v| v.len() as f64).product();
        let stages: f64 = self.stages.iter().map(|s| (s.coeffs_to_slots.len() * s.slots_to_coeffs.len()) as f64).sum();
        numbers * stages * (self.orders.len() * BOTH.len() * BOTH.len() * self.rules.len()) as f64
    }

    /// The shape with chosen coordinates: `next(n)` returns the next coordinate, which is below
    /// `n`.
    fn pick(&self, mut next: impl FnMut(usize) -> usize) -> Shape {
        let stages = &self.stages[next(self.stages.len())];
        let mut numbers = [0; NUMBERS];
        for (number, values) in numbers.iter_mut().zip(&self.numbers).skip(1) {
            *number = values[next(values.len())];
        }
        numbers[Axis::LogN as usize] = 4 * stages.log_n as u16;
        let mut shape = Shape {
            numbers,
            prime_bits: self.prime_bits,
            most_baby_steps: self.most_baby_steps,
            coeffs_to_slots: stages.coeffs_to_slots[next(stages.coeffs_to_slots.len())].clone(),
            slots_to_coeffs: stages.slots_to_coeffs[next(stages.slots_to_coeffs.len())].clone(),
            slots_to_coeffs_first: self.orders[next(self.orders.len())],
            matrix_keys: BOTH[next(2)],
            shared_primes: BOTH[next(2)],
            baby_steps: self.rules[next(self.rules.len())],
        };
        shape.settle();
        shape
    }

    /// All shapes; some occur more than once.
    pub(super) fn all(&self) -> Vec<Shape> {
        let mut all = vec![];
        // counts through all coordinates like an odometer; the last one changes fastest
        let mut wheels: Vec<(usize, usize)> = vec![];
        loop {
            let mut at = 0;
            let shape = self.pick(|n| {
                if at == wheels.len() {
                    wheels.push((0, n));
                }
                // coordinates after the changed one may have other ranges
                wheels[at].1 = n;
                at += 1;
                wheels[at - 1].0
            });
            all.extend(self.allows(&shape).then_some(shape));
            while let Some(wheel) = wheels.last_mut() {
                wheel.0 += 1;
                if wheel.0 < wheel.1 {
                    break;
                }
                wheels.pop();
            }
            if wheels.is_empty() {
                return all;
            }
        }
    }

    /// A random shape.
    pub(super) fn sample(&self, random: &mut Random) -> Shape {
        self.pick(|n| random.below(n))
    }

    /// The allowed shape that is nearest to `shape`, number by number.
    pub(super) fn nearest(&self, shape: &Shape) -> Shape {
        let mut near = shape.clone();
        for (number, values) in near.numbers.iter_mut().zip(&self.numbers) {
            *number = values.iter().copied().min_by_key(|v| v.abs_diff(*number)).unwrap_or(*number);
        }
        self.restage(&mut near);
        if !self.orders.contains(&near.slots_to_coeffs_first) {
            near.slots_to_coeffs_first = self.orders[0];
        }
        if !self.rules.contains(&near.baby_steps) {
            near.baby_steps = self.rules[0];
        }
        near.settle();
        near
    }

    /// Makes the stages fit the ring: the same numbers of levels with even splits, if they are
    /// allowed.
    fn restage(&self, shape: &mut Shape) {
        let Some(stages) = self.stages(shape.log_n()) else { return };
        let count = shape.log_n() - 1;
        let fit = |now: &mut Vec<u32>, all: &[Vec<u32>]| {
            if !all.contains(now) {
                let wanted = even(count, now.len() as u32);
                let near = all.iter().min_by_key(|s| (s.len().abs_diff(wanted.len()), **s != wanted));
                *now = near.cloned().unwrap_or(wanted);
            }
        };
        fit(&mut shape.coeffs_to_slots, &stages.coeffs_to_slots);
        fit(&mut shape.slots_to_coeffs, &stages.slots_to_coeffs);
    }

    /// Whether numbers that follow from others (see [`Shape::settle`]) are requested ones, and keys
    /// do not contain all of CoeffsToSlots. Other coordinates are always allowed.
    fn allows(&self, shape: &Shape) -> bool {
        if shape.matrix_keys && shape.coeffs_to_slots.len() < 2 {
            return false;
        }
        let (room, bits) = (shape.get(Axis::LogRatio), shape.get(Axis::SlotsToCoeffsBits));
        if !shape.slots_to_coeffs_first && self.transform_bits.as_ref().is_some_and(|asked| !asked.contains(bits)) {
            return false;
        }
        shape.chooses_room() || self.room.as_ref().map_or(room >= 1.0, |asked| asked.contains(room))
    }

    /// The shapes that differ in one coordinate by one or two places, by one moved stage, or by one
    /// level.
    pub(super) fn neighbours(&self, shape: &Shape) -> Vec<Shape> {
        let mut all = vec![];
        for (i, values) in self.numbers.iter().enumerate() {
            let place = values.partition_point(|v| *v < shape.numbers[i]);
            for value in &values[place.saturating_sub(2)..values.len().min(place + 3)] {
                let mut other = shape.clone();
                other.numbers[i] = *value;
                self.restage(&mut other);
                all.push(other);
            }
        }
        if let Some(stages) = self.stages(shape.log_n()) {
            for split in stages.coeffs_to_slots.iter().filter(|s| is_near(&shape.coeffs_to_slots, s)) {
                all.push(Shape { coeffs_to_slots: split.clone(), ..shape.clone() });
            }
            for split in stages.slots_to_coeffs.iter().filter(|s| is_near(&shape.slots_to_coeffs, s)) {
                all.push(Shape { slots_to_coeffs: split.clone(), ..shape.clone() });
            }
        }
        all.extend(self.orders.iter().map(|&first| Shape { slots_to_coeffs_first: first, ..shape.clone() }));
        all.extend(BOTH.map(|matrix_keys| Shape { matrix_keys, ..shape.clone() }));
        all.extend(BOTH.map(|shared_primes| Shape { shared_primes, ..shape.clone() }));
        all.extend(self.rules.iter().map(|&rule| Shape { baby_steps: rule, ..shape.clone() }));
        all.iter_mut().for_each(Shape::settle);
        all.retain(|other| other != shape && self.allows(other));
        all
    }

    /// A shape at two or more steps from `shape`.
    pub(super) fn mutant(&self, shape: &Shape, random: &mut Random) -> Shape {
        let mut at = shape.clone();
        for _ in 0..2 + random.below(3) {
            let near = self.neighbours(&at);
            if !near.is_empty() {
                at = near[random.below(near.len())].clone();
            }
        }
        at
    }
}

/// The SplitMix64 generator: a seed always gives the same numbers. It is not used for secrets.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A random number below `n`; 0 if `n` is 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * n as u128) >> 64) as usize
    }
}
