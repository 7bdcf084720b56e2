//! Free variables: arguments, parameters, queries, and their values or ranges.

use lastbit_real::Rational;

use super::{Lowerer, Value};
use crate::ast::{Binder, CompareOp, Constraint, ExprId, Scalar, Shape};
use crate::check::{MAX_ARRAY, array_length_message};
use crate::constant::{constant, integer};
use crate::diagnostic::MAX_DIAGNOSTICS;
use crate::{Diagnostic, Format, Input, InputKind, Law, NodeId, Op, Role, Span};

/// What is known of a free variable.
enum Known {
    Value(Rational),
    Range(Rational, Rational),
}

impl Lowerer<'_> {
    /// The value of a parameter, or of a local variable that is a constant.
    pub(super) fn known(&self, name: &str) -> Option<Rational> {
        if let Some(value) = self.values.get(name) {
            return Some(value.clone());
        }
        match self.variables.get(name)? {
            Value::Number(id) => match &self.program.nodes[*id].op {
                Op::Const(value) => Some(value.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Values that the caller or the file gives. A parameter may refer to those before it.
    pub(super) fn parameter_values(&mut self) {
        let declaration = self.declaration;
        self.values.extend(self.bindings.values.clone());
        for binder in declaration.parameters().chain(&declaration.arguments) {
            let name = &binder.name.text;
            let declared = match binder.constraint {
                Some(Constraint::Compare(CompareOp::Equal, value)) => {
                    constant(self.file, value, |name| self.values.get(name).cloned()).ok()
                }
                _ => None,
            };
            if let Some(value) = declared {
                self.values.entry(name.clone()).or_insert(value);
            }
        }
    }

    /// Reports bindings of names that are not declared, and values that the declaration excludes: also where only a clause uses
    /// them, as the end of a range or the accuracy of the library.
    pub(super) fn known_bindings(&mut self) {
        let declaration = self.declaration;
        let binders =
            || declaration.arguments.iter().chain(declaration.parameters()).chain(declaration.queries());
        let given = self.bindings.values.keys().chain(self.bindings.ranges.keys());
        for name in given {
            let base = name.split('[').next().unwrap_or(name);
            if !binders().any(|binder| binder.name.text == base) {
                let message =
                    format!("`{}` has no argument, parameter or query `{name}`", declaration.name.text);
                let names: Vec<&str> = binders().map(|binder| binder.name.text.as_str()).collect();
                let mut diagnostic = Diagnostic::new(declaration.name.span, message);
                diagnostic.hint = crate::names::suggestion(base, names.iter().copied());
                self.diagnostics.push(diagnostic);
            }
        }
        for binder in binders() {
            let Some(value) = self.bindings.values.get(&binder.name.text) else { continue };
            let fits = match input_kind(binder.ty.scalar) {
                // An end that is not known is for whoever uses the variable.
                Some(kind) => {
                    let declared = self.declared_range(binder, kind).ok().flatten();
                    self.allowed(binder, value, declared.as_ref())
                }
                None => Err(Diagnostic::new(binder.span, format!("`{}` is not a number", binder.name.text))),
            };
            self.diagnostics.extend(fits.err());
        }
    }

    /// The value of a name.
    pub(super) fn named(&mut self, name: &str, span: Span) -> Result<Value, Diagnostic> {
        if let Some(value) = self.variables.get(name).or_else(|| self.inputs.get(name)) {
            return Ok(value.clone());
        }
        let declaration = self.declaration;
        let is_parameter = declaration.parameters().any(|binder| binder.name.text == name);
        let mut binders = declaration.arguments.iter().chain(declaration.parameters());
        let Some(binder) = binders.find(|binder| binder.name.text == name) else {
            return Err(Diagnostic::new(span, format!("`{name}` has no value here")));
        };
        let value = match binder.ty.shape {
            Shape::Array(length) => Value::Array(name.to_owned(), self.length(length)?),
            _ => {
                self.free_variable(binder, name, if is_parameter { Role::Parameter } else { Role::Argument })
            }
        };
        self.inputs.insert(name.to_owned(), value.clone());
        Ok(value)
    }

    /// The length of an array; the caller may have given the parameter in it.
    pub(super) fn length(&self, length: ExprId) -> Result<usize, Diagnostic> {
        let value = constant(self.file, length, |name| self.known(name))?;
        let length_span = self.file.expr(length).span;
        match integer(&value) {
            Some(length @ 1..=MAX_ARRAY) => Ok(length as usize),
            _ => Err(Diagnostic::new(length_span, array_length_message())),
        }
    }

    /// `name[index]`
    pub(super) fn element(
        &mut self,
        name: &str,
        index: i64,
        length: usize,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        if index < 0 || index >= length as i64 {
            return Err(Diagnostic::new(span, format!("index {index} is outside of an array of {length}")));
        }
        let key = format!("{name}[{index}]");
        if let Some(value) = self.variables.get(&key).or_else(|| self.inputs.get(&key)) {
            return Ok(value.clone());
        }
        let Some(binder) = self.declaration.arguments.iter().find(|binder| binder.name.text == name) else {
            return Err(Diagnostic::new(span, format!("`{key}` has not been set")));
        };
        let value = self.free_variable(binder, &key, Role::Argument);
        self.inputs.insert(key, value.clone());
        Ok(value)
    }

    /// `f(a)`: one input for each way to call it.
    pub(super) fn query(&mut self, name: &str, arguments: &[Value], span: Span) -> Result<Value, Diagnostic> {
        let mut texts = Vec::new();
        for argument in arguments {
            let text = match argument {
                Value::Data(name) => Some(name.clone()),
                Value::Number(id) => match &self.program.nodes[*id].op {
                    Op::Const(value) => Some(value.to_string()),
                    Op::Input(input) => Some(self.program.inputs[*input].name.clone()),
                    _ => None,
                },
                _ => None,
            };
            let message = "a query is called with data, inputs and known numbers";
            texts.push(text.ok_or_else(|| Diagnostic::new(span, message))?);
        }
        let key = format!("{name}({})", texts.join(", "));
        if let Some(value) = self.inputs.get(&key) {
            return Ok(value.clone());
        }
        let Some(binder) = self.declaration.queries().find(|binder| binder.name.text == name) else {
            return Err(Diagnostic::new(span, format!("unknown query `{name}`")));
        };
        let value = self.free_variable(binder, &key, Role::Query);
        self.inputs.insert(key, value.clone());
        Ok(value)
    }

    /// A constant if the value is known, else an input. What is missing is reported, and the rest is looked at all the same.
    fn free_variable(&mut self, binder: &Binder, key: &str, role: Role) -> Value {
        let Some(kind) = input_kind(binder.ty.scalar) else { return Value::Data(key.to_owned()) };
        let known =
            self.what_is_known(binder, key, kind, role == Role::Parameter).unwrap_or_else(|diagnostic| {
                if self.diagnostics.len() < MAX_DIAGNOSTICS && !self.diagnostics.contains(&diagnostic) {
                    self.diagnostics.push(diagnostic);
                }
                Known::Value(Rational::ZERO)
            });
        let id = match known {
            Known::Value(value) => {
                let id = self.program.push(Op::Const(value), Some(binder.span));
                self.program.nodes[id].name = Some(key.to_owned());
                if binder.ty.scalar == Scalar::Int {
                    self.integers.insert(id);
                }
                id
            }
            Known::Range(lo, hi) => {
                self.program.input(Input { name: key.to_owned(), role, kind, lo, hi }, Some(binder.span))
            }
        };
        if binder.ty.scalar == Scalar::Bool { self.is_one(id, binder.span) } else { Value::Number(id) }
    }

    /// The condition that an input of 0 or 1 is 1.
    pub(super) fn is_one(&mut self, id: NodeId, span: Span) -> Value {
        let one = self.program.push(Op::Const(Rational::ONE), Some(span));
        Value::Condition(self.compare(CompareOp::Equal, id, one))
    }

    /// Adds a sample with a name of its own: a loop samples the same variable several times. What the declaration names keeps its name.
    pub(super) fn sampled(
        &mut self,
        name: &str,
        law: Law,
        kind: InputKind,
        lo: Rational,
        hi: Rational,
        span: Span,
    ) -> NodeId {
        let mut unique = name.to_owned();
        let mut count = 1;
        while self.is_declared(&unique) || !self.sample_names.insert(unique.clone()) {
            count += 1;
            unique = format!("{name}_{count}");
        }
        let input = Input { name: unique, role: Role::Sample(law), kind, lo, hi };
        self.program.input(input, Some(span))
    }

    /// Whether an argument, a parameter or a query has this name.
    fn is_declared(&self, name: &str) -> bool {
        let declaration = self.declaration;
        let mut binders =
            declaration.arguments.iter().chain(declaration.parameters()).chain(declaration.queries());
        binders.any(|binder| binder.name.text == name)
    }

    fn what_is_known(
        &mut self,
        binder: &Binder,
        key: &str,
        kind: InputKind,
        is_parameter: bool,
    ) -> Result<Known, Diagnostic> {
        let name = &binder.name.text;
        let declared = self.declared_range(binder, kind)?;
        if let Some(value) = self.values.get(key).or_else(|| self.values.get(name)).cloned() {
            self.allowed(binder, &value, declared.as_ref())?;
            return Ok(Known::Value(value));
        }
        if is_parameter
            && self.bindings.open_parameters
            && matches!(kind, InputKind::Float | InputKind::Integer)
        {
            // An integer that every format represents, or far from overflow.
            let most = Rational::pow2(if kind == InputKind::Integer { 24 } else { 100 });
            return Ok(Known::Range(-&most, most));
        }
        let ranges = &self.bindings.ranges;
        if let Some((lo, hi)) = ranges.get(key).or_else(|| ranges.get(name)).cloned() {
            if lo > hi {
                return Err(Diagnostic::new(binder.span, format!("the range of `{name}` is empty")));
            }
            self.allowed(binder, &lo, declared.as_ref())?;
            self.allowed(binder, &hi, declared.as_ref())?;
            return Ok(if lo == hi { Known::Value(lo) } else { Known::Range(lo, hi) });
        }
        if let Some((lo, hi)) = declared {
            self.note_open_range(binder, kind);
            return Ok(Known::Range(lo, hi));
        }
        if let Some(Constraint::Compare(CompareOp::Equal, _)) = binder.constraint {
            let message = format!("the value of `{name}` refers to a parameter without a value");
            return Err(Diagnostic::new(binder.span, message).with_hint(format!("give it: --param {name}=…")));
        }
        match binder.ty.scalar {
            Scalar::Sign => Ok(Known::Range(Rational::from(-1), Rational::ONE)),
            Scalar::Bool => Ok(Known::Range(Rational::ZERO, Rational::ONE)),
            _ => {
                let (message, hint) = if is_parameter {
                    let hint = format!("give it: --param {name}=… or --range {name}=lo,hi");
                    (format!("the parameter `{name}` has neither a value nor a range"), hint)
                } else {
                    let hint = format!("give it: --range {name}=lo,hi");
                    (format!("`{key}` has no range"), hint)
                };
                Err(Diagnostic::new(binder.span, message).with_hint(hint))
            }
        }
    }

    /// The declared interval, closed: an open end is the next float, or, of a real number, the end itself.
    fn declared_range(
        &self,
        binder: &Binder,
        kind: InputKind,
    ) -> Result<Option<(Rational, Rational)>, Diagnostic> {
        let Some(Constraint::In(interval)) = binder.constraint else { return Ok(None) };
        let mut lo = constant(self.file, interval.lo, |name| self.known(name))?;
        let mut hi = constant(self.file, interval.hi, |name| self.known(name))?;
        match kind {
            InputKind::Float => {
                if !interval.lo_closed {
                    lo = next_float(&lo, self.program.format);
                }
                if !interval.hi_closed {
                    hi = -next_float(&-hi, self.program.format);
                }
            }
            InputKind::Integer => {
                if !interval.lo_closed {
                    lo = Rational::from(lo.floor()) + Rational::ONE;
                }
                if !interval.hi_closed {
                    hi = Rational::from(hi.ceil()) - Rational::ONE;
                }
            }
            InputKind::Real | InputKind::Sign => {}
        }
        if lo > hi {
            return Err(Diagnostic::new(
                binder.span,
                format!("the range of `{}` is empty", binder.name.text),
            ));
        }
        Ok(Some((lo, hi)))
    }

    fn note_open_range(&mut self, binder: &Binder, kind: InputKind) {
        let Some(Constraint::In(interval)) = binder.constraint else { return };
        let is_closed = interval.lo_closed && interval.hi_closed;
        if is_closed || !matches!(kind, InputKind::Real | InputKind::Sign) {
            return;
        }
        let note = format!("the open interval of `{}` is read as closed", binder.name.text);
        if !self.program.notes.contains(&note) {
            self.program.notes.push(note);
        }
    }

    /// Refuses a value that the declaration excludes.
    fn allowed(
        &self,
        binder: &Binder,
        value: &Rational,
        declared: Option<&(Rational, Rational)>,
    ) -> Result<(), Diagnostic> {
        // Of real numbers the declared range has been closed, the declaration has not.
        let is_open_end = |id: ExprId, is_closed: bool| {
            !is_closed && constant(self.file, id, |name| self.known(name)).is_ok_and(|end| end == *value)
        };
        let fits = match binder.constraint {
            None => true,
            Some(Constraint::In(interval)) => {
                declared.is_none_or(|(lo, hi)| lo <= value && value <= hi)
                    && !is_open_end(interval.lo, interval.lo_closed)
                    && !is_open_end(interval.hi, interval.hi_closed)
            }
            Some(Constraint::Compare(op, bound)) => {
                match constant(self.file, bound, |name| self.known(name)) {
                    Ok(bound) => op.holds(value.cmp(&bound)),
                    // A bound that is not known excludes nothing.
                    Err(_) => true,
                }
            }
        };
        let has_type = match binder.ty.scalar {
            Scalar::Int => value.is_integer(),
            Scalar::Sign => value.abs() == Rational::ONE,
            Scalar::Bool => value.is_zero() || *value == Rational::ONE,
            Scalar::Real | Scalar::Grid | Scalar::F64 | Scalar::F32 | Scalar::Data => true,
        };
        if fits && has_type {
            return Ok(());
        }
        let message = format!("{value} is not a value of `{}` as it is declared", binder.name.text);
        Err(Diagnostic::new(binder.span, message))
    }
}

/// What a free variable of this type is; `None` if it is no number.
fn input_kind(scalar: Scalar) -> Option<InputKind> {
    Some(match scalar {
        Scalar::Real | Scalar::Grid => InputKind::Real,
        Scalar::F64 | Scalar::F32 => InputKind::Float,
        Scalar::Sign => InputKind::Sign,
        Scalar::Int | Scalar::Bool => InputKind::Integer,
        Scalar::Data => return None,
    })
}

/// The least float above a number.
fn next_float(x: &Rational, format: Format) -> Rational {
    let least = format.min_exponent();
    let Some(log) = x.floor_log2() else { return Rational::pow2(least) };
    let mut unit = (log - format.precision() + 1).max(least);
    // Toward zero from a negative power of two the floats are twice as dense.
    if x.is_negative() && x.abs() == Rational::pow2(log) {
        unit = (unit - 1).max(least);
    }
    let unit = Rational::pow2(unit);
    let steps = x.checked_div(&unit).unwrap_or_default().floor();
    (Rational::from(steps) + Rational::ONE) * unit
}

#[cfg(test)]
mod tests {
    use super::next_float;
    use crate::Format;
    use lastbit_real::Rational;

    #[test]
    fn the_next_float_is_the_hardwares() {
        for x in [0.0, 1.0, -1.0, 0.1, -0.1, 340.0, -1024.0, 5e-324, -5e-324, 1e300, -2.2250738585072014e-308]
        {
            let exact = |x: f64| Rational::try_from(x).unwrap();
            assert_eq!(next_float(&exact(x), Format::Binary64), exact(x.next_up()), "{x:e}");
            let x = x as f32;
            if x.is_finite() {
                let exact = |x: f32| Rational::try_from(x).unwrap();
                assert_eq!(next_float(&exact(x), Format::Binary32), exact(x.next_up()), "{x:e}");
            }
        }
    }
}
