#!/usr/bin/env python3
"""Finds the matches of an encrypted query in the encrypted database: how many there are, or what they hold."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import circuit
import layout
import numpy as np
import ringjet as rj
from layout import COLUMNS
from numpy.polynomial import Chebyshev
from stage import new_folder, write


class Database:
    """The ciphertexts of the database, read when they are needed."""

    def __init__(self, instance: layout.Instance, server: rj.Server, pool: ThreadPoolExecutor) -> None:
        self.instance, self.server, self.pool = instance, server, pool

    def load(self, files: list) -> list[rj.Ciphertext]:
        return list(self.pool.map(lambda file: self.server.load(file.read_bytes()), files))

    def steps(self, group: int) -> Iterator[list[rj.Ciphertext]]:
        """Rows of a group, the last ones first."""
        baby, folder = self.instance.baby, self.instance.encrypted
        for start in reversed(range(0, self.instance.dimension, baby)):
            yield self.load([layout.row_file(folder, group, d) for d in range(start, start + baby)])

    def payloads(self, index: int) -> list[rj.Ciphertext]:
        return self.load([layout.payload_file(self.instance.encrypted, index, column) for column in range(COLUMNS)])


def decisions(instance: layout.Instance, database: Database) -> Iterator[rj.Ciphertext]:
    """The decisions of all sets of records."""
    polynomial = Chebyshev(np.load(instance.threshold))
    query = database.server.load(instance.query.read_bytes())
    queries = circuit.rotated_queries(query, instance.baby)
    for group in range(instance.groups):
        half = circuit.similarities(queries, database.steps(group))
        yield from circuit.matches(half, polynomial, min(2, instance.sets - 2 * group))


def computed(instance: layout.Instance, database: Database) -> list[rj.Ciphertext]:
    found = decisions(instance, database)
    if instance.count_only:
        return [circuit.count(found, instance.count_unit)]
    tables = circuit.Tables()
    for index, decision in enumerate(found):
        tables.add(decision, database.payloads(index))
    return tables.answer()


def main() -> None:
    instance = layout.instance()
    start = time.perf_counter()
    server = rj.Server(instance.keys)
    ready = time.perf_counter()
    with ThreadPoolExecutor(rj.threads()) as pool:
        results = computed(instance, Database(instance, server, pool))
    end = time.perf_counter()
    with new_folder(instance.answer) as folder:
        for index, result in enumerate(results):
            (folder / f"result_{index}.bin").write_bytes(result.to_bytes())
    times = {"Loading of keys": round(ready - start, 3), "Encrypted computation": round(end - ready, 3)}
    write(instance.report, json.dumps(times).encode())


main()
