//! Shifts of noise: the cheapest linear map of the samples under which both runs return the same, by linear programming.
//!
//! For every output the set of samples that give it is described by the guards that all its paths imply. A guard `g(x, v) >= 0` is kept by
//! `v ↦ v + s` if `g(x₂, v + s) - g(x₁, v)`, which is linear in `s` and the differences `δ = x₁ - x₂`, is not negative for any neighbours. Each
//! shift is sought as `s = α + Σ β·δ`; that a linear form of δ is not negative on the polyhedron of neighbours is, by duality, again
//! linear in `α`, `β` and multipliers. What is found is a proposal: the kernel decides.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::ast::Side;
use lastbit_lang::symbolic::{
    Constraint, Fresh, Law, Path, Polynomial, Program, Relation, Sample, Symbol, Value, paths,
};
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;

use super::handelman;
use super::simplex::{Optimum, Row, minimise};
use crate::logic::kernel::align::label;
use crate::logic::kernel::{Alignment, Hypotheses, KernelError, Map, Piece};

/// Why there is no proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoShift {
    /// The program cannot be run on symbols.
    Program(KernelError),
    /// There is no noise to shift.
    NoNoise,
    /// No linear shift keeps this output.
    Output(String),
}

/// A map, and what it costs at most.
#[derive(Clone, Debug)]
pub(super) struct Shifts {
    /// The map.
    pub alignment: Alignment,
    /// The cost of each piece.
    pub costs: Vec<Polynomial>,
}

/// Looks for shifts.
pub(super) fn shifts(
    program: &Program<'_>,
    hypotheses: &Hypotheses,
    at: &BTreeMap<Symbol, Polynomial>,
) -> Result<Shifts, NoShift> {
    let first = paths(program, Side::One, &Fresh).map_err(|error| NoShift::Program(error.into()))?;
    let samples: BTreeMap<Symbol, Sample> = first
        .iter()
        .flat_map(|path| &path.samples)
        .map(|sample| (sample.name.clone(), sample.clone()))
        .collect();
    if samples.is_empty() {
        return Err(NoShift::NoNoise);
    }
    let coordinates = samples.values().map(|sample| (sample.coordinate(), sample.name.clone())).collect();
    let view = View { at, samples: &samples, coordinates, watch: program.watch() };
    let mut groups: BTreeMap<String, Vec<&Path>> = BTreeMap::new();
    for path in &first {
        groups.entry(label(path)).or_default().push(path);
    }
    let atoms: BTreeSet<&Constraint> = first.iter().flat_map(|path| &path.guards).collect();
    let mut found = Shifts { alignment: Alignment::default(), costs: Vec::new() };
    for (label, group) in groups {
        let guards = common_guards(&group, &atoms, program.watch());
        let (piece, cost) =
            view.piece(hypotheses, &guards, &group).ok_or_else(|| NoShift::Output(label.clone()))?;
        found.alignment.pieces.push(Piece { label: Some(label), ..piece });
        found.costs.push(cost);
    }
    if let [only] = found.alignment.pieces.as_mut_slice() {
        only.label = None;
    }
    Ok(found)
}

/// The guards that hold on every path of a group.
fn common_guards(group: &[&Path], atoms: &BTreeSet<&Constraint>, watch: &Watch) -> Vec<Constraint> {
    if let [only] = group {
        return only.guards.clone();
    }
    let holds = |path: &Path, atom: &Constraint| {
        path.guards.contains(atom)
            || atom.negated().into_iter().all(|negation| {
                let all: Vec<Constraint> = path.guards.iter().cloned().chain([negation]).collect();
                handelman::refute(&all, 1, watch).is_some()
            })
    };
    atoms
        .iter()
        .filter(|atom| group.iter().all(|path| holds(path, atom)))
        .map(|atom| (*atom).clone())
        .collect()
}

/// Numbers in the place of parameters.
struct View<'v> {
    at: &'v BTreeMap<Symbol, Polynomial>,
    samples: &'v BTreeMap<Symbol, Sample>,
    /// The samples by the variables that stand for them.
    coordinates: BTreeMap<Symbol, Symbol>,
    watch: &'v Watch,
}

/// A linear form: in samples and in inputs.
#[derive(Default)]
struct Form {
    samples: BTreeMap<Symbol, Rational>,
    inputs: BTreeMap<Symbol, Rational>,
}

/// A linear form in the unknowns of the linear program, with a constant.
type Affine = (BTreeMap<usize, Rational>, Rational);

/// The linear program.
#[derive(Default)]
struct Unknowns {
    count: usize,
    rows: Vec<Row>,
}

impl Unknowns {
    fn unknown(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }

    fn row(&mut self, (form, constant): Affine, relation: Relation) {
        self.rows.push(Row { coefficients: form.into_iter().collect(), constant, relation });
    }
}

impl View<'_> {
    /// A polynomial as a linear form, at the parameters' values; `None` if it is not linear.
    fn form(&self, p: &Polynomial) -> Option<Form> {
        let mut form = Form::default();
        for (monomial, coefficient) in p.substitute(self.at)?.terms() {
            match monomial.powers() {
                [] => {}
                [(symbol, 1)] => match self.coordinates.get(symbol) {
                    Some(name) => drop(form.samples.insert(name.clone(), coefficient.clone())),
                    None => drop(form.inputs.insert(symbol.clone(), coefficient.clone())),
                },
                _ => return None,
            }
        }
        Some(form)
    }

    fn rate(&self, sample: &Sample) -> Option<Polynomial> {
        match &sample.law {
            Law::Laplace(scale) | Law::Exponential(scale) | Law::DiscreteLaplace(scale, _) => scale.inverse(),
            Law::Uniform => Some(Polynomial::constant(1)),
        }
    }

    /// What is known of the differences: linear forms in them with a constant, `>= 0` or `= 0`.
    fn neighbours(&self, hypotheses: &Hypotheses) -> Vec<(BTreeMap<Symbol, Rational>, Rational, bool)> {
        let mut found = Vec::new();
        for constraint in &hypotheses.constraints {
            let Some(p) = constraint.polynomial.substitute(self.at) else { continue };
            let Some(form) = self.form(&p) else { continue };
            let mut differences = BTreeMap::new();
            let balanced = form.inputs.iter().all(|(symbol, coefficient)| match symbol.strip_suffix("<1>") {
                Some(name) => {
                    differences.insert(Symbol::from(name), coefficient.clone());
                    form.inputs.get(format!("{name}<2>").as_str()) == Some(&-coefficient)
                }
                None => symbol
                    .strip_suffix("<2>")
                    .is_some_and(|name| form.inputs.contains_key(format!("{name}<1>").as_str())),
            });
            if balanced && form.samples.is_empty() && !differences.is_empty() {
                let constant = p.coefficient(&Default::default());
                found.push((differences, constant, constraint.relation == Relation::Zero));
            }
        }
        found
    }

    /// The cheapest shifts that keep some guards and what some paths return.
    fn piece(
        &self,
        hypotheses: &Hypotheses,
        guards: &[Constraint],
        group: &[&Path],
    ) -> Option<(Piece, Polynomial)> {
        let mut neighbours = self.neighbours(hypotheses);
        // What must be kept, and what must not change at all.
        let mut kept: Vec<(Form, bool)> = Vec::new();
        for guard in guards {
            kept.extend(self.form(&guard.polynomial).map(|form| (form, guard.relation == Relation::Zero)));
        }
        for value in group.iter().flat_map(|path| &path.result) {
            if let Value::Number(p) = value {
                kept.extend(self.form(p).map(|form| (form, true)));
            }
        }
        // Differences that are known to be none need no unknowns.
        let is_none = |(form, constant, is_equation): &&(BTreeMap<Symbol, Rational>, Rational, bool)| {
            *is_equation && constant.is_zero() && form.len() == 1
        };
        let none: BTreeSet<Symbol> =
            neighbours.iter().filter(is_none).flat_map(|(form, ..)| form.keys().cloned()).collect();
        for (form, ..) in &mut neighbours {
            form.retain(|name, _| !none.contains(name));
        }
        neighbours.retain(|(form, ..)| !form.is_empty());
        for (form, _) in &mut kept {
            form.inputs.retain(|symbol, _| {
                symbol.strip_suffix("<1>").is_none_or(|name| !none.contains(&Symbol::from(name)))
            });
        }
        kept.retain(|(form, _)| !form.samples.is_empty() || !form.inputs.is_empty());
        let moving = moving(&kept);
        kept.retain(|(form, _)| form.samples.is_empty() || form.samples.keys().any(|s| moving.contains(s)));

        let mut lp = Unknowns::default();
        // α, β by difference, and a bound on the size, for every sample that matters.
        let mut templates: BTreeMap<Symbol, (usize, BTreeMap<Symbol, usize>, usize)> = BTreeMap::new();
        for (form, _) in &kept {
            for name in form.samples.keys() {
                let template = templates
                    .entry(name.clone())
                    .or_insert_with(|| (lp.unknown(), BTreeMap::new(), lp.unknown()));
                for symbol in form.inputs.keys() {
                    let Some(difference) = symbol.strip_suffix("<1>") else { continue };
                    template.1.entry(difference.into()).or_insert_with(|| lp.unknown());
                }
            }
        }
        let zero = || (BTreeMap::new(), Rational::ZERO);
        for (form, is_equation) in &kept {
            // Σ c·s - Σ d·δ, as a form in δ whose coefficients are forms in the unknowns.
            let mut constant: Affine = zero();
            let mut slopes: BTreeMap<Symbol, Affine> = BTreeMap::new();
            for (name, c) in &form.samples {
                let (alpha, betas, _) = &templates[name];
                constant.0.insert(*alpha, c.clone());
                for (difference, beta) in betas {
                    slopes.entry(difference.clone()).or_insert_with(zero).0.insert(*beta, c.clone());
                }
            }
            for (symbol, d) in &form.inputs {
                let difference = symbol.strip_suffix("<1>")?;
                slopes.entry(difference.into()).or_insert_with(zero).1 = -d;
            }
            robust(&mut lp, &neighbours, &constant, &slopes);
            if *is_equation {
                let (constant, slopes) = negated(&constant, &slopes);
                robust(&mut lp, &neighbours, &constant, &slopes);
            }
        }
        let mut objective = Vec::new();
        for (name, (alpha, betas, size)) in &templates {
            let sample = &self.samples[name];
            let rate = self.rate(sample)?.substitute(self.at)?.as_constant()?;
            objective.push((*size, rate));
            let shift: Affine = ([(*alpha, Rational::ONE)].into(), Rational::ZERO);
            let slope = |beta: &usize| -> Affine { ([(*beta, Rational::ONE)].into(), Rational::ZERO) };
            let slopes: BTreeMap<Symbol, Affine> =
                betas.iter().map(|(difference, beta)| (difference.clone(), slope(beta))).collect();
            let (minus_shift, minus_slopes) = negated(&shift, &slopes);
            for (mut constant, slopes) in [(shift.clone(), &slopes), (minus_shift, &minus_slopes)] {
                constant.0.insert(*size, Rational::ONE);
                robust(&mut lp, &neighbours, &constant, slopes);
            }
            if matches!(sample.law, Law::Exponential(_)) {
                robust(&mut lp, &neighbours, &shift, &slopes);
            }
        }
        let Optimum::At(point, _) = minimise(lp.count, &lp.rows, &objective, self.watch)? else {
            return None;
        };

        let mut piece = Piece::default();
        let mut total = Polynomial::zero();
        for (name, (alpha, betas, size)) in &templates {
            let mut shift = Polynomial::constant(point[*alpha].clone());
            for (difference, beta) in betas {
                let difference = &Polynomial::variable(format!("{difference}<1>"))
                    - &Polynomial::variable(format!("{difference}<2>"));
                shift = &shift + &difference.scale(&point[*beta]);
            }
            if shift.is_zero() {
                continue;
            }
            let cost = self.rate(&self.samples[name])?.scale(&point[*size]);
            total = &total + &cost;
            piece.maps.insert(name.clone(), (Map::Affine { negate: false, shift }, cost));
        }
        Some((piece, total))
    }
}

/// The samples that may have to be shifted: those that stand in a form with a difference, and those in a form with one of these. The others
/// stay where they are, which keeps their forms at no cost.
fn moving(kept: &[(Form, bool)]) -> BTreeSet<Symbol> {
    let mut forms: BTreeMap<&Symbol, Vec<&Form>> = BTreeMap::new();
    for (form, _) in kept {
        form.samples.keys().for_each(|sample| forms.entry(sample).or_default().push(form));
    }
    let with_difference = kept.iter().filter(|(form, _)| !form.inputs.is_empty());
    let mut next: Vec<&Symbol> = with_difference.flat_map(|(form, _)| form.samples.keys()).collect();
    let mut moving = BTreeSet::new();
    while let Some(sample) = next.pop() {
        if moving.insert(sample.clone()) {
            next.extend(forms[sample].iter().flat_map(|form| form.samples.keys()));
        }
    }
    moving
}

fn negated(constant: &Affine, slopes: &BTreeMap<Symbol, Affine>) -> (Affine, BTreeMap<Symbol, Affine>) {
    let minus = |(form, constant): &Affine| -> Affine {
        (form.iter().map(|(unknown, c)| (*unknown, -c)).collect(), -constant)
    };
    (minus(constant), slopes.iter().map(|(difference, slope)| (difference.clone(), minus(slope))).collect())
}

/// `constant + Σ slope·δ >= 0` for all neighbours: there are multipliers `λ >= 0` of what is known of δ, any for equations, with
/// `slope = Σ λ·C` for every δ and `constant >= Σ λ·c`.
fn robust(
    lp: &mut Unknowns,
    neighbours: &[(BTreeMap<Symbol, Rational>, Rational, bool)],
    constant: &Affine,
    slopes: &BTreeMap<Symbol, Affine>,
) {
    // Only what speaks of these differences, or of others that it ties to them.
    let mut relevant: BTreeSet<&Symbol> = slopes.keys().collect();
    loop {
        let tied = neighbours.iter().filter(|(form, ..)| form.keys().any(|name| relevant.contains(name)));
        let more: BTreeSet<&Symbol> = tied.flat_map(|(form, ..)| form.keys()).collect();
        let before = relevant.len();
        relevant.extend(more);
        if relevant.len() == before {
            break;
        }
    }
    let mut constant = constant.clone();
    let mut slopes = slopes.clone();
    let touching = neighbours.iter().filter(|(form, ..)| form.keys().any(|name| relevant.contains(name)));
    for (form, known, is_equation) in touching {
        let multiplier = lp.unknown();
        if !is_equation {
            lp.row(([(multiplier, Rational::ONE)].into(), Rational::ZERO), Relation::NonNegative);
        }
        for (difference, coefficient) in form {
            let slope = slopes.entry(difference.clone()).or_default();
            slope.0.insert(multiplier, -coefficient);
        }
        constant.0.insert(multiplier, -known);
    }
    for slope in slopes.into_values() {
        lp.row(slope, Relation::Zero);
    }
    lp.row(constant, Relation::NonNegative);
}
