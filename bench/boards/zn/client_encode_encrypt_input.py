#!/usr/bin/env python3
"""Encrypts the remainders of the numbers modulo each prime."""

import layout
import numpy as np
import ringjet as rj
from layout import OPERANDS, PRIMES, SLOTS
from stage import new_folder

instance = layout.instance()
numbers = {operand: np.fromfile(instance.io / f"{operand}.bin", np.int64) for operand in OPERANDS}
with new_folder(instance.upload) as folder:
    for prime in PRIMES:
        client = rj.Client.load(layout.key_file(instance.secrets, prime))
        for operand in OPERANDS:
            for block in range(instance.blocks):
                remainders = np.mod(numbers[operand][block * SLOTS : (block + 1) * SLOTS], prime)
                centred = remainders - prime * (remainders > prime // 2)
                data = client.encrypt(centred).to_bytes()
                layout.ciphertext_file(folder, operand, prime, block).write_bytes(data)
