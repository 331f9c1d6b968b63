"""A profile as a page, as a table for notebooks, and as a trace for browsers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from .._text import duration, size

if TYPE_CHECKING:
    from ._profile import Profile, ProfiledOperation

#: The most bars of the timeline.
_MOST_BARS = 2000

_COLORS = ("#4878a8", "#d9822b", "#5b9a58", "#b8504b", "#8268a8", "#8c6d4f", "#c778a8", "#7f7f7f", "#a3a13c", "#3f9fa8")

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #222;
  background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem } p { margin: .3rem 0 }
.wide { overflow-x: auto } table { border-collapse: collapse; margin: .5rem 0 }
th, td { padding: .15rem .7rem; text-align: right; white-space: nowrap }
th { border-bottom: 1px solid #888 } .text { text-align: left } .step { color: #777 }
svg { width: 100%; display: block } .lane { fill: #8881 }
.key { display: inline-block; margin-right: 1.2rem; white-space: nowrap }
.key i { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem }
.axis { display: flex; justify-content: space-between; color: #777; font-size: .85rem }
@media (max-width: 40rem) { table { font-size: .8rem } th, td { padding: .15rem .3rem } body { margin: 1rem auto } }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd } .step, .axis { color: #999 } }
"""


def chrome_trace(profile: Profile) -> dict[str, Any]:
    """The trace: complete events for operations and their steps, and a counter of memory. Times are in us."""

    def complete(name: str, kind: str, thread: int, start: float, seconds: float, args: dict[str, Any]) -> Any:
        # whole nanoseconds: a step that ends with its operation must not end after it
        begin, end = round(start * 1e9), round((start + seconds) * 1e9)
        times = {"ts": begin / 1e3, "dur": (end - begin) / 1e3}
        return {"name": name, "cat": kind, "ph": "X", "pid": 1, "tid": thread, **times, "args": args}

    events: list[dict[str, Any]] = [_named("process_name", 0, f"ringjet, {profile.backend}")]
    events += [_named("thread_name", i, f"thread {i}") for i in range(profile._all.threads)]
    for o in profile.operations:
        events.append(complete(o.operation, "operation", o.thread, o.start, o.seconds, _facts(o)))
        events += [complete(s.name, "step", o.thread, s.start, s.seconds, {}) for s in o.steps]
        if o.memory_bytes is not None:
            counter = {"name": "memory of the process", "ph": "C", "pid": 1, "tid": o.thread}
            events.append(
                {**counter, "ts": round((o.start + o.seconds) * 1e9) / 1e3, "args": {"bytes": o.memory_bytes}}
            )
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _named(kind: str, thread: int, name: str) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": 1, "tid": thread, "args": {"name": name}}


def _facts(o: ProfiledOperation) -> dict[str, Any]:
    names = ("where", "results", "level", "scale", "slots", "precision_bits", "noise_budget", "bytes", "memory_raised")
    return {name: value for name in names if (value := getattr(o, name)) is not None}


def page(profile: Profile) -> str:
    """A page that loads nothing and runs nothing."""
    lines = "".join(f"<p>{escape(line)}</p>" for line in profile.header())
    body = f"<h1>Where the time went</h1>{lines}"
    if profile.operations:
        body += f"<h2>Timeline</h2>{_timeline(profile)}<h2>Operations by line</h2>{table(profile)}"
    view = "<meta name='viewport' content='width=device-width, initial-scale=1'>"
    head = f"<meta charset='utf-8'>{view}<title>Profile of ringjet</title><style>{_STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{body}</body></html>\n"


def table(profile: Profile, most: int | None = None) -> str:
    """The table of operations as HTML. most: how many rows it may have."""
    (_, head), *rows = profile.cells(most=most)

    def line(tag: str, depth: int, cells: Sequence[str]) -> str:
        step = " class='step'" if depth else ""
        indent = f" style='padding-left:{0.7 + depth}rem'" if depth else ""
        shown = [
            f"<{tag}{' class=text' if i < 2 else ''}{indent if i == 1 else ''}>{escape(cell)}</{tag}>"
            for i, cell in enumerate(cells)
        ]
        return f"<tr{step}>{''.join(shown)}</tr>"

    lines = [line("th", 0, head), *(line("td", depth, cells) for depth, cells in rows)]
    return f"<div class='wide'><table>{''.join(lines)}</table></div>"


def _timeline(profile: Profile) -> str:
    """A lane for each thread, with a bar for each operation and below it bars for its steps."""
    whole = profile.seconds or 1.0
    longest = sorted(profile.operations, key=lambda o: -o.seconds)[:_MOST_BARS]
    depth = 1 + max((s.depth + 1 for o in longest for s in o.steps), default=0)
    names = list(dict.fromkeys(row.operation for row in profile.rows if not row.steps))
    color = {name: _COLORS[i % len(_COLORS)] for i, name in enumerate(names)}
    bar, lane = 14, 14 * depth + 8
    threads = profile._all.threads

    def rect(o: ProfiledOperation, start: float, seconds: float, level: int, title: str) -> str:
        x, width = 1000 * start / whole, max(1000 * seconds / whole, 0.3)
        y, faded = o.thread * lane + level * bar, f" fill-opacity='{0.75 - 0.15 * min(level, 4)}'" if level else ""
        place = f"x='{x:.2f}' y='{y}' width='{width:.2f}' height='{bar - 1}' fill='{color[o.operation]}'{faded}"
        return f"<rect {place}><title>{escape(title)}</title></rect>"

    bars = [f"<rect class='lane' x='0' y='{i * lane}' width='1000' height='{lane - 4}'/>" for i in range(threads)]
    for o in longest:
        level = "" if o.level is None else f", level {o.level}"
        facts = f"{o.where}: {o.operation}, {duration(o.seconds)}{level}, {size(o.bytes)}"
        bars.append(rect(o, o.start, o.seconds, 0, facts))
        for s in o.steps:
            bars.append(rect(o, s.start, s.seconds, s.depth + 1, f"{o.operation}, {s.name}: {duration(s.seconds)}"))
    keys = "".join(f"<span class='key'><i style='background:{color[name]}'></i>{escape(name)}</span>" for name in names)
    # as wide as the page, and always as high
    shape = f"viewBox='0 0 1000 {threads * lane}' height='{threads * lane}' preserveAspectRatio='none'"
    drawing = f"<svg {shape} role='img' aria-label='Timeline'>{''.join(bars)}</svg>"
    note = f"<p>The {_MOST_BARS} longest operations are drawn.</p>" if len(profile.operations) > _MOST_BARS else ""
    axis = f"<div class='axis'><span>0 s</span><span>{duration(profile.seconds)}</span></div>"
    below = "A row of bars for each thread; under each operation are its steps."
    return f"<p>{below}</p>{note}{drawing}{axis}<p>{keys}</p>"
