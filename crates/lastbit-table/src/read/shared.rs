//! A file that several threads read at places of their own.
//!
//! The `parquet` crate's reader of a [`File`] seeks in a clone of the handle, and clones share one position: threads that read at the same time get
//! each other's bytes, which decode as damage, or as other rows.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// A file of a known length.
pub(super) struct SharedFile {
    file: Arc<Mutex<File>>,
    length: u64,
}

/// A reader from a place on.
pub(super) struct Reader {
    file: Arc<Mutex<File>>,
    at: u64,
}

impl SharedFile {
    pub(super) fn new(file: File) -> io::Result<SharedFile> {
        let length = file.metadata()?.len();
        Ok(SharedFile { file: Arc::new(Mutex::new(file)), length })
    }

    fn from(&self, at: u64) -> Reader {
        Reader { file: Arc::clone(&self.file), at }
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        let read = file.read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for SharedFile {
    type T = BufReader<Reader>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(self.from(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // What the file says of itself may ask for more than it has.
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF("beyond the end of the file".to_owned()));
        }
        let mut buffer = vec![0; length];
        self.from(start).read_exact(&mut buffer)?;
        Ok(buffer.into())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn threads_read_at_their_own_places() {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = (0..200_000u32).map(|at| (at / 1000) as u8).collect();
        file.write_all(&bytes).unwrap();
        let file = SharedFile::new(file).unwrap();
        std::thread::scope(|scope| {
            for worker in 0..4usize {
                let (file, bytes) = (&file, &bytes);
                scope.spawn(move || {
                    for round in 0..300 {
                        let start = (worker * 50_021 + round * 613) % 190_000;
                        let expected = &bytes[start..start + 9_999];
                        assert_eq!(file.get_bytes(start as u64, 9_999).unwrap(), expected);
                        let mut read = vec![0; 9_999];
                        file.get_read(start as u64).unwrap().read_exact(&mut read).unwrap();
                        assert_eq!(read, expected);
                    }
                });
            }
        });
        assert!(file.get_bytes(199_999, 2).is_err() && file.get_bytes(u64::MAX, 2).is_err());
    }
}
