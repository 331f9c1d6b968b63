"""Loads modules of `bench/boards`: those of different suites have the same names."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

BOARDS = Path(__file__).resolve().parents[2] / "bench/boards"


def load(suite: str, *names: str) -> list[ModuleType]:
    """Modules of a suite's folder, or of `bench/boards` itself."""
    folders = [str(BOARDS / suite), str(BOARDS)]
    for name in [path.stem for folder in folders for path in Path(folder).glob("*.py")]:
        sys.modules.pop(name, None)
    before = sys.path.copy()
    sys.path[:0] = folders
    try:
        return [importlib.import_module(name) for name in names]
    finally:
        sys.path[:] = before


def run(suite: str, instance: str, root: Path, seed: int = 1) -> None:
    """Makes data, runs all stages once, and verifies the result."""
    description, runner = load(suite, "suite", "run")
    description.make_data(root, instance, seed)
    once, each_run = description.stages(instance)
    for stage in once:
        runner.run_stage(stage, BOARDS / suite, root, None)
    description.make_query(root, instance, seed)
    for stage in each_run:
        runner.run_stage(stage, BOARDS / suite, root, 1)


def models_training() -> ModuleType:
    """`bench/models/training.py`, which trains small networks."""
    folder = str(BOARDS.parent / "models")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("training")
    finally:
        sys.path.remove(folder)
