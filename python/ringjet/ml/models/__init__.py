"""Fitted models that a server computes on encrypted samples."""

from ._compile import compile
from ._computation import Computation
from ._model import Model, Trial
from ._parties import Client, PredictionWarning, Server
from ._profile import Profile

__all__ = ["Client", "Computation", "Model", "PredictionWarning", "Profile", "Server", "Trial", "compile"]
