//! From arguments to a spec.

use std::path::{Path, PathBuf};

use lastbit::Rational;
use lastbit_table::Spec;
use lastbit_table::spec::{Accuracy, BySpec, KeysSpec, QuerySpec, Unit};

use super::args::{Asked, Release};
use crate::args::exact;
use crate::error::Error;

/// The spec of a file, or the one that the options say.
pub(super) fn spec(args: &Release) -> Result<Spec, Error> {
    let is_spec = |path: &String| {
        Path::new(path).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
    };
    match args.from.as_slice() {
        [path] if is_spec(path) => match args.asked.given() {
            Some(option) => Err(Error::usage(
                format!("{option} is for releases without a spec"),
                format!("write it into {path}, or leave it out"),
            )),
            None => read(Path::new(path)),
        },
        paths if paths.iter().any(is_spec) => {
            Err(Error::usage("one spec a release", "give a single *.toml, or tables alone"))
        }
        paths => of_options(paths, &args.asked),
    }
}

fn read(path: &Path) -> Result<Spec, Error> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(format!("read {}", path.display()), e))?;
    Spec::parse(&text, path).map_err(|error| {
        Error::usage(
            format!("{}, {error}", path.display()),
            "lastbit release init DATA writes a spec with all keys explained",
        )
    })
}

fn of_options(paths: &[String], asked: &Asked) -> Result<Spec, Error> {
    let mut spec = Spec::default();
    spec.base = PathBuf::new();
    spec.table.paths = paths.to_vec();
    spec.table.dataset = asked.dataset.clone();
    spec.table.unit = match asked.unit.as_slice() {
        [] => None,
        [row] if row == "row" => Some(Unit::Row),
        columns => Some(Unit::Columns(columns.to_vec())),
    };
    if let Some(delimiter) = asked.delimiter {
        spec.table.delimiter = u8::try_from(delimiter).ok().filter(u8::is_ascii).ok_or_else(|| {
            Error::usage("the delimiter must be one byte", "give a character of ASCII such as ;")
        })?;
    }
    spec.filter = asked.filter.clone();
    spec.bounds.groups = asked.max_groups;
    spec.bounds.rows = asked.max_rows;
    spec.by = match (asked.by.is_empty(), &asked.keys) {
        (true, None) => None,
        (false, Some(keys)) => Some(BySpec::new(asked.by.clone(), groups(keys, asked.by.len())?)),
        (true, Some(_)) => return Err(Error::usage("--keys has no columns", "say which with --by")),
        (false, None) => {
            return Err(Error::usage(
                "the groups of --by are not declared",
                "give all of them with --keys, from elsewhere: groups that are read off the table tell who is in it",
            ));
        }
    };
    spec.queries = queries(asked)?;
    for text in &asked.within {
        set_accuracy(text, &mut spec.queries)?;
    }
    spec.privacy.epsilon = asked.epsilon.clone();
    spec.privacy.rho = asked.rho.clone();
    spec.privacy.delta = asked.delta.clone();
    match missing(asked, &spec) {
        Some((what, hint)) => Err(Error::usage(what, hint)),
        None => Ok(spec),
    }
}

/// What a release needs and no option says. The library says it too, in the words of a spec.
fn missing(asked: &Asked, spec: &Spec) -> Option<(&'static str, &'static str)> {
    let has_several_rows = !matches!(spec.table.unit, Some(Unit::Row));
    let asks_for_rows = spec.queries.iter().any(|query| query.kind != "count-units");
    let needs = [
        (
            spec.table.unit.is_none(),
            "the unit is missing",
            "name the column that tells people apart with --unit, or use --unit row if every row belongs to somebody else",
        ),
        (
            spec.queries.is_empty(),
            "nothing is asked",
            "ask with --count NAME, --count-units NAME, --sum fare=0..100, --mean fare=0..100 or --histogram age=0,18,65",
        ),
        (
            asked.epsilon.is_none()
                && asked.rho.is_none()
                && spec.queries.iter().any(|query| query.within.is_none()),
            "the loss is missing",
            "give what the release may cost with --epsilon, or with --rho for Gaussian noise; 1 is a common ε; or say how far off each query may be with --within",
        ),
        (
            has_several_rows && !asked.by.is_empty() && asked.max_groups.is_none(),
            "the bound on the groups of a unit is missing",
            "give the most groups that one unit counts in with --max-groups; fewer need less noise",
        ),
        (
            has_several_rows && asks_for_rows && asked.max_rows.is_none(),
            "the bound on the rows of a unit is missing",
            "give the most rows of one unit that count in one group with --max-rows; fewer need less noise",
        ),
    ];
    needs.into_iter().find_map(|(is_missing, what, hint)| is_missing.then_some((what, hint)))
}

/// A file with one a line, or the groups or values themselves.
fn groups(keys: &str, columns: usize) -> Result<KeysSpec, Error> {
    if Path::new(keys).exists() {
        return Ok(KeysSpec::File(keys.to_owned()));
    }
    match columns {
        1 if keys.contains(',') || !keys.contains(['.', '/']) => {
            Ok(KeysSpec::List(keys.split(',').map(|key| vec![key.trim().to_owned()]).collect()))
        }
        1 => Err(Error::usage(
            format!("there is no file {keys}"),
            "give a file with one group a line, or a,b,c",
        )),
        _ => Err(Error::usage(
            format!("there is no file {keys}"),
            "groups of several columns come from a public table with these columns",
        )),
    }
}

fn queries(asked: &Asked) -> Result<Vec<QuerySpec>, Error> {
    let mut queries = Vec::new();
    let mut add = |name: String, kind: &str| {
        let mut query = QuerySpec::default();
        query.name = name;
        query.kind = kind.to_owned();
        queries.push(query);
        queries.len() - 1
    };
    for name in &asked.count {
        add(name.clone(), "count");
    }
    for name in &asked.count_units {
        add(name.clone(), "count-units");
    }
    let mut with_columns = Vec::new();
    for (kind, prefix, all) in [
        ("sum", "", &asked.sum),
        ("mean", "mean_", &asked.mean),
        ("variance", "variance_", &asked.variance),
        ("std", "std_", &asked.std),
        ("median", "median_", &asked.median),
        ("quantile", "quantile_", &asked.quantile),
        ("distinct", "distinct_", &asked.distinct),
        ("histogram", "bins_", &asked.histogram),
    ] {
        for text in all {
            let (what, range) = text.split_once('=').ok_or_else(|| malformed(kind, text))?;
            let (what, q) = match what.rsplit_once('@') {
                Some((what, q)) if kind == "quantile" => (what, Some(q)),
                None if kind == "quantile" => return Err(malformed(kind, text)),
                _ => (what, None),
            };
            let (name, column) = match what.split_once(':') {
                Some((name, column)) => (name.to_owned(), column.to_owned()),
                None => {
                    let end = q.map_or_else(String::new, |q| format!("_{q}"));
                    (format!("{prefix}{what}{end}"), what.to_owned())
                }
            };
            with_columns.push((add(name, kind), kind, column, q, range, text));
        }
    }
    for (at, kind, column, q, range, text) in with_columns {
        let query = &mut queries[at];
        query.column = Some(column);
        let number = |part: &str| exact(part.trim()).map_err(|_| malformed(kind, text));
        query.q = q.map(number).transpose()?;
        match kind {
            "histogram" | "median" | "quantile" => {
                query.edges = Some(range.split(',').map(number).collect::<Result<Vec<Rational>, Error>>()?);
            }
            "distinct" => query.values = Some(groups(range, 1)?),
            _ => {
                let (low, high) = range.split_once("..").ok_or_else(|| malformed(kind, text))?;
                query.bounds = Some([number(low)?, number(high)?]);
            }
        }
    }
    Ok(queries)
}

/// `trips=20@0.99`: how far off the query of that name may be.
fn set_accuracy(text: &str, queries: &mut [QuerySpec]) -> Result<(), Error> {
    let malformed = || {
        Error::usage(
            format!("--within {} is not understood", crate::error::quoted(text.as_bytes())),
            "write it like --within trips=20, or --within trips=20@0.99",
        )
    };
    let (name, width) = text.rsplit_once('=').ok_or_else(malformed)?;
    let (width, confidence) = match width.split_once('@') {
        Some((width, confidence)) => (width, Some(exact(confidence.trim()).map_err(|_| malformed())?)),
        None => (width, None),
    };
    let width = exact(width.trim()).map_err(|_| malformed())?;
    let known = queries.iter().map(|query| query.name.clone()).collect::<Vec<_>>().join(", ");
    let query = queries.iter_mut().find(|query| query.name == name).ok_or_else(|| {
        Error::usage(
            format!("--within names {}, and no query has that name", crate::error::quoted(name.as_bytes())),
            format!("the queries are {known}"),
        )
    })?;
    if query.within.is_some() {
        return Err(Error::usage(format!("--within says twice how far off {name} may be"), "say it once"));
    }
    query.within = Some(Accuracy::new(width, confidence));
    Ok(())
}

fn malformed(kind: &str, text: &str) -> Error {
    let form = match kind {
        "histogram" => "age=0,18,65,120",
        "median" => "fare=0,5,10,20,50",
        "quantile" => "fare@0.9=0,5,10,20,50",
        "distinct" => "city=Bern,Biel",
        _ => "fare=0..100",
    };
    Error::usage(
        format!("--{kind} {} is not understood", crate::error::quoted(text.as_bytes())),
        format!("write it like --{kind} {form}"),
    )
}
