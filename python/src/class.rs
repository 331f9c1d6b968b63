//! Macros for Python classes.

/// Properties of a class: `name: Type = expression;` in terms of the object `$this` and of `$py`,
/// the interpreter.
macro_rules! properties {
    ($Class:ident, $this:ident, $py:ident: $($(#[$doc:meta])* $name:ident: $T:ty = $value:expr;)*) => {
        #[pymethods]
        impl $Class { $(
            $(#[$doc])*
            #[getter]
            pub fn $name(&self, $py: Python<'_>) -> PyResult<$T> {
                let ($this, _) = (self, $py);
                Ok($value)
            }
        )* }
    };
}

/// An immutable class. Copies are the object itself. Pickling stores the result of the method
/// `$bytes`, and `ringjet._restore.$restore` makes an object from it.
macro_rules! value_class {
    ($Class:ident: $bytes:ident, $restore:ident) => {
        #[pymethods]
        impl $Class {
            fn __copy__(slf: Py<Self>) -> Py<Self> {
                slf
            }

            fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
                slf
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
                let restore = slf.py().import("ringjet._restore")?.getattr(stringify!($restore))?;
                Ok((restore, (slf.call_method0(stringify!($bytes))?,)))
            }
        }
    };
}
