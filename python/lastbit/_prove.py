"""Proofs for all inputs: how far floating point strays from the reals, and that a mechanism is private."""

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, cast, overload

from lastbit import _lastbit
from lastbit._shown import down, near, up
from lastbit._texts import read

_PROGRAM = "'mechanism m(x: real) -> real { … }' or '(FPCore (x) (* x x))'"
_CERTIFICATE = "the JSON in the certificate of a proof"


@dataclass(frozen=True)
class ErrorBound:
    """A bound on |float - real| of a program, for all inputs in their ranges.

    - `error`: the bound; `range`: where the real result lies.
    - `claim_proved`: whether a bound that the text claims holds; `None` if it claims none. False means not proved.
    - `derivation`: the rules, as a tree; `certificate`: JSON for `check`.
    - `json()`: the object that `lastbit prove --json` prints.

    >>> import lastbit
    >>> lastbit.prove('(FPCore half (x) :pre (<= 1 x 2) (/ x 2))')[0].error
    Fraction(0, 1)
    """

    name: str
    error: Fraction
    range: tuple[Fraction, Fraction]
    claim_proved: "bool | None"
    format: str
    method: str
    derivation: str
    certificate: str
    notes: tuple[str, ...]
    _report: "dict[str, Any]" = field(compare=False, repr=False)

    def json(self) -> "dict[str, Any]":
        """The object that `lastbit prove --json` prints, without the derivation."""
        return _without_derivation(self._report)

    def __str__(self) -> str:
        low, high = self.range
        text = f"{self.name}: |float - real| <= {up(self.error)} for values in [{down(low)}, {up(high)}]"
        claimed = {None: "", True: "; the claimed bound holds", False: "; the claimed bound is NOT proved"}
        return text + claimed[self.claim_proved]

    def _repr_html_(self) -> str:
        return Proofs([self])._repr_html_()


@dataclass(frozen=True)
class Witness:
    """Inputs and an event that refute a claim.

    - `probabilities`: for both inputs, what the probability lies between, and exactly as a formula if there is one.
    - `loss_lower_bound`: what is certainly lost, `math.inf` if the second input cannot give the event; `claimed`: ε, at these parameters.

    >>> import lastbit
    >>> text = '''
    ... mechanism half_noise(x: real) -> real
    ...   param eps: real > 0
    ...   adjacent |x<1> - x<2>| <= 1
    ...   claim pure eps
    ... { z <$ lap(1 / (2 * eps));  return x + z }'''
    >>> witness = lastbit.prove(text)[0].witness
    >>> witness.loss_lower_bound > witness.claimed
    True
    """

    parameters: Mapping[str, str]
    inputs: tuple[Mapping[str, str], Mapping[str, str]]
    event: str
    probabilities: "tuple[tuple[Fraction, Fraction, str | None], tuple[Fraction, Fraction, str | None]]"
    loss_lower_bound: "Fraction | float"
    claimed: Fraction


@dataclass(frozen=True)
class PrivacyProof:
    """What is known of a privacy claim, for all inputs.

    - `verdict`: "proved"; "refuted", with a `witness` or an infinite loss; "rejected", if a proof in the text is wrong; "undecided".
    - `claim`, `delta`: what the text claims; `cost`: the loss that is proved.
    - `statement`: what is proved, refuted or undecided; `tried`, `next`: how far an undecided claim got, and what to try.
    - `print` shows the verdict and what it rests on. `derivation`: what was found, in words and as a tree of rules; `certificates`: JSON for `check`, one for each proof.
    - `json()`: the object that `lastbit prove --json` prints.

    >>> import lastbit
    >>> text = '''
    ... mechanism laplace(x: real) -> real
    ...   param eps: real > 0
    ...   adjacent |x<1> - x<2>| <= 1
    ...   claim pure eps
    ... { z <$ lap(1 / eps);  return x + z }'''
    >>> proof = lastbit.prove(text)[0]
    >>> proof.verdict, proof.cost, lastbit.check(proof.certificate)
    ('proved', 'eps', 'laplace: eps-DP (pure, cost eps), for all eps > 0 and all |x<1> - x<2>| <= 1')
    """

    name: str
    verdict: str
    claim: "str | None"
    delta: "str | None"
    cost: "str | None"
    derivation: str
    certificates: tuple[str, ...]
    witness: "Witness | None"
    notes: tuple[str, ...]
    statement: str
    tried: tuple[str, ...]
    next: tuple[str, ...]
    _headline: str = field(compare=False, repr=False)
    _summary: tuple[str, ...] = field(compare=False, repr=False)
    _report: "dict[str, Any]" = field(compare=False, repr=False)

    def json(self) -> "dict[str, Any]":
        """The object that `lastbit prove --json` prints, without the derivation."""
        return _without_derivation(self._report)

    @property
    def certificate(self) -> "str | None":
        """The certificate of the first proof, if there is one."""
        return self.certificates[0] if self.certificates else None

    def __str__(self) -> str:
        return "\n".join([self._headline, *(f"  {line}" for line in self._summary), *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return Proofs([self])._repr_html_()


class Proofs(Sequence["ErrorBound | PrivacyProof"]):
    """What was proved of a text, in its order; notebooks show it as a table.

    >>> import lastbit
    >>> proofs = lastbit.prove('(FPCore half (x) :pre (<= 1 x 2) (/ x 2))')
    >>> len(proofs), proofs[0].name
    (1, 'half')
    """

    def __init__(self, proofs: "Sequence[ErrorBound | PrivacyProof]") -> None:
        self._proofs = tuple(proofs)

    @overload
    def __getitem__(self, index: int) -> "ErrorBound | PrivacyProof": ...
    @overload
    def __getitem__(self, index: slice) -> "Proofs": ...
    def __getitem__(self, index: "int | slice") -> "ErrorBound | PrivacyProof | Proofs":
        return Proofs(self._proofs[index]) if isinstance(index, slice) else self._proofs[index]

    def __len__(self) -> int:
        return len(self._proofs)

    def __iter__(self) -> "Iterator[ErrorBound | PrivacyProof]":
        return iter(self._proofs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Proofs) and self._proofs == other._proofs

    def __hash__(self) -> int:
        return hash(tuple(proof.name for proof in self._proofs))

    def __repr__(self) -> str:
        return f"Proofs({list(self._proofs)!r})"

    def __str__(self) -> str:
        return "\n".join(str(proof) for proof in self._proofs)

    def _repr_html_(self) -> str:
        from lastbit import _html

        parts: list[str] = []
        for proof in self._proofs:
            parts += [_html.headline(_headline(proof), good=_is_good(proof)), _html.notes(proof.notes)]
            if isinstance(proof, PrivacyProof) and proof.witness is not None:
                parts.append(_html.table(["", ""], _rows(proof.witness)))
            if isinstance(proof, PrivacyProof) and proof.verdict == "undecided":
                # How far it got is all that there is to read.
                parts.append(_html.tag("pre", proof.derivation, style="line-height:1.25"))
            else:
                parts.append(_html.folded("derivation", proof.derivation))
        return _html.block(*parts)


def _headline(proof: "ErrorBound | PrivacyProof") -> str:
    if isinstance(proof, ErrorBound):
        return str(proof)
    return proof._headline


def _is_good(proof: "ErrorBound | PrivacyProof") -> "bool | None":
    if isinstance(proof, ErrorBound):
        return None if proof.claim_proved is False else True
    return {"proved": True, "refuted": False, "rejected": False}.get(proof.verdict)


def _rows(witness: Witness) -> "list[tuple[str, str]]":
    def given(values: Mapping[str, str]) -> str:
        return ", ".join(f"{name} = {value}" for name, value in values.items())

    (p, p_high, exact), (q_low, q, exact2) = witness.probabilities
    infinite = witness.loss_lower_bound == math.inf
    loss = "∞, infinite: an event that only one input can produce" if infinite else f"at least {down(witness.loss_lower_bound)}"

    def probability(bound: str, formula: "str | None", known: bool) -> str:
        # What is known exactly needs no bound, unless the formula is no number that people read at sight.
        return bound if formula is None else formula if known and formula.isdigit() else f"{formula}, {bound}"

    return [
        ("parameters", given(witness.parameters)),
        ("input 1", given(witness.inputs[0])),
        ("input 2", given(witness.inputs[1])),
        ("event", witness.event),
        ("Pr1", probability(f"at least {down(p)}", exact, p == p_high)),
        ("Pr2", probability(f"at most {up(q)}", exact2, q == q_low)),
        ("loss", f"{loss}; claimed {near(witness.claimed)}"),
    ]


def prove(
    text: "str | os.PathLike[str]",
    /,
    *,
    program: "str | None" = None,
    effort: "str | int" = "normal",
    timeout: "float | None" = 60.0,
    memory: "int | None" = 2_000_000_000,
    of: "str | None" = None,
    sensitivity: "Any | None" = None,
    inputs: "tuple[Any, Any] | None" = None,
    ranges: "Mapping[str, tuple[Any, Any]] | None" = None,
    **parameters: Any,
) -> Proofs:
    """Proves all there is to prove about a text, for all inputs.

    text: programs in FPCore, or declarations of the mechanism language; or a file of them, as a path or a name such as "mechanisms/laplace.lb".
    A mechanism over the reals that claims privacy is proved or refuted by a
    relational logic; the snapping mechanism in floats through its rounding errors, for all parameters or (with epsilon and bound) for these;
    of everything else the rounding error is bounded.

    program: only this one. effort: "fast", "normal", "high", or a number of boxes, for error bounds. parameters: values of parameters of the text,
    exact numbers; a proof over the reals needs none, and is then for all of them.

    of: the error of this variable. sensitivity: how far apart neighbours are, instead of what the text says. inputs: two inputs to look at.
    ranges: of parameters and arguments.

    timeout, memory: how many seconds each privacy proof over the reals may take, and by how many bytes the process may grow; None for no limit. Where
    one is reached, the verdict is "undecided", and the derivation says which.

    Raises ProgramError, with line, column and hint, if the text has a mistake or there is no bound.

    >>> import lastbit
    >>> bound = lastbit.prove('(FPCore (x) :name "square" :pre (<= 1 x 2) (* x x))')[0]
    >>> print(bound)
    square: |float - real| <= 2.22045e-16 for values in [1, 4]
    >>> lastbit.check(bound.certificate)
    'square: |float - real| <= 2.22045e-16 for values in [1, 4]'
    >>> lastbit.prove("mechanism ?")
    Traceback (most recent call last):
    lastbit.errors.ProgramError: error: ...
    """
    name, source = read(text, _PROGRAM)
    found = _lastbit._prove(
        source,
        name=name,
        program=program,
        effort=effort,
        timeout=timeout,
        memory=memory,
        of=of,
        sensitivity=sensitivity,
        inputs=inputs,
        ranges=dict(ranges or {}),
        parameters=parameters,
    )
    return Proofs([_made(**answer) for answer in json.loads(found)])


def _made(
    report: "dict[str, Any]",
    headline: str,
    summary: "list[str]",
    details: str,
    notes: "list[str]",
    tried: "list[str]",
    advice: "list[str]",
    certificates: "list[str]",
) -> "ErrorBound | PrivacyProof":
    if report["kind"] == "error_bound":
        low, high = (_exact(end) for end in report["range"])
        claimed = report.get("claim")
        return ErrorBound(
            name=report["name"],
            error=_exact(report["abs_error"]),
            range=(low, high),
            claim_proved=None if claimed is None else claimed == "proved",
            format=report["precision"],
            method=report["method"],
            derivation=report["derivation"]["text"],
            certificate=certificates[0],
            notes=tuple(notes),
            _report=report,
        )
    claim, delta, cost = _claimed(report)
    return PrivacyProof(
        name=report["name"],
        verdict=report["verdict"],
        claim=claim,
        delta=delta,
        cost=cost,
        derivation=details,
        certificates=tuple(certificates),
        witness=_witness(report["witness"]) if "witness" in report else None,
        notes=tuple(notes),
        statement=report["statement"],
        tried=tuple(tried),
        next=tuple(advice),
        _headline=headline,
        _summary=tuple(summary),
        _report=report,
    )


def _claimed(report: "dict[str, Any]") -> "tuple[str | None, str | None, str | None]":
    """The claimed ε and δ, and what is proved."""
    if report["kind"] == "privacy":
        return report["claim"], report["delta"], report["cost"]
    if report["kind"] == "loss":
        epsilon, delta = report["claim"]["epsilon"], report["claim"]["delta"]["exact"]
        certified = report["certified"]
        is_pure = certified is not None and certified["kind"] == "pure"
        cost = certified["loss"]["decimal"] if is_pure else None
        return None if epsilon is None else epsilon["exact"], None if delta == "0" else delta, cost
    return None, None, None


def _exact(number: "dict[str, Any]") -> Fraction:
    return Fraction(number["exact"])


def _ends(number: "dict[str, Any]") -> "tuple[Fraction, Fraction]":
    """The two numbers that a number lies between."""
    low, high = number["between"] if "between" in number else (number["exact"], number["exact"])
    return Fraction(low), Fraction(high)


def _witness(found: "dict[str, Any]") -> Witness:
    def probability(p: "dict[str, Any]") -> "tuple[Fraction, Fraction, str | None]":
        low, high = _ends(p)
        return low, high, p.get("formula", p.get("exact"))

    first, second = found["inputs"]
    p, q = found["probabilities"]
    loss, claimed = found["loss"], found["claimed"]
    return Witness(
        parameters=found["parameters"],
        inputs=(first, second),
        event=found["event"],
        probabilities=(probability(p), probability(q)),
        loss_lower_bound=math.inf if loss["kind"] == "infinite" else _ends(loss)[0],
        claimed=Fraction(0) if claimed is None else _exact(claimed),
    )


def _without_derivation(report: "dict[str, Any]") -> "dict[str, Any]":
    return {name: value for name, value in report.items() if name != "derivation"}


class Checked(str):
    """What a certificate proves, in words; `json()` is the object that `lastbit check --json` prints.

    >>> import lastbit
    >>> certificate = lastbit.prove('(FPCore half (x) :pre (<= 1 x 2) (/ x 2))')[0].certificate
    >>> checked = lastbit.check(certificate)
    >>> print(checked)
    half: |float - real| <= 0 for values in [0.5, 1]
    >>> checked.json()["verdict"]
    'accepted'
    """

    _answer: str

    def __new__(cls, words: str, answer: str) -> "Checked":
        checked = super().__new__(cls, words)
        checked._answer = answer
        return checked

    def __reduce__(self) -> "tuple[object, ...]":
        return type(self), (str(self), self._answer)

    def json(self) -> "dict[str, Any]":
        """The object that `lastbit check --json` prints."""
        return cast("dict[str, Any]", json.loads(self._answer))


def check(
    certificate: "str | os.PathLike[str]",
    /,
    text: "str | os.PathLike[str] | None" = None,
    *,
    timeout: "float | None" = 60.0,
    memory: "int | None" = 2_000_000_000,
) -> Checked:
    """Checks a certificate of `prove`, without any search, and says what it proves.

    certificate: its JSON, or a file of it. text: the programs that are meant, or a file of them. The certificate must be about one of them, but for layout, comments and proofs; error
    bounds of programs that leave values open cannot be compared.

    timeout, memory: how many seconds it may take, and by how many bytes the process may grow; None for no limit.

    Raises CertificateError if it is none, does not prove what it says, or is about something else.

    >>> import lastbit
    >>> square = '(FPCore (x) :name "square" :pre (<= 1 x 2) (* x x))'
    >>> certificate = lastbit.prove(square)[0].certificate
    >>> lastbit.check(certificate, square)
    'square: |float - real| <= 2.22045e-16 for values in [1, 4]'
    >>> lastbit.check(certificate, square.replace("1 x 2", "1 x 3"))
    Traceback (most recent call last):
    lastbit.errors.CertificateError: it is about another program: ...
    """
    about = None if text is None else read(text, _PROGRAM)
    proof = read(certificate, _CERTIFICATE)
    return Checked(*_lastbit._check(proof, about, timeout=timeout, memory=memory))


def certify(certificate: "str | os.PathLike[str]", /, *, to: str = "coq") -> str:
    """Writes a certificate of `prove` for another judge, as it stands: `check` goes through it here.

    certificate: its JSON, or a file of it. to: "coq", for a file that states the theorem and proves it from the library in coq/; or "gappa", for
    a script about an error bound. `lastbit certify --run` lets Coq check it.

    Raises CertificateError if it is none, or cannot be written so.

    >>> import lastbit
    >>> square = lastbit.prove('(FPCore (x) :name "square" :pre (<= 1 x 2) (* x x))', effort="fast")[0]
    >>> "From Lastbit Require" in lastbit.certify(square.certificate)
    True
    """
    return _lastbit._certify(read(certificate, _CERTIFICATE), to=to)
