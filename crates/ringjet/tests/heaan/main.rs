//! HEAAN: operations against plain computation, errors against their formulas, refusals.

mod fixture;
mod full;
mod noise;
mod operations;
mod parameters;
mod refusals;
