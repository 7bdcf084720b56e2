"""What notebooks show: well-formed, with the verdict or the number, and no drawing without anything in it."""

import doctest
import importlib
import re
from typing import Any

import numpy
import pytest
from markup import elements

import lastbit

MECHANISMS = [
    lastbit.Laplace(epsilon="0.1", sensitivity=1),
    lastbit.GridLaplace(scale=2, max_changed=1),
    lastbit.DiscreteLaplace(scale=3),
    lastbit.Gaussian(scale=2),
    lastbit.DiscreteGaussian(scale=2),
    lastbit.Snapping(epsilon=1, sensitivity=1, bound=100),
]


def shown(thing: Any) -> str:
    """The HTML, after a look at its form."""
    html: str = thing._repr_html_()
    elements(html)
    for drawing in re.findall("<svg.*?</svg>", html, re.DOTALL):
        assert "<rect" in drawing, drawing
    return html


def text_of(html: str) -> str:
    return re.sub("<[^>]*>", " ", html).replace("&#x27;", "'")


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: type(mechanism).__name__)
def test_mechanisms(mechanism: Any) -> None:
    html = shown(mechanism)
    assert "95%" in html and mechanism.formula in text_of(html).replace("&lt;", "<").replace("&gt;", ">")


def test_choices_and_measurements() -> None:
    assert "ε = " in shown(lastbit.NoisyMax(epsilon=1, sensitivity=1))
    assert "ε = " in shown(lastbit.Exponential(scale=2))
    assert "L2Distance" in shown(lastbit.Gaussian(scale=2).measurement(size=3))


def test_claims() -> None:
    pure = shown(lastbit.claim("laplace", epsilon="0.1", sensitivity=1))
    assert "ε = 0.1" in pure and "L1 distance" in pure and "a factor of at most 1.11" in pure
    concentrated = shown(lastbit.claim("discrete_gaussian", rho="1/8", sensitivity=1))
    assert "ρ = 0.125" in concentrated and "(ε, δ) = (2.75" in concentrated
    one = lastbit.claim("laplace", epsilon="0.1", sensitivity=1)
    assert "2 releases" in shown(lastbit.compose_claims([one, one]))


def test_budgets() -> None:
    budget = lastbit.Budget(epsilon=1, unit="person")
    assert "nothing is spent" in shown(budget) and "one person" in shown(budget)
    for _ in range(14):
        lastbit.laplace(1.0, epsilon="0.05", sensitivity=1, budget=budget)
    html = shown(budget)
    assert "0.3 of ε = 1 left" in html and "0.7 spent on 14 releases" in html
    assert elements(html).count("tr") == 1 + 12 and "70% spent" in html
    assert "ρ = 1 left" in shown(lastbit.Budget(rho=1))


@pytest.mark.parametrize("values", [[1.0] * 200, numpy.zeros(200), numpy.zeros((20, 10))])
def test_releases_of_many_values(values: Any) -> None:
    release = lastbit.laplace(values, epsilon="0.1", sensitivity=1, claim=True)
    html = shown(release)
    assert "200 values" in html and "± 29.9" in html and len(html) < 2500
    assert "200 values" in repr(release) and len(repr(release)) < 400


def test_releases_of_one_value() -> None:
    release: Any = lastbit.discrete_laplace(12, epsilon="0.5", sensitivity=1, claim=True)
    assert f"{release.value} ± " in shown(release)
    release = lastbit.discrete_gaussian(12, rho="1/8", sensitivity=1, claim=True)
    assert f"{release.value} ± " in shown(release) and "ρ = 0.125" in shown(release)


def test_infinite_and_tiny_do_not_look_alike() -> None:
    infinite = shown(lastbit.audit("textbook-laplace", epsilon=1, inputs=(0, 1)))
    assert "loss ∞, infinite: an output that only one input can produce" in infinite
    assert "#d03030" in infinite and "which u give which output" not in infinite
    assert " 1 of the mass" not in infinite
    tiny = shown(lastbit.audit("snapping", epsilon=1, bound=4, inputs=(0, 1)))
    assert "above the claim by 3.5e-16: rounding" in tiny and "#d03030" not in tiny
    assert "which u give which output" in tiny


def test_outputs_are_in_numeric_order() -> None:
    html = shown(lastbit.audit("textbook-laplace", epsilon=1, inputs=(0, 1)))
    bars = [float(output) for output in re.findall(r"<title>output ([^:]*): (?:loss|infinite)", html)]
    assert len(bars) > 5 and bars == sorted(bars)


def test_witnesses() -> None:
    text = """
    mechanism nothing(x: int in [0, 1]) -> int
      adjacent |x<1> - x<2>| <= 1
      claim pure 1
    { return x }"""
    html = text_of(shown(lastbit.prove(text)))
    assert "= 0 = 0" not in html and ">= ∞" not in html and "<= 0 = 0" not in html
    assert "only one input can produce" in html


@pytest.mark.parametrize("module", ["_noise_html", "_shown", "_html", "_attack"])
def test_examples(module: str) -> None:
    loaded = importlib.import_module(f"lastbit.{module}")
    assert doctest.testmod(loaded, optionflags=doctest.ELLIPSIS).failed == 0
