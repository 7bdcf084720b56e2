"""What many releases cost together: the same as the command says, from terms, claims, budgets and files."""

import json
import math
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from markup import elements
from test_parity import command, printed

import lastbit

QUESTIONS: "list[tuple[list[str], dict[str, Any]]]" = [
    (["laplace:epsilon=0.1*1000", "--epsilon", "10"], {"epsilon": 10}),
    (["laplace:epsilon=0.1*30", "discrete-gaussian:variance=2500*3", "--delta", "1e-6", "--epsilon", "2"], {"delta": "1e-6", "epsilon": 2}),
    (["gaussian:sigma=2", "--delta", "1e-5", "--digits", "9"], {"delta": "1e-5", "digits": 9}),
    (["threshold:epsilon=1,threshold=20,keys=3", "--delta", "1e-9", "--delta", "1e-3"], {"delta": ["1e-9", "1e-3"]}),
    (["laplace:epsilon=1/10*20", "--attacker", "--curve", "5"], {"attacker": True, "curve": 5}),
    (["randomized-response:epsilon=1*3"], {}),
]


@pytest.mark.parametrize(("arguments", "asked"), QUESTIONS, ids=[" ".join(arguments) for arguments, _ in QUESTIONS])
def test_the_same_answers(arguments: "list[str]", asked: "dict[str, Any]") -> None:
    terms = [argument for argument in arguments if ":" in argument]
    assert lastbit.account(terms).json(**asked) == printed("account", *arguments)


def test_terms_claims_budgets_and_files_are_the_same(tmp_path: Path) -> None:
    written = lastbit.account("laplace:scale=10*3")
    claim = lastbit.claim("laplace", scale=10, sensitivity=1)
    budget = lastbit.Budget(epsilon=1)
    release = lastbit.laplace(1.0, scale=10, sensitivity=1, budget=budget, claim=True)
    lastbit.laplace([1.0, 2.0], scale=10, sensitivity=1, budget=budget)
    lastbit.laplace(3.0, scale=10, sensitivity=1, budget=budget)
    terms, claims = tmp_path / "terms.txt", tmp_path / "claims.json"
    terms.write_text("# two and one\nlaplace:scale=10*2\nlaplace:epsilon=0.1 # the same\n")
    claims.write_text("\n".join(json.dumps({"claim": claim.to_dict()}) for _ in range(3)))
    for given in ([(claim, 3)], [claim, claim, release], budget, terms, str(claims), [(terms, 1)]):
        assert lastbit.account(given).delta(Fraction(1, 5)) == written.delta(Fraction(1, 5)), given
    assert written.pure == Fraction(3, 10)


def test_what_is_known_of_several_values_and_of_discrete_noise() -> None:
    def upper(claim: lastbit.Claim) -> float:
        return float(lastbit.account(claim).delta("0.01"))

    # A vector of integers at L2 distance 2 may differ in four of them: only the zero-concentrated loss is known.
    one, two = (lastbit.claim("discrete_gaussian", scale=10, sensitivity=distance) for distance in (1, 2))
    assert upper(one) < float(lastbit.account("gaussian:sigma=10").delta("0.01")) * 1.01
    assert lastbit.account(two).json(epsilon="0.01")["results"][0]["used"] == "zero_concentrated"
    # Distances between integers are whole.
    assert lastbit.account(lastbit.claim("discrete_laplace", scale=10, sensitivity="1.5")).pure == Fraction(1, 10)


def test_the_exact_audit_of_two_distributions(tmp_path: Path) -> None:
    audit = tmp_path / "coin.json"
    coin = Path(__file__).parents[2] / "examples/coin.lb"
    said = subprocess.run([command(), "audit", coin, "--inputs", "true", "false", "--json"], capture_output=True, text=True, check=True).stdout
    audit.write_text(said)
    twice = lastbit.account([(audit, 2)])
    # 3/4 against 1/4: two coins lose 2·ln 3 with probability 9/16, nothing with 6/16.
    assert twice.delta(0).lower <= Fraction(1, 2) <= twice.delta(0).upper
    assert math.isclose(float(twice.pure or 0), 2 * math.log(3))


def test_what_is_refused(tmp_path: Path) -> None:
    laplace = lastbit.claim("laplace", scale=10, sensitivity=1)
    gaussian = lastbit.claim("gaussian", scale=10, sensitivity=1)
    with pytest.raises(lastbit.ClaimMismatch):
        lastbit.account([laplace, gaussian])
    for given, problem in [
        ("laplce:epsilon=1", "no mechanism"),
        (["laplace:epsilon=1*0"], "must be positive"),
        ([("laplace:epsilon=1", 0)], "positive number of times"),
        ([("laplace:epsilon=1", 10**12)], "too many"),
        ([("laplace:epsilon=1", True)], "positive number of times"),
        ([3], "is a term, a claim or a path"),
        (7, "are a list"),
    ]:
        with pytest.raises(lastbit.Error, match=problem):
            lastbit.account(given)
    one = lastbit.account("laplace:epsilon=1")
    for bad in (0, 1, -1, 2, math.nan, "x"):
        with pytest.raises(lastbit.Error):
            one.epsilon(bad)
    with pytest.raises(lastbit.Error, match="negative"):
        one.delta(-1)
    with pytest.raises(lastbit.Error, match="no release"):
        lastbit.account([]).delta(1)
    with pytest.raises(lastbit.Error, match="group"):
        lastbit.account("laplace:epsilon=1", group=0)
    broken = tmp_path / "broken.txt"
    broken.write_text("laplace:epsilon=1\n\nlaplace:sigma=2\n")
    with pytest.raises(lastbit.ParameterError, match=r"broken\.txt, line 3"):
        lastbit.account(broken)


def test_no_bound_is_infinity() -> None:
    leak = lastbit.account("approximate:epsilon=0,delta=0.01")
    assert leak.epsilon("1e-3").upper == math.inf and leak.pure is None
    assert "at least" in str(leak.epsilon("1e-3"))


def test_pictures() -> None:
    account = lastbit.account("laplace:epsilon=0.5*10")
    curve = account.plot()
    assert curve.epsilon == sorted(curve.epsilon) and curve.upper == sorted(curve.upper, reverse=True)
    assert all(0 <= lower <= upper <= 1 for lower, upper in zip(curve.lower, curve.upper))
    html = account._repr_html_()
    elements(html)
    assert "at δ = 1e-6, for 10 releases" in html and "guesses right at most" in html


def test_a_budget_for_epsilon_and_delta() -> None:
    budget = lastbit.Budget(epsilon=1, delta="1e-6", unit="person")
    assert budget.measure == "zero-concentrated-divergence"
    lastbit.gaussian(1.0, rho=budget.remaining, sensitivity=1, budget=budget)
    assert budget.remaining == 0
    spent = lastbit.account(budget)
    assert float(spent.delta(1)) <= 1e-6
    with pytest.raises(lastbit.BudgetExceeded):
        lastbit.gaussian(1.0, scale=1000, sensitivity=1, budget=budget)
    with pytest.raises(lastbit.ParameterError):
        lastbit.Budget(rho=1, delta="1e-6")
