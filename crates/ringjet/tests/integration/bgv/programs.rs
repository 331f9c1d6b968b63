//! Random programs.
