//! The real Gaussian, which makes two values of two uniform numbers.

use std::sync::atomic::AtomicBool;

use lastbit::{BitSource, Error, Gaussian, Measure, Mechanism, Rational, ValueType, Word};
use lastbit_audit::bit_tree::{
    Bits, Divergence, Law, SamplerReport, SamplerRequest, Script, ShippedSampler, Tier, Tree, sampler_audit,
};

use super::{Value, growth, integers, rational};

fn gaussian(sigma: &str) -> Gaussian {
    Gaussian::new(&rational(sigma)).unwrap()
}

/// What happens to the words of a release: those of the main stream by their number from 0, and those of refinement. Words are left-aligned.
struct Fault {
    main: fn(u64, u64) -> u64,
    refinement: fn(u64, u64) -> u64,
}

const NO_FAULT: Fault = Fault { main: |_, word| word, refinement: |_, word| word };

/// A source between a script and the sampler.
struct Faulty<'a, S> {
    source: S,
    fault: &'a Fault,
    drawn: u64,
}

impl<S: BitSource> BitSource for Faulty<'_, S> {
    type Word = S::Word;
    fn open_batch(&mut self) -> Result<u64, Error> {
        self.source.open_batch()
    }
    fn next_word(&mut self) -> S::Word {
        self.drawn += 1;
        let word = self.source.next_word().left_aligned();
        S::Word::from_top_of((self.fault.main)(self.drawn - 1, word))
    }
    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> S::Word {
        let word = self.source.refinement_word(batch, index, round).left_aligned();
        S::Word::from_top_of((self.fault.refinement)(index, word))
    }
}

/// The tree of rectangles of a Gaussian with a fault.
fn faulty_tree<W: Word, T: Value>(
    mechanism: &Gaussian,
    x: T,
    law: &Law,
    depth: u32,
    fault: &Fault,
) -> Tree<usize>
where
    Gaussian: Mechanism<T>,
{
    Tree::monotone_in_both(growth(depth), |source: &mut Script<'_, W>| {
        let output = mechanism.release(&mut Faulty { source, fault, drawn: 0 }, x)?;
        Ok(law.event(output.real()))
    })
    .unwrap()
}

fn divergence(tree: &Tree<usize>, law: &Law) -> Divergence {
    Divergence::between(tree, &law.probabilities())
}

#[track_caller]
fn confirms(tree: &Tree<usize>, law: &Law, most_undecided: &str) {
    let undecided = tree.remainder();
    eprintln!("{} replays, undecided {:.5}", tree.replays(), undecided.to_f64(lastbit::Rounding::Up));
    assert!(undecided < rational(most_undecided), "{undecided} is left: the bounds say little");
    assert_eq!(divergence(tree, law).refuted_by, None, "{tree:?}");
    assert!(tree.outputs().count() >= 3, "{tree:?}");
}

/// Integers one by one, at two widths, and by nothing but whether the sampler asked for more words.
#[test]
fn integers_one_by_one() {
    for (sigma, x) in [("1/3", 0i64), ("1", -5)] {
        let mechanism = gaussian(sigma);
        let law = Law::integer_gaussian(mechanism.variance(), x as f64, integers(9)).unwrap();
        let narrow = Tree::exhaustive(growth(22), |source: &mut Script<'_, Bits<2>>| {
            Ok(law.event(mechanism.release(source, x)?.real()))
        });
        confirms(&narrow.unwrap(), &law, "1/20");
        let wide = Tree::exhaustive(growth(20), |source: &mut Script<'_, Bits<4>>| {
            Ok(law.event(mechanism.release(source, x)?.real()))
        });
        confirms(&wide.unwrap(), &law, "1/10");
    }
}

/// Rectangles whose corners agree: floats of both types, and integers.
#[test]
fn rectangles() {
    for (sigma, x) in [("5/2", 0.0), ("1/1000", 1.1), ("100", -5.0)] {
        let mechanism = gaussian(sigma);
        let scale = rational(sigma).to_f64(lastbit::Rounding::Nearest);
        let cuts = || [-2.0, -0.7, -1e-3, 0.1, 1.1, 3.0].map(|far| x + scale * far);
        let law = Law::gaussian::<f64>(mechanism.variance(), x, cuts()).unwrap();
        confirms(&faulty_tree::<Bits<2>, _>(&mechanism, x, &law, 18, &NO_FAULT), &law, "1/50");
        let single = x as f32;
        let cuts = cuts().map(|cut| f64::from(cut as f32));
        let law = Law::gaussian::<f32>(mechanism.variance(), single.into(), cuts).unwrap();
        confirms(&faulty_tree::<Bits<4>, _>(&mechanism, single, &law, 16, &NO_FAULT), &law, "1/15");
    }
    let mechanism = gaussian("5/2");
    let law = Law::integer_gaussian(mechanism.variance(), 7.0, integers(20).step_by(4)).unwrap();
    confirms(&faulty_tree::<Bits<2>, _>(&mechanism, 7i64, &law, 20, &NO_FAULT), &law, "1/50");
}

/// A scale that is off by a fiftieth shows in the bounds of single events.
#[test]
fn another_scale_is_refuted() {
    let mechanism = gaussian("5/2");
    let law = |sigma: &str| {
        let sigma = rational(sigma);
        Law::gaussian::<f32>(&sigma.pow(2), 0.0, [-2.5, 2.5]).unwrap()
    };
    let tree = faulty_tree::<Bits<2>, _>(&mechanism, 0.0f32, &law("5/2"), 22, &NO_FAULT);
    assert_eq!(divergence(&tree, &law("5/2")).refuted_by, None);
    for sigma in ["2.55", "2.45"] {
        assert!(divergence(&tree, &law(sigma)).refuted_by.is_some(), "{sigma}");
    }
}

/// Faults that leave the output monotone in both numbers.
#[test]
fn faulty_copies_are_refuted() {
    let main = |main| Fault { main, ..NO_FAULT };
    let refinement = |refinement| Fault { refinement, ..NO_FAULT };
    let faults: [(&str, Fault); 6] = [
        ("no sign", main(|i, word| if i == 0 { word & !(1 << 63) } else { word })),
        ("no exchange", main(|i, word| if i == 1 { word & !(1 << 62) } else { word })),
        ("V without its low bits", main(|i, word| if i == 2 { word & !(3 << 60) } else { word })),
        ("a bit of U that is always one", main(|i, word| if i == 2 { word | 1 << 63 } else { word })),
        ("V with zeros", refinement(|i, word| if i == 1 { word & !(3 << 62) } else { word })),
        ("U with ones", refinement(|i, word| if i == 0 { word | 3 << 62 } else { word })),
    ];
    let mechanism = gaussian("5/2");
    let law = Law::gaussian::<f32>(mechanism.variance(), 0.5, [-3.0, 0.5, 3.0]).unwrap();
    for (name, fault) in faults {
        let tree = faulty_tree::<Bits<4>, _>(&mechanism, 0.5f32, &law, 20, &fault);
        let found = divergence(&tree, &law);
        assert!(found.refuted_by.is_some(), "{name}: {found:?}");
    }
}

fn audit(values: ValueType, sigma: &str, depth_bits: u32) -> SamplerReport {
    let shipped = ShippedSampler::new(gaussian(sigma).into(), values).unwrap();
    let request = SamplerRequest { depth_bits, ..SamplerRequest::new(shipped, [0.0, 1.0]) };
    sampler_audit(&request, &AtomicBool::new(false), &mut |_| {}).unwrap()
}

#[test]
fn whole_audits() {
    for (values, sigma) in
        [(ValueType::F64, "5/2"), (ValueType::F32, "5/2"), (ValueType::I64, "3"), (ValueType::I32, "1/2")]
    {
        let report = audit(values, sigma, 14);
        assert!(!report.is_refuted(), "{report:?}");
        assert_eq!(report.enumeration.name(), "monotone in both numbers");
        assert_eq!(report.loss.claim.measure(), Measure::ZeroConcentratedDivergence);
        for side in &report.sides {
            assert!(side.production.thresholds > 50 && side.production.replays > 1000, "{report:?}");
            assert!(side.production.tiers.of(Tier::Three) > 0);
            assert!(side.tiers.as_ref().unwrap().of(Tier::Two) > 0);
            assert!(side.remainder < rational("1/3"), "{report:?}");
        }
        // An event's bounds have not all of what is undecided, and together they still are everything.
        let likely = report.events.iter().find(|row| row.bounds[0][0] > rational("1/10")).unwrap();
        let [least, most] = &likely.bounds[0];
        assert!(most - least < report.sides[0].remainder, "{report:?}");
        let least = report.events.iter().map(|row| row.bounds[0][0].clone()).sum::<Rational>();
        // But for one unit, for what the corners miss.
        assert_eq!(least + &report.sides[0].remainder, Rational::ONE + Rational::pow2(-14));
    }
}

#[test]
fn a_tree_of_pairs_is_not_deep() {
    let error = Tree::monotone_in_both(growth(57), |_: &mut Script<'_, Bits<2>>| Ok(0)).unwrap_err();
    assert!(error.to_string().contains("depth"), "{error}");
}
