//! HEAAN: operations against plain computation, errors against their formulas, refusals.

mod bootstrap;
mod fixture;
mod full;
mod noise;
mod operations;
mod parameters;
mod refusals;
