#!/usr/bin/env python3
"""Checks that all ciphertexts of the database are there, and computes the polynomial of the threshold."""

import io
import os

# Small least-squares problems: threads of the linear algebra would mostly wait. It reads this when it is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import circuit
import layout
import numpy as np
from stage import write

instance = layout.instance()
rows = [(group, row) for group in range(instance.groups) for row in range(instance.dimension)]
files = [layout.row_file(instance.encrypted, *each) for each in rows]
if not instance.count_only:
    columns = [(index, column) for index in range(instance.sets) for column in range(layout.COLUMNS)]
    files += [layout.payload_file(instance.encrypted, *each) for each in columns]
missing = [str(file) for file in files if not file.is_file()]
if missing:
    raise SystemExit(f"{len(missing)} files of the database are missing, such as {missing[0]}")
data = io.BytesIO()
np.save(data, circuit.threshold())
write(instance.threshold, data.getvalue())
