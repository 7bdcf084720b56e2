"""Tables of other libraries, released: the same integers from each of them and from files, and nothing of a row in what is shown."""

import collections
import csv
import datetime
import decimal
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import nanoarrow
import numpy
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from markup import elements

import lastbit
from lastbit import _lastbit, _rows

NAN, INF = float("nan"), float("inf")
CANARY = "KANARI"

COLUMNS: "dict[str, list[Any]]" = {
    "rider": ["7", "007", "a", "a ", " a", "é", "a-name-of-more-than-eighteen-signs", None, "7", "007", "a", "12345678901"] * 40,
    "city": ["Bern", "Biel", None, "Bern", "Zug", "Bern", "Biel", "Bern", "Biel", "Biel", "Bern", "Bern"] * 40,
    "fare": [1.5, NAN, INF, -INF, None, -0.0, 0.1, 1e300, 5e-324, 99.99, -3.0, 33.333333333333336] * 40,
    "day": [datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31), datetime.date(1, 1, 1)] * 120,
    "age": [31, None, 0, 2**40, -5, 64] * 80,
    "member": [True, False, None] * 160,
}


def arrow() -> Any:
    return pyarrow.table(COLUMNS)


def asked(x: Any) -> lastbit.Table:
    table = lastbit.table(x, unit="rider", max_groups=2, max_rows=3).where("not (fare < -1) and (member or age is null or true)")
    table = table.derive(old="clamp(age, 0, 100)", year="year(day)").by("city", keys=["Bern", "Biel", "Thun"]).count("trips")
    table = table.count_units("riders").sum("fare", bounds=(0, 100)).mean("old", bounds=(0, 100), name="age")
    return table.histogram("year", edges=[0, 1970, 2025], name="years")


def digest(asked: lastbit.Table) -> str:
    """SHA-256 of the exact aggregates."""
    return _lastbit._digest(asked.spec(epsilon=1), asked._rows)


def written(path: Path, columns: "dict[str, list[Any]]") -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
    return path


def chunked() -> Any:
    table = arrow()
    return pyarrow.concat_tables([table.slice(0, 7), table.slice(7, 0), table.slice(7, 100), table.slice(107)])


def duck(table: Any) -> Any:
    return pytest.importorskip("duckdb").connect().from_arrow(table)


LIBRARIES = {
    "pyarrow table": arrow,
    "pyarrow chunks": chunked,
    "pyarrow batch": lambda: arrow().to_batches()[0],
    "pyarrow reader": lambda: arrow().to_reader(max_chunksize=13),
    "pyarrow dataset": lambda: pyarrow.dataset.dataset(arrow()),
    "pyarrow scanner": lambda: pyarrow.dataset.dataset(arrow()).scanner(),
    "pandas": lambda: arrow().to_pandas(),
    "pandas with arrow": lambda: arrow().to_pandas(types_mapper=pandas.ArrowDtype),
    "pandas with categories": lambda: arrow().to_pandas().astype({"rider": "category", "city": "category"}),
    "pandas objects": lambda: pandas.DataFrame({name: pandas.Series(cells, dtype=object) for name, cells in COLUMNS.items()}),
    "pandas rows of another": lambda: pandas.concat([arrow().to_pandas()] * 2).iloc[::2].sort_index(kind="stable"),
    "polars": lambda: polars.DataFrame(COLUMNS),
    "polars lazy": lambda: polars.DataFrame(COLUMNS).lazy().filter(polars.lit(True)),
    "polars categories": lambda: polars.DataFrame(COLUMNS).with_columns(polars.col("rider", "city").cast(polars.Categorical)),
    "duckdb": lambda: duck(arrow()),
    "any stream": lambda: nanoarrow.ArrayStream(arrow()),
    "lists": lambda: COLUMNS,
    "arrays": lambda: {name: numpy.array(cells, dtype=object) for name, cells in COLUMNS.items()},
    "columns of all kinds": lambda: {
        "rider": polars.Series(COLUMNS["rider"]),
        "city": chunked()["city"],
        "fare": numpy.array(COLUMNS["fare"], dtype=float)[::-1][::-1],
        "day": pandas.Series(COLUMNS["day"]),
        "age": pyarrow.array(COLUMNS["age"]),
        "member": tuple(COLUMNS["member"]),
    },
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_same_rows_are_the_same_everywhere(library: str, tmp_path: Path) -> None:
    expected = digest(asked(written(tmp_path / "trips.csv", COLUMNS)))
    # Taken twice with every second row dropped, a frame has other rows unless they repeat, so they do.
    found = LIBRARIES[library]()
    if library == "pandas rows of another":
        written(tmp_path / "trips.csv", {name: [None if x is pandas.NaT else x for x in found[name].tolist()] for name in COLUMNS})
        expected = digest(asked(tmp_path / "trips.csv"))
    assert digest(asked(found)) == expected


@pytest.mark.parametrize("library", ["pandas", "pandas with categories", "pandas with arrow", "lists", "columns of all kinds"])
def test_slices_of_any_length_are_the_same(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = digest(asked(arrow()))
    for length in (1, 7, 479, 480, 481):
        monkeypatch.setattr(_rows, "SLICE", length)
        assert digest(asked(LIBRARIES[library]())) == expected


def test_files_are_the_same(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(arrow(), tmp_path / "trips.parquet")
    half = [written(tmp_path / f"{i}.csv", {name: cells[i::2] for name, cells in COLUMNS.items()}) for i in (0, 1)]
    expected = digest(asked(arrow()))
    assert digest(asked(tmp_path / "trips.parquet")) == digest(asked(half)) == digest(asked(str(tmp_path / "?.csv"))) == expected
    written(tmp_path / "other.csv", {name: cells[1:] for name, cells in COLUMNS.items()})
    assert digest(asked(tmp_path / "other.csv")) != expected


TICKS = [0, -1, 1_500, None, 86_400_000]
MOMENTS = ["1970-01-01T00:00:00", "1969-12-31T23:59:59.999", "1970-01-01T00:00:01.5", None, "1970-01-02T00:00:00"]
TYPES: "dict[str, tuple[Any, list[str | None]]]" = {
    **{
        f"{kind}": (pyarrow.array([0, 7, None, 100], kind), ["0", "7", None, "100"])
        for kind in map(pyarrow.type_for_alias, ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"))
    },
    "large": (pyarrow.array([2**64 - 1, 2**63, 1], "uint64"), [str(2**64 - 1), str(2**63), "1"]),
    "float16": (pyarrow.array(numpy.array([0.1, -0.0, 65504, NAN, INF], "f2")), ["0.1", "0", "65500", None, None]),
    "float32": (pyarrow.array([0.1, -0.0, 16777216, NAN, -INF], "float32"), ["0.1", "0", "16777216", None, None]),
    "float64": (pyarrow.array([0.1, -0.0, 1e22, NAN, None]), ["0.1", "0", "1" + "0" * 22, None, None]),
    **{
        f"decimal{bits}": (
            pyarrow.array([decimal.Decimal("1.50"), None, decimal.Decimal("-0.05")], kind(8, 2)),
            ["1.5", None, "-0.05"],
        )
        for bits, kind in ((32, pyarrow.decimal32), (64, pyarrow.decimal64), (128, pyarrow.decimal128), (256, pyarrow.decimal256))
    },
    "bool": (pyarrow.array([True, None, False, True] * 5)[3:], (["true", None, "false", "true"] * 5)[3:]),
    "date32": (pyarrow.array(COLUMNS["day"][:4], "date32"), ["2024-02-29", None, "1969-12-31", "0001-01-01"]),
    "date64": (pyarrow.array(COLUMNS["day"][:4], "date64"), ["2024-02-29", None, "1969-12-31", "0001-01-01"]),
    "timestamp s": (pyarrow.array([0, 1, None], pyarrow.timestamp("s")), [MOMENTS[0], "1970-01-01T00:00:01", None]),
    "timestamp ms": (pyarrow.array(TICKS, pyarrow.timestamp("ms")), MOMENTS),
    "timestamp us": (pyarrow.array([x and x * 1000 for x in TICKS], pyarrow.timestamp("us", "Europe/Zurich")), MOMENTS),
    "timestamp ns": (pyarrow.array([x and x * 10**6 for x in TICKS], pyarrow.timestamp("ns")), MOMENTS),
    "utf8": (pyarrow.array(["a", "", None, "é" * 9]), ["a", None, None, "é" * 9]),
    "large utf8": (pyarrow.array(["a", "", None, "é" * 9], "large_utf8")[1:], [None, None, "é" * 9]),
    "string view": (pyarrow.array(["a", "", None, "é" * 9], pyarrow.string_view())[1:], [None, None, "é" * 9]),
    "bytes": (pyarrow.array([b"a", b"\xff", None]), ["a", None, None]),
    "dictionary": (pyarrow.array(["a", "bb", None, "a"]).dictionary_encode()[1:], ["bb", None, "a"]),
    "dictionary of integers": (
        pyarrow.DictionaryArray.from_arrays(pyarrow.array([1, 0, None, 2], "uint8"), pyarrow.array([5, 7, None])),
        ["7", "5", None, None],
    ),
    "null": (pyarrow.nulls(3), [None, None, None]),
}


def by_value(x: Any, texts: "list[str | None]") -> lastbit.Table:
    keys = sorted({text for text in texts if text}) or ["none"]
    return lastbit.table(x, unit="row").by("v", keys=keys).count("n").mean("v", bounds=(-100, 100), name="m")


@pytest.mark.parametrize("kind", TYPES)
def test_each_type_is_its_text(kind: str, tmp_path: Path) -> None:
    """As a group and as a number, in Arrow, and where these have it in Parquet, pandas, polars, numpy and Python."""
    array, texts = TYPES[kind]
    # A row more, since a blank line is no row of CSV.
    expected = digest(by_value(written(tmp_path / "v.csv", {"v": texts, "more": [1] * len(texts)}), texts))
    table = pyarrow.table({"v": array, "more": [1] * len(texts)})
    assert digest(by_value(table, texts)) == expected
    assert digest(by_value(table.slice(1), texts)) == digest(by_value({"v": array[1:]}, texts))
    # These have no form in Parquet, or none that pyarrow writes.
    if kind not in ("float16", "decimal32", "decimal64", "dictionary of integers"):
        pyarrow.parquet.write_table(table, tmp_path / "v.parquet")
        stored = pyarrow.parquet.read_schema(tmp_path / "v.parquet").field("v").type
        if stored == array.type or kind in ("large utf8", "string view", "date64", "timestamp s"):
            assert digest(by_value(tmp_path / "v.parquet", texts)) == expected
    # Polars makes moments of date64, and has no other decimals.
    if kind not in ("date64", "decimal32", "decimal64", "decimal256"):
        assert digest(by_value(polars.DataFrame({"v": polars.Series(array)}), texts)) == expected
    assert digest(by_value(pandas.DataFrame({"v": pandas.Series(array, dtype=pandas.ArrowDtype(array.type))}), texts)) == expected
    assert digest(by_value({"v": array.to_pylist() if kind != "float32" else list(numpy.array(array))}, texts)) == expected or kind in (
        "float16",
        "timestamp us",
        "timestamp ns",
    )
    if kind.startswith(("int", "uint", "float", "timestamp", "large")) and array.null_count == 0:
        assert digest(by_value({"v": array.to_numpy(zero_copy_only=False)}, texts)) == expected


def test_numpy_arrays() -> None:
    def same(array: "numpy.ndarray[Any, Any]", texts: "list[str | None]") -> None:
        assert digest(by_value({"v": array}, texts)) == digest(by_value({"v": texts}, texts)), array.dtype

    same(numpy.arange(6)[::-2], ["5", "3", "1"])
    same(numpy.arange(3, dtype=">i4"), ["0", "1", "2"])
    same(numpy.array([0.1, 2], dtype=">f4"), ["0.1", "2"])
    same(numpy.array([0.1, -2, NAN], dtype="f2"), ["0.1", "-2", None])
    same(numpy.frombuffer(b"x" + numpy.arange(3.0).tobytes(), dtype="u1")[1:].view("f8"), ["0", "1", "2"])
    same(numpy.array(["a", "b", ""]), ["a", "b", None])
    same(numpy.array([b"a", b"b"]), ["a", "b"])
    same(numpy.ma.masked_array([1, 2, 3], mask=[False, True, False]), ["1", None, "3"])
    same(numpy.array(["2024-02-29", "NaT"], dtype="M8[D]"), ["2024-02-29", None])
    same(numpy.array(["2024-02", "1969-12"], dtype="M8[M]"), ["2024-02-01", "1969-12-01"])
    same(numpy.array(["2024-02-29T05:06", "NaT"], dtype="M8[m]"), ["2024-02-29T05:06:00", None])
    same(numpy.array(["2024-02-29T05:06:07.25", "NaT"], dtype=">M8[us]"), ["2024-02-29T05:06:07.25", None])
    same(numpy.array([True, False]), ["true", "false"])
    frozen = numpy.arange(3)
    frozen.flags.writeable = False
    same(frozen, ["0", "1", "2"])


def test_python_values() -> None:
    def same(values: "list[Any]", texts: "list[str | None]") -> None:
        assert digest(by_value({"v": values}, texts)) == digest(by_value({"v": texts}, texts)), values

    zone = datetime.timezone(datetime.timedelta(hours=2))
    same([1, 2.5, None, numpy.int8(3), numpy.float32(0.1), True and 4], ["1", "2.5", None, "3", "0.1", "4"])
    same([2**70, -(2**63), 10**2000], [str(2**70), str(-(2**63)), None])
    same([decimal.Decimal("1.50"), 3, decimal.Decimal("NaN"), decimal.Decimal("-0.0")], ["1.5", "3", None, "0"])
    same([datetime.datetime(2024, 1, 1, 1, tzinfo=zone), None], ["2023-12-31T23:00:00", None])
    same([datetime.datetime(2024, 1, 1, 1, 2, 3, 4500), pandas.NaT], ["2024-01-01T01:02:03.0045", None])
    same(["a", NAN, None, pandas.NA, b"b", "\ud800"], ["a", None, None, None, "b", None])
    same([numpy.bool_(True), False, None], ["true", "false", None])


def test_keys() -> None:
    """Values as keys are the texts of cells with these values."""

    def keys(columns: "list[str]", keys: Any) -> "list[tuple[str, ...]]":
        rows = {name: [1] for name in columns}
        released = lastbit.table(rows, unit="row").by(*columns, keys=keys).count().release(epsilon=1)
        return [tuple(row[name] for name in columns) for row in released.rows]

    day, moment = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 5, 6, 7, 250_000)
    assert keys(["a"], [7, numpy.int8(8), 0.5, 9.0, -0.0, True]) == [("0",), ("0.5",), ("7",), ("8",), ("9",), ("true",)]
    assert keys(["a"], [day, moment, 'quote " and \\ \x7f \n']) == [("2024-02-29",), ("2024-02-29T05:06:07.25",), ('quote " and \\ \x7f \n',)]
    zone = datetime.timezone(datetime.timedelta(hours=2))
    assert keys(["a"], [datetime.datetime(2024, 1, 1, 1, tzinfo=zone)]) == [("2023-12-31T23:00:00",)]
    assert keys(["a", "b"], [("x", 1), ["y", 2]]) == [("x", "1"), ("y", "2")]
    assert keys(["a", "b"], {"b": [1, 2], "a": ["x"]}) == [("x", "1"), ("x", "2")]
    assert keys(["a"], pandas.Series(["x", "y"])) == [("x",), ("y",)]


def test_a_table_without_needed_columns() -> None:
    for library in ("pandas", "polars", "polars lazy", "pyarrow table", "pyarrow dataset", "any stream", "lists", "duckdb"):
        found = lastbit.table(LIBRARIES[library](), unit="row").count()
        released = found.release(epsilon=1000)
        assert released.value == len(COLUMNS["rider"]), library


def test_frames() -> None:
    for library, kind in [("pandas", pandas.DataFrame), ("polars lazy", polars.DataFrame), ("pyarrow reader", pyarrow.Table)]:
        released = asked(LIBRARIES[library]()).release(epsilon=1)
        assert type(released.frame) is type(released.plot()) is type(released.interval("0.5")) is kind
    released = asked(LIBRARIES["lists"]()).release(epsilon=1, digits=2, non_negative=True)
    assert released.frame == released.columns() and list(released.to_polars().columns) == list(released.frame)
    ends = released.interval("0.95")
    assert ends == {name: cells for name, cells in released.columns().items() if name == "city" or name.endswith(("_low", "_high"))}
    wider = released.interval("0.999")
    assert all(low <= least for name in wider if name.endswith("_low") for low, least in zip(wider[name], ends[name]))
    assert released.interval("0.5")["trips_high"][0] < ends["trips_high"][0]
    assert len(released.plot()["value"]) == 3 * (4 + 2) and set(released.plot()["group"]) == {"Bern", "Biel", "Thun"}
    assert released.loss == 1 and released.claim is not None and released.claim.unit == "rider"
    copied = pickle.loads(pickle.dumps(released))
    assert copied.rows == released.rows
    for bad in (0, 1, "x", copied):
        with pytest.raises(lastbit.Error):
            (copied if bad is copied else released).interval(bad)


def test_the_same_as_a_spec(tmp_path: Path) -> None:
    """`spec` is what `lastbit release` takes, and its answer has the same JSON."""
    path = written(tmp_path / "trips.csv", COLUMNS)
    for parts in ({"epsilon": "1/3"}, {"rho": "0.1"}, {"epsilon": 1, "delta": "1e-6"}, {"epsilon": 2, "measure": "pure", "noise": "laplace"}):
        table = asked(path)
        released = table.release(**parts, insecure_seed=1, confidence="0.9")
        assert released.json() == lastbit.release(table.spec(**parts) + "\n", insecure_seed=1, confidence="0.9").json()
        assert table.dry_run(**parts).json() == lastbit.release(table.spec(**parts) + "\n", dry_run=True).json()
        in_memory = asked(arrow()).release(**parts, insecure_seed=1, confidence="0.9").json()
        assert {**in_memory, "plan": None} == {**released.json(), "plan": None}


def test_own_losses() -> None:
    table = lastbit.table({"a": [1, 2]}, unit="row").sum("a", bounds=(0, 1), epsilon="1/4", grid="0.5").count(share=3).mean("a", bounds=(0, 1), name="m")
    told = table.dry_run(epsilon=1).json()["plan"]["queries"]
    assert [Fraction(query["loss"]) for query in told] == [Fraction(1, 4), Fraction(9, 16), Fraction(3, 16)]
    assert lastbit.table({"a": [1]}, unit="row").count(rho="1/8").dry_run().json()["claim"]["loss"] == "1/8"


def test_a_table_is_never_changed() -> None:
    whole = lastbit.table({"a": [1, 2]}, unit="row")
    some = whole.where("a > 1").where("a < 5 or a > 7")
    assert "filter" not in whole.count().spec(epsilon=1)
    assert some.count().spec(epsilon=1).startswith('filter = "(a > 1) and (a < 5 or a > 7)"')
    assert some.count().release(epsilon=1000).value == 1
    assert some.count("n").count_units("u").spec(epsilon=1) != some.count("n").spec(epsilon=1)


def test_ids(tmp_path: Path) -> None:
    """A cell of a notebook that runs twice is charged once; the rows are not read again."""
    ledger = lastbit.Ledger.create(tmp_path / "budget.db", dataset="trips", unit="rider", epsilon=2)
    read = []

    def batches() -> "Iterator[Any]":
        for batch in arrow().to_batches():
            read.append(len(batch))
            yield batch

    def reader() -> Any:
        return pyarrow.RecordBatchReader.from_batches(arrow().schema, batches())

    for x in (arrow(), reader()):
        with pytest.raises(lastbit.ParameterError, match="give the release an id"):
            asked(x).release(epsilon=1, ledger=ledger, dataset="trips")
    with pytest.raises(lastbit.ParameterError, match="name one"):
        asked(arrow()).release(epsilon=1, ledger=ledger, id="a")
    assert ledger.budgets[0].spent == 0 and not read
    outlook = asked(reader()).dry_run(epsilon=1, ledger=ledger, dataset="trips", id="a").json()["ledger"]
    assert outlook["fits"] and not outlook["was_charged"]
    first = asked(reader()).release(epsilon=1, ledger=ledger, dataset="trips", id="a")
    assert first.ledger is not None and not first.ledger["again"] and read
    read.clear()
    again = asked(reader()).release(epsilon=1, ledger=str(tmp_path / "budget.db"), dataset="trips", id="a")
    assert again.ledger is not None and again.ledger["again"] and again.rows == first.rows and not read
    # Other rows under the same id are not looked at; another question is refused.
    other = asked(arrow().slice(200)).release(epsilon=1, ledger=ledger, dataset="trips", id="a", confidence="0.5")
    assert [row["trips"] for row in other.rows] == [row["trips"] for row in first.rows]
    with pytest.raises(lastbit.ParameterError, match="id"):
        asked(arrow()).release(epsilon="1/2", ledger=ledger, dataset="trips", id="a")
    assert ledger.budgets[0].spent == 1 and ledger.budgets[0].charges == 1
    shown = again._repr_html_()
    elements(shown)
    assert "at no charge" in shown and "1 left for trips" in shown and again.ledger["head"] in shown
    assert ledger.verify(again.ledger["head"])


def test_a_reader_is_read_once(tmp_path: Path) -> None:
    """Asked again under the same id, it is not wanted; under another one an empty table would be released."""
    ledger = lastbit.Ledger.create(tmp_path / "budget.db", dataset="trips", epsilon=3)
    table = asked(arrow().to_reader())
    first = table.release(epsilon=1, ledger=ledger, dataset="trips", id="a")
    assert table.release(epsilon=1, ledger=ledger, dataset="trips", id="a").rows == first.rows
    with pytest.raises(lastbit.ParameterError, match="they are gone.*stays charged"):
        table.release(epsilon=1, ledger=ledger, dataset="trips", id="b")
    assert ledger.budgets[0].spent == 2


def test_ctrl_c_stops_reading(tmp_path: Path) -> None:
    ledger = lastbit.Ledger.create(tmp_path / "budget.db", dataset="trips", epsilon=1)

    def endless() -> "Iterator[Any]":
        while True:
            time.sleep(0.01)
            yield from arrow().to_batches()

    def press() -> None:
        while not ledger.budgets[0].charges:
            time.sleep(0.01)
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        asked(pyarrow.RecordBatchReader.from_batches(arrow().schema, endless())).release(
            epsilon=1, ledger=ledger, dataset="trips", id="a"
        )
    presser.join()
    assert (ledger.budgets[0].charges, ledger.budgets[0].unfinished) == (1, 1)
    asked(arrow()).release(epsilon=1, ledger=ledger, dataset="trips", id="a")
    assert (ledger.budgets[0].charges, ledger.budgets[0].unfinished, ledger.budgets[0].left) == (1, 0, 0)


def failing(where: str) -> Any:
    """Tables that cannot be read, each for a reason that a careless message would quote a cell for."""

    def batches() -> "Iterator[Any]":
        yield arrow().to_batches()[0]
        raise ValueError(CANARY)

    class Refuses:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            raise RuntimeError(CANARY)

    rider = [CANARY, "b"]
    texts = pyarrow.StringArray.from_buffers(2, pyarrow.py_buffer(numpy.array([0, 900, 6], "i4")), pyarrow.py_buffer(CANARY.encode()))
    indices = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 9]), [CANARY], safe=False)
    numbers = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 9], "int8"), pyarrow.array([5]), safe=False)
    return {
        "generator": lambda: pyarrow.RecordBatchReader.from_batches(arrow().schema, batches()),
        "stream": Refuses,
        "mixed": lambda: {"rider": [CANARY, 7]},
        "mixed pandas": lambda: pandas.DataFrame({"rider": pandas.Series([CANARY, 7], dtype=object)}),
        "late mixed": lambda: {"rider": [*range(10**5), CANARY]},
        "floats and large integers": lambda: {"rider": [0.5, 2**60]},
        "places": lambda: pyarrow.table({"rider": texts}),
        "categories": lambda: pyarrow.table({"rider": indices}),
        "numbers of categories": lambda: pyarrow.table({"rider": numbers}),
        "duckdb": lambda: duck(pyarrow.table({"rider": rider})).project("cast(rider as integer) as rider"),
        "polars": lambda: polars.DataFrame({"rider": rider}).lazy().with_columns(polars.col("rider").cast(polars.Int64)),
        "nothing like it": lambda: {"rider": [{CANARY: CANARY}]},
    }[where]()


@pytest.mark.parametrize(
    "where", ["generator", "stream", "mixed", "mixed pandas", "late mixed", "floats and large integers", "places", "categories", "numbers of categories", "duckdb", "polars", "nothing like it"]
)
def test_what_is_private_stays_private(where: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ledger = lastbit.Ledger.create(tmp_path / "budget.db", dataset="trips", epsilon=1)
    with pytest.raises(lastbit.Error) as caught:
        lastbit.table(failing(where), unit="rider", max_rows=1).count().release(epsilon=1, ledger=ledger, dataset="trips", id="a")
    seen = "".join(traceback.format_exception(caught.value)) + json.dumps(ledger.export()) + "".join(capfd.readouterr())
    assert CANARY not in seen.replace("CANARY", "") and str(2**60) not in seen
    # What the schema tells is refused at no charge; what only rows tell is charged.
    assert ledger.budgets[0].charges == (0 if where == "stream" else 1)


def test_views_show_no_rows(tmp_path: Path) -> None:
    rows = {"rider": [CANARY, "b", CANARY], "city": ["Bern", CANARY, "Bern"], "fare": [770077.5, 1, 2]}
    ledger = lastbit.Ledger.create(tmp_path / "budget.db", dataset="trips", epsilon=1)
    for x in (rows, pandas.DataFrame(rows), polars.DataFrame(rows), pyarrow.table(rows)):
        table = lastbit.table(x, unit="rider", max_groups=1, max_rows=2).by("city", keys=["Bern"]).count("n").sum("fare", bounds=(0, 9))
        released = table.release(epsilon=1, ledger=ledger, dataset="trips", id="a")
        shown = [repr(table), str(table), repr(released), str(released), released._repr_html_(), ledger._repr_html_(), table.spec(epsilon=1)]
        shown += [str(released.frame), json.dumps(released.json()), json.dumps(ledger.export()), repr(table.dry_run(epsilon=1))]
        assert not any(CANARY in text or "770077" in text for text in shown)
        assert not hasattr(table, "_repr_html_")
    assert repr(table) == '<Table: pyarrow Table, unit "rider", by city: n, fare>'


def refusals() -> "list[tuple[Any, type[Exception], str]]":
    good = {"a": [1, 2], "b": ["x", "y"]}
    table = lastbit.table(good, unit="a", max_groups=1, max_rows=1)

    def released(**more: Any) -> Any:
        return lambda: table.count().release(**{"epsilon": 1, **more})

    def of(array: Any) -> Any:
        return lambda: lastbit.table(pyarrow.table({"a": array}), unit="a", max_rows=1).count().release(epsilon=1)

    def arrays(array: Any) -> Any:
        return lambda: lastbit.table({"a": array}, unit="a", max_rows=1).count().release(epsilon=1)

    unsupported, wrong = lastbit.UnsupportedType, lastbit.ParameterError
    days = datetime.timedelta(days=1)
    return [
        (lambda: lastbit.table(7, unit="a"), unsupported, "int is no table"),
        (lambda: lastbit.table([], unit="a"), unsupported, "list is no table"),
        (lambda: lastbit.table([{"a": 1}], unit="a"), unsupported, "list is no table"),
        (lambda: lastbit.table(pandas.Series([1]), unit="a"), unsupported, "Series is no table"),
        (lambda: lastbit.table(polars.Series([1]), unit="a"), unsupported, "Series is no table"),
        (lambda: lastbit.table(pyarrow.array([1]), unit="a"), unsupported, "Array is no table"),
        (lambda: lastbit.table(numpy.zeros((2, 2)), unit="a"), unsupported, "ndarray is no table"),
        (lambda: lastbit.table({"a": "text"}, unit="a"), unsupported, "column 'a' is a str"),
        (lambda: lastbit.table({"a": numpy.array(3)}, unit="a"), unsupported, "column 'a' is a ndarray"),
        (lambda: lastbit.table({"a": collections.deque([1])}, unit="a"), unsupported, "column 'a' is a deque"),
        (lambda: lastbit.table(pyarrow.table({}), unit="row").count().release(epsilon=1), wrong, "no columns"),
        (lambda: lastbit.table(polars.LazyFrame(), unit="row").count().release(epsilon=1), wrong, "no columns"),
        (lambda: table.by("b", keys=[decimal.Decimal("sNaN")]), unsupported, "a key must be"),
        (lambda: lastbit.table({"a": [1], "b": [1, 2]}, unit="a"), wrong, "different numbers of rows"),
        (lambda: lastbit.table(good), wrong, "whose privacy"),
        (lambda: lastbit.table(good, unit="a", max_rows=0), wrong, "max_rows must be from 1"),
        (lambda: lastbit.table(good, unit="a", max_rows=1.5), unsupported, "max_rows must be an int"),
        (lambda: lastbit.table(good, unit="a", max_rows=True), unsupported, "max_rows must be an int"),
        (lambda: lastbit.table(good, unit="a", delimiter=";"), wrong, "for CSV files"),
        (lambda: lastbit.table(good, unit=["a", 7]), unsupported, "unit must be a str"),
        (lambda: table.by("b"), wrong, "keys"),
        (lambda: table.by(keys=["x"]), wrong, "at least one column"),
        (lambda: table.by("b", keys=["x"]).by("b", keys=["x"]), wrong, "has groups already"),
        (lambda: table.by("b", keys=7), unsupported, "keys must be"),
        (lambda: table.by("b", keys=[None]), unsupported, "a key must be"),
        (lambda: table.by("b", keys=[NAN]), unsupported, "a key must be"),
        (lambda: table.by("b", keys=["\ud800"]), wrong, "a key is no valid text"),
        (lambda: table.by("b", keys={"b": ["x"]}), wrong, "several columns"),
        (lambda: table.by("b", keys=["x", "x"]).count().release(epsilon=1), wrong, "keys: key 2 is the same"),
        (lambda: table.by("b", keys=[]).count().release(epsilon=1), wrong, "keys: there is no key"),
        (lambda: table.where(7), unsupported, "where must be a str"),  # type: ignore[arg-type]
        (lambda: table.count("n").count("n"), wrong, "already"),
        (lambda: table.sum("a").release(epsilon=1), wrong, "query a, bounds: is missing"),
        (lambda: table.sum("a", bounds=(1, 0)).release(epsilon=1), wrong, "not below"),
        (lambda: table.sum("a", bounds=7), unsupported, "several numbers"),  # type: ignore[arg-type]
        (lambda: table.sum("a", bounds=(0, "x")), wrong, "a, bounds"),
        (lambda: table.histogram("a").release(epsilon=1), wrong, "edges: is missing"),
        (lambda: table.where("a >").count().release(epsilon=1), wrong, "where: "),
        (lambda: table.derive(c="a +").count().release(epsilon=1), wrong, "derive c: "),
        (lambda: table.release(epsilon=1), wrong, "nothing is asked"),
        (lambda: lastbit.table(good, unit="a").count().release(epsilon=1), wrong, "max_rows: is missing"),
        (lambda: lastbit.table(good, unit="a", max_rows=1).by("b", keys=["x"]).count().release(epsilon=1), wrong, "max_groups: is missing"),
        (lambda: lastbit.table({**good, "aa": [1, 2]}, unit="aaa", max_rows=1).where("a > 0").count().release(epsilon=1), wrong, 'did you mean "aa"'),
        (lambda: lastbit.table(pandas.DataFrame([[1, 2]], columns=["a", "a"]), unit="a", max_rows=1).count().release(epsilon=1), wrong, "two columns"),
        (released(epsilon=None), wrong, "epsilon"),
        (released(epsilon=0), wrong, "epsilon: must be positive"),
        (released(epsilon=NAN), wrong, "epsilon"),
        (released(rho=1), wrong, "rho"),
        (released(measure="pur"), wrong, "measure"),
        (released(confidence=2), wrong, "between 0 and 1"),
        (released(digits=31), wrong, "0 to 30"),
        (released(id="x"), wrong, "there is none"),
        (released(ledger="nowhere.db", id="x", dataset="y"), wrong, "nowhere.db"),
        (of(pyarrow.array([[1], [2]])), unsupported, 'column "a" has a type that is not supported, lists'),
        (of(pyarrow.array([{"x": 1}])), unsupported, "a struct"),
        (of(pyarrow.array([days])), unsupported, "durations"),
        (of(pyarrow.array([datetime.time(1)])), unsupported, "times without a day"),
        (of(pyarrow.array([b"abc"], pyarrow.binary(3))), unsupported, "bytes of a fixed size"),
        (of(pyarrow.array([decimal.Decimal(1)], pyarrow.decimal256(50, 2))), unsupported, "decimals"),
        (of(pyarrow.RunEndEncodedArray.from_arrays([2], ["x"])), unsupported, "run-end"),
        (of(pyarrow.ExtensionArray.from_storage(pyarrow.uuid(), pyarrow.array([b"x" * 16], pyarrow.binary(16)))), unsupported, "extension"),
        (arrays(numpy.zeros((2, 2))), wrong, "2 dimensions"),
        (arrays(numpy.zeros(2, dtype=complex)), unsupported, "complex128"),
        (arrays(numpy.zeros(2, dtype="m8[s]")), unsupported, "timedelta64"),
        (arrays(numpy.zeros(2, dtype="M8[as]")), unsupported, "datetime64"),
        (arrays(numpy.zeros(2, dtype=numpy.longdouble)), unsupported, "float128|longdouble"),
        (arrays([days]), wrong, "timedelta"),
        (lambda: lastbit.table(pandas.DataFrame({"a": [days]}), unit="a", max_rows=1).count().release(epsilon=1), unsupported, "timedelta64"),
        (lambda: lastbit.table(pandas.DataFrame({"a": pandas.period_range("2024", periods=2, freq="M")}), unit="a", max_rows=1).count().release(epsilon=1), lastbit.Error, "extension|period"),
        (lambda: lastbit.table(polars.DataFrame({"a": [[1]]}), unit="a", max_rows=1).count().release(epsilon=1), unsupported, "lists"),
        (lambda: lastbit.table(nanoarrow.ArrayStream(pyarrow.chunked_array([[1]])), unit="a", max_rows=1).count().release(epsilon=1), unsupported, "has columns"),
        (lambda: lastbit.table("nowhere.csv", unit="a", max_rows=1).count().release(epsilon=1), wrong, "nowhere.csv"),
    ]


@pytest.mark.parametrize("number", range(len(refusals())))
def test_what_is_refused(number: int) -> None:
    attempt, error, problem = refusals()[number]
    with pytest.raises(error, match=problem):
        attempt()


MEMORY = """
import sys
import numpy
import lastbit

numbers = numpy.random.default_rng(1)
cells = {name: numbers.integers(0, n, 10**6) for name, n in [("rider", 50_000), ("city", 4), ("fare", 100), ("more", 9)]}
kind = sys.argv[1]
if kind == "pandas":
    import pandas

    table = pandas.DataFrame(cells)
elif kind == "polars":
    import polars

    table = polars.DataFrame(cells)
else:
    import pyarrow

    table = pyarrow.table(cells)

def released(x):
    asked = lastbit.table(x, unit="rider", max_groups=2, max_rows=3).by("city", keys=[0, 1, 2, 3])
    asked.count("trips").sum("fare", bounds=(0, 100)).release(epsilon=1)

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

released({name: column[:1000] for name, column in cells.items()})
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = peak()
released(table)
print((peak() - before) / 10**6)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of memory is told by Linux")
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_tables_are_not_copied(kind: str) -> None:
    """A million rows of 32 bytes: what is kept of each is the 13 bytes of the kernel, and room for the rest of the work."""
    done = subprocess.run([sys.executable, "-c", MEMORY, kind], capture_output=True, check=True, text=True)
    assert 13 <= float(done.stdout) < 32


def test_one_liners() -> None:
    values, units, groups = [1.5, None, 3, 200], ["ann", "ben", "ann", "eve"], ["x", "y", "x", "y"]
    for convert in (list, numpy.array, pandas.Series, polars.Series, pyarrow.array):
        x = convert([1.5, NAN, 3, 200]) if convert is numpy.array else convert(values)
        more: dict[str, Any] = {"unit": convert(units), "max_rows": 2, "epsilon": 10**6}
        assert lastbit.count(x, **more).value == 3
        assert lastbit.count_units(convert(units), epsilon=10**6).value == 3
        assert round(lastbit.sum(x, bounds=(0, 100), **more).value, 2) == 104.5
        assert round(lastbit.mean(x, bounds=(0, 100), **more).value, 1) == 34.8
        assert lastbit.histogram(x, edges=[0, 2, 300], **more).value == [1, 2]
        by = {"by": convert(groups), "keys": ["x", "y", "z"], "max_groups": 1}
        assert lastbit.count(x, **more, **by).value == {"x": 2, "y": 1, "z": 0}
        assert lastbit.sum(x, bounds=(0, 100), unit="row", epsilon=10**6, by=convert(groups), keys=["y"]).value.keys() == {"y"}
    for attempt, problem in [
        (lambda: lastbit.count(values, epsilon=1), "whose privacy"),
        (lambda: lastbit.count(values, unit="rows", epsilon=1), "whose privacy"),
        (lambda: lastbit.sum(values, unit="row", epsilon=1), "bounds: is missing"),
        (lambda: lastbit.count(values, unit=units, epsilon=1), "max_rows: is missing"),
        (lambda: lastbit.count(values, unit=units[:2], max_rows=1, epsilon=1), "different numbers of rows"),
        (lambda: lastbit.count(values, unit="row", by=groups, epsilon=1), "go together"),
        (lambda: lastbit.count(values, unit="row", epsilon=None), "epsilon"),
        (lambda: lastbit.histogram(values, unit="row", epsilon=1), "edges: is missing"),
    ]:
        with pytest.raises(lastbit.ParameterError, match=problem):
            attempt()
    two = lastbit.table({"a": [1]}, unit="row").count("n").count_units("u").release(epsilon=1)
    with pytest.raises(lastbit.ParameterError, match="one answer"):
        two.value


def by_column(frame: Any) -> "dict[str, list[Any]]":
    if isinstance(frame, pyarrow.Table):
        return dict(frame.to_pydict())
    return {name: list(frame[name]) for name in getattr(frame, "columns", frame)}


def test_quantiles_variances_and_distinct_values() -> None:
    rides = {"rider": list(range(100)), "city": ["Bern", "Biel"] * 50, "fare": list(range(100))}
    edges = [0, 25, 50, 75, 100]
    frames: "list[Any]" = [rides, pandas.DataFrame(rides), polars.DataFrame(rides), pyarrow.table(rides)]
    for frame in frames:
        table = lastbit.table(frame, unit="row").by("city", keys=["Bern", "Biel", "Thun"])
        table = table.median("fare", edges=edges, name="middle").quantile("fare", q="3/4", edges=edges, name="upper")
        table = table.std("fare", bounds=(0, 100), name="spread").variance("fare", bounds=(0, 100))
        table = table.distinct("fare", values=[0, 1, 2, 3, 1000], name="seen").count("rides")
        made = table.release(epsilon=10**6)
        rows = {row["city"]: row for row in made.rows}
        assert (rows["Bern"]["middle"], rows["Bern"]["upper"], rows["Bern"]["seen"], rows["Biel"]["seen"]) == (50, 75, 2, 2)
        assert abs(rows["Bern"]["spread"] - 28.86) < 0.01 and abs(rows["Bern"]["fare"] - 833) < 1
        assert rows["Thun"]["middle"] in edges and rows["Thun"]["middle_interval"] is None

        # Each answer has what is known of how far off it is, whatever that is.
        ends = ["middle_rank_error", "upper_rank_error"]
        ends += [name + end for name in ("spread", "fare", "seen", "rides") for end in ("_low", "_high")]
        assert list(by_column(made.interval("0.9"))) == ["city", *ends]
        columns = by_column(made.plot())
        assert len(columns["query"]) == 18 and set(columns["bin"]) <= {None}
        for query, low in zip(columns["query"], columns["low"]):
            assert (low != low) == (query in ("middle", "upper"))
    assert lastbit.quantile([1, 2, 3], "0.9", edges=[0, 2, 4], unit="row", epsilon=10**6).value == 4
    with pytest.raises(lastbit.ParameterError, match="q: is missing"):
        lastbit.table(rides, unit="row").quantile("fare", q=None, edges=edges).release(epsilon=1)
    with pytest.raises(lastbit.ParameterError, match="edges"):
        lastbit.table(rides, unit="row").median("fare").release(epsilon=1)
