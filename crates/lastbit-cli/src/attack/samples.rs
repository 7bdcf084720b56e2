//! Samples as text, one number a line. What noise should never be, NaN and infinities, are samples like others here.

use std::path::Path;

use crate::error::{Error, quoted};
use crate::prove::files::{name_of, read_text};
use crate::value::nearest;

pub(super) const EXPECTED: &str = "expected one number a line, such as 1.5, -2e-3, 0x1.8p3, nan or -inf";

/// The samples of a file, or of standard input for `-`.
pub(super) fn of_file(path: &Path) -> Result<Vec<f64>, Error> {
    let text = read_text(path)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text); // what some editors put at the start
    let mut samples = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let sample = of_line(line).map_err(|problem| Error::BadLine {
            input: name_of(path),
            line: number,
            problem,
            hint: EXPECTED.into(),
        })?;
        samples.extend(sample);
    }
    Ok(samples)
}

/// The number of a line, `None` if it is blank, or what is wrong with it.
pub(super) fn of_line(line: &str) -> Result<Option<f64>, String> {
    let text = line.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let magnitude = text.strip_prefix(['-', '+']).unwrap_or(text).to_ascii_lowercase();
    let special = match magnitude.as_str() {
        "nan" => Some(f64::NAN),
        "inf" | "infinity" => Some(f64::INFINITY),
        _ => None,
    };
    match special {
        Some(value) if text.starts_with('-') => Ok(Some(-value)),
        Some(value) => Ok(Some(value)),
        None => {
            nearest(text).map(Some).map_err(|problem| format!("is {}: {problem}", quoted(text.as_bytes())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_double() {
        for (text, expected) in [
            ("1.5", 1.5),
            (" -2e-3\t", -2e-3),
            ("0x1.8p-3", 0.1875),
            ("-0x1.8000000000000p+1", -3.0),
            ("0X1P4", 16.0),
            ("0x0.0000000000001p-1022", 5e-324),
            ("-0x0.0p+0", -0.0),
            ("-0", -0.0),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
        ] {
            let sample = of_line(text).map(|sample| sample.map(f64::to_bits));
            assert_eq!(sample, Ok(Some(expected.to_bits())), "{text}");
        }
        for text in ["nan", "NaN", "-nan", "+NAN"] {
            assert!(of_line(text).is_ok_and(|sample| sample.is_some_and(f64::is_nan)), "{text}");
        }
        assert_eq!(of_line(" \t"), Ok(None));
    }

    #[test]
    fn nothing_is_guessed() {
        for text in
            ["1,5", "x", "1 2", "nanana", "--1", "0x", "0x1.00000000000001p0", "1e999", "infinit", "1/2"]
        {
            assert!(of_line(text).is_err(), "{text}");
        }
    }
}
