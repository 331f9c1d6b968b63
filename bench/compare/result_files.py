"""Writes result files: JSON with one line for each round, row or record.

python3 bench/compare/result_files.py FILE...   # writes existing files anew; their values stay
"""

import json
import sys
from pathlib import Path
from typing import Any


def flat(value: Any) -> bool:
    """Whether a value contains no objects and arrays."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not any(isinstance(each, (dict, list)) for each in inner)


def text(value: Any, level: int = 0) -> str:
    """JSON in which each entry of the top level has a line, and each entry of its objects and arrays
    unless they are flat."""
    if level == 2 or (level and flat(value)) or not isinstance(value, (dict, list)):
        return json.dumps(value)
    if isinstance(value, dict):
        entries, ends = [f"{json.dumps(key)}: {text(each, level + 1)}" for key, each in value.items()], "{}"
    else:
        entries, ends = [text(each, level + 1) for each in value], "[]"
    start = "\n" + " " * level
    return ends[0] + start + " " + f",{start} ".join(entries) + start + ends[1]


def save(path: Path, value: Any) -> None:
    """Writes a value, and makes the folder if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(value) + "\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        save(Path(name), json.loads(Path(name).read_text()))
