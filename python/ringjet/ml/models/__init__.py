"""Fitted models that a server computes on encrypted samples."""

from ._model import Model, Trial, compile
from ._parties import Client, PredictionWarning, Server

__all__ = ["Client", "Model", "PredictionWarning", "Server", "Trial", "compile"]
