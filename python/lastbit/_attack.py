"""Any noise at all, tested from its outputs alone."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from lastbit import _lastbit
from lastbit.errors import DomainError, ParameterError, UnsupportedType

if TYPE_CHECKING:
    import numpy

EXACT_INTEGERS = 1 << 53
"""The largest integer up to which every integer is a double."""


@dataclass(frozen=True, repr=False)
class Attack:
    """What an attack found. `str` says it in a few lines, the verdict first; notebooks draw it; `json()` is the answer of the command's --json.

    - `verdict`: 'leaks', 'not_seen_to_leak', 'too_few_samples', or 'no_claim' without an epsilon.
    - `leaks`: whether the loss certainly exceeds `epsilon` (with δ = `delta`), at this `confidence`; `None` if there is no epsilon, or too few
      samples to tell. Not seeing a leak does not mean that there is none.
    - `event`: what to look for in an output; `favoured`: the input, 0 or 1, under which it is more likely.
    - `loss_exact`: a lower bound on the privacy loss; `loss_lower_bound` is a double that is not above it.
    - `probabilities`: bounds on the probability of the event, from below under the favoured input and from above under the other.
    - `counts`: (hits, samples) by input, in the half of the samples that tested the event; `chosen_counts`: in the half that chose it.
    - `events_tried`: how many were looked at for the choice, which costs no confidence.
    - `samples_needed`: how many samples of each input show a loss above epsilon at best, and about how many at the rates of this event; `None`
      for what no number does.
    - `explanation`: in plain words.

    >>> import lastbit
    >>> found = lastbit.attack([0.0] * 500, [1.0] * 500, epsilon=1)
    >>> found.leaks, found.event, found.counts
    (True, 'y = 0', ((250, 250), (0, 250)))
    >>> print(str(found).splitlines()[0])
    LEAKS: loss at least 3.47, above ε = 1 (confidence 99.9%)
    >>> lastbit.attack([0.0] * 5, [1.0] * 5, epsilon=1).verdict
    'too_few_samples'
    """

    _json: str
    _text: str
    _html: str

    def json(self) -> "dict[str, Any]":
        """The whole answer, as the command prints it with --json."""
        return cast("dict[str, Any]", json.loads(self._json))

    @cached_property
    def _answer(self) -> "dict[str, Any]":
        return self.json()

    @property
    def verdict(self) -> str:
        """The verdict on the samples."""
        return str(self._answer["verdict"])

    @property
    def leaks(self) -> "bool | None":
        """Whether the loss certainly exceeds epsilon."""
        return {"leaks": True, "not_seen_to_leak": False}.get(self.verdict)

    @property
    def event(self) -> str:
        """The event, a property of an output."""
        return str(self._answer["event"])

    @property
    def favoured(self) -> int:
        """The input, 0 or 1, under which the event is more likely."""
        return int(self._answer["favoured"])

    @property
    def loss_exact(self) -> Fraction:
        """A lower bound on the loss."""
        return _exact(self._answer["loss_lower_bound"])

    @property
    def loss_lower_bound(self) -> float:
        """The same lower bound as a double."""
        nearest = float(self.loss_exact)
        return nearest if Fraction(nearest) <= self.loss_exact else math.nextafter(nearest, -math.inf)

    @property
    def probabilities(self) -> "tuple[Fraction, Fraction]":
        """Bounds on the probability of the event, by input."""
        first, second = (_exact(input["probability"]) for input in self._answer["inputs"])
        return first, second

    @property
    def counts(self) -> "tuple[tuple[int, int], tuple[int, int]]":
        """Hits and samples by input, in the half that tested the event."""
        return self._counted("tested")

    @property
    def chosen_counts(self) -> "tuple[tuple[int, int], tuple[int, int]]":
        """Hits and samples by input, in the half that chose the event."""
        return self._counted("chosen")

    def _counted(self, half: str) -> "tuple[tuple[int, int], tuple[int, int]]":
        first, second = ((input[half]["hits"], input[half]["trials"]) for input in self._answer["inputs"])
        return first, second

    @property
    def events_tried(self) -> int:
        """The number of events that were tried."""
        return int(self._answer["events_tried"])

    @property
    def samples_needed(self) -> "tuple[int | None, int | None] | None":
        """The number of samples of each input that it takes to show a loss above epsilon: at least, and about, at the rates of this event."""
        needed = self._answer["samples_needed"]
        return None if needed is None else (needed["at_least"], needed["at_these_rates"])

    @property
    def epsilon(self) -> "Fraction | None":
        """The claimed loss."""
        epsilon = self._answer["epsilon"]
        return None if epsilon is None else _exact(epsilon)

    @property
    def delta(self) -> Fraction:
        """The claimed δ."""
        return _exact(self._answer["delta"])

    @property
    def confidence(self) -> Fraction:
        """The confidence of the bounds."""
        return _exact(self._answer["confidence"])

    @property
    def explanation(self) -> str:
        """The result in plain words."""
        return str(self._answer["explanation"])

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<Attack {self._answer['headline']}>"

    def _repr_html_(self) -> str:
        return self._html


def _exact(number: "dict[str, str]") -> Fraction:
    return Fraction(number["exact"])


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
    """Looks for an event in the bits of outputs that tells two inputs apart, and bounds the loss from below.

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
    return Attack(*_lastbit._attack(*pair, epsilon=epsilon, delta=delta, confidence=confidence, inputs=known))


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
    """The inputs as doubles; None if they are not numbers, or not doubles."""
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
