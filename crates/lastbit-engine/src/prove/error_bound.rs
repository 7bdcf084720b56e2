//! One program: a bound on its error, and its derivation.

use std::time::Instant;

use lastbit_lang::fpcore::{self, WriteError};
use lastbit_lang::{Diagnostic, NodeId, StraightLine};
use lastbit_prove::analysis::{Analysis, NoBound};
use lastbit_prove::analysis::{Goal, analyse_while};
use lastbit_prove::certificate;
use lastbit_prove::derivation::{self, Derivation, Reading};
use lastbit_prove::whole_box;
use lastbit_real::{Dyadic, Rational};
use serde::Serialize;

use super::answer::{DIGITS, Found, NamedCertificate, ProofAnswer, Verdict};
use super::question::{DerivationWish, Form, Task};
use super::{Session, papers};
use crate::{Number, Refusal};

/// A bound on `|float - real|`, for all inputs in their ranges.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ErrorBound {
    /// The bound.
    pub abs_error: Number,
    /// The range of the real result.
    pub range: [Number; 2],
    /// The method that gave the bound.
    pub method: String,
    /// Into how many boxes the inputs were cut.
    pub boxes: usize,
    /// The float format.
    pub precision: String,
    /// The verdict on the bound that the text claims, if it claims one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<&'static str>,
    /// A note that the time limit was reached, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<&'static str>,
    /// The derivation on the whole box of inputs, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derivation: Option<DerivationShown>,
}

/// A derivation.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DerivationShown {
    /// The derivation, in the form that was asked for.
    pub text: String,
    /// Whether the text is a document of its own.
    #[serde(skip)]
    pub is_document: bool,
    /// The node that it is of.
    pub root: NodeId,
    /// The nodes that the result rests on.
    pub nodes: Vec<DerivedNode>,
}

/// A node of a program, as the rules judge it on the whole box of inputs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DerivedNode {
    /// The number.
    pub node: NodeId,
    /// The variable that it is, if it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The rule.
    pub rule: &'static str,
    /// The nodes that the rule looks at.
    pub premises: Vec<NodeId>,
    /// The expression over the reals.
    pub real: String,
    /// The expression in floating point.
    pub float: String,
    /// The judgement on the node.
    #[serde(flatten)]
    pub judged: Judged,
}

/// The judgement on a node.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Judged {
    /// A range and errors.
    Bounded(Box<Bounds>),
    /// No bound.
    Refused {
        /// The reason why there is no bound.
        refused: String,
    },
}

/// A range and errors.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Bounds {
    /// The range of the real value.
    pub range: [Number; 2],
    /// The bound on the error.
    pub abs_error: Number,
    /// The bound on the relative error, if there is one.
    pub relative_error: Option<Number>,
}

fn node(derivation: &Derivation<'_>, id: NodeId) -> DerivedNode {
    let node = &derivation.program.nodes[id];
    let expression = |reading| derivation::expression(derivation.program, id, reading);
    let up = |x: &Dyadic| Number::at_most(&Rational::from(x), DIGITS);
    DerivedNode {
        node: id,
        name: node.name.clone(),
        rule: derivation::rule(&node.op),
        premises: derivation.premises(id),
        real: expression(Reading::Real),
        float: expression(Reading::Float),
        judged: match &derivation.judgements[id] {
            Ok(judgement) => Judged::Bounded(Box::new(Bounds {
                range: [
                    Number::at_least(&Rational::from(judgement.range.lo()), DIGITS),
                    up(judgement.range.hi()),
                ],
                abs_error: up(&judgement.error),
                relative_error: judgement.relative.as_ref().map(up),
            })),
            Err(refusal) => Judged::Refused { refused: refusal.to_string() },
        },
    }
}

const LATE: &str = "the time limit was reached: this is the best bound so far, and it holds";

impl Session<'_> {
    /// A bound on the error of a program, and a claimed one if there is one; or what else is asked for.
    pub(super) fn program(
        &self,
        program: &StraightLine,
        claim: Option<NodeId>,
    ) -> Result<ProofAnswer, Refusal> {
        match &self.question.task {
            Task::Fpcore => return Ok(self.as_fpcore(program)),
            Task::Paper(at) => return papers::rules(program, at),
            Task::Prove | Task::Cases => {}
        }
        let (start, effort) = (Instant::now(), self.question.effort);
        let mut is_late = false;
        let outcome = analyse_while(Goal { program, claim }, effort, |progress| {
            let message = match progress.error {
                Some(error) => format!("error <= {}", derivation::error(error)),
                None => "no bound yet".into(),
            };
            self.watcher.tell("cutting boxes", progress.boxes as f64 / effort.boxes as f64, &message);
            is_late = self.question.time_for_errors.is_some_and(|limit| start.elapsed() >= limit);
            !is_late && !self.watcher.is_cancelled()
        });
        if self.watcher.is_cancelled() {
            return Err(Refusal::interrupted(format!("looking for a bound of {}", program.name)));
        }
        let analysis = match outcome {
            Ok(analysis) => analysis,
            Err(no_bound) => return Ok(self.no_bound(program, &no_bound)),
        };
        self.bounded(program, &analysis, is_late)
    }

    fn bounded(
        &self,
        program: &StraightLine,
        analysis: &Analysis,
        is_late: bool,
    ) -> Result<ProofAnswer, Refusal> {
        let exact = |x| Rational::from(x);
        let boxes = analysis.leaves().count();
        let found = ErrorBound {
            abs_error: Number::at_most(&exact(&analysis.error), DIGITS),
            range: [
                Number::at_least(&exact(analysis.range.lo()), DIGITS),
                Number::at_most(&exact(analysis.range.hi()), DIGITS),
            ],
            method: analysis.method().to_string(),
            boxes,
            precision: program.format.to_string(),
            claim: analysis.claim.map(|_| if analysis.meets_claim() { "proved" } else { "not proved" }),
            late: is_late.then_some(LATE),
            derivation: match &self.question.derivation {
                Some(wish) => Some(shown(program, wish, program.result, boxes)?),
                None => None,
            },
        };
        let verdict = match (analysis.claim, analysis.meets_claim()) {
            (None, _) => Verdict::Bound,
            (Some(_), true) => Verdict::Proved,
            (Some(_), false) => Verdict::Undecided,
        };
        let statement = found.in_words(super::words::DIGITS);
        let mut answer =
            ProofAnswer::new(&program.name, verdict, statement, Found::ErrorBound(Box::new(found)));
        answer.notes = program.notes.clone();
        answer.notes.extend(is_late.then(|| LATE.to_owned()));
        if verdict == Verdict::Undecided {
            let place = match boxes {
                1 => "all inputs".to_owned(),
                _ => format!("some of {boxes} boxes of inputs"),
            };
            answer.tried.push(format!("the bound that was found is larger than the claimed one, on {place}"));
            answer.next.push("look harder: --effort high".into());
        }
        if self.question.certificates {
            let text = certificate::to_json(program, analysis).to_string();
            answer.certificates.push(NamedCertificate { name: program.name.clone(), text });
        }
        Ok(answer)
    }

    fn as_fpcore(&self, program: &StraightLine) -> ProofAnswer {
        match fpcore::write(program) {
            Ok(fpcore) => {
                let statement = "as FPCore".to_owned();
                let mut answer = ProofAnswer::new(
                    &program.name,
                    Verdict::Shown,
                    statement,
                    Found::Fpcore { fpcore: fpcore.clone() },
                );
                answer.details = fpcore;
                answer
            }
            Err(error) => {
                let node = match error {
                    WriteError::Grid { node, .. } => program.nodes.get(node),
                    WriteError::RealInput { .. } => None,
                };
                let span = node.and_then(|node| node.span).unwrap_or_default();
                let diagnostic = Diagnostic::new(span, error.to_string())
                    .with_hint("--of NAME prints what leads to a variable of a *.lb file");
                self.unreadable(&program.name, "FPCore form", &[diagnostic])
            }
        }
    }

    /// A program without a bound: the node, the interval, the reason.
    fn no_bound(&self, program: &StraightLine, no_bound: &NoBound) -> ProofAnswer {
        const HINT: &str = "narrow the ranges of the inputs";
        let message = derivation::no_bound(program, no_bound);
        let mut answer = match program.nodes.get(no_bound.refusal.node).and_then(|node| node.span) {
            Some(span) => {
                self.unreadable(&program.name, "bound", &[Diagnostic::new(span, message).with_hint(HINT)])
            }
            None => ProofAnswer::refused(&program.name, "bound", Refusal::usage(message, HINT)),
        };
        answer.notes = program.notes.clone();
        answer
    }
}

/// The derivation on the whole box, of `root` unless another node is asked for. The bound is of `boxes` boxes.
pub(super) fn shown(
    program: &StraightLine,
    wish: &DerivationWish,
    root: NodeId,
    boxes: usize,
) -> Result<DerivationShown, Refusal> {
    let inputs =
        whole_box(program).map_err(|(_, reason)| Refusal::usage(reason.to_string(), "narrow the ranges"))?;
    let derivation = Derivation::new(program, inputs);
    let root = wish.node.unwrap_or(root);
    if root >= program.nodes.len() {
        return Err(Refusal::usage(
            format!("there is no node {root} in {}", program.name),
            format!("nodes have the numbers 0 to {}", program.nodes.len() - 1),
        ));
    }
    let tree = || derivation::tree(&derivation, root, wish.depth);
    let text = match wish.form {
        Form::Latex => derivation::latex(&derivation, root, wish.depth),
        Form::Node => derivation::detail(&derivation, root),
        Form::Figure { columns } => derivation::figure(&derivation, root, columns).unwrap_or_else(|| {
            format!("(the figure is wider than {columns} columns; the same as a tree:)\n{}", tree())
        }),
        Form::Tree => tree(),
    };
    let is_document = wish.form == Form::Latex;
    // The root's bound is often not that of the headline.
    let text = match boxes {
        2.. if !is_document => {
            format!("on the whole box; the headline is after cutting into {boxes} boxes:\n{text}")
        }
        _ => text,
    };
    let nodes = derivation.needed(root).into_iter().map(|id| node(&derivation, id)).collect();
    Ok(DerivationShown { text, is_document, root, nodes })
}
