"""One answer about an array, by group or not: `lastbit.table` in one line."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lastbit._release import TableRelease
from lastbit._table import Table, table
from lastbit.errors import ParameterError

if TYPE_CHECKING:
    from os import PathLike

    from lastbit._ledger import Ledger


def count(
    x: Any,
    *,
    unit: Any = None,
    by: Any = None,
    keys: Any = None,
    max_groups: "int | None" = None,
    max_rows: "int | None" = None,
    epsilon: Any = None,
    rho: Any = None,
    delta: Any = None,
    ledger: "Ledger | str | PathLike[str] | None" = None,
    dataset: "str | None" = None,
    id: "str | None" = None,
    insecure_seed: "int | None" = None,
) -> TableRelease:
    """The number of values that are not null, with noise, as a released table whose `value` it is.

    x: an array, a list or a Series, of any type. unit: whose privacy it is: an array with the person of each value, or `"row"` if every value is
    somebody else. by, keys: an array with the group of each value, and all groups. max_groups, max_rows: groups that a unit counts in, and values of
    a unit that count in one group, at most. The others are as for `Table.release`.

    >>> import lastbit
    >>> isinstance(lastbit.count([2.5, 90, None], unit="row", epsilon=1).value, int)
    True
    """
    asked = _asked(x, unit, by, keys, max_groups, max_rows).where("x is not null").count()
    return asked.release(
        epsilon=epsilon, rho=rho, delta=delta, ledger=ledger, dataset=dataset, id=id, insecure_seed=insecure_seed
    )


def count_units(
    units: Any,
    *,
    by: Any = None,
    keys: Any = None,
    max_groups: "int | None" = None,
    epsilon: Any = None,
    rho: Any = None,
    delta: Any = None,
    ledger: "Ledger | str | PathLike[str] | None" = None,
    dataset: "str | None" = None,
    id: "str | None" = None,
    insecure_seed: "int | None" = None,
) -> TableRelease:
    """The number of different units in an array, such as persons, with noise; arguments as for `count`.

    >>> import lastbit
    >>> visits = lastbit.count_units(["ann", "ann", "ben"], by=["May", "June", "May"], keys=["May", "June"], max_groups=2, epsilon=1)
    >>> sorted(visits.value)
    ['June', 'May']
    """
    asked = _asked(units, units, by, keys, max_groups, None).count_units()
    return asked.release(
        epsilon=epsilon, rho=rho, delta=delta, ledger=ledger, dataset=dataset, id=id, insecure_seed=insecure_seed
    )


def sum(
    x: Any,
    *,
    bounds: "tuple[Any, Any] | None" = None,
    unit: Any = None,
    by: Any = None,
    keys: Any = None,
    max_groups: "int | None" = None,
    max_rows: "int | None" = None,
    grid: Any = None,
    epsilon: Any = None,
    rho: Any = None,
    delta: Any = None,
    ledger: "Ledger | str | PathLike[str] | None" = None,
    dataset: "str | None" = None,
    id: "str | None" = None,
    insecure_seed: "int | None" = None,
) -> TableRelease:
    """The sum of an array, with noise. bounds: the least and the largest value, from what the values mean; others are moved there. Else as `count`.

    >>> import lastbit
    >>> fares = lastbit.sum([2.5, 90, 12], bounds=(0, 20), unit=[7, 7, 8], max_rows=2, epsilon=1)
    >>> fares.loss, isinstance(fares.value, (int, float))
    (Fraction(1, 1), True)
    """
    asked = _asked(x, unit, by, keys, max_groups, max_rows).sum("x", bounds=bounds, grid=grid, name="sum")
    return asked.release(
        epsilon=epsilon, rho=rho, delta=delta, ledger=ledger, dataset=dataset, id=id, insecure_seed=insecure_seed
    )


def mean(
    x: Any,
    *,
    bounds: "tuple[Any, Any] | None" = None,
    unit: Any = None,
    by: Any = None,
    keys: Any = None,
    max_groups: "int | None" = None,
    max_rows: "int | None" = None,
    grid: Any = None,
    epsilon: Any = None,
    rho: Any = None,
    delta: Any = None,
    ledger: "Ledger | str | PathLike[str] | None" = None,
    dataset: "str | None" = None,
    id: "str | None" = None,
    insecure_seed: "int | None" = None,
) -> TableRelease:
    """The mean of an array, with noise; arguments as for `sum`.

    >>> import lastbit
    >>> 0 <= lastbit.mean([2.5, 90, 12], bounds=(0, 20), unit="row", epsilon=1).value <= 20
    True
    """
    asked = _asked(x, unit, by, keys, max_groups, max_rows).mean("x", bounds=bounds, grid=grid, name="mean")
    return asked.release(
        epsilon=epsilon, rho=rho, delta=delta, ledger=ledger, dataset=dataset, id=id, insecure_seed=insecure_seed
    )


def histogram(
    x: Any,
    *,
    edges: "Iterable[Any] | None" = None,
    unit: Any = None,
    by: Any = None,
    keys: Any = None,
    max_groups: "int | None" = None,
    max_rows: "int | None" = None,
    epsilon: Any = None,
    rho: Any = None,
    delta: Any = None,
    ledger: "Ledger | str | PathLike[str] | None" = None,
    dataset: "str | None" = None,
    id: "str | None" = None,
    insecure_seed: "int | None" = None,
) -> TableRelease:
    """The number of values in bins, with noise. edges: those of the bins, from elsewhere than the array. Else as `count`.

    >>> import lastbit
    >>> len(lastbit.histogram([3, 30, 70], edges=[0, 18, 65, 120], unit="row", epsilon=1).value)
    3
    """
    asked = _asked(x, unit, by, keys, max_groups, max_rows).histogram("x", edges=edges, name="histogram")
    return asked.release(
        epsilon=epsilon, rho=rho, delta=delta, ledger=ledger, dataset=dataset, id=id, insecure_seed=insecure_seed
    )


def quantile(
    x: Any,
    q: Any,
    *,
    edges: "Iterable[Any] | None" = None,
    unit: Any = None,
    by: Any = None,
    keys: Any = None,
    max_groups: "int | None" = None,
    max_rows: "int | None" = None,
    epsilon: Any = None,
    rho: Any = None,
    delta: Any = None,
    ledger: "Ledger | str | PathLike[str] | None" = None,
    dataset: "str | None" = None,
    id: "str | None" = None,
    insecure_seed: "int | None" = None,
) -> TableRelease:
    """The number below which the part `q` of an array lies, likely: one of the `edges`, which are from elsewhere than the array. Else as `count`.

    >>> import lastbit
    >>> lastbit.quantile([3, 30, 70], "0.5", edges=[0, 20, 40, 60, 80], unit="row", epsilon=1).value in (0, 20, 40, 60, 80)
    True
    """
    asked = _asked(x, unit, by, keys, max_groups, max_rows).quantile("x", q=q, edges=edges, name="quantile")
    return asked.release(
        epsilon=epsilon, rho=rho, delta=delta, ledger=ledger, dataset=dataset, id=id, insecure_seed=insecure_seed
    )


def _asked(x: Any, unit: Any, by: Any, keys: Any, max_groups: "int | None", max_rows: "int | None") -> Table:
    """The array as a table: `x`, `unit` and `group`."""
    is_row = isinstance(unit, str) and unit == "row"
    if unit is None or (isinstance(unit, str) and not is_row):
        raise ParameterError('unit: whose privacy it is: an array with the person of each value, or "row" if every value is somebody else')
    if (by is None) != (keys is None):
        raise ParameterError("by and keys go together: the group of each value, and all groups, from elsewhere than the array")
    columns = {"x": x} if is_row else {"x": x, "unit": unit}
    if by is not None:
        columns["group"] = by
    asked = table(columns, unit="row" if is_row else "unit", max_groups=max_groups, max_rows=max_rows)
    return asked if by is None else asked.by("group", keys=keys)
