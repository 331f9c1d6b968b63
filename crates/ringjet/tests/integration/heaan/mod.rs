//! HEAAN: operations against the same computation on plain values, errors, and refusals.

mod bootstrap;
mod fixture;
mod full;
mod noise;
mod operations;
mod parameters;
mod refusals;
