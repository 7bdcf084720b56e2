//! The same mechanism written differently, and almost the same mechanism: texts that share nothing with the one they come from.
//!
//! Each function reads one declaration of a text and writes another text, without comments and proofs: a variant has to be proved anew.
//! [`renamed`] and [`reordered`] change nothing that can be observed. [`halved`] takes away half of the noise.
//!
//! ```
//! use lastbit_papers::standard::variants;
//!
//! let text = "
//!     mechanism laplace(x: real) -> real
//!       param eps: real > 0
//!       adjacent |x<1> - x<2>| <= 1
//!       claim pure eps
//!     { z <$ lap(1 / eps);  return x + z }";
//! assert!(variants::halved(text, "laplace")?.contains("z <$ lap(1 / eps / 2);"));
//! assert!(variants::reordered(text, "laplace")?.contains("return z + x;"));
//! assert!(variants::renamed(text, "laplace")?.contains("claim pure v2"));
//! # Ok::<(), variants::VariantError>(())
//! ```

use lastbit_lang::{Diagnostic, File, check, format, parse};

use super::{halve, rename, reorder};

/// The reason that there is no variant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VariantError {
    /// The text is not one of the language.
    #[error("the text is not well formed: {}", .0.first().map_or("", |first| &first.message))]
    Language(Vec<Diagnostic>),
    /// The text has no such declaration.
    #[error("there is no `{0}` in the text")]
    Unknown(String),
    /// Nothing in the declaration says how much noise there is.
    #[error("`{0}` has no noise to halve: no scale, and nothing of its claim in its body")]
    Noiseless(String),
}

/// The declaration as it is.
pub fn alone(text: &str, name: &str) -> Result<String, VariantError> {
    extract(text, name).map(|file| format(&file))
}

/// Every name is another one: of the mechanism, its arguments, parameters, queries, variables, and indices.
pub fn renamed(text: &str, name: &str) -> Result<String, VariantError> {
    let mut file = extract(text, name)?;
    rename::rename(&mut file);
    Ok(format(&file))
}

/// Neighbouring statements change places where neither sets what the other one reads or sets; `a + b` becomes `b + a`, and `a >= b`
/// becomes `b <= a`. Samples are independent, so their order does not matter.
pub fn reordered(text: &str, name: &str) -> Result<String, VariantError> {
    let mut file = extract(text, name)?;
    reorder::swap_statements(&mut file);
    reorder::swap_operands(&mut file);
    Ok(format(&file))
}

/// Every scale of `lap`, `expo` and `dlap` is divided by 2. Without any of them, what the claim names, `eps`, is `2 * eps` in the body.
pub fn halved(text: &str, name: &str) -> Result<String, VariantError> {
    let mut file = extract(text, name)?;
    match halve::halve(&mut file) {
        true => Ok(format(&file)),
        false => Err(VariantError::Noiseless(name.to_owned())),
    }
}

/// A file with this declaration only, without comments and proofs.
pub(super) fn extract(text: &str, name: &str) -> Result<File, VariantError> {
    let (mut file, mut messages) = parse(text);
    if messages.is_empty() {
        messages = check(&file);
    }
    if !messages.is_empty() {
        return Err(VariantError::Language(messages));
    }
    file.declarations.retain(|declaration| declaration.name.text == name);
    let declaration = file.declarations.first_mut().ok_or_else(|| VariantError::Unknown(name.to_owned()))?;
    declaration.proofs.clear();
    file.comments.clear();
    file.blank_lines.clear();
    Ok(file)
}
