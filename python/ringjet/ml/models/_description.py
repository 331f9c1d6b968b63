"""Where the numbers of samples are, for clients that have nothing but a model's description."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Layout:
    """Which number of which sample each slot holds.

    Slot j of ciphertext c holds number `ciphertexts[c][(j // samples) % n]` of sample `j % samples`,
    where n is the length of `ciphertexts[c]`; None stands for a 0. So a ciphertext has this many
    samples side by side, and the pattern repeats through all slots. Score s of sample b comes back in
    result `scores[s][0]`, slot `scores[s][1] * samples + b`."""

    samples: int
    ciphertexts: list[list[int | None]]
    #: What the numbers of samples are that a ciphertext has room for and that nobody gave: zeros, or
    #: those of the last sample.
    missing: Literal["zeros", "last"]
    scores: list[tuple[int, int]]

    def stored(self) -> dict[str, Any]:
        """All of it for JSON."""
        return {**vars(self), "scores": [list(place) for place in self.scores]}
