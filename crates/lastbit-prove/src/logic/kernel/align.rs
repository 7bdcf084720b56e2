//! ALIGN: a map of the samples of the first run to those of the second, under which both return the same.
//!
//! The sample space is a product: a tape of independent samples, each read by its name. The map is given in pieces. On a piece
//! every sample goes to `±v + shift`, of a uniform sample its logarithm does, and one with finitely many values is permuted; the shift does
//! not depend on samples. Such a piece is injective and keeps volumes. The premises are
//!
//! 1. the pieces cover the sample space of the first run,
//! 2. their images do not overlap, but for null sets,
//! 3. what the second run returns on the image is what the first run returns,
//! 4. the density of a sample is at most `e^cost` times that of its image, and the costs of a piece add up to at most ε.
//!
//! Then for all A: `Pr₁[A] = ∫_{r₁(v)∈A} p₁(v) dv <= e^ε ∫_{r₂(Tv)∈A} p₂(Tv) dv <= e^ε·Pr₂[A]`.
//!
//! LAP-GEN is one piece with a shift; LAP-NULL and AX-NULL are shifts by 0; UNIF-SHRINK is a shift of `ln(u)`; RND-BIJ a permutation. Pieces that
//! are told apart by what is returned are PW-EQ with a coupling for each output; where two outputs differ in a constant, premise 2 follows from
//! premise 3.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::Diagnostic;
use lastbit_lang::ast::Side;
use lastbit_lang::symbolic::{
    Constraint, FiniteLaw, Fresh, Law, Path, Polynomial, Program, Sample, Samples, Symbol, Value, paths,
};

use super::broken::{SideCondition, is_off};
use super::{Alignment, Context, Hypotheses, KernelError, Map, Piece, check_defined, costs, is_plain};

pub(super) const RULE: &str = "ALIGN";
/// Most combinations of guards of which one fails.
const MAX_GAPS: usize = 4096;

/// What a path returns as far as it does not depend on anything: `2`, `true, false`, and `·` for what does.
pub(crate) fn label(path: &Path) -> String {
    let of_value = |value: &Value| match value {
        Value::Bool(value) => value.to_string(),
        Value::Number(p) => p.as_constant().map_or("·".into(), |number| number.to_string()),
        _ => "·".into(),
    };
    path.result.iter().map(of_value).collect::<Vec<_>>().join(", ")
}

pub(super) fn refused(reason: impl Into<String>) -> KernelError {
    KernelError::Rule { rule: RULE, reason: reason.into() }
}

/// The laws of all samples of a run. The same name must mean the same law on every path.
#[derive(Debug, Default)]
pub(super) struct Laws {
    pub(super) continuous: BTreeMap<Symbol, Sample>,
    pub(super) finite: BTreeMap<Symbol, FiniteLaw>,
}

impl Laws {
    fn of(paths: &[Path]) -> Result<Laws, KernelError> {
        let mut laws = Laws::default();
        let samples: BTreeSet<Symbol> =
            paths.iter().flat_map(|path| &path.samples).map(Sample::coordinate).collect();
        let one_law = |name: &Symbol, is_same: bool| match is_same || is_off(SideCondition::OneLaw) {
            true => Ok(()),
            false => Err(refused(format!("the law of {name} depends on the course of the program"))),
        };
        // The sample space is a product: a law that depends on another sample would not be one of its factors.
        let independent = |name: &Symbol, path: &Path, polynomials: &[&Polynomial]| match polynomials
            .iter()
            .all(|p| is_free(p, path, &samples))
        {
            true => Ok(()),
            false => Err(refused(format!("the law of {name} depends on another sample"))),
        };
        for path in paths {
            for sample in &path.samples {
                let known = laws.continuous.entry(sample.name.clone()).or_insert_with(|| sample.clone());
                one_law(&sample.name, known.law == sample.law)?;
                let parameters = match &sample.law {
                    Law::Uniform => Vec::new(),
                    Law::Laplace(scale) | Law::Exponential(scale) => vec![scale],
                    Law::DiscreteLaplace(scale, exponent) => vec![scale, exponent],
                };
                independent(&sample.name, path, &parameters)?;
            }
            for choice in &path.choices {
                let known = laws.finite.entry(choice.name.clone()).or_insert_with(|| choice.law.clone());
                one_law(&choice.name, *known == choice.law)?;
                let weights: Vec<&Polynomial> = choice.law.weights.iter().collect();
                independent(&choice.name, path, &weights)?;
            }
        }
        Ok(laws)
    }
}

/// Whether a polynomial of a path depends on no sample, also not through a function.
fn is_free(p: &Polynomial, path: &Path, samples: &BTreeSet<Symbol>) -> bool {
    p.variables().iter().all(|symbol| {
        let arguments = path.applications.get(symbol).map(|application| &application.arguments);
        !samples.contains(symbol) && arguments.into_iter().flatten().all(|p| is_free(p, path, samples))
    })
}

/// The second run's samples: the images of the first one's.
struct Images<'i> {
    piece: &'i Piece,
    laws: &'i Laws,
    /// The values that the first run's samples have on the path.
    choices: &'i BTreeMap<Symbol, usize>,
}

impl Samples for Images<'_> {
    fn continuous(&self, sample: &Sample) -> Result<Value, Diagnostic> {
        let known = self.laws.continuous.get(&sample.name);
        if known.is_none_or(|known| known.law != sample.law) && !is_off(SideCondition::SameLaw) {
            let message = format!("{} is not drawn from the same law in both runs", sample.name);
            return Err(Diagnostic::new(sample.span, message));
        }
        let image = image(self.piece, sample);
        Ok(if sample.law == Law::Uniform { Value::Exp(image) } else { Value::Number(image) })
    }

    fn finite(&self, name: &Symbol) -> Option<usize> {
        let value = *self.choices.get(name)?;
        match self.piece.maps.get(name) {
            Some((Map::Permute(images), _)) => images.get(value).copied(),
            _ => Some(value),
        }
    }
}

/// The second run on the image of a path of the first one, which is one of `first`.
///
/// # Errors
/// If a sample is not drawn from the same law in both runs.
pub(crate) fn second_run(
    program: &Program<'_>,
    first: &[Path],
    piece: &Piece,
    path: &Path,
) -> Result<Vec<Path>, KernelError> {
    let laws = Laws::of(first)?;
    Ok(paths(program, Side::Two, &Images { piece, laws: &laws, choices: &choices(path) })?)
}

/// The image of a sample's coordinate.
fn image(piece: &Piece, sample: &Sample) -> Polynomial {
    let v = Polynomial::variable(sample.coordinate());
    match piece.maps.get(&sample.name) {
        Some((Map::Affine { negate, shift }, _)) => {
            if *negate {
                shift - &v
            } else {
                shift + &v
            }
        }
        _ => v,
    }
}

fn choices(path: &Path) -> BTreeMap<Symbol, usize> {
    path.choices.iter().map(|choice| (choice.name.clone(), choice.value)).collect()
}

impl Piece {
    /// Whether it is for this path.
    pub(crate) fn selects(&self, path: &Path) -> bool {
        let values = choices(path);
        self.label.as_ref().is_none_or(|wanted| *wanted == label(path))
            && self.choices.iter().all(|(name, value)| match values.get(name) {
                Some(known) => known == value,
                None => is_off(SideCondition::ChoicesDrawn),
            })
    }
}

/// Checks the premises.
pub(crate) fn check(
    context: &mut Context<'_, '_>,
    hypotheses: &Hypotheses,
    alignment: &Alignment,
) -> Result<(), KernelError> {
    let hypotheses = hypotheses.extended(context, &alignment.axioms)?;
    let first = paths(context.program, Side::One, &Fresh)?;
    let laws = Laws::of(&first)?;
    let second = Laws::of(&paths(context.program, Side::Two, &Fresh)?)?;
    for path in &first {
        check_defined(context, &hypotheses, path)?;
    }
    for piece in &alignment.pieces {
        context.side(check_form(piece, &laws, context.samples))?;
        let guard = piece.guard.iter().map(|constraint| &constraint.polynomial);
        let maps = piece.maps.values().flat_map(|(map, cost)| match map {
            Map::Affine { shift, .. } => [Some(shift), Some(cost)],
            Map::Permute(_) => [None, Some(cost)],
        });
        context.admit(&hypotheses, guard.chain(maps.flatten()))?;
    }
    check_cover(context, &hypotheses, &first, &alignment.pieces)?;
    check_disjoint(context, &hypotheses, &first, &laws, &alignment.pieces)?;
    for piece in &alignment.pieces {
        check_results(context, &hypotheses, &first, &laws, piece)?;
        costs::check(context, &hypotheses, piece, &laws, &second)?;
    }
    Ok(())
}

/// Every map fits its sample, and shifts do not depend on samples.
fn check_form(piece: &Piece, laws: &Laws, coordinates: &BTreeSet<Symbol>) -> Result<(), KernelError> {
    for (name, (map, _)) in &piece.maps {
        match map {
            Map::Affine { negate, shift } => {
                let Some(sample) = laws.continuous.get(name) else {
                    return Err(refused(format!("{name} is not a sample that can be shifted")));
                };
                let free = |symbol: &Symbol| is_plain(symbol) && !coordinates.contains(symbol);
                if !shift.variables().iter().all(free) && !is_off(SideCondition::ShiftFreeOfSamples) {
                    return Err(refused(format!("the shift of {name} is not free of samples: {shift}")));
                }
                let is_one_sided = matches!(sample.law, Law::Exponential(_));
                if *negate && is_one_sided && !is_off(SideCondition::ExponentialMirror) {
                    return Err(refused(format!("{name} is never negative and cannot be mirrored")));
                }
            }
            Map::Permute(images) => {
                let count = laws.finite.get(name).map(|law| law.weights.len());
                let distinct: BTreeSet<usize> = images.iter().copied().collect();
                let is_bijective = distinct == (0..images.len()).collect();
                if count != Some(images.len()) || !(is_bijective || is_off(SideCondition::Permutation)) {
                    return Err(refused(format!("{name} is not permuted by {images:?}")));
                }
            }
        }
    }
    Ok(())
}

/// Premise 1: where a path is taken, one of the pieces applies.
fn check_cover(
    context: &mut Context<'_, '_>,
    hypotheses: &Hypotheses,
    first: &[Path],
    pieces: &[Piece],
) -> Result<(), KernelError> {
    for path in first.iter().filter(|_| !is_off(SideCondition::Cover)) {
        let supports = hypotheses.supports(path);
        // One constraint of every piece's guard fails; in every combination that must be impossible.
        let guards = pieces.iter().filter(|piece| piece.selects(path)).map(|piece| &piece.guard);
        let mut gaps: Vec<Vec<Constraint>> = vec![Vec::new()];
        for guard in guards {
            let negations: Vec<Constraint> = guard.iter().flat_map(Constraint::negated).collect();
            if gaps.len().saturating_mul(negations.len()) > MAX_GAPS {
                return Err(refused("the guards of the pieces have too many combinations"));
            }
            gaps = gaps
                .iter()
                .flat_map(|gap| {
                    negations.iter().map(|negation| [gap.as_slice(), std::slice::from_ref(negation)].concat())
                })
                .collect();
        }
        for gap in &gaps {
            let known = hypotheses.constraints.iter().chain(&path.guards).chain(&supports).chain(gap);
            context.need(RULE, || format!("that the pieces cover output {}", label(path)), known)?;
        }
    }
    Ok(())
}

/// Whether two labels are never of the same output: somewhere both are constant, and different.
fn are_apart(a: &str, b: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split(", ").collect(), b.split(", ").collect());
    a.len() != b.len() || a.iter().zip(&b).any(|(x, y)| *x != "·" && *y != "·" && x != y)
}

/// Premise 2. Pieces for different outputs have images on which the second run returns different outputs, by premise 3.
fn check_disjoint(
    context: &mut Context<'_, '_>,
    hypotheses: &Hypotheses,
    first: &[Path],
    laws: &Laws,
    pieces: &[Piece],
) -> Result<(), KernelError> {
    for (index, p) in pieces.iter().enumerate() {
        for q in &pieces[index + 1..] {
            let by_output = matches!((&p.label, &q.label), (Some(a), Some(b)) if are_apart(a, b));
            if by_output || is_off(SideCondition::Disjoint) {
                continue;
            }
            for a in first.iter().filter(|path| p.selects(path)) {
                for b in first.iter().filter(|path| q.selects(path)) {
                    check_apart(context, hypotheses, laws, (p, a), (q, b))?;
                }
            }
        }
    }
    Ok(())
}

/// The images of two pieces, on two paths, have no inner point in common.
fn check_apart(
    context: &mut Context<'_, '_>,
    hypotheses: &Hypotheses,
    laws: &Laws,
    (p, a): (&Piece, &Path),
    (q, b): (&Piece, &Path),
) -> Result<(), KernelError> {
    let (values_a, values_b) = (choices(a), choices(b));
    let finite = |piece, choices| Images { piece, laws, choices };
    let (images_a, images_b) = (finite(p, &values_a), finite(q, &values_b));
    let differ = |name: &Symbol| match (images_a.finite(name), images_b.finite(name)) {
        (Some(one), Some(two)) => one != two,
        _ => false,
    };
    if laws.finite.keys().any(differ) {
        return Ok(());
    }
    // The sample that q maps to where p maps v: T_q⁻¹(T_p(v)).
    let mut back = BTreeMap::new();
    for sample in laws.continuous.values() {
        let to = image(p, sample);
        let preimage = match q.maps.get(&sample.name) {
            Some((Map::Affine { negate: true, shift }, _)) => shift - &to,
            Some((Map::Affine { negate: false, shift }, _)) => &to - shift,
            _ => to,
        };
        back.insert(sample.coordinate(), preimage);
    }
    // Boundaries are null sets, so that the supports may be taken open.
    let open = |constraint: Constraint| Constraint::positive(constraint.polynomial);
    let mut known: Vec<Constraint> = hypotheses.constraints.clone();
    known.extend(a.guards.iter().chain(&p.guard).cloned());
    known.extend(hypotheses.supports(a).into_iter().map(open));
    let there = b.guards.iter().chain(&q.guard).cloned();
    let there = there.chain(hypotheses.supports(b).into_iter().map(open));
    // A function of samples would have to be taken at the other point; without it less is known, which is sound.
    let is_plain =
        |symbol: &Symbol| laws.continuous.values().any(|s| s.coordinate() == *symbol) || is_plain(symbol);
    for constraint in there.filter(|constraint| constraint.polynomial.variables().iter().all(is_plain)) {
        let moved = constraint.polynomial.substitute(&back);
        known.extend(moved.map(|polynomial| Constraint { polynomial, relation: constraint.relation }));
    }
    context.need(RULE, || "that the images of two pieces do not overlap".into(), known.iter())
}

/// Premise 3: on the image, the second run returns what the first one does.
fn check_results(
    context: &mut Context<'_, '_>,
    hypotheses: &Hypotheses,
    first: &[Path],
    laws: &Laws,
    piece: &Piece,
) -> Result<(), KernelError> {
    let mut runs: BTreeMap<BTreeMap<Symbol, usize>, Vec<Path>> = BTreeMap::new();
    for path in first.iter().filter(|path| piece.selects(path)) {
        if let Some(stopped) = context.over() {
            return Err(stopped);
        }
        let values = choices(path);
        if !runs.contains_key(&values) {
            let images = Images { piece, laws, choices: &values };
            runs.insert(values.clone(), paths(context.program, Side::Two, &images)?);
        }
        let supports = hypotheses.supports(path);
        let known = hypotheses.constraints.iter().chain(&path.guards).chain(&supports).chain(&piece.guard);
        let known: Vec<&Constraint> = known.collect();
        *context.premises += 1;
        let taken = || format!("which paths return output {}", label(path));
        if context.is_refuted(RULE, taken, &known) {
            continue;
        }
        for other in &runs[&values] {
            let together: Vec<&Constraint> = known.iter().copied().chain(&other.guards).collect();
            check_same(context, path, other, &together)?;
        }
    }
    Ok(())
}

/// Two paths are not taken together, or return the same.
fn check_same(
    context: &mut Context<'_, '_>,
    path: &Path,
    other: &Path,
    known: &[&Constraint],
) -> Result<(), KernelError> {
    if is_off(SideCondition::SameResult) {
        return Ok(());
    }
    let (one, two) = (label(path), label(other));
    if one != two || path.result.len() != other.result.len() {
        return context.need(
            RULE,
            || format!("that output {one} does not become {two}"),
            known.iter().copied(),
        );
    }
    for pair in path.result.iter().zip(&other.result) {
        let (Value::Number(a), Value::Number(b)) = pair else { continue };
        let difference = a - b;
        for unequal in [Constraint::positive(difference.clone()), Constraint::positive(-&difference)] {
            let known = known.iter().copied().chain([&unequal]);
            context.need(RULE, || format!("that both runs return the same ({a} and {b})"), known)?;
        }
    }
    Ok(())
}
