//! What an attacker can do who wants to tell two inputs apart from the outputs: misses against false alarms.
//!
//! Whoever takes outputs of `Q` for those of `P` with probability `α` (false alarms) misses `P` with probability `1 - δ(ε) - e^ε·α` or more, for all
//! `ε >= 0`, where `δ` is that of `P` against `Q`; and with `e^-ε·(1 - δ'(ε) - α)` or more, with the `δ'` of `Q` against `P`. Somebody reaches the
//! larger of the two suprema (Neyman and Pearson).

use lastbit_real::{Rational, exp_rational};

use crate::composition::Interval;
use crate::distribution::Distribution;

/// About so many points of a curve are kept.
const POINTS: usize = 2000;

/// `δ` of one direction at many `e^ε >= 1`, from below and from above: rows of `e^ε` from below and from above, and the bound on `δ`.
pub(crate) struct TradeOff {
    lower: Vec<Row>,
    /// Whether the lower bound is a straight line in `e^ε` between the rows.
    is_straight: bool,
    /// Empty if nothing is known.
    upper: Vec<Row>,
}

struct Row {
    power: [Rational; 2],
    delta: Rational,
}

fn rows(of: &Distribution) -> (Vec<Row>, bool) {
    let row = |(epsilon, delta): (Rational, Rational)| {
        let power = exp_rational(&epsilon, 96).expect("losses are limited");
        Row { power: [Rational::from(power.lo()), Rational::from(power.hi())], delta }
    };
    let (profile, is_straight) = of.profile(POINTS);
    (profile.into_iter().map(row).collect(), is_straight)
}

impl TradeOff {
    pub(crate) fn new(lower: &Distribution, upper: Option<&Distribution>) -> TradeOff {
        let (lower, is_straight) = rows(lower);
        TradeOff { lower, is_straight, upper: upper.map(|upper| rows(upper).0).unwrap_or_default() }
    }

    /// `sup 1 - δ - e^ε·α` over `ε >= 0`, and `sup e^-ε·(1 - δ - α)`: at least, from an upper bound on `δ` at some points.
    fn at_least(&self, alpha: &Rational) -> [Rational; 2] {
        let value = |row: &Row| {
            let detected = Rational::ONE - &row.delta;
            let second = (&detected - alpha) / &row.power[1];
            [detected - &row.power[1] * alpha, second]
        };
        largest(self.upper.iter().map(value))
    }

    /// The same: at most, from a lower bound on `δ`. Where that is a straight line between two points, both numbers are largest at one of them. If not,
    /// `δ` is at least what it is at the second, and `e^ε` at least what it is at the first.
    fn at_most(&self, alpha: &Rational) -> [Rational; 2] {
        let value = |power: &Rational, delta: &Rational| {
            let detected = Rational::ONE - delta;
            let second = (&detected - alpha) / power;
            [detected - power * alpha, second]
        };
        // Beyond the last one there is nothing but infinite losses.
        let last = self.lower.last().map(|row| value(&row.power[0], &row.delta));
        let points =
            self.lower.iter().map(|row| value(&row.power[0], &row.delta)).filter(|_| self.is_straight);
        let between = self.lower.windows(2).map(|rows| value(&rows[0].power[0], &rows[1].delta));
        largest(between.filter(|_| !self.is_straight).chain(points).chain(last))
    }
}

/// The largest of each, and at least 0.
fn largest(values: impl Iterator<Item = [Rational; 2]>) -> [Rational; 2] {
    let larger = |[a, b]: [Rational; 2], [c, d]: [Rational; 2]| [a.max(c), b.max(d)];
    values.fold([Rational::ZERO, Rational::ZERO], larger)
}

/// What attackers can do in each direction that differs.
pub(crate) struct Curves(pub(crate) Vec<TradeOff>);

impl Curves {
    /// The least share of misses with this share of false alarms, whichever of the inputs is asked for.
    pub(crate) fn misses(&self, alpha: &Rational) -> Interval {
        let of = |bound: &dyn Fn(&TradeOff) -> [Rational; 2]| {
            let sides: Vec<[Rational; 2]> = self.0.iter().map(bound).collect();
            let (first, last) = (&sides[0], &sides[sides.len() - 1]);
            // P against Q where ε is not negative, and Q against P where it is; and the other way round.
            let one = first[0].clone().max(last[1].clone());
            one.min(last[0].clone().max(first[1].clone()))
        };
        let all = Rational::ONE - alpha;
        Interval {
            lower: of(&|side| side.at_least(alpha)),
            upper: Some(of(&|side| side.at_most(alpha)).min(all)),
        }
    }
}
