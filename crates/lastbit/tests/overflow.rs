//! The index of an overflow is a function of the noisy results: the least of those that overflow, whichever tier decided them.

use lastbit::{
    BitSource, DiscreteGaussian, DiscreteLaplace, Error, Gaussian, GridLaplace, InsecureSeededSource,
    Laplace, Mechanism, Rational, ReplaySource,
};

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

/// Sixteen words, so that they make one chunk: two that matter, then noise that is 0.
fn script(first: u64, second: u64) -> Vec<u64> {
    let mut words = vec![0x7fff_ffff_ffff_fff0; 16];
    words[0] = first;
    words[1] = second;
    // What a value that is not decided by its word asks for.
    words.extend([0x1234_5678_9abc_def0; 8]);
    words
}

/// Noise 14 and 5 at scale 10: the second word is next to a threshold, and tier 1 leaves it, or a little off, and is decided at once.
const UNDECIDED: [u64; 2] = [0x2000_0000_0000_0000, 0x519d_cc9d_1cba_a290];
const DECIDED: [u64; 2] = [0x2000_0000_0000_0000, 0x519d_cc9d_1cb0_0000];

#[test]
fn the_scripts_are_what_they_are_said_to_be() {
    let laplace = Laplace::new(rational("10")).unwrap();
    for ([first, second], asked) in [(UNDECIDED, 17), (DECIDED, 16)] {
        let script = script(first, second);
        let mut source = ReplaySource::new(&script);
        let mut values = [0i64; 16];
        laplace.release_in_place(&mut source, &mut values).unwrap();
        assert_eq!((values[0], values[1], values[2]), (14, 5, 0));
        assert_eq!(source.words_asked(), asked);
    }
}

#[test]
fn the_same_noise_overflows_at_the_same_index() {
    let laplace = Laplace::new(rational("10")).unwrap();
    let mut values = [0i64; 16];
    values[0] = i64::MAX;
    values[1] = i64::MAX;
    for [first, second] in [UNDECIDED, DECIDED] {
        let script = script(first, second);
        let result = laplace.release_in_place(&mut ReplaySource::new(&script), &mut values);
        assert_eq!(result, Err(Error::Overflow { index: 0 }), "{second:x}");
        assert_eq!(values[1], i64::MAX, "all or nothing");
    }
    // And where the one that is hard to decide is the only one.
    values[0] = 0;
    for [first, second] in [UNDECIDED, DECIDED] {
        let script = script(first, second);
        let result = laplace.release_in_place(&mut ReplaySource::new(&script), &mut values);
        assert_eq!(result, Err(Error::Overflow { index: 1 }), "{second:x}");
    }
}

/// Whether a value and its noise make a sum beyond the type.
trait Sum: Copy + PartialEq {
    fn overflows(self, noise: Self) -> bool;
}

macro_rules! sum {
    ($($t:ty => |$x:ident, $noise:ident| $overflows:expr),*) => {$(
        impl Sum for $t {
            fn overflows(self, $noise: $t) -> bool {
                let $x = self;
                $overflows
            }
        }
    )*};
}
// The largest float and half of the distance to its neighbour, or more, are rounded to infinity; other values here are 0.
sum!(
    i64 => |x, noise| x.checked_add(noise).is_none(),
    i32 => |x, noise| x.checked_add(noise).is_none(),
    f64 => |x, noise| x == f64::MAX && noise >= 2f64.powi(970),
    f32 => |x, noise| x == f32::MAX && noise >= 2f32.powi(103)
);

/// Values at the upper end of a type. Words of 8 bits leave nearly everything undecided, words of 64 nearly nothing: each
/// batch overflows where the same noise, added to zeros, says that it does first.
fn least_index<T: Sum, M: Mechanism<T>>(name: &str, mechanism: &M, most: T, zero: T) {
    let mut failures = 0;
    for seed in 0..60 {
        // Overflow is possible here and there, and only from some index on.
        let values: Vec<T> = (0..300).map(|i| if (i + seed) % 7 < 3 { most } else { zero }).collect();
        failures += check::<u64, T, M>(name, mechanism, &values, zero, seed);
        failures += check::<u8, T, M>(name, mechanism, &values, zero, seed);
    }
    assert!(failures > 30, "{name}: {failures} overflows tell little");
}

/// One batch in three lengths of chunks: 128, 16 and 1.
fn check<W: lastbit::Word, T: Sum, M: Mechanism<T>>(
    name: &str,
    mechanism: &M,
    values: &[T],
    zero: T,
    seed: u64,
) -> usize {
    let release = |values: &[T]| {
        let mut out = values.to_vec();
        let mut source = InsecureSeededSource::<W>::from_seed(seed);
        mechanism.release_in_place(&mut source, &mut out).map(|()| out)
    };
    // The noise itself may be beyond the type.
    let Ok(noise) = release(&vec![zero; values.len()]) else { return 0 };
    let first = values.iter().zip(noise).position(|(x, noise)| x.overflows(noise));
    let error = release(values).err();
    assert_eq!(error, first.map(|index| Error::Overflow { index }), "{name}, seed {seed}");
    usize::from(first.is_some())
}

#[test]
fn the_least_index_of_every_mechanism() {
    for scale in ["10", "1e12", "1e18"] {
        let laplace = Laplace::new(rational(scale)).unwrap();
        least_index("laplace i64", &laplace, i64::MAX - 3, 0);
        let discrete = DiscreteLaplace::new(rational(scale)).unwrap();
        least_index("discrete-laplace i64", &discrete, i64::MAX - 3, 0);
        least_index("discrete-laplace i64, at the other end", &discrete, i64::MIN + 3, 0);
        let gaussian = DiscreteGaussian::new(&rational(scale)).unwrap();
        least_index("discrete-gaussian i64", &gaussian, i64::MAX - 3, 0);
        let gaussian = Gaussian::new(&rational(scale)).unwrap();
        least_index("gaussian i64", &gaussian, i64::MAX - 3, 0);
        least_index("gaussian i64, at the other end", &gaussian, i64::MIN + 3, 0);
    }
    for scale in ["10", "1e12", "1e16"] {
        let digits = DiscreteLaplace::new(rational(scale)).unwrap().constant_time().unwrap();
        least_index("discrete-laplace i64 in constant time", &digits, i64::MAX - 3, 0);
        least_index("the same, at the other end", &digits, i64::MIN + 3, 0);
    }
    let digits = DiscreteLaplace::new(rational("10")).unwrap().constant_time().unwrap();
    least_index("discrete-laplace i32 in constant time", &digits, i32::MAX - 3, 0);
    let gaussian = Gaussian::new(&rational("10")).unwrap();
    least_index("gaussian i32", &gaussian, i32::MAX - 3, 0);
    for scale in ["1e292", "1e305"] {
        let gaussian = Gaussian::new(&rational(scale)).unwrap();
        least_index("gaussian f64", &gaussian, f64::MAX, 0.0);
    }
    let gaussian = Gaussian::new(&rational("1e31")).unwrap();
    least_index("gaussian f32", &gaussian, f32::MAX, 0.0);
    let laplace = Laplace::new(rational("10")).unwrap();
    least_index("laplace i32", &laplace, i32::MAX - 3, 0);
    for scale in ["1e292", "1e305"] {
        let laplace = Laplace::new(rational(scale)).unwrap();
        least_index("laplace f64", &laplace, f64::MAX, 0.0);
    }
    let laplace = Laplace::new(rational("1e31")).unwrap();
    least_index("laplace f32", &laplace, f32::MAX, 0.0);
    for k in [900, 960, 920] {
        let grid = GridLaplace::<f64>::new(rational("1e292"), Some(k)).unwrap();
        least_index("grid-laplace f64", &grid, f64::MAX, 0.0);
    }
    let grid = GridLaplace::<f32>::new(rational("1e31"), Some(20)).unwrap();
    least_index("grid-laplace f32", &grid, f32::MAX, 0.0);
}

/// The words of a release do not depend on its length, which the tests above rest on.
#[test]
fn a_shorter_batch_has_the_same_words() {
    let mut one = InsecureSeededSource::<u64>::from_seed(3);
    let mut other = InsecureSeededSource::<u64>::from_seed(3);
    assert_eq!(
        (one.open_batch().unwrap(), one.next_word()),
        (other.open_batch().unwrap(), other.next_word())
    );
}
