//! The prefixes next to where the output changes. There an error of one unit anywhere shows, and a copy with a fault
//! must be found out.

use lastbit_real::{Enclosure, IBig};

use super::agreement::{Tally, differs};
use super::subjects::{self, Cells, Integers, OnGrid, RealCells, RealSum, Sum};
use super::{Arithmetic, Step, Subject, Visit, at_end, floor_at, more, rational, word_and_low, words};
use crate::sampler::scale::Scale;
use crate::sampler::tier2::{FixedVariable, Prefix};
use crate::sampler::tier3::LongPrefix;
use crate::sampler::{Law, try_tier2, try_tier3};
use crate::{DiscreteLaplace, GridLaplace, Laplace, Mechanism, Real, RealMechanism, ReplaySource, Snapping};

/// How many prefixes on each side of a threshold are tried.
const SIDE: i32 = 3;

/// A threshold of a subject: for `U` below it the output is `outer` or further out, above it `inner` or further in.
struct Threshold<T> {
    negative: bool,
    grows: bool,
    u: Enclosure,
    inner: T,
    outer: T,
}

impl<T: PartialOrd> Threshold<T> {
    /// The threshold next to what the law makes of a word.
    fn near<S: Subject<Output = T>>(subject: &S, word: u64) -> Option<Threshold<T>> {
        let prefix = Prefix::new(word, 64);
        let near = (prefix.bits != 0).then(|| at_end(&subject.law(), prefix, false))??;
        let negative = prefix.negative;
        let Step { e, inner, outer } = subject.threshold(negative, &near)?;
        let u = (-&e).exp(300).ok()?; // or E is far out of reach
        Some(Threshold { negative, grows: subject.grows(negative), u, inner, outer })
    }

    /// The prefixes of this length around the threshold, with their distances from it: 0 for the one that holds it.
    fn prefixes(&self, len: u32) -> Vec<(i32, Prefix)> {
        let Some(floor) = floor_at(&self.u, len) else { return Vec::new() };
        let prefix = |distance: i32| {
            let bits = floor
                .checked_add_signed(i128::from(distance))
                .filter(|bits| *bits > 0 && bits >> len == 0)?;
            Some((distance, Prefix { negative: self.negative, bits, len }))
        };
        (-SIDE..=SIDE).filter_map(prefix).collect()
    }

    /// Whether an answer is on the wrong side. No answer is right where the threshold is inside.
    fn refutes(&self, distance: i32, answer: &T) -> bool {
        let (below, above) = if self.grows {
            (answer < &self.outer, answer > &self.inner)
        } else {
            (answer > &self.outer, answer < &self.inner)
        };
        match distance {
            0 => true,
            ..0 => below,
            1.. => above,
        }
    }
}

/// Tries thresholds of subjects, and counts wrong answers.
struct Boundaries {
    arithmetic: Vec<Arithmetic>,
    thresholds: usize,
    /// Tier 2 and tier 3 too.
    all_tiers: bool,
    seed: u64,
    first: Tally,
    second: Tally,
    third: Tally,
}

impl Boundaries {
    fn new(arithmetic: Vec<Arithmetic>, thresholds: usize, all_tiers: bool) -> Boundaries {
        let [first, second, third] = [(); 3].map(|()| Tally::default());
        Boundaries { arithmetic, thresholds: more(thresholds), all_tiers, seed: 7000, first, second, third }
    }

    /// All tiers as they ship must be right on every subject.
    fn none_wrong(thresholds: usize, all: impl Fn(&mut Boundaries)) {
        let mut boundaries = Boundaries::new(Arithmetic::shipped(), thresholds, true);
        all(&mut boundaries);
        let Boundaries { first, second, third, .. } = &boundaries;
        eprintln!("next to thresholds: {first:?}, {second:?}, {third:?}");
        assert!(first.asked > 10_000 && second.decided > 0 && third.decided > 0);
        assert_eq!([first.wrong, second.wrong, third.wrong], [0; 3]);
    }

    fn first_tier<S: Subject>(&mut self, subject: &S, threshold: &Threshold<S::Output>) {
        let prefixes = threshold.prefixes(if subject.is_wide() { 95 } else { 63 });
        let (words, lows): (Vec<u64>, Vec<u64>) =
            prefixes.iter().map(|(_, prefix)| word_and_low(prefix)).unzip();
        let law = subject.law();
        for arithmetic in &self.arithmetic {
            let answers = subject.tier1(*arithmetic, &words, &lows);
            for ((distance, prefix), answer) in prefixes.iter().zip(answers) {
                // Other thresholds may be as close: the ends tell.
                let ends = || [false, true].map(|ones| at_end(&law, *prefix, ones));
                self.first.count(answer.as_ref(), |answer| {
                    threshold.refutes(*distance, answer) || differs(answer, ends())
                });
            }
        }
    }

    fn further_tiers<S: Subject>(&mut self, subject: &S, threshold: &Threshold<S::Output>, third: bool) {
        let law = subject.law();
        for (distance, prefix) in [63, 95, 127].into_iter().flat_map(|len| threshold.prefixes(len)) {
            let is_wrong = |answer: &S::Output| threshold.refutes(distance, answer);
            self.second.count(try_tier2(&law, prefix).as_ref(), is_wrong);
            if third {
                self.third.count(try_tier3(&law, &LongPrefix::from(prefix)).as_ref(), is_wrong);
            }
        }
    }
}

impl Visit for Boundaries {
    fn visit<S: Subject>(&mut self, subject: &S) {
        self.seed += 1;
        let words = words::<u64>(self.seed, self.thresholds);
        for (i, word) in words[words.len() - self.thresholds..].iter().enumerate() {
            let Some(threshold) = Threshold::near(subject, *word) else { continue };
            self.first_tier(subject, &threshold);
            if self.all_tiers {
                self.further_tiers(subject, &threshold, i % 10 == 0);
            }
        }
    }
}

#[test]
fn next_to_midpoints_f64() {
    Boundaries::none_wrong(50, subjects::sums_f64);
}

#[test]
fn next_to_midpoints_f32() {
    Boundaries::none_wrong(50, subjects::sums_f32);
}

#[test]
fn next_to_midpoints_of_reals_f64() {
    Boundaries::none_wrong(40, subjects::real_sums_f64);
}

#[test]
fn next_to_midpoints_of_reals_f32() {
    Boundaries::none_wrong(40, subjects::real_sums_f32);
}

#[test]
fn next_to_cells_of_reals() {
    Boundaries::none_wrong(80, subjects::real_cells);
}

#[test]
fn next_to_midpoints_of_fine_grids() {
    Boundaries::none_wrong(50, subjects::fine_grids);
}

#[test]
fn next_to_integers_plain() {
    Boundaries::none_wrong(300, subjects::integers_plain);
}

#[test]
fn next_to_integers_wide() {
    Boundaries::none_wrong(200, subjects::integers_wide);
}

#[test]
fn next_to_midpoints_of_grids() {
    Boundaries::none_wrong(40, subjects::grids);
}

#[test]
fn next_to_cells() {
    Boundaries::none_wrong(100, subjects::cells);
}

#[test]
fn next_to_acceptances() {
    Boundaries::none_wrong(2, subjects::many_acceptances);
}

/// A whole mechanism on the words around thresholds, with all further bits zeros, or all ones.
fn mechanism_obeys<S: Subject>(subject: &S, release: impl Fn(&mut ReplaySource<u64>) -> S::Output) {
    let mut tally = Tally::default();
    let n = more(100);
    for threshold in
        words::<u64>(8000, n).iter().rev().take(n).filter_map(|word| Threshold::near(subject, *word))
    {
        let len = if subject.is_wide() { 95 } else { 63 };
        for (prefix, ones) in
            threshold.prefixes(len).iter().flat_map(|(_, prefix)| [(prefix, false), (prefix, true)])
        {
            let fill = if ones { u64::MAX } else { 0 };
            let (word, low) = word_and_low(prefix);
            let script = [word, low, fill, fill, fill, fill];
            // The half is the upper one of a word, whose lower one counts for nothing.
            let output = if subject.is_wide() {
                release(&mut ReplaySource::new(&script))
            } else {
                release(&mut ReplaySource::new(&[word, fill, fill, fill, fill]))
            };
            tally.count(Some(&output), |output| {
                differs(output, [at_end(&subject.law(), *prefix, ones), None])
            });
        }
    }
    assert!(tally.asked > 500 && tally.wrong == 0, "{subject:?}: {tally:?}");
}

fn released<T: Copy + Default>(
    mechanism: &impl RealMechanism<T>,
    source: &mut ReplaySource<u64>,
    x: &str,
) -> T {
    let mut out = [T::default()];
    mechanism.release_reals(source, &[Real::from(rational(x))], &mut out).unwrap();
    out[0]
}

#[test]
fn mechanisms_next_to_thresholds() {
    for (b, x) in [("10/7", 0.3), ("1/3", -1e6)] {
        let laplace = Laplace::new(rational(b)).unwrap();
        mechanism_obeys(&Sum { x, b: scale(b) }, |source| laplace.release(source, x).unwrap());
        mechanism_obeys(&Sum { x: x as f32, b: scale(b) }, |source| {
            laplace.release(source, x as f32).unwrap()
        });
    }
    for (b, x) in [("10/7", "0.1"), ("1/3", "-1234.5678"), ("2", "9007199254740993")] {
        let laplace = Laplace::new(rational(b)).unwrap();
        mechanism_obeys(&RealSum::<f64>::new(rational(x), scale(b)), |source| released(&laplace, source, x));
        mechanism_obeys(&RealSum::<f32>::new(rational(x), scale(b)), |source| released(&laplace, source, x));
    }
    let snapping = Snapping::new(rational("3/4"), rational("1e6")).unwrap(); // Λ = 2
    mechanism_obeys(&RealCells::new(rational("-12.6"), 1, scale("2/3")), |source| {
        IBig::from((released(&snapping, source, "-12.6") / 2.0) as i64)
    });
    for k in [-30, -60, -65, -88, -100] {
        let grid = GridLaplace::<f64>::new(rational("10/7"), Some(k)).unwrap();
        mechanism_obeys(&OnGrid::new(0.3, rational("10/7"), k), |source| grid.release(source, 0.3).unwrap());
        let grid = GridLaplace::<f32>::new(rational("10/7"), Some(k)).unwrap();
        mechanism_obeys(&OnGrid::new(0.3f32, rational("10/7"), k), |source| {
            grid.release(source, 0.3f32).unwrap()
        });
    }
    for s in ["10/7", "1e9", "0x1p62"] {
        let laplace = DiscreteLaplace::new(rational(s)).unwrap();
        mechanism_obeys(&Integers::discrete(s), |source| laplace.sample(source).unwrap());
    }
    let snapping = Snapping::new(rational("3/4"), rational("1e6")).unwrap(); // Λ = 2
    mechanism_obeys(&Cells { x: -12.6, grid: 1, s: scale("2/3") }, |source| {
        IBig::from((snapping.release(source, -12.6).unwrap() / 2.0) as i64)
    });
}

/// Visits with faulty tiers, and expects each subject to be found out.
struct Mutants<F>(F);

impl<F: Fn() -> Boundaries> Visit for Mutants<F> {
    fn visit<S: Subject>(&mut self, subject: &S) {
        let mut boundaries = (self.0)();
        boundaries.visit(subject);
        assert!(boundaries.first.wrong > 0, "{subject:?} with a fault passes: {:?}", boundaries.first);
    }
}

#[test]
fn without_zivs_test_tier1_is_found_out() {
    subjects::hasty(&mut Mutants(|| Boundaries::new(Arithmetic::shipped(), 100, false)));
}

fn scale(text: &str) -> Scale {
    Scale::new(rational(text))
}

#[test]
fn without_low_parts_double_doubles_are_found_out() {
    let mut mutants = Mutants(|| Boundaries::new(vec![Arithmetic::NoLowParts], 100, false));
    mutants.visit(&Sum { x: 0.3, b: scale("10/7") });
    mutants.visit(&Sum { x: 1e6f32, b: scale("1e6") });
    mutants.visit(&Integers::rounded("1e9"));
    mutants.visit(&OnGrid::new(0.3, rational("10/7"), -70));
}

/// Real numbers whose low part is lost, or has lost its last digits.
#[test]
fn without_all_of_a_real_number_tier1_is_found_out() {
    let mut mutants = Mutants(|| Boundaries::new(Arithmetic::shipped(), 100, false));
    let near_midpoint = rational("0x1.00000000000008p0") + rational("1e-25") * rational("1/3");
    for (x, b) in [(rational("0.1"), "10/7"), (near_midpoint.clone(), "1e-25")] {
        let mut sum = RealSum::<f64>::new(x, scale(b));
        sum.split.lo = 0.0;
        mutants.visit(&sum);
    }
    let mut sum = RealSum::<f64>::new(near_midpoint, scale("1e-25"));
    sum.split.lo *= 1.0 + 32.0 * f64::EPSILON;
    mutants.visit(&sum);
    let mut cells = RealCells::new(rational("12345678901234.1"), 0, scale("2/3"));
    cells.split.lo = 0.0;
    mutants.visit(&cells);
}

#[test]
fn with_coarse_sums_plain_kernels_are_found_out() {
    let mut mutants = Mutants(|| Boundaries::new(vec![Arithmetic::Coarse], 100, false));
    mutants.visit(&Integers::discrete("10/7"));
    mutants.visit(&Cells { x: 0.3, grid: 0, s: scale("2/3") });
}

/// Counts the wrong answers of tier 2 if its enclosure of `E` is changed.
struct ChangedFixed<F> {
    change: F,
    tally: Tally,
}

impl<F: Fn(FixedVariable) -> FixedVariable> Visit for ChangedFixed<F> {
    fn visit<S: Subject>(&mut self, subject: &S) {
        let law = subject.law();
        for threshold in
            words::<u64>(9000, 200).iter().rev().take(200).filter_map(|word| Threshold::near(subject, *word))
        {
            for (distance, prefix) in threshold.prefixes(127) {
                let e = FixedVariable::enclose(prefix).map(&self.change);
                let answer = e.and_then(|e| law.tier2(prefix.negative, e));
                self.tally.count(answer.as_ref(), |answer| threshold.refutes(distance, answer));
            }
        }
    }
}

#[test]
fn a_changed_tier2_is_found_out() {
    let wrong = |change: fn(FixedVariable) -> FixedVariable| {
        let mut changed = ChangedFixed { change, tally: Tally::default() };
        changed.visit(&Integers::discrete("1e6"));
        changed.visit(&Sum { x: 0.3, b: scale("10/7") });
        changed.tally.wrong
    };
    assert_eq!(wrong(|e| e), 0);
    // The radius without the error of the logarithm.
    assert!(wrong(|e| FixedVariable { radius: e.radius - (1 << 20), ..e }) > 0);
    // An entry of a table that is off by more than the error allows.
    assert!(wrong(|e| FixedVariable { value: e.value + (1 << 21), ..e }) > 0);
}
