"""A party in a process of its own, which a test kills at any moment and starts again.

    party_worker.py FOLDER NAME SEED

Everything that it sends is a file of the folder, which is written whole or not at all. It chooses by the
seed with which of two plans it answers each ciphertext.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
import time
from pathlib import Path

import ringjet as rj
from ringjet import parties

NAMES = ["A", "B", "C"]
COUNT = 4


def agreement() -> tuple[parties.Spec, list[rj.program.Plan]]:
    params = rj.params(9, [60, 58, 58], [60], 58, alpha=1, parties=3, threshold=2, allow_insecure=True)
    # the second plan has larger errors, so that its noise is wider
    plans = [rj.plan(function, params, public_key=True, counts=16) for function in (once, fourfold)]
    return parties.Spec(params, NAMES, 2, plans=plans, keys={"rotations": [1]}), plans


def once(x: rj.Ciphertext) -> rj.Ciphertext:
    return x + 0


def fourfold(x: rj.Ciphertext) -> rj.Ciphertext:
    return x + x + x + x


def put(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_bytes(data)
    os.replace(part, path)


def gathered(folder: Path, pattern: str, count: int) -> list[bytes]:
    while True:
        found = sorted(path for path in folder.glob(pattern) if not path.name.startswith("."))
        if len(found) >= count:
            return [path.read_bytes() for path in found]
        time.sleep(0.005)


def work(folder: Path, name: str, seed: int) -> None:
    chooses = random.Random(seed)
    spec, plans = agreement()
    me = parties.Party(spec, name, path=folder / f"{name}.party")
    for other, hello in me.hello().items():
        put(folder / f"hello-{name}-to-{other}", hello)
    me.receive(gathered(folder, f"hello-*-to-{name}", 2))
    session = me.session()
    while not session.ready:
        step = session.round
        put(folder / f"{step}-{name}", session.next())
        session.receive(gathered(folder, f"{step}-*", 3))
    if name == "A":
        for number in range(COUNT):
            path = folder / f"ciphertext-{number}"
            if not path.exists():
                put(path, session.encrypt([number + 0.5] * 16, magnitude=4).to_bytes())
    for number in range(COUNT):
        (ct,) = gathered(folder, f"ciphertext-{number}", 1)
        for plan in chooses.sample(plans, 2):
            try:
                share = session.decryption_share(ct, plan=plan)
            except rj.AlreadyAnsweredError:
                continue
            # every share that ever left the process stays
            put(folder / f"share-{number}-{name}-{hashlib.sha256(share).hexdigest()[:16]}", share)
    put(folder / f"done-{name}", str(me.answers_given).encode())


if __name__ == "__main__":
    work(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
