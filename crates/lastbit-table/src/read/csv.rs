//! CSV files, block by block.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use super::split::{Dialect, Malformed, first_row_end, last_row_end, split};
use super::{Piece, TableSource};
use crate::batch::Batch;
use crate::error::TableError;
use crate::plan::places;
use crate::spec::TableSpec;

/// Bytes of a block: with its cells, it leaves room in a cache for keys and totals.
const BLOCK: usize = 1 << 17;
/// A row that is longer is taken for an open quote.
const LONGEST_ROW: usize = 1 << 26;

/// Columns of a file at most: a header with more is none.
const MOST_COLUMNS: usize = 1_000_000;

/// A CSV file.
pub(super) struct Csv {
    input: Box<dyn Read + Send>,
    layout: Arc<Layout>,
    /// Bytes that have been read and not yet given out; they begin with a row.
    rest: Vec<u8>,
    /// The line that the rest begins with.
    line: u64,
    ended: bool,
}

/// What all blocks of a file share.
struct Layout {
    path: PathBuf,
    dialect: Dialect,
    /// For each column of the file its place among the needed columns.
    wanted: Vec<Option<usize>>,
    needed: usize,
}

/// The names of the columns of a CSV file.
pub(super) fn names(
    path: PathBuf,
    input: Box<dyn Read + Send>,
    spec: &TableSpec,
) -> Result<Vec<String>, TableError> {
    let dialect = Dialect { delimiter: spec.delimiter, quote: spec.quote };
    let layout = Layout { path, dialect, wanted: Vec::new(), needed: 0 };
    Csv { input, layout: Arc::new(layout), rest: Vec::new(), line: 1, ended: false }.header()
}

/// The sign that may be the delimiter instead, if the header is one cell with that sign in it.
pub(super) fn other_delimiter<S: AsRef<str>>(header: &[S]) -> Option<char> {
    match header {
        [only] => [';', '\t', '|', ','].into_iter().find(|sign| only.as_ref().contains(*sign)),
        _ => None,
    }
}

impl Csv {
    pub(super) fn new(
        path: PathBuf,
        input: Box<dyn Read + Send>,
        columns: &[String],
        spec: &TableSpec,
    ) -> Result<Csv, TableError> {
        let dialect = Dialect { delimiter: spec.delimiter, quote: spec.quote };
        let layout = Layout { path, dialect, wanted: Vec::new(), needed: columns.len() };
        let mut file = Csv { input, layout: Arc::new(layout), rest: Vec::new(), line: 1, ended: false };
        let header = file.header()?;
        let fail = |fault| {
            let path = file.layout.path.clone();
            match other_delimiter(&header) {
                Some(found) => TableError::Delimiter { path, found },
                None => TableError::Header { path, fault },
            }
        };
        let mut wanted = vec![None; header.len()];
        for (needed, place) in places(columns, &header).map_err(fail)?.into_iter().enumerate() {
            wanted[place] = Some(needed);
        }
        let layout = Layout { path: file.layout.path.clone(), dialect, wanted, needed: columns.len() };
        file.layout = Arc::new(layout);
        Ok(file)
    }

    /// Takes the names of the columns from the first row.
    fn header(&mut self) -> Result<Vec<String>, TableError> {
        let no_header = |path: &PathBuf| TableError::NoHeader { path: path.clone() };
        let mut block = self.block()?.ok_or_else(|| no_header(&self.layout.path))?;
        if block.starts_with(b"\xEF\xBB\xBF") {
            block.drain(..3);
        }
        let blank = block.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(block.len());
        self.line += memchr::memchr_iter(b'\n', &block[..blank]).count() as u64;
        block.drain(..blank);
        let dialect = self.layout.dialect;
        let end = first_row_end(&block, dialect).unwrap_or(block.len());
        let rest = block.split_off(end);
        self.line += memchr::memchr_iter(b'\n', &block).count() as u64;
        self.rest.splice(..0, rest);
        let mut cells = Vec::new();
        let mut split_to = |width: usize| {
            cells = vec![Vec::new(); width];
            split(&mut block, dialect, &(0..width).map(Some).collect::<Vec<_>>(), &mut cells)
        };
        // Asked for no columns, it says how many there are.
        match split_to(0) {
            Err(Malformed::Ragged { found, .. }) if found > MOST_COLUMNS => {
                return Err(no_header(&self.layout.path));
            }
            Err(Malformed::Ragged { found, .. }) => {
                split_to(found).map_err(|_| no_header(&self.layout.path))?;
            }
            Err(Malformed::OpenQuote { .. }) => {
                return Err(TableError::OpenQuote { path: self.layout.path.clone(), line: 1 });
            }
            Ok(_) => {}
        }
        let name = |cell: &Vec<crate::batch::Place>| {
            let place = cell.first()?;
            let bytes = &block[place.start as usize..][..place.length as usize];
            std::str::from_utf8(bytes).ok().map(str::to_owned)
        };
        let names: Option<Vec<String>> = cells.iter().map(name).collect();
        // A carriage return alone ends no line: what looks like a name would go on into the rows.
        let is_header =
            |names: &Vec<String>| !names.is_empty() && !names.iter().any(|name| name.contains('\r'));
        names.filter(is_header).ok_or_else(|| no_header(&self.layout.path))
    }

    /// The next whole rows, about [`BLOCK`] bytes of them.
    fn block(&mut self) -> Result<Option<Vec<u8>>, TableError> {
        let mut wanted = BLOCK;
        loop {
            let missing = wanted.saturating_sub(self.rest.len()) as u64;
            let taken = self.input.by_ref().take(missing).read_to_end(&mut self.rest);
            let taken =
                taken.map_err(|source| TableError::Read { path: self.layout.path.clone(), source })?;
            self.ended |= (taken as u64) < missing;
            let end = if self.ended {
                self.rest.len()
            } else {
                last_row_end(&self.rest, self.layout.dialect).unwrap_or(0)
            };
            if end > 0 {
                let mut rest = Vec::with_capacity(BLOCK);
                rest.extend_from_slice(&self.rest[end..]);
                let mut block = std::mem::replace(&mut self.rest, rest);
                block.truncate(end);
                return Ok(Some(block));
            }
            if self.ended {
                return Ok(None);
            }
            if wanted > LONGEST_ROW {
                return Err(TableError::LongRow {
                    path: self.layout.path.clone(),
                    line: self.line,
                    limit: LONGEST_ROW,
                });
            }
            wanted *= 2;
        }
    }
}

impl TableSource for Csv {
    fn next_piece(&mut self) -> Result<Option<Box<dyn Piece>>, TableError> {
        let Some(bytes) = self.block()? else {
            return Ok(None);
        };
        let line = self.line;
        self.line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        Ok(Some(Box::new(Block { bytes, line, layout: Arc::clone(&self.layout) })))
    }
}

/// Whole rows of a file.
struct Block {
    bytes: Vec<u8>,
    line: u64,
    layout: Arc<Layout>,
}

impl Piece for Block {
    fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn decode(self: Box<Self>, each: &mut dyn FnMut(&Batch)) -> Result<(), TableError> {
        let Block { mut bytes, line, layout } = *self;
        let mut columns = vec![Vec::new(); layout.needed];
        let rows = split(&mut bytes, layout.dialect, &layout.wanted, &mut columns).map_err(|malformed| {
            let line = |at: usize| line + memchr::memchr_iter(b'\n', &bytes[..at]).count() as u64;
            let path = layout.path.clone();
            match malformed {
                Malformed::Ragged { at, found } => {
                    TableError::Ragged { path, line: line(at), found, expected: layout.wanted.len() }
                }
                Malformed::OpenQuote { at } => TableError::OpenQuote { path, line: line(at) },
            }
        })?;
        each(&Batch::of_text(bytes, rows, columns));
        Ok(())
    }
}
