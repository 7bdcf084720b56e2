//! Arrow arrays in, a noisy Arrow array out, through the capsules of the Arrow PyCapsule interface.
//!
//! | module | what it does |
//! |---|---|
//! | `c_data` | the structs of the C data interface, who owns them, and what they point to: all the `unsafe` of this package |
//! | `column` | noise for the values that are not null |
//! | `kind` | the types of columns of tables |
//! | `table` | tables: from Arrow's columns to cells |
//!
//! As with numpy arrays, the interpreter's lock is released meanwhile, and an array that another thread changes gives results that make no
//! sense.

mod c_data;
mod column;
mod kind;
pub(crate) mod table;

use std::num::NonZeroUsize;
use std::sync::Arc;

use lastbit::Threads;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};

use crate::errors::UnsupportedType;
use crate::mechanism::Mechanism;
use crate::noise::{refused, threads_of};
use crate::payment::Payment;
use crate::values::Task;
use column::{Column, Stored};

/// Noisy values with nulls where the values had them; other libraries read it without a copy: `pyarrow.array(a)`, `polars.Series(a)`.
///
/// This is what comes back for an object with Arrow's capsule methods whose library `lastbit` does not know.
///
/// Nulls stay null: the noise protects the values, not which of them are missing.
///
/// >>> import lastbit
/// >>> class Temperatures:  # Any object with __arrow_c_array__ or __arrow_c_stream__.
/// ...     def __arrow_c_array__(self, requested_schema=None):
/// ...         import pyarrow
/// ...         return pyarrow.array([21.5, None, 19.0]).__arrow_c_array__(requested_schema)
/// >>> noisy = lastbit.laplace(Temperatures(), scale=1)
/// >>> noisy
/// ArrowArray(float64, length=3, null_count=1)
/// >>> noisy.to_list()[1] is None
/// True
#[pyclass(frozen, module = "lastbit")]
pub(crate) struct ArrowArray {
    column: Arc<Column>,
}

#[pymethods]
impl ArrowArray {
    /// For Arrow's consumers. A requested schema is a wish: the array comes as it is, and they cast.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        Ok((self.__arrow_c_schema__(py)?, c_data::array_capsule(py, &self.column)?))
    }

    /// For Arrow's consumers.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        c_data::schema_capsule(py, &self.column)
    }

    /// The type of the values, as numpy calls it.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.column.values().dtype()
    }

    /// The number of nulls.
    #[getter]
    fn null_count(&self) -> usize {
        self.column.null_count()
    }

    /// The values, None where they are null.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let item = |i| match self.column.is_valid(i) {
            true => self.column.values().item(py, i),
            false => Ok(py.None().into_bound(py)),
        };
        let items: Vec<Bound<'py, PyAny>> = (0..self.__len__()).map(item).collect::<PyResult<_>>()?;
        PyList::new(py, items)
    }

    fn __len__(&self) -> usize {
        self.column.values().len()
    }

    fn __repr__(&self) -> String {
        let (dtype, length, nulls) = (self.dtype(), self.__len__(), self.null_count());
        format!("ArrowArray({dtype}, length={length}, null_count={nulls})")
    }
}

/// Noisy values of an object with Arrow's capsule methods; all chunks of a stream are one array.
#[pyfunction]
#[pyo3(name = "_release_arrow", signature = (mechanism, x, payment=None, threads=None, /))]
pub(crate) fn release_arrow<'py>(
    mechanism: &Bound<'py, Mechanism>,
    x: &Bound<'py, PyAny>,
    payment: Option<&Bound<'py, Payment>>,
    #[pyo3(from_py_with = threads_of)] threads: Option<NonZeroUsize>,
) -> PyResult<ArrowArray> {
    let threads = threads.map_or(Threads::ALL, Threads::new);
    let (py, task) = (x.py(), &Task { mechanism: mechanism.get(), payment, threads });
    let imported = import(x, |schema| schema.primitive_format().is_ok())?;
    let column = match imported.schema.primitive_format() {
        Ok(b"g") => noisy::<f64>(py, task, &imported),
        Ok(b"f") => noisy::<f32>(py, task, &imported),
        Ok(b"l") => noisy::<i64>(py, task, &imported),
        Ok(b"i") => noisy::<i32>(py, task, &imported),
        Ok(b"c") => noisy::<i8>(py, task, &imported),
        Ok(b"C") => noisy::<u8>(py, task, &imported),
        Ok(b"s") => noisy::<i16>(py, task, &imported),
        Ok(b"S") => noisy::<u16>(py, task, &imported),
        Ok(b"I") => noisy::<u32>(py, task, &imported),
        Ok(b"L") => noisy::<u64>(py, task, &imported),
        Ok(format) => Err(refused(task.noise(), &type_name(format), "cast")),
        Err(error) => Err(refused(task.noise(), error, "cast")),
    }?;
    Ok(ArrowArray { column: Arc::new(column) })
}

/// The number of values of an object with `__arrow_c_array__`, by Arrow's own count; `None` for other objects.
pub(crate) fn length(x: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if !x.hasattr(ARRAY_METHOD)? {
        return Ok(None);
    }
    import(x, |_| true)?.arrays.first().map(|array| array.length().map_err(malformed)).transpose()
}

/// Whether an object has `__arrow_c_stream__`, which can be the only time to see its values.
pub(crate) fn is_stream(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    x.hasattr(STREAM_METHOD)
}

/// Whether an object with `__arrow_c_array__` has values of single precision.
pub(crate) fn is_single(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(x.hasattr(ARRAY_METHOD)? && import(x, |_| true)?.schema.primitive_format() == Ok(b"f"))
}

const ARRAY_METHOD: &str = "__arrow_c_array__";
const STREAM_METHOD: &str = "__arrow_c_stream__";

/// The arrays of an object with Arrow's capsule methods; of a stream, if its type is wanted.
fn import(
    x: &Bound<'_, PyAny>,
    is_wanted: impl Fn(&c_data::Schema) -> bool + Sync,
) -> PyResult<c_data::Imported> {
    let capsules = |what: &str| UnsupportedType::new_err(format!("{what} did not return Arrow's capsules"));
    if x.hasattr(ARRAY_METHOD)? {
        let pair = x.call_method0(ARRAY_METHOD)?;
        let pair: (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair
            .cast::<PyTuple>()
            .ok()
            .and_then(|pair| pair.extract().ok())
            .ok_or_else(|| capsules(ARRAY_METHOD))?;
        c_data::import_array(&pair.0, &pair.1)
    } else {
        let stream = x.call_method0(STREAM_METHOD)?;
        let stream = stream.cast::<PyCapsule>().map_err(|_| capsules(STREAM_METHOD))?;
        c_data::import_stream(stream, is_wanted)
    }
}

fn noisy<S: Stored>(py: Python<'_>, task: &Task<'_, '_>, imported: &c_data::Imported) -> PyResult<Column> {
    let chunks = imported.arrays.iter().map(|array| array.chunk(S::SIZE));
    let chunks: Vec<column::Chunk<'_>> = chunks.collect::<Result<_, _>>().map_err(malformed)?;
    column::release::<S>(py, task, &chunks)
}

fn malformed(error: c_data::Malformed) -> PyErr {
    UnsupportedType::new_err(format!("the values are not a well-formed Arrow array: {error}"))
}

/// The type behind a format string, for messages.
fn type_name(format: &[u8]) -> String {
    let name = match format {
        b"n" => "null",
        b"b" => "bool",
        b"e" => "float16",
        b"u" | b"U" | b"vu" => "strings",
        b"z" | b"Z" | b"vz" => "bytes",
        b"+s" => "a struct or a table (give one of its columns)",
        [b'd', ..] => "decimals",
        [b't', ..] => "dates or times",
        _ => return format!("of Arrow's format {:?}", String::from_utf8_lossy(format)),
    };
    name.to_owned()
}
