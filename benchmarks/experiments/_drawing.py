"""The decision drawing: an SVG inside the page, in the page's own colours, with links to the strategies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from attrs import frozen

__all__ = ["Step", "drawing"]

WIDTH, BOX, LEAF = 400, 202, 160
ROW, HIGH = 56, 38
STYLE = (
    ".decision svg{max-width:560px}.decision text{font:11px system-ui,sans-serif;fill:currentColor}"
    ".decision .small{font-size:10px;opacity:.85}"
    ".decision .name{font-weight:600;fill:var(--md-typeset-a-color,currentColor)}"
    ".decision rect{fill:none;stroke:currentColor;stroke-opacity:.45}"
    ".decision .leaf{stroke:var(--md-typeset-a-color,currentColor);stroke-opacity:1}"
    ".decision path{stroke:currentColor;stroke-opacity:.6;fill:none}"
)


@frozen
class Step:
    """One question of the drawing.

    Attributes:
        question: Answered with yes or no.
        strategy: What to use if yes.
        why: A measured figure, or a few words.
    """

    question: str
    strategy: str
    why: str


def drawing(steps: Sequence[Step]) -> str:
    """Questions from top to bottom, each with its answer on the right; at the end, `auto`.

    No line of it is empty and it starts with a div: Markdown leaves such a block as it is.
    """
    height = ROW * (len(steps) + 1)
    words = "; ".join(f"{step.question} {step.strategy}" for step in steps)
    return "\n".join(
        [
            '<div class="decision">',
            f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(words)}; otherwise auto">',
            f"<style>{STYLE}</style>",
            *[line for number, step in enumerate(steps) for line in _step(number, step)],
            *_last(len(steps)),
            "</svg>",
            "</div>",
        ]
    )


def _step(number: int, step: Step) -> Iterator[str]:
    top = number * ROW
    middle = top + HIGH / 2
    yield f'<rect x="1" y="{top + 1}" width="{BOX}" height="{HIGH}" rx="6"/>'
    yield f'<text x="{BOX / 2}" y="{middle + 5}" text-anchor="middle">{escape(step.question)}</text>'
    yield f'<path d="M{BOX + 1} {middle} h{WIDTH - BOX - LEAF - 4} m-5 -4 l5 4 l-5 4"/>'
    yield f'<text class="small" x="{BOX + 8}" y="{middle - 5}">yes</text>'
    yield from _leaf(step.strategy, step.why, WIDTH - LEAF - 1, top)
    yield f'<path d="M{BOX / 2} {top + HIGH + 1} v{ROW - HIGH - 2} m-4 -5 l4 5 l4 -5"/>'
    yield f'<text class="small" x="{BOX / 2 + 8}" y="{top + ROW - 4}">no</text>'


def _leaf(strategy: str, why: str, left: float, top: float) -> Iterator[str]:
    middle = left + LEAF / 2
    yield f'<a href="strategies.html#{strategy}">'
    yield f'<rect class="leaf" x="{left}" y="{top + 1}" width="{LEAF}" height="{HIGH}" rx="6"/>'
    yield f'<text class="name" x="{middle}" y="{top + 17}" text-anchor="middle">{strategy}</text>'
    yield f'<text class="small" x="{middle}" y="{top + 33}" text-anchor="middle">{escape(why)}</text>'
    yield "</a>"


def _last(number: int) -> Iterator[str]:
    yield from _leaf("auto", "it measures while it works", BOX / 2 - LEAF / 2, number * ROW)
