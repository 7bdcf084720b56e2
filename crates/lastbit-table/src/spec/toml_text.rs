//! From TOML to a [`Spec`].

use std::collections::BTreeMap;
use std::ops::Range;

use lastbit_real::Rational;
use serde::Deserialize;
use toml::{Spanned, Value};

use super::{
    Accuracy, BoundsSpec, BySpec, Format, KeysSpec, PrivacySpec, QuerySpec, Spec, SpecError, TableSpec, Unit,
};
use crate::suggest::closest;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    table: Spanned<TableText>,
    #[serde(default)]
    derive: BTreeMap<String, Spanned<String>>,
    filter: Option<Spanned<String>>,
    bounds: Option<Spanned<BoundsText>>,
    by: Option<Spanned<ByText>>,
    #[serde(default)]
    query: Vec<Spanned<QueryText>>,
    privacy: Option<Spanned<PrivacyText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableText {
    path: Spanned<Value>,
    dataset: Option<String>,
    unit: Spanned<Value>,
    adjacency: Option<Spanned<String>>,
    format: Option<Spanned<String>>,
    delimiter: Option<Spanned<String>>,
    quote: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundsText {
    groups: Option<u64>,
    rows: Option<u64>,
    salt: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ByText {
    columns: Spanned<Value>,
    keys: Spanned<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QueryText {
    name: String,
    kind: String,
    column: Option<String>,
    bounds: Option<Spanned<Vec<Spanned<Value>>>>,
    grid: Option<Spanned<Value>>,
    edges: Option<Vec<Spanned<Value>>>,
    q: Option<Spanned<Value>>,
    values: Option<Spanned<Value>>,
    epsilon: Option<Spanned<Value>>,
    rho: Option<Spanned<Value>>,
    within: Option<Spanned<Value>>,
    confidence: Option<Spanned<Value>>,
    share: Option<Spanned<Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PrivacyText {
    measure: Option<String>,
    epsilon: Option<Spanned<Value>>,
    rho: Option<Spanned<Value>>,
    delta: Option<Spanned<Value>>,
    noise: Option<String>,
}

pub(super) fn parse(text: &str) -> Result<Spec, SpecError> {
    let source = Source { text, breaks: memchr::memchr_iter(b'\n', text.as_bytes()).collect() };
    let read: Text = toml::from_str(text).map_err(|error| source.toml_error(&error))?;
    let mut lines = BTreeMap::new();
    let mut note = |key: String, span: Range<usize>| {
        lines.insert(key, source.line(span.start));
    };
    note("table".to_owned(), read.table.span());
    let table = source.table(read.table.get_ref())?;
    let derive = read.derive.into_iter().map(|(name, expression)| {
        note(format!("derive.{name}"), expression.span());
        (name, expression.into_inner())
    });
    let derive = derive.collect();
    let filter = read.filter.map(|filter| {
        note("filter".to_owned(), filter.span());
        filter.into_inner()
    });
    let bounds = read.bounds.map_or_else(BoundsSpec::default, |bounds| {
        note("bounds".to_owned(), bounds.span());
        let BoundsText { groups, rows, salt } = bounds.into_inner();
        BoundsSpec { groups, rows, salt }
    });
    let by = read.by.map(|by| {
        note("by".to_owned(), by.span());
        source.by(by.get_ref())
    });
    let by = by.transpose()?;
    let mut queries = Vec::new();
    for query in &read.query {
        let name = &query.get_ref().name;
        note(format!("query {name}"), query.span());
        queries.push(source.query(query.get_ref())?);
    }
    let mut privacy = PrivacySpec::default();
    if let Some(asked) = read.privacy {
        note("privacy".to_owned(), asked.span());
        let PrivacyText { measure, epsilon, rho, delta, noise } = asked.into_inner();
        privacy = PrivacySpec {
            measure,
            epsilon: source.optional("privacy.epsilon", &epsilon)?,
            rho: source.optional("privacy.rho", &rho)?,
            delta: source.optional("privacy.delta", &delta)?,
            noise,
        };
    }
    Ok(Spec { table, derive, filter, bounds, by, queries, privacy, base: Default::default(), lines })
}

struct Source<'a> {
    text: &'a str,
    /// Where lines end.
    breaks: Vec<usize>,
}

impl Source<'_> {
    fn line(&self, at: usize) -> usize {
        self.breaks.partition_point(|end| *end < at) + 1
    }

    fn toml_error(&self, error: &toml::de::Error) -> SpecError {
        let at = error.span().map_or(0, |span| span.start).min(self.text.len());
        let line = self.line(at);
        let mut quoted = error.message().split('`').skip(1).step_by(2);
        if error.message().starts_with("unknown field")
            && let Some(key) = quoted.next()
        {
            let known: Vec<&str> = quoted.collect();
            if key == "filter" {
                return SpecError::MisplacedFilter { line };
            }
            let suggestion = closest(key, known.iter().copied()).map(str::to_owned);
            return SpecError::UnknownKey { line, key: key.to_owned(), known: known.join(", "), suggestion };
        }
        let before = self.text.get(..at).unwrap_or_default();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        SpecError::Toml { line, column, message: error.message().to_owned() }
    }

    fn value_error<T>(&self, key: &str, span: Range<usize>, expected: &'static str) -> Result<T, SpecError> {
        Err(SpecError::Value { line: self.line(span.start), key: key.to_owned(), expected })
    }

    /// A number, exactly as its text says: TOML's own floats would round it.
    fn number(&self, key: &str, value: &Spanned<Value>) -> Result<Rational, SpecError> {
        let written = match value.get_ref() {
            Value::String(text) => text.trim().to_owned(),
            Value::Integer(_) | Value::Float(_) => self.text[value.span()].replace('_', ""),
            _ => return self.value_error(key, value.span(), "a number such as 1, 0.5 or \"1/3\""),
        };
        let line = self.line(value.span().start);
        written.parse().map_err(|reason| SpecError::Number { line, key: key.to_owned(), reason })
    }

    fn optional(&self, key: &str, value: &Option<Spanned<Value>>) -> Result<Option<Rational>, SpecError> {
        value.as_ref().map(|value| self.number(key, value)).transpose()
    }

    fn texts(&self, key: &str, value: &Spanned<Value>) -> Result<Vec<String>, SpecError> {
        let texts = match value.get_ref() {
            Value::String(text) => Some(vec![text.clone()]),
            Value::Array(parts) => parts.iter().map(|part| part.as_str().map(str::to_owned)).collect(),
            _ => None,
        };
        match texts {
            Some(texts) if !texts.is_empty() => Ok(texts),
            _ => self.value_error(key, value.span(), "a text or a list of texts"),
        }
    }

    fn table(&self, table: &TableText) -> Result<TableSpec, SpecError> {
        if let Some(adjacency) = &table.adjacency
            && adjacency.get_ref() != "add-remove"
        {
            return Err(SpecError::Adjacency { line: self.line(adjacency.span().start) });
        }
        let format = table.format.as_ref().map(|format| match format.get_ref().as_str() {
            "csv" => Ok(Format::Csv),
            "parquet" => Ok(Format::Parquet),
            _ => self.value_error("table.format", format.span(), "\"csv\" or \"parquet\""),
        });
        let sign = |key: &str, sign: &Option<Spanned<String>>, default: u8| match sign {
            None => Ok(default),
            Some(sign) => match sign.get_ref().as_bytes() {
                [byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r') => Ok(*byte),
                b"tab" => Ok(b'\t'),
                _ => self.value_error(key, sign.span(), "one ASCII sign, or \"tab\""),
            },
        };
        let unit = self.texts("table.unit", &table.unit)?;
        let (delimiter, quote) =
            (sign("table.delimiter", &table.delimiter, b',')?, sign("table.quote", &table.quote, b'"')?);
        if delimiter == quote {
            let span = table.delimiter.as_ref().or(table.quote.as_ref()).map_or(0..0, Spanned::span);
            return self.value_error("table.delimiter", span, "another sign than the quote");
        }
        Ok(TableSpec {
            paths: self.texts("table.path", &table.path)?,
            dataset: table.dataset.clone(),
            unit: Some(if table.unit.get_ref().as_str() == Some("row") {
                Unit::Row
            } else {
                Unit::Columns(unit)
            }),
            format: format.transpose()?,
            delimiter,
            quote,
        })
    }

    fn by(&self, by: &ByText) -> Result<BySpec, SpecError> {
        let columns = self.texts("by.columns", &by.columns)?;
        let expected = "a list of keys, a table of lists of values by column, or the path of a file";
        let fail = || self.value_error("by.keys", by.keys.span(), expected);
        let keys = match by.keys.get_ref() {
            Value::String(path) => Some(KeysSpec::File(path.clone())),
            Value::Array(keys) => keys.iter().map(key).collect::<Option<_>>().map(KeysSpec::List),
            Value::Table(columns) => {
                let values = |values: &Value| values.as_array()?.iter().map(part).collect::<Option<Vec<_>>>();
                let column = |(name, list): (&String, &Value)| Some((name.clone(), values(list)?));
                columns.iter().map(column).collect::<Option<_>>().map(KeysSpec::Product)
            }
            _ => None,
        };
        match keys {
            Some(keys) => Ok(BySpec { columns, keys }),
            None => fail(),
        }
    }

    fn query(&self, query: &QueryText) -> Result<QuerySpec, SpecError> {
        let key = |key: &str| format!("query {}, {key}", query.name);
        let bounds = match &query.bounds {
            None => None,
            Some(bounds) => match bounds.get_ref().as_slice() {
                [low, high] => Some([self.number(&key("bounds"), low)?, self.number(&key("bounds"), high)?]),
                _ => {
                    return self.value_error(
                        &key("bounds"),
                        bounds.span(),
                        "two numbers: the least and the largest value",
                    );
                }
            },
        };
        let edges = query
            .edges
            .as_ref()
            .map(|edges| edges.iter().map(|edge| self.number(&key("edges"), edge)).collect());
        let values = query.values.as_ref().map(|values| match values.get_ref() {
            Value::String(path) => Ok(KeysSpec::File(path.clone())),
            Value::Array(list) if let Some(parts) = list.iter().map(part).collect::<Option<Vec<_>>>() => {
                Ok(KeysSpec::List(parts.into_iter().map(|part| vec![part]).collect()))
            }
            _ => self.value_error(&key("values"), values.span(), "a list of values, or the path of a file"),
        });
        let confidence = self.optional(&key("confidence"), &query.confidence)?;
        let within = match (self.optional(&key("within"), &query.within)?, &query.confidence) {
            (Some(half_width), _) => Some(Accuracy::new(half_width, confidence)),
            (None, Some(confidence)) => {
                return self.value_error(
                    &key("confidence"),
                    confidence.span(),
                    "left out, or beside `within`: how far off the answer may be",
                );
            }
            (None, None) => None,
        };
        Ok(QuerySpec {
            name: query.name.clone(),
            kind: query.kind.clone(),
            column: query.column.clone(),
            bounds,
            grid: self.optional(&key("grid"), &query.grid)?,
            edges: edges.transpose()?,
            q: self.optional(&key("q"), &query.q)?,
            values: values.transpose()?,
            epsilon: self.optional(&key("epsilon"), &query.epsilon)?,
            rho: self.optional(&key("rho"), &query.rho)?,
            within,
            share: self.optional(&key("share"), &query.share)?,
        })
    }
}

/// A group: one value, or a list of one value a column.
fn key(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(parts) => parts.iter().map(part).collect(),
        value => Some(vec![part(value)?]),
    }
}

/// One value of a group as text. Floats have no text that all formats agree on.
fn part(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(value) => Some(value.to_string()),
        Value::Datetime(date) => Some(date.to_string()),
        _ => None,
    }
}
