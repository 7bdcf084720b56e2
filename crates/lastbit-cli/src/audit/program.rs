//! `lastbit audit FILE.lb`: programs of the language. Those in floats are here, discrete ones in `discrete`.

use std::fmt::Write;
use std::path::Path;

use clap::ValueEnum;
use lastbit::Rational;
use lastbit_audit::program::{self, Library, Options, ProgramError, ProgramReport};
use lastbit_lang::ast::{Binder, Declaration, File, Scalar, Shape};
use lastbit_lang::values::{default_grid, is_open};
use lastbit_lang::{Bindings, Diagnostic};
use serde_json::{Map, Value, json};

use super::args::{Logarithm, Program, SamplerName, Show};
use super::inputs::{Inputs, Words};
use super::shown::Shown;
use super::{check_delta_at, interrupt, number};
use crate::error::{Error, quoted, tell};
use crate::progress::LateBar;
use crate::prove::files::{name_of, read_text};
use crate::prove::mechanism::values;
use crate::prove::report::Source;
use crate::prove::{Parsed, declarations, is_fpcore};

/// Outputs are all listed in JSON up to this many.
const LISTED: usize = 4096;

/// Audits a declaration of a file.
pub(crate) fn run(args: &Program, path: &Path) -> Result<(), Error> {
    if !path.exists() && path.extension().is_none() && path.as_os_str() != "-" {
        return Err(no_mechanism(&path.display().to_string()));
    }
    let (name, text) = (name_of(path), read_text(path)?);
    if is_fpcore(path, &text) {
        return Err(Error::usage(
            format!("{name} is FPCore, whose programs draw no samples: there is nothing to audit"),
            "lastbit prove bounds their rounding errors",
        ));
    }
    let source = Source { name: &name, text: &text };
    let file = match declarations(&text) {
        Parsed::Declarations(file) => file,
        Parsed::Bad(diagnostics) => return Err(Error::Rendered(source.render(&diagnostics))),
    };
    let declaration = select(&file, args)?;
    let Some(words) = &args.inputs else {
        return Err(Error::usage("missing --inputs", example(declaration)));
    };
    let words = Words::of(words, declaration)?;
    let (mut bindings, notes) = values(declaration, [&args.epsilon, &args.bound, &args.lambda], &args.param);
    default_grid(declaration, &mut bindings);
    let task = Task { args, file: &file, declaration, source, bindings, notes };
    task.check_parameters()?;
    if declaration.is_over_floats() { task.float(&words) } else { task.discrete(&words) }
}

/// A name that is neither a mechanism nor a file; samplers are one word away.
fn no_mechanism(name: &str) -> Error {
    let hint = match SamplerName::from_str(name, false) {
        Ok(_) => format!("lastbit audit sampler {name} audits the sampler of that name"),
        Err(_) => {
            "give snapping, textbook-laplace, sampler, or a file of the language of mechanisms (*.lb)".into()
        }
    };
    Error::usage(format!("there is no mechanism {}", quoted(name.as_bytes())), hint)
}

fn select<'a>(file: &'a File, args: &Program) -> Result<&'a Declaration, Error> {
    let names = || file.declarations.iter().map(|d| d.name.text.as_str()).collect::<Vec<_>>().join(", ");
    match (&args.program, file.declarations.as_slice()) {
        (Some(name), _) => file.declaration(name).ok_or_else(|| {
            Error::usage(
                format!("there is no declaration {}", quoted(name.as_bytes())),
                format!("there are {}", names()),
            )
        }),
        (None, [only]) => Ok(only),
        (None, _) => Err(Error::usage(
            "the file has several declarations",
            format!("choose one with --program: {}", names()),
        )),
    }
}

/// How inputs of this declaration are written.
fn example(declaration: &Declaration) -> String {
    let value = |scalar: Scalar, shape: Shape, i: usize| match (scalar, shape) {
        (Scalar::Bool, Shape::One) => ["true", "false"][i].to_owned(),
        (Scalar::Bool, _) => ["true,false", "false,false"][i].to_owned(),
        (_, Shape::One) => ["0", "1"][i].to_owned(),
        (_, _) => ["0,1,2", "1,1,2"][i].to_owned(),
    };
    let named = |i: usize| -> String {
        let arguments = declaration.arguments.iter().filter(|binder| binder.ty.scalar != Scalar::Data);
        let binders: Vec<_> = arguments.chain(declaration.queries()).collect();
        match binders.as_slice() {
            [only] => value(only.ty.scalar, only.ty.shape, i),
            several => {
                let text = |binder: &&Binder| {
                    format!("{}={}", binder.name.text, value(binder.ty.scalar, binder.ty.shape, i))
                };
                format!("'{}'", several.iter().map(text).collect::<Vec<_>>().join(";"))
            }
        }
    };
    format!("give two inputs, such as --inputs {} {}", named(0), named(1))
}

/// What is to be audited.
pub(crate) struct Task<'a> {
    pub(crate) args: &'a Program,
    pub(crate) file: &'a File,
    pub(crate) declaration: &'a Declaration,
    pub(crate) source: Source<'a>,
    pub(crate) bindings: Bindings,
    pub(crate) notes: Vec<String>,
}

impl Task<'_> {
    /// Every parameter has a value, and every value a parameter.
    fn check_parameters(&self) -> Result<(), Error> {
        let parameters = || self.declaration.parameters();
        let at = |span: lastbit_lang::Span, message: String, hint: String| {
            Err(Error::Rendered(self.source.render(&[Diagnostic::new(span, message).with_hint(hint)])))
        };
        let named = [("eps", &self.args.epsilon), ("B", &self.args.bound), ("L", &self.args.lambda)];
        let mut given: Vec<&str> =
            self.args.param.iter().map(|assignment| assignment.name.as_str()).collect();
        given.extend(named.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| *name));
        given.sort_unstable();
        if let Some([name, _]) =
            given.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| [pair[0], pair[1]])
        {
            return Err(Error::usage(format!("{name} is given twice"), "give it once"));
        }
        for name in self.bindings.values.keys() {
            if !parameters().any(|binder| binder.name.text == *name) {
                let names: Vec<&str> = parameters().map(|binder| binder.name.text.as_str()).collect();
                let hint = if names.is_empty() {
                    "it has none".into()
                } else {
                    format!("there are {}", names.join(", "))
                };
                return at(self.declaration.header, format!("there is no parameter `{name}`"), hint);
            }
        }
        let is_open = |binder: &&Binder| is_open(self.declaration, &self.bindings, &binder.name.text);
        let Some(Binder { name, .. }) = parameters().find(is_open) else { return Ok(()) };
        let option = match name.text.as_str() {
            "eps" => "--epsilon E".to_owned(),
            "B" => "--bound B".to_owned(),
            other => format!("--param {other}=VALUE"),
        };
        at(name.span, format!("the parameter `{}` has no value", name.text), format!("give it: {option}"))
    }

    /// What it is, in a few lines.
    pub(crate) fn header(&self, words: &Words) -> String {
        let mut text = format!("{} of {}\n", self.declaration.name.text, self.source.name);
        let values = self.bindings.values.iter().map(|(name, value)| format!("{name} = {}", number(value)));
        let values: Vec<String> = values.collect();
        if !values.is_empty() {
            let _ = writeln!(text, "  {}", values.join(", "));
        }
        let _ = writeln!(text, "  f: {}\n  f': {}", words.text(0), words.text(1));
        text
    }

    /// The same in JSON: with these, the report can be made again.
    pub(crate) fn fields(&self, words: &Words) -> Map<String, Value> {
        let values = self.bindings.values.iter();
        let parameters: Map<String, Value> =
            values.map(|(name, value)| (name.clone(), json!(value.to_string()))).collect();
        let fields = [
            ("file", json!(self.source.name)),
            ("mechanism", json!(self.declaration.name.text)),
            ("parameters", parameters.into()),
            ("inputs", words.json()),
        ];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn float(mut self, words: &Words) -> Result<(), Error> {
        let Inputs { values, notes } = words.numbers(self.declaration)?;
        self.notes.extend(notes);
        let [first, second] = &values;
        let delta_at = self.args.show.delta_at.as_ref();
        delta_at.map_or(Ok(()), check_delta_at)?;
        let library = match self.args.ln {
            Logarithm::Correct => None,
            Logarithm::Above => Some(Library::Shifted(1)),
            Logarithm::Below => Some(Library::Shifted(-1)),
            Logarithm::Std => Some(Library::Std),
        };
        let name = &self.declaration.name.text;
        let report = watched(name, delta_at, library, &self.args.show, self.args.map, |options| {
            program::audit(self.file, Some(name), &self.bindings, [first, second], options)
        });
        let mut report = report.map_err(|error| self.refusal(&error))?;
        let mut fields = self.fields(words);
        fields.insert("ln".into(), json!(self.args.ln.name()));
        let header = self.header(words);
        report.notes.splice(0..0, self.notes);
        let shown = Shown { header, fields, show: &self.args.show, map: self.args.map };
        shown.print(&report)
    }

    /// What is wrong, where it is in the text.
    fn refusal(&self, error: &ProgramError) -> Error {
        let at = |span: Option<lastbit_lang::Span>, hint: &str| {
            let diagnostic = Diagnostic::new(span.unwrap_or(self.declaration.header), error.to_string());
            Error::Rendered(self.source.render(&[diagnostic.with_hint(hint)]))
        };
        match error {
            ProgramError::Language(diagnostics) => Error::Rendered(self.source.render(diagnostics)),
            ProgramError::NoValue { expression, .. } => {
                at(expression.span, "the mechanism must have a value for every sample")
            }
            ProgramError::NotMonotone { expression, .. } => at(
                expression.span,
                "every output of a monotone program is an interval of u; with `sampler unif = grid24(0,1)` all u can be tried",
            ),
            ProgramError::OnlyAccuracy { .. } => {
                at(None, "choose one with --ln correct, +1ulp, -1ulp or std")
            }
            ProgramError::Cancelled => stopped(),
            _ => at(None, "see docs/audit.md for the programs that can be audited"),
        }
    }
}

/// Ctrl-C, before there was anything to show.
pub(crate) fn stopped() -> Error {
    tell("stopped before all outputs were known: there is nothing to show");
    Error::Told(130)
}

/// Runs an audit with a bar, until it is done or Ctrl-C.
pub(crate) fn watched(
    name: &str,
    delta_at: Option<&Rational>,
    library: Option<Library>,
    show: &Show,
    map: bool,
    audit: impl FnOnce(&Options<'_>) -> Result<ProgramReport, ProgramError>,
) -> Result<ProgramReport, ProgramError> {
    let bar = LateBar::new(name, "{prefix}: {wide_bar} {percent}%, {eta} left {msg}", 1000);
    let progress = |done: u128, all: u128| bar.show((done * 1000).checked_div(all).unwrap_or(0) as u64, "");
    audit(&Options {
        library,
        epsilon: delta_at.cloned(),
        listed: if show.all || map { usize::MAX } else { LISTED },
        progress: Some(&progress),
        cancel: Some(interrupt::flag()),
        ..Options::default()
    })
}

/// The audit of a program of our own, of one argument `x`.
pub(crate) fn of_text(
    text: &str,
    bindings: &Bindings,
    [first, second]: [Rational; 2],
    library: Library,
    delta_at: &Rational,
    show: &Show,
    map: bool,
) -> Result<ProgramReport, Error> {
    let Parsed::Declarations(file) = declarations(text) else { unreachable!("the text is our own") };
    let [first, second] = [first, second].map(|x| [("x".to_owned(), x)].into());
    let report = watched("snapping", Some(delta_at), Some(library), show, map, |options| {
        program::audit(&file, None, bindings, [&first, &second], options)
    });
    report.map_err(|error| match error {
        ProgramError::Cancelled => stopped(),
        other => Error::usage(other.to_string(), "give parameters and inputs of a usual size"),
    })
}
