//! The formula of textbooks, typed in.

use std::collections::BTreeMap;

use lastbit_lang::{Bindings, Format, ast, parse};
use lastbit_real::Rational;

use super::{Options, ProgramError, ProgramReport, audit};

/// The Laplace mechanism as textbooks have it, `x ⊕ s ⊗ (LN(u) ⊘ ε)`, on two inputs.
///
/// In binary32 with `grid24` all outputs are gone through; in binary64 there are too many, and an output is looked for that
/// one input gives and the other does not.
///
/// ```
/// use lastbit_audit::ExactLoss;
/// use lastbit_audit::program::{Options, textbook_laplace};
/// use lastbit_lang::{Format, ast};
/// use lastbit_real::{Float, Rational};
///
/// let inputs = [&Rational::ZERO, &Rational::ONE];
/// let (format, sampler) = (Format::Binary64, ast::Sampler::Grid53);
/// let report = textbook_laplace(format, sampler, &Rational::ONE, inputs, &Options::default())?;
/// assert_eq!(report.loss(100), ExactLoss::Infinite);
/// let witness = report.comparison.witness().expect("there are outputs");
/// assert_eq!(witness.output.to_hex(), "-0x1.62e42fefa39efp-1"); // u = 1/2
/// # Ok::<(), lastbit_audit::program::ProgramError>(())
/// ```
///
/// # Errors
/// As [`audit`].
pub fn textbook_laplace(
    format: Format,
    sampler: ast::Sampler,
    epsilon: &Rational,
    inputs: [&Rational; 2],
    options: &Options<'_>,
) -> Result<ProgramReport, ProgramError> {
    let scalar = match format {
        Format::Binary64 => "f64",
        Format::Binary32 => "f32",
    };
    let sampler =
        ast::Sampler::ALL.iter().find(|(known, _)| *known == sampler).map_or("ulp", |(_, name)| name);
    let (file, messages) = parse(&format!(
        "mechanism textbook_laplace(x: {scalar}) -> {scalar}
           param eps: {scalar} > 0
           sampler unif = {sampler}(0,1)
         {{ u <$ unif(0,1);  s <$ sign;  return x + s * (ln(u) / eps) }}"
    ));
    if !messages.is_empty() {
        return Err(ProgramError::Language(messages));
    }
    let bindings = Bindings { values: [("eps".to_owned(), epsilon.clone())].into(), ..Bindings::default() };
    let [first, second] = inputs.map(|input| BTreeMap::from([("x".to_owned(), input.clone())]));
    audit(&file, None, &bindings, [&first, &second], options)
}
