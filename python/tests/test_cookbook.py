"""The pages of the cookbook: their programs run as they are written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "cookbook"
PAGES = sorted(page.stem for page in FOLDER.glob("*.md") if page.stem != "README")


@pytest.mark.parametrize("name", PAGES)
def test_programs_of_a_page(name):
    page = FOLDER / f"{name}.md"
    text = page.read_text()
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.S | re.M))
    assert blocks and "assert " in blocks[0][1]
    space: dict[str, object] = {"__name__": "cookbook"}
    for block in blocks:
        # empty lines before a program: an error names the line of the page
        before = text.count("\n", 0, block.start(1))
        exec(compile("\n" * before + block[1], str(page), "exec"), space)


def test_the_index_names_every_page():
    links = re.findall(r"^\| \[[^]]*\]\(([a-z-]+)\.md\)", (FOLDER / "README.md").read_text(), re.M)
    assert sorted(links) == PAGES


@pytest.mark.parametrize("name", ["README", *PAGES])
def test_lines_are_short(name):
    lines = (FOLDER / f"{name}.md").read_text().splitlines()
    assert [line for line in lines if len(line) > 100 and not line.startswith("|")] == []
