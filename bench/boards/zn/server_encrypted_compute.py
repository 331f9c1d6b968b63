#!/usr/bin/env python3
"""Multiplies the encrypted remainders modulo each prime. Threads take blocks of numbers."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import circuit
import layout
import ringjet as rj
from layout import OPERANDS, PRIMES
from stage import new_folder, write


def product(instance: layout.Instance, servers: dict[int, rj.Server], folder: Path, prime: int, block: int) -> None:
    """Reads, multiplies and writes a block."""
    files = [layout.ciphertext_file(instance.upload, operand, prime, block) for operand in OPERANDS]
    x, y = (servers[prime].load(file.read_bytes()) for file in files)
    layout.ciphertext_file(folder, "out", prime, block).write_bytes(circuit.product(x, y).to_bytes())


def main() -> None:
    instance = layout.instance()
    start = time.perf_counter()
    servers = {prime: rj.Server(layout.key_file(instance.keys, prime), threads=1) for prime in PRIMES}
    ready = time.perf_counter()
    blocks = [(prime, block) for prime in PRIMES for block in range(instance.blocks)]
    with new_folder(instance.download) as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(lambda each: product(instance, servers, folder, *each), blocks):
            pass
    times = {"Loading of keys": ready - start, "Encrypted computation with files": time.perf_counter() - ready}
    write(instance.report, json.dumps({name: round(value, 4) for name, value in times.items()}).encode())


main()
