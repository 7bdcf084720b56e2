//! The trusted kernel: the check of a privacy proof, without search.
//!
//! A [`Proof`] is about a declaration of the language. [`check`] runs the declaration on symbols, makes of every rule's premises
//! sets of polynomial constraints that must not hold together, and looks each of them up among the proof's [`Lemma`]s, which it has
//! verified by multiplying out. It searches for nothing: a premise without a lemma is an error, with its place in the proof.
//! Trusted besides this module: the language's parser and its runs on symbols (`lastbit_lang::symbolic`), and exact arithmetic.
//!
//! | module | what it checks |
//! |---|---|
//! | `refutation` | lemmas: sums of products that are a contradiction |
//! | `hypotheses` | what is known of the inputs: facts, adjacency, and axioms about `exp` and reciprocals |
//! | `align` | ALIGN, and its special cases LAP-GEN, LAP-NULL, AX-NULL, UNIF-SHRINK, DLAP, RND-BIJ; with PW-EQ by output |
//! | `costs` | what ALIGN costs |
//! | `event` | PREIM, EVENT, with PW-EQ or PW-INT |
//! | `finite` | enumeration of all outputs |
//! | `trace` | nothing; it writes down what the others ask |

pub(crate) mod align;
mod broken;
pub(crate) mod costs;
pub(crate) mod event;
pub(crate) mod finite;
pub(crate) mod hypotheses;
pub(crate) mod refutation;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod trace;

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::ast::{ClauseKind, Declaration, File, Side};
use lastbit_lang::symbolic::{
    Constraint, Fresh, Path, Polynomial, Program, Sample, Scope, Symbol, Value, paths,
};
use lastbit_lang::watch::Watch;
use lastbit_real::Rational;

pub use super::proof::{
    Alignment, Axiom, Event, Finite, KernelError, Leaf, Lemma, Map, Piece, Proof, Refutation, Theorem,
};
use broken::{SideCondition, is_off};
pub(crate) use hypotheses::one_form;
pub use hypotheses::{Direction, Hypotheses, hypotheses};
pub use refutation::{Ground, Judge, Lemmas, Question};
pub(crate) use trace::{Obligation, Trace, trace};

/// What all rules look at.
pub(crate) struct Context<'c, 'a> {
    pub(crate) program: &'c Program<'a>,
    pub(crate) cost: &'c Polynomial,
    pub(crate) judge: &'c mut dyn Judge,
    /// The variables that stand for samples.
    pub(crate) samples: &'c BTreeSet<Symbol>,
    /// How many premises were checked.
    pub(crate) premises: &'c mut usize,
    /// The place in the proof, see [`Question::place`].
    pub(crate) place: Vec<usize>,
}

impl Context<'_, '_> {
    /// A premise: the constraints cannot hold together.
    pub(crate) fn need<'c>(
        &mut self,
        rule: &'static str,
        premise: impl Fn() -> String,
        constraints: impl IntoIterator<Item = &'c Constraint>,
    ) -> Result<(), KernelError> {
        *self.premises += 1;
        if let Some(stopped) = self.over() {
            return Err(stopped);
        }
        let constraints: Vec<&Constraint> = constraints.into_iter().collect();
        let question = Question {
            place: &self.place,
            rule,
            reason: &premise,
            constraints: &constraints,
            is_premise: true,
        };
        if self.judge.answer(&question) { Ok(()) } else { Err(question.open()) }
    }

    /// Whether the constraints are known not to hold together, where a rule can go on either way.
    pub(crate) fn is_refuted(
        &mut self,
        rule: &'static str,
        reason: impl Fn() -> String,
        constraints: &[&Constraint],
    ) -> bool {
        let place = &self.place;
        self.judge.answer(&Question { place, rule, reason: &reason, constraints, is_premise: false })
    }

    /// A side condition that is no matter of lemmas.
    pub(crate) fn side(&mut self, condition: Result<(), KernelError>) -> Result<(), KernelError> {
        condition.or_else(|error| self.judge.refuse(error))
    }

    /// That there is no time or memory left, if so.
    pub(crate) fn over(&self) -> Option<KernelError> {
        let watch = self.program.watch();
        watch.is_over().then(|| watch.stopped().map(KernelError::Stopped)).flatten()
    }

    /// What a proof brings in: its symbols are names, or functions applied to something, and it divides by nothing that may be zero.
    pub(crate) fn admit<'p>(
        &mut self,
        hypotheses: &Hypotheses,
        polynomials: impl IntoIterator<Item = &'p Polynomial>,
    ) -> Result<(), KernelError> {
        for polynomial in polynomials {
            if refutation::is_large(polynomial) {
                return Err(KernelError::Form("a polynomial is too large".into()));
            }
            if let Some(symbol) = polynomial.variables().iter().find(|symbol| !is_symbol(symbol)) {
                return Err(KernelError::Form(format!("`{symbol}` is not the name of anything")));
            }
            for symbol in refutation::inverted(polynomial) {
                let zero = Constraint::zero(Polynomial::variable(symbol.clone()));
                let known = hypotheses.constraints.iter().chain([&zero]);
                self.need("CONSEQ", || format!("that {symbol} is not zero"), known)?;
            }
        }
        Ok(())
    }
}

/// Whether a text is `x`, `q[3]`, `z#2`, `x<1>` or `f(…)` with its own parentheses: such texts cannot be taken for sums or products.
fn is_symbol(text: &str) -> bool {
    let text = text.strip_suffix("<1>").or_else(|| text.strip_suffix("<2>")).unwrap_or(text);
    let head = text.trim_start_matches(|c: char| c.is_alphanumeric() || "_'".contains(c));
    let mut depth = 0;
    let closes_early = head.char_indices().any(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth <= 0 && at + 1 < head.len()
    });
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && match head.chars().next() {
            None => true,
            Some('(') => depth == 0 && !closes_early,
            _ => head.chars().all(|c| c.is_ascii_digit() || "[]#".contains(c)),
        }
}

/// Checks a proof. This is rule DP: the leaves show `⊢ c ~[ε,0] c : adjacent ⇒ r<1> = r<2>` for all neighbours, in both directions.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(
    file: &File,
    declaration: &Declaration,
    values: &BTreeMap<String, Rational>,
    proof: &Proof,
) -> Result<Theorem, KernelError> {
    check_until(file, declaration, values, proof, &Watch::default())
}

/// As [`check`], until the watch is over.
///
/// # Errors
/// As [`check`], and [`KernelError::Stopped`].
pub fn check_until(
    file: &File,
    declaration: &Declaration,
    values: &BTreeMap<String, Rational>,
    proof: &Proof,
    watch: &Watch,
) -> Result<Theorem, KernelError> {
    let program = Program::new(file, declaration, values)?.watched(watch);
    watch.doing(|| format!("checking {} lemmas", proof.lemmas.len()));
    let mut lemmas = Lemmas::default();
    for lemma in &proof.lemmas {
        if let (true, Some(stopped)) = (watch.is_over(), watch.stopped()) {
            return Err(KernelError::Stopped(stopped));
        }
        lemmas.add(lemma)?;
    }
    watch.doing(|| format!("checking the premises of {} cases", proof.leaves.len()));
    check_leaves(&program, &proof.cost, &proof.leaves, &mut lemmas)
}

/// As [`check`], by a judge of one's own: a search that collects lemmas goes through the same rules as the check of what it has
/// found. Only with [`Lemmas`] is the result a theorem.
///
/// # Errors
/// The first thing that is wrong.
pub fn check_leaves(
    program: &Program<'_>,
    cost: &Polynomial,
    leaves: &[Leaf],
    judge: &mut dyn Judge,
) -> Result<Theorem, KernelError> {
    // What stops a run on symbols is told as an error of the program.
    check_all(program, cost, leaves, judge)
        .map_err(|error| program.watch().stopped().map_or(error, KernelError::Stopped))
}

fn check_all(
    program: &Program<'_>,
    cost: &Polynomial,
    leaves: &[Leaf],
    judge: &mut dyn Judge,
) -> Result<Theorem, KernelError> {
    let all = hypotheses(program)?;
    let is_parameter = |symbol: &Symbol| {
        program.lookup(symbol, None) == Some(Value::Number(Polynomial::variable(symbol.clone())))
    };
    let samples = coordinates(program)?;
    let is_function = |symbol: &Symbol| {
        !is_plain(symbol) && !symbol.contains('<') && !samples.iter().any(|sample| symbol.contains(&**sample))
    };
    if !cost.variables().iter().all(|symbol| is_function(symbol) || is_parameter(symbol)) {
        return Err(KernelError::Form("a cost is an expression over the parameters".into()));
    }
    let mut premises = 0;
    let mut context =
        Context { program, cost, judge, samples: &samples, premises: &mut premises, place: Vec::new() };
    context.side(match all.len() == leaves.len() {
        true => Ok(()),
        false => Err(KernelError::Form(format!("{} cases, and proofs of {}", all.len(), leaves.len()))),
    })?;
    for (index, (hypotheses, leaf)) in all.iter().zip(leaves).enumerate() {
        context.place = vec![index];
        context.admit(hypotheses, [cost])?;
        check_leaf(&mut context, hypotheses, leaf)?;
    }
    let claim = claim(program)?;
    for (index, hypotheses) in all.iter().enumerate() {
        context.place = vec![index];
        let mut excesses = Vec::new();
        excesses.extend(claim.as_ref().map(|(epsilon, _)| Constraint::positive(cost - epsilon)));
        // Pure privacy is approximate privacy for every δ that is not negative.
        excesses.extend(
            claim.iter().filter_map(|(_, delta)| delta.as_ref().map(|delta| Constraint::positive(-delta))),
        );
        excesses.retain(|_| !is_off(SideCondition::ClaimCovers));
        for exceeds in &excesses {
            let known = hypotheses.constraints.iter().chain([exceeds]);
            context.need("DP", || format!("that the cost {cost} is at most what is claimed"), known)?;
        }
    }
    let claim = claim.map(|(epsilon, _)| epsilon);
    Ok(Theorem { cost: cost.clone(), claim, premises })
}

/// As [`check_leaves`], for one leaf.
///
/// # Errors
/// The first thing that is wrong.
pub(crate) fn check_one(
    program: &Program<'_>,
    cost: &Polynomial,
    hypotheses: &Hypotheses,
    leaf: &Leaf,
    judge: &mut dyn Judge,
) -> Result<(), KernelError> {
    let samples = coordinates(program)?;
    let (premises, place) = (&mut 0, vec![0]);
    check_leaf(&mut Context { program, cost, judge, samples: &samples, premises, place }, hypotheses, leaf)
}

fn check_leaf(
    context: &mut Context<'_, '_>,
    hypotheses: &Hypotheses,
    leaf: &Leaf,
) -> Result<(), KernelError> {
    match leaf {
        Leaf::Vacuous if is_off(SideCondition::Impossible) => Ok(()),
        Leaf::Vacuous => {
            context.need("CASE", || "that the case is impossible".into(), hypotheses.constraints.iter())
        }
        Leaf::Split(on, leaves) => {
            context.admit(hypotheses, [&on.polynomial])?;
            // A case may not depend on samples: the maps of two cases could have images in common.
            let free = |symbol: &Symbol| is_plain(symbol) && !context.samples.contains(symbol);
            let is_free = on.polynomial.variables().iter().all(free);
            if !is_free && !is_off(SideCondition::SplitFreeOfSamples) {
                return Err(KernelError::Form("a case depends on samples".into()));
            }
            let mut ways = on.negated();
            ways.insert(0, on.clone());
            let is_exhaustive = ways.len() == leaves.len() || is_off(SideCondition::SplitExhaustive);
            context.side(match is_exhaustive {
                true => Ok(()),
                false => {
                    Err(KernelError::Form(format!("a case of {} ways has {}", ways.len(), leaves.len())))
                }
            })?;
            for (index, (way, leaf)) in ways.into_iter().zip(leaves).enumerate() {
                context.place.push(index);
                check_leaf(context, &hypotheses.with(way), leaf)?;
                context.place.pop();
            }
            Ok(())
        }
        Leaf::Align(alignment) => align::check(context, hypotheses, alignment),
        Leaf::Event(event) => event::check(context, hypotheses, event),
        Leaf::Finite(finite) => finite::check(context, hypotheses, finite),
    }
}

/// The claimed loss, if it is an expression: ε, and δ if there is one.
///
/// # Errors
/// If it cannot be read, has cases, or is not the only one.
pub fn claim(program: &Program<'_>) -> Result<Option<(Polynomial, Option<Polynomial>)>, KernelError> {
    let mut trace = lastbit_lang::symbolic::Trace::default();
    let mut read = |id| program.parameter_expression(id, &mut trace);
    let mut claims = Vec::new();
    for clause in &program.declaration.clauses {
        match clause.kind {
            ClauseKind::ClaimPure(Some(epsilon)) => claims.push((read(epsilon)?, None)),
            ClauseKind::ClaimApprox(epsilon, delta) => claims.push((read(epsilon)?, Some(read(delta)?))),
            _ => {}
        }
    }
    let has_cases = !trace.guards.is_empty() && !is_off(SideCondition::ClaimWithoutCases);
    if has_cases || claims.len() > 1 {
        return Err(KernelError::Form("a claim must be one expression without cases".into()));
    }
    Ok(claims.pop())
}

/// The variables that stand for samples, in either run.
fn coordinates(program: &Program<'_>) -> Result<BTreeSet<Symbol>, KernelError> {
    let runs = [paths(program, Side::One, &Fresh)?, paths(program, Side::Two, &Fresh)?];
    Ok(runs.iter().flatten().flat_map(|path| &path.samples).map(Sample::coordinate).collect())
}

/// Whether a symbol is a variable, and not the value of a function: `x<1>`, `f(a)<1>`, `eps`.
pub(crate) fn is_plain(symbol: &Symbol) -> bool {
    !symbol.contains('(') || symbol.ends_with('>')
}

/// ASSN: every operation on the path is defined.
pub(crate) fn check_defined(
    context: &mut Context<'_, '_>,
    hypotheses: &Hypotheses,
    path: &Path,
) -> Result<(), KernelError> {
    for obligation in path.obligations.iter().filter(|_| !is_off(SideCondition::Defined)) {
        let known = hypotheses.constraints.iter().chain(&path.guards[..obligation.guards]);
        let supports = hypotheses.supports(path);
        let known = known.chain(&supports).chain([&obligation.forbidden]);
        context.need("ASSN", || format!("definedness ({})", obligation.reason), known)?;
    }
    Ok(())
}
