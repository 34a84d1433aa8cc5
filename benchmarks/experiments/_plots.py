"""Bar charts as SVG, written by hand.

An SVG with a style sheet of its own follows the reader's colour scheme, stays a few kilobytes that can be
compared from commit to commit, and needs no plotting library; bars with a label and a figure need no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from attrs import frozen

__all__ = ["Bar", "Panel", "chart"]

WIDTH, LABELS, FIGURES = 400, 182, 78
ROW, HEAD, GAP = 19, 38, 14
STYLE = """
  text { font: 11px system-ui, sans-serif; fill: #24292f }
  .head { font-weight: 600 }
  .published { fill: #8c959f } .ours { fill: #5c6bc0 } .auto { fill: #00897b }
  @media (prefers-color-scheme: dark) {
    text { fill: #dde2e8 }
    .published { fill: #848d97 } .ours { fill: #8c9eff } .auto { fill: #4db6ac }
  }
"""


@frozen
class Bar:
    """One bar.

    Attributes:
        label: On its left.
        value: Its length.
        figure: On its right.
        kind: "published", "ours" or "auto": its colour.
    """

    label: str
    value: float
    figure: str
    kind: str


@frozen
class Panel:
    """Bars that share a scale.

    Attributes:
        title: Above them.
        note: Below the title: what was done.
        bars: From top to bottom.
    """

    title: str
    note: str
    bars: Sequence[Bar]


def chart(title: str, panels: Sequence[Panel]) -> str:
    """An SVG of panels, one below the other, as wide as a phone in readable letters.

    Args:
        title: What a screen reader says.
        panels: From top to bottom; each has its own scale, from zero.
    """
    body = list(_body(panels))
    height = sum(HEAD + ROW * len(panel.bars) + GAP for panel in panels)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
    return "\n".join(
        [head, f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", *body, "</svg>", ""]
    )


def _body(panels: Sequence[Panel]) -> Iterator[str]:
    top = 0
    for panel in panels:
        yield f'<text class="head" x="0" y="{top + 13}">{escape(panel.title)}</text>'
        yield f'<text x="0" y="{top + 28}">{escape(panel.note)}</text>'
        largest = max((bar.value for bar in panel.bars), default=0.0) or 1.0
        for number, bar in enumerate(panel.bars):
            yield from _bar(bar, top + HEAD + number * ROW, largest)
        top += HEAD + ROW * len(panel.bars) + GAP


def _bar(bar: Bar, top: int, largest: float) -> Iterator[str]:
    length = max(1.0, bar.value / largest * (WIDTH - LABELS - FIGURES))
    yield f'<text x="{LABELS - 8}" y="{top + 13}" text-anchor="end">{escape(bar.label)}</text>'
    box = f'x="{LABELS}" y="{top + 3}" width="{length:.1f}" height="{ROW - 7}" rx="2"'
    yield f'<rect class="{bar.kind}" {box}/>'
    yield f'<text x="{LABELS + length + 6:.1f}" y="{top + 13}">{escape(bar.figure)}</text>'
