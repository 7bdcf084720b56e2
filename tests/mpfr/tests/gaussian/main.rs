//! Releases of the Gaussian mechanism on words next to thresholds, against MPFR.
//!
//! What is compared is the code that ships, through its public interface: a source hands out chosen words, and the result must be the
//! rounded sum that MPFR computes from the bits of these words alone. The law and the layout of the bits are written down here a second time:
//!
//! - `G0 = s0·R·cos φ` and `G1 = s1·R·sin φ` with `R = √(-2·ln U)`, `φ = (π/4)·V`, sine and cosine exchanged if `swap` is set;
//! - of a pair, `w1` is `s0` and 63 bits of `U`, `w3` is `s1`, `swap` and 62 bits of `V`, and `w2` the next 32 bits of `U`, then of `V`;
//! - a release of 128, 16 or one value reads `w1` of all its pairs, then `w3`, then `w2`. Values `i` and `i + pairs` are a pair; a single one is the first of one;
//! - more bits of `U` and `V` come as words under the places of `w1` and `w3` in that stream.
//!
//! `LASTBIT_MORE=k` in the environment tries `k` times as many words, `LASTBIT_PORTABLE=1` the path without FMA.

mod pairs;
mod values;

use lastbit::{Gaussian, Mechanism};
use lastbit_mpfr_tests::{Arguments, gmp_rational, mpfr_float};
use lastbit_real::{Dyadic, Rational};
use rug::Float;

use crate::pairs::{Model, Pair, Source, U_BITS};
use crate::values::Value;

/// Bits of MPFR's numbers.
const PRECISION: u32 = 460;

fn number<T>(value: T) -> Float
where
    Float: rug::Assign<T>,
{
    Float::with_val(PRECISION, value)
}

/// A scale for the library and for MPFR.
struct Sigma {
    mechanism: Gaussian,
    exact: Float,
}

impl Sigma {
    fn with_variance(variance: Rational) -> Sigma {
        let exact = number(&gmp_rational(&variance)).sqrt();
        Sigma { mechanism: Gaussian::with_variance(variance).expect("in range"), exact }
    }

    fn new(sigma: &str) -> Sigma {
        Sigma::with_variance(rational(sigma).pow(2))
    }
}

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

/// How many values were compared, for how many refinement words were asked, and how many values were others than MPFR's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    compared: usize,
    refined: usize,
    wrong: usize,
}

impl Count {
    fn plus(self, other: Count) -> Count {
        Count {
            compared: self.compared + other.compared,
            refined: self.refined + other.refined,
            wrong: self.wrong + other.wrong,
        }
    }
}

/// A pair and two values, of which the one with index `i` is next to a threshold: `U` is moved to where the sum crosses from one result to the next,
/// and then a few units of its 95th bit, or some thousand, beyond or back. It stays as it is where the next result takes another sign of the noise.
fn next_to_threshold<T: Value>(arguments: &mut Arguments, sigma: &Sigma, i: usize) -> (Pair, [T; 2]) {
    let mut pair = Pair::random(arguments);
    let noise = pair.values(Model::Law).map(|g| g * &sigma.exact);
    let x = noise.each_ref().map(|noise| T::draw(arguments, noise));
    let near = T::nearest(x[i], &noise[i]);
    let end = T::end(x[i], near, arguments.bits() & 1 == 0);
    let g = end.map(|end| (if pair.negative[i] { -end } else { end }) / &sigma.exact);
    let Some(g) = g.filter(|g| *g > 0) else { return (pair, x) };
    let r = g / &pair.sides(Model::Law)[i];
    let u = (r.square() / -2i32).exp() << U_BITS;
    let distance = match arguments.bits() % 4 {
        0 => arguments.integer(-(1 << 14), 1 << 14),
        1 => arguments.integer(-500, 500),
        _ => arguments.integer(-2, 3),
    };
    let moved = u.floor().to_integer().and_then(|u| (u + distance).to_u128());
    pair.u = moved.filter(|u| (1..1 << U_BITS).contains(u)).unwrap_or(pair.u);
    (pair, x)
}

/// The result by MPFR; what it computes with is off by less than `2⁻²⁵⁰` of the larger summand, and no threshold is that close.
fn expected<T: Value>(x: T, g: &Float, sigma: &Sigma) -> T {
    let noise = number(g * &sigma.exact);
    let [low, high] = [-1i32, 1].map(|sign| T::nearest(x, &(number(&noise >> 250u32) * sign + &noise)));
    assert_eq!(low, high, "a threshold within 2^-250");
    low
}

/// Releases `n` values at a time.
fn compare<T: Value>(
    arguments: &mut Arguments,
    sigma: &Sigma,
    n: usize,
    releases: usize,
    model: Model,
) -> Count
where
    Gaussian: Mechanism<T>,
{
    let mut count = Count::default();
    let pairs = n.div_ceil(2);
    for _ in 0..releases {
        let which = |arguments: &mut Arguments| if n == 1 { 0 } else { arguments.bits() as usize % 2 };
        let (pairs, x): (Vec<Pair>, Vec<[T; 2]>) = (0..pairs)
            .map(|_| {
                let i = which(arguments);
                next_to_threshold::<T>(arguments, sigma, i)
            })
            .unzip();
        let x: Vec<T> = (0..n).map(|j| x[j % pairs.len()][j / pairs.len()]).collect();
        let mut released = x.clone();
        let mut source = Source { pairs: &pairs, next: 0, refined: 0 };
        sigma.mechanism.release_in_place(&mut source, &mut released).expect("small noise");
        assert_eq!(source.next, 3 * pairs.len());
        count.refined += source.refined;
        let g: Vec<[Float; 2]> = pairs.iter().map(|pair| pair.values(model)).collect();
        for j in 0..n {
            let g = &g[j % pairs.len()][j / pairs.len()];
            count.compared += 1;
            count.wrong += usize::from(released[j] != expected(x[j], g, sigma));
        }
    }
    count
}

/// Releases of 128, 16 and single values, the same number of values of each kind, but fewer single ones.
fn compare_sizes<T: Value>(seed: u64, sigma: &Sigma, blocks: usize, model: Model) -> Count
where
    Gaussian: Mechanism<T>,
{
    let arguments = &mut Arguments::new(seed);
    [(128, blocks), (16, 8 * blocks), (1, 16 * blocks)]
        .map(|(n, releases)| compare::<T>(arguments, sigma, n, releases, model))
        .into_iter()
        .fold(Count::default(), Count::plus)
}

/// Several scales for each type; one is irrational, and those of integers are for both kernels.
fn compare_all(blocks: usize, model: Model) -> Count {
    let seeds = &mut (1..);
    let mut seed = || seeds.next().expect("more seeds");
    let floats = ["1", "10/7", "1e6", "1e-30", "0x1p-899"].map(Sigma::new);
    let root = Sigma::with_variance(rational("2"));
    let mut total = Count::default();
    for sigma in floats.iter().chain([&root]) {
        total = total.plus(compare_sizes::<f64>(seed(), sigma, blocks, model));
    }
    for sigma in floats[..3].iter().chain([&root]) {
        total = total.plus(compare_sizes::<f32>(seed(), sigma, blocks, model));
    }
    for sigma in ["10/7", "1e6", "1e12", "1e17"].map(Sigma::new).iter().chain([&root]) {
        total = total.plus(compare_sizes::<i64>(seed(), sigma, blocks, model));
    }
    total
}

fn more(n: usize) -> usize {
    let factor = std::env::var("LASTBIT_MORE").map_or(1, |k| k.parse().expect("LASTBIT_MORE is a number"));
    n * factor
}

#[test]
fn releases_are_what_mpfr_says() {
    let count = compare_all(more(10), Model::Law);
    eprintln!("{count:?}");
    // Many of the thresholds are within what 95 bits of U leave open.
    assert!(count.compared > 40_000 && count.refined > 5000);
    assert_eq!(count.wrong, 0);
}

/// The words are close enough to thresholds to tell the law from something a little else.
#[test]
fn other_laws_are_found_out() {
    for model in [Model::ShiftedU, Model::PlainSides] {
        let count = compare_all(1, model);
        eprintln!("{model:?}: {count:?}");
        assert!(count.wrong * 20 > count.compared, "{model:?}: {count:?}");
    }
}

/// The numbers that this file computes with are those of the other library.
#[test]
fn numbers_go_to_mpfr_without_error() {
    let x = Dyadic::new(12345, -1100);
    assert_eq!(number(&mpfr_float(&x)), number(12345) >> 1100u32);
}
