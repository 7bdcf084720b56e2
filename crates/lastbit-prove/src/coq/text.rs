//! Numbers and names as Coq reads them.

use lastbit_real::{Dyadic, IBig, Rational};

/// An integer; a negative one in parentheses.
pub(super) fn integer(z: &IBig) -> String {
    if *z < IBig::ZERO { format!("({z})") } else { z.to_string() }
}

/// The two integers of `m·2^e`.
pub(super) fn dyadic(x: &Dyadic) -> String {
    format!("{} {}", integer(x.mantissa()), integer(&IBig::from(exponent(x))))
}

/// The exponent, 0 for 0.
pub(super) fn exponent(x: &Dyadic) -> i64 {
    if x.is_zero() { 0 } else { x.exponent() }
}

/// `(n # d)`
pub(super) fn fraction(q: &Rational) -> String {
    format!("({} # {})", q.numerator(), q.denominator())
}

/// Words with a small first letter that mean something to Coq, or in the files.
const TAKEN: [&str; 31] = [
    "as",
    "at",
    "by",
    "cofix",
    "else",
    "end",
    "exists",
    "exists2",
    "fix",
    "for",
    "forall",
    "fun",
    "if",
    "in",
    "let",
    "match",
    "mod",
    "return",
    "then",
    "using",
    "where",
    "with",
    "inputs",
    "prog",
    "boxes",
    "real_reading",
    "float_reading",
    "eps",
    "lambda",
    "loss",
    "of_numbers",
];

/// A name for a theorem, made of any text: letters, digits and `_`, and no word that is taken.
pub(super) fn name(text: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = text.chars().map(safe).collect();
    // Coq's commands start with capitals.
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase());
    if starts_well && !TAKEN.contains(&name.as_str()) { name } else { format!("v_{name}") }
}

/// Names for variables that differ from one another. A letter with a number stays as it is; what is longer might be
/// the name of something that a formula uses.
pub(super) fn variables<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in texts {
        let mut characters = text.chars();
        let is_short = characters.next().is_some_and(|c| c.is_ascii_lowercase())
            && characters.all(|c| c.is_ascii_digit());
        let mut variable = if is_short { text.to_owned() } else { format!("v_{}", name(text)) };
        while all.contains(&variable) {
            variable.push('\'');
        }
        all.push(variable);
    }
    all
}

/// What stands in a comment, which nothing may end or nest.
pub(super) fn comment(text: &str) -> String {
    text.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
}

/// Items with a separator, in lines of moderate length, each but the first after `indent`.
pub(super) fn wrapped(items: impl IntoIterator<Item = String>, separator: &str, indent: &str) -> String {
    const WIDTH: usize = 110;
    let items: Vec<String> = items.into_iter().collect();
    let mut text = String::new();
    let mut width = indent.len();
    for (i, item) in items.iter().enumerate() {
        let item = if i + 1 < items.len() { format!("{item}{separator}") } else { item.clone() };
        let length = item.chars().count() + 1;
        if i > 0 && width + length > WIDTH {
            text += &format!("\n{indent}");
            width = indent.len();
        } else if i > 0 {
            text.push(' ');
        }
        width += length;
        text += &item;
    }
    text
}
