//! How fine the lattice of a composition is.

use lastbit_real::{IBig, Rational, Rounding};

use crate::mechanism::Lattice;
use crate::{Error, Mechanism};

/// The window of all losses that are looked at, in standard deviations.
const WIDTH: f64 = 16.0;

/// About how many points of the lattice the first try has.
const FIRST_POINTS: f64 = 32768.0;

/// The most points for the window of all losses.
const MOST_POINTS: f64 = 700_000.0;

/// The same where each point of the law of a single release takes an error function or a logarithm, and rare losses are large.
const MOST_SLOW_POINTS: f64 = 110_000.0;

/// Up to this, a step that is wider than the window is taken for want of room.
const MOST_COMMON: f64 = 1.0 / 64.0;

/// The least number of steps from 0 to the largest loss of real Laplace noise.
const LEAST_STEPS: u64 = 4;

/// A step that divides as many of the exact lattices as there is room for, cut into parts.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    common: Rational,
    parts: u64,
    /// The least step that there is room for; `None` if all losses are on the lattice exactly.
    least: Option<f64>,
    /// The window of all losses.
    width: f64,
    /// Whether some losses are not on the lattice, and are moved to it.
    moves: bool,
}

impl Grid {
    /// The first to try, for losses of about this standard deviation.
    ///
    /// # Errors
    /// [`Error::Empty`].
    pub(crate) fn first<'m>(
        terms: impl Iterator<Item = (&'m Mechanism, u64)> + Clone,
        spread: f64,
    ) -> Result<Grid, Error> {
        let lattices: Vec<Lattice> = terms.map(|(mechanism, _)| mechanism.lattice()).collect();
        if lattices.is_empty() {
            return Err(Error::Empty);
        }
        // Losses of one release fit into the window, also where weighting leaves nearly nothing but the largest.
        let width = lattices.iter().map(Lattice::width).fold(WIDTH * spread, f64::max);
        let fits = |step: &Rational| width / step.to_f64(Rounding::Up) <= MOST_POINTS;
        let exact = || {
            lattices.iter().filter_map(|l| if let Lattice::Exact { step } = l { Some(step) } else { None })
        };
        let reaches = || {
            lattices
                .iter()
                .filter_map(|l| if let Lattice::Continuous { reach } = l { Some(reach) } else { None })
        };
        let finite = lattices.iter().find_map(|l| match l {
            Lattice::Finite { width, steps } => Some((width, *steps)),
            _ => None,
        });
        // What the step divides.
        let mut common = finite.map(|(width, steps)| width / Rational::from(steps.unwrap_or(1)));
        if common.is_none() {
            // First those whose ends weigh most; exact losses are moved to another lattice only once, as sums.
            for step in reaches().chain(exact()) {
                let finer = common
                    .as_ref()
                    .map_or_else(|| step.clone(), |common| divisor(common.clone(), step.clone()));
                if fits(&finer) {
                    common = Some(finer);
                }
            }
        }
        let is_exact = lattices.iter().all(|l| match (l, &common) {
            (Lattice::Point, _) => true,
            (Lattice::Exact { step }, Some(common)) => divides(common, step),
            (Lattice::Finite { width, steps: Some(_) }, Some(common)) => divides(common, width),
            _ => false,
        });
        // Losses that are anywhere, or nowhere.
        let common = common.unwrap_or_else(|| match width > 0.0 {
            true => Rational::pow2((width / FIRST_POINTS).log2().floor() as i64),
            false => Rational::ONE,
        });
        let moves = !lattices.iter().all(|l| match l {
            Lattice::Point => true,
            Lattice::Exact { step } => divides(&common, step),
            _ => false,
        });
        if is_exact {
            return Ok(Grid { common, parts: 1, least: None, width, moves });
        }
        let float = common.to_f64(Rounding::Up);
        // At least four steps in the reach of everything continuous, if there is room.
        let short = |reach: &Rational| 4.0 * float / reach.to_f64(Rounding::Down);
        let room = MOST_POINTS * float / width;
        let short = reaches().map(short).filter(|parts| *parts <= room).fold(1.0, f64::max);
        let parts = (FIRST_POINTS * float / width).max(short).ceil();
        let is_fast = lattices.iter().all(|l| !matches!(l, Lattice::Free | Lattice::Finite { .. }));
        let most = if is_fast { MOST_POINTS } else { MOST_SLOW_POINTS };
        Ok(Grid { common, parts: parts as u64, least: Some(width / most), width, moves })
    }

    pub(crate) fn step(&self) -> Rational {
        &self.common / Rational::from(self.parts)
    }

    /// The step for one mechanism: if the common one does not divide its losses, that of a lattice on which they lie exactly, or that reaches just to
    /// the largest of them.
    pub(crate) fn step_of(&self, mechanism: &Mechanism) -> Rational {
        let common = self.step();
        match mechanism.lattice() {
            Lattice::Exact { step } if !divides(&common, &step) => step,
            Lattice::Continuous { reach } => {
                let steps = (&reach / &common).ceil().max(IBig::from(LEAST_STEPS));
                reach / Rational::from(steps)
            }
            _ => common,
        }
    }

    /// The largest `λ` with which nothing gets much heavier by being moved a step up; and a step down still leaves bits of what is summed.
    pub(crate) fn most_tilt(&self) -> f64 {
        let most = if self.moves { 16.0 } else { 40.0 };
        most / self.step().to_f64(Rounding::Up)
    }

    /// Whether a finer lattice would tell nothing more.
    pub(crate) fn is_exact(&self) -> bool {
        self.least.is_none()
    }

    /// A coarser lattice, for want of room; `None` if there is none.
    pub(crate) fn coarser(&self) -> Option<Grid> {
        let (common, parts) = match self.parts {
            1 => (&self.common * Rational::from(2), 1),
            parts => (self.common.clone(), parts / 2),
        };
        // Of a sample, rare losses are many times as large as the others.
        let is_room = !self.is_exact() && common.to_f64(Rounding::Up) <= self.width.max(MOST_COMMON);
        is_room.then(|| Grid { common, parts, least: Some(f64::INFINITY), ..self.clone() })
    }

    /// A lattice that is finer by about this factor, or as fine as there is room for; `None` if there is none.
    pub(crate) fn finer(&self, factor: f64) -> Option<Grid> {
        let least = self.least?;
        let most = (self.common.to_f64(Rounding::Down) / least).floor();
        let wanted = (self.parts as f64 * factor.clamp(1.1, 16.0)).ceil().min(most);
        let parts = wanted as u64;
        (parts > self.parts).then(|| Grid { parts, ..self.clone() })
    }
}

fn divides(step: &Rational, of: &Rational) -> bool {
    (of / step).is_integer()
}

/// The greatest common divisor of two positive fractions.
fn divisor(a: Rational, b: Rational) -> Rational {
    let (mut a, mut b) = (a, b);
    while !b.is_zero() {
        let quotient: IBig = (&a / &b).floor();
        let rest = &a - &b * Rational::from(quotient);
        (a, b) = (b, rest);
    }
    a
}
