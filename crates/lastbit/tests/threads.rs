//! Large releases on several threads.

use std::num::NonZeroUsize;

use lastbit::{
    Amount, AnyMechanism, DiscreteLaplace, Error, Family, InsecureSeededSource, Laplace, Mechanism, Rational,
    Real, RealMechanism, SecureSource, Threads, ValueType,
};

const BLOCK: usize = 1 << 16;

/// Around the number of values from which on they are cut into blocks, and around the ends of blocks.
const LENGTHS: [usize; 5] = [2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 1, 3 * BLOCK - 1, 5 * BLOCK + 273];

fn threads() -> impl Iterator<Item = Threads> {
    [1, 2, 3, 7].into_iter().map(|threads| Threads::new(NonZeroUsize::new(threads).unwrap()))
}

fn source() -> InsecureSeededSource<u64> {
    InsecureSeededSource::from_seed(5)
}

fn mechanism(family: Family) -> AnyMechanism {
    family.with(&Amount::Scale(Rational::from(3))).unwrap()
}

/// The same from one thread and from several, in place and from slice to slice, for two releases of one source.
fn same_for_all_threads<T>(mechanism: &AnyMechanism, value: T)
where
    T: Copy + Default + PartialEq + Send + Sync,
    AnyMechanism: Mechanism<T>,
{
    for length in LENGTHS {
        let values = vec![value; length];
        let release = |threads| {
            let mut source = source();
            let (mut first, mut second) = (values.clone(), vec![T::default(); length]);
            mechanism.release_in_place_with(&mut source, &mut first, threads).unwrap();
            mechanism.release_to_with(&mut source, &values, &mut second, threads).unwrap();
            [first, second]
        };
        let alone = release(Threads::ONE);
        assert!(alone[0] != alone[1], "another batch");
        for threads in threads() {
            assert!(release(threads) == alone, "{length} values, {threads:?}");
        }
        let mut plain = values.clone();
        mechanism.release_in_place(&mut source(), &mut plain).unwrap();
        assert_eq!(plain == alone[0], length < 2 * BLOCK, "few values come from the source itself");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    same_for_all_threads(&mechanism(Family::Laplace), 0.5f64);
    same_for_all_threads(&mechanism(Family::Laplace), 0.5f32);
    same_for_all_threads(&mechanism(Family::GridLaplace { values: ValueType::F64, k: None }), 1e3f64);
    same_for_all_threads(&mechanism(Family::DiscreteLaplace), 7i64);
    let digits = DiscreteLaplace::new(Rational::from(3)).unwrap().constant_time().unwrap();
    same_for_all_threads(&AnyMechanism::DiscreteLaplace(digits), 7i64);
    same_for_all_threads(&mechanism(Family::DiscreteGaussian), 7i32);
    same_for_all_threads(&mechanism(Family::Gaussian), 0.5f64);
    same_for_all_threads(&mechanism(Family::Gaussian), 0.5f32);
    same_for_all_threads(&mechanism(Family::Gaussian), 7i64);
    same_for_all_threads(
        &mechanism(Family::Snapping { bound: Rational::from(100), clamp_infinite: false }),
        1f64,
    );
}

#[test]
fn reals_are_as_floats() {
    for mechanism in [mechanism(Family::Laplace), mechanism(Family::Gaussian)] {
        same_for_reals(&mechanism);
    }
}

fn same_for_reals(mechanism: &AnyMechanism) {
    let floats: Vec<f64> = (0..3 * BLOCK + 17).map(|i| i as f64 / 8.0).collect();
    let reals: Vec<Real> = floats.iter().map(|x| Real::try_from(*x).unwrap()).collect();
    let mut expected = floats.clone();
    mechanism.release_in_place_with(&mut source(), &mut expected, Threads::ONE).unwrap();
    for threads in threads() {
        let mut out = vec![0.0; floats.len()];
        mechanism.release_reals_with(&mut source(), &reals, &mut out, threads).unwrap();
        assert!(out == expected);
    }
}

/// The noise of integers does not depend on them, so the first overflow is known from the noise of zeros.
#[test]
fn the_first_overflow_is_told_and_nothing_is_written() {
    let laplace = mechanism(Family::Laplace);
    let length = 5 * BLOCK + 100;
    let mut noise = vec![0i64; length];
    laplace.release_in_place_with(&mut source(), &mut noise, Threads::ONE).unwrap();
    for from in [0, BLOCK - 1, BLOCK, 3 * BLOCK + 1000, length - 1] {
        let mut values = vec![0; length];
        values[from..].fill(i64::MAX);
        let expected = (from..length).find(|i| noise[*i] > 0);
        for threads in threads() {
            let (mut in_place, mut out) = (values.clone(), vec![-1; length]);
            let results = [
                laplace.release_in_place_with(&mut source(), &mut in_place, threads),
                laplace.release_to_with(&mut source(), &values, &mut out, threads),
            ];
            match expected {
                Some(index) => {
                    assert_eq!(results, [Err(Error::Overflow { index }), Err(Error::Overflow { index })]);
                    assert!(in_place == values && out.iter().all(|x| *x == -1));
                }
                None => assert_eq!(results, [Ok(()), Ok(())]),
            }
        }
    }
}

#[test]
fn the_first_value_that_is_no_number_is_told_and_nothing_is_written() {
    let laplace = mechanism(Family::Laplace);
    for first in [0, 70_000, BLOCK, 3 * BLOCK - 1] {
        let mut values = vec![1.0; 4 * BLOCK];
        values[first] = f64::NAN;
        values[3 * BLOCK..].fill(f64::INFINITY);
        for threads in threads() {
            let (mut in_place, mut out) = (values.clone(), vec![-1.0; values.len()]);
            let results = [
                laplace.release_in_place_with(&mut source(), &mut in_place, threads),
                laplace.release_to_with(&mut source(), &values, &mut out, threads),
            ];
            assert_eq!(
                results,
                [Err(Error::NotFinite { index: first }), Err(Error::NotFinite { index: first })]
            );
            assert!(in_place.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()));
            assert!(out.iter().all(|x| *x == -1.0));
        }
    }
    let beyond: Rational = "1e400".parse().unwrap();
    let mut reals = vec![Real::from(1); 3 * BLOCK];
    reals[2 * BLOCK + 1] = beyond.into();
    let refused = laplace.release_reals_with(&mut source(), &reals, &mut vec![0.0; 3 * BLOCK], Threads::ALL);
    assert!(matches!(refused, Err(Error::BeyondRange { index, .. }) if index == 2 * BLOCK + 1));
}

#[test]
fn lengths_must_match() {
    let laplace = mechanism(Family::Laplace);
    let (values, out) = (3 * BLOCK, 2 * BLOCK);
    let refused =
        laplace.release_to_with(&mut source(), &vec![0.0; values], &mut vec![0.0; out], Threads::ALL);
    assert_eq!(refused, Err(Error::LengthMismatch { values, out }));
}

/// One in 10⁵ runs has two noises that are the same double.
#[test]
fn no_noise_comes_twice() {
    let laplace = Laplace::new(Rational::ONE).unwrap();
    let mut source = SecureSource::new().unwrap();
    let mut values = vec![0.0f64; 4 * BLOCK];
    let threads = Threads::new(NonZeroUsize::new(4).unwrap());
    laplace.release_in_place_with(&mut source, &mut values, threads).unwrap();
    values.sort_by(f64::total_cmp);
    assert!(values.windows(2).all(|pair| pair[0] != pair[1]));
}
