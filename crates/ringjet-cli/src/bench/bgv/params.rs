//! The parameters of the exact schemes' benches.

use ringjet::Error;
use ringjet::bgv::{self, ParamSpec, Parameters, Product};

use crate::Result;

/// The preset where neither a preset nor primes are given.
const DEFAULT: &str = "bgv-n13";
/// The plaintext modulus of the presets.
const T: u64 = 65537;

#[derive(Clone, Default, clap::Args)]
pub struct BgvArgs {
    /// `bgv_*`, `bfv_*`: the primes of the plaintext modulus [default: 65537]
    #[arg(long, value_delimiter = ',', value_name = "PRIMES")]
    t: Vec<u64>,
    /// `bgv_*`, `bfv_*`: bits of the plaintext modulus, instead of --t
    #[arg(long, value_name = "BITS", conflicts_with = "t")]
    t_bits: Option<u32>,
    /// `bgv_*`, `bfv_*`: bits of the ciphertext primes, the lowest level first, such as 30,29,29, in
    /// a ring of --log-n, instead of a preset
    #[arg(long, value_delimiter = ',', value_name = "BITS", requires = "p_bits")]
    q_bits: Vec<u32>,
    /// `bgv_*`, `bfv_*`: bits of the special primes
    #[arg(long, value_delimiter = ',', value_name = "BITS", requires = "q_bits")]
    p_bits: Vec<u32>,
    /// `bgv_*`, `bfv_*`: primes in each digit of key switching [default: number of special primes]
    #[arg(long, requires = "q_bits")]
    alpha: Option<usize>,
    /// `bgv_*`: levels as sets of primes, as JSON, the lowest first: [[0],[1,2],[0,1,2]]
    #[arg(long, value_name = "SETS", requires = "q_bits")]
    levels: Option<String>,
    /// `bgv_*`: the ciphertexts' level [default: the highest]
    #[arg(long)]
    level: Option<usize>,
}

impl BgvArgs {
    /// The parameters that the options describe, without a kind of product.
    pub fn spec(&self, preset: Option<&str>, log_n: u32) -> Result<ParamSpec> {
        if self.q_bits.is_empty() {
            return self.with_modulus(bgv::preset(preset.unwrap_or(DEFAULT))?.spec().clone());
        }
        if preset.is_some() {
            return Err("either --preset or --q-bits".into());
        }
        let levels = self.levels.as_deref().map(serde_json::from_str).transpose();
        let levels = levels.map_err(|e| format!("--levels: {e}"))?;
        let spec = ParamSpec::uniform(log_n, T, &self.q_bits, &self.p_bits);
        self.with_modulus(ParamSpec { alpha: self.alpha, levels, ..spec })
    }

    /// The spec with the plaintext modulus of the options, if they name one.
    fn with_modulus(&self, spec: ParamSpec) -> Result<ParamSpec> {
        if let Some(bits) = self.t_bits {
            return Ok(spec.t_bits(bits)?);
        }
        Ok(if self.t.is_empty() { spec } else { ParamSpec { t: self.t.clone(), ..spec } })
    }

    /// The parameters of [`PAPER`](super::PAPER): N = 4096, two ciphertext primes of 36 bits, and a
    /// special prime of 37. The paper does not say which t it has.
    pub fn paper(&self, preset: Option<&str>) -> Result<ParamSpec> {
        if preset.is_some() || !self.q_bits.is_empty() || self.level.is_some() {
            return Err("the parameters of bgv_paper are fixed, but for --t and --t-bits".into());
        }
        self.with_modulus(ParamSpec::uniform(12, T, &[36, 36], &[37]))
    }

    /// The level of the ciphertexts. BFV has one level.
    pub fn level_of(&self, params: &Parameters) -> Result<usize> {
        let top = params.top_level();
        match self.level {
            Some(level) if level > top || params.product() == Product::Bfv => {
                Err(format!("--level {level}: {:?} has levels up to {top} here", params.product()).into())
            }
            level => Ok(level.unwrap_or(top)),
        }
    }
}

/// Parameters with this kind of product. `allow_insecure` is set only if the size needs it.
pub fn parameters(spec: &ParamSpec, product: Product) -> Result<Parameters> {
    // BFV has one level of all primes
    let levels = spec.levels.clone().filter(|_| product == Product::Bgv);
    let spec = ParamSpec { product, levels, ..spec.clone() };
    match Parameters::new(&spec) {
        Err(Error::Insecure { .. }) => {
            let params = Parameters::new(&spec.allow_insecure())?;
            eprintln!("note: insecure parameters, for timing only: {}", params.security());
            Ok(params)
        }
        made => Ok(made?),
    }
}

/// The shape as one label, such as `n13 l6 k1 dnum6 logQP209 t65537 depth5 level5`: `l` is the
/// number of primes at the level.
pub fn label(params: &Parameters, level: usize) -> String {
    let (limbs, special, bits) = (params.limbs(level), params.p().len(), params.log_qp());
    let (log_n, dnum, t, depth) = (params.log_n(), params.digits(level), params.t(), params.depth());
    format!("n{log_n} l{limbs} k{special} dnum{dnum} logQP{bits:.0} t{t} depth{depth} level{level}")
}
