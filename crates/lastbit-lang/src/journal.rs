//! Variables whose changes can be taken back: the two branches of an `if` start from the same state.

use std::collections::{BTreeMap, HashMap};

pub(crate) struct Journal<V> {
    values: HashMap<String, V>,
    /// Every change, with the value before.
    log: Vec<(String, Option<V>)>,
}

impl<V: Clone> Journal<V> {
    pub(crate) fn new() -> Journal<V> {
        Journal { values: HashMap::new(), log: Vec::new() }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        self.values.get(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    pub(crate) fn set(&mut self, name: &str, value: V) {
        let before = self.values.insert(name.to_owned(), value);
        self.log.push((name.to_owned(), before));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        if let Some(before) = self.values.remove(name) {
            self.log.push((name.to_owned(), Some(before)));
        }
    }

    /// A point to go back to.
    pub(crate) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Goes back to the mark.
    ///
    /// Ensures: the values of all names that were set since and not removed after that, in the order of names.
    pub(crate) fn roll_back(&mut self, mark: usize) -> BTreeMap<String, V> {
        let mut changed: BTreeMap<String, Option<V>> = BTreeMap::new();
        while self.log.len() > mark {
            let Some((name, before)) = self.log.pop() else { break };
            let now = match before {
                Some(before) => self.values.insert(name.clone(), before),
                None => self.values.remove(&name),
            };
            // The first one met is the last one; nothing if the name was removed.
            changed.entry(name).or_insert(now);
        }
        changed.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}
