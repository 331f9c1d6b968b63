//! Programs against ringjet's own results, in one test program, so that it is linked once.

mod conformance;
mod programs;
mod refusals;
