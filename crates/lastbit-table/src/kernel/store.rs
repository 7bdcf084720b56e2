//! Records by partitions: in memory up to a limit, then in a temporary file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::lock;
use super::record::Layout;
use crate::code::Code;
use crate::error::TableError;

/// Partitions of units, by hash.
pub(super) const PARTITIONS: usize = 1024;

/// The records of all threads.
pub(super) struct Store {
    partitions: Vec<Mutex<Vec<Chunk>>>,
    /// Bytes of chunks in memory, and their limit.
    held: AtomicUsize,
    limit: usize,
    chunk: usize,
    /// Has no name, so that no other process can open it, and is gone when this process ends, whatever happens.
    file: Mutex<Option<File>>,
    spilled: AtomicU64,
}

/// Records of one partition.
enum Chunk {
    Memory(Vec<u8>),
    File { start: u64, length: usize },
}

/// Records of one thread that no chunk has yet.
pub(super) struct Buffers(Vec<Vec<u8>>);

impl Store {
    pub(super) fn new(limit: usize, threads: usize) -> Store {
        // Buffers of all threads take up to a quarter of the limit, and what they have room for is little beside the rows of a table of a million.
        let chunk = (limit / (4 * threads * PARTITIONS)).clamp(1 << 8, 1 << 12);
        let partitions = (0..PARTITIONS).map(|_| Mutex::default()).collect();
        Store {
            partitions,
            held: AtomicUsize::new(0),
            limit,
            chunk,
            file: Mutex::new(None),
            spilled: AtomicU64::new(0),
        }
    }

    pub(super) fn buffers(&self) -> Buffers {
        Buffers(vec![Vec::new(); PARTITIONS])
    }

    pub(super) fn spilled(&self) -> u64 {
        self.spilled.load(Ordering::Relaxed)
    }

    fn push(&self, partition: usize, records: Vec<u8>) -> Result<(), TableError> {
        let length = records.len();
        let held = self.held.fetch_add(length, Ordering::Relaxed);
        let chunk = if held + length <= self.limit {
            Chunk::Memory(records)
        } else {
            self.held.fetch_sub(length, Ordering::Relaxed);
            self.spill(&records).map_err(|source| TableError::Spill { source })?
        };
        lock(&self.partitions[partition]).push(chunk);
        Ok(())
    }

    fn spill(&self, records: &[u8]) -> std::io::Result<Chunk> {
        let mut file = lock(&self.file);
        let file = match &mut *file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let start = file.seek(SeekFrom::End(0))?;
        file.write_all(records)?;
        self.spilled.fetch_add(records.len() as u64, Ordering::Relaxed);
        Ok(Chunk::File { start, length: records.len() })
    }

    /// The bytes of a partition's records.
    pub(super) fn size(&self, partition: usize) -> usize {
        let length = |chunk: &Chunk| match chunk {
            Chunk::Memory(records) => records.len(),
            Chunk::File { length, .. } => *length,
        };
        lock(&self.partitions[partition]).iter().map(length).sum()
    }

    /// Takes the records of a partition, chunk by chunk.
    pub(super) fn drain(
        &self,
        partition: usize,
        mut each: impl FnMut(&[u8]) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let chunks = std::mem::take(&mut *lock(&self.partitions[partition]));
        for chunk in chunks {
            match chunk {
                Chunk::Memory(records) => each(&records)?,
                Chunk::File { start, length } => {
                    let records = self.fetch(start, length).map_err(|source| TableError::Spill { source })?;
                    each(&records)?;
                }
            }
        }
        Ok(())
    }

    fn fetch(&self, start: u64, length: usize) -> std::io::Result<Vec<u8>> {
        let mut records = vec![0; length];
        let mut file = lock(&self.file);
        if let Some(file) = &mut *file {
            file.seek(SeekFrom::Start(start))?;
            file.read_exact(&mut records)?;
        }
        Ok(records)
    }
}

impl Buffers {
    #[inline]
    pub(super) fn push(
        &mut self,
        store: &Store,
        layout: &Layout,
        unit: &[u8],
        group: u32,
        slots: &[u64],
    ) -> Result<(), TableError> {
        let code = Code::of(unit);
        let partition = code.partition();
        let buffer = &mut self.0[partition];
        if buffer.capacity() == 0 {
            buffer.reserve_exact(store.chunk + store.chunk / 16);
        }
        layout.write(buffer, code, unit, group, slots);
        if buffer.len() >= store.chunk {
            store.push(partition, std::mem::take(buffer))?;
        }
        Ok(())
    }

    pub(super) fn finish(self, store: &Store) -> Result<(), TableError> {
        for (partition, records) in self.0.into_iter().enumerate() {
            if !records.is_empty() {
                store.push(partition, records)?;
            }
        }
        Ok(())
    }
}
