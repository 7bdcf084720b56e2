//! Numbers from lines or from a column of CSV, in constant memory.

use std::fs::File;
use std::hash::Hasher;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Seek, SeekFrom};
use std::path::Path;

use crate::cells::Cells;
use crate::error::{Error, quoted, tell};
use crate::progress::Progress;
use crate::value::Value;

/// Values that are worked on together.
pub(crate) const BATCH: usize = 65_536;

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
}

/// A pass over the numbers of an input.
pub(crate) struct Numbers<'a> {
    name: &'a str,
    cells: Cells<Box<dyn BufRead + 'a>>,
    granularity: Option<i32>,
    is_csv: bool,
    text: Vec<u8>,
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
            Some(column) => Cells::column(reader, column, format.has_header, name)?,
        };
        let (granularity, is_csv) = (format.granularity, format.column.is_some());
        Ok(Numbers { name, cells, granularity, is_csv, text: Vec::new(), blank: None, progress })
    }

    /// The input, for messages.
    pub(crate) fn name(&self) -> &str {
        self.name
    }

    /// Replaces `batch` by the next values, [`BATCH`] of them but at the end.
    pub(crate) fn next_batch<T: Value>(&mut self, batch: &mut Vec<T>) -> Result<(), Error> {
        batch.clear();
        while batch.len() < BATCH {
            let cell =
                self.cells.next(&mut self.text).map_err(|e| Error::io(format!("read {}", self.name), e))?;
            let Some(cell) = cell else { break };
            if let Some(line) = self.blank {
                return Err(self.bad_line(line, "is blank".into(), T::EXPECTED));
            }
            if cell.is_blank {
                self.blank = Some(cell.line);
                continue;
            }
            if let Some(problem) = cell.problem {
                return Err(self.bad_line(cell.line, problem, T::EXPECTED));
            }
            batch.push(self.parse(cell.line)?);
        }
        Ok(())
    }

    /// The number that the text of this line is.
    fn parse<T: Value>(&self, line: u64) -> Result<T, Error> {
        let text = trimmed(&self.text);
        let bad = |problem: &str, expected: &str| {
            self.bad_line(line, format!("is {}: {problem}", quoted(text)), expected)
        };
        let Ok(utf8) = std::str::from_utf8(text) else {
            let is_utf16 = line == 1 && (text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff"));
            return Err(bad(if is_utf16 { "UTF-16, not UTF-8 text" } else { "not UTF-8 text" }, T::EXPECTED));
        };
        let value = T::parse(utf8).map_err(|problem| {
            let looks_like_csv = !self.is_csv && utf8.contains([',', ';']);
            let looks_like_header = line == 1 && !self.is_csv && utf8.starts_with(char::is_alphabetic);
            let more = match (looks_like_csv, looks_like_header) {
                (true, _) => "; for a column of a CSV file, use --column",
                (_, true) => "; if line 1 is a header, use --column 1",
                _ => "",
            };
            bad(&problem, &format!("{}{more}", T::EXPECTED))
        })?;
        match self.granularity {
            Some(j) if !value.is_multiple_of_pow2(j) => Err(bad(
                &format!("not a multiple of 2^{j}"),
                "--granularity must hold for all values: leave it out if it does not",
            )),
            _ => Ok(value),
        }
    }

    fn bad_line(&self, line: u64, problem: String, expected: &str) -> Error {
        Error::BadLine { input: self.name.to_owned(), line, problem, hint: expected.to_owned() }
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
    pub(crate) fn read<T: Value>(mut numbers: Numbers<'_>) -> Result<Checked, Error> {
        let (mut checked, mut batch) = (Checked::default(), Vec::<T>::new());
        loop {
            numbers.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(checked);
            }
            checked.values += batch.len() as u64;
            checked.fingerprints.push(fingerprint(&batch));
        }
    }

    /// Whether batch number `index` is what it was; an empty one is the end.
    pub(crate) fn agrees<T: Value>(&self, index: usize, batch: &[T]) -> bool {
        match self.fingerprints.get(index) {
            Some(known) => *known == fingerprint(batch),
            None => batch.is_empty(),
        }
    }
}

fn fingerprint<T: Value>(batch: &[T]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    batch.iter().for_each(|value| hasher.write_u64(value.bits()));
    hasher.write_usize(batch.len());
    hasher.finish()
}
