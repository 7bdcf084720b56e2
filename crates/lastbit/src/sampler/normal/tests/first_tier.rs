//! Tier 1 of the normal law: what it encloses, what it decides next to thresholds, and copies with a fault.

use lastbit_real::{Rounding, pi};

use super::*;
use crate::bits::Word;
use crate::sampler::arith::{Arith, Kernel, Path};
use crate::sampler::integers::limbs;
use crate::sampler::tests::{Arithmetic, word_and_low};
use crate::sampler::tier1::circle;
use crate::sampler::tier1::normal::{RoundNormal, WholeNormal, normals};
use crate::sampler::tier1::pow2_neg;
use crate::sampler::tier1::round::{RoundParams, Rounded, Summand, round_sums};
use crate::sampler::tier1::whole::WholeParams;
use crate::sampler::tier1::wide::Exponentials;

/// Values of a chunk: eight pairs.
const N: usize = 16;

/// The words and halves of up to eight pairs; the last pair fills the rest.
struct Block {
    words: [u64; N],
    lows: [u64; N],
}

impl Block {
    fn of(prefixes: &[PairPrefix]) -> Block {
        let mut block = Block { words: [0; N], lows: [0; N] };
        for i in 0..N / 2 {
            let PairPrefix { u, v, swap } = &prefixes[i.min(prefixes.len() - 1)];
            (block.words[i], block.lows[i]) = word_and_low(u);
            // After the sign and the bit that exchanges the sides: 62 bits in the word, 32 in the half.
            assert_eq!(v.len, 94);
            let sides = u64::from(v.negative) << 63 | u64::from(*swap) << 62;
            block.words[N / 2 + i] = sides | (v.bits >> 32) as u64;
            block.lows[N / 2 + i] = u64::from(v.bits as u32) << 32;
        }
        block
    }
}

/// Where a kernel is made worse on purpose.
#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    /// Radii are this many times too small.
    Radius(f64),
}

/// A kernel that rounds, or one with a fault.
struct Faulty<'a, X, T> {
    kernel: RoundNormal<'a, u64, X, T, N>,
    fault: Fault,
}

impl<X: Summand, T: Rounded> Kernel for Faulty<'_, X, T> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arith>(self) -> bool {
        let Fault::Radius(times) = self.fault else { return self.kernel.run::<A>() };
        let RoundNormal { params, words, lows, e, g, x, .. } = self.kernel;
        normals::<A, u64, N>(words, lows, e, g);
        g.radius.iter_mut().for_each(|radius| *radius /= times);
        let columns = g.hi.iter_mut().zip(&g.lo).zip(&g.radius);
        round_sums::<A, u64, X, T, _, N>(params, words, x, columns, |_, radius| (*radius, true))
    }
}

/// A law, and the kernel that must obey it.
trait Subject {
    type L: Law<Output: PartialEq + std::fmt::Debug>;

    fn law(&self) -> Self::L;

    fn threshold(&self, near: &<Self::L as Law>::Output, negative: bool) -> Option<Enclosure>;

    /// What tier 1 says to the pairs of a block; `None` if undecided.
    fn decide(
        &self,
        arithmetic: Arithmetic,
        block: &Block,
        fault: Fault,
    ) -> [Option<<Self::L as Law>::Output>; N];
}

fn round_params(sigma: &Deviation) -> RoundParams {
    RoundParams { b_hi: sigma.hi(), b_lo: sigma.lo(), slack: 0.0 }
}

fn decide_sums<X: Summand, T: Rounded>(
    sigma: &Deviation,
    x: X,
    arithmetic: Arithmetic,
    Block { words, lows }: &Block,
    fault: Fault,
) -> [Option<T>; N] {
    let (mut e, mut g) = (Exponentials::new(), Normals::new());
    let (params, rounds_to) = (round_params(sigma), PhantomData::<T>);
    let kernel = RoundNormal { params, words, lows, e: &mut e, g: &mut g, x: &[x; N], rounds_to };
    let any = arithmetic.run(Faulty { kernel, fault });
    assert_eq!(any, g.hi.iter().any(|y| y.is_nan()));
    g.hi.map(|y| y.is_finite().then(|| T::from_exact(y)))
}

/// A float as it comes.
struct Sum<'a, T> {
    x: T,
    sigma: &'a Deviation,
}

impl<'a, T: Rounded + std::fmt::Debug> Subject for Sum<'a, T> {
    type L = RoundLaw<'a, T, Deviation>;

    fn law(&self) -> Self::L {
        RoundLaw { x: self.x, b: self.sigma }
    }

    fn threshold(&self, near: &T, negative: bool) -> Option<Enclosure> {
        let x = Rational::from(self.x.to_dyadic().expect("finite"));
        to_midpoint(&x, near, negative, self.sigma)
    }

    fn decide(&self, arithmetic: Arithmetic, block: &Block, fault: Fault) -> [Option<T>; N] {
        decide_sums(self.sigma, self.x, arithmetic, block, fault)
    }
}

/// A real number.
struct RealSum<'a> {
    x: Rational,
    sigma: &'a Deviation,
}

impl<'a> Subject for RealSum<'a> {
    type L = RealLaw<'a, f64, Deviation>;

    fn law(&self) -> Self::L {
        RealLaw { x: self.x.clone(), b: self.sigma, rounds_to: PhantomData }
    }

    fn threshold(&self, near: &f64, negative: bool) -> Option<Enclosure> {
        to_midpoint(&self.x, near, negative, self.sigma)
    }

    fn decide(&self, arithmetic: Arithmetic, block: &Block, fault: Fault) -> [Option<f64>; N] {
        decide_sums(self.sigma, crate::Real::from(self.x.clone()).split(), arithmetic, block, fault)
    }
}

/// An integer.
struct Whole<'a> {
    sigma: &'a Deviation,
}

impl<'a> Subject for Whole<'a> {
    type L = FloorLaw<'a, Deviation>;

    fn law(&self) -> Self::L {
        FloorLaw { s: self.sigma, offset: Offset::Half }
    }

    fn threshold(&self, near: &IBig, negative: bool) -> Option<Enclosure> {
        to_next_integer(near, negative, self.sigma)
    }

    fn decide(
        &self,
        arithmetic: Arithmetic,
        Block { words, lows }: &Block,
        fault: Fault,
    ) -> [Option<IBig>; N] {
        assert!(matches!(fault, Fault::None));
        let (mut e, mut g) = (Exponentials::new(), Normals::new());
        let params = WholeParams { s_hi: self.sigma.hi(), s_lo: self.sigma.lo(), skew: 0.0 };
        arithmetic.run(WholeNormal { params, words, lows, e: &mut e, g: &mut g });
        std::array::from_fn(|i| {
            let (top, bottom) = limbs(g.hi[i], g.lo[i]);
            (!g.hi[i].is_nan()).then(|| (IBig::from(top) << 32) + IBig::from(bottom))
        })
    }
}

/// Asks about pairs, both of whose values must obey the law.
struct Asking {
    arithmetic: Vec<Arithmetic>,
    fault: Fault,
    count: Count,
}

impl Asking {
    fn new(arithmetic: Vec<Arithmetic>, fault: Fault) -> Asking {
        Asking { arithmetic, fault, count: Count::default() }
    }

    fn ask<S: Subject>(&mut self, subject: &S, prefixes: &[PairPrefix]) {
        let law = subject.law();
        for prefixes in prefixes.chunks(N / 2) {
            let (block, corners) = (Block::of(prefixes), prefixes.iter().map(|p| Corners::of(*p)));
            let corners: Vec<Corners> = corners.collect();
            for arithmetic in &self.arithmetic {
                let mut answers = subject.decide(*arithmetic, &block, self.fault);
                for (i, corners) in corners.iter().enumerate() {
                    self.count.answer(&law, corners, 0, answers[i].take());
                    self.count.answer(&law, corners, 1, answers[N / 2 + i].take());
                }
            }
        }
    }

    /// Next to `n` thresholds, and at words that have nothing to do with them.
    fn visit<S: Subject>(&mut self, subject: &S, seed: u64, n: usize) {
        let law = subject.law();
        let mut draws = Draws::new(seed, 3 * n);
        for k in 0..n {
            let prefix = draws.prefix(64, 0);
            let mut prefixes =
                around_threshold(&law, |near, negative| subject.threshold(near, negative), prefix, k % 2);
            prefixes.push(prefix);
            self.ask(subject, &prefixes);
        }
    }

    fn visit_all(&mut self, n: usize) {
        for (seed, (text, x)) in
            (100..).zip([("10/7", 0.3), ("1", 0.0), ("1e6", -1e6), ("0x1p-900", 1e-300), ("1e270", 1.0)])
        {
            let sigma = &sigma(text);
            self.visit(&Sum { x, sigma }, seed, n);
            if sigma.floor_log2() < 100 {
                self.visit(&Sum { x: x as f32, sigma }, seed + 10, n);
            }
            self.visit(&RealSum { x: rational("1/3"), sigma }, seed + 20, n);
        }
    }

    fn visit_integers(&mut self, n: usize) {
        for (seed, text) in (200..).zip(["1/1000", "10/7", "1e6", "1e12", "0x1.fp59"]) {
            self.visit(&Whole { sigma: &sigma(text) }, seed, n);
        }
    }
}

/// Each prefix is asked about on both paths, both of its values.
#[test]
fn next_to_thresholds_of_floats() {
    let mut asking = Asking::new(Arithmetic::shipped(), Fault::None);
    asking.visit_all(more(25));
    eprintln!("tier 1 next to thresholds of floats: {:?}", asking.count);
    assert!(
        asking.count.asked > 2500 * asking.arithmetic.len() && asking.count.decided * 2 > asking.count.asked
    );
    assert_eq!(asking.count.wrong, 0);
}

#[test]
fn next_to_thresholds_of_integers() {
    let mut asking = Asking::new(Arithmetic::shipped(), Fault::None);
    asking.visit_integers(more(25));
    eprintln!("tier 1 next to thresholds of integers: {:?}", asking.count);
    assert!(
        asking.count.asked > 750 * asking.arithmetic.len() && asking.count.decided * 2 > asking.count.asked
    );
    assert_eq!(asking.count.wrong, 0);
}

#[test]
fn copies_with_a_fault_are_found_out() {
    let shipped = Arithmetic::shipped();
    let wrong = |arithmetic: Vec<Arithmetic>, fault| {
        let mut asking = Asking::new(arithmetic, fault);
        asking.visit_all(8);
        asking.count.wrong
    };
    assert!(wrong(vec![Arithmetic::NoLowParts], Fault::None) > 100);
    assert!(wrong(vec![Arithmetic::Coarse], Fault::None) > 100);
    assert!(wrong(shipped.clone(), Fault::Radius(64.0)) > 0);
    let mut integers = Asking::new(vec![Arithmetic::NoLowParts], Fault::None);
    integers.visit_integers(8);
    assert!(integers.count.wrong > 0);
}

/// The magnitudes of a block.
struct Magnitudes<'a, W>(&'a [W; N], &'a [u64; N]);

impl<W: Word> Kernel for Magnitudes<'_, W> {
    type Output = Normals<N>;

    #[inline(always)]
    fn run<A: Arith>(self) -> Normals<N> {
        let mut g = Normals::new();
        normals::<A, W, N>(self.0, self.1, &mut Exponentials::new(), &mut g);
        g
    }
}

/// The largest share of its radius that a magnitude uses, over corners of what words of one width say.
fn largest_share<W: Word>(arithmetic: Arithmetic, seed: u64, n: usize) -> f64 {
    let mut draws = Draws::new(seed, 2 * n);
    let cut = |word: u64| word >> (64 - W::BITS) << (64 - W::BITS);
    let mut most: f64 = 0.0;
    for _ in 0..n.div_ceil(N / 2) {
        let (mut words, mut lows) = ([W::from_top_of(0); N], [0; N]);
        let prefixes: [PairPrefix; N / 2] = std::array::from_fn(|i| {
            let [w1, w2, w3] = [draws.next(), draws.next(), draws.next()].map(cut);
            (words[i], words[N / 2 + i]) = (W::from_top_of(w1), W::from_top_of(w3));
            let upper_half = u64::MAX << (64 - W::BITS / 2);
            (lows[i], lows[N / 2 + i]) = (w2 & upper_half, (w2 << (W::BITS / 2)) & upper_half);
            of_words([w1, w2, w3], W::BITS)
        });
        let g = arithmetic.run(Magnitudes(&words, &lows));
        for (i, prefix) in prefixes.iter().enumerate().filter(|(i, _)| g.radius[*i].is_finite()) {
            for corner_of in CORNERS {
                let exact = corner(*prefix, corner_of, 4).magnitudes().expect("some bit of U is one");
                for (side, exact) in exact.iter().enumerate() {
                    let at = i + side * N / 2;
                    let found = [g.hi[at], g.lo[at]].map(|x| Dyadic::try_from(x).expect("finite"));
                    let off = (exact - &Enclosure::exact(&found[0] + &found[1])).abs();
                    let off = f64::from_dyadic(off.hi(), Rounding::Up);
                    most = most.max(off / g.radius[at]);
                }
            }
        }
    }
    most
}

#[test]
fn magnitudes_use_part_of_their_radius() {
    let n = more(150);
    for path in Path::available().into_iter().map(Arithmetic::Shipped) {
        let shares = [
            largest_share::<u64>(path, 51, n),
            largest_share::<u32>(path, 52, n),
            largest_share::<u16>(path, 53, n),
            largest_share::<u8>(path, 54, n),
        ];
        eprintln!("{path:?}: magnitudes use {shares:.2?} of their radius");
        assert!(shares.iter().all(|share| (0.2..1.0).contains(share)), "{path:?}: {shares:?}");
    }
    assert!(largest_share::<u64>(Arithmetic::NoLowParts, 55, 50) > 1e6);
    assert!(largest_share::<u64>(Arithmetic::Coarse, 55, 50) > 1e3);
}

/// How far two doubles are from an enclosed number, relative to it.
fn relative_error(exact: &Enclosure, hi: f64, lo: f64) -> f64 {
    let found = [hi, lo].map(|x| Dyadic::try_from(x).expect("finite"));
    let off = (exact - &Enclosure::exact(&found[0] + &found[1])).abs();
    let relative = Enclosure::exact(off.hi().clone()).div(&exact.abs(), 60).expect("not 0");
    f64::from_dyadic(relative.hi(), Rounding::Up)
}

/// The constants are next to what they say.
#[test]
fn constants_of_the_circle() {
    let eighth_of_a_cell = pi(250).shl(-5);
    let coefficient = |n: u32| {
        let power = (1..n).fold(eighth_of_a_cell.clone(), |power, _| &power * &eighth_of_a_cell);
        let factorial = (1..=u64::from(n)).fold(Rational::ONE, |product, k| product * Rational::from(k));
        let positive = power.div(&Enclosure::of_rational(&factorial, 250), 240).expect("not 0");
        // sin r = K1 + K3 + K5 + …, 1 - cos r = C2 + C4 + C6 + …, with signs that alternate.
        if matches!(n % 4, 3 | 0) { -&positive } else { positive }
    };
    for (n, hi, lo) in circle::constants() {
        let bits = if lo == 0.0 { 53 } else { 106 };
        assert!(relative_error(&coefficient(n), hi, lo) <= pow2_neg(bits), "{n}");
    }
    let [c, c_lo, s, s_lo] = circle::CENTRES.each_ref().map(|table| table.entries());
    for j in 0..8 {
        let angle =
            &eighth_of_a_cell * &Enclosure::of_rational(&Rational::new(2 * j as i64 + 1, 2).unwrap(), 250);
        assert!(relative_error(&angle.cos(240).unwrap(), c[j], c_lo[j]) <= pow2_neg(106), "{j}");
        assert!(relative_error(&angle.sin(240).unwrap(), s[j], s_lo[j]) <= pow2_neg(106), "{j}");
    }
}
