#!/usr/bin/env python3
"""Decrypts the remainders of the products modulo each prime."""

import layout
import numpy as np
import ringjet as rj
from layout import PRIMES
from stage import write

instance = layout.instance()
rows = []
for prime in PRIMES:
    client = rj.Client.load(layout.key_file(instance.secrets, prime))
    files = [layout.ciphertext_file(instance.download, "out", prime, block) for block in range(instance.blocks)]
    rows.append(np.concatenate([client.decrypt(file.read_bytes()) for file in files]))
write(instance.remainders, np.stack(rows).tobytes())
