"""Values of every form in, noisy values of the same form out."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lastbit

Case = tuple[Callable[..., Any], dict[str, Any], str]


def noise_is_plausible(noise: np.ndarray) -> None:
    """Noise of scale 1: not all zero, none beyond 200 scales (less likely than e^-200)."""
    assert np.any(noise != 0)
    assert np.all(np.abs(noise) < 200)


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 255, 256, 257, 5000])
def test_arrays(case: Case, n: int) -> None:
    function, parameters, dtype = case
    x = np.arange(n).astype(dtype)
    before = x.copy()
    noisy = function(x, **parameters)
    assert noisy.dtype == dtype and noisy.shape == x.shape
    assert np.array_equal(x, before), "the values are left alone"
    if n > 100:
        noise_is_plausible(noisy.astype(float) - x)


def layouts(dtype: str) -> dict[str, np.ndarray]:
    """The numbers 0 to 119 in memory in many ways, all of shape (4, 5, 6)."""
    cube = np.arange(120).astype(dtype).reshape(4, 5, 6)
    wide = np.zeros((8, 10, 12), dtype)
    wide[::2, ::2, ::2] = cube
    record = np.zeros((4, 5, 6), np.dtype([("tag", "i1"), ("x", dtype)]))  # strides that are no multiples of the size
    record["x"] = cube
    reversed_copy = cube[::-1, :, ::-1].copy()
    return {
        "rows": cube,
        "columns": np.asfortranarray(cube),
        "strided": wide[::2, ::2, ::2],
        "negative": reversed_copy[::-1, :, ::-1],
        "transposed": cube.transpose(2, 0, 1).copy().transpose(1, 2, 0),
        "misaligned": record["x"],
        "broadcast": np.broadcast_to(cube[:1], (4, 5, 6)),
    }


@pytest.mark.parametrize("layout", layouts("f8"))
def test_layouts(case: Case, layout: str) -> None:
    function, parameters, dtype = case
    x = layouts(dtype)[layout]
    noisy = function(x, **parameters)
    assert noisy.shape == (4, 5, 6) and noisy.dtype == dtype
    noise_is_plausible(noisy.astype(float) - x)
    out = layouts(dtype)[layout].copy(order="K")
    assert function(x, **parameters, out=out) is out
    noise_is_plausible(out.astype(float) - x)


@pytest.mark.parametrize("layout", layouts("f8"))
def test_out_of_every_layout(layout: str) -> None:
    out = layouts("f8")[layout]
    x = np.full((4, 5, 6), 1e6)
    if layout == "broadcast":
        with pytest.raises(lastbit.ParameterError, match="out"):
            lastbit.laplace(x, scale=1, out=out)
        return
    assert lastbit.laplace(x, scale=1, out=out) is out
    noise_is_plausible(out - x)


def test_in_place() -> None:
    x = np.arange(1000.0)
    assert lastbit.laplace(x, scale=1, out=x) is x
    noise_is_plausible(x - np.arange(1000.0))
    y = np.arange(1000.0)
    lastbit.laplace(y[::2], scale=1, out=y[::2])
    assert np.array_equal(y[1::2], np.arange(1000.0)[1::2])
    noise_is_plausible(y - np.arange(1000.0))


def test_overlapping_out() -> None:
    x = np.arange(0.0, 1e6, 1000.0)
    expected = x[:-1].copy()
    lastbit.laplace(x[:-1], scale=1, out=x[1:])
    noise_is_plausible(x[1:] - expected)


def test_out_refusals() -> None:
    x = np.zeros(3)
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    for out in (np.zeros(4), np.zeros((1, 3)), np.zeros(3, "f4"), [0.0] * 3, frozen):
        before = np.array(out)
        with pytest.raises(lastbit.Error):
            lastbit.laplace(x, scale=1, out=out)
        assert np.array_equal(out, before)
    with pytest.raises(lastbit.UnsupportedType, match="out is for numpy arrays"):
        lastbit.laplace(1.0, scale=1, out=np.zeros(1))


def test_numbers() -> None:
    for x in (0.0, 1e300, -2.5, np.float64(3)):
        assert type(lastbit.laplace(x, scale=1)) is float
    assert type(lastbit.laplace(7, scale=1)) is float
    assert type(lastbit.laplace(7, scale=1, dtype="int64")) is int
    assert type(lastbit.snapping(7, epsilon=1, sensitivity=1, bound=10)) is float
    for dtype in ("f2", "f4", "i4", "i8", "u4"):
        # Whether a number is numpy's can depend on the data: sum() of nothing is Python's 0.
        assert type(lastbit.laplace(np.array([7], dtype)[0], scale=1)) is float
        assert type(lastbit.laplace(list(np.array([7], dtype)), scale=1)[0]) is float
    for x in (np.float32(0.5), np.int64(0), 0, 0.5):
        # Nor is the type of a grid that of a number.
        release = lastbit.grid_laplace(x, scale=1, sensitivity=1, k=-1, claim=True)
        assert type(release.value) is float and release.claim.domain == {"values": "float64", "length": None}
    for date in (np.datetime64(7, "ns"), np.timedelta64(7, "ns"), np.bool_(True), np.longdouble(7), np.complex64(7)):
        for what in (date, [date]):
            with pytest.raises(lastbit.UnsupportedType):
                lastbit.laplace(what, scale=1)
    zero_dimensional = lastbit.laplace(np.array(7.0), scale=1)
    assert zero_dimensional.shape == () and isinstance(zero_dimensional, np.float64)


def test_gaussian_of_every_form() -> None:
    """As Laplace: floats unless a type is said, in place, on threads, and nothing that is no finite number."""
    for x in (0.0, 1e300, -2.5, 7, np.float64(3), np.int64(7)):
        assert type(lastbit.gaussian(x, 1)) is float
    assert type(lastbit.gaussian(7, scale=1, dtype="int64")) is int
    assert [type(y) for y in lastbit.gaussian((1, 2), scale=1, dtype="int32")] == [int, int]
    assert [type(y) for y in lastbit.gaussian([1, 2.5], scale=1)] == [float, float]
    x = np.arange(200_000.0)
    for threads in (None, 1, 2):
        noisy = lastbit.gaussian(x, scale=1, threads=threads)
        noise_is_plausible(noisy - x)
        assert abs((noisy - x).std() - 1) < 0.02
    y = x.copy()
    assert lastbit.gaussian(y, scale=1, out=y) is y
    noise_is_plausible(y - x)
    for bad in (math.nan, math.inf, -math.inf):
        y[150_000] = bad
        out = np.full_like(y, 5.0)
        with pytest.raises(lastbit.DomainError) as error:
            lastbit.gaussian(y, scale=1, out=out)
        assert error.value.index == 150_000 and np.all(out == 5.0)


def test_lists() -> None:
    assert lastbit.laplace([], scale=1) == []
    assert [type(y) for y in lastbit.laplace([1.0, 2.0], scale=1)] == [float, float]
    assert [type(y) for y in lastbit.laplace((1, 2), scale=1)] == [float, float]
    assert [type(y) for y in lastbit.laplace([1, 2.5], scale=1)] == [float, float]
    assert [type(y) for y in lastbit.laplace((1, 2), scale=1, dtype="int32")] == [int, int]
    assert [type(y) for y in lastbit.snapping([1, 2.5], epsilon=1, sensitivity=1, bound=9)] == [float, float]
    with pytest.raises(lastbit.UnsupportedType, match="takes ints here.*value 1 is a float"):
        lastbit.laplace([1, 2.5], scale=1, dtype="int64")
    with pytest.raises(lastbit.UnsupportedType, match="value 1 is a list"):
        lastbit.laplace([1.0, [2.0]], scale=1)


def test_lists_of_numbers_of_numpy() -> None:
    assert [type(y) for y in lastbit.laplace(list(np.arange(3)), scale=1)] == [float] * 3
    assert [type(y) for y in lastbit.laplace(list(np.arange(3)), scale=1, dtype="int64")] == [int] * 3
    assert [type(y) for y in lastbit.laplace(list(np.arange(3.0)), scale=1)] == [float] * 3


def test_no_memory() -> None:
    with pytest.raises(MemoryError):
        lastbit.laplace(np.broadcast_to(0.0, 10**14), scale=1)


@pytest.mark.parametrize("x", ["1", b"1", None, True, [True], {}, {1.0}, 1j, object()])
def test_what_is_no_number_is_refused(x: Any) -> None:
    with pytest.raises(lastbit.UnsupportedType):
        lastbit.laplace(x, scale=1)


@pytest.mark.parametrize("dtype", ["f2", "?", "c16", "O", "U3", "M8[s]", ">f8"])
def test_other_dtypes_are_refused(dtype: str) -> None:
    with pytest.raises(lastbit.UnsupportedType, match="convert them first"):
        lastbit.laplace(np.zeros(3, dtype), scale=1)


def test_types_that_a_mechanism_does_not_take() -> None:
    for function, parameters, x in (
        (lastbit.snapping, {"epsilon": 1, "sensitivity": 1, "bound": 9}, np.zeros(3, "f4")),
        (lastbit.discrete_laplace, {"scale": 1}, np.zeros(3)),
        (lastbit.discrete_laplace, {"scale": 1}, 0.5),
        (lastbit.discrete_gaussian, {"scale": 1}, [0.5]),
        (lastbit.grid_laplace, {"scale": 1}, np.zeros(3, "i8")),
    ):
        with pytest.raises(lastbit.UnsupportedType, match="takes"):
            function(x, **parameters)


def test_masked_arrays_are_refused() -> None:
    with pytest.raises(lastbit.UnsupportedType, match="mask"):
        lastbit.laplace(np.ma.masked_array([1.0, 2.0], [True, False]), scale=1)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("order", ["C", "F"])
def test_not_finite(bad: float, order: Any) -> None:
    x = np.zeros((7, 11), order=order)
    x[3, 4] = bad
    out = np.full_like(x, 5.0)
    for parameters in ({}, {"out": out}, {"out": x}):
        with pytest.raises(lastbit.DomainError) as error:
            lastbit.laplace(x, scale=1, **parameters)
        assert error.value.index == 3 * 11 + 4
        assert f"value {3 * 11 + 4} " in str(error.value)
    assert np.all(out == 5.0) and np.sum(x != 0) == 1, "nothing is written"
    with pytest.raises(ValueError):
        lastbit.laplace([0.0, bad], scale=1)


def test_infinite_values_are_clamped_on_demand() -> None:
    assert abs(lastbit.snapping(math.inf, epsilon=1, sensitivity=1, bound=8, clamp_infinite=True)) <= 8
    with pytest.raises(lastbit.DomainError):
        lastbit.snapping(math.inf, epsilon=1, sensitivity=1, bound=8)


def test_overflow() -> None:
    most = np.iinfo("i8").max
    x = np.full(1000, most)
    out = np.zeros(1000, "i8")
    with pytest.raises(lastbit.NoiseOverflow) as error:
        lastbit.discrete_laplace(x, scale=10**6, out=out)
    assert isinstance(error.value.index, int)
    assert not out.any() and np.all(x == most)
    with pytest.raises(OverflowError):
        lastbit.laplace([1.7e308] * 64, scale=10**308)
    with pytest.raises(lastbit.NoiseOverflow):
        lastbit.gaussian([1.7e308] * 64, scale=10**308)
    with pytest.raises(lastbit.NoiseOverflow):
        lastbit.gaussian(x, scale=10**6, out=out)
    assert not out.any() and np.all(x == most)
    with pytest.raises(lastbit.DomainError, match="does not fit int64"):
        lastbit.discrete_laplace(2**63, scale=1)
    with pytest.raises(lastbit.DomainError, match="round"):
        lastbit.snapping(2**53 + 1, epsilon=1, sensitivity=1, bound=2**40)


def test_grid_outputs_lie_on_the_grid() -> None:
    x = np.random.default_rng(1).normal(size=1000)
    for dtype in ("f8", "f4"):
        noisy = lastbit.grid_laplace(x.astype(dtype), epsilon=1, sensitivity=1, k=-5, max_changed=1)
        assert noisy.dtype == dtype
        assert np.all(noisy * 32 == np.round(noisy * 32))


@pytest.mark.parametrize(
    ("function", "parameters", "deviation"),
    [
        (lastbit.laplace, {"scale": 3}, math.sqrt(2) * 3),
        (lastbit.grid_laplace, {"scale": 3}, math.sqrt(2) * 3),
        (lastbit.snapping, {"epsilon": 1, "sensitivity": 3, "bound": 10**6}, math.sqrt(2 * 9 + 16 / 12)),
        (lastbit.discrete_laplace, {"scale": 3}, math.sqrt(1 / (math.cosh(1 / 3) - 1))),
        (lastbit.discrete_gaussian, {"scale": 3}, 3),
        (lastbit.gaussian, {"scale": 3}, 3),
        (lastbit.gaussian, {"variance": 9}, 3),
        (lastbit.gaussian, {"rho": "1/18", "sensitivity": 1}, 3),
        (lastbit.gaussian, {"epsilon": 1, "delta": "1e-5", "sensitivity": 2}, 2 * 3.7306316348),
    ],
)
def test_spread(function: Callable[..., Any], parameters: dict[str, Any], deviation: float) -> None:
    """The right parameters arrive: mean and spread of a million values, to ten standard errors."""
    n = 10**6
    kind = "i8" if function in (lastbit.discrete_laplace, lastbit.discrete_gaussian) else "f8"
    noise = function(np.zeros(n, kind), **parameters)
    assert abs(noise.mean()) < 10 * deviation / math.sqrt(n)
    assert abs(noise.std() / deviation - 1) < 10 * math.sqrt(5 / (4 * n))
