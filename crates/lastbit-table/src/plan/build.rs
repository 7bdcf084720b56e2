//! From a spec to a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::query::Builder;
use super::{Derived, Filter, Keys, Plan, PlanFault, Query, Source, privacy};
use crate::expression::{ExpressionError, ExpressionFault, Scope, Type, check, parse};
use crate::read;
use crate::spec::{BySpec, KeysSpec, Spec, Unit};

const MOST_ROWS: u64 = i64::MAX as u64;
const MOST_CELLS: usize = 100_000_000;
const DEFAULT_SALT: &str = "lastbit";

/// A key of the spec, and what is wrong there.
type Fault = (String, PlanFault);

pub(super) fn plan(spec: &Spec) -> Result<Plan, Fault> {
    let missing = |key: &str, why| Err((key.to_owned(), PlanFault::Missing { why }));
    if spec.table.paths.is_empty() {
        return missing("table.path", "the file, or \"-\" for standard input");
    }
    let mut names = Names { columns: Vec::new(), types: Vec::new(), derived: Vec::new() };
    names.derive(&spec.derive)?;
    let filter = match &spec.filter {
        Some(text) => {
            let expression = names
                .expression(text, Some(Type::Boolean))
                .map_err(|fault| ("filter".to_owned(), Box::new(fault).into()))?;
            Some(Filter { text: text.clone(), expression: expression.0 })
        }
        None => None,
    };
    let unit_names = match &spec.table.unit {
        None => {
            return missing(
                "table.unit",
                "the column that tells people apart, or \"row\" if every row belongs to somebody else",
            );
        }
        Some(Unit::Row) => Vec::new(),
        Some(Unit::Columns(columns)) if columns.is_empty() => {
            return missing("table.unit", "at least one column, or \"row\"");
        }
        Some(Unit::Columns(columns)) => columns.clone(),
    };
    let by_names = spec.by.as_ref().map(|by| by.columns.clone()).unwrap_or_default();
    if spec.by.is_some() && by_names.is_empty() {
        return missing("by.columns", "at least one column; leave [by] out for one answer over all rows");
    }
    distinct("table.unit", &unit_names)?;
    distinct("by.columns", &by_names)?;
    let keys = match &spec.by {
        None => Keys::whole(),
        Some(BySpec { keys: KeysSpec::File(path), .. })
            if read::is_among(&spec.base.join(path), &spec.base, &spec.table.paths) =>
        {
            return Err(("by.keys".to_owned(), PlanFault::KeysOfTable));
        }
        Some(by) => Keys::declared(by, &spec.base).map_err(|fault| ("by.keys".to_owned(), fault))?,
    };
    let per_row = unit_names.is_empty();
    let (groups, rows) = bounds(spec, per_row, keys.sorted().len())?;
    let unit = (!per_row).then(|| unit_names.iter().map(|name| names.source(name)).collect());
    let by = by_names.iter().map(|name| names.source(name)).collect();

    if spec.queries.is_empty() {
        return missing("query", "what is asked: at least one [[query]]");
    }
    let mut builder = Builder { groups, rows, slots: Vec::new(), width: 0, tallied: 0 };
    let mut queries = queries(spec, &mut names, &mut builder, &by_names)?;
    let (keys_count, width) = (keys.sorted().len(), builder.width.max(builder.tallied));
    if keys_count.saturating_mul(width) > MOST_CELLS {
        return Err(("by.keys".to_owned(), PlanFault::TooManyCells { keys: keys_count, width }));
    }
    let privacy = privacy::divide(&spec.privacy, &spec.queries, &mut queries)?;
    Ok(Plan {
        table: spec.table.clone(),
        base: spec.base.clone(),
        columns: names.columns,
        derived: names.derived,
        filter,
        unit,
        unit_names,
        by,
        by_names,
        keys: Arc::new(keys),
        groups,
        rows,
        salt: spec.bounds.salt.clone().unwrap_or_else(|| DEFAULT_SALT.to_owned()),
        slots: builder.slots,
        queries,
        width: builder.width,
        tallied: builder.tallied,
        privacy,
    })
}

/// Groups and rows of a unit that count.
fn bounds(spec: &Spec, per_row: bool, keys: usize) -> Result<(u64, u64), Fault> {
    let bound = |name: &str, declared: Option<u64>, settled: bool, why: &'static str| {
        let key = format!("bounds.{name}");
        match declared {
            None if settled => Ok(1),
            None => Err((key, PlanFault::Missing { why })),
            Some(bound) if bound == 0 || bound > MOST_ROWS => Err((key, PlanFault::Count)),
            Some(bound) if per_row && bound > 1 => {
                let why = "the unit is the row, and a row is in one group once; name the unit's column if people have several rows";
                Err((key, PlanFault::Useless { why }))
            }
            Some(bound) => Ok(bound),
        }
    };
    let groups = bound(
        "groups",
        spec.bounds.groups,
        per_row || spec.by.is_none(),
        "how many groups a unit can change",
    )?;
    let only_units = spec.queries.iter().all(|query| query.kind == "count-units");
    let rows =
        bound("rows", spec.bounds.rows, per_row || only_units, "how many rows of a unit count in one group")?;
    Ok((groups.min(keys as u64), rows))
}

fn queries(
    spec: &Spec,
    names: &mut Names,
    builder: &mut Builder,
    by: &[String],
) -> Result<Vec<Query>, Fault> {
    let mut taken: BTreeSet<&str> = by.iter().map(String::as_str).collect();
    let mut queries = Vec::new();
    for asked in &spec.queries {
        let at = |key: &str| format!("query {}, {key}", asked.name);
        if asked.name.is_empty() {
            return Err((at("name"), PlanFault::Nameless));
        }
        if !taken.insert(&asked.name) {
            return Err((at("name"), PlanFault::Twice));
        }
        let source = asked.column.as_ref().map(|column| names.source(column));
        if let Some(Source::Derived(_, found)) = source
            && found != Type::Number
            && asked.kind != "distinct"
        {
            let text = asked.column.clone().unwrap_or_default();
            let fault = ExpressionFault::Type { expected: Type::Number.name(), found: found.name() };
            return Err((at("column"), Box::new(ExpressionError { fault, at: 0..text.len(), text }).into()));
        }
        let values = match &asked.values {
            Some(KeysSpec::File(path))
                if read::is_among(&spec.base.join(path), &spec.base, &spec.table.paths) =>
            {
                return Err((at("values"), PlanFault::KeysOfTable));
            }
            Some(values) => {
                let column = asked.column.as_deref().unwrap_or_default();
                Some(Keys::of_column(column, values, &spec.base).map_err(|fault| (at("values"), fault))?)
            }
            None => None,
        };
        queries.push(builder.query(asked, source, values).map_err(|(key, fault)| (at(key), fault))?);
    }
    for asked in &spec.queries {
        let ends = ["_interval", "_low", "_high", "_rank_error"].map(|end| format!("{}{end}", asked.name));
        if let Some(name) = ends.into_iter().find(|name| taken.contains(name.as_str())) {
            return Err((format!("query {}, name", asked.name), PlanFault::IntervalName { name }));
        }
    }
    Ok(queries)
}

fn distinct(key: &str, names: &[String]) -> Result<(), Fault> {
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| name.is_empty() || !seen.insert(*name)) {
        None => Ok(()),
        Some(name) if name.is_empty() => Err((key.to_owned(), PlanFault::Nameless)),
        Some(_) => Err((key.to_owned(), PlanFault::Twice)),
    }
}

/// The columns that are needed so far, and the derived ones.
struct Names {
    columns: Vec<String>,
    types: Vec<(String, Type)>,
    derived: Vec<Derived>,
}

impl Names {
    fn expression(
        &mut self,
        text: &str,
        wanted: Option<Type>,
    ) -> Result<(crate::expression::Expression, Type), ExpressionError> {
        let node = parse(text)?;
        check(&node, text, wanted, &mut Scope { derived: &self.types, columns: &mut self.columns })
    }

    fn source(&mut self, name: &str) -> Source {
        match self.types.iter().position(|derived| derived.0 == name) {
            Some(index) => Source::Derived(index, self.types[index].1),
            None => Source::Column(Scope { derived: &[], columns: &mut self.columns }.column(name)),
        }
    }

    /// Puts the derived columns in an order in which each comes after those that it needs.
    fn derive(&mut self, texts: &BTreeMap<String, String>) -> Result<(), Fault> {
        let mut needs = BTreeMap::new();
        for (name, text) in texts {
            let key = || format!("derive.{name}");
            if name.is_empty() {
                return Err((key(), PlanFault::Nameless));
            }
            let node = parse(text).map_err(|error| (key(), Box::new(error).into()))?;
            let mut used = Vec::new();
            node.columns(&mut used);
            // Its own name means the column of the table.
            let used =
                used.into_iter().filter(|used| *used != name && texts.contains_key(*used)).map(str::to_owned);
            needs.insert(name.as_str(), used.collect::<BTreeSet<String>>());
        }
        while !needs.is_empty() {
            let ready =
                needs.iter().find(|(_, used)| used.iter().all(|used| !needs.contains_key(used.as_str())));
            let Some(name) = ready.map(|(name, _)| *name) else {
                let name = needs.keys().next().copied().unwrap_or_default();
                let text = texts[name].clone();
                let fault = ExpressionFault::Circle { name: name.to_owned() };
                return Err((
                    format!("derive.{name}"),
                    Box::new(ExpressionError { fault, at: 0..text.len(), text }).into(),
                ));
            };
            let text = &texts[name];
            let (expression, kind) = self
                .expression(text, None)
                .map_err(|error| (format!("derive.{name}"), Box::new(error).into()))?;
            self.derived.push(Derived { name: name.to_owned(), text: text.clone(), expression });
            self.types.push((name.to_owned(), kind));
            needs.remove(name);
        }
        Ok(())
    }
}
