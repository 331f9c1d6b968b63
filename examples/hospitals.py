"""Three hospitals compute on the records of all of them; any two of them decrypt the results.

Each hospital is a process of its own, with pieces of one secret in a file of its own. They make keys
together over a service, which stores what they send and learns nothing. Each encrypts its records. One of
them computes three results: a mean, a count, and for each patient of hospital A the risk by a logistic
regression. The others compute the same again and compare, before they answer: results are the same bit for
bit. On the way two things happen:

- hospital B is killed while keys are made, starts again, and goes on from its file;
- hospital C is killed for good after it has encrypted. A and B decrypt without it.

What is protected: nobody sees the records of another hospital, and no single hospital can decrypt
anything. What is not: two hospitals together can decrypt everything, results tell what results tell about
people, and a hospital that answers a ciphertext without comparing it trusts whoever sent it. See
docs/guide/parties.md and SECURITY.md.

    python examples/hospitals.py [--preset n15-share-depth5]

The service takes the packages of `pip install ringjet[serve]`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import ringjet as rj
from ringjet import Ciphertext, parties

NAMES = ["A", "B", "C"]
PATIENTS = 200
#: A model that was trained elsewhere: weights of age, blood pressure and smoking, and a constant.
WEIGHTS, BIAS = (0.8, 0.5, 1.1), -0.7


def records(name: str) -> np.ndarray:
    """Age, blood pressure (both in standard deviations from a mean) and smoking (0 or 1) of the patients."""
    random = np.random.default_rng(NAMES.index(name))
    measured = np.clip(random.normal(0, 1, (2, PATIENTS)), -3, 3)
    return np.vstack([measured, random.integers(0, 2, PATIENTS)])


def study(
    ages_a: Ciphertext,
    pressures_a: Ciphertext,
    smokers_a: Ciphertext,
    ages_b: Ciphertext,
    smokers_b: Ciphertext,
    ages_c: Ciphertext,
    smokers_c: Ciphertext,
) -> dict[str, Ciphertext]:
    """What is computed: the mean age, the number of smokers, and the risks of A's patients."""
    mean = (ages_a + ages_b + ages_c).inner_sum(1, PATIENTS) * (1 / (3 * PATIENTS))
    smokers = (smokers_a + smokers_b + smokers_c).inner_sum(1, PATIENTS)
    w = WEIGHTS
    score = ages_a * w[0] + pressures_a * w[1] + smokers_a * w[2] + BIAS
    # of three products in a row; the largest score is 5.3
    risk = score.sigmoid((-6, 6), error=2e-2)
    return {"mean age": mean, "smokers": smokers, "risk": risk}


#: Which records each hospital sends, in the order of `study`, and their bounds.
SENT = {"A": [0, 1, 2], "B": [0, 2], "C": [0, 2]}
MAGNITUDES = [3, 3, 1, 3, 1, 3, 1]
BITS = {"mean age": 12, "smokers": 6, "risk": 8}


def agreement(preset: str) -> tuple[parties.Spec, rj.program.Plan]:
    """What all hospitals agree on, each for itself."""
    params = rj.preset(preset, parties=3, threshold=2)
    plan = rj.plan(study, params, magnitudes=MAGNITUDES, counts=PATIENTS, public_key=True)
    spec = parties.Spec(params, NAMES, threshold=2, plans=[plan], answers=64)
    return spec, plan


def hospital(name: str, preset: str, folder: Path, url: str, token: str) -> None:
    """One hospital. It may be killed at any time, and started again."""
    spec, plan = agreement(preset)
    me = parties.Party(spec, name, path=folder / f"{name}.party")
    # pieces of the secret travel in private: here each hospital has a folder that only it may read
    for other, hello in me.hello().items():
        place = folder / f"to-{other}"
        part = place / f".{name}-{os.getpid()}"
        part.write_bytes(hello)
        os.replace(part, place / name)
    inbox = folder / f"to-{name}"
    while len(arrived := [p for p in inbox.iterdir() if p.name in NAMES]) < 2:
        time.sleep(0.05)
    me.receive([path.read_bytes() for path in arrived])

    session = me.session()
    mailbox = parties.Mailbox(session, url, token)
    mailbox.make_keys(timeout=120)
    (folder / f"{name}.ready").touch()

    own = records(name)
    for row in SENT[name]:
        magnitude = 1 if row == 2 else 3
        ct = session.encrypt(own[row], magnitude=magnitude)
        # a hospital that was killed sends what it sent before
        if name not in mailbox.letters(f"record-{row}"):
            mailbox.send(f"record-{row}", ct.to_bytes())
    (folder / f"{name}.sent").touch()
    if name == "C":
        time.sleep(3600)  # until it is killed

    inputs = [mailbox.gather(f"record-{row}", count(row), timeout=120)[n] for n in NAMES for row in SENT[n]]
    if name == "A":
        server = rj.Server(session.evaluation_keys)
        results = study(*[server.load(data) for data in inputs])
        for what, ct in results.items():
            mailbox.send(what.replace(" ", "-"), ct.to_bytes())
    for what, bits in BITS.items():
        topic = what.replace(" ", "-")
        ct = mailbox.gather(topic, 1, timeout=120)["A"]
        if name != "A":
            session.verify(ct, study, inputs, output=what)
        mailbox.send(f"{topic}-share", session.decryption_share(ct, plan=plan, output=what, bits=bits))
        shares = mailbox.gather(f"{topic}-share", spec.threshold, timeout=120)
        values = session.combine(ct, shares.values(), bits)
        np.save(folder / f"{name}-{topic}.npy", values)


def count(row: int) -> int:
    """How many hospitals send this kind of record."""
    return sum(row in rows for rows in SENT.values())


def wait_for(path: Path, child: multiprocessing.Process) -> None:
    """Waits for a file that a hospital makes."""
    while not path.exists():
        if child.exitcode is not None:
            raise SystemExit(f"a hospital ended with status {child.exitcode}")
        time.sleep(0.05)


def main(preset: str, folder: Path) -> None:
    """The service, and a process for each hospital."""
    command = [sys.executable, "-m", "ringjet", "serve", "--folder", str(folder / "service"), "--port", "0"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    url = token = ""
    for line in service.stdout:
        token = found[1] if (found := re.search("shown only now: (rj_.*)", line)) else token
        if found := re.search(r"at (http://127\.0\.0\.1:\d+)", line):
            url = found[1]
            break
    for name in NAMES:
        (folder / f"to-{name}").mkdir(mode=0o700)

    context = multiprocessing.get_context("spawn")

    def start(name: str) -> multiprocessing.Process:
        process = context.Process(target=hospital, args=(name, preset, folder, url, token), name=name)
        process.start()
        return process

    try:
        begun = time.perf_counter()
        all_ = {name: start(name) for name in NAMES}
        wait_for(folder / "B.party", all_["B"])
        os.kill(all_["B"].pid, signal.SIGKILL)
        all_["B"].join()
        print("hospital B was killed while keys were made, and starts again")
        all_["B"] = start("B")
        for name in NAMES:
            wait_for(folder / f"{name}.ready", all_[name])
        print(f"keys are there after {time.perf_counter() - begun:.1f} s")
        wait_for(folder / "C.sent", all_["C"])
        os.kill(all_["C"].pid, signal.SIGKILL)
        print("hospital C was killed for good: A and B go on")
        for name in "AB":
            all_[name].join()
            if all_[name].exitcode != 0:
                raise SystemExit(f"hospital {name} ended with status {all_[name].exitcode}")
        report(folder)
        print(f"all of it took {time.perf_counter() - begun:.1f} s")
    finally:
        for process in all_.values():
            process.kill()
        service.terminate()
        service.wait()


def report(folder: Path) -> None:
    """Compares what A and B decrypted with the records in the clear."""
    pooled = [records(name) for name in NAMES]
    a = pooled[0]
    score = sum(w * row for w, row in zip(WEIGHTS, a, strict=True)) + BIAS
    wanted = {
        "mean age": np.mean([r[0] for r in pooled]),
        "smokers": np.sum([r[2] for r in pooled]),
        "risk": 1 / (1 + np.exp(-score)),
    }
    for what, expected in wanted.items():
        one, other = (np.load(folder / f"{n}-{what.replace(' ', '-')}.npy") for n in "AB")
        if not np.array_equal(one, other):
            raise SystemExit(f"A and B decrypted different values for {what}")
        shown = one[: np.size(expected)] if what == "risk" else one[0]
        error = np.abs(shown - expected).max()
        if error > (0.03 if what == "risk" else 0.02):
            raise SystemExit(f"{what}: an error of {error}")
        text = f"{shown[0]:.2f}, {shown[1]:.2f}, ..." if what == "risk" else f"{shown:.3f}"
        print(f"{what}: {text} (largest error {error:.1e})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="n15-share-depth5", help="a preset for shared results")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        main(arguments.preset, Path(made))
