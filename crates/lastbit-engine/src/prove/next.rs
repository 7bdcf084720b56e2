//! What to try where a claim is neither proved nor refuted: lines to paste and options to give, made from the text.

use lastbit_lang::ast::{
    Binder, Constraint, Declaration, Distribution, ExprId, ExprKind, File, Function, Scalar, Shape,
    StatementKind,
};
use lastbit_lang::{Reading, expression_text};
use lastbit_prove::endpoint::answer::FloatAnswer;
use lastbit_prove::logic::answer::{Answer, advice};
use lastbit_prove::logic::refute::RefutationOutcome;
use lastbit_prove::logic::search::Failure;
use lastbit_real::{Rational, Rounding};

use super::answer::ProofAnswer;

/// Ranges of integers that are short enough to be listed.
const LISTED: i64 = 8;
/// What was tried, and what to try, at most so much of each.
const MOST: usize = 4;

/// Of a claim over the reals.
pub(super) fn of_privacy(file: &File, answer: &Answer<'_>, found: &mut ProofAnswer) {
    if let Some(stopped) = &answer.found.stopped {
        found.tried.push(stopped.to_string());
        found.next.push(advice(&stopped.reason).to_owned());
        return;
    }
    let attempts = answer.found.search.iter().flat_map(|search| &search.attempts);
    for attempt in attempts {
        let reason = match &attempt.failure {
            Failure::NotApplicable(reason) => reason.clone(),
            Failure::Refused(error) => error.to_string(),
        };
        let case = if attempt.case.is_empty() { String::new() } else { format!(", case {}", attempt.case) };
        let tried = format!("{}{case}: {reason}", attempt.strategy);
        if found.tried.len() < MOST && !found.tried.contains(&tried) {
            found.tried.push(tried);
        }
    }
    match &answer.found.refutation {
        Some(Ok(RefutationOutcome::NotFound { tried, closest })) => found.tried.push(match closest {
            Some(witness) => {
                let loss = witness.loss().map_or("infinite".into(), |loss| {
                    Rational::from(&loss).to_decimal(super::words::DIGITS, Rounding::Down)
                });
                let (claimed, event) = (&witness.epsilon, &witness.observation);
                format!("no event of {tried} loses more than {loss} of the claimed {claimed} (at {event})")
            }
            None => format!("no witness against it in {tried} probabilities"),
        }),
        Some(Err(error)) => found.tried.push(format!("no witness: {error}")),
        _ => {}
    }
    let text = Text { file, declaration: answer.declaration };
    let mut next = Vec::new();
    next.extend(text.script(answer));
    next.extend(text.values(answer));
    next.extend(text.listed());
    next.extend(text.ranges());
    next.extend(text.clamped());
    if next.is_empty() {
        next.push(
            "write a proof: docs/logic.md, `Proofs in a file`; `lastbit audit FILE --inputs …` weighs two inputs".into(),
        );
    }
    next.truncate(MOST);
    found.next = next;
}

struct Text<'t> {
    file: &'t File,
    declaration: &'t Declaration,
}

impl Text<'_> {
    fn words(&self, id: ExprId) -> String {
        expression_text(self.file, id, Reading::Real)
    }

    fn number(&self, id: ExprId) -> Option<Rational> {
        self.words(id).parse().ok()
    }

    /// A proof that shifts every Laplace sample by the difference of the inputs, if there is one input and one such sample.
    fn script(&self, answer: &Answer<'_>) -> Option<String> {
        if !self.declaration.proofs.is_empty() || self.clamped().is_some() {
            return None;
        }
        let samples = self.declaration.statements().into_iter().filter_map(|line| match &line.kind {
            StatementKind::Sample(place, Distribution::Lap(_)) if place.index.is_none() => {
                Some(("lap", place.name.text.as_str()))
            }
            StatementKind::Sample(place, Distribution::Dlap(..)) if place.index.is_none() => {
                Some(("dlap", place.name.text.as_str()))
            }
            StatementKind::Sample(..) => Some(("", "")),
            _ => None,
        });
        let samples: Vec<(&str, &str)> = samples.collect();
        let [(law, sample)] = samples.as_slice() else { return None };
        let ([argument], false) = (self.declaration.arguments.as_slice(), law.is_empty()) else {
            return None;
        };
        if argument.ty.shape != Shape::One {
            return None;
        }
        let (x, cost) = (&argument.name.text, answer.claim.as_ref()?.0.to_string());
        let result = self.declaration.body.iter().find_map(|line| match &line.kind {
            StatementKind::Return(value) => match &self.file.expr(*value).kind {
                ExprKind::Name(name) => Some(name.clone()),
                _ => None,
            },
            _ => None,
        });
        let have = result.map_or(String::new(), |r| format!(" have {r}<1> = {r}<2>;"));
        Some(format!(
            "a proof after the last brace, if the noise is to make up for the inputs: proof {{ {law} {sample} shift ({x}<1> - {x}<2>) cost {cost};{have} }}"
        ))
    }

    /// Values for open parameters that are not the claim itself.
    fn values(&self, answer: &Answer<'_>) -> Option<String> {
        let claim = answer.claim.as_ref().map(|(epsilon, _)| epsilon.variables()).unwrap_or_default();
        let open = self.declaration.parameters().filter(|binder| {
            let name = binder.name.text.as_str();
            !answer.values.contains_key(name) && !claim.iter().any(|symbol| **symbol == *name)
        });
        let options: Vec<String> =
            open.map(|binder| format!("--param {}={}", binder.name.text, self.example(binder))).collect();
        (!options.is_empty())
            .then(|| format!("fix what is open, for a proof of one case: {}", options.join(" ")))
    }

    /// A value that a declaration allows, as far as that is easy to see.
    fn example(&self, binder: &Binder) -> String {
        match &binder.constraint {
            Some(Constraint::In(interval)) => {
                self.number(interval.hi).map_or("1".into(), |hi| hi.to_string())
            }
            _ if binder.ty.scalar == Scalar::Int => "5".into(),
            _ => "100".into(),
        }
    }

    /// Integers of a short range, listed.
    fn listed(&self) -> Vec<String> {
        let listed = self.declaration.arguments.iter().filter_map(|binder| {
            let Some(Constraint::In(interval)) = &binder.constraint else { return None };
            let [lo, hi] = [interval.lo, interval.hi].map(|end| self.number(end));
            let (lo, hi) = (lo?, hi?);
            if binder.ty.scalar != Scalar::Int || &hi - &lo > Rational::from(LISTED) {
                return None;
            }
            let mut value = lo;
            let mut values = Vec::new();
            while value <= hi {
                values.push(format!("{}<1> = {value}", binder.name.text));
                value = value + Rational::ONE;
            }
            let one = values.join(" | ");
            let two = one.replace("<1>", "<2>");
            Some(format!(
                "list the values of {}, so that all cases are checked: assume {one} assume {two}",
                binder.name.text
            ))
        });
        listed.collect()
    }

    /// Integers without a range.
    fn ranges(&self) -> Vec<String> {
        let open = self
            .declaration
            .arguments
            .iter()
            .filter(|binder| binder.ty.scalar == Scalar::Int && binder.constraint.is_none());
        open.map(|binder| {
            let name = &binder.name.text;
            format!("give {name} the range that it has: {name}: int in [0, 1]")
        })
        .collect()
    }

    /// Inputs that are clamped.
    fn clamped(&self) -> Option<String> {
        let roots = self.declaration.statements().into_iter().flat_map(|line| line.expressions());
        let mut all = roots.flat_map(|root| self.file.post_order(root));
        let clamps = |kind: &ExprKind| {
            matches!(kind, ExprKind::Call(Function::Clamp | Function::Min | Function::Max, _))
        };
        let found = all.find(|id| clamps(&self.file.expr(*id).kind))?;
        let written = self.words(found);
        let argument =
            self.declaration.arguments.iter().find(|binder| written.contains(&binder.name.text))?;
        Some(format!(
            "declare the range that `{written}` makes, and leave it out: {}: real in [lo, hi]",
            argument.name.text
        ))
    }
}

/// Of a claim in floating point.
pub(super) fn of_loss(found: &FloatAnswer<'_>, answer: &mut ProofAnswer) {
    match &found.bound {
        Err(reason) => {
            answer.tried.push(format!("no bound for all inputs: {}", reason.message));
            answer.next.extend(reason.hint.clone());
            answer.next.push(
                "write the noise as s * (ln(u) / eps) or s * (b * ln(u)), and the result as clamp(round(c + noise, L), B) with c := clamp(x, B)".into(),
            );
        }
        Ok((_, report)) => {
            let loss = report.certified.loss();
            answer.tried.extend(found.not_enough());
            let up = loss.to_decimal(super::answer::LOSS_DIGITS, Rounding::Up);
            answer.next.push(format!("claim what is certified, {up}, or let it be found: claim pure infer"));
        }
    }
}
