//! [`Mirror`]: a device whose every launch is repeated on the emulator and compared.

use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zeroize::Zeroizing;

use crate::device::{Address, Device, DeviceError, Grid, forward};
use crate::emulator::Emulator;
use crate::launch::{ARGUMENTS, EMULATED_NAMES, Limbs, List};

/// The first words of a device that differ from the emulator's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Name of the kernel that left the words, with its arithmetic.
    pub kernel: &'static str,
    /// Shape of its launch.
    pub grid: Grid,
    /// The argument of the kernel through which it has the memory, counted from 0. `None` if it has
    /// the address from a table of constants.
    pub argument: Option<usize>,
    /// Index of the first wrong word of 8 bytes, from the address in the argument on; without an
    /// argument from the begin of the allocation on.
    pub index: usize,
    /// What the word is according to the emulator.
    pub expected: u64,
    /// What the device has.
    pub found: u64,
    /// How many words of the allocation are wrong.
    pub wrong: usize,
    /// How many words the allocation has.
    pub words: usize,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, grid, argument, index, expected, found, wrong, words } = self;
        write!(f, "{kernel}, {grid}: word {index} ")?;
        match argument {
            Some(argument) => write!(f, "of argument {argument}")?,
            None => write!(f, "of an allocation that a table names")?,
        }
        write!(f, " is {found:#x}, by the emulator {expected:#x}; {wrong} of {words} words of the allocation are wrong")
    }
}

/// A device that does all its work twice: on another device and on the emulator, which works on a copy
/// of the other device's memory at the same addresses. After each launch the allocations that the
/// kernel has used are compared. From the first difference on, every launch fails.
///
/// A word that a kernel writes to an allocation that it should not use is found when a later kernel
/// uses this allocation, which is blamed for it then.
#[derive(Debug)]
pub struct Mirror {
    device: Arc<dyn Device>,
    reference: Emulator,
    /// The first difference. Locked during every call, so that both do their work in one order.
    first: Mutex<Option<Difference>>,
}

impl Mirror {
    /// `device`, compared with the emulator.
    pub fn new(device: Arc<dyn Device>) -> Self {
        let reference = Emulator::new(usize::MAX).with_shared(device.shared_bytes()).without_fault();
        Self { device, reference, first: Mutex::default() }
    }

    /// The first difference, if there was one.
    pub fn difference(&self) -> Option<Difference> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Difference>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares the allocations that the last launch on this thread has used.
    fn compare(&self, kernel: usize, grid: Grid, held: &[(usize, u64)]) -> Result<Option<Difference>, DeviceError> {
        let (mut first, mut copied) = (None, Ok(()));
        self.reference.each_used(|at, expected| {
            if first.is_some() || copied.is_err() {
                return;
            }
            let mut found = Zeroizing::new(vec![0; expected.len()]); // may be secret
            copied = self.device.download(at, &mut found);
            let differs = |&i: &usize| found[i] != expected[i];
            if let (Ok(()), Some(index)) = (&copied, (0..found.len()).find(differs)) {
                // the argument whose address is the last one before the word
                let word = at.offset(index).0;
                let before = held.iter().filter(|&&(_, from)| (at.0..=word).contains(&from));
                let argument = before.max_by_key(|&&(argument, from)| (from, std::cmp::Reverse(argument)));
                first = Some(Difference {
                    kernel: EMULATED_NAMES[kernel],
                    grid,
                    argument: argument.map(|&(argument, _)| argument),
                    index: ((word - argument.map_or(at.0, |&(_, from)| from)) / 8) as usize,
                    expected: expected[index],
                    found: found[index],
                    wrong: (0..found.len()).filter(differs).count(),
                    words: found.len(),
                });
            }
        });
        copied.map(|()| first)
    }
}

impl Device for Mirror {
    forward!(renew sizes sync mark microseconds);

    fn alloc(&self, words: usize) -> Result<Address, DeviceError> {
        let _lock = self.lock();
        let at = self.device.alloc(words)?;
        let mut memory = vec![0; words.max(1)];
        if let Err(e) = self.device.download(at, &mut memory) {
            self.device.free(at, words);
            return Err(e);
        }
        self.reference.place(at, memory);
        Ok(at)
    }

    fn free(&self, at: Address, words: usize) {
        let _lock = self.lock();
        self.reference.free(at, words.max(1));
        self.device.free(at, words);
    }

    fn wipe(&self, at: Address, words: usize) -> Result<(), DeviceError> {
        let _lock = self.lock();
        self.device.wipe(at, words)?;
        self.reference.wipe(at, words)
    }

    fn upload(&self, to: Address, data: &[u64], secret: bool) -> Result<(), DeviceError> {
        let _lock = self.lock();
        self.device.upload(to, data, secret)?;
        self.reference.upload(to, data, secret)
    }

    fn download(&self, from: Address, out: &mut [u64]) -> Result<(), DeviceError> {
        let _lock = self.lock();
        self.device.download(from, out)
    }

    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError> {
        let mut first = self.lock();
        if first.is_none() {
            // SAFETY: the caller's guarantees are those that both devices ask for. The emulator has the
            // same allocations at the same addresses.
            let held = unsafe {
                self.device.launch(kernel, grid, arguments)?;
                self.reference.launch(kernel, grid, arguments)?;
                addresses(kernel, arguments)
            };
            *first = self.compare(kernel, grid, &held)?;
        }
        first.as_ref().map_or(Ok(()), |difference| Err(DeviceError::Failed(difference.to_string())))
    }
}

/// The addresses among the arguments of a launch, and all other words of lists, each with the number
/// of its argument.
///
/// # Safety
/// The arguments must be those of the kernel.
unsafe fn addresses(kernel: usize, arguments: &[*const c_void]) -> Vec<(usize, u64)> {
    let mut found = vec![];
    let letters = ARGUMENTS.get(kernel).copied().unwrap_or_default(); // kernels of tests have none
    for (i, (letter, &at)) in letters.chars().zip(arguments).enumerate() {
        // SAFETY: the letter states the type of the argument.
        unsafe {
            match letter {
                'L' => found.push((i, (*at.cast::<Limbs>()).words.0)),
                'l' => found.extend((*at.cast::<List>()).words().iter().map(|&word| (i, word))),
                'W' => found.push((i, (*at.cast::<Address>()).0)),
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::Arithmetic;
    use crate::device::Block;
    use crate::launch::{automorphism, copy};
    use ringjet_backend::Width;

    /// An emulator that changes a word after one of its launches.
    #[derive(Debug)]
    struct Wrong {
        device: Emulator,
        /// The number of the launch, counted down, and the word.
        change: Mutex<(usize, Address)>,
    }

    impl Device for Wrong {
        forward!(alloc free wipe copies sizes sync);

        unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError> {
            // SAFETY: the caller's guarantees are those that the emulator asks for.
            unsafe { self.device.launch(kernel, grid, arguments) }?;
            let mut change = self.change.lock().unwrap();
            change.0 -= 1;
            if change.0 == 0 { self.device.upload(change.1, &[0xbad], false) } else { Ok(()) }
        }
    }

    const GRID: Grid = Grid { blocks: [1, 2, 1], threads: [8, 1], shared: 0 };

    #[test]
    fn the_first_wrong_word_is_named() {
        let wrong = Arc::new(Wrong { device: Emulator::new(1 << 20), change: Mutex::new((3, Address(0))) });
        let mirror = Arc::new(Mirror::new(Arc::clone(&wrong) as _));
        let device: Arc<dyn Device> = Arc::clone(&mirror) as _;
        let src = Block::with(&device, &(1..=20).collect::<Vec<_>>()).unwrap();
        let dst = Block::new(&device, 20).unwrap();
        wrong.change.lock().unwrap().1 = dst.at().offset(13);
        let view = |block: &Block, first| Limbs {
            words: block.at().offset(first),
            chosen: Address(0),
            stride: 2,
            polys: 1,
            n: 8,
            unused: 0,
        };
        let run = || copy(&*device, Width::Eight, GRID, view(&dst, 4), view(&src, 1));
        run().unwrap();
        let mut words = vec![0; 16];
        device.download(dst.at().offset(4), &mut words).unwrap();
        assert_eq!(words, (2..18).collect::<Vec<_>>());
        run().unwrap();
        assert_eq!(mirror.difference(), None);
        let message = run().unwrap_err().to_string();
        let expected = Difference {
            kernel: "copy_8",
            grid: GRID,
            argument: Some(0),
            index: 9,
            expected: 11,
            found: 0xbad,
            wrong: 1,
            words: 20,
        };
        assert_eq!(mirror.difference(), Some(expected.clone()));
        assert_eq!(
            message,
            "copy_8, 1 x 2 x 1 blocks of 8 x 1 threads with 0 bytes: word 9 of argument 0 is 0xbad, by the emulator \
             0xb; 1 of 20 words of the allocation are wrong"
        );
        // nothing is computed after it
        let moduli = Block::with(&device, &[0; 64]).unwrap();
        let later = automorphism(&*device, Arithmetic::F64, GRID, view(&dst, 0), view(&src, 0), moduli.at(), 1, 0);
        assert_eq!(later.unwrap_err().to_string(), message);
        assert_eq!(mirror.difference(), Some(expected));
    }

    /// A word that is wrong before the view of the argument, or in memory that is only read.
    #[test]
    fn words_outside_the_result_are_compared() {
        for (target, index, argument) in [(false, 4, Some(1)), (true, 3, None)] {
            let wrong = Arc::new(Wrong { device: Emulator::new(1 << 20), change: Mutex::new((1, Address(0))) });
            let mirror = Arc::new(Mirror::new(Arc::clone(&wrong) as _));
            let device: Arc<dyn Device> = Arc::clone(&mirror) as _;
            let (src, dst) = (Block::with(&device, &[7; 20]).unwrap(), Block::with(&device, &[8; 20]).unwrap());
            let view = |block: &Block, first| Limbs {
                words: block.at().offset(first),
                chosen: Address(0),
                stride: 2,
                polys: 1,
                n: 8,
                unused: 0,
            };
            wrong.change.lock().unwrap().1 = if target { dst.at().offset(3) } else { src.at().offset(4) };
            copy(&*device, Width::Eight, GRID, view(&dst, 4), view(&src, 0)).unwrap_err();
            let found = mirror.difference().unwrap();
            assert_eq!((found.index, found.argument, found.found), (index, argument, 0xbad));
        }
    }
}
