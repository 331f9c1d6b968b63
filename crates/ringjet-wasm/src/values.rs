//! Values in the clear, between arrays of JavaScript and the library.

use js_sys::{BigInt64Array, Float64Array};
use ringjet::dynamic::Values;
use ringjet::{Error, Result};
use ringjet_math::fft::Complex64;
use wasm_bindgen::JsValue;
use zeroize::{Zeroize, Zeroizing};

/// The numbers of an array. `complex`: the array holds pairs of real and imaginary parts.
pub fn numbers(given: &[f64], complex: bool) -> Result<Vec<Complex64>> {
    if !complex {
        return Ok(given.iter().map(|&x| x.into()).collect());
    }
    let (pairs, rest) = given.as_chunks::<2>();
    if !rest.is_empty() {
        let value = format!("{} numbers", given.len());
        return Err(Error::Argument { name: "values", value, expected: "pairs of real and imaginary parts".into() });
    }
    Ok(pairs.iter().map(|&[re, im]| Complex64 { re, im }).collect())
}

/// The array of decrypted values. The library's copy is wiped.
pub fn array(mut values: Values, complex: bool) -> JsValue {
    let made = match &values {
        Values::Integers(all) => BigInt64Array::from(&all[..]).into(),
        Values::Numbers(all) => {
            // with room for all, so that no part stays behind where the vector was before it grew
            let mut parts = Zeroizing::new(Vec::with_capacity(2 * all.len()));
            parts.extend(all.iter().flat_map(|z| [Some(z.re), complex.then_some(z.im)]).flatten());
            Float64Array::from(&parts[..]).into()
        }
    };
    values.zeroize();
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_complex_numbers() {
        assert_eq!(numbers(&[1.0, 2.0], false).unwrap(), [1.0.into(), 2.0.into()]);
        assert_eq!(numbers(&[1.0, 2.0], true).unwrap(), [Complex64 { re: 1.0, im: 2.0 }]);
        assert!(matches!(numbers(&[1.0], true), Err(Error::Argument { name: "values", .. })));
    }
}
