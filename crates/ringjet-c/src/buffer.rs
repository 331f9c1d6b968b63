//! Bytes that the library gives away.

use std::ptr;

use ringjet_backend::host;

use crate::border::{Out, Result};

/// Bytes that the library made; rj_bytes_free frees them. A zero byte follows after them, so that JSON is also a
/// text of C.
#[repr(C)]
pub struct rj_bytes {
    /// The bytes; null where there are none.
    pub data: *mut u8,
    /// Their number, without the zero byte.
    pub len: usize,
}

impl rj_bytes {
    const NONE: Self = Self { data: ptr::null_mut(), len: 0 };
}

impl Out<rj_bytes> {
    /// Where bytes are written. There are none until then.
    ///
    /// # Safety
    /// As for [`Out::new`].
    pub(crate) unsafe fn of_bytes(pointer: *mut rj_bytes, name: &'static str) -> Result<Self> {
        // SAFETY: by the caller's promise
        let out = unsafe { Self::new(pointer, name) }?;
        out.set(rj_bytes::NONE);
        Ok(out)
    }

    /// Gives bytes away.
    pub(crate) fn give(&self, bytes: &[u8]) -> Result<()> {
        let mut all = room(bytes.len())?;
        all.extend_from_slice(bytes);
        self.give_all(all);
        Ok(())
    }

    /// Gives the bytes of a vector of [`room`] away.
    pub(crate) fn give_all(&self, mut bytes: Vec<u8>) {
        let len = bytes.len();
        bytes.push(0);
        let data = Box::into_raw(bytes.into_boxed_slice()).cast();
        self.set(rj_bytes { data, len });
    }
}

/// An empty vector with room for so many bytes and the zero after them.
pub(crate) fn room(len: usize) -> Result<Vec<u8>> {
    Ok(host::capacity(len.saturating_add(1)).map_err(ringjet::Error::from)?)
}

/// Frees bytes that the library made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_bytes_free(bytes: rj_bytes) {
    if !bytes.data.is_null() {
        let all = ptr::slice_from_raw_parts_mut(bytes.data, bytes.len + 1);
        // SAFETY: the bytes come from `give_all`, and by the caller's promise they are still there
        drop(unsafe { Box::from_raw(all) });
    }
}
