//! Shape and owner checks that backends share: a wrong view is a typed error, never a panic.

use ringjet_math::{BaseConversion, Basis};

use crate::{BackendError, BackendId, Buf, Result, View, ViewMut};

/// `found` must equal `expected`.
pub fn equal(op: &'static str, what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(BackendError::Shape { op, what, expected, found }) }
}

/// The buffer must belong to `id`.
pub fn owner(op: &'static str, id: &BackendId, buf: &Buf) -> Result<()> {
    if buf.owner() == id {
        return Ok(());
    }
    Err(BackendError::WrongOwner { op, expected: id.name().into(), found: buf.owner().name().into() })
}

/// `words` words from limb `first` on must lie inside the buffer and be whole limbs.
pub fn range(op: &'static str, buf: &Buf, first: usize, words: usize) -> Result<()> {
    equal(op, "words beyond whole limbs", 0, words % buf.n().max(1))?;
    let limbs = words / buf.n().max(1);
    if first.checked_add(limbs).is_some_and(|end| end <= buf.limbs()) {
        return Ok(());
    }
    Err(BackendError::Shape { op, what: "last limb", expected: buf.limbs(), found: first.saturating_add(limbs) })
}

/// The view's limbs and ring degree must be the basis's.
pub fn basis(op: &'static str, limbs: usize, n: usize, basis: &Basis) -> Result<()> {
    equal(op, "number of limbs", basis.len(), limbs)?;
    equal(op, "ring degree", basis.n(), n)
}

/// `src` must have the limbs and degree of `dst`, and as many polynomials or one.
pub fn source(op: &'static str, dst: &ViewMut<'_>, src: View<'_>) -> Result<()> {
    equal(op, "number of limbs", dst.limbs(), src.limbs())?;
    equal(op, "ring degree", dst.n(), src.n())?;
    if src.polys() == 1 { Ok(()) } else { equal(op, "number of polynomials", dst.polys(), src.polys()) }
}

/// Views must fit a base conversion.
pub fn conversion(op: &'static str, dst: &ViewMut<'_>, src: View<'_>, conv: &BaseConversion) -> Result<()> {
    basis(op, src.limbs(), src.n(), &conv.src)?;
    basis(op, dst.limbs(), dst.n(), &conv.dst)?;
    equal(op, "number of polynomials", dst.polys(), src.polys())
}
