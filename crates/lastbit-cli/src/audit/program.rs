//! `lastbit audit FILE.lb`: programs of the language, in floats or discrete; and the textbook, which is such a program.

use std::fmt::Write;
use std::path::Path;

use lastbit::Rational;
use lastbit_audit::program::{self, Library, Method, Options, Part, ProgramError, ProgramOutcome, ProgramReport};
use lastbit_audit::{Comparison, Outcome, discrete};
use lastbit_lang::ast::{Declaration, File, Scalar, Shape};
use lastbit_lang::{Bindings, Diagnostic, Format, ast};
use lastbit_real::Float;
use serde_json::{Map, Value, json};

use super::args::{FloatType, Logarithm, Program, Show, Textbook, TextbookUniform};
use super::inputs::{Inputs, Words};
use super::map::{self, Row, Samples};
use super::summary::Style;
use super::value::shown;
use super::{check_delta_at, interrupt, print_json};
use crate::error::{Error, quoted};
use crate::progress::LateBar;
use crate::prove::files::{name_of, print, read_text};
use crate::prove::mechanism::{default_lambda, values};
use crate::prove::report::Source;
use crate::prove::{Parsed, declarations};

/// Outputs are all listed in JSON up to this many.
const LISTED: usize = 4096;
/// Rows of the table, if not all are asked for.
const MOST_ROWS: usize = 24;

/// Audits a declaration of a file.
pub(crate) fn run(args: &Program, path: &Path) -> Result<(), Error> {
    if !path.exists() && path.extension().is_none() && path.as_os_str() != "-" {
        let name = path.display().to_string();
        return Err(Error::usage(
            format!("there is no mechanism {}", quoted(name.as_bytes())),
            "give snapping, textbook-laplace, sampler, or a file of the language of mechanisms (*.lb)",
        ));
    }
    let (name, text) = (name_of(path), read_text(path)?);
    let source = Source { name: &name, text: &text };
    let file = match declarations(&text) {
        Parsed::Declarations(file) => file,
        Parsed::Bad(diagnostics) => return Err(Error::Rendered(source.render(&diagnostics))),
        Parsed::Programs(_) => unreachable!("declarations are asked for"),
    };
    let declaration = select(&file, args)?;
    let Some(words) = &args.inputs else {
        return Err(Error::usage("missing --inputs", example(declaration)));
    };
    let words = Words::of(words, declaration)?;
    let (bindings, notes) = values(declaration, [&args.epsilon, &args.bound, &args.lambda], &args.param);
    let task = Task { args, file: &file, declaration, source, bindings, notes };
    if is_float(declaration) { task.float(&words) } else { task.discrete(&words) }
}

fn select<'a>(file: &'a File, args: &Program) -> Result<&'a Declaration, Error> {
    let names = || file.declarations.iter().map(|d| d.name.text.as_str()).collect::<Vec<_>>().join(", ");
    match (&args.program, file.declarations.as_slice()) {
        (Some(name), _) => file.declaration(name).ok_or_else(|| {
            Error::usage(format!("there is no declaration {}", quoted(name.as_bytes())), format!("there are {}", names()))
        }),
        (None, [only]) => Ok(only),
        (None, _) => {
            Err(Error::usage("the file has several declarations", format!("choose one with --program: {}", names())))
        }
    }
}

fn is_float(declaration: &Declaration) -> bool {
    let binders = declaration.arguments.iter().chain(declaration.parameters());
    let mut scalars = binders.map(|binder| binder.ty.scalar).chain([declaration.result.scalar]);
    scalars.any(|scalar| matches!(scalar, Scalar::F64 | Scalar::F32))
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
                let text = |binder: &&ast::Binder| {
                    format!("{}={}", binder.name.text, value(binder.ty.scalar, binder.ty.shape, i))
                };
                format!("'{}'", several.iter().map(text).collect::<Vec<_>>().join(";"))
            }
        }
    };
    format!("give two inputs, such as --inputs {} {}", named(0), named(1))
}

struct Task<'a> {
    args: &'a Program,
    file: &'a File,
    declaration: &'a Declaration,
    source: Source<'a>,
    bindings: Bindings,
    notes: Vec<String>,
}

impl Task<'_> {
    fn float(mut self, words: &Words) -> Result<(), Error> {
        default_lambda(self.declaration, &mut self.bindings);
        let Inputs { values, notes } = words.numbers(self.declaration)?;
        self.notes.extend(notes);
        let [first, second] = &values;
        let epsilon = self.bindings.values.get("eps").cloned();
        let delta_at = self.args.show.delta_at.clone().or(epsilon).unwrap_or(Rational::ZERO);
        check_delta_at(&delta_at)?;
        let library = match self.args.ln {
            Logarithm::Correct => None,
            Logarithm::Above => Some(Library::Shifted(1)),
            Logarithm::Below => Some(Library::Shifted(-1)),
            Logarithm::Std => Some(Library::Std),
        };
        let name = &self.declaration.name.text;
        let report = watched(name, &delta_at, library, &self.args.show, self.args.map, |options| {
            program::audit(self.file, Some(name), &self.bindings, [first, second], options)
        });
        let mut report = report.map_err(|error| self.refusal(&error))?;
        report.notes.splice(0..0, self.notes);
        let mut fields = Map::new();
        fields.insert("mechanism".into(), json!(name));
        fields.insert("parameters".into(), parameters(&self.bindings));
        fields.insert("inputs".into(), words.json());
        let header = format!("{name}\n  f: {}\n  f': {}\n", words.text(0), words.text(1));
        let shown = Shown { header, fields, delta_at, show: &self.args.show, map: self.args.map };
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
            ProgramError::NoValue { expression, .. } => at(expression.span, "the mechanism must have a value for every sample"),
            ProgramError::NotMonotone { expression, .. } => at(
                expression.span,
                "every output of a monotone program is an interval of u; with `sampler unif = grid24(0,1)` all u can be tried",
            ),
            ProgramError::OnlyAccuracy { .. } => at(None, "choose one with --ln correct, +1ulp, -1ulp or std"),
            ProgramError::Cancelled => Error::usage("stopped before the outputs were known", "nothing to show"),
            _ => at(None, "see docs/audit.md for the programs that can be audited"),
        }
    }

    fn discrete(self, words: &Words) -> Result<(), Error> {
        if self.args.map || self.args.ln != Logarithm::Correct {
            return Err(Error::usage(
                "--map and --ln are for programs over floats, and this one is not",
                "leave them out",
            ));
        }
        if let Some(epsilon) = &self.args.show.delta_at {
            check_delta_at(epsilon)?;
        }
        let inputs = words.arguments(self.declaration)?;
        let digits = u32::from(self.args.show.digits);
        let options = discrete::Options {
            precision: discrete::Options::default().precision.max(4 * digits),
            epsilon: self.args.show.delta_at.clone(),
            ..discrete::Options::default()
        };
        let [first, second] = &inputs;
        let report =
            discrete::audit(self.file, self.declaration, &self.bindings.values, [first, second], &options);
        let report = report.map_err(|error| {
            let span = error.span().unwrap_or(self.declaration.header);
            Error::Rendered(self.source.render(&[Diagnostic::new(span, error.to_string())]))
        })?;
        let name = |output: &String| output.clone();
        let style = Style {
            digits: self.args.show.digits.into(),
            delta_at: report.epsilon.clone(),
            name: &name,
            id: &name,
            is_partial: false,
        };
        if self.args.show.json {
            let mut fields = style.json(&report.comparison);
            let mut add = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
            add("mechanism", json!(report.name));
            add("parameters", parameters(&self.bindings));
            add("inputs", words.json());
            add("method", json!("enumeration"));
            add("notes", json!(self.notes));
            let outputs = report.outcomes.iter();
            add("outputs", outputs.map(|outcome| style.outcome_json(outcome, report.comparison.total())).collect());
            let more = report.to_json();
            for field in ["claim", "unmet", "rest"] {
                add(field, more[field].clone());
            }
            return print_json(&Value::Object(fields));
        }
        let mut text = format!("{}\n  f: {}\n  f': {}\n\n", report.name, words.text(0), words.text(1));
        text.push_str(&style.text(&report.comparison));
        if let Some(claim) = &report.claim {
            let decimal = super::summary::decimal_weight(&claim.epsilon, &1.into(), 12);
            let _ = writeln!(text, "claim    ε = {decimal}: {} at these inputs", claim.verdict.text());
        }
        for unmet in &report.unmet {
            let _ = writeln!(text, "note     the inputs are no neighbours: `{}` does not hold of them", unmet.clause);
        }
        for note in &self.notes {
            let _ = writeln!(text, "note     {note}");
        }
        text.push('\n');
        text.push_str(&table(&style, &report.outcomes, &report.comparison, self.args.show.all));
        print(&text)
    }
}

fn parameters(bindings: &Bindings) -> Value {
    bindings.values.iter().map(|(name, value)| (name.clone(), json!(value.to_string()))).collect()
}

/// Runs an audit with a bar, until it is done or Ctrl-C.
fn watched(
    name: &str,
    delta_at: &Rational,
    library: Option<Library>,
    show: &Show,
    map: bool,
    audit: impl FnOnce(&Options<'_>) -> Result<ProgramReport, ProgramError>,
) -> Result<ProgramReport, ProgramError> {
    let bar = LateBar::new(name, "{prefix}: {wide_bar} {percent}%, {eta} left {msg}", 1000);
    let progress = |done: u128, all: u128| bar.show((done * 1000).checked_div(all).unwrap_or(0) as u64, "");
    audit(&Options {
        library,
        epsilon: delta_at.clone(),
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
    let report = watched("snapping", delta_at, Some(library), show, map, |options| {
        program::audit(&file, None, bindings, [&first, &second], options)
    });
    report.map_err(|error| match error {
        ProgramError::Cancelled => Error::usage("stopped before the outputs were known", "nothing to show"),
        other => Error::usage(other.to_string(), "give parameters and inputs of a usual size"),
    })
}

/// A float program's report, and how it is printed.
pub(crate) struct Shown<'a> {
    pub(crate) header: String,
    pub(crate) fields: Map<String, Value>,
    pub(crate) delta_at: Rational,
    pub(crate) show: &'a Show,
    pub(crate) map: bool,
}

impl Shown<'_> {
    pub(crate) fn print(self, report: &ProgramReport) -> Result<(), Error> {
        let name = |output: &f64| shown(*output);
        let id = |output: &f64| output.to_hex();
        let style = Style {
            digits: self.show.digits.into(),
            delta_at: self.delta_at,
            name: &name,
            id: &id,
            is_partial: report.method == Method::Witness,
        };
        let method = match report.method {
            Method::Monotone => "monotone in u: thresholds by bisection",
            Method::Exhaustive => "all values of u",
            Method::Witness => "some outputs of very many",
        };
        if self.show.json {
            let mut fields = self.fields;
            fields.extend(style.json(&report.comparison));
            let mut add = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
            add("sampler", json!(report.sampler.name()));
            add("method", json!(method));
            add("notes", json!(report.notes));
            let output = |outcome: &ProgramOutcome| {
                let mut value = style.outcome_json(&weighed(outcome), report.comparison.total());
                value["u"] = map::json_of(&samples(outcome));
                value
            };
            let outputs: Vec<Value> = report.outcomes.iter().map(output).collect();
            let is_all = outputs.len() as u64 == report.comparison.outputs() && !style.is_partial;
            add("outputs_listed", json!(if is_all { "all" } else { "selected" }));
            add("outputs", outputs.into());
            return print_json(&Value::Object(fields));
        }
        let mut text = self.header;
        let _ = writeln!(text, "  u: {}; {method}\n", report.sampler.describe());
        text.push_str(&style.text(&report.comparison));
        for note in &report.notes {
            let _ = writeln!(text, "note     {note}");
        }
        if self.map {
            let row = |outcome: &ProgramOutcome| Row {
                name: format!("{}", outcome.output),
                samples: samples(outcome),
            };
            let rows: Vec<Row> = report.outcomes.iter().map(row).collect();
            text.push_str(&map::text(&rows, ["f", "f'"]));
        } else {
            text.push('\n');
            let outcomes: Vec<Outcome<f64>> = report.outcomes.iter().map(weighed).collect();
            text.push_str(&table(&style, &outcomes, &report.comparison, self.show.all));
        }
        print(&text)
    }
}

fn weighed(outcome: &ProgramOutcome) -> Outcome<f64> {
    Outcome::exact(outcome.output, outcome.weights.clone())
}

/// The samples by sign; a program without signs has all of them under `+`.
fn samples(outcome: &ProgramOutcome) -> [Samples; 2] {
    let of = |i: usize| {
        let with = |negative: bool| {
            let is_so = |part: &&Part| (part.signs.first() == Some(&-1)) == negative;
            outcome.parts[i].iter().filter(is_so).map(|part| [part.lo, part.hi]).collect()
        };
        Samples { plus: with(false), minus: with(true), weight: outcome.weights[i].clone() }
    };
    [of(0), of(1)]
}

/// The outputs, or those that lose most if they are many.
fn table<O: Clone>(style: &Style<'_, O>, outcomes: &[Outcome<O>], comparison: &Comparison<O>, all: bool) -> String {
    let rows: Vec<Outcome<O>> = if all || outcomes.len() <= MOST_ROWS {
        outcomes.to_vec()
    } else {
        // Which ones are shown is no claim, so that a rough logarithm will do.
        let rough = |outcome: &Outcome<O>| {
            let [p, q] = outcome.weights.each_ref().map(|weight| f64::from_dyadic(weight.lo(), lastbit::Rounding::Nearest));
            (p / q).ln().abs()
        };
        let mut order: Vec<usize> = (0..outcomes.len()).collect();
        order.sort_by(|a, b| rough(&outcomes[*b]).total_cmp(&rough(&outcomes[*a])));
        let mut worst: Vec<usize> = order.into_iter().take(MOST_ROWS / 2).collect();
        worst.sort_unstable();
        worst.into_iter().map(|i| outcomes[i].clone()).collect()
    };
    let mut text = style.table(&rows, comparison.total());
    let left_out = comparison.outputs().saturating_sub(rows.len() as u64);
    if left_out > 0 {
        let _ = writeln!(text, "  and {left_out} more, which lose no more{}", if all { "" } else { ": --all lists them" });
    }
    text
}

/// `lastbit audit textbook-laplace`
pub(crate) fn textbook(args: &Textbook) -> Result<(), Error> {
    let epsilon = args.epsilon.to_float("epsilon", args.float_type)?;
    if epsilon <= 0.0 {
        return Err(Error::usage(
            format!("epsilon must be positive, but is {epsilon}"),
            "give a number such as 0.1 or 1",
        ));
    }
    let [f, f2] = args.inputs.as_slice() else {
        return Err(Error::usage("an audit compares two inputs", "give --inputs F F'"));
    };
    let inputs = [f.to_float("input", args.float_type)?, f2.to_float("input", args.float_type)?];
    let format = match args.float_type {
        FloatType::F64 => Format::Binary64,
        FloatType::F32 => Format::Binary32,
    };
    let sampler = match (args.sampler, args.float_type) {
        (Some(TextbookUniform::Ulp), _) => ast::Sampler::Ulp,
        (Some(TextbookUniform::Grid53), FloatType::F32) => {
            return Err(Error::usage(
                "multiples of 2^-53 are no single-precision floats",
                "give --sampler grid24 or ulp, or --type f64",
            ));
        }
        (Some(TextbookUniform::Grid24), _) | (None, FloatType::F32) => ast::Sampler::Grid24,
        (Some(TextbookUniform::Grid53), _) | (None, FloatType::F64) => ast::Sampler::Grid53,
    };
    let exact = |x: f64| Rational::try_from(x).expect("finite");
    let delta_at = args.show.delta_at.clone().unwrap_or_else(|| exact(epsilon));
    check_delta_at(&delta_at)?;
    let exact_inputs = inputs.map(exact);
    let report = watched("textbook-laplace", &delta_at, None, &args.show, false, |options| {
        program::textbook_laplace(format, sampler, &exact(epsilon), exact_inputs.each_ref(), options)
    });
    let report = report.map_err(|error| match error {
        ProgramError::Cancelled => Error::usage("stopped before the outputs were known", "nothing to show"),
        other => Error::usage(other.to_string(), "give an epsilon and inputs of a usual size"),
    })?;
    let [f, f2] = inputs.map(shown);
    let header =
        format!("textbook Laplace in {format}: f ⊕ s ⊗ (LN(u) ⊘ ε)\n  ε = {}\n  f = {f}, f' = {f2}\n", shown(epsilon));
    let fields = [
        ("mechanism", json!("textbook-laplace")),
        ("type", json!(if args.float_type == FloatType::F32 { "f32" } else { "f64" })),
        ("epsilon", json!(epsilon.to_hex())),
        ("inputs", json!(inputs.map(|f| f.to_hex()))),
    ];
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Shown { header, fields, delta_at, show: &args.show, map: false }.print(&report)
}
