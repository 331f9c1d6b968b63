//! Answers of CKKS: decryptions to some bits after the point, and refreshes that keep the error.

use ringjet_backend::Buf;
use ringjet_math::Basis;
use ringjet_math::crt::CrtDecoder;
use ringjet_math::memory::zeros;
use zeroize::Zeroizing;

use super::{Masks, Shared, expect_planned};
use crate::ckks::ciphertext::Position;
use crate::ckks::{self, Ciphertext, Context, Plaintext};
use crate::dynamic::{self, Values};
use crate::noise::ErrorTerm;
use crate::rlwe::{Sharing, WIDEST, possible_bits};
use crate::rng::flooding::{GAUSSIAN_BITS, MAX_WIDE_BITS};
use crate::rng::gaussian::SIGMA;
use crate::rng::wide::Wide;
use crate::rng::{Seed, wide_gaussian};
use crate::{Error, Parameters, Result, Scale};

/// Scales of levels differ by at most so many bits.
const MAX_RATIO: u32 = 4;

/// log2 of how much wider than the values wide masks may be: with more, the proof for their low bits does not hold.
const MAX_FACTOR: f64 = 60.0;

/// Bits after the point of the quotient of two scales.
const QUOTIENT_BITS: u32 = 56;

impl Shared for Parameters {
    fn wrapped(public: ckks::PublicKey, keys: ckks::EvaluationKeys) -> (dynamic::PublicKey, dynamic::EvaluationKeys) {
        (public.into(), keys.into())
    }

    fn of_scheme(ct: &dynamic::Ciphertext) -> Option<&Ciphertext> {
        if let dynamic::Ciphertext::Ckks(own) = ct { Some(own) } else { None }
    }

    fn into_dynamic(ct: Ciphertext) -> dynamic::Ciphertext {
        ct.into()
    }

    fn decryption_width(ct: &Ciphertext, plan: &Ciphertext, sharing: &Sharing, shares: u32, bits: u32) -> Result<u32> {
        expect_planned(ct, plan)?;
        let (params, at) = (plan.params(), plan.position());
        let modulus = params.level(at.level).basis.log2();
        sharing.flood(plan.noise(), at.scale.log2(), modulus, plan.log_slots(), (bits, shares))
    }

    /// A mask hides the whole message.
    fn refresh_width(ct: &Ciphertext, plan: &Ciphertext, sharing: &Sharing, shares: u32) -> Result<u32> {
        expect_planned(ct, plan)?;
        let (params, size) = (plan.params(), plan.noise().size_log2());
        let refuse = |reason: String| Err(Error::NotSharable { reason });
        if !plan.noise().bound().is_finite() || !size.is_finite() {
            return refuse("no bound of its size is proved: refresh it earlier".into());
        }
        let ratio = (params.scale(params.top_level()) / plan.scale()).log2();
        if ratio.abs() > f64::from(MAX_RATIO) {
            return refuse(format!(
                "its scale is 2^{ratio:.0} times smaller than that of the top level: rescale it first"
            ));
        }
        // a little more than the bound: the low bits of a wide mask are uniform
        let width = sharing.log_sigma((size + 1e-6).exp2())?;
        if width > GAUSSIAN_BITS && f64::from(width) - size > MAX_FACTOR {
            return refuse(format!(
                "masks of 2^{width} for values of 2^{size:.1}: fewer bits of security, or fewer answers, are possible here"
            ));
        }
        let (needed, modulus) = (masked_log2(width, shares) + 1.0, params.level(plan.level()).basis.log2());
        if needed >= modulus || width > MAX_WIDE_BITS {
            return refuse(format!(
                "values of 2^{size:.1} at the scale of level {} take masks of 2^{width}, and with them a modulus of {needed:.1} bits; \
                 it has {modulus:.1}: refresh it at a higher level, or state smaller bounds on the values",
                plan.level()
            ));
        }
        Ok(width)
    }

    fn values(
        ctx: &Context,
        ct: &Ciphertext,
        phases: Buf,
        (width, shares): (u32, u32),
        bits: Option<u32>,
    ) -> Result<Values> {
        let Position { scale, .. } = ct.position();
        let bits = bits
            .ok_or_else(|| Error::argument("bits", "nothing", "the number of bits after the point that are shared"))?;
        let possible = possible_bits(scale.log2(), width, ct.log_slots(), shares);
        if f64::from(bits) > possible {
            let left = possible.floor().max(0.0);
            return Err(Error::NotSharable {
                reason: format!(
                    "the noise of 2^{width} in each of {shares} shares leaves {left} bits after the point of {bits}: ask for fewer"
                ),
            });
        }
        let size = (ct.noise().size_log2().exp2() + masked_log2(width, shares).exp2()).log2();
        let plain = Plaintext::new(ctx, phases, ct.position(), ct.log_slots(), ct.noise().range());
        let values = plain.with_held(ct.held()).decode_checked(ctx, Some(size))?;
        Ok(values.rounded(bits).into())
    }

    fn masks(ctx: &Context, ct: &Ciphertext, width: u32, seed: &Seed) -> Result<Masks> {
        let params = ctx.params();
        let mut masks = Zeroizing::new(vec![Wide::default(); params.n()]);
        wide_gaussian(seed, width, &mut masks)?;
        let low = wide_poly(ctx, &masks, ct.basis())?;
        let factor = quotient(params, ct.position());
        masks.iter_mut().for_each(|x| *x = x.scaled(factor, QUOTIENT_BITS));
        let top = wide_poly(ctx, &masks, &params.level(params.top_level()).basis)?;
        Ok(Masks { low, top })
    }

    /// The coefficients, which all may see now, are scaled as the masks were.
    fn unmasked(ctx: &Context, ct: &Ciphertext, phases: Buf, (width, shares): (u32, u32)) -> Result<Buf> {
        let (params, basis, n) = (ctx.params(), ct.basis(), ctx.params().n());
        let mut coefficients = ctx.alloc(basis.len())?;
        ctx.backend().copy(coefficients.view_mut(1), phases.view(1))?;
        ctx.backend().intt(coefficients.view_mut(1), basis)?;
        let mut words = zeros::<u64>(n * basis.len())?;
        ctx.backend().download(&coefficients, 0, &mut words)?;
        let residues: Vec<&[u64]> = words.chunks_exact(n).collect();
        let (factor, mut most) = (quotient(params, ct.position()), 0f64);
        let limit_log2 = masked_log2(width, shares);
        let one = |x: num_bigint::BigInt| {
            most = most.max(num_traits::ToPrimitive::to_f64(&x).unwrap_or(f64::INFINITY).abs());
            Some(Wide::of(&x)?.scaled(factor, QUOTIENT_BITS))
        };
        let scaled: Option<Vec<Wide>> = CrtDecoder::new(basis).decode_exact(&residues).into_iter().map(one).collect();
        match scaled.filter(|_| most.log2() <= limit_log2) {
            Some(scaled) => wide_poly(ctx, &scaled, &params.level(params.top_level()).basis),
            None => Err(Error::Garbage { found_log2: most.log2(), limit_log2 }),
        }
    }

    fn refreshed(ctx: &Context, ct: &Ciphertext, buf: Buf, shares: u32) -> Result<Ciphertext> {
        let params = ctx.params();
        let (level, n, shares) = (params.top_level(), params.n() as f64, f64::from(shares));
        let scale = params.scale(level);
        let ratio = quotient(params, ct.position()) as f64 * (-f64::from(QUOTIENT_BITS)).exp2();
        // the error of an encryption in each share, and the rounding of each mask and of what they leave
        let fresh = ErrorTerm::random(shares * n * SIGMA * SIGMA, 1);
        let rounding = ErrorTerm::new((shares + 1.0) * n / 12.0, (shares + 1.0) * n / 2.0);
        // the quotient of the scales is rounded
        let size = ct.noise().magnitude() * scale.value();
        let stretched = ErrorTerm::fixed(size * (-f64::from(QUOTIENT_BITS - 4)).exp2());
        let noise = ct.noise().scaled(ratio, 1.0, scale).plus(fresh + rounding).plus_fixed(stretched);
        let made = Ciphertext::new(params, buf, 2, Position { level, scale }, ct.log_slots(), noise);
        Ok(made.with_held(ct.held()))
    }
}

/// log2 of the most that a message and the masks of all shares reach.
fn masked_log2(width: u32, shares: u32) -> f64 {
    f64::from(width) + (f64::from(shares) * WIDEST + 1.0).log2()
}

/// The scale of the top level over that of a ciphertext at `at`, times `2^QUOTIENT_BITS`. They differ by at most
/// `MAX_RATIO` bits.
fn quotient(params: &Parameters, at: Position) -> u64 {
    let ratio: Scale = params.scale(params.top_level()) / at.scale;
    (ratio.value() * f64::from(QUOTIENT_BITS).exp2()).round() as u64
}

/// A polynomial with wide coefficients, in the evaluation domain over `basis`.
fn wide_poly(ctx: &Context, coefficients: &[Wide], basis: &Basis) -> Result<Buf> {
    let mut buf = ctx.alloc(basis.len())?.into_secret();
    let fill = |_: usize, i: usize, limb: &mut [u64]| {
        limb.iter_mut().zip(coefficients).for_each(|(out, x)| *out = x.residue(basis.modulus(i)));
    };
    ctx.upload_each(&mut buf, 0, basis.len(), fill)?;
    ctx.backend().ntt(buf.view_mut(1), basis)?;
    Ok(buf)
}
