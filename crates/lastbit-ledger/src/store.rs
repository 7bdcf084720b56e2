//! The SQLite file: how it is created and opened, and its transactions.
//!
//! Nothing but SQLite opens the file: closing any other handle of it would drop the locks that this process holds (POSIX).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::entry::{Event, append};
use crate::verify::Fault;
use crate::{Error, Head, place};

/// The text that made the tables, as it is kept in the file.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// `lbit` in ASCII, by which `file` and SQLite know a ledger.
const APPLICATION_ID: i64 = 0x6C62_6974;

/// The version of the schema and of what is hashed.
pub(crate) const FORMAT: i64 = 1;

/// How a ledger is opened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Whether a network file system is accepted. Only one process may then ever write.
    pub force_network: bool,
    /// How long to wait while other processes write.
    pub wait: Duration,
}

impl Default for Options {
    /// No network file system, and a minute of waiting.
    fn default() -> Options {
        Options { force_network: false, wait: Duration::from_secs(60) }
    }
}

impl Options {
    /// The same, but accepts a network file system.
    pub fn forcing_network(self) -> Options {
        Options { force_network: true, ..self }
    }

    /// The same, but waits so long.
    pub fn waiting(self, wait: Duration) -> Options {
        Options { wait, ..self }
    }
}

/// What may end a transaction early.
pub(crate) enum Failure {
    Refused(Error),
    Database(rusqlite::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Refused(error)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure::Database(error)
    }
}

/// An open ledger file.
#[derive(Debug)]
pub(crate) struct Store {
    connection: Connection,
    path: PathBuf,
    wait: Duration,
}

impl Store {
    /// Creates the file with its first entry.
    pub(crate) fn create(path: &Path, options: &Options) -> Result<Store, Error> {
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let name = path.file_name().ok_or_else(|| Error::NotALedger {
            path: path.to_owned(),
            reason: "the path has no file name".to_owned(),
        })?;
        let path = parent.canonicalize().map_err(io(parent, "looking for the directory"))?.join(name);
        if !options.force_network {
            place::refuse_network(path.parent().unwrap_or(&path))?;
        }
        let mut private = fs::OpenOptions::new();
        private.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut private, 0o600);
        private.open(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Error::Exists { path: path.clone() },
            _ => io(&path, "creating the file")(error),
        })?;
        let store = Store::connect(&path, options).and_then(|mut store| {
            store.initialise()?;
            Ok(store)
        });
        if store.is_err() {
            // It was made above, and has never been a ledger.
            let _ = fs::remove_file(&path);
        }
        store
    }

    fn initialise(&mut self) -> Result<(), Error> {
        let mut nonce = [0u8; 16];
        getrandom::fill(&mut nonce).map_err(|error| Error::Io {
            path: self.path.clone(),
            doing: "asking the operating system for random bytes",
            reason: error.to_string(),
        })?;
        let nonce = nonce.iter().map(|byte| format!("{byte:02x}")).collect();
        self.write("creating the ledger", |transaction| {
            transaction.execute_batch(SCHEMA)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
            add(transaction, &Event::Ledger { nonce }, None)?;
            Ok(())
        })
    }

    /// Opens a ledger that exists.
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Store, Error> {
        let path = path.canonicalize().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::Missing { path: path.to_owned() },
            _ => io(path, "looking for the ledger")(error),
        })?;
        let about = fs::metadata(&path).map_err(io(&path, "looking at the ledger"))?;
        if !about.is_file() {
            return Err(Error::NotALedger { path, reason: "it is not a regular file".to_owned() });
        }
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::nlink(&about) > 1 {
            return Err(Error::HardLink { path });
        }
        if !options.force_network {
            place::refuse_network(&path)?;
        }
        let store = Store::connect(&path, options)?;
        let number = |pragma| {
            store
                .connection
                .pragma_query_value(None, pragma, |row| row.get::<_, i64>(0))
                .map_err(|error| store.failed("reading the header", error))
        };
        match (number("application_id")?, number("user_version")?) {
            (APPLICATION_ID, FORMAT) => {}
            (APPLICATION_ID, found) => return Err(Error::Version { path, found, known: FORMAT }),
            (0, 0) if fs::metadata(&path).is_ok_and(|about| about.len() == 0) => {
                let reason =
                    "it is empty, perhaps since its creation was interrupted; remove it and create it again";
                return Err(Error::NotALedger { path, reason: reason.to_owned() });
            }
            _ => {
                return Err(Error::NotALedger {
                    path,
                    reason: "it is another program's database".to_owned(),
                });
            }
        }
        Ok(store)
    }

    fn connect(path: &Path, options: &Options) -> Result<Store, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let doing = "opening the file";
        let connection = Connection::open_with_flags(path, flags)
            .map_err(|error| database(path, options.wait, doing, error))?;
        let store = Store { connection, path: path.to_owned(), wait: options.wait };
        let settings = || -> rusqlite::Result<String> {
            let connection = &store.connection;
            connection.busy_timeout(options.wait)?;
            // The file may come from elsewhere: what it defines is not trusted, and it cannot be damaged by SQL.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
            // A commit returns after the file, the journal and its removal are on the disk; on macOS, after the disk has been flushed.
            connection.pragma_update(None, "synchronous", "EXTRA")?;
            connection.pragma_update(None, "fullfsync", true)?;
            connection.pragma_query_value(None, "journal_mode", |row| row.get(0))
        };
        match settings().map_err(|error| store.failed(doing, error))?.as_str() {
            "delete" => Ok(store),
            "wal" => Err(Error::WriteAheadLog { path: path.to_owned() }),
            other => Err(Error::NotALedger {
                path: path.to_owned(),
                reason: format!("its journal mode is {other}, and a ledger needs delete"),
            }),
        }
    }

    /// Where the file is, without symbolic links.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Acts while no other process writes, and returns after all is on the disk. A failure undoes everything.
    pub(crate) fn write<T>(
        &mut self,
        doing: &'static str,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let (path, wait) = (&self.path, self.wait);
        let act = || -> Result<T, Failure> {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let answer = act(&transaction)?;
            transaction.commit()?;
            Ok(answer)
        };
        act().map_err(|failure| explain(path, wait, doing, failure))
    }

    /// Reads one state of the ledger, whatever other processes write meanwhile.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let act = || act(&self.connection.unchecked_transaction()?);
        act().map_err(|failure| explain(&self.path, self.wait, doing, failure))
    }

    fn failed(&self, doing: &'static str, error: rusqlite::Error) -> Error {
        database(&self.path, self.wait, doing, error)
    }
}

/// Adds an entry within a transaction that holds the write lock.
pub(crate) fn add(
    transaction: &Transaction<'_>,
    event: &Event,
    result: Option<&[u8]>,
) -> Result<Head, Failure> {
    let head = last(transaction)?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let time = now.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX));
    Ok(append(transaction, head, time, event, result)?)
}

/// The last entry.
pub(crate) fn last(transaction: &Transaction<'_>) -> Result<Option<Head>, Failure> {
    head_where(transaction, "1 ORDER BY seq DESC LIMIT 1", [])
}

/// The number and the stored hash of the entry for which a condition holds.
pub(crate) fn head_where(
    transaction: &Transaction<'_>,
    condition: &str,
    parameters: impl rusqlite::Params,
) -> Result<Option<Head>, Failure> {
    let mut statement = transaction.prepare(&format!("SELECT seq, hash FROM entry WHERE {condition}"))?;
    let mut rows = statement.query(parameters)?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (number, hash): (i64, String) = (row.get(0)?, row.get(1)?);
    match (u64::try_from(number), hash.parse()) {
        (Ok(entry), Ok(hash)) => Ok(Some(Head { entry, hash })),
        _ => Err(Error::Broken { entry: u64::try_from(number).ok(), fault: Fault::Malformed }.into()),
    }
}

fn explain(path: &Path, wait: Duration, doing: &'static str, failure: Failure) -> Error {
    match failure {
        Failure::Refused(error) => error,
        Failure::Database(error) => database(path, wait, doing, error),
    }
}

fn database(path: &Path, wait: Duration, doing: &'static str, error: rusqlite::Error) -> Error {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy) => Error::Busy { path, seconds: wait.as_secs() },
        Some(ErrorCode::NotADatabase) => {
            Error::NotALedger { path, reason: "it is not a database of SQLite".to_owned() }
        }
        _ => Error::Database { path, doing, reason: error.to_string() },
    }
}

/// The error of a call to the operating system.
pub(crate) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |error| Error::Io { path, doing, reason: error.to_string() }
}
