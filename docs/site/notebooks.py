"""Notebooks as pages: their cells in Markdown."""

from __future__ import annotations

import json
from pathlib import Path


def markdown(notebook: Path) -> str:
    """The cells of a notebook one after the other: text as it is, programs as blocks of Python, and
    what a program printed as a block of text right after it. Other outputs raise ValueError."""
    parts = []
    for cell in json.loads(notebook.read_text())["cells"]:
        text = "".join(cell["source"]).rstrip("\n")
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        for output in cell["outputs"]:
            if output.get("name") != "stdout":
                raise ValueError(
                    f"{notebook.name}: a cell has an output of type {output['output_type']}, not printed text"
                )
        if printed := "".join("".join(output["text"]) for output in cell["outputs"]):
            parts.append(f"```text\n{printed.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"
