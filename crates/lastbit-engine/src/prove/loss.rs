//! The privacy of a mechanism in floating point, with values for its parameters.

use std::collections::BTreeMap;

use lastbit_lang::Bindings;
use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::values::{Claimed, is_open};
use lastbit_prove::endpoint::answer::{Conclusion, FloatAnswer, Options};
use lastbit_prove::endpoint::{self, OpenTheorem, Refutation};
use lastbit_real::{Rational, Rounding};
use serde::Serialize;

use super::answer::{
    Found, LOSS_DIGITS, NamedCertificate, Placed, Probability, ProofAnswer, Verdict, Witness, texts,
};
use super::endpoint::{
    CaseLoss, CertifiedLoss, Endpoints, ExactLoss, Excess, Numbers, PapersClaim, SnappingMechanism, audited,
};
use super::error_bound::{self, DerivationShown};
use super::{Session, next, statement, theorem};
use crate::{Loss, Number, Refusal};

/// The result about the loss of a mechanism in floating point.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LossFound {
    /// `ENDPT` if there is a bound for all inputs, else `AUDIT`: two inputs were weighed exactly.
    pub rule: &'static str,
    /// The claim of the text.
    pub claim: Claim,
    /// The loss: infinite if that was shown, else the certified bound of pure privacy.
    pub loss: Option<Loss>,
    /// The certified bound for all inputs.
    pub certified: Option<CertifiedLoss>,
    /// The values of all parameters.
    pub parameters: BTreeMap<String, String>,
    /// The argument that is private.
    pub argument: Option<String>,
    /// The largest distance between neighbours.
    pub sensitivity: Option<Number>,
    /// Whether two neighbours were found; if not, the claim may be about nothing.
    pub neighbours_found: bool,
    /// The reason why there is no bound for all inputs, if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Placed>,
    /// A witness that refutes the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// The mechanism, as far as it was recognised.
    pub mechanism: Option<SnappingMechanism>,
    /// The relative error of its noise.
    pub relative_error: Option<Excess>,
    /// The bounds case by case.
    pub cases: Vec<CaseLoss>,
    /// Theorem A, if its conditions hold.
    pub theorem_a: Option<Number>,
    /// Theorem A': loss and δ, if there is no pure bound.
    pub theorem_a_prime: Option<[Number; 2]>,
    /// Two inputs that show that pure differential privacy is false, if they were found.
    pub infinite_loss: Option<ExactLoss>,
    /// Whether every exact loss that was found is at most the certified one.
    pub audit_holds: Option<bool>,
    /// The worst outputs that were found.
    pub witnesses: Vec<ExactLoss>,
    /// The papers' constants.
    pub papers: Vec<PapersClaim>,
    /// The thresholds for two inputs.
    pub endpoints: Option<Endpoints>,
    /// The derivation of the noise, or of the result where there is no bound, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derivation: Option<DerivationShown>,
}

/// The claim of a text, in numbers.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Claim {
    /// ε; nothing if it is to be found.
    pub epsilon: Option<Number>,
    /// δ.
    pub delta: Number,
}

impl Claim {
    fn of(claimed: &Claimed) -> Claim {
        Claim {
            epsilon: claimed.epsilon.as_ref().map(|epsilon| Number::exact(epsilon, LOSS_DIGITS)),
            delta: Number::exact(&claimed.delta, LOSS_DIGITS),
        }
    }
}

impl Session<'_> {
    /// The privacy of a mechanism over floats: for all parameters if some are open, else for these.
    pub(super) fn over_floats(&self, file: &File, declaration: &Declaration) -> Result<ProofAnswer, Refusal> {
        let name = declaration.name.text.as_str();
        let asked = &self.question.given;
        let (bindings, mut notes) = self.bindings(declaration);
        let mut given = endpoint::Given {
            values: bindings.values,
            ranges: bindings.ranges,
            ln: asked.ln.clone(),
            exp: asked.exp.clone(),
            distance: asked.sensitivity.clone(),
        };
        let mut refusal = None;
        if OpenTheorem::is_asked(declaration, &given) {
            match OpenTheorem::find(file, declaration, &given) {
                Ok(found) => return Ok(theorem::answer(self, file, declaration, &found)),
                Err(diagnostics) => refusal = Some(diagnostics),
            }
            // What is false of one value is not true of all.
            if is_open(declaration, &Bindings { values: given.values.clone(), ..Bindings::default() }, "eps")
            {
                given.values.insert("eps".into(), Rational::ONE);
                notes.push("eps has no value: 1 was tried".into());
            }
            if OpenTheorem::is_asked(declaration, &given) {
                return Ok(self.unreadable(name, "verdict", &refusal.unwrap_or_default()));
            }
        }
        let is_double = |x: &Rational| x.to_f64(Rounding::Nearest).is_finite();
        if asked.inputs.iter().flatten().any(|input| !is_double(input)) {
            return Err(Refusal::usage(
                "the inputs are beyond the range of doubles",
                "give two numbers that are doubles",
            ));
        }
        let options = Options { inputs: asked.inputs.clone(), ..Options::default() };
        let found = FloatAnswer::find_watched(
            file,
            declaration,
            given,
            &options,
            self.watcher.cancel,
            &mut |share| {
                self.watcher.tell("weighing pairs of inputs", share, "");
            },
        );
        if self.watcher.is_cancelled() {
            return Err(Refusal::interrupted(format!("weighing the outputs of {name}")));
        }
        let mut found = match found {
            Ok(found) => found,
            Err(diagnostics) => return Ok(self.unreadable(name, "bound", &diagnostics)),
        };
        // Of one value nothing follows for all but that it is false.
        if refusal.is_some() && found.conclusion == Conclusion::Proved {
            found.conclusion = Conclusion::Undecided;
        }
        found.notes.splice(0..0, notes);
        found.notes.extend(far_apart(&found, asked.inputs.as_ref()));
        self.loss(&found)
    }

    /// What is known of a claim, or the error of the result where nothing is claimed and there is no bound on a loss.
    fn loss(&self, found: &FloatAnswer<'_>) -> Result<ProofAnswer, Refusal> {
        let declaration = found.statement.declaration;
        let name = declaration.name.text.as_str();
        if let (Err(reason), false) = (&found.bound, declaration.claims_privacy()) {
            let mut program = found.statement.program.clone();
            program.notes.push(format!("there is no bound on the privacy loss: {}", reason.message));
            return self.program(&program, None);
        }
        let text = self.question.source.text;
        let verdict = match found.conclusion {
            Conclusion::Proved => Verdict::Proved,
            Conclusion::Refuted => Verdict::Refuted,
            Conclusion::Undecided => Verdict::Undecided,
        };
        let data = data(found, text);
        let statement = statement::of_loss(found, &data);
        let mut answer = ProofAnswer::new(name, verdict, statement, Found::Loss(Box::new(data)));
        answer.notes = found.not_enough().into_iter().chain(found.notes.clone()).collect();
        if verdict == Verdict::Undecided {
            next::of_loss(found, &mut answer);
        }
        answer.details = found.in_words(text);
        if let (Some(wish), Found::Loss(data)) = (&self.question.derivation, &mut answer.found) {
            let program = &found.statement.program;
            let node = found.bound.as_ref().map_or(program.result, |(snapping, _)| snapping.shape.y);
            let shown = error_bound::shown(program, wish, node, 1)?;
            answer.details = match shown.is_document {
                true => shown.text.clone(),
                false => format!("{}{}", answer.details, shown.text),
            };
            data.derivation = Some(shown);
        }
        if self.question.certificates
            && let Some(certificate) = found.certificate(text)
        {
            let text = certificate.to_json().to_string();
            answer.certificates.push(NamedCertificate { name: name.to_owned(), text });
        }
        Ok(answer)
    }
}

/// Two inputs to look at that are not neighbours.
fn far_apart(found: &FloatAnswer<'_>, inputs: Option<&[Rational; 2]>) -> Option<String> {
    let [f, f2] = inputs?;
    let (snapping, _) = found.bound.as_ref().ok()?;
    let distance = (f - f2).abs();
    (distance > snapping.distance).then(|| {
        format!(
            "the two inputs are {distance} apart, and what is certified is for at most {}",
            snapping.distance
        )
    })
}

fn data(found: &FloatAnswer<'_>, text: &str) -> LossFound {
    let bound = found.bound.as_ref().ok();
    let numbers = bound.map(|(_, report)| Numbers(report));
    let certified = numbers.as_ref().map(Numbers::certified);
    let is_infinite = found.refutation.as_ref().is_some_and(|r| r.loss == lastbit_audit::ExactLoss::Infinite);
    let loss = match &certified {
        _ if is_infinite => Some(Loss::Infinite),
        Some(certified) if certified.delta.is_none() => Some(Loss::Finite(certified.loss.clone())),
        _ => None,
    };
    LossFound {
        rule: if bound.is_some() { "ENDPT" } else { "AUDIT" },
        claim: Claim::of(&found.statement.claim),
        loss,
        certified,
        parameters: texts(&found.statement.parameters()),
        argument: bound.map(|(snapping, _)| snapping.argument.clone()),
        sensitivity: bound.map(|(snapping, _)| Number::exact(&snapping.distance, LOSS_DIGITS)),
        neighbours_found: found.neighbours.is_some(),
        reason: found.bound.as_ref().err().map(|reason| Placed::of(reason, text)),
        witness: found.refutation.as_ref().map(|refutation| witness(found, refutation)),
        mechanism: numbers.as_ref().map(Numbers::mechanism),
        relative_error: numbers.as_ref().map(Numbers::relative_error),
        cases: numbers.as_ref().map_or(Vec::new(), Numbers::cases),
        theorem_a: numbers.as_ref().and_then(Numbers::theorem_a),
        theorem_a_prime: numbers.as_ref().and_then(Numbers::theorem_a_prime),
        infinite_loss: numbers.as_ref().and_then(|all| Some(all.exact(all.0.infinite_loss.as_ref()?))),
        audit_holds: bound.map(|(_, report)| report.audit_holds()),
        witnesses: numbers
            .as_ref()
            .map_or(Vec::new(), |all| all.0.witnesses.iter().map(|witness| all.exact(witness)).collect()),
        papers: numbers.as_ref().map_or(Vec::new(), Numbers::papers),
        endpoints: numbers.as_ref().map(Numbers::endpoints),
        derivation: None,
    }
}

fn witness(found: &FloatAnswer<'_>, refutation: &Refutation) -> Witness {
    let exact = |p: &Rational| Probability { number: Number::exact(p, LOSS_DIGITS), formula: None };
    let claimed = found.statement.claim.epsilon.as_ref();
    let neighbours = match &found.statement.given.distance {
        None => "adjacency",
        Some(_) => "given distance",
    };
    Witness {
        parameters: texts(&found.statement.parameters()),
        inputs: refutation.inputs.each_ref().map(texts),
        exchanged: false,
        event: refutation.event.in_words(),
        probabilities: refutation.probabilities.each_ref().map(exact),
        loss: match audited(&refutation.loss) {
            // What was seen is a lower bound of the loss.
            Loss::Finite(loss) => Loss::AtLeast(Number::at_least(loss.lower(), LOSS_DIGITS)),
            other => other,
        },
        claimed: claimed.map(|epsilon| Number::exact(epsilon, LOSS_DIGITS)),
        satisfies: vec!["ranges", "assumptions", neighbours],
    }
}
