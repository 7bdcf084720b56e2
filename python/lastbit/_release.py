"""From a table to a released table."""

import csv
import io
import json
import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lastbit import _html, _lastbit
from lastbit._lastbit import Claim
from lastbit._ledger import Ledger
from lastbit.errors import UnsupportedType

if TYPE_CHECKING:
    from os import PathLike

MOST_ROWS = 40
"""The rows that notebooks show."""


@dataclass(frozen=True, repr=False, eq=False)
class TableRelease:
    """A released table, or what a dry run says of it: made by `lastbit.release`. `str` is the text that `lastbit release` prints."""

    _json: str
    _text: str
    _csv: str

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
    def ledger(self) -> "dict[str, Any] | None":
        """What the ledger says: the entry with the result, what is left; None without a ledger."""
        told: dict[str, Any] | None = self.json()["ledger"]
        return told

    def columns(self) -> "dict[str, list[Any]]":
        """The table by columns: texts for the key, integers or floats for values and both ends of their intervals (`name_low`, `name_high`)."""
        head, *lines = csv.reader(io.StringIO(self._csv)) if self._csv else [[]]
        texts = len(self.json()["by"]) if self._csv else 0
        cells = {name: [line[i] for line in lines] for i, name in enumerate(head)}
        return {name: found if i < texts else _numbers(found) for i, (name, found) in enumerate(cells.items())}

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame, if pandas is there."""
        return import_module("pandas").DataFrame(self.columns())

    def to_arrow(self) -> Any:
        """The table as an Arrow table, if pyarrow is there."""
        return import_module("pyarrow").table(self.columns())

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
            more.append(f"{ledger['id']} {free}; head {ledger['head']}")
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
    force_network = ledger.force_network if isinstance(ledger, Ledger) else False
    path = ledger.path if isinstance(ledger, Ledger) else ledger
    said = _lastbit._release(
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
    )
    return TableRelease(*said)


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
