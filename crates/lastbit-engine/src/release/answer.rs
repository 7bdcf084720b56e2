//! A released table as data.

use std::sync::Arc;

use lastbit_real::{Rational, Rounding};
use lastbit_table::{Plan, QueryKind};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::noise::{ReleaseNoise, neighbours, unit_of};
use super::values::{Accuracy, RANK_ERROR, Value, values};
use super::{Made, Processing, Question};
use crate::ledger::Entered;
use crate::noise::Promise;
use crate::{Number, Refusal};

/// Digits of numbers that are no finite decimals.
const DIGITS: usize = 17;

/// Digits of scales.
const FEW_DIGITS: usize = 6;

/// A query of a release, and its noise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QueryAnswer {
    /// The name of the answer.
    pub name: String,
    /// The word for it in specs, such as `count`.
    pub kind: &'static str,
    /// The column that is asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The edges of the bins of a histogram, or the candidates of a quantile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<String>,
    /// The part of the values that is to lie below a quantile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// How many values are declared, of which those are counted that occur.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<usize>,
    /// The noise of each part.
    pub noise: Vec<PartNoise>,
}

/// The noise of a part of a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PartNoise {
    /// What the part is.
    pub role: &'static str,
    /// The name of the mechanism.
    pub mechanism: &'static str,
    /// The scale of Laplace noise or of a choice, the standard deviation of Gaussian noise, in the units of the part; those of a choice are rows.
    pub scale: Number,
}

/// The answers for a group.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// The values of the columns that make the group.
    pub key: Vec<String>,
    /// By query: one value, or one a bin.
    pub values: Vec<Vec<Value>>,
}

/// A released table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReleaseAnswer {
    /// The claim, or that there is none.
    pub promise: Promise,
    /// What neighbouring tables differ in.
    pub neighbours: String,
    /// The dataset.
    pub dataset: Option<String>,
    /// Groups in which a unit counts at most.
    pub groups: u64,
    /// Rows of a unit that count in one group at most.
    pub rows_a_group: u64,
    /// The hash of the plan.
    pub plan: String,
    /// The columns that make a group.
    pub by: Vec<String>,
    /// The questions.
    pub queries: Vec<QueryAnswer>,
    /// The probability that an interval has the value without noise.
    pub confidence: Rational,
    /// The groups, sorted.
    pub rows: Vec<Row>,
    /// What the ledger says.
    pub ledger: Option<Entered>,
    /// What the owner of the table should look at.
    pub warnings: Vec<String>,
    /// The noisy integers, for other forms of the values.
    made: Arc<Made>,
}

/// The queries of a plan, with the noise of each.
pub(super) fn queries(plan: &Plan, noise: &ReleaseNoise) -> Vec<QueryAnswer> {
    let queries = plan.queries().iter().zip(&noise.queries);
    queries
        .map(|(query, noises)| QueryAnswer {
            name: query.name.clone(),
            kind: query.kind.name(),
            column: query.column.clone(),
            edges: match &query.kind {
                QueryKind::Histogram { edges } | QueryKind::Quantile { edges, .. } => {
                    edges.iter().map(Rational::to_short).collect()
                }
                _ => Vec::new(),
            },
            q: match &query.kind {
                QueryKind::Quantile { q, .. } => Some(q.to_short()),
                _ => None,
            },
            values: match &query.kind {
                QueryKind::Distinct { values } => Some(values.len()),
                _ => None,
            },
            noise: query
                .components
                .iter()
                .zip(noises)
                .map(|(component, noise)| PartNoise {
                    role: component.role,
                    mechanism: noise.name(),
                    scale: Number::rounded(&(noise.scale() * &component.step), FEW_DIGITS, Rounding::Nearest),
                })
                .collect(),
        })
        .collect()
}

impl Made {
    /// The groups and their values.
    fn rows(&self, processing: &Processing) -> Result<Vec<Row>, Refusal> {
        let by_query = values(&self.plan, &self.noise, &self.noisy, processing)?;
        let rows = self.plan.keys().iter().enumerate().map(|(group, key)| Row {
            key: key.clone(),
            values: by_query.iter().map(|groups| groups[group].clone()).collect(),
        });
        Ok(rows.collect())
    }
}

impl ReleaseAnswer {
    pub(super) fn new(
        question: &Question,
        made: Made,
        ledger: Option<Entered>,
        warnings: Vec<String>,
    ) -> Result<ReleaseAnswer, Refusal> {
        let rows = made.rows(&question.processing)?;
        let Made { plan, noise, .. } = &made;
        let claim = noise.claim.clone().for_unit(&unit_of(plan))?;
        Ok(ReleaseAnswer {
            promise: Promise::new(&claim, noise.approximate.as_ref(), question.insecure),
            neighbours: neighbours(plan),
            dataset: plan.dataset().map(str::to_owned),
            groups: plan.groups(),
            rows_a_group: plan.rows(),
            plan: plan.hash(),
            by: plan.by().to_vec(),
            queries: queries(plan, noise),
            confidence: question.processing.confidence.clone(),
            rows,
            ledger,
            warnings,
            made: Arc::new(made),
        })
    }

    /// The same release with other intervals or another form of its values: no noise is drawn, and nothing is charged.
    ///
    /// # Errors
    /// A confidence that is none.
    pub fn processed(&self, processing: &Processing) -> Result<ReleaseAnswer, Refusal> {
        processing.check()?;
        let rows = self.made.rows(processing)?;
        Ok(ReleaseAnswer { confidence: processing.confidence.clone(), rows, ..self.clone() })
    }

    /// The answer as JSON, as docs/json.md describes it.
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// A number with all its digits, where a double would lose some.
pub(super) fn digits(value: &Rational) -> String {
    let short = value.to_short();
    match short.contains('/') {
        false => short,
        true => value.to_decimal(DIGITS, Rounding::Nearest),
    }
}

fn exactly(value: &Rational) -> Box<RawValue> {
    RawValue::from_string(digits(value)).unwrap_or_default()
}

/// A member for each column of the key, and two for each query: its value, and the interval.
struct RowMembers<'a> {
    answer: &'a ReleaseAnswer,
    row: &'a Row,
}

impl Serialize for RowMembers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.answer.by.iter().zip(&self.row.key) {
            map.serialize_entry(name, value)?;
        }
        for (query, values) in self.answer.queries.iter().zip(&self.row.values) {
            let interval = format!("{}_interval", query.name);
            let ends = |value: &Value| value.interval().map(|ends| ends.each_ref().map(exactly));
            match values.as_slice() {
                [value] if query.kind != "histogram" => {
                    map.serialize_entry(&query.name, &exactly(&value.value))?;
                    map.serialize_entry(&interval, &ends(value))?;
                    if let Accuracy::Rank(rows) = &value.accuracy {
                        map.serialize_entry(&format!("{}{RANK_ERROR}", query.name), &exactly(rows))?;
                    }
                }
                bins => {
                    let numbers: Vec<_> = bins.iter().map(|bin| exactly(&bin.value)).collect();
                    map.serialize_entry(&query.name, &numbers)?;
                    map.serialize_entry(&interval, &bins.iter().map(ends).collect::<Vec<_>>())?;
                }
            }
        }
        map.end()
    }
}

impl Serialize for ReleaseAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// The members in order.
        #[derive(Serialize)]
        struct Members<'a> {
            #[serde(flatten)]
            promise: &'a Promise,
            question: &'static str,
            neighbours: &'a str,
            dataset: &'a Option<String>,
            bounds: Bounds,
            plan: &'a str,
            by: &'a [String],
            queries: &'a [QueryAnswer],
            confidence: Number,
            ledger: &'a Option<Entered>,
            warnings: &'a [String],
            rows: Vec<RowMembers<'a>>,
        }
        #[derive(Serialize)]
        struct Bounds {
            groups: u64,
            rows: u64,
        }
        Members {
            promise: &self.promise,
            question: "release",
            neighbours: &self.neighbours,
            dataset: &self.dataset,
            bounds: Bounds { groups: self.groups, rows: self.rows_a_group },
            plan: &self.plan,
            by: &self.by,
            queries: &self.queries,
            confidence: Number::exact(&self.confidence, FEW_DIGITS),
            ledger: &self.ledger,
            warnings: &self.warnings,
            rows: self.rows.iter().map(|row| RowMembers { answer: self, row }).collect(),
        }
        .serialize(serializer)
    }
}
