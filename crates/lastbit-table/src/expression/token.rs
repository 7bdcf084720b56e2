//! The words and signs of an expression.

use std::ops::Range;

use super::{ExpressionError, ExpressionFault};

/// One word or sign. Words in `Word` are lower case keywords or names as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Number,
    Text(String),
    /// A bare name, which may be a keyword or a function.
    Word(String),
    /// A name in backticks or double quotes, which is always a column.
    Quoted(String),
    Sign(&'static str),
    End,
}

/// Longer signs first.
const SIGNS: [&str; 15] = ["<=", ">=", "!=", "<>", "==", "<", ">", "=", "+", "-", "*", "/", "(", ")", ","];

pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, ExpressionError> {
    let fail = |fault, at: Range<usize>| ExpressionError { fault, at, text: text.to_owned() };
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        let token = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if matches!(first, '\'' | '"' | '`') {
            let (content, length) = quoted(rest, first)
                .ok_or_else(|| fail(ExpressionFault::Unclosed { quote: first }, start..text.len()))?;
            at += length;
            if first == '\'' { Token::Text(content) } else { Token::Quoted(content) }
        } else if first.is_ascii_digit() || first == '.' {
            at += number_length(rest);
            Token::Number
        } else if first.is_alphabetic() || first == '_' {
            let in_word = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '.');
            let word = &rest[..rest.find(|sign| !in_word(sign)).unwrap_or(rest.len())];
            at += word.len();
            Token::Word(word.to_owned())
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            at += sign.len();
            Token::Sign(sign)
        } else {
            return Err(fail(ExpressionFault::Sign { found: first }, at..at + first.len_utf8()));
        };
        tokens.push((token, start..at));
    }
    tokens.push((Token::End, text.len()..text.len()));
    Ok(tokens)
}

/// The content of a quoted text, where a doubled mark stands for itself, and its length with marks.
fn quoted(text: &str, mark: char) -> Option<(String, usize)> {
    let mut content = String::new();
    let mut signs = text.char_indices().skip(1).peekable();
    while let Some((at, sign)) = signs.next() {
        if sign == mark && signs.next_if(|next| next.1 == mark).is_none() {
            return Some((content, at + sign.len_utf8()));
        }
        content.push(sign);
    }
    None
}

/// Digits, points and an exponent: whether they are a number is found out when they are read.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut length = 0;
    while let Some(byte) = bytes.get(length) {
        let sign_of_exponent =
            matches!(byte, b'+' | b'-') && length > 0 && matches!(bytes[length - 1], b'e' | b'E');
        if !(byte.is_ascii_alphanumeric() || *byte == b'.' || sign_of_exponent) {
            break;
        }
        length += 1;
    }
    length
}
