//! The enclosures of `E` themselves, against exact logarithms. A child of [`tier1`](super), to see what is private there.

use lastbit_real::{Dyadic, Float, IBig, Rational, Rounding, ln};

use super::*;
use crate::sampler::arith::Path;
use crate::sampler::tests::{more, rational, words};
use crate::sampler::tier2::{FixedVariable, Prefix};

/// What tier 1 makes of one word.
pub(in crate::sampler) struct Enclosed {
    /// `E₀` of the plain kernel.
    pub(in crate::sampler) plain: f64,
    /// What the unknown bits ask for.
    unknown: f64,
    /// `E₀` of the double-double kernel.
    pub(in crate::sampler) hi: f64,
    pub(in crate::sampler) lo: f64,
    radius: f64,
}

/// The two logarithms alone.
pub(in crate::sampler) struct Exponentials<'a, W> {
    pub(in crate::sampler) words: &'a [W],
}

impl<W: Word> Kernel for Exponentials<'_, W> {
    type Output = Vec<Enclosed>;

    #[inline(always)]
    fn run<A: Arith>(self) -> Vec<Enclosed> {
        let k = &CONSTANTS;
        let of_word = |word: &W| {
            let (plain, unknown) = exponential::<A, W>(k, word.left_aligned());
            let (hi, lo, radius) = exponential_dd::<A, W>(k, word.left_aligned());
            Enclosed { plain, unknown, hi, lo, radius }
        };
        self.words.iter().map(of_word).collect()
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
    /// Of `52·η·|small| + 2⁻⁸⁰`, by the double-double kernel at the centre.
    double_double: f64,
    /// Of the radius for the unknown bits, by the distance from the centre to the farther end.
    unknown: f64,
}

fn used<W: Word>(path: Path, seed: u64, n: usize) -> Used {
    let words: Vec<W> = words(seed, n);
    let enclosed = path.run(Exponentials { words: &words });
    let mut used = Used::default();
    for (word, e) in words.iter().zip(enclosed) {
        let word = word.left_aligned();
        if is_unbounded(word) {
            continue;
        }
        let (a, half) = (u128::from(centre::<W>(word)), 1u128 << (64 - W::BITS));
        let [exact, farther] = [a, a - half].map(|a| minus_ln(a, -64));
        let sum = dyadic(e.hi) + dyadic(e.lo);
        // The sums with `unknown` round where it is large, as for narrow words.
        let arithmetic = e.radius - e.unknown + pow2_neg(80) + pow2_neg(52) * e.radius;
        let share = |error: f64, of: f64| if error == 0.0 { 0.0 } else { error / of };
        let plain = share(distance(&dyadic(e.plain), &exact), (e.plain + 1.0) * pow2_neg(51));
        used.plain = used.plain.max(plain);
        used.double_double = used.double_double.max(share(distance(&sum, &exact), arithmetic));
        used.unknown = used.unknown.max(share(distance(&farther, &exact), e.unknown));
        assert!(e.lo.abs() <= pow2_neg(13), "{word:x}: lo = {:e}", e.lo);
    }
    used
}

#[test]
fn tier1_is_within_its_radii() {
    for path in Path::available() {
        let narrow = [used::<u8>(path, 1, 256), used::<u16>(path, 2, 2000), used::<u32>(path, 3, 2000)];
        let wide = used::<u64>(path, 4, more(40_000));
        eprintln!("{path:?}, of 64 bits: {wide:?}");
        // What the proofs count: at most 3.57 + 2.31·e of the 4·(e + 1) units taken, and 36 of 52.
        assert!(wide.plain <= 0.82, "{path:?}: {wide:?}");
        assert!(wide.double_double <= 36.0 / 52.0, "{path:?}: {wide:?}");
        // The tests would not see much if the errors were nothing.
        assert!(wide.plain > 0.1 && wide.double_double > 0.05, "{path:?}: {wide:?}");
        for used in narrow.into_iter().chain([wide]) {
            assert!(
                used.plain <= 1.0 && used.double_double <= 1.0 && used.unknown < 1.0,
                "{path:?}: {used:?}"
            );
        }
    }
}

#[test]
fn tier2_is_within_its_radius() {
    let mut most = 0.0f64;
    for (i, pair) in words::<u64>(5, more(40_000)).windows(2).enumerate() {
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

/// How much of its radius the floor of `α + σ·s·E` uses, without looking inside: as `α` grows by steps of `1/16` of the radius, the
/// kernel says `j - 1`, then nothing, then `j`. Half of the gap is the radius, and its middle is where the kernel sees the
/// integer: how far is it from where it is?
fn share_of_gap<const DD: bool>(path: Path, s: &str, words: &[u64]) -> f64 {
    const STEPS: usize = 128;
    let s = rational(s);
    let (s_hi, plain) = (s.to_f64(Rounding::Nearest), !DD);
    let s_lo = (&s - Rational::try_from(s_hi).expect("finite")).to_f64(Rounding::Nearest);
    let mut most = 0.0f64;
    for (word, e) in
        words.iter().zip(path.run(Exponentials { words })).filter(|(word, _)| !is_unbounded(**word))
    {
        let sign = Rational::from(if word >> 63 == 1 { -1 } else { 1 });
        let exact = Rational::from(minus_ln(u128::from(centre::<u64>(*word)), -64)) * &s * sign;
        // The α in (0, 1] that takes it to an integer; then α in steps around it.
        let j = exact.floor() + IBig::ONE;
        let to_integer = Rational::from(j.clone()) - &exact;
        let radius = if plain { (s_hi * (e.plain + 1.0) + 1.0) * pow2_neg(50) } else { pow2_neg(48) };
        let radius = radius + s_hi * (if plain { e.unknown } else { e.radius });
        let around = to_integer.to_f64(Rounding::Nearest);
        let alpha = |i: usize| around + (i as f64 - STEPS as f64 / 2.0) * (radius / 16.0);
        if alpha(0) < 0.0 || radius > 0.01 {
            continue;
        }
        let mut out = [0.0; STEPS];
        let params = FloorParams { s_hi, s_lo };
        let kernel = Floor::<_, STEPS, DD, _, _> {
            params,
            words: &[*word; STEPS],
            out: &mut out,
            n: STEPS,
            offset: |i, _| alpha(i),
            finish: |_, z: f64| z,
        };
        path.run(kernel);
        let undecided = |i: &usize| out[*i].is_nan();
        let (first, last) =
            ((0..STEPS).find(undecided).expect("a gap"), (0..STEPS).rfind(undecided).expect("a gap"));
        assert!(first > 0 && last < STEPS - 1 && out[0] + 1.0 == out[STEPS - 1], "{word:x}: {out:?}");
        let [low, high] = [first, last].map(|i| Rational::try_from(alpha(i)).expect("finite"));
        let half = Rational::from(2);
        let off = ((&low + &high) / &half - &to_integer).abs() / ((high - low) / &half);
        most = most.max(off.to_f64(Rounding::Up));
    }
    most
}

#[test]
fn floors_use_part_of_their_radius() {
    for path in Path::available() {
        let words = words::<u64>(6, more(1000));
        for s in ["1/3", "10/7", "1000.1", "1048576"] {
            let share = share_of_gap::<false>(path, s, &words);
            eprintln!("{path:?}: the plain floor with s = {s} uses {share:.2} of its radius");
            assert!(share < 0.875, "{path:?}, s = {s}: {share}");
        }
        for s in ["1/3", "1048577", "123456789012.3", "0x1.fffffffp43"] {
            let share = share_of_gap::<true>(path, s, &words);
            eprintln!("{path:?}: the double-double floor with s = {s} uses {share:.2} of its radius");
            assert!(share < 0.75, "{path:?}, s = {s}: {share}");
        }
    }
}
