use super::*;

#[test]
fn what_is_refused() {
    let noises = [Noise::Laplace(Rational::ONE), Noise::Exponential(Rational::ZERO)];
    let refused =
        |noises: &[Noise], region: &[HalfSpace]| probability(noises, region, Budget::default()).unwrap_err();
    assert_eq!(refused(&noises, &[]), ContinuousError::Scale { noise: 1, scale: Rational::ZERO });
    let region = [half_space(&[1], "0"), half_space(&[1, 0], "0")];
    let dimension = ContinuousError::Dimension { half_space: 1, found: 2, noises: 1 };
    assert_eq!(refused(&noises[..1], &region), dimension);
    assert_eq!(dimension.to_string(), "half-space 1 has 2 coefficients for 1 noises");
    let far = [half_space(&[1], "-1e30")];
    assert_eq!(refused(&noises[..1], &far), ContinuousError::Exponent { exponent: rational("-1e30") });
}

/// The standard programs need few terms; what needs many is refused before the memory is gone.
#[test]
fn budgets() {
    let noises = laplace(&["2", "4", "4", "4", "4", "4", "4", "4", "4"]);
    let region = signed(&sparse_vector(&[0, 1, 1, 0, 0, 1, 0, 1]), 0b1011_0010);
    assert!(probability(&noises, &region, Budget { terms: 200 }).is_ok());
    let region = signed(&sparse_vector(&[1, 2, 4, 8, 16, 32, 64, 128]), 0b0110_1001);
    assert!(probability(&noises, &region, Budget { terms: 1000 }).is_ok());
    let refused = probability(&noises, &region, Budget { terms: 100 });
    assert_eq!(refused, Err(ContinuousError::TooManyTerms { limit: 100 }));
    // Independent events whose product is long: subsets of powers of two have different sums.
    let apart: Vec<_> = (0..20).map(|i| (0..20).map(|v| i64::from(v == i)).collect::<Vec<_>>()).collect();
    let region: Vec<_> =
        apart.iter().enumerate().map(|(i, unit)| half_space(unit, &(1 << i).to_string())).collect();
    let refused = probability(&laplace(&["16"; 20]), &region, Budget { terms: 1000 });
    assert_eq!(refused, Err(ContinuousError::TooManyTerms { limit: 1000 }));
}
