"""Parameters are exact; mechanisms, claims, measurements, budgets."""

import copy
import math
import pickle
import threading
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import lastbit


@pytest.mark.parametrize("tenth", ["0.1", "1/10", "1e-1", Fraction(1, 10), Decimal("0.1")])
def test_a_tenth_is_a_tenth(tenth: Any) -> None:
    assert lastbit.Laplace(epsilon=tenth, sensitivity=1).scale == 10
    assert lastbit.Laplace(scale=tenth).scale == Fraction(1, 10)


def test_floats_are_the_decimal_that_they_print() -> None:
    for tenth in (0.1, np.float64(0.1), np.float32(0.1), np.float16(0.1)):
        assert lastbit.Laplace(scale=tenth).scale == Fraction(1, 10) != Fraction(0.1)
    for scale in (1e-300, 5e-324, 1.7976931348623157e308, 0.30000000000000004, 123456789.125, 1e16, 3.0):
        assert lastbit.Laplace(scale=scale).scale == Fraction(repr(scale))
    assert lastbit.Laplace(scale=np.int64(7)).scale == 7
    assert lastbit.Laplace(scale=2**200 + 1).scale == 2**200 + 1
    assert lastbit.Laplace(scale=Fraction(2**5000 + 1, 2**5000)).scale == Fraction(2**5000 + 1, 2**5000)


@pytest.mark.parametrize(
    "scale", [0, -1, "0", "-1/2", math.nan, math.inf, "nan", "", "1/0", "one", Decimal("NaN"), Decimal("Infinity")]
)
def test_no_scale(scale: Any) -> None:
    for refusing in (
        lastbit.Laplace,
        lastbit.Gaussian,
        lastbit.GridLaplace,
        lastbit.DiscreteLaplace,
        lastbit.DiscreteGaussian,
    ):
        with pytest.raises(lastbit.ParameterError):
            refusing(scale)
    with pytest.raises(ValueError, match="scale"):
        lastbit.laplace(1.0, scale)


@pytest.mark.parametrize("scale", [True, [1], b"1", 1j, object()])
def test_no_number(scale: Any) -> None:
    with pytest.raises(lastbit.UnsupportedType, match="scale must be a str, int, float, Fraction or Decimal"):
        lastbit.Laplace(scale)


def test_missing_parameters() -> None:
    for parameters, message in (
        ({}, "give scale, or epsilon and sensitivity"),
        ({"epsilon": 1}, "epsilon needs sensitivity"),
        ({"epsilon": 1, "scale": 1, "sensitivity": 1}, "not both"),
    ):
        with pytest.raises(lastbit.ParameterError, match=message):
            lastbit.laplace(1.0, **parameters)  # type: ignore[call-overload]
    with pytest.raises(lastbit.ParameterError, match="give bound"):
        lastbit.snapping(1.0, epsilon=1, sensitivity=1)
    with pytest.raises(lastbit.ParameterError, match="not both"):
        lastbit.DiscreteGaussian(1, variance=1)
    with pytest.raises(lastbit.ParameterError, match="max_changed"):
        lastbit.GridLaplace(epsilon=1, sensitivity=1)


def test_remembered_arguments_are_the_right_ones() -> None:
    """A call with the same arguments as the one before reuses its mechanism; others must not."""
    x = np.zeros(2000)
    small, large = "1/1000", "1000"
    for _ in range(3):
        assert np.abs(lastbit.laplace(x, small)).max() < 1
        assert np.abs(lastbit.laplace(x, large)).max() > 100
        assert np.abs(lastbit.laplace(x, epsilon=large, sensitivity=1)).max() < 1
        assert np.abs(lastbit.laplace(x, sensitivity=1, epsilon=small)).max() > 100
        assert np.abs(lastbit.discrete_laplace(x.astype("i8"), small)).max() == 0
        assert np.abs(lastbit.snapping(x, epsilon=1, bound=large, sensitivity=small)).max() < 1

    class Changing:
        scale = (10**9, 1)

        def as_integer_ratio(self) -> tuple[int, int]:
            return self.scale

    changing: Any = Changing()
    assert np.abs(lastbit.laplace(x, changing)).max() > 100
    changing.scale = (1, 10**9)
    assert np.abs(lastbit.laplace(x, changing)).max() < 1


MECHANISMS = [
    lastbit.Laplace(epsilon="0.1", sensitivity=2),
    lastbit.Laplace(scale="10/3"),
    lastbit.GridLaplace(epsilon=1, sensitivity=1, k=-20, max_changed=3, granularity=-2, dtype="float32"),
    lastbit.GridLaplace(scale=2),
    lastbit.DiscreteLaplace(scale=10),
    lastbit.DiscreteGaussian(rho="1/8", sensitivity=1),
    lastbit.DiscreteGaussian(variance="7/3"),
    lastbit.Gaussian(scale="1/3"),
    lastbit.Gaussian(variance="7/3", dtype="int32"),
    lastbit.Gaussian.for_rho("1/8", 3),
    lastbit.Gaussian.for_epsilon_delta(1, "1e-6", "1/3"),
    lastbit.Gaussian.for_accuracy(7, confidence="0.95"),
    lastbit.Snapping(epsilon="1/3", bound="100.5", sensitivity=2, clamp_infinite=True),
]


@pytest.mark.parametrize("m", MECHANISMS, ids=repr)
def test_repr_pickle_copy(m: lastbit.Mechanism) -> None:
    names = {name: getattr(lastbit, name) for name in lastbit.__all__}
    for same in (eval(repr(m), names), pickle.loads(pickle.dumps(m)), copy.copy(m), copy.deepcopy(m)):
        assert same == m and hash(same) == hash(m) and type(same) is type(m)
        assert same.accuracy(confidence="0.95") == m.accuracy(confidence="0.95")
    assert m != MECHANISMS[0] or m is MECHANISMS[0]


def test_gaussian_parameters() -> None:
    for parameters, message in (
        ({}, "give scale, or rho and sensitivity"),
        ({"rho": 1}, "rho needs sensitivity"),
        ({"epsilon": 1, "sensitivity": 1}, "epsilon needs delta"),
        ({"delta": "1e-6", "sensitivity": 1}, "delta needs epsilon"),
        ({"epsilon": 1, "delta": "1e-6"}, "need sensitivity"),
        ({"scale": 1, "variance": 1}, "only one of"),
        ({"scale": 1, "rho": 1, "sensitivity": 1}, "only one of"),
        ({"rho": 1, "epsilon": 1, "delta": "1e-6", "sensitivity": 1}, "only one of"),
        ({"scale": 1, "delta": "1e-6"}, "only one of"),
        ({"epsilon": -1, "delta": "1e-6", "sensitivity": 1}, "epsilon must not be negative"),
        ({"epsilon": 1, "delta": 0, "sensitivity": 1}, "delta must be positive"),
        ({"epsilon": 1, "delta": 1, "sensitivity": 1}, "delta = 1 is out of range"),
        ({"epsilon": 1, "delta": "1e-6", "sensitivity": 0}, "sensitivity must be positive"),
        ({"scale": "1e400"}, "out of range"),
        ({"scale": 1, "dtype": "float16"}, "dtype must be one of"),
    ):
        for build in (lastbit.Gaussian, lambda **p: lastbit.gaussian(1.0, **p)):
            with pytest.raises(lastbit.ParameterError, match=message):
                build(**parameters)
    assert lastbit.Gaussian(rho="1/8", sensitivity=2).variance == 16
    assert lastbit.Gaussian.for_rho("1/8", 2) == lastbit.Gaussian(rho="1/8", sensitivity=2)
    assert lastbit.Gaussian(scale="1/3").variance == Fraction(1, 9)
    assert lastbit.Gaussian(scale=2).loss("1/3") == Fraction(1, 72)
    total_variation = lastbit.Gaussian(epsilon=0, delta="0.1", sensitivity=1)
    assert Fraction("0.0999") < total_variation.delta(0) <= Fraction("0.1")


def test_gaussian_epsilon_and_delta() -> None:
    m = lastbit.Gaussian.for_epsilon_delta(1, "1e-5", 1)
    assert m == lastbit.Gaussian(epsilon=1, delta="1e-5", sensitivity=1)
    assert math.sqrt(m.variance) == pytest.approx(3.73063163481594, abs=1e-11)
    assert Fraction("0.99999e-5") < m.delta(1) <= Fraction("1e-5") < m.delta("0.999")
    assert float(m.claim().approximate(delta="1e-5")) == pytest.approx(1, abs=1e-9)
    assert m.delta(1, 2) > m.delta(1) and m.delta(1, 0) == 0
    with pytest.raises(lastbit.ParameterError, match="give d_in"):
        lastbit.Gaussian(scale=1).delta(1)
    with pytest.raises(lastbit.ParameterError, match="negative"):
        m.delta(-1)


def test_gaussian_accuracy() -> None:
    m = lastbit.Gaussian(scale=10)
    width = m.accuracy(confidence="0.95")
    assert width == pytest.approx(19.59963984540054)
    share = np.mean(np.abs(m(np.zeros(100_000))) <= width)
    assert abs(share - 0.95) < 0.01
    assert float(lastbit.Gaussian.for_accuracy(width, confidence="0.95").variance) == pytest.approx(100)
    integers = lastbit.Gaussian.for_accuracy(30, confidence="0.95", dtype="int64")
    assert integers.accuracy(confidence="0.95") == 30 and type(integers.accuracy(confidence="0.95")) is int
    assert integers.variance > lastbit.Gaussian.for_accuracy(30, confidence="0.95").variance


def test_losses() -> None:
    assert lastbit.Laplace(scale=10).loss("1/3") == Fraction(1, 30)
    assert lastbit.Laplace(epsilon="0.1", sensitivity=3).loss() == Fraction(1, 10)
    assert lastbit.DiscreteLaplace(scale=10).loss(3) == Fraction(3, 10)
    assert lastbit.DiscreteGaussian(scale=2).loss(1) == Fraction(1, 8)
    assert lastbit.Snapping(epsilon=1, bound=8, sensitivity=2).loss(1) == Fraction(1, 2)
    grid = lastbit.GridLaplace(scale=1, k=0, max_changed=2)
    assert grid.loss("0.5") > lastbit.Laplace(scale=1).loss("0.5")
    with pytest.raises(lastbit.ParameterError, match="max_changed"):
        lastbit.GridLaplace(scale=1).loss(1)
    with pytest.raises(lastbit.ParameterError, match="d_in"):
        lastbit.Laplace(scale=1).loss()
    with pytest.raises(lastbit.ParameterError):
        lastbit.Laplace(scale=1).loss(-1)


def test_claims_of_a_grid_say_what_they_rest_on() -> None:
    claim = lastbit.GridLaplace(scale=1, k=0, max_changed=2, granularity=-3).claim(1)
    assert claim.adjacency == "columns of float64 at L1 distance <= 1 that differ in at most 2 values, all multiples of 2^-3"
    with pytest.raises(lastbit.ParameterError, match="needs max_changed"):
        lastbit.GridLaplace(scale=1, granularity=0)
    most = lastbit.GridLaplace(scale=1, max_changed=2**64 - 1)
    assert pickle.loads(pickle.dumps(most)) == most


def test_the_loss_of_a_grid_counts_the_values_that_may_differ() -> None:
    x = np.zeros((4, 5))
    one = lastbit.grid_laplace(x, scale=1, sensitivity="1/2", k=0, max_changed=1, claim=True)
    all_ = lastbit.grid_laplace(x, scale=1, sensitivity="1/2", k=0, claim=True)
    assert one.loss == 1 and 1 < all_.loss <= 20
    assert all_.claim == lastbit.GridLaplace(scale=1, k=0, max_changed=20).claim("1/2")


def test_accuracy() -> None:
    m = lastbit.Laplace(scale=10)
    width = m.accuracy(confidence="0.95")
    assert width == pytest.approx(10 * math.log(20))
    share = np.mean(np.abs(m(np.zeros(100_000))) <= width)
    assert abs(share - 0.95) < 0.01
    assert lastbit.Laplace.for_accuracy(width, confidence="0.95").scale == pytest.approx(10)
    for confidence in (0, 1, -1, 2, "nan"):
        with pytest.raises(lastbit.ParameterError, match="confidence"):
            m.accuracy(confidence=confidence)


def test_claims() -> None:
    claim = lastbit.claim(lastbit.laplace, scale=10, sensitivity=1)
    assert claim == lastbit.claim("laplace", epsilon="0.1", sensitivity=1) == lastbit.claim(lastbit.Laplace(10), 1)
    assert (claim.mechanism, claim.parameters, claim.measure) == ("laplace", {"scale": "10"}, "max-divergence")
    assert claim != lastbit.claim("laplace", 2, scale=10)
    with pytest.raises(lastbit.ParameterError, match="none of laplace"):
        lastbit.claim("gauss", scale=1)
    with pytest.raises(lastbit.ParameterError, match="its parameters"):
        lastbit.claim(lastbit.Laplace(1), scale=1)
    release = lastbit.laplace(np.zeros(3), scale=10, sensitivity=1, claim=True)
    assert release.claim == claim and release.value.shape == (3,) and release.loss == Fraction(1, 10)


def test_measurements() -> None:
    m = lastbit.make_vector_float_laplace_cks20(scale=2, size=2, k=-1)
    assert (m.input_metric, m.output_measure) == ("L1Distance", "max-divergence")
    assert m.map(0) == 0
    assert m.map(1) == (1 + 2 * Fraction(1, 2)) / 2, "the paper's relaxation, rounded up"
    assert all(y * 2 % 1 == 0 for y in m([0.1, 0.2]))
    assert m(np.zeros(2)).dtype == "f8"
    with pytest.raises(lastbit.DomainError, match="3 values where 2"):
        m([0.0] * 3)
    with pytest.raises(lastbit.DomainError):
        m([0.0, math.nan])
    identity = lastbit.make_vector_float_laplace_cks20(scale=0)
    assert identity([1.0, 2.0]) == [1.0, 2.0] and identity.map(1) == math.inf and identity.map(0) == 0
    with pytest.raises(lastbit.ParameterError, match="k"):
        lastbit.make_vector_float_laplace_cks20(scale=1, size=1, k=-1075)
    with pytest.raises(lastbit.ParameterError):
        lastbit.make_vector_float_laplace_cks20(scale=-1)
    # The metric is all that is known of two inputs of a measurement: what is declared beside it does not count.
    grid = lastbit.GridLaplace(scale=1, k=0, max_changed=1)
    assert grid.loss("0.03") == 1 and grid.measurement(size=3).map("0.03") == 3
    with pytest.raises(lastbit.ParameterError, match="max_changed"):
        grid.measurement().map(1)
    for gaussian in (lastbit.DiscreteGaussian(scale=2).measurement(), lastbit.Gaussian(scale=2).measurement()):
        assert (gaussian.input_metric, gaussian.map(2)) == ("L2Distance", Fraction(1, 2))
        assert gaussian.output_measure == "zero-concentrated-divergence"
    real = lastbit.Gaussian(scale=2, dtype="float64").measurement(size=3)
    assert real.input_domain == {"dtypes": ("float64",), "size": 3} and len(real([0.5, 1.0, 2.0])) == 3
    assert lastbit.compose([real, real]).map(1) == Fraction(1, 4)


def test_vectors_are_not_rounded_on_the_way() -> None:
    """Two inputs further apart than the map is told would be a wrong claim."""
    single = lastbit.make_vector_float_laplace_cks20(scale=1, dtype="float32")
    assert len(single([1.5, 2])) == 2 and single(np.zeros(2, "f4")).dtype == "f4"
    double = lastbit.make_vector_float_laplace_cks20(scale=1)
    assert len(double(np.zeros((4, 3))[:, 1])) == 4
    for m, x in (
        (single, [2.0**24 + 1]),
        (single, [0.1]),
        (single, np.zeros(2)),
        (double, [2**53 + 1]),
        (double, np.zeros(2, "i8")),
        (double, np.zeros(2, "f4")),
        (double, "12"),
        (double, [True]),
    ):
        with pytest.raises(lastbit.Error):
            m(x)


def test_composition() -> None:
    two, three = (lastbit.make_vector_float_laplace_cks20(scale=scale) for scale in (2, 3))
    both = lastbit.compose([two, three])
    assert both.map(1) == Fraction(5, 6)
    assert lastbit.compose([both, two]).map(1) == Fraction(4, 3)
    assert [len(y) for y in both([1.0, 2.0, 3.0])] == [3, 3]
    infinite = lastbit.compose([two, lastbit.make_vector_float_laplace_cks20(scale=0)])
    assert infinite.map(1) == math.inf
    with pytest.raises(lastbit.ParameterError, match="nothing to compose"):
        lastbit.compose([])
    with pytest.raises(lastbit.ParameterError, match="another input domain"):
        lastbit.compose([two, lastbit.make_vector_float_laplace_cks20(scale=2, size=3)])
    with pytest.raises(lastbit.ParameterError, match="part 1 of the composition"):
        lastbit.compose([lastbit.DiscreteLaplace(1).measurement(), lastbit.DiscreteGaussian(1).measurement()])


def test_budget_is_exact() -> None:
    budget = lastbit.Budget(epsilon=1)
    for _ in range(10):
        lastbit.laplace(0.0, epsilon="0.1", sensitivity=1, budget=budget)
    assert (budget.spent, budget.remaining, len(budget.ledger)) == (1, 0, 10)
    with pytest.raises(lastbit.BudgetExceeded):
        lastbit.laplace(0.0, epsilon=Fraction(1, 10**30), sensitivity=1, budget=budget)
    assert (budget.spent, len(budget.ledger)) == (1, 10)


def test_budget_refuses_before_anything_is_written() -> None:
    x, out = np.zeros(100), np.full(100, 7.0)
    with pytest.raises(lastbit.BudgetExceeded):
        lastbit.laplace(x, epsilon=2, sensitivity=1, out=out, budget=lastbit.Budget(epsilon=1))
    assert np.all(out == 7.0)


@pytest.mark.parametrize(
    ("x", "out"),
    [
        ("1", None),
        (True, None),
        ({"a": 1.0}, None),
        ([1.0, None], None),
        ([True], None),
        (np.zeros(3, "f2"), None),
        (np.zeros(3, "O"), None),
        (1.0, np.zeros(1)),
        (np.zeros(3), np.zeros(4)),
        (np.zeros(3), np.zeros(3, "f4")),
        (np.zeros(3), np.broadcast_to(np.zeros(1), 3)),
    ],
)
def test_what_has_nothing_to_do_with_the_data_costs_nothing(x: Any, out: Any) -> None:
    budget = lastbit.Budget(epsilon=1)
    with pytest.raises(lastbit.Error):
        lastbit.laplace(x, epsilon="1/2", sensitivity=1, budget=budget, out=out)
    assert budget.spent == 0


def test_messages_do_not_tell_values() -> None:
    for release in (lambda: lastbit.laplace([0, 2**70 + 12345], 1), lambda: lastbit.snapping(2**53 + 1, **SNAPPING)):
        with pytest.raises(lastbit.DomainError) as error:
            release()
        assert not any(digits in str(error.value) for digits in ("12345", str(2**53 + 1)))


SNAPPING: dict[str, Any] = {"epsilon": 1, "sensitivity": 1, "bound": 8}


class Stream:
    """A producer of Arrow streams that counts its chunks."""

    def __init__(self, chunked: Any) -> None:
        self.chunked = chunked

    def __len__(self) -> int:
        return int(self.chunked.num_chunks)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.chunked.__arrow_c_stream__(requested_schema)


def test_a_claim_counts_what_is_released() -> None:
    pyarrow = pytest.importorskip("pyarrow")

    class Short(list[float]):
        def __len__(self) -> int:
            return 1

    for x in (Short([0.0, 0.0, 0.0]), Stream(pyarrow.chunked_array([[0.0, 0.0, 0.0]]))):
        with pytest.raises(lastbit.DomainError, match="3 values where 1"):
            lastbit.grid_laplace(x, scale=1, sensitivity=1, k=0, claim=True)


def test_a_failed_release_stays_paid() -> None:
    budget = lastbit.Budget(epsilon=1)
    with pytest.raises(lastbit.DomainError):
        lastbit.laplace(math.nan, epsilon="1/2", sensitivity=1, budget=budget)
    assert budget.remaining == Fraction(1, 2)


def test_budgets_of_both_measures() -> None:
    gaussian = lastbit.DiscreteGaussian(rho="1/8", sensitivity=1)
    pure = lastbit.Budget(epsilon=10)
    with pytest.raises(lastbit.ParameterError, match="no pure loss"):
        pure.release(gaussian, 5)
    concentrated = lastbit.Budget(rho=1, unit="person")
    assert type(concentrated.release(gaussian, 5)) is int
    concentrated.spend(lastbit.claim("laplace", epsilon=1, sensitivity=1))
    assert concentrated.spent == Fraction(1, 8) + Fraction(1, 2)
    for wrong in ({}, {"epsilon": 1, "rho": 1}):
        with pytest.raises(lastbit.ParameterError):
            lastbit.Budget(**wrong)
    with pytest.raises(lastbit.ParameterError):
        lastbit.Budget(epsilon=-1)
    with pytest.raises(lastbit.ParameterError, match="no pure loss"):
        lastbit.gaussian(0.5, rho="1/8", sensitivity=1, budget=pure)
    assert pure.spent == 0
    lastbit.gaussian(np.zeros(3), rho="1/8", sensitivity=1, budget=concentrated)
    assert concentrated.spent == Fraction(3, 4)
    with pytest.raises(lastbit.BudgetExceeded):
        lastbit.gaussian(0.5, scale=1, sensitivity=1, budget=concentrated)
    with pytest.raises(TypeError):
        pickle.dumps(concentrated)  # a copy could be spent twice


def test_budget_from_many_threads() -> None:
    budget = lastbit.Budget(epsilon=10)
    refused = []

    def spend() -> None:
        for _ in range(100):
            try:
                lastbit.laplace(0.0, epsilon="1/10", sensitivity=1, budget=budget)
            except lastbit.BudgetExceeded:
                refused.append(1)

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert budget.spent == 10 and len(budget.ledger) == 100 and len(refused) == 700


def test_constant_time() -> None:
    mechanism = lastbit.DiscreteLaplace(scale=10, constant_time=True)
    assert repr(mechanism) == "DiscreteLaplace(scale='10', constant_time=True)"
    assert mechanism != lastbit.DiscreteLaplace(scale=10)
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    assert mechanism.loss(1) == Fraction(1, 10)
    zeros = np.zeros(100_000, dtype=np.int64)
    for noisy in (mechanism(zeros), lastbit.discrete_laplace(zeros, scale=10, constant_time=True)):
        # The variance is 2·100 - 1/6; that of so many values is off by 1.4, mostly.
        assert abs(noisy.var() - 199.83) < 12
    accurate = lastbit.DiscreteLaplace.for_accuracy(30, confidence="0.95", constant_time=True)
    assert "constant_time=True" in repr(accurate)
    with pytest.raises(lastbit.ParameterError):
        lastbit.DiscreteLaplace(scale=2**60, constant_time=True)


@pytest.mark.parametrize(
    ("call", "new"),
    [
        (lambda: lastbit.Laplace(scale=1).accuracy(alpha="0.05"), "confidence"),  # type: ignore[call-arg]
        (lambda: lastbit.Laplace.for_accuracy(1, alpha="0.05"), "confidence"),  # type: ignore[call-arg]
        (lambda: lastbit.NoisyMax(scale=1).shortfall(2, alpha="0.05"), "confidence"),  # type: ignore[call-arg]
        (lambda: lastbit.DiscreteGaussian(sigma=2), "scale"),  # type: ignore[call-arg]
        (lambda: lastbit.discrete_gaussian(1, sigma=2), "scale"),  # type: ignore[call-overload]
        (lambda: lastbit.GridLaplace(scale=1, multiples_of_pow2=0), "granularity"),  # type: ignore[call-arg]
        (lambda: lastbit.grid_laplace(1.0, scale=1, multiples_of_pow2=0), "granularity"),  # type: ignore[call-overload]
        (lambda: lastbit.audit("snapping", form="ideal", epsilon=1, bound=1, inputs=(0, 1)), "form='exact'"),
    ],
)
def test_old_names_name_the_new_ones(call: Any, new: str) -> None:
    with pytest.raises(lastbit.ParameterError, match=f"is now {new}"):
        call()
