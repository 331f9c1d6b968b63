"""The status page: plain HTML without scripts and without anything from elsewhere."""

from __future__ import annotations

import html
import time
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

from .._text import duration, size
from ._core import Core

#: The page loads nothing, and nothing in it runs.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

#: In a narrow window each row of a table with a head is a block with a line for each cell.
_STYLE = """body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 }
th, td { padding: .3em 1em .3em 0; text-align: left; border-bottom: 1px solid #ddd; vertical-align: top; white-space: nowrap }
td.long { white-space: normal; overflow-wrap: anywhere }
@media (max-width: 60em) {
  th, td { white-space: normal; overflow-wrap: anywhere }
  .headed, .headed tbody, .headed tr { display: block } thead { display: none }
  .headed tr { border-bottom: 1px solid #ddd; padding: .5em 0 }
  .headed td { display: grid; grid-template-columns: 8.5em 1fr; padding: 0; border: 0 }
  .headed td::before { content: attr(data-name); color: #666 }
}
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd } .headed td::before { color: #aaa } }"""

#: Texts of more characters than this may be broken.
_LONG = 24
#: How many names of inputs are listed.
_NAMES = 8


def page(core: Core, status: dict[str, Any]) -> str:
    """The page."""
    waiting, running, seconds = status["load"]
    load = [
        ("jobs that wait", waiting),
        ("jobs that run", f"{running} of {core.options.workers}"),
        ("predicted time until all are done", duration(seconds)),
        ("expanded keys in memory", f"{size(status['key_memory'])} of {size(core.options.max_memory)}"),
    ]
    programs = [
        (p.name, _listed([i.name for i in p.inputs]), p.params.fingerprint[:8], duration(p.seconds))
        for p in core.programs.values()
    ]
    states = ("queued", "running", "done", "failed", "cancelled")
    tenants = [
        (name, size(status["bytes"][name]), *(counts.get(state, 0) for state in states))
        for name, counts in status["jobs"].items()
    ]
    keys = [
        (row.tenant, row.key_id, size(row.size), row.fingerprint[:8], _clock(row.created), _clock(row.expires))
        for row in status["keys"]
    ]
    parts = [
        "<h1>ringjet</h1>",
        f"<p>{'stopping' if core.queue.stopping else 'ready'}, {_clock(time.time())}</p>",
        "<h2>Load</h2>" + _table(None, load),
        "<h2>Programs</h2>" + _table(("name", "inputs", "parameters", "predicted time"), programs),
        "<h2>Clients</h2>" + _table(("tenant", "stored", *states), tenants),
        "<h2>Keys</h2>" + _table(("tenant", "key", "size", "parameters", "since", "until"), keys),
    ]
    view = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">{view}<title>ringjet</title><style>{_STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>'


def _table(head: Sequence[str] | None, rows: Iterable[Iterable[Any]]) -> str:
    def cell(text: str, name: str) -> str:
        kind = ' class="long"' if len(text) > _LONG else ""
        label = f' data-name="{html.escape(name)}"' if name else ""
        return f"<td{kind}{label}>{html.escape(text)}</td>"

    def row(cells: Iterable[Any]) -> str:
        names = head or repeat("")
        return "<tr>" + "".join(cell(str(text), name) for text, name in zip(cells, names, strict=False)) + "</tr>"

    body = f"<tbody>{''.join(map(row, rows))}</tbody>"
    if head is None:
        return f"<table>{body}</table>"
    names = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    return f'<table class="headed"><thead><tr>{names}</tr></thead>{body}</table>'


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + more


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
