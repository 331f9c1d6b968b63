//! A multiplication of HEAAN on a CPU as two papers describe it, before and after each of their
//! optimisations.
//!
//! * Paper A: Jung et al., "Accelerating Fully Homomorphic Encryption Through
//!   Microarchitecture-Aware Analysis and Optimization" (Tables I and II, Figure 2);
//! * Paper B: Jung et al., "HEAAN Demystified" (Tables IV, VII and X, Figures 6 and 7).
//!
//! The code is written from the text of the papers, for comparison with ringjet's own code, which
//! is elsewhere. Where the papers leave something open, a comment says what was chosen.
//!
//! | name | what it is |
//! | --- | --- |
//! | `Ref` | [`mod@reference`]: scalar code, words of 64 bits, primes above 2^59 |
//! | `AVX` | [`avx`]: AVX-512 without IFMA, 64-bit products and carries emulated, iCRT with its loops reordered |
//! | `AVX-M` | `AVX` with the modified modular multiplication, [`avx::Modified`] |
//! | `AVX-MT` | `AVX-M`, with the residues that iCRT sums stored transposed, [`avx::icrt`] |

pub mod avx;
pub mod counts;
pub mod integers;
pub mod lines;
pub mod multiply;
pub mod product;
pub mod reference;
pub mod setup;
pub mod threads;
pub mod variants;
