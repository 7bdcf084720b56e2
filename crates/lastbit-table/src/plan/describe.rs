//! A plan in words and numbers, for dry runs, and its canonical text, for ledgers.

use lastbit_real::Rational;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{Measure, Noise, Plan, QueryKind, Reading, Released};
use crate::hash::hexadecimal;
use crate::spec::Format;

/// A plan as data that a front end can show. Numbers are exact, as text; nothing of the table is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Description {
    /// The files or patterns.
    pub paths: Vec<String>,
    /// The name of the data for the ledger.
    pub dataset: Option<String>,
    /// The columns of the unit; none if every row is a unit.
    pub unit: Vec<String>,
    /// The columns of the table that are read.
    pub columns: Vec<String>,
    /// The expression that rows must satisfy.
    pub filter: Option<String>,
    /// Groups in which a unit counts at most.
    pub groups: u64,
    /// Rows of a unit that count in one group at most.
    pub rows: u64,
    /// The columns whose values make a group.
    pub by: Vec<String>,
    /// The number of groups.
    pub keys: usize,
    /// The measure of loss.
    pub measure: Measure,
    /// ε or ρ of all queries together.
    pub loss: String,
    /// δ of all queries together.
    pub delta: Option<String>,
    /// The noise.
    pub noise: Noise,
    /// The questions.
    pub queries: Vec<QueryDescription>,
    /// The hash of the plan.
    pub hash: String,
}

/// A query of a [`Description`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QueryDescription {
    /// The name of the answer.
    pub name: String,
    /// The column that is asked about.
    pub column: Option<String>,
    /// What the answer may cost, in ε or ρ.
    pub loss: String,
    /// The part of δ that the answer may cost.
    pub delta: Option<String>,
    /// The integers that the answer is made of.
    pub components: Vec<ComponentDescription>,
}

/// A component of a [`QueryDescription`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ComponentDescription {
    /// What the integers are.
    pub role: &'static str,
    /// The integers that a group has.
    pub cells: usize,
    /// What one step of the integers means.
    pub step: String,
    /// The L1 sensitivity in steps.
    pub l1: String,
    /// The square of the L2 sensitivity in steps.
    pub l2_squared: String,
    /// How far one integer moves, in steps, where one is chosen and no noise is added to all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<String>,
}

impl Plan {
    /// The plan as data that a front end can show.
    pub fn describe(&self) -> Description {
        let queries = self.queries.iter().map(|query| QueryDescription {
            name: query.name.clone(),
            column: query.column.clone(),
            loss: query.loss.to_short(),
            delta: query.delta.as_ref().map(|delta| delta.to_short()),
            components: query.components.iter().map(component).collect(),
        });
        Description {
            paths: self.table.paths.clone(),
            dataset: self.table.dataset.clone(),
            unit: self.unit_names.clone(),
            columns: self.columns.clone(),
            filter: self.filter.as_ref().map(|filter| filter.text.clone()),
            groups: self.groups,
            rows: self.rows,
            by: self.by_names.clone(),
            keys: self.keys().len(),
            measure: self.privacy.measure,
            loss: self.privacy.loss.to_short(),
            delta: self.privacy.delta.as_ref().map(|delta| delta.to_short()),
            noise: self.privacy.noise,
            queries: queries.collect(),
            hash: self.hash(),
        }
    }

    /// SHA-256 of everything that the release depends on but the rows, as hexadecimal text. Two plans have the same hash only if they ask the same.
    pub fn hash(&self) -> String {
        hexadecimal(&Sha256::digest(self.canonical()))
    }

    /// Everything that the release depends on but the rows. Texts have their lengths before them, so that no two plans have the same text.
    pub(crate) fn canonical(&self) -> String {
        let mut text = String::new();
        let mut line = |key: &str, values: &[String]| {
            text.push_str(key);
            values.iter().for_each(|value| text.push_str(&format!(" {}:{value}", value.len())));
            text.push('\n');
        };
        let optional =
            |number: &Option<Rational>| number.as_ref().map_or("none".to_owned(), ToString::to_string);
        line("lastbit-table", &["1".to_owned()]);
        line("dataset", self.table.dataset.as_slice());
        line("paths", &self.table.paths);
        let format = match self.table.format {
            None => "any",
            Some(Format::Csv) => "csv",
            Some(Format::Parquet) => "parquet",
        };
        line("format", &[format.to_owned(), self.table.delimiter.to_string(), self.table.quote.to_string()]);
        self.derived.iter().for_each(|derived| line("derive", &[derived.name.clone(), derived.text.clone()]));
        self.filter.iter().for_each(|filter| line("filter", std::slice::from_ref(&filter.text)));
        line("unit", &self.unit_names);
        line("bounds", &[self.groups.to_string(), self.rows.to_string(), self.salt.clone()]);
        line("by", &self.by_names);
        line("keys", &[self.keys().len().to_string(), self.keys.digest()]);
        for query in &self.queries {
            let column = query.column.clone().unwrap_or_default();
            line("query", &[query.name.clone(), column, query.loss.to_string(), optional(&query.delta)]);
            // The other kinds are told by their components.
            match &query.kind {
                QueryKind::Count
                | QueryKind::CountUnits
                | QueryKind::Sum
                | QueryKind::Mean { .. }
                | QueryKind::Histogram { .. } => {}
                kind @ (QueryKind::Variance(_) | QueryKind::Deviation(_) | QueryKind::Distinct { .. }) => {
                    line("kind", &[kind.name().to_owned()])
                }
                QueryKind::Quantile { q, .. } => line("kind", &["quantile".to_owned(), q.to_string()]),
            }
            for component in &query.components {
                let mut values = vec![component.role.to_owned()];
                if let Some(slot) = component.tally.slot() {
                    match &self.slots[slot].reading {
                        Reading::Steps(grid) => values.extend([
                            grid.low.to_string(),
                            grid.high.to_string(),
                            grid.step.to_string(),
                        ]),
                        Reading::Square(squares) => values.extend([
                            squares.grid().low.to_string(),
                            squares.grid().high.to_string(),
                            squares.grid().step.to_string(),
                            squares.coarser.to_string(),
                        ]),
                        Reading::Value(keys) => {
                            values.extend([keys.sorted().len().to_string(), keys.digest()])
                        }
                        Reading::Bin(edges) | Reading::Rank(edges) => {
                            values.extend(edges.edges.iter().map(ToString::to_string))
                        }
                    }
                }
                line("component", &values);
            }
        }
        let privacy = &self.privacy;
        let (measure, noise) = (privacy.measure.name().to_owned(), privacy.noise.name().to_owned());
        line("privacy", &[measure, privacy.loss.to_string(), optional(&privacy.delta), noise]);
        text
    }
}

fn component(component: &super::Component) -> ComponentDescription {
    ComponentDescription {
        role: component.role,
        cells: component.cells,
        step: component.step.to_short(),
        l1: component.sensitivity.l1.to_short(),
        l2_squared: component.sensitivity.l2_squared.to_short(),
        largest: match component.released {
            Released::Noisy => None,
            Released::Chosen => Some(component.sensitivity.largest.to_short()),
        },
    }
}
