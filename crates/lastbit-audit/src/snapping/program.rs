//! The mechanism as a program of the language.

use lastbit_lang::{Bindings, File, parse};
use lastbit_real::Rational;

use super::{Scaling, Variant};

impl Variant {
    /// The mechanism as a program of the language, and the values of its parameters: `eps` or `lambda`, `L`, `B`. Its argument is `x`.
    ///
    /// The program has no [`ln_shift`](Variant::ln_shift): how good a logarithm is, a text does not say.
    pub fn program(&self) -> (File, Bindings) {
        let mechanism = &self.mechanism;
        let (noise, name, value) = match mechanism.scaling() {
            Scaling::Divide(epsilon) => ("ln(u) / eps", "eps", epsilon),
            Scaling::Multiply(scale) => ("lambda * ln(u)", "lambda", scale),
        };
        let (file, mistakes) = parse(&format!(
            "mechanism snapping(x: f64) -> grid
  param {name}: f64 > 0, L: f64 > 0, B: f64 > 0
  sampler unif = {sampler}(0,1)
{{
  u <$ unif(0,1);
  s <$ sign;
  y := {noise};
  w := {start} + s * y;
  return clamp(round(w, L, {tie}), B);
}}
",
            sampler = mechanism.sampler().name(),
            start = if self.clamp_input { "clamp(x, B)" } else { "x" },
            tie = mechanism.tie().text(),
        ));
        debug_assert!(mistakes.is_empty(), "{mistakes:?}");
        let exact = |x: f64| Rational::try_from(x).expect("finite");
        let values = [(name, exact(value)), ("L", mechanism.grid()), ("B", mechanism.exact_bound().clone())];
        let values = values.map(|(name, value)| (name.to_owned(), value)).into();
        (file, Bindings { values, ..Bindings::default() })
    }
}

#[cfg(test)]
mod tests {
    use lastbit_lang::{Tie, check, format};

    use super::*;
    use crate::Sampler;
    use crate::snapping::{FloatSnap, Noise};

    fn variant(noise: Noise, tie: Tie, sampler: Sampler, clamp_input: bool) -> Variant {
        let mechanism = FloatSnap::new(noise, 4.5, None, tie, sampler).unwrap();
        Variant { mechanism, clamp_input, ln_shift: 0 }
    }

    /// The text is in the formatter's own layout, so that it prints as it is written and is read again as the same.
    #[test]
    fn prints_as_it_is_written() {
        let third = "0.375".parse().unwrap();
        let divided = variant(Noise::Divided { epsilon: third }, Tie::Up, Sampler::Ulp, true);
        let (file, bindings) = divided.program();
        assert_eq!(
            format(&file),
            "\
mechanism snapping(x: f64) -> grid
  param eps: f64 > 0, L: f64 > 0, B: f64 > 0
  sampler unif = ulp(0,1)
{
  u <$ unif(0,1);
  s <$ sign;
  y := ln(u) / eps;
  w := clamp(x, B) + s * y;
  return clamp(round(w, L, up), B);
}
"
        );
        let values: Vec<String> =
            bindings.values.iter().map(|(name, value)| std::format!("{name} = {value}")).collect();
        assert_eq!(values.join(", "), "B = 9/2, L = 4, eps = 3/8");
    }

    #[test]
    fn every_variant_is_read_again_as_the_same() {
        for noise in
            [Noise::Divided { epsilon: Rational::ONE }, Noise::Multiplied { scale: Rational::from(3) }]
        {
            for (tie, _) in Tie::ALL {
                for (sampler, clamp) in [(Sampler::Ulp, true), (Sampler::Grid53, false)] {
                    let (file, bindings) = variant(noise.clone(), tie, sampler, clamp).program();
                    assert_eq!(check(&file), []);
                    assert_eq!(parse(&format(&file)), (file, Vec::new()));
                    assert_eq!(bindings.values.len(), 3);
                }
            }
        }
    }
}
