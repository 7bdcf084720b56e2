//! Large results: files in a private directory beside the ledger, named by their hash.
//!
//! A file is written as `HASH.part` and on the disk before the entry with its hash is. Only then it is renamed to `HASH`. All parts are
//! written under the ledger's write lock, so whoever holds that lock and sees a part knows that its writer is gone: if there is an entry,
//! the rename is made up for; if there is none, nobody has seen the result, and the part is removed.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use rusqlite::Transaction;

use crate::store::{Failure, Store, io};
use crate::{Digest, Error};

/// Results up to this size are kept in the entry itself.
pub(crate) const LARGEST_INLINE: usize = 1 << 16;

const PART: &str = "part";

/// The directory with the large results of a ledger.
#[derive(Debug)]
pub(crate) struct Results {
    directory: PathBuf,
}

impl Results {
    /// `L.db-results` of a ledger `L.db`.
    pub(crate) fn beside(ledger: &Path) -> Results {
        let mut name = ledger.file_name().unwrap_or_default().to_owned();
        name.push("-results");
        Results { directory: ledger.with_file_name(name) }
    }

    pub(crate) fn path(&self, hash: &Digest) -> PathBuf {
        self.directory.join(hash.to_string())
    }

    fn part(&self, hash: &Digest) -> PathBuf {
        self.path(hash).with_extension(PART)
    }

    /// Puts a result on the disk. Called under the write lock, before the entry is added.
    pub(crate) fn write(&self, hash: &Digest, bytes: &[u8]) -> Result<(), Error> {
        self.create_directory()?;
        let part = self.part(hash);
        let doing = "writing a result";
        let mut private = fs::OpenOptions::new();
        private.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut private, 0o600);
        let mut file = private.open(&part).map_err(io(&part, doing))?;
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(io(&part, doing))?;
        sync_directory(&self.directory)
    }

    fn create_directory(&self) -> Result<(), Error> {
        let mut private = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut private, 0o700);
        match private.create(&self.directory) {
            Ok(()) => sync_directory(self.directory.parent().unwrap_or(&self.directory)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(io(&self.directory, "creating the directory of results")(error)),
        }
    }

    /// Gives a result its name. The entry is on the disk, so a failure is no harm: a reader takes the part, and the next open renames it.
    pub(crate) fn settle(&self, hash: &Digest) {
        let _ = fs::rename(self.part(hash), self.path(hash)).map(|()| sync_directory(&self.directory));
    }

    /// Reads a result again.
    pub(crate) fn read(&self, id: &str, hash: &Digest) -> Result<Vec<u8>, Error> {
        // Between the two looks for the file, another process may have renamed the part.
        let bytes =
            [self.path(hash), self.part(hash), self.path(hash)].iter().find_map(|path| fs::read(path).ok());
        let problem = match bytes {
            Some(bytes) if Digest::of(&bytes) == *hash => return Ok(bytes),
            Some(_) => "was changed",
            None => {
                "is missing or unreadable; if the ledger was moved or copied, its directory of results belongs beside it"
            }
        };
        Err(Error::ResultLost { id: id.to_owned(), path: self.path(hash), problem })
    }

    /// Finishes what an interrupted process left, if there is anything.
    pub(crate) fn recover(&self, store: &mut Store) -> Result<(), Error> {
        if self.parts()?.is_empty() {
            return Ok(());
        }
        store.write("recovering results", |transaction| {
            for hash in self.parts()? {
                if is_stored(transaction, &hash)? {
                    self.settle(&hash);
                } else {
                    let part = self.part(&hash);
                    fs::remove_file(&part).map_err(io(&part, "removing an unfinished result"))?;
                }
            }
            Ok(())
        })
    }

    fn parts(&self) -> Result<Vec<Digest>, Error> {
        let files = match fs::read_dir(&self.directory) {
            Ok(files) => files,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(io(&self.directory, "listing the results")(error)),
        };
        let mut parts = Vec::new();
        for file in files {
            let path = file.map_err(io(&self.directory, "listing the results"))?.path();
            if path.extension().is_some_and(|extension| extension == PART) {
                parts.extend(path.file_stem().and_then(|name| name.to_str()?.parse::<Digest>().ok()));
            }
        }
        Ok(parts)
    }
}

fn is_stored(transaction: &Transaction<'_>, hash: &Digest) -> Result<bool, Failure> {
    let sql =
        "SELECT count(*) FROM entry WHERE kind IN ('result', 'failure') AND sha256 = ?1 AND result IS NULL";
    Ok(transaction.query_one(sql, [hash.to_string()], |row| row.get::<_, i64>(0))? > 0)
}

/// Waits until the names in a directory are on the disk, where the system can do that.
fn sync_directory(directory: &Path) -> Result<(), Error> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    File::open(directory).and_then(|opened| opened.sync_all()).map_err(io(directory, "syncing the directory"))
}
