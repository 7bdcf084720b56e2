//! What is printed of an answer.

use lastbit_engine::Judgement;
use lastbit_engine::attack::{AttackAnswer, Layout, Verdict};

use super::args::Attack;
use crate::error::Error;
use crate::prove::files::{print, print_json, write_whole};
use crate::style;

/// Prints an answer, and writes the page if one is wanted. The exit code is that of the verdict.
pub(super) fn print_answer(answer: &AttackAnswer, args: &Attack) -> Result<(), Error> {
    if let Some(path) = &args.html {
        write_whole(path, answer.html_page())?;
    }
    let printed = if args.json { print_json(answer) } else { print(&text(answer, args)) };
    match (printed, answer.verdict.exit_code()) {
        (printed, 0) => printed,
        // The verdict stands, also if nobody reads it.
        (Ok(()) | Err(Error::BrokenPipe { .. }), code) => Err(Error::Told(code)),
        (failed, _) => failed,
    }
}

/// The text, with the verdict in its colour.
fn text(answer: &AttackAnswer, args: &Attack) -> String {
    let layout = Layout { width: style::width(), details: args.details, histogram: args.histogram };
    let text = answer.text(layout);
    let (word, rest) = text.split_at(answer.verdict.word().len());
    format!("{}{rest}", painted(answer.verdict, word))
}

/// A word in the colour of a verdict.
pub(super) fn painted(verdict: Verdict, word: &str) -> String {
    match verdict {
        Verdict::Leaks => style::verdict(Judgement::Violated, word),
        Verdict::NotSeenToLeak => style::verdict(Judgement::Holds, word),
        Verdict::TooFewSamples => style::verdict(Judgement::Undecided, word),
        _ => word.to_owned(),
    }
}
