//! A key for use at one level.

use ringjet_backend::{Buf, View};

/// A switching key for use at one level, with the special primes and that level's primes.
#[derive(Debug)]
pub enum KeyAt<'a> {
    Kept {
        view: View<'a>,
        limbs: usize,
        chosen: Option<Vec<usize>>,
    },
    /// The key expanded for this use, and its number of polynomials.
    Made(Buf, usize),
}

impl KeyAt<'_> {
    /// The polynomials b_d and a_d of each digit.
    pub fn view(&self) -> View<'_> {
        match self {
            Self::Kept { view, limbs, chosen: None } => view.prefix(*limbs),
            Self::Kept { view, chosen: Some(chosen), .. } => view.choose(chosen),
            Self::Made(buf, polys) => buf.view(*polys),
        }
    }
}
