"""The report of a training run, as one self-contained HTML file."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem } th, td { padding: 0.2rem 0.8rem; text-align: right }
th { border-bottom: 1px solid #888 } td:first-child, th:first-child { text-align: left }
tr:nth-child(even) { background: #f4f4f4 } td:last-child { overflow-wrap: anywhere }
@media (max-width: 40rem) { th, td { padding: 0.2rem 0.4rem } }
.warning { background: #fee; border: 1px solid #c00; padding: 0.5rem 1rem } svg { max-width: 100%; height: auto }
"""


@dataclass
class Curve:
    """A quantity after every iteration, for encrypted training and for training in the clear, and
    its value for fully trained weights."""

    title: str
    encrypted: Sequence[float]
    clear: Sequence[float]
    converged: float


@dataclass
class Report:
    """Tables (a title, and rows that begin with a header), curves and other plots."""

    title: str
    summary: str
    warning: str = ""
    note: str = ""
    tables: list[tuple[str, list[Sequence[str]]]] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    #: Titles, and plots as inline SVG.
    figures: list[tuple[str, str]] = field(default_factory=list)

    def html(self) -> str:
        parts = [f"<h1>{escape(self.title)}</h1><p>{escape(self.summary)}</p>"]
        if self.warning:
            parts.append(f"<p class='warning'>{escape(self.warning)}</p>")
        if self.note:
            parts.append(f"<p>{escape(self.note)}</p>")
        if self.curves:
            parts.append(plot(self.curves))
        parts += [f"<h2>{escape(title)}</h2>{figure}" for title, figure in self.figures]
        parts += [f"<h2>{escape(title)}</h2>{_table(rows)}" for title, rows in self.tables]
        view = "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        head = f"<meta charset='utf-8'>{view}<title>{escape(self.title)}</title><style>{_STYLE}</style>"
        return f"<!doctype html><html lang='en'><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _table(rows: list[Sequence[str]]) -> str:
    def line(tag: str, row: Sequence[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"

    return f"<table>{line('th', rows[0])}{''.join(line('td', row) for row in rows[1:])}</table>"


def plot(curves: Sequence[Curve]) -> str:
    """All curves as inline SVG, drawn by matplotlib if it is installed, else by `drawn`."""
    try:
        return _by_matplotlib(curves)
    except ImportError:
        return drawn(curves)


def _by_matplotlib(curves: Sequence[Curve]) -> str:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(curves), figsize=(5 * len(curves), 4), layout="constrained", squeeze=False)
    for axis, curve in zip(axes[0], curves):
        iterations = range(1, len(curve.clear) + 1)
        axis.axhline(curve.converged, color="tab:green", linestyle=":", label="in the clear, converged")
        axis.plot(iterations, curve.clear, "o-", color="tab:gray", label="in the clear", markersize=7)
        axis.plot(range(1, len(curve.encrypted) + 1), curve.encrypted, "x--", color="tab:blue", label="encrypted")
        axis.set(title=curve.title, xlabel="iteration")
        axis.grid(alpha=0.3)
        axis.legend()
    out = io.StringIO()
    figure.savefig(out, format="svg")
    plt.close(figure)
    return out.getvalue()[out.getvalue().index("<svg") :]


def drawn(curves: Sequence[Curve]) -> str:
    """All curves as inline SVG, drawn without a library."""
    width, height = 480, 340
    panels = "".join(
        f"<g transform='translate({i * width} 0)'>{_panel(c, width, height)}</g>" for i, c in enumerate(curves)
    )
    box = f"viewBox='0 0 {width * len(curves)} {height}' width='{width * len(curves)}' height='{height}'"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {box} font-family='sans-serif' font-size='11'>{panels}</svg>"


def _panel(curve: Curve, width: int, height: int) -> str:
    left, right, top, bottom = 56, 12, 30, 40
    values = [v for v in (*curve.encrypted, *curve.clear, curve.converged) if math.isfinite(v)] or [0.0]
    low, high = min(values), max(values)
    room = (high - low) * 0.05 or 0.5
    low, high = low - room, high + room
    count = max(len(curve.clear), len(curve.encrypted), 2)

    def at(i: float, value: float) -> tuple[float, float]:
        x = left + (i - 1) / (count - 1) * (width - left - right)
        clipped = min(max(value, low), high) if math.isfinite(value) else high
        return x, top + (high - clipped) / (high - low) * (height - top - bottom)

    out = [f"<text x='{width / 2}' y='18' text-anchor='middle' font-size='13'>{escape(curve.title)}</text>"]
    for j in range(5):
        value = low + (high - low) * j / 4
        y = at(1, value)[1]
        out.append(f"<line x1='{left}' x2='{width - right}' y1='{y:.1f}' y2='{y:.1f}' stroke='#ddd'/>")
        out.append(f"<text x='{left - 6}' y='{y + 4:.1f}' text-anchor='end'>{value:.3g}</text>")
    step = max(1, count // 8)
    for i in range(1, count + 1, step):
        out.append(f"<text x='{at(i, low)[0]:.1f}' y='{height - bottom + 16}' text-anchor='middle'>{i}</text>")
    out.append(f"<text x='{width / 2}' y='{height - 6}' text-anchor='middle'>iteration</text>")
    y = at(1, curve.converged)[1]
    out.append(
        f"<line x1='{left}' x2='{width - right}' y1='{y:.1f}' y2='{y:.1f}' stroke='#2a2' stroke-dasharray='2 3'/>"
    )
    lines = [
        ("in the clear", curve.clear, "#777", ""),
        ("encrypted", curve.encrypted, "#06c", "stroke-dasharray='6 3'"),
    ]
    for name, series, colour, dash in lines:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(i, v) for i, v in enumerate(series, start=1)))
        style = f"fill='none' stroke='{colour}' stroke-width='2' {dash}"
        out.append(f"<polyline points='{points}' {style}><title>{name}</title></polyline>")
    for j, (name, colour) in enumerate([*((n, c) for n, _, c, _ in lines), ("in the clear, converged", "#2a2")]):
        out.append(
            f"<text x='{width - right - 4}' y='{top + 14 + 15 * j}' text-anchor='end' fill='{colour}'>{name}</text>"
        )
    return "".join(out)
