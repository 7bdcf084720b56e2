//! From a declaration to a straight-line expression: parameters get their values, loops are unrolled, `if` becomes a choice.

mod condition;
mod expression;
mod input;
mod statement;

use std::collections::{BTreeMap, HashMap, HashSet};

use lastbit_real::Rational;

use crate::ast::{ClauseKind, Declaration, File, LibmAccuracy, LibmFunction, Sampler, Scalar};
use crate::constant::constant;
use crate::journal::Journal;
use crate::{Accuracy, Diagnostic, Format, NodeId, Op, Span, StraightLine};
use condition::{Condition, ConditionId};

/// Most nodes of a program: an unrolled loop must not fill the memory.
const MAX_NODES: usize = 500_000;

/// The values and ranges of a declaration's free variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// Values of parameters, arguments and queries, by the same names as ranges.
    pub values: BTreeMap<String, Rational>,
    /// Ranges of arguments, parameters and queries, ends included. For an element of an array, by the name `q[0]` or, for all of
    /// them, `q`.
    pub ranges: BTreeMap<String, (Rational, Rational)>,
    /// The format in which a program over `real` is read as floats.
    pub real_format: Format,
    /// Whether parameters without a value become inputs of any value, so that what holds then, holds for all values.
    pub open_parameters: bool,
}

/// A declaration as a straight-line expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lowered {
    /// The expression. Its result is the first of `results`.
    pub program: StraightLine,
    /// The nodes that are returned: one, or one for each element of a list. A condition is 1 or 0.
    pub results: Vec<NodeId>,
    /// The bound of `ensures error <= …`; its real reading counts.
    pub error_claim: Option<NodeId>,
}

/// Reads a declaration as a straight-line expression.
///
/// `name` may be left out if the file has one declaration. `target` selects a variable, `w` or `z[1]`, instead of what is
/// returned. The file is checked first, so it must have been parsed without messages.
///
/// ```
/// use lastbit_lang::{Bindings, lower, parse};
///
/// let (file, _) = parse("function f(x: f64 in [1, 2]) -> f64 param c: f64 { y := x * x; return y - c }");
/// let mut bindings = Bindings::default();
/// let messages = lower(&file, None, &bindings, None).unwrap_err();
/// assert_eq!(messages[0].hint.as_deref(), Some("give it: --param c=… or --range c=lo,hi"));
///
/// bindings.values.insert("c".into(), "1/2".parse()?);
/// let lowered = lower(&file, None, &bindings, None).unwrap();
/// assert_eq!(lowered.program.inputs.len(), 1);
/// # Ok::<(), lastbit_real::ParseNumberError>(())
/// ```
pub fn lower(
    file: &File,
    name: Option<&str>,
    bindings: &Bindings,
    target: Option<&str>,
) -> Result<Lowered, Vec<Diagnostic>> {
    let messages = crate::check(file);
    if !messages.is_empty() {
        return Err(messages);
    }
    let declaration = select(file, name).map_err(|diagnostic| vec![diagnostic])?;
    let mut lowerer = Lowerer::new(file, declaration, bindings);
    lowerer.known_bindings();
    let outcome = lowerer.run(target);
    match outcome {
        Ok(lowered) if lowerer.diagnostics.is_empty() => Ok(lowered),
        Ok(_) => Err(lowerer.diagnostics),
        Err(diagnostic) => {
            if !lowerer.diagnostics.contains(&diagnostic) {
                lowerer.diagnostics.push(diagnostic);
            }
            Err(lowerer.diagnostics)
        }
    }
}

fn select<'a>(file: &'a File, name: Option<&str>) -> Result<&'a Declaration, Diagnostic> {
    let names = || file.declarations.iter().map(|declaration| declaration.name.text.as_str());
    match (name, file.declarations.as_slice()) {
        (_, []) => Err(Diagnostic::new(Span::default(), "the file declares nothing")
            .with_hint("for example: function half(x: f64) -> f64 { return x / 2 }")),
        (None, [only]) => Ok(only),
        (None, [_, second, ..]) => {
            let list = names().take(20).collect::<Vec<_>>().join(", ");
            Err(Diagnostic::new(second.name.span, "the file has several declarations")
                .with_hint(format!("name one of them: {list}")))
        }
        (Some(name), [first, ..]) => file.declaration(name).ok_or_else(|| {
            let mut diagnostic =
                Diagnostic::new(first.name.span, format!("there is no declaration `{name}`"));
            diagnostic.hint = crate::names::suggestion(name, names())
                .or_else(|| Some(format!("there is: {}", names().take(20).collect::<Vec<_>>().join(", "))));
            diagnostic
        }),
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
enum Value {
    Number(NodeId),
    Condition(ConditionId),
    /// An array; its elements have names of their own, `z[0]`.
    Array(String, usize),
    List(Vec<Value>),
    /// A database, by its name.
    Data(String),
    /// A value that cannot be read, such as a sample without a straight-line reading, with the message for whoever reads it.
    Opaque(Box<Diagnostic>),
}

struct Lowerer<'a> {
    file: &'a File,
    declaration: &'a Declaration,
    bindings: &'a Bindings,
    program: StraightLine,
    conditions: Vec<Condition>,
    /// Constants that are integers by their type, not just by their value: they have one zero, and a float has two.
    integers: HashSet<NodeId>,
    /// Local variables and elements.
    variables: Journal<Value>,
    /// Arguments, parameters and queries that were used, whatever branch used them first.
    inputs: HashMap<String, Value>,
    /// Names of samples, so that each is unique.
    sample_names: HashSet<String>,
    /// Values of parameters.
    values: HashMap<String, Rational>,
    sampler: Sampler,
    /// Under which condition `return` has been passed, and with what.
    returned: ConditionId,
    result: Option<Vec<Value>>,
    /// The things that are missing; they are reported all at once.
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Lowerer<'a> {
    fn new(file: &'a File, declaration: &'a Declaration, bindings: &'a Bindings) -> Lowerer<'a> {
        let binders =
            declaration.arguments.iter().chain(declaration.parameters()).chain(declaration.queries());
        let mut scalars = binders.map(|binder| binder.ty.scalar).chain([declaration.result.scalar]);
        let format = scalars
            .find_map(|scalar| match scalar {
                Scalar::F64 => Some(Format::Binary64),
                Scalar::F32 => Some(Format::Binary32),
                _ => None,
            })
            .unwrap_or(bindings.real_format);
        let mut lowerer = Lowerer {
            file,
            declaration,
            bindings,
            program: StraightLine::new(declaration.name.text.clone(), format),
            conditions: vec![Condition::Known(false)],
            integers: HashSet::new(),
            variables: Journal::new(),
            inputs: HashMap::new(),
            sample_names: HashSet::new(),
            values: HashMap::new(),
            sampler: Sampler::default(),
            returned: ConditionId::FALSE,
            result: None,
            diagnostics: Vec::new(),
        };
        lowerer.parameter_values();
        lowerer.environment();
        lowerer
    }

    /// The declared library and sampler.
    fn environment(&mut self) {
        for clause in &self.declaration.clauses {
            match &clause.kind {
                ClauseKind::Sampler(sampler) => self.sampler = *sampler,
                ClauseKind::Libm(function, accuracy) => {
                    let accuracy = match accuracy {
                        LibmAccuracy::CorrectlyRounded => Accuracy::CorrectlyRounded,
                        LibmAccuracy::Ulp(ulps) => {
                            match constant(self.file, *ulps, |name| self.known(name)) {
                                // What a better one would prove is about no library.
                                Ok(ulps) if !Accuracy::is_possible(&ulps) => {
                                    let message = format!("no library is as good as {ulps} ulp");
                                    let diagnostic = Diagnostic::new(clause.span, message);
                                    self.diagnostics.push(diagnostic.with_hint(Accuracy::BEST));
                                    continue;
                                }
                                Ok(ulps) => Accuracy::Ulps(ulps),
                                Err(diagnostic) => {
                                    self.diagnostics.push(diagnostic);
                                    continue;
                                }
                            }
                        }
                    };
                    match function {
                        LibmFunction::Ln => self.program.libm.ln = accuracy,
                        LibmFunction::Exp => self.program.libm.exp = accuracy,
                    }
                }
                _ => {}
            }
        }
    }

    fn run(&mut self, target: Option<&str>) -> Result<Lowered, Diagnostic> {
        let values = match target {
            Some(target) => vec![self.target(target)?],
            None => {
                self.block(&self.declaration.body)?;
                self.result.take().unwrap_or_default()
            }
        };
        let mut results = Vec::new();
        for value in values {
            self.flatten(value, &mut results)?;
        }
        let Some(&result) = results.first() else {
            return Err(Diagnostic::new(self.declaration.header, "nothing is returned"));
        };
        let error_claim = if target.is_none() { self.error_claim(&results)? } else { None };
        self.program.result = result;
        Ok(self.pruned(results, error_claim))
    }

    fn error_claim(&mut self, results: &[NodeId]) -> Result<Option<NodeId>, Diagnostic> {
        let clauses = &self.declaration.clauses;
        let bound = clauses.iter().find_map(|clause| match clause.kind {
            ClauseKind::EnsuresError(bound) => Some(bound),
            _ => None,
        });
        let Some(bound) = bound else { return Ok(None) };
        match results {
            [result] => self.variables.set("result", Value::Number(*result)),
            // Not a variable of the body that happens to have this name.
            _ => self.variables.remove("result"),
        }
        let value = self.value(bound)?;
        self.number(value, self.file.expr(bound).span).map(Some)
    }

    /// Leaves out what neither the results nor the claim need.
    fn pruned(&mut self, results: Vec<NodeId>, error_claim: Option<NodeId>) -> Lowered {
        let mut needed = vec![false; self.program.nodes.len()];
        for id in results.iter().copied().chain(error_claim) {
            needed[id] = true;
        }
        for (id, node) in self.program.nodes.iter().enumerate().rev() {
            if needed[id] {
                node.op.operands().for_each(|operand| needed[operand] = true);
            }
        }
        let mut program = StraightLine::new(self.program.name.clone(), self.program.format);
        program.libm = self.program.libm.clone();
        program.notes = self.program.notes.clone();
        let mut places = vec![0; needed.len()];
        for (id, node) in self.program.nodes.iter().enumerate().filter(|(id, _)| needed[*id]) {
            places[id] = program.nodes.len();
            let mut node = node.clone();
            node.op.map_operands(|operand| places[operand]);
            if let Op::Input(input) = &mut node.op {
                program.inputs.push(self.program.inputs[*input].clone());
                *input = program.inputs.len() - 1;
            }
            program.nodes.push(node);
        }
        program.result = places[self.program.result];
        Lowered {
            program,
            results: results.into_iter().map(|id| places[id]).collect(),
            error_claim: error_claim.map(|id| places[id]),
        }
    }
}
