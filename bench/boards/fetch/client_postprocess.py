#!/usr/bin/env python3
"""Reads the number of matches, or their payloads, out of the decrypted slots."""

import layout
import numpy as np
from layout import CELLS, COLUMNS, PAYLOAD_BOUND, SLOTS, STRIDE
from stage import write

#: The least sum of markers of a match: without one a cell holds next to nothing.
MARKER = 0.5


def tables(slots: np.ndarray) -> list[np.ndarray]:
    """Two tables with a row for each cell: the sums of markers, of the two parts of numbers, and of payloads."""
    first = slots[0].reshape(STRIDE, CELLS)[:COLUMNS].T
    second = slots[1].reshape(CELLS, STRIDE)[:, :COLUMNS]
    return [np.ascontiguousarray(table).view(float) for table in (first, second)]


def cells(number: int, sets: int) -> tuple[int, int]:
    """The cells of a record in both tables. In the second one, sets have moved on by a cell for each later set."""
    slot, later = number % SLOTS, sets - 1 - number // SLOTS
    return slot % CELLS, (slot // STRIDE - later) % CELLS


def alone(sums: np.ndarray) -> np.ndarray | None:
    """The numbers of the only match in a cell, or None: not one match, or no whole numbers."""
    if round(sums[0]) != 1:
        return None
    values = sums[1:] / sums[0] * PAYLOAD_BOUND
    return values.round().astype(int) if np.abs(values - values.round()).max() < 0.4 else None


def peel(both: list[np.ndarray], sets: int) -> np.ndarray:
    """Payloads of all matches. A match that is alone in a cell is taken out of its cell in the other table, where others
    may then be alone."""
    found = []
    progress = True
    while progress:
        progress = False
        for index, table in enumerate(both):
            for cell in np.flatnonzero(table[:, 0] > MARKER):
                values = alone(table[cell])
                if values is None:
                    continue
                number = values[0] * layout.NUMBER_BASE + values[1]
                places = cells(number, sets)
                if places[index] != cell:
                    continue
                sums = table[cell].copy()
                for each, place in zip(both, places, strict=True):
                    each[place] -= sums
                found.append(values[2:])
                progress = True
    if any((table[:, 0] > MARKER).any() for table in both):
        raise SystemExit("matches share their cells with others in both tables: there are too many to tell them apart")
    return np.array(found, np.int16).reshape(-1, layout.PAYLOAD)


def main() -> None:
    instance = layout.instance()
    slots = np.fromfile(instance.decrypted, complex).reshape(-1, SLOTS)
    if instance.count_only:
        result = np.array([round(slots[0, 0].real / instance.count_unit)], np.int_)
    else:
        payloads = peel(tables(slots), instance.sets)
        result = payloads[np.lexsort(payloads.T[::-1])]
    write(instance.result, result.tobytes())


if __name__ == "__main__":
    main()
