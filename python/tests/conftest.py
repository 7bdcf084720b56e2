"""What several tests use."""

from typing import Any

import pytest

import lastbit

MECHANISMS = [
    (lastbit.laplace, {"scale": 1}, ("float64", "float32", "int64", "int32")),
    (lastbit.gaussian, {"scale": 1}, ("float64", "float32", "int64", "int32")),
    (lastbit.grid_laplace, {"scale": 1}, ("float64", "float32")),
    (lastbit.discrete_laplace, {"scale": 1}, ("int64", "int32")),
    (lastbit.discrete_gaussian, {"scale": 1}, ("int64", "int32")),
    (lastbit.snapping, {"epsilon": 1, "sensitivity": 1, "bound": 10**6}, ("float64",)),
]
"""Each function with parameters, and the types that it takes."""

CASES = [
    pytest.param(function, parameters, dtype, id=f"{function.__name__}-{dtype}")
    for function, parameters, dtypes in MECHANISMS
    for dtype in dtypes
]


@pytest.fixture(params=[case.values for case in CASES], ids=[case.id for case in CASES])
def case(request: pytest.FixtureRequest) -> Any:
    """A function, its parameters, and a type that it takes."""
    return request.param
