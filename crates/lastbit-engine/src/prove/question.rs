//! What is to be proved.

use std::collections::BTreeMap;
use std::time::Duration;

use lastbit_lang::{Accuracy, InputKind, StraightLine};
use lastbit_prove::analysis::Effort;
use lastbit_real::Rational;

use crate::Source;

/// What is to be proved of a text, and how.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The text: programs in FPCore, or declarations of the language of mechanisms.
    pub source: Source<'a>,
    /// Only the program or declaration of this name.
    pub program: Option<&'a str>,
    /// What kind of answer is wanted.
    pub task: Task,
    /// What is given beside the text.
    pub given: Given,
    /// The error of this variable, instead of what is returned.
    pub of: Option<String>,
    /// How hard to look for a tight bound on an error.
    pub effort: Effort,
    /// How long that may take; the best bound so far is the answer then.
    pub time_for_errors: Option<Duration>,
    /// Arguments of FPCore programs are real numbers that are rounded on entry, instead of floats.
    pub real_inputs: bool,
    /// z3 is asked, if it is on the machine, where no proof of a premise is found.
    pub oracle: bool,
    /// Whether certificates are made.
    pub certificates: bool,
    /// Whether everything is told in words, too: [`details`](super::ProofAnswer::details).
    pub details: bool,
    /// The derivation, if it is wanted.
    pub derivation: Option<DerivationWish>,
}

impl<'a> Question<'a> {
    /// What there is to prove of a text, with nothing given beside it.
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

/// What kind of answer is wanted.
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

/// What is given beside a text.
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
    /// Two inputs to look at.
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

/// How a derivation is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DerivationWish {
    /// Its form.
    pub form: Form,
    /// Of this node of the program, instead of the result.
    pub node: Option<usize>,
    /// Nothing deeper is shown.
    pub depth: usize,
    /// All that a rule rests on, however much it is.
    pub all: bool,
}

/// The form of a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// A tree.
    Tree,
    /// As the papers draw it, in so many columns; a tree where that is too wide.
    Figure {
        /// The most columns.
        columns: usize,
    },
    /// A LaTeX document.
    Latex,
    /// All numbers of one node.
    Node,
}
