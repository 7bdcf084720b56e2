//! The logic's own reading of a judgement: every event is about as likely as its image.

use std::fmt::Debug;

use lastbit_real::Rational;

use super::{Ratio, SubDistribution};

/// All events are looked at, so that the first distribution may have no more values than this.
pub const MOST_VALUES: usize = 16;

/// The reason that the bound was not confirmed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError<A: Debug> {
    /// An event is too likely.
    #[error("the event {event:?} has probability {left}, and e^ε times that of its image is {right}")]
    Violated {
        /// The event that exceeds the bound most.
        event: Vec<A>,
        /// `μ₁` of the event.
        left: Rational,
        /// `e^ε·μ₂` of its image.
        right: Rational,
    },
    /// There are too many events to look at.
    #[error("the first distribution has {values} values; at most {MOST_VALUES} are looked at")]
    TooManyValues {
        /// The number of values.
        values: usize,
    },
}

/// Whether `μ₁(A) <= e^ε·μ₂(Ψ(A)) + δ` for all events `A`, where `Ψ(A)` is the image under the relation.
///
/// ```
/// use lastbit_papers::lifting::{ImageError, Ratio, SubDistribution, image_bound};
/// use lastbit_real::Rational;
///
/// let at = SubDistribution::<i32>::point;
/// assert_eq!(image_bound(&at(1), &at(3), |x, y| y - x == 2, &Ratio::ONE, &Rational::ZERO), Ok(()));
/// let violated = ImageError::Violated { event: vec![1], left: Rational::ONE, right: Rational::ZERO };
/// assert_eq!(image_bound(&at(1), &at(3), |x, y| x == y, &Ratio::ONE, &Rational::ZERO), Err(violated));
/// ```
///
/// # Errors
/// [`ImageError`]
pub fn image_bound<A: Ord + Clone + Debug, B: Ord + Clone>(
    mu1: &SubDistribution<A>,
    mu2: &SubDistribution<B>,
    relation: impl Fn(&A, &B) -> bool,
    ratio: &Ratio,
    delta: &Rational,
) -> Result<(), ImageError<A>> {
    let values = mu1.support().count();
    if values > MOST_VALUES {
        return Err(ImageError::TooManyValues { values });
    }
    // Which values of μ₁ have y in their image, as bits. Those y that are alike are weighed together.
    let related = |y: &B| {
        let bits = mu1.support().enumerate().map(|(i, x)| u32::from(relation(x, y)) << i);
        bits.fold(0, |all, bit| all | bit)
    };
    let masses: Vec<&Rational> = mu1.iter().map(|(_, mass)| mass).collect();
    let images = mu2.map(related);
    let left = |event: u32| -> Rational {
        let inside = masses.iter().enumerate().filter(|(i, _)| event >> i & 1 == 1);
        inside.map(|(_, mass)| *mass).sum()
    };
    let right = |event: u32| ratio.value() * images.mass_of(|related| related & event != 0);
    let worst = (0..1u32 << values).map(|event| (left(event) - right(event), event)).max();
    match worst {
        Some((excess, event)) if excess > *delta => Err(ImageError::Violated {
            event: mu1
                .support()
                .enumerate()
                .filter(|(i, _)| event >> i & 1 == 1)
                .map(|(_, x)| x.clone())
                .collect(),
            left: left(event),
            right: right(event),
        }),
        _ => Ok(()),
    }
}
