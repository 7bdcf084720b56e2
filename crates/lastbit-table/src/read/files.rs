//! Which files there are, how they are compressed, and what format they have.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::csv::Csv;
use super::{Piece, TableSource};
use crate::error::TableError;
use crate::plan::Plan;
use crate::spec::{Format, TableSpec};

/// Bytes that are read from a file at once.
const BUFFER: usize = 1 << 18;
const STANDARD_INPUT: &str = "-";

/// The table of a plan: its files, one after the other.
///
/// # Errors
///
/// As [`files`]. Files are opened again when their turn comes.
pub fn open(plan: &Plan) -> Result<Box<dyn TableSource>, TableError> {
    Ok(Box::new(Files::of(plan, named(plan)?)))
}

/// The files of a plan's table, but for standard input. Each is looked into: it has the columns that are needed, and a Parquet file has its end.
///
/// # Errors
///
/// If a pattern has no file, a file is named twice, cannot be opened, or lacks a column.
pub fn files(plan: &Plan) -> Result<Vec<PathBuf>, TableError> {
    let mut paths = named(plan)?;
    paths.retain(|path| path.as_os_str() != STANDARD_INPUT);
    let files = Files::of(plan, Vec::new());
    paths.iter().try_for_each(|path| files.open(path.clone()).map(drop))?;
    Ok(paths)
}

fn named(plan: &Plan) -> Result<Vec<PathBuf>, TableError> {
    let (mut paths, mut known) = (Vec::new(), HashSet::new());
    for pattern in &plan.table.paths {
        for path in expand(&plan.base, pattern)? {
            if !known.insert(true_path(&path)) {
                return Err(TableError::FileTwice { path });
            }
            paths.push(path);
        }
    }
    Ok(paths)
}

/// The path without links and detours, as far as the file is there.
fn true_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether a file is one of those that the paths or patterns of a table mean. Looks at names only.
pub(crate) fn is_among(path: &Path, base: &Path, patterns: &[String]) -> bool {
    let path = true_path(path);
    let files = patterns.iter().flat_map(|pattern| expand(base, pattern).unwrap_or_default());
    files.into_iter().any(|file| true_path(&file) == path)
}

/// The files of a path or pattern, sorted.
fn expand(base: &Path, pattern: &str) -> Result<Vec<PathBuf>, TableError> {
    if pattern == STANDARD_INPUT {
        return Ok(vec![PathBuf::from(pattern)]);
    }
    let path = base.join(pattern);
    if path.exists() {
        return Ok(vec![path]);
    }
    let joined = path.to_string_lossy();
    let bad =
        |error: glob::PatternError| TableError::Pattern { pattern: pattern.to_owned(), reason: error.msg };
    let mut found = Vec::new();
    for path in glob::glob(&joined).map_err(bad)? {
        found.push(
            path.map_err(|error| TableError::Open { path: error.path().to_owned(), source: error.into() })?,
        );
    }
    if found.is_empty() {
        return Err(TableError::NoFile { pattern: pattern.to_owned() });
    }
    found.sort();
    Ok(found)
}

/// Several files, one after the other.
pub(super) struct Files {
    waiting: VecDeque<PathBuf>,
    current: Option<Box<dyn TableSource>>,
    columns: Vec<String>,
    spec: TableSpec,
}

impl Files {
    fn of(plan: &Plan, paths: Vec<PathBuf>) -> Files {
        let (columns, spec) = (plan.columns.clone(), plan.table.clone());
        Files { waiting: paths.into(), current: None, columns, spec }
    }

    pub(super) fn one(path: PathBuf, columns: Vec<String>, spec: TableSpec) -> Files {
        Files { waiting: [path].into(), current: None, columns, spec }
    }

    fn open(&self, path: PathBuf) -> Result<Box<dyn TableSource>, TableError> {
        refuse_pipes(&path)?;
        let is_parquet = match self.spec.format {
            Some(format) => format == Format::Parquet,
            None => is_parquet(&path)?,
        };
        if !is_parquet {
            let (input, mut spec) = (input(&path)?, self.spec.clone());
            if extension(&path) == "tsv" && spec.delimiter == TableSpec::default().delimiter {
                spec.delimiter = b'\t';
            }
            return Ok(Box::new(Csv::new(path, input, &self.columns, &spec)?));
        }
        if path.as_os_str() == STANDARD_INPUT {
            return Err(TableError::ParquetPipe);
        }
        #[cfg(feature = "parquet")]
        return Ok(Box::new(super::parquet::Parquet::new(path, &self.columns)?));
        #[cfg(not(feature = "parquet"))]
        return Err(TableError::NoParquet { path });
    }
}

impl TableSource for Files {
    fn next_piece(&mut self) -> Result<Option<Box<dyn Piece>>, TableError> {
        loop {
            if let Some(current) = &mut self.current
                && let Some(piece) = current.next_piece()?
            {
                return Ok(Some(piece));
            }
            let Some(path) = self.waiting.pop_front() else {
                return Ok(None);
            };
            self.current = Some(self.open(path)?);
        }
    }
}

/// Whether a file of keys is a table with columns, as far as its name tells, rather than a list of lines.
pub(crate) fn is_table(path: &Path) -> bool {
    matches!(extension(path).as_str(), "csv" | "tsv" | "parquet")
}

/// The extension of a file's name in lower case, without that of its compression.
pub(super) fn extension(path: &Path) -> String {
    let lower = |path: &Path| {
        path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
    };
    match lower(path).as_str() {
        "gz" | "zst" | "zstd" => lower(&path.with_extension("")),
        extension => extension.to_owned(),
    }
}

pub(crate) fn whole_file(path: &Path) -> Result<Vec<u8>, TableError> {
    let mut bytes = Vec::new();
    input(path)?
        .read_to_end(&mut bytes)
        .map_err(|source| TableError::Read { path: path.to_owned(), source })?;
    Ok(bytes)
}

/// Standard input is a pipe, too, but it is opened once.
pub(super) fn refuse_pipes(path: &Path) -> Result<(), TableError> {
    let is_pipe = |metadata: std::fs::Metadata| !metadata.is_file();
    match path.as_os_str() != STANDARD_INPUT && path.metadata().is_ok_and(is_pipe) {
        true => Err(TableError::NotAFile { path: path.to_owned() }),
        false => Ok(()),
    }
}

/// Whether the first bytes are those of a Parquet file.
pub(super) fn is_parquet(path: &Path) -> Result<bool, TableError> {
    Ok(path.as_os_str() != STANDARD_INPUT && begins_with(path, b"PAR1")?)
}

fn begins_with(path: &Path, magic: &[u8]) -> Result<bool, TableError> {
    let mut start = Vec::new();
    let file = File::open(path).map_err(|source| TableError::Open { path: path.to_owned(), source })?;
    let read = file.take(magic.len() as u64).read_to_end(&mut start);
    read.map_err(|source| TableError::Read { path: path.to_owned(), source })?;
    Ok(start == magic)
}

/// The content of a file or of standard input, decompressed if its first bytes say that it is compressed.
pub(super) fn input(path: &Path) -> Result<Box<dyn Read + Send>, TableError> {
    let raw: Box<dyn Read + Send> = if path.as_os_str() == STANDARD_INPUT {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(|source| TableError::Open { path: path.to_owned(), source })?)
    };
    let mut raw = BufReader::with_capacity(BUFFER, raw);
    let fail = |source| TableError::Read { path: path.to_owned(), source };
    let start = raw.fill_buf().map_err(fail)?;
    Ok(if start.starts_with(&[0x1f, 0x8b]) {
        Box::new(MultiGzDecoder::new(raw))
    } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Box::new(zstd::Decoder::with_buffer(raw).map_err(fail)?)
    } else {
        Box::new(raw)
    })
}
