//! Mechanisms that choose one of several candidates by their scores.

use lastbit::{Exponential, Metric, Neighbours, NoisyMax, Rational, Score, Selection as _, ValueType};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::PyClassInitializer;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::budget::Budget;
use crate::build::dtype_name;
use crate::claim::{Claim, Release};
use crate::errors::{DomainError, ParameterError, UnsupportedType, python};
use crate::mechanism::{Argument, Object, confidence};
use crate::noise::with_source;
use crate::renamed::{Others, required};
use crate::{number, values};

/// The types of scores, the first of them that of lists.
const TYPES: [ValueType; 4] = [ValueType::F64, ValueType::F32, ValueType::I64, ValueType::I32];

#[derive(Clone)]
enum Rule {
    NoisyMax(NoisyMax),
    Exponential(Exponential),
}

macro_rules! each {
    ($self:expr, $mechanism:ident => $call:expr) => {
        match $self {
            Rule::NoisyMax($mechanism) => $call,
            Rule::Exponential($mechanism) => $call,
        }
    };
}

/// What mechanisms can do that choose one of several candidates: call one with scores to choose.
#[pyclass(frozen, subclass, module = "lastbit")]
#[derive(Clone)]
pub(crate) struct Selection {
    rule: Rule,
    monotone: bool,
    dtype: Option<ValueType>,
    sensitivity: Option<Rational>,
    arguments: Vec<(&'static str, Argument)>,
}

/// The arguments of a class or a function.
struct Asked<'a, 'py> {
    scale: Object<'a, 'py>,
    epsilon: Object<'a, 'py>,
    sensitivity: Object<'a, 'py>,
    monotone: bool,
    dtype: Option<String>,
}

fn metric(monotone: bool) -> Metric {
    if monotone { Metric::Range } else { Metric::LInfinity }
}

impl Asked<'_, '_> {
    fn build(
        self,
        of_scale: impl FnOnce(Rational) -> Result<Rule, lastbit::Error>,
        for_epsilon: impl FnOnce(&Rational, &Rational, Metric) -> Result<Rule, lastbit::Error>,
    ) -> PyResult<Selection> {
        let mut arguments = Vec::new();
        let mut exact = |name, x: Object<'_, '_>| {
            let value = x.map(|x| number::exact(name, x)).transpose()?;
            arguments.extend(value.as_ref().map(|value| (name, Argument::Text(value.to_short()))));
            PyResult::Ok(value)
        };
        let scale = exact("scale", self.scale)?;
        let epsilon = exact("epsilon", self.epsilon)?;
        let sensitivity = exact("sensitivity", self.sensitivity)?;
        let refuse = |message: &'static str| Err(ParameterError::new_err(message));
        let rule = match (scale, &epsilon, &sensitivity) {
            (Some(scale), None, _) => of_scale(scale),
            (None, Some(epsilon), Some(sensitivity)) => {
                for_epsilon(epsilon, sensitivity, metric(self.monotone))
            }
            (None, Some(_), None) => return refuse("epsilon needs sensitivity"),
            (None, None, _) => return refuse("give scale, or epsilon and sensitivity"),
            (Some(_), Some(_), _) => return refuse("give scale or epsilon, not both"),
        };
        let dtype = self.dtype.map(|name| declared(&name)).transpose()?;
        if self.monotone {
            arguments.push(("monotone", Argument::Flag(true)));
        }
        arguments.extend(dtype.map(|dtype| ("dtype", Argument::Text(dtype.name().into()))));
        let rule = rule.map_err(python)?;
        Ok(Selection { rule, monotone: self.monotone, dtype, sensitivity, arguments })
    }

    fn noisy_max(self) -> PyResult<Selection> {
        self.build(
            |scale| NoisyMax::new(scale).map(Rule::NoisyMax),
            |epsilon, distance, metric| NoisyMax::for_epsilon(epsilon, distance, metric).map(Rule::NoisyMax),
        )
    }

    fn exponential(self) -> PyResult<Selection> {
        self.build(
            |scale| Exponential::new(scale).map(Rule::Exponential),
            |epsilon, distance, metric| {
                Exponential::for_epsilon(epsilon, distance, metric).map(Rule::Exponential)
            },
        )
    }
}

/// The type of this name, if scores can have it.
fn declared(name: &str) -> PyResult<ValueType> {
    ValueType::named(name).filter(|values| TYPES.contains(values)).ok_or_else(|| {
        let taken: Vec<String> = TYPES.iter().map(|values| format!("{:?}", values.name())).collect();
        ParameterError::new_err(format!("dtype must be one of {}, but is {name:?}", taken.join(", ")))
    })
}

/// Scores of one type.
enum Scores {
    F64(Vec<f64>),
    F32(Vec<f32>),
    I64(Vec<i64>),
    I32(Vec<i32>),
}

/// Public weights.
enum Weights {
    F64(Vec<f64>),
    Exact(Vec<Rational>),
}

/// Calls with scores of whatever type.
macro_rules! scores {
    ($self:expr, $scores:ident => $call:expr) => {
        match $self {
            Scores::F64($scores) => $call,
            Scores::F32($scores) => $call,
            Scores::I64($scores) => $call,
            Scores::I32($scores) => $call,
        }
    };
}

/// Lists as they are; series of libraries of tables as arrays of numpy; narrow integers as int64.
fn as_list_or_array<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if x.is_instance_of::<PyList>() || x.is_instance_of::<PyTuple>() {
        return Ok(x.clone());
    }
    let array = if x.cast::<PyUntypedArray>().is_err() && x.hasattr("to_numpy")? {
        x.call_method0("to_numpy")?
    } else {
        x.clone()
    };
    let narrow = ["int8", "int16", "uint8", "uint16", "uint32"];
    match array.getattr_opt("dtype")? {
        Some(dtype) if narrow.contains(&dtype.str()?.to_str()?) => array.call_method1("astype", ("int64",)),
        _ => Ok(array),
    }
}

impl Selection {
    fn metric(&self) -> Metric {
        metric(self.monotone)
    }

    /// The type of these scores: that of an array, or the declared one for lists.
    fn type_of(&self, scores: &Bound<'_, PyAny>) -> PyResult<ValueType> {
        let Ok(array) = scores.cast::<PyUntypedArray>() else {
            return Ok(self.dtype.unwrap_or(TYPES[0]));
        };
        let refuse = |message: String| Err(UnsupportedType::new_err(message));
        if array.ndim() != 1 {
            return refuse(format!("the scores must have one dimension, and have {}", array.ndim()));
        }
        let name = array.dtype().str()?.to_string();
        match (ValueType::named(&name).filter(|values| TYPES.contains(values)), self.dtype) {
            (Some(found), Some(declared)) if found != declared => {
                refuse(format!("the scores are {found}, and dtype says {declared}: convert them with astype"))
            }
            (Some(found), _) => Ok(found),
            (None, _) => refuse(format!("scores are float64, float32, int64 or int32, and these are {name}")),
        }
    }

    fn neighbours(&self, d_in: Object<'_, '_>) -> PyResult<Neighbours> {
        match (d_in, &self.sensitivity) {
            (Some(d_in), _) => Ok(Neighbours::at(number::exact("d_in", d_in)?)),
            (None, Some(sensitivity)) => Ok(Neighbours::at(sensitivity.clone())),
            (None, None) => Err(ParameterError::new_err(
                "the loss depends on how far scores can move: give d_in, or build the mechanism with sensitivity",
            )),
        }
    }

    fn claim_for(&self, values: ValueType, neighbours: &Neighbours) -> PyResult<lastbit::Claim> {
        each!(&self.rule, m => m.claim(values, self.metric(), neighbours)).map_err(python)
    }

    /// Chooses. What is due is paid when nothing is left to refuse but values.
    pub(crate) fn choose<'py>(
        &self,
        scores: &Bound<'py, PyAny>,
        given: &Given<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = scores.py();
        let scores = as_list_or_array(scores)?;
        let values = self.type_of(&scores)?;
        let size = values::count(&scores)?;
        if let Some(candidates) = given.candidates
            && candidates.len()? != size
        {
            let message = format!("there are {} candidates and {size} scores", candidates.len()?);
            return Err(ParameterError::new_err(message));
        }
        let weights = given.weights.map(|weights| read_weights(weights, size)).transpose()?;
        let read = match values {
            ValueType::F32 => values::vector(&scores).map(Scores::F32),
            ValueType::I64 => values::vector(&scores).map(Scores::I64),
            ValueType::I32 => values::vector(&scores).map(Scores::I32),
            _ => values::vector(&scores).map(Scores::F64),
        };
        // What depends on a value stays paid.
        let read = match read {
            Err(error) if !error.is_instance_of::<DomainError>(py) => return Err(error),
            read => read,
        };
        let claim = match given.budget.is_some() || given.claim {
            true => Some(self.claim_for(values, &self.neighbours(given.d_in)?)?),
            false => None,
        };
        if let Some(claim) = &claim {
            claim.check_charged().map_err(python)?;
            given.budget.map_or(Ok(()), |budget| budget.get().pay(claim.clone()))?;
        }
        let read = read?;
        let rule = &self.rule;
        let index =
            py.detach(|| scores!(&read, scores => winner(rule, scores, weights.as_ref()))).map_err(python)?;
        let chosen = match given.candidates {
            Some(candidates) => candidates.get_item(index)?,
            None => index.into_pyobject(py)?.into_any(),
        };
        match claim.filter(|_| given.claim) {
            Some(claim) => Release::of(chosen, Claim(claim)),
            None => Ok(chosen),
        }
    }

    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arguments = PyDict::new(py);
        self.arguments.iter().try_for_each(|(name, argument)| arguments.set_item(name, argument))?;
        Ok(arguments)
    }
}

fn winner<T: Score>(rule: &Rule, scores: &[T], weights: Option<&Weights>) -> Result<usize, lastbit::Error> {
    with_source(|source| match (rule, weights) {
        (Rule::NoisyMax(m), _) => m.choose(source, scores),
        (Rule::Exponential(m), None) => m.choose(source, scores),
        (Rule::Exponential(m), Some(Weights::F64(weights))) => m.choose_weighted(source, scores, weights),
        (Rule::Exponential(m), Some(Weights::Exact(weights))) => m.choose_weighted(source, scores, weights),
    })
}

/// So many positive weights. They are public, and refusing them costs nothing.
fn read_weights(x: &Bound<'_, PyAny>, size: usize) -> PyResult<Weights> {
    let x = as_list_or_array(x)?;
    let is_f64 = match x.cast::<PyUntypedArray>() {
        Ok(array) => array.dtype().str()?.to_str()? == "float64",
        Err(_) => false,
    };
    let weights = if is_f64 {
        Weights::F64(values::vector(&x)?)
    } else {
        let exact = x.try_iter()?.map(|weight| number::value("weight", &weight?));
        Weights::Exact(exact.collect::<PyResult<_>>()?)
    };
    let (found, bad) = match &weights {
        Weights::F64(all) => {
            (all.len(), all.iter().position(|weight| !(*weight > 0.0 && weight.is_finite())))
        }
        Weights::Exact(all) => (all.len(), all.iter().position(|weight| !weight.is_positive())),
    };
    if found != size {
        return Err(ParameterError::new_err(format!("there are {found} weights and {size} scores")));
    }
    match bad {
        Some(index) => Err(python(lastbit::Error::BadWeight { index })),
        None => Ok(weights),
    }
}

/// What a choice is given beside the scores.
#[derive(Default)]
pub(crate) struct Given<'a, 'py> {
    pub(crate) candidates: Object<'a, 'py>,
    pub(crate) weights: Object<'a, 'py>,
    pub(crate) d_in: Object<'a, 'py>,
    pub(crate) budget: Option<&'a Bound<'py, Budget>>,
    pub(crate) claim: bool,
}

#[pymethods]
impl Selection {
    /// The loss between scores at distance `d_in`, a Fraction: 2·d_in/scale, or d_in/scale if they are monotone.
    #[pyo3(signature = (d_in=None))]
    fn loss<'py>(&self, py: Python<'py>, d_in: Object<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
        let neighbours = self.neighbours(d_in)?;
        let loss = each!(&self.rule, m => m.loss(self.metric(), &neighbours)).map_err(python)?;
        number::fraction(py, &loss)
    }

    /// What a choice promises for scores at distance `d_in`.
    #[pyo3(signature = (d_in=None, *, dtype=None, unit=None))]
    fn claim(
        &self,
        d_in: Object<'_, '_>,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
        unit: Option<&str>,
    ) -> PyResult<Claim> {
        let values = match dtype {
            None => self.dtype.unwrap_or(TYPES[0]),
            Some(name) => declared(&name)?,
        };
        let claim = self.claim_for(values, &self.neighbours(d_in)?)?;
        match unit {
            Some(unit) => claim.for_unit(unit).map(Claim).map_err(python),
            None => Ok(Claim(claim)),
        }
    }

    /// A bound on how far the score of the chosen candidate is below the best, with probability `confidence`, for this many candidates without weights.
    #[pyo3(signature = (candidates, /, *, confidence=None, **others), text_signature = "($self, candidates, /, *, confidence)")]
    fn shortfall(
        &self,
        candidates: usize,
        confidence: Object<'_, '_>,
        others: Option<Others<'_, '_>>,
    ) -> PyResult<f64> {
        let confidence = self::confidence(required("confidence", confidence, others)?)?;
        each!(&self.rule, m => m.shortfall(candidates, &confidence)).map_err(python)
    }

    /// The scale of the noise, a Fraction.
    #[getter]
    fn scale<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        number::fraction(py, each!(&self.rule, m => m.scale()))
    }

    /// Whether all scores move in the same direction between neighbours.
    #[getter]
    fn monotone(&self) -> bool {
        self.monotone
    }

    /// The largest distance that a score can move, a Fraction, or None if it was not given.
    #[getter]
    fn sensitivity<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.sensitivity.as_ref().map(|sensitivity| number::fraction(py, sensitivity)).transpose()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Selection>) -> PyResult<Bound<'py, PyAny>> {
        crate::html(slf.py(), "selection_html", (slf, slf.repr()?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let class = match &self.rule {
            Rule::NoisyMax(_) => "NoisyMax",
            Rule::Exponential(_) => "Exponential",
        };
        let arguments: Vec<String> = self
            .arguments(py)?
            .iter()
            .map(|(name, value)| Ok(format!("{name}={}", value.repr()?)))
            .collect::<PyResult<_>>()?;
        Ok(format!("{class}({})", arguments.join(", ")))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Selection>() else { return Ok(false) };
        Ok(self.__repr__(py)? == other.get().__repr__(py)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.__repr__(py)?.into_pyobject(py)?.hash()
    }

    // For pickle and copy.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.arguments(py)?))
    }
}

/// The candidate with the largest score plus exponential noise, which is permute-and-flip. Loss: 2·d_in/scale, or d_in/scale if monotone.
///
/// sensitivity: how far one person can move a single score, up or down. monotone: all scores move in the same direction, as counts do when a person
/// is added; or, more generally, the sensitivity is how far any two scores can move apart.
///
/// >>> import lastbit
/// >>> m = lastbit.NoisyMax(epsilon=1, sensitivity=1, monotone=True)
/// >>> m([311, 56, 290], candidates=["a", "b", "c"])
/// 'a'
/// >>> m.loss(2), m.scale
/// (Fraction(2, 1), Fraction(1, 1))
/// >>> round(m.shortfall(1000, confidence="0.95"), 2)
/// 9.21
#[pyclass(frozen, extends = Selection, name = "NoisyMax", module = "lastbit")]
pub(crate) struct NoisyMaxClass;

#[pymethods]
impl NoisyMaxClass {
    #[new]
    #[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, monotone=false, dtype=None))]
    fn new(
        scale: Object<'_, '_>,
        epsilon: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
        monotone: bool,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    ) -> PyResult<PyClassInitializer<NoisyMaxClass>> {
        let selection = Asked { scale, epsilon, sensitivity, monotone, dtype }.noisy_max()?;
        Ok(PyClassInitializer::from(selection).add_subclass(NoisyMaxClass))
    }

    /// The index of the chosen candidate, or the candidate itself if they are given.
    #[pyo3(signature = (scores, /, *, candidates=None))]
    fn __call__<'py>(
        slf: &Bound<'py, NoisyMaxClass>,
        scores: &Bound<'py, PyAny>,
        candidates: Object<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.as_super().get().choose(scores, &Given { candidates, ..Given::default() })
    }
}

/// The exponential mechanism: candidate i with probability proportional to weight_i·exp(score_i/scale). Loss: 2·d_in/scale, or d_in/scale if
/// monotone.
///
/// weights: positive numbers, which must be public, exact: floats are the doubles that they are. The rest is as for `NoisyMax`.
///
/// >>> import lastbit
/// >>> m = lastbit.Exponential(epsilon=1, sensitivity=1)
/// >>> m.scale
/// Fraction(2, 1)
/// >>> m([311, 56, 290], weights=[1, 2, "1/3"]) in (0, 2)
/// True
#[pyclass(frozen, extends = Selection, name = "Exponential", module = "lastbit")]
pub(crate) struct ExponentialClass;

#[pymethods]
impl ExponentialClass {
    #[new]
    #[pyo3(signature = (scale=None, *, epsilon=None, sensitivity=None, monotone=false, dtype=None))]
    fn new(
        scale: Object<'_, '_>,
        epsilon: Object<'_, '_>,
        sensitivity: Object<'_, '_>,
        monotone: bool,
        #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    ) -> PyResult<PyClassInitializer<ExponentialClass>> {
        let selection = Asked { scale, epsilon, sensitivity, monotone, dtype }.exponential()?;
        Ok(PyClassInitializer::from(selection).add_subclass(ExponentialClass))
    }

    /// The index of the chosen candidate, or the candidate itself if they are given.
    #[pyo3(signature = (scores, /, *, weights=None, candidates=None))]
    fn __call__<'py>(
        slf: &Bound<'py, ExponentialClass>,
        scores: &Bound<'py, PyAny>,
        weights: Object<'_, 'py>,
        candidates: Object<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.as_super().get().choose(scores, &Given { candidates, weights, ..Given::default() })
    }
}

/// Chooses the candidate with the largest score plus exponential noise: permute-and-flip. The loss is 2·sensitivity/scale, or sensitivity/scale
/// if the scores are monotone, exactly.
///
/// scores: a list (float64 unless dtype says otherwise), a numpy array, a series of pandas or polars; one for each candidate. scale, or epsilon
/// and sensitivity: how far one person can move a single score. monotone: all scores move in the same direction, as counts do when a person is
/// added. Returns the index, or what stands there in candidates. budget: a Budget that pays first, or refuses. claim=True: a Release that carries its
/// claim.
///
/// >>> import lastbit
/// >>> lastbit.noisy_max([311, 56, 290], epsilon=1, sensitivity=1, monotone=True, candidates=["flu", "gout", "cold"])
/// 'flu'
/// >>> lastbit.noisy_max([311, 56, 290], epsilon=1, sensitivity=1, claim=True).loss
/// Fraction(1, 1)
#[pyfunction]
#[pyo3(signature = (scores, /, scale=None, *, epsilon=None, sensitivity=None, monotone=false, candidates=None, dtype=None, budget=None,
    claim=false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn noisy_max<'py>(
    scores: &Bound<'py, PyAny>,
    scale: Object<'_, 'py>,
    epsilon: Object<'_, 'py>,
    sensitivity: Object<'_, 'py>,
    monotone: bool,
    candidates: Object<'_, 'py>,
    #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    budget: Option<&Bound<'py, Budget>>,
    claim: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let selection = Asked { scale, epsilon, sensitivity, monotone, dtype }.noisy_max()?;
    selection.choose(scores, &Given { candidates, budget, claim, ..Given::default() })
}

/// Chooses candidate i with probability proportional to weight_i·exp(score_i/scale): the exponential mechanism. The loss is 2·sensitivity/scale,
/// or sensitivity/scale if the scores are monotone, exactly.
///
/// weights: positive numbers, which must be public. The rest is as for `noisy_max`.
///
/// >>> import lastbit
/// >>> lastbit.exponential([0, 1000], epsilon=1, sensitivity=1, weights=[5, 1])
/// 1
#[pyfunction]
#[pyo3(signature = (scores, /, scale=None, *, epsilon=None, sensitivity=None, monotone=false, weights=None, candidates=None, dtype=None,
    budget=None, claim=false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn exponential<'py>(
    scores: &Bound<'py, PyAny>,
    scale: Object<'_, 'py>,
    epsilon: Object<'_, 'py>,
    sensitivity: Object<'_, 'py>,
    monotone: bool,
    weights: Object<'_, 'py>,
    candidates: Object<'_, 'py>,
    #[pyo3(from_py_with = dtype_name)] dtype: Option<String>,
    budget: Option<&Bound<'py, Budget>>,
    claim: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let selection = Asked { scale, epsilon, sensitivity, monotone, dtype }.exponential()?;
    selection.choose(scores, &Given { candidates, weights, budget, claim, ..Given::default() })
}
