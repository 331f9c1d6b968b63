//! Where the seeds of a client come from.

use std::sync::atomic::{AtomicU64, Ordering};

use super::seed::{RngError, Seed};

/// The seeds of a client's keys and encryptions, one after the other. No two are equal.
#[derive(Debug)]
pub enum Seeds {
    /// From the operating system.
    System,
    /// Derived from one seed: the same calls give the same bytes.
    Fixed {
        /// The seed. Whoever knows it can decrypt everything.
        root: Seed,
        /// How many seeds were derived.
        counter: AtomicU64,
    },
}

impl Seeds {
    /// The seeds that `root` determines.
    pub fn fixed(root: Seed) -> Self {
        Self::Fixed { root, counter: AtomicU64::new(0) }
    }

    /// A seed that was not used before.
    pub fn next(&self) -> Result<Seed, RngError> {
        match self {
            Self::System => Seed::from_os(),
            Self::Fixed { root, counter } => {
                Ok(root.derive(b"ringjet python client", counter.fetch_add(1, Ordering::Relaxed)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_seeds_repeat_and_system_seeds_do_not() {
        let seeds = |seeds: Seeds| [(); 3].map(|()| *seeds.next().unwrap().expose());
        // rustc 1.95 would build two equal constant arguments once, and call the second time with what
        // the first call has dropped (rust-lang/rust issue 155241): so this is no constant
        let fixed = || seeds(Seeds::fixed(Seed::from_bytes(std::hint::black_box([7; 32]))));
        let [first, second, third] = fixed();
        assert!(first != second && second != third && first != third);
        assert_eq!(fixed(), [first, second, third]);
        assert_ne!(seeds(Seeds::fixed(Seed::from_bytes([8; 32])))[0], first);
        assert_ne!(seeds(Seeds::System)[0], seeds(Seeds::System)[0]);
    }
}
