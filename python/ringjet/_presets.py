"""The table of presets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ._checks import refusal
from ._ringjet import Parameters, preset, preset_names
from ._text import aligned, size


@dataclass(frozen=True)
class Preset:
    """A named parameter set, with its security, depth, slots, precision and sizes."""

    name: str
    parameters: Parameters

    @property
    def security(self) -> int:
        """Bits of security by the 2024 guidelines: 128, 192 or 256. 0 for less than 128, and for
        sparse secrets, which the guidelines do not cover."""
        return self.parameters.security

    @property
    def depth(self) -> int:
        """The number of successive multiplications on a fresh ciphertext; of presets that bootstrap, between two
        bootstraps."""
        return self.parameters.depth

    @property
    def slots(self) -> int:
        """The number of values in a ciphertext."""
        return self.parameters.slots

    @property
    def precision(self) -> float:
        """Bits of precision of the product of two values up to 1."""
        return self.parameters.precision_bits

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes of ciphertexts and keys in bytes."""
        return self.parameters.sizes


class PresetTable:
    """Presets. The table can be printed, iterated, and indexed by name or by number."""

    _header = ("name", "security", "margin", "depth", "slots", "precision")
    _sizes = {
        "ciphertext": "ciphertext",
        "fresh": "fresh_ciphertext",
        "key sent": "evaluation_key",
        "key in memory": "evaluation_key_in_memory",
    }

    def __init__(self, rows: Iterable[Preset], wanted: str = "") -> None:
        self._rows = {row.name: row for row in rows}
        #: What was asked for, in words; empty for all presets.
        self._wanted = wanted

    def __iter__(self) -> Iterator[Preset]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, name: str | int) -> Preset:
        if isinstance(name, int):
            if not -len(self) <= name < len(self):
                raise IndexError(f"there are {len(self)} presets here" if self._rows else self._nothing())
            return list(self)[name]
        # an unknown name raises the error of `preset`
        return self._rows.get(name) or Preset(name, preset(name))

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def _nothing(self) -> str:
        return f"no preset has {self._wanted}: ask for less, or make parameters with ringjet.params"

    def _titles(self) -> tuple[str, ...]:
        return (*self._header, *self._sizes)

    def _cells(self) -> list[tuple[str, ...]]:
        def cells(p: Preset) -> tuple[str, ...]:
            sizes = p.sizes
            return (
                p.name,
                f"{p.security} bits" if p.security else "insecure",
                f"{p.parameters.security_margin:.0f} bits" if p.security else "",
                str(p.depth),
                str(p.slots),
                "exact" if np.isinf(p.precision) else f"{p.precision:.0f} bits",
                *(size(sizes[kind]) for kind in self._sizes.values()),
            )

        return [cells(p) for p in self]

    def __repr__(self) -> str:
        if not self._rows:
            return self._nothing()
        return aligned([self._titles(), *self._cells()], right=True)

    def _repr_html_(self) -> str:
        def row(tag: str, cells: tuple[str, ...]) -> str:
            return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"

        body = "".join(row("td", cells) for cells in self._cells())
        return f"<table><thead>{row('th', self._titles())}</thead><tbody>{body}</tbody></table>"


def presets(
    *,
    scheme: str | None = None,
    depth: int | None = None,
    slots: int | None = None,
    precision: float | None = None,
    bootstrapping: bool | None = None,
) -> PresetTable:
    """The parameter sets that come with ringjet: security, depth, slots, precision, sizes of keys and ciphertexts.

    With arguments, the secure presets that have what is asked for, the smallest keys first:
    `rj.presets(scheme="ckks", depth=12)[0].parameters` are parameters for that depth. Presets for
    `ringjet.integers`, and presets that bootstrap few slots only, are left out then.

    - scheme: "ckks", "heaan", "bgv" or "bfv".
    - depth: the least number of products in a row. Presets that bootstrap have any depth; with
      `bootstrapping=True`, the least number between two bootstraps.
    - slots: the least number of values in a ciphertext.
    - precision: the least precision of a product of two values up to 1, in bits; BGV and BFV are exact.
    - bootstrapping: True for presets that bootstrap, False for others.
    """
    rows = [Preset(name, preset(name)) for name in preset_names()]
    asked = {"depth": depth, "slots": slots, "precision": precision}
    for name, value in asked.items():
        if value is not None and (isinstance(value, bool) or not value >= 0):
            raise refusal(name, repr(value), "a number that is not negative")
    schemes = sorted({row.parameters.scheme for row in rows})
    if scheme is not None and scheme not in schemes:
        raise refusal("scheme", repr(scheme), f"one of {', '.join(schemes)}")
    given = [f"{name} {value} or more" for name, value in asked.items() if value is not None]
    given += [f"scheme {scheme}"] * (scheme is not None)
    given += ["bootstrapping" if bootstrapping else "no bootstrapping"] * (bootstrapping is not None)
    if not given:
        return PresetTable(rows)

    def fits(row: Preset) -> bool:
        p = row.parameters
        boots = p.can_bootstrap
        return (
            not p.allow_insecure
            and not p.has_sine
            and (scheme is None or p.scheme == scheme)
            and (row.depth >= (depth or 0) or boots and bootstrapping is None)
            and row.slots >= (slots or 0)
            and (not boots or p.bootstrap_most_slots == row.slots)
            and row.precision >= (precision or 0)
            and (bootstrapping is None or boots == bootstrapping)
        )

    found = sorted(filter(fits, rows), key=lambda row: row.sizes["evaluation_key_in_memory"])
    return PresetTable(found, ", ".join(given))
