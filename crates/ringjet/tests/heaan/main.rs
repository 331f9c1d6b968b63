//! HEAAN: operations against plain computation, errors against their formulas, refusals.

mod fixture;
mod noise;
mod operations;
mod parameters;
mod refusals;
