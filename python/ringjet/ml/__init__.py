"""Machine learning on encrypted data."""

from . import helr

__all__ = ["helr"]
