//! Proofs: how far floating point strays from the reals, and that mechanisms are private.
//!
//! A [`Question`] is about a text; its [`Plan`] lists what there is to prove, and answers one by one.
//!
//! ```
//! use lastbit_engine::prove::{Plan, Question, Verdict};
//! use lastbit_engine::{Source, Watcher};
//!
//! let text = "
//!     mechanism laplace(x: real) -> real
//!       param eps: real > 0
//!       adjacent |x<1> - x<2>| <= 1
//!       claim pure eps
//!     { z <$ lap(1 / eps);  return x + z }";
//! let question = Question::of(Source { name: "laplace.lb", text });
//! let plan = Plan::of(&question)?;
//! let answer = plan.answer(0, &Default::default(), Watcher::nobody())?;
//! assert_eq!(answer.verdict, Verdict::Proved);
//! assert_eq!(answer.statement, "eps-DP (pure), for all eps > 0 and all |x<1> - x<2>| <= 1");
//! # Ok::<(), lastbit_engine::Refusal>(())
//! ```
//!
//! | module | what it knows |
//! |---|---|
//! | `question`, `answer` | the question, the answer |
//! | `error_bound` | bounds on the error of one program |
//! | `loss`, `endpoint`, `theorem` | privacy in floating point, with values and without |
//! | `privacy` | privacy claims over the reals, by the relational logic |
//! | `papers`, `cases` | what the papers print: their rules, their table of cases |
//! | `statement` | what a claim says, in words |
//! | `next` | what to try where nothing is decided |
//! | `words` | the first lines of an answer, and its row in a table |

mod answer;
mod cases;
mod endpoint;
mod error_bound;
mod loss;
mod next;
mod papers;
mod privacy;
mod question;
pub(crate) mod statement;
mod theorem;
mod words;

pub use answer::{Found, NamedCertificate, Placed, Probability, ProofAnswer, Refused, Verdict, Witness};
pub use cases::{CaseFormulas, CaseFound, CaseParameters, CaseValues, Cases};
pub use endpoint::{
    CaseLoss, CertifiedLoss, Endpoints, ExactLoss, Excess, Output, PapersClaim, SnappingMechanism, Thresholds,
};
pub use error_bound::{Bounds, DerivationShown, DerivedNode, ErrorBound, Judged};
pub use loss::{Claim, LossFound};
pub use papers::{PaperNode, PaperRules};
pub use privacy::{Assumptions, Attempt, NotRefuted, PrivacyFound, Script, Searched, Step, Stopped};
pub use question::{DerivationWish, Form, Given, Question, Task};
pub use theorem::{StandsFor, Theorem, TheoremPoint};
pub use words::{DIGITS, Headline};

use std::time::Instant;

use lastbit_lang::ast::{Declaration, DeclarationKind, File};
use lastbit_lang::fpcore::FpcoreError;
use lastbit_lang::values::{default_grid, default_ranges, rounded, scalar};
use lastbit_lang::watch::Limits;
use lastbit_lang::{Bindings, Diagnostic, StraightLine, lower};

use crate::source::Contents;
use crate::{Refusal, Watcher};

/// The list of what there is to prove in a text.
pub struct Plan<'q> {
    question: &'q Question<'q>,
    contents: Contents,
    tasks: Vec<usize>,
}

/// One thing to prove.
enum Item<'p> {
    Program(&'p StraightLine),
    Declaration(&'p File, &'p Declaration),
    Unreadable(&'p FpcoreError),
}

/// The state that all answers share.
#[derive(Clone, Copy)]
struct Session<'s> {
    question: &'s Question<'s>,
    limits: &'s Limits,
    watcher: Watcher<'s>,
}

impl<'q> Plan<'q> {
    /// Reads the text. If only one program is wanted and the text has none of this name, there is nothing to prove.
    ///
    /// # Errors
    /// If the text cannot be read.
    pub fn of(question: &'q Question<'q>) -> Result<Plan<'q>, Refusal> {
        let contents = question.source.contents()?;
        let is_wanted = |name: &str| question.program.is_none_or(|wanted| wanted == name);
        let wanted: Vec<bool> = match &contents {
            Contents::Declarations(file) => {
                file.declarations.iter().map(|d| is_wanted(&d.name.text)).collect()
            }
            Contents::Programs(programs) => programs
                .iter()
                .map(|program| match program {
                    Ok(program) => is_wanted(&program.name),
                    Err(error) => error.program.as_deref().is_none_or(is_wanted),
                })
                .collect(),
        };
        let tasks =
            wanted.iter().enumerate().filter(|(_, wanted)| **wanted).map(|(index, _)| index).collect();
        Ok(Plan { question, contents, tasks })
    }

    /// Whether the text is FPCore.
    pub fn is_fpcore(&self) -> bool {
        matches!(self.contents, Contents::Programs(_))
    }

    /// The number of things to prove.
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there is nothing to prove.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The declarations of the text, if it is not FPCore.
    pub fn declarations(&self) -> &[Declaration] {
        match &self.contents {
            Contents::Declarations(file) => &file.declarations,
            Contents::Programs(_) => &[],
        }
    }

    fn item(&self, index: usize) -> Option<Item<'_>> {
        let index = *self.tasks.get(index)?;
        match &self.contents {
            Contents::Declarations(file) => Some(Item::Declaration(file, file.declarations.get(index)?)),
            Contents::Programs(programs) => Some(match programs.get(index)? {
                Ok(program) => Item::Program(program),
                Err(error) => Item::Unreadable(error),
            }),
        }
    }

    /// The name of what is to be proved; that of the text, if it has none.
    pub fn name(&self, index: usize) -> &str {
        match self.item(index) {
            Some(Item::Program(program)) => &program.name,
            Some(Item::Declaration(_, declaration)) => &declaration.name.text,
            Some(Item::Unreadable(FpcoreError { program: Some(name), .. })) => name,
            Some(Item::Unreadable(_)) | None => self.question.source.name,
        }
    }

    /// Proves one of them. What is wrong with it alone is an answer, too.
    ///
    /// # Errors
    /// If the question makes no sense, or it was stopped.
    pub fn answer(
        &self,
        index: usize,
        limits: &Limits,
        watcher: Watcher<'_>,
    ) -> Result<ProofAnswer, Refusal> {
        let session = Session { question: self.question, limits, watcher };
        let start = Instant::now();
        let mut answer = match self.item(index) {
            None => return Err(Refusal::usage("there is nothing to prove", "the text is empty")),
            Some(Item::Program(program)) => session.program(&self.question.as_asked(program), None)?,
            Some(Item::Declaration(file, declaration)) => session.declaration(file, declaration)?,
            Some(Item::Unreadable(error)) => {
                session.unreadable(self.name(index), "bound", &error.diagnostics)
            }
        };
        answer.seconds = start.elapsed().as_secs_f64();
        Ok(answer)
    }
}

impl Session<'_> {
    /// A program, or a whole text, of which nothing can be said.
    fn unreadable(&self, name: &str, what: &str, diagnostics: &[Diagnostic]) -> ProofAnswer {
        ProofAnswer::refused(name, what, self.question.source.refusal(diagnostics.to_vec()))
    }

    /// What there is to prove of a declaration.
    fn declaration(&self, file: &File, declaration: &Declaration) -> Result<ProofAnswer, Refusal> {
        let name = declaration.name.text.as_str();
        if self.question.task == Task::Cases {
            return Ok(papers::cases(self, file, declaration));
        }
        let asks_for_error = self.question.of.is_some() || self.question.task != Task::Prove;
        if declaration.kind == DeclarationKind::Mechanism && !asks_for_error {
            if declaration.is_over_floats() {
                return self.over_floats(file, declaration);
            }
            if declaration.claims_privacy() {
                return self.over_the_reals(file, declaration);
            }
        }
        let (mut bindings, notes) = self.bindings(declaration);
        default_grid(declaration, &mut bindings);
        default_ranges(declaration, &mut bindings);
        let mut lowered = match lower(file, Some(name), &bindings, self.question.of.as_deref()) {
            Ok(lowered) => lowered,
            Err(diagnostics) => return Ok(self.unreadable(name, "bound", &diagnostics)),
        };
        self.question.given.set_library(&mut lowered.program);
        lowered.program.notes.extend(notes);
        self.program(&lowered.program, lowered.error_claim)
    }

    /// The values and ranges that are given, rounded to floats where the declaration says that they are floats; and what was rounded.
    fn bindings(&self, declaration: &Declaration) -> (Bindings, Vec<String>) {
        let given = &self.question.given;
        let mut bindings = Bindings { ranges: given.ranges.clone(), ..Bindings::default() };
        let mut notes = Vec::new();
        for (name, value) in &given.values {
            let (value, note) = rounded(scalar(declaration, name), name, value);
            notes.extend(note);
            bindings.values.insert(name.clone(), value);
        }
        (bindings, notes)
    }
}
