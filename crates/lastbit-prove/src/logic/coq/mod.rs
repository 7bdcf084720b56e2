//! Privacy certificates as Coq files: of finite mechanisms, and proofs by EVENT.
//!
//! [`privacy_to_coq`] writes what a certificate says in Coq: the mechanism, from its text; the theorem that it is private; and
//! a proof made of the certificate's own data, its costs, maps and lemmas. The certificate need not have been checked, for Coq is the judge: if
//! it is wrong, so is the file. Nothing here has to be trusted but that the definitions say what the text says, and those are there to
//! be read. The library that the files use is in `coq/`.
//!
//! The fragment: samples are `bernoulli`, `sign` and `choose`; the course of the program depends on samples and truth values, not on
//! comparisons of numbers among the inputs; the claim is pure. Or there are one uniform sample and one sign, and the proof is by EVENT; then
//! the theorem is about intervals of outputs. Beyond that, [`Unsupported`] says what is in the way.
//!
//! | module | what it writes |
//! |---|---|
//! | `text`, `statements`, `expressions` | the definitions, from the program's text |
//! | `terms` | polynomials, constraints, and the certificate's lemmas with their sums |
//! | `premises` | what the kernel asks, shown by the lemma that the kernel finds |
//! | `leaf` | a leaf's hypotheses and its proof: CASE, and axioms |
//! | `runs`, `align`, `event` | ENUMERATE, ALIGN, EVENT |
//! | `theorems` | what the leaves show together |
//!
//! ```
//! use lastbit_lang::{parse, symbolic::Program};
//! use lastbit_prove::logic::{certificate, coq::privacy_to_coq, search::search};
//!
//! let text = "
//!     mechanism coin(answer: bool) -> bool
//!       param eps: real > 0
//!       claim pure eps
//!     { lie <$ bernoulli(1 / (exp(eps) + 1));  return if lie { !answer } else { answer } }";
//! let (file, _) = parse(text);
//! let values = Default::default();
//! let program = Program::new(&file, &file.declarations[0], &values).unwrap();
//! let (proof, _) = search(&program)?.proved.unwrap();
//! let written = certificate::to_json(text, "coin", &values, &proof).to_string();
//! let coq = privacy_to_coq(&certificate::read(&written)?)?;
//! assert!(coq.contains("Theorem coin_private"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod align;
mod event;
mod expressions;
mod layout;
mod leaf;
mod names;
mod premises;
mod runs;
mod statements;
mod terms;
mod text;
mod theorems;

use lastbit_lang::Diagnostic;
use lastbit_lang::ast::{ClauseKind, Side};
use lastbit_lang::symbolic::{Constraint, Fresh, Law, Program, Trace, paths};

use self::layout::{Lines, comment};
use self::leaf::Leaves;
use self::premises::Premises;
use self::terms::{Terms, atom};
use self::text::Text;
use self::theorems::{direction, theorems};
use super::certificate::{Certificate, CertificateError};
use super::kernel::{self, Direction, KernelError};
use super::proof::Leaf;
use super::refute::Neighbours;

/// The reason why there is no Coq file for a certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// The certificate's text is wrong, or has no such declaration.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The logic cannot read the declaration.
    #[error("{0}")]
    Program(String),
    /// A sample has infinitely many values.
    #[error(
        "samples from `{0}` have infinitely many values; finite mechanisms and proofs by EVENT are exported"
    )]
    Noise(&'static str),
    /// The course of the program depends on a comparison of inputs.
    #[error("the course of the program depends on a comparison of numbers that are not known")]
    Comparison,
    /// An output depends on the inputs.
    #[error("an output is a number that depends on the inputs")]
    Output,
    /// Different paths draw different samples.
    #[error("ALIGN for a program that draws other samples on other paths")]
    Draws,
    /// A rule that is not exported for such a program.
    #[error("the rule of a leaf is not exported for such samples")]
    Rule,
    /// EVENT, with noise of another form.
    #[error("EVENT for noise that is not x + s*c*ln(u) with one scale c")]
    Scale,
    /// A sample with finitely many values is shifted.
    #[error("a sample with finitely many values is shifted")]
    Shift,
    /// A piece of a map has a guard.
    #[error("a piece of a map has a guard that is not known to hold")]
    Guard,
    /// `claim approx`
    #[error("a claim with a delta")]
    Approximate,
    /// A part of the language.
    #[error("{0} is not in the fragment that is exported")]
    Expression(String),
    /// A symbol of the proof that is nothing in the program.
    #[error("the proof has a symbol `{0}` that is nothing in the program")]
    Symbol(String),
    /// The file would be too long.
    #[error("the file would be too long")]
    Size,
}

fn program_error(diagnostic: Diagnostic) -> Unsupported {
    Unsupported::Program(diagnostic.message)
}

fn kernel_error(error: KernelError) -> Unsupported {
    Unsupported::Program(error.to_string())
}

/// What to say of a sample with infinitely many values.
fn noise(law: &Law) -> Unsupported {
    Unsupported::Noise(match law {
        Law::Uniform => "unif",
        Law::Laplace(_) => "lap",
        Law::Exponential(_) => "expo",
        Law::DiscreteLaplace(..) => "dlap",
    })
}

/// A Coq file that states what a certificate proves and proves it by what is in the certificate.
///
/// The certificate is not checked here: if it is wrong, Coq rejects the file.
///
/// # Errors
/// What is outside of the fragment that can be written.
pub fn privacy_to_coq(certificate: &Certificate) -> Result<String, Unsupported> {
    let file = certificate.file()?;
    let declaration = certificate.find(&file)?;
    let program = Program::new(&file, declaration, &certificate.values).map_err(program_error)?;
    let mut is_event = false;
    for side in [Side::One, Side::Two] {
        for path in paths(&program, side, &Fresh).map_err(program_error)? {
            match path.samples.iter().find(|sample| sample.law != Law::Uniform) {
                Some(sample) => return Err(noise(&sample.law)),
                None => is_event |= !path.samples.is_empty(),
            }
        }
    }
    // Of proofs with infinitely many samples, those by EVENT are written.
    let by_event =
        certificate.proof.leaves.iter().all(|leaf| !matches!(leaf, Leaf::Align(_) | Leaf::Finite(_)));
    if is_event && !by_event {
        return Err(noise(&Law::Uniform));
    }
    write(&program, certificate, is_event)
}

/// The file.
fn write(program: &Program<'_>, certificate: &Certificate, is_event: bool) -> Result<String, Unsupported> {
    let text = Text::new(program, is_event)?;
    let proof = &certificate.proof;
    let mut lines = Lines::default();
    let terms = symbols(&text, program)?;
    let claimed = kernel::claim(program).map_err(kernel_error)?;
    let claim = match (text.claim()?, claimed) {
        (Some(text), Some((polynomial, _))) => (text, polynomial),
        _ => (terms.polynomial(&proof.cost)?, proof.cost.clone()),
    };

    statement(&mut lines, &text, certificate)?;
    lines.blank();
    lines.verbatim("(** * The proof *)");
    lines.blank();
    lines.push(0, "(** The cost of the proof, over the parameters. *)");
    let cost = terms.polynomial(&proof.cost)?;
    let parameters = text.parameter_binders();
    lines.push(0, &format!("Definition {}_cost{parameters} : R := {cost}.", text.name));
    lines.blank();
    lines.push(
        0,
        "(** The certificate's lemmas: constraints that cannot hold together, by a sum of products. *)",
    );
    let mut stated = Vec::new();
    for (index, lemma) in proof.lemmas.iter().enumerate() {
        lines.blank();
        stated.push(terms::lemma(&mut lines, index + 1, lemma)?);
    }

    let all = kernel::hypotheses(program).map_err(kernel_error)?;
    let trace = kernel::trace(program, proof);
    let premises = Premises { trace: &trace, lemmas: &proof.lemmas, stated: &stated };
    let leaves = Leaves { text: &text, premises, cost: &proof.cost, claim, terms };
    if is_event {
        lines.blank();
        leaves.event_cases(&mut lines)?;
    }
    lines.blank();
    lines.push(0, "(** The ways in which inputs can be neighbours. *)");
    for (index, hypotheses) in all.iter().enumerate() {
        lines.blank();
        if !hypotheses.name.is_empty() {
            lines.push(0, &format!("(* {}. *)", comment(&hypotheses.name)));
        }
        match proof.leaves.get(index) {
            Some(leaf) => leaves.write(&mut lines, index, &hypotheses.constraints, leaf)?,
            None => missing(&mut lines, index),
        }
    }
    for index in all.len()..proof.leaves.len() {
        lines.blank();
        lines.push(0, "(* A leaf for which there is no case. *)");
        missing(&mut lines, index);
    }

    let forward: Vec<(usize, &[Constraint])> = cases(&all, Direction::Forward);
    let backward = cases(&all, Direction::Backward);
    let is_symmetric = backward.is_empty();
    for (name, which, cases) in
        [("forward", [1, 2], &forward), ("backward", [2, 1], if is_symmetric { &forward } else { &backward })]
    {
        lines.blank();
        direction(&mut lines, &leaves, name, which, cases)?;
    }
    lines.blank();
    theorems(&mut lines, &leaves)?;
    Ok(lines.finish())
}

fn cases(all: &[kernel::Hypotheses], direction: Direction) -> Vec<(usize, &[Constraint])> {
    let numbered = all.iter().enumerate().filter(|(_, hypotheses)| hypotheses.direction == direction);
    numbered.map(|(index, hypotheses)| (index + 1, hypotheses.constraints.as_slice())).collect()
}

fn missing(lines: &mut Lines, index: usize) {
    lines.push(0, &format!("Lemma case_{} : False.", index + 1));
    lines.push(0, "Proof. no_lemma. Qed.");
}

/// The symbols of inputs and parameters, and the functions that the program applies to them.
fn symbols(text: &Text<'_, '_>, program: &Program<'_>) -> Result<Terms, Unsupported> {
    let mut terms = Terms::default();
    for (name, coq) in &text.parameters {
        terms.insert(name.as_str(), coq.clone());
    }
    for input in &text.inputs {
        for run in [1, 2] {
            let mut insert = |symbol: String, term: String| {
                let term = if input.is_truth_value { format!("flag {}", atom(&term)) } else { term };
                terms.insert(symbol, term);
            };
            match input.length {
                None => insert(format!("{}<{run}>", input.name), input.coq[run].clone()),
                Some(length) => (0..length).for_each(|i| {
                    insert(format!("{}[{i}]<{run}>", input.name), format!("{} {i}%nat", input.coq[run]));
                }),
            }
        }
    }
    for side in [Side::One, Side::Two] {
        for path in paths(program, side, &Fresh).map_err(program_error)? {
            let known = terms.applications(&path.applications);
            // What is made of samples of infinitely many values has no term, and needs none.
            if !text.is_event {
                known?;
            }
        }
    }
    for clause in &program.declaration.clauses {
        if let ClauseKind::ClaimPure(Some(claim)) = clause.kind {
            let mut trace = Trace::default();
            program.parameter_expression(claim, &mut trace).map_err(program_error)?;
            terms.applications(&trace.applications)?;
        }
    }
    Ok(terms)
}

/// The definitions, which say what is proved.
fn statement(lines: &mut Lines, text: &Text<'_, '_>, certificate: &Certificate) -> Result<(), Unsupported> {
    let name = &text.name;
    // What is not about anything says so first.
    let example = match certificate.neighbours()? {
        Neighbours::None => {
            lines.push(0, "(* VACUOUS: no two inputs satisfy what is declared about them. The theorem below is about nothing. *)");
            lines.blank();
            String::new()
        }
        Neighbours::Unknown => {
            lines.push(
                0,
                "(* POSSIBLY VACUOUS: no two inputs were found that satisfy what is declared about them. *)",
            );
            lines.blank();
            String::new()
        }
        Neighbours::Exist(example) => {
            format!(" Neighbours are, for example: {}.", comment(&example.to_string()))
        }
    };
    lines.push(
        0,
        &format!(
            "(** The mechanism {} is private: a certificate of lastbit.",
            comment(&certificate.declaration)
        ),
    );
    lines.blank();
    let known: String =
        certificate.values.iter().map(|(name, value)| format!(" Here {name} = {value}.")).collect();
    let what = match text.is_event {
        false => "a finite distribution",
        true => "what it returns for the samples u, uniform, and s, a sign",
    };
    lines.push(
        4,
        &format!(
            "The first part is the statement: the mechanism as a function from its inputs to {what}, as its \
             text says; when that is defined; which inputs are neighbours.{known}{example} The second part is the proof, from the \
             certificate's own costs, maps and lemmas. The last theorem says what is proved. *)"
        ),
    );
    lines.blank();
    lines.verbatim("From Coq Require Import Reals Lra List Bool.");
    lines.verbatim(match text.is_event {
        false => "From Lastbit Require Import Relational Finite FiniteTactics.",
        true => "From Lastbit Require Import Lengths Handelman Ideal Finite FiniteTactics EventTactics.",
    });
    lines.verbatim("Import ListNotations.");
    lines.verbatim("Open Scope R_scope.");
    lines.blank();
    lines.verbatim("(** * The statement *)");
    lines.blank();
    let written = text.mechanism()?;
    match (text.is_event, written.samples.as_slice()) {
        (false, _) => {
            let result = atom(&text.result_type());
            lines.push(0, &format!("Definition {name}{} : dist {result} :=", text.binders(&[0])));
        }
        (true, [u, s]) => {
            lines.push(0, &format!("Definition {name}{} ({u} {s} : R) : R :=", text.binders(&[0])));
        }
        _ => return Err(Unsupported::Draws),
    }
    definition(lines, written.lines);
    lines.blank();
    lines.push(0, "(** Divisors are not zero, and laws are laws. *)");
    lines.push(0, &format!("Definition {name}_defined{} : Prop :=", text.binders(&[0])));
    definition(lines, text.defined()?);
    lines.blank();
    let adjacent = text.adjacent()?;
    let adjacent = match adjacent.as_slice() {
        [] => "True".to_owned(),
        [one] => one.clone(),
        many => many.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(" /\\ "),
    };
    lines.push(0, &format!("Definition adjacent{} : Prop := {adjacent}.", text.binders(&[1, 2])));
    Ok(())
}

fn definition(lines: &mut Lines, body: Vec<(usize, String)>) {
    let count = body.len();
    for (index, (indent, text)) in body.into_iter().enumerate() {
        lines.push(indent, &(text + if index + 1 == count { "." } else { "" }));
    }
}

#[cfg(test)]
mod tests {
    use lastbit_lang::symbolic::Polynomial;

    use super::*;

    #[test]
    fn polynomials() {
        let mut terms = Terms::default();
        terms.insert("eps", "eps".into());
        let eps = Polynomial::variable("eps");
        terms.apply("exp", &eps).unwrap();
        let p = &(&Polynomial::variable("exp(eps)") * &eps.inverse().unwrap()) - &Polynomial::constant(1);
        assert_eq!(terms.polynomial(&p).unwrap(), "- 1 + (/ eps) * exp eps");
    }
}
