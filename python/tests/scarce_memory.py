"""Runs operations with little memory left, and prints how each of them ended.

`python scarce_memory.py NAME...`: for each name and each headroom, in KiB, the address space of the
process is limited to what it takes and that much more. An operation must end with a result or with
a MemoryError. Whatever else happens ends the process.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import ringjet as rj

HEADROOMS = (200, 800, 1500, 3000, 6000, 15_000, 30_000, 60_000, 250_000)
CASES: dict[str, Callable[[], Callable[[], Any]]] = {}


def case(make: Callable[[], Callable[[], Any]]) -> Callable[[], Callable[[], Any]]:
    """`make` prepares an operation with all the memory that it likes."""
    CASES[make.__name__] = make
    return make


def session(name: str, values: Any = (1, 2), **keys: Any) -> tuple[rj.Client, rj.Server, rj.Ciphertext]:
    client = rj.Client(name)
    server = rj.Server(client.evaluation_keys(**keys))
    return client, server, server.load(client.encrypt(values).to_bytes())


@case
def clients():
    params = rj.preset("n14-depth6")
    return lambda: rj.Client(params)


@case
def keys():
    client = rj.Client("n14-depth6")
    return lambda: rj.Server(client.evaluation_keys(rotations=[1, 2, 3], conjugation=True))


@case
def key_bytes():
    made = rj.Client("n14-depth6").evaluation_keys(rotations=[1, 2])
    return lambda: rj.EvaluationKeys.from_bytes(made.to_bytes())


@case
def encryption():
    client, values = rj.Client("n14-depth6"), np.ones(8192) / 2
    public = rj.Encryptor(client.public_key())
    return lambda: [client.decrypt(encrypt(values)) for encrypt in (client.encrypt, public.encrypt)]


@case
def operators():
    client, server, x = session("n14-depth6", [0.5, 0.25], rotations=[1, 2, 4], conjugation=True)
    v = np.ones(x.slots)
    return lambda: [
        client.decrypt(y) for y in (x * x + v, x * v, x.rotate(1), *x.rotations([1, 2, 4]), x.conjugate(), x**5)
    ]


@case
def polynomials():
    client, server, x = session("n14-depth6", [0.5, 0.25])
    return lambda: client.decrypt(server.load(x.polynomial([1, 0.5, 0.25, 2, 1, 3]).to_bytes()))


@case
def transforms():
    matrix = np.tri(64)
    transform = rj.LinearTransform(matrix, 8192)
    client, server, x = session("n14-depth6", [0.5, 0.25], rotations=transform.rotations)
    return lambda: client.decrypt(x.matmul(rj.LinearTransform.from_bytes(rj.LinearTransform(matrix, 8192).to_bytes())))


@case
def exact():
    client, server, x = session("bgv-n14", rotations=[1])
    return lambda: client.decrypt((x * x).rotate(1).polynomial([1, 2, 3]))


@case
def bfv():
    client, server, x = session("bfv-n14", rotations=[1])
    return lambda: client.decrypt((x * x).rotate(1))


@case
def heaan():
    client = rj.Client(rj.heaan(13, 300, 30, allow_insecure=True))
    server = rj.Server(client.evaluation_keys(rotations=[1]))
    x = server.load(client.encrypt([0.5]).to_bytes())
    return lambda: client.decrypt((x * x).rotate(1))


@case
def bootstraps():
    params = rj.bootstrap_chain(
        log_n=12, message_levels=2, slots_to_coeffs=[4, 4, 3], coeffs_to_slots=[4, 4, 3], allow_insecure=True
    )
    client = rj.Client(params)
    return lambda: client.decrypt(
        rj.Server(client.evaluation_keys(bootstrapping=True))
        .load(client.encrypt([0.5], params.bootstrap_input_level).to_bytes())
        .bootstrap()
    )


@case
def plans():
    return lambda: rj.plan(lambda x: x * x, "n14-depth6", device="h200")


def outcome(run: Callable[[], Any], headroom: int) -> str:
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + headroom * 1024, most))
    try:
        run()
        return "result"
    except MemoryError as error:
        return "refused" if type(error).__module__ == "ringjet.errors" else "refused by Python or numpy"
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for headroom in HEADROOMS:
            print(name, headroom, outcome(CASES[name](), headroom), flush=True)
