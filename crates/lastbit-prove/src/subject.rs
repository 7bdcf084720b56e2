//! What a certificate is about: a text, one of its declarations, and numbers for parameters.

use std::collections::BTreeMap;

use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::{Diagnostic, check, format, parse};
use lastbit_real::Rational;

use crate::check::CheckError;
use crate::check::json::Json;
use crate::check::read::{Place, rational};

/// Longest text, in bytes.
pub(crate) const MAX_TEXT: usize = 1_000_000;

/// A declaration of a text, with numbers for parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The source text.
    pub text: String,
    /// The name of the declaration.
    pub declaration: String,
    /// The values of parameters that are numbers.
    pub values: BTreeMap<String, Rational>,
}

/// The reason why a certificate is not about what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SubjectError {
    /// Its text is wrong.
    #[error("text, line {line}: {message}")]
    Text {
        /// The line, from 1.
        line: usize,
        /// The error message.
        message: String,
    },
    /// Its text has no such declaration.
    #[error("declaration: there is no `{0}` in the text")]
    Declaration(String),
    /// It is about something else than what is meant.
    #[error("it is about another mechanism{0}")]
    Another(String),
}

impl Subject {
    /// The syntax tree of the text.
    ///
    /// # Errors
    /// If the text is too long, cannot be read, or has names or types that do not fit.
    pub(crate) fn file(&self) -> Result<File, SubjectError> {
        if self.text.len() > MAX_TEXT {
            let message = format!("the text is longer than {MAX_TEXT} bytes");
            return Err(SubjectError::Text { line: 1, message });
        }
        let (file, diagnostics) = parse(&self.text);
        match diagnostics.first().or(check(&file).first()) {
            Some(diagnostic) => Err(self.wrong(Some(diagnostic))),
            None => Ok(file),
        }
    }

    /// The declaration.
    ///
    /// # Errors
    /// If the text has none of that name.
    pub(crate) fn find<'f>(&self, file: &'f File) -> Result<&'f Declaration, SubjectError> {
        let missing = || SubjectError::Declaration(self.declaration.clone());
        file.declaration(&self.declaration).ok_or_else(missing)
    }

    /// A message about the text, with its line.
    pub(crate) fn wrong(&self, message: Option<&Diagnostic>) -> SubjectError {
        let Some(Diagnostic { span, message, .. }) = message else {
            return SubjectError::Text { line: 1, message: "it cannot be read".into() };
        };
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        SubjectError::Text { line, message: message.clone() }
    }

    /// Whether the declaration is the one of the same name in a file, but for layout, comments and proofs.
    ///
    /// # Errors
    /// [`SubjectError::Another`] if it is not.
    pub(crate) fn is_about(&self, meant: &File, file_name: &str) -> Result<(), SubjectError> {
        let name = &self.declaration;
        let another = |how: String| Err(SubjectError::Another(how));
        let Some(declaration) = meant.declaration(name) else {
            return another(format!(": {file_name} has no {name}"));
        };
        let file = self.file()?;
        let (certified, meant) = (layout(&file, self.find(&file)?), layout(meant, declaration));
        match difference(&certified, &meant) {
            Some((certified, meant)) => {
                another(format!(" {name}: `{certified}` in the certificate, `{meant}` in {file_name}"))
            }
            None => Ok(()),
        }
    }
}

/// A declaration alone, without comments and proofs, in the canonical layout.
fn layout(file: &File, declaration: &Declaration) -> String {
    let declaration = Declaration { proofs: Vec::new(), ..declaration.clone() };
    format(&File {
        declarations: vec![declaration],
        expressions: file.expressions.clone(),
        comments: Vec::new(),
        blank_lines: Vec::new(),
    })
}

/// The first lines that differ.
fn difference<'t>(one: &'t str, two: &'t str) -> Option<(&'t str, &'t str)> {
    let (mut ones, mut twos) = (one.lines().map(str::trim), two.lines().map(str::trim));
    loop {
        match (ones.next(), twos.next()) {
            (None, None) => return None,
            (a, b) if a != b => return Some((a.unwrap_or("the end"), b.unwrap_or("the end"))),
            _ => {}
        }
    }
}

/// Reads values by name.
pub(crate) fn values(value: &Json<'_>, place: &Place<'_>) -> Result<BTreeMap<String, Rational>, CheckError> {
    let Json::Object(fields) = value else { return Err(place.expected("an object", value)) };
    let number = |(name, value): &(std::borrow::Cow<'_, str>, Json<'_>)| {
        Ok((name.to_string(), rational(value, &place.field(name))?))
    };
    fields.iter().map(number).collect()
}
