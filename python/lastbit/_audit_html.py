"""An audit in a notebook: the worst outputs, which u give which output, and the loss of each."""

import colorsys
import math
from fractions import Fraction
from typing import TYPE_CHECKING

from lastbit import _html
from lastbit._shown import ends, loss_in_words, near, value

if TYPE_CHECKING:
    from lastbit._audit import Audit, Outcome

ROWS = 20
BARS = 60
WIDTH, LEFT = 660, 70


def audit_html(audit: "Audit") -> str:
    """All of it.

    >>> import lastbit
    >>> audit_html(lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1))).count("<svg")
    2
    """
    from lastbit._audit import _title

    claimed = "" if audit.claimed is None else f" (claimed {near(audit.claimed, 17)})"
    worst = "" if audit.worst is None else f", at output {value(audit.worst.output)}"
    first, second = (value(x) for x in audit.inputs)
    parts = [
        _html.headline(f"loss {loss_in_words(audit.loss, 17)}{claimed}{worst}", good=_is_kept(audit)),
        _html.tag("p", f"{_title(audit)}; inputs f = {first}, f' = {second}", style="margin:4px 0"),
        _html.notes([*_masses(audit), *audit.notes]),
        _table(audit),
        _map(audit),
        _bars(audit),
    ]
    return _html.block(*parts)


def _is_kept(audit: "Audit") -> "bool | None":
    """Whether the loss is at most what is claimed, if that is known."""
    if audit.loss_lower == math.inf:
        return False
    if audit.claimed is None:
        return None
    low, high = (audit.claimed, audit.claimed) if isinstance(audit.claimed, Fraction) else audit.claimed
    return True if audit.loss_upper <= low else False if audit.loss_lower > high else None


def _masses(audit: "Audit") -> "list[str]":
    texts = [
        f"{near(mass)} of the mass of {name} is on outputs that the other input cannot give"
        for name, mass in (("f", audit.only_first), ("f'", audit.only_second))
        if mass != 0
    ]
    if audit.delta is not None and audit.delta_at is not None:
        there, back = (near(x) for x in audit.delta)
        texts.append(f"delta at ε = {near(audit.delta_at)}: {there} (f against f'), {back} (f' against f)")
    return texts


def _worst(audit: "Audit", most: int) -> "list[int]":
    """The places of the outputs that lose most, in order."""
    order = sorted(range(len(audit.outputs)), key=lambda i: ends(audit.outputs[i].loss)[0], reverse=True)
    return sorted(order[:most])


def _table(audit: "Audit") -> _html.Markup:
    chosen = _worst(audit, ROWS)

    def row(outcome: "Outcome") -> "list[str]":
        p, q = (near(x) for x in outcome.probabilities)
        return [value(outcome.output), p, q, loss_in_words(outcome.loss, 17)]

    shown = _html.table(["output", "P", "P'", "|ln(P/P')|"], (row(audit.outputs[i]) for i in chosen))
    if len(chosen) == audit.count:
        return shown
    more = _html.tag("p", f"the {len(chosen)} outputs that lose most, of {audit.count}", style="margin:4px 0")
    return _html.Markup(shown + more)


def _map(audit: "Audit") -> _html.Markup:
    """Four strips, for two inputs and two signs: u from 0 to 1, coloured by output."""
    if not audit.map:
        return _html.Markup("")
    height, scale = 16, WIDTH - LEFT - 10
    count = len(audit.map)
    parts = []
    for strip in range(4):
        name, sign = ("f", "f'")[strip // 2], ("+", "−")[strip % 2]
        y = 18 + strip * (height + 4) + 8 * (strip // 2)
        parts.append(_html.text_at(LEFT - 6, y + 12, f"{name}, s = {sign}", "end"))
        for i, cell in enumerate(audit.map):
            samples = (cell.first, cell.second)[strip // 2]
            for low, high in (samples.plus, samples.minus)[strip % 2]:
                width = (high - low) * scale
                if width < 0.2:
                    continue
                title = f"output {cell.output!r}: u in [{low.hex()}, {high.hex()})"
                parts.append(_html.box(LEFT + low * scale, y, width, height, _colour(i, count), title))
                if width > 7 * len(repr(cell.output)):
                    middle = LEFT + (low + high) / 2 * scale
                    parts.append(_html.text_at(middle, y + 12, repr(cell.output), "middle", "#222"))
    bottom = 18 + 4 * (height + 4) + 8
    parts.append(_html.line(LEFT, bottom, LEFT + scale, bottom))
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(_html.text_at(LEFT + tick * scale, bottom + 14, f"{tick:g}", "middle"))
    parts.append(_html.text_at(LEFT, 11, "which u give which output"))
    return _html.drawing(WIDTH, bottom + 20, "which u give which output", *parts)


def _colour(place: int, count: int) -> str:
    """Colours that go around the circle, neighbours in turn darker and lighter."""
    channels = colorsys.hls_to_rgb((30 + 300 * place / count) / 360, (0.62, 0.74)[place % 2], 0.6)
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in channels)


def _bars(audit: "Audit") -> _html.Markup:
    """The loss of the worst and of the likeliest outputs, with a line at what is claimed."""
    if not audit.outputs:
        return _html.Markup("")

    def likely(i: int) -> Fraction:
        return max(p if isinstance(p, Fraction) else p[1] for p in audit.outputs[i].probabilities)

    likeliest = sorted(range(len(audit.outputs)), key=likely, reverse=True)
    chosen = sorted({*_worst(audit, ROWS), *likeliest[: BARS - ROWS]})
    # A drawing: here, and only here, a loss is a double.
    heights = [float(ends(audit.outputs[i].loss)[0]) for i in chosen]
    claimed = audit.claimed if audit.claimed is None or isinstance(audit.claimed, Fraction) else audit.claimed[1]
    finite = [height for height in heights if height != math.inf]
    top = 1.1 * max([*finite, float(claimed or 0), 1e-300])
    bottom, room, scale = 130, 100, WIDTH - LEFT - 10
    step = scale / len(chosen)
    parts = [_html.text_at(LEFT, 11, "loss of an output")]
    for place, (i, height) in enumerate(zip(chosen, heights)):
        outcome = audit.outputs[i]
        tall = room if height == math.inf else room * height / top
        x = LEFT + place * step
        title = f"output {value(outcome.output)}: loss {loss_in_words(outcome.loss, 17)}"
        fill = _html.SECOND if height == math.inf else _html.FIRST
        parts.append(_html.box(x + 0.1 * step, bottom - tall, 0.8 * step, max(tall, 0.5), fill, title))
        if height == math.inf:
            parts.append(_html.text_at(x + step / 2, bottom - tall - 2, "∞", "middle"))
        if place == 0:
            parts.append(_html.text_at(LEFT, bottom + 14, value(outcome.output)))
        elif place == len(chosen) - 1:
            parts.append(_html.text_at(LEFT + scale, bottom + 14, value(outcome.output), "end"))
        elif outcome.output == audit.witness and len(value(outcome.output)) * 7 < min(x - LEFT, LEFT + scale - x) / 2:
            parts.append(_html.text_at(x + step / 2, bottom + 14, value(outcome.output), "middle"))
    parts.append(_html.line(LEFT, bottom, LEFT + scale, bottom))
    if claimed is not None:
        y = bottom - room * float(claimed) / top
        parts.append(_html.line(LEFT, y, LEFT + scale, y, _html.SECOND, "4 3"))
        parts.append(_html.text_at(LEFT - 6, y + 4, f"{near(claimed, 4)}", "end"))
    return _html.drawing(WIDTH, bottom + 20, "the loss of each output", *parts)
