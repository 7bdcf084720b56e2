"""Anybody's noise, tested from its outputs alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lastbit import _lastbit
from lastbit._shown import down, near, up
from lastbit.errors import DomainError, ParameterError, UnsupportedType

if TYPE_CHECKING:
    import numpy

EXACT_INTEGERS = 1 << 53
"""The largest integer up to which doubles have them all."""


@dataclass(frozen=True)
class Attack:
    """What an attack found. `str` says it in a few lines.

    - `leaks`: whether the loss certainly exceeds `epsilon` (with δ = `delta`), at this `confidence`; `None` if no epsilon was given. That no leak
      is seen does not mean that there is none.
    - `event`: what to look for in an output; `favoured`: the input, 0 or 1, under which it is more likely.
    - `loss_exact`: a lower bound on the privacy loss; `loss_lower_bound` is the double next below it.
    - `probabilities`: bounds on the probability of the event, from below under the favoured input and from above under the other.
    - `counts`: (hits, samples) by input, in the half of the samples that tested the event; `chosen_counts`: in the half that chose it.
    - `events_tried`: how many were looked at for the choice, which costs no confidence.
    - `explanation`: in plain words.

    >>> import lastbit
    >>> found = lastbit.attack([0.0] * 500, [1.0] * 500, epsilon=1)
    >>> found.leaks, found.event, found.counts
    (True, 'y = 0', ((250, 250), (0, 250)))
    """

    leaks: "bool | None"
    event: str
    favoured: int
    loss_lower_bound: float
    loss_exact: Fraction
    probabilities: tuple[Fraction, Fraction]
    counts: tuple[tuple[int, int], tuple[int, int]]
    chosen_counts: tuple[tuple[int, int], tuple[int, int]]
    events_tried: int
    epsilon: "Fraction | None"
    delta: Fraction
    confidence: Fraction
    explanation: str

    def _verdict(self) -> str:
        sure = f"the privacy loss is at least {down(self.loss_exact)} with confidence {down(100 * self.confidence, 8)}%"
        if self.epsilon is None:
            return sure
        claim = f"the claim is {near(self.epsilon)}" + (f" with δ = {near(self.delta)}" if self.delta else "")
        return f"{'LEAKS' if self.leaks else 'not seen to leak'}: {sure}, and {claim}"

    def _rows(self) -> "list[tuple[str, str]]":
        more, less = self.favoured, 1 - self.favoured
        names = ("the first input", "the second input")
        counts = "; ".join(f"{self.counts[i][0]} of {self.counts[i][1]} for {names[i]}" for i in (more, less))
        p, q = down(self.probabilities[more]), up(self.probabilities[less])
        return [
            ("event", self.event),
            ("counts", counts),
            ("bounds", f"P >= {p} for {names[more]}; P' <= {q} for {names[less]}"),
            ("chosen", f"on the other half of the samples, out of {self.events_tried} events"),
        ]

    def __str__(self) -> str:
        rows = [f"{name:<8} {text}" for name, text in self._rows()]
        return "\n".join([self._verdict(), *rows, self.explanation])

    def _repr_html_(self) -> str:
        from lastbit import _html

        good = None if self.leaks is None else not self.leaks
        rows = _html.table(["", ""], self._rows())
        return _html.block(_html.headline(self._verdict(), good=good), rows, _html.tag("p", self.explanation))


def attack(
    first: Any,
    second: Any = None,
    /,
    *,
    epsilon: Any = None,
    delta: Any = 0,
    confidence: Any = "0.999",
    inputs: "Sequence[Any] | None" = None,
    samples: int = 20_000,
    batch: bool = False,
) -> Attack:
    """Looks for an event in the bits of outputs that tells two inputs apart, with a lower bound on the privacy loss.

    Either two arrays of samples (lists, numpy, Arrow, pandas, polars), drawn for two inputs; or a function and `inputs`, which is called
    `samples` times with each of the two, or, with batch=True, once with a numpy array of so many copies. Samples of one input must be independent
    and from one distribution, and not be rounded for people.

    epsilon, delta: what is claimed; noise that keeps its claim is said to leak with probability at most 1 - confidence. inputs: for two arrays, the
    numbers that they were drawn for, if they are known; with them, more is looked at.

    >>> import lastbit, math, random
    >>> def textbook(x):
    ...     u = random.random() - 0.5
    ...     return x - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))
    >>> lastbit.attack(textbook, inputs=(0.0, 1.0), epsilon=1, samples=5000).leaks
    True
    >>> def noise(x):
    ...     return lastbit.laplace(x, scale=1)
    >>> lastbit.attack(noise, inputs=(0.0, 1.0), epsilon=1, samples=5000, confidence="0.9999999").leaks
    False
    """
    if callable(first):
        if second is not None:
            raise ParameterError("give a function and inputs, or two arrays of samples")
        pair = _drawn(first, inputs, samples, batch)
    elif second is None:
        raise ParameterError("samples for one input tell nothing: give two arrays, or a function and inputs")
    else:
        pair = (_doubles(first, "first"), _doubles(second, "second"))
    known = None if inputs is None else _numbers(inputs)
    found = _lastbit._attack(*pair, epsilon=epsilon, delta=delta, confidence=confidence, inputs=known)
    return Attack(**found)


def _drawn(
    noise: Callable[[Any], Any], inputs: "Sequence[Any] | None", samples: int, batch: bool
) -> "tuple[numpy.ndarray, numpy.ndarray]":
    """Samples of a function."""
    import numpy

    if inputs is None or isinstance(inputs, str) or len(inputs) != 2:
        raise ParameterError("a function needs two inputs to tell apart: give inputs=(x, y)")
    if samples < 1:
        raise ParameterError(f"samples must be positive, but is {samples}")

    def draw(x: Any, name: str) -> "numpy.ndarray":
        if not batch:
            return _doubles([noise(x) for _ in range(samples)], name)
        drawn = _doubles(noise(numpy.full(samples, x)), name)
        if len(drawn) != samples:
            raise DomainError(f"the function returned {len(drawn)} values for {samples} copies of {x}")
        return drawn

    return draw(inputs[0], "first"), draw(inputs[1], "second")


def _numbers(inputs: Sequence[Any]) -> "tuple[float, float] | None":
    """The inputs as doubles; nothing if they are not numbers that doubles have."""
    if len(inputs) != 2:
        raise ParameterError("inputs are two")
    try:
        doubles = (float(inputs[0]), float(inputs[1]))
        same = all(double == x for double, x in zip(doubles, inputs))
    except (TypeError, ValueError, OverflowError):
        return None
    return doubles if same is True else None


def _doubles(values: Any, name: str) -> "numpy.ndarray":
    """Samples as doubles, exactly."""
    import numpy

    nulls = getattr(values, "null_count", 0)
    if nulls() if callable(nulls) else nulls:
        raise DomainError(f"the {name} samples have nulls: drop them")
    array = numpy.asarray(values)
    if array.ndim != 1:
        # The entries of a vector need not be independent, and the confidence rests on that.
        raise DomainError(f"the {name} samples must be one number each, but have the shape {array.shape}: attack one entry of vectors")
    if isinstance(values, numpy.ma.MaskedArray) or array.dtype.kind not in "fiu":
        raise UnsupportedType(f"the {name} samples must be numbers, but are {array.dtype}")
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
        if low < -EXACT_INTEGERS or high > EXACT_INTEGERS:
            raise DomainError(f"the {name} samples have integers beyond 2^53, which a double would round")
    doubles = array.astype(numpy.float64)
    if array.dtype.itemsize > 8 and not ((doubles == array) | numpy.isnan(array)).all():
        raise DomainError(f"the {name} samples are of more than double precision")
    return numpy.ascontiguousarray(doubles)
