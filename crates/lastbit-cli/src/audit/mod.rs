//! `lastbit audit` and `lastbit conformance`: what was asked, parsed; what was answered, printed.
//!
//! | module | what it knows |
//! |---|---|
//! | `args`, `choices` | the arguments, and what they can be |
//! | `question` | the question that the arguments are |
//! | `conformance` | files of exact values |
//! | `interrupt` | Ctrl-C |

pub(crate) mod args;
mod choices;
pub(crate) mod conformance;
pub(crate) mod interrupt;
mod question;

use lastbit_engine::audit::{AuditAnswer, Shown, Wishes};
use lastbit_engine::{Progress, Refusal, Watcher};

use crate::error::Error;
use crate::progress::LateBar;
use crate::prove::files::{print, print_json};
use crate::style;
use args::{Audit, Show};

/// Steps of the bar.
const STEPS: f64 = 1000.0;

/// Audits what is asked for, prints what was found, and ends as the verdict says.
pub(crate) fn run(args: &Audit) -> Result<(), Error> {
    let show = args.show();
    let wishes = Wishes {
        digits: show.digits.map_or(Wishes::default().digits, usize::from),
        delta_at: show.delta_at.clone(),
        fail_above: show.fail_above.clone(),
        all: show.all,
    };
    let bar = LateBar::new("audit", "{prefix} {wide_bar} {percent}% {msg}", STEPS as u64);
    let progress = |progress: Progress<'_>| {
        let share = (progress.share.unwrap_or(0.0) * STEPS) as u64;
        bar.show(share, format!("{} {}", progress.doing, progress.message));
    };
    let watcher = Watcher { cancel: interrupt::flag(), progress: &progress };
    let answer = question::ask(args, &wishes, &watcher);
    drop(bar);
    let answer = answer.map_err(refused)?;
    if show.json {
        print_json(&answer)?
    } else {
        print(&text(&answer, show, args.map()))?
    }
    match answer.verdict.map_or(0, |verdict| verdict.exit_code()) {
        0 => Ok(()),
        code => Err(Error::Told(code)),
    }
}

/// The answer, its verdict coloured, its lines of prose no wider than the terminal.
fn text(answer: &AuditAnswer, show: &Show, map: bool) -> String {
    let shown = Shown { digits: show.digits.map(usize::from), details: show.details, all: show.all, map };
    let text = answer.text(shown);
    let (headline, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let headline = style::wrap(headline, style::width(), 2);
    let headline = match answer.verdict {
        Some(judgement) => style::headline(judgement, &headline),
        None => headline,
    };
    format!("{headline}\n{rest}")
}

/// What there is no answer to, in the words of the command.
fn refused(refusal: Refusal) -> Error {
    match refusal {
        Refusal::NoInputs { first, second } => {
            Error::usage("missing --inputs", format!("give two inputs, such as --inputs {first} {second}"))
        }
        Refusal::Usage { message, hint } if message.contains("several declarations") => {
            Error::usage(message, hint.replace("by its name (program)", "with --program"))
        }
        Refusal::Interrupted { .. } => {
            crate::error::tell("stopped before all outputs were known: there is nothing to show");
            Error::Told(130)
        }
        other => crate::error::of_engine(other),
    }
}
