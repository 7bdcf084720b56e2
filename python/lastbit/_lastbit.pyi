from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Any, Literal, TypeAlias, TypeVar, final, overload

_Exact: TypeAlias = str | int | float | Fraction | Decimal
# Names, or the types of numpy.
_DType: TypeAlias = Literal["float64", "float32", "int64", "int32"] | type[Any]
_Float: TypeAlias = Literal["float64", "float32"] | type[Any]
_Integer: TypeAlias = Literal["int64", "int32"] | type[Any]
_X = TypeVar("_X")

__version__: str

@final
class Claim:
    @property
    def mechanism(self) -> str: ...
    @property
    def parameters(self) -> dict[str, str]: ...
    @property
    def domain(self) -> dict[str, Any] | None: ...
    @property
    def input(self) -> str | None: ...
    @property
    def neighbours(self) -> dict[str, Any] | None: ...
    @property
    def unit(self) -> str | None: ...
    @property
    def adjacency(self) -> str: ...
    @property
    def measure(self) -> str: ...
    @property
    def loss(self) -> Fraction: ...
    @property
    def parts(self) -> list[Claim]: ...
    @staticmethod
    def from_json(text: str, /) -> Claim: ...
    def to_json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def for_unit(self, unit: str, /) -> Claim: ...
    def approximate(self, *, delta: _Exact) -> Fraction: ...
    def _repr_html_(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Release:
    @property
    def value(self) -> Any: ...
    @property
    def claim(self) -> Claim: ...
    @property
    def loss(self) -> Fraction: ...

class Mechanism:
    def __call__(self, x: _X, /, *, out: Any = None, threads: int | None = None) -> _X: ...
    def loss(self, d_in: _Exact | None = None) -> Fraction: ...
    def claim(
        self, d_in: _Exact | None = None, *, dtype: _DType | None = None, unit: str | None = None
    ) -> Claim: ...
    def accuracy(self, *, confidence: _Exact) -> float: ...
    def measurement(self, *, size: int | None = None) -> Measurement: ...
    @property
    def dtypes(self) -> tuple[str, ...]: ...
    @property
    def formula(self) -> str: ...
    @property
    def measure(self) -> str: ...
    @property
    def sensitivity(self) -> Fraction | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...

@final
class Laplace(Mechanism):
    def __new__(
        cls,
        scale: _Exact | None = None,
        *,
        epsilon: _Exact | None = None,
        sensitivity: _Exact | None = None,
        dtype: _DType | None = None,
    ) -> Laplace: ...
    @staticmethod
    def for_accuracy(accuracy: _Exact, *, confidence: _Exact, dtype: _DType | None = None) -> Laplace: ...
    @property
    def scale(self) -> Fraction: ...

@final
class GridLaplace(Mechanism):
    def __new__(
        cls,
        scale: _Exact | None = None,
        *,
        epsilon: _Exact | None = None,
        sensitivity: _Exact | None = None,
        k: int | None = None,
        max_changed: int | None = None,
        granularity: int | None = None,
        dtype: _Float | None = None,
    ) -> GridLaplace: ...
    @staticmethod
    def for_accuracy(
        accuracy: _Exact,
        *,
        confidence: _Exact,
        k: int | None = None,
        max_changed: int | None = None,
        granularity: int | None = None,
        dtype: _Float | None = None,
    ) -> GridLaplace: ...
    @property
    def scale(self) -> Fraction: ...
    @property
    def k(self) -> int | None: ...

@final
class DiscreteLaplace(Mechanism):
    def __new__(
        cls,
        scale: _Exact | None = None,
        *,
        epsilon: _Exact | None = None,
        sensitivity: _Exact | None = None,
        dtype: _Integer | None = None,
        constant_time: bool = False,
    ) -> DiscreteLaplace: ...
    @staticmethod
    def for_accuracy(
        accuracy: _Exact, *, confidence: _Exact, dtype: _Integer | None = None, constant_time: bool = False
    ) -> DiscreteLaplace: ...
    @property
    def scale(self) -> Fraction: ...

@final
class Gaussian(Mechanism):
    def __new__(
        cls,
        scale: _Exact | None = None,
        *,
        variance: _Exact | None = None,
        rho: _Exact | None = None,
        epsilon: _Exact | None = None,
        delta: _Exact | None = None,
        sensitivity: _Exact | None = None,
        dtype: _DType | None = None,
    ) -> Gaussian: ...
    @staticmethod
    def for_rho(rho: _Exact, sensitivity: _Exact, *, dtype: _DType | None = None) -> Gaussian: ...
    @staticmethod
    def for_epsilon_delta(
        epsilon: _Exact, delta: _Exact, sensitivity: _Exact, *, dtype: _DType | None = None
    ) -> Gaussian: ...
    @staticmethod
    def for_accuracy(accuracy: _Exact, *, confidence: _Exact, dtype: _DType | None = None) -> Gaussian: ...
    def delta(self, epsilon: _Exact, d_in: _Exact | None = None) -> Fraction: ...
    @property
    def variance(self) -> Fraction: ...

@final
class DiscreteGaussian(Mechanism):
    def __new__(
        cls,
        scale: _Exact | None = None,
        *,
        variance: _Exact | None = None,
        rho: _Exact | None = None,
        sensitivity: _Exact | None = None,
        dtype: _Integer | None = None,
    ) -> DiscreteGaussian: ...
    @staticmethod
    def for_accuracy(accuracy: _Exact, *, confidence: _Exact, dtype: _Integer | None = None) -> DiscreteGaussian: ...
    @property
    def variance(self) -> Fraction: ...

@final
class Snapping(Mechanism):
    def __new__(
        cls,
        *,
        epsilon: _Exact | None = None,
        bound: _Exact | None = None,
        sensitivity: _Exact | None = None,
        clamp_infinite: bool = False,
    ) -> Snapping: ...
    @staticmethod
    def for_accuracy(
        accuracy: _Exact, *, confidence: _Exact, bound: _Exact, clamp_infinite: bool = False
    ) -> Snapping: ...
    @property
    def grid(self) -> float | None: ...

class Selection:
    def loss(self, d_in: _Exact | None = None) -> Fraction: ...
    def claim(
        self, d_in: _Exact | None = None, *, dtype: _DType | None = None, unit: str | None = None
    ) -> Claim: ...
    def shortfall(self, candidates: int, /, *, confidence: _Exact) -> float: ...
    @property
    def scale(self) -> Fraction: ...
    @property
    def monotone(self) -> bool: ...
    @property
    def sensitivity(self) -> Fraction | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...

@final
class NoisyMax(Selection):
    def __new__(
        cls,
        scale: _Exact | None = None,
        *,
        epsilon: _Exact | None = None,
        sensitivity: _Exact | None = None,
        monotone: bool = False,
        dtype: _DType | None = None,
    ) -> NoisyMax: ...
    @overload
    def __call__(self, scores: Any, /, *, candidates: None = None) -> int: ...
    @overload
    def __call__(self, scores: Any, /, *, candidates: Sequence[_X]) -> _X: ...

@final
class Exponential(Selection):
    def __new__(
        cls,
        scale: _Exact | None = None,
        *,
        epsilon: _Exact | None = None,
        sensitivity: _Exact | None = None,
        monotone: bool = False,
        dtype: _DType | None = None,
    ) -> Exponential: ...
    @overload
    def __call__(self, scores: Any, /, *, weights: Any = None, candidates: None = None) -> int: ...
    @overload
    def __call__(self, scores: Any, /, *, weights: Any = None, candidates: Sequence[_X]) -> _X: ...

@final
class Measurement:
    @property
    def input_domain(self) -> dict[str, Any]: ...
    @property
    def input_metric(self) -> str: ...
    @property
    def output_measure(self) -> str: ...
    def map(self, d_in: _Exact, /) -> Fraction | float: ...
    def __call__(self, x: Any, /) -> Any: ...

@final
class Budget:
    def __new__(
        cls,
        *,
        epsilon: _Exact | None = None,
        rho: _Exact | None = None,
        delta: _Exact | None = None,
        unit: str | None = None,
    ) -> Budget: ...
    def spend(self, claim: Claim, /) -> None: ...
    @overload
    def release(
        self, mechanism: Mechanism, x: _X, /, d_in: _Exact | None = None, *, out: Any = None, threads: int | None = None
    ) -> _X: ...
    @overload
    def release(self, mechanism: Selection, x: Any, /, d_in: _Exact | None = None, *, out: None = None) -> int: ...
    def cost(self, claim: Claim, /) -> Fraction: ...
    @property
    def total(self) -> Fraction: ...
    @property
    def spent(self) -> Fraction: ...
    @property
    def remaining(self) -> Fraction: ...
    @property
    def unit(self) -> str | None: ...
    @property
    def measure(self) -> str: ...
    @property
    def ledger(self) -> list[Claim]: ...

def compose(measurements: Sequence[Measurement], /) -> Measurement: ...
def compose_claims(claims: Sequence[Claim], /) -> Claim: ...
def make_vector_float_laplace_cks20(
    *,
    scale: _Exact,
    size: int | None = None,
    k: int | None = None,
    dtype: _Float = "float64",
) -> Measurement: ...
@overload
def laplace(
    x: _X,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    dtype: _DType | None = None,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[False] = False,
    threads: int | None = None,
) -> _X: ...
@overload
def laplace(
    x: _X,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    dtype: _DType | None = None,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[True],
    threads: int | None = None,
) -> Release: ...
@overload
def grid_laplace(
    x: _X,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    k: int | None = None,
    max_changed: int | None = None,
    granularity: int | None = None,
    dtype: _Float | None = None,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[False] = False,
    threads: int | None = None,
) -> _X: ...
@overload
def grid_laplace(
    x: _X,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    k: int | None = None,
    max_changed: int | None = None,
    granularity: int | None = None,
    dtype: _Float | None = None,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[True],
    threads: int | None = None,
) -> Release: ...
@overload
def discrete_laplace(
    x: _X,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    dtype: _Integer | None = None,
    constant_time: bool = False,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[False] = False,
    threads: int | None = None,
) -> _X: ...
@overload
def discrete_laplace(
    x: _X,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    dtype: _Integer | None = None,
    constant_time: bool = False,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[True],
    threads: int | None = None,
) -> Release: ...
@overload
def gaussian(
    x: _X,
    /,
    scale: _Exact | None = None,
    *,
    variance: _Exact | None = None,
    rho: _Exact | None = None,
    epsilon: _Exact | None = None,
    delta: _Exact | None = None,
    sensitivity: _Exact | None = None,
    dtype: _DType | None = None,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[False] = False,
    threads: int | None = None,
) -> _X: ...
@overload
def gaussian(
    x: _X,
    /,
    scale: _Exact | None = None,
    *,
    variance: _Exact | None = None,
    rho: _Exact | None = None,
    epsilon: _Exact | None = None,
    delta: _Exact | None = None,
    sensitivity: _Exact | None = None,
    dtype: _DType | None = None,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[True],
    threads: int | None = None,
) -> Release: ...
@overload
def discrete_gaussian(
    x: _X,
    /,
    scale: _Exact | None = None,
    *,
    variance: _Exact | None = None,
    rho: _Exact | None = None,
    sensitivity: _Exact | None = None,
    dtype: _Integer | None = None,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[False] = False,
    threads: int | None = None,
) -> _X: ...
@overload
def discrete_gaussian(
    x: _X,
    /,
    scale: _Exact | None = None,
    *,
    variance: _Exact | None = None,
    rho: _Exact | None = None,
    sensitivity: _Exact | None = None,
    dtype: _Integer | None = None,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[True],
    threads: int | None = None,
) -> Release: ...
@overload
def snapping(
    x: _X,
    /,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    bound: _Exact | None = None,
    clamp_infinite: bool = False,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[False] = False,
    threads: int | None = None,
) -> _X: ...
@overload
def snapping(
    x: _X,
    /,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    bound: _Exact | None = None,
    clamp_infinite: bool = False,
    out: Any = None,
    budget: Budget | None = None,
    claim: Literal[True],
    threads: int | None = None,
) -> Release: ...

@final
class ArrowArray:
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def to_list(self) -> list[float | None] | list[int | None]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def null_count(self) -> int: ...
    def __len__(self) -> int: ...

def _release_arrow(mechanism: Mechanism, x: Any, payment: Any = None, threads: int | None = None, /) -> ArrowArray: ...
def _release_numpy(mechanism: Mechanism, x: Any, payment: Any = None, threads: int | None = None, /) -> Any: ...

# Accounts, audits, proofs, attacks: `lastbit/_audit.py` and its neighbours make dataclasses of what these return.
def _account(
    releases: list[tuple[str, str, str, int]],
    *,
    epsilons: list[Any],
    deltas: list[Any],
    group: int,
    digits: int,
    attacker: bool,
    curve: int,
) -> str: ...
def _calibrate(noise: str, *, sensitivity: Any, times: int, epsilon: Any, delta: Any) -> str: ...
def _release(
    name: str,
    text: str,
    *,
    ledger: str | PathLike[str] | None,
    id: str | None,
    analyst: str | None,
    force_network: bool,
    confidence: Any,
    non_negative: bool,
    digits: int | None,
    dry_run: bool,
    insecure_seed: int | None,
    built: bool = False,
    rows: Any = None,
) -> tuple[tuple[str, str, str], _Released | None]: ...

class _Released:
    def processed(self, confidence: Any, non_negative: bool, digits: int | None) -> tuple[str, str, str]: ...

def _digest(text: str, rows: Any = None) -> str: ...
def _exact(name: str, x: Any) -> str: ...
def _ledger_declare(
    path: str | PathLike[str], *, dataset: str, unit: str | None, epsilon: Any, rho: Any, delta: Any, force_network: bool
) -> str: ...
def _ledger_limit(
    path: str | PathLike[str], *, dataset: str, analyst: str | None, epsilon: Any, rho: Any, delta: Any, force_network: bool
) -> str: ...
def _ledger_show(path: str | PathLike[str], force_network: bool) -> tuple[str, str]: ...
def _ledger_history(path: str | PathLike[str], force_network: bool) -> str: ...
def _ledger_export(path: str | PathLike[str], force_network: bool) -> str: ...
def _ledger_verify(path: str | PathLike[str], head: str | None, force_network: bool) -> tuple[str, bool, str]: ...
def _attack(
    first: Any, second: Any, *, epsilon: Any, delta: Any, confidence: Any, inputs: tuple[float, float] | None
) -> tuple[str, str, str]: ...
def _audit_snapping(inputs: tuple[Any, Any] | None, **parameters: Any) -> str: ...
def _audit_exact(inputs: tuple[Any, Any] | None, **parameters: Any) -> str: ...
def _audit_textbook(inputs: tuple[Any, Any] | None, **parameters: Any) -> str: ...
def _audit_sampler(inputs: tuple[Any, Any] | None, **parameters: Any) -> str: ...
def _audit_text(text: str, inputs: tuple[Any, Any] | None, **parameters: Any) -> str: ...
def _prove(
    text: str,
    *,
    name: str,
    program: str | None,
    effort: str | int,
    timeout: float | None,
    memory: int | None,
    of: str | None,
    sensitivity: Any,
    inputs: tuple[Any, Any] | None,
    ranges: dict[str, tuple[Any, Any]],
    parameters: dict[str, Any],
) -> str: ...
def _explain(word: str) -> dict[str, Any]: ...
def _command(arguments: list[str]) -> int: ...
def _check(
    certificate: tuple[str, str], text: tuple[str, str] | None, *, timeout: float | None, memory: int | None
) -> tuple[str, str]: ...
def _certify(certificate: tuple[str, str], *, to: str) -> str: ...
@overload
def noisy_max(
    scores: Any,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    monotone: bool = False,
    candidates: None = None,
    dtype: _DType | None = None,
    budget: Budget | None = None,
    claim: Literal[False] = False,
) -> int: ...
@overload
def noisy_max(
    scores: Any,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    monotone: bool = False,
    candidates: Sequence[_X],
    dtype: _DType | None = None,
    budget: Budget | None = None,
    claim: Literal[False] = False,
) -> _X: ...
@overload
def noisy_max(
    scores: Any,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    monotone: bool = False,
    candidates: Sequence[Any] | None = None,
    dtype: _DType | None = None,
    budget: Budget | None = None,
    claim: Literal[True],
) -> Release: ...
@overload
def exponential(
    scores: Any,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    monotone: bool = False,
    weights: Any = None,
    candidates: None = None,
    dtype: _DType | None = None,
    budget: Budget | None = None,
    claim: Literal[False] = False,
) -> int: ...
@overload
def exponential(
    scores: Any,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    monotone: bool = False,
    weights: Any = None,
    candidates: Sequence[_X],
    dtype: _DType | None = None,
    budget: Budget | None = None,
    claim: Literal[False] = False,
) -> _X: ...
@overload
def exponential(
    scores: Any,
    /,
    scale: _Exact | None = None,
    *,
    epsilon: _Exact | None = None,
    sensitivity: _Exact | None = None,
    monotone: bool = False,
    weights: Any = None,
    candidates: Sequence[Any] | None = None,
    dtype: _DType | None = None,
    budget: Budget | None = None,
    claim: Literal[True],
) -> Release: ...
