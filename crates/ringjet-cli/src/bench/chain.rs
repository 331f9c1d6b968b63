//! The parameter set a benchmark runs on.

use ringjet::params::ModulusSpec;
use ringjet::{ParamSpec, Parameters};

use crate::{Result, boot};

#[derive(clap::Args)]
pub struct ChainArgs {
    /// Binary logarithm of the ring degree
    #[arg(long, default_value_t = 16)]
    pub log_n: u32,
    /// Number of ciphertext primes
    #[arg(long, default_value_t = 25)]
    limbs: usize,
    /// Number of special primes [default: those of a digit: 7]
    #[arg(long)]
    special: Option<usize>,
    /// Number of digits in key switching [default: 4, or as --special requires]
    #[arg(long)]
    dnum: Option<usize>,
    /// Bits of each prime
    #[arg(long, default_value_t = 50)]
    prime_bits: u32,
    /// Binary logarithm of the scale, and bits of the primes of the levels [default: as --prime-bits]
    #[arg(long)]
    scale_bits: Option<u32>,
}

/// Shape of a modulus chain, with all defaults filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    pub log_n: u32,
    pub limbs: usize,
    pub special: usize,
    pub dnum: usize,
    pub prime_bits: u32,
    pub scale_bits: u32,
}

impl Chain {
    /// The shape from the command line. `--special` and `--dnum` determine each other where only
    /// one is given: P, the product of the special primes, must be as large as a digit of
    /// `ceil(limbs / dnum)` primes. Where digits of equal length (except the last) cannot give
    /// `--dnum`, there are fewer digits, and the label has their number.
    pub fn from_args(args: &ChainArgs) -> Result<Self> {
        let limbs = args.limbs;
        if limbs == 0 || args.special == Some(0) || args.dnum == Some(0) {
            return Err("--limbs, --special and --dnum must be at least 1".into());
        }
        if !(4..=17).contains(&args.log_n) {
            return Err(format!("--log-n {} is outside 4..=17", args.log_n).into());
        }
        let wanted = match (args.special, args.dnum) {
            (_, Some(d)) => d.min(limbs),
            (Some(k), None) => limbs.div_ceil(k),
            (None, None) => limbs.min(4),
        };
        let alpha = limbs.div_ceil(wanted);
        let (special, dnum) = (args.special.unwrap_or(alpha), limbs.div_ceil(alpha));
        let scale_bits = args.scale_bits.unwrap_or(args.prime_bits);
        Ok(Self { log_n: args.log_n, limbs, special, dnum, prime_bits: args.prime_bits, scale_bits })
    }

    pub fn alpha(&self) -> usize {
        self.limbs.div_ceil(self.dnum)
    }

    /// The parameters. `allow_insecure` is set only if the size needs it.
    pub fn parameters(&self) -> Result<Parameters> {
        let mut spec = ParamSpec::uniform(self.log_n, self.prime_bits, self.limbs - 1, self.scale_bits, self.special);
        spec.p = ModulusSpec::Bits(vec![self.prime_bits.max(self.scale_bits); self.special]);
        spec.alpha = Some(self.alpha());
        boot::parameters(spec)
    }

    /// The shape as one label, such as `n16 l25 k7 dnum4 p50`.
    pub fn label(&self) -> String {
        let Self { log_n, limbs, special, dnum, prime_bits, scale_bits } = self;
        let scale = if scale_bits == prime_bits { String::new() } else { format!(" s{scale_bits}") };
        format!("n{log_n} l{limbs} k{special} dnum{dnum} p{prime_bits}{scale}")
    }
}
