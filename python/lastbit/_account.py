"""What many releases cost together."""

import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from lastbit import _html, _lastbit
from lastbit._lastbit import Budget, Claim, Release
from lastbit._shown import near, up
from lastbit.errors import ParameterError, UnsupportedType

if TYPE_CHECKING:
    from os import PathLike

POINTS = 41
"""The points of a curve, unless more are wanted."""

WIDTH, HEIGHT, MARGIN = 480.0, 220.0, 40.0
LEAST = 1e-12
"""Where pictures of δ end."""


class Between(NamedTuple):
    """A number between two certified ends. As a float it is the upper end, rounded up, so that it may be published as a promise.

    >>> import lastbit
    >>> ends = lastbit.account(["gaussian:sigma=3"]).delta(1)
    >>> ends.lower < ends.upper <= float(ends)
    True
    """

    lower: Fraction
    """At most the number."""
    upper: "Fraction | float"
    """At least the number; infinity if no bound is known."""

    def __float__(self) -> float:
        nearest = float(self.upper)
        return nearest if nearest >= self.upper else math.nextafter(nearest, math.inf)

    def __str__(self) -> str:
        if isinstance(self.upper, float):
            return f"at least {near(self.lower)}"
        texts = [near((self.lower, self.upper), digits) for digits in range(8, 2, -1)]
        return next((text for text in texts if "…" not in text), texts[0])


class Curve(NamedTuple):
    """Points of the curve δ(ε), as lists of floats: `plot(curve.epsilon, curve.upper)`. Ends are rounded outward."""

    epsilon: "list[float]"
    """ε."""
    lower: "list[float]"
    """At most δ."""
    upper: "list[float]"
    """At least δ."""


class Attacker(NamedTuple):
    """What an attacker can do who wants to know whether one person is in the data."""

    right_at_most: Between
    """How often somebody who thought both equally likely is right at most."""
    trade_off: "list[tuple[Fraction, Between]]"
    """Shares of false alarms, with the least share of misses that goes with each."""
    sentence: str
    """In words."""


class Calibrated(NamedTuple):
    """The least noise that is enough."""

    scale: Fraction
    """The scale of Laplace noise, the standard deviation of Gaussian noise."""
    term: str
    """The releases, as `account` takes them."""


@dataclass(frozen=True, repr=False, eq=False)
class Account:
    """Releases whose parameters were fixed before the first of them, and what they cost together: made by `lastbit.account`.

    >>> import lastbit
    >>> thousand = lastbit.account(["laplace:epsilon=0.1*1000"])
    >>> print(thousand.epsilon("1e-6"))
    18.9503
    >>> print(thousand.delta(25))
    1.02e-11
    >>> thousand.pure, thousand.zero_concentrated
    (Fraction(100, 1), Fraction(5, 1))
    """

    _releases: "list[tuple[str, str, str, int]]"
    group: int
    """The number of units in which neighbours differ."""
    _known: "dict[str, Any]" = field(default_factory=dict)

    def json(
        self,
        *,
        epsilon: "Any | Sequence[Any]" = (),
        delta: "Any | Sequence[Any]" = (),
        digits: int = 6,
        attacker: bool = False,
        curve: int = 0,
    ) -> "dict[str, Any]":
        """The answer that `lastbit account --json` prints: `epsilon` asks for δ, `delta` for ε; each may be several."""
        said = _lastbit._account(
            self._releases,
            epsilons=_several(epsilon),
            deltas=_several(delta),
            group=self.group,
            digits=digits,
            attacker=attacker,
            curve=curve,
        )
        return cast("dict[str, Any]", json.loads(said))

    def delta(self, epsilon: Any, *, digits: int = 6) -> Between:
        """The least δ for which all releases together are (ε, δ)-differentially private.

        >>> import lastbit
        >>> lower, upper = lastbit.account(["gaussian:sigma=50*1000"]).delta(4)
        >>> float(lower) < 8.5445916e-11 < 8.5446e-11
        True
        """
        return _between(self.json(epsilon=epsilon, digits=digits)["results"][0]["delta"])

    def epsilon(self, delta: Any, *, digits: int = 6) -> Between:
        """The least ε for which all releases together are (ε, δ)-differentially private."""
        return _between(self.json(delta=delta, digits=digits)["results"][0]["epsilon"])

    @property
    def pure(self) -> "Fraction | None":
        """The sum of pure losses; None if one is infinite."""
        return self._sum("pure")

    @property
    def zero_concentrated(self) -> "Fraction | None":
        """The sum of zero-concentrated losses; None if one is not known."""
        return self._sum("zero_concentrated")

    def _sum(self, name: str) -> "Fraction | None":
        if "sums" not in self._known:
            self._known["sums"] = self.json()
        told = self._known["sums"][name]
        return None if told is None else Fraction(told["exact"])

    @property
    def attacker(self) -> Attacker:
        """What an attacker can do.

        >>> import lastbit
        >>> print(lastbit.account(["randomized-response:epsilon=1"]).attacker.right_at_most)
        0.73105858
        """
        if "attacker" not in self._known:
            self._known["attacker"] = self.json(attacker=True)["attacker"]
        told = self._known["attacker"]
        misses = [(Fraction(at["false_alarms"]), _between(at["misses"])) for at in told["trade_off"]]
        return Attacker(_between(told["right_at_most"]), misses, str(told["sentence"]))

    def plot(self, points: int = POINTS) -> Curve:
        """Points of the curve δ(ε), from 0 to where δ is 10⁻¹², to be drawn with what you like.

        >>> import lastbit
        >>> curve = lastbit.account(["laplace:epsilon=1*3"]).plot(points=5)
        >>> curve.epsilon[0], len(curve.upper)
        (0.0, 5)
        """
        key = f"curve {points}"
        if key not in self._known:
            told = self.json(curve=points)["curve"]
            ends = [math.inf if point["upper"] is None else float(point["upper"]) for point in told]
            self._known[key] = Curve([float(point["epsilon"]) for point in told], [float(point["lower"]) for point in told], ends)
        return cast("Curve", self._known[key])

    def __repr__(self) -> str:
        count = sum(times for *_, times in self._releases)
        return f"<Account of {count} {'entry' if count == 1 else 'entries'}{f', groups of {self.group}' if self.group > 1 else ''}>"

    def _repr_html_(self) -> str:
        return _account_html(self)


def account(releases: Any, *, group: int = 1) -> Account:
    """What many releases cost together: δ at an ε and ε at a δ, from both sides, certified.

    releases: one or several of
    - terms, `"NAME:key=value[,key=value…][*times]"` with the names and keys of `lastbit noise`, such as "laplace:epsilon=0.1*1000";
    - claims and releases (`lastbit.claim(…)`, or noise with claim=True), and budgets, for what was spent on them;
    - paths of files that have terms, or the JSON of claims or of an exact audit;
    - pairs of one of these and how often.

    group: neighbours differ in so many units instead of one.

    The parameters must be fixed before the first release. If later ones are chosen after outputs of earlier ones are seen, use a Budget:
    Budget(epsilon=…, delta=…) keeps a limit whatever is chosen.

    >>> import lastbit
    >>> claim = lastbit.claim("laplace", epsilon="0.1", sensitivity=1)
    >>> print(lastbit.account([(claim, 1000)]).epsilon("1e-6"))
    18.9503
    """
    if isinstance(releases, (str, os.PathLike, Claim, Release, Budget)):
        releases = [releases]
    if not isinstance(releases, Iterable):
        raise UnsupportedType(f"releases are a list of terms, claims or paths, not a {type(releases).__name__}")
    read = [entry for given in releases for entry in _entries(given)]
    if group < 1:
        raise ParameterError(f"group must be positive, but is {group}")
    made = Account(read, group)
    if read:
        # What is wrong with one of them is said now.
        made._sum("pure")
    return made


def dp_sgd(*, sigma: Any, sample_rate: Any, steps: int) -> Account:
    """Training with differentially private gradient descent: `steps` times Gaussian noise on the sum over a Poisson sample.

    sigma: the standard deviation over the clipping norm; sample_rate: the probability with which a step takes a row.

    >>> import lastbit
    >>> lastbit.dp_sgd(sigma=2, sample_rate="1/100", steps=100).epsilon("1e-5").upper < 1
    True
    """
    return account([f"gaussian:sigma={_exact(sigma)},rate={_exact(sample_rate)}*{steps}"])


def calibrate(mechanism: Any, *, epsilon: Any, delta: Any, times: int = 1, sensitivity: Any = 1) -> Calibrated:
    """The least noise with which so many releases together are (epsilon, delta)-differentially private.

    mechanism: laplace, discrete_laplace, gaussian or discrete_gaussian, as a function of this module or its name.

    >>> import lastbit
    >>> found = lastbit.calibrate("gaussian", times=10, epsilon=1, delta="1e-6")
    >>> round(float(found.scale), 3)
    13.36
    >>> float(lastbit.account([found.term]).delta(1)) <= 1e-6
    True
    """
    name = str(getattr(mechanism, "__name__", mechanism)).replace("-", "_")
    said = json.loads(_lastbit._calibrate(name, sensitivity=sensitivity, times=times, epsilon=epsilon, delta=delta))
    return Calibrated(Fraction(said["scale"]["exact"]), str(said["term"]))


def _entries(given: Any) -> "list[tuple[str, str, str, int]]":
    times = 1
    if isinstance(given, tuple):
        if len(given) != 2:
            raise ParameterError("a pair is a release and how often it was made")
        given, times = given
        if isinstance(times, bool) or not isinstance(times, int) or times < 1:
            raise ParameterError(f"a release was made a positive number of times, not {times!r}")
    if isinstance(given, Release):
        given = given.claim
    claims = given.ledger if isinstance(given, Budget) else [given] if isinstance(given, Claim) else None
    if claims is not None:
        return [("claim", "", claim.to_json(), times) for claim in claims]
    if isinstance(given, os.PathLike) or (isinstance(given, str) and os.path.isfile(given)):
        return [("file", *_file(given), times)]
    if isinstance(given, str):
        return [("term", "", given, times)]
    raise UnsupportedType(f"a release is a term, a claim or a path, not a {type(given).__name__}")


def _file(path: "str | PathLike[str]") -> "tuple[str, str]":
    return str(path), Path(path).read_text(encoding="utf-8")


def _exact(number: Any) -> str:
    """A number in writing."""
    return str(number)


def _several(given: Any) -> "list[Any]":
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _between(told: "dict[str, Any]") -> Between:
    exact = told["exact"]
    return Between(Fraction(exact["lower"]), math.inf if exact["upper"] is None else Fraction(exact["upper"]))


def _account_html(account: Account) -> str:
    """The curve δ(ε), and what is known at the usual δ."""
    answer = account.json(delta="1e-6", attacker=True)
    result = answer["results"][0]
    found = _between(result["epsilon"])
    least = f"ε = {up(found.upper)}" if isinstance(found.upper, Fraction) else "no known ε"
    title = f"{least} at δ = 1e-6, for {answer['releases']} release{'' if answer['releases'] == 1 else 's'}"
    rows = [(term["term"], f"{term['times']} times") for term in answer["terms"][:12]]
    if len(answer["terms"]) > 12:
        rows.append((f"and {len(answer['terms']) - 12} more", ""))
    for name, told in (("pure losses add to ε", answer["pure"]), ("zero-concentrated losses add to ρ", answer["zero_concentrated"])):
        rows.append((name, "not finite or not known" if told is None else str(told["decimal"])))
    return _html.block(
        _html.headline(title, good=None),
        _drawing(account.plot()),
        _html.small(answer["attacker"]["sentence"]),
        _html.rows(rows),
    )


def _drawing(curve: Curve) -> _html.Markup:
    """δ over ε, logarithmic; both bounds."""
    last = curve.epsilon[-1] or 1.0
    decades = -math.log10(LEAST)

    def x(epsilon: float) -> float:
        return MARGIN + (WIDTH - MARGIN) * epsilon / last

    def y(delta: float) -> float:
        return 10 + (HEIGHT - 40) * min(-math.log10(max(delta, LEAST)), decades) / decades

    marks = [_html.box(MARGIN, 10, WIDTH - MARGIN, HEIGHT - 40, _html.FAINT, "δ at ε")]
    for power in range(0, int(decades) + 1, 3):
        marks.append(_html.text_at(MARGIN - 4, y(10.0**-power) + 4, f"1e-{power}" if power else "1", "end"))
    for i in range(5):
        marks.append(_html.text_at(x(last * i / 4), HEIGHT - 14, f"{last * i / 4:.3g}", "middle"))
    marks.append(_html.text_at(WIDTH / 2, HEIGHT, "ε (the two curves bound δ from above and below)", "middle"))
    for colour, bounds in ((_html.SECOND, curve.lower), (_html.FIRST, curve.upper)):
        points = list(zip(curve.epsilon, bounds))
        for (first, high), (second, low) in zip(points, points[1:]):
            marks.append(_html.line(x(first), y(high), x(second), y(low), colour))
    return _html.drawing(WIDTH + 20, HEIGHT + 6, "δ(ε)", *marks)
