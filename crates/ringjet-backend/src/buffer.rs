//! Opaque device memory and strided views of it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Identity of one backend instance; every buffer carries its owner's.
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

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for BackendId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.name, self.serial)
    }
}

/// What a backend keeps behind a buffer; it downcasts to its own type.
pub trait Storage: Send + Sync {
    /// For downcasting.
    fn as_any(&self) -> &dyn Any;
    /// For downcasting.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// From now on the memory holds a secret: it must be overwritten before it is used for anything
    /// else.
    fn mark_secret(&mut self);
    /// Whether it was marked as secret.
    fn is_secret(&self) -> bool;
}

/// `limbs` residue vectors of `n` words on a device, owned by one backend. Contents start
/// unspecified.
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

    /// Owner.
    pub fn owner(&self) -> &BackendId {
        &self.owner
    }

    /// Storage, for the owner.
    pub fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// Storage, for the owner.
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

/// Read-only view of `polys` polynomials of `limbs` limbs: limb `i` of polynomial `p` is the
/// buffer's limb `offset + p stride + i`, or `offset + p stride + chosen[i]` where only some limbs
/// are chosen. A lower level of a ciphertext or of a key is a view with fewer limbs: it costs
/// nothing.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    buf: &'a Buf,
    offset: usize,
    stride: usize,
    polys: usize,
    limbs: usize,
    chosen: Option<&'a [usize]>,
}

/// As [`View`], to be written.
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

            /// Whether the buffer is marked as secret: copies in other buffers must be marked, too.
            pub fn is_secret(&self) -> bool {
                self.buf.is_secret()
            }

            /// Words between the buffer's start and limb 0 of polynomial 0, and between
            /// polynomials, in limbs.
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
    /// Index in the buffer of limb `i` of polynomial `p`.
    #[inline]
    pub fn limb_index(&self, p: usize, i: usize) -> usize {
        debug_assert!(p < self.polys && i < self.limbs);
        self.offset + p * self.stride + self.chosen.map_or(i, |c| c[i])
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

    /// The limbs with these indices of every polynomial, of a view that has all of its own. Panics
    /// when there are fewer.
    pub fn choose(self, chosen: &'a [usize]) -> Self {
        assert!(self.chosen.is_none() && chosen.iter().all(|&i| i < self.limbs), "{chosen:?} of {}", self.limbs);
        Self { limbs: chosen.len(), chosen: Some(chosen), ..self }
    }

    /// The indices of the limbs, where only some are chosen.
    pub fn chosen(&self) -> Option<&'a [usize]> {
        self.chosen
    }

    /// The buffer.
    pub fn buf(&self) -> &'a Buf {
        self.buf
    }

    /// Whether both are views of the same limbs of one buffer.
    pub fn is_same(&self, other: &View<'_>) -> bool {
        let place = |v: &View<'_>| (v.offset, v.stride, v.polys, v.limbs);
        std::ptr::eq(self.buf, other.buf) && place(self) == place(other) && self.chosen == other.chosen
    }
}

impl<'a> ViewMut<'a> {
    /// Index in the buffer of limb `i` of polynomial `p`.
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

    /// The buffer.
    pub fn buf(&self) -> &Buf {
        self.buf
    }

    /// The buffer.
    pub fn buf_mut(&mut self) -> &mut Buf {
        self.buf
    }
}
