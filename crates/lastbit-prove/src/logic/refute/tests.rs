//! Probabilities are a law: they add up to 1.

use std::collections::BTreeMap;

use lastbit_lang::parse;
use lastbit_lang::symbolic::Program;
use lastbit_real::Rational;

use super::model::Model;
use super::neighbours::Space;
use crate::soundness::xorshift::Xorshift;

/// The standard programs over the reals.
const STANDARD: [&str; 8] = [
    include_str!("../../../../../mechanisms/standard/sums.lb"),
    include_str!("../../../../../mechanisms/standard/noisy_max.lb"),
    include_str!("../../../../../mechanisms/standard/selection.lb"),
    include_str!("../../../../../mechanisms/standard/sparse_vector.lb"),
    include_str!("../../../../../mechanisms/standard/sparse_vector_variants.lb"),
    include_str!("../../../../../mechanisms/standard/broken_scales.lb"),
    include_str!("../../../../../mechanisms/standard/broken_noisy_max.lb"),
    include_str!("../../../../../mechanisms/standard/broken_sparse_vector.lb"),
];

#[test]
fn all_outputs_together_have_probability_one() {
    let mut rng = Xorshift::new(3);
    let files = STANDARD.map(|text| parse(text).0);
    let all =
        files.iter().flat_map(|file| file.declarations.iter().map(move |declaration| (file, declaration)));
    for (file, declaration) in all {
        let name = declaration.name.text.as_str();
        let mut parameters = BTreeMap::from([("eps".to_owned(), "1/2".parse().unwrap())]);
        if name == "discrete_laplace" {
            parameters.insert("k".to_owned(), Rational::ZERO);
        }
        let program = Program::new(file, declaration, &parameters).unwrap();
        let model = Model::new(&program).unwrap();
        if model.has_discrete_noise() {
            continue;
        }
        let space = Space::new(&program, &Rational::ONE);
        for _ in 0..2 {
            // Truth values are 0 and 1.
            let range = if name.starts_with("randomized") { (0, 1) } else { (-3, 3) };
            let values: Vec<Rational> =
                (0..space.len()).map(|_| Rational::from(rng.between(range.0, range.1))).collect();
            let total = model.total(&space.point(&values)).unwrap();
            assert!(total.minus(&Rational::ONE.into()).is_zero(), "{name}: {total}");
        }
    }
}
