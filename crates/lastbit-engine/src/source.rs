//! The text that a question is about.

use std::path::Path;

use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::fpcore::{self, FpcoreError};
use lastbit_lang::{Diagnostic, StraightLine, parse, render};

use crate::Refusal;

/// A text, and what messages call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source<'a> {
    /// The name, such as the path of a file.
    pub name: &'a str,
    /// The text itself.
    pub text: &'a str,
}

/// The kinds of text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Contents {
    /// Programs in FPCore, as far as each can be read.
    Programs(Vec<Result<StraightLine, FpcoreError>>),
    /// Declarations of the language of mechanisms.
    Declarations(File),
}

impl<'a> Source<'a> {
    /// Messages about places in the text.
    pub fn render(&self, diagnostics: &[Diagnostic]) -> String {
        render(self.name, self.text, diagnostics)
    }

    /// A refusal for what is wrong in the text.
    pub fn refusal(&self, diagnostics: Vec<Diagnostic>) -> Refusal {
        Refusal::text(*self, diagnostics)
    }

    /// Whether the text is FPCore, by the ending of its name, or else by whether it begins with `(`.
    pub fn is_fpcore(&self) -> bool {
        match Path::new(self.name).extension().and_then(|extension| extension.to_str()) {
            Some("fpcore") => true,
            Some("lb") => false,
            _ => {
                let code =
                    self.text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(';'));
                code.is_some_and(|line| line.starts_with('('))
            }
        }
    }

    /// The kind of text that this is.
    ///
    /// # Errors
    /// If it is of the language of mechanisms and not well formed.
    pub fn contents(&self) -> Result<Contents, Refusal> {
        match self.is_fpcore() {
            true => Ok(Contents::Programs(fpcore::read(self.text))),
            false => self.declarations().map(Contents::Declarations),
        }
    }

    /// Its declarations.
    ///
    /// # Errors
    /// If it is not well formed, or declares nothing.
    pub fn declarations(&self) -> Result<File, Refusal> {
        let (file, mut diagnostics) = parse(self.text);
        if diagnostics.is_empty() {
            diagnostics = lastbit_lang::check(&file);
        }
        if diagnostics.is_empty() && file.declarations.is_empty() {
            let nothing = Diagnostic::new(Default::default(), "the file declares nothing");
            diagnostics.push(
                nothing.with_hint("for example: function half(x: f64 in [1, 2]) -> f64 { return x / 2 }"),
            );
        }
        if diagnostics.is_empty() { Ok(file) } else { Err(self.refusal(diagnostics)) }
    }
}

/// The declaration of this name, or the only one.
///
/// # Errors
/// If there is none of this name, or no name is given and there are several.
pub fn select<'f>(file: &'f File, name: Option<&str>) -> Result<&'f Declaration, Refusal> {
    let names = || file.declarations.iter().map(|d| d.name.text.as_str()).collect::<Vec<_>>().join(", ");
    match (name, file.declarations.as_slice()) {
        (Some(name), _) => file.declaration(name).ok_or_else(|| {
            Refusal::usage(format!("there is no declaration `{name}`"), format!("there are {}", names()))
        }),
        (None, [only]) => Ok(only),
        (None, _) => Err(Refusal::usage(
            "the file has several declarations",
            format!("choose one by its name (program): {}", names()),
        )),
    }
}
