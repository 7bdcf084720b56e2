//! What words mean: rules, lemmas, mechanisms, verdicts, and the terms of the glossary.
//!
//! One table, from which `lastbit explain`, `lastbit.explain` in Python and `docs/glossary.md` are made.
//!
//! ```
//! use lastbit_engine::explain::{find, nearest};
//! assert_eq!(find("lap-gen").unwrap().word, "LAP-GEN");
//! assert_eq!(find("Λ").unwrap().word, "grid");
//! assert_eq!(find("λ").unwrap().word, "scale");
//! assert_eq!(nearest("laplce")[0], "laplace");
//! ```

mod logic;
mod mechanisms;
mod semantics;
mod verdicts;
mod words;

use std::fmt::Write;

use serde::Serialize;

use crate::Schema;

/// The group of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Group {
    /// The terms of the glossary.
    Words,
    /// Verdicts on a claim, and their exit codes.
    Verdicts,
    /// Noise and choices.
    Mechanisms,
    /// Rules of the relational logic.
    Logic,
    /// Ways to show that constraints cannot hold together.
    Lemmas,
    /// Rules of the floating-point error semantics.
    Semantics,
}

impl Group {
    /// All groups, in the order in which they are listed.
    pub const ALL: [Group; 6] =
        [Group::Words, Group::Verdicts, Group::Mechanisms, Group::Logic, Group::Lemmas, Group::Semantics];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Group::Words => "words",
            Group::Verdicts => "verdicts",
            Group::Mechanisms => "mechanisms",
            Group::Logic => "logic",
            Group::Lemmas => "lemmas",
            Group::Semantics => "semantics",
        }
    }

    /// The heading of a list.
    pub fn title(self) -> &'static str {
        match self {
            Group::Words => "words",
            Group::Verdicts => "verdicts",
            Group::Mechanisms => "mechanisms",
            Group::Logic => "rules of the logic",
            Group::Lemmas => "lemmas",
            Group::Semantics => "rules of the error semantics",
        }
    }
}

/// A word and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// The group of the word.
    pub group: Group,
    /// The word.
    pub word: &'static str,
    /// Other names: symbols, options, names in texts.
    pub aliases: &'static [&'static str],
    /// The meaning.
    pub statement: &'static str,
    /// The reason why the rule holds or why the thing is needed; of a verdict, what to do next.
    pub reason: &'static str,
    /// An example.
    pub example: &'static str,
    /// The page with the details, such as `docs/logic.md`.
    pub see: &'static str,
}

impl Entry {
    /// The entry as text.
    pub fn in_words(&self) -> String {
        let mut text = self.word.to_owned();
        if !self.aliases.is_empty() {
            let _ = write!(text, " (also {})", self.aliases.join(", "));
        }
        let _ = write!(text, "\n\n  {}\n\n", self.statement);
        let _ = match self.reason.strip_prefix("Next: ") {
            Some(next) => writeln!(text, "next     {next}"),
            None => writeln!(text, "why      {}", self.reason),
        };
        let _ = writeln!(text, "example  {}", self.example);
        let _ = writeln!(text, "see      {}", self.see);
        text
    }
}

/// The meaning of a word, as an answer.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The version of this JSON.
    pub schema: Schema,
    /// The entry, whose members stand beside it.
    #[serde(flatten)]
    pub entry: &'static Entry,
}

impl Explanation {
    /// That of an entry.
    pub fn of(entry: &'static Entry) -> Explanation {
        Explanation { schema: Schema, entry }
    }
}

/// All words, as an answer.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Words {
    /// The version of this JSON.
    pub schema: Schema,
    /// The entries, group by group.
    pub words: Vec<&'static Entry>,
}

impl Words {
    /// All that there are.
    pub fn all() -> Words {
        Words { schema: Schema, words: entries().collect() }
    }
}

/// All entries, group by group.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    let groups: [&'static [Entry]; 6] = [
        &words::WORDS,
        &verdicts::VERDICTS,
        &mechanisms::MECHANISMS,
        &logic::RULES,
        &logic::LEMMAS,
        &semantics::RULES,
    ];
    groups.into_iter().flatten()
}

/// The entry of a word or of one of its aliases, ignoring case; an exact match takes precedence, which tells `Λ` from `λ`.
pub fn find(word: &str) -> Option<&'static Entry> {
    let word = word.trim();
    let names = |entry: &Entry| std::iter::once(entry.word).chain(entry.aliases.iter().copied());
    let plain = folded(word);
    entries()
        .find(|entry| entry.word == word)
        .or_else(|| entries().find(|entry| names(entry).any(|name| name == word)))
        .or_else(|| entries().find(|entry| folded(entry.word) == plain))
        .or_else(|| entries().find(|entry| names(entry).any(|name| folded(name) == plain)))
}

/// The word in small letters, with `-` in place of `_` and spaces.
fn folded(word: &str) -> String {
    word.to_lowercase().replace(['_', ' '], "-")
}

/// The largest number of suggestions.
const SUGGESTIONS: usize = 3;

/// The known words that are nearest to an unknown one.
pub fn nearest(word: &str) -> Vec<&'static str> {
    let word = folded(word);
    let mut ranked: Vec<(usize, &'static str)> = entries()
        .map(|entry| {
            let names = std::iter::once(entry.word).chain(entry.aliases.iter().copied());
            let least = names.map(|name| distance(&word, &folded(name))).min();
            (least.unwrap_or(usize::MAX), entry.word)
        })
        .collect();
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked.into_iter().map(|(_, word)| word).take(SUGGESTIONS).collect()
}

/// The number of letters to change, remove or insert (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// All words, group by group, as text.
pub fn list() -> String {
    let mut text = String::new();
    for group in Group::ALL {
        let words: Vec<&str> =
            entries().filter(|entry| entry.group == group).map(|entry| entry.word).collect();
        let _ = writeln!(text, "{}\n  {}\n", group.title(), words.join(", "));
    }
    text
}

/// The content of `docs/glossary.md`.
pub fn glossary() -> String {
    let mut text = "\
# Glossary

One word for each thing, the same in the command, in Python, in Rust and on these pages.
`lastbit explain WORD` prints an entry; this page is generated from the same table, which also explains the names of rules.

The language of mechanisms keeps the symbols of the papers: `--epsilon`, `--bound` and `--grid` set `eps`, `B` and `L`, and `lambda` is the scale λ.
In the files of [conformance.md](conformance.md) Λ is `Lam` and λ is `lam`.

| word | also | meaning |
|---|---|---|
"
    .to_owned();
    for entry in &words::WORDS {
        let code = |name: &str| format!("`{name}`");
        let aliases: Vec<String> = entry.aliases.iter().map(|alias| code(alias)).collect();
        let cell = |text: &str| text.replace('|', "\\|");
        let _ = writeln!(
            text,
            "| **{}** | {} | {} {} Example: {} See [{page}]({page}). |",
            entry.word,
            aliases.join(", "),
            cell(entry.statement),
            cell(entry.reason),
            cell(entry.example),
            page = entry.see.trim_start_matches("docs/"),
        );
    }
    for (group, title) in [(Group::Verdicts, "Verdicts"), (Group::Mechanisms, "Mechanisms")] {
        let _ = write!(text, "\n## {title}\n\n");
        for entry in entries().filter(|entry| entry.group == group) {
            let _ = writeln!(text, "- **{}**: {}\n  {}", entry.word, entry.statement, entry.reason);
        }
    }
    text
}

#[cfg(test)]
mod tests;
