//! From tokens to the syntax tree.
//!
//! Written by hand so that messages say what was expected, and so that it goes on after an error: at the next `;`, `}`,
//! clause or declaration. It takes time linear in the text. Expressions are read with an explicit stack
//! ([`expression`]); only blocks recurse, and their depth is limited.

mod clause;
mod declaration;
mod expression;
mod proof;
mod statement;

use crate::ast::{ExprId, ExprKind, File, Interval, Name, Place};
use crate::diagnostic::MAX_DIAGNOSTICS;
use crate::lexer::{Token, tokenize};
use crate::{Diagnostic, Span};

/// Words that are not names of variables.
pub(crate) const KEYWORDS: [&str; 22] = [
    "mechanism",
    "function",
    "proof",
    "param",
    "query",
    "assume",
    "adjacent",
    "claim",
    "sampler",
    "libm",
    "ensures",
    "var",
    "let",
    "if",
    "else",
    "for",
    "in",
    "return",
    "true",
    "false",
    "infer",
    "forall",
];

/// Deepest nesting of blocks.
const MAX_DEPTH: usize = 64;

/// Reads a text.
///
/// The file holds what could be read; it means something only if there are no messages.
///
/// ```
/// let (file, messages) = lastbit_lang::parse("function half(x: f64) -> f64 { return x / 2 }");
/// assert!(messages.is_empty());
/// assert_eq!(file.declarations[0].name.text, "half");
///
/// let (_, messages) = lastbit_lang::parse("function half(x: f64) -> f64 { y := ; return x / }");
/// assert_eq!(messages.len(), 2);
/// ```
pub fn parse(source: &str) -> (File, Vec<Diagnostic>) {
    let tokens = tokenize(source);
    let file = File { comments: tokens.comments, blank_lines: tokens.blank_lines, ..File::default() };
    let mut parser = Parser {
        source,
        tokens: tokens.tokens,
        position: 0,
        depth: 0,
        file,
        diagnostics: tokens.diagnostics,
    };
    parser.declarations();
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    diagnostics.truncate(MAX_DIAGNOSTICS);
    (parser.file, diagnostics)
}

/// What was wrong has been reported; the caller looks for a place to go on.
struct Reported;

type Parsed<T> = Result<T, Reported>;

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<(Token, Span)>,
    position: usize,
    depth: usize,
    file: File,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn token(&self) -> &Token {
        &self.tokens[self.position].0
    }

    fn span(&self) -> Span {
        self.tokens[self.position].1
    }

    /// The end of the token before the current one.
    fn previous_end(&self) -> usize {
        self.position.checked_sub(1).map_or(0, |previous| self.tokens[previous].1.end)
    }

    /// From `start` up to the end of the token before the current one.
    fn since(&self, start: usize) -> Span {
        Span::new(start, self.previous_end().max(start))
    }

    fn next_token(&self) -> &Token {
        &self.tokens[(self.position + 1).min(self.tokens.len() - 1)].0
    }

    fn advance(&mut self) {
        // The last token is the end, which stays.
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
    }

    fn text(&self) -> &'a str {
        let span = self.span();
        &self.source[span.start..span.end]
    }

    fn at_end(&self) -> bool {
        *self.token() == Token::End
    }

    fn at(&self, symbol: &'static str) -> bool {
        *self.token() == Token::Symbol(symbol)
    }

    fn eat(&mut self, symbol: &'static str) -> bool {
        let found = self.at(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn at_word(&self, word: &str) -> bool {
        *self.token() == Token::Name && self.text() == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// What stands here, for messages.
    fn found(&self) -> String {
        match self.token() {
            Token::End => "the end of the text".to_owned(),
            _ => {
                let text = self.text();
                let short: String = text.chars().take(30).collect();
                if short.len() < text.len() { format!("`{short}…`") } else { format!("`{short}`") }
            }
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    fn unexpected(&mut self, expected: &str) -> Reported {
        let diagnostic = Diagnostic::new(self.span(), format!("expected {expected}, found {}", self.found()));
        self.report(diagnostic)
    }

    fn unexpected_with_hint(&mut self, expected: &str, hint: &str) -> Reported {
        let message = format!("expected {expected}, found {}", self.found());
        self.report(Diagnostic::new(self.span(), message).with_hint(hint))
    }

    fn expect(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// One of several words; `what` names the choice.
    fn one_of<T: Copy>(&mut self, what: &str, choices: &[(T, &'static str)]) -> Parsed<T> {
        if let Some((value, _)) = choices.iter().find(|(_, word)| self.at_word(word)) {
            self.advance();
            return Ok(*value);
        }
        let words: Vec<&str> = choices.iter().map(|(_, word)| *word).collect();
        let message = format!("expected {what}, found {}", self.found());
        let hint = crate::names::suggestion(self.text(), words.iter().copied())
            .unwrap_or_else(|| format!("one of: {}", words.join(", ")));
        Err(self.report(Diagnostic::new(self.span(), message).with_hint(hint)))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if *self.token() != Token::Name {
            return Err(self.unexpected(what));
        }
        let text = self.text();
        if KEYWORDS.contains(&text) {
            return Err(
                self.unexpected_with_hint(what, "this word is part of the language; choose another name")
            );
        }
        let name = Name { text: text.to_owned(), span: self.span() };
        self.advance();
        Ok(name)
    }

    /// `z` or `z[i]`
    fn place(&mut self, what: &str) -> Parsed<Place> {
        let name = self.name(what)?;
        let mut index = None;
        if self.eat("[") {
            index = Some(self.expression()?);
            self.expect("]")?;
        }
        Ok(Place { name, index })
    }

    /// `(u, s)`, or `u` alone.
    fn places(&mut self) -> Parsed<Vec<Place>> {
        if !self.eat("(") {
            return Ok(vec![self.place("a sample, or several in parentheses")?]);
        }
        let mut places = vec![self.place("a sample")?];
        while self.eat(",") {
            places.push(self.place("a sample")?);
        }
        self.expect(")")?;
        Ok(places)
    }

    /// `[a, b)`
    fn interval(&mut self) -> Parsed<Interval> {
        let lo_closed = self.at("[");
        if !lo_closed && !self.at("(") {
            return Err(self.unexpected_with_hint("an interval", "for example [-1, 1] or (0, 1]"));
        }
        self.advance();
        let lo = self.expression()?;
        self.expect(",")?;
        let hi = self.expression()?;
        let hi_closed = self.at("]");
        if !hi_closed && !self.at(")") {
            return Err(self.unexpected("`]` or `)`"));
        }
        self.advance();
        Ok(Interval { lo, hi, lo_closed, hi_closed })
    }

    fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.file.push_expr(kind, span)
    }

    /// Runs `inner` one block deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} blocks inside each other");
            return Err(self.report(Diagnostic::new(self.span(), message)));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn at_declaration(&self) -> bool {
        ["mechanism", "function"].iter().any(|word| self.at_word(word))
    }

    /// Goes on after an error inside braces: after the next `;`, or at `}`, or at the next declaration.
    fn skip_statement(&mut self) {
        while !self.at_end() && !self.at("}") && !self.at_declaration() && !self.at_word("proof") {
            if self.eat(";") {
                return;
            }
            self.advance();
        }
    }
}
