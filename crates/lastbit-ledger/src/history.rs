//! The whole ledger as data.

use serde::Serialize;

use crate::entry::{self, Entry};
use crate::store::Failure;
use crate::verify::Fault;
use crate::{Budget, Error, Head, Ledger, Verified};

/// All that a ledger says, for other programs; results are in it by their hashes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Export {
    /// The last entry.
    pub head: Head,
    /// The budgets of datasets and analysts.
    pub budgets: Vec<Budget>,
    /// All entries, in order.
    pub entries: Vec<Entry>,
}

impl Ledger {
    /// All entries, in order.
    ///
    /// # Errors
    /// Those of the file system; [`Error::Broken`] at an entry that cannot be read. Hashes are compared by [`verify`](Self::verify) only.
    pub fn history(&self) -> Result<Vec<Entry>, Error> {
        self.store.read("reading the history", |transaction| {
            let mut statement = transaction.prepare("SELECT * FROM entry ORDER BY seq")?;
            let mut rows = statement.query([])?;
            let mut entries = Vec::new();
            while let Some(row) = rows.next()? {
                let number: i64 = row.get("seq")?;
                let broken = || Error::Broken { entry: number.try_into().ok(), fault: Fault::Malformed };
                entries.push(entry::read(row)?.ok_or_else(broken)?);
            }
            Ok::<_, Failure>(entries)
        })
    }

    /// The verified ledger as data.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn export(&self) -> Result<Export, Error> {
        let Verified { head, .. } = self.verify()?;
        let (budgets, entries) = (self.budgets()?, self.history()?);
        Ok(Export { head, budgets, entries })
    }
}
