//! `lastbit check`.

use lastbit_engine::Source;
use lastbit_engine::check::{CheckAnswer, CheckVerdict, Question, check};

use super::args::Check;
use super::files::{name_of, print, print_json, read_text};
use super::refused;
use super::report::printable;
use crate::error::{Error, tell};
use crate::style;

pub(crate) fn run(args: &Check) -> Result<(), Error> {
    let program = args.program.as_deref().map(|path| Ok::<_, Error>((name_of(path), read_text(path)?)));
    let program = program.transpose()?;
    let program = program.as_ref().map(|(name, text)| Source { name, text });
    let mut answers = Vec::new();
    for path in &args.files {
        let name = name_of(path);
        let answer = match read_text(path) {
            Ok(text) => {
                let question = Question { certificate: Source { name: &name, text: &text }, program };
                check(&question, &args.limits.of(&name)).map_err(|refusal| refused(&name, refusal))?
            }
            Err(error) if args.json => CheckAnswer::unreadable(&name, error.to_string()),
            Err(error) => {
                error.print();
                answers.push(CheckAnswer::unreadable(&name, String::new()));
                continue;
            }
        };
        if !args.json {
            show(&answer, args)?;
        }
        answers.push(answer);
    }
    if args.json {
        print_json(&answers)?;
    }
    match answers.iter().map(CheckAnswer::exit_code).max() {
        None | Some(0) => Ok(()),
        Some(code) => Err(Error::Told(code)),
    }
}

const MORE: &str = "allow more with --timeout and --memory";

/// The verdict in a line, to standard output; what is no certificate, to standard error.
fn show(answer: &CheckAnswer, args: &Check) -> Result<(), Error> {
    let name = &answer.file;
    let reason = answer.reason.as_deref().unwrap_or_default();
    let Some(judgement) = answer.verdict.judgement() else {
        tell(&printable(&format!("error: {name} is not a certificate: {reason}")));
        tell("hint: lastbit prove FILE --certificate PATH writes one");
        return Ok(());
    };
    let word = style::verdict(judgement, answer.verdict.word());
    let vacuous = answer.vacuity().map_or(String::new(), |vacuous| format!(", {vacuous}"));
    let said = match answer.statement(args.digits) {
        Some((of, statement)) => format!("{of}: {statement}"),
        None => reason.to_owned(),
    };
    let mut text = style::wrapped(&format!("{}: {word}{vacuous}: {}", printable(name), printable(&said)), 2);
    let mut lines: Vec<String> = Vec::new();
    lines.extend(answer.rests_on().filter(|_| args.details || args.files.len() == 1));
    lines.extend(answer.notes.iter().map(|note| format!("note: {note}")));
    lines.extend((answer.verdict == CheckVerdict::NotChecked).then(|| format!("try: {MORE}")));
    for line in lines {
        text.push('\n');
        text += &style::wrapped(&format!("  {}", printable(&line)), 2);
    }
    print(&(text + "\n"))
}
