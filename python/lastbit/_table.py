"""Releases of tables in memory and in files, asked for step by step."""

import datetime
import decimal
import json
import math
import numbers
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lastbit._lastbit import _exact
from lastbit._ledger import Ledger
from lastbit._release import TableRelease, made
from lastbit._rows import Rows, rows_of
from lastbit.errors import ParameterError, UnsupportedType

if TYPE_CHECKING:
    from os import PathLike


@dataclass(frozen=True, repr=False, eq=False)
class Table:
    """A table, and what is asked of it: made by `lastbit.table`. Each method returns a new one, and `release` answers."""

    _rows: "Rows | None"
    _paths: "list[str]"
    _table: "dict[str, Any]"
    _bounds: "dict[str, Any]" = field(default_factory=dict)
    _where: "tuple[str, ...]" = ()
    _derive: "dict[str, str]" = field(default_factory=dict)
    _by: "tuple[list[str], str] | None" = None
    _queries: "tuple[dict[str, str], ...]" = ()

    def where(self, condition: str) -> "Table":
        """Only the rows for which this expression is true count (docs/release.md has the language). Several conditions must all hold.

        >>> import lastbit
        >>> trips = lastbit.table({"rider": [7, 7, 8], "fare": [2.5, 0, 12]}, unit="rider", max_rows=2)
        >>> print(trips.where("fare > 0").count("paid").spec(epsilon=1).splitlines()[0])
        filter = "fare > 0"
        """
        return replace(self, _where=(*self._where, _text("where", condition)))

    def derive(self, columns: "Mapping[str, str] | None" = None, /, **more: str) -> "Table":
        """Adds columns that are computed row by row: `hours="minutes / 60"`.

        >>> import lastbit
        >>> trips = lastbit.table({"rider": [7, 7, 8], "minutes": [90, 15, 30]}, unit="rider", max_rows=2)
        >>> hours = trips.derive(hours="minutes / 60").sum("hours", bounds=(0, 2))
        >>> hours.release(epsilon=1).claim.loss
        Fraction(1, 1)
        """
        added = {name: _text(f"derive {name}", text) for name, text in {**(columns or {}), **more}.items()}
        return replace(self, _derive={**self._derive, **added})

    def by(self, *columns: str, keys: Any = None) -> "Table":
        """Asks for each group of rows with the same values in these columns.

        keys: all groups, from elsewhere than this table, since groups that are read off it tell who is in it: a list of values, for several columns
        a list of tuples or a dictionary of the values of each, or the path of a list or of a public table. All of them are in the result.

        >>> import lastbit
        >>> trips = lastbit.table({"rider": [7, 7, 8], "city": ["Bern", "Bern", "Biel"]}, unit="rider", max_groups=1, max_rows=2)
        >>> [row["city"] for row in trips.by("city", keys=["Bern", "Thun"]).count("trips").release(epsilon=1).rows]
        ['Bern', 'Thun']
        """
        if self._by is not None:
            raise ParameterError("the table has groups already: name all columns in one call of by")
        if not columns:
            raise ParameterError("by needs at least one column; without it there is one answer over all rows")
        if keys is None:
            why = "groups that are read off the table tell who is in it"
            raise ParameterError(f"keys: list all groups, from elsewhere than this table, since {why}")
        return replace(self, _by=([_text("by", column) for column in columns], _keys(columns, keys)))

    def count(self, name: str = "count", *, epsilon: Any = None, rho: Any = None, share: Any = None) -> "Table":
        """Asks for the number of rows. epsilon, rho: what this answer may cost; else its share of what the others leave."""
        return self._ask("count", name, None, {}, epsilon, rho, share)

    def count_units(self, name: str = "units", *, epsilon: Any = None, rho: Any = None, share: Any = None) -> "Table":
        """Asks for the number of units, such as persons, that have at least one row."""
        return self._ask("count-units", name, None, {}, epsilon, rho, share)

    def sum(
        self,
        column: str,
        *,
        bounds: "tuple[Any, Any] | None" = None,
        name: "str | None" = None,
        grid: Any = None,
        epsilon: Any = None,
        rho: Any = None,
        share: Any = None,
    ) -> "Table":
        """Asks for the sum of a column.

        bounds: the least and the largest value of a row, from what the column means and not from the data; values beyond are moved there.
        name: the column of the result, else that of the table. grid: the step to which values are rounded.
        """
        return self._ask("sum", name, column, {"bounds": bounds, "grid": grid}, epsilon, rho, share)

    def mean(
        self,
        column: str,
        *,
        bounds: "tuple[Any, Any] | None" = None,
        name: "str | None" = None,
        grid: Any = None,
        epsilon: Any = None,
        rho: Any = None,
        share: Any = None,
    ) -> "Table":
        """Asks for the mean of a column, with arguments as for `sum`."""
        return self._ask("mean", name, column, {"bounds": bounds, "grid": grid}, epsilon, rho, share)

    def histogram(
        self,
        column: str,
        *,
        edges: "Iterable[Any] | None" = None,
        name: "str | None" = None,
        epsilon: Any = None,
        rho: Any = None,
        share: Any = None,
    ) -> "Table":
        """Asks for the number of rows in bins of a column.

        edges: those of the bins, from elsewhere than this table. Bins have their lower edge, the last one has both, and values outside do not count.
        """
        return self._ask("histogram", name, column, {"edges": edges}, epsilon, rho, share)

    def variance(
        self,
        column: str,
        *,
        bounds: "tuple[Any, Any] | None" = None,
        grid: Any = None,
        name: "str | None" = None,
        epsilon: Any = None,
        rho: Any = None,
        share: Any = None,
    ) -> "Table":
        """Asks for the variance of a column, of the values that there are, with arguments as for `sum`."""
        return self._ask("variance", name, column, {"bounds": bounds, "grid": grid}, epsilon, rho, share)

    def std(
        self,
        column: str,
        *,
        bounds: "tuple[Any, Any] | None" = None,
        grid: Any = None,
        name: "str | None" = None,
        epsilon: Any = None,
        rho: Any = None,
        share: Any = None,
    ) -> "Table":
        """Asks for the standard deviation of a column, which is the root of its variance, with arguments as for `sum`."""
        return self._ask("std", name, column, {"bounds": bounds, "grid": grid}, epsilon, rho, share)

    def median(
        self,
        column: str,
        *,
        edges: "Iterable[Any] | None" = None,
        name: "str | None" = None,
        epsilon: Any = None,
        rho: Any = None,
        share: Any = None,
    ) -> "Table":
        """Asks for the median of a column: one of the `edges`, which are from elsewhere than this table. How far off its rank may be is known, and how
        far off the number is not.

        >>> import lastbit
        >>> ages = lastbit.table({"age": [3, 30, 70]}, unit="row").median("age", edges=[0, 20, 40, 60, 80]).release(epsilon=1)
        >>> ages.value in (0, 20, 40, 60, 80), sorted(ages.interval("0.9"))
        (True, ['age_rank_error'])
        """
        return self._ask("median", name, column, {"edges": edges}, epsilon, rho, share)

    def quantile(
        self,
        column: str,
        *,
        q: Any,
        edges: "Iterable[Any] | None" = None,
        name: "str | None" = None,
        epsilon: Any = None,
        rho: Any = None,
        share: Any = None,
    ) -> "Table":
        """Asks for the number below which the part `q` of the values of a column lie, with arguments as for `median`."""
        return self._ask("quantile", name, column, {"q": q, "edges": edges}, epsilon, rho, share)

    def distinct(
        self,
        column: str,
        *,
        values: "Iterable[Any] | str | PathLike[str] | None" = None,
        name: "str | None" = None,
        epsilon: Any = None,
        rho: Any = None,
        share: Any = None,
    ) -> "Table":
        """Asks how many of these values of a column occur: a list from elsewhere than this table, or a file with one a line."""
        return self._ask("distinct", name, column, {"values": values}, epsilon, rho, share)

    def release(
        self,
        *,
        epsilon: Any = None,
        rho: Any = None,
        delta: Any = None,
        measure: "str | None" = None,
        noise: "str | None" = None,
        ledger: "Ledger | str | PathLike[str] | None" = None,
        dataset: "str | None" = None,
        id: "str | None" = None,
        analyst: "str | None" = None,
        confidence: Any = "0.95",
        non_negative: bool = False,
        digits: "int | None" = None,
        insecure_seed: "int | None" = None,
    ) -> TableRelease:
        """Reads the table, adds noise, and gives the released table.

        epsilon, rho, or epsilon with delta: what all of it may cost. measure: `"pure"`, `"zcdp"` or `"approx"`, else after these. noise: `"laplace"` or
        `"gaussian"`, else the usual one. ledger, dataset: charge it to the dataset's budget there. id: the name of the release; a table in memory needs
        one, and asked again under the same one, the stored result is shown at no charge. The others are as for `lastbit.release`.

        >>> import lastbit, tempfile
        >>> ledger = lastbit.Ledger.create(tempfile.mkdtemp() + "/budget.db", dataset="trips", epsilon=1)
        >>> trips = lastbit.table({"rider": [7, 7, 8], "fare": [2.5, 90, 12]}, unit="rider", max_rows=2)
        >>> for again in range(2):
        ...     fares = trips.sum("fare", bounds=(0, 20)).release(epsilon=1, ledger=ledger, dataset="trips", id="fares")
        ...     print(fares.ledger["again"], ledger.budgets[0].spent)
        False 1
        True 1
        """
        text = self._spec(epsilon, rho, delta, measure, noise, dataset)
        return self._made(text, ledger, id, analyst, confidence, non_negative, digits, False, insecure_seed)

    def dry_run(
        self,
        *,
        epsilon: Any = None,
        rho: Any = None,
        delta: Any = None,
        measure: "str | None" = None,
        noise: "str | None" = None,
        ledger: "Ledger | str | PathLike[str] | None" = None,
        dataset: "str | None" = None,
        id: "str | None" = None,
        analyst: "str | None" = None,
        confidence: Any = "0.95",
    ) -> TableRelease:
        """What the release would cost and how far off its values would be. Nothing is read, and nothing is charged.

        >>> import lastbit
        >>> trips = lastbit.table({"rider": [7, 7, 8]}, unit="rider", max_rows=2).count("trips")
        >>> trips.dry_run(epsilon=1).json()["errors"][0]["at_most"]["decimal"]
        '6'
        """
        text = self._spec(epsilon, rho, delta, measure, noise, dataset)
        return self._made(text, ledger, id, analyst, confidence, False, None, True, None)

    def spec(
        self,
        *,
        epsilon: Any = None,
        rho: Any = None,
        delta: Any = None,
        measure: "str | None" = None,
        noise: "str | None" = None,
        dataset: "str | None" = None,
    ) -> str:
        """The same as a spec for `lastbit release`, where a table in memory is standard input.

        >>> import lastbit
        >>> print(lastbit.table("trips.csv", unit="rider", max_rows=2).count("trips").spec(epsilon=1))
        [table]
        path = ["trips.csv"]
        unit = "rider"
        [bounds]
        rows = 2
        [privacy]
        epsilon = "1"
        [[query]]
        name = "trips"
        kind = "count"
        """
        return self._spec(epsilon, rho, delta, measure, noise, dataset).rstrip()

    def _ask(
        self, kind: str, name: "str | None", column: "str | None", more: "dict[str, Any]", epsilon: Any, rho: Any, share: Any
    ) -> "Table":
        if column is not None:
            column = _text(kind, column)
        name = _text(f"{kind}, name", column if name is None else name)
        if any(json.loads(query["name"]) == name for query in self._queries):
            raise ParameterError(f"there is an answer {name!r} already: give this one another name, such as name={name + '_' + kind!r}")
        asked = {"name": _quoted(name), "kind": _quoted(kind)}
        if column is not None:
            asked["column"] = _quoted(column)
        for key, value in {**more, "epsilon": epsilon, "rho": rho, "share": share}.items():
            if value is not None and key == "values":
                asked[key] = _keys((name,), value)
            elif value is not None:
                asked[key] = _numbers(f"{name}, {key}", value) if key in ("bounds", "edges") else _number(f"{name}, {key}", value)
        return replace(self, _queries=(*self._queries, asked))

    def _spec(self, epsilon: Any, rho: Any, delta: Any, measure: Any, noise: Any, dataset: Any) -> str:
        where = " and ".join(f"({text})" for text in self._where) if len(self._where) > 1 else "".join(self._where)
        lines = [f"filter = {_quoted(where)}"] if self._where else []
        paths = "[" + ", ".join(map(_quoted, self._paths)) + "]"
        table = {"path": '"-"' if self._rows is not None else paths, **self._table}
        if dataset is not None:
            table["dataset"] = _quoted(_text("dataset", dataset))
        privacy = {key: _number(key, x) for key, x in (("epsilon", epsilon), ("rho", rho), ("delta", delta)) if x is not None}
        privacy |= {key: _quoted(_text(key, word)) for key, word in (("measure", measure), ("noise", noise)) if word is not None}
        by = {} if self._by is None else {"columns": "[" + ", ".join(map(_quoted, self._by[0])) + "]", "keys": self._by[1]}
        derive = {_quoted(name): _quoted(text) for name, text in self._derive.items()}
        sections = [("[table]", table), ("[derive]", derive), ("[bounds]", self._bounds), ("[by]", by), ("[privacy]", privacy)]
        for title, members in [*sections, *(("[[query]]", query) for query in self._queries)]:
            if members:
                lines += [title, *(f"{key} = {value}" for key, value in members.items())]
        return "\n".join(lines) + "\n"

    def _made(
        self,
        text: str,
        ledger: Any,
        id: "str | None",
        analyst: "str | None",
        confidence: Any,
        non_negative: bool,
        digits: "int | None",
        dry_run: bool,
        insecure_seed: "int | None",
    ) -> TableRelease:
        return made(
            "the table",
            text,
            rows=self._rows,
            built=True,
            ledger=ledger,
            id=id,
            analyst=analyst,
            confidence=confidence,
            non_negative=non_negative,
            digits=digits,
            dry_run=dry_run,
            insecure_seed=insecure_seed,
        )

    def __repr__(self) -> str:
        of = ", ".join(self._paths) if self._rows is None else self._rows.kind
        by = "" if self._by is None else f", by {', '.join(self._by[0])}"
        asked = ", ".join(json.loads(query["name"]) for query in self._queries) or "nothing is asked yet"
        return f"<Table: {of}, unit {self._table.get('unit', 'missing')}{by}: {asked}>"


def table(
    data: Any,
    *,
    unit: "str | Iterable[str] | None" = None,
    max_groups: "int | None" = None,
    max_rows: "int | None" = None,
    salt: "str | None" = None,
    delimiter: "str | None" = None,
) -> Table:
    """A table of persons' rows, to ask for counts, sums, means and histograms with noise that hides each person.

    data: a frame of pandas or polars (lazy ones, too), a table, batch, reader or dataset of pyarrow, a relation of DuckDB, anything else with
    `__arrow_c_stream__`, a dictionary of columns, or the path of a CSV or Parquet file, or several. It is read when it is released, piece by piece, and
    only the needed columns; a reader can be released once. unit: whose privacy it is: a column, several, or `"row"` if every row is somebody else.
    max_groups: groups that a unit counts in at most. max_rows: rows of a unit that count in one group at most. salt: settles which groups
    are kept of a unit that has more; it is no secret. delimiter: the sign between cells of CSV files, if it is no comma.

    >>> import lastbit
    >>> trips = lastbit.table({"rider": [7, 7, 8], "city": ["Bern", "Bern", "Biel"]}, unit="rider", max_groups=1, max_rows=2)
    >>> released = trips.by("city", keys=["Bern", "Biel"]).count("trips").release(epsilon=1)
    >>> released.loss, sorted(released.frame)
    (Fraction(1, 1), ['city', 'trips', 'trips_high', 'trips_low'])
    """
    paths = _paths(data)
    rows = None if paths else rows_of(data)
    if rows is None and not paths:
        raise UnsupportedType(
            f"a {type(data).__name__} is no table: give a frame of pandas or polars, a table of pyarrow, a dictionary of columns, "
            "a path, or an object with __arrow_c_stream__"
        )
    if rows is not None and delimiter is not None:
        raise ParameterError("delimiter is for CSV files")
    told: dict[str, Any] = {}
    if unit is not None:
        told["unit"] = _quoted(_text("unit", unit)) if isinstance(unit, str) else "[" + ", ".join(_quoted(_text("unit", x)) for x in unit) + "]"
    if delimiter is not None:
        told["delimiter"] = _quoted(_text("delimiter", delimiter))
    bounds = {key: _whole(name, x) for key, name, x in (("groups", "max_groups", max_groups), ("rows", "max_rows", max_rows)) if x is not None}
    if salt is not None:
        bounds["salt"] = _quoted(_text("salt", salt))
    if unit is None:
        raise ParameterError('unit: whose privacy it is: a column, or "row" if every row is somebody else')
    return Table(rows, paths, told, bounds)


def _paths(data: Any) -> "list[str]":
    several = data if isinstance(data, (list, tuple)) else [data]
    if not several or not all(isinstance(path, (str, os.PathLike)) for path in several):
        return []
    return [_text("the path", os.fspath(path)) for path in several]


def _text(name: str, x: Any) -> str:
    if not isinstance(x, str):
        raise UnsupportedType(f"{name} must be a str, but is a {type(x).__name__}")
    try:
        x.encode()
    except UnicodeEncodeError:
        pass
    else:
        return x
    raise ParameterError(f"{name} is no valid text")


def _quoted(text: str) -> str:
    """As a basic string of TOML, which is one of JSON but for a single sign."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _whole(name: str, x: Any) -> str:
    if isinstance(x, bool) or not isinstance(x, numbers.Integral):
        raise UnsupportedType(f"{name} must be an int, but is a {type(x).__name__}")
    if not 0 < int(x) < 1 << 63:
        raise ParameterError(f"{name} must be from 1 to 2^63 - 1")
    return str(int(x))


def _number(name: str, x: Any) -> str:
    return _quoted(_exact(name, x))


def _numbers(name: str, values: Any) -> str:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise UnsupportedType(f"{name} must be several numbers, but is a {type(values).__name__}")
    return "[" + ", ".join(_number(name, x) for x in values) + "]"


def _keys(columns: "tuple[str, ...]", keys: Any) -> str:
    """All groups, as a spec has them."""
    if isinstance(keys, (str, os.PathLike)):
        return _quoted(_text("keys", os.fspath(keys)))
    if isinstance(keys, Mapping):
        if len(columns) < 2:
            raise ParameterError("keys: a dictionary has the values of several columns; of one column, give a list")
        values = ((name, ", ".join(_key(x) for x in listed)) for name, listed in keys.items())
        return "{ " + ", ".join(f"{_quoted(_text('keys', name))} = [{listed}]" for name, listed in values) + " }"
    if not isinstance(keys, Iterable):
        raise UnsupportedType(f"keys must be a list, a dictionary or a path, not a {type(keys).__name__}")
    if len(columns) == 1:
        return "[" + ", ".join(_key(x) for x in keys) + "]"
    groups = [list(group) if isinstance(group, (list, tuple)) else [group] for group in keys]
    return "[" + ", ".join("[" + ", ".join(_key(x) for x in group) + "]" for group in groups) + "]"


def _key(x: Any) -> str:
    """A value of a group in the text that cells with this value have."""
    if isinstance(x, str):
        return _quoted(_text("a key", str(x)))
    if type(x).__name__ in ("bool", "bool_"):
        return _quoted("true" if x else "false")
    if isinstance(x, numbers.Integral):
        return _quoted(str(int(x)))
    if x.is_finite() if isinstance(x, decimal.Decimal) else isinstance(x, numbers.Real) and math.isfinite(x):
        digits = format(decimal.Decimal(str(x)), "f")
        digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
        return _quoted("0" if digits == "-0" else digits)
    if isinstance(x, datetime.datetime):
        x = x if x.tzinfo is None else x.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        text = x.isoformat(timespec="microseconds")
        return _quoted(text.rstrip("0").rstrip("."))
    if isinstance(x, datetime.date):
        return _quoted(x.isoformat())
    raise UnsupportedType(f"a key must be a text, a number, a date or a truth value, but is a {type(x).__name__}")
