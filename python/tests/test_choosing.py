"""Choices: who wins, what it costs, what is refused."""

import pickle
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import lastbit as lb

BOTH = [lb.noisy_max, lb.exponential]
CLASSES = [lb.NoisyMax, lb.Exponential]


@pytest.mark.parametrize("choose", BOTH)
def test_the_best_wins_if_it_is_far_ahead(choose):
    for scores in (
        [1, 10_000, 3],
        (1.0, 10_000.0, 3.0),
        np.array([1, 10_000, 3]),
        np.array([1, 10_000, 3], dtype=np.int16),
        np.array([1, 10_000, 3], dtype=np.float32),
        np.array([0, 1, 0, 10_000, 0, 3])[1::2],
    ):
        assert choose(scores, epsilon=1, sensitivity=1) == 1
        assert choose(scores, epsilon=1, sensitivity=1, candidates=["a", "b", "c"]) == "b"


def test_series():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    for series in (pandas.Series([1.0, 900.0]), polars.Series([1.0, 900.0])):
        assert lb.noisy_max(series, epsilon=1, sensitivity=1) == 1


def test_probabilities():
    """Frequencies next to the closed forms: half of e^-1 for the lower of two, and 1/(1 + e)."""
    n = 20_000
    noisy = Counter(lb.noisy_max([0, 1], scale=1) for _ in range(n))
    softmax = Counter(lb.exponential([0, 1], scale=1) for _ in range(n))
    weighted = Counter(lb.exponential([0, 0], scale=1, weights=["1/3", 1]) for _ in range(n))
    # Five standard deviations are below 0.0177.
    assert abs(noisy[0] / n - np.exp(-1) / 2) < 0.0177
    assert abs(softmax[0] / n - 1 / (1 + np.e)) < 0.0177
    assert abs(weighted[0] / n - 0.25) < 0.0177


@pytest.mark.parametrize("cls", CLASSES)
def test_losses(cls):
    general = cls(epsilon=1, sensitivity=2)
    monotone = cls(epsilon=1, sensitivity=2, monotone=True)
    assert (general.scale, monotone.scale) == (4, 2)
    assert general.loss() == monotone.loss() == 1
    assert general.loss(1) == Fraction(1, 2)
    assert (general.sensitivity, monotone.monotone) == (2, True)
    assert general.claim().neighbours["metric"] == "L-infinity"
    assert monotone.claim().neighbours["metric"] == "range"
    assert general.claim(dtype="int64").domain["values"] == "int64"
    assert general.shortfall(1, confidence=0.9) == 0 < monotone.shortfall(10, confidence=0.9) < general.shortfall(10, confidence=0.9)
    claim = general.claim(unit="person")
    assert lb.Claim.from_json(claim.to_json()) == claim
    with pytest.raises(lb.ParameterError):
        cls(scale=1).loss()


@pytest.mark.parametrize("cls", CLASSES)
def test_copies(cls):
    for m in (cls(3), cls(epsilon="0.1", sensitivity=1, monotone=True, dtype="int32")):
        again = pickle.loads(pickle.dumps(m))
        assert again == m and hash(again) == hash(m) and repr(again) == repr(m)
    assert repr(cls(epsilon=0.1, sensitivity=1, monotone=True)) == (
        f"{cls.__name__}(epsilon='0.1', sensitivity='1', monotone=True)"
    )


def test_claims_by_name():
    assert lb.claim("noisy_max", epsilon=1, sensitivity=1).loss == 1
    assert lb.claim(lb.exponential, scale=4, sensitivity=1).loss == Fraction(1, 2)
    assert lb.claim(lb.NoisyMax(scale=4, monotone=True), 1).loss == Fraction(1, 4)


@pytest.mark.parametrize("choose", BOTH)
def test_budgets(choose):
    budget = lb.Budget(epsilon=1)
    release = choose([1, 2], epsilon="0.7", sensitivity=1, budget=budget, claim=True)
    assert release.value in (0, 1) and release.loss == Fraction(7, 10) == budget.spent
    with pytest.raises(lb.BudgetExceeded):
        choose([1, 2], epsilon="0.7", sensitivity=1, budget=budget)
    with pytest.raises(lb.ClaimMismatch):
        lb.laplace(1.0, epsilon="0.1", sensitivity=1, budget=budget)
    with pytest.raises(lb.ParameterError):
        choose([1, 2], scale=1, budget=budget)
    # Refused for what is public: nothing is paid. For a value: it stays paid.
    for bad in ({"candidates": ["a"]}, {"dtype": "int8"}):
        with pytest.raises(lb.ParameterError):
            choose([1, 2], epsilon="0.1", sensitivity=1, budget=budget, **bad)
    assert budget.remaining == Fraction(3, 10)
    with pytest.raises(lb.DomainError):
        choose([1, float("nan")], epsilon="0.1", sensitivity=1, budget=budget)
    assert budget.remaining == Fraction(1, 5)

    person = lb.Budget(epsilon=1, unit="person")
    choose([1, 2], epsilon="1/2", sensitivity=1, budget=person)
    lb.laplace(1.0, epsilon="1/2", sensitivity=10, budget=person)
    assert person.remaining == 0


def test_a_budget_chooses():
    budget = lb.Budget(epsilon=1)
    assert budget.release(lb.NoisyMax(scale=4), [0, 10_000], d_in=1) == 1
    assert budget.spent == Fraction(1, 2)
    with pytest.raises(lb.ParameterError):
        budget.release(lb.NoisyMax(scale=4), [0, 1], d_in=1, out=np.zeros(2))
    with pytest.raises(TypeError):
        budget.release("noisy_max", [0, 1], d_in=1)


@pytest.mark.parametrize("choose", BOTH)
def test_refusals(choose):
    for bad in ({}, {"epsilon": 1}, {"scale": 1, "epsilon": 1, "sensitivity": 1}, {"scale": 0}, {"scale": -1}):
        with pytest.raises(lb.ParameterError):
            choose([1, 2], **bad)
    with pytest.raises(lb.ParameterError):
        choose([], scale=1)
    for scores in ("ab", [None], np.zeros((2, 2)), np.array(["a"]), np.array([True]), {1: 2}, 3):
        with pytest.raises((lb.UnsupportedType, lb.ParameterError)):
            choose(scores, scale=1)
    with pytest.raises(lb.UnsupportedType):
        choose(np.array([1, 2]), scale=1, dtype="float64")
    with pytest.raises(lb.DomainError):
        choose([2**53 + 1, 0], scale=1)
    assert choose([2**53 + 1, 0], scale=1, dtype="int64") == 0


def test_weights():
    for weights in ([1], [1, 0], [1, -1], [1, float("inf")], ["x", 1], np.array([1.0, 0.0])):
        with pytest.raises(lb.Error):
            lb.exponential([1, 2], scale=1, weights=weights)
    # A weight that outweighs every score.
    for heavy in ([1, "1e4000"], [Fraction(1, 10**300), 10**300], np.array([1e-300, 1e300])):
        assert lb.exponential([20, 0], scale=1, weights=heavy) == 1
    with pytest.raises(TypeError):
        lb.noisy_max([1, 2], scale=1, weights=[1, 1])
