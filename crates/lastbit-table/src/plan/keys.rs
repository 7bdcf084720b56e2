//! The declared groups.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::PlanFault;
use crate::batch::Batch;
use crate::code::Code;
use crate::hash::{Words, put_part};
use crate::read;
use crate::spec::{BySpec, KeysSpec};

/// Groups at most: a few lines of a spec can declare more than a memory holds. The kernel numbers them with 32 bits.
const MOST_KEYS: usize = 10_000_000;

/// All groups of a plan, sorted by their parts as bytes.
#[derive(Debug, PartialEq)]
pub(crate) struct Keys {
    sorted: Vec<Vec<String>>,
    /// The places of keys by their codes.
    short: HashMap<Code, u32, Words>,
    /// Those of keys that their codes do not tell apart, by the bytes that [`put_key_part`] writes.
    long: HashMap<Box<[u8]>, u32, Words>,
}

/// Appends the bytes by which a key is looked up; parts of several columns are told apart by their lengths.
pub(crate) fn put_key_part(bytes: &mut Vec<u8>, part: &[u8], columns: usize) {
    match columns {
        1 => bytes.extend_from_slice(part),
        _ => put_part(bytes, part),
    }
}

impl Keys {
    /// The one group of a table without groups.
    pub(crate) fn whole() -> Keys {
        Keys::number(vec![Vec::new()])
    }

    pub(crate) fn declared(by: &BySpec, base: &Path) -> Result<Keys, PlanFault> {
        let (mut keys, repeated) = match &by.keys {
            KeysSpec::List(keys) => (keys.clone(), false),
            KeysSpec::Product(values) => (product(&by.columns, values)?, false),
            KeysSpec::File(path) => from_file(&base.join(path), &by.columns)?,
        };
        check(&keys, by.columns.len(), repeated)?;
        keys.sort_unstable();
        keys.dedup();
        Ok(Keys::number(keys))
    }

    /// The declared values of one column.
    pub(crate) fn of_column(column: &str, values: &KeysSpec, base: &Path) -> Result<Keys, PlanFault> {
        Keys::declared(&BySpec::new(vec![column.to_owned()], values.clone()), base)
    }

    fn number(sorted: Vec<Vec<String>>) -> Keys {
        let (mut short, mut long) = (HashMap::default(), HashMap::default());
        for (key, place) in sorted.iter().zip(0..) {
            let mut bytes = Vec::new();
            key.iter().for_each(|part| put_key_part(&mut bytes, part.as_bytes(), key.len()));
            let code = Code::of(&bytes);
            match code.is_long() {
                true => drop(long.insert(bytes.into_boxed_slice(), place)),
                false => drop(short.insert(code, place)),
            }
        }
        Keys { sorted, short, long }
    }

    pub(crate) fn sorted(&self) -> &[Vec<String>] {
        &self.sorted
    }

    #[inline]
    pub(crate) fn place(&self, bytes: &[u8]) -> Option<u32> {
        let code = Code::of(bytes);
        if code.is_long() { self.long.get(bytes).copied() } else { self.short.get(&code).copied() }
    }

    /// SHA-256 of all keys.
    pub(crate) fn digest(&self) -> String {
        let mut bytes = Vec::new();
        let mut hash = Sha256::new();
        for key in &self.sorted {
            bytes.clear();
            key.iter().for_each(|part| put_part(&mut bytes, part.as_bytes()));
            hash.update(&bytes);
        }
        crate::hash::hexadecimal(&hash.finalize())
    }
}

fn product(
    columns: &[String],
    values: &std::collections::BTreeMap<String, Vec<String>>,
) -> Result<Vec<Vec<String>>, PlanFault> {
    if let Some(name) = values.keys().find(|name| !columns.contains(name)) {
        return Err(PlanFault::Word { found: name.clone(), known: columns.join(", "), suggestion: None });
    }
    let mut keys = vec![Vec::new()];
    for column in columns {
        let values = values
            .get(column)
            .ok_or(PlanFault::Missing { why: "every column of by.columns needs its values" })?;
        if keys.len().saturating_mul(values.len()) > MOST_KEYS {
            return Err(PlanFault::TooManyKeys);
        }
        let extend = |key: &Vec<String>| {
            let key = key.clone();
            values
                .iter()
                .map(move |value| key.iter().chain([value]).cloned().collect())
                .collect::<Vec<Vec<String>>>()
        };
        keys = keys.iter().flat_map(extend).collect();
    }
    Ok(keys)
}

/// The keys in a file, and whether they may be repeated there: lines of a list may not, rows of a public table may.
fn from_file(path: &Path, columns: &[String]) -> Result<(Vec<Vec<String>>, bool), PlanFault> {
    if read::is_table(path) {
        let mut keys = Vec::new();
        let mut seen = HashSet::new();
        read::each_batch(path, columns, |batch| {
            for row in 0..batch.rows() {
                let key = table_key(batch, row);
                if seen.insert(key.clone()) {
                    keys.push(key);
                }
            }
        })
        .map_err(Box::new)?;
        return Ok((keys, true));
    }
    let bytes = read::whole_file(path).map_err(Box::new)?;
    let lines = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes).split(|&byte| byte == b'\n');
    let mut keys = Vec::new();
    for (index, line) in lines.enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        let line = std::str::from_utf8(line)
            .map_err(|_| PlanFault::KeyEncoding { path: path.to_owned(), line: index + 1 })?;
        keys.push(vec![line.to_owned()]);
    }
    Ok((keys, false))
}

/// The key of a row of a public table. Null becomes empty, which is refused later.
fn table_key(batch: &Batch, row: usize) -> Vec<String> {
    (0..batch.columns())
        .map(|column| batch.cell(column, row).text().unwrap_or_default().into_owned())
        .collect()
}

fn check(keys: &[Vec<String>], columns: usize, repeated: bool) -> Result<(), PlanFault> {
    if keys.is_empty() {
        return Err(PlanFault::NoKeys);
    }
    if keys.len() > MOST_KEYS {
        return Err(PlanFault::TooManyKeys);
    }
    let mut seen = HashSet::new();
    for (key, position) in keys.iter().zip(1..) {
        if key.len() != columns {
            return Err(PlanFault::KeyWidth { position, found: key.len(), expected: columns });
        }
        if key.iter().any(String::is_empty) {
            return Err(PlanFault::EmptyKey { position });
        }
        if !seen.insert(key) && !repeated {
            return Err(PlanFault::DuplicateKey { position });
        }
    }
    Ok(())
}
