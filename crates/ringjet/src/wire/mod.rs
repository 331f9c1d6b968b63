//! The wire format.
