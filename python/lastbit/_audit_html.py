"""An audit in a notebook: the worst outputs, which u give which output, and the loss of each."""

import colorsys
import math
from fractions import Fraction
from typing import TYPE_CHECKING

from lastbit import _html
from lastbit._shown import down, ends, loss_in_words, near, share, value

if TYPE_CHECKING:
    from lastbit._audit import Audit, Outcome

ROWS = 20
BARS = 60
WIDTH, LEFT = 660, 70

ROUNDING = Fraction(1, 10**9)
"""A loss that is above a claim by no more than this part of it is what rounding does, and no alarm."""

INFINITE = "infinite: an output that only one input can produce"


def audit_html(audit: "Audit") -> str:
    """All of it.

    >>> import lastbit
    >>> audit_html(lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1))).count("<svg")
    2
    """
    from lastbit._audit import _title

    first, second = (value(x) for x in audit.inputs)
    parts = [
        _html.headline(_headline(audit), good=_is_kept(audit)),
        _html.small(f"{_title(audit)}; inputs f = {first}, f' = {second}"),
        _html.notes([*_remarks(audit), *_masses(audit), *audit.notes]),
        _table(audit),
        _map(audit),
        _bars(audit),
    ]
    return _html.block(*parts)


def _headline(audit: "Audit") -> str:
    """The loss, against what is claimed, and where."""
    worst = "" if audit.worst is None else f", at output {value(audit.worst.output)}"
    claimed = "" if audit.claimed is None else f" (claimed {near(audit.claimed)})"
    if audit.loss_lower == math.inf:
        return f"loss ∞, {INFINITE}{claimed}{worst}"
    return f"loss {loss_in_words(audit.loss, 6)}{claimed}{worst}"


def _claim_ends(audit: "Audit") -> "tuple[Fraction, Fraction] | None":
    if audit.claimed is None:
        return None
    return (audit.claimed, audit.claimed) if isinstance(audit.claimed, Fraction) else audit.claimed


def _excess(audit: "Audit") -> "Fraction | None":
    """By how much the loss is certainly above the claim."""
    claim = _claim_ends(audit)
    if claim is None or audit.loss_lower == math.inf or audit.loss_lower <= claim[1]:
        return None
    return Fraction(audit.loss_lower) - claim[1]


def _is_kept(audit: "Audit") -> "bool | None":
    """Whether the loss is at most what is claimed, if that is known; what rounding adds is neither."""
    if audit.loss_lower == math.inf:
        return False
    claim, excess = _claim_ends(audit), _excess(audit)
    if excess is not None and claim is not None:
        return False if excess > ROUNDING * claim[1] else None
    return True if claim is not None and audit.loss_upper <= claim[0] else None


def _remarks(audit: "Audit") -> "list[str]":
    excess = _excess(audit)
    if excess is not None:
        return [f"above the claim by {down(excess, 2)}" + (": rounding" if _is_kept(audit) is None else "")]
    if audit.loss_upper == math.inf != audit.loss_lower:
        weighed = f" of {audit.count}" if audit.complete else ""
        return [f"not decided: {len(audit.outputs)}{weighed} outputs were weighed, and show a loss of {down(audit.loss_lower)} at least"]
    return []


def _masses(audit: "Audit") -> "list[str]":
    texts = []
    for name, mass in (("f", audit.only_first), ("f'", audit.only_second)):
        known = share(mass)
        if mass != 0 and known is not None:
            texts.append(f"{known} of the mass of {name} is on outputs that the other input cannot give")
    if audit.delta is not None and audit.delta_at is not None:
        there, back = (share(x) or "not known" for x in audit.delta)
        texts.append(f"δ at ε = {near(audit.delta_at)}: {there} (f against f'), {back} (f' against f)")
    return texts


def _worst(audit: "Audit", most: int) -> "list[int]":
    """The places of the outputs that lose most, in order."""
    order = sorted(range(len(audit.outputs)), key=lambda i: ends(audit.outputs[i].loss)[0], reverse=True)
    return _in_order(audit, set(order[:most]))


def _table(audit: "Audit") -> _html.Markup:
    chosen = _worst(audit, ROWS)

    def row(outcome: "Outcome") -> "list[str]":
        p, q = (share(x) or "not known" for x in outcome.probabilities)
        return [value(outcome.output), p, q, loss_in_words(outcome.loss, 17)]

    shown = _html.table(["output", "P", "P'", "|ln(P/P')|"], (row(audit.outputs[i]) for i in chosen))
    if len(chosen) == audit.count:
        return shown
    more = _html.tag("p", f"the {len(chosen)} outputs that lose most, of {audit.count}", style="margin:4px 0")
    return _html.Markup(shown + more)


def _map(audit: "Audit") -> _html.Markup:
    """Four strips, for two inputs and two signs: u from 0 to 1, coloured by output. Nothing if no part of them can be seen."""
    if not audit.map:
        return _html.Markup("")
    seen = Fraction(0)
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
                seen += Fraction(high) - Fraction(low)
                title = f"output {cell.output!r}: u in [{low.hex()}, {high.hex()})"
                parts.append(_html.box(LEFT + low * scale, y, width, height, _colour(i, count), title))
                if width > 7 * len(repr(cell.output)):
                    middle = LEFT + (low + high) / 2 * scale
                    parts.append(_html.text_at(middle, y + 12, repr(cell.output), "middle", "#222"))
    if seen < Fraction(1, 10):
        return _html.Markup("")
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


def _in_order(audit: "Audit", places: "set[int]") -> "list[int]":
    """Places of outputs: those of numbers in numeric order, others as they come."""

    def number(i: int) -> "float | Fraction":
        output = audit.outputs[i].output
        return output if not isinstance(output, str) and output == output else -math.inf

    if any(isinstance(audit.outputs[i].output, str) for i in places):
        return sorted(places)
    return sorted(places, key=number)


def _bars(audit: "Audit") -> _html.Markup:
    """The loss of the worst and of the likeliest outputs, with a line at what is claimed."""
    if not audit.outputs:
        return _html.Markup("")

    def likely(i: int) -> Fraction:
        return max(p if isinstance(p, Fraction) else p[1] for p in audit.outputs[i].probabilities)

    likeliest = sorted(range(len(audit.outputs)), key=likely, reverse=True)
    chosen = _in_order(audit, {*_worst(audit, ROWS), *likeliest[: BARS - ROWS]})
    # A drawing: here, and only here, a loss is a double.
    heights = [float(ends(audit.outputs[i].loss)[0]) for i in chosen]
    claim = _claim_ends(audit)
    claimed = None if claim is None else claim[1]
    finite = [height for height in heights if height != math.inf]
    if not any(heights) and not claimed:
        return _html.Markup("")
    infinite = len(finite) < len(heights)
    top = (1.4 if infinite else 1.1) * max([*finite, float(claimed or 0), 1e-300])
    bottom, room, scale = 150, 110, WIDTH - LEFT - 10
    step = scale / len(chosen)
    all_of_them = len(chosen) == audit.count
    which = "each output" if all_of_them else f"{len(chosen)} of {audit.count} outputs, the worst and the likeliest"
    parts = [_html.text_at(LEFT, 11, f"loss of {which}; in the order of the outputs, evenly spaced")]
    for place, (i, height) in enumerate(zip(chosen, heights)):
        outcome = audit.outputs[i]
        tall = room if height == math.inf else room * height / top
        x = LEFT + place * step
        said = INFINITE if height == math.inf else f"loss {loss_in_words(outcome.loss, 17)}"
        fill = _html.RED if height == math.inf else _html.FIRST
        parts.append(_html.box(x + 0.1 * step, bottom - tall, 0.8 * step, max(tall, 0.5), fill, f"output {value(outcome.output)}: {said}"))
        if height == math.inf and step > 8:
            parts.append(_html.text_at(x + step / 2, bottom - tall - 2, "∞", "middle", _html.RED))
    if infinite:
        parts.append(_html.text_at(LEFT - 6, bottom - room + 4, "∞", "end", _html.RED))
    parts += _labels([value(audit.outputs[i].output) for i in chosen], step, bottom + 14)
    parts.append(_html.line(LEFT, bottom, LEFT + scale, bottom))
    if claimed is not None:
        y = bottom - room * float(claimed) / top
        parts.append(_html.line(LEFT, y, LEFT + scale, y, "currentColor", "4 3"))
        parts.append(_html.text_at(LEFT - 6, y + 4, f"claim {near(claimed, 3)}", "end"))
    return _html.drawing(WIDTH, bottom + 20, "the loss of each output", *parts)


def _labels(outputs: "list[str]", step: float, y: float) -> "list[_html.Markup]":
    """Under every bar, if there is room; else under the first and the last."""
    if max(len(text) for text in outputs) * 7 < step:
        return [_html.text_at(LEFT + (i + 0.5) * step, y, text, "middle") for i, text in enumerate(outputs)]
    return [_html.text_at(LEFT, y, outputs[0]), _html.text_at(LEFT + len(outputs) * step, y, outputs[-1], "end")]
