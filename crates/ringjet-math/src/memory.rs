//! Memory that can be refused: allocation that returns an error instead of ending the process.
//!
//! A standard allocation that fails ends the process. So whatever is as large as a polynomial is
//! allocated here. Each such allocation also makes sure that [`SPARE`] bytes are left after it: the
//! many small vectors of an operation, which are not checked one by one, find their memory there.

/// From this number of bytes on an allocation is checked to leave room for small ones.
const LARGE: usize = 1 << 16;

/// Number of bytes that must be left for small allocations after a large one.
pub const SPARE: usize = 1 << 20;

/// The allocator has no memory for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("out of memory: {bytes} bytes wanted")]
pub struct OutOfMemory {
    /// Number of bytes of the refused request.
    pub bytes: usize,
}

/// A vector of `len` zeros.
///
/// # Errors
/// [`OutOfMemory`].
pub fn zeros<T: Copy + Default>(len: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut out = capacity(len)?;
    out.resize(len, T::default());
    Ok(out)
}

/// An empty vector with room for `len` values.
///
/// # Errors
/// [`OutOfMemory`].
pub fn capacity<T>(len: usize) -> Result<Vec<T>, OutOfMemory> {
    let bytes = len.saturating_mul(size_of::<T>());
    let mut out = Vec::new();
    out.try_reserve_exact(len).map_err(|_| OutOfMemory { bytes })?;
    if bytes >= LARGE {
        expect(0).map_err(|_| OutOfMemory { bytes })?;
    }
    Ok(out)
}

/// A vector of the items of an iterator that knows how many they are.
///
/// # Errors
/// [`OutOfMemory`].
pub fn collected<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, OutOfMemory> {
    let mut out = capacity(items.len())?;
    out.extend(items);
    Ok(out)
}

/// Makes sure that `bytes` bytes are there for the allocations that follow, and [`SPARE`] more. It
/// allocates them and gives them back, and touches none of them.
///
/// # Errors
/// [`OutOfMemory`].
pub fn expect(bytes: usize) -> Result<(), OutOfMemory> {
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(bytes.saturating_add(SPARE)).map_err(|_| OutOfMemory { bytes })?;
    // the compiler must not leave the allocation out
    std::hint::black_box(&mut room);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        assert_eq!(zeros::<u64>(3), Ok(vec![0; 3]));
        assert_eq!(collected([1, 2].into_iter()), Ok(vec![1, 2]));
        assert_eq!(zeros::<u64>(1 << 58), Err(OutOfMemory { bytes: 1 << 61 }));
        assert_eq!(capacity::<u64>(usize::MAX), Err(OutOfMemory { bytes: usize::MAX }));
        assert_eq!(expect(1 << 20), Ok(()));
        assert_eq!(expect(usize::MAX), Err(OutOfMemory { bytes: usize::MAX }));
    }
}
