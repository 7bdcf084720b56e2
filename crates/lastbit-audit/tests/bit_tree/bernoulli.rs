//! Samplers written bit by bit, with and without the faults of others.

use lastbit::{Rational, Word};
use lastbit_audit::bit_tree::{Bits, Divergence, Script, Tree, compare};
use lastbit_audit::{LnRatio, Outcome};
use lastbit_real::{Dyadic, Enclosure, IBig, Rounding, exp_rational, ln2};

use super::{growth, rational};

type Coin = Bits<1>;

/// Bernoulli(n/d): bits of a uniform number, as far as they agree with the digits of `n/d`.
fn bernoulli(source: &mut Script<'_, Coin>, n: u64, d: u64) -> bool {
    let mut rest = n;
    while rest < d {
        rest *= 2;
        let digit = rest >= d;
        if source.bit() != digit {
            return digit;
        }
        rest -= if digit { d } else { 0 };
    }
    true
}

/// `(a/b)/k` as a fraction.
type Divide = fn(u64, u64, u64) -> (u64, u64);

fn right(a: u64, b: u64, k: u64) -> (u64, u64) {
    (a, b * k)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The division of a rational by an integer that several releases of a library shipped: `g = gcd(a, k)` is taken out of the
/// wrong factor of the denominator, `(b/g)·k` in place of `b·(k/g)`, and `b/g` is not even whole. So `(4/5)/2` was ½.
fn wrong(a: u64, b: u64, k: u64) -> (u64, u64) {
    let g = gcd(a, k);
    (a / g, b / g * k)
}

/// Bernoulli(e^-(a/b)) for `a/b <= 1`: the first `k` at which Bernoulli(a/(b·k)) fails is odd.
fn bernoulli_exp(source: &mut Script<'_, Coin>, a: u64, b: u64, divide: Divide) -> bool {
    let g = gcd(a, b);
    let fails = |k: &u64| {
        let (n, d) = divide(a / g, b / g, *k);
        !bernoulli(source, n, d)
    };
    (1..).find(fails).is_some_and(|k| k % 2 == 1)
}

const SCALE: u64 = 100;

/// One round of the discrete Laplace variable of scale 100 by Canonne, Kamath and Steinke: a sign, and `U` below 100, kept with
/// probability `e^-(U/100)`. `None` starts over. To what is kept comes a number of hundreds that does not depend on it, and
/// in which the division has no fault, since it divides 1: it is left out here.
fn round(source: &mut Script<'_, Coin>, divide: Divide) -> Option<i64> {
    let negative = source.bit();
    let u = (0..7).fold(0, |u, _| 2 * u + u64::from(source.bit()));
    if u >= SCALE || !bernoulli_exp(source, u, SCALE, divide) || (negative && u == 0) {
        return None;
    }
    Some(if negative { -(u as i64) } else { u as i64 })
}

/// `ln(P(81 | input 0)/P(81 | input 1))`. Only rounds with a positive sign and `U = 81`, or 80, can give it, so that these
/// branches of the tree are enough; what starts over does so for both inputs alike.
fn loss_at_81(divide: Divide) -> Enclosure {
    let weight = |u: u64| {
        let first = Coin::from_top_of(0);
        let bits = (0..7).rev().map(|i| Coin::from_top_of((u >> i) << 63));
        let first = std::iter::once(first).chain(bits).collect();
        let tree = Tree::exhaustive_under(first, growth(36), |source| Ok(round(source, divide))).unwrap();
        eprintln!("U = {u}: {} replays, undecided {}", tree.replays(), tree.remainder());
        tree.weight(&Some(u as i64))
    };
    match (Outcome { output: 81, weights: [weight(81), weight(80)] }).ln_ratio(100) {
        LnRatio::Finite(loss) => loss,
        other => panic!("{other:?}"),
    }
}

/// At scale 100 the wrong division makes the loss 15.07 times what is claimed.
#[test]
fn a_wrong_rational() {
    let claim = rational("1/100");
    let between = |loss: &Enclosure, lo: &str, hi: &str| {
        let [least, most] = [loss.lo(), loss.hi()].map(|end| Rational::from(end) / &claim);
        let digits = [&least, &most].map(|times| times.to_decimal(6, Rounding::Nearest));
        eprintln!("claimed 1/100, true loss {} to {} times as much", digits[0], digits[1]);
        assert!(least > rational(lo) && most < rational(hi), "{loss}");
    };
    between(&loss_at_81(right).abs(), "0.999", "1.001");
    between(&loss_at_81(wrong).abs(), "15.07", "15.08");
}

/// The discrete Laplace variable with `q = ½`: a sign, and the number of ones before a zero. -0 must start over.
fn sign_and_magnitude(source: &mut Script<'_, Coin>, rejects_minus_zero: bool) -> i64 {
    loop {
        let negative = source.bit();
        let magnitude = (0..).find(|_| !source.bit()).unwrap_or(0);
        if !(negative && magnitude == 0 && rejects_minus_zero) {
            return if negative { -magnitude } else { magnitude };
        }
    }
}

/// Zero has two names. With its weight doubled, the loss is twice the claimed ln 2.
#[test]
fn a_negative_zero() {
    let trees = |rejects: bool| {
        [0, 1].map(|x| {
            Tree::exhaustive(growth(18), |source| Ok((x + sign_and_magnitude(source, rejects)).clamp(-4, 5)))
                .unwrap()
        })
    };
    let claim = Rational::from(ln2(100).hi());
    let [least, two] = [Rational::from(ln2(100).lo()), Rational::from(2)];

    let sound = trees(true);
    assert!(sound[0].least(&0) < rational("1/3") && rational("1/3") < sound[0].most(&0));
    let loss = compare([&sound[0], &sound[1]], &claim).unwrap().loss(100);
    assert!(!loss.exceeds(&claim) && loss.exceeds(&(&least - rational("1/100"))), "{loss:?}");

    let faulty = trees(false);
    assert_eq!(faulty[0].least(&0), rational("1/2"));
    let comparison = compare([&faulty[0], &faulty[1]], &claim).unwrap();
    let loss = comparison.loss(100);
    assert!(loss.exceeds(&claim) && loss.exceeds(&(&two * &least - rational("1/1000"))), "{loss:?}");
    let least = Rational::from(comparison.finite_loss(100).lo()).to_decimal(6, Rounding::Down);
    eprintln!("claimed 0.693148, true loss at least {least} at {}", comparison.witness().unwrap().output);
}

/// Words in which a threshold is written.
const PLACES: u32 = 8;

/// Bernoulli with a threshold in words of 8 bits.
fn below(source: &mut Script<'_, u8>, threshold: &[u8]) -> usize {
    use lastbit::BitSource;
    for place in threshold {
        let word = source.next_word();
        if word != *place {
            return usize::from(word < *place);
        }
    }
    0
}

/// 1/e to 64 bits, and the same with its fourth word off by one unit.
#[test]
fn a_threshold_off_by_one_unit() {
    let probability = exp_rational(&Rational::from(-1), 200).unwrap();
    let law = [&Enclosure::exact(Dyadic::ONE) - &probability, probability.clone()];
    let digits: IBig = probability.lo().shl(8 * i64::from(PLACES)).floor();
    let threshold = u64::try_from(digits).unwrap();

    let audit = |threshold: u64| {
        let words = threshold.to_be_bytes();
        // The last word's tie is cut off: seven words are what the tree sees.
        let tree = Tree::exhaustive(growth(56), |source| Ok(below(source, &words))).unwrap();
        (Divergence::between(&tree, &law), tree)
    };
    let (sound, tree) = audit(threshold);
    assert_eq!((sound.refuted_by, tree.remainder()), (None, Rational::pow2(-56)));

    let (faulty, _) = audit(threshold + (1 << 32));
    let found = faulty.refuted_by.expect("a unit of 2^-32");
    let [least, most] = faulty.total_variation;
    assert!(
        least > Rational::pow2(-32) - Rational::pow2(-55) && most < Rational::pow2(-32) + Rational::pow2(-54)
    );
    let [lower, upper] = found.bounds.map(|bound| bound.to_decimal(18, Rounding::Nearest));
    let law = Rational::from(found.law.lo()).to_decimal(18, Rounding::Nearest);
    eprintln!("{lower} <= P <= {upper}, by the law {law}: off by {}", least.to_decimal(6, Rounding::Nearest));
}
