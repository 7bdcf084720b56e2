//! Numbers from lines or from a column of CSV, in constant memory.

use std::fs::File;
use std::hash::Hasher;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Seek, SeekFrom};
use std::path::Path;

use crate::cells::{Cells, MOST_BYTES, Problem, unclosed_quote};
use crate::entry::{Entry, Unreadable};
use crate::error::{Error, quoted, tell};
use crate::progress::Progress;

/// Values that are worked on together.
pub(crate) const BATCH: usize = 65_536;

/// Numbers of many digits end a batch before it is full, once they take so many bytes together.
const BATCH_BYTES: usize = 4 << 20;

const BUFFER_BYTES: usize = 1 << 16;

/// What some editors put at the start of a text file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Where the numbers come from.
pub(crate) struct Input {
    /// For messages.
    name: String,
    kind: Kind,
}

enum Kind {
    /// Can be read twice, from the byte `start` on.
    File { file: File, start: u64, bytes: u64 },
    /// Can be read once.
    Pipe(Box<dyn Read>),
    /// Can be read as often as one likes.
    Memory(Vec<u8>),
}

impl Input {
    /// Opens a file, or standard input for `-` and `None`.
    pub(crate) fn open(path: Option<&Path>) -> Result<Input, Error> {
        match path {
            Some(path) if path != Path::new("-") => {
                let name = path.display().to_string();
                let file = File::open(path).map_err(|e| Error::io(format!("open {name}"), e))?;
                Input::of_file(name, file)
            }
            _ => Input::standard(),
        }
    }

    fn standard() -> Result<Input, Error> {
        let name = "standard input".to_owned();
        if io::stdin().is_terminal() {
            tell("reading numbers from the terminal, one a line; Ctrl-D ends");
        }
        // Redirected from a file, it can be read twice like any other.
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let file =
                io::stdin().as_fd().try_clone_to_owned().map_err(|e| Error::io("read standard input", e))?;
            Input::of_file(name, File::from(file))
        }
        #[cfg(not(unix))]
        Ok(Input { name, kind: Kind::Pipe(Box::new(io::stdin())) })
    }

    fn of_file(name: String, mut file: File) -> Result<Input, Error> {
        let failed = |e| Error::io(format!("read {name}"), e);
        let metadata = file.metadata().map_err(failed)?;
        let kind = if metadata.is_file() {
            let start = file.stream_position().map_err(failed)?;
            Kind::File { file, start, bytes: metadata.len().saturating_sub(start) }
        } else {
            Kind::Pipe(Box::new(file))
        };
        Ok(Input { name, kind })
    }

    /// All of it, so that several columns can be read, and all of the same text.
    pub(crate) fn into_memory(self) -> Result<Input, Error> {
        let Input { name, kind } = self;
        let mut text = Vec::new();
        let read = match kind {
            Kind::File { mut file, .. } => file.read_to_end(&mut text),
            Kind::Pipe(mut reader) => reader.read_to_end(&mut text),
            Kind::Memory(known) => {
                text = known;
                Ok(0)
            }
        };
        read.map_err(|e| Error::io(format!("read {name}"), e))?;
        Ok(Input { name, kind: Kind::Memory(text) })
    }

    pub(crate) fn is_pipe(&self) -> bool {
        matches!(self.kind, Kind::Pipe(_))
    }

    /// Starts a pass over the numbers.
    pub(crate) fn numbers(&mut self, doing: &'static str, format: &Format) -> Result<Numbers<'_>, Error> {
        let name = &self.name;
        let (reader, progress): (Box<dyn Read + '_>, _) = match &mut self.kind {
            Kind::File { file, start, bytes } => {
                file.seek(SeekFrom::Start(*start)).map_err(|e| Error::io(format!("read {name}"), e))?;
                let progress = Progress::new(doing, Some(*bytes));
                (Box::new(progress.of_bytes(&*file)), progress)
            }
            Kind::Pipe(reader) => (Box::new(reader), Progress::new(doing, None)),
            Kind::Memory(text) => {
                let progress = Progress::new(doing, Some(text.len() as u64));
                (Box::new(progress.of_bytes(text.as_slice())), progress)
            }
        };
        Numbers::start(name, reader, format, progress)
    }
}

/// How the numbers are written.
pub(crate) struct Format {
    pub(crate) column: Option<String>,
    pub(crate) has_header: bool,
    /// All values are declared to be multiples of two to this power.
    pub(crate) granularity: Option<i32>,
    /// Messages may repeat the text of lines. It is private, and messages end up in logs.
    pub(crate) shows_values: bool,
}

/// A pass over the numbers of an input.
pub(crate) struct Numbers<'a> {
    name: &'a str,
    cells: Cells<Box<dyn BufRead + 'a>>,
    granularity: Option<i32>,
    shows_values: bool,
    is_csv: bool,
    text: Vec<u8>,
    /// Of the text of the last batch.
    fingerprint: u64,
    /// A blank line that is fine if it is the last.
    blank: Option<u64>,
    pub(crate) progress: Progress,
}

impl<'a> Numbers<'a> {
    fn start(
        name: &'a str,
        reader: Box<dyn Read + 'a>,
        format: &Format,
        progress: Progress,
    ) -> Result<Numbers<'a>, Error> {
        let failed = |e| Error::io(format!("read {name}"), e);
        let mut reader = BufReader::with_capacity(BUFFER_BYTES, reader);
        let mut head = Vec::new();
        reader.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut head).map_err(failed)?;
        if head == BYTE_ORDER_MARK {
            head.clear();
        }
        let reader: Box<dyn BufRead + 'a> = Box::new(io::Cursor::new(head).chain(reader));
        let cells = match &format.column {
            None => Cells::lines(reader),
            Some(column) => Cells::column(reader, column, format.has_header, name, format.shows_values)?,
        };
        Ok(Numbers {
            name,
            cells,
            granularity: format.granularity,
            shows_values: format.shows_values,
            is_csv: format.column.is_some(),
            text: Vec::new(),
            fingerprint: 0,
            blank: None,
            progress,
        })
    }

    /// The input, for messages.
    pub(crate) fn name(&self) -> &str {
        self.name
    }

    /// Replaces `batch` by the next values, [`BATCH`] of them but at the end, or if they are long.
    pub(crate) fn next_batch<X: Entry<T>, T>(&mut self, batch: &mut Vec<X>) -> Result<(), Error> {
        batch.clear();
        let mut bytes = 0;
        let mut hasher = std::hash::DefaultHasher::new();
        while batch.len() < BATCH && bytes < BATCH_BYTES {
            let cell =
                self.cells.next(&mut self.text).map_err(|e| Error::io(format!("read {}", self.name), e))?;
            let Some(cell) = cell else { break };
            if let Some(line) = self.blank {
                return Err(self.bad_line(line, "is blank".into(), X::EXPECTED));
            }
            if cell.is_blank {
                self.blank = Some(cell.line);
                continue;
            }
            if let Some(problem) = cell.problem {
                return Err(self.bad_cell(cell.line, &problem, X::EXPECTED));
            }
            let value: X = self.parse(cell.line)?;
            bytes += value.heap_bytes();
            batch.push(value);
            self.text.push(b'\n'); // texts that differ must not look alike together
            hasher.write(&self.text);
        }
        hasher.write_usize(batch.len());
        self.fingerprint = hasher.finish();
        Ok(())
    }

    /// The number that the text of this line is.
    fn parse<X: Entry<T>, T>(&self, line: u64) -> Result<X, Error> {
        let text = trimmed(&self.text);
        let Ok(utf8) = std::str::from_utf8(text) else {
            let is_utf16 = line == 1 && (text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff"));
            let problem = if is_utf16 { "UTF-16, not UTF-8 text" } else { "not UTF-8 text" };
            return Err(self.bad_text(line, problem, X::EXPECTED));
        };
        let value = X::parse(utf8).map_err(|Unreadable { problem, detail, hint }| {
            let looks_like_csv = !self.is_csv && utf8.contains([',', ';']);
            let looks_like_header = line == 1 && !self.is_csv && utf8.starts_with(char::is_alphabetic);
            let more = match (looks_like_csv, looks_like_header) {
                (true, _) => "; for a column of a CSV file, use --column",
                (_, true) => "; if line 1 is a header, use --column 1",
                _ => "",
            };
            let problem = match detail {
                Some(detail) if self.shows_values => format!("{problem}: {detail}"),
                _ => problem,
            };
            self.bad_text(line, &problem, &format!("{}{more}", hint.unwrap_or(X::EXPECTED)))
        })?;
        match self.granularity {
            Some(j) if !value.is_multiple_of_pow2(j) => Err(self.bad_text(
                line,
                &format!("not a multiple of 2^{j}"),
                "--granularity must hold for all values: leave it out if it does not",
            )),
            _ => Ok(value),
        }
    }

    /// An error about the text of a cell, which is in it only if the user wants that.
    fn bad_text(&self, line: u64, problem: &str, hint: &str) -> Error {
        if self.shows_values {
            self.bad_line(line, format!("is {}: {problem}", quoted(trimmed(&self.text))), hint)
        } else {
            self.bad_line(line, format!("is {problem}"), &format!("{hint}; --show-values shows it"))
        }
    }

    fn bad_cell(&self, line: u64, problem: &Problem, expected: &str) -> Error {
        match problem {
            Problem::TooLong => self.bad_text(line, &format!("longer than {MOST_BYTES} bytes"), expected),
            Problem::Missing { columns } => {
                let noun = if *columns == 1 { "column" } else { "columns" };
                let problem =
                    format!("has {columns} {noun}, and {} is not among them", self.cells.column_name());
                self.bad_line(line, problem, expected)
            }
            Problem::Ragged { columns, expected } => self.bad_line(
                line,
                format!("has {columns} columns, and the first line has {expected}"),
                "every line must have the same columns: quote fields that have commas in them",
            ),
            Problem::UnclosedQuote => unclosed_quote(self.name, line),
        }
    }

    fn bad_line(&self, line: u64, problem: String, hint: &str) -> Error {
        Error::BadLine { input: self.name.to_owned(), line, problem, hint: hint.to_owned() }
    }
}

/// Without spaces and tabs around it.
fn trimmed(text: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t');
    match (text.iter().position(is_text), text.iter().rposition(is_text)) {
        (Some(first), Some(last)) => &text[first..=last],
        _ => &[],
    }
}

/// What a first pass found: to tell later whether a second one sees the same.
#[derive(Default)]
pub(crate) struct Checked {
    pub(crate) values: u64,
    /// One for each batch: 8 bytes for some hundred kilobytes of text.
    fingerprints: Vec<u64>,
}

impl Checked {
    /// Reads everything.
    pub(crate) fn read<X: Entry<T>, T>(mut numbers: Numbers<'_>) -> Result<Checked, Error> {
        let (mut checked, mut batch) = (Checked::default(), Vec::<X>::new());
        loop {
            numbers.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(checked);
            }
            checked.values += batch.len() as u64;
            checked.fingerprints.push(numbers.fingerprint);
        }
    }

    /// Whether batch number `index`, the last one of `numbers`, is what it was; an empty one is the end.
    pub(crate) fn agrees(&self, index: usize, numbers: &Numbers<'_>, is_empty: bool) -> bool {
        match self.fingerprints.get(index) {
            Some(known) => *known == numbers.fingerprint,
            None => is_empty,
        }
    }
}
