"""Fitted models that a server computes on encrypted samples."""

from ._model import Model, Trial, compile
from ._parties import Client, Server

__all__ = ["Client", "Model", "Server", "Trial", "compile"]
