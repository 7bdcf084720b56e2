//! What is to be proved.

use std::collections::BTreeMap;
use std::time::Duration;

use lastbit_lang::{Accuracy, InputKind, StraightLine};
use lastbit_prove::analysis::Effort;
use lastbit_real::Rational;

use crate::Source;

/// A question: what to prove about a text, and how.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The text: programs in FPCore, or declarations of the language of mechanisms.
    pub source: Source<'a>,
    /// Only the program or declaration of this name.
    pub program: Option<&'a str>,
    /// The kind of answer that is wanted.
    pub task: Task,
    /// Values that are given beside the text.
    pub given: Given,
    /// The error of this variable, instead of what is returned.
    pub of: Option<String>,
    /// The effort to spend on a tight error bound.
    pub effort: Effort,
    /// The time limit for error bounds; when it is reached, the best bound so far is the answer.
    pub time_for_errors: Option<Duration>,
    /// Arguments of FPCore programs are real numbers that are rounded on entry, instead of floats.
    pub real_inputs: bool,
    /// z3 is asked, if it is on the machine, where no proof of a premise is found.
    pub oracle: bool,
    /// Whether to make certificates.
    pub certificates: bool,
    /// Whether to write the details as text, too: [`details`](super::ProofAnswer::details).
    pub details: bool,
    /// The derivation, if it is wanted.
    pub derivation: Option<DerivationWish>,
}

impl<'a> Question<'a> {
    /// The question of what there is to prove in a text, with no values given.
    pub fn of(source: Source<'a>) -> Question<'a> {
        Question {
            source,
            program: None,
            task: Task::Prove,
            given: Given::default(),
            of: None,
            effort: Effort::NORMAL,
            time_for_errors: None,
            real_inputs: false,
            oracle: false,
            certificates: false,
            details: false,
            derivation: None,
        }
    }
}

/// The kind of answer that is wanted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Task {
    /// A proof: of privacy if the text claims it, else of a bound on the error.
    Prove,
    /// The program as FPCore.
    Fpcore,
    /// The ideal snapping mechanism case by case.
    Cases,
    /// The papers' rules as printed, at this point, or at one where they fail.
    Paper(BTreeMap<String, Rational>),
}

/// Values that are given beside a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// Values of parameters and arguments.
    pub values: BTreeMap<String, Rational>,
    /// Ranges of parameters and arguments.
    pub ranges: BTreeMap<String, (Rational, Rational)>,
    /// Another accuracy of `ln` than the text declares.
    pub ln: Option<Accuracy>,
    /// Another accuracy of `exp` than the text declares.
    pub exp: Option<Accuracy>,
    /// Another distance of neighbours than the text declares.
    pub sensitivity: Option<Rational>,
    /// Two inputs to examine.
    pub inputs: Option<[Rational; 2]>,
}

impl Given {
    /// Gives the library functions of a program the accuracies that are given.
    pub(super) fn set_library(&self, program: &mut StraightLine) {
        program.libm.ln = self.ln.clone().unwrap_or_else(|| program.libm.ln.clone());
        program.libm.exp = self.exp.clone().unwrap_or_else(|| program.libm.exp.clone());
    }
}

impl Question<'_> {
    /// A program with the library and the kind of arguments that are asked for.
    pub(super) fn as_asked(&self, program: &StraightLine) -> StraightLine {
        let mut program = program.clone();
        self.given.set_library(&mut program);
        if self.real_inputs {
            program.inputs.iter_mut().for_each(|input| input.kind = InputKind::Real);
        }
        program
    }
}

/// The way in which to show a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DerivationWish {
    /// The form.
    pub form: Form,
    /// The node of the program to show, instead of the result.
    pub node: Option<usize>,
    /// Nothing deeper is shown.
    pub depth: usize,
    /// Whether to show everything that a rule rests on, however long.
    pub all: bool,
}

/// The form of a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// A tree.
    Tree,
    /// A figure as in the papers, with this many columns; a tree where that is too wide.
    Figure {
        /// The most columns.
        columns: usize,
    },
    /// A LaTeX document.
    Latex,
    /// All numbers of one node.
    Node,
}
