//! [`Ntt`]: the constants for the transforms of one prime and one ring degree.

use ringjet_math::Modulus;
use ringjet_math::ntt::NttTable;

use super::lanes::{ByRate, Lanes};
use super::tables::{Inverse4, Tables, forward_node, inverse_node, triple};
use crate::kernels::ifma::arith::{Constant, Reducer};
use crate::system::processor::Processor;

/// Smallest supported log2 of the ring degree.
pub const MIN_LOG_N: u32 = 10;

/// Transforms of one prime below 2^50 and one ring degree of at least 2^10.
#[derive(Debug)]
pub struct Ntt {
    pub(super) log_n: u32,
    pub(super) reducer: Reducer,
    pub(super) one: Constant,
    pub(super) forward: Tables<5>,
    pub(super) inverse: Tables<8>,
    /// Inverse twiddle factors of the root and its children. Multiplied by a scale they are the
    /// constants of the last levels.
    pub(super) root: [u64; 3],
    /// Number of stages that combine parts: those from the root down to parts.
    pub(super) above: usize,
    /// Whether the processor issues half as many IFMA multiply-adds as additions, see [`Lanes`].
    pub(super) half_rate: bool,
    /// Whether tiles run as [`super::scheduled`] assembly. This requires `half_rate`, and that no
    /// lines are prefetched meanwhile.
    pub(super) scheduled: bool,
}

/// Largest number of words of a part, in rings with several parts: some dozens of parts fit the
/// second-level cache.
const PART: usize = 1 << 12;

/// The constants of the last two levels of an inverse transform whose result is multiplied by a
/// constant.
#[derive(Debug)]
pub struct Root(pub(super) Inverse4);

impl Ntt {
    /// The constants from the textbook tables. The prime must be below 2^50 and `log_n` at least
    /// [`MIN_LOG_N`].
    pub fn new(table: &NttTable) -> Self {
        let (log_n, m) = (table.log_n(), table.modulus());
        assert!(log_n >= MIN_LOG_N);
        let reducer = Reducer::new(m);
        let constant = |w| reducer.constant(m, w);
        let inverse_root = |i: usize| table.inverse_roots()[i].0;
        let forward = Tables::new(table, &constant, &|i| table.roots()[i].0, &|t| forward_node(m, &constant, t), 1);
        let mut part = 1 << log_n;
        let above = forward.stages.iter().position(|stage| {
            part /= stage.radix();
            part <= PART
        });
        Self {
            log_n,
            half_rate: Processor::this().half_rate_ifma,
            scheduled: Processor::this().zen_5,
            one: constant(1),
            above: above.map_or(0, |last| last + 1),
            forward,
            inverse: Tables::new(
                table,
                &constant,
                &inverse_root,
                &|t| inverse_node(m, &constant, t, 1),
                table.n_inverse(),
            ),
            root: triple(&inverse_root, 1),
            reducer,
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn lanes(&self) -> ByRate {
        let q = self.reducer.q();
        if self.half_rate { ByRate::Half(Lanes::new(q, self.one)) } else { ByRate::Full(Lanes::new(q, self.one)) }
    }

    /// Prepares the constant `c < q` for the last stages of an inverse transform.
    pub fn root(&self, c: u64, m: &Modulus) -> Root {
        Root(inverse_node(m, &|w| self.reducer.constant(m, w), self.root, c))
    }

    /// Number of parts. The first stages combine words with the same position in all parts, the
    /// other stages combine words of one part.
    pub fn parts(&self) -> usize {
        self.forward.stages[..self.above].iter().map(|stage| stage.radix()).product()
    }
}
