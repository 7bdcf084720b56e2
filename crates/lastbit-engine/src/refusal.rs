//! Why there is no answer: what is wrong, where, and what to do.

use lastbit_audit::OutOfRange;
use lastbit_lang::{Diagnostic, Span, render};

use crate::Source;

/// Texts of users are cut after this many characters in messages.
const MOST_CHARS: usize = 60;

/// The reason why a question has no answer. Messages name parameters by role (`bound`, `epsilon`), not by the options of a front end.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The question makes no sense.
    #[error("{message}")]
    Usage {
        /// The error message.
        message: String,
        /// A suggestion of what to do instead.
        hint: String,
    },
    /// Something is wrong in a text.
    #[error("{}", shown(.source_name, .text, .diagnostics))]
    Text {
        /// The name of the text.
        source_name: String,
        /// The text.
        text: String,
        /// The mistakes, with their places.
        diagnostics: Vec<Diagnostic>,
    },
    /// A file cannot be read; the message is complete.
    #[error("{message}")]
    Unreadable {
        /// The mistake, its place, and what to do.
        message: String,
    },
    /// A parameter of a text has no value.
    #[error("{}", shown(.source_name, .text, std::slice::from_ref(.diagnostic)))]
    NoValue {
        /// The name of the text.
        source_name: String,
        /// The text.
        text: String,
        /// The parameter.
        name: String,
        /// The mistake, with its place.
        diagnostic: Box<Diagnostic>,
    },
    /// A text is to be audited, and no inputs are given.
    #[error("an audit compares two inputs")]
    NoInputs {
        /// An example of the first one, as it is written.
        first: String,
        /// An example of the second one, as it is written.
        second: String,
    },
    /// The noise library refuses a parameter or the machine.
    #[error(transparent)]
    Noise(#[from] lastbit::Error),
    /// The front end asked to stop before there was anything to show.
    #[error("interrupted while {doing}: nothing was decided, nothing was written")]
    Interrupted {
        /// The work that was interrupted.
        doing: String,
    },
    /// Two computations that must agree do not.
    #[error("{message}: this is a bug in the audit or in the function")]
    Bug {
        /// A description of the disagreement.
        message: String,
    },
}

fn shown(name: &str, text: &str, diagnostics: &[Diagnostic]) -> String {
    render(name, text, diagnostics).trim_end().to_owned()
}

impl Refusal {
    /// A refusal of a question that makes no sense: what is wrong, and what to do.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal::Usage { message: message.into(), hint: hint.into() }
    }

    /// A refusal of a text, with its errors.
    pub fn text(source: Source<'_>, mut diagnostics: Vec<Diagnostic>) -> Refusal {
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        Refusal::Text { source_name: source.name.to_owned(), text: source.text.to_owned(), diagnostics }
    }

    /// A parameter of a text that has no value.
    pub fn no_value(source: Source<'_>, name: &str, span: Span) -> Refusal {
        Refusal::NoValue {
            source_name: source.name.to_owned(),
            text: source.text.to_owned(),
            name: name.to_owned(),
            diagnostic: Box::new(Diagnostic::new(span, format!("the parameter `{name}` has no value"))),
        }
    }

    /// A parameter that is out of range.
    pub fn out_of_range(error: &OutOfRange) -> Refusal {
        let OutOfRange { name, value, reason } = error;
        let name = match *name {
            "B" => "bound",
            "Λ" => "grid",
            "λ" => "scale",
            other => other,
        };
        Refusal::usage(format!("{name} = {} is out of range", cut(value)), *reason)
    }

    /// Stopped while doing something.
    pub fn interrupted(doing: impl Into<String>) -> Refusal {
        Refusal::Interrupted { doing: doing.into() }
    }
}

/// The beginning of a text, if it is long.
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
