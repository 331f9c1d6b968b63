"""The pages of the documentation that have programs: cookbook, tutorials, guide and first page.

Their programs run as they are written. A block of text right after a program is what it prints.
"""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ringjet as rj

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "site"))
import notebooks  # noqa: E402

FOLDERS = ["cookbook", "tutorials"]
#: The pages that are files of the folders, by their names: Markdown, or a notebook.
FILES = {
    page.relative_to(DOCS).with_suffix("").as_posix(): page
    for folder in FOLDERS
    for page in sorted((DOCS / folder).iterdir())
    if page.suffix in (".md", ".ipynb")
}
PAGES = sorted(FILES)
GUIDE = sorted(f"guide/{page.stem}" for page in (DOCS / "guide").glob("*.md"))
PROGRAM = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.S | re.M)
#: The files that a page says how to make with other programs: copies of which files of `data`.
GIVEN = {
    "cookbook/heir": {"mlp.mlir": "heir/mlp_kernels.mlir"},
    "cookbook/networks": {"digits.onnx": "networks/digits.onnx"},
}
#: The packages of pages that need more than ringjet and numpy.
NEEDED = {
    "index": ["sklearn"],
    "tutorials/ten-minutes": ["sklearn"],
    "tutorials/prediction": ["sklearn"],
    "cookbook/fraud-score": ["sklearn"],
    "cookbook/networks": ["onnx", "sklearn"],
    "cookbook/trees": ["sklearn"],
    "cookbook/which-models": ["onnx", "sklearn"],
}
#: Pages without programs that others link to.
INDEXES = [f"{folder}/README" for folder in FOLDERS]


def markdown(name: str) -> str:
    """The text of a page."""
    page = FILES.get(name, DOCS / f"{name}.md")
    return notebooks.markdown(page) if page.suffix == ".ipynb" else page.read_text()


def comparable(text: str) -> str:
    """An output without what differs from run to run: backends, paths, line numbers, and measured
    errors, which depend on random keys."""
    text = re.sub(r"\bmeasured \d+", "measured", text)
    text = re.sub(r"\S+\.(?:py|md):\d+", "program", text)
    return re.sub(r" +", " ", re.sub(r"\bcpu-(?:ifma|avx512|fma|scalar)\b", "cpu", text))


@pytest.mark.parametrize("name", ["index", *(name for name in [*PAGES, *GUIDE] if name not in INDEXES)])
def test_programs_of_a_page(name, tmp_path, monkeypatch, capsys):
    for package in NEEDED.get(name, []):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)  # pages write files
    for file, origin in GIVEN.get(name, {}).items():
        shutil.copy(Path(__file__).parent / "data" / origin, file)
    text = markdown(name)
    blocks = list(PROGRAM.finditer(text))
    if name.startswith("cookbook/"):
        assert blocks and "assert " in blocks[0][1]
    elif not name.startswith("guide/"):
        assert any(block[2] for block in blocks)
    space: dict[str, object] = {"__name__": "cookbook"}
    for block in blocks:
        # empty lines before a program: an error names the line of the page
        before = text.count("\n", 0, block.start(1))
        capsys.readouterr()
        exec(compile("\n" * before + block[1], f"{name}.md", "exec"), space)
        if block[2] is not None:
            assert comparable(capsys.readouterr().out) == comparable(block[2])


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_index_names_every_page(folder):
    links = re.findall(r"^\| \[[^]]*\]\(([a-z-]+)\.(?:md|ipynb)\)", (DOCS / folder / "README.md").read_text(), re.M)
    assert sorted(f"{folder}/{link}" for link in [*links, "README"]) == [
        page for page in PAGES if page.startswith(f"{folder}/")
    ]


#: The rows of the first page's table whose sources have a row for each operation: its name there.
OPERATIONS = {
    "product of two ciphertexts": "mul_relin_rescale",
    "a table of 4 bits": "table4",
    "the same for one integer": "table4",
}
FIGURE = r"[\d.]+ (?:us|ms|s|min)\b"


def section(page: str, anchor: str) -> str:
    """The part of a page from the first heading with this anchor to the next one that is as high."""
    headings = list(re.finditer(r"^(#+) (.*)$", page, re.M))
    anchors = [re.sub(r"[^\w -]", "", heading[2].lower()).replace(" ", "-") for heading in headings]
    start = headings[anchors.index(anchor)]
    ends = (h.start() for h in headings if h.start() > start.start() and len(h[1]) <= len(start[1]))
    return page[start.start() : next(ends, len(page))]


def figures_of(name: str, text: str, operation: str | None) -> set[str]:
    """The times of a library in tables: in the rows that it names or, of an operation, in its columns."""
    found, head = [], None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if head is None or not cells:
            head = cells or None
        elif operation is None and name in cells[0].lower():
            found += cells[1:]
        elif operation is not None and operation in cells[0]:
            found += [cell for column, cell in zip(head, cells, strict=True) if name in column.lower()]
    return {time[0] for time in (re.match(FIGURE, cell) for cell in found) if time}


def figures_of_the_first_page(index: str) -> list[tuple[str, bool]]:
    """Each time in the table of the first page, and whether its source has it for the same library."""
    checked = []
    rows = re.findall(r"^\| (.*?) \| (.*?) \| (.*?) ?\| \[.*\]\((benchmarks\.md|models\.md)#(.*)\) \|$", index, re.M)
    for what, own, others, source, anchor in rows:
        text = section((DOCS / source).read_text(), anchor)
        operation = next((o for start, o in OPERATIONS.items() if what.startswith(start)), None)
        times = f"ringjet {own}, {others}"
        named = re.findall(rf"(ringjet|Lattigo|OpenFHE|TFHE)\S* ({FIGURE})", times)
        assert len(named) == len(re.findall(FIGURE, times)), f"a time without a name: {times}"
        checked += [(time, time in figures_of(name.lower(), text, operation)) for name, time in named]
    assert len(rows) > 5
    return checked


def test_figures_of_the_first_page_are_those_of_their_sources():
    index = markdown("index")
    checked = figures_of_the_first_page(index)
    assert [time for time, right in checked if not right] == []
    for changed in {time for time, _ in checked}:
        other = re.sub(r"\d(?= )", lambda last: str((int(last[0]) + 1) % 10), changed)
        assert (other, False) in figures_of_the_first_page(index.replace(changed, other))
    swapped = index.replace("Lattigo 79.0", "Lattigo 86.2")  # OpenFHE's
    assert swapped != index and not all(right for _, right in figures_of_the_first_page(swapped))


@pytest.mark.parametrize("name", ["index", "guide/integers", "tutorials/ten-minutes"])
def test_times_of_one_integer_and_of_a_batch_are_those_of_the_benchmarks(name):
    text = section((DOCS / "benchmarks.md").read_text(), "integers-with-any-function")
    batch, alone = (
        float(time) for time in re.findall(r"^\| `table4` \| 1 \| .*? \| ([\d.]+) (?:us|ms) \|", text, re.M)
    )
    page = " ".join(markdown(name).split())
    assert f"a table of 4 bits takes {alone / 1e3:.2f} s for one integer alone" in page.replace("A table", "a table")
    assert f"{batch * 32_768 / 1e6:.1f} s for 32,768" in page


def test_the_overview_begins_with_the_program_of_the_first_page():
    """In a block `py`: blocks `python` of the overview also run where there is no scikit-learn."""
    overview = (DOCS.parent / "README.md").read_text()
    found = re.search(r"^```py\n(.*?)^```$\n\n```text\n(.*?)^```$", overview, re.S | re.M)
    first = PROGRAM.search(markdown("index"))
    assert found and first and found.groups() == first.groups()


def long_lines(text: str, code: str) -> list[str]:
    """The lines of more than 100 columns outside tables and blocks of `code`."""
    lines = re.sub(rf"^```{code}\n.*?^```$", "", text, flags=re.S | re.M).splitlines()
    return [line for line in lines if len(line) > 100 and not line.startswith("|")]


@pytest.mark.parametrize("name", ["index", *PAGES, *GUIDE])
def test_lines_are_short(name):
    assert long_lines(markdown(name), "text") == []


@pytest.mark.parametrize("name", ["CHANGELOG.md", "SECURITY.md", "deploy/README.md"])
def test_lines_of_text_are_short(name):
    assert long_lines((DOCS.parent / name).read_text(), r"\w*") == []


@pytest.mark.parametrize("name", ["tutorials/statistics", "guide/security-and-sharing"])
def test_plans_of_statistics_have_the_counts(name):
    """Their inputs hold fewer values than slots: without counts the plan is of another program."""
    plans = re.findall(r"^plan = rj\.plan\(.*", (DOCS / f"{name}.md").read_text(), re.M)
    assert plans and [plan for plan in plans if "counts=" not in plan] == []


def test_the_reference_has_every_public_name():
    pages = (DOCS / "reference" / "python").glob("*.md")
    named = set(re.findall(r"^::: ringjet\.(\w+)", "\n".join(page.read_text() for page in pages), re.M))
    public = {name for name, value in vars(rj).items() if not (name.startswith("_") or inspect.ismodule(value))}
    errors = {name for name, kind in vars(rj.errors).items() if isinstance(kind, type)}
    assert "errors" in named and errors < public and all(name.endswith(("Error", "Warning")) for name in errors)
    assert public - errors - named == set()


@pytest.mark.skipif("cpu-ifma" not in rj.backends(), reason="sizes of keys in memory are those of this backend")
def test_the_page_of_presets_is_up_to_date():
    run = subprocess.run([sys.executable, DOCS / "generate.py", "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
