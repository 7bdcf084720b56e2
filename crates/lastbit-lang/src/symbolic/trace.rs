//! What happens on one way through a program.

use std::collections::BTreeMap;

use super::{Constraint, Polynomial, Relation, Symbol};
use crate::watch::Watch;
use crate::{Diagnostic, Span};

/// Most ways through a program.
const MAX_PATHS: usize = 4096;
/// Most statements and conditions on one way.
const MAX_STEPS: usize = 100_000;

/// A function that is no polynomial, and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// `exp`, `ln`, `sqrt`, `round`, `recip` (one over it).
    pub function: &'static str,
    /// The arguments that it is applied to.
    pub arguments: Vec<Polynomial>,
}

/// The name of a function's value: `exp(eps)`. Equal arguments give equal names.
pub fn applied(function: &str, arguments: &[Polynomial], suffix: &str) -> Symbol {
    let list: Vec<String> = arguments.iter().map(Polynomial::to_string).collect();
    format!("{function}({}{suffix})", list.join(", ")).into()
}

/// A condition that must hold, given those decided before it, for the program to be defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// The forbidden case: `p <= 0` for a logarithm of `p`, `p = 0` for a division by `p`.
    pub forbidden: Constraint,
    /// The number of guards that had been decided.
    pub guards: usize,
    /// The reason, such as `ln(…) needs a positive argument`.
    pub reason: &'static str,
    /// The place in the text that needs it.
    pub span: Span,
}

/// A path: a script of decisions, and what they were about.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    script: Vec<usize>,
    taken: Vec<(usize, usize)>,
    steps: usize,
    watch: Watch,
    /// The decisions, in order.
    pub guards: Vec<Constraint>,
    /// The conditions under which the path is defined.
    pub obligations: Vec<Obligation>,
    /// The functions that were applied, by their names.
    pub applications: BTreeMap<Symbol, Application>,
}

impl Trace {
    /// Takes one of so many ways.
    pub fn choose(&mut self, ways: usize) -> usize {
        let way = self.script.get(self.taken.len()).copied().unwrap_or(0);
        self.taken.push((way, ways));
        way
    }

    /// Decides which of some constraints holds; exactly one does.
    pub(crate) fn one_of(&mut self, constraints: &[Constraint]) -> usize {
        if let Some(known) = constraints.iter().position(|constraint| self.known(constraint) == Some(true)) {
            return known;
        }
        let open: Vec<usize> =
            (0..constraints.len()).filter(|i| self.known(&constraints[*i]) != Some(false)).collect();
        // Only after contradictory decisions; whatever comes of this way, it is not taken.
        if open.is_empty() {
            return 0;
        }
        let way = if open.len() == 1 { 0 } else { self.choose(open.len()) };
        self.guards.push(constraints[open[way]].clone());
        open[way]
    }

    /// Decides whether a constraint holds.
    pub fn holds(&mut self, constraint: Constraint) -> bool {
        let mut ways = constraint.negated();
        ways.insert(0, constraint);
        self.one_of(&ways) == 0
    }

    /// Whether a constraint holds, as far as numbers and what was decided of the same polynomial tell.
    fn known(&self, constraint: &Constraint) -> Option<bool> {
        if let Some(decided) = constraint.decided() {
            return Some(decided);
        }
        let (p, minus) = (&constraint.polynomial, -&constraint.polynomial);
        self.guards.iter().find_map(|guard| {
            let same = guard.polynomial == *p;
            if !same && guard.polynomial != minus {
                return None;
            }
            match (guard.relation, same, constraint.relation) {
                (Relation::Zero, _, wanted) => Some(wanted != Relation::Positive),
                (Relation::Positive, true, wanted) => Some(wanted != Relation::Zero),
                (Relation::Positive, false, _) => Some(false),
                (Relation::NonNegative, true, Relation::NonNegative) => Some(true),
                (Relation::NonNegative, false, Relation::Positive) => Some(false),
                (Relation::NonNegative, ..) => None,
            }
        })
    }

    /// The value of a function, as a variable.
    pub(crate) fn apply(
        &mut self,
        function: &'static str,
        arguments: Vec<Polynomial>,
        suffix: &str,
    ) -> Polynomial {
        let name = applied(function, &arguments, suffix);
        self.applications.insert(name.clone(), Application { function, arguments });
        Polynomial::variable(name)
    }

    /// Something that must not be.
    pub fn forbid(&mut self, forbidden: Constraint, reason: &'static str, span: Span) {
        if forbidden.decided() != Some(false) {
            self.obligations.push(Obligation { forbidden, guards: self.guards.len(), reason, span });
        }
    }

    /// Counts a statement.
    pub(crate) fn step(&mut self, span: Span) -> Result<(), Diagnostic> {
        self.steps += 1;
        if self.watch.is_over() {
            return Err(stopped(&self.watch, span));
        }
        match self.steps > MAX_STEPS {
            true => Err(Diagnostic::new(
                span,
                format!("more than {MAX_STEPS} steps: the loop is too long to unroll"),
            )),
            false => Ok(()),
        }
    }

    /// The script of the next way, in depth-first order.
    fn next(&self) -> Option<Vec<usize>> {
        let last = self.taken.iter().rposition(|(way, ways)| way + 1 < *ways)?;
        let mut script: Vec<usize> = self.taken[..=last].iter().map(|(way, _)| *way).collect();
        script[last] += 1;
        Some(script)
    }
}

/// What a run that is stopped fails with. Whoever has started the watch asks it, and says what it was.
pub(super) fn stopped(watch: &Watch, span: Span) -> Diagnostic {
    Diagnostic::new(span, watch.stopped().map_or_else(String::new, |stopped| stopped.to_string()))
}

/// Runs something in every way that its decisions can go.
///
/// # Errors
/// What `run` fails with, if there are more than 4096 ways, and if the watch is over.
pub fn explore<T>(
    span: Span,
    watch: &Watch,
    mut run: impl FnMut(&mut Trace) -> Result<T, Diagnostic>,
) -> Result<Vec<(T, Trace)>, Diagnostic> {
    let mut found = Vec::new();
    let mut script = Some(Vec::new());
    while let Some(decisions) = script {
        if watch.is_over() {
            return Err(stopped(watch, span));
        }
        if found.len() == MAX_PATHS {
            watch.too_many("ways through the program", format!("more than {MAX_PATHS}"), MAX_PATHS);
            let message = format!("more than {MAX_PATHS} ways through the program");
            return Err(Diagnostic::new(span, message).with_hint("shorter arrays have fewer"));
        }
        let mut trace = Trace { script: decisions, watch: watch.clone(), ..Trace::default() };
        let value = run(&mut trace)?;
        script = trace.next();
        found.push((value, trace));
    }
    Ok(found)
}
