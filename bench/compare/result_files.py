"""Writes result files: JSON with one line for each round, row or record.

python3 bench/compare/result_files.py FILE...   # writes existing files anew; their values stay
"""

import json
import sys
from pathlib import Path
from typing import Any

# A record of records is written on one line up to this many columns.
WIDTH = 1000


def depth(value: Any) -> int:
    """How many objects and arrays are within one another; 0 for a number or a string."""
    if not isinstance(value, (dict, list)):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)


def text(value: Any, indent: int = 0) -> str:
    """JSON in which an object or array below the top is one line if it contains only numbers and
    strings, or only records of them and is short. All others have one entry a line."""
    line, levels = json.dumps(value), depth(value)
    if levels == 0 or (indent and (levels == 1 or (levels == 2 and len(line) <= WIDTH))):
        return line
    indent += 1
    if isinstance(value, dict):
        entries, ends = [f"{json.dumps(key)}: {text(each, indent)}" for key, each in value.items()], "{}"
    else:
        entries, ends = [text(each, indent) for each in value], "[]"
    start = "\n" + " " * indent
    return ends[0] + start + f",{start}".join(entries) + start[:-1] + ends[1]


def save(path: Path, value: Any) -> None:
    """Writes a value, and makes the folder if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(value) + "\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        save(Path(name), json.loads(Path(name).read_text()))
