//! Several parties, one secret: keys that parties make together, and answers that they decrypt together.
//!
//! The secret is a sum of pieces ([`Layout`]). Everything of a piece follows from its seed, so all holders of a
//! piece send the same bytes: a retry reveals nothing new, a lost party is replaced by another holder, and bytes
//! that differ expose a cheat. More than eight parties hold one piece each, and answer with points of a polynomial
//! through the secret. `docs/design/parties.md` has the protocol and what is proved of it.

mod answers;
mod deals;
mod file;
mod layout;
mod party;
mod points;
mod record;
mod session;
mod shared;
mod spec;
mod work;

pub use layout::{Layout, MOST_PARTIES, MOST_REPLICATED, pieces_of};
pub use party::Party;
pub use record::AnswerKind;
pub use session::{Round, Session};
pub use spec::Spec;

#[cfg(test)]
mod tests;
