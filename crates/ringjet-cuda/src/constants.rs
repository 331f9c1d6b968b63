//! Constants on the device: made at their first use, kept for the next.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringjet_backend::plan::PlanId;

use crate::arithmetic::Arithmetic;
use crate::device::{Address, Block, Device, DeviceError};

/// What a constant is of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// Moduli of a basis.
    Moduli(Arithmetic, Vec<u64>),
    /// Roots of unity of a prime, for a ring degree.
    Roots(Arithmetic, u32, u64),
    /// Where the roots of a basis are.
    Transforms(Arithmetic, u32, Vec<u64>),
    /// Indices of chosen limbs.
    Chosen(Vec<usize>),
    /// A plan's own.
    Plan(PlanId),
}

/// Words on the device, and what they point to.
#[derive(Debug)]
pub struct Constant {
    block: Block,
    #[expect(dead_code, reason = "held because `block` has their addresses")]
    needs: Vec<Arc<Constant>>,
}

impl Constant {
    /// Where it is, as long as this lives. Memory is freed in the order of the queue: a kernel that is queued while this lives
    /// still finds it.
    pub fn at(&self) -> Address {
        self.block.at()
    }

    /// Its length.
    pub fn words(&self) -> usize {
        self.block.words()
    }
}

/// The constants of one device.
#[derive(Debug)]
pub struct Constants {
    device: Arc<dyn Device>,
    known: Mutex<Known>,
    /// Words kept at most.
    most: usize,
}

#[derive(Debug, Default)]
struct Known {
    constants: HashMap<Key, Arc<Constant>>,
    words: usize,
}

impl Constants {
    /// None yet, and never more than `most` words.
    pub fn new(device: Arc<dyn Device>, most: usize) -> Self {
        Self { device, known: Mutex::default(), most }
    }

    /// The constant of `key`; `make` gives its words and the constants whose addresses they have.
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
            known.words -= other.block.words(); // of a thread that was as fast
        }
        Ok(constant)
    }

    /// Forgets all that is not in use. Returns whether there was any.
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
        of(3, 1); // the others go, but for what is in use
        assert_eq!(emulator.used(), 32 + 8);
        let missing = DeviceError::Failed("no".into());
        assert_eq!(constants.of(Key::Roots(Arithmetic::F64, 3, 17), || Err(missing.clone())).err(), Some(missing));
        assert!(constants.clear() && !constants.clear());
        drop(first);
        assert_eq!(emulator.used(), 0);
        // made by two at the same time: it counts once, and the second still has room
        let words = || Ok((vec![0; 5], vec![]));
        let key = || Key::Moduli(Arithmetic::F64, vec![4]);
        let kept = constants.of(key(), || constants.of(key(), words).and_then(|_| words())).unwrap();
        of(5, 5);
        assert_eq!((emulator.used(), Arc::strong_count(&kept)), (80, 2));
    }
}
