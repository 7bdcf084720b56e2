"""The exact privacy loss of an implementation between two inputs."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from lastbit import _lastbit
from lastbit._shown import Loss, Number, ends, loss, loss_in_words, near, number, up, value
from lastbit._texts import TEXT, read
from lastbit.errors import ParameterError


@dataclass(frozen=True)
class Samples:
    """The u that give an output, as intervals [lo, hi) of doubles, for either sign of the noise.

    >>> import lastbit
    >>> lastbit.Samples(plus=((0.25, 0.5),), minus=()).plus
    ((0.25, 0.5),)
    """

    plus: tuple[tuple[float, float], ...]
    minus: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Cell:
    """An output, and the u that give it under the first and the second input.

    >>> import lastbit
    >>> cell = lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1)).map[0]
    >>> cell.output, cell.first.minus
    (-4.0, ())
    """

    output: float
    first: Samples
    second: Samples


@dataclass(frozen=True)
class Outcome:
    """An output, its probabilities under both inputs, and its loss |ln(P/P')|.

    A probability is a Fraction, or a pair of Fractions that it lies between; so is the loss, `math.inf` if one input cannot give the output.

    >>> import lastbit
    >>> lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1)).outputs[0].output
    -4.0
    """

    output: "float | Fraction | str"
    probabilities: tuple[Number, Number]
    loss: Loss


@dataclass(frozen=True)
class Audit:
    """What an audit found. `str` says it in a few lines, and notebooks draw it.

    - `loss`: what max |ln(P/P')| lies between, (lower, upper), or `math.inf`; upper is `math.inf` if not all outputs could be weighed.
    - `witness`, `worst`: the output of this loss, and all about it.
    - `outputs`: every output (`complete`), or those of interest where there are thousands; `count` is how many there are.
    - `only_first`, `only_second`: the probability of what the other input cannot give.
    - `delta`: Σ max(0, P - e^ε·P') and Σ max(0, P' - e^ε·P) at ε = `delta_at`, if asked for; of a text always, at what it claims if nothing is asked for.
    - `claimed`: what the same mechanism over the reals loses at most between these inputs, or what a text or a sampler claims.
    - `map`: which u give which output, for mechanisms that turn one uniform number into noise.
    - `verdict`: "holds", "violated" or "undecided", of what is claimed or of `fail_above`; `None` if nothing is claimed.
    - `papers`, `search`: what papers claim of snapping and what became of it; the search for the worst inputs.

    >>> import lastbit
    >>> audit = lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1))
    >>> audit.claimed, audit.loss_upper > 1, float(audit.loss_upper)
    (Fraction(1, 1), True, 1.0000000000000004)
    """

    what: str
    parameters: Mapping[str, Any]
    inputs: tuple[Any, Any]
    loss: Loss
    worst: "Outcome | None"
    outputs: tuple[Outcome, ...]
    complete: bool
    count: int
    only_first: Number
    only_second: Number
    delta: "tuple[Number, Number] | None"
    delta_at: "Fraction | None"
    claimed: "Number | None"
    map: "tuple[Cell, ...] | None"
    notes: tuple[str, ...]
    verdict: "str | None" = field(default_factory=lambda: None)
    papers: "tuple[Mapping[str, Any], ...]" = ()
    search: "Mapping[str, Any] | None" = field(default_factory=lambda: None)
    answer: str = field(default="{}", repr=False, compare=False)

    def json(self) -> Any:
        """The whole answer, as `lastbit audit --json` prints it (docs/json.md).

        >>> import lastbit
        >>> lastbit.audit("textbook-laplace", epsilon=1, inputs=(0, 1)).json()["verdict"]
        'violated'
        """
        return json.loads(self.answer)

    @property
    def witness(self) -> "float | Fraction | str | None":
        """The output of the largest loss; `None` if there is no output."""
        return self.worst.output if self.worst else None

    @property
    def loss_lower(self) -> "Fraction | float":
        """A lower bound on the loss."""
        return ends(self.loss)[0]

    @property
    def loss_upper(self) -> "Fraction | float":
        """An upper bound on the loss; `math.inf` if none is known."""
        return ends(self.loss)[1]

    def __str__(self) -> str:
        first, second = (value(x) for x in self.inputs)
        lines = [_title(self), f"inputs   f = {first}, f' = {second}", f"loss     {loss_in_words(self.loss)}"]
        if self.worst:
            p, q = (near(x) for x in self.worst.probabilities)
            lines.append(f"  at     {value(self.worst.output)}: P = {p}, P' = {q}")
        if self.claimed is not None:
            lines.append(f"claimed  {near(self.claimed, 20)}")
        for name, mass in (("only f", self.only_first), ("only f'", self.only_second)):
            if mass != 0:
                lines.append(f"{name:<8} {near(mass)} of the mass is on outputs that the other input cannot give")
        if self.delta is not None and self.delta_at is not None:
            there, back = (near(x) for x in self.delta)
            lines.append(f"delta    {there} (f against f'), {back} (f' against f), at ε = {near(self.delta_at)}")
        lines.append(f"outputs  {self.count}")
        lines += [f"note     {note}" for note in self.notes]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from lastbit._audit_html import audit_html

        return audit_html(self)


def _title(audit: Audit) -> str:
    parameters = ", ".join(f"{name} = {value(x)}" for name, x in audit.parameters.items())
    return f"{audit.what}: {parameters}" if parameters else audit.what


def audit(
    what: "str | os.PathLike[str]",
    /,
    *,
    inputs: "Sequence[Any] | None" = None,
    delta_at: Any = None,
    fail_above: Any = None,
    **parameters: Any,
) -> Audit:
    """The exact loss between two inputs: the probability of every output under both, and the output with the largest loss.

    what: a name; or a text of the mechanism language, or a file of it, as a path or a name such as "mechanisms/laplace.lb".

    - "snapping": the snapping mechanism in doubles. epsilon, bound; sampler ("ulp" or "grid53"), op ("div" or "mul") with scale, grid (a
      power of two), tie ("up", "even", "away"), clamp, ln ("correct", "+1ulp", "-1ulp", "std"). worst=True looks for the inputs that lose most, at most
      sensitivity apart, for budget seconds. With form="exact" over the reals: epsilon, bound, grid.
    - "textbook-laplace": the Laplace mechanism as textbooks have it. epsilon; dtype ("float64" or "float32"), sampler ("grid53", "grid24", "ulp").
    - "sampler": a sampler of this package, run on every sequence of random bits. mechanism ("laplace", "gaussian", "discrete_laplace",
      "discrete_gaussian", "grid_laplace", "snapping", "float_snapping"), scale (σ of the Gaussian ones); bound, k, depth. Its inputs are 0 and 1 if none are given.
    - a text with a declaration `mechanism …`: its parameters by name (epsilon, bound and grid are eps, B and L), program to choose
      one of several, ln for floats. An input is a value, a list, or a dictionary for several arguments.

    Numbers are exact: str, int, Fraction, Decimal; a float is the double that it is. What the mechanism computes with doubles is rounded to the nearest.
    delta_at: the ε at which δ is computed; without one, what is claimed, or the parameter eps, or 0.
    fail_above: the verdict is on this ε, and not on what is claimed.

    >>> import lastbit
    >>> audit = lastbit.audit("textbook-laplace", epsilon=1, inputs=(0, 1))
    >>> audit.loss
    inf
    >>> rr = '''
    ... mechanism randomized_response(answer: bool) -> bool
    ...   claim pure ln(3)
    ... { lie <$ bernoulli(1/4);  return if lie { !answer } else { answer } }'''
    >>> [(outcome.output, outcome.probabilities) for outcome in lastbit.audit(rr, inputs=(True, False)).outputs]
    [('false', (Fraction(1, 4), Fraction(3, 4))), ('true', (Fraction(3, 4), Fraction(1, 4)))]
    """
    limits = {"delta_at": delta_at, "fail_above": fail_above}
    searches = what == "sampler" or parameters.get("worst") is True
    if inputs is None and not searches or inputs is not None and (isinstance(inputs, str) or len(inputs) != 2):
        raise ParameterError("an audit compares two inputs: give inputs=(f, f')")
    pair = None if inputs is None else (inputs[0], inputs[1])
    name, text = (TEXT, str(what)) if what in _KINDS else read(what, "'mechanism m(x: real) -> real { … }'")
    if isinstance(what, os.PathLike) or name != TEXT or "mechanism " in text:
        chosen = {"program": parameters.pop("program", None), "ln": parameters.pop("ln", None)}
        return _made(_lastbit._audit_text(text, pair, name=name, parameters=parameters, **chosen, **limits))
    what = text
    if what not in _KINDS:
        raise ParameterError(
            f"there is no mechanism {what!r}: give 'snapping', 'textbook-laplace', 'sampler', or a text with a mechanism"
        )
    kind = "exact" if what == "snapping" and _is_exact(parameters) else what
    engine, required, optional = _KINDS[kind]
    arguments = {name: parameters.pop(name, default) for name, default in optional.items()}
    for name in required:
        if name not in parameters:
            raise ParameterError(f"{what} needs {name}")
        arguments[name] = parameters.pop(name)
    if parameters:
        raise ParameterError(f"{what} has no parameter {', '.join(parameters)}: it has {', '.join(arguments)}")
    return _made(engine(pair, **arguments, **limits))


def _is_exact(parameters: "dict[str, Any]") -> bool:
    """Whether the form is the exact one, over the reals."""
    form = parameters.pop("form", "float")
    if form == "ideal":
        raise ParameterError("form='ideal' is now form='exact'")
    if form not in ("float", "exact"):
        raise ParameterError(f"form must be 'float' or 'exact', but is {form!r}")
    return bool(form == "exact")


_SNAPPING = {"sampler": "ulp", "op": "div", "scale": None, "grid": None, "tie": "up", "clamp": True, "ln": "correct"}
_SEARCH = {"worst": False, "sensitivity": None, "budget": 60.0}
_KINDS: "dict[str, tuple[Any, tuple[str, ...], dict[str, Any]]]" = {
    "snapping": (_lastbit._audit_snapping, ("epsilon", "bound"), _SNAPPING | _SEARCH),
    "exact": (_lastbit._audit_exact, ("epsilon", "bound"), {"grid": None}),
    "textbook-laplace": (_lastbit._audit_textbook, ("epsilon",), {"dtype": "float64", "sampler": None}),
    "sampler": (_lastbit._audit_sampler, ("mechanism", "scale"), {"bound": None, "k": None, "depth": None}),
}
"""The engine of each kind, with its required and its optional parameters."""

_DOUBLES = ("epsilon", "bound", "scale")
"""The parameters that a mechanism in floating point uses as doubles."""


def _made(answer: str) -> Audit:
    """The audit in a JSON answer."""
    told = json.loads(answer)
    form = told["form"]

    def output(text: str) -> "float | Fraction | str":
        return float.fromhex(text) if form == "float" else Fraction(text) if form == "exact" else text

    def outcome(row: Any) -> Outcome:
        return Outcome(output(row["output"]), (number(row["p_first"]), number(row["p_second"])), loss(row["loss"]))

    def samples(row: Any, side: str) -> Samples:
        def of(intervals: Any) -> "tuple[tuple[float, float], ...]":
            ends = ((float.fromhex(lo), float.fromhex(hi)) for lo, hi in intervals)
            return tuple((lo, hi) for lo, hi in ends if lo < hi)

        return Samples(of(row["u"][f"plus_{side}"]), of(row["u"][f"minus_{side}"]))

    rows, delta = told["outputs"], told["delta"]
    has_map = form == "float" and all("u" in row for row in rows)
    return Audit(
        what="sampler" if form == "sampler" else told["mechanism"],
        parameters=_parameters(told),
        inputs=_inputs(told),
        loss=loss(told["loss"]),
        worst=None if told["witness"] is None else outcome(told["witness"]),
        outputs=tuple(outcome(row) for row in rows),
        complete=told["outputs_listed"] == "all" and form != "sampler",
        count=int(told["n_outputs"]),
        only_first=number(told["only_first"]),
        only_second=number(told["only_second"]),
        delta=None if delta is None else (number(delta["first"]), number(delta["second"])),
        delta_at=None if delta is None else Fraction(delta["at"]["exact"]),
        claimed=_claimed(told),
        map=tuple(Cell(output(row["output"]), samples(row, "first"), samples(row, "second")) for row in rows) if has_map else None,  # type: ignore[arg-type]
        notes=tuple(_notes(told)),
        verdict=told["verdict"],
        papers=tuple(told.get("papers", ())),
        search=told.get("worst"),
        answer=answer,
    )


def _parameters(told: Any) -> "dict[str, Any]":
    is_text = told["form"] in ("discrete", "continuous") or told["mechanism"] not in ("snapping", "textbook-laplace")

    def of(name: str, x: Any) -> Any:
        if not isinstance(x, dict):
            return x
        exact = Fraction(x["exact"])
        return float(exact) if told["form"] == "float" and name in _DOUBLES and not is_text else exact

    found = {name: of(name, x) for name, x in told["parameters"].items()}
    if told["form"] == "sampler":
        found["mechanism"] = told["mechanism"].replace("-", "_")
    elif told["mechanism"] == "snapping" and not is_text:
        found["form"] = told["form"]
    if "type" in found and not is_text:
        found["dtype"] = {"f64": "float64", "f32": "float32"}[found.pop("type")]
    return found


def _inputs(told: Any) -> "tuple[Any, Any]":
    first, second = told["inputs"]
    if told["form"] == "sampler":
        return float(first), float(second)
    if told["form"] == "exact":
        return Fraction(first), Fraction(second)
    if told["form"] == "float" and told["mechanism"] in ("snapping", "textbook-laplace") and "x" in first:
        return float.fromhex(first), float.fromhex(second)
    return first, second


def _claimed(told: Any) -> "Number | None":
    """The loss of the mechanism over the reals, or the claim of a text or a sampler, if that is a pure ε."""
    for claim in told["claims"]:
        if claim["source"] in ("reals", "text") and "delta" not in claim:
            return number(claim["epsilon"])
        if claim["source"] == "library" and told["sampler"]["measure"] == "max-divergence":
            return number(claim["epsilon"])
    return None


def _notes(told: Any) -> "list[str]":
    notes = [claim["words"] for claim in told["claims"] if claim["source"] == "library"]
    if told["form"] == "sampler":
        least = max(Fraction(side["remainder"]["exact"]) for side in told["sampler"]["sides"])
        notes.append(f"after {told['sampler']['depth_bits']} bits a probability of at most {up(least, 3)} is undecided")
    notes += told["notes"]
    if told["delta"] is not None:
        where = {"parameter eps": "the parameter eps", "nothing": "ε = 0"}.get(told["delta"]["from"])
        notes += [f"delta is at {where}: no ε is claimed"] if where else []
    notes += [f"claim: {claim['words']}" for claim in told["claims"] if claim["source"] == "text"]
    if "shipped" in told:
        shipped = told["shipped"]
        how = f"{shipped['replays']} values of u from replayed bits" if shipped["replays"] else f"{shipped['evaluations']} values of u"
        notes.append(f"the shipped function agrees at the ends of every cell, {how}")
    return notes
