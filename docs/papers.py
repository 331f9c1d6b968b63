"""Makes docs/papers.md: every numbered table and figure of the five source documents, with the
command that gives it here, the published number, ours, and why the two differ.

    cargo build --release -p ringjet-cli
    python3 docs/papers.py            # writes docs/papers.md
    python3 docs/papers.py --check    # only says whether docs/papers.md is up to date

What is listed is in papers_rows.py; the commands there print the numbers. Measured numbers are of
the records in bench/results. It needs only Python's standard library.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from papers_rows import DOCUMENTS, Rows, Shown

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PAGE = DOCS / "papers.md"
HEADER = ("item", "what it shows", "command", "how", "published", "ours", "deviation", "why")


class Program:
    """The program `ringjet`, and the tables that it has printed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tables: dict[str, list[dict]] = {}

    def lines(self, *command: str) -> list[dict]:
        """What a command prints: a JSON object a line."""
        program = {"ringjet": str(self.path), "python3": sys.executable}
        run = subprocess.run([program[command[0]], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
        if run.returncode:
            raise SystemExit(f"{' '.join(command)}: {run.stderr.strip()}")
        return [json.loads(line) for line in run.stdout.splitlines()]

    def table(self, name: str) -> list[dict]:
        if name not in self.tables:
            words = name.split()
            self.tables[name] = (
                self.lines(*words) if len(words) > 1 else self.lines("ringjet", "model", "table", name, "--json")
            )
        return self.tables[name]

    def unused(self) -> list[str]:
        """Tables that the program has and the page does not show."""
        known = {line["table"] for line in self.lines("ringjet", "model", "table", "--json") if "table" in line}
        return sorted(known - set(self.tables))


def number(x: float) -> str:
    """Four significant digits."""
    if x and not 1e-3 <= abs(x) < 1e6:
        return re.sub(r"e\+?(-?)0*(\d)", r"e\1\2", f"{x:.4g}")
    return f"{x:.4g}" if abs(x) < 1e4 else f"{x:,.0f}"


def percent(x: float) -> str:
    x *= 100
    return "0 %" if abs(x) < 0.05 else f"{x:+.1f} %" if abs(x) < 9.95 else f"{x:+.0f} %"


def deviations(rows: list[dict]) -> str:
    """The least and the largest deviation of the numbers that the paper prints."""
    found = [row["deviation"] for row in rows if row["deviation"] is not None]
    if not found:
        return "no printed numbers"
    low, high = percent(min(found)), percent(max(found))
    return low if low == high else f"{low} to {high}"


def rows(item: Rows, program: Program) -> list[str]:
    found = [row for row in program.table(item.table) if re.search(item.part, f"{row['entry']}, {row['quantity']}")]
    entry, quantity = item.example
    chosen = [row for row in found if (row["entry"], row["quantity"]) == item.example]
    if len(chosen) != 1:
        known = "\n".join(f"  {row['entry']!r}, {row['quantity']!r}" for row in found)
        raise SystemExit(f"{item.name}: {len(chosen)} rows {item.example} in table {item.table}. It has\n{known}")
    [row] = chosen
    printed = sum(row["paper"] is not None for row in found)
    published = "not printed" if row["paper"] is None else number(row["paper"])
    published = f"{entry}, {quantity}: {published}"
    if others := printed - (row["paper"] is not None):
        published += f"; {others} more number{'s' if others > 1 else ''}"
    ours = "not derived" if row["model"] is None else number(row["model"])
    command = item.table if " " in item.table else f"ringjet model table {item.table}"
    return [f"`{command}`", item.how, published, ours, deviations(found), item.why]


def shown(item: Shown) -> list[str]:
    return [f"`{item.command}`" if item.command else "-", item.how, item.published, item.ours, item.deviation, item.why]


def exists(command: str) -> bool:
    """Whether what a command starts is in the repository: a package, a test, a script, a document."""
    words = command.split()
    if words[0] == "make":
        return f"\n{words[1]}:" in (ROOT / "Makefile").read_text()
    if words[0] == "cargo":
        package = words[words.index("-p") + 1]
        manifests = [path for path in ROOT.glob("*/*/Cargo.toml") if f'name = "{package}"' in path.read_text()]
        test = words[-1] if words[1] == "test" and words[-2] != "-p" else None
        sources = (path.read_text() for manifest in manifests for path in manifest.parent.rglob("*.rs"))
        return bool(manifests) and (
            test is None or any(re.search(rf"\bfn {re.escape(test)}\b", text) for text in sources)
        )
    files = [word for word in words if "/" in word and not word.startswith("target/")]
    return all((ROOT / file).exists() for file in files)


def page(program: Program) -> str:
    sections = []
    count = 0
    for document in DOCUMENTS:
        lines = [f"| {' | '.join(HEADER)} |", "|" + "---|" * len(HEADER)]
        for item in document.items:
            cells = rows(item, program) if isinstance(item, Rows) else shown(item)
            if isinstance(item, Shown) and item.command and not exists(item.command):
                raise SystemExit(f"{item.name}: nothing to run for {item.command}")
            lines.append("| " + " | ".join([item.name, item.shows, *cells]) + " |")
            count += 1
        sections.append(
            f"## {document.title}\n\n{textwrap.fill(document.text, 100, break_on_hyphens=False, break_long_words=False)}\n\n"
            + "\n".join(lines)
            + "\n"
        )
    if left := program.unused():
        raise SystemExit(f"the page has no row for the tables {', '.join(left)}")
    return f"""<!-- Generated by docs/papers.py. Do not edit. -->

# Published numbers beside ours

ringjet computes what five documents describe. This page has {count} rows: one for each of their
numbered tables and figures, and for numbers of their texts. Each row has the command that gives our
number, the published number, and the reason where the two differ. `ringjet` is
`target/release/ringjet`, which `cargo build --release -p ringjet-cli` makes.

- **how**: *counted* numbers are exact counts of operations or bytes, from the code that computes.
  *Modelled* numbers are times or costs that the cost model derives from counts. *Predicted* numbers
  are times of a GPU that nobody measured. *Emulated* numbers are of DPUs, by an emulator or by
  closed forms that are compared with it. *Measured* numbers are times or precisions that a record in
  `bench/results` holds, with its machine and day. *Simulated* numbers come from a simulator of DDR4
  memory.
- **published** shows one number of the item, and how many more numbers are printed.
- **deviation** is ours / published - 1, from the least to the largest of all numbers that the
  document prints.
- All numbers, with a note for each, are in the output of the command. Commands that print a
  measured record take a second; how to measure anew stands above the table or in
  its last column.

""" + "\n".join(sections)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether docs/papers.md is up to date")
    parser.add_argument("--binary", type=Path, default=ROOT / "target" / "release" / "ringjet")
    chosen = parser.parse_args()
    if not chosen.binary.is_file():
        raise SystemExit(
            f"{chosen.binary} is missing: cargo build --release -p ringjet-cli, or name another with --binary"
        )
    text = page(Program(chosen.binary))
    if chosen.check:
        if PAGE.exists() and PAGE.read_text() == text:
            return 0
        print(f"{PAGE.relative_to(ROOT)} is out of date: run python3 docs/papers.py")
        return 1
    PAGE.write_text(text)
    print(PAGE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
