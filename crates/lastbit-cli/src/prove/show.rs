//! What is printed of an answer: the verdict first, and details for who asks.

use std::fmt::Write;

use lastbit_engine::prove::{ErrorBound, Found, ProofAnswer};

use super::args::Prove;
use super::files::print;
use super::report::printable;
use crate::error::{Error, tell};
use crate::style;

/// The manner in which answers are printed.
pub(super) struct Manner<'a> {
    pub(super) args: &'a Prove,
    /// How many answers there are.
    pub(super) count: usize,
    pub(super) table: &'a Table,
}

/// The columns of the table of all answers.
pub(super) struct Table {
    names: usize,
}

/// The width of the verdicts.
const VERDICTS: usize = 9;
/// The widest bound or cost that is not cut short.
const BOUNDS: usize = 40;

impl Table {
    pub(super) fn of<'n>(names: impl Iterator<Item = &'n str>) -> Table {
        const WIDEST: usize = 32;
        Table { names: names.map(|name| name.chars().count()).max().unwrap_or(0).min(WIDEST) }
    }

    fn row(&self, answer: &ProofAnswer, digits: usize) -> String {
        let [name, verdict, bound, time] = answer.row(digits).map(|cell| printable(&cell));
        let bound = match bound.char_indices().nth(BOUNDS) {
            Some((end, _)) => format!("{}…", &bound[..end]),
            None => bound,
        };
        let space = " ".repeat(VERDICTS.saturating_sub(verdict.chars().count()));
        let verdict = match answer.verdict.judgement() {
            Some(judgement) => style::verdict(judgement, &verdict),
            None => verdict,
        };
        let names = self.names;
        format!("{name:<names$}  {verdict}{space}  {bound:<BOUNDS$}  {time:>7}\n")
    }
}

impl Manner<'_> {
    /// Only one line a verdict: many files, and nobody asks for more.
    fn is_short(&self) -> bool {
        let show = &self.args.show;
        self.args.files.len() > 1 && self.count > 1 && !show.details && !show.is_asked()
    }

    /// Prints an answer to standard output, and what is wrong to standard error.
    pub(super) fn print(&self, answer: &ProofAnswer) -> Result<(), Error> {
        let text = match self.is_short() {
            true => self.table.row(answer, self.args.show.digits),
            false => self.text(answer),
        };
        print(&text)?;
        if let Found::Refused(refused) = &answer.found {
            let problem = refused.refusal.to_string();
            match (&refused.hint, problem.starts_with("error: ")) {
                (_, true) => tell(printable(&problem).trim_end()),
                (Some(hint), false) => tell(&printable(&format!("error: {problem}\nhint: {hint}"))),
                (None, false) => tell(&printable(&format!("error: {problem}"))),
            }
        }
        Ok(())
    }

    /// The table of all answers, if there are several and they were not printed as one.
    pub(super) fn end(&self, answers: &[ProofAnswer]) -> String {
        if answers.len() < 2 || self.is_short() || self.args.show.latex {
            return String::new();
        }
        let rows: String =
            answers.iter().map(|answer| self.table.row(answer, self.args.show.digits)).collect();
        format!("\n{rows}")
    }

    fn text(&self, answer: &ProofAnswer) -> String {
        let show = &self.args.show;
        match &answer.found {
            // Of a text that is no program at all there is nothing to say but why.
            Found::Refused(_) if self.args.files.iter().any(|path| super::name_of(path) == answer.name) => {
                return String::new();
            }
            Found::Fpcore { fpcore } => return printable(fpcore),
            Found::ErrorBound(bound) if show.latex => {
                return bound.derivation.as_ref().map_or(String::new(), |shown| printable(&shown.text));
            }
            Found::Loss(_) if show.latex => return printable(&answer.details),
            _ => {}
        }
        let mut text = String::new();
        let head = answer.headline(show.digits);
        let name = printable(head.name);
        let rest = printable(&head.rest);
        let line = match (head.word, head.judgement) {
            (Some(word), Some(judgement)) => format!("{name}: {}: {rest}", style::verdict(judgement, word)),
            _ => format!("{name}: {rest}"),
        };
        text += &style::wrapped(&line, 2);
        text.push('\n');
        for line in answer.summary(show.digits) {
            // Who has the tree or the details need not be told how to get them.
            let hint = if show.tree { "; --tree" } else { "; --details" };
            let has_them = show.tree || show.details;
            let line = if has_them { line.split(hint).next().unwrap_or(&line) } else { &line };
            text += &style::wrapped(&format!("  {}", printable(line)), 2);
            text.push('\n');
        }
        for note in &answer.notes {
            text += &style::wrapped(&format!("  note: {}", printable(note)), 2);
            text.push('\n');
        }
        if let Found::ErrorBound(bound) = &answer.found {
            text += &printable(&self.of_error(bound, answer));
        } else if show.details || show.is_asked() || matches!(answer.found, Found::Cases(_) | Found::Paper(_))
        {
            text += &printable(&answer.details);
        }
        text
    }

    fn of_error(&self, bound: &ErrorBound, answer: &ProofAnswer) -> String {
        let mut text = String::new();
        if self.args.show.details {
            let _ = writeln!(text, "  {}, {}, {:.3} s", bound.method, bound.precision, answer.seconds);
            let [lo, hi] = &bound.range;
            let exact = |number: &lastbit_engine::Number| number.upper().to_string();
            let _ =
                writeln!(text, "  exactly {}, in [{}, {}]", exact(&bound.abs_error), exact(lo), exact(hi));
        }
        text += bound.derivation.as_ref().map_or("", |shown| shown.text.as_str());
        text
    }
}
