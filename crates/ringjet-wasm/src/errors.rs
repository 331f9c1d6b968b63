//! Errors of the library as errors of JavaScript.

use js_sys::{Array, BigInt, Object, Reflect};
use ringjet::{Error, Field, Number};
use wasm_bindgen::JsValue;

/// Integers up to this size are exact as numbers of JavaScript.
const SAFE: i128 = (1 << 53) - 1;

/// An error to throw: its `name` is the class that Python has for it, and `fields` its values.
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
        let thrown = js_sys::Error::new(&error.to_string());
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
