#!/usr/bin/env python3
"""Reads the numbers, and stores them as signed numbers of 64 bits: products modulo 2^64 are the same."""

import layout
import numpy as np
from layout import INSTANCES, OPERANDS
from stage import write

instance = layout.instance()
for operand in OPERANDS:
    numbers = np.loadtxt(instance.data / f"{operand}.txt", dtype=np.uint64, ndmin=1)
    if len(numbers) != INSTANCES[instance.name]:
        raise SystemExit(f"{operand}.txt has {len(numbers)} numbers, not {INSTANCES[instance.name]}")
    write(instance.io / f"{operand}.bin", numbers.view(np.int64).tobytes())
