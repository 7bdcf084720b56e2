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

/// Words that mean something in the files, or to Coq.
const TAKEN: [&str; 62] = [
    "as", "at", "cofix", "else", "end", "exists", "exists2", "fix", "for", "forall", "fun", "if", "in",
    "let", "match", "mod", "return", "Set", "Prop", "SProp", "Type", "then", "using", "where", "with", "R",
    "Q", "Z", "N", "I", "D", "V", "J", "lib", "libm", "inputs", "prog", "boxes", "exp", "ln", "sqrt", "Rabs",
    "Rmin", "Rmax", "Q2R", "B2R", "IZR", "Float", "Real", "Sign", "Integer", "Up", "Even", "Away", "Less",
    "Equal", "Leaf", "Cut", "Range", "meets", "binary64", "binary32",
];

/// A name that Coq accepts, made of any text: letters, digits and `_`, and no word that is taken.
pub(super) fn name(text: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = text.chars().map(safe).collect();
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if starts_well && !TAKEN.contains(&name.as_str()) { name } else { format!("v_{name}") }
}

/// Names that differ from one another.
pub(super) fn names<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in texts {
        let mut name = name(text);
        while all.contains(&name) {
            name.push('\'');
        }
        all.push(name);
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
