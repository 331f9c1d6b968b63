"""Programs as values: what a function computes on ciphertexts, recorded once, then planned, simulated,
priced, optimised, stored and run."""

from ._estimate import Estimate
from ._facts import Bootstrap, Finding, Step
from ._plan import Output, Plan, plan
from ._profile import Profile, ProfiledOperation, ProfiledStep, ProfileRow
from ._program import Program, compile
from ._simulate import SimulatedOutput, Simulation, simulate

__all__ = [
    "Bootstrap",
    "Estimate",
    "Finding",
    "Output",
    "Plan",
    "Profile",
    "ProfileRow",
    "ProfiledOperation",
    "ProfiledStep",
    "Program",
    "SimulatedOutput",
    "Simulation",
    "Step",
    "compile",
    "plan",
    "simulate",
]
