#!/usr/bin/env python3
"""Checks that the query is a vector of length 1."""

import layout
import numpy as np

instance = layout.instance()
query = np.fromfile(instance.data / "query.bin", np.float32)
if query.shape != (instance.dimension,) or abs(np.linalg.norm(query) - 1) > 1e-3:
    raise SystemExit(f"query.bin is no vector of {instance.dimension} numbers and length 1")
