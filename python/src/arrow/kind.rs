//! The types of columns of tables.

use super::c_data::Schema;

/// How the values of a column lie in memory, and what they mean.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Signed8,
    Signed16,
    Signed32,
    Signed64,
    Unsigned8,
    Unsigned16,
    Unsigned32,
    Unsigned64,
    Half,
    Single,
    Double,
    /// Of 4, 8, 16 or 32 bytes, with so many digits after the point.
    Decimal {
        bytes: usize,
        scale: u32,
    },
    /// Days of 32 bits.
    Days,
    /// Milliseconds of whole days.
    Milliseconds,
    /// Ticks a second.
    Timestamp(i64),
    Texts {
        is_wide: bool,
    },
    Views,
    /// Numbers of values.
    Dictionary {
        index: Box<Kind>,
        value: Box<Kind>,
    },
}

/// The most digits of a decimal, before and after its point.
const MOST_DIGITS: u32 = 38;

impl Kind {
    /// The kind of a column; the name of its type if cells have no such type.
    pub(super) fn of(schema: &Schema) -> Result<Kind, String> {
        if schema.is_extension() {
            return Err("an extension type".to_owned());
        }
        let format = schema.format().map_err(str::to_owned)?;
        let plain = Kind::plain(format)?;
        let Some(values) = schema.dictionary() else { return Ok(plain) };
        match (&plain, Kind::of(values)?) {
            (_, Kind::Dictionary { .. }) => Err("categories of categories".to_owned()),
            (Kind::Signed8 | Kind::Signed16 | Kind::Signed32 | Kind::Signed64, value)
            | (Kind::Unsigned8 | Kind::Unsigned16 | Kind::Unsigned32 | Kind::Unsigned64, value) => {
                Ok(Kind::Dictionary { index: Box::new(plain), value: Box::new(value) })
            }
            _ => Err("categories without numbers".to_owned()),
        }
    }

    fn plain(format: &str) -> Result<Kind, String> {
        Ok(match format {
            "n" => Kind::Null,
            "b" => Kind::Boolean,
            "c" => Kind::Signed8,
            "s" => Kind::Signed16,
            "i" => Kind::Signed32,
            "l" => Kind::Signed64,
            "C" => Kind::Unsigned8,
            "S" => Kind::Unsigned16,
            "I" => Kind::Unsigned32,
            "L" => Kind::Unsigned64,
            "e" => Kind::Half,
            "f" => Kind::Single,
            "g" => Kind::Double,
            "tdD" => Kind::Days,
            "tdm" => Kind::Milliseconds,
            "u" | "z" => Kind::Texts { is_wide: false },
            "U" | "Z" => Kind::Texts { is_wide: true },
            "vu" | "vz" => Kind::Views,
            _ => {
                if let Some(decimal) = format.strip_prefix("d:") {
                    return Kind::decimal(decimal);
                }
                let ticks = match format.get(..4) {
                    Some("tss:") => 1,
                    Some("tsm:") => 1_000,
                    Some("tsu:") => 1_000_000,
                    Some("tsn:") => 1_000_000_000,
                    _ => return Err(type_name(format)),
                };
                Kind::Timestamp(ticks)
            }
        })
    }

    /// From the digits, those after the point, and the bits if they are not 128.
    fn decimal(text: &str) -> Result<Kind, String> {
        let refused = || format!("decimals ({text})");
        let parts: Option<Vec<i64>> = text.split(',').map(|part| part.parse().ok()).collect();
        let (digits, scale, bits) = match parts.as_deref() {
            Some([digits, scale]) => (*digits, *scale, 128),
            Some([digits, scale, bits]) => (*digits, *scale, *bits),
            _ => return Err(refused()),
        };
        let fits = |number: i64| u32::try_from(number).ok().filter(|number| *number <= MOST_DIGITS);
        match (fits(digits), fits(scale), bits) {
            (Some(_), Some(scale), 32 | 64 | 128 | 256) => {
                Ok(Kind::Decimal { bytes: bits as usize / 8, scale })
            }
            (_, _, 32 | 64 | 128 | 256) => {
                Err(format!("decimals of more than {MOST_DIGITS} digits, or a negative scale"))
            }
            _ => Err(refused()),
        }
    }
}

/// The type behind a format string, for messages.
fn type_name(format: &str) -> String {
    let name = match format.as_bytes() {
        [b'w', ..] => "bytes of a fixed size",
        [b't', b't', ..] => "times without a day",
        [b't', b'D', ..] => "durations",
        [b't', b'i', ..] => "intervals of the calendar",
        b"+s" => "a struct",
        b"+r" => "run-end encoded",
        [b'+', b'l' | b'L' | b'v' | b'w', ..] => "lists",
        [b'+', b'm', ..] => "maps",
        [b'+', b'u', ..] => "a union",
        _ => return format!("Arrow's format {format:?}"),
    };
    name.to_owned()
}
