//! Text, cut into the cells that should hold a number each: lines, or the fields of a CSV column.

use std::io::{self, BufRead, Read};

use csv_core::{ReadFieldResult, Terminator};

use crate::error::{Error, quoted};

/// No number needs more text than this: the longest double has 1,075 digits.
pub(crate) const MOST_BYTES: usize = 1 << 16;

/// Names of columns that a message lists.
const MOST_NAMES: usize = 8;

/// A place where a number should be.
pub(crate) struct Cell {
    /// From 1.
    pub(crate) line: u64,
    /// The whole line is empty.
    pub(crate) is_blank: bool,
    /// Why it is bad, whatever its text is.
    pub(crate) problem: Option<Problem>,
}

/// What can be wrong with a cell beside its text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// It has more bytes than any number needs.
    TooLong,
    /// The record has only so many columns.
    Missing { columns: usize },
    /// The record has another number of columns than the first line: what is in the column may belong to another.
    Ragged { columns: usize, expected: usize },
    /// The text ends inside quotes, which open in the cell's line.
    UnclosedQuote,
}

/// All cells of an input, one after the other.
pub(crate) enum Cells<R> {
    Lines {
        reader: R,
        line: u64,
    },
    Column {
        records: Box<Records<R>>,
        index: usize,
        name: String,
        /// The columns of the first line.
        columns: Option<usize>,
    },
}

impl<R: BufRead> Cells<R> {
    pub(crate) fn lines(reader: R) -> Cells<R> {
        Cells::Lines { reader, line: 0 }
    }

    /// The column of this name or, if there is none, of this number from 1.
    ///
    /// A header line that is none holds data: its text is in messages only if `shows_values`.
    pub(crate) fn column(
        reader: R,
        column: &str,
        has_header: bool,
        input: &str,
        shows_values: bool,
    ) -> Result<Cells<R>, Error> {
        let mut records = Records::new(reader);
        let number = column.parse().ok().and_then(|number: usize| number.checked_sub(1));
        let mut columns = None;
        let index = if has_header {
            let header = Header::read(&mut records, column, number)
                .map_err(|e| Error::io(format!("read {input}"), e))?;
            if let Some(line) = header.unclosed_quote {
                return Err(unclosed_quote(input, line));
            }
            columns = Some(header.fields);
            header.index_of(column, number, shows_values)?
        } else {
            let message = format!("without a header line, {} is not a column", quoted(column.as_bytes()));
            number.ok_or_else(|| Error::Column { message, hint: "give its number, from 1".into() })?
        };
        Ok(Cells::Column { records: Box::new(records), index, name: quoted(column.as_bytes()), columns })
    }

    /// The next cell, with its text, unless all are read.
    pub(crate) fn next(&mut self, text: &mut Vec<u8>) -> io::Result<Option<Cell>> {
        text.clear();
        match self {
            Cells::Lines { reader, line } => {
                *line += 1;
                let read = reader.by_ref().take(MOST_BYTES as u64 + 1).read_until(b'\n', text)?;
                if read == 0 {
                    return Ok(None);
                }
                let problem = (read > MOST_BYTES).then_some(Problem::TooLong);
                strip_line_end(text);
                Ok(Some(Cell { line: *line, is_blank: text.is_empty(), problem }))
            }
            Cells::Column { records, index, columns, .. } => {
                let mut too_long_field = false;
                let record = records.next(|i, field| {
                    if i == *index {
                        text.extend_from_slice(field.text);
                        too_long_field = !field.is_whole;
                    }
                })?;
                Ok(record.map(|record| {
                    let (line, problem) = match record.unclosed_quote {
                        Some(line) => (line, Some(Problem::UnclosedQuote)),
                        None if record.fields <= *index => {
                            (record.line, Some(Problem::Missing { columns: record.fields }))
                        }
                        None if !record.is_blank
                            && *columns.get_or_insert(record.fields) != record.fields =>
                        {
                            let expected = columns.unwrap_or_default();
                            (record.line, Some(Problem::Ragged { columns: record.fields, expected }))
                        }
                        None => (record.line, too_long_field.then_some(Problem::TooLong)),
                    };
                    Cell { line, is_blank: record.is_blank, problem }
                }))
            }
        }
    }
}

impl<R> Cells<R> {
    /// The column, for messages; nothing for lines.
    pub(crate) fn column_name(&self) -> &str {
        match self {
            Cells::Lines { .. } => "",
            Cells::Column { name, .. } => name,
        }
    }
}

/// The refusal of text that ends inside quotes.
pub(crate) fn unclosed_quote(input: &str, line: u64) -> Error {
    Error::BadLine {
        input: input.to_owned(),
        line,
        problem: "has a quote that is never closed".into(),
        hint: "a field that starts with a quote goes on to the next one, over lines and commas: close it, or write \"\" for a \
               quote in a quoted field"
            .into(),
    }
}

fn strip_line_end(text: &mut Vec<u8>) {
    if text.last() == Some(&b'\n') {
        text.pop();
    }
    if text.last() == Some(&b'\r') {
        text.pop();
    }
}

/// What the header line says about the column that is looked for.
struct Header {
    /// The fields that have its name.
    matches: Vec<usize>,
    /// The field that has its number.
    numbered: Option<Vec<u8>>,
    /// The first few fields, for messages.
    names: Vec<String>,
    /// Every field is a number, which is odd for a header.
    all_numbers: bool,
    fields: usize,
    /// The line of a quote that is never closed.
    unclosed_quote: Option<u64>,
}

impl Header {
    fn read<R: BufRead>(records: &mut Records<R>, column: &str, number: Option<usize>) -> io::Result<Header> {
        let mut header = Header {
            matches: Vec::new(),
            numbered: None,
            names: Vec::new(),
            all_numbers: true,
            fields: 0,
            unclosed_quote: None,
        };
        let record = records.next(|i, field| {
            if field.is_whole && field.text == column.as_bytes() {
                header.matches.push(i);
            }
            if number == Some(i) {
                header.numbered = Some(field.text.to_vec());
            }
            header.all_numbers &= is_number(field.text);
            if header.names.len() < MOST_NAMES {
                header.names.push(quoted(field.text));
            }
        })?;
        if let Some(record) = record {
            header.fields = record.fields;
            header.unclosed_quote = record.unclosed_quote;
        }
        Ok(header)
    }

    fn index_of(&self, column: &str, number: Option<usize>, shows_values: bool) -> Result<usize, Error> {
        let name = quoted(column.as_bytes());
        // Taken for a header, a line of numbers would be lost.
        let no_header = |text: &[u8]| Error::Column {
            message: match shows_values {
                true => format!("column {name} starts with {}: is there a header line?", quoted(text)),
                false => format!("column {name} starts with a number: is there a header line?"),
            },
            hint: "if not, say --no-header; if so, give the column a name that is not a number".into(),
        };
        match (self.matches.as_slice(), number, &self.numbered) {
            ([_], _, Some(text)) if self.all_numbers => Err(no_header(text)),
            ([index], _, _) => Ok(*index),
            ([_, _, ..], _, _) => Err(Error::Column {
                message: format!("{} columns are called {name}", self.matches.len()),
                hint: "give its number, from 1".into(),
            }),
            ([], Some(_), Some(text)) if is_number(text) => Err(no_header(text)),
            ([], Some(index), Some(_)) => Ok(index),
            ([], _, _) if self.fields == 0 => Err(Error::Empty),
            ([], _, _) => Err(Error::Column {
                message: format!("there is no column {name}"),
                hint: if shows_values {
                    let more = if self.fields > self.names.len() { ", …" } else { "" };
                    format!("the header line has {}{more} (commas separate columns)", self.names.join(", "))
                } else {
                    let columns = if self.fields == 1 { "column" } else { "columns" };
                    format!(
                        "the header line has {} {columns} (commas separate them), none of that name; --show-values shows their names",
                        self.fields
                    )
                },
            }),
        }
    }
}

fn is_number(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.trim().parse::<f64>().is_ok())
}

/// A field of a record.
pub(crate) struct Field<'a> {
    text: &'a [u8],
    /// Otherwise it is cut.
    is_whole: bool,
}

/// A record that has been read.
pub(crate) struct Record {
    line: u64,
    fields: usize,
    is_blank: bool,
    /// The line in which a quote opens that is never closed; nothing follows such a record.
    unclosed_quote: Option<u64>,
}

/// The records of CSV text, field by field: a record may be larger than memory.
///
/// Not the crate `csv`, which keeps whole records (all that follows an unclosed quote) and skips blank lines silently.
pub(crate) struct Records<R> {
    reader: R,
    parser: csv_core::Reader,
    field: Vec<u8>,
    /// Of the next byte, from 1.
    line: u64,
}

impl<R: BufRead> Records<R> {
    fn new(reader: R) -> Records<R> {
        let parser = csv_core::ReaderBuilder::new().terminator(Terminator::Any(b'\n')).build();
        Records { reader, parser, field: vec![0; MOST_BYTES], line: 1 }
    }

    /// Reads a record; `None` at the end.
    fn next(&mut self, mut on_field: impl FnMut(usize, Field<'_>)) -> io::Result<Option<Record>> {
        let line = self.line;
        let Some(&first) = self.reader.fill_buf()?.first() else {
            return Ok(None);
        };
        if first == b'\n' {
            // The parser would skip it.
            self.reader.consume(1);
            self.line += 1;
            return Ok(Some(Record { line, fields: 0, is_blank: true, unclosed_quote: None }));
        }
        let (mut fields, mut length, mut is_whole) = (0, 0, true);
        // Quotes open at the start of a field.
        let mut field_line = line;
        let mut unclosed_quote = None;
        loop {
            let input = self.reader.fill_buf()?;
            let (mut result, read, written) = if input.is_empty() {
                // One more line end: whatever is open ends there, but for a field in quotes.
                (self.parser.read_field(b"\n", &mut [0; 8]).0, 0, 0)
            } else {
                self.parser.read_field(input, &mut self.field[length..])
            };
            if input.is_empty() && result == ReadFieldResult::InputEmpty {
                unclosed_quote = Some(field_line);
                result = self.parser.read_field(&[], &mut []).0;
            }
            self.line += input[..read].iter().filter(|byte| **byte == b'\n').count() as u64;
            self.reader.consume(read);
            length += written;
            match result {
                ReadFieldResult::InputEmpty => {}
                ReadFieldResult::OutputFull => {
                    // Too long for a number. The start is kept in case it is the column asked for.
                    is_whole = false;
                    length = MOST_BYTES / 2;
                }
                ReadFieldResult::Field { record_end } => {
                    let mut text = &self.field[..length];
                    if record_end {
                        text = text.strip_suffix(b"\r").unwrap_or(text);
                    }
                    on_field(fields, Field { text, is_whole });
                    fields += 1;
                    if record_end {
                        let is_blank = first == b'\r' && fields == 1 && text.is_empty();
                        return Ok(Some(Record { line, fields, is_blank, unclosed_quote }));
                    }
                    (length, is_whole) = (0, true);
                    field_line = self.line;
                }
                ReadFieldResult::End => return Ok(None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of a column, `Err` for those with a problem.
    fn column(text: &str, column: &str) -> Vec<(u64, Result<String, String>)> {
        let mut cells = Cells::column(text.as_bytes(), column, true, "test", false).expect("a column");
        let (mut all, mut text) = (Vec::new(), Vec::new());
        while let Some(cell) = cells.next(&mut text).unwrap() {
            let text = String::from_utf8(text.clone()).unwrap();
            let blank = cell.is_blank.then(|| "blank".to_owned());
            let problem = cell.problem.map(|problem| format!("{problem:?}"));
            all.push((cell.line, blank.or(problem).map_or(Ok(text), Err)));
        }
        all
    }

    fn ok(line: u64, text: &str) -> (u64, Result<String, String>) {
        (line, Ok(text.to_owned()))
    }

    #[test]
    fn names_and_numbers() {
        let csv = "a,b,1\n2,3,4\n";
        assert_eq!(column(csv, "b"), [ok(2, "3")]);
        assert_eq!(column(csv, "2"), [ok(2, "3")]);
        assert_eq!(column(csv, "1"), [ok(2, "4")], "a name comes first");
        assert_eq!(column("2020,2021\n2,3\n", "2021"), [ok(2, "3")], "cannot be a number of a column");
    }

    #[test]
    fn a_line_of_numbers_is_no_header() {
        for column in ["1", "2"] {
            let cells = Cells::column("1,2\n3,4\n".as_bytes(), column, true, "test", false);
            assert!(matches!(cells, Err(Error::Column { hint, .. }) if hint.contains("--no-header")));
            assert!(Cells::column("1,2\n3,4\n".as_bytes(), column, false, "test", false).is_ok());
        }
    }

    /// A comma too many, as in 1,000: what is in the column then is of another.
    #[test]
    fn ragged_records() {
        for (csv, name, header) in [
            ("amount,count\n1,000,5\n", "count", true),
            ("v,w\n1\n", "v", true),
            ("v\n1,2,3\n", "v", true),
            ("1,2\n3,4,5\n", "1", false),
        ] {
            let mut cells = Cells::column(csv.as_bytes(), name, header, "test", false).expect("a column");
            let mut text = Vec::new();
            let mut problems = Vec::new();
            while let Some(cell) = cells.next(&mut text).unwrap() {
                problems.extend(cell.problem);
            }
            assert!(matches!(problems[..], [Problem::Ragged { .. }]), "{csv:?}: {problems:?}");
        }
    }

    #[test]
    fn line_ends_quotes_and_numbers_of_lines() {
        for end in ["\n", "\r\n"] {
            let csv = ["a,b", "\"x", "y\",\"1\"", "2,3", "", "4,5"].join(end);
            let blank = (5, Err("blank".to_owned()));
            assert_eq!(column(&csv, "b"), [ok(2, "1"), ok(4, "3"), blank.clone(), ok(6, "5")]);
            assert_eq!(
                column(&(csv + end + end), "b"),
                [ok(2, "1"), ok(4, "3"), blank, ok(6, "5"), (7, Err("blank".into()))]
            );
        }
    }

    #[test]
    fn short_records() {
        let found = column("a,b\n1\n", "b");
        assert_eq!(found, [(2, Err("Missing { columns: 1 }".into()))]);
        assert_eq!(column("a\n\"\"\n", "a"), [ok(2, "")], "empty, but not blank");
    }

    #[test]
    fn an_unclosed_quote_takes_no_memory() {
        struct Endless(u64);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let n = (buffer.len() as u64).min(self.0) as usize;
                buffer[..n].fill(b'7');
                self.0 -= n as u64;
                Ok(n)
            }
        }
        let reader = io::BufReader::new(b"a,b\n1,\"".chain(Endless(10 << 20)));
        let mut cells = Cells::column(reader, "b", true, "test", false).expect("a column");
        let mut text = Vec::new();
        let cell = cells.next(&mut text).unwrap().unwrap();
        assert_eq!((cell.line, cell.problem), (2, Some(Problem::UnclosedQuote)));
        assert!(text.len() <= MOST_BYTES);
        // A long field that is closed.
        let reader = io::BufReader::new(b"a,b\n1,\"".chain(Endless(10 << 20)).chain(&b"\"\n2,3"[..]));
        let mut cells = Cells::column(reader, "b", true, "test", false).expect("a column");
        assert_eq!(cells.next(&mut text).unwrap().unwrap().problem, Some(Problem::TooLong));
        assert!(text.len() <= MOST_BYTES);
        assert_eq!(cells.next(&mut text).unwrap().unwrap().problem, None);
    }

    #[test]
    fn unclosed_quotes_are_where_they_open() {
        let unclosed = |line| (line, Err("UnclosedQuote".to_owned()));
        // In the column, in another one before or behind it, over lines, at the very end, behind doubled quotes.
        assert_eq!(column("a,b\n1,\"2\n3,4\n", "b"), [unclosed(2)]);
        assert_eq!(column("a,b\n1,\"2\n3,4\n", "a"), [unclosed(2)]);
        assert_eq!(column("a,b\n1,2\n\"3,4\n5,6\n", "b"), [ok(2, "2"), unclosed(3)]);
        assert_eq!(column("a,b\n\"x\ny\",\"2\n", "b"), [unclosed(3)]);
        assert_eq!(column("a,b\n1,\"", "b"), [unclosed(2)]);
        assert_eq!(column("a,b\n1,\"2\"\"", "b"), [unclosed(2)]);
        assert_eq!(column("a,b\r\n1,\"2\r\n", "b"), [unclosed(2)]);
        // Closed ones, and quotes that open nothing.
        assert_eq!(column("a,b\n1,\"2\"", "b"), [ok(2, "2")]);
        assert_eq!(column("a,b\n1,\"2\"\"\"", "b"), [ok(2, "2\"")]);
        assert_eq!(column("a,b\n1,2\"", "b"), [ok(2, "2\"")]);
        assert_eq!(column("a,b\n1,\"\"", "b"), [ok(2, "")]);
        assert_eq!(column("a,b\n\"x\"y\",7", "b"), [ok(2, "7")]);
        // In the header.
        let cells = Cells::column("a,\"b\n1,2\n".as_bytes(), "a", true, "test", false);
        assert!(matches!(cells, Err(Error::BadLine { line: 1, .. })));
    }
}
