//! What a release tells by its time: which values leave the straight line of tier 1, and ask for refinement words.
//!
//! `lastbit-bench leave` counts many more of them.

use lastbit::{
    BitSource, DiscreteLaplace, Error, GridLaplace, InsecureSeededSource, Laplace, Mechanism, Rational, Word,
};

/// Counts the values that ask for refinement words.
struct Watched<W> {
    source: InsecureSeededSource<W>,
    last: Option<(u64, u64)>,
    left: u64,
}

impl<W: Word> Watched<W> {
    fn from_seed(seed: u64) -> Watched<W> {
        Watched { source: InsecureSeededSource::from_seed(seed), last: None, left: 0 }
    }
}

impl<W: Word> BitSource for Watched<W> {
    type Word = W;

    fn open_batch(&mut self) -> Result<u64, Error> {
        self.source.open_batch()
    }

    fn next_word(&mut self) -> W {
        self.source.next_word()
    }

    fn fill_words(&mut self, words: &mut [W]) {
        self.source.fill_words(words);
    }

    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> W {
        self.left += u64::from(self.last.replace((batch, index)) != Some((batch, index)));
        self.source.refinement_word(batch, index, round)
    }
}

/// How many of a million values leave.
fn left_of_a_million<W: Word, T: Copy>(mechanism: &impl Mechanism<T>, x: T) -> u64 {
    let mut source = Watched::<W>::from_seed(5);
    let mut values = vec![x; 1 << 20];
    mechanism.release_in_place(&mut source, &mut values).unwrap();
    source.left
}

/// At a share of 2⁻²⁴ more than 3 of 2²⁰ values would come once in three million tries.
#[test]
fn few_values_leave_whatever_they_are() {
    let scale = Rational::pow2;
    for b in [-900, -100, 0, 900] {
        let laplace = Laplace::new(scale(b)).unwrap();
        for x in [0.0, 5e-324, 1e-3, 0.35, 1.0, -2.7, 1e6] {
            assert!(left_of_a_million::<u64, f64>(&laplace, x) <= 3, "b = 2^{b}, x = {x}");
            if b <= 0 {
                assert!(left_of_a_million::<u64, f32>(&laplace, x as f32) <= 3, "f32, b = 2^{b}, x = {x}");
            }
        }
    }
    for s in [-60, 0, 20, 21, 44, 57] {
        let noise = DiscreteLaplace::new(scale(s)).unwrap();
        assert!(left_of_a_million::<u64, i64>(&noise, 0) <= 3, "s = 2^{s}");
    }
    // A share of 64·2⁻⁶⁴ at most; with words of 16 bits, the same times 2⁴⁸.
    for s in [-60, 0, 20, 40, 56] {
        let noise = DiscreteLaplace::new(scale(s)).unwrap().constant_time().unwrap();
        assert_eq!(left_of_a_million::<u64, i64>(&noise, 0), 0, "constant time, s = 2^{s}");
    }
    let noise = DiscreteLaplace::new(scale(0)).unwrap().constant_time().unwrap();
    let left = left_of_a_million::<u16, i64>(&noise, 0);
    // 8 words a value: 128 expected, and a deviation of 11.
    assert!((70..190).contains(&left), "{left}");
    for k in [1023, 0, -20, -45, -60, -75, -87, -88, -1074] {
        let grid = GridLaplace::<f64>::new(scale(0), Some(k)).unwrap();
        for x in [0.0, 1.0, 1e6, 1e300] {
            assert!(left_of_a_million::<u64, f64>(&grid, x) <= 3, "k = {k}, x = {x}");
        }
    }
    // With half as many bits many do, and it is seen.
    assert!(left_of_a_million::<u32, f64>(&Laplace::new(scale(0)).unwrap(), 0.0) > 1000);
}

/// How often, in half a million releases of `x`, a result in [2⁻¹⁰, 2⁻⁸) does not leave, and how often it does.
fn small_results<W: Word>(x: f64) -> (u64, u64) {
    let laplace = Laplace::new(Rational::ONE).unwrap();
    let mut source = Watched::<W>::from_seed(7);
    let (mut straight, mut left) = (0, 0);
    for _ in 0..1 << 19 {
        let before = source.left;
        let y: f64 = laplace.release(&mut source, x).unwrap();
        if (2f64.powi(-10)..2f64.powi(-8)).contains(&y.abs()) {
            *(if source.left == before { &mut straight } else { &mut left }) += 1;
        }
    }
    (straight, left)
}

/// The pair of a result and how long it took: a claim of ε = 1 is about both, at 0 and at 1. Small results come from both, and e times as often
/// from 0; none takes longer.
#[test]
fn small_results_take_the_same_time_from_neighbours() {
    let [(at_0, left_at_0), (at_1, left_at_1)] = [0.0, 1.0].map(small_results::<u64>);
    assert_eq!((left_at_0, left_at_1), (0, 0));
    let ratio = at_0 as f64 / at_1 as f64;
    assert!((2.2..3.3).contains(&ratio), "{at_0} to {at_1}");
    // From fewer bits, all of them take longer, and it is seen.
    assert!(small_results::<u32>(0.0).1 > 100);
}
