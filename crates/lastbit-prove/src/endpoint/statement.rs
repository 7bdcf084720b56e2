//! What a text says of a float mechanism, and what ties it to the theorem.
//!
//! The theorem is about `clamp_B(⌊clamp_B(f) ⊕ s ⊗ y(u)⌉_Λ)` with samples `u` and `s`, public `B`, `Λ` and scale, and inputs `f`, `f'` at most `Δ`
//! apart. [`Statement::snapping`] says which part of a text each of these is, or names the place that does not fit. `docs/endpoint.md` lists
//! what is asked.

use std::collections::BTreeMap;

use lastbit_lang::ast::{Binder, ClauseKind, Declaration, File, ProofStepKind};
use lastbit_lang::values::{
    Claimed, Distance, claimed, default_grid, default_ranges, distances_of_neighbours,
};
use lastbit_lang::{Accuracy, Bindings, Diagnostic, Lowered, StraightLine, lower};
use lastbit_real::Rational;

use super::broken::{self, Tie};
use super::{
    EndpointError, FloatSnap, NoiseError, OutOfRange, ShapeError, SnappingShape, noise_error, recognise,
};

/// Values that are given beside a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Values of parameters.
    pub values: BTreeMap<String, Rational>,
    /// Ranges of arguments, where witnesses are looked for.
    pub ranges: BTreeMap<String, (Rational, Rational)>,
    /// Another accuracy of `ln` than the text declares.
    pub ln: Option<Accuracy>,
    /// Another accuracy of `exp` than the text declares.
    pub exp: Option<Accuracy>,
    /// Another distance of neighbours than the text declares.
    pub distance: Option<Rational>,
}

/// A float mechanism with numbers for its parameters.
#[derive(Clone, Debug)]
pub struct Statement<'a> {
    /// The file.
    pub file: &'a File,
    /// The declaration.
    pub declaration: &'a Declaration,
    /// The values that were given for parameters.
    pub given: Given,
    /// The values of parameters, and ranges of arguments, with what stands for them if nobody says.
    pub bindings: Bindings,
    /// The body, on all arguments and samples.
    pub program: StraightLine,
    /// The number of results that it returns; the program is about the first.
    results: usize,
    /// The claim of the text.
    pub claim: Claimed,
}

/// The snapping mechanism that a text is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Snapping {
    /// The nodes and their roles in the mechanism.
    pub shape: SnappingShape,
    /// The mechanism, with its numbers.
    pub mechanism: FloatSnap,
    /// The error of the noise.
    pub error: NoiseError,
    /// The argument that is clamped.
    pub argument: String,
    /// `Δ`: how far apart the argument is in two neighbouring inputs.
    pub distance: Rational,
}

impl<'a> Statement<'a> {
    /// Reads a declaration with these values.
    ///
    /// # Errors
    /// Messages with places: a value for what is no parameter, or that the text excludes; a parameter without a value; a body without a float reading.
    pub(crate) fn read(
        file: &'a File,
        declaration: &'a Declaration,
        given: Given,
    ) -> Result<Statement<'a>, Vec<Diagnostic>> {
        let one = |diagnostic| vec![diagnostic];
        let mut bindings =
            Bindings { values: given.values.clone(), ranges: given.ranges.clone(), ..Bindings::default() };
        default_grid(declaration, &mut bindings);
        names_neighbours(file, declaration, &given, &bindings).map_err(one)?;
        let claim = claimed(file, declaration, &bindings).map_err(one)?.unwrap_or_default();
        let statement = Statement::lowered(file, declaration, given, bindings, claim)?;
        statement.parameters_are_allowed().map_err(one)?;
        Ok(statement)
    }

    /// Reads a declaration, with these bindings.
    pub(super) fn lowered(
        file: &'a File,
        declaration: &'a Declaration,
        given: Given,
        mut bindings: Bindings,
        claim: Claimed,
    ) -> Result<Statement<'a>, Vec<Diagnostic>> {
        arguments_stay_open(declaration, &given).map_err(|diagnostic| vec![diagnostic])?;
        default_ranges(declaration, &mut bindings);
        let Lowered { mut program, results, .. } =
            lower(file, Some(&declaration.name.text), &bindings, None)?;
        if let Some(accuracy) = &given.ln {
            program.libm.ln = accuracy.clone();
        }
        if let Some(accuracy) = &given.exp {
            program.libm.exp = accuracy.clone();
        }
        Ok(Statement { file, declaration, given, bindings, program, results: results.len(), claim })
    }

    /// The snapping mechanism that the text is, if it is one.
    ///
    /// # Errors
    /// What does not fit the theorem, with its place.
    pub(crate) fn snapping(&self) -> Result<Snapping, Diagnostic> {
        let shape = self.shape()?;
        let argument = shape.argument(&self.program).to_owned();
        let distance = self.distance(&argument)?;
        let at = |error: EndpointError| match error {
            EndpointError::Shape(error) => self.misfit(&error),
            // Exact fractions can be longer than anyone wants to read.
            EndpointError::OutOfRange(OutOfRange { name, value, reason }) => {
                let value = if value.len() > 40 { format!("{}…", &value[..40]) } else { value };
                Diagnostic::new(self.declaration.name.span, format!("{name} = {value}: {reason}"))
            }
            other => Diagnostic::new(self.declaration.name.span, other.to_string()),
        };
        let mechanism = shape.mechanism(&self.program).map_err(at)?;
        let error = noise_error(&self.program, &shape).map_err(at)?;
        Ok(Snapping { shape, mechanism, error, argument, distance })
    }

    /// Which node of the program is what.
    pub(super) fn shape(&self) -> Result<SnappingShape, Diagnostic> {
        if self.results != 1 && !broken::is_cut(Tie::OneResult) {
            let message = format!("{} numbers are returned, and the theorem is about one", self.results);
            return Err(Diagnostic::new(self.declaration.header, message)
                .with_hint("release each by a mechanism of its own, and add up the losses"));
        }
        let shape = recognise(&self.program).map_err(|error| self.misfit(&error))?;
        self.endpoint_step(&shape)?;
        Ok(shape)
    }

    /// Refuses a proof `endpoint v by error` about something else than the sample of the noise.
    fn endpoint_step(&self, shape: &SnappingShape) -> Result<(), Diagnostic> {
        let u = self.program.nodes[shape.u].name.as_deref().unwrap_or_default();
        for step in self.declaration.proofs.iter().flat_map(|proof| &proof.steps) {
            if let ProofStepKind::Endpoint(place) = &step.kind
                && (place.name.text != u || place.index.is_some())
            {
                let message = format!("the sample whose thresholds are enclosed is `{u}`");
                return Err(Diagnostic::new(step.span, message));
            }
        }
        Ok(())
    }

    /// How far apart an argument is in two neighbouring inputs: as the text says, unless another distance is given.
    pub(super) fn distance(&self, argument: &str) -> Result<Rational, Diagnostic> {
        if let Some(given) = &self.given.distance {
            return Ok(given.clone());
        }
        let all = self.distances()?;
        let own = |distance: &&Distance| distance.of == argument || broken::is_cut(Tie::DistanceOfTheValue);
        match all.iter().filter(own).min_by_key(|distance| &distance.at_most) {
            Some(least) if least.at_most.is_positive() => Ok(least.at_most.clone()),
            Some(least) => {
                Err(Diagnostic::new(least.span, "neighbours that are not some positive distance apart"))
            }
            None => {
                let others: Vec<String> = all.iter().map(|distance| format!("`{}`", distance.of)).collect();
                let message = format!(
                    "this bounds how far apart {} is in neighbouring inputs, and what is clamped is `{argument}`",
                    others.join(" or "),
                );
                let hint = format!("say `adjacent |{argument}<1> - {argument}<2>| <= 1`");
                Err(Diagnostic::new(all[0].span, message).with_hint(hint))
            }
        }
    }

    /// The distances that the text bounds.
    pub(super) fn distances(&self) -> Result<Vec<Distance>, Diagnostic> {
        distances_of_neighbours(self.file, self.declaration, &self.bindings)
    }

    /// A node that does not fit, with its place in the text.
    pub(super) fn misfit(&self, error: &ShapeError) -> Diagnostic {
        let mut message = error.to_string();
        let node = &self.program.nodes[error.node];
        if let Some(name) = &node.name {
            message = format!("`{name}`: {message}");
        }
        Diagnostic::new(node.span.unwrap_or(self.declaration.name.span), message)
    }
}

/// Refuses a text that does not say which inputs are neighbours: no distance is as good as any other.
fn names_neighbours(
    file: &File,
    declaration: &Declaration,
    given: &Given,
    bindings: &Bindings,
) -> Result<(), Diagnostic> {
    if given.distance.as_ref().is_some_and(|distance| !distance.is_positive()) {
        let message = "the given distance of neighbours must be positive";
        return Err(Diagnostic::new(declaration.name.span, message));
    }
    let says = declaration.clauses.iter().any(|clause| matches!(clause.kind, ClauseKind::Adjacent(..)));
    match says || given.distance.is_some() {
        true => Ok(()),
        false => distances_of_neighbours(file, declaration, bindings).map(|_| ()),
    }
}

/// Refuses numbers for arguments and queries: the claim is about all of their values, and they may differ between the runs.
fn arguments_stay_open(declaration: &Declaration, given: &Given) -> Result<(), Diagnostic> {
    if broken::is_cut(Tie::ArgumentsStayOpen) {
        return Ok(());
    }
    let base = |name: &str| name.split(['[', '(']).next().unwrap_or(name).to_owned();
    let is_given = |binder: &&Binder| given.values.keys().any(|name| base(name) == binder.name.text);
    let private = declaration.arguments.iter().chain(declaration.queries()).find(is_given);
    private.map_or(Ok(()), |binder| {
        let name = &binder.name.text;
        let message = format!(
            "`{name}` is private: a proof is for all its values, and the two runs need not share one"
        );
        Err(Diagnostic::new(binder.span, message)
            .with_hint(format!("leave out its value; what is public is a parameter: `param {name}: …`")))
    })
}
