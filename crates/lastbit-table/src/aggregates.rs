//! The exact integers that answer a plan.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::hash::{hexadecimal, put_part};
use crate::plan::{Component, Keys, Plan};

/// The exact integers that answer a plan: for every declared group those of all components of all queries.
///
/// They are not private: only noise of the scale that [`Component::sensitivity`] asks for makes them so. Their text form has no integers, so that
/// they do not end up in a log.
#[derive(Clone)]
pub struct Aggregates {
    keys: Arc<Keys>,
    width: usize,
    integers: Vec<i128>,
}

impl Aggregates {
    pub(crate) fn new(plan: &Plan, integers: Vec<i128>) -> Aggregates {
        Aggregates { keys: Arc::clone(&plan.keys), width: plan.width, integers }
    }

    /// All groups, sorted: for each of them one text a column.
    pub fn keys(&self) -> &[Vec<String>] {
        self.keys.sorted()
    }

    /// The integers of a component in the group with this place among [`keys`](Aggregates::keys): one, or one a bin.
    ///
    /// # Panics
    ///
    /// If there are not so many groups, or if the component is of another plan with more integers.
    pub fn integers(&self, component: &Component, key: usize) -> &[i128] {
        let first = key * self.width + component.first;
        &self.integers[first..first + component.cells]
    }

    /// SHA-256 of all groups and integers, as hexadecimal text: equal for equal results, however they were computed. `docs/release.md` says of which
    /// bytes.
    ///
    /// It depends on the exact integers, so it is for the curator and auditors only: whoever can guess the table can check the guess.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new_with_prefix("lastbit-aggregates-1\n");
        hash.update((self.width as u64).to_le_bytes());
        let mut bytes = Vec::new();
        for (key, integers) in self.keys().iter().zip(self.integers.chunks(self.width)) {
            bytes.clear();
            key.iter().for_each(|part| put_part(&mut bytes, part.as_bytes()));
            integers.iter().for_each(|integer| bytes.extend_from_slice(&integer.to_le_bytes()));
            hash.update(&bytes);
        }
        hexadecimal(&hash.finalize())
    }
}

impl fmt::Debug for Aggregates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aggregates {{ {} groups of {} integers }}", self.keys().len(), self.width)
    }
}
