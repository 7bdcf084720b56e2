"""Numbers for people: decimals on the safe side."""

import decimal
import math
from fractions import Fraction
from typing import Any, TypeAlias

Number: TypeAlias = "Fraction | tuple[Fraction, Fraction]"
"""A number: a Fraction if it is known exactly, else the two numbers that it lies between."""

Loss: TypeAlias = "float | tuple[Fraction, Fraction | float]"
"""A loss: `math.inf`, or the two numbers that it lies between; the upper one is `math.inf` where only a lower bound is known."""

DIGITS = 6


def _rounded(value: Fraction, digits: int, rounding: str) -> str:
    context = decimal.Context(prec=digits, rounding=rounding, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
    quotient = context.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
    text = str(quotient.normalize(context)).lower()
    # 1e+3 is 1000.
    return str(int(quotient)) if "e+" in text and quotient < 10**digits else text


def down(value: "Fraction | float", digits: int = DIGITS) -> str:
    """The number as a decimal, rounded down.

    >>> down(Fraction(2, 3)), down(math.inf)
    ('0.666666', '∞')
    """
    return "∞" if value == math.inf else _rounded(Fraction(value), digits, decimal.ROUND_FLOOR)


def up(value: "Fraction | float", digits: int = DIGITS) -> str:
    """The number as a decimal, rounded up.

    >>> up(Fraction(2, 3)), up(Fraction(2000))
    ('0.666667', '2000')
    """
    return "∞" if value == math.inf else _rounded(Fraction(value), digits, decimal.ROUND_CEILING)


def near(number: Number, digits: int = DIGITS) -> str:
    """A decimal near the number, or two that it lies between.

    >>> near(Fraction(2, 3)), near((Fraction(1, 3), Fraction(2, 3))), near((Fraction(1), Fraction(1) + Fraction(1, 10**9)))
    ('0.666667', '0.333333 … 0.666667', '1')
    """
    if isinstance(number, Fraction):
        return _rounded(number, digits, decimal.ROUND_HALF_EVEN)
    low, high = (_rounded(end, digits, decimal.ROUND_HALF_EVEN) for end in number)
    return low if low == high else f"{down(number[0], digits)} … {up(number[1], digits)}"


def number(told: "dict[str, Any]") -> Number:
    """A number of an answer: a Fraction, or what it lies between.

    >>> number({"exact": "1/3", "decimal": "0.333"}), number({"between": ["1/4", "1/2"], "decimal": "0.25..0.5"})
    (Fraction(1, 3), (Fraction(1, 4), Fraction(1, 2)))
    """
    if "exact" in told:
        return Fraction(told["exact"])
    low, high = told["between"]
    return Fraction(low), Fraction(high)


def loss(told: "dict[str, Any]") -> Loss:
    """A loss of an answer.

    >>> loss({"kind": "infinite"}), loss({"kind": "at_least", "exact": "1/2", "decimal": "0.5"})
    (inf, (Fraction(1, 2), inf))
    """
    if told["kind"] == "infinite":
        return math.inf
    known = number(told)
    low, high = known if isinstance(known, tuple) else (known, known)
    return (low, math.inf) if told["kind"] == "at_least" else (low, high)


def ends(loss: Loss) -> "tuple[Fraction | float, Fraction | float]":
    """A loss from below and from above.

    >>> ends(math.inf)
    (inf, inf)
    """
    return (loss, loss) if isinstance(loss, float) else loss


def loss_in_words(loss: Loss, digits: int = 20) -> str:
    """A loss: one number, or what is known of it.

    >>> loss_in_words(math.inf), loss_in_words((Fraction(1, 4), math.inf))
    ('∞', 'at least 0.25')
    """
    lower, upper = ends(loss)
    if lower == math.inf:
        return "∞"
    if upper == math.inf:
        return f"at least {down(lower, DIGITS)}"
    return near((Fraction(lower), Fraction(upper)), digits)


def value(x: object) -> str:
    """A parameter or an output in its shortest form.

    >>> value(0.1), value(Fraction(1, 3)), value("r = 1")
    ('0.1', '1/3', 'r = 1')
    """
    if isinstance(x, float):
        return repr(x)
    return str(x)


FEW = 4


def excerpt(values: Any) -> str:
    """Noisy values: all if they are few, else the first ones and their number.

    >>> excerpt(1.5), excerpt([1, 2]), excerpt(list(range(200)))
    ('1.5', '[1, 2]', '[0, 1, 2, 3, … 200 values]')
    """
    flat = values.ravel() if getattr(values, "ndim", 1) > 1 else values
    try:
        count = len(flat)
        first = [str(x) for x, _ in zip(flat, range(FEW))]
    except TypeError:
        return str(values)
    return f"[{', '.join(first)}{f', … {count} values' if count > FEW else ''}]"


def share(number: "Number | Fraction") -> "str | None":
    """A probability, as far as it is known; empty if nothing is known about it.

    >>> share(Fraction(1, 4)), share((Fraction(1, 4), Fraction(1))), share((Fraction(0), Fraction(1)))
    ('0.25', 'at least 0.25', None)
    """
    if isinstance(number, Fraction) or number[1] < 1:
        return near(number)
    return f"at least {down(number[0])}" if number[0] > 0 else None
