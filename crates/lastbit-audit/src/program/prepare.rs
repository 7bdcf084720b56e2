//! From a text and values to a program of which only samples are open.

use std::collections::{BTreeMap, HashSet};

use lastbit_lang::ast::{Binder, ClauseKind, Declaration, ExprId, Scalar};
use lastbit_lang::{
    Accuracy, Bindings, File, Format, Law, NodeId, Op, Reading, Role, StraightLine, expression_text, lower,
};
use lastbit_real::{Float, Rational, Rounding};

use super::error::{Expression, ProgramError};
use super::machine::Setting;
use super::number::Library;
use crate::Sampler;

/// Most samples of `sign`: every combination is gone through, each by a thread.
const MAX_SIGNS: usize = 4;

/// The program on one input.
pub(crate) struct Program<'f> {
    file: &'f File,
    pub(crate) line: StraightLine,
    drawn: Vec<Drawn>,
}

/// The kinds of samples that are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drawn {
    Uniform,
    /// By its place among the signs.
    Sign(usize),
}

impl<'f> Program<'f> {
    /// The declaration with these parameters on this input.
    pub(crate) fn new(
        file: &'f File,
        name: Option<&str>,
        bindings: &Bindings,
        input: &BTreeMap<String, Rational>,
    ) -> Result<Program<'f>, ProgramError> {
        let mut bindings = bindings.clone();
        bindings.values.extend(input.iter().map(|(name, value)| (name.clone(), value.clone())));
        let lowered = lower(file, name, &bindings, None).map_err(ProgramError::Language)?;
        let declaration = declaration(file, name)?;
        let line = lowered.program;
        if lowered.results.len() != 1 {
            return Err(ProgramError::Results { count: lowered.results.len() });
        }
        for (name, value) in input {
            check_argument(declaration, name, value, line.format)?;
        }
        let drawn = drawn(&line)?;
        Ok(Program { file, line, drawn })
    }

    /// How many signs are drawn.
    pub(crate) fn signs(&self) -> usize {
        self.drawn.iter().filter(|drawn| matches!(drawn, Drawn::Sign(_))).count()
    }

    /// What the inputs are set to if these are the signs.
    pub(crate) fn settings(&self, signs: &[i8]) -> Vec<Setting> {
        let setting = |drawn: &Drawn| match drawn {
            Drawn::Uniform => Setting::Uniform,
            Drawn::Sign(index) => Setting::Known(Rational::from(i64::from(signs[*index]))),
        };
        self.drawn.iter().map(setting).collect()
    }

    /// A node as text.
    pub(crate) fn expression(&self, node: NodeId) -> Expression {
        let node = &self.line.nodes[node];
        let expressions = &self.file.expressions;
        let written = node.span.and_then(|span| expressions.iter().position(|found| found.span == span));
        let text = match (written, &node.name) {
            (Some(place), _) => expression_text(self.file, ExprId(place as u32), Reading::Real),
            (None, Some(name)) => name.clone(),
            (None, None) => "a choice".to_owned(),
        };
        Expression { text, span: node.span }
    }
}

/// The library to run with: what was asked for, or what the program declares.
pub(crate) fn library(programs: &[Program<'_>; 2], asked: Option<Library>) -> Result<Library, ProgramError> {
    if let Some(library) = asked {
        return Ok(library);
    }
    for Program { line, .. } in programs {
        for node in &line.nodes {
            let (function, accuracy) = match node.op {
                Op::Ln(_) => ("ln", &line.libm.ln),
                Op::Exp(_) => ("exp", &line.libm.exp),
                _ => continue,
            };
            if let Accuracy::Ulps(ulps) = accuracy {
                return Err(ProgramError::OnlyAccuracy { function, ulps: ulps.clone() });
            }
        }
    }
    Ok(Library::Nearest)
}

/// The declaration that was lowered.
pub(crate) fn declaration<'f>(file: &'f File, name: Option<&str>) -> Result<&'f Declaration, ProgramError> {
    let found = match name {
        Some(name) => file.declaration(name),
        None => file.declarations.first(),
    };
    found.ok_or_else(|| ProgramError::Language(Vec::new()))
}

/// The declared sampler.
pub(crate) fn sampler(file: &File, name: Option<&str>, format: Format) -> Result<Sampler, ProgramError> {
    let declared = declaration(file, name)?.clauses.iter().rev().find_map(|clause| match clause.kind {
        ClauseKind::Sampler(sampler) => Some(sampler),
        _ => None,
    });
    Ok(Sampler::declared(declared.unwrap_or_default(), format))
}

/// What a reader should know: numbers that were rounded, and what reading the text left out.
pub(crate) fn notes(
    file: &File,
    name: Option<&str>,
    programs: &[Program<'_>; 2],
) -> Result<Vec<String>, ProgramError> {
    let mut notes = Vec::new();
    let declaration = declaration(file, name)?;
    for Program { line, .. } in programs {
        notes.extend(line.notes.iter().cloned());
        for binder in declaration.parameters().chain(&declaration.arguments) {
            let is_number = matches!(binder.ty.scalar, Scalar::F64 | Scalar::F32 | Scalar::Real);
            let read = line.nodes.iter().find_map(|node| match &node.op {
                Op::Const(value) if node.span == Some(binder.span) => Some(value),
                _ => None,
            });
            if let Some(value) = read.filter(|value| is_number && !is_float_of(value, line.format)) {
                let nearest = rounded(value, line.format).to_hex();
                notes.push(format!("{} = {value} is read as {nearest}", binder.name.text));
            }
        }
    }
    let mut seen = HashSet::new();
    notes.retain(|note| seen.insert(note.clone()));
    Ok(notes)
}

fn rounded(value: &Rational, format: Format) -> f64 {
    match format {
        Format::Binary64 => f64::from_rational(value, Rounding::Nearest),
        Format::Binary32 => f32::from_rational(value, Rounding::Nearest).into(),
    }
}

fn is_float_of(value: &Rational, format: Format) -> bool {
    Rational::try_from(rounded(value, format)).is_ok_and(|float| float == *value)
}

/// An argument of a float type must be a float.
fn check_argument(
    declaration: &Declaration,
    name: &str,
    value: &Rational,
    format: Format,
) -> Result<(), ProgramError> {
    let base = name.split('[').next().unwrap_or(name);
    let is_float =
        |binder: &Binder| binder.name.text == base && matches!(binder.ty.scalar, Scalar::F64 | Scalar::F32);
    let binders = || declaration.arguments.iter().chain(declaration.queries());
    if binders().any(is_float) && !is_float_of(value, format) {
        return Err(ProgramError::NotAFloat { name: name.to_owned(), value: value.clone(), format });
    }
    Ok(())
}

/// What is drawn for each input of the program.
fn drawn(line: &StraightLine) -> Result<Vec<Drawn>, ProgramError> {
    let mut all = Vec::new();
    let mut uniform: Option<&str> = None;
    let mut signs = 0;
    for input in &line.inputs {
        all.push(match input.role {
            Role::Sample(Law::Unif(_)) => {
                if let Some(first) = uniform.replace(&input.name) {
                    let (first, second) = (first.to_owned(), input.name.clone());
                    return Err(ProgramError::Uniforms { first, second });
                }
                Drawn::Uniform
            }
            Role::Sample(Law::Sign) => {
                signs += 1;
                Drawn::Sign(signs - 1)
            }
            _ => return Err(ProgramError::Open { name: input.name.clone() }),
        });
    }
    if signs > MAX_SIGNS {
        return Err(ProgramError::Signs { count: signs, most: MAX_SIGNS });
    }
    Ok(all)
}
