//! Errors of the library as errors of JavaScript.

use js_sys::{Array, BigInt, Object, Reflect};
use ringjet::{Error, Field, Number};
use wasm_bindgen::JsValue;

/// Integers up to this size are exact as numbers of JavaScript.
const SAFE: i128 = (1 << 53) - 1;

/// An error to throw: its `name` is the class that Python has for it, and `fields` its values. The
/// message ends with [`way_out`].
pub struct Exception(Error);

/// What a function of JavaScript returns.
pub type Thrown<T> = std::result::Result<T, Exception>;

impl From<Error> for Exception {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<Exception> for JsValue {
    fn from(Exception(error): Exception) -> Self {
        let thrown = js_sys::Error::new(&match way_out(&error) {
            Some(text) => format!("{error} ({text})"),
            None => error.to_string(),
        });
        let described = error.describe();
        thrown.set_name(described.class);
        let fields = Object::new();
        for (name, field) in described.fields {
            set(&fields, name, &value(field));
        }
        set(&thrown, "fields", &fields);
        thrown.into()
    }
}

/// What the reader of a refusal can do, in options of JavaScript.
fn way_out(error: &Error) -> Option<&'static str> {
    Some(match error {
        Error::Unsupported { op: "level", .. } => "logQ states the bits of the modulus",
        Error::Unsupported { op: "log_q", .. } => "level states how many multiplications are possible",
        Error::Unsupported { op: "exact integers", .. } => "give a Float64Array",
        Error::Unsupported { op: "real or complex numbers", .. } => "give whole numbers, such as a BigInt64Array",
        Error::Magnitude { .. } | Error::OutsideStated { .. } => "magnitude",
        Error::Garbage { .. } => "check: false gives them without this check",
        Error::TooManyBytes { .. } => "maxBytes",
        Error::Insecure { .. } | Error::SparseSecret { .. } | Error::EphemeralSecret { .. } => "allowInsecure",
        _ => return None,
    })
}

/// Sets a property of a plain object, which cannot fail.
fn set(object: &JsValue, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}

fn value(field: Field) -> JsValue {
    match field {
        Field::None => JsValue::NULL,
        Field::Text(text) => text.into(),
        Field::Number(Number::Real(x)) => x.into(),
        Field::Number(Number::Integer(x)) if x.abs() <= SAFE => (x as f64).into(),
        Field::Number(Number::Integer(x)) => BigInt::from(x).into(),
        Field::Texts(all) => all.into_iter().map(JsValue::from).collect::<Array>().into(),
        Field::Integers(all) => all.into_iter().map(|x| JsValue::from(x as f64)).collect::<Array>().into(),
    }
}
