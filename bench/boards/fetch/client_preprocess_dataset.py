#!/usr/bin/env python3
"""Checks that records have the form that the circuit relies on: vectors of length 1, payloads within their bound."""

import layout
import numpy as np

instance = layout.instance()
records = np.memmap(instance.data / "db.bin", np.float32, "r").reshape(-1, instance.dimension)
if len(records) != instance.records:
    raise SystemExit(f"db.bin has {len(records)} records, not {instance.records}")
for start in range(0, len(records), layout.SLOTS):
    lengths = np.linalg.norm(records[start : start + layout.SLOTS], axis=1)
    if np.abs(lengths - 1).max() > 1e-3:
        raise SystemExit(f"record {start + np.abs(lengths - 1).argmax()} of db.bin is no vector of length 1")
payloads = np.memmap(instance.data / "payloads.bin", np.int16, "r")
if len(payloads) != layout.PAYLOAD * len(records):
    raise SystemExit(f"payloads.bin has {len(payloads)} numbers, not {layout.PAYLOAD} for each record")
if payloads.min() < 0 or payloads.max() >= layout.PAYLOAD_BOUND:
    raise SystemExit(f"payloads.bin has a number that is not in 0 to {layout.PAYLOAD_BOUND - 1}")
