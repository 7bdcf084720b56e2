"""Audits against exact values: the golden file, the command line's reports, and what is known in closed form."""

import doctest
import hashlib
import importlib
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from markup import elements

import lastbit

REPOSITORY = Path(__file__).parents[2]
GOLDEN = json.loads((REPOSITORY / "tests/golden/public.json").read_text())["cases"]
LN = {0: "correct", 1: "+1ulp", -1: "-1ulp"}


def of_kind(kind: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in GOLDEN if case["kind"] == kind]


def number(text: str) -> float:
    return float.fromhex(text)


def near(bounds: Any, text: str, digits: int) -> bool:
    """Whether what is known holds a decimal that was rounded to so many digits."""
    decimal = Fraction(text)
    slack = abs(decimal) / 10 ** (digits - 1)
    low, high = bounds if isinstance(bounds, tuple) else (bounds, bounds)
    return bool(low - slack <= decimal <= high + slack)


def snapping(parameters: dict[str, Any]) -> lastbit.Audit:
    more = {"scale": number(parameters["lam"])} if parameters["op"] == "mul" else {}
    return lastbit.audit(
        "snapping",
        epsilon=number(parameters["eps"]),
        bound=number(parameters["B"]),
        grid=number(parameters["Lam"]),
        op=parameters["op"],
        sampler={"mironov": "ulp"}.get(parameters["sampler"], parameters["sampler"]),
        tie=parameters["tie"],
        clamp=parameters["clamp_input"],
        ln=LN[parameters["ln_shift"]],
        inputs=(number(parameters["f"]), number(parameters["f2"])),
        delta_at=Fraction(number(parameters["eps"])),
        **more,
    )


@pytest.mark.parametrize("case", of_kind("snap_float"))
def test_golden_float(case: dict[str, Any]) -> None:
    audit = snapping(case["params"])
    assert audit.count == case["n_reachable"]
    if case["loss"] == "inf":
        assert audit.loss == math.inf
    else:
        assert near(audit.loss, case["loss"], 30)
    assert audit.witness == number(case["argmax"])
    total = 2 * ({"mironov": 2**1074, "grid53": 2**53}[case["params"]["sampler"]] - 1)
    assert [audit.only_first * total, audit.only_second * total] == [int(case["only_f"]), int(case["only_f2"])]
    assert audit.delta is not None
    assert all(near(found, text, 30) for found, text in zip(audit.delta, case["delta_at_eps"]))
    if audit.complete:
        assert weights_sha256(audit, total) == case["weights_sha256"]


def weights_sha256(audit: lastbit.Audit, total: int) -> str:
    """The hash of all weights, as the golden file has it."""
    bound, lines = audit.parameters["bound"], []
    for outcome in audit.outputs:
        label = "-B" if outcome.output == -bound else "+B" if outcome.output == bound else "grid"
        k = "-" if label != "grid" else str(Fraction(outcome.output) / audit.parameters["grid"])
        first, second = (p * total for p in outcome.probabilities)
        lines.append(f"{label} {k} {first} {second}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@pytest.mark.parametrize("case", of_kind("snap_ideal"))
def test_golden_ideal(case: dict[str, Any]) -> None:
    parameters = case["params"]
    audit = lastbit.audit(
        "snapping",
        form="exact",
        epsilon=parameters["eps"],
        bound=parameters["B"],
        grid=parameters["Lam"],
        inputs=(parameters["f"], parameters["f2"]),
    )
    assert near(audit.loss, case["loss"], 30)
    assert near(audit.claimed, case["bound"], 30)
    found = {outcome.output: outcome for outcome in audit.outputs}
    for row in case["outputs"]:
        first, second = found[Fraction(row["x"])].probabilities
        assert near(first, row["p_f"], 40) and near(second, row["p_f2"], 40)


def test_what_the_command_line_prints() -> None:
    audit = lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1), delta_at=1)
    text = str(audit)
    assert "loss     1.0000000000000003536\n  at     3.0: P = 0.0259438, P' = 0.0705226" in text
    assert "delta    1.87297e-17 (f against f'), 2.49382e-17 (f' against f), at ε = 1" in text
    assert "40 values of u" in text
    assert audit.complete and audit.count == 9
    for i in (0, 1):
        probabilities: list[Any] = [outcome.probabilities[i] for outcome in audit.outputs]
        assert sum(probabilities) == 1


def test_the_map() -> None:
    audit = lastbit.audit("snapping", epsilon=1, bound=2, inputs=(0, 1))
    assert audit.map is not None
    lowest, *_, highest = audit.map
    assert lowest.first.plus == ((0.0, number("0x1.c8f87724b5c1dp-3")),) and lowest.first.minus == ()
    assert highest.second.minus == ((0.0, number("0x1.368b2fc6f960bp-1")),) and highest.second.plus == ()
    # For each input and sign, the intervals follow one another from 0 to 1.
    for side in ("first", "second"):
        for sign in ("plus", "minus"):
            cuts = sorted(interval for cell in audit.map for interval in getattr(getattr(cell, side), sign))
            assert cuts[0][0] == 0.0 and cuts[-1][1] == 1.0
            assert all(before[1] == after[0] for before, after in zip(cuts, cuts[1:]))


def test_two_inputs_one_ulp_apart() -> None:
    f = 371.94007192138116
    audit = lastbit.audit("snapping", epsilon=1, bound=372.00000000000017, inputs=(f, math.nextafter(f, 400)))
    assert audit.loss == math.inf and audit.count == 747
    assert audit.witness == -372.00000000000017
    assert audit.only_first == Fraction(1, 2 * (2**1074 - 1)) and audit.only_second == 0


def test_many_outputs_are_not_all_listed() -> None:
    audit = lastbit.audit("snapping", epsilon=1, bound=20000, grid="1/16", inputs=(0, 1))
    assert not audit.complete and len(audit.outputs) < audit.count
    assert audit.witness in [outcome.output for outcome in audit.outputs]


def test_over_the_reals_the_theorem_holds() -> None:
    audit = lastbit.audit("snapping", form="exact", epsilon="1/3", bound=20000, inputs=("1/7", "2/7"), delta_at=1)
    assert audit.claimed == Fraction(1, 21) and audit.delta == (Fraction(0), Fraction(0))
    assert audit.loss_lower <= Fraction(1, 21) + Fraction(1, 2**100)
    alike = lastbit.audit("snapping", form="exact", epsilon=1, bound=4, inputs=(2, 2))
    assert alike.loss == (Fraction(0), Fraction(0))


@pytest.mark.parametrize("case", of_kind("naive"))
def test_golden_textbook(case: dict[str, Any]) -> None:
    parameters = case["params"]
    sampler = {"mironov": "ulp"}.get(parameters["sampler"], parameters["sampler"])
    inputs = (number(parameters["f"]), number(parameters["f2"]))
    audit = lastbit.audit("textbook-laplace", epsilon=number(parameters["eps"]), sampler=sampler, inputs=inputs)
    assert audit.loss == math.inf and not audit.complete
    total = 2 * ({"ulp": 2**1074, "grid53": 2**53}[sampler] - 1)
    found: dict[Any, Any] = {outcome.output: outcome.probabilities for outcome in audit.outputs}
    rows = {number(row["w"]): (int(row["weight_f"]), int(row["weight_f2"])) for row in case["outputs"]}
    both = found.keys() & rows.keys()
    assert both
    assert all((found[w][0] * total, found[w][1] * total) == rows[w] for w in both)


@pytest.mark.parametrize("mechanism", ["discrete_laplace", "laplace", "grid_laplace"])
def test_samplers(mechanism: str) -> None:
    audit = lastbit.audit("sampler", mechanism=mechanism, scale="5/2", inputs=(0, 1), depth=32)
    assert audit.claimed == Fraction(2, 5)
    assert audit.loss_lower <= Fraction(2, 5)
    assert audit.notes[0].startswith("nothing is refuted")


def test_the_sampler_of_the_gaussian() -> None:
    audit = lastbit.audit("sampler", mechanism="gaussian", scale="5/2", inputs=(0, 1), depth=14)
    assert "nothing is refuted" in str(audit)


def test_the_discrete_laplace_law() -> None:
    audit = lastbit.audit("sampler", mechanism="discrete_laplace", scale=1)
    zero: Any = next(outcome.probabilities[0] for outcome in audit.outputs if outcome.output == "0")
    low, high = zero
    tanh_half = (math.e - 1) / (math.e + 1)
    assert low <= Fraction(tanh_half) + Fraction(1, 10**15) and high >= Fraction(tanh_half) - Fraction(1, 10**15)
    assert high - low < Fraction(1, 2**50)


RESPONSE = (REPOSITORY / "mechanisms/randomized_response.lb").read_text()
SNAPPING = (REPOSITORY / "mechanisms/snapping_f64.lb").read_text()


def test_a_discrete_text() -> None:
    audit = lastbit.audit(RESPONSE, epsilon=1, inputs=(True, False))
    assert audit.what == "randomized_response" and audit.claimed == 1
    assert near(audit.loss, "1", 30)
    assert [outcome.output for outcome in audit.outputs] == ["false", "true"]


def test_a_float_text_is_the_mechanism() -> None:
    text = lastbit.audit(SNAPPING, epsilon=1, bound=4, inputs=(0, 1))
    mechanism = lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1))
    assert text.outputs == mechanism.outputs and text.loss == mechanism.loss
    assert text.map is not None and mechanism.map is not None
    assert text.map[1:-1] == mechanism.map[1:-1]
    # The least u is 2^-1074, and 0 stands for it.
    least = [cell.first.plus[0] for cell in (text.map[0], mechanism.map[0])]
    assert least[0] == (2**-1074, least[1][1]) and least[1][0] == 0.0
    assert text.parameters == {"eps": 1, "B": 4, "L": 1}
    shifted = lastbit.audit(SNAPPING, epsilon=1, bound=4, inputs=(0, 1), ln="+1ulp")
    assert shifted.outputs == lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1), ln="+1ulp").outputs


def test_minus_zero_is_an_output() -> None:
    text = "mechanism m(x: f64) -> f64 { u <$ unif(0,1);  return 0 * x }"
    audit = lastbit.audit(text, inputs=(-1, 1))
    assert audit.loss == math.inf
    assert [(str(outcome.output), outcome.probabilities) for outcome in audit.outputs] == [("-0.0", (1, 0)), ("0.0", (0, 1))]


CLAIMED = """
mechanism m(x: f64) -> grid
  param eps: f64 = 1
  adjacent |x<1> - x<2>| <= 1
  claim {}
{{ u <$ unif(0,1);  s <$ sign;  return clamp(round(clamp(x, 10) + s * (ln(u) / eps), 1, up), 10) }}"""


def test_delta_is_at_what_a_float_text_claims() -> None:
    audit = lastbit.audit(CLAIMED.format("approx(1, 2^-30)"), inputs=(0, 1))
    assert audit.delta_at == 1 and audit.claimed is None
    assert "claim: ε = 1, δ = 1/1073741824: holds at these inputs" in audit.notes
    pure = lastbit.audit(CLAIMED.format("pure eps"), inputs=(0, 1), delta_at=0)
    assert pure.delta_at == 0 and pure.claimed == 1
    assert "claim: ε = 1: violated at these inputs" in pure.notes
    none = lastbit.audit(CLAIMED.format("pure infer"), inputs=(0, 2))
    assert none.delta_at == 1 and "delta is at the parameter eps: no ε is claimed" in none.notes
    assert "the inputs are not neighbours: `adjacent` does not hold of them" in none.notes


def test_lists_and_names_as_inputs() -> None:
    text = """
mechanism sum(q: int[2], T: int) -> grid
  claim pure 1
{ z <$ dlap(1, 0);  return q[0] + q[1] + T + z }"""
    audit = lastbit.audit(text, inputs=({"q": [1, 2], "T": 0}, {"q": [1, 2], "T": 1}))
    assert near(audit.loss, "1", 20)
    with pytest.raises(lastbit.ParameterError, match="there is no argument \"x\": there are q, T"):
        lastbit.audit(text, inputs=({"x": 1}, {"x": 2}))
    with pytest.raises(lastbit.ParameterError, match="dictionary of values for q, T"):
        lastbit.audit(text, inputs=(1, 2))
    with pytest.raises(lastbit.ParameterError, match="q is a list"):
        lastbit.audit(text, inputs=({"q": 1, "T": 1}, {"q": 1, "T": 1}))


def test_parameters_are_exact() -> None:
    ways = ["0.1", Decimal("0.1"), Fraction(1, 10)]
    audits = [lastbit.audit("snapping", form="exact", epsilon=e, bound=4, inputs=(0, 1)) for e in ways]
    assert audits[0] == audits[1] == audits[2]
    assert lastbit.audit("snapping", form="exact", epsilon=0.1, bound=4, inputs=(0, 1)) == audits[0]
    double = lastbit.audit("snapping", form="exact", epsilon=Fraction(0.1), bound=4, inputs=(0, 1))
    assert double != audits[0]


def test_results_pickle_and_compare() -> None:
    for audit in (
        lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1), delta_at=1),
        lastbit.audit(RESPONSE, epsilon=1, inputs=(True, False)),
    ):
        assert pickle.loads(pickle.dumps(audit)) == audit


def test_a_place_in_the_text() -> None:
    with pytest.raises(lastbit.ProgramError) as caught:
        lastbit.audit(SNAPPING, epsilon=1, inputs=(0, 1))
    error = caught.value
    assert error.message == "the parameter `B` has no value"
    assert (error.line, error.column, error.hint) == (11, 9, "give it: B=…")
    assert "--> text:11:9" in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.line, copy.hint) == (str(error), 11, "give it: B=…")
    with pytest.raises(lastbit.ProgramError, match="not discrete"):
        lastbit.audit("mechanism m(x: real) -> real { z <$ lap(1);  return x + z * z }", inputs=(0, 1))


def test_real_valued_noise() -> None:
    audit = lastbit.audit(REPOSITORY / "mechanisms/laplace.lb", epsilon=1, inputs=(0, 1))
    assert audit.verdict == "holds" and audit.loss == (1, 1)


def test_verdicts() -> None:
    assert lastbit.audit("textbook-laplace", epsilon=1, inputs=(0, 1)).verdict == "violated"
    snapping = lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1))
    assert snapping.verdict == "holds" and [paper["verdict"] for paper in snapping.papers].count("violated") == 0
    assert lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1), fail_above=1).verdict == "violated"
    worst = lastbit.audit("snapping", epsilon=1, bound=4, worst=True, budget=0.2)
    assert worst.search is not None and worst.search["certified"]["kind"] == "pure" and worst.verdict == "holds"
    assert lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1)).json()["schema"] == 1


@pytest.mark.parametrize(
    ("what", "parameters", "message"),
    [
        ("snapping", {"bound": 1}, "snapping needs epsilon"),
        ("snapping", {"epsilon": 0, "bound": 1}, "epsilon must be positive"),
        ("snapping", {"epsilon": 1, "bound": -1}, "bound"),
        ("snapping", {"epsilon": "nan", "bound": 1}, "epsilon"),
        ("snapping", {"epsilon": 1, "bound": 1, "grid": 3}, "power of two"),
        ("snapping", {"epsilon": 1, "bound": 1, "scale": 3}, "scale is for op"),
        ("snapping", {"epsilon": 1, "bound": 1, "tie": "down"}, 'tie must be "up" or "even" or "away"'),
        ("snapping", {"epsilon": 1, "bound": 1, "form": "real"}, "form must be"),
        ("snapping", {"epsilon": 1, "bound": 1, "form": "exact", "tie": "up"}, "snapping has no parameter tie"),
        ("snapping", {"epsilon": 1, "bound": 1e300, "form": "exact"}, "2\\^18"),
        ("snapping", {"epsilon": 1, "bound": 1, "delta_at": 2**21}, "delta_at must be"),
        ("textbook-laplace", {"epsilon": 1, "dtype": "float32", "sampler": "grid53"}, "sampler must be"),
        ("sampler", {"mechanism": "laplace", "scale": 1, "bound": 3}, "bound is for snapping"),
        ("sampler", {"mechanism": "cauchy", "scale": 1}, "there is no sampler"),
        ("sampler", {"mechanism": "laplace", "scale": 1, "depth": 10**6}, "depth"),
        ("laplace", {"epsilon": 1}, "there is no mechanism 'laplace'"),
        (RESPONSE, {"epsilon": 1, "n": 1}, "no parameter n: there are eps"),
        (RESPONSE, {"epsilon": 1, "eps": 1}, "eps is given twice"),
    ],
)
def test_refusals(what: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(lastbit.ParameterError, match=message):
        lastbit.audit(what, inputs=(0, 1), **parameters)


def test_inputs_are_two() -> None:
    for inputs in (None, (1,), (1, 2, 3), "01"):
        with pytest.raises(lastbit.ParameterError, match="two inputs"):
            lastbit.audit("snapping", epsilon=1, bound=1, inputs=inputs)


def test_notebooks() -> None:
    seen = elements(lastbit.audit("snapping", epsilon=1, bound=372, inputs=(371, 372))._repr_html_())
    assert seen.count("svg") == 2 and seen.count("tr") == 21
    infinite = lastbit.audit("textbook-laplace", epsilon=1, inputs=(0, 1))._repr_html_()
    elements(infinite)
    assert "∞" in infinite
    elements(lastbit.audit(RESPONSE, epsilon=1, inputs=(True, False))._repr_html_())
    elements(lastbit.audit("snapping", form="exact", epsilon=1, bound=4, inputs=(0, 1))._repr_html_())


@pytest.mark.parametrize("module", ["_shown", "_html", "_audit_html"])
def test_examples_of_helpers(module: str) -> None:
    results = doctest.testmod(importlib.import_module(f"lastbit.{module}"), optionflags=doctest.ELLIPSIS)
    assert results.attempted and not results.failed


def test_everything_is_escaped() -> None:
    evil = "</td><script>alert('x')</script>"
    outcome = lastbit.Outcome(evil, (Fraction(1), Fraction(1)), (Fraction(0), Fraction(0)))
    audit = lastbit.Audit(
        evil, {evil: evil}, (evil, evil), math.inf, outcome, (outcome,), True, 1, Fraction(0), Fraction(0), None, None, None, None, (evil,)
    )
    elements(audit._repr_html_())


def test_ctrl_c() -> None:
    """All 2^25 values of u take seconds; Ctrl-C does not."""
    code = "import lastbit; print('started', flush=True); lastbit.audit('textbook-laplace', epsilon=1, inputs=(0, 1), dtype='float32')"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "started\n"
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    pressed = time.monotonic()
    _, errors = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors
    assert time.monotonic() - pressed < 3
