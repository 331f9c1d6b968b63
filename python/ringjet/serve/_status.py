"""The status page: plain HTML without scripts and without anything from elsewhere."""

from __future__ import annotations

import html
import time
from collections.abc import Iterable
from typing import Any

from .._text import duration, size
from ._core import Core

#: The page loads nothing, and nothing in it runs.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

_STYLE = """body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 } .wide { overflow-x: auto; white-space: nowrap }
th, td { padding: .3em 1em .3em 0; text-align: left; border-bottom: 1px solid #ddd }
code { font-size: 90% } @media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd } }"""


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
        (p.name, ", ".join(i.name for i in p.inputs), p.params.fingerprint[:8], duration(p.seconds))
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


def _table(head: Iterable[str] | None, rows: Iterable[Iterable[Any]]) -> str:
    def row(cells: Iterable[Any], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(str(cell))}</{kind}>" for cell in cells) + "</tr>"

    table = (row(head, "th") if head else "") + "".join(row(cells, "td") for cells in rows)
    return f'<div class="wide" tabindex="0"><table>{table}</table></div>'


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
