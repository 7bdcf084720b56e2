//! Rows and cells of CSV text.
//!
//! A cell that begins with the quote goes on to the next single quote; a doubled one stands for itself. Quotes elsewhere are ordinary. Rows end
//! with a line feed, before which a carriage return is dropped. Blank lines are no rows. This is what the crate `csv-core` does, which the
//! tests compare it with; it is written again because blocks of a file must be cut between rows before threads can split them.

use crate::batch::Place;

/// The signs that have a meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
}

/// Why a block is malformed; the row is counted by the byte that it begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Malformed {
    Ragged { at: usize, found: usize },
    OpenQuote { at: usize },
}

/// The end of the last whole row in a block that begins with a row.
pub(super) fn last_row_end(block: &[u8], dialect: Dialect) -> Option<usize> {
    if memchr::memchr(dialect.quote, block).is_none() {
        return memchr::memrchr(b'\n', block).map(|at| at + 1);
    }
    row_ends(block, dialect).last()
}

/// The end of the first row in a block, if it is whole.
pub(super) fn first_row_end(block: &[u8], dialect: Dialect) -> Option<usize> {
    row_ends(block, dialect).next()
}

/// The ends of all whole rows in a block that begins with a row.
fn row_ends(block: &[u8], dialect: Dialect) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < block.len() {
            if block[at] == dialect.quote {
                at = closing_quote(block, at, dialect.quote)? + 1;
            }
            at += memchr::memchr2(dialect.delimiter, b'\n', &block[at..])? + 1;
            if block[at - 1] == b'\n' {
                return Some(at);
            }
        }
        None
    })
}

/// The quote that ends the cell which begins with a quote at `start`.
fn closing_quote(block: &[u8], start: usize, quote: u8) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr::memchr(quote, block.get(at..)?)?;
        if block.get(at + 1) != Some(&quote) {
            return Some(at);
        }
        at += 2;
    }
}

/// Splits a block of whole rows: `wanted[i]` is the column of the result that the `i`-th cell of a row goes to. Returns the number of rows.
///
/// The content of quoted cells with quotes inside is appended to the block, where their places are.
pub(super) fn split(
    block: &mut Vec<u8>,
    dialect: Dialect,
    wanted: &[Option<usize>],
    columns: &mut [Vec<Place>],
) -> Result<usize, Malformed> {
    let length = block.len();
    let (mut at, mut rows) = (0, 0);
    while at < length {
        let row = at;
        match &block[at..length] {
            [b'\n', ..] => {
                at += 1;
                continue;
            }
            [b'\r', b'\n', ..] => {
                at += 2;
                continue;
            }
            _ => {}
        }
        let mut cell = 0;
        loop {
            let text = &block[..length];
            let (start, end, next);
            if text.get(at) == Some(&dialect.quote) {
                let closing =
                    closing_quote(text, at, dialect.quote).ok_or(Malformed::OpenQuote { at: row })?;
                next = closing + 1 + cell_length(&text[closing + 1..], dialect.delimiter);
                let rest_end = trim_return(text, closing + 1, next);
                (start, end) = unquote(block, at + 1, closing, rest_end, dialect.quote);
            } else {
                next = at + cell_length(&text[at..], dialect.delimiter);
                (start, end) = (at, trim_return(text, at, next));
            }
            if let Some(&Some(column)) = wanted.get(cell) {
                columns[column].push(Place { start: start as u32, length: (end - start) as u32 });
            }
            cell += 1;
            at = next + 1;
            if next >= length || block[next] != dialect.delimiter {
                break;
            }
        }
        if cell != wanted.len() {
            return Err(Malformed::Ragged { at: row, found: cell });
        }
        rows += 1;
    }
    Ok(rows)
}

/// The number of bytes before the delimiter, the end of the line or the end of the block.
#[inline]
fn cell_length(block: &[u8], delimiter: u8) -> usize {
    block.iter().position(|&byte| byte == delimiter || byte == b'\n').unwrap_or(block.len())
}

/// The end of a cell without the carriage return of a line's end.
#[inline]
fn trim_return(block: &[u8], start: usize, end: usize) -> usize {
    let returns = end > start && block[end - 1] == b'\r' && block.get(end).is_none_or(|&byte| byte == b'\n');
    end - usize::from(returns)
}

/// The place of the content of a quoted cell, without doubled quotes and with what follows the closing quote.
fn unquote(block: &mut Vec<u8>, start: usize, closing: usize, rest_end: usize, quote: u8) -> (usize, usize) {
    if rest_end == closing + 1 && memchr::memchr(quote, &block[start..closing]).is_none() {
        return (start, closing);
    }
    let new_start = block.len();
    let mut from = start;
    while from < closing {
        let byte = block[from];
        block.push(byte);
        from += if byte == quote { 2 } else { 1 };
    }
    block.extend_from_within(closing + 1..rest_end);
    (new_start, block.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DIALECT: Dialect = Dialect { delimiter: b',', quote: b'"' };

    fn cells(text: &[u8], width: usize) -> Result<Vec<Vec<Vec<u8>>>, Malformed> {
        let mut block = text.to_vec();
        let mut columns = vec![Vec::new(); width];
        let wanted: Vec<_> = (0..width).map(Some).collect();
        let rows = split(&mut block, DIALECT, &wanted, &mut columns)?;
        let cell = |place: Place| block[place.start as usize..][..place.length as usize].to_vec();
        Ok((0..rows).map(|row| columns.iter().map(|column| cell(column[row])).collect()).collect())
    }

    /// The rows as `csv-core` reads them.
    fn oracle(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut reader = csv_core::Reader::new();
        let (mut output, mut ends) = (vec![0; text.len() + 1], vec![0; text.len() + 2]);
        let (mut rows, mut rest) = (Vec::new(), text);
        loop {
            let (result, read, _, count) = reader.read_record(rest, &mut output, &mut ends);
            rest = &rest[read..];
            match result {
                csv_core::ReadRecordResult::Record => {
                    let starts = [0].into_iter().chain(ends[..count].iter().copied());
                    rows.push(
                        starts.zip(&ends[..count]).map(|(start, &end)| output[start..end].to_vec()).collect(),
                    );
                }
                csv_core::ReadRecordResult::End => return rows,
                // Only at the end of the text: the next call, without input, ends the last row.
                _ => {
                    let (result, _, _, more) = reader.read_record(&[], &mut output[..0], &mut ends[count..]);
                    assert!(
                        matches!(
                            result,
                            csv_core::ReadRecordResult::End | csv_core::ReadRecordResult::Record
                        ) || more == 0
                    );
                    return rows;
                }
            }
        }
    }

    #[test]
    fn golden_rows() {
        let text = b"a,\"b,\nc\",d\r\n\r\n\n\"x\"\"y\",,\"\"\n1,2,\"3\"4\r\n5,6\"6,7";
        let expected: [[&[u8]; 3]; 4] =
            [[b"a", b"b,\nc", b"d"], [b"x\"y", b"", b""], [b"1", b"2", b"34"], [b"5", b"6\"6", b"7"]];
        assert_eq!(cells(text, 3).unwrap(), expected);
        assert_eq!(cells(b"a,b\n1\n", 2), Err(Malformed::Ragged { at: 4, found: 1 }));
        assert_eq!(cells(b"a,b\n1,2,3\n", 2), Err(Malformed::Ragged { at: 4, found: 3 }));
        assert_eq!(cells(b"a,b\n1,\"2\n", 2), Err(Malformed::OpenQuote { at: 4 }));
    }

    proptest! {
        #[test]
        fn rows_are_those_of_csv_core(text in proptest::collection::vec(proptest::sample::select(b"ab,\"\n".to_vec()), 0..60)) {
            let mut text = text;
            text.push(b'\n');
            let Some(end) = last_row_end(&text, DIALECT) else { return Ok(()) };
            let whole = &text[..end];
            let expected = oracle(whole);
            for width in 1..4 {
                if expected.iter().all(|row| row.len() == width) {
                    prop_assert_eq!(cells(whole, width), Ok(expected.clone()));
                } else {
                    let ragged = matches!(cells(whole, width), Err(Malformed::Ragged { .. }));
                    prop_assert!(ragged);
                }
            }
            // Any cut that is found leaves the same rows on both sides.
            for cut in 0..whole.len() {
                if let Some(end) = last_row_end(&whole[..cut], DIALECT) {
                    let mut both = oracle(&whole[..end]);
                    both.extend(oracle(&whole[end..]));
                    prop_assert_eq!(&both, &expected);
                }
            }
        }
    }
}
