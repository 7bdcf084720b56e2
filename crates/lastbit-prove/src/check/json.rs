//! JSON as certificates use it: integers are the only numbers, no field occurs twice, and the nesting is shallow.

use std::borrow::Cow;

use serde_json::Value;

use super::CheckError;

/// What is refused before it is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How deep values may be nested.
    pub(crate) depth: usize,
    /// How many fields an object may have; it also keeps the search for repeated ones short.
    pub(crate) fields: usize,
}

/// Deeper than any error certificate, and more fields than any object of one has.
const ERROR_CERTIFICATE: Limits = Limits { depth: 16, fields: 16 };

/// A JSON value.
#[derive(Debug)]
pub(crate) enum Json<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Text(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl Json<'_> {
    /// The same value for whoever compares it with one that is written.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::from(*value),
            Json::Integer(value) => Value::from(*value),
            Json::Text(text) => Value::from(text.as_ref()),
            Json::Array(items) => items.iter().map(Json::to_value).collect(),
            Json::Object(fields) => {
                fields.iter().map(|(name, value)| (name.to_string(), value.to_value())).collect()
            }
        }
    }
}

/// Reads a text that is one value, of an error certificate.
pub(crate) fn parse(text: &str) -> Result<Json<'_>, CheckError> {
    parse_within(text, ERROR_CERTIFICATE)
}

/// Reads a text that is one value.
pub(crate) fn parse_within(text: &str, limits: Limits) -> Result<Json<'_>, CheckError> {
    let mut parser = Parser { text, at: 0, limits };
    let value = parser.value(0)?;
    parser.skip_space();
    if parser.at < text.len() { Err(parser.expected("the end of the file")) } else { Ok(value) }
}

struct Parser<'a> {
    text: &'a str,
    /// The place of the next byte; always at a character's start when an error is made.
    at: usize,
    limits: Limits,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips space, then the byte if it stands there.
    fn accept(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The error that something else stands here.
    fn expected(&self, expected: &str) -> CheckError {
        let before = self.text.get(..self.at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            None => "the end".to_owned(),
            Some(c) => format!("`{}`", c.escape_debug()),
        };
        CheckError::Json {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            expected: expected.to_owned(),
            found,
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json<'a>, CheckError> {
        self.skip_space();
        if depth >= self.limits.depth {
            return Err(self.expected(&format!("at most {} levels of nesting", self.limits.depth)));
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.integer(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Json<'a>, CheckError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let words = [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))];
        for (word, value) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.expected("a value"))
    }

    fn integer(&mut self) -> Result<Json<'a>, CheckError> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        let digits = &self.text[start..self.at];
        let canonical = super::read::is_integer(digits) && !matches!(self.peek(), Some(b'.' | b'e' | b'E'));
        match digits.parse() {
            Ok(integer) if canonical => Ok(Json::Integer(integer)),
            _ => {
                self.at = start;
                Err(self.expected("an integer of 64 bits"))
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json<'a>, CheckError> {
        self.at += 1;
        let mut items = Vec::new();
        if self.accept(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.accept(b']') {
                return Ok(Json::Array(items));
            }
            if !self.accept(b',') {
                return Err(self.expected("`,` or `]`"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json<'a>, CheckError> {
        self.at += 1;
        let mut fields: Vec<(Cow<'a, str>, Json<'a>)> = Vec::new();
        if self.accept(b'}') {
            return Ok(Json::Object(fields));
        }
        loop {
            self.skip_space();
            let start = self.at;
            let name = self.string()?;
            if fields.len() == self.limits.fields || fields.iter().any(|(other, _)| *other == name) {
                self.at = start;
                return Err(self.expected("a field that has not been given"));
            }
            if !self.accept(b':') {
                return Err(self.expected("`:`"));
            }
            fields.push((name, self.value(depth + 1)?));
            if self.accept(b'}') {
                return Ok(Json::Object(fields));
            }
            if !self.accept(b',') {
                return Err(self.expected("`,` or `}`"));
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, CheckError> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a string"));
        }
        self.at += 1;
        let mut text = Cow::Borrowed("");
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            // The bytes that end a run are ASCII: the run is whole characters.
            let run = &self.text[start..self.at];
            if text.is_empty() {
                text = Cow::Borrowed(run);
            } else {
                text.to_mut().push_str(run);
            }
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    let c = self.escape()?;
                    text.to_mut().push(c);
                }
                _ => return Err(self.expected("`\"`")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, CheckError> {
        let start = self.at;
        self.at += 2;
        let plain = match self.text.as_bytes().get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(start),
            _ => {
                self.at = start;
                return Err(self.expected("an escape of JSON"));
            }
        };
        Ok(plain)
    }

    /// `\uXXXX`, or two of them for a character beyond `0xFFFF`.
    fn unicode(&mut self, start: usize) -> Result<char, CheckError> {
        let mut units = vec![self.hex4()];
        if matches!(units[0], Some(0xd800..=0xdbff)) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            units.push(self.hex4());
        }
        let units: Option<Vec<u16>> = units.into_iter().collect();
        match units.and_then(|units| String::from_utf16(&units).ok()).and_then(|text| text.chars().next()) {
            Some(c) => Ok(c),
            None => {
                self.at = start;
                Err(self.expected("an escape of JSON"))
            }
        }
    }

    fn hex4(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u16::from_str_radix(digits, 16).ok()
    }
}
