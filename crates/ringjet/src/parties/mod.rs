//! Several parties, one secret: keys that parties make together, and answers that they decrypt together.
//!
//! The secret is a sum of pieces ([`Layout`]). Everything of a piece follows from its seed, so all holders of a
//! piece send the same bytes: a retry reveals nothing new, a lost party is replaced by another holder, and bytes
//! that differ expose a cheat. `docs/design/parties.md` has the protocol and what is proved of it.

mod answers;
mod file;
mod layout;
mod party;
mod session;
mod shared;
mod spec;
mod work;

pub use layout::{Layout, MOST_REPLICATED, pieces_of};
pub use party::{AnswerKind, Party};
pub use session::{Round, Session};
pub use spec::Spec;

#[cfg(test)]
mod tests;
