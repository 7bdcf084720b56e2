//! What can go wrong, in words: what is wrong, what to do, and the exit code.

use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use lastbit::{Rational, Rounding};
use lastbit_engine::Refusal;

/// Text of users is cut after this many characters in messages.
const MOST_CHARS: usize = 60;

/// The message is what is wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Parameters that do not go together.
    #[error("{message}")]
    Usage { message: String, hint: String },
    /// A line of the input is not what it should be.
    #[error("line {line} of {input} {problem}")]
    BadLine { input: String, line: u64, problem: String, hint: String },
    /// The CSV has no such column.
    #[error("{message}")]
    Column { message: String, hint: String },
    #[error("no numbers in the input")]
    Empty,
    /// The file was not the same when it was read again.
    #[error("{0} changed while it was read")]
    Changed(String),
    /// A mechanism refuses a parameter, a value or the machine.
    #[error("{}", of_library(.0))]
    Library(#[from] lastbit::Error),
    #[error("cannot {action}: {source}")]
    Io { action: String, source: io::Error },
    /// Nobody reads the output any more.
    #[error("the output was closed before all of it was written")]
    BrokenPipe { exit_code: u8 },
    /// A message about a place in a text, complete with that place.
    #[error("{0}")]
    Rendered(String),
    /// The output has said it all; this is the exit code.
    #[error("exit code {0}")]
    Told(u8),
    /// An error after some values were written.
    #[error("{cause}")]
    Late { cause: Box<Error>, written: u64 },
}

impl Error {
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::Usage { message: message.into(), hint: hint.into() }
    }

    /// An error of reading or writing; a closed pipe is a case of its own.
    pub(crate) fn io(action: impl Into<String>, source: io::Error) -> Error {
        match source.kind() {
            io::ErrorKind::BrokenPipe => Error::BrokenPipe { exit_code: 1 },
            _ => Error::Io { action: action.into(), source },
        }
    }

    /// This error after `written` values are out.
    pub(crate) fn after(self, written: u64) -> Error {
        if written == 0 { self } else { Error::Late { cause: Box::new(self), written } }
    }

    /// The same for those who answer with refusals.
    pub(crate) fn into_refusal(self) -> Refusal {
        match self {
            Error::Rendered(message) => Refusal::Unreadable { message },
            other => Refusal::usage(other.to_string(), other.hint()),
        }
    }

    fn hint(&self) -> String {
        match self {
            Error::Usage { hint, .. } | Error::BadLine { hint, .. } | Error::Column { hint, .. } => {
                hint.clone()
            }
            Error::Empty => "give one number a line, or a column of a CSV file with --column".into(),
            Error::Changed(_) => "run again when no other program writes to it".into(),
            Error::Library(error) => library_hint(error),
            Error::Io { source, .. } => io_hint(source.kind()).into(),
            Error::BrokenPipe { .. } => {
                "write the output to a file, or let the next command read all of it".into()
            }
            Error::Rendered(_) | Error::Told(_) => String::new(), // never told
            Error::Late { cause, .. } => cause.hint(),
        }
    }

    /// 2 for what the user gave, 1 for what the machine or a reader did.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Error::Usage { .. } | Error::BadLine { .. } | Error::Column { .. } => 2,
            Error::Empty | Error::Rendered(_) => 2,
            Error::Library(
                lastbit::Error::NoEntropy { .. }
                | lastbit::Error::FloatEnvironment
                | lastbit::Error::SelfTestFailed { .. }
                | lastbit::Error::SeedRefused { .. }
                | lastbit::Error::NoKeyMemory { .. },
            ) => 1,
            Error::Library(_) => 2,
            // A path that leads nowhere is bad input, as for the commands that read whole files.
            Error::Io { source, .. } if is_bad_path(source.kind()) => 2,
            Error::Changed(_) | Error::Io { .. } => 1,
            Error::BrokenPipe { exit_code } => *exit_code,
            Error::Told(code) => *code,
            Error::Late { cause, .. } => cause.exit_code(),
        }
    }

    /// Prints the error, unless it is already printed.
    pub(crate) fn print(&self) {
        if matches!(self, Error::Told(_)) {
            return;
        }
        if let Error::Rendered(message) = self {
            tell(message.trim_end());
            return;
        }
        tell(&format!("error: {self}"));
        tell(&format!("hint: {}", self.hint()));
        if let Error::Late { written, .. } = self {
            let values = if *written == 1 { "value was" } else { "values were" };
            tell(&format!(
                "note: {written} noisy {values} written before this, and the claim holds for them"
            ));
        }
    }
}

/// Whether the path is at fault, and not the machine.
fn is_bad_path(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound, PermissionDenied};
    matches!(kind, NotFound | IsADirectory | NotADirectory | PermissionDenied)
}

/// What the engine refuses, in the words of the command.
pub(crate) fn of_engine(refusal: Refusal) -> Error {
    match refusal {
        Refusal::Usage { message, hint } => Error::Usage { message, hint },
        Refusal::Noise(error) => Error::Library(error),
        Refusal::NoValue { source_name, text, name, diagnostic } => {
            let option = match name.as_str() {
                "eps" => "--epsilon E".to_owned(),
                "B" => "--bound B".to_owned(),
                other => format!("--param {other}=VALUE"),
            };
            let diagnostic = diagnostic.with_hint(format!("give it: {option}"));
            Error::Rendered(lastbit_lang::render(&source_name, &text, &[diagnostic]))
        }
        Refusal::Bug { .. } => Error::usage(refusal.to_string(), "please report it with the parameters"),
        Refusal::Interrupted { .. } => {
            tell(&refusal.to_string());
            Error::Told(130)
        }
        other => Error::Rendered(other.to_string()),
    }
}

fn io_hint(kind: io::ErrorKind) -> &'static str {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotConnected, NotFound, PermissionDenied, StorageFull};
    match kind {
        NotFound | IsADirectory | NotADirectory => "check the path",
        NotConnected => "redirect it to a file, a pipe or a terminal",
        PermissionDenied => "check the permissions of the file and its directory",
        StorageFull => "free some disk space and run again: the output is incomplete",
        _ => "run again when the cause is gone",
    }
}

/// One line to standard error. That nobody listens is no reason to fail.
pub(crate) fn tell(line: &str) {
    let _ = tell_or_fail(line);
}

/// One line to standard error that must get there.
pub(crate) fn tell_or_fail(line: &str) -> Result<(), Error> {
    crate::stdout::check_stderr()
        .and_then(|()| writeln!(io::stderr().lock(), "{line}"))
        .map_err(|e| Error::io("write the claim to standard error", e))
}

/// The text of a user in one short line.
pub(crate) fn quoted(text: &[u8]) -> String {
    let text = &text[..text.len().min(8 * MOST_CHARS)];
    let escaped = match std::str::from_utf8(text) {
        Ok(text) => text.escape_debug().take(MOST_CHARS + 1).collect::<String>(),
        // A character that was cut in two is no reason to escape the others.
        Err(e) if e.error_len().is_none() && e.valid_up_to() > 4 * MOST_CHARS => {
            return quoted(&text[..e.valid_up_to()]);
        }
        Err(_) => text.escape_ascii().take(MOST_CHARS + 1).map(char::from).collect(),
    };
    format!("\"{}\"", cut(&escaped))
}

pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A parameter as in messages: exact if that is short.
fn short(value: &Rational) -> String {
    let exact = value.to_string();
    if exact.len() <= MOST_CHARS { exact } else { value.to_decimal(6, Rounding::Nearest) }
}

/// The name of a parameter as the command line has it.
fn parameter(name: &str) -> String {
    match name {
        "d_in" => "sensitivity".into(),
        "half_width" => "accuracy".into(),
        _ => name.replace('_', "-"),
    }
}

fn of_library(error: &lastbit::Error) -> String {
    use lastbit::Error::*;
    match error {
        NotPositive { name, value } => {
            format!("{} must be positive, but is {}", parameter(name), short(value))
        }
        Negative { name, value } => {
            format!("{} must not be negative, but is {}", parameter(name), short(value))
        }
        OutOfRange { name, value, .. } => format!("{} = {} is out of range", parameter(name), cut(value)),
        Overflow { index } => format!("noisy value {} overflows its type", index + 1),
        BadWeight { index } => format!("weight {} is not a positive number", index + 1),
        BeyondRange { index, type_name } => format!("value {} is beyond the largest {type_name}", index + 1),
        other => other.to_string(),
    }
}

fn library_hint(error: &lastbit::Error) -> String {
    use lastbit::Error::*;
    match error {
        OutOfRange { name: "scale", reason, .. } => {
            format!("{reason}; with --epsilon it is sensitivity/epsilon")
        }
        OutOfRange { name: "variance", reason, .. } => {
            format!("{reason}; it is the square of --scale, or sensitivity²/(2·rho)")
        }
        OutOfRange { reason, .. } => reason.clone(),
        NotPositive { .. } | Negative { .. } => "give a number such as 0.1, 1/10 or 0x1p-3".into(),
        NoCandidates => "give one score a line, or a column of a CSV file with --column".into(),
        BadWeight { .. } => "leave out candidates that must not be chosen".into(),
        Overflow { .. } => "clamp the values, use less noise, or a wider type with --input".into(),
        SelfTestFailed { .. } => "do not release noise on this machine with this build".into(),
        NoEntropy { .. } | SeedRefused { .. } => {
            "noise needs the operating system's random bytes: check the sandbox or container".into()
        }
        _ => "see lastbit noise --help".into(),
    }
}

/// What to write in place of an old option, or of the word that Python or the literature has.
const RENAMED: [(&str, &str); 4] = [
    ("--lambda", "--lambda is now --grid (Λ); for the scale λ use --scale"),
    ("--sigma", "--sigma is --scale here"),
    ("--alpha", "--alpha is now --confidence, which is 1 - alpha"),
    ("--multiples-of-pow2", "--multiples-of-pow2 is now --granularity"),
];

/// What the parser of the command line did not understand.
pub(crate) fn of_clap(error: &clap::Error) -> Error {
    let strings = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    };
    let arguments = strings(ContextKind::InvalidArg);
    if error.kind() == ErrorKind::MissingRequiredArgument && !arguments.is_empty() {
        let names: Vec<String> = arguments.iter().map(|text| readable(text)).collect();
        let is_choice = error.render().to_string().contains(" choose ");
        return Error::usage(
            format!("missing {}", names.join(", and ")),
            missing_hint(&arguments, is_choice),
        );
    }
    // The rendered text is: the message, maybe over several lines; tips; the usage.
    let rendered = error.render().to_string();
    let is_for_gaussian = rendered.contains(" noise discrete-gaussian ");
    if error.kind() == ErrorKind::UnknownArgument
        && arguments.iter().any(|name| name == "--epsilon")
        && is_for_gaussian
    {
        return Error::usage(
            "discrete-gaussian has no --epsilon: Gaussian noise has no finite pure loss, at any scale",
            "give --rho, the loss of zero-concentrated differential privacy (ρ-zCDP), or use discrete-laplace, or gaussian, which \
             takes --epsilon with --delta",
        );
    }
    if error.kind() == ErrorKind::UnknownArgument
        && arguments.iter().any(|name| name == "--delta")
        && rendered.contains(" noise ")
    {
        return Error::usage(
            "there is no --delta here: only gaussian takes an ε and a δ",
            "leave out --delta, since a pure loss has δ = 0; or use gaussian, with --epsilon and --delta",
        );
    }
    let is_unknown = error.kind() == ErrorKind::UnknownArgument;
    let renamed = RENAMED.iter().find(|(old, _)| is_unknown && arguments.iter().any(|name| name == old));
    if let Some((_, instead)) = renamed {
        return Error::usage(*instead, "docs/glossary.md says which word means what");
    }
    let paragraph = rendered.split("\n\n").next().unwrap_or_default();
    let lines: Vec<&str> = paragraph.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let message = lines.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let tip = rendered
        .lines()
        .filter_map(|line| line.trim().strip_prefix("tip: "))
        .find(|tip| tip.contains("similar"));
    let form = FORMS.iter().find(|(option, _)| arguments.iter().any(|name| name.starts_with(option)));
    let hint = match error.kind() {
        ErrorKind::ValueValidation => {
            form.map_or("numbers are written like 1, 0.1, 1/10 or 0x1p-3", |(_, form)| form)
        }
        ErrorKind::ArgumentConflict => "give only one of the two",
        _ => tip.unwrap_or(SEE_HELP),
    };
    Error::usage(cut_long(message), hint)
}

/// Options whose values are not any numbers, and how they are written.
const FORMS: [(&str, &str); 17] = [
    ("--k ", A_WHOLE_NUMBER),
    ("--granularity ", A_WHOLE_NUMBER),
    ("--max-changed ", A_WHOLE_NUMBER),
    ("--insecure-seed ", A_WHOLE_NUMBER),
    ("--node ", A_WHOLE_NUMBER),
    ("--depth ", A_WHOLE_NUMBER),
    ("--samples ", A_WHOLE_NUMBER),
    ("--false-alarms ", A_WHOLE_NUMBER),
    ("--effort ", "more boxes are tighter and slower; start without --effort"),
    ("--param ", "write it like --param B=100"),
    ("--budget ", "write it like --budget 10s"),
    ("--timeout ", "write it like --timeout 10s or --timeout 5m"),
    ("--memory ", "write it like --memory 500MB or --memory 8GB"),
    ("--grid <auto", "write it like --grid 2^-3, or leave it out"),
    ("--at ", "write it like --at x=1,y=0.5"),
    ("--range ", "write it like --range x=-1,1"),
    ("--libm ", "write it like --libm ln=1ulp or --libm exp=correctly_rounded"),
];

const A_WHOLE_NUMBER: &str = "give a whole number, such as 1";

const SEE_HELP: &str = "--help shows all options, with examples";

/// Arguments can be longer than anyone wants to read again.
fn cut_long(message: &str) -> String {
    const MOST: usize = 300;
    match message.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

/// `<--epsilon <E>|--scale <B>>` as `--epsilon <E> or --scale <B>`.
fn readable(argument: &str) -> String {
    match argument.strip_prefix('<').and_then(|text| text.strip_suffix('>')) {
        Some(group) if group.starts_with("--") => group.replace('|', " or "),
        _ => argument.to_owned(),
    }
}

fn missing_hint(missing: &[String], is_choice: bool) -> String {
    let lacks = |name: &str| missing.iter().any(|text| text.contains(name));
    if lacks("--sensitivity") && is_choice {
        "--sensitivity is how much one person can change the score of a single candidate".into()
    } else if lacks("--sensitivity") {
        "--sensitivity is the L1 distance (L2 for gaussian and discrete-gaussian) between the columns of two neighbouring inputs: how \
         much one person can change all values together"
            .into()
    } else if lacks("--bound") {
        "--bound B says where values are clamped: a number that no value you care about exceeds".into()
    } else if lacks("--delta") && !lacks("--rho") {
        "Gaussian noise has no finite pure loss: --epsilon needs a --delta, such as 1e-6, well below one over the number of people".into()
    } else if lacks("--confidence") {
        "--confidence is how likely a noisy value is to lie within --accuracy, such as 0.95".into()
    } else if lacks("--rho") && lacks("--epsilon") {
        "--rho is the privacy loss to allow, such as 1/8; or give --epsilon with --delta; or give the scale of the noise with --scale".into()
    } else if lacks("--rho") {
        "--rho is the privacy loss to allow, such as 1/8; or give the scale of the noise with --scale".into()
    } else if lacks("--epsilon") {
        "--epsilon is the privacy loss to allow, such as 0.1 or 1; or give the scale of the noise with --scale".into()
    } else {
        SEE_HELP.into()
    }
}
