//! What the module `ringjet.interchange` needs besides Python: the decompression of zstd frames.

use std::io::Read;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ruzstd::decoding::StreamingDecoder;

use crate::bytes::Input;

/// The content of the zstd frame `data`, at most `max_bytes` of it. A longer content is cut off after `max_bytes`.
/// `None` if `data` is no zstd frame, ends early, or has more bytes after the frame.
#[pyfunction]
pub fn _decompress_zstd<'py>(py: Python<'py>, data: Input, max_bytes: u64) -> Option<Bound<'py, PyBytes>> {
    let content = py.detach(|| {
        let (mut source, mut out) = (&data[..], Vec::new());
        StreamingDecoder::new(&mut source).ok()?.take(max_bytes).read_to_end(&mut out).ok()?;
        (source.is_empty() || out.len() as u64 == max_bytes).then_some(out)
    });
    content.map(|content| PyBytes::new(py, &content))
}
