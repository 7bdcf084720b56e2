//! The outputs of both inputs in the same bins, with the event marked.

use lastbit_audit::black_box::{Event, Value};
use serde::Serialize;

/// As many bins at most: a terminal of 80 columns has room for one column a bin.
const MOST_BINS: usize = 64;

/// So many of a thousand outputs may be beyond either end: tails are long, and would leave a drawing of one bar.
const BEYOND: usize = 5;

/// The number of outputs that are put into bins between two questions whether to go on: a few milliseconds.
const ASKED_EVERY: usize = 1 << 16;

/// The number of outputs in a bin, and how many of them are in the event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Bin {
    /// The outputs.
    pub count: u64,
    /// Those of them in the event.
    pub in_event: u64,
}

impl Bin {
    fn add(&mut self, in_event: bool) {
        self.count += 1;
        self.in_event += u64::from(in_event);
    }

    /// Both bins in one.
    pub(super) fn and(self, other: Bin) -> Bin {
        Bin { count: self.count + other.count, in_event: self.in_event + other.in_event }
    }
}

/// The outputs that tested the event, by input. For drawings: nothing rests on these numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Histogram {
    /// The lower end of the first bin.
    pub low: f64,
    /// The upper end of the last bin.
    pub high: f64,
    /// Bins of equal width, by input.
    pub bins: [Vec<Bin>; 2],
    /// Outputs below the first bin.
    pub below: [Bin; 2],
    /// Outputs above the last bin.
    pub above: [Bin; 2],
    /// Outputs that are NaN.
    pub nan: [Bin; 2],
}

impl Histogram {
    /// Of these outputs, while `goes_on` says yes.
    pub(super) fn of(
        event: &Event,
        outputs: [impl Iterator<Item = f64> + Clone; 2],
        goes_on: &dyn Fn() -> bool,
    ) -> Option<Histogram> {
        let (low, high, count) = range(outputs.iter().cloned().flatten());
        let empty = || vec![Bin::default(); count];
        let mut histogram = Histogram {
            low,
            high,
            bins: [empty(), empty()],
            below: Default::default(),
            above: Default::default(),
            nan: Default::default(),
        };
        for (input, outputs) in outputs.into_iter().enumerate() {
            for (i, y) in outputs.enumerate() {
                if i.is_multiple_of(ASKED_EVERY) && !goes_on() {
                    return None;
                }
                let place = (y - low) / (high - low) * count as f64;
                let bin = match () {
                    () if y.is_nan() => &mut histogram.nan[input],
                    () if y < low => &mut histogram.below[input],
                    () if y > high => &mut histogram.above[input],
                    // The end of the range is in the last bin.
                    () => &mut histogram.bins[input][(place as usize).min(count - 1)],
                };
                bin.add(event.holds(y));
            }
        }
        Some(histogram)
    }

    /// The same with every so many bins in one.
    pub(super) fn merged(&self, columns: usize) -> Histogram {
        let each = self.bins[0].len().div_ceil(columns.max(1));
        let merge = |bins: &Vec<Bin>| {
            let chunks = bins.chunks(each).map(|chunk| chunk.iter().copied().fold(Bin::default(), Bin::and));
            chunks.collect::<Vec<Bin>>()
        };
        let bins = self.bins.each_ref().map(merge);
        let width = (self.high - self.low) / self.bins[0].len() as f64;
        Histogram { high: self.low + width * (each * bins[0].len()) as f64, bins, ..self.clone() }
    }

    /// All outputs of an input.
    pub(super) fn total(&self, input: usize) -> u64 {
        let outside = [self.below, self.above, self.nan].map(|bins| bins[input].count);
        self.bins[input].iter().map(|bin| bin.count).sum::<u64>() + outside.iter().sum::<u64>()
    }

    /// The largest share of its outputs that an input has in one bin.
    pub(super) fn tallest(&self) -> f64 {
        let tallest = |input: usize| {
            let most = self.bins[input].iter().map(|bin| bin.count).max().unwrap_or(0);
            most as f64 / self.total(input).max(1) as f64
        };
        tallest(0).max(tallest(1))
    }

    /// What does not fit into the bins, in words; nothing if everything does.
    pub(super) fn outside(&self, input: usize) -> String {
        let [low, high] = [self.low, self.high].map(tick);
        let parts = [
            (self.below[input], format!("below {low}")),
            (self.above[input], format!("above {high}")),
            (self.nan[input], "NaN".to_owned()),
        ];
        let parts =
            parts.into_iter().filter(|(bin, _)| bin.count > 0).map(|(bin, place)| match bin.in_event {
                0 => format!("{} {place}", bin.count),
                hits => format!("{} {place} ({hits} in the event)", bin.count),
            });
        parts.collect::<Vec<String>>().join(", ")
    }
}

/// A number on an axis.
pub(super) fn tick(y: f64) -> String {
    if y == 0.0 || (1e-3..1e6).contains(&y.abs()) {
        let text = format!("{y:.3}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    format!("{y:.2e}")
}

/// Where the bins begin and end, and how many there are.
fn range(outputs: impl Iterator<Item = f64>) -> (f64, f64, usize) {
    let mut finite: Vec<f64> = outputs.filter(|y| y.is_finite()).collect();
    let Some(last) = finite.len().checked_sub(1) else { return (-1.0, 1.0, 1) };
    let beyond = last * BEYOND / 1000;
    // Two of them in their places are found much faster than all.
    let mut at = |place: usize| *finite.select_nth_unstable_by_key(place, |&y| Value::from(y)).1;
    let (low, high) = (at(beyond), at(last - beyond));
    let is_whole = finite.iter().all(|y| y.fract() == 0.0);
    if is_whole && high - low < MOST_BINS as f64 {
        return (low - 0.5, high + 0.5, (high - low) as usize + 1);
    }
    let width = high - low;
    // Neither bins without a width nor a width beyond the largest double.
    match width > 0.0 && width.is_finite() && width / MOST_BINS as f64 > 0.0 {
        true => (low, high, bins_for(finite.len())),
        false if width.is_finite() => (low - 0.5, low.max(high) + 0.5, 1),
        false => (f64::MIN / 4.0, f64::MAX / 4.0, MOST_BINS),
    }
}

/// Few outputs in many bins are a comb.
fn bins_for(outputs: usize) -> usize {
    ((outputs as f64).sqrt() as usize).clamp(8, MOST_BINS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(first: &[f64], second: &[f64]) -> Histogram {
        Histogram::of(&Event::AtMost(0.0), [first, second].map(|outputs| outputs.iter().copied()), &|| true)
            .expect("nobody stops it")
    }

    #[test]
    fn every_output_is_somewhere() {
        let wild =
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.25, 1e300, -1e-300, f64::MAX, f64::MIN];
        for count in 0..=wild.len() {
            let histogram = of(&wild[..count], &[0.5; 3]);
            assert_eq!((histogram.total(0), histogram.total(1)), (count as u64, 3));
            let narrow = histogram.merged(5);
            assert!(narrow.bins[0].len() <= 5 && narrow.total(0) == count as u64);
        }
    }

    #[test]
    fn whole_numbers_have_bins_of_their_own() {
        let histogram = of(&[-1.0, 0.0, 0.0, 3.0], &[2.0]);
        assert_eq!((histogram.low, histogram.high), (-1.5, 3.5));
        assert_eq!(histogram.bins[0].iter().map(|bin| bin.count).collect::<Vec<_>>(), [1, 2, 0, 0, 1]);
        assert_eq!(histogram.bins[0].iter().map(|bin| bin.in_event).collect::<Vec<_>>(), [1, 2, 0, 0, 0]);
    }

    #[test]
    fn one_far_output_does_not_flatten_the_rest() {
        let outputs: Vec<f64> = (0..1000).map(|i| f64::from(i) / 7.0).chain([1e200]).collect();
        let histogram = of(&outputs, &outputs);
        assert!(histogram.high < 200.0);
        assert!(histogram.outside(0).contains("above"));
    }
}
