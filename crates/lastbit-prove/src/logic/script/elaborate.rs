//! Scripts without `step`s, elaborated into proofs for the kernel.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::ast::{
    ExprId, ExprKind, MirrorRule, Name, Proof as Script, ProofStep, ProofStepKind, Side, UnaryOp,
};
use lastbit_lang::symbolic::{
    Constraint, Fresh, Law, Path, Polynomial, Program, Symbol, Trace, Value, condition, explore, paths, value,
};
use lastbit_lang::{Diagnostic, Span};

use super::counterexample::model;
use super::samples::{Drawn, ScriptScope, finite_value};
use super::{Rejection, ScriptReport, ScriptVerdict, Status, StepReport};
use crate::logic::kernel::{self, Hypotheses, Judge, KernelError, Leaf, Proof, check_leaves, hypotheses};
use crate::logic::search::Finder;

/// Checks a script.
pub(super) fn check(program: &Program<'_>, script: &Script) -> Result<ScriptReport, KernelError> {
    let first = paths(program, Side::One, &Fresh)?;
    let mut reports = Vec::new();
    number(&script.steps, &mut reports);
    let drawn = Drawn::of(&first);
    let none = BTreeSet::new();
    let mut elaborator = Elaborator {
        program,
        finder: Finder::new(program.watch()),
        first,
        drawn,
        reports,
        cost: None,
        costs: Vec::new(),
    };
    let mut leaves = Vec::new();
    for case in hypotheses(program)? {
        leaves.push(elaborator.leaf(&case, &script.steps, &[], &none)?);
    }
    let verdict = elaborator.verdict(leaves.into_iter().collect())?;
    let name = script.name.as_ref().map(|name| name.text.clone());
    Ok(ScriptReport { name, steps: elaborator.reports, verdict })
}

/// Gives every step a number, those inside a case after it.
fn number(steps: &[ProofStep], reports: &mut Vec<StepReport>) {
    for step in steps {
        let rule = match &step.kind {
            ProofStepKind::Pointwise(_) => "PW-EQ",
            ProofStepKind::Preimage { .. } => "PREIM",
            ProofStepKind::Event(..) => "EVENT",
            ProofStepKind::Case(..) | ProofStepKind::Mirror(..) => "CASE",
            ProofStepKind::Let(..) => "LET",
            ProofStepKind::Align { .. } => "ALIGN",
            ProofStepKind::Have(_) => "CONSEQ",
            ProofStepKind::Shift { law, .. } => match law.text() {
                "lap" => "LAP-GEN",
                "dlap" => "DLAP",
                _ => "ALIGN",
            },
            ProofStepKind::Endpoint(_) => "ENDPT",
            ProofStepKind::AuditExact => "AUDIT",
            ProofStepKind::Rule { .. } => "STEP",
        };
        let number_of_step = reports.len() + 1;
        let status = Status::NotReached;
        reports.push(StepReport { number: number_of_step, rule: rule.into(), span: step.span, status });
        if let ProofStepKind::Case(_, inner) = &step.kind {
            number(inner, reports);
        }
    }
}

/// A `let`.
pub(super) type Let<'s> = (&'s Name, ExprId);

pub(super) struct Elaborator<'e, 'a> {
    pub(super) program: &'e Program<'a>,
    pub(super) finder: Finder,
    pub(super) first: Vec<Path>,
    pub(super) drawn: Drawn,
    reports: Vec<StepReport>,
    /// What the steps say it costs.
    pub(super) cost: Option<Polynomial>,
    pub(super) costs: Vec<(Polynomial, Span)>,
}

impl<'e, 'a> Elaborator<'e, 'a> {
    pub(super) fn set(&mut self, step: &ProofStep, status: Status) {
        let found = self.reports.iter_mut().find(|report| report.span == step.span);
        if let Some(report) = found {
            // Another case may have rejected it already.
            if !report.is_rejected() {
                report.status = status;
            }
        }
    }

    pub(super) fn reject(
        &mut self,
        step: &ProofStep,
        rule: &str,
        premise: String,
        open: Option<&[Constraint]>,
    ) {
        let counterexample = open.and_then(|open| model(open, self.program.watch()));
        self.set(step, Status::Rejected(Rejection { rule: rule.into(), premise, counterexample }));
    }

    pub(super) fn refused(&mut self, step: &ProofStep, error: KernelError) -> Result<(), KernelError> {
        match error {
            KernelError::Open { rule, premise, open } => self.reject(step, rule, premise, Some(&open)),
            KernelError::Rule { rule, reason } => self.reject(step, rule, reason, None),
            other => return Err(other),
        }
        Ok(())
    }

    /// Where a script is not wrong but not made as scripts are.
    pub(super) fn malformed(step: &ProofStep, message: &str) -> KernelError {
        Diagnostic::new(step.span, message).into()
    }

    /// A scope with the `let`s evaluated.
    pub(super) fn scope<'s>(
        &'s self,
        lets: &[Let<'_>],
        mirrored: &'s BTreeSet<String>,
        choices: &BTreeMap<Symbol, usize>,
        trace: &mut Trace,
    ) -> Result<ScriptScope<'s, 'a>, Diagnostic> {
        let mut samples = BTreeMap::new();
        for sample in self.drawn.continuous.values() {
            let variable = Polynomial::variable(sample.coordinate());
            let is_uniform = sample.law == Law::Uniform;
            let value = if is_uniform { Value::Exp(variable) } else { Value::Number(variable) };
            insert(&mut samples, &sample.name, value);
        }
        for (name, number) in choices {
            insert(&mut samples, name, finite_value(self.program, name, *number));
        }
        let mut scope =
            ScriptScope { program: self.program, lets: BTreeMap::new(), samples, runs: None, mirrored };
        for (name, id) in lets {
            let bound = value(self.program.file, &scope, *id, None, trace)?;
            scope.lets.insert(name.text.clone(), bound);
        }
        Ok(scope)
    }

    /// The proof of one case; `None` if a step is rejected.
    fn leaf(
        &mut self,
        case: &Hypotheses,
        steps: &[ProofStep],
        lets: &[Let<'_>],
        mirrored: &BTreeSet<String>,
    ) -> Result<Option<Leaf>, KernelError> {
        let is_case =
            |step: &&ProofStep| matches!(step.kind, ProofStepKind::Case(..) | ProofStepKind::Mirror(..));
        let cases: Vec<&ProofStep> = steps.iter().filter(is_case).collect();
        let mut lets = lets.to_vec();
        for step in steps {
            if let ProofStepKind::Let(name, id) = &step.kind {
                lets.push((name, *id));
                self.set(step, Status::Accepted(None));
            }
        }
        if cases.is_empty() {
            return self.straight(case, steps, &lets, mirrored);
        }
        let is_beside = |step: &&ProofStep| !is_case(step) && !matches!(step.kind, ProofStepKind::Let(..));
        if let Some(step) = steps.iter().find(is_beside) {
            return Err(Self::malformed(step, "where there are cases, this belongs inside of them"));
        }
        // Which case is the first to apply, in every way that their conditions can turn out.
        let known = case.constraints.len();
        let file = self.program.file;
        let ways = explore(cases[0].span, self.program.watch(), |trace| {
            trace.guards = case.constraints.clone();
            let scope = self.scope(&lets, mirrored, &BTreeMap::new(), trace)?;
            for (index, step) in cases.iter().enumerate() {
                let (ProofStepKind::Case(id, _) | ProofStepKind::Mirror(id, _)) = step.kind else { continue };
                if condition(file, &scope, id, None, trace)? {
                    return Ok(Some(index));
                }
            }
            Ok(None)
        })?;
        let ways: Vec<Way> =
            ways.into_iter().map(|(index, trace)| (index, trace.guards[known..].to_vec())).collect();
        self.split(case, &ways.iter().collect::<Vec<_>>(), 0, &cases, (&lets, mirrored))
    }

    /// CASE: the tree of decisions.
    fn split(
        &mut self,
        case: &Hypotheses,
        ways: &[&Way],
        depth: usize,
        cases: &[&ProofStep],
        (lets, mirrored): (&[Let<'_>], &BTreeSet<String>),
    ) -> Result<Option<Leaf>, KernelError> {
        let Some((index, guards)) = ways.first() else {
            // Trusted to be impossible by what was decided before; the kernel will say.
            return Ok(Some(Leaf::Vacuous));
        };
        let Some(on) = guards.get(depth) else {
            return self.case(case, *index, cases, (lets, mirrored));
        };
        let mut leaves = Vec::new();
        let mut options = on.negated();
        options.insert(0, on.clone());
        for option in options {
            let these: Vec<&Way> =
                ways.iter().copied().filter(|(_, guards)| guards.get(depth) == Some(&option)).collect();
            leaves.push(self.split(&case.with(option), &these, depth + 1, cases, (lets, mirrored))?);
        }
        Ok(leaves.into_iter().collect::<Option<Vec<Leaf>>>().map(|leaves| Leaf::Split(on.clone(), leaves)))
    }

    fn case(
        &mut self,
        case: &Hypotheses,
        index: Option<usize>,
        cases: &[&ProofStep],
        (lets, mirrored): (&[Let<'_>], &BTreeSet<String>),
    ) -> Result<Option<Leaf>, KernelError> {
        if self.finder.are_refuted(&case.constraints.iter().collect::<Vec<_>>()) {
            return Ok(Some(Leaf::Vacuous));
        }
        let Some(index) = index else {
            let last = cases[cases.len() - 1];
            self.reject(last, "CASE", "the cases cover all neighbours".into(), Some(&case.constraints));
            return Ok(None);
        };
        let step = cases[index];
        let leaf = match &step.kind {
            ProofStepKind::Case(_, steps) => self.leaf(case, steps, lets, mirrored)?,
            ProofStepKind::Mirror(_, rules) => {
                let mirrored = self.mirrored(step, rules)?;
                let original = cases.iter().find_map(|step| match &step.kind {
                    ProofStepKind::Case(_, steps) => Some(steps),
                    _ => None,
                });
                let Some(original) = original else {
                    return Err(Self::malformed(step, "there is no other case that this one could mirror"));
                };
                self.leaf(case, original, lets, &mirrored)?
            }
            _ => None,
        };
        self.set(step, Status::Accepted(None));
        Ok(leaf)
    }

    /// What a mirror turns into its negative.
    fn mirrored(&self, step: &ProofStep, rules: &[MirrorRule]) -> Result<BTreeSet<String>, KernelError> {
        let file = self.program.file;
        let mut names = BTreeSet::new();
        for rule in rules {
            let is_negative = match &file.expr(rule.to).kind {
                ExprKind::Unary(UnaryOp::Neg | UnaryOp::Not, of) => {
                    matches!(&file.expr(*of).kind, ExprKind::Name(name) if *name == rule.from.name.text)
                }
                _ => false,
            };
            if !is_negative {
                return Err(Self::malformed(step, "a mirror takes variables to their negatives: x -> -x"));
            }
            names.insert(rule.from.name.text.clone());
        }
        Ok(names)
    }

    /// All cases together.
    fn verdict(&mut self, leaves: Option<Vec<Leaf>>) -> Result<ScriptVerdict, KernelError> {
        let Some(leaves) = leaves.filter(|_| !self.reports.iter().any(StepReport::is_rejected)) else {
            return Ok(ScriptVerdict::Rejected);
        };
        let claim = kernel::claim(self.program)?.map(|(epsilon, _)| epsilon);
        let Some(cost) = claim.clone().or(self.cost.take()) else {
            return Ok(ScriptVerdict::Undecided("nothing is claimed".into()));
        };
        match check_leaves(self.program, &cost, &leaves, &mut self.finder) {
            Ok(theorem) => {
                let lemmas = std::mem::take(&mut self.finder.lemmas);
                Ok(ScriptVerdict::Proved(Box::new((Proof { cost, leaves, lemmas }, theorem))))
            }
            Err(KernelError::Open { premise, open, .. }) => {
                // Every case holds at its own cost: it is the claim that is too small.
                let (spent, span) = self.costs.last().cloned().unwrap_or_default();
                let premise = match &claim {
                    Some(claim) => format!("the steps cost {spent}, and {claim} is claimed"),
                    None => premise,
                };
                let rejection = Rejection {
                    rule: "COMP".into(),
                    premise,
                    counterexample: model(&open, self.program.watch()),
                };
                if let Some(report) = self.reports.iter_mut().find(|report| report.span == span) {
                    report.status = Status::Rejected(rejection);
                }
                Ok(ScriptVerdict::Rejected)
            }
            Err(error) => Err(error),
        }
    }
}

/// A way that the conditions of cases can turn out: the case that applies, and what was decided.
type Way = (Option<usize>, Vec<Constraint>);

/// Sets a variable or an element of an array.
fn insert(samples: &mut BTreeMap<String, Value>, name: &Symbol, value: Value) {
    let Some((array, index)) = name.strip_suffix(']').and_then(|name| name.split_once('[')) else {
        samples.insert(name.to_string(), value);
        return;
    };
    let Ok(index) = index.parse::<usize>() else { return };
    let entry = samples.entry(array.to_owned()).or_insert_with(|| Value::List(Vec::new()));
    if let Value::List(items) = entry {
        if items.len() <= index {
            items.resize(index + 1, Value::Unset);
        }
        items[index] = value;
    }
}
