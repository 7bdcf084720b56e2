//! Noisy values that are charged to a ledger: once, however often they are asked for.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Plan, Question};
use crate::ledger::{Asked, Book, Entered, Entry};
use crate::{Number, Refusal};

/// The most values that a ledger keeps of one release.
pub const MOST_VALUES: usize = 1 << 20;

/// Where the values come from, as far as that may be stored: a release of others under the same id is refused, not mixed up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The dataset that they are computed from.
    pub dataset: String,
    /// The file and the column, or whatever tells them from others.
    pub place: Vec<String>,
}

/// Noisy values, and what the ledger says of them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Charged {
    /// The values, as the release of this id had them first.
    pub values: Vec<String>,
    /// What the ledger says.
    pub entered: Entered,
    /// What the owner of the data should look at.
    pub warnings: Vec<String>,
}

/// Noisy values, as a ledger stores them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// The version of this form.
    noise: u32,
    /// As they are printed, so that they read back as the same numbers.
    values: Vec<String>,
}

impl Question {
    /// Refuses, before anything is read, noise whose loss would not add to that of other releases from the same dataset.
    ///
    /// # Errors
    /// No unit.
    pub fn check_unit(&self) -> Result<(), Refusal> {
        match self.unit {
            Some(_) => Ok(()),
            None => Err(Refusal::usage(
                "a ledger adds up what releases cost one unit, and this release does not say whose data neighbours differ in",
                "give the unit, as the dataset's declaration names it: --unit NAME; the sensitivity is then what one of them, added or removed, changes",
            )),
        }
    }
}

impl Plan {
    /// Charges the release, adds noise by `add_noise`, stores the values and gives them out; or gives out those that are stored.
    ///
    /// ```
    /// use lastbit::Family;
    /// use lastbit_engine::budget;
    /// use lastbit_engine::ledger::Book;
    /// use lastbit_engine::noise::{Amount, Input, Noise, Question};
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("budget.db");
    /// budget::create(&path, "trips", Some("rider"), &budget::Amount::Pure { epsilon: "1".parse()? }, false)?;
    /// let noise = Noise::new(Family::Laplace, Amount::Loss("1".parse()?));
    /// let plan = Question { unit: Some("rider".into()), ..Question::new(noise, "1".parse()?) }.plan()?;
    /// let book = Book { id: Some("sums".into()), ..Book::at(&path) };
    /// let input = Input { dataset: "trips".into(), place: vec!["sums.txt".into()] };
    ///
    /// let first = plan.charged(&book, &input, || Ok(vec!["41.5".into()]))?;
    /// let again = plan.charged(&book, &input, || unreachable!("it is charged and drawn once"))?;
    /// assert_eq!((again.values, again.entered.head), (first.values, first.entered.head));
    /// assert_eq!(budget::show(&path, false)?.budgets[0].charges, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What the ledger refuses: nothing is charged. What the noise refuses: that stays charged.
    pub fn charged(
        &self,
        book: &Book,
        input: &Input,
        add_noise: impl FnOnce() -> Result<Vec<String>, Refusal>,
    ) -> Result<Charged, Refusal> {
        let unit = self.claim.about().unit().ok_or_else(|| {
            Refusal::usage("the claim names no unit", "say whose data neighbours differ in: give the unit")
        })?;
        let asked = Asked {
            usual_id: None,
            spec: &self.canonical(input),
            dataset: Some(&input.dataset),
            unit,
            claim: &self.claim,
            files: &[],
        };
        let shown = Entry::open(book, &asked)?.once(|| {
            let record = serde_json::to_vec(&Record { noise: 1, values: add_noise()? });
            let record = record.map_err(|error| {
                Refusal::usage(format!("the result cannot be written: {error}"), "please report it")
            })?;
            Ok((record, ()))
        })?;
        let record = serde_json::from_slice::<Record>(&shown.bytes).ok();
        let values = record.filter(|record| record.noise == 1).map(|record| record.values).ok_or_else(|| {
            Refusal::usage(
                "the stored result of this release has no noisy values",
                "was the ledger written by another version? give the release another id; it is charged then",
            )
        })?;
        Ok(Charged { values, entered: shown.entered, warnings: shown.warnings })
    }

    /// Everything that the release depends on but the values: what is claimed, but not how that is worded, and what is asked beside it.
    fn canonical(&self, input: &Input) -> String {
        let mut claim = serde_json::to_value(&self.claim).unwrap_or_default();
        if let Some(members) = claim.as_object_mut() {
            for worded in ["statement", "adjacency", "loss_f64", "approximate"] {
                members.remove(worded);
            }
        }
        // In an order of its own, whatever maps are made of.
        claim.sort_all_objects();
        let approximate = self.approximate.as_ref();
        let exact = |number: &Number| number.upper().to_string();
        let asked = [
            Value::from("lastbit-noise 1"),
            claim,
            Value::from(self.result.to_string()),
            Value::from(approximate.map(|told| exact(&told.epsilon))),
            Value::from(approximate.map(|told| exact(&told.delta))),
            Value::from(input.place.clone()),
        ];
        Value::from(asked.to_vec()).to_string()
    }
}
