//! Pairs of inputs that are likely to lose much, weighed exactly.

use std::collections::BTreeMap;

use lastbit_real::{Enclosure, Float, Rational, Rounding};

use super::{Case, Exact, FloatSnap, Weights};

/// What to look at, and how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Pairs to look at first.
    pub pairs: Vec<[f64; 2]>,
    /// The seed of the random ones.
    pub seed: u64,
    /// No further pair is looked at after so many logarithms; a million take about a tenth of a second.
    pub evaluations: u64,
}

impl Default for Search {
    fn default() -> Search {
        Search { pairs: Vec::new(), seed: 1, evaluations: 400_000 }
    }
}

/// An output with its exact weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The inputs, in order.
    pub inputs: [f64; 2],
    /// The case of the output.
    pub case: Case,
    /// The output and its weights under the inputs.
    pub weights: Weights,
}

impl Witness {
    /// `|ln(P/P')|`, or `None` if it is infinite.
    pub fn loss(&self) -> Option<Enclosure> {
        self.weights.loss()
    }
}

/// Outputs are all looked at up to this many, and chosen beyond.
const ALL_OUTPUTS: i64 = 2048;
/// How many are chosen next to each place of interest.
const NEXT_TO: i64 = 4;
/// How many are chosen at equal distances.
const SPREAD: i64 = 32;

/// The numbers of outputs to look at for two inputs: all, or the ends, the places around the inputs and zero, and some others.
pub fn outputs_of_interest(mechanism: &FloatSnap, inputs: [f64; 2]) -> Vec<i64> {
    let top = mechanism.top();
    if 2 * top < ALL_OUTPUTS {
        return (-top..=top).collect();
    }
    let places = inputs.map(|f| mechanism.number_of(f));
    let mut numbers: Vec<i64> = [-top, 0, top]
        .into_iter()
        .chain(places)
        .flat_map(|place| place - NEXT_TO..=place + NEXT_TO)
        .chain((1..SPREAD).map(|i| -top + i * (2 * top / SPREAD)))
        .filter(|k| (-top..=top).contains(k))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The largest double at most `f + distance` and `B`.
fn up_to(mechanism: &FloatSnap, f: f64, distance: &Rational) -> f64 {
    let sum = Rational::try_from(f).expect("inputs are finite") + distance;
    sum.to_f64(Rounding::Down).min(mechanism.bound())
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A double of `[-bound, bound]`.
    fn within(&mut self, bound: f64) -> f64 {
        let unit = f64::from_i128(i128::from(self.next() as i64 >> 10), -53);
        (bound * unit).clamp(-bound, bound)
    }
}

/// Lower inputs that are likely to lose much: the ends, what makes the other input the upper end, ties and their neighbours.
fn adversarial(mechanism: &FloatSnap, sensitivity: &Rational) -> Vec<f64> {
    let (bound, top) = (mechanism.bound(), mechanism.top());
    let below_bound = (mechanism.exact_bound() - sensitivity).to_f64(Rounding::Up);
    let ties = [1 - top, 0, 1, top].map(|k| mechanism.threshold(k));
    let mut inputs = vec![-bound, below_bound, 0.0, bound.next_down()];
    inputs.extend(ties.into_iter().flat_map(|tie| [tie, tie.next_down()]));
    inputs.retain(|f| f.abs() <= bound);
    inputs
}

/// Weighs pairs at most `sensitivity` apart. `noise` is `y_F`.
///
/// Ensures: for every pair that was looked at, the worst output of each case, and output 0.
pub fn search(
    mechanism: &FloatSnap,
    sensitivity: &Rational,
    search: &Search,
    noise: impl Fn(f64) -> f64,
) -> Vec<Witness> {
    let exact = Exact::new(mechanism, noise);
    let mut witnesses = Vec::new();
    let mut weigh = |inputs: [f64; 2]| {
        let numbers = inputs.map(|f| mechanism.number_of(f));
        let mut worst: BTreeMap<Case, Weights> = BTreeMap::new();
        for weights in exact.weights(inputs, outputs_of_interest(mechanism, inputs)) {
            let case = Case::of(weights.output, mechanism.top(), numbers);
            if weights.output == 0 {
                witnesses.push(Witness { inputs, case, weights: weights.clone() });
            }
            match worst.get_mut(&case) {
                Some(known) if known.loses_less_than(&weights) => *known = weights,
                Some(_) => {}
                None => drop(worst.insert(case, weights)),
            }
        }
        let others = worst.into_iter().filter(|(_, weights)| weights.output != 0);
        witnesses.extend(others.map(|(case, weights)| Witness { inputs, case, weights }));
        exact.evaluations() < search.evaluations
    };
    let adversarial = adversarial(mechanism, sensitivity);
    let pairs = adversarial.iter().map(|&f| [f, up_to(mechanism, f, sensitivity)]);
    let neighbours = adversarial.iter().map(|&f| [f, f.next_up().min(mechanism.bound())]);
    let mut random = Random(search.seed);
    let drawn = std::iter::repeat_with(|| {
        let f = random.within(mechanism.bound());
        [f, up_to(mechanism, f, sensitivity)]
    });
    let given = search.pairs.iter().map(|&[f, f2]| if f <= f2 { [f, f2] } else { [f2, f] });
    let all = given.chain(pairs).chain(neighbours).chain(drawn.take(MOST_RANDOM));
    // A double that is next to another one may be farther away than the sensitivity, if that is tiny.
    let near = |&[f, f2]: &[f64; 2]| {
        let exact = |x: f64| Rational::try_from(x).expect("inputs are finite");
        f < f2 && f.abs().max(f2.abs()) <= mechanism.bound() && exact(f2) - exact(f) <= *sensitivity
    };
    for pair in all.filter(near) {
        if !weigh(pair) {
            break;
        }
    }
    witnesses
}

/// Random pairs are not looked at beyond this many, however cheap.
const MOST_RANDOM: usize = 200;
