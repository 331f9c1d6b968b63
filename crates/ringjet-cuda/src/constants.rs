//! Constants on the device. They are made at their first use and kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringjet_backend::plan::PlanId;

use crate::arithmetic::Arithmetic;
use crate::device::{Address, Block, Device, DeviceError};

/// What identifies a constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// The moduli of a basis.
    Moduli(Arithmetic, Vec<u64>),
    /// The roots of unity of a prime: arithmetic, log2 of the ring degree, prime.
    Roots(Arithmetic, u32, u64),
    /// The addresses of the roots of all primes of a basis: arithmetic, log2 of the ring degree,
    /// primes.
    Transforms(Arithmetic, u32, Vec<u64>),
    /// The indices of chosen limbs.
    Chosen(Vec<usize>),
    /// The constants of the integers and residues of a plan.
    Plan(PlanId, Arithmetic),
    /// The constants of a plan's conversions, and into how many parts their outputs are split.
    Conversions(PlanId, Arithmetic, u32),
    /// The constants of the last step of a division.
    Division(PlanId, Arithmetic),
    /// How residues are cut for sums of products: primes, products in a sum.
    Cuts(Vec<u64>, Vec<usize>),
    /// The constants that make residues of digits: primes, bits of the highest digit.
    Split(Arithmetic, Vec<u64>, u64),
    /// The constants that make integers of residues: log2 of the ring degree, primes, the first weight
    /// and the one after the last.
    Join(Arithmetic, u32, Vec<u64>, u32, u32),
    /// Pairs of factors of sums of products.
    Sums(Vec<u64>),
    /// The constants of a product with a switching key: the primes of its limbs; the plan whose
    /// digits are without their own limbs; the plan whose factors multiply addends.
    SwitchingProduct(Arithmetic, Vec<u64>, Option<PlanId>, Option<PlanId>),
}

/// A constant: words on the device, and the constants whose addresses they contain.
#[derive(Debug)]
pub struct Constant {
    block: Block,
    #[expect(dead_code, reason = "held because `block` has their addresses")]
    needs: Vec<Arc<Constant>>,
}

impl Constant {
    /// Address of the words, valid while this object lives. The device frees memory in queue order,
    /// so a kernel that is queued while this object lives still finds the words.
    pub fn at(&self) -> Address {
        self.block.at()
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.block.words()
    }
}

/// The constants of one device.
#[derive(Debug)]
pub struct Constants {
    device: Arc<dyn Device>,
    known: Mutex<Known>,
    /// Most words to keep.
    most: usize,
}

#[derive(Debug, Default)]
struct Known {
    constants: HashMap<Key, Arc<Constant>>,
    words: usize,
}

impl Constants {
    /// An empty set of constants, which keeps at most `most` words.
    pub fn new(device: Arc<dyn Device>, most: usize) -> Self {
        Self { device, known: Mutex::default(), most }
    }

    /// The constant of `key`. If it is not there yet, `make` gives its words and the constants
    /// whose addresses they contain.
    pub fn of(
        &self,
        key: Key,
        make: impl FnOnce() -> Result<(Vec<u64>, Vec<Arc<Constant>>), DeviceError>,
    ) -> Result<Arc<Constant>, DeviceError> {
        if let Some(known) = self.known().constants.get(&key) {
            return Ok(Arc::clone(known));
        }
        let (words, needs) = make()?;
        let constant = Arc::new(Constant { block: Block::with(&self.device, &words)?, needs });
        let mut known = self.known();
        if known.words + words.len() > self.most {
            *known = Known::default();
        }
        known.words += words.len();
        if let Some(other) = known.constants.insert(key, Arc::clone(&constant)) {
            known.words -= other.block.words(); // another thread made the same constant meanwhile
        }
        Ok(constant)
    }

    /// Frees all constants that are not in use. Returns whether there were any.
    pub fn clear(&self) -> bool {
        std::mem::take(&mut *self.known()).words > 0
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::Emulator;

    #[test]
    fn constants_are_made_once_and_bounded() {
        let emulator = Arc::new(Emulator::new(1 << 20));
        let constants = Constants::new(Arc::clone(&emulator) as _, 10);
        let of = |limb: usize, words: usize| {
            constants.of(Key::Chosen(vec![limb]), || Ok((vec![limb as u64; words], vec![]))).unwrap()
        };
        let first = of(1, 4);
        assert_eq!(of(1, 99).at(), first.at());
        of(2, 6);
        assert_eq!(emulator.used(), 80);
        of(3, 1); // frees the constants that are not in use
        assert_eq!(emulator.used(), 32 + 8);
        let missing = DeviceError::Failed("no".into());
        assert_eq!(constants.of(Key::Roots(Arithmetic::F64, 3, 17), || Err(missing.clone())).err(), Some(missing));
        assert!(constants.clear() && !constants.clear());
        drop(first);
        assert_eq!(emulator.used(), 0);
        // Two threads make one constant at the same time: it counts once, and the second thread
        // still has room.
        let words = || Ok((vec![0; 5], vec![]));
        let key = || Key::Moduli(Arithmetic::F64, vec![4]);
        let kept = constants.of(key(), || constants.of(key(), words).and_then(|_| words())).unwrap();
        of(5, 5);
        assert_eq!((emulator.used(), Arc::strong_count(&kept)), (80, 2));
    }
}
