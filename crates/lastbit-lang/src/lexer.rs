//! From text to tokens.

use lastbit_real::Rational;

use crate::ast::{Comment, Side};
use crate::constant::bits;
use crate::{Diagnostic, Span};

/// Longest number in bytes and largest exponent: a short text must not stand for a number that fills the memory. What the
/// float formats can hold is far below.
const MAX_NUMBER_LENGTH: usize = 1200;
const MAX_DECIMAL_EXPONENT: u32 = 1200;
const MAX_BINARY_EXPONENT: u32 = 4096;
const MAX_POWER_BITS: u64 = 4 * MAX_BINARY_EXPONENT as u64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// Its text is that of the source.
    Name,
    Number(Rational),
    /// `<1>` or `<2>` right after a name or a bracket.
    Copy(Side),
    Symbol(&'static str),
    End,
}

pub(crate) struct Tokens {
    /// The last one is [`Token::End`].
    pub(crate) tokens: Vec<(Token, Span)>,
    pub(crate) comments: Vec<Comment>,
    pub(crate) blank_lines: Vec<usize>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// What is written, and what it is read as. Longer ones first.
const SYMBOLS: [(&str, &str); 44] = [
    (":=", ":="),
    ("<$", "<$"),
    ("<=", "<="),
    (">=", ">="),
    ("!=", "!="),
    ("==", "="),
    ("=>", "=>"),
    ("->", "->"),
    ("..", ".."),
    ("=", "="),
    ("<", "<"),
    (">", ">"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("^", "^"),
    ("&", "&"),
    ("|", "|"),
    ("!", "!"),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    ("{", "{"),
    ("}", "}"),
    (",", ","),
    (";", ";"),
    (":", ":"),
    ("⊕", "+"),
    ("⊖", "-"),
    ("⊗", "*"),
    ("⊘", "/"),
    ("−", "-"),
    ("×", "*"),
    ("·", "*"),
    ("÷", "/"),
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("∧", "&"),
    ("∨", "|"),
    ("¬", "!"),
    ("→", "->"),
];

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

pub(crate) fn tokenize(source: &str) -> Tokens {
    let mut lexer = Lexer {
        source,
        position: 0,
        line_is_empty: true,
        empty_lines: 0,
        out: Tokens {
            tokens: Vec::new(),
            comments: Vec::new(),
            blank_lines: Vec::new(),
            diagnostics: Vec::new(),
        },
    };
    // A byte-order mark is not part of the text.
    if source.starts_with('\u{feff}') {
        lexer.position = '\u{feff}'.len_utf8();
    }
    while let Some(c) = lexer.peek() {
        lexer.step(c);
    }
    let end = source.len();
    lexer.out.tokens.push((Token::End, Span::new(end, end)));
    lexer.out
}

struct Lexer<'a> {
    source: &'a str,
    position: usize,
    line_is_empty: bool,
    empty_lines: usize,
    out: Tokens,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.position..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn step(&mut self, c: char) {
        if c == '\n' {
            self.position += 1;
            self.empty_lines += usize::from(self.line_is_empty);
            self.line_is_empty = true;
            return;
        }
        if c.is_whitespace() {
            self.position += c.len_utf8();
            return;
        }
        if self.empty_lines > 0 {
            self.out.blank_lines.push(self.position);
            self.empty_lines = 0;
        }
        let rest = self.rest();
        if rest.starts_with("//") || c == '#' {
            self.comment();
        } else if c.is_ascii_digit() || (c == '.' && rest[1..].starts_with(|d: char| d.is_ascii_digit())) {
            self.number();
        } else if is_name_start(c) {
            let length = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
            self.token(Token::Name, length);
        } else if let Some(side) = self.copy() {
            self.token(Token::Copy(side), 3);
        } else if let Some((written, symbol)) = SYMBOLS.iter().find(|(written, _)| rest.starts_with(written))
        {
            self.token(Token::Symbol(symbol), written.len());
        } else {
            self.unknown();
        }
        self.line_is_empty = false;
    }

    fn token(&mut self, token: Token, length: usize) {
        let start = self.position;
        self.position += length;
        self.out.tokens.push((token, Span::new(start, self.position)));
    }

    /// `x<1>` is a copy, `x < 1 > y` is not: no space, and right after what can be copied.
    fn copy(&self) -> Option<Side> {
        let (token, span) = self.out.tokens.last()?;
        let copyable = matches!(token, Token::Name | Token::Symbol("]" | ")"));
        if !copyable || span.end != self.position {
            return None;
        }
        match self.rest() {
            rest if rest.starts_with("<1>") => Some(Side::One),
            rest if rest.starts_with("<2>") => Some(Side::Two),
            _ => None,
        }
    }

    fn comment(&mut self) {
        let rest = self.rest();
        let length = rest.find('\n').unwrap_or(rest.len());
        let text = rest[..length].trim_end();
        let trails = match self.out.tokens.last() {
            Some((_, span)) if !self.line_is_empty => Some(span.end),
            _ => None,
        };
        let span = Span::new(self.position, self.position + text.len());
        self.out.comments.push(Comment { text: text.to_owned(), span, trails });
        self.position += length;
    }

    fn unknown(&mut self) {
        let start = self.position;
        let strange = |c: char| {
            !c.is_ascii()
                && !c.is_whitespace()
                && !is_name_start(c)
                && !SYMBOLS.iter().any(|s| s.0.starts_with(c))
        };
        let Some(first) = self.peek() else { return };
        self.position += first.len_utf8();
        while let Some(c) = self.peek().filter(|c| strange(*c) || c.is_control() && !c.is_whitespace()) {
            self.position += c.len_utf8();
        }
        let span = Span::new(start, self.position);
        self.out.diagnostics.push(Diagnostic::new(span, format!("{first:?} cannot stand here")));
    }

    fn number(&mut self) {
        let rest = self.rest();
        let length = number_length(rest);
        let (mantissa_text, power_text) = (&rest[..length], &rest[length..]);
        let mut total = length;
        let mut value = self.exact(mantissa_text);
        if let Some(exponent) = power_text.strip_prefix('^') {
            let digits_at = usize::from(exponent.starts_with('-'));
            let digits = leading(&exponent[digits_at..], |c| c.is_ascii_digit());
            if digits > 0 {
                total += 1 + digits_at + digits;
                value = value.and_then(|base| {
                    let magnitude = exponent[digits_at..][..digits].parse().unwrap_or(u32::MAX);
                    power(&base, magnitude, digits_at == 1)
                });
            }
        }
        match value {
            Ok(value) => self.token(Token::Number(value), total),
            Err(message) => {
                let span = Span::new(self.position, self.position + total);
                self.out.diagnostics.push(Diagnostic::new(span, message));
                self.token(Token::Number(Rational::ZERO), total);
            }
        }
    }

    fn exact(&self, text: &str) -> Result<Rational, String> {
        if text.len() > MAX_NUMBER_LENGTH {
            return Err(format!(
                "a number of {} characters; at most {MAX_NUMBER_LENGTH} are read",
                text.len()
            ));
        }
        let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        let (mark, limit) =
            if hexadecimal { (['p', 'P'], MAX_BINARY_EXPONENT) } else { (['e', 'E'], MAX_DECIMAL_EXPONENT) };
        if let Some((_, exponent)) = text.split_once(mark) {
            let digits = exponent.trim_start_matches(['+', '-']);
            if !digits.is_empty() && digits.parse().unwrap_or(u32::MAX) > limit {
                return Err(format!("the exponent of `{text}` is beyond the limit of ±{limit}"));
            }
        }
        text.parse::<Rational>().map_err(|error| format!("`{text}` is not a number: {error}"))
    }
}

/// How many bytes of the text, from its start, satisfy the predicate.
fn leading(text: &str, predicate: impl Fn(char) -> bool) -> usize {
    text.find(|c| !predicate(c)).unwrap_or(text.len())
}

/// The length of the number at the start of the text. A range `0..n` is not a number with a point.
fn number_length(text: &str) -> usize {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut length = if hexadecimal { 2 } else { 0 };
    let digit = move |c: char| if hexadecimal { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
    length += leading(&text[length..], digit);
    if text[length..].starts_with('.') && text[length + 1..].starts_with(digit) {
        length += 1;
        length += leading(&text[length + 1..], digit) + 1;
    }
    let mark = if hexadecimal { ['p', 'P'] } else { ['e', 'E'] };
    if text[length..].starts_with(mark) {
        let sign = usize::from(text[length + 1..].starts_with(['+', '-']));
        let digits = leading(&text[length + 1 + sign..], |c| c.is_ascii_digit());
        if digits > 0 {
            length += 1 + sign + digits;
        }
    }
    length
}

/// `base^±magnitude`
fn power(base: &Rational, magnitude: u32, negative: bool) -> Result<Rational, String> {
    if u64::from(magnitude).saturating_mul(bits(base)) > MAX_POWER_BITS {
        return Err("the power is too large; the largest ones read are about 2^5000".to_owned());
    }
    let value = base.pow(magnitude);
    if negative { value.recip().ok_or_else(|| "a negative power of 0".to_owned()) } else { Ok(value) }
}
