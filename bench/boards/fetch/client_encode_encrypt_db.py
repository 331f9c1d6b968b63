#!/usr/bin/env python3
"""Encrypts the records and, unless matches are only counted, their payloads."""

from pathlib import Path

import layout
import numpy as np
import ringjet as rj
from layout import COLUMNS, NUMBER_BASE, PAYLOAD, PAYLOAD_BOUND, SLOTS
from stage import new_folder


def part(values: np.ndarray, index: int) -> np.ndarray:
    """Set `index` of SLOTS rows, with rows of zeros where there are no more."""
    rows = values[index * SLOTS : (index + 1) * SLOTS]
    return np.concatenate([rows, np.zeros((SLOTS - len(rows), values.shape[1]), values.dtype)])


def save(path: Path, ciphertext: rj.Ciphertext) -> None:
    """Writes into a folder that is not yet in place."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(ciphertext.to_bytes())


def encrypt_group(client: rj.Client, folder: Path, instance: layout.Instance, records: np.ndarray, group: int) -> None:
    """Row d of a group: slot i has number (i + d) mod dimension of record i, rotated to the right by what the server's
    rotations of sums of products will rotate it to the left."""
    both = part(records, 2 * group) + 1j * part(records, 2 * group + 1)
    dimension, slot = instance.dimension, np.arange(SLOTS)
    for d in range(dimension):
        source = (slot - d // instance.baby * instance.baby) % SLOTS
        values = both[source, (source + d) % dimension]
        save(layout.row_file(folder, group, d), client.encrypt(values, level=instance.level))


def encrypt_payloads(client: rj.Client, folder: Path, payloads: np.ndarray, index: int) -> None:
    """Columns of a set: a marker of 1, the record's number in two parts, and its payload, two of them in a ciphertext."""
    number = np.arange(index * SLOTS, (index + 1) * SLOTS)
    values = part(payloads, index) / PAYLOAD_BOUND
    parts = np.divmod(number, NUMBER_BASE)
    held = np.column_stack([np.ones(SLOTS), *(each / PAYLOAD_BOUND for each in parts), values])
    held[number >= len(payloads)] = 0
    assert held.shape[1] == 2 * COLUMNS == 3 + PAYLOAD
    for column in range(COLUMNS):
        pair = held[:, 2 * column] + 1j * held[:, 2 * column + 1]
        ciphertext = client.encrypt(pair, level=layout.PAYLOAD_LEVEL, magnitude=2)
        save(layout.payload_file(folder, index, column), ciphertext)


def main() -> None:
    instance = layout.instance()
    client = rj.Client.load(instance.secret)
    records = np.memmap(instance.data / "db.bin", np.float32, "r").reshape(-1, instance.dimension)
    payloads = np.memmap(instance.data / "payloads.bin", np.int16, "r").reshape(-1, PAYLOAD)
    with new_folder(instance.encrypted) as folder:
        for group in range(instance.groups):
            encrypt_group(client, folder, instance, records, group)
        if not instance.count_only:
            for index in range(instance.sets):
                encrypt_payloads(client, folder, payloads, index)


main()
