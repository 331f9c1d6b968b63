//! Options that JavaScript gives as JSON.

use ringjet::{Error, Result, Stated};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// How values are encrypted. Schemes refuse options that they do not have.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Encrypt {
    /// Values in the ciphertext, a power of two, by default the parameters' number.
    pub slots: Option<usize>,
    /// How many multiplications in a row will be possible, by default as many as the parameters have.
    pub level: Option<usize>,
    /// HEAAN: bits of the modulus.
    pub log_q: Option<u32>,
    /// Bounds on the values.
    #[serde(default)]
    pub magnitude: Magnitude,
    /// Values are pairs of real and imaginary parts.
    #[serde(default)]
    pub complex: bool,
    /// A client encrypts with its public key, which doubles the size.
    #[serde(default)]
    pub public: bool,
}

/// Bounds on values: a number for real and imaginary parts, or a pair (low, high) for real values.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(untagged)]
pub enum Magnitude {
    Most(f64),
    Interval([f64; 2]),
}

impl Default for Magnitude {
    fn default() -> Self {
        Self::Most(1.0)
    }
}

impl From<Magnitude> for Stated {
    fn from(magnitude: Magnitude) -> Self {
        match magnitude {
            Magnitude::Most(most) => Self::Magnitude(most),
            Magnitude::Interval([low, high]) => Self::Interval(low, high),
        }
    }
}

/// How a ciphertext is decrypted.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Decrypt {
    /// Returns pairs of real and imaginary parts.
    #[serde(default)]
    pub complex: bool,
    /// Returns the values of all slots instead of those that the ciphertext holds.
    #[serde(default)]
    pub all_slots: bool,
    /// Refuses what cannot be an encryption under this key.
    #[serde(default = "yes")]
    pub check: bool,
    /// More bytes are refused.
    #[serde(default = "ciphertext_limit")]
    pub max_bytes: u64,
}

/// Reads options. A field that does not exist is refused.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|e| Error::Argument {
        name: "options",
        value: text.into(),
        expected: format!("other options ({e})"),
    })
}

fn yes() -> bool {
    true
}

/// Default limit for ciphertexts and public keys: twice the largest preset's.
pub fn ciphertext_limit() -> u64 {
    256 << 20
}

#[cfg(test)]
mod tests {
    use ringjet::dynamic::KeyRequest;

    use super::*;

    #[test]
    fn defaults_and_unknown_options() {
        let plain: Encrypt = read("{}").unwrap();
        assert_eq!(
            (plain.slots, plain.level, plain.magnitude, plain.public),
            (None, None, Magnitude::Most(1.0), false)
        );
        let stated: Encrypt = read(r#"{"magnitude": [0.2, 5]}"#).unwrap();
        assert_eq!(Stated::from(stated.magnitude), Stated::Interval(0.2, 5.0));
        let keys: KeyRequest = read(r#"{"rotations": [-1, 4], "relinearization": false}"#).unwrap();
        assert_eq!((keys.rotations, keys.relinearization), (vec![-1, 4], false));
        assert!(read::<Decrypt>("{}").unwrap().check);
        let refused = read::<Encrypt>(r#"{"levle": 1}"#).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("unknown field `levle`"), "{refused}");
    }
}
