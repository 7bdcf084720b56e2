//! Claims as JSON, both ways.
//!
//! A text is not believed: the mechanism is built again from its parameters and makes its claim again, and that claim must have the same
//! JSON. So whoever reads a claim back knows that its loss follows from its parameters.

use std::collections::BTreeMap;
use std::fmt;

use lastbit_real::{Rational, Rounding};
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::text::{DELTA, delta};
use super::{About, COMPOSITION, Claim, Measure};
use crate::{AnyMechanism, Contract, Error, Metric, Neighbours, ValueType, selection};

/// A claim with the names and in the order of its JSON.
#[derive(Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Record {
    mechanism: String,
    #[serde(deserialize_with = "without_repetition")]
    parameters: BTreeMap<String, String>,
    /// The preparation of the input.
    input: Option<String>,
    domain: Option<DomainRecord>,
    neighbours: Option<NeighboursRecord>,
    unit: Option<String>,
    measure: String,
    loss: String,
    /// `None` beyond the largest double.
    loss_f64: Option<f64>,
    approximate: Option<Approximate>,
    adjacency: String,
    statement: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Record>,
}

#[derive(Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct DomainRecord {
    values: String,
    length: Option<u64>,
}

#[derive(Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct NeighboursRecord {
    metric: String,
    distance: String,
    max_changed: Option<u64>,
    granularity: Option<i32>,
}

#[derive(Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Approximate {
    epsilon: String,
    delta: String,
}

/// A map whose names are all different: readers of JSON do not agree on which of two counts.
fn without_repetition<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = BTreeMap<String, String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of texts")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = BTreeMap::new();
            while let Some((name, value)) = map.next_entry::<String, String>()? {
                if members.insert(name, value).is_some() {
                    return Err(A::Error::custom("a parameter is given twice"));
                }
            }
            Ok(members)
        }
    }
    deserializer.deserialize_map(Members)
}

impl From<&Claim> for Record {
    fn from(claim: &Claim) -> Record {
        let (domain, neighbours) = match &claim.about {
            About::Columns { values, metric, neighbours } => (
                Some(DomainRecord { values: values.to_string(), length: neighbours.length() }),
                Some(NeighboursRecord {
                    metric: metric.to_string(),
                    distance: neighbours.distance().to_string(),
                    max_changed: neighbours.max_changed(),
                    granularity: neighbours.granularity(),
                }),
            ),
            About::Unit(_) => (None, None),
        };
        let approximate = (claim.measure == Measure::ZeroConcentratedDivergence).then(|| Approximate {
            epsilon: claim.approximate(&delta()).expect("0 < δ < 1").to_decimal(17, Rounding::Up),
            delta: DELTA.to_owned(),
        });
        Record {
            mechanism: claim.mechanism.to_owned(),
            parameters: claim
                .parameters
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
            input: claim.preparation.map(|preparation| preparation.to_string()),
            domain,
            neighbours,
            unit: claim.about.unit().map(str::to_owned),
            measure: claim.measure.to_string(),
            loss: claim.loss.to_string(),
            loss_f64: Some(claim.loss_f64()).filter(|loss| loss.is_finite()),
            approximate,
            adjacency: claim.about.to_string(),
            statement: claim.to_string(),
            parts: claim.parts.iter().map(Record::from).collect(),
        }
    }
}

fn bad(reason: impl Into<String>) -> Error {
    Error::NotAClaim { reason: reason.into() }
}

impl Record {
    /// The claim that the mechanism of this record makes.
    fn claim(&self) -> Result<Claim, Error> {
        let claim = if self.mechanism == COMPOSITION {
            let parts = self.parts.iter().map(Record::checked).collect::<Result<Vec<Claim>, Error>>()?;
            Claim::compose(&parts)?
        } else {
            let (Some(domain), Some(stated)) = (&self.domain, &self.neighbours) else {
                return Err(bad("it has no domain or no neighbours"));
            };
            let values = ValueType::named(&domain.values)
                .ok_or_else(|| bad(format!("there is no type of values {:?}", domain.values)))?;
            let neighbours = stated.neighbours(domain.length, self.unit.as_deref())?;
            let metric = Metric::named(&stated.metric)
                .ok_or_else(|| bad(format!("there is no metric {:?}", stated.metric)))?;
            let measures = [Measure::MaxDivergence, Measure::ZeroConcentratedDivergence];
            let measure = measures.into_iter().find(|measure| measure.to_string() == self.measure);
            let measure = measure.ok_or_else(|| bad(format!("there is no measure {:?}", self.measure)))?;
            match selection::claim(&self.mechanism, &self.parameters, values, metric, &neighbours, measure) {
                Some(claim) => claim?,
                None => AnyMechanism::from_parameters(&self.mechanism, &self.parameters, values)?
                    .claim(values, &neighbours)?,
            }
        };
        Ok(claim)
    }

    /// The claim, if it is what the record states.
    fn checked(&self) -> Result<Claim, Error> {
        let claim = self.claim()?;
        let again = Record::from(&claim);
        if again == *self {
            return Ok(claim);
        }
        let differs = if again.loss == self.loss { "the rest of it" } else { "the loss" };
        Err(bad(format!("{differs} is not what the mechanism claims with these parameters: {claim}")))
    }
}

impl NeighboursRecord {
    fn neighbours(&self, length: Option<u64>, unit: Option<&str>) -> Result<Neighbours, Error> {
        let distance: Rational = self.distance.parse().map_err(|e| bad(format!("the distance: {e}")))?;
        let mut neighbours = Neighbours::at(distance);
        if let Some(length) = length {
            neighbours = neighbours.of_length(length);
        }
        if let Some(max_changed) = self.max_changed {
            neighbours = neighbours.differing_in(max_changed)?;
        }
        if let Some(exponent) = self.granularity {
            neighbours = neighbours.with_granularity(exponent)?;
        }
        if let Some(unit) = unit {
            neighbours = neighbours.one(unit)?;
        }
        Ok(neighbours)
    }
}

/// As [`Claim::to_json`] has it.
impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Record::from(self).serialize(serializer)
    }
}

impl Claim {
    /// The claim as a JSON object, in one line. `docs/claims.md` has its members.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&Record::from(self)).expect("strings and finite numbers")
    }

    /// The claim of a JSON object that [`to_json`](Self::to_json) wrote. Its mechanism is built again and must claim the same.
    ///
    /// ```
    /// use lastbit::{Claim, Contract, Error, Laplace, Neighbours, Rational, ValueType};
    /// let laplace = Laplace::new(Rational::from(10))?;
    /// let claim = laplace.claim(ValueType::F64, &Neighbours::at(Rational::ONE))?;
    /// let json = claim.to_json();
    /// assert_eq!(Claim::from_json(&json)?, claim);
    /// let forged = json.replace(r#""loss":"1/10""#, r#""loss":"1/20""#);
    /// assert!(matches!(Claim::from_json(&forged), Err(Error::NotAClaim { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotAClaim`], and those of the mechanism.
    pub fn from_json(text: &str) -> Result<Claim, Error> {
        let bad_json = |e: serde_json::Error| bad(e.to_string());
        let claim = serde_json::from_str::<Record>(text).map_err(bad_json)?.checked()?;
        // Members that are left out, or in another form, are not what `to_json` writes.
        let [given, written] = [text, &claim.to_json()].map(serde_json::from_str::<Value>);
        if given.map_err(bad_json)? == written.map_err(bad_json)? {
            return Ok(claim);
        }
        Err(bad("a member is missing, or has another form than `to_json` gives it"))
    }
}
