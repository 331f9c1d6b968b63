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


def test_figures_of_the_first_page_are_those_of_their_sources():
    rows = re.findall(r"^\|(.*)\| \[.*\]\((benchmarks\.md|models\.md)#.*\) \|$", markdown("index"), re.M)
    assert len(rows) > 5
    for row, source in rows:
        figures = re.findall(r"[\d.]+ (?:us|ms|s|min)\b", row)
        text = (DOCS / source).read_text()
        missing = [figure for figure in figures if not re.search(rf"(?<![\d.]){re.escape(figure)}\b", text)]
        assert figures and missing == [], f"{source} has not: {missing}"


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
