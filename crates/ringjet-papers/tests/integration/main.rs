//! The tests of papers' code from outside, in one program, so that it is linked once.

mod ablation;
mod caching;
mod castro;
#[path = "../../../ringjet/tests/integration/common/mod.rs"]
mod common;
mod heaan;
mod heaan_algorithm;
mod multiplication;
mod published_deviations;
mod regression;
mod schedules;
