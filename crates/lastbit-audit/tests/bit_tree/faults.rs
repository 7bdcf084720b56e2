//! Faults around the shipped samplers.

use std::sync::atomic::AtomicBool;

use lastbit::{DiscreteLaplace, GridLaplace, Mechanism};
use lastbit_audit::bit_tree::{
    Divergence, Law, SamplerRequest, Script, ShippedSampler, Tree, compare, sampler_audit,
};
use lastbit_real::{IBig, Rational, Rounding};

use super::{Biased, DEPTH, growth, integers, is_refuted, rational, tree};

#[test]
fn a_biased_bit() {
    let law = Law::discrete_laplace(&rational("5/2"), 0.0, integers(60)).unwrap();
    let mechanism = DiscreteLaplace::new(rational("5/2")).unwrap();
    assert!(!is_refuted(&tree(&mechanism, 0i64, &law), &law));
    let biased = Tree::exhaustive(growth(DEPTH), |source: &mut Script<'_, u8>| {
        let output: i64 = mechanism.release(&mut Biased(source), 0)?;
        Ok(law.event(output as f64))
    });
    let divergence = Divergence::between(&biased.unwrap(), &law.probabilities());
    assert!(divergence.refuted_by.is_some());
    // One in 32 words has its bit changed.
    let [least, most] = divergence.total_variation;
    let digits = [&least, &most].map(|end| end.to_decimal(6, Rounding::Nearest));
    eprintln!("a biased bit: total variation {} to {}", digits[0], digits[1]);
    assert!(least > rational("1/33") && most < rational("1/31"));
}

/// Half-way numbers, in units of half a cell.
fn half_up(halves: i64) -> i64 {
    (halves + 1).div_euclid(2)
}

fn half_away(halves: i64) -> i64 {
    halves.signum() * half_up(halves.abs())
}

/// `k = -1073`, scale 2⁻¹⁰⁷³, `x = ∓2⁻¹⁰⁷⁴`: the inputs are half a cell to each side of 0. Ties away from zero take them two cells
/// apart, and the claim of `(d + 2^k - 2^-1074)/scale = 3/2` is false; half up takes them one cell apart.
#[test]
fn ties_away_from_zero() {
    let noise = DiscreteLaplace::new(Rational::ONE).unwrap();
    // Both roundings take the inputs to -1, 0 or 1, and a tree serves both.
    let trees = [-1, 0, 1].map(|at| {
        let sum = |source: &mut Script<'_, u8>| {
            let z = noise.sample(source)?.clamp(IBig::from(-12), IBig::from(12));
            Ok(IBig::from(at) + z)
        };
        Tree::exhaustive(growth(22), sum).unwrap()
    });
    let loss = |round: fn(i64) -> i64, claim: &Rational| {
        let of = |x: i64| &trees[usize::try_from(round(x) + 1).unwrap()];
        compare([of(-1), of(1)], claim).unwrap().finite_loss(100)
    };
    let claim = rational("3/2");
    let away = loss(half_away, &claim);
    let least = Rational::from(away.lo());
    eprintln!("ties away from zero: claimed 3/2, true loss at least {}", least.to_decimal(6, Rounding::Down));
    assert!(least > rational("1.99") && least <= Rational::from(2));
    let up = loss(half_up, &claim);
    assert!(up.lo().cmp_rational(&rational("0.999")).is_gt() && up.hi().cmp_rational(&claim).is_lt());

    // The shipped mechanism rounds half up, and claims one cell.
    let grid = GridLaplace::<f64>::new(Rational::pow2(-1073), Some(-1073)).unwrap();
    let least = f64::from_bits(1);
    let request = SamplerRequest {
        depth_bits: 40,
        ..SamplerRequest::new(ShippedSampler::of(grid.into()), [-least, least])
    };
    let report = sampler_audit(&request, &AtomicBool::new(false), &mut |_| {}).unwrap();
    assert!(!report.is_refuted(), "{report:?}");
    assert_eq!(report.loss.claim.loss(), &Rational::ONE);
    assert!(report.loss.loss.exceeds(&rational("0.9999")), "{report:?}");
}
