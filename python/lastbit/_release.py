"""From a table to a released table."""

import csv
import io
import json
import math
import os
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastbit import _html, _lastbit
from lastbit._lastbit import Claim
from lastbit._ledger import Ledger
from lastbit._rows import Rows
from lastbit.errors import ParameterError, UnsupportedType

if TYPE_CHECKING:
    from os import PathLike

MOST_ROWS = 40
"""The rows that notebooks show."""


@dataclass(frozen=True, repr=False, eq=False)
class TableRelease:
    """A released table, or what a dry run says of it: made by `lastbit.release` and `lastbit.table`. `str` is the text of `lastbit release`."""

    _json: str
    _text: str
    _csv: str
    _released: "_lastbit._Released | None" = None
    _kind: str = "dict"
    _form: "tuple[bool, int | None]" = (False, None)

    def json(self) -> "dict[str, Any]":
        """The answer that `lastbit release --json` prints."""
        told: dict[str, Any] = json.loads(self._json)
        return told

    @property
    def rows(self) -> "list[dict[str, Any]]":
        """A dictionary for each group: the columns of the key, and for each query `name` and `name_interval`. Empty for a dry run."""
        rows: list[dict[str, Any]] = self.json().get("rows", [])
        return rows

    @property
    def claim(self) -> "Claim | None":
        """What the release promises, or a dry run would; None for noise from a seed."""
        told = self.json()
        return None if told.get("insecure") else Claim.from_json(json.dumps(told["claim"]))

    @property
    def loss(self) -> "Fraction | None":
        """The loss that the claim promises at most, in its measure; None for noise from a seed."""
        return None if self.claim is None else self.claim.loss

    @property
    def value(self) -> Any:
        """The answer, if there was one question: a number, of a histogram a list; by groups a dictionary of these, by the value of the key or a tuple.

        >>> import lastbit
        >>> riders = lastbit.table({"rider": [7, 7, 8]}, unit="rider").count_units().release(epsilon=1)
        >>> isinstance(riders.value, int)
        True
        """
        told = self.json()
        if told.get("dry_run") or len(told["queries"]) != 1:
            raise ParameterError("value is for a release with one answer: use frame, rows or columns()")
        (query,), by = told["queries"], told["by"]
        if not by:
            return told["rows"][0][query["name"]]
        keys = (tuple(row[column] for column in by) for row in told["rows"])
        return {key[0] if len(by) == 1 else key: row[query["name"]] for key, row in zip(keys, told["rows"])}

    @property
    def ledger(self) -> "dict[str, Any] | None":
        """What the ledger says: the `head` after the result, what is `left`, whether it was shown `again`; None without a ledger."""
        told: dict[str, Any] | None = self.json()["ledger"]
        return told

    def columns(self) -> "dict[str, list[Any]]":
        """The table by columns: texts for the key, integers or floats for values and both ends of their intervals (`name_low`, `name_high`)."""
        head, *lines = csv.reader(io.StringIO(self._csv)) if self._csv else [[]]
        texts = len(self.json()["by"]) if self._csv else 0
        cells = {name: [line[i] for line in lines] for i, name in enumerate(head)}
        return {name: found if i < texts else _numbers(found) for i, (name, found) in enumerate(cells.items())}

    @property
    def frame(self) -> Any:
        """The table as the kind of frame that was given: of pandas, of polars, of Arrow if pyarrow is there; else as `columns()`."""
        return self._framed(self.columns())

    def interval(self, confidence: Any) -> Any:
        """Both ends of the intervals that have the values without noise with this probability each, by group, as a frame like `frame`; of a quantile,
        how far off its rank may be. It costs nothing.

        >>> import lastbit
        >>> trips = lastbit.table({"rider": [7, 7, 8]}, unit="rider", max_rows=2).count("trips").release(epsilon=1)
        >>> wide, narrow = trips.interval("0.99"), trips.interval("0.5")
        >>> wide["trips_low"] < narrow["trips_low"], sorted(narrow)
        (True, ['trips_high', 'trips_low'])
        """
        if self._released is None:
            raise ParameterError("a dry run has no intervals: its errors are in json()")
        other = TableRelease(*self._released.processed(confidence, *self._form))
        columns, told = other.columns(), other.json()
        # Of the names after those of the key no other is one of these with such an end.
        of_values = {
            name for name in list(columns)[len(told["by"]) :] if f"{name}_low" in columns or f"{name}_rank_error" in columns
        }
        return self._framed({name: cells for name, cells in columns.items() if name not in of_values})

    def plot(self) -> Any:
        """What a drawing needs, as a frame like `frame`: a line for each value, with its `query`, `group`, `bin`, `value`, `low` and `high`. A
        quantile has no interval: its `low` and `high` are not numbers.

        >>> import lastbit
        >>> ages = lastbit.table({"age": [3, 30, 70]}, unit="row").histogram("age", edges=[0, 18, 65, 120]).release(epsilon=1)
        >>> ages.plot()["bin"]
        ['[0,18)', '[18,65)', '[65,120]']
        """
        told = self.json()
        drawn: dict[str, list[Any]] = {name: [] for name in ("query", "group", "bin", "value", "low", "high")}
        for query in told["queries"]:
            edges = query["edges"] if query["kind"] == "histogram" else []
            bins = [f"[{low},{high})" for low, high in zip(edges, edges[1:])]
            bins[-1:] = [name[:-1] + "]" for name in bins[-1:]]
            for row in self.rows:
                value, ends = row[query["name"]], row[f"{query['name']}_interval"]
                group = ", ".join(row[column] for column in told["by"])
                values = zip(bins, value, ends) if edges else [(None, value, ends)]
                for name, x, interval in values:
                    low, high = interval or (math.nan, math.nan)
                    for column, cell in zip(drawn.values(), (query["name"], group, name, float(x), float(low), float(high))):
                        column.append(cell)
        return self._framed(drawn)

    def _framed(self, columns: "dict[str, list[Any]]") -> Any:
        if self._kind == "pandas":
            return import_module("pandas").DataFrame(columns)
        if self._kind == "polars":
            return import_module("polars").DataFrame(columns)
        if self._kind == "arrow" and find_spec("pyarrow"):
            return import_module("pyarrow").table(columns)
        return columns

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame, if pandas is there."""
        return import_module("pandas").DataFrame(self.columns())

    def to_arrow(self) -> Any:
        """The table as an Arrow table, if pyarrow is there."""
        return import_module("pyarrow").table(self.columns())

    def to_polars(self) -> Any:
        """The table as a polars DataFrame, if polars is there."""
        return import_module("polars").DataFrame(self.columns())

    def __getstate__(self) -> "dict[str, Any]":
        # Everything but other intervals; a frozen dataclass has no slots.
        return {**self.__dict__, "_released": None}

    def __str__(self) -> str:
        return self._text.rstrip()

    def __repr__(self) -> str:
        told = self.json()
        what = "dry run" if told.get("dry_run") else f"{len(told['rows'])} groups"
        return f"<TableRelease: {what}, {', '.join(query['name'] for query in told['queries'])}>"

    def _repr_html_(self) -> str:
        told = self.json()
        claim = self.claim
        title = "no claim: the noise is from a seed" if claim is None else str(claim)
        if told.get("dry_run"):
            return _html.block(_html.headline(title), _html.folded("dry run: nothing was read, nothing was charged", self._text))
        columns = self.columns()
        body = [[str(cell) for cell in line] for line in zip(*columns.values())]
        more = [f"and {len(body) - MOST_ROWS} more groups"] if len(body) > MOST_ROWS else []
        ledger = told["ledger"]
        if ledger is None:
            more.append("no ledger: nobody remembers this release")
        else:
            free = "shown again at no charge" if ledger["again"] else "charged"
            symbol = "ε" if ledger["measure"] == "epsilon" else "ρ"
            left = f"{symbol} = {ledger['left']['decimal']} left for {ledger['dataset']}"
            more.append(f"{ledger['id']} {free}; {left}; head {ledger['head']}")
        return _html.block(
            _html.headline(title, good=False if claim is None else None),
            _html.table(list(columns), body[:MOST_ROWS]),
            _html.notes([*more, *told["warnings"]]),
        )


def release(
    spec: "str | PathLike[str]",
    *,
    ledger: "Ledger | str | PathLike[str] | None" = None,
    id: "str | None" = None,
    analyst: "str | None" = None,
    confidence: Any = "0.95",
    non_negative: bool = False,
    digits: "int | None" = None,
    dry_run: bool = False,
    insecure_seed: "int | None" = None,
) -> TableRelease:
    """Releases counts, sums, means, variances, quantiles and histograms of a table by group, as a spec asks for them.

    spec: the path of a TOML file, or its text (of several lines; paths in it begin at the current directory). `lastbit release init DATA` writes one.
    ledger: charge the release to this ledger, once; asked again under the same id, the stored result is shown at no charge.
    id: the name of the release, else after the plan. analyst: who asks, if the ledger has budgets by analyst.
    confidence: the probability that an interval has the value without noise. non_negative: show negative counts and sums as 0.
    digits: round values to so many digits after the point. dry_run: say what it would cost; nothing is read, nothing is charged.
    insecure_seed: for tests only: noise that anyone can recompute. Such a release claims nothing.

    >>> import lastbit, pathlib, tempfile
    >>> table = pathlib.Path(tempfile.mkdtemp(), "trips.csv")
    >>> _ = table.write_text("rider,city\\n7,Bern\\n7,Bern\\n8,Biel\\n")
    >>> released = lastbit.release(f'''
    ... [table]
    ... path = "{table}"
    ... unit = "rider"
    ... [bounds]
    ... groups = 1
    ... rows = 2
    ... [by]
    ... columns = "city"
    ... keys = ["Bern", "Biel"]
    ... [privacy]
    ... epsilon = 1
    ... [[query]]
    ... name = "trips"
    ... kind = "count"
    ... ''')
    >>> released.claim.loss, [row["city"] for row in released.rows]
    (Fraction(1, 1), ['Bern', 'Biel'])
    """
    name, text = _spec(spec)
    return made(
        name,
        text,
        rows=None,
        built=False,
        ledger=ledger,
        id=id,
        analyst=analyst,
        confidence=confidence,
        non_negative=non_negative,
        digits=digits,
        dry_run=dry_run,
        insecure_seed=insecure_seed,
    )


def made(
    name: str,
    text: str,
    *,
    rows: "Rows | None",
    built: bool,
    ledger: "Ledger | str | PathLike[str] | None",
    id: "str | None",
    analyst: "str | None",
    confidence: Any,
    non_negative: bool,
    digits: "int | None",
    dry_run: bool,
    insecure_seed: "int | None",
) -> TableRelease:
    """The release of a spec, of its own files or of other rows."""
    force_network = ledger.force_network if isinstance(ledger, Ledger) else False
    path = ledger.path if isinstance(ledger, Ledger) else ledger
    said, released = _lastbit._release(
        name,
        text,
        ledger=path,
        id=id,
        analyst=analyst,
        force_network=force_network,
        confidence=confidence,
        non_negative=non_negative,
        digits=digits,
        dry_run=dry_run,
        insecure_seed=insecure_seed,
        built=built,
        rows=rows,
    )
    return TableRelease(*said, released, "dict" if rows is None else rows.frame, (non_negative, digits))


def _spec(spec: "str | PathLike[str]") -> "tuple[str, str]":
    if isinstance(spec, str) and "\n" in spec:
        return "the spec", spec
    if not isinstance(spec, (str, os.PathLike)):
        raise UnsupportedType(f"a spec is a path or a text, not a {type(spec).__name__}")
    return os.fspath(spec), Path(spec).read_text(encoding="utf-8")


def _numbers(cells: "list[str]") -> "list[Any]":
    """Integers if all of them are, else floats."""
    try:
        return [int(cell) for cell in cells]
    except ValueError:
        return [float(cell) for cell in cells]
