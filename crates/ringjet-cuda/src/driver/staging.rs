//! Copies between host and device, all through pinned memory of this crate.

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys;

use crate::device::Address;

/// Words of each half of the pinned staging memory.
const STAGED: usize = 1 << 20;

/// Pinned memory through which copies go, in two halves. Copies take consecutive words of a half until
/// it is full. Then they take those of the other half, once all copies from or to it are done. Each
/// half has an event, recorded after its last copy.
#[derive(Debug)]
pub struct Staging {
    halves: [*mut u64; 2],
    events: [sys::CUevent; 2],
    /// The half in use, and how many of its words are taken.
    half: usize,
    taken: usize,
}

/// Words of the staging memory, and the event to record after the copy.
type Piece = (*mut u64, sys::CUevent);

impl Default for Staging {
    fn default() -> Self {
        // null handles have not been made yet
        Self { halves: [std::ptr::null_mut(); 2], events: [std::ptr::null_mut(); 2], half: 0, taken: 0 }
    }
}

impl Staging {
    /// Takes the memory. The context must be current.
    pub fn make(&mut self) -> Result<(), DriverError> {
        for half in 0..2 {
            // SAFETY: the words are plain memory, which is written before it is read.
            self.halves[half] = unsafe { result::malloc_host(8 * STAGED, 0) }?.cast();
            self.events[half] = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)?;
        }
        Ok(())
    }

    /// Wipes the memory and gives it back.
    ///
    /// # Safety
    /// The context must be current, and no work may use the memory any more.
    pub unsafe fn give_back(&mut self) {
        for half in 0..2 {
            // SAFETY: each handle that was made is destroyed once. If it fails, nothing can be done.
            unsafe {
                if !self.halves[half].is_null() {
                    self.halves[half].write_bytes(0, STAGED);
                    let _ = result::free_host(self.halves[half].cast());
                }
                if !self.events[half].is_null() {
                    let _ = result::event::destroy(self.events[half]);
                }
            }
        }
    }

    /// Takes `words` words, at most STAGED, that no copy uses. The context must be current.
    fn take(&mut self, words: usize) -> Result<Piece, DriverError> {
        if STAGED - self.taken < words {
            let other = 1 - self.half;
            // SAFETY: the event lives.
            unsafe { result::event::synchronize(self.events[other]) }?;
            (self.half, self.taken) = (other, 0);
        }
        // SAFETY: the half has STAGED words.
        let at = unsafe { self.halves[self.half].add(self.taken) };
        self.taken += words;
        Ok((at, self.events[self.half]))
    }

    /// Queues a copy to the device. If the words are secret, their pieces are wiped after the copy. If
    /// it fails, [`Staging::wipe`] has to be called once the queue is empty.
    ///
    /// # Safety
    /// The context must be current, and the words at `to` belong to an allocation of the stream.
    pub unsafe fn send(
        &mut self,
        stream: sys::CUstream,
        to: Address,
        data: &[u64],
        secret: bool,
    ) -> Result<(), DriverError> {
        for (i, chunk) in data.chunks(STAGED).enumerate() {
            let (piece, event) = self.take(chunk.len())?;
            // SAFETY: no other copy uses the words of the piece until the event has happened that is
            // recorded here, or until the queue is empty. The caller guarantees the rest.
            unsafe {
                let piece = std::slice::from_raw_parts_mut(piece, chunk.len());
                piece.copy_from_slice(chunk);
                result::memcpy_htod_async(to.offset(i * STAGED).0, piece, stream)?;
                if secret {
                    // The wipe is queued, so the host does not wait. Pinned memory has the same
                    // address on the device.
                    result::memset_d8_async(piece.as_ptr() as u64, 0, size_of_val(piece), stream)?;
                }
                result::event::record(event, stream)?;
            }
        }
        Ok(())
    }

    /// Copies from the device, waits, and wipes the pieces. If it fails, [`Staging::wipe`] has to be
    /// called once the queue is empty.
    ///
    /// # Safety
    /// The context must be current, and the words at `from` belong to an allocation of the stream.
    pub unsafe fn fetch(&mut self, stream: sys::CUstream, from: Address, out: &mut [u64]) -> Result<(), DriverError> {
        let mut before: Option<(Piece, &mut [u64])> = None;
        // SAFETY: the piece has as many words as `out`, and the copy to it has finished.
        let finish = |((piece, event), out): (Piece, &mut [u64])| unsafe {
            result::event::synchronize(event)?;
            let piece = std::slice::from_raw_parts_mut(piece, out.len());
            out.copy_from_slice(piece);
            piece.fill(0); // the words may be secret
            Ok(())
        };
        for (i, chunk) in out.chunks_mut(STAGED).enumerate() {
            let (piece, event) = self.take(chunk.len())?;
            // SAFETY: no other copy uses the words of the piece: the chunk before the last one was read
            // below. The caller guarantees the rest.
            unsafe {
                let words = std::slice::from_raw_parts_mut(piece, chunk.len());
                result::memcpy_dtoh_async(words, from.offset(i * STAGED).0, stream)?;
                result::event::record(event, stream)?;
            }
            before.replace(((piece, event), chunk)).map_or(Ok(()), finish)?;
        }
        before.map_or(Ok(()), finish)
    }

    /// Wipes the memory.
    ///
    /// # Safety
    /// No work may use the memory any more.
    pub unsafe fn wipe(&mut self) {
        for half in self.halves {
            // SAFETY: each half has STAGED words of pinned memory.
            unsafe { half.write_bytes(0, STAGED) };
        }
    }
}
