"""`Server.profile`: where the time of a real computation goes."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._checks import refusal
from .._text import duration, size, unit

if TYPE_CHECKING:
    from .._ringjet import Server

#: The most rows that `print` shows.
_MOST_ROWS = 40


@dataclass(frozen=True, slots=True)
class ProfiledStep:
    """A step of an operation, such as `Relinearize`, or a phase of a bootstrap."""

    name: str
    #: How many steps enclose it.
    depth: int
    #: Seconds from the beginning of the profile.
    start: float
    seconds: float


@dataclass(frozen=True, slots=True)
class ProfiledOperation:
    """An operation that a server ran."""

    #: File and line of the user's code. In a program of `compile`, the line where it was recorded.
    where: str
    #: Its kind, such as `product`; of `ringjet.explicit` the function, such as `explicit.mul`.
    operation: str
    #: The number of the thread that ran it, by first use.
    thread: int
    #: Seconds from the beginning of the profile.
    start: float
    seconds: float
    #: How many ciphertexts it made; None if it failed.
    results: int | None
    #: Of the first result: its level, or with HEAAN the bits of its modulus.
    level: int | None
    #: Binary logarithm of the first result's scale; None with BGV and BFV.
    scale: float | None
    slots: int | None
    #: The estimated precision of the first result in bits; None with BGV and BFV.
    precision_bits: float | None
    #: The noise budget of the first result in bits; None unless with BGV and BFV.
    noise_budget: float | None
    #: Bytes of all results, 8 for each residue.
    bytes: int
    #: Bytes of the process in memory after the operation, as Linux reports them; None elsewhere. Memory of a GPU is
    #: not in it.
    memory_bytes: int | None
    #: By how many bytes the largest amount of memory that the process ever had rose during the operation. Operations
    #: that run side by side have the same rise.
    memory_raised: int | None
    #: Its steps, in the order in which they began.
    steps: tuple[ProfiledStep, ...]


@dataclass(frozen=True)
class ProfileRow:
    """All operations of one kind on one line of code, or a step of them."""

    where: str
    operation: str
    #: The names of the steps down to this one, outermost first; empty for the operations themselves.
    steps: tuple[str, ...]
    calls: int
    seconds: float
    #: What the cost model says for the device. None without one, for loading, and where an operation was not modelled.
    modelled_s: float | None
    #: The lowest and the highest level of the results, with HEAAN bits of the modulus; None for steps.
    levels: tuple[int, int] | None


@dataclass
class _Taken:
    seconds: float
    memory_raised: int | None
    threads: int
    operations: tuple[ProfiledOperation, ...]
    rows: tuple[ProfileRow, ...]
    #: Start and seconds of each time in which the cost model priced operations. They do not overlap.
    pricing: list[tuple[float, float]]
    #: How many operations have no modelled time; loading does not count.
    not_modelled: int
    pricing_error: str | None


@dataclass
class _Sum:
    """The operations of a row so far."""

    calls: int = 0
    seconds: float = 0.0
    levels: tuple[int, int] | None = None

    def add(self, seconds: float, level: int | None = None) -> None:
        self.calls += 1
        self.seconds += seconds
        if level is not None:
            low, high = self.levels or (level, level)
            self.levels = min(low, level), max(high, level)


#: The sums of one line and kind: of the operations themselves, and of their steps by path.
_Sums = dict[tuple[str, ...], _Sum]


class Profile:
    """What a server computed in a `with` block, operation by operation: the result of `Server.profile`.

    It has names of operations and files, times, sizes and levels. It has no values and no keys. Only with a
    device it has modelled times."""

    def __init__(self, server: Server, device: str | PathLike[str] | None, depth: int) -> None:
        self._server, self._depth, self._given, self._begun = server, depth, device, False
        self._taken: _Taken | None = None
        #: The device of the modelled times; None without one.
        self.device = None if device is None else str(device)
        #: The backend, such as `cpu-ifma`.
        self.backend = server.backend
        #: Number of threads of the backend.
        self.threads = server.threads

    def __enter__(self) -> Profile:
        if self._begun:
            raise refusal("profile", "one that was used before", "a new one for each block: server.profile()")
        self._server._begin_profile(self._depth, self._given)
        self._begun = True
        return self

    def __exit__(self, *failure: object) -> None:
        whole, raised, threads, places, operations, pricing, (prices, error) = self._server._end_profile()
        found = tuple(_operation(self._server, places[where], *row) for where, *row in operations)
        modelled = {(where, name): {tuple(path): s for path, s in tree} for where, name, _, tree in prices}
        missing = sum(o.operation != "load" for o in found) - sum(calls for _, _, calls, _ in prices)
        self._taken = _Taken(whole, raised, threads, found, tuple(_rows(found, modelled)), pricing, missing, error)

    @property
    def _all(self) -> _Taken:
        if self._taken is None:
            raise refusal("profile", "one whose block has not ended", "results after `with server.profile() as p:`")
        return self._taken

    @property
    def operations(self) -> tuple[ProfiledOperation, ...]:
        """The operations, in the order in which they ended."""
        return self._all.operations

    @property
    def rows(self) -> tuple[ProfileRow, ...]:
        """The operations by line and kind, those that took longest first; each is followed by its steps."""
        return self._all.rows

    @property
    def seconds(self) -> float:
        """Seconds from the beginning to the end of the block."""
        return self._all.seconds

    @property
    def pricing_s(self) -> float:
        """Seconds of the block in which the cost model priced operations. They are in no operation. Meanwhile
        operations of other threads may run."""
        return math.fsum(seconds for _, seconds in self._all.pricing)

    @property
    def outside_s(self) -> float:
        """Seconds of the block in which no operation ran and nothing was priced: Python, numpy, clients, waiting."""
        inside = _covered([*((o.start, o.seconds) for o in self.operations), *self._all.pricing])
        return max(0.0, self.seconds - inside)

    @property
    def modelled_s(self) -> float | None:
        """What the cost model says for all operations on the device, but for those that `not_modelled` counts.
        Loading is not among them. None without a device."""
        modelled = [row.modelled_s for row in self.rows if not row.steps and row.modelled_s is not None]
        return None if self.device is None else math.fsum(modelled)

    @property
    def not_modelled(self) -> int | None:
        """How many operations are missing in `modelled_s`: those that failed, and all of one line and kind if the
        cost model refused one of them. Loading does not count. None without a device."""
        return None if self.device is None else self._all.not_modelled

    @property
    def pricing_error(self) -> str | None:
        """Why the cost model refused an operation, of the first one; None if it refused none."""
        return self._all.pricing_error

    @property
    def memory_bytes(self) -> int | None:
        """The largest number of bytes of the process in memory after an operation; None where Linux does not say it."""
        return max((o.memory_bytes for o in self.operations if o.memory_bytes is not None), default=None)

    @property
    def memory_raised(self) -> int | None:
        """By how many bytes the largest amount of memory that the process ever had rose from the beginning of the
        first operation to the end of the last one; None where Linux does not say it."""
        return self._all.memory_raised

    def header(self) -> list[str]:
        """The facts of the whole block, one a line."""
        operations = len(self.operations)
        lines = [
            f"{operations} operation(s) in {duration(self.seconds)} on {self.backend}, "
            f"{self.threads} thread(s); {duration(self.outside_s)} outside of operations"
        ]
        if self.memory_bytes is not None:
            raised = f", {size(self.memory_raised or 0)} more than ever before" if self.memory_raised else ""
            lines.append(f"memory of the process: {size(self.memory_bytes)}{raised}")
        if self.device is not None:
            modelled = f"{duration(self.modelled_s or 0)} modelled for {self.device}"
            lines.append(f"{modelled}; the model took {duration(self.pricing_s)} of the block")
            if self.not_modelled:
                why = f": {self.pricing_error}" if self.pricing_error else ""
                lines.append(f"{self.not_modelled} operation(s) not modelled{why}")
        return lines

    def cells(self, share: float = 0.01, most: int | None = None) -> list[tuple[int, list[str]]]:
        """A table as text, without lines of less than the fraction `share` of the time of all operations: the
        depth of each line, and its cells. The first line is the header. most: how many lines there may be."""
        whole = math.fsum(row.seconds for row in self.rows if not row.steps) or 1.0
        level = unit(self._server.params)
        head = ["line", "operation", "calls", "time", "share", *(["modelled"] if self.device else [])]
        lines = [(0, head + ([level] if level else []))]
        shown = [row for row in self.rows if row.seconds >= share * whole]
        for row in shown[:most]:
            cells = ["" if row.steps else row.where, row.steps[-1] if row.steps else row.operation]
            cells += [str(row.calls), duration(row.seconds), f"{row.seconds / whole:.1%}"]
            if self.device:
                cells.append("" if row.modelled_s is None else duration(row.modelled_s))
            if level:
                low, high = row.levels or (None, None)
                cells.append("" if low is None else f"{low}" if low == high else f"{low} to {high}")
            lines.append((len(row.steps), cells))
        return lines

    def table(self, share: float = 0.01) -> str:
        """A table of the operations by line and kind, with their steps. It leaves out what takes less than the
        fraction `share` of the time of all operations."""
        return self._table(share, None)

    def _table(self, share: float, most: int | None) -> str:
        lines = [[cells[0], "  " * depth + cells[1], *cells[2:]] for depth, cells in self.cells(share, most)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

        def text(cells: list[str]) -> str:
            left = [cell.ljust(width) for cell, width in zip(cells[:2], widths, strict=False)]
            right = [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:], strict=True)]
            return "  ".join(left + right).rstrip()

        return "\n".join(map(text, lines))

    def to_dict(self) -> dict[str, Any]:
        """All operations and rows, for JSON."""
        return {
            "backend": self.backend,
            "threads": self.threads,
            "device": self.device,
            "seconds": self.seconds,
            "outside_s": self.outside_s,
            "pricing_s": self.pricing_s,
            "modelled_s": self.modelled_s,
            "not_modelled": self.not_modelled,
            "pricing_error": self.pricing_error,
            "memory_bytes": self.memory_bytes,
            "memory_raised": self.memory_raised,
            "rows": [asdict(row) for row in self.rows],
            "operations": [asdict(operation) for operation in self.operations],
        }

    def to_json(self) -> str:
        """All operations and rows as JSON."""
        return json.dumps(self.to_dict(), indent=1, allow_nan=False)

    def to_chrome_trace(self, path: str | PathLike[str]) -> None:
        """Writes the operations and their steps to a file that chrome://tracing and Perfetto open."""
        from ._profile_files import chrome_trace

        Path(path).write_text(json.dumps(chrome_trace(self), allow_nan=False), encoding="utf-8")

    def to_html(self, path: str | PathLike[str]) -> None:
        """Writes a page with the timeline and the table. It loads nothing from elsewhere."""
        from ._profile_files import page

        Path(path).write_text(page(self), encoding="utf-8")

    def _repr_html_(self) -> str:
        if self._taken is None:
            return f"<code>{self!r}</code>"
        from ._profile_files import table

        return table(self, _MOST_ROWS)

    def __repr__(self) -> str:
        if self._taken is None:
            return "Profile(not ended yet)"
        head = "\n".join(self.header())
        return f"{head}\n\n{self._table(0.01, _MOST_ROWS)}" if self.rows else head


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """The seconds that lie in at least one span. A span is its start and its seconds."""
    inside, end = 0.0, 0.0
    for start, stop in sorted((start, start + seconds) for start, seconds in spans):
        inside += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return inside


def _operation(
    server: Server,
    where: str,
    name: str,
    thread: int,
    start: float,
    seconds: float,
    results: tuple[int, tuple[int, float, int, float, float | None] | None, int] | None,
    memory: tuple[int, int] | None,
    steps: list[tuple[str, int, float, float]],
) -> ProfiledOperation:
    count, first, size_of_all = results or (None, None, 0)
    left, scale, slots, bits, budget = first or (None, None, None, None, None)
    exact = server.params.t is not None
    now, raised = memory or (None, None)
    # the names of operations and steps are few: all of one name share it
    return ProfiledOperation(
        where,
        sys.intern(name),
        thread,
        start,
        seconds,
        results=count,
        level=left if unit(server.params) else None,
        scale=None if exact else scale,
        slots=slots,
        precision_bits=None if exact or bits is None or not math.isfinite(bits) else bits,
        noise_budget=budget,
        bytes=size_of_all,
        memory_bytes=now,
        memory_raised=raised,
        steps=tuple(ProfiledStep(sys.intern(step), depth, at, took) for step, depth, at, took in steps),
    )


def _rows(
    operations: tuple[ProfiledOperation, ...],
    modelled: dict[tuple[str, str], dict[tuple[str, ...], float]],
) -> Iterator[ProfileRow]:
    groups: dict[tuple[str, str], _Sums] = {}
    for o in operations:
        sums = groups.setdefault((o.where, o.operation), {})
        sums.setdefault((), _Sum()).add(o.seconds, o.level)
        path: list[str] = []
        for step in o.steps:
            path[step.depth :] = [step.name]
            sums.setdefault(tuple(path), _Sum()).add(step.seconds)
    for row, sums in sorted(groups.items(), key=lambda group: -group[1][()].seconds):
        yield from _walk(row, (), sums, modelled.get(row))


def _walk(
    row: tuple[str, str],
    path: tuple[str, ...],
    sums: _Sums,
    prices: dict[tuple[str, ...], float] | None,
) -> Iterator[ProfileRow]:
    """A row and those of its steps."""
    found = sums[path]
    price = None if prices is None else prices.get(path, 0.0)
    yield ProfileRow(*row, path, found.calls, found.seconds, price, found.levels)
    below = [p for p in sums if len(p) == len(path) + 1 and p[:-1] == path]
    for p in sorted(below, key=lambda p: -sums[p].seconds):
        yield from _walk(row, p, sums, prices)
