//! Trees of bits, and what they say about each mechanism.

use std::cell::RefCell;
use std::collections::BTreeMap;

use lastbit::{
    BitSource, DiscreteGaussian, DiscreteLaplace, Error, FloatSnapping, GridLaplace, Laplace, Mechanism,
    Rational, ReplaySource, Rounding, Snapping,
};
use lastbit_real::{Dyadic, Enclosure, exp_rational};

use crate::truth::{
    BITS, Truth, discrete_tail, exact, float_snapping_truth, grid_truth, integers, laplace_tail, rational,
    rounded_truth, snapping_truth,
};
use crate::{Biased, Value};

/// Exact bounds on the probabilities of events, in units of `256^-depth`.
#[derive(Debug)]
struct Tree {
    depth: u32,
    weights: BTreeMap<usize, u128>,
    remainder: u128,
}

impl Tree {
    /// `decide` gives the event of a script, or `None` if it is too short.
    fn grow(depth: u32, decide: impl Fn(&[u8]) -> Option<usize>) -> Tree {
        assert!(depth <= 15, "the weights are 128-bit numbers");
        let mut tree = Tree { depth, weights: BTreeMap::new(), remainder: 0 };
        tree.branch(&mut Vec::new(), &decide);
        assert_eq!(tree.weights.values().sum::<u128>() + tree.remainder, 1 << (8 * depth));
        tree
    }

    fn branch(&mut self, script: &mut Vec<u8>, decide: &impl Fn(&[u8]) -> Option<usize>) {
        for word in 0..=u8::MAX {
            script.push(word);
            let weight = 1 << (8 * (self.depth - script.len() as u32));
            match decide(script) {
                Some(event) => *self.weights.entry(event).or_default() += weight,
                None if weight == 1 => self.remainder += 1,
                None => self.branch(script, decide),
            }
            script.pop();
        }
    }

    /// The first event whose true probability is out of bounds.
    fn refutes(&self, truth: &[Enclosure]) -> Option<usize> {
        let unit = -8 * i64::from(self.depth);
        let weight = |event| self.weights.get(&event).copied().unwrap_or(0);
        (0..truth.len()).find(|event| {
            let (least, most) = (weight(*event), weight(*event) + self.remainder);
            *truth[*event].hi() < Dyadic::new(least, unit) || *truth[*event].lo() > Dyadic::new(most, unit)
        })
    }

    #[track_caller]
    fn confirms(&self, truth: &[Enclosure]) {
        let share = self.remainder as f64 / 256f64.powi(self.depth as i32);
        assert!(share < 2f64.powi(-24), "2^{:.1} is left: the bounds say little", share.log2());
        assert_eq!(self.refutes(truth), None, "{self:?}");
        assert!(self.weights.len() > 3, "{self:?}");
    }
}

/// Words below which the trees of mechanisms with few outputs are cut.
const DEPTH: u32 = 8;

/// The tree of a mechanism with few outputs.
fn tree<T: Value, M: Mechanism<T>>(mechanism: &M, x: T, truth: &Truth) -> Tree {
    Tree::grow(DEPTH, |script| {
        let mut source = ReplaySource::new(script);
        let output = mechanism.release(&mut source, x).expect("no overflow");
        (!source.ran_out()).then(|| truth.event(output.real()))
    })
}

fn biased_tree<T: Value, M: Mechanism<T>>(mechanism: &M, x: T, truth: &Truth) -> Tree {
    Tree::grow(DEPTH, |script| {
        let mut source = ReplaySource::new(script);
        let output = mechanism.release(&mut Biased(&mut source), x).expect("no overflow");
        (!source.ran_out()).then(|| truth.event(output.real()))
    })
}

/// A script, then one word again and again, and in the end others, so that a sampler that waits for a one returns.
struct Padded<'a> {
    script: &'a [u8],
    fill: u8,
    asked: usize,
}

impl BitSource for Padded<'_> {
    type Word = u8;
    fn open_batch(&mut self) -> Result<u64, Error> {
        Ok(0)
    }
    fn next_word(&mut self) -> u8 {
        let end = if self.asked < 60 { self.fill } else { 0x55 };
        self.asked += 1;
        self.script.get(self.asked - 1).copied().unwrap_or(end)
    }
    fn refinement_word(&mut self, _batch: u64, _index: u64, _round: u32) -> u8 {
        self.next_word()
    }
}

/// The tree of a mechanism whose outputs are too many to enumerate, but increase or decrease with `U` for each sign: if both
/// ends of what a script says about `U` have the same event, all between them do. (The ends are 2⁻⁴⁰⁰ inside.)
fn monotone_tree<T: Value, M: Mechanism<T>>(mechanism: &M, x: T, truth: &Truth) -> Tree {
    let mut tree = Tree::grow(DEPTH, |script| {
        let [zeros, ones] = [0, u8::MAX].map(|fill| {
            let mut source = Padded { script, fill, asked: 0 };
            truth.event(mechanism.release(&mut source, x).expect("no overflow").real())
        });
        (zeros == ones).then_some(zeros)
    });
    tree.remainder += 1;
    tree
}

#[test]
fn laplace_on_integers() {
    for (b, x) in [("1/3", 0), ("1", 0), ("10/7", -5), ("5/2", 3)] {
        let b = rational(b);
        let half = Rational::new(1, 2).expect("positive");
        let truth = Truth::new(integers(60), |j| laplace_tail(&b, &(exact(j) - &half - Rational::from(x))));
        tree(&Laplace::new(b.clone()).unwrap(), x, &truth).confirms(&truth.all());
    }
}

/// At numbers so large that neighbours are as far apart as the noise, on both sides of a power of two.
#[test]
fn laplace_on_large_floats() {
    for (b, x) in [("3", 2f64.powi(53)), ("10/7", 2f64.powi(53) - 3.0), ("5", -(2f64.powi(54)))] {
        let cuts =
            std::iter::successors(Some(x - 120.0), |y| Some(y.next_up())).take_while(|y| *y < x + 120.0);
        let truth = rounded_truth(&rational(b), x, cuts);
        let laplace = Laplace::new(rational(b)).unwrap();
        tree(&laplace, x, &truth).confirms(&truth.all());
        tree(&laplace.hardened(), x, &truth).confirms(&truth.all());
    }
    for (b, x) in [("3", 2f32.powi(24)), ("10/7", 2f32.powi(24) - 3.0), ("5", -(2f32.powi(25)))] {
        let cuts =
            std::iter::successors(Some(x - 120.0), |y| Some(y.next_up())).take_while(|y| *y < x + 120.0);
        let truth = rounded_truth(&rational(b), x, cuts);
        tree(&Laplace::new(rational(b)).unwrap(), x, &truth).confirms(&truth.all());
    }
}

#[test]
fn laplace_on_small_floats() {
    for (b, x) in [("10/7", 0.0), ("1/3", 1.0), ("1/1000", 1.1), ("10/7", -5.0)] {
        let scale = rational(b).to_f64(Rounding::Nearest);
        let cuts =
            || [-9.0, -2.0, -0.7, -1e-3, 0.0, 1e-9, 0.1, 0.5, 1.1, 5.0, 20.0].map(|far| x + scale * far);
        let laplace = Laplace::new(rational(b)).unwrap();
        let truth = rounded_truth(&rational(b), x, cuts());
        monotone_tree(&laplace, x, &truth).confirms(&truth.all());
        let truth = rounded_truth(&rational(b), x as f32, cuts().map(|cut| cut as f32));
        monotone_tree(&laplace, x as f32, &truth).confirms(&truth.all());
        monotone_tree(&laplace.hardened(), x as f32, &truth).confirms(&truth.all());
    }
}

#[test]
fn discrete_laplace() {
    for s in ["1/3", "1", "5/2"] {
        let truth = Truth::new(integers(100), |j| discrete_tail(&rational(s), &exact(j)));
        let laplace = DiscreteLaplace::new(rational(s)).unwrap();
        tree(&laplace, 0i64, &truth).confirms(&truth.all());
        tree(&laplace.hardened(), 0i64, &truth).confirms(&truth.all());
    }
}

#[test]
fn grid_laplace() {
    for (b, k, x) in [("5/2", 0, 0.3), ("1", 0, -2.5), ("10/7", 1, 3.0), ("1/3", -2, 0.1)] {
        let cuts = integers(240).map(|i| i * 2f64.powi(k));
        let truth = grid_truth(&rational(b), k, x, cuts);
        tree(&GridLaplace::<f64>::new(rational(b), Some(k)).unwrap(), x, &truth).confirms(&truth.all());
    }
    // The type has not all sums: 2^24 + 1 is rounded.
    for (b, k, x) in [("5/2", 0, 2f32.powi(24)), ("10/7", -1, 2f32.powi(23) - 2.0), ("5/2", 0, 0.3)] {
        let cuts = std::iter::successors(Some((x - 60.0).round()), |y| {
            Some((*y + 2f32.powi(k)).max(y.next_up())).filter(|next| *next < x + 60.0)
        });
        let truth = grid_truth(&rational(b), k, x, cuts);
        tree(&GridLaplace::<f32>::new(rational(b), Some(k)).unwrap(), x, &truth).confirms(&truth.all());
    }
}

#[test]
fn snapping() {
    for (epsilon, bound, x) in
        [("1/2", "10", 1.3), ("2/3", "7.5", -7.0), ("1", "6", 0.5), ("3/4", "8", 100.0)]
    {
        let snapping = Snapping::new(rational(epsilon), rational(bound)).unwrap();
        let truth = snapping_truth(&snapping, x);
        tree(&snapping, x, &truth).confirms(&truth.all());
    }
}

#[test]
fn float_snapping() {
    for (epsilon, bound, x) in [(0.5, 10.0, 1.3), (1.0, 6.0, 0.5), (0.75, 8.0, -100.0)] {
        let snapping = FloatSnapping::new(epsilon, bound).unwrap();
        let truth = float_snapping_truth(&snapping, x);
        monotone_tree(&snapping, x, &truth).confirms(&truth.all());
        // And it is close to the ideal.
        let ideal = snapping_truth(&Snapping::new(exact(epsilon), exact(bound)).unwrap(), x);
        assert_eq!(ideal.cuts, truth.cuts);
        for (ours, ideal) in truth.tails.iter().zip(&ideal.tails) {
            assert!(*(ours - ideal).abs().hi() < Dyadic::pow2(-48));
        }
    }
}

/// The first word and the refinements of a proposal, and those of its acceptance, apart. The next main word tells that the
/// proposal was rejected; what comes then is accepted soon.
struct Proposal<'a> {
    proposal: Padded<'a>,
    acceptance: Padded<'a>,
    main_words: usize,
}

impl BitSource for Proposal<'_> {
    type Word = u8;
    fn open_batch(&mut self) -> Result<u64, Error> {
        Ok(0)
    }
    fn next_word(&mut self) -> u8 {
        self.main_words += 1;
        self.refinement_word(0, self.main_words as u64 - 1, 0)
    }
    fn refinement_word(&mut self, _batch: u64, index: u64, _round: u32) -> u8 {
        match index {
            0 => self.proposal.next_word(),
            1 => self.acceptance.next_word(),
            even if even % 2 == 0 => 0x40,
            _ => 1,
        }
    }
}

/// The first proposal if it is accepted.
fn accepted(gaussian: &DiscreteGaussian, proposal: Padded, acceptance: Padded) -> Option<i64> {
    let mut source = Proposal { proposal, acceptance, main_words: 0 };
    let z = gaussian.release(&mut source, 0i64).expect("no overflow");
    (source.main_words == 2).then_some(z)
}

/// Proposals are discrete Laplace of scale `t`, and accepted with probability `e^-γ`: from this follows the distribution of the
/// first that is accepted. The proposal increases with its `U`, and given it the acceptance decreases with its own.
#[test]
fn discrete_gaussian() {
    for variance in ["1/2", "2", "17/3"].map(rational) {
        let gaussian = DiscreteGaussian::with_variance(variance.clone()).unwrap();
        let t = Rational::from(variance.floor_sqrt().unwrap()) + Rational::ONE;
        let truth = Truth::new(integers(9), |j| discrete_tail(&t, &exact(j)));
        // Scripts that decide a proposal, several for each.
        let decided = RefCell::new(BTreeMap::<i64, Vec<Vec<u8>>>::new());
        let tree = Tree::grow(DEPTH, |script| {
            // With these words everything up to γ = 83 is accepted, and what is larger is beyond the cuts.
            let always = || Padded { script: &[0; 15], fill: 0x55, asked: 0 };
            let far = if script[0] < 128 { 99 } else { -99 };
            let [zeros, ones] = [0, u8::MAX]
                .map(|fill| accepted(&gaussian, Padded { script, fill, asked: 0 }, always()).unwrap_or(far));
            (zeros == ones).then(|| {
                decided.borrow_mut().entry(zeros).or_default().push(script.to_vec());
                truth.event(zeros as f64)
            })
        });
        tree.confirms(&truth.all());

        let mut trees = 0;
        for (y, mut scripts) in decided.into_inner().into_iter().filter(|(y, _)| y.abs() <= 3) {
            // The shortest and the longest, by different tiers.
            scripts.sort_by_key(Vec::len);
            for script in [&scripts[0], &scripts[scripts.len() - 1]] {
                let tree = Tree::grow(6, |acceptance| {
                    let [zeros, ones] = [0, u8::MAX].map(|fill| {
                        let proposal = Padded { script, fill: 0x55, asked: 0 };
                        accepted(&gaussian, proposal, Padded { script: acceptance, fill, asked: 0 })
                    });
                    (zeros == ones).then(|| zeros.map_or(0, |z| if z == y { 1 } else { 2 }))
                });
                assert_eq!(tree.refutes(&acceptance_truth(&variance, y)), None, "y = {y}: {tree:?}");
                let other = acceptance_truth(&(&variance + rational("1e-4")), y);
                assert!(tree.refutes(&other).is_some(), "y = {y} tells nothing: {tree:?}");
                trees += 1;
            }
        }
        assert_eq!(trees, 14);
    }
}

/// Rejected, accepted, and something else.
fn acceptance_truth(variance: &Rational, y: i64) -> Vec<Enclosure> {
    let t = Rational::from(variance.floor_sqrt().unwrap()) + Rational::ONE;
    let gamma = (Rational::from(y).abs() - variance / t).pow(2) / (variance * Rational::from(2));
    let accepted = exp_rational(&-gamma, BITS).unwrap();
    vec![&Enclosure::exact(Dyadic::ONE) - &accepted, accepted, Enclosure::exact(Dyadic::ZERO)]
}

#[test]
fn trees_reject_a_biased_copy() {
    let truth = Truth::new(integers(60), |j| discrete_tail(&rational("5/2"), &exact(j)));
    let exact_one = DiscreteLaplace::new(rational("5/2")).unwrap();
    assert!(biased_tree(&exact_one, 0i64, &truth).refutes(&truth.all()).is_some());
    let other = DiscreteLaplace::new(rational("5/2") + rational("1e-9")).unwrap();
    assert!(tree(&other, 0i64, &truth).refutes(&truth.all()).is_some());

    let truth = rounded_truth(&rational("10/7"), 0.0, [-1.0, 0.0, 1.0]);
    let other = Laplace::new(rational("10/7") + rational("1e-9")).unwrap();
    assert!(monotone_tree(&other, 0.0, &truth).refutes(&truth.all()).is_some());
}
