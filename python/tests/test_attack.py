"""Attacks on noise that is known to leak, and on noise that is known not to."""

import json
import math
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest
from markup import elements

import lastbit

SURE = "0.999999999"
"""Tests that accuse the innocent once in a billion runs do not fail by chance."""


def textbook(x: float) -> float:
    u = random.random() - 0.5
    return x - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


def test_the_textbook_leaks() -> None:
    found = lastbit.attack(textbook, inputs=(0.0, 1.0), epsilon=1, confidence=SURE)
    assert found.leaks is True
    assert found.loss_exact > 1 and Fraction(found.loss_lower_bound) <= found.loss_exact
    assert sum(hits for hits, _ in found.counts) > 0
    assert found.counts[0][1] == found.counts[1][1] == 10_000
    assert "LEAKS" in str(found) and found.event in str(found)


def test_numpy_leaks() -> None:
    generator = numpy.random.default_rng(1)
    found = lastbit.attack(lambda x: x + generator.laplace(size=len(x)), inputs=(0.0, 1.0), epsilon=1, batch=True)
    assert found.leaks is True


@pytest.mark.parametrize("mechanism", [lastbit.Laplace(scale=1), lastbit.GridLaplace(scale=1, max_changed=1), lastbit.DiscreteLaplace(scale=1)])
def test_ours_does_not(mechanism: Any) -> None:
    inputs = (0, 1) if isinstance(mechanism, lastbit.DiscreteLaplace) else (0.0, 1.0)
    found = lastbit.attack(mechanism, inputs=inputs, epsilon=1, confidence=SURE, batch=True)
    assert found.leaks is False and found.loss_exact <= 1


def test_half_the_noise_is_seen() -> None:
    found = lastbit.attack(lastbit.Laplace(scale="1/4"), inputs=(0.0, 1.0), epsilon=1, batch=True)
    assert found.leaks is True


def test_exact_bounds() -> None:
    """All of n under one input, none of n under the other: Clopper and Pearson in closed form."""
    found = lastbit.attack([0.0] * 200, [1.0] * 200, epsilon=1, confidence="0.99")
    assert (found.favoured, found.counts, found.chosen_counts) == (0, ((100, 100), (0, 100)), ((100, 100), (0, 100)))
    p, q = found.probabilities
    alpha = Fraction(1, 200)
    assert p**100 <= alpha < (p + Fraction(1, 10**6)) ** 100
    assert (1 - q) ** 100 <= alpha < (1 - q + Fraction(1, 10**6)) ** 100
    assert found.loss_lower_bound <= math.log(p / q) < found.loss_lower_bound + 1e-9
    assert found.confidence == Fraction(99, 100) and found.delta == 0 and found.epsilon == 1


def test_a_claim_with_delta() -> None:
    rare = [1.0] * 100 + [0.0] * 1900
    random.Random(1).shuffle(rare)
    none = [0.0] * 2000
    assert lastbit.attack(rare, none, epsilon="0.1").leaks is True
    assert lastbit.attack(rare, none, epsilon="0.1", delta="0.2").leaks is False


def test_without_a_claim() -> None:
    found = lastbit.attack([0.0] * 100, [1.0] * 100)
    assert found.leaks is None and found.epsilon is None
    assert str(found).startswith("LOSS AT LEAST ")


def test_nothing_to_tell_apart() -> None:
    found = lastbit.attack([0.5] * 100, [0.5] * 100, epsilon=0)
    assert found.leaks is False and found.loss_exact == 0 and found.loss_lower_bound == 0.0


SAMPLES = [float(i % 7) for i in range(100)]


@pytest.mark.parametrize(
    "convert",
    [
        list,
        tuple,
        numpy.array,
        lambda x: numpy.array(x, dtype=numpy.float32),
        lambda x: numpy.array(x, dtype=numpy.float16),
        lambda x: numpy.array(x, dtype=numpy.longdouble),
        lambda x: numpy.array(x, dtype=numpy.int64),
        lambda x: numpy.array(x, dtype=numpy.uint8),
        lambda x: numpy.array(x)[::-1][::-1],
        lambda x: [int(y) for y in x],
        pandas.Series,
        polars.Series,
        pyarrow.array,
        lambda x: pyarrow.chunked_array([x[:50], x[50:]]),
    ],
)
def test_all_kinds_of_samples(convert: Any) -> None:
    expected = lastbit.attack(SAMPLES, [8.0] * 100, epsilon=1)
    assert lastbit.attack(convert(SAMPLES), convert([8.0] * 100), epsilon=1) == expected


def test_special_values() -> None:
    found = lastbit.attack([math.nan] * 100, [0.0] * 100, epsilon=1)
    assert found.leaks is True and found.event == "y is NaN"
    assert lastbit.attack([-0.0] * 100, [0.0] * 100, epsilon=1).leaks is True


@pytest.mark.parametrize(
    ("first", "kind", "message"),
    [
        (["a"] * 9, lastbit.UnsupportedType, "must be numbers"),
        ([Fraction(1)] * 9, lastbit.UnsupportedType, "must be numbers"),
        ([True] * 9, lastbit.UnsupportedType, "must be numbers"),
        ([1j] * 9, lastbit.UnsupportedType, "must be numbers"),
        ([2**53 + 1] * 9, lastbit.DomainError, "beyond 2\\^53"),
        ([2**70] * 9, lastbit.UnsupportedType, "must be numbers"),
        (numpy.array([1 + 2**-60], dtype=numpy.longdouble) + numpy.longdouble(2) ** -60, lastbit.DomainError, "double precision"),
        (numpy.ma.masked_array([1.0] * 9), lastbit.UnsupportedType, "must be numbers"),
        (pyarrow.array([1.0, None]), lastbit.DomainError, "nulls"),
        (polars.Series([1.0, None]), lastbit.DomainError, "nulls"),
        ([1.0] * 3, lastbit.ParameterError, "at least 4"),
        ([], lastbit.ParameterError, "at least 4"),
    ],
)
def test_bad_samples(first: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        lastbit.attack(first, [0.0] * 9, epsilon=1)


def test_refusals() -> None:
    few = [0.0] * 9
    for arguments, options, message in [
        ((few,), {}, "samples for one input"),
        ((textbook,), {}, "two inputs"),
        ((textbook, few), {"inputs": (0, 1)}, "a function and inputs"),
        ((textbook,), {"inputs": (0, 1), "samples": 0}, "positive"),
        ((few, few), {"confidence": 1}, "confidence"),
        ((few, few), {"delta": 1}, "delta"),
        ((few, few), {"inputs": (0, math.inf)}, "finite"),
        ((few, few), {"inputs": (0,)}, "inputs are two"),
    ]:
        with pytest.raises(lastbit.ParameterError, match=message):
            lastbit.attack(*arguments, **options)  # type: ignore[arg-type]
    with pytest.raises(lastbit.DomainError, match="returned 1 values for 9"):
        lastbit.attack(lambda x: [0.0], inputs=(0, 1), samples=9, batch=True)
    with pytest.raises(ZeroDivisionError):
        lastbit.attack(lambda x: 1 / x, inputs=(0, 1), samples=9)


def test_inputs_that_are_no_numbers() -> None:
    """A function of data sets: nothing is said of sums, and all else works."""
    found = lastbit.attack(sum, inputs=([0.0, 1.0], [1.0, 1.0]), epsilon=1, samples=200)
    assert found.leaks is True and found.event == "y = 1"


def test_results_pickle_and_compare() -> None:
    found = lastbit.attack([0.0] * 100, [1.0] * 100, epsilon=1)
    assert pickle.loads(pickle.dumps(found)) == found == lastbit.attack([0.0] * 100, [1.0] * 100, epsilon=1)
    assert hash(found) == hash(pickle.loads(pickle.dumps(found)))


def test_notebooks() -> None:
    found = lastbit.attack([0.0] * 100, [1.0] * 100, epsilon=1)
    html = found._repr_html_()
    assert elements(html).count("tr") == 4 and elements(html).count("rect") == 2
    assert "P &gt;= " in html
    assert str(found).splitlines()[0] in html


def test_too_few_samples_tell_nothing() -> None:
    found = lastbit.attack([0.0] * 5, [1.0] * 5, epsilon=1)
    assert found.verdict == "too_few_samples" and found.leaks is None
    assert str(found).startswith("TOO FEW SAMPLES: ")
    assert found.samples_needed is not None
    least = found.samples_needed[0]
    assert least is not None
    assert lastbit.attack([0.0] * least, [1.0] * least, epsilon=1).leaks is True
    assert lastbit.attack([0.0] * (least - 1), [1.0] * (least - 1), epsilon=1).leaks is None


def test_the_same_answer_as_the_command() -> None:
    """The command's tests hold this file, and its answer, against the engine, too."""
    folder = Path(__file__).parents[2] / "crates/lastbit-cli/tests/snapshots/attack.in"
    first, second = ([float(line) for line in (folder / name).read_text().split()] for name in ("halves.txt", "thirds.txt"))
    ours = lastbit.attack(first, second, epsilon=1).json()
    text = (folder.parent / "attack.trycmd").read_text()
    theirs = json.JSONDecoder().raw_decode(text, text.index("{\n"))[0]
    for answer, input in ((answer, input) for answer in (ours, theirs) for input in answer["inputs"]):
        assert input.pop("name")
    # What the samples are called is told in the text, too.
    assert ours == theirs


def test_vectors_are_no_samples() -> None:
    """Entries of one output need not be independent of each other."""
    for samples in (numpy.zeros((100, 2)), [[0.0, 1.0]] * 100, numpy.float64(1)):
        with pytest.raises(lastbit.DomainError, match="one number each"):
            lastbit.attack(samples, samples)
    with pytest.raises(lastbit.DomainError, match="one number each"):
        lastbit.attack(lambda x: [x] * 50, inputs=(0.0, 1.0), samples=10)


def test_no_negative_claim() -> None:
    with pytest.raises(lastbit.ParameterError, match="negative"):
        lastbit.attack([0.0] * 50, [0.0] * 50, epsilon=-1)


SEARCH = """
import numpy, lastbit
generator = numpy.random.default_rng(1)
first, second = (generator.integers(0, 1_000_000, 16_000_000) for _ in range(2))
print("started", flush=True)
lastbit.attack(first, second, epsilon=1)
"""
"""Millions of values that come several times each: sets of them take long to look through."""

SAMPLING = """
import time, lastbit
def slow(x):
    time.sleep(0.005)
    return x
print("started", flush=True)
lastbit.attack(slow, inputs=(0.0, 1.0), epsilon=1)
"""

BATCH = """
import lastbit
print("started", flush=True)
lastbit.attack(lastbit.Laplace(scale=1), inputs=(0.0, 1.0), epsilon=1, batch=True, samples=100_000_000)
"""


@pytest.mark.parametrize("code", [SEARCH, SAMPLING, BATCH], ids=["search", "sampling", "batch"])
def test_ctrl_c(code: str) -> None:
    """An attack that takes many seconds; Ctrl-C does not wait for its end."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "started\n"
    time.sleep(1)
    os.kill(process.pid, signal.SIGINT)
    pressed = time.monotonic()
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert time.monotonic() - pressed < 3
