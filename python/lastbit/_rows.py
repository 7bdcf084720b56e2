"""Rows of tables that other libraries have, for releases: streams of Arrow's record batches, or slices of columns.

Nothing is copied as a whole: a stream is read batch by batch, and columns are cut into slices that become cells when their turn comes.
None of these libraries is imported, unless the table comes from there.
"""

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy

from lastbit.errors import ParameterError, UnsupportedType

SLICE = 1 << 15
"""Rows of a slice."""


class Rows:
    """A table in memory. `frame` is the kind of frame that results have."""

    frame = "dict"
    kind = "table"

    def names(self) -> "list[str] | None":
        """The names of the columns; None if only the stream itself knows them."""
        raise NotImplementedError

    def open(self, places: "list[int] | None") -> Any:
        """The columns at these places, or any if none is needed: a stream, or an iterator of streams and lists of columns, of which the first has no rows."""
        raise NotImplementedError


def chosen(rows: Rows, places: "list[int] | None") -> "list[str]":
    """The names of the needed columns; that of one if none is needed, since without any a table has no rows."""
    names = rows.names() or []
    if not names:
        raise ParameterError("the table has no columns")
    return [names[place] for place in places or [0]]


class Stream(Rows):
    """Whatever has `__arrow_c_stream__`. All its columns come, and those that are not needed are not looked at."""

    frame = "arrow"

    def __init__(self, x: Any, kind: str) -> None:
        self.x, self.kind = x, kind

    def names(self) -> "list[str] | None":
        return None

    def open(self, places: "list[int] | None") -> Any:
        return self.x


class Reader(Rows):
    """Readers of pyarrow, whose rows come once. That they are gone is said when they are wanted again, and not before: a stored result needs none."""

    frame = "arrow"

    def __init__(self, x: Any) -> None:
        self.x, self.kind, self.was_read = x, f"pyarrow {type(x).__name__}", False

    def names(self) -> "list[str] | None":
        return None

    def open(self, places: "list[int] | None") -> "Iterator[Any]":
        yield self.x.schema.empty_table()
        if self.was_read:
            raise ParameterError("the rows of this reader came once, and they are gone: give a new reader, or a table")
        self.was_read = True
        yield self.x


class Arrow(Rows):
    """Tables, batches and datasets of pyarrow."""

    frame = "arrow"

    def __init__(self, x: Any) -> None:
        self.x, self.kind = x, f"pyarrow {type(x).__name__}"

    def names(self) -> "list[str] | None":
        return list(self.x.schema.names)

    def open(self, places: "list[int] | None") -> Any:
        names = chosen(self, places)
        if hasattr(self.x, "scanner"):
            # A dataset reads the columns that it is asked for.
            return self.x.scanner(columns=names).to_reader()
        return self.x.select(places or [0])


class Polars(Rows):
    """Frames of polars, also lazy ones, which are collected batch by batch when their rows are read."""

    frame = "polars"

    def __init__(self, x: Any, polars: Any) -> None:
        self.x, self.polars, self.kind = x, polars, f"polars {type(x).__name__}"
        self.schema = x.collect_schema()

    def names(self) -> "list[str] | None":
        return list(self.schema.names())

    def open(self, places: "list[int] | None") -> Any:
        names = chosen(self, places)
        frame = self.x.select(names)
        return frame if isinstance(frame, self.polars.DataFrame) else self._collected(frame, names)

    def _collected(self, frame: Any, names: "list[str]") -> "Iterator[Any]":
        yield self.polars.DataFrame(schema={name: self.schema[name] for name in names})
        if hasattr(frame, "collect_batches"):
            yield from frame.collect_batches()
        else:
            yield frame.collect()


class Duck(Rows):
    """Relations of DuckDB, which run with the needed columns alone, when their rows are read."""

    frame = "arrow"
    kind = "DuckDB relation"

    def __init__(self, x: Any) -> None:
        self.x = x

    def names(self) -> "list[str] | None":
        return list(self.x.columns)

    def open(self, places: "list[int] | None") -> "Iterator[Any]":
        relation = self.x.project(", ".join('"' + name.replace('"', '""') + '"' for name in chosen(self, places)))
        yield relation.limit(0)
        yield relation


class Columns(Rows):
    """Columns by name: arrays, lists and series; or those of a frame of pandas."""

    def __init__(self, columns: "list[tuple[str, Any]]", kind: str, frame: str) -> None:
        self.columns, self.kind, self.frame = columns, kind, frame
        lengths = {len(column) for _, column in columns}
        if len(lengths) > 1:
            raise ParameterError(f"the columns have different numbers of rows: {', '.join(name for name, _ in columns)}")
        self.rows = max(lengths, default=0)

    def names(self) -> "list[str] | None":
        return [name for name, _ in self.columns]

    def open(self, places: "list[int] | None") -> "Iterator[Any]":
        for start, end in [(0, 0), *((start, min(start + SLICE, self.rows)) for start in range(0, self.rows, SLICE))]:
            slices = [cut(*self.columns[place], start, end) for place in places or []]
            # A batch has as many rows as its first column, so if none is needed one of nulls stands for all.
            yield slices or [[None] * (end - start)]


def cut(name: str, column: Any, start: int, end: int) -> Any:
    """A slice of a column, as one of the forms that the compiled half takes: a list, an array, an integer array with its unit, or Arrow's."""
    libraries = _libraries(column)
    if isinstance(column, numpy.ndarray):
        return plain(name, column[start:end])
    if "pandas" in libraries:
        series = column.iloc[start:end] if hasattr(column, "iloc") else column[start:end]
        return _of_pandas(name, series)
    if "polars" in libraries:
        return column.slice(start, end - start).rechunk()
    if "pyarrow" in libraries:
        part = column[start:end]
        return part.combine_chunks() if hasattr(part, "combine_chunks") else part
    return list(column[start:end])


def plain(name: str, array: "numpy.ndarray[Any, Any]") -> Any:
    """A numpy array of one dimension in a basic type, or with the unit of its integers, or as a list."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    if array.ndim != 1:
        raise ParameterError(f"column {name!r} has {array.ndim} dimensions, and a column has one")
    if kind in "OUST" or (isinstance(array, numpy.ma.MaskedArray) and kind in "biuf"):
        return array.tolist()
    if isinstance(array, numpy.ma.MaskedArray) or kind not in "biufM" or size > 8:
        raise _refused(name, str(array.dtype))
    array = numpy.require(array, dtype=array.dtype.newbyteorder("="), requirements="A")
    if kind == "f" and size == 2:
        return "half", array.view(numpy.uint16)
    if kind != "M":
        return array
    unit, step = numpy.datetime_data(array.dtype)
    if unit in ("Y", "M", "W", "D"):
        return "days", array.astype("M8[D]").view(numpy.int64)
    wanted = "s" if unit in ("h", "m") else unit
    if wanted not in _TICKS:
        raise _refused(name, str(array.dtype))
    return _TICKS[wanted], (array if (wanted, 1) == (unit, step) else array.astype(f"M8[{wanted}]")).view(numpy.int64)


_TICKS = {"s": "1", "ms": "1000", "us": "1000000", "ns": "1000000000"}
"""How many a second has of a unit of time."""


def _of_pandas(name: str, series: Any) -> Any:
    if isinstance(series.dtype, numpy.dtype):
        return plain(name, series.to_numpy())
    if find_spec("pyarrow") is None:
        return series.astype(object).to_numpy().tolist()
    pyarrow: Any = import_module("pyarrow")
    try:
        if hasattr(series, "cat"):
            codes = series.cat.codes.to_numpy()
            return pyarrow.DictionaryArray.from_arrays(
                pyarrow.array(codes, mask=codes < 0), pyarrow.array(series.cat.categories, from_pandas=True)
            )
        array = pyarrow.array(series, from_pandas=True)
        return array.combine_chunks() if hasattr(array, "combine_chunks") else array
    except (pyarrow.ArrowException, TypeError, ValueError):
        # What pyarrow says may quote a value.
        pass
    raise _refused(name, str(series.dtype))


def _refused(name: str, dtype: str) -> UnsupportedType:
    return UnsupportedType(
        f"column {name!r} has a type that is not supported, {dtype}: use numbers, text, dates, timestamps or truth values"
    )


def _libraries(x: Any) -> "set[str]":
    """The libraries of the class and of all that it is derived from."""
    return {base.__module__.partition(".")[0] for base in type(x).__mro__}


def columns_of(columns: "Mapping[str, Any]") -> Columns:
    """A table of columns by name."""
    for name, column in columns.items():
        is_known = isinstance(column, (list, tuple, range)) or (isinstance(column, numpy.ndarray) and column.ndim > 0)
        if not is_known and not (_libraries(column) & {"pandas", "polars", "pyarrow"} and hasattr(column, "__len__")):
            raise UnsupportedType(
                f"column {name!r} is a {type(column).__name__}: give a list, a numpy array, a Series or an Arrow array"
            )
    return Columns([(str(name), column) for name, column in columns.items()], "dict", "dict")


def rows_of(x: Any) -> "Rows | None":
    """The rows of a table in memory; None if it is none."""
    libraries = _libraries(x)
    if "pandas" in libraries:
        if isinstance(x, sys.modules["pandas"].DataFrame):
            return Columns([(str(label), x.iloc[:, i]) for i, label in enumerate(x.columns)], "pandas DataFrame", "pandas")
        return None
    if "polars" in libraries:
        polars = sys.modules["polars"]
        return Polars(x, polars) if isinstance(x, (polars.DataFrame, polars.LazyFrame)) else None
    if "pyarrow" in libraries:
        if hasattr(x, "select") and hasattr(x, "schema") or hasattr(x, "scanner"):
            return Arrow(x)
        if hasattr(x, "to_reader"):
            return Reader(x.to_reader())
        return Reader(x) if hasattr(x, "read_next_batch") else None
    if libraries & {"duckdb", "_duckdb"} and hasattr(x, "project"):
        return Duck(x)
    if isinstance(x, Mapping):
        return columns_of(x)
    return Stream(x, type(x).__name__) if hasattr(x, "__arrow_c_stream__") else None
