"""Values of other libraries: pyarrow, pandas, polars, and whatever else speaks Arrow.

What comes in goes out: the same class, name and index, and the same type where noise fits into it: float64, float32, int64 and int32 stay,
other integers come back as int64. Nulls stay null, and what lies under them does not matter; that a value is null is not protected.

None of these libraries is imported, unless the values come from there.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lastbit._lastbit import _release_arrow, _release_numpy
from lastbit.errors import UnsupportedType

if TYPE_CHECKING:
    from lastbit import Mechanism


def release(mechanism: "Mechanism", x: Any, out: Any, payment: Any, threads: int | None) -> Any:
    """Noisy values in the same form as the values. `payment` is made before noise is drawn.

    >>> import lastbit, pyarrow
    >>> lastbit.laplace(pyarrow.array([1.0, None]), scale=1)[1]
    <pyarrow.DoubleScalar: None>
    """
    if out is not None:
        raise UnsupportedType(f"out is for numpy arrays; the noisy {type(x).__name__} is returned")
    # The libraries of the class and of all that it is derived from.
    libraries = {base.__module__.partition(".")[0] for base in type(x).__mro__}
    for library, handler in _HANDLERS.items():
        if library in libraries:
            return handler(mechanism, x, payment, threads, sys.modules[library])
    if hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__"):
        return _release_arrow(mechanism, x, payment, threads)
    raise _refused(x)


def _pyarrow(mechanism: "Mechanism", x: Any, payment: Any, threads: int | None, pyarrow: Any) -> Any:
    if isinstance(x, (pyarrow.Table, pyarrow.RecordBatch)):
        raise _has_columns(x, x.column_names)
    if not isinstance(x, (pyarrow.Array, pyarrow.ChunkedArray)):
        raise _refused(x)
    noisy = pyarrow.array(_release_arrow(mechanism, x, payment, threads))
    if isinstance(x, pyarrow.Array):
        return noisy
    chunks = []
    start = 0
    for chunk in x.chunks:
        chunks.append(noisy.slice(start, len(chunk)))
        start += len(chunk)
    return pyarrow.chunked_array(chunks, type=noisy.type)


def _polars(mechanism: "Mechanism", x: Any, payment: Any, threads: int | None, polars: Any) -> Any:
    if isinstance(x, polars.DataFrame):
        raise _has_columns(x, x.columns)
    if not isinstance(x, polars.Series):
        raise _refused(x)
    return polars.Series(_release_arrow(mechanism, x, payment, threads)).alias(x.name)


def _pandas(mechanism: "Mechanism", x: Any, payment: Any, threads: int | None, pandas: Any) -> Any:
    import numpy

    if isinstance(x, pandas.DataFrame):
        raise _has_columns(x, x.columns)
    if not isinstance(x, pandas.Series):
        raise _refused(x)
    if isinstance(x.dtype, numpy.dtype):
        noisy = _release_numpy(mechanism, x.to_numpy(), payment, threads)
    elif hasattr(x.dtype, "__from_arrow__"):
        # Types with nulls go through Arrow, as far as they can come back.
        pyarrow = import_module("pyarrow")
        values = pyarrow.array(_release_arrow(mechanism, pyarrow.array(x), payment, threads))
        dtype = x.dtype
        if isinstance(dtype, pandas.ArrowDtype):
            dtype = pandas.ArrowDtype(values.type)
        elif values.type == pyarrow.int64():
            dtype = pandas.Int64Dtype()
        noisy = dtype.__from_arrow__(values)
    else:
        raise UnsupportedType(f"a Series of {x.dtype} is not taken; convert it first, as in x.astype('float64')")
    return pandas.Series(noisy, index=x.index, name=x.name, copy=False)


_HANDLERS = {"pyarrow": _pyarrow, "pandas": _pandas, "polars": _polars}


def _has_columns(x: Any, names: Any) -> UnsupportedType:
    example = next((repr(name) for name in names), "'name'")
    return UnsupportedType(
        f"a {type(x).__name__} has columns, and each has a sensitivity of its own: give one of them, as in x[{example}]"
    )


def _refused(x: Any) -> UnsupportedType:
    kind = type(x)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return UnsupportedType(
        f"{name} is not taken: give a number, a list, a numpy array, a pyarrow Array or ChunkedArray, a Series of pandas or polars, "
        "or any other object with __arrow_c_array__ or __arrow_c_stream__"
    )
