"""Budgets, claims, releases and mechanisms in a notebook."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lastbit import _html
from lastbit._shown import excerpt, near, up

if TYPE_CHECKING:
    from lastbit import Budget, Claim, Measurement, Mechanism, Release, Selection

LEDGER = 12
"""The number of most recent claims that are shown."""
WIDTH = 480
DELTA = Fraction(1, 10**6)


def _symbol(measure: str) -> str:
    return "ε" if measure == "max-divergence" else "ρ"


def _meaning(loss: Fraction, measure: str) -> str:
    """What a loss means, in plain words."""
    if measure != "max-divergence":
        return "zero-concentrated differential privacy"
    # A float is good enough to be read; it is rounded up.
    factor = up(Fraction(math.exp(min(float(loss), 300.0))), 3)
    return f"the odds of anyone's guess about the difference change by a factor of at most {factor} (e^ε)"


def _parameters(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def budget_html(budget: "Budget") -> str:
    """What is spent, on which claims, and what is left.

    >>> import lastbit
    >>> budget = lastbit.Budget(epsilon=1)
    >>> "nothing is spent" in budget_html(budget)
    True
    """
    symbol = _symbol(budget.measure)
    title = f"{near(budget.remaining)} of {symbol} = {near(budget.total)} left"
    unit = "" if budget.unit is None else f"; neighbours differ in one {budget.unit}"
    share = budget.spent / budget.total if budget.total else Fraction(1)
    # A drawing: here a share is a double.
    spent = float(share) * WIDTH
    bar = _html.drawing(
        WIDTH,
        18,
        f"{near(100 * share, 3)}% spent",
        _html.box(0, 2, WIDTH, 14, _html.FAINT, f"left: {near(budget.remaining)}"),
        *([_html.box(0, 2, max(spent, 1), 14, _html.FIRST, f"spent: {near(budget.spent)}")] if spent else []),
    )
    ledger = budget.ledger
    parts = [_html.headline(title, good=None), bar]
    if not ledger:
        return _html.block(*parts, _html.small(f"nothing is spent{unit}"))
    first = max(0, len(ledger) - LEDGER)
    between = {claim.adjacency for claim in ledger}
    head = ["", "mechanism", "parameters", symbol] + (["between"] if len(between) > 1 else [])
    rows = [
        [str(i + 1), claim.mechanism, _parameters(claim.parameters), near(budget.cost(claim)), claim.adjacency][: len(head)]
        for i, claim in enumerate(ledger)
        if i >= first
    ]
    said = f"{near(budget.spent)} spent on {len(ledger)} release{'s' if len(ledger) > 1 else ''}{unit}"
    if first:
        said += f"; the last {LEDGER} of them"
    if len(between) == 1:
        said += f"; between {between.pop()}"
    return _html.block(*parts, _html.small(said), _html.table(head, rows))


def claim_html(claim: "Claim") -> str:
    """The loss, the neighbours, and what the loss means.

    >>> import lastbit
    >>> "ε = 0.1" in claim_html(lastbit.claim("laplace", epsilon="0.1", sensitivity=1))
    True
    """
    rows = _claim_rows(claim)
    return _html.block(_html.headline(f"{_symbol(claim.measure)} = {near(claim.loss)}, {_kind(claim)}", good=None), _html.rows(rows))


def _kind(claim: "Claim") -> str:
    return "pure differential privacy" if claim.measure == "max-divergence" else "zero-concentrated differential privacy"


def _claim_rows(claim: "Claim") -> "list[tuple[str, str]]":
    name = f"{claim.mechanism} {_parameters(claim.parameters)}".strip()
    rows = [("mechanism", name), ("between", claim.adjacency)]
    if claim.measure == "max-divergence":
        rows.append(("means", _meaning(claim.loss, claim.measure)))
    else:
        rows.append(("also", f"(ε, δ) = ({up(claim.approximate(delta=DELTA))}, 1e-6)"))
    if claim.parts:
        rows.append(("parts", f"{len(claim.parts)} releases, whose losses add"))
    return rows


def release_html(release: "Release") -> str:
    """The noisy value with an interval, and the claim.

    >>> import lastbit
    >>> release = lastbit.laplace(31_000.0, epsilon="0.1", sensitivity=1, claim=True)
    >>> "± 29.9" in release_html(release)
    True
    """
    claim, value = release.claim, excerpt(release.value)
    width = _half_width(claim)
    within = "" if width is None else f" ± {width:.6g}"
    parts = [_html.headline(f"{value}{within}", good=None)]
    if width is not None:
        parts.append(_html.small("the noise is smaller than this with probability 95%, for each value"))
    promise = f"{_symbol(claim.measure)} = {near(claim.loss)}, {_kind(claim)}"
    return _html.block(*parts, _html.rows([("claim", promise), *_claim_rows(claim)]))


def _half_width(claim: "Claim") -> "float | None":
    """The interval of 95%, if the mechanism can be built again from its claim."""
    from lastbit import _CLASSES, Mechanism
    from lastbit.errors import Error

    # What determines the noise; all else in a claim follows from it.
    given: dict[str, Any] = {name: x for name, x in claim.parameters.items() if name in ("scale", "variance", "epsilon", "bound")}
    if "k" in claim.parameters:
        given["k"] = int(claim.parameters["k"])
    dtype = (claim.domain or {}).get("values")
    for arguments in ({**given, "dtype": dtype}, given):
        try:
            mechanism = _CLASSES[claim.mechanism.replace("-", "_")](**arguments)
            return float(mechanism.accuracy(confidence="0.95")) if isinstance(mechanism, Mechanism) else None
        except (Error, KeyError, TypeError, OverflowError):
            continue
    return None


def mechanism_html(mechanism: "Mechanism", name: str) -> str:
    """The formula, the loss, and the accuracy.

    >>> import lastbit
    >>> "95%" in mechanism_html(lastbit.Laplace(scale=10), "Laplace(scale='10')")
    True
    """
    symbol = _symbol(mechanism.measure)
    d_in = mechanism.sensitivity
    rows = [("adds", mechanism.formula)]
    try:
        loss = mechanism.loss(1 if d_in is None else d_in)
        rows.append(("loss", f"{symbol} = {near(loss)} between inputs at distance {1 if d_in is None else near(d_in)}"))
    except ValueError as refused:
        rows.append(("loss", str(refused)))
    widths = "; ".join(f"{mechanism.accuracy(confidence=sure):.6g} at {shown}" for sure, shown in (("0.5", "50%"), ("0.95", "95%"), ("0.99", "99%")))
    rows.append(("within", widths))
    rows.append(("takes", ", ".join(mechanism.dtypes)))
    return _html.block(_html.headline(name, good=None), _html.rows(rows))


def selection_html(selection: "Selection", name: str) -> str:
    """The loss of a choice, and how good the choice is.

    >>> import lastbit
    >>> "loss" in selection_html(lastbit.NoisyMax(scale=10), "NoisyMax(scale='10')")
    True
    """
    d_in = selection.sensitivity
    loss = near(selection.loss(1 if d_in is None else d_in))
    rows = [
        ("loss", f"ε = {loss} where one person changes a score by {1 if d_in is None else near(d_in)} at most"),
        ("within", f"{selection.shortfall(10, confidence='0.95'):.6g} of the best of 10 candidates, at 95%"),
    ]
    return _html.block(_html.headline(name, good=None), _html.rows(rows))


def measurement_html(measurement: "Measurement", name: str) -> str:
    """The inputs and the promise of a measurement.

    >>> import lastbit
    >>> "L1Distance" in measurement_html(lastbit.Laplace(scale=2).measurement(), "a measurement")
    True
    """
    size = measurement.input_domain["size"]
    values = " or ".join(measurement.input_domain["dtypes"])
    rows = [
        ("inputs", f"vectors of {values}, {'of any size' if size is None else f'of size {size}'}"),
        ("compared by", measurement.input_metric),
        ("outputs by", measurement.output_measure),
    ]
    return _html.block(_html.headline(name, good=None), _html.rows(rows))
