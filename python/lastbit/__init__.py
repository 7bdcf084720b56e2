"""Differential-privacy noise that is private down to the last bit of a floating-point number.

>>> import lastbit as lb
>>> noisy = lb.laplace([31_000.0, 54_321.5, 12_080.25], epsilon="0.1", sensitivity=1)
>>> lb.claim("laplace", epsilon="0.1", sensitivity=1).loss
Fraction(1, 10)

- Noise: `laplace`, `gaussian`, `grid_laplace`, `snapping`, `discrete_laplace`, `discrete_gaussian`, and a class for each (`Laplace`, …).
- Choices: `noisy_max`, `exponential`, and a class for each (`NoisyMax`, `Exponential`).
- Promises: `claim`, `Claim`, `Budget`, `Measurement`, `compose`.
- Many releases: `account` (δ at an ε, ε at a δ, certified), `dp_sgd`, `calibrate` (the least noise that is enough).
- Tables: `table` and `release` (counts, sums, means, quantiles and histograms by group), `Ledger` (budgets that outlive the process).
- One answer about an array: `count`, `count_units`, `sum`, `mean`, `quantile`, `histogram`.
- Words: `explain` (a rule, a verdict, a mechanism, a word of the glossary).
- Checks: `audit` (the exact loss of an implementation), `prove` (of a mechanism, for all inputs), `attack` (of any noise, from samples).
- Certificates of proofs: `check` (checks one again), `certify` (writes one for Coq or Gappa).

Parameters are exact: 0.1 is 1/10, as are "0.1", Fraction(1, 10) and Decimal("0.1"). A float is the decimal that Python prints for it.
"""

from typing import TYPE_CHECKING, Any

from lastbit._lastbit import (
    ArrowArray,
    Budget,
    Claim,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    GridLaplace,
    Laplace,
    Measurement,
    Mechanism,
    NoisyMax,
    Release,
    Selection,
    Snapping,
    __version__,
    compose,
    compose_claims,
    discrete_gaussian,
    discrete_laplace,
    exponential,
    gaussian,
    grid_laplace,
    laplace,
    make_vector_float_laplace_cks20,
    noisy_max,
    snapping,
)
from lastbit.errors import (
    BudgetExceeded,
    CertificateError,
    ClaimMismatch,
    DomainError,
    Error,
    NoiseOverflow,
    ParameterError,
    ProgramError,
    SystemFailure,
    UnsupportedType,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastbit._account import Account, Between, account, calibrate, dp_sgd
    from lastbit._arrays import count, count_units, histogram, mean, quantile, sum
    from lastbit._attack import Attack, attack
    from lastbit._audit import Audit, Cell, Outcome, Samples, audit
    from lastbit._explain import Explanation, explain
    from lastbit._ledger import Ledger, LedgerBudget, Verified
    from lastbit._prove import Checked, ErrorBound, PrivacyProof, Proofs, Witness, certify, check, prove
    from lastbit._release import TableRelease, release
    from lastbit._table import Table, table

__all__ = [
    "Account",
    "ArrowArray",
    "Attack",
    "Audit",
    "Between",
    "Budget",
    "BudgetExceeded",
    "Cell",
    "CertificateError",
    "Checked",
    "Claim",
    "ClaimMismatch",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DomainError",
    "Error",
    "ErrorBound",
    "Explanation",
    "Exponential",
    "Gaussian",
    "GridLaplace",
    "Laplace",
    "Ledger",
    "LedgerBudget",
    "Measurement",
    "Mechanism",
    "NoiseOverflow",
    "NoisyMax",
    "Outcome",
    "ParameterError",
    "PrivacyProof",
    "ProgramError",
    "Proofs",
    "Release",
    "Samples",
    "Selection",
    "Snapping",
    "SystemFailure",
    "Table",
    "TableRelease",
    "UnsupportedType",
    "Verified",
    "Witness",
    "__version__",
    "account",
    "attack",
    "audit",
    "calibrate",
    "certify",
    "check",
    "claim",
    "compose",
    "compose_claims",
    "count",
    "count_units",
    "discrete_gaussian",
    "discrete_laplace",
    "dp_sgd",
    "explain",
    "exponential",
    "gaussian",
    "grid_laplace",
    "histogram",
    "laplace",
    "make_vector_float_laplace_cks20",
    "mean",
    "noisy_max",
    "prove",
    "quantile",
    "release",
    "snapping",
    "sum",
    "table",
]

_CLASSES: "dict[str, Callable[..., Mechanism | Selection]]" = {
    "laplace": Laplace,
    "gaussian": Gaussian,
    "grid_laplace": GridLaplace,
    "snapping": Snapping,
    "discrete_laplace": DiscreteLaplace,
    "discrete_gaussian": DiscreteGaussian,
    "noisy_max": NoisyMax,
    "exponential": Exponential,
}


def claim(mechanism: Any, /, d_in: Any = None, *, dtype: Any = None, unit: "str | None" = None, **parameters: Any) -> Claim:
    """The claim of a release, without making the release.

    mechanism: a mechanism, one of the functions of this module, or its name; the latter two with the parameters of the function. dtype: the
    type of the values (float64 where the mechanism takes it, else int64). unit: whose data neighbours differ in, such as "person".

    >>> import lastbit
    >>> lastbit.claim(lastbit.laplace, scale=10, sensitivity=1).loss
    Fraction(1, 10)
    >>> lastbit.claim(lastbit.DiscreteGaussian(scale=2), 1).loss
    Fraction(1, 8)
    """
    if isinstance(mechanism, (Mechanism, Selection)):
        if parameters:
            raise ParameterError("a mechanism has its parameters: give d_in, dtype and unit only")
        return mechanism.claim(d_in, dtype=dtype, unit=unit)
    name = getattr(mechanism, "__name__", mechanism)
    if name not in _CLASSES:
        raise ParameterError(f"{mechanism!r} is none of {', '.join(_CLASSES)}")
    if dtype is not None and name != "snapping":
        parameters["dtype"] = dtype
    return _CLASSES[name](**parameters).claim(d_in, dtype=dtype, unit=unit)


_LAZY = {
    "_account": ("Account", "Between", "account", "calibrate", "dp_sgd"),
    "_arrays": ("count", "count_units", "histogram", "mean", "quantile", "sum"),
    "_attack": ("Attack", "attack"),
    "_audit": ("Audit", "Cell", "Outcome", "Samples", "audit"),
    "_explain": ("Explanation", "explain"),
    "_ledger": ("Ledger", "LedgerBudget", "Verified"),
    "_prove": ("Checked", "ErrorBound", "PrivacyProof", "Proofs", "Witness", "certify", "check", "prove"),
    "_release": ("TableRelease", "release"),
    "_table": ("Table", "table"),
}
"""Names that are imported on first use, so that noise alone does not pay for them."""


def __getattr__(name: str) -> Any:
    for module, names in _LAZY.items():
        if name in names:
            from importlib import import_module

            value = getattr(import_module(f"lastbit.{module}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'lastbit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
