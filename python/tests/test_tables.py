"""Arrow arrays, and the series of pandas and polars: what comes in goes out, and nulls stay."""

import ctypes
import gc
import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lastbit

pa: Any = pytest.importorskip("pyarrow")

Case = tuple[Callable[..., Any], dict[str, Any], str]

# Noise so small that every value other than zero is rounded back to itself: what goes where can be seen.
SILENT: Any = lastbit.Laplace(scale="1e-60")
# Noise that hardly ever fits in 32 bits.
LOUD: Any = lastbit.Laplace(scale=2**60)


def nullable(dtype: str, n: int, offset: int = 0) -> Any:
    """The numbers 1 to n with a null at every third, behind some others."""
    values = np.arange(1 - offset, n + 1).astype(dtype)
    nulls = (np.arange(-offset, n) % 3) == 1
    return pa.array(values, mask=nulls).slice(offset)


@pytest.mark.parametrize("offset", [0, 1, 7, 8, 13])
@pytest.mark.parametrize("n", [0, 1, 2, 9, 1000])
def test_arrays(case: Case, n: int, offset: int) -> None:
    function, parameters, dtype = case
    x = nullable(dtype, n, offset)
    before = x.to_pylist()
    noisy = function(x, **parameters)
    assert isinstance(noisy, pa.Array) and noisy.type == x.type
    noisy.validate(full=True)
    assert noisy.is_null().equals(x.is_null()) and noisy.null_count == x.null_count
    assert x.to_pylist() == before, "the values are left alone"
    if n > 100:
        noise = [b - a for a, b in zip(before, noisy.to_pylist()) if a is not None]
        assert any(noise) and max(map(abs, noise)) < 200


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
def test_every_value_stays_in_its_place(dtype: str) -> None:
    for offset in range(18):
        x = nullable(dtype, 100, offset)
        assert SILENT(x).equals(x)
        dense = pa.array(np.arange(1, 100).astype(dtype)).slice(offset)
        assert SILENT(dense).equals(dense) and SILENT(dense).null_count == 0


def test_all_null_and_empty() -> None:
    x = pa.array([None] * 20, pa.int32())
    assert LOUD(x).equals(x), "no noise is drawn for a null, so none can be too large"
    for x in [pa.array([], pa.float64()), pa.chunked_array([], pa.float32()), nullable("int64", 10).slice(10)]:
        assert SILENT(x).equals(x) and SILENT(x).type == x.type


def test_what_lies_under_a_null_does_not_matter() -> None:
    garbage = np.array([1.0, math.nan, math.inf, 2.0])
    x = pa.array(garbage, mask=np.array([False, True, True, False]))
    assert math.isnan(np.frombuffer(x.buffers()[1])[1]), "it is there"
    noisy = SILENT(x)
    assert noisy.to_pylist() == [1.0, None, None, 2.0]
    assert np.frombuffer(noisy.buffers()[1], count=4).tolist() == [1.0, 0.0, 0.0, 2.0], "and not in the result"


def test_errors_name_the_position() -> None:
    x = pa.array([None, 1.0, None, math.nan, math.inf])
    with pytest.raises(lastbit.DomainError, match="value 3 ") as error:
        SILENT(x)
    assert error.value.index == 3
    with pytest.raises(lastbit.DomainError) as error:
        SILENT(pa.chunked_array([[1.0, None], [], [None, 2.0], [math.inf]]))
    assert error.value.index == 4, "counted through all chunks"
    with pytest.raises(lastbit.NoiseOverflow) as overflow:
        LOUD(pa.array([None, None, 1], pa.int32()))
    assert overflow.value.index == 2


def test_chunks_stay() -> None:
    x = pa.chunked_array([[1.0, None], [], [3.0], nullable("float64", 30).slice(5)])
    noisy = SILENT(x)
    assert isinstance(noisy, pa.ChunkedArray) and noisy.type == x.type
    assert [len(chunk) for chunk in noisy.chunks] == [2, 0, 1, 25]
    assert noisy.equals(x)
    noisy.validate(full=True)
    single = SILENT(pa.chunked_array([[1.0], [2.0]], pa.float32()))
    assert single.type == pa.float32() and single.to_pylist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "x",
    [
        pa.array(["a"]),
        pa.array([True]),
        pa.array([None]),
        pa.array([[1.0]]),
        pa.array([{"a": 1.0}]),
        pa.array([1.0]).dictionary_encode(),
        pa.array([1], pa.timestamp("s")),
        pa.array([1], pa.date32()),
        pa.array([1], pa.duration("s")),
        pa.array([1], pa.decimal128(5)),
        pa.array(np.array([1.5], "float16")),
        pa.chunked_array([["a"]]),
        pa.chunked_array([], pa.string()),
        pa.scalar(1.0),
        pa.float64(),
    ],
    ids=lambda x: str(getattr(x, "type", x)),
)
def test_other_types_are_refused(x: Any) -> None:
    with pytest.raises(lastbit.UnsupportedType):
        SILENT(x)


def test_messages_of_refusals() -> None:
    with pytest.raises(lastbit.UnsupportedType, match="takes float64, .* these values are strings"):
        SILENT(pa.array(["a"]))
    with pytest.raises(lastbit.UnsupportedType, match="DiscreteLaplace takes int64, int32, and these values are float64"):
        lastbit.discrete_laplace(pa.array([1.0]), scale=1)
    with pytest.raises(lastbit.UnsupportedType, match=r"a Table has columns.*x\['income'\]"):
        SILENT(pa.table({"income": [1.0]}))
    with pytest.raises(lastbit.UnsupportedType, match=r"a RecordBatch has columns.*x\['income'\]"):
        SILENT(pa.record_batch({"income": [1.0]}))
    with pytest.raises(lastbit.UnsupportedType, match="out is for numpy arrays"):
        SILENT(pa.array([1.0]), out=np.zeros(1))
    with pytest.raises(lastbit.UnsupportedType, match="set is not taken"):
        SILENT({1.0})


def test_extension_types_are_refused() -> None:
    class Celsius(pa.ExtensionType):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(pa.float64(), "lastbit.celsius")

        def __arrow_ext_serialize__(self) -> bytes:
            return b""

    x = pa.ExtensionArray.from_storage(Celsius(), pa.array([1.0]))
    with pytest.raises(lastbit.UnsupportedType, match="extension type"):
        SILENT(x)
    assert SILENT(x.storage).equals(x.storage)


class Foreign:
    """An object of a library that is not known, with one of Arrow's methods."""

    def __init__(self, x: Any, method: str = "__arrow_c_array__") -> None:
        setattr(self, method, getattr(x, method))


def test_arrow_array() -> None:
    noisy = SILENT(Foreign(nullable("float32", 4)))
    assert isinstance(noisy, lastbit.ArrowArray)
    assert repr(noisy) == "ArrowArray(float32, length=4, null_count=1)"
    assert (noisy.dtype, noisy.null_count, len(noisy)) == ("float32", 1, 4)
    assert noisy.to_list() == [1.0, None, 3.0, 4.0]
    assert pa.array(noisy).equals(nullable("float32", 4))
    assert pa.array(noisy, pa.float32()).equals(pa.array(noisy))
    assert pa.field(noisy).type == pa.float32()
    assert SILENT(noisy).to_list() == noisy.to_list(), "it can be released again"
    first, second = (pa.array(noisy).buffers()[1].address for _ in range(2))
    assert first == second, "the values are not copied"


def test_streams() -> None:
    chunks = pa.chunked_array([[1, None], [], [3, 4]], pa.int32())
    noisy = SILENT(Foreign(chunks, "__arrow_c_stream__"))
    assert isinstance(noisy, lastbit.ArrowArray)
    assert noisy.dtype == "int32" and noisy.to_list() == [1, None, 3, 4]
    with pytest.raises(lastbit.UnsupportedType, match="give one of its columns"):
        SILENT(Foreign(pa.table({"a": [1.0]}), "__arrow_c_stream__"))


def test_grid_laplace_counts_and_finds_single_precision() -> None:
    kinds: list[Any] = [nullable("float32", 5), pa.chunked_array([nullable("float32", 5)]), Foreign(nullable("float32", 5))]
    for x in kinds:
        release = lastbit.grid_laplace(x, epsilon=1, sensitivity=1, k=-5, claim=True)
        whole = lastbit.grid_laplace(np.zeros(5, np.float32), epsilon=1, sensitivity=1, k=-5, claim=True)
        assert release.loss == whole.loss and len(release.value) == 5
    # How many values neighbours differ in decides the loss, so it is not guessed.
    stream: Any = Foreign(pa.chunked_array([[1.0, 2.0]]), "__arrow_c_stream__")
    with pytest.raises(lastbit.UnsupportedType, match="make one array"):
        lastbit.grid_laplace(stream, epsilon=1, sensitivity=1)
    assert len(lastbit.grid_laplace(stream, epsilon=1, sensitivity=1, max_changed=2)) == 2


def test_budget_and_claim() -> None:
    budget = lastbit.Budget(epsilon=1)
    release = lastbit.laplace(pa.array([1.0, None]), epsilon=1, sensitivity=1, budget=budget, claim=True)
    assert release.loss == 1 and isinstance(release.value, pa.Array) and budget.remaining == 0
    with pytest.raises(lastbit.BudgetExceeded):
        lastbit.laplace(pa.array([1.0]), epsilon=1, sensitivity=1, budget=budget)


def test_nothing_leaks() -> None:
    x = pa.array(np.arange(1.0, 100_001.0), mask=np.arange(100_000) % 2 == 0)
    chunked = pa.chunked_array([x, x])
    gc.collect()
    before = pa.total_allocated_bytes()
    for _ in range(100):
        noisy = SILENT(x)
        noisy.__arrow_c_array__()  # Capsules that nobody takes from.
        SILENT(chunked)
        del noisy
    assert pa.total_allocated_bytes() == before
    with open("/proc/self/statm") as statm:
        pages = int(statm.read().split()[1])
    for _ in range(100):
        SILENT(x)
    with open("/proc/self/statm") as statm:
        grown = int(statm.read().split()[1]) - pages
    assert grown * 4096 < 20 * x.nbytes, "100 results of this size would be more"


# Arrays made by hand, for what no library makes.


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


def callback(result: Any, *arguments: Any) -> Any:
    return ctypes.CFUNCTYPE(result, *(ctypes.POINTER(argument) for argument in arguments))


schema_release = callback(None, Schema)
array_release = callback(None, Array)
stream_release = callback(None, Stream)
get_schema = callback(ctypes.c_int, Stream, Schema)
get_next = callback(ctypes.c_int, Stream, Array)
get_last_error = callback(ctypes.c_void_p, Stream)

Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", schema_release),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", array_release),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", get_schema),
    ("get_next", get_next),
    ("get_last_error", get_last_error),
    ("release", stream_release),
    ("private_data", ctypes.c_void_p),
]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
new_capsule.restype = ctypes.py_object


class ByHand:
    """A producer that counts its releases; its memory stays as long as it does."""

    capsules = (b"arrow_schema", b"arrow_array")

    def __init__(self, values: Any = (1.0, 2.0, 3.0), bitmap: "bytes | None" = None, **fields: Any) -> None:
        self.released = {"schema": 0, "array": 0}
        self.memory = values if isinstance(values, bytes) else np.array(values, "float64").tobytes()
        self.values = ctypes.create_string_buffer(self.memory, len(self.memory))
        self.bitmap = ctypes.create_string_buffer(bitmap) if bitmap is not None else None
        address = ctypes.addressof(self.values)
        validity = ctypes.addressof(self.bitmap) if self.bitmap is not None else None
        self.buffers: Any = (ctypes.c_void_p * 2)(validity, address)
        self.schema = Schema(format=b"g", release=schema_release(self.release_schema))
        self.array = Array(length=3, null_count=-1, n_buffers=2, release=array_release(self.release_array))
        self.array.buffers = self.buffers
        for name, value in fields.items():
            setattr(self.schema if hasattr(self.schema, name) and name != "dictionary" else self.array, name, value)

    def release_schema(self, schema: Any) -> None:
        self.released["schema"] += 1
        schema.contents.release = schema_release()

    def release_array(self, array: Any) -> None:
        self.released["array"] += 1
        array.contents.release = array_release()

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        schema, array = self.capsules
        return (
            new_capsule(ctypes.addressof(self.schema), schema, None),
            new_capsule(ctypes.addressof(self.array), array, None),
        )


def test_by_hand() -> None:
    x = ByHand()
    assert SILENT(x).to_list() == [1.0, 2.0, 3.0]
    assert x.released == {"schema": 1, "array": 1}
    assert not x.schema.release and not x.array.release, "what was moved is marked"
    with pytest.raises(lastbit.UnsupportedType, match="released before"):
        SILENT(x)
    assert x.released == {"schema": 1, "array": 1}


def test_null_counts_that_are_not_known_or_wrong() -> None:
    for null_count in [-1, 0, 1, 7]:
        x = ByHand(bitmap=b"\xfd", null_count=null_count)
        noisy = SILENT(x)
        assert noisy.to_list() == [1.0, None, 3.0] and noisy.null_count == 1, "the bitmap counts"
    all_valid = SILENT(ByHand(bitmap=b"\x07"))
    assert all_valid.null_count == 0 and pa.array(all_valid).to_pylist() == [1.0, 2.0, 3.0]


def test_misaligned_values() -> None:
    x = ByHand(b"?" + np.array([1.0, 2.0, 3.0]).tobytes())
    x.buffers[1] += 1
    assert SILENT(x).to_list() == [1.0, 2.0, 3.0]


def test_offset_and_length() -> None:
    assert SILENT(ByHand(offset=1, length=2)).to_list() == [2.0, 3.0]
    assert SILENT(ByHand(offset=1, length=1, bitmap=b"\x02")).to_list() == [2.0]
    empty = ByHand(length=0, n_buffers=0)
    empty.array.buffers = None
    assert SILENT(empty).to_list() == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"length": -1}, "length is negative"),
        ({"offset": -1}, "offset is negative"),
        ({"offset": 2**63 - 1}, "too large"),
        ({"length": 2**61}, "too large"),
        ({"length": 2**60 - 1, "offset": 2**60}, "too large"),
        ({"n_buffers": 3}, "two buffers"),
        ({"n_buffers": -1}, "two buffers"),
        ({"null_count": 1}, "buffer of nulls is missing"),
        ({"dictionary": 8}, "dictionary"),
        ({"format": None}, "of no type"),
        ({"format": b""}, "format"),
        ({"format": b"gg"}, "format"),
        ({"metadata": b"\x01\0\0\0\x14\0\0\0ARROW:extension:name\x01\0\0\0x"}, "extension type"),
        ({"metadata": b"\xff\xff\xff\xff"}, "extension type"),
    ],
)
def test_malformed_arrays_are_refused(fields: dict[str, Any], message: str) -> None:
    x = ByHand(**fields)
    with pytest.raises(lastbit.UnsupportedType, match=message):
        SILENT(x)
    assert x.released == {"schema": 1, "array": 1}, "released once, in spite of the error"


def test_missing_buffers_are_refused() -> None:
    x = ByHand()
    x.buffers[1] = None
    with pytest.raises(lastbit.UnsupportedType, match="buffer of values is missing"):
        SILENT(x)
    x = ByHand()
    x.array.buffers = None
    with pytest.raises(lastbit.UnsupportedType, match="two buffers"):
        SILENT(x)


def test_other_metadata_is_read_over() -> None:
    x = ByHand(metadata=b"\x02\0\0\0\x01\0\0\0a\x01\0\0\0b\x01\0\0\0c\x02\0\0\0de")
    assert SILENT(x).to_list() == [1.0, 2.0, 3.0]


def test_wrong_capsules_are_refused() -> None:
    x = ByHand()
    x.capsules = (b"arrow_schema", b"something")
    with pytest.raises(lastbit.UnsupportedType, match="arrow_array"):
        SILENT(x)
    assert x.released == {"schema": 1, "array": 0}
    for wrong in [None, (1, 2), (1,), "ab"]:
        setattr(x, "__arrow_c_array__", lambda wrong=wrong: wrong)
        with pytest.raises(lastbit.UnsupportedType, match="capsules"):
            SILENT(x)


class StreamByHand:
    """A stream of arrays made by hand, which fails at the end if it is told to."""

    def __init__(self, arrays: list[ByHand], code: int = 0, reason: "bytes | None" = b"out of luck") -> None:
        self.schema = ByHand()
        self.arrays = arrays
        self.left = list(arrays)
        self.code = code
        self.released = 0
        self.reason = ctypes.create_string_buffer(reason) if reason is not None else None
        self.stream = Stream(
            get_schema=get_schema(self.get_schema),
            get_next=get_next(self.get_next),
            get_last_error=get_last_error(lambda stream: self.reason and ctypes.addressof(self.reason)),
            release=stream_release(self.release),
        )

    def get_schema(self, stream: Any, out: Any) -> int:
        ctypes.memmove(out, ctypes.addressof(self.schema.schema), ctypes.sizeof(Schema))
        return 0

    def get_next(self, stream: Any, out: Any) -> int:
        if self.left:
            ctypes.memmove(out, ctypes.addressof(self.left.pop(0).array), ctypes.sizeof(Array))
            return 0
        out.contents.release = array_release()
        return self.code

    def release(self, stream: Any) -> None:
        self.released += 1
        stream.contents.release = stream_release()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return new_capsule(ctypes.addressof(self.stream), b"arrow_array_stream", None)


def test_stream_by_hand() -> None:
    for code in [0, 5]:
        x = StreamByHand([ByHand(), ByHand(bitmap=b"\x05"), ByHand(length=0)], code)
        if code == 0:
            assert SILENT(x).to_list() == [1.0, 2.0, 3.0, 1.0, None, 3.0]
        else:
            with pytest.raises(lastbit.SystemFailure, match=r"next array: out of luck \(error 5\)"):
                SILENT(x)
        assert [array.released["array"] for array in x.arrays] == [1, 1, 1]
        assert x.schema.released["schema"] == 1 and x.released == 1
    with pytest.raises(lastbit.SystemFailure, match="no reason given"):
        SILENT(StreamByHand([], 5, None))
    lengths = StreamByHand([ByHand(length=2**59) for _ in range(40)])
    with pytest.raises(MemoryError):
        SILENT(lengths)
    missing = StreamByHand([])
    missing.stream.get_next = get_next()
    with pytest.raises(lastbit.UnsupportedType, match="no callback"):
        SILENT(missing)


def test_nanoarrow() -> None:
    nanoarrow = pytest.importorskip("nanoarrow")
    x = nanoarrow.Array([1.0, None, 3.0], nanoarrow.float64())
    noisy = SILENT(x)
    assert isinstance(noisy, lastbit.ArrowArray)
    assert nanoarrow.Array(noisy).to_pylist() == [1.0, None, 3.0]


# polars


@pytest.mark.parametrize("dtype", ["Float64", "Float32", "Int64", "Int32"])
def test_polars(dtype: str) -> None:
    pl = pytest.importorskip("polars")
    x = pl.Series("income", [1, None, 3, 4], getattr(pl, dtype))
    for values in [x, x[1:], x.append(x), x[:0], x.set_sorted()]:
        noisy = SILENT(values)
        assert isinstance(noisy, pl.Series) and noisy.name == "income" and noisy.dtype == x.dtype
        assert noisy.equals(values, null_equal=True)


def test_polars_refusals() -> None:
    pl = pytest.importorskip("polars")
    with pytest.raises(lastbit.UnsupportedType, match=r"a DataFrame has columns.*x\['a'\]"):
        SILENT(pl.DataFrame({"a": [1.0]}))
    for x in [pl.Series(["a"]), pl.Series(["a"], dtype=pl.Categorical), pl.Series([[1.0]]), pl.LazyFrame(), pl.col("a")]:
        with pytest.raises(lastbit.UnsupportedType):
            SILENT(x)
    with pytest.raises(lastbit.DomainError) as error:
        SILENT(pl.Series([None, 1.0, math.nan]))
    assert error.value.index == 2
    single = lastbit.grid_laplace(pl.Series([1.0, None], dtype=pl.Float32), epsilon=1, sensitivity=1)
    assert single.dtype == pl.Float32


# pandas


def pandas_series(dtype: str) -> Any:
    pd: Any = pytest.importorskip("pandas")
    values = [1, 2, 3, 4] if dtype.islower() and "[" not in dtype else [1, None, 3, 4]
    return pd.Series(values, index=["d", "c", "b", "a"], name="income", dtype=dtype)


PANDAS_DTYPES = ["float64", "float32", "int64", "int32", "Float64", "Float32", "Int64", "Int32"]
PANDAS_ARROW_DTYPES = ["double[pyarrow]", "float[pyarrow]", "int64[pyarrow]", "int32[pyarrow]"]


@pytest.mark.parametrize("dtype", PANDAS_DTYPES + PANDAS_ARROW_DTYPES)
def test_pandas(dtype: str) -> None:
    pd: Any = pytest.importorskip("pandas")
    x = pandas_series(dtype)
    for values in [x, x[1:], x[::-2], pd.concat([x, x]), x[:0]]:
        before = values.copy()
        noisy = SILENT(values)
        assert noisy is not values
        pd.testing.assert_series_equal(noisy, values)
        noisy[:] = 0
        pd.testing.assert_series_equal(values, before)
    if "loat32" in dtype or dtype == "float[pyarrow]":
        single = lastbit.grid_laplace(x, epsilon=1, sensitivity=1)
        assert single.dtype == x.dtype


def test_pandas_nan() -> None:
    pd: Any = pytest.importorskip("pandas")
    with pytest.raises(lastbit.DomainError) as error:
        SILENT(pd.Series([1.0, math.nan]))
    assert error.value.index == 1, "in numpy's types NaN is a value"
    with pytest.raises(lastbit.DomainError) as error:
        SILENT(pd.Series([None, 1.0, math.inf], dtype="Float64"))
    assert error.value.index == 2


def test_pandas_refusals() -> None:
    pd: Any = pytest.importorskip("pandas")
    with pytest.raises(lastbit.UnsupportedType, match=r"a DataFrame has columns.*x\['a'\]"):
        SILENT(pd.DataFrame({"a": [1.0]}))
    with pytest.raises(lastbit.UnsupportedType, match=r"x\['name'\]"):
        SILENT(pd.DataFrame())
    refused = [
        pd.Series(["a"]),
        pd.Series([True]),
        pd.Series([True], dtype="boolean"),
        pd.Series([1.0], dtype=object),
        pd.Series([1.0], dtype="category"),
        pd.Series([1.0], dtype="Sparse[float64]"),
        pd.Series(pd.to_datetime(["2020-01-01"])),
        pd.Series(pd.period_range("2020", periods=2, freq="D")),
        pd.Series(["a"], dtype="string"),
        pd.Index([1.0]),
    ]
    for x in refused:
        with pytest.raises(lastbit.UnsupportedType):
            SILENT(x)


def test_series_of_a_class_of_its_own() -> None:
    pd: Any = pytest.importorskip("pandas")

    class Incomes(pd.Series):  # type: ignore[misc]
        pass

    noisy = SILENT(Incomes([1.0, 2.0], name="income"))
    assert isinstance(noisy, pd.Series) and noisy.tolist() == [1.0, 2.0] and noisy.name == "income"


def test_no_library_is_imported_without_need() -> None:
    code = """if True:
        import sys, lastbit
        try:
            lastbit.laplace({1.0}, scale=1)
        except lastbit.UnsupportedType:
            pass
        assert "lastbit._tables" in sys.modules
        assert not {"pandas", "polars", "pyarrow"} & set(sys.modules)
    """
    subprocess.run([sys.executable, "-c", code], check=True)
