//! The doubles of a contest against exact arithmetic, and contests whose answer is known.

use super::*;
use crate::bits::InsecureSeededSource;
use crate::{Exponential, NoisyMax, Real, Selection};

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn source(seed: u64) -> InsecureSeededSource<u64> {
    InsecureSeededSource::from_seed(seed)
}

/// The winner by exact arithmetic alone, from the same words.
fn winner_by_exact_arithmetic<T: Score, W: Score, S: BitSource>(
    contest: &Contest<'_, T, W>,
    source: &mut S,
) -> usize {
    let start = Cursor::open(source).unwrap().advance(contest.scores.len());
    let contender = |index| Contender { index, word: source.next_word().left_aligned(), high: f64::INFINITY };
    let all = (0..contest.scores.len()).map(contender).collect();
    contest.settle(source, start, all)
}

/// The doubles change no answer: for scores, scales and weights of every size, and for words of 64 and of 8 bits.
fn agree<T: Score, W: Score>(scores: &[T], weights: Option<&[W]>, scales: &[&str]) {
    for scale in scales {
        let scale = Scale::new(rational(scale));
        for (noise, weights) in [(Noise::Exponential, None), (Noise::Gumbel, None), (Noise::Gumbel, weights)]
        {
            let contest = Contest::new(noise, &scale, scores, weights).unwrap();
            for seed in 0..4 {
                assert_eq!(
                    contest.run(&mut source(seed)),
                    Ok(winner_by_exact_arithmetic(&contest, &mut source(seed))),
                    "{noise:?} {} seed {seed}",
                    scale.exact
                );
                let narrow = || InsecureSeededSource::<u8>::from_seed(seed);
                assert_eq!(
                    contest.run(&mut narrow()),
                    Ok(winner_by_exact_arithmetic(&contest, &mut narrow())),
                    "{noise:?} {} seed {seed}, 8 bits",
                    scale.exact
                );
            }
        }
    }
}

const SCALES: [&str; 7] = ["1", "1/3", "0.001", "1e6", "0x1p-1074", "0x1.8p1023", "1e-290"];

#[test]
fn doubles_and_exact_arithmetic_agree() {
    let weights = [1.0, 3.5, 1e-300, 5e-324, 1e300, 0.1, 2.0, 7.0];
    agree(&[0.5, 1.5, -3.25, 0.1, 1e-9, 1.4999999999999998, 1.5, 0.0], Some(&weights), &SCALES);
    agree(
        &[1e308, -1e308, 1.7e308, f64::MAX, f64::MIN, 0.0, 5e-324, -5e-324],
        Some(&weights),
        &["1", "1e300", "0x1p-1074"],
    );
    agree(&[i64::MAX, i64::MIN, i64::MAX - 1, 0, -1, i64::MAX - 3], None::<&[i64]>, &SCALES);
    agree(&[7i32, -3, 5, 6, i32::MIN], Some(&[5i32, 1, 2, i32::MAX, 1]), &SCALES);
    agree(&[0.5f32, 0.25, 1e38], Some(&[1.0f32, 1e-45, 3.0]), &SCALES);
}

#[test]
fn exact_scores_beyond_doubles() {
    let texts =
        ["1e400", "1e400", "1e-400", "9007199254740993", "9007199254740992.5", "-1e999", "1/3", "0.1"];
    let weights = ["1/3", "1e-400", "1e500", "1", "22/7", "5", "0.1", "1e20"].map(rational);
    let scores = texts.map(rational);
    agree(&scores, Some(&weights), &["1", "1e300", "1e-300"]);
    agree(&scores.clone().map(Real::from), Some(&weights.map(Real::from)), &["1", "1e300", "1e-300"]);
    // Closer than doubles tell apart, and much further apart than the noise reaches.
    let close = ["9007199254740993", "9007199254740992", "9007199254740992.75"].map(rational);
    let best = |scale: &str| {
        let noise = NoisyMax::new(rational(scale)).unwrap();
        let reals = close.clone().map(Real::from);
        (0..20).map(|seed| noise.choose(&mut source(seed), &reals).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(best("0x1p-20"), [0; 20]);
    assert!(best("1").contains(&1));
}

/// Every noisy score lies in its bounds, and these are narrow.
#[test]
fn bounds_hold_and_are_narrow() {
    let scale = Scale::new(rational("1/3"));
    let scores = [0.0f64, -1.0, -0.1, -17.3, -1e10];
    let weights = ["1", "1/3", "1e-400", "12345.678", "1e20"].map(rational);
    let mut words = source(5);
    // The words at both ends of U, where E is large and where it is next to 0.
    let ends = [1, 2, 3, 1 << 20, (1 << 63) - 1, (1 << 63) - 2, (1 << 63) - (1 << 10), (1 << 63) - (1 << 30)];
    let words: Vec<u64> = ends.into_iter().chain((0..400).map(|_| words.next_word())).collect();
    let mut checked = 0;
    for (noise, weights) in
        [(Noise::Exponential, None), (Noise::Gumbel, None), (Noise::Gumbel, Some(&weights[..]))]
    {
        let contest = Contest::new(noise, &scale, &scores, weights).unwrap();
        for path in Path::available() {
            let mut e = vec![Bounds { low: 0.0, high: 0.0 }; words.len()];
            path.run(ExponentialBounds { words: &words, out: &mut e });
            for (word, e) in words.iter().zip(e) {
                for (index, score) in scores.iter().enumerate() {
                    let bounds = contest.bounds(index, score, e);
                    for fill in [0, u64::MAX] {
                        let mut finalist = Finalist {
                            index,
                            x: contest.exact_quotient(score),
                            weight: weights.map(|weights| weights[index].clone()),
                            prefix: Prefix::new(*word, 64).into(),
                            high: None,
                        };
                        (0..3).for_each(|_| finalist.prefix.push(fill, 64));
                        let Some(low) = finalist.enclose(noise) else { continue };
                        let Some(high) = finalist.high else { continue };
                        let ends = [bounds.low, bounds.high].map(Dyadic::try_from);
                        assert!(ends[0].as_ref().is_err() || ends[0].as_ref().unwrap() <= &high);
                        assert!(ends[1].as_ref().is_err() || ends[1].as_ref().unwrap() >= &low);
                        checked += 1;
                    }
                    // Where E is well above the error of its enclosure, its logarithm is as well known.
                    if e.low > 1e-3 && e.high < 10.0 && score.abs() < 1e3 {
                        let size = bounds.high.abs() + 100.0;
                        assert!(bounds.high - bounds.low < size * 1e-12 / e.low.min(1.0), "{bounds:?}");
                    }
                }
            }
        }
    }
    assert!(checked > 10_000, "{checked}");
}

/// A word whose bits of `U` are all zeros bounds nothing from above, and one of ones lets `E` be next to 0.
#[test]
fn words_that_say_little() {
    let scale = Scale::new(Rational::ONE);
    let scores = [0.0, -50.0];
    for noise in [Noise::Exponential, Noise::Gumbel] {
        let contest = Contest::<f64, f64>::new(noise, &scale, &scores, None).unwrap();
        let mut e = [Bounds { low: 0.0, high: 0.0 }; 2];
        Path::detect().run(ExponentialBounds { words: &[0u64, u64::MAX], out: &mut e });
        let [zeros, ones] = e.map(|e| contest.bounds(0, &0.0, e));
        match noise {
            Noise::Exponential => assert!(zeros.high == f64::INFINITY && ones.low <= 0.0),
            Noise::Gumbel => assert!(zeros.low == f64::NEG_INFINITY && ones.high == f64::INFINITY),
        }
    }
}

/// The same scores moved by one number, and the same weights times one number, give the same winner from the same words.
#[test]
fn common_changes_change_nothing() {
    let [scores, weights] = [[3.0, 1.0, 4.0, 1.5, 9.0, 2.5], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]];
    let moved = scores.map(|score| score + 1024.0);
    let scaled = weights.map(|weight| weight * 8.0);
    let noisy_max = NoisyMax::new(Rational::from(2)).unwrap();
    let exponential = Exponential::new(Rational::from(2)).unwrap();
    for seed in 0..200 {
        assert_eq!(noisy_max.choose(&mut source(seed), &scores), noisy_max.choose(&mut source(seed), &moved));
        assert_eq!(
            exponential.choose_weighted(&mut source(seed), &scores, &weights),
            exponential.choose_weighted(&mut source(seed), &moved, &scaled)
        );
        assert_eq!(
            exponential.choose_weighted(&mut source(seed), &scores, &[3i64; 6]),
            exponential.choose(&mut source(seed), &scores)
        );
    }
}

/// A score does not depend on its type, nor a winner on how many worse candidates are there.
#[test]
fn many_candidates() {
    let n = 3000;
    let scores: Vec<i64> = (0..n).map(|i| i * 7919 % 101).collect();
    let floats: Vec<f64> = scores.iter().map(|score| *score as f64).collect();
    let reals: Vec<Real> = scores.iter().map(|score| Real::from_decimal(10 * score + 1, 1)).collect();
    let hopeless: Vec<i64> = scores.iter().copied().chain((0..n).map(|_| -1_000_000)).collect();
    let mechanisms = [Noise::Exponential, Noise::Gumbel];
    let scale = Scale::new(rational("2"));
    for noise in mechanisms {
        for seed in 0..20 {
            let winner = |scores: &[i64]| {
                Contest::<i64, i64>::new(noise, &scale, scores, None).unwrap().run(&mut source(seed)).unwrap()
            };
            let chosen = winner(&scores);
            let of_floats = Contest::<f64, f64>::new(noise, &scale, &floats, None).unwrap();
            let of_reals = Contest::<Real, Real>::new(noise, &scale, &reals, None).unwrap();
            assert_eq!(of_floats.run(&mut source(seed)), Ok(chosen));
            assert_eq!(of_reals.run(&mut source(seed)), Ok(chosen));
            assert_eq!(winner(&hopeless), chosen);
        }
    }
}

#[test]
fn refusals() {
    let noisy_max = NoisyMax::new(Rational::ONE).unwrap();
    let exponential = Exponential::new(Rational::ONE).unwrap();
    assert_eq!(noisy_max.choose::<_, f64>(&mut source(1), &[]), Err(Error::NoCandidates));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(noisy_max.choose(&mut source(1), &[0.0, bad]), Err(Error::NotFinite { index: 1 }));
        assert_eq!(exponential.choose(&mut source(1), &[bad as f32]), Err(Error::NotFinite { index: 0 }));
    }
    let weighted = |weights: &[f64]| exponential.choose_weighted(&mut source(1), &[1.0, 2.0], weights);
    for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(weighted(&[1.0, bad]), Err(Error::BadWeight { index: 1 }));
    }
    assert_eq!(weighted(&[1.0]), Err(Error::LengthMismatch { values: 1, out: 2 }));
    let tiny = [rational("1e-500"), rational("0")];
    let chosen = exponential.choose_weighted(&mut source(1), &[1.0, 2.0], &tiny);
    assert_eq!(chosen, Err(Error::BadWeight { index: 1 }));
    for bad in ["0", "-1", "0x1p-1075", "0x1p1024"] {
        assert!(NoisyMax::new(rational(bad)).is_err() && Exponential::new(rational(bad)).is_err(), "{bad}");
    }
}

/// A source that never decides is noticed, rather than asked for ever.
#[test]
#[should_panic(expected = "the source is broken")]
fn a_source_that_never_decides() {
    struct Same;
    impl BitSource for Same {
        type Word = u8;
        fn open_batch(&mut self) -> Result<u64, Error> {
            Ok(0)
        }
        fn next_word(&mut self) -> u8 {
            0x55
        }
        fn refinement_word(&mut self, _: u64, _: u64, _: u32) -> u8 {
            0x55
        }
    }
    let _ = NoisyMax::new(Rational::ONE).unwrap().choose(&mut Same, &[1i64, 1]);
}
