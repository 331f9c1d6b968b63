//! What the module `ringjet.interchange` needs besides Python: the decompression of zstd frames.

use std::io::Read;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ruzstd::decoding::StreamingDecoder;

use crate::bytes::Input;

/// The content of the zstd frame `data`, at most `max_bytes` of it; `None` if `data` is no zstd frame or ends
/// early. A longer content is cut off after `max_bytes`.
#[pyfunction]
pub fn _decompress_zstd<'py>(py: Python<'py>, data: Input, max_bytes: u64) -> Option<Bound<'py, PyBytes>> {
    let content = py.detach(|| {
        let mut out = Vec::new();
        StreamingDecoder::new(&data[..]).ok()?.take(max_bytes).read_to_end(&mut out).ok()?;
        Some(out)
    });
    content.map(|content| PyBytes::new(py, &content))
}
