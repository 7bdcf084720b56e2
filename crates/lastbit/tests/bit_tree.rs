//! The distribution of the shipped code, by enumeration of its random bits.
//!
//! A mechanism reads words of 8 bits. Every script of words that is long enough to decide the output gives it the weight
//! `256^-length`; a script that runs out is continued with all 256 words, down to a limit. What is left there is the remainder.
//! Between the weight of an event and that weight with the remainder lies its probability, exactly, and the true
//! probability must lie there too. Most scripts are decided at once, so that such a tree of `2⁶⁴` leaves takes a second.
//!
//! Larger cases are tested with a fixed seed and χ², at a level of one in a million. Both tests must reject copies with a
//! small bias.

use std::collections::BTreeMap;

use lastbit::{
    BitSource, DiscreteGaussian, DiscreteLaplace, Error, FloatSnapping, GridLaplace, InsecureSeededSource, Laplace,
    Mechanism, Rational, ReplaySource, Snapping, Word, snap_f,
};
use lastbit_real::{Dyadic, Enclosure, Float, Rounding, exp_rational};

/// Precision of the true probabilities.
const BITS: u32 = 200;

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn exact(x: f64) -> Rational {
    Rational::try_from(x).expect("a finite number")
}

fn point(x: &Rational) -> Enclosure {
    Enclosure::of_rational(x, BITS)
}

/// The true distribution of an output: `P(output >= cut)` for some increasing cuts.
struct Truth {
    cuts: Vec<f64>,
    tails: Vec<Enclosure>,
}

impl Truth {
    fn new(cuts: impl IntoIterator<Item = f64>, tail: impl Fn(f64) -> Enclosure) -> Truth {
        let cuts: Vec<f64> = cuts.into_iter().collect();
        let tails = cuts.iter().map(|cut| tail(*cut)).collect();
        Truth { cuts, tails }
    }

    /// The number of cuts that `output` reaches.
    fn event(&self, output: f64) -> usize {
        self.cuts.partition_point(|cut| *cut <= output)
    }

    fn probability(&self, event: usize) -> Enclosure {
        let tail = |reached: usize| match reached.checked_sub(1) {
            None => Enclosure::exact(Dyadic::ONE),
            Some(i) => self.tails.get(i).cloned().unwrap_or(Enclosure::exact(Dyadic::ZERO)),
        };
        &tail(event) - &tail(event + 1)
    }

    fn all(&self) -> Vec<Enclosure> {
        (0..=self.cuts.len()).map(|event| self.probability(event)).collect()
    }
}

/// `P(b·L > t)` for the real Laplace variable `L`.
fn laplace_tail(b: &Rational, t: &Rational) -> Enclosure {
    let half = exp_rational(&(-t.abs() / b), BITS).expect("a small exponent").shl(-1);
    if t.is_negative() { &Enclosure::exact(Dyadic::ONE) - &half } else { half }
}

/// `P(Z >= j)` for the discrete Laplace variable `Z` of scale `s`: `q^j/(1 + q)` for `j >= 1`.
fn discrete_tail(s: &Rational, j: &Rational) -> Enclosure {
    let one = Enclosure::exact(Dyadic::ONE);
    if !j.is_positive() {
        return &one - &discrete_tail(s, &(Rational::ONE - j));
    }
    let power = |j: &Rational| exp_rational(&(-j / s), BITS).expect("a small exponent");
    power(j).div(&(&one + &power(&Rational::ONE)), BITS).expect("a positive divisor")
}

/// Halfway from the float below `cut` to `cut`: what a sum must exceed to be rounded to `cut` or more.
fn half_below<T: Float>(cut: T) -> Rational {
    Rational::from(cut.midpoint_below().expect("finite"))
}

fn integers(limit: i32) -> impl Iterator<Item = f64> {
    (-limit..=limit).map(f64::from)
}

/// Floats: `RN(x + b·L)`.
fn rounded_truth<T: Float>(b: &Rational, x: T, cuts: impl IntoIterator<Item = T>) -> Truth {
    let cuts: Vec<T> = cuts.into_iter().collect();
    let tails = cuts.iter().map(|cut| laplace_tail(b, &(half_below(*cut) - exact(x.to_f64())))).collect();
    Truth { cuts: cuts.iter().map(|cut| cut.to_f64()).collect(), tails }
}

/// `RN((i + Z)·2^k)`.
fn grid_truth<T: Float>(b: &Rational, k: i32, x: T, cuts: impl IntoIterator<Item = T>) -> Truth {
    let per_cell = Rational::pow2(-i64::from(k));
    let s = b * &per_cell;
    let index = Rational::from((exact(x.to_f64()) * &per_cell).round_half_up());
    let cuts: Vec<T> = cuts.into_iter().collect();
    let tail = |cut: &T| {
        let midpoint = half_below(*cut);
        let cells = &midpoint * &per_cell;
        let tie_stays_below = cells.is_integer() && T::from_rational(&midpoint, Rounding::Nearest) != *cut;
        let first = Rational::from(cells.ceil()) + Rational::from(i32::from(tie_stays_below));
        discrete_tail(&s, &(first - &index))
    };
    Truth { tails: cuts.iter().map(tail).collect(), cuts: cuts.iter().map(|cut| cut.to_f64()).collect() }
}

/// The snapping mechanism on the reals.
fn snapping_truth(snapping: &Snapping, x: f64) -> Truth {
    let (b, lambda) = (snapping.epsilon().recip().expect("positive"), exact(snapping.lambda()));
    let cuts = (1..).map(|i| -snapping.bound() + f64::from(i)).take_while(|cut| *cut <= snapping.bound());
    Truth::new(cuts, |cut| {
        let least = Rational::from((exact(cut) / &lambda).ceil()) * &lambda;
        laplace_tail(&b, &(least - &lambda / Rational::from(2) - exact(x)))
    })
}

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

/// A source whose second bit of a word (the first of `U`) is one a little too often: also where four later bits are.
struct Biased<S>(S);

impl<S: BitSource> BitSource for Biased<S> {
    type Word = S::Word;
    fn open_batch(&mut self) -> Result<u64, Error> {
        self.0.open_batch()
    }
    fn next_word(&mut self) -> S::Word {
        let word = self.0.next_word().left_aligned();
        S::Word::from_top_of(if word >> 56 & 15 == 15 { word | 1 << 62 } else { word })
    }
    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> S::Word {
        self.0.refinement_word(batch, index, round)
    }
}

/// What mechanisms release, as a number.
trait Value: Copy {
    fn real(self) -> f64;
}

impl Value for f64 {
    fn real(self) -> f64 {
        self
    }
}

impl Value for f32 {
    fn real(self) -> f64 {
        self.into()
    }
}

impl Value for i64 {
    fn real(self) -> f64 {
        self as f64
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
        let cuts = std::iter::successors(Some(x - 120.0), |y| Some(y.next_up())).take_while(|y| *y < x + 120.0);
        let truth = rounded_truth(&rational(b), x, cuts);
        let laplace = Laplace::new(rational(b)).unwrap();
        tree(&laplace, x, &truth).confirms(&truth.all());
        tree(&laplace.hardened(), x, &truth).confirms(&truth.all());
    }
    for (b, x) in [("3", 2f32.powi(24)), ("10/7", 2f32.powi(24) - 3.0), ("5", -(2f32.powi(25)))] {
        let cuts = std::iter::successors(Some(x - 120.0), |y| Some(y.next_up())).take_while(|y| *y < x + 120.0);
        let truth = rounded_truth(&rational(b), x, cuts);
        tree(&Laplace::new(rational(b)).unwrap(), x, &truth).confirms(&truth.all());
    }
}

#[test]
fn laplace_on_small_floats() {
    let cuts = [-20.0, -5.0, -2.0, -1.0, -0.5, -1e-3, 0.0, 1e-9, 1e-3, 0.1, 0.5, 1.0, 1.1, 2.0, 5.0, 20.0];
    for (b, x) in [("10/7", 0.0), ("1/3", 1.0), ("1e-3", 1.1), ("10/7", -5.0)] {
        let laplace = Laplace::new(rational(b)).unwrap();
        let truth = rounded_truth(&rational(b), x, cuts);
        monotone_tree(&laplace, x, &truth).confirms(&truth.all());
        let truth = rounded_truth(&rational(b), x as f32, cuts.map(|cut| cut as f32));
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
    for (epsilon, bound, x) in [("1/2", "10", 1.3), ("2/3", "7.5", -7.0), ("1", "6", 0.5), ("3/4", "8", 100.0)] {
        let snapping = Snapping::new(rational(epsilon), rational(bound)).unwrap();
        let truth = snapping_truth(&snapping, x);
        tree(&snapping, x, &truth).confirms(&truth.all());
    }
}

/// `P(output >= cut)` of `Snap_F`: the doubles `u` that give as much are those above, or below, a threshold.
fn float_snapping_truth(snapping: &FloatSnapping, x: f64) -> Truth {
    let params = snapping.params();
    // The least double for which `holds`, which fails below it; 1 if it never holds.
    let least = |holds: &dyn Fn(f64) -> bool| {
        let (mut below, mut at) = (0, 1f64.to_bits());
        while at - below > 1 {
            let middle = (below + at) / 2;
            if holds(f64::from_bits(middle)) { at = middle } else { below = middle }
        }
        exact(f64::from_bits(at))
    };
    let cuts = (1..).map(|i| -params.bound + f64::from(i)).take_while(|cut| *cut <= params.bound);
    Truth::new(cuts, |cut| {
        let plus = Rational::ONE - least(&|u| snap_f(params, x, u, 1.0) >= cut);
        let minus = least(&|u| snap_f(params, x, u, -1.0) < cut);
        let tail = point(&((plus + minus) / Rational::from(2)));
        // The draw starts over below 2^-1074.
        let tiny = Dyadic::pow2(-1000);
        tail.hull(&Enclosure::exact(tail.lo() - &tiny)).hull(&Enclosure::exact(tail.hi() + &tiny))
    })
}

#[test]
fn float_snapping() {
    for (epsilon, bound, x) in [(0.5, 10.0, 1.3), (1.0, 6.0, 0.5), (0.75, 8.0, -100.0)] {
        let snapping = FloatSnapping::new(epsilon, bound).unwrap();
        let truth = float_snapping_truth(&snapping, x);
        monotone_tree(&snapping, x, &truth).confirms(&truth.all());
        // And it is close to the ideal.
        let ideal = snapping_truth(&Snapping::new(exact(epsilon), exact(bound)).unwrap(), x.clamp(-bound, bound));
        assert_eq!(ideal.cuts, truth.cuts);
        for (ours, ideal) in truth.tails.iter().zip(&ideal.tails) {
            assert!(*(ours - ideal).abs().hi() < Dyadic::pow2(-48));
        }
    }
}

/// Tells after the first pair of words, and their refinements, whether a proposal was rejected.
struct FirstProposal<'a> {
    replay: ReplaySource<'a, u8>,
    main_words: usize,
    rejected_after: Option<usize>,
}

impl BitSource for FirstProposal<'_> {
    type Word = u8;
    fn open_batch(&mut self) -> Result<u64, Error> {
        Ok(0)
    }
    fn next_word(&mut self) -> u8 {
        if self.main_words == 2 && self.rejected_after.is_none() {
            self.rejected_after = Some(self.replay.words_asked());
        }
        self.main_words += 1;
        self.replay.next_word()
    }
    fn refinement_word(&mut self, _batch: u64, _index: u64, _round: u32) -> u8 {
        self.replay.next_word()
    }
}

/// The events of a first proposal: rejected, or accepted and which.
const LARGEST: i64 = 40;

fn gaussian_tree(gaussian: &DiscreteGaussian) -> Tree {
    Tree::grow(4, |script| {
        let mut source = FirstProposal { replay: ReplaySource::new(script), main_words: 0, rejected_after: None };
        let z: i64 = gaussian.release(&mut source, 0).expect("no overflow");
        let read = source.rejected_after.unwrap_or(source.replay.words_asked());
        let event = if source.rejected_after.is_some() { 0 } else { (z + LARGEST + 1) as usize };
        (read <= script.len()).then_some(event)
    })
}

/// The first proposal is accepted and `z` with probability `(1-q)/(1+q)·q^|z|·e^-γ`, `q = e^(-1/t)`; what is accepted later
/// has the same distribution, as the words are fresh.
fn gaussian_truth(variance: &Rational) -> Vec<Enclosure> {
    let t = Rational::from(variance.floor_sqrt().unwrap()) + Rational::ONE;
    let probability = |z: i64| {
        let z = Rational::from(z).abs();
        let proposal = &discrete_tail(&t, &z) - &discrete_tail(&t, &(&z + Rational::ONE));
        let gamma = (z - variance / &t).pow(2) / (variance * Rational::from(2));
        &proposal * &exp_rational(&-gamma, BITS).unwrap()
    };
    let accepted: Vec<Enclosure> = (-LARGEST..=LARGEST).map(probability).collect();
    let sum = accepted.iter().fold(Enclosure::exact(Dyadic::ZERO), |sum, p| &sum + p);
    // What lies beyond is below e^-40.
    let rejected = &Enclosure::exact(Dyadic::ONE) - &sum;
    let rejected = rejected.hull(&Enclosure::exact(rejected.lo() - &Dyadic::pow2(-57)));
    std::iter::once(rejected).chain(accepted).collect()
}

#[test]
fn discrete_gaussian() {
    for variance in ["1/2", "2"] {
        let gaussian = DiscreteGaussian::with_variance(rational(variance)).unwrap();
        let truth = gaussian_truth(&rational(variance));
        let tree = gaussian_tree(&gaussian);
        assert_eq!(tree.refutes(&truth), None, "{tree:?}");
        assert!(tree.remainder < 1 << 18, "{tree:?}");
        // And a slightly different variance is told apart.
        let other = gaussian_truth(&(rational(variance) + rational("1/1000")));
        assert!(tree.refutes(&other).is_some());
    }
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

/// Draws for χ².
const DRAWS: usize = 1_000_000;

/// Whether the number of times that each event came is less likely than one in a million.
fn is_unlikely(counts: &[u64], probabilities: &[f64]) -> bool {
    // Rare events together, so that the statistic has the distribution of χ².
    let mut bins = vec![(0.0, 0.0)];
    for (count, probability) in counts.iter().zip(probabilities) {
        let last = bins.last_mut().expect("never empty");
        *last = (last.0 + *count as f64, last.1 + probability * DRAWS as f64);
        if last.1 >= 100.0 {
            bins.push((0.0, 0.0));
        }
    }
    let rest = bins.pop().expect("never empty");
    let last = bins.last_mut().expect("a likely event");
    *last = (last.0 + rest.0, last.1 + rest.1);
    let statistic: f64 = bins.iter().map(|(count, expected)| (count - expected).powi(2) / expected).sum();
    // Wilson and Hilferty's approximation of the quantile.
    let (k, z) = ((bins.len() - 1) as f64, 4.7534);
    let quantile = k * (1.0 - 2.0 / (9.0 * k) + z * (2.0 / (9.0 * k)).sqrt()).powi(3);
    eprintln!("χ² = {statistic:.1} in {} bins, limit {quantile:.1}", bins.len());
    assert!(bins.len() > 8);
    statistic > quantile
}

fn draw<T: Value, M: Mechanism<T>>(mechanism: &M, x: T, source: &mut impl BitSource) -> Vec<T> {
    let mut values = vec![x; DRAWS];
    mechanism.release_in_place(source, &mut values).expect("no overflow");
    values
}

fn is_unlikely_under<T: Value>(truth: &Truth, values: &[T]) -> bool {
    let mut counts = vec![0; truth.cuts.len() + 1];
    values.iter().for_each(|value| counts[truth.event(value.real())] += 1);
    let nearest = |p: &Enclosure| f64::from_dyadic(p.lo(), Rounding::Nearest);
    is_unlikely(&counts, &truth.all().iter().map(nearest).collect::<Vec<_>>())
}

#[track_caller]
fn fits<T: Value, M: Mechanism<T>>(mechanism: &M, x: T, truth: &Truth) {
    assert!(!is_unlikely_under(truth, &draw(mechanism, x, &mut InsecureSeededSource::<u64>::from_seed(11))));
    assert!(!is_unlikely_under(truth, &draw(mechanism, x, &mut InsecureSeededSource::<u16>::from_seed(12))));
}

#[test]
fn chi_square_of_laplace() {
    let b = rational("100/7");
    let laplace = Laplace::new(b.clone()).unwrap();
    let half = rational("1/2");
    fits(&laplace, 0i64, &Truth::new(integers(120), |j| laplace_tail(&b, &(exact(j) - &half))));
    for x in [0.0, 1.0, 1e6] {
        let cuts = || integers(120).map(|i| x + i / 1.7);
        fits(&laplace, x, &rounded_truth(&b, x, cuts()));
        fits(&laplace.clone().hardened(), x as f32, &rounded_truth(&b, x as f32, cuts().map(|cut| cut as f32)));
    }
}

#[test]
fn chi_square_of_grids_and_integers() {
    let s = rational("100/7");
    let truth = Truth::new(integers(120), |j| discrete_tail(&s, &exact(j)));
    fits(&DiscreteLaplace::new(s.clone()).unwrap(), 0i64, &truth);
    for k in [-1, -30, -46, -62] {
        let truth = grid_truth(&s, k, 0.3, integers(120));
        fits(&GridLaplace::<f64>::new(s.clone(), Some(k)).unwrap(), 0.3, &truth);
    }
    let truth = grid_truth(&s, -20, 0.3f32, integers(120).map(|cut| cut as f32));
    fits(&GridLaplace::<f32>::new(s, Some(-20)).unwrap(), 0.3f32, &truth);
}

#[test]
fn chi_square_of_snapping() {
    let snapping = Snapping::new(rational("0.07"), rational("500")).unwrap();
    fits(&snapping, 33.3, &snapping_truth(&snapping, 33.3));
    let snapping = FloatSnapping::new(0.5, 20.0).unwrap();
    fits(&snapping, 1.3, &float_snapping_truth(&snapping, 1.3));
}

#[test]
fn chi_square_of_the_discrete_gaussian() {
    for variance in [0.5, 2.0, 150.25] {
        let weight = |z: i64| (-(z as f64).powi(2) / (2.0 * variance)).exp();
        let sum: f64 = (-400..=400).map(weight).sum();
        let probabilities: Vec<f64> = (-200..=200).map(|z| weight(z) / sum).collect();
        let gaussian = DiscreteGaussian::with_variance(exact(variance)).unwrap();
        for seed in [13, 14] {
            let mut counts = vec![0; probabilities.len()];
            for z in draw(&gaussian, 0i64, &mut InsecureSeededSource::<u64>::from_seed(seed)) {
                counts[(z + 200) as usize] += 1;
            }
            assert!(!is_unlikely(&counts, &probabilities));
        }
    }
}

#[test]
fn chi_square_rejects_a_biased_copy() {
    let truth = Truth::new(integers(60), |j| discrete_tail(&rational("5/2"), &exact(j)));
    let source = || InsecureSeededSource::<u64>::from_seed(15);
    let exact_one = DiscreteLaplace::new(rational("5/2")).unwrap();
    assert!(!is_unlikely_under(&truth, &draw(&exact_one, 0i64, &mut source())));
    assert!(is_unlikely_under(&truth, &draw(&exact_one, 0i64, &mut Biased(source()))));
    let other = DiscreteLaplace::new(rational("5/2") + rational("1/20")).unwrap();
    assert!(is_unlikely_under(&truth, &draw(&other, 0i64, &mut source())));
}
