"""What a release promises: about which values, in which type, and that nothing of it depends on a value."""

import copy
import json
import os
import pickle
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import lastbit

NARROW = ["int8", "int16", "uint8", "uint16", "uint32", "uint64"]


def test_the_type_of_a_result_does_not_depend_on_the_value() -> None:
    for values in ([], [0.3], [1], [1, 0.5], [np.int64(1)], [np.float32(0.5)], [np.uint8(1), 2]):
        noisy = lastbit.laplace(sum(values), epsilon=1, sensitivity=1, claim=True)
        assert type(noisy.value) is float
        assert noisy.claim.domain == {"values": "float64", "length": None}
        assert all(type(y) is float for y in lastbit.laplace(values, epsilon=1, sensitivity=1))


def test_a_declared_type_is_kept() -> None:
    m = lastbit.Laplace(scale=1, dtype="int64")
    assert type(m(3)) is int and m(np.arange(3)).dtype == "int64"
    assert m.claim(1).domain == {"values": "int64", "length": None}
    assert lastbit.Laplace(scale=1, dtype=np.int64) == lastbit.Laplace(scale=1, dtype=np.dtype("i8")) == m
    with pytest.raises(lastbit.UnsupportedType, match="name of a type"):
        lastbit.Laplace(scale=1, dtype=object())  # type: ignore[arg-type]
    for wrong in (np.zeros(3), np.zeros(3, "int32"), np.zeros(3, "float32")):
        with pytest.raises(lastbit.UnsupportedType, match=r"dtype says int64.*x.astype\(\"int64\"\)"):
            m(wrong)
    assert pickle.loads(pickle.dumps(m)) == m and repr(m) == "Laplace(scale='1', dtype='int64')"
    single = lastbit.Laplace(scale=1, dtype="float32")
    noisy = single(0.5)
    assert type(noisy) is float and float(np.float32(noisy)) == noisy
    with pytest.raises(lastbit.DomainError, match="does not fit float32"):
        single(0.1)
    with pytest.raises(lastbit.DomainError, match="does not fit int32"):
        lastbit.laplace(2**31, scale=1, dtype="int32")
    with pytest.raises(lastbit.ParameterError, match="dtype must be one of"):
        lastbit.laplace(1, scale=1, dtype="float16")
    with pytest.raises(lastbit.ParameterError, match="dtype must be one of"):
        lastbit.discrete_laplace(1, scale=1, dtype="float64")


@pytest.mark.parametrize("dtype", NARROW)
def test_integers_of_all_widths(dtype: str) -> None:
    x = np.array([0, 1, 100], dtype)
    for noisy in (lastbit.laplace(x, scale="1e-9"), lastbit.discrete_laplace(x, scale="1e-9")):
        assert noisy.dtype == "int64" and noisy.tolist() == [0, 1, 100]
    one = lastbit.discrete_laplace(x, epsilon=1, sensitivity=1, claim=True)
    assert one.claim.domain == {"values": "int64", "length": None}
    assert lastbit.discrete_laplace(x[2], scale="1e-9") == 100
    assert type(lastbit.discrete_laplace(x[2], scale=1)) is int
    assert lastbit.Laplace(scale="1e-9", dtype="int64")(x).tolist() == [0, 1, 100]


def test_counts_of_other_libraries() -> None:
    pa: Any = pytest.importorskip("pyarrow")
    for dtype in NARROW:
        noisy = lastbit.discrete_laplace(pa.array([1, None, 100], dtype), scale="1e-9")
        assert noisy.type == pa.int64() and noisy.to_pylist() == [1, None, 100]
    chunked = lastbit.discrete_laplace(pa.chunked_array([[1], [2, 3]], "uint32"), scale="1e-9")
    assert chunked.type == pa.int64() and chunked.to_pylist() == [1, 2, 3]
    pd: Any = pytest.importorskip("pandas")
    for series in ("uint32", "UInt32", "Int8", "uint32[pyarrow]"):
        noisy = lastbit.discrete_laplace(pd.Series([1, 2], dtype=series, name="n"), scale="1e-9")
        assert noisy.tolist() == [1, 2] and noisy.name == "n"
        assert str(noisy.dtype) == {"uint32": "int64", "uint32[pyarrow]": "int64[pyarrow]"}.get(series, "Int64")
    pl: Any = pytest.importorskip("polars")
    counts = pl.DataFrame({"k": ["a", "a", "b"]}).group_by("k").len().sort("k")["len"]
    assert counts.dtype == pl.UInt32
    budget = lastbit.Budget(epsilon=10**9)
    noisy = lastbit.discrete_laplace(counts, epsilon=10**9, sensitivity=1, budget=budget)
    assert noisy.dtype == pl.Int64 and noisy.to_list() == [2, 1]
    assert budget.ledger[0].domain == {"values": "int64", "length": None}


def test_the_largest_integers_do_not_fit() -> None:
    x = np.array([1, 2**63], "uint64")
    with pytest.raises(lastbit.DomainError) as error:
        lastbit.discrete_laplace(x, scale=1)
    assert error.value.index == 1 and "9223372036854775808" not in str(error.value)
    pa: Any = pytest.importorskip("pyarrow")
    with pytest.raises(lastbit.DomainError) as error:
        lastbit.discrete_laplace(pa.array(x), scale=1)
    assert error.value.index == 1


@pytest.mark.parametrize(
    ("x", "fix"),
    [
        (np.zeros(2, "?"), 'x.astype("int64")'),
        (np.zeros(2, "f2"), 'x.astype("float32")'),
        (np.zeros(2, "O"), 'x.astype("float64")'),
        (True, "int(x)"),
        ([True], "int(x)"),
    ],
)
def test_refusals_say_what_to_do(x: Any, fix: str) -> None:
    with pytest.raises(lastbit.UnsupportedType) as error:
        lastbit.laplace(x, scale=1)
    assert fix in str(error.value)


def test_ten_times_a_tenth_fills_a_budget() -> None:
    for tenth in (0.1, np.float64(0.1), np.float32(0.1), "0.1", Decimal("0.1"), Fraction(1, 10)):
        budget = lastbit.Budget(epsilon=1)
        for _ in range(10):
            lastbit.laplace(1.0, epsilon=tenth, sensitivity=1, budget=budget)
        assert budget.remaining == 0
        with pytest.raises(lastbit.BudgetExceeded):
            lastbit.laplace(1.0, epsilon="1e-30", sensitivity=1, budget=budget)
    assert repr(lastbit.Laplace(epsilon=0.1, sensitivity=0.25)) == "Laplace(epsilon='0.1', sensitivity='0.25')"
    assert repr(lastbit.Laplace(scale="1/3")) == "Laplace(scale='1/3')"
    assert repr(lastbit.Budget(epsilon=0.3)) == "<Budget epsilon=0.3: 0.3 left>"


def claims() -> list[lastbit.Claim]:
    made = [
        lastbit.claim("laplace", epsilon=0.1, sensitivity=1),
        lastbit.claim("laplace", epsilon="1/3", sensitivity=1, dtype="int32", unit="person"),
        lastbit.claim("grid_laplace", scale=1, k=0, sensitivity="1/2", max_changed=2, granularity=-1),
        lastbit.claim("discrete_gaussian", rho="1/8", sensitivity=1),
        lastbit.claim("snapping", epsilon=1, sensitivity=1, bound=0.1 + 0.5),
        lastbit.grid_laplace(np.zeros(3), scale=1, sensitivity=1, claim=True).claim,
    ]
    return [*made, lastbit.compose_claims([made[0], made[0]])]


@pytest.mark.parametrize("claim", claims(), ids=str)
def test_claims_are_data(claim: lastbit.Claim) -> None:
    assert pickle.loads(pickle.dumps(claim)) == claim == copy.deepcopy(claim)
    assert hash(pickle.loads(pickle.dumps(claim))) == hash(claim)
    data = claim.to_dict()
    assert data == json.loads(claim.to_json())
    assert Fraction(data["loss"]) == claim.loss and data["statement"] == str(claim)
    assert data["loss_f64"] >= claim.loss
    assert lastbit.Claim.from_json(json.dumps(data)) == claim
    for name in ("loss", "mechanism", "measure"):
        with pytest.raises(lastbit.Error):
            lastbit.Claim.from_json(json.dumps({**data, name: "1/1000000"}))


def test_what_a_claim_says() -> None:
    claim = lastbit.claim("grid_laplace", scale=1, k=0, sensitivity=3, max_changed=2, unit="person")
    assert claim.neighbours == {"metric": "L1", "distance": "3", "max_changed": 2, "granularity": None}
    assert claim.input == "rounded half up to multiples of 2^0" and claim.unit == "person"
    assert str(lastbit.claim("laplace", scale=1, sensitivity=1)).startswith("laplace scale=1: ε = 1 (pure)")
    gaussian = lastbit.claim("discrete_gaussian", rho="1/8", sensitivity=1)
    assert ": ρ = 0.125, i.e. (ε, δ) = (2.7533, 1e-6), zero" in str(gaussian)
    assert float(gaussian.approximate(delta=1e-6)) == pytest.approx(2.7533, abs=1e-4)
    double = lastbit.claim("laplace", epsilon=Fraction(0.1), sensitivity=1)
    assert "<= 0.10000000000000001 (pure)" in str(double)


def test_claims_about_different_inputs_do_not_add() -> None:
    budget = lastbit.Budget(epsilon=1)
    lastbit.laplace(1.0, epsilon=0.1, sensitivity=1, budget=budget)
    for release in (
        lambda: lastbit.discrete_laplace(1, epsilon=0.1, sensitivity=1, budget=budget),
        lambda: lastbit.laplace(1.0, epsilon=0.1, sensitivity=2, budget=budget),
        lambda: lastbit.laplace(np.zeros(3, "f4"), epsilon=0.1, sensitivity=1, budget=budget),
        lambda: lastbit.compose_claims([budget.ledger[0], lastbit.claim("discrete_laplace", scale=1, sensitivity=1)]),
    ):
        with pytest.raises(lastbit.ClaimMismatch, match='same unit, such as "person"'):
            release()
    assert budget.spent == Fraction(1, 10) and len(budget.ledger) == 1
    budget = lastbit.Budget(epsilon=1, unit="person")
    lastbit.laplace(1.0, epsilon=0.5, sensitivity=100, budget=budget)
    lastbit.discrete_laplace(1, epsilon=0.5, sensitivity=3, budget=budget)
    assert budget.remaining == 0 and budget.unit == "person"
    assert lastbit.compose_claims(budget.ledger).adjacency == "data that differ in one person"
    stated = [lastbit.claim("laplace", scale=1, sensitivity=1).for_unit("person") for _ in range(2)]
    assert lastbit.compose_claims(stated).unit == "person"


def test_a_distance_of_nothing_is_not_charged() -> None:
    budget = lastbit.Budget(epsilon=1)
    for d_in in (0, "0", 0.0):
        with pytest.raises(lastbit.ParameterError, match="d_in must be positive"):
            budget.release(lastbit.Laplace(scale="1e-6"), 123456.0, d_in=d_in)
    for more in ({"budget": budget}, {"claim": True}):
        with pytest.raises(lastbit.ParameterError):
            lastbit.laplace(123456.0, scale="1e-6", sensitivity=0, **more)
    # Closer than two values can be is as good as equal.
    coarse = lastbit.GridLaplace(scale="1e-9", k=-30, max_changed=1, granularity=10)
    for m, d_in in ((coarse, 1), (lastbit.GridLaplace(scale="1e-9", k=-30), "1e-400")):
        with pytest.raises(lastbit.ParameterError, match="equal"):
            budget.release(m, 1024.0, d_in=d_in)
        with pytest.raises(lastbit.ParameterError, match="equal"):
            budget.spend(lastbit.Claim.from_json(coarse.claim(1).to_json()))
    assert budget.spent == 0 and not budget.ledger


def test_what_is_declared_of_values_is_checked() -> None:
    pa: Any = pytest.importorskip("pyarrow")
    whole = {"epsilon": 1, "sensitivity": 1, "k": 0, "max_changed": 2, "granularity": 0}
    for x, index in (
        ([1.0, 0.3], 1),
        (0.5, 0),
        (np.array([[1, 2], [3, 0.5]], order="F"), 3),
        (np.array([1.0, 2, 2.5])[::-1], 0),
        (np.array([0.5], "f4"), 0),
        (pa.array([None, 1.0, 1.5]), 2),
    ):
        budget = lastbit.Budget(epsilon=10)
        with pytest.raises(lastbit.DomainError, match="not a multiple of 2\\^0") as error:
            lastbit.grid_laplace(x, **whole, budget=budget)
        assert error.value.index == index and budget.spent > 0
    assert len(lastbit.grid_laplace([1.0, -3.0, 2.0**60, 0.0, -0.0], **whole)) == 5


def test_refusals_that_depend_on_values_stay_paid() -> None:
    pa: Any = pytest.importorskip("pyarrow")
    for x, more in (
        (2**53 + 1, {}),
        ([1, 2, 2**53 + 1], {}),
        ([0.1], {"dtype": "float32"}),
        ([5, 2**40], {"dtype": "int32"}),
        (np.array([2**63], "u8"), {}),
        (pa.array([1, 2**63], pa.uint64()), {}),
    ):
        budget = lastbit.Budget(epsilon=1)
        with pytest.raises(lastbit.DomainError):
            lastbit.laplace(x, epsilon=1, sensitivity=1, budget=budget, **more)
        assert budget.remaining == 0


def test_values_are_not_in_messages() -> None:
    m = lastbit.make_vector_float_laplace_cks20(size=1, scale=1, k=0)
    for x in (["12345.6 (John)"], [Decimal("NaN123")], [2**60 + 12345], np.array(["12345"])):
        with pytest.raises(lastbit.Error) as error:
            m(x)
        assert "123" not in str(error.value)


def test_a_budget_does_not_adopt_a_unit() -> None:
    budget, m = lastbit.Budget(epsilon=10), lastbit.Laplace(scale=1)
    budget.spend(m.claim(1, unit="person"))
    budget.spend(m.claim(2, unit="person"))
    with pytest.raises(lastbit.ClaimMismatch):
        budget.spend(m.claim("1e-9"))


def test_running_totals_are_flat() -> None:
    claim = lastbit.claim("laplace", scale=1000, sensitivity=1)
    total = claim
    for _ in range(200):
        total = lastbit.compose_claims([total, claim])
    assert len(total.parts) == 201 and pickle.loads(pickle.dumps(total)) == total


def test_the_identity_has_no_minus_zero() -> None:
    m = lastbit.make_vector_float_laplace_cks20(scale=0)
    assert not np.signbit(m(np.array([-0.0, 0.0]))).any()


@pytest.mark.parametrize(
    ("m", "accuracy"),
    [
        (lastbit.Laplace.for_accuracy(30, confidence=0.95), 30),
        (lastbit.Laplace.for_accuracy(30, confidence=0.95, dtype="int64"), 30),
        (lastbit.Laplace.for_accuracy(30.4, confidence=0.95, dtype="int64"), 30),
        (lastbit.GridLaplace.for_accuracy(30, confidence=0.95), 30),
        (lastbit.GridLaplace.for_accuracy(30, confidence=0.95, k=-3, max_changed=1, dtype="float32"), 30),
        (lastbit.DiscreteLaplace.for_accuracy(30, confidence=0.95), 30),
        (lastbit.DiscreteGaussian.for_accuracy(10**6, confidence=0.95), 10**6),
        (lastbit.Snapping.for_accuracy(30, confidence=0.95, bound=100), 30),
    ],
)
def test_for_accuracy(m: lastbit.Mechanism, accuracy: float) -> None:
    found = m.accuracy(confidence=0.95)
    # Snapping has no ε between those of two grids.
    least = 0.9 if isinstance(m, lastbit.Snapping) else 0.99
    assert least * accuracy < found <= accuracy * (1 + 1e-12)
    assert pickle.loads(pickle.dumps(m)) == m


def test_accuracy_of_a_narrow_gaussian() -> None:
    """Its tail has more digits than there is memory for."""
    for exponent in (33, 36, 60):
        assert lastbit.DiscreteGaussian(variance=Fraction(1, 2**exponent)).accuracy(confidence="0.95") == 0


def test_an_interrupt_leaves_nothing_half_done() -> None:
    """In place, all values have noise or none has; a release that is interrupted returns nothing."""
    script = """
import os, signal, threading, numpy as np, lastbit
x = np.zeros(20_000_000)
timer = threading.Timer(0.02, lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    timer.start()
    while True:
        noisy = lastbit.laplace(x, scale=1, out=x if {in_place} else None)
        assert noisy.all()
except KeyboardInterrupt:
    print("whole" if x.all() or not x.any() else "half")
"""
    for in_place in (True, False):
        run = subprocess.run(
            [sys.executable, "-c", script.format(in_place=in_place)], capture_output=True, text=True, timeout=120
        )
        assert run.stdout.strip() == "whole", run.stderr


def test_one_capsule_is_taken_once() -> None:
    """Of many threads that have one capsule, one gets the array."""
    pa: Any = pytest.importorskip("pyarrow")

    class Once:
        def __init__(self) -> None:
            self.capsules = pa.array([1.0] * 100).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return self.capsules

    for _ in range(50):
        x, results = Once(), []
        barrier = threading.Barrier(8)

        def take(x: Once = x, barrier: threading.Barrier = barrier, results: "list[bool]" = results) -> None:
            barrier.wait()
            try:
                lastbit.laplace(x, scale=1)
                results.append(True)
            except lastbit.UnsupportedType:
                results.append(False)

        threads = [threading.Thread(target=take) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results) == [False] * 7 + [True]


def test_the_benchmark_survives_a_peer_that_does_not_import(tmp_path: Any) -> None:
    for name in ("opendp", "diffprivlib"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('too new for this')")
        metadata = tmp_path / f"{name}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    run = subprocess.run(
        [sys.executable, "-m", "lastbit.bench", "--rounds", "1", "--seconds", "0", "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["left_out"] == dict.fromkeys(("opendp", "diffprivlib"), "ImportError: too new for this")
    assert report["results"]


def test_claims_of_the_real_gaussian() -> None:
    claim = lastbit.claim("gaussian", rho="1/8", sensitivity=1)
    assert claim == lastbit.claim(lastbit.gaussian, scale=2, sensitivity=1) == lastbit.Gaussian(variance=4).claim(1)
    assert (claim.mechanism, claim.parameters) == ("gaussian", {"variance": "4"})
    assert (claim.loss, claim.measure) == (Fraction(1, 8), "zero-concentrated-divergence")
    assert claim.neighbours is not None and claim.neighbours["metric"] == "L2"
    assert "i.e. (ε, δ) = (2.2541, 1e-6)" in str(claim)
    # The least ε, and not what follows from ρ alone.
    discrete = lastbit.claim("discrete_gaussian", rho="1/8", sensitivity=1)
    assert claim.approximate(delta="1e-6") < discrete.approximate(delta="1e-6")
    m = lastbit.Gaussian(scale=2)
    assert m.delta(claim.approximate(delta="1e-6"), 1) <= Fraction("1e-6")
    for same in (lastbit.Claim.from_json(claim.to_json()), pickle.loads(pickle.dumps(claim)), copy.deepcopy(claim)):
        assert same == claim and hash(same) == hash(claim)
    for old, new in (('"4"', '"5"'), ("1/8", "1/9"), ("2.2540", "2.1540"), ("L2", "L1"), ("float64", "int64")):
        text = claim.to_json()
        assert old in text
        with pytest.raises(lastbit.ParameterError, match="claim"):
            lastbit.Claim.from_json(text.replace(old, new, 1))
    for dtype in ("float32", "int64", "int32"):
        release = lastbit.gaussian(np.zeros(3, dtype), rho="1/8", sensitivity=1, claim=True)
        assert release.claim.domain == {"values": dtype, "length": None} and release.value.dtype == dtype
    together = lastbit.compose_claims([claim, claim])
    assert together.approximate(delta="1e-6") == lastbit.claim("gaussian", rho="1/4", sensitivity=1).approximate(delta="1e-6")
