//! The discrete Gaussian, one proposal at a time.

use std::collections::BTreeSet;

use lastbit::{DiscreteGaussian, Mechanism, Rational};
use lastbit_audit::bit_tree::{Bits, Divergence, Script, Tree, gaussian_round};
use lastbit_real::exp_rational;

use super::{growth, integers, rational};

/// A proposal that is accepted has the law of its event; a rejected one starts over. A variance that is off by 1/100 shows.
#[test]
fn discrete_gaussian() {
    for variance in ["1/2", "2", "17/3"].map(rational) {
        let gaussian = DiscreteGaussian::with_variance(variance.clone()).unwrap();
        let cuts: Vec<f64> = integers(9).collect();
        let rejected = cuts.len() + 1;
        let tree = Tree::exhaustive(growth(30), |source: &mut Script<'_, Bits<2>>| {
            source.one_round(2);
            let z: i64 = gaussian.release(source, 0)?;
            Ok(if source.started_over() { rejected } else { cuts.partition_point(|cut| *cut <= z as f64) })
        })
        .unwrap();
        eprintln!("variance {variance}: {} replays, undecided {}", tree.replays(), tree.remainder());
        assert!(tree.remainder() < Rational::pow2(-12));
        let divergence =
            |law: &DiscreteGaussian| Divergence::between(&tree, &gaussian_round(law, 0.0, &cuts).unwrap());
        assert_eq!(divergence(&gaussian).refuted_by, None);
        let other = DiscreteGaussian::with_variance(variance + rational("1/100")).unwrap();
        assert!(divergence(&other).refuted_by.is_some());
    }
}

/// Given a word that decides the proposal `y` by itself, the acceptance is Bernoulli(e^-γ(y)), to 40 bits.
#[test]
fn acceptances_of_a_discrete_gaussian() {
    for variance in ["1/2", "2", "17/3"].map(rational) {
        let gaussian = DiscreteGaussian::with_variance(variance.clone()).unwrap();
        let t = Rational::from(variance.floor_sqrt().unwrap()) + Rational::ONE;
        let mut proposals = BTreeSet::new();
        for first in (0..=u8::MAX).step_by(5) {
            let growth = growth(48).at_most(20_000);
            let tree = Tree::exhaustive_under(vec![first], growth, |source: &mut Script<'_, u8>| {
                source.one_round(2);
                let y: i64 = gaussian.release(source, 0)?;
                Ok((!source.started_over()).then_some(y))
            });
            // More replays are needed where the word leaves the proposal open.
            let Ok(tree) = tree else { continue };
            let Some(y) = tree.outputs().flatten().next() else { continue };
            assert!(tree.remainder() < Rational::pow2(-40));
            let accepted = |variance: &Rational| {
                let gamma =
                    (Rational::from(*y).abs() - variance / &t).pow(2) / (variance * Rational::from(2));
                exp_rational(&-gamma, 200).unwrap()
            };
            let within = |variance: &Rational| {
                let (law, bounds) = (accepted(variance), tree.probability(&Some(*y)));
                bounds.lo() <= law.hi() && law.lo() <= bounds.hi()
            };
            assert!(within(&variance), "y = {y}");
            assert!(!within(&(&variance + rational("1e-6"))), "y = {y} tells nothing");
            proposals.insert(*y);
        }
        assert!(proposals.len() >= 3, "{proposals:?}");
    }
}
