//! Whoever waits for an attack may stop it.

use super::AttackError;

/// So many samples are gone through between two questions: a few milliseconds.
const EVERY: usize = 1 << 16;

/// Asked in every pass over samples.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a>(pub(super) &'a dyn Fn() -> bool);

impl Watch<'_> {
    /// Fails if the attack is to stop.
    pub(super) fn check(self) -> Result<(), AttackError> {
        if (self.0)() { Ok(()) } else { Err(AttackError::Cancelled) }
    }

    /// Does something with every item, unless the attack is to stop.
    pub(super) fn each<T>(
        self,
        items: impl IntoIterator<Item = T>,
        mut does: impl FnMut(T),
    ) -> Result<(), AttackError> {
        for (i, item) in items.into_iter().enumerate() {
            if i.is_multiple_of(EVERY) {
                self.check()?;
            }
            does(item);
        }
        Ok(())
    }

    /// Sorts, unless the attack is to stop.
    pub(super) fn sort<T: Ord>(self, values: &mut [T]) -> Result<(), AttackError> {
        for part in values.chunks_mut(EVERY) {
            self.check()?;
            part.sort_unstable();
        }
        self.check()?;
        // This sort finds the parts that are in order already and merges them, which takes a fraction of the time.
        values.sort();
        Ok(())
    }
}

/// The same of both inputs, unless the attack is to stop at the first.
pub(super) fn both<T, R>(
    of: [T; 2],
    mut does: impl FnMut(T) -> Result<R, AttackError>,
) -> Result<[R; 2], AttackError> {
    let [first, second] = of;
    Ok([does(first)?, does(second)?])
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Says yes so many times.
    fn patience(times: usize) -> impl Fn() -> bool {
        let left = Cell::new(times);
        move || left.replace(left.get().saturating_sub(1)) > 0
    }

    #[test]
    fn parts_are_sorted_and_merged() {
        let shuffled: Vec<usize> = (0..3 * EVERY + 5).map(|i| i * 7919 % (3 * EVERY + 5)).collect();
        let mut sorted = shuffled.clone();
        Watch(&|| true).sort(&mut sorted).unwrap();
        assert!(sorted.is_sorted());
        assert_eq!(sorted.iter().sum::<usize>(), shuffled.iter().sum::<usize>());
    }

    #[test]
    fn a_pass_ends_soon_after_somebody_asks() {
        let mut done = 0;
        let ended = Watch(&patience(2)).each(0..10 * EVERY, |_| done += 1);
        assert_eq!((ended, done), (Err(AttackError::Cancelled), 2 * EVERY));
        assert_eq!(Watch(&patience(2)).sort(&mut vec![0; 10 * EVERY]), Err(AttackError::Cancelled));
    }
}
