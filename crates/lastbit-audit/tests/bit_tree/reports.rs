//! Whole audits of shipped mechanisms.

use std::sync::atomic::AtomicBool;

use lastbit::{
    AnyMechanism, DiscreteGaussian, DiscreteLaplace, FloatSnapping, GridLaplace, Laplace, Measure, Rational,
    Snapping, ValueType,
};
use lastbit_audit::ExactLoss;
use lastbit_audit::bit_tree::{
    BitTreeError, SamplerReport, SamplerRequest, ShippedSampler, Tier, sampler_audit,
};

use super::rational;

fn audit(request: &SamplerRequest) -> Result<SamplerReport, BitTreeError> {
    sampler_audit(request, &AtomicBool::new(false), &mut |_| {})
}

fn discrete(s: &str) -> ShippedSampler {
    ShippedSampler::of(DiscreteLaplace::new(rational(s)).unwrap().into())
}

/// Nothing is refuted, and the true loss is the claimed one to six digits.
#[test]
fn shipped_mechanisms_are_what_they_claim() {
    let laplace = |values| ShippedSampler::new(Laplace::new(rational("2")).unwrap().into(), values).unwrap();
    let grid = |k| ShippedSampler::of(GridLaplace::<f64>::new(rational("2"), k).unwrap().into());
    let single: AnyMechanism = GridLaplace::<f32>::new(rational("2"), None).unwrap().into();
    for mechanism in [
        laplace(ValueType::F64),
        laplace(ValueType::F32),
        laplace(ValueType::I64),
        laplace(ValueType::I32),
        discrete("2"),
        grid(None),
        grid(Some(-1074)),
        grid(Some(0)),
        ShippedSampler::of(single),
        ShippedSampler::of(Snapping::new(rational("1/2"), rational("10")).unwrap().into()),
        ShippedSampler::of(FloatSnapping::new(0.5, 10.0).unwrap().into()),
    ] {
        let report = audit(&SamplerRequest::new(mechanism, [0.0, 1.0])).unwrap();
        assert!(!report.is_refuted(), "{report:?}");
        let ExactLoss::Finite(loss) = &report.loss.loss else { panic!("{report:?}") };
        let claimed = report.loss.claim.loss();
        let close = rational("1e-6");
        assert!(loss.hi().cmp_rational(&(claimed + &close)).is_lt(), "{report:?}");
        assert!(loss.lo().cmp_rational(&(claimed - &close)).is_gt(), "{report:?}");
        for side in &report.sides {
            assert!(side.remainder < Rational::pow2(-50), "{report:?}");
            assert!(side.production.replays >= 9 * side.production.thresholds, "{report:?}");
        }
    }
}

/// Deep trees reach the third tier; the first decides where words are wide and outputs few.
#[test]
fn all_tiers_are_executed() {
    let base = SamplerRequest::new(discrete("17"), [0.0, 1.0]);
    let deep = audit(&SamplerRequest { depth_bits: 140, word_bits: 2, cuts: 8, ..base }).unwrap();
    assert!(!deep.is_refuted(), "{deep:?}");
    assert!(deep.sides[0].remainder < Rational::pow2(-130));
    let shallow =
        audit(&SamplerRequest { depth_bits: 16, ..SamplerRequest::new(discrete("1/2"), [0.0, 1.0]) });
    let shallow = shallow.unwrap();
    for (report, tier) in [(&shallow, Tier::One), (&deep, Tier::Two), (&deep, Tier::Three)] {
        let tiers = report.sides[0].tiers.as_ref().unwrap();
        assert!(tiers.of(tier) > 0, "{tier:?}: {tiers}");
    }
}

/// A scale at which outputs are too many to enumerate.
#[test]
fn large_scales() {
    let report = audit(&SamplerRequest::new(discrete("100"), [0.0, 1.0])).unwrap();
    assert!(!report.is_refuted(), "{report:?}");
    assert_eq!(report.enumeration.name(), "monotone");
    assert!(report.loss.loss.exceeds(&rational("0.00999999")));
}

#[test]
fn the_discrete_gaussian() {
    let gaussian = ShippedSampler::of(DiscreteGaussian::with_variance(rational("1/2")).unwrap().into());
    let request = SamplerRequest { depth_bits: 24, ..SamplerRequest::new(gaussian, [3.0, 4.0]) };
    let report = audit(&request).unwrap();
    assert!(!report.is_refuted(), "{report:?}");
    assert_eq!(report.events.last().unwrap().label, "rejected");
    assert_eq!(report.loss.claim.measure(), Measure::ZeroConcentratedDivergence);
    assert!(report.sides[0].production.thresholds > 20);
}

#[test]
fn a_report() {
    let request = SamplerRequest { depth_bits: 24, ..SamplerRequest::new(discrete("2"), [0.0, 1.0]) };
    let report = audit(&request).unwrap();
    assert_eq!((report.mechanism, report.depth_bits), ("discrete-laplace", 24));
    assert_eq!(report.enumeration.name(), "exhaustive");
    assert_eq!(report.loss.claim.loss(), &rational("1/2"));
    assert!(!report.is_refuted());
    assert!(report.sides[0].tiers.as_ref().unwrap().of(Tier::One) > 0);
    let zero = report.events.iter().find(|row| row.label == "0").unwrap();
    let [least, most] = &zero.bounds[0];
    assert!(*least < rational("0.2449186624") && rational("0.2449186624") < *most);
}

#[test]
fn what_is_refused() {
    let base = || SamplerRequest::new(discrete("2"), [0.0, 1.0]);
    let refused = |request: SamplerRequest| audit(&request).expect_err("a refusal");
    for request in [
        SamplerRequest { depth_bits: 0, ..base() },
        SamplerRequest { depth_bits: 321, ..base() },
        SamplerRequest { word_bits: 64, ..base() },
        SamplerRequest { inputs: [0.5, 1.0], ..base() },
        SamplerRequest { inputs: [f64::NAN, 1.0], ..base() },
        SamplerRequest { inputs: [0.0, 1e9], ..base() },
    ] {
        let error = refused(request);
        assert!(matches!(error, BitTreeError::OutOfRange(_)), "{error}");
    }
    let error = refused(SamplerRequest { most_replays: 1000, ..base() });
    assert!(matches!(error, BitTreeError::TooManyReplays { replays: 1000, .. }), "{error}");
}

#[test]
fn progress_and_cancellation() {
    let request = SamplerRequest::new(discrete("2"), [0.0, 1.0]);
    let mut shares = vec![0.0];
    sampler_audit(&request, &AtomicBool::new(false), &mut |share| shares.push(share)).unwrap();
    assert!(shares.len() > 10 && shares.is_sorted() && *shares.last().unwrap() <= 1.0);
}

/// What was not tried before somebody asked to stop is undecided: bounds stay true, and nothing is refuted.
#[test]
fn an_interruption_leaves_the_rest_undecided() {
    let request = SamplerRequest::new(discrete("2"), [0.0, 1.0]);
    let whole = audit(&request).unwrap();
    let part = sampler_audit(&request, &AtomicBool::new(true), &mut |_| {}).unwrap();
    assert!(part.interrupted && !whole.interrupted);
    assert!(!part.is_refuted(), "{part:?}");
    for (part, whole) in part.sides.iter().zip(&whole.sides) {
        assert!(part.replays < whole.replays && part.remainder > whole.remainder);
    }
    for (part, whole) in part.events.iter().zip(&whole.events) {
        for (part, whole) in part.bounds.iter().zip(&whole.bounds) {
            assert!(part[0] <= whole[0] && whole[1] <= part[1]);
        }
    }
    // Together they are everything, with the remainder.
    let least = part.events.iter().map(|row| row.bounds[0][0].clone()).sum::<Rational>();
    assert_eq!(least + &part.sides[0].remainder, Rational::ONE);
}
