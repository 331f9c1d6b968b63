"""Plots for the report of a model, as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from ._layers import Array

#: The size of the plot of an activation, and its bars.
_WIDTH, _HEIGHT, _BARS = 300, 130, 48


@dataclass(frozen=True)
class Activity:
    """The inputs of an activation for samples, and its interval."""

    name: str
    low: float
    high: float
    inputs: Array

    @property
    def outside(self) -> float:
        """The share of inputs outside the interval."""
        return float(np.mean((self.inputs < self.low) | (self.inputs > self.high)))


def activities(found: Sequence[Activity]) -> str:
    """How often activations have which inputs, each on a logarithmic scale, with its interval in grey."""
    columns = min(len(found), 3)
    rows = -(-len(found) // columns)
    panels = "".join(
        f"<g transform='translate({_WIDTH * (k % columns)} {_HEIGHT * (k // columns)})'>{_panel(activity)}</g>"
        for k, activity in enumerate(found)
    )
    return _svg(_WIDTH * columns, _HEIGHT * rows, panels)


def bars(rows: Sequence[tuple[str, float, str]]) -> str:
    """Horizontal bars: name, length and text of each."""
    left, width, height = 220, 400, 20
    longest = max((length for _, length, _ in rows), default=0.0) or 1.0
    parts = []
    for k, (name, length, text) in enumerate(rows):
        y, end = height * k + 14, left + width * length / longest
        parts.append(f"<text x='{left - 8}' y='{y}' text-anchor='end'>{escape(name)}</text>")
        parts.append(f"<rect x='{left}' y='{y - 11}' width='{max(end - left, 1):.1f}' height='14' fill='#06c'/>")
        parts.append(f"<text x='{end + 6:.1f}' y='{y}'>{escape(text)}</text>")
    return _svg(left + width + 120, height * len(rows) + 4, "".join(parts))


def _panel(activity: Activity) -> str:
    left, right, top, bottom = 12, 12, 24, 20
    middle, half = (activity.low + activity.high) / 2, max((activity.high - activity.low) / 2, 1e-300)
    seen = float(np.max(np.abs(activity.inputs - middle))) / half
    reach = half * min(max(1.15, 1.05 * seen), 4.0)
    counts, edges = np.histogram(
        np.clip(activity.inputs, middle - reach, middle + reach), _BARS, (middle - reach, middle + reach)
    )
    lengths = np.log1p(counts) / max(float(np.log1p(counts).max()), 1.0)

    def x(value: float) -> float:
        return left + (value - middle + reach) / (2 * reach) * (_WIDTH - left - right)

    floor, room = _HEIGHT - bottom, _HEIGHT - top - bottom
    start, width = x(activity.low), x(activity.high) - x(activity.low)
    parts = [
        f"<text x='{_WIDTH / 2}' y='15' text-anchor='middle'>{escape(activity.name)}</text>",
        f"<rect x='{start:.1f}' y='{top}' width='{width:.1f}' height='{room}' fill='#e4e4e4'/>",
    ]
    for length, a, b in zip(lengths, edges, edges[1:], strict=False):
        inside = activity.low <= (a + b) / 2 <= activity.high
        if length:
            parts.append(
                f"<rect x='{x(a):.1f}' y='{floor - room * length:.1f}' width='{x(b) - x(a) - 0.5:.1f}' "
                f"height='{room * length:.1f}' fill='{'#06c' if inside else '#c00'}'/>"
            )
    for value in (activity.low, activity.high):
        parts.append(f"<text x='{x(value):.1f}' y='{_HEIGHT - 6}' text-anchor='middle'>{value:.4g}</text>")
    return "".join(parts)


def _svg(width: int, height: int, body: str) -> str:
    box = f"viewBox='0 0 {width} {height}' width='{width}' height='{height}'"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {box} font-family='sans-serif' font-size='11'>{body}</svg>"
