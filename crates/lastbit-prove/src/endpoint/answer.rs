//! The question whether a float mechanism keeps its claim, and the answer: proved, refuted or undecided, for the text that was given.
//!
//! ```
//! use lastbit_lang::parse;
//! use lastbit_prove::endpoint::answer::{Conclusion, FloatAnswer, Options};
//! use lastbit_prove::endpoint::Given;
//!
//! let text = "
//!     mechanism snap(x: f64) -> grid
//!       param eps: f64 = 1, B: f64 = 100
//!       adjacent |x<1> - x<2>| <= 1
//!       claim pure eps + 2^-40
//!     { u <$ unif(0,1);  s <$ sign;  c := clamp(x, B);  y := ln(u) / eps;  w := c + s * y;
//!       return clamp(round(w, 1, up), B) }";
//! let conclusion = |text: &str| {
//!     let (file, _) = parse(text);
//!     FloatAnswer::find(&file, &file.declarations[0], Given::default(), &Options::default()).map(|found| found.conclusion)
//! };
//! assert_eq!(conclusion(text), Ok(Conclusion::Proved));
//! // A hair too little, and the answer has the two inputs and the output that show it.
//! assert_eq!(conclusion(&text.replace("eps + 2^-40", "eps")), Ok(Conclusion::Refuted));
//! ```

use std::sync::atomic::AtomicBool;

use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::{Accuracy, Diagnostic};
use lastbit_real::{Rational, Rounding};

use super::certificate::LossCertificate;
use super::neighbours::Point;
use super::report::{EndpointReport, Request, analyse_watched};
use super::{Budget, EndpointError, Given, Refutation, Search, Snapping, Statement};

/// Options of the search: the effort, and where to look first.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Two values of the argument: the pair whose thresholds are shown, and the first in which a witness is looked for.
    pub inputs: Option<[Rational; 2]>,
    /// When the search for witnesses of the snapping mechanism is done.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Options {
        Options { inputs: None, budget: Search::default().budget }
    }
}

/// The conclusion about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// The claim holds for all inputs that the text allows.
    Proved,
    /// The claim is false: two inputs that the text allows show it.
    Refuted,
    /// Neither was shown.
    Undecided,
}

/// The answer about the claim of a float mechanism.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FloatAnswer<'a> {
    /// The statement that was asked about.
    pub statement: Statement<'a>,
    /// The conclusion about the claim.
    pub conclusion: Conclusion,
    /// The certified bound, if the text is a snapping mechanism.
    pub bound: Result<(Snapping, Box<EndpointReport>), Diagnostic>,
    /// The witness that the claim is false, if there is one.
    pub refutation: Option<Refutation>,
    /// Two neighbours by all clauses of the text. If none were found, the claim may be about nothing.
    pub neighbours: Option<[Point; 2]>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

impl<'a> FloatAnswer<'a> {
    /// Looks for a proof by ENDPT, and for a refutation by exact weights.
    ///
    /// # Errors
    /// Messages with places, if the text or the values cannot be used at all.
    pub fn find(
        file: &'a File,
        declaration: &'a Declaration,
        given: Given,
        options: &Options,
    ) -> Result<FloatAnswer<'a>, Vec<Diagnostic>> {
        FloatAnswer::find_watched(file, declaration, given, options, &AtomicBool::new(false), &mut |_| {})
    }

    /// As [`FloatAnswer::find`], until `cancel` becomes true; `progress` hears which share of the search for witnesses is done.
    ///
    /// # Errors
    /// As [`FloatAnswer::find`].
    pub fn find_watched(
        file: &'a File,
        declaration: &'a Declaration,
        given: Given,
        options: &Options,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(f64),
    ) -> Result<FloatAnswer<'a>, Vec<Diagnostic>> {
        let statement = Statement::read(file, declaration, given)?;
        let first: Vec<[Rational; 2]> = options.inputs.iter().cloned().collect();
        let neighbours = statement.neighbours();
        let mut notes = statement.program.notes.clone();
        let (conclusion, bound, refutation) = match statement.snapping() {
            Ok(snapping) => match statement.analysed(&snapping, options, cancel, progress) {
                Ok(report) => {
                    let (conclusion, refutation) = statement.decided(&snapping, &report);
                    (conclusion, Ok((snapping, Box::new(report))), refutation)
                }
                Err(error) => {
                    let diagnostic = Diagnostic::new(declaration.name.span, error.to_string());
                    statement.without_bound(diagnostic, &first, &mut notes)
                }
            },
            Err(diagnostic) => statement.without_bound(diagnostic, &first, &mut notes),
        };
        notes.extend(statement.remarks(neighbours.is_some(), refutation.is_some()));
        Ok(FloatAnswer { statement, conclusion, bound, refutation, neighbours, notes })
    }

    /// The certificate of the bound, which contains the text, if there is a bound.
    pub fn certificate(&self, text: &str) -> Option<LossCertificate> {
        let (_, report) = self.bound.as_ref().ok()?;
        // Ranges that are given are for witnesses, and what is certified is for all inputs.
        let given = Given { ranges: Default::default(), ..self.statement.given.clone() };
        let statement = Statement::read(self.statement.file, self.statement.declaration, given).ok()?;
        let snapping = statement.snapping().ok()?;
        Some(LossCertificate::of_bound(text, &statement, &snapping, report.certified.clone()))
    }
}

type Outcome = (Conclusion, Result<(Snapping, Box<EndpointReport>), Diagnostic>, Option<Refutation>);

impl Statement<'_> {
    /// The certified bound, and witnesses among the inputs that the text allows.
    fn analysed(
        &self,
        snapping: &Snapping,
        options: &Options,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(f64),
    ) -> Result<EndpointReport, EndpointError> {
        let double = |x: &Rational| x.to_f64(Rounding::Nearest);
        let input = self.program.inputs.iter().find(|input| input.name == snapping.argument);
        // Inputs are floats: their range has floats for its ends.
        let range = input.map_or(Search::default().range, |input| {
            [input.lo.to_f64(Rounding::Up), input.hi.to_f64(Rounding::Down)]
        });
        let example = options.inputs.as_ref().map(|pair| pair.each_ref().map(double));
        let request = Request {
            mechanism: snapping.mechanism.clone(),
            error: snapping.error.clone(),
            search: Search {
                sensitivity: snapping.distance.clone(),
                range,
                pairs: example.into_iter().collect(),
                budget: options.budget,
                ..Search::default()
            },
            example,
        };
        analyse_watched(&request, cancel, progress)
    }

    /// Whether the claim is proved by the bound, or refuted by a witness that the text allows.
    fn decided(&self, snapping: &Snapping, report: &EndpointReport) -> (Conclusion, Option<Refutation>) {
        if report.is_within(&self.claim) {
            return (Conclusion::Proved, None);
        }
        let witnesses = report.infinite_loss.iter().chain(&report.witnesses);
        let refutations = witnesses.filter_map(|witness| self.refuted_by(snapping, witness));
        match refutations.reduce(|known, other| if known.loses_less_than(&other) { other } else { known }) {
            Some(refutation) => (Conclusion::Refuted, Some(refutation)),
            None => (Conclusion::Undecided, None),
        }
    }

    /// Perhaps two inputs show that the claim is false, though the theorem says nothing of the text.
    fn without_bound(&self, reason: Diagnostic, first: &[[Rational; 2]], notes: &mut Vec<String>) -> Outcome {
        let audited = self.refuted_by_audit(first);
        if audited.refutation.is_none() {
            notes.push(match (audited.pairs, audited.reason) {
                (0, Some(reason)) => format!("no two inputs could be audited: {reason}"),
                (0, None) => "no two neighbours were found to audit".to_owned(),
                (1, _) => "an exact audit of two neighbours found nothing against the claim".to_owned(),
                (pairs, _) => {
                    format!("an exact audit of {pairs} pairs of neighbours found nothing against the claim")
                }
            });
        }
        let conclusion =
            if audited.refutation.is_some() { Conclusion::Refuted } else { Conclusion::Undecided };
        (conclusion, Err(reason), audited.refutation)
    }

    /// What is said of every answer.
    fn remarks(&self, has_neighbours: bool, is_refuted: bool) -> Vec<String> {
        let mut remarks = Vec::new();
        if !has_neighbours {
            remarks.push(
                "VACUOUS? No two inputs were found that satisfy the ranges, the assumptions and the adjacency of the text: the claim may be about nothing"
                    .to_owned(),
            );
        }
        if let Some(distance) = &self.given.distance {
            remarks.push(format!(
                "neighbours are at most {distance} apart, as given, whatever the text says after `adjacent`"
            ));
        }
        if self.given.ln.is_some() || self.given.exp.is_some() {
            remarks.push(
                "the accuracy of ln and exp is as given, whatever the text says after `libm`".to_owned(),
            );
        }
        let is_coarse = |accuracy: &Accuracy| *accuracy != Accuracy::CorrectlyRounded;
        if is_refuted && is_coarse(&self.program.libm.ln) {
            remarks.push(
                "the witness is that of a correctly rounded logarithm, which the declared accuracy allows"
                    .to_owned(),
            );
        }
        remarks
    }
}
