//! The test suite that every backend passes.
