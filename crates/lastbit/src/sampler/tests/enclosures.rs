//! The enclosures of `E` themselves, against exact logarithms. A child of [`tier1`](super), to see what is private there.

use lastbit_real::{Dyadic, Float, IBig, Rational, Rounding, ln, ln_rational};

use super::plain::{self, CONSTANTS, Floor, is_unbounded};
use super::whole::{FRACTION_ERROR, Whole, WholeParams};
use super::wide::{Exponentials, Unknown, exponentials};
use super::*;
use crate::sampler::arith::{Arith, Kernel, Path};
use crate::sampler::scale::Scale;
use crate::sampler::tests::{lows, more, prefix_of, rational, words};
use crate::sampler::tier2::{FixedVariable, Prefix};

/// What tier 1 makes of one word, and of a word and a half.
pub(in crate::sampler) struct Enclosed {
    /// `E₀` of the plain kernel.
    pub(in crate::sampler) plain: f64,
    /// What the unknown bits ask for.
    unknown: f64,
    /// `E₀` of the wide kernel.
    pub(in crate::sampler) hi: f64,
    pub(in crate::sampler) lo: f64,
    /// Its radii, if it is bounded.
    radii: Option<[f64; 2]>,
}

/// The two logarithms alone.
pub(in crate::sampler) struct Logarithms<'a, W> {
    pub(in crate::sampler) words: &'a [W],
    pub(in crate::sampler) lows: &'a [u64],
}

impl<W: Word> Kernel for Logarithms<'_, W> {
    type Output = Vec<Enclosed>;

    #[inline(always)]
    fn run<A: Arith>(self) -> Vec<Enclosed> {
        let of_word = |(word, low): (&W, &u64)| {
            let (plain, unknown) = plain::exponential::<A, W>(&CONSTANTS, word.left_aligned());
            let mut e = Exponentials::new();
            exponentials::<A, W, 1>(&[*word], &[*low], &mut e);
            let Exponentials { hi: [hi], lo: [lo], place: [place], .. } = e;
            let (relative, bounded) = Unknown::new::<W>().relative::<A>(hi, place);
            let (absolute, _) = Unknown::new::<W>().absolute::<A>(hi, place);
            Enclosed { plain, unknown, hi, lo, radii: bounded.then_some([relative, absolute]) }
        };
        self.words.iter().zip(self.lows).map(of_word).collect()
    }
}

fn dyadic(x: f64) -> Dyadic {
    x.to_dyadic().expect("a finite number")
}

/// `-ln(a·2^exponent)` up to 2⁻²⁰⁰ of itself.
fn minus_ln(a: u128, exponent: i64) -> Dyadic {
    -ln(&Dyadic::new(a, exponent), 200).expect("positive").lo()
}

/// `|a - b|` as a double, rounded up.
fn distance(a: &Dyadic, b: &Dyadic) -> f64 {
    f64::from_dyadic(&(a - b).abs(), Rounding::Up)
}

/// The largest share of each radius that is used, over the known words of one width.
#[derive(Debug, Default)]
struct Used {
    /// Of `2⁻⁵¹·(e + 1)`, by the plain kernel at the centre.
    plain: f64,
    /// Of the plain radius for the unknown bits, by the distance from the centre to the farther end.
    unknown: f64,
    /// Of the relative and the absolute radius without what is for the unknown bits, by the wide kernel at the centre.
    wide: [f64; 2],
    /// Of all of these radii, by the wide kernel at the farther end.
    wide_at_end: [f64; 2],
}

fn share(error: f64, of: f64) -> f64 {
    if error == 0.0 { 0.0 } else { error / of }
}

fn used<W: Word>(path: Path, seed: u64, n: usize) -> Used {
    let words: Vec<W> = words(seed, n);
    let lows = lows::<W>(seed, words.len());
    let enclosed = path.run(Logarithms { words: &words, lows: &lows });
    let mut used = Used::default();
    for ((word, low), e) in words.iter().zip(&lows).zip(enclosed) {
        let aligned = word.left_aligned();
        if !is_unbounded(aligned) {
            let (a, half) = (u128::from(centre::<W>(aligned)), 1u128 << (64 - W::BITS));
            let [exact, farther] = [a, a - half].map(|a| minus_ln(a, -64));
            let plain = share(distance(&dyadic(e.plain), &exact), (e.plain + 1.0) * pow2_neg(51));
            used.plain = used.plain.max(plain);
            used.unknown = used.unknown.max(share(distance(&farther, &exact), e.unknown));
        }
        let Some(radii) = e.radii else { continue };
        let prefix = prefix_of(*word, *low, true);
        let exponent = -i64::from(prefix.len) - 1;
        let [exact, farther] = [1, 0].map(|end| minus_ln(prefix.bits << 1 | end, exponent));
        let sum = dyadic(e.hi) + dyadic(e.lo);
        // The part for the unknown bits is 1.5·h·q, where h·q/Z is how far the farther end is, and 1/Z is at least 0.69.
        let unknown = distance(&farther, &exact);
        for (i, radius) in radii.into_iter().enumerate() {
            used.wide[i] = used.wide[i].max(share(distance(&sum, &exact), radius - 0.9 * unknown));
            used.wide_at_end[i] = used.wide_at_end[i].max(share(distance(&sum, &farther), radius));
        }
    }
    used
}

#[test]
fn tier1_is_within_its_radii() {
    for path in Path::available() {
        let narrow = [used::<u8>(path, 1, 1000), used::<u16>(path, 2, 1000), used::<u32>(path, 3, 1000)];
        let wide = used::<u64>(path, 4, more(8_000));
        eprintln!("{path:?}, of 64 bits: {wide:?}; of 8: {:?}", narrow[0]);
        // What the proofs count: at most 3.57 + 2.31·e of the 4·(e + 1) units taken.
        assert!(wide.plain <= 0.82, "{path:?}: {wide:?}");
        // The tests would not see much if the errors were nothing.
        assert!(wide.plain > 0.1 && wide.wide.iter().all(|share| *share > 0.1), "{path:?}: {wide:?}");
        for used in narrow.into_iter().chain([wide]) {
            let all = [used.plain, used.unknown].into_iter().chain(used.wide).chain(used.wide_at_end);
            assert!(all.into_iter().all(|share| share < 1.0), "{path:?}: {used:?}");
        }
    }
}

#[test]
fn tier2_is_within_its_radius() {
    let mut most = 0.0f64;
    for (i, pair) in words::<u64>(5, more(8_000)).windows(2).enumerate() {
        // Prefixes of all lengths from 7 to 127 bits.
        let prefix = Prefix::new(pair[0], 8 + (i as u32) % 57);
        let prefix = if i % 3 == 0 { prefix } else { prefix.then(pair[1], (127 - prefix.len).min(64)) };
        let Some(e) = FixedVariable::enclose(prefix) else {
            assert_eq!(prefix.bits, 0);
            continue;
        };
        let len = i64::from(prefix.len);
        let value = Dyadic::new(e.value, -120);
        for end in [prefix.bits, prefix.bits + 1] {
            assert!(
                distance(&value, &minus_ln(end, -len)) <= f64::from_i128(e.radius as i128, -120),
                "{prefix:?}"
            );
        }
        let centre = minus_ln(prefix.bits << 1 | 1, -len - 1);
        most = most.max(distance(&value, &centre) / pow2_neg(100));
    }
    eprintln!("tier 2 uses {most:.4} of its error of 2^-100");
    assert!(most < 0.25, "the proof counts below 2^-102, but {most} of 2^-100 is used");
    assert!(most > 0.01);
}

/// How much of its radius a floor of `α + σ·s·E` uses, without looking inside: as `α` grows by steps of `1/16` of the radius, the
/// kernel says `j - 1`, then nothing, then `j`. Half of the gap is the radius, and its middle is where the kernel sees the
/// integer: how far is it from where it is? `None` if the radius is too large, or the gap too close to 0 or 1.
fn share_of_gap(y: &Rational, radius: f64, floor: impl Fn(f64) -> f64) -> Option<f64> {
    const STEPS: usize = 128;
    // The α in (0, 1] that takes it to an integer; then α in steps around it.
    let to_integer = Rational::from(y.floor() + IBig::ONE) - y;
    let around = to_integer.to_f64(Rounding::Nearest);
    let alpha = |i: usize| around + (i as f64 - STEPS as f64 / 2.0) * (radius / 16.0);
    if alpha(0) < 0.0 || alpha(STEPS) > 1.0 || radius > 0.01 {
        return None;
    }
    let out: Vec<f64> = (0..STEPS).map(|i| floor(alpha(i))).collect();
    let undecided = |i: &usize| out[*i].is_nan();
    let (first, last) =
        ((0..STEPS).find(undecided).expect("a gap"), (0..STEPS).rfind(undecided).expect("a gap"));
    assert!(first > 0 && last < STEPS - 1 && out[0] + 1.0 == out[STEPS - 1], "{out:?}");
    let [low, high] = [first, last].map(|i| Rational::try_from(alpha(i)).expect("finite"));
    let half = Rational::from(2);
    let off = ((&low + &high) / &half - &to_integer).abs() / ((high - low) / &half);
    Some(off.to_f64(Rounding::Up))
}

#[test]
fn floors_use_part_of_their_radius() {
    for path in Path::available() {
        let words = words::<u64>(6, more(200));
        let lows = lows::<u64>(6, words.len());
        let enclosed = path.run(Logarithms { words: &words, lows: &lows });
        for text in ["1/3", "10/7", "1000.1", "1048576", "1048577", "123456789012.3", "0x1.fffffffp46"] {
            let s = Scale::new(rational(text));
            let wide = s.hi() > plain::PLAIN_LIMIT;
            let shares = words.iter().zip(&lows).zip(&enclosed).filter_map(|((word, low), e)| {
                let radii = e.radii?;
                let prefix = prefix_of(*word, *low, wide);
                let sign = Rational::from(if prefix.negative { -1 } else { 1 });
                let exact = minus_ln(prefix.bits << 1 | 1, -i64::from(prefix.len) - 1);
                let y = Rational::from(exact) * &s.exact * sign;
                if wide {
                    let radius = s.hi() * radii[1] + FRACTION_ERROR;
                    return share_of_gap(&y, radius, |alpha| {
                        let params =
                            WholeParams { s_hi: s.hi(), s_lo: s.lo(), skew: with_sign(alpha - 0.5, *word) };
                        let mut e = Exponentials::new();
                        path.run(Whole { params, words: &[*word], lows: &[*low], e: &mut e });
                        e.hi[0] + e.lo[0]
                    });
                }
                let radius = (s.hi() * (e.plain + 1.0) + 1.0) * pow2_neg(50) + s.hi() * e.unknown;
                share_of_gap(&y, radius, |alpha| {
                    let mut out = [0.0];
                    let (offset, finish) = (|_, _| alpha, |_, z: f64| z);
                    path.run(Floor { s: s.hi(), words: &[*word], out: &mut out, n: 1, offset, finish });
                    out[0]
                })
            });
            let share = shares.fold(0.0, f64::max);
            eprintln!("{path:?}: the floor with s = {text} uses {share:.2} of its radius");
            assert!(share > 0.01 && share < 0.9, "{path:?}, s = {text}: {share}");
        }
    }
}

/// What is left of `exact` by two doubles, as a double, rounded up.
fn left(exact: &lastbit_real::Enclosure, hi: f64, lo: f64) -> f64 {
    distance(exact.lo(), &(dyadic(hi) + dyadic(lo)))
}

/// The constants are what they say: large parts have 42 bits after the point, and small ones are next to what is left.
#[test]
fn constants_of_the_wide_kernel() {
    let ([ln2, third, fifth], [hi, lo]) = wide::constants();
    let minus_ln = |c: Rational| -&ln_rational(&c, 200).expect("positive");
    let exact = |r: Rational| lastbit_real::Enclosure::of_rational(&r, 200);
    assert!(left(&minus_ln(rational("1/2")), ln2.0, ln2.1) <= pow2_neg(97));
    assert!(left(&exact(rational("1/3")), third.0, third.1) <= pow2_neg(108));
    assert!(left(&exact(rational("1/5")), fifth.0, fifth.1) <= pow2_neg(108));
    for (i, (hi, lo)) in hi.into_iter().zip(lo).enumerate() {
        let c = if i < 4 { Rational::new(12 + i as i64, 16) } else { Rational::new(4 + i as i64, 8) };
        let c = c.expect("a fraction");
        assert!(left(&minus_ln(c.clone()), hi, lo) <= pow2_neg(97), "{c}");
        let units = Rational::try_from(hi).expect("finite") * Rational::pow2(42);
        assert!(units.is_integer() && lo.abs() <= pow2_neg(43), "{c}");
    }
    assert!((Rational::try_from(ln2.0).expect("finite") * Rational::pow2(42)).is_integer());
}
