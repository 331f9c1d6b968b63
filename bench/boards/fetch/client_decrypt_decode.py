#!/usr/bin/env python3
"""Decrypts the server's answer: the slots of all its ciphertexts, as complex numbers."""

import layout
import numpy as np
import ringjet as rj
from stage import write

instance = layout.instance()
client = rj.Client.load(instance.secret)
answers = [file.read_bytes() for file in sorted(instance.answer.iterdir())]
slots = np.stack([client.decrypt(answer, complex=True) for answer in answers])
write(instance.decrypted, slots.tobytes())
