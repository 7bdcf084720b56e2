//! From noisy integers to what is published: values with intervals.

use lastbit_real::{IBig, Rational, Rounding};
use lastbit_table::{Plan, Query, QueryKind};

use super::noise::ReleaseNoise;
use super::spread;
use crate::Refusal;

/// A value, and how far off it may be.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Value {
    /// The value.
    pub value: Rational,
    /// What is known of what it would be without noise, with the confidence that was asked for.
    pub accuracy: Accuracy,
}

/// What noise leaves to be known, with the confidence that was asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Accuracy {
    /// The value without noise lies between these.
    Interval([Rational; 2]),
    /// The rank of the value, which is one of several candidates, is farther from the one that was asked for than that of the best candidate by at most
    /// so many rows. Nothing is known of how far off the value itself is.
    Rank(Rational),
}

/// The end of the name of a rank error in results.
pub(super) const RANK_ERROR: &str = "_rank_error";

impl Value {
    pub(super) fn between(value: Rational, interval: [Rational; 2]) -> Value {
        Value { value, accuracy: Accuracy::Interval(interval) }
    }

    /// The ends of the interval, if there is one.
    pub fn interval(&self) -> Option<&[Rational; 2]> {
        match &self.accuracy {
            Accuracy::Interval(interval) => Some(interval),
            Accuracy::Rank(_) => None,
        }
    }
}

/// What is done to noisy values; none of it looks at the data, so none of it costs anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processing {
    /// The probability that an interval has the value without noise.
    pub confidence: Rational,
    /// Whether negative counts and sums are shown as 0. That makes sums of them too large on average.
    pub non_negative: bool,
    /// The digits after the decimal point; `None` shows values as they are.
    pub places: Option<u32>,
}

impl Default for Processing {
    fn default() -> Processing {
        let confidence = Rational::new(19, 20).expect("20 is not 0");
        Processing { confidence, non_negative: false, places: None }
    }
}

impl Processing {
    pub(super) fn check(&self) -> Result<(), Refusal> {
        let confidence = &self.confidence;
        match confidence.is_positive() && *confidence < Rational::ONE {
            true => Ok(()),
            false => Err(Refusal::usage(
                format!("the confidence must be between 0 and 1, but is {}", confidence.to_short()),
                "give a number such as 0.95",
            )),
        }
    }
}

/// The values of a query in all groups: one, or one a bin.
pub(super) fn values(
    plan: &Plan,
    noise: &ReleaseNoise,
    noisy: &[Vec<i128>],
    processing: &Processing,
) -> Result<Vec<Vec<Vec<Value>>>, Refusal> {
    let mut first = 0;
    plan.queries()
        .iter()
        .zip(&noise.queries)
        .map(|(query, noises)| {
            let components = &noisy[first..first + query.components.len()];
            first += query.components.len();
            // An interval of two parts must hold for both.
            let parts = Rational::from(query.components.len() as u64);
            let confidence = Rational::ONE - (Rational::ONE - &processing.confidence) / parts;
            let widths =
                noises.iter().map(|noise| noise.half_width(&confidence)).collect::<Result<Vec<IBig>, _>>()?;
            let groups = plan.keys().len();
            Ok((0..groups).map(|group| of_group(query, components, &widths, group, processing)).collect())
        })
        .collect()
}

fn of_group(
    query: &Query,
    components: &[Vec<i128>],
    widths: &[IBig],
    group: usize,
    processing: &Processing,
) -> Vec<Value> {
    let cells = query.components[0].released_cells();
    let integers = &components[0][group * cells..(group + 1) * cells];
    let values: Vec<Value> = match &query.kind {
        QueryKind::Mean { centre, bounds } => {
            let distances = (integers[0], &widths[0]);
            let counted = (components[1][group], &widths[1]);
            vec![mean(centre, &query.components[0].step, bounds, distances, counted)]
        }
        QueryKind::Variance(spread) | QueryKind::Deviation(spread) => {
            let totals = [0, 1, 2].map(|part| spread::Total {
                noisy: IBig::from(components[part][group]),
                off: widths[part].clone(),
                step: query.components[part].step.clone(),
            });
            let is_root = matches!(query.kind, QueryKind::Deviation(_));
            vec![spread::value(spread, is_root, &totals)]
        }
        QueryKind::Quantile { edges, .. } => {
            let rows = Rational::from(widths[0].clone()) * &query.components[0].step;
            let chosen = usize::try_from(integers[0]).ok().and_then(|place| edges.get(place));
            vec![Value { value: chosen.cloned().unwrap_or_default(), accuracy: Accuracy::Rank(rows) }]
        }
        _ => {
            let step = &query.components[0].step;
            let scaled = |integer: &i128, off: &IBig| Rational::from(IBig::from(*integer) + off) * step;
            let value = |integer: &i128| {
                let ends = [scaled(integer, &-&widths[0]), scaled(integer, &widths[0])];
                Value::between(scaled(integer, &IBig::ZERO), ends)
            };
            integers.iter().map(value).collect()
        }
    };
    // Means stay within their bounds, and candidates are what they are.
    let has_bounds = matches!(query.kind, QueryKind::Mean { .. } | QueryKind::Quantile { .. });
    let may_be_negative = has_bounds || !processing.non_negative;
    values.into_iter().map(|value| processed(value, may_be_negative, processing.places)).collect()
}

/// The centre, plus the sum of distances from it over the number of values, within the bounds of the values.
///
/// A noisy number of values may be anything; from 1 on it is divided by. The interval is over all sums and numbers within theirs; if the number may be
/// 0 nothing is known but the bounds.
fn mean(
    centre: &Rational,
    step: &Rational,
    bounds: &[Rational; 2],
    (sum, sum_off): (i128, &IBig),
    (number, number_off): (i128, &IBig),
) -> Value {
    let [low, high] = bounds;
    let within = |x: Rational| x.max(low.clone()).min(high.clone());
    let at = |sum: IBig, number: IBig| {
        let quotient = Rational::from(sum).checked_div(&Rational::from(number)).unwrap_or_default();
        within(centre + step * quotient)
    };
    let (sum, number) = (IBig::from(sum), IBig::from(number));
    let value = at(sum.clone(), number.clone().max(IBig::ONE));
    let numbers = [&number - number_off, &number + number_off];
    if numbers[0] < IBig::ONE {
        return Value::between(value, [low.clone(), high.clone()]);
    }
    let ends = [&sum - sum_off, &sum + sum_off];
    let corners = ends.iter().flat_map(|sum| numbers.iter().map(|number| at(sum.clone(), number.clone())));
    let (mut least, mut most) = (value.clone(), value.clone());
    for corner in corners {
        (least, most) = (least.min(corner.clone()), most.max(corner));
    }
    Value::between(value, [least, most])
}

/// To so many digits after the point.
pub(super) fn rounded(x: &Rational, places: u32, rounding: Rounding) -> Rational {
    let unit = Rational::from(10).pow(places);
    let scaled = x * &unit;
    let whole = match rounding {
        Rounding::Down => scaled.floor(),
        Rounding::Up => scaled.ceil(),
        _ => (scaled + Rational::pow2(-1)).floor(),
    };
    Rational::from(whole) / unit
}

/// Rounded outward where it is an end, and not below 0 if that was asked for.
fn processed(value: Value, may_be_negative: bool, places: Option<u32>) -> Value {
    let least = |x: Rational| if may_be_negative { x } else { x.max(Rational::ZERO) };
    let rounded = |x: Rational, rounding: Rounding| match places {
        None => x,
        Some(places) => rounded(&x, places, rounding),
    };
    Value {
        value: rounded(least(value.value), Rounding::Nearest),
        accuracy: match value.accuracy {
            Accuracy::Interval([low, high]) => {
                Accuracy::Interval([rounded(least(low), Rounding::Down), rounded(least(high), Rounding::Up)])
            }
            Accuracy::Rank(rows) => Accuracy::Rank(rounded(rows, Rounding::Up)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    /// The ends of an interval, which there is.
    fn ends(value: &Value) -> [Rational; 2] {
        value.interval().expect("an interval").clone()
    }

    fn mean_of(sum: i128, number: i128, off: [i64; 2]) -> Value {
        let [sum_off, number_off] = off.map(IBig::from);
        let (low, high) = (Rational::ZERO, Rational::from(100));
        mean(&Rational::from(50), &Rational::ONE, &[low, high], (sum, &sum_off), (number, &number_off))
    }

    #[test]
    fn means_and_their_intervals() {
        let certain = mean_of(-200, 10, [0, 0]);
        assert_eq!(
            (certain.value.clone(), ends(&certain)),
            (rational("30"), [rational("30"), rational("30")])
        );
        // From (-200 - 20)/8 to (-200 + 20)/12.
        assert_eq!(ends(&mean_of(-200, 10, [20, 2])), [rational("22.5"), rational("35")]);
        // The number may be 0: nothing is known.
        assert_eq!(ends(&mean_of(-200, 2, [20, 2])), [rational("0"), rational("100")]);
        // Numbers below 1 are taken for 1, and means stay within the bounds.
        assert_eq!(mean_of(-20, -5, [0, 0]).value, rational("30"));
        assert_eq!(mean_of(700, 2, [0, 0]).value, rational("100"));
    }

    #[test]
    fn processing_widens_intervals_only() {
        let value = Value::between(rational("-1.25"), [rational("-3.21"), rational("0.71")]);
        let shown = processed(value.clone(), true, Some(1));
        assert_eq!(
            (shown.value.clone(), ends(&shown)),
            (rational("-1.2"), [rational("-3.3"), rational("0.8")])
        );
        let shown = processed(value, false, None);
        assert_eq!((shown.value.clone(), ends(&shown)), (rational("0"), [rational("0"), rational("0.71")]));
    }
}
