"""The warning of decrypted values that drown in their errors."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from .errors import GarbageWarning

if TYPE_CHECKING:
    from ._ringjet import Client

#: The precision in bits and the magnitude of values that drown in errors.
Precision = tuple[float, float]


def warn(precision: Precision, stacklevel: int = 2) -> None:
    """Warns that decrypted values are noise, at the line of the caller of the function that called
    this one."""
    bits, magnitude = precision
    text = (
        f"what was decrypted is noise, if the estimate is right: errors of {2.0**-bits:.3g} in values of at most "
        f"{magnitude:.3g}. ringjet.simulate shows the operation where the values were lost. The estimate is too large where "
        "a computation corrects its own errors, as training does"
    )
    # the native class has no frame of its own
    warnings.warn(text, GarbageWarning, stacklevel=stacklevel)


class Decryptions:
    """Several decryptions of one call, with one warning for all."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._worst: Precision | None = None

    def of(self, data: Any, complex: bool = False, **options: Any) -> Any:
        """What `Client.decrypt` returns."""
        values, precision = self._client._decrypt(data, complex, **options)
        if precision is not None and (self._worst is None or precision < self._worst):
            self._worst = precision
        return values

    def warn(self, above: int = 0) -> None:
        """Warns if values of any decryption drown in errors: at the line that called the caller, or
        at one that is `above` calls higher."""
        if self._worst is not None:
            warn(self._worst, stacklevel=4 + above)
