"""Runs steps one after the other within a time budget, and keeps their outcomes and results in a JSON file.

A step runs one or more commands at the same time. Each outcome starts with one of these words:

    ok           every command ended with 0
    wrong        a check failed: it found a wrong word, or the device reported an error
    failed       a command ended otherwise, or reached the step's time limit
    not run      with the reason: no time left, a missing program, or an earlier step
"""

import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

# Longest output that is kept of a step that failed or has no results of its own, in characters.
MOST_OUTPUT = 24_000
# Seconds that are kept for the steps that always run.
RESERVE = 5
# Exit statuses of a check that failed: an error, a panic, and the signals SIGABRT and SIGSEGV.
WRONG = (1, 101, -signal.SIGABRT, -signal.SIGSEGV)


@dataclasses.dataclass
class Step:
    name: str
    limit: float
    """Time limit in seconds."""
    commands: list
    """Commands that run at the same time, each a list of words."""
    wrong: tuple = ()
    """Exit statuses that mean a wrong word. An empty tuple: the step checks nothing."""
    opens: bool = False
    """Whether the device cannot be used if this step fails."""
    always: bool = False
    """Whether the step runs after a wrong word, and in the reserved seconds."""
    environment: dict = dataclasses.field(default_factory=dict)


class Run:
    """The steps that were run or left out, and the file that lists them."""

    def __init__(self, path, seconds, about, folders):
        """`about`: what the file says beside the steps. `folders`: path and fixed name of each folder of this
        machine that commands mention."""
        self.path, self.about, self.folders = path, about, folders
        self.start = time.monotonic()
        self.deadline = self.start + seconds
        self.steps = []
        self.stopped = None  # why no further steps run

    def elapsed(self):
        return time.monotonic() - self.start

    def left(self, step):
        return self.deadline - (0 if step.always else RESERVE) - time.monotonic()

    def run(self, step):
        """Runs a step, or lists it as not run. Returns its entry."""
        missing = [c[0] for c in step.commands if not shutil.which(c[0])]
        left, began = self.left(step), time.monotonic()
        if self.stopped and not step.always:
            return self.keep(step, f"not run: {self.stopped}")
        if left < 1:
            return self.keep(step, "not run: no time left")
        if missing:
            return self.keep(step, f"not run: {pathlib.Path(missing[0]).name} is missing")
        print(f"[{self.elapsed():5.1f} s] {step.name}", flush=True)
        limit = min(step.limit, left)
        found = attempt(step, limit)
        outcome, results, said = self.judge(step, found, limit), [], ""
        for status, output, errors in found:
            lines = parsed(output)
            results += lines
            if status != 0 or not lines:
                said += errors if lines else output + errors
        entry = self.keep(step, outcome, time.monotonic() - began, limit, results, said[-MOST_OUTPUT:])
        entry["failing"] = [c for c, (status, _, _) in zip(step.commands, found) if status in step.wrong]
        if outcome.startswith("wrong"):
            self.stopped = f'the check "{step.name}" failed'
        elif outcome != "ok" and step.opens:
            self.stopped = f'"{step.name}" failed'
        return entry

    def judge(self, step, found, limit):
        """The outcome of a step, from the exit status of each command (None: ended by the limit)."""
        statuses = [status for status, _, _ in found]
        if any(status in step.wrong for status in statuses):
            return "wrong"
        if None in statuses:
            return f"failed: over its limit of {limit:.0f} s"
        bad = [status for status in statuses if status]
        return f"failed: exit status {bad[0]}" if bad else "ok"

    def keep(self, step, outcome, seconds=0.0, limit=0.0, results=(), said=""):
        entry = {
            "name": step.name,
            "outcome": outcome,
            "seconds": round(seconds, 3),
            "limit_s": round(limit, 1),
            "commands": [self.anonymous(" ".join(c)) for c in step.commands],
            "environment": {k: self.anonymous(v) for k, v in step.environment.items()},
            "results": list(results),
            "said": self.anonymous(said),
        }
        self.steps.append(entry)
        self.write()
        if outcome.startswith(("wrong", "failed")):
            print(f"    {outcome}", flush=True)
            for line in entry["said"].splitlines()[-12:]:
                print(f"    | {line}", flush=True)
        return entry

    def anonymous(self, text):
        for folder, name in self.folders:
            text = text.replace(str(folder), name)
        return text

    def write(self):
        """Rewrites the file at once: a reader sees the old contents or the new ones."""
        steps = [{k: v for k, v in step.items() if k != "failing"} for step in self.steps]
        text = json.dumps({**self.about, "seconds": round(self.elapsed(), 1), "steps": steps}, indent=1)
        part = self.path.with_suffix(".part")
        part.write_text(text + "\n")
        part.replace(self.path)


def attempt(step, limit):
    """Runs the commands of a step at the same time. Returns the exit status (None: ended by the limit), the
    output and the errors of each."""
    started = []
    for number, command in enumerate(step.commands):
        files = [scratch() / f"{number}.{what}" for what in ("out", "errors")]
        with open(files[0], "wb") as out, open(files[1], "wb") as errors:
            # In a process group of its own, so that the limit also ends what the command has started.
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                env={**os.environ, **step.environment},
                start_new_session=True,
            )
        started.append((process, files))
    end, found = time.monotonic() + limit, []
    for process, files in started:
        try:
            status = process.wait(max(0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
        found.append((status, *(file.read_text(errors="replace") for file in files)))
    return found


def scratch():
    """The folder of this run's temporary files."""
    return pathlib.Path(os.environ["RINGJET_SCRATCH"])


def parsed(output):
    """The output as a list of JSON objects: it is one object, or some of its lines are. The latter also holds
    for a program that was ended early."""
    texts = [output, *(line.rstrip().rstrip(",") for line in output.splitlines())]
    found = []
    for text in texts:
        try:
            value = json.loads(text)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
            if text is output:
                break
    return found
