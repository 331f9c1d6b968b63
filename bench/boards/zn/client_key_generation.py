#!/usr/bin/env python3
"""Makes a secret key for each prime, and the keys with which the server multiplies."""

import layout
import ringjet as rj
from stage import new_folder

instance = layout.instance()
with new_folder(instance.secrets) as secrets, new_folder(instance.keys) as keys:
    for prime in layout.PRIMES:
        client = rj.Client(layout.parameters(prime))
        client.save(layout.key_file(secrets, prime))
        client.evaluation_keys().save(layout.key_file(keys, prime))
