#!/usr/bin/env python3
"""Makes the client's secret key, and the keys that the server computes with."""

import circuit
import layout
import ringjet as rj

instance = layout.instance()
client = rj.Client(layout.parameters())
for path in (instance.secret, instance.keys):
    path.parent.mkdir(parents=True, exist_ok=True)
client.save(instance.secret, overwrite=True)
client.evaluation_keys(**circuit.keys(instance)).save(instance.keys)
