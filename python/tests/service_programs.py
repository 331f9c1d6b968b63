"""Programs for the tests of the service, with a small insecure ring."""

from __future__ import annotations

import threading
import time

import ringjet as rj
from ringjet.serve import Service, progress

PARAMS = rj.params(10, [50] + [40] * 3, [50], allow_insecure=True)

service = Service()
#: Lets the program `held` go on.
released = threading.Event()


@service.program(params=PARAMS)
def score(x, w):
    """The sum of products."""
    return x.dot(w)


@service.program(params=PARAMS)
def product(x, w):
    return x * w


@service.program(params=PARAMS, slots=8)
def parts(x):
    return {"twice": 2 * x, "more": [x * x, x - 1]}


@service.program(params=PARAMS)
def slow(x):
    for i in range(20):
        progress(i, 20)
        time.sleep(0.02)
    return x + x


@service.program(params=PARAMS)
def held(x):
    if x.backend != "model":
        assert released.wait(60)
    return x + x


@service.program(params=PARAMS)
def broken(x):
    if x.backend != "model":
        raise RuntimeError("a text with secrets")
    return x


@service.program(params=PARAMS)
def private(x):
    """Its error names a number of the service's owner."""
    if x.backend != "model":
        return x**-7.25
    return x


@service.program(params=PARAMS, magnitudes=(0.5, 2))
def inverse(x):
    return {"inverse": x.reciprocal(0.5, 2, error=0.1), "sum": (x + 1).sum()}


@service.program(params=PARAMS, whole=True, magnitudes=10)
def mean(x):
    return x.mean()


@service.program(params=PARAMS, slots=64, counts=8)
def total(x):
    """The sum of eight values: one slot more is not planned for."""
    return x.sum()
