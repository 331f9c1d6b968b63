"""`ringjet train`."""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import resource
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._ringjet import Client, Parameters, Server, preset, set_threads
from .._text import size
from ..cluster import Cluster, ClusterTraining
from ..errors import RingjetError
from ..ml import EncryptedTraining, LogisticRegression, State, Step, TrainingPlan, sigmoid, train_in_the_clear
from ..program import Plan
from ..program import plan as plan_of
from ..progress import bar
from . import checkpoint, data
from .summary import Summary

Vector = npt.NDArray[np.float64]

_DESCRIPTION = """
Trains a logistic regression on encrypted data and compares it, iteration by iteration, with the same training in the
clear. Client and server run in this process, and only bytes go between them. All figures come from exact decryptions, which are
for the owner of the key: to publish coefficients, take LogisticRegression(share=True) of the Python package. With --checkpoint an interrupted run goes on where it
was, when the same command is given again, and ends with the same bytes as one that was not interrupted.
"""


_DEFAULTS = inspect.signature(LogisticRegression).parameters

#: Options that are arguments of LogisticRegression.
_SETTINGS = [
    ("iterations", int, "iterations of Nesterov's method"),
    ("degree", int, "of the sigmoid's polynomial: a higher one takes more levels and comes closer"),
    ("bound", float, "scores up to which it is near the sigmoid"),
    ("learning_rate", float, "of the first iteration"),
    ("decay", float, "iteration t has the rate / (1 + decay t)"),
    ("l2", float, "penalty on the weights"),
    ("batch_size", int, "samples of an iteration; all unless given"),
    ("clip", float, "standardised features are cut off here"),
    ("weight_bound", float, "weights that training is built for; larger ones are noticed and cost a warning"),
    ("shard", int, "blocks in the unit of work of a node; the last bits of results depend on it"),
]


def add_to(commands: Any) -> None:
    """Adds the command to a parser."""
    form = argparse.ArgumentDefaultsHelpFormatter
    what = "train a logistic regression on encrypted data"
    p = commands.add_parser("train", help=what, description=_DESCRIPTION, formatter_class=form)
    known = "; ".join(f"{name}: {what}" for name, what in data.KNOWN.items())
    p.add_argument("--data", required=True, help=f"{known}; or the path of a CSV file".replace("%", "%%"))
    p.add_argument("--label", help="the label's column in a CSV file, by name or number; the last one unless given")
    p.add_argument(
        "--preset", default="n16-boot", help="parameter set; with 'boot' in its name iterations are not limited"
    )
    p.add_argument(
        "--parameters", type=Path, help="a file with a parameter set of your own, as Parameters.to_json writes it"
    )
    p.add_argument(
        "--allow-insecure", action="store_true", help="take --parameters weaker than they say, for experiments"
    )
    for name, kind, meaning in _SETTINGS:
        choices = sigmoid.DEGREES if name == "degree" else None
        option = "--" + name.replace("_", "-")
        p.add_argument(option, type=kind, default=_DEFAULTS[name].default, choices=choices, help=meaning)
    p.add_argument("--test-fraction", type=float, default=0.2, help="of each class, held out; mnist38-full has its own")
    p.add_argument("--split-seed", type=int, default=0, help="of the split and of the order of samples")
    p.add_argument("--backend", default="auto", help="what the server computes on")
    p.add_argument("--threads", type=int, default=0, help="0: one a core")
    what = "compressed keys take half the memory, and longer"
    p.add_argument("--key-memory", default="expanded", choices=("expanded", "compressed"), help=what)
    what = (
        "train on the nodes of a Ray cluster: auto, host:port or local; same results, bit for bit. Needs ringjet[ray]"
    )
    p.add_argument("--cluster", metavar="ADDRESS", help=what)
    p.add_argument("--checkpoint", type=Path, metavar="FILE", help="where the run is kept; FILE.secret is the client's")
    p.add_argument("--pause-after", type=int, metavar="N", help="stop after N iterations of this call, to go on later")
    p.add_argument("--dry-run", action="store_true", help="only say what would be done")
    p.add_argument("--weights", type=Path, metavar="FILE", help="where the encrypted weights are written at the end")
    p.add_argument(
        "--report", type=Path, metavar="FILE", default=Path("ringjet-training.html"), help="the report, in HTML"
    )
    p.add_argument("--figures", type=Path, metavar="FILE", help="where the figures of the report are written as JSON")
    p.add_argument(
        "--seed", type=int, help="a number that makes all keys and encryptions, for tests: it can be guessed"
    )
    p.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command and returns the exit status."""
    try:
        return Training(arguments).run()
    except KeyboardInterrupt:
        kept = arguments.checkpoint is not None
        hint = (
            "the same command goes on after the last iteration" if kept else "--checkpoint FILE would have kept the run"
        )
        print(f"\ninterrupted: {hint}", file=sys.stderr)
        return 130
    except (RingjetError, data.DataError, checkpoint.CheckpointError, ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _check(a: argparse.Namespace) -> None:
    """Refuses options that are out of range, by name. Options of the training itself are checked by
    the training."""
    ranges: list[tuple[str, int | None, int, int]] = [
        ("--threads", a.threads, 0, 4096),
        ("--seed", a.seed, 0, 2**64 - 1),
        ("--split-seed", a.split_seed, 0, 2**64 - 1),
        ("--pause-after", a.pause_after, 1, 2**31),
    ]
    for option, value, least, most in ranges:
        if value is not None and not least <= value <= most:
            raise ValueError(f"{option} {value}: a whole number from {least} to {most} is needed")
    if not 0 < a.test_fraction < 1:
        raise ValueError(f"--test-fraction {a.test_fraction}: a number between 0 and 1 is needed")


@dataclass
class Phases:
    """Prints each phase and its time."""

    seconds: list[tuple[str, float]] = field(default_factory=list)

    def done(self, what: str, start: float, note: str = "") -> None:
        self.seconds.append((what, time.perf_counter() - start))
        print(f"  {what:<42} {self.seconds[-1][1]:8.1f} s   {note}", flush=True)


class Training:
    """One call of the command."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        a = self.arguments = arguments
        _check(a)
        set_threads(a.threads)
        own = a.parameters and Parameters.from_json(a.parameters.read_text(), allow_insecure=a.allow_insecure)
        self.params = own or preset(a.preset)
        self.data = data.load(a.data, a.label, a.test_fraction, a.split_seed)
        self.model = LogisticRegression(
            self.params,
            **{name: getattr(a, name) for name, *_ in _SETTINGS},
            random_state=a.split_seed,
        )
        self.x, self.y = self.model.prepare(self.data.x_train, self.data.y_train)
        self.x_test = self.model.transform(self.data.x_test)
        self.y_test = np.where(self.data.y_test == self.model.classes_[1], 1.0, -1.0)
        self.plan: TrainingPlan = self.model.plan(*self.x.shape)
        self.rows = self.plan.rows_of(self.x, self.y)
        self.phases = Phases()
        self.sizes: list[tuple[str, int]] = []
        self.history: list[Vector] = []

    def run(self) -> int:
        plan, a = self.plan, self.arguments
        began = time.perf_counter()
        print(
            f"{self.data.name}: {plan.samples} training and {len(self.x_test)} test samples, {plan.features} features"
        )
        print(f"{self.params}")
        bootstraps = f"{len(plan.bootstraps)} bootstraps of {plan.width} slots"
        print(f"{plan.iterations} iterations, {bootstraps}, {plan.ciphertexts} ciphertexts of {plan.slots} slots")
        if a.dry_run:
            print(f"{len(plan.rotations)} rotation keys beside those of bootstrapping\n{_dry_run(self.params, plan)}")
            return 0
        seed: int | bytes | None = a.seed
        if seed is None and a.checkpoint:
            seed = checkpoint.secret_of(a.checkpoint)
        kept = None if seed is None else checkpoint.Run.of(seed, plan, self.rows)
        progress = checkpoint.Progress()
        if a.checkpoint and kept:
            progress = checkpoint.restore(a.checkpoint, kept)
            # saved before anything is encrypted: the seed then belongs to this run
            checkpoint.save(a.checkpoint, kept, progress)
        start = time.perf_counter()
        clear = train_in_the_clear(plan, self.rows)
        self.phases.done("trains in the clear", start)
        client, server, sent = self._client(seed)
        try:
            training = self._server(server, sent)
            self.history = [self._read(client, c, i["factor"]) for c, i in zip(progress.curve, progress.iterations)]
            if progress.done:
                print(f"  goes on after iteration {progress.done}")
            start = time.perf_counter()
            finished = self._train(client, server, training, progress, clear, kept)
        finally:
            if isinstance(server, Cluster):
                server.close()
        self.phases.done("trains on ciphertexts", start, f"{len(self.history)} of {plan.iterations} iterations")
        if not finished:
            print(f"paused after iteration {progress.done}: the same command goes on")
            return 0
        if a.weights:
            a.weights.write_bytes(progress.w)
        self._report(progress, clear, time.perf_counter() - began)
        return 0

    def _client(self, seed: int | bytes | None) -> tuple[Client, Server | Cluster, list[bytes]]:
        """Makes the keys and encrypts the data; the server gets the keys as bytes."""
        plan, allow = self.plan, self.params.allow_insecure
        client = plan.client(self.params, seed)
        start = time.perf_counter()
        kept = self.arguments.key_memory
        keys = plan.keys(client, progress=bar("keys") if sys.stderr.isatty() else None, key_memory=kept)
        self.sizes.append(("evaluation keys in memory", keys.sizes["in_memory"]))
        note = f"{len(keys)} keys, {size(keys.sizes['in_memory'])} in memory"
        key_bytes = keys.to_bytes()
        del keys
        self.sizes.append(("evaluation keys sent", len(key_bytes)))
        self.phases.done("client makes evaluation keys", start, f"{note}, {size(len(key_bytes))} sent")
        start = time.perf_counter()
        sent = [ct.to_bytes() for ct in plan.encrypt(client, self.rows)]
        self.sizes.append(("training data sent", sum(map(len, sent))))
        self.phases.done("client encrypts the training data", start, size(sum(map(len, sent))))
        start = time.perf_counter()
        options: dict[str, Any] = {"allow_insecure": allow, "key_memory": kept, "backend": self.arguments.backend}
        if self.arguments.cluster:
            threads, show = self.arguments.threads or None, sys.stderr.isatty()
            nodes = Cluster(key_bytes, address=self.arguments.cluster, threads=threads, progress=show, **options)
            self.phases.done("nodes read the keys", start, repr(nodes))
            return client, nodes, sent
        server = Server(key_bytes, max_bytes=len(key_bytes), **options)
        self.phases.done("server reads the keys", start, repr(server))
        return client, server, sent

    def _server(self, server: Server | Cluster, sent: list[bytes]) -> EncryptedTraining | ClusterTraining:
        plan = self.plan
        if isinstance(server, Cluster):
            return server.training(plan, sent)
        if plan.bootstraps:
            start = time.perf_counter()
            server.prepare_bootstrapping(plan.width, progress=bar("matrices") if sys.stderr.isatty() else None)
            self.phases.done("server prepares bootstrapping", start)
        start = time.perf_counter()
        training = EncryptedTraining(plan, plan.load(server, sent))
        self.phases.done("server reads the training data", start)
        return training

    def _read(self, client: Client, weights: bytes, factor: float) -> Vector:
        """Decrypts the weights for the client. Invalid values are not checked here, since
        `ml.check` reports them."""
        return self.plan.unpack(client.decrypt(weights, check=False), factor)

    def _train(
        self,
        client: Client,
        server: Server | Cluster,
        training: EncryptedTraining | ClusterTraining,
        progress: checkpoint.Progress,
        clear: list[Vector],
        kept: checkpoint.Run | None,
    ) -> bool:
        """Trains and returns whether all iterations are done."""
        plan, a = self.plan, self.arguments
        stop = plan.iterations if a.pause_after is None else min(plan.iterations, progress.done + a.pause_after)
        if progress.done >= stop:
            return progress.done == plan.iterations
        for step in training.run(progress.state(server)):
            _note(progress, step)
            if a.checkpoint and kept:
                checkpoint.save(a.checkpoint, kept, progress)
            self.history.append(self._read(client, progress.curve[-1], step.factor))
            self._show(step, clear[step.iteration])
            if progress.done >= stop:
                break
        return progress.done == plan.iterations

    def _show(self, step: Step, clear: Vector) -> None:
        """Prints a line for an iteration."""
        fresh = f"bootstrap {step.bootstrap_seconds:6.2f} s" if step.iteration in self.plan.bootstraps else " " * 18
        losses = " ".join(f"{data.loss(self.x, self.y, w):.4f}" for w in (self.history[-1], clear))
        print(
            f"  {step.iteration + 1:>4}/{self.plan.iterations}  level {step.level:>2} to {step.left:<2}  {fresh}"
            f"  {step.seconds:7.2f} s   loss, in the clear: {losses}"
            f"   weights differ by {np.max(np.abs(self.history[-1] - clear)):.0e}",
            flush=True,
        )

    def _report(self, progress: checkpoint.Progress, clear: list[Vector], seconds: float) -> None:
        plan, a = self.plan, self.arguments
        made = Summary(
            self.data.name,
            self.params,
            plan,
            self.rows,
            {"training": (self.x, self.y), "held out": (self.x_test, self.y_test)},
            self.history,
            clear,
            progress.iterations,
            self.phases.seconds,
            [*self.sizes, ("peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)],
            [
                ("SHA-256 of the encrypted weights", hashlib.sha256(progress.w).hexdigest()),
                ("time of this call", f"{seconds:.1f} s"),
            ],
        )
        print(f"\n{made.text()}")
        a.report.parent.mkdir(parents=True, exist_ok=True)
        a.report.write_text(made.report().html(), encoding="utf-8")
        print(f"\n  report: {a.report}")
        if a.figures:
            a.figures.write_text(json.dumps(made.record(), indent=1) + "\n")


def _dry_run(params: Parameters, plan: TrainingPlan) -> Plan:
    """The plan of the training on a server with the keys of `plan`."""

    def training(server: Server) -> Any:
        *_, last = EncryptedTraining(plan, plan.inputs(server)).run()
        return last.state.w

    return plan_of(training, params, bootstrapping=bool(plan.bootstraps))


def _note(progress: checkpoint.Progress, step: Step) -> None:
    """Adds an iteration to the progress."""
    state: State = step.state
    progress.done, progress.factor = state.done, state.factor
    progress.v, progress.w = state.v.to_bytes(), state.w.to_bytes()
    progress.curve.append(step.weights.to_bytes())
    levels = {"level": step.level, "left": step.left, "factor": step.factor}
    progress.iterations.append({**levels, "bootstrap": step.bootstrap_seconds, "seconds": step.seconds})
