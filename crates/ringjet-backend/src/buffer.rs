//! Memory of a device behind an opaque type, and strided views of it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Identity of one backend instance. Every buffer carries the identity of its owner.
#[derive(Clone, PartialEq, Eq)]
pub struct BackendId {
    serial: u64,
    name: Arc<str>,
}

impl BackendId {
    /// A new identity with a human-readable name such as `cpu-ifma`.
    pub fn new(name: &str) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { serial: NEXT.fetch_add(1, Ordering::Relaxed), name: name.into() }
    }

    /// The human-readable name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for BackendId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.name, self.serial)
    }
}

/// The memory behind a buffer. A backend downcasts it to its own type.
pub trait Storage: Send + Sync {
    /// This storage, for downcasting.
    fn as_any(&self) -> &dyn Any;
    /// This storage, for downcasting.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// Marks the memory as secret from now on: it must be overwritten before it is used for
    /// anything else.
    fn mark_secret(&mut self);
    /// Whether the memory is marked as secret.
    fn is_secret(&self) -> bool;
}

/// `limbs` residue vectors of `n` words on a device, owned by one backend. The contents of a new
/// buffer are unspecified.
pub struct Buf {
    storage: Box<dyn Storage>,
    owner: BackendId,
    limbs: usize,
    n: usize,
}

impl Buf {
    /// Wraps a backend's storage; for backends only.
    pub fn new(storage: Box<dyn Storage>, owner: BackendId, limbs: usize, n: usize) -> Self {
        Self { storage, owner, limbs, n }
    }

    /// Number of limbs.
    pub fn limbs(&self) -> usize {
        self.limbs
    }

    /// Words per limb: the ring degree.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The backend that owns the buffer.
    pub fn owner(&self) -> &BackendId {
        &self.owner
    }

    /// The storage; only the owner can downcast it.
    pub fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// The storage to be written; only the owner can downcast it.
    pub fn storage_mut(&mut self) -> &mut dyn Storage {
        &mut *self.storage
    }

    /// Marks the contents as secret: they are overwritten when the buffer is dropped.
    pub fn into_secret(mut self) -> Self {
        self.storage.mark_secret();
        self
    }

    /// Whether the contents are marked as secret.
    pub fn is_secret(&self) -> bool {
        self.storage.is_secret()
    }

    /// The whole buffer as `polys` polynomials of `limbs() / polys` limbs each.
    pub fn view(&self, polys: usize) -> View<'_> {
        let limbs = self.limbs / polys.max(1);
        View { buf: self, offset: 0, stride: limbs, polys, limbs, chosen: None }
    }

    /// The whole buffer as `polys` polynomials, to be written.
    pub fn view_mut(&mut self, polys: usize) -> ViewMut<'_> {
        let limbs = self.limbs / polys.max(1);
        ViewMut { offset: 0, stride: limbs, polys, limbs, buf: self }
    }
}

impl fmt::Debug for Buf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buf({} x {} on {:?})", self.limbs, self.n, self.owner)
    }
}

/// Read-only view of `polys` polynomials of `limbs` limbs. Limb `i` of polynomial `p` is the
/// buffer's limb `offset + p * stride + i`, or `offset + p * stride + chosen[i]` if the view has
/// only chosen limbs. A ciphertext or key at a lower level is a view with fewer limbs; nothing is
/// copied.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    buf: &'a Buf,
    offset: usize,
    stride: usize,
    polys: usize,
    limbs: usize,
    chosen: Option<&'a [usize]>,
}

/// A view like [`View`], to be written.
#[derive(Debug)]
pub struct ViewMut<'a> {
    buf: &'a mut Buf,
    offset: usize,
    stride: usize,
    polys: usize,
    limbs: usize,
}

macro_rules! geometry {
    ($t:ident) => {
        impl<'a> $t<'a> {
            /// Number of polynomials.
            pub fn polys(&self) -> usize {
                self.polys
            }

            /// Limbs of each polynomial.
            pub fn limbs(&self) -> usize {
                self.limbs
            }

            /// Words per limb.
            pub fn n(&self) -> usize {
                self.buf.n
            }

            /// Whether the buffer is marked as secret. Then copies in other buffers must be marked,
            /// too.
            pub fn is_secret(&self) -> bool {
                self.buf.is_secret()
            }

            /// The distance from the buffer's start to limb 0 of polynomial 0, and the distance
            /// from one polynomial to the next, both in limbs.
            pub fn offset_and_stride(&self) -> (usize, usize) {
                (self.offset, self.stride)
            }

            /// Polynomials `from..from + polys`. Panics when there are fewer.
            pub fn slice(self, from: usize, polys: usize) -> Self {
                assert!(from + polys <= self.polys, "polynomials {from}+{polys} of {}", self.polys);
                Self { offset: self.offset + from * self.stride, polys, ..self }
            }

            /// Polynomial number `p` alone.
            pub fn poly(self, p: usize) -> Self {
                self.slice(p, 1)
            }
        }
    };
}
geometry!(View);
geometry!(ViewMut);

impl<'a> View<'a> {
    /// Index of limb `i` of polynomial `p` in the buffer.
    #[inline]
    pub fn limb_index(&self, p: usize, i: usize) -> usize {
        debug_assert!(p < self.polys && i < self.limbs);
        self.offset + p * self.stride + self.chosen.map_or(i, |c| c[i])
    }

    /// The same places of another buffer of the same size.
    pub fn on<'b>(self, buf: &'b Buf) -> View<'b>
    where
        'a: 'b,
    {
        View { buf, ..self }
    }

    /// The first `limbs` limbs of every polynomial. Panics when there are fewer.
    pub fn prefix(self, limbs: usize) -> Self {
        self.range(0, limbs)
    }

    /// Limbs `from..from + limbs` of every polynomial. Panics when there are fewer.
    pub fn range(self, from: usize, limbs: usize) -> Self {
        assert!(from + limbs <= self.limbs, "limbs {from}+{limbs} of {}", self.limbs);
        match self.chosen {
            None => Self { offset: self.offset + from, limbs, ..self },
            Some(chosen) => Self { limbs, chosen: Some(&chosen[from..from + limbs]), ..self },
        }
    }

    /// The limbs with the indices `chosen` of every polynomial. Panics if the view itself has only
    /// chosen limbs, or if an index is too large.
    pub fn choose(self, chosen: &'a [usize]) -> Self {
        assert!(self.chosen.is_none() && chosen.iter().all(|&i| i < self.limbs), "{chosen:?} of {}", self.limbs);
        Self { limbs: chosen.len(), chosen: Some(chosen), ..self }
    }

    /// The indices of the limbs, if the view has only chosen limbs.
    pub fn chosen(&self) -> Option<&'a [usize]> {
        self.chosen
    }

    /// The buffer that the view is part of.
    pub fn buf(&self) -> &'a Buf {
        self.buf
    }

    /// Whether `self` and `other` are views of the same limbs of one buffer.
    pub fn is_same(&self, other: &View<'_>) -> bool {
        let place = |v: &View<'_>| (v.offset, v.stride, v.polys, v.limbs);
        std::ptr::eq(self.buf, other.buf) && place(self) == place(other) && self.chosen == other.chosen
    }
}

impl<'a> ViewMut<'a> {
    /// Index of limb `i` of polynomial `p` in the buffer.
    #[inline]
    pub fn limb_index(&self, p: usize, i: usize) -> usize {
        debug_assert!(p < self.polys && i < self.limbs);
        self.offset + p * self.stride + i
    }

    /// The first `limbs` limbs of every polynomial. Panics when there are fewer.
    pub fn prefix(self, limbs: usize) -> Self {
        self.range(0, limbs)
    }

    /// Limbs `from..from + limbs` of every polynomial. Panics when there are fewer.
    pub fn range(self, from: usize, limbs: usize) -> Self {
        assert!(from + limbs <= self.limbs, "limbs {from}+{limbs} of {}", self.limbs);
        Self { offset: self.offset + from, limbs, ..self }
    }

    /// The same view for reading.
    pub fn as_view(&self) -> View<'_> {
        let Self { offset, stride, polys, limbs, .. } = *self;
        View { buf: self.buf, offset, stride, polys, limbs, chosen: None }
    }

    /// A shorter borrow of the same view.
    pub fn reborrow(&mut self) -> ViewMut<'_> {
        ViewMut { offset: self.offset, stride: self.stride, polys: self.polys, limbs: self.limbs, buf: self.buf }
    }

    /// The buffer that the view is part of.
    pub fn buf(&self) -> &Buf {
        self.buf
    }

    /// The buffer that the view is part of, to be written.
    pub fn buf_mut(&mut self) -> &mut Buf {
        self.buf
    }
}
