//! Probabilities and ratios as formulas in ε, Λ, b and the two inputs.

use std::fmt;
use std::ops::Sub;

use lastbit_audit::ExponentialSum;
use lastbit_real::Rational;

/// What exponents are made of, by number: the cells of the inputs, the inputs, and the rest.
const NAMES: [&str; 6] = ["⌊f⌉", "⌊f'⌉", "f", "f'", "b", "Λ/2"];
const B: usize = 4;
const HALF_LAMBDA: usize = 5;

/// A sum of whole multiples of `⌊f⌉, ⌊f'⌉, f, f', b, Λ/2`. As an exponent it is multiplied by ε.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exponent([i8; 6]);

impl Exponent {
    /// `f` or `f'`.
    pub(super) fn input(i: usize) -> Exponent {
        Exponent::default().and(2 + i, 1)
    }

    /// `⌊f⌉` or `⌊f'⌉`, and half a cell above or below it.
    pub(super) fn beside_cell(i: usize, side: i8) -> Exponent {
        Exponent::default().and(i, 1).and(HALF_LAMBDA, side)
    }

    /// `b + Λ/2` or `-b - Λ/2`, where the ends begin.
    pub(super) fn end(side: i8) -> Exponent {
        Exponent::default().and(B, side).and(HALF_LAMBDA, side)
    }

    fn and(mut self, symbol: usize, times: i8) -> Exponent {
        self.0[symbol] += times;
        self
    }

    /// The number, for values of the symbols.
    fn value(self, symbols: &[Rational; 6]) -> Rational {
        self.0.iter().zip(symbols).map(|(times, value)| Rational::from(i64::from(*times)) * value).sum()
    }
}

impl Sub for Exponent {
    type Output = Exponent;
    fn sub(self, other: Exponent) -> Exponent {
        Exponent(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }
}

/// Positive terms first: `⌊f⌉+Λ/2-f'`.
impl fmt::Display for Exponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut times = self.0;
        let mut terms = Vec::new();
        for (i, t) in ["t", "t'"].into_iter().enumerate() {
            if times[i] == -times[2 + i] {
                terms.push((times[i], t));
                (times[i], times[2 + i]) = (0, 0);
            }
        }
        terms.extend(times.into_iter().zip(NAMES));
        // No formula has more than two of anything, and two only of Λ/2.
        let terms = terms.into_iter().map(|(times, name)| (times, if times.abs() == 2 { "Λ" } else { name }));
        let (positive, negative): (Vec<_>, Vec<_>) =
            terms.filter(|(times, _)| *times != 0).partition(|(times, _)| *times > 0);
        let positive: Vec<&str> = positive.into_iter().map(|(_, name)| name).collect();
        f.write_str(&positive.join("+"))?;
        negative.into_iter().try_for_each(|(_, name)| write!(f, "-{name}"))
    }
}

/// Where the outputs of a case lie, seen from an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Below,
    Around,
    Above,
}

impl Side {
    /// The side of what rounds from `[lower, upper)`, where nothing is an infinite end.
    pub(super) fn of([lower, upper]: [Option<&Rational>; 2], x: &Rational) -> Side {
        match () {
            () if upper.is_some_and(|upper| upper <= x) => Side::Below,
            () if lower.is_some_and(|lower| lower >= x) => Side::Above,
            () => Side::Around,
        }
    }
}

/// `1 + ½Σ ±e^(ε·a)`, where the 1 may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probability {
    whole: bool,
    halves: Vec<(i8, Exponent)>,
}

impl Probability {
    /// The probability to round from `[lower, upper)`. A tail of Laplace noise beyond a cut is `½e^(-ε·distance)`.
    fn new(cuts: [Option<Exponent>; 2], side: Side, input: Exponent) -> Probability {
        let beyond_below = |sign: i8, cut: Option<Exponent>| cut.map(|cut| (sign, cut - input));
        let beyond_above = |sign: i8, cut: Option<Exponent>| cut.map(|cut| (sign, input - cut));
        let [lower, upper] = cuts;
        let halves = match side {
            Side::Below => [beyond_below(1, upper), beyond_below(-1, lower)],
            Side::Around => [beyond_below(-1, lower), beyond_above(-1, upper)],
            Side::Above => [beyond_above(1, lower), beyond_above(-1, upper)],
        };
        Probability { whole: side == Side::Around, halves: halves.into_iter().flatten().collect() }
    }

    /// The number, for values of `⌊f⌉, ⌊f'⌉, f, f', b, Λ/2`.
    pub fn value(&self, epsilon: &Rational, symbols: &[Rational; 6]) -> ExponentialSum {
        let whole = ExponentialSum::from(if self.whole { Rational::ONE } else { Rational::ZERO });
        self.halves.iter().fold(whole, |sum, (sign, exponent)| {
            let half = Rational::new(*sign, 2).expect("2 is not 0");
            sum.plus_term(half, epsilon * exponent.value(symbols))
        })
    }

    /// Twice the probability, and whether it is one term.
    fn twice(&self) -> (String, bool) {
        let mut text = if self.whole { "2".to_owned() } else { String::new() };
        for (sign, exponent) in &self.halves {
            let operator = match (text.is_empty(), *sign > 0) {
                (true, _) => "",
                (_, true) => " + ",
                (_, false) => " - ",
            };
            text += &format!("{operator}e^(ε({exponent}))");
        }
        (text, self.halves.len() + usize::from(self.whole) == 1)
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.whole, self.halves.as_slice()) {
            (true, [(_, a)]) => write!(f, "1 - ½e^(ε({a}))"),
            (true, [(_, a), (_, b)]) => write!(f, "1 - ½(e^(ε({a})) + e^(ε({b})))"),
            _ => match self.twice() {
                (text, true) => write!(f, "½{text}"),
                (text, false) => write!(f, "½({text})"),
            },
        }
    }
}

/// `P[f]/P[f']`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RatioFormula {
    /// `e^(ε·a)`
    Exponential(Exponent),
    /// A quotient that does not simplify.
    Quotient(Box<[Probability; 2]>),
}

impl fmt::Display for RatioFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RatioFormula::Exponential(exponent) => write!(f, "e^(ε({exponent}))"),
            RatioFormula::Quotient(probabilities) => {
                let [above, below] = probabilities.each_ref().map(|probability| match probability.twice() {
                    (text, true) => text,
                    (text, false) => format!("({text})"),
                });
                write!(f, "{above} / {below}")
            }
        }
    }
}

/// The formulas of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// `P[f]` and `P[f']`.
    pub probabilities: [Probability; 2],
    /// Their quotient.
    pub ratio: RatioFormula,
}

impl Formula {
    /// What rounds from between two cuts, written and seen from each of the inputs.
    pub(super) fn new(cuts: [[Option<Exponent>; 2]; 2], sides: [Side; 2]) -> Formula {
        let [f, f2] = [0, 1].map(Exponent::input);
        let probabilities = [0, 1].map(|i| Probability::new(cuts[i], sides[i], Exponent::input(i)));
        let ratio = match (sides, cuts[0], cuts[1]) {
            ([Side::Below, Side::Below], ..) => RatioFormula::Exponential(f2 - f),
            ([Side::Above, Side::Above], ..) => RatioFormula::Exponential(f - f2),
            // Between the inputs: e^(ε(f + f' - lower - upper)), or one over it.
            ([Side::Above, Side::Below], [Some(lower), _], [_, Some(upper)]) => {
                RatioFormula::Exponential((f - lower) - (upper - f2))
            }
            ([Side::Below, Side::Above], [_, Some(upper)], [Some(lower), _]) => {
                RatioFormula::Exponential((upper - f) - (f2 - lower))
            }
            _ => RatioFormula::Quotient(Box::new(probabilities.clone())),
        };
        Formula { probabilities, ratio }
    }

    /// `P[f]·d - P[f']·n`, where the ratio is `n/d`: it is 0.
    #[cfg(test)]
    pub(super) fn ratio_defect(
        &self,
        exact: &[ExponentialSum; 2],
        epsilon: &Rational,
        symbols: &[Rational; 6],
    ) -> ExponentialSum {
        let [n, d] = match &self.ratio {
            RatioFormula::Exponential(a) => {
                [ExponentialSum::term(Rational::ONE, epsilon * a.value(symbols)), Rational::ONE.into()]
            }
            RatioFormula::Quotient(parts) => parts.each_ref().map(|part| part.value(epsilon, symbols)),
        };
        &(&exact[0] * &d) - &(&exact[1] * &n)
    }
}
