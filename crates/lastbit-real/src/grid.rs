use crate::Rational;

/// The grid `Λ` of noise of this scale (`λ`, or `1/ε`) where nobody says which: the least power of two that is at least the scale. `None`
/// unless the scale is positive.
///
/// It is here, below mechanisms, texts, audits and proofs, because all of them have to mean the same `Λ`.
///
/// ```
/// use lastbit_real::{Rational, default_grid};
/// assert_eq!(default_grid(&"3".parse()?), Some(Rational::from(4)));
/// assert_eq!(default_grid(&"1/2".parse()?), Some("1/2".parse()?));
/// assert_eq!(default_grid(&Rational::ZERO), None);
/// # Ok::<(), lastbit_real::ParseNumberError>(())
/// ```
pub fn default_grid(scale: &Rational) -> Option<Rational> {
    scale.ceil_log2().map(Rational::pow2)
}
