//! Theorem A for a text whose parameters are open: in the text's own names, for all their values.
//!
//! The text is lowered with its parameters as inputs, so that no branch is decided by a value: what has the shape then has it for all values. The grid has to be a
//! number when a text is lowered; a parameter that is nothing but the grid of a rounding can stand for any.

use lastbit_lang::ast::{Constraint, Declaration, ExprId, ExprKind, File, Statement as Line};
use lastbit_lang::values::{Claimed, is_open};
use lastbit_lang::{Accuracy, Bindings, Diagnostic};
use lastbit_real::{Rational, Rounding};

use super::theorem::theorem_a_in_words;
use super::{
    EndpointError, Given, GridPoint, NoiseError, Public, Sampler, Scale, SnappingShape, Statement,
    compare_with_theorem_a,
};

/// Theorem A, as far as it is about a text with open parameters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OpenTheorem {
    /// `ε`, `B` and `Λ` in the text's names.
    pub stands_for: [String; 3],
    /// The parameters that are open, and what the theorem says holds for all their values.
    pub open: Vec<String>,
    /// Parameters that the mechanism does not use.
    pub unused: Vec<String>,
    /// The theorem.
    pub theorem: String,
    /// `Δ`.
    pub distance: Rational,
    /// The reason why the theorem does not apply, if it does not.
    pub refusal: Option<String>,
    /// The numeric bound of the text itself at some values, beside the theorem's.
    pub points: Vec<OpenPoint>,
}

/// Both bounds at some values of the parameters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OpenPoint {
    /// The bounds.
    pub bounds: GridPoint,
    /// The error of the noise there.
    pub error: NoiseError,
}

impl OpenPoint {
    /// A bound less `ε·Δ`, in units of η.
    pub fn excess(&self, loss: &Rational, distance: &Rational) -> String {
        let ideal = distance * self.bounds.mechanism.rate();
        ((loss - ideal) * Rational::pow2(53)).to_decimal(6, Rounding::Up)
    }
}

/// Values at which the closed form is compared with the numeric bound: `ε`, and `B·ε`.
const EPSILONS: [&str; 7] = ["0.01", "0.1", "1/3", "1", "2", "3.7", "10"];
const RANGES: [&str; 4] = ["1", "10", "100", "340"];

impl OpenTheorem {
    /// Whether a text leaves parameters open, with these values.
    pub fn is_asked(declaration: &Declaration, given: &Given) -> bool {
        let mut bindings = Bindings { values: given.values.clone(), ..Bindings::default() };
        lastbit_lang::values::default_grid(declaration, &mut bindings);
        let has_range = |name: &str| given.ranges.contains_key(name);
        declaration.parameters().any(|binder| {
            let name = &binder.name.text;
            is_open(declaration, &bindings, name) && !has_range(name)
        })
    }

    /// The statement of the theorem about the text.
    ///
    /// # Errors
    /// Messages with places, if the text cannot be read or is no snapping mechanism.
    pub fn find(
        file: &File,
        declaration: &Declaration,
        given: &Given,
    ) -> Result<OpenTheorem, Vec<Diagnostic>> {
        let one = |diagnostic| vec![diagnostic];
        let mut bindings =
            Bindings { values: given.values.clone(), open_parameters: true, ..Bindings::default() };
        let open = |name: &str| {
            is_open(declaration, &Bindings { values: given.values.clone(), ..Bindings::default() }, name)
        };
        let grids = grid_only(file, declaration);
        for name in grids.iter().filter(|name| open(name)) {
            bindings.values.insert(name.clone(), Rational::ONE);
        }
        let statement = Statement::lowered(file, declaration, given.clone(), bindings, Claimed::default())?;
        let shape = statement.shape().map_err(one)?;
        let input = shape.argument(&statement.program).to_owned();
        let distance = statement.distance(&input).map_err(one)?;
        let numbers = shape.numbers(&statement.program);
        let (scale, bound) = numbers.map_err(|error| one(statement.misfit(&error)))?;
        let grid = grid_of(&statement, &shape, &grids);
        let is_divided = matches!(shape.scale, Scale::Divided(_));
        let stands_for = [
            match &scale {
                Public::Parameter(name) if is_divided => name.clone(),
                Public::Parameter(name) => format!("(1/{name})"),
                Public::Number(number) if is_divided => in_brackets(number),
                Public::Number(number) => in_brackets(&number.recip().unwrap_or_default()),
            },
            in_words(&bound),
            in_words(&grid),
        ];
        let [epsilon, b, cell] = &stands_for;
        let used: Vec<&String> = [&scale, &bound, &grid]
            .into_iter()
            .filter_map(|public| match public {
                Public::Parameter(name) => Some(name),
                Public::Number(_) => None,
            })
            .collect();
        let is_read = |name: &str| declaration.statements().into_iter().any(|line| reads(file, line, name));
        let names = || declaration.parameters().map(|binder| binder.name.text.clone());
        Ok(OpenTheorem {
            open: names().filter(|name| used.contains(&name)).collect(),
            unused: names().filter(|name| !is_read(name)).collect(),
            theorem: theorem_a_in_words(epsilon, b, cell, &input),
            refusal: refusal(&statement, &shape, &scale),
            points: points(&statement, given, [&scale, &bound, &grid], is_divided),
            distance,
            stands_for,
        })
    }

    /// Whether the theorem applies.
    pub fn applies(&self) -> bool {
        self.refusal.is_none()
    }

    /// Whether the theorem is at least the numeric bound at every point, as it must be.
    pub fn agrees(&self) -> bool {
        self.points.iter().all(|point| !point.error.is_within_theorem_a() || point.bounds.agrees())
    }
}

/// A number that can stand in a product.
fn in_brackets(number: &Rational) -> String {
    if number.is_integer() { number.to_string() } else { format!("({number})") }
}

fn in_words(public: &Public) -> String {
    match public {
        Public::Number(number) => in_brackets(number),
        Public::Parameter(name) => name.clone(),
    }
}

/// What the theorem asks for beside the shape.
fn refusal(statement: &Statement<'_>, shape: &SnappingShape, scale: &Public) -> Option<String> {
    if statement.program.libm.ln != Accuracy::CorrectlyRounded {
        return Some("it is about a correctly rounded logarithm".into());
    }
    if shape.sampler != Sampler::Ulp {
        return Some(
            "it is about u that is every double of (0, 1), with probability proportional to its ulp".into(),
        );
    }
    match scale {
        // One more rounding: y_F is no longer within 2η of y.
        Public::Number(number)
            if Rational::try_from(number.to_f64(Rounding::Nearest)).as_ref() != Ok(number) =>
        {
            Some(format!("it is about a scale that is a double, and {number} is not one"))
        }
        _ => None,
    }
}

/// The grid of the rounding: a parameter that is nothing else, or the number that it is.
fn grid_of(statement: &Statement<'_>, shape: &SnappingShape, grids: &[String]) -> Public {
    let span = statement.program.nodes[shape.rounding].span;
    let written = statement.file.expressions.iter().find_map(|expression| match expression.kind {
        ExprKind::Round(_, grid, _) if Some(expression.span) == span => Some(grid),
        _ => None,
    });
    match written.map(|grid| &statement.file.expr(grid).kind) {
        Some(ExprKind::Name(name)) if grids.contains(name) && !statement.given.values.contains_key(name) => {
            match fixed(statement.declaration, name) {
                true => Public::Number(Rational::pow2(shape.exponent)),
                false => Public::Parameter(name.clone()),
            }
        }
        _ => Public::Number(Rational::pow2(shape.exponent)),
    }
}

/// Whether the text gives a parameter its value.
fn fixed(declaration: &Declaration, name: &str) -> bool {
    !is_open(declaration, &Bindings::default(), name)
}

/// The parameters that a body uses as the grid of a rounding, and for nothing else.
fn grid_only(file: &File, declaration: &Declaration) -> Vec<String> {
    let mut found = Vec::new();
    for binder in declaration.parameters() {
        let name = &binder.name.text;
        let (mut grids, mut others) = (0, 0);
        for root in declaration.statements().into_iter().flat_map(Line::expressions) {
            for id in file.post_order(root) {
                match &file.expr(id).kind {
                    ExprKind::Round(_, grid, _) if is_name(file, *grid, name) => grids += 1,
                    ExprKind::Name(other) if other == name => others += 1,
                    _ => {}
                }
            }
        }
        // Every grid was counted as a name, too. Where another parameter's range refers to it, or a length, its value matters.
        let elsewhere = declaration.parameters().chain(&declaration.arguments).any(|binder| {
            let ends = match binder.constraint {
                Some(Constraint::Compare(_, end)) => vec![end],
                Some(Constraint::In(interval)) => vec![interval.lo, interval.hi],
                None => Vec::new(),
            };
            ends.into_iter().any(|end| mentions(file, end, name))
        });
        if grids > 0 && grids == others && !elsewhere {
            found.push(name.clone());
        }
    }
    found
}

fn is_name(file: &File, id: ExprId, name: &str) -> bool {
    matches!(&file.expr(id).kind, ExprKind::Name(other) if other == name)
}

fn mentions(file: &File, root: ExprId, name: &str) -> bool {
    file.post_order(root).into_iter().any(|id| is_name(file, id, name))
}

fn reads(file: &File, line: &Line, name: &str) -> bool {
    line.expressions().into_iter().any(|root| mentions(file, root, name))
}

/// Both bounds at some values; those that the text excludes are left out.
fn points(
    statement: &Statement<'_>,
    given: &Given,
    [scale, bound, grid]: [&Public; 3],
    is_divided: bool,
) -> Vec<OpenPoint> {
    let double = |x: &Rational| Rational::try_from(x.to_f64(Rounding::Nearest)).unwrap_or_default();
    let rates: Vec<Rational> = match scale {
        Public::Parameter(_) => EPSILONS.iter().map(|epsilon| epsilon.parse().expect("a number")).collect(),
        Public::Number(number) if is_divided => vec![number.clone()],
        Public::Number(number) => number.recip().into_iter().collect(),
    };
    let mut points = Vec::new();
    for rate in rates.iter().filter(|rate| rate.is_positive()) {
        let reciprocal = rate.recip().expect("positive");
        let bounds: Vec<Rational> = match bound {
            Public::Parameter(_) => RANGES
                .iter()
                .map(|range| double(&(range.parse::<Rational>().expect("a number") * &reciprocal)))
                .collect(),
            Public::Number(number) => vec![number.clone()],
        };
        for b in bounds {
            let mut given = given.clone();
            if let Public::Parameter(name) = scale {
                let value = if is_divided { rate } else { &reciprocal };
                given.values.insert(name.clone(), double(value));
            }
            if let Public::Parameter(name) = bound {
                given.values.insert(name.clone(), b);
            }
            if let Public::Parameter(name) = grid {
                let log = double(rate).floor_log2().expect("positive");
                given.values.insert(name.clone(), Rational::pow2(-log));
            }
            points.extend(point(statement, given));
        }
    }
    points
}

fn point(statement: &Statement<'_>, given: Given) -> Option<OpenPoint> {
    let numbers = Statement::read(statement.file, statement.declaration, given).ok()?;
    let snapping = numbers.snapping().ok()?;
    let compared: Result<Vec<GridPoint>, EndpointError> =
        compare_with_theorem_a([snapping.mechanism], &snapping.error, &snapping.distance);
    Some(OpenPoint { bounds: compared.ok()?.into_iter().next()?, error: snapping.error })
}
