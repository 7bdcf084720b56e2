//! From exact numbers to integers: clamped, on a grid, halves up.

use lastbit_real::{IBig, Rational};

use super::PlanFault;
use crate::batch::Cell;
use crate::number::{Number, short_decimal};

/// Bounds have fewer grid steps than this, so that integers of engines with 64 bits hold every value.
const MOST_STEPS: i64 = 1_000_000_000_000_000_000;
/// Steps between 0 and the larger bound, at least, if no grid is declared: rounding costs far less than noise, and a value takes 4 bytes.
const DEFAULT_STEPS: i64 = 100_000_000;
/// Scales of short decimals: they have at most 18 digits.
const SCALES: u32 = 19;

/// The range and the grid of a summed column, in grid steps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid {
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) step: Rational,
    by_scale: Vec<ScaledGrid>,
}

/// The grid for decimals `mantissa / 10^scale` with one scale: a value has `mantissa * times / per` steps.
#[derive(Debug, Clone, PartialEq)]
struct ScaledGrid {
    /// Mantissas up to this are at or below the lower bound.
    low: i64,
    /// Mantissas from this are at or above the upper bound.
    high: i64,
    /// `None` if products of mantissas in between might not fit in 64 bits.
    factor: Option<(i64, i64)>,
}

impl Grid {
    pub(crate) fn new(low: &Rational, high: &Rational, step: Option<&Rational>) -> Result<Grid, PlanFault> {
        if low == high {
            return Err(PlanFault::Equal { value: low.to_short() });
        }
        if low > high {
            return Err(PlanFault::Reversed { low: low.to_short(), high: high.to_short() });
        }
        let step = match step {
            Some(step) if step.is_positive() => step.clone(),
            Some(_) => return Err(PlanFault::NotPositive),
            None => default_step(low, high).ok_or(PlanFault::NoGrid)?,
        };
        let steps = |bound: &Rational| {
            let steps = bound.checked_div(&step).filter(Rational::is_integer);
            let steps = steps
                .ok_or_else(|| PlanFault::OffGrid { grid: step.to_short(), bound: bound.to_short() })?
                .numerator();
            let fits = i64::try_from(steps.clone()).ok().filter(|steps| steps.abs() < MOST_STEPS);
            fits.ok_or_else(|| PlanFault::TooFine { steps: steps.to_string() })
        };
        let (low, high) = (steps(low)?, steps(high)?);
        let by_scale = (0..SCALES).map(|scale| ScaledGrid::new(low, high, &step, scale)).collect();
        Ok(Grid { low, high, step, by_scale })
    }

    /// The integer in the middle of the bounds, or below it.
    pub(crate) fn centre(&self) -> i64 {
        self.low + (self.high - self.low) / 2
    }

    /// The larger of the bounds, in steps.
    pub(crate) fn magnitude(&self) -> i64 {
        self.low.abs().max(self.high.abs())
    }

    /// The number of steps of a cell, `None` if it has no number.
    ///
    /// Ensures: `⌊x / step + 1/2⌋` of the number `x` clamped to the bounds.
    #[inline]
    pub(crate) fn steps_of_cell(&self, cell: Cell<'_>) -> Option<i64> {
        if let Cell::Text(text) = cell
            && let Some((mantissa, scale)) = short_decimal(text)
            && let Some(steps) = self.by_scale[scale as usize].steps(mantissa, self.low, self.high)
        {
            return Some(steps);
        }
        self.steps(&cell.number()?)
    }

    /// The number of steps of a number; ensures the same.
    pub(crate) fn steps(&self, number: &Number) -> Option<i64> {
        if let Number::Decimal { mantissa, scale } = number
            && let Ok(mantissa) = i64::try_from(*mantissa)
            && let Some(scaled) = self.by_scale.get(*scale as usize)
            && let Some(steps) = scaled.steps(mantissa, self.low, self.high)
        {
            return Some(steps);
        }
        // The bounds are on the grid, so it is the same to round first and to clamp then.
        let steps = number.to_rational().checked_div(&self.step)?.round_half_up();
        Some(if steps <= IBig::from(self.low) {
            self.low
        } else {
            // Between the bounds it fits, so it does not only above them.
            i64::try_from(steps).map_or(self.high, |steps| steps.min(self.high))
        })
    }
}

impl ScaledGrid {
    fn new(low: i64, high: i64, step: &Rational, scale: u32) -> ScaledGrid {
        // steps = mantissa / (10^scale * step)
        let mantissa_step = Rational::from(10).pow(scale) * step;
        let saturated = |bound: &IBig| match i64::try_from(bound.clone()) {
            Ok(bound) => bound,
            Err(_) if *bound < IBig::from(0) => i64::MIN,
            Err(_) => i64::MAX,
        };
        let low_mantissa = (&Rational::from(low) * &mantissa_step).floor();
        let high_mantissa = (&Rational::from(high) * &mantissa_step).ceil();
        let factor = mantissa_step.recip().and_then(|factor| {
            let (times, per) =
                (i64::try_from(factor.numerator()).ok()?, i64::try_from(factor.denominator()).ok()?);
            let largest = low_mantissa
                .clone()
                .max(-low_mantissa.clone())
                .max(high_mantissa.clone())
                .max(-high_mantissa.clone());
            let twice = largest * IBig::from(times) * IBig::from(2) + IBig::from(per);
            (i64::try_from(twice).is_ok() && per <= i64::MAX / 2).then_some((times, per))
        });
        ScaledGrid { low: saturated(&low_mantissa), high: saturated(&high_mantissa), factor }
    }

    #[inline]
    fn steps(&self, mantissa: i64, low: i64, high: i64) -> Option<i64> {
        // A saturated end is `i64::MIN` or `i64::MAX`: short mantissas never reach it, and others are clamped by the general path.
        if mantissa <= self.low && self.low != i64::MIN {
            return Some(low);
        }
        if mantissa >= self.high && self.high != i64::MAX {
            return Some(high);
        }
        let (times, per) = self.factor?;
        if per == 1 {
            return Some(mantissa * times);
        }
        Some((2 * mantissa * times + per).div_euclid(2 * per))
    }
}

/// The largest power of ten that divides both bounds and is at most a 10^8-th of the larger one.
fn default_step(low: &Rational, high: &Rational) -> Option<Rational> {
    let largest = low.abs().max(high.abs());
    let limit = largest.checked_div(&Rational::from(DEFAULT_STEPS))?;
    let mut step = Rational::ONE;
    let ten = Rational::from(10);
    while step > limit {
        step = step.checked_div(&ten)?;
    }
    while &step * &ten <= limit {
        step = step * &ten;
    }
    let divides = |step: &Rational| {
        [low, high].iter().all(|bound| bound.checked_div(step).is_some_and(|steps| steps.is_integer()))
    };
    // A finer power divides decimals of more places; beyond 10^18 steps no grid is allowed anyway.
    for _ in 0..12 {
        if divides(&step) {
            return Some(step);
        }
        step = step.checked_div(&ten)?;
    }
    None
}

/// Squares have at least this many steps if theirs are coarser than those of values.
const LEAST_SQUARES: u64 = 1_000_000;

/// The squared distances of values from the centre of their bounds, in steps of their own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Squares {
    grid: Grid,
    centre: i64,
    /// How many squares of a value's step a step is: 1, or the least power of ten with which totals fit.
    pub(crate) coarser: i128,
    /// The largest square, in steps.
    pub(crate) largest: i64,
}

impl Squares {
    /// Those of so many rows of a unit. Ensures: `rows` times the largest square is below 2^63.
    pub(crate) fn new(grid: &Grid, rows: u64) -> Result<Squares, PlanFault> {
        let centre = grid.centre();
        // The distance is at most 10^18, and that of `rows` rows at most 2^63: the product is below 2^124.
        let distance = i128::from(grid.high) - i128::from(centre);
        let mut coarser = 1;
        while squared(distance, coarser) * i128::from(rows) >= 1 << 63 {
            coarser *= 10;
        }
        let largest = squared(distance, coarser);
        match i64::try_from(largest) {
            Ok(fits) if coarser == 1 || largest >= LEAST_SQUARES.into() => {
                Ok(Squares { grid: grid.clone(), centre, coarser, largest: fits })
            }
            _ => Err(PlanFault::Squares { rows, fewest: LEAST_SQUARES }),
        }
    }

    /// What a step of squares means.
    pub(crate) fn step(&self) -> Rational {
        self.grid.step.pow(2) * Rational::from(self.coarser)
    }

    /// The square of a value with so many steps.
    #[inline]
    pub(crate) fn of(&self, steps: i64) -> u64 {
        squared(i128::from(steps) - i128::from(self.centre), self.coarser) as u64
    }

    pub(crate) fn grid(&self) -> &Grid {
        &self.grid
    }
}

/// `⌊distance² / coarser + 1/2⌋`. Requires: a distance of at most 10^18.
#[inline]
fn squared(distance: i128, coarser: i128) -> i128 {
    let square = distance * distance;
    if coarser == 1 { square } else { (2 * square + coarser) / (2 * coarser) }
}

/// The bins of a histogram: from each edge up to the next one, the last edge included.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edges {
    pub(crate) edges: Vec<Rational>,
    /// For each scale of short decimals; `None` where mantissas do not fit.
    by_scale: Vec<Option<ScaledEdges>>,
}

/// Edges for decimals `mantissa / 10^scale` with one scale.
#[derive(Debug, Clone, PartialEq)]
struct ScaledEdges {
    /// The least mantissas that reach the edges, and whether they are the edges.
    least: Vec<(i64, bool)>,
    /// The largest mantissa that does not pass the last edge.
    last: i64,
}

impl Edges {
    pub(crate) fn new(edges: &[Rational]) -> Result<Edges, PlanFault> {
        if edges.len() < 2
            || edges.len() > (u32::MAX / 2) as usize
            || edges.windows(2).any(|pair| pair[0] >= pair[1])
        {
            return Err(PlanFault::Edges);
        }
        let scaled = |scale: u32| {
            let power = Rational::from(10).pow(scale);
            let least = edges
                .iter()
                .map(|edge| {
                    let scaled = edge * &power;
                    Some((i64::try_from(scaled.ceil()).ok()?, scaled.is_integer()))
                })
                .collect::<Option<Vec<_>>>()?;
            let last = i64::try_from((edges.last()? * &power).floor()).ok()?;
            Some(ScaledEdges { least, last })
        };
        Ok(Edges { edges: edges.to_vec(), by_scale: (0..SCALES).map(scaled).collect() })
    }

    pub(crate) fn bins(&self) -> usize {
        self.edges.len() - 1
    }

    /// The bin of a number, `None` outside of all bins.
    pub(crate) fn bin(&self, number: &Number) -> Option<u32> {
        let (reached, beyond) = match number {
            Number::Decimal { mantissa, scale }
                if let Some(Some(scaled)) = self.by_scale.get(*scale as usize)
                    && let Ok(mantissa) = i64::try_from(*mantissa) =>
            {
                (scaled.least.partition_point(|edge| edge.0 <= mantissa), mantissa > scaled.last)
            }
            number => {
                let exact = number.to_rational();
                (self.edges.partition_point(|edge| *edge <= exact), Some(&exact) > self.edges.last())
            }
        };
        // At the last edge itself all edges are reached.
        (reached > 0 && !beyond).then(|| reached.min(self.bins()) as u32 - 1)
    }

    /// Where a number lies among the edges: twice the number of edges below it, and 1 more if it is an edge.
    pub(crate) fn rank(&self, number: &Number) -> u32 {
        let (reached, is_edge) = match number {
            Number::Decimal { mantissa, scale }
                if let Some(Some(scaled)) = self.by_scale.get(*scale as usize)
                    && let Ok(mantissa) = i64::try_from(*mantissa) =>
            {
                let reached = scaled.least.partition_point(|edge| edge.0 <= mantissa);
                (reached, reached > 0 && scaled.least[reached - 1] == (mantissa, true))
            }
            number => {
                let exact = number.to_rational();
                let reached = self.edges.partition_point(|edge| *edge <= exact);
                (reached, reached > 0 && self.edges[reached - 1] == exact)
            }
        };
        2 * reached as u32 - u32::from(is_edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rational(text: &str) -> Rational {
        text.parse().unwrap()
    }

    fn grid(low: &str, high: &str, step: &str) -> Grid {
        Grid::new(&rational(low), &rational(high), Some(&rational(step))).unwrap()
    }

    #[test]
    fn halves_go_up() {
        let grid = grid("-10000000000000000", "10000000000000000", "1");
        let golden = [
            ("-0.5", 0),
            ("0.5", 1),
            ("-1.5", -1),
            ("0.49999999999999994", 0),
            ("-0.49999999999999994", 0),
            ("-0.50000000000000001", -1),
            ("4503599627370496", 1 << 52),
            ("4503599627370495.5", 1 << 52),
            ("-4503599627370495.5", -(1 << 52) + 1),
            ("-4503599627370496.5", -(1 << 52)),
            ("4503599627370496.5", (1 << 52) + 1),
            ("1e300", 10_000_000_000_000_000),
            ("-1e300", -10_000_000_000_000_000),
        ];
        for (text, steps) in golden {
            assert_eq!(grid.steps_of_cell(Cell::Text(text.as_bytes())), Some(steps), "{text}");
            let float: f64 = text.parse().unwrap();
            if rational(&format!("{float:e}")) == rational(text) {
                assert_eq!(grid.steps_of_cell(Cell::Float(float)), Some(steps), "{float}");
            }
        }
    }

    #[test]
    fn default_grids_are_powers_of_ten_that_divide_the_bounds() {
        for (low, high, step) in [
            ("0", "100", "1e-6"),
            ("0", "1000000", "0.01"),
            ("-3", "7", "1e-8"),
            ("0", "0.125", "1e-9"),
            ("1.5", "1e12", "0.1"),
        ] {
            assert_eq!(default_step(&rational(low), &rational(high)), Some(rational(step)), "{low} {high}");
        }
        assert!(matches!(Grid::new(&rational("0"), &rational("1/3"), None), Err(PlanFault::NoGrid)));
    }

    #[test]
    fn what_is_no_grid_is_refused() {
        let new = |low: &str, high: &str, step: &str| {
            Grid::new(&rational(low), &rational(high), Some(&rational(step)))
        };
        assert!(matches!(new("1", "1", "1"), Err(PlanFault::Equal { .. })));
        assert!(matches!(new("2", "1", "1"), Err(PlanFault::Reversed { .. })));
        assert!(matches!(new("0", "1", "0"), Err(PlanFault::NotPositive)));
        assert!(matches!(new("0", "1", "2"), Err(PlanFault::OffGrid { .. })));
        assert!(matches!(new("0", "1", "1e-18"), Err(PlanFault::TooFine { .. })));
        assert_eq!(new("0", "999999999999999999e-18", "1e-18").unwrap().high, 999_999_999_999_999_999);
    }

    #[test]
    fn squares_fit_and_are_rounded_half_up() {
        let squares = |low: &str, high: &str, rows| Squares::new(&grid(low, high, "1"), rows);
        let small = squares("-3", "4", 5).unwrap();
        assert_eq!((small.coarser, small.largest, small.step()), (1, 16, Rational::ONE));
        assert_eq!([-3, 0, 1, 4].map(|steps| small.of(steps)), [9, 0, 1, 16]);
        // (3·10^9)² is just below 2^63, so two rows need steps of ten.
        assert_eq!(squares("0", "6000000000", 1).unwrap().coarser, 1);
        let coarse = squares("0", "6000000000", 2).unwrap();
        assert_eq!((coarse.coarser, coarse.largest), (10, 900_000_000_000_000_000));
        assert_eq!([2_999_999_998, 3_000_000_003, 3_000_000_005].map(|steps| coarse.of(steps)), [0, 1, 3]);
        for (low, high, rows) in [
            ("-999999999999999999", "999999999999999999", 18),
            ("0", "999999999999999999", 1),
            ("0", "4294967296", (1 << 32) - 1),
            ("0", "2", u64::MAX >> 1),
        ] {
            let squares = squares(low, high, rows).unwrap();
            assert!(i128::from(squares.largest) * i128::from(rows) < 1 << 63, "{low} {high} {rows}");
            assert_eq!(squares.of(squares.grid.high), squares.largest as u64);
            assert!(squares.of(squares.grid.low) <= squares.largest as u64);
        }
        assert!(matches!(squares("0", "4", u64::MAX >> 1), Err(PlanFault::Squares { .. })));
    }

    #[test]
    fn bins_are_half_open_and_the_last_one_is_closed() {
        let edges = Edges::new(&["0", "1/3", "2.5"].map(rational)).unwrap();
        let bin = |text: &str| edges.bin(&Number::parse(text.as_bytes()).unwrap());
        let golden = [
            ("-0.1", None),
            ("0", Some(0)),
            ("0.333333", Some(0)),
            ("0.3333334", Some(0)),
            ("0.34", Some(1)),
            ("2.5", Some(1)),
            ("2.50", Some(1)),
            ("2.51", None),
            ("1e300", None),
            ("-1e300", None),
        ];
        for (text, expected) in golden {
            let expected = if text == "0.3333334" { Some(1) } else { expected };
            assert_eq!(bin(text), expected, "{text}");
        }
    }

    #[test]
    fn ranks_tell_edges_from_what_lies_between() {
        let edges = Edges::new(&["-0.5", "0", "1/3", "2.5", "2.55"].map(rational)).unwrap();
        let rank = |text: &str| edges.rank(&Number::parse(text.as_bytes()).unwrap());
        let golden = [
            ("-1e300", 0),
            ("-0.6", 0),
            ("-0.5", 1),
            ("-0.50000000000000000000000", 1),
            ("-0.4", 2),
            ("0", 3),
            ("0.3", 4),
            ("0.34", 6),
            ("2", 6),
            ("2.5", 7),
            ("2.54", 8),
            ("2.55", 9),
            ("2.6", 10),
            ("3", 10),
            ("1e300", 10),
        ];
        golden.into_iter().for_each(|(text, expected)| assert_eq!(rank(text), expected, "{text}"));
        let third = Number::parse(b"1").unwrap().divide(&Number::parse(b"3").unwrap());
        assert_eq!(third.map(|third| edges.rank(&third)), Some(5));
    }

    proptest! {
        #[test]
        fn steps_are_those_of_rationals(
            mantissa: i64, scale in 0u32..19, low in -1_000i64..1_000, width in 1i64..1_000_000_000, p in 1i64..50, q in 1i64..50, shift in 0u32..18
        ) {
            let step = Rational::new(p, q).unwrap();
            let (low, high) = (&Rational::from(low) * &step, &Rational::from(low + width) * &step);
            let grid = Grid::new(&low, &high, Some(&step)).unwrap();
            for mantissa in [mantissa, mantissa >> (3 * shift)] {
                let number = Number::Decimal { mantissa: mantissa.into(), scale };
                let exact = number.to_rational().max(low.clone()).min(high.clone());
                let expected = i64::try_from(exact.checked_div(&step).unwrap().round_half_up()).unwrap();
                prop_assert_eq!(grid.steps(&number), Some(expected));
                prop_assert_eq!(grid.steps_of_cell(Cell::Text(number.text().as_bytes())), Some(expected));
            }
        }
    }
}
