"""Programs that Google's compiler HEIR writes for CKKS."""

from ._packing import Packing as HeirPacking
from ._program import HeirProgram, from_heir
from ._text import VERSION

__all__ = ["VERSION", "HeirPacking", "HeirProgram", "from_heir"]
