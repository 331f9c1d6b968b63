//! Parameter sets.

use ringjet::{Error, dynamic};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::errors::Thrown;

/// A checked, immutable parameter set.
#[wasm_bindgen]
pub struct Parameters(pub(crate) dynamic::Parameters);

/// Names of the presets.
#[wasm_bindgen(js_name = presetNames)]
pub fn preset_names() -> Vec<String> {
    dynamic::preset_names().into_iter().map(String::from).collect()
}

#[wasm_bindgen]
impl Parameters {
    /// The preset of this name.
    pub fn preset(name: &str) -> Thrown<Parameters> {
        Ok(dynamic::Parameters::preset(name).map(Self)?)
    }

    /// Reads and checks parameters in JSON, as services publish them. Those below their stated
    /// security are refused unless `allow_insecure` is set, whatever the JSON says.
    #[wasm_bindgen(js_name = fromJson)]
    pub fn from_json(text: &str, allow_insecure: bool) -> Thrown<Parameters> {
        Ok(dynamic::Parameters::from_json(text, allow_insecure).map(Self)?)
    }

    /// The parameters with this fingerprint in what a service publishes, as text: JavaScript rounds
    /// primes above 2^53.
    #[wasm_bindgen(js_name = fromConfig)]
    pub fn from_config(config: &str, fingerprint: &str, allow_insecure: bool) -> Thrown<Parameters> {
        let config: Value = serde_json::from_str(config).map_err(|e| Error::Parameters(e.to_string()))?;
        let sets = config["parameters"].as_array().map_or(&[][..], Vec::as_slice);
        let found = sets.iter().find(|set| set["fingerprint"] == fingerprint).map(|set| &set["parameters"]);
        let text = found.ok_or_else(|| Error::Parameters(format!("the service names {fingerprint}, and lacks it")))?;
        let params = dynamic::Parameters::from_json(&text.to_string(), allow_insecure)?;
        let (expected, found) = (fingerprint.into(), params.fingerprint_hex());
        if expected != found {
            return Err(Error::ParameterMismatch { what: "service", expected, found }.into());
        }
        Ok(Self(params))
    }

    /// The parameters in the file for clients of a compiled model, as text: JavaScript rounds primes
    /// above 2^53.
    #[wasm_bindgen(js_name = fromModel)]
    pub fn from_model(model: &str, allow_insecure: bool) -> Thrown<Parameters> {
        let model: Value = serde_json::from_str(model).map_err(|e| Error::Parameters(e.to_string()))?;
        Ok(dynamic::Parameters::from_json(&model["params"].to_string(), allow_insecure).map(Self)?)
    }

    /// The parameters as JSON.
    #[wasm_bindgen(js_name = toJson)]
    pub fn to_json(&self) -> Thrown<String> {
        Ok(self.0.to_json()?)
    }

    /// Sixteen bytes in hexadecimal that identify the parameters.
    #[wasm_bindgen(getter)]
    pub fn fingerprint(&self) -> String {
        self.0.fingerprint_hex()
    }

    /// The scheme: ckks, heaan, bgv or bfv.
    #[wasm_bindgen(getter)]
    pub fn scheme(&self) -> String {
        self.0.scheme().into()
    }

    /// Binary logarithm of the ring degree.
    #[wasm_bindgen(getter, js_name = logN)]
    pub fn log_n(&self) -> u32 {
        self.0.log_n()
    }

    /// Values in a ciphertext, if nothing else is asked for.
    #[wasm_bindgen(getter)]
    pub fn slots(&self) -> usize {
        self.0.slots()
    }

    /// Multiplications in a row on a fresh ciphertext; of parameters that bootstrap, between two
    /// bootstraps.
    #[wasm_bindgen(getter)]
    pub fn depth(&self) -> usize {
        self.0.depth()
    }

    /// Whether values are integers, which are computed exactly.
    #[wasm_bindgen(getter)]
    pub fn exact(&self) -> bool {
        self.0.is_exact()
    }
}
