//! The normal kernel against `mechanisms/kernels/normal.lb`, with the logarithm of `wide.lb`.

use lastbit_real::{Enclosure, pi};

use super::super::normal::{Normals, normals};
use super::super::wide::Exponentials;
use super::*;
use crate::sampler::arith::{Arith, Kernel};
use crate::sampler::tests::lows;

const TEXT: &str = include_str!("../../../../../../mechanisms/kernels/normal.lb");

/// A pair of words with their halves: `U`, then `V`.
type Pair = ([u64; 2], [u64; 2]);

fn pairs(n: usize) -> Vec<Pair> {
    let (u, v): (Vec<u64>, Vec<u64>) = (words(9, n), words(10, n));
    let (u_lows, v_lows) = (lows::<u64>(9, u.len()), lows::<u64>(10, v.len()));
    // Not the same edges together.
    let v = v.into_iter().rev().zip(v_lows).map(<[u64; 2]>::from);
    let u = u.into_iter().zip(u_lows).map(<[u64; 2]>::from);
    u.zip(v).collect()
}

/// The magnitudes, `hi` and `lo` of both.
struct Magnitudes<'a>(&'a [Pair]);

impl Kernel for Magnitudes<'_> {
    type Output = Vec<[[f64; 2]; 2]>;

    #[inline(always)]
    fn run<A: Arith>(self) -> Self::Output {
        let of_pair = |([u, u_low], [v, v_low]): &Pair| {
            let (mut e, mut g) = (Exponentials::new(), Normals::new());
            normals::<A, u64, 2>(&[*u, *v], &[*u_low, *v_low], &mut e, &mut g);
            [[g.hi[0], g.lo[0]], [g.hi[1], g.lo[1]]]
        };
        self.0.iter().map(of_pair).collect()
    }
}

/// The magnitudes by the text.
struct Text {
    wide: wide::Text,
    circle: Function,
    root: Function,
    product: Function,
}

impl Text {
    fn new(text: &str, path: Path) -> Text {
        let function = |name, arguments: &[&str]| Function::new(text, name, path, arguments);
        Text {
            wide: wide::Text::shipped(path),
            circle: function("circle", &["j", "v", "v_lo"]),
            root: function("root", &["hi", "lo"]),
            product: function("product", &["r", "r_lo", "side", "side_lo"]),
        }
    }

    fn magnitudes(&self, &([u, u_low], [word, low]): &Pair) -> [[f64; 2]; 2] {
        let [r, r_lo] = self.root.call(&self.wide.exponential(u, u_low));
        // After the sign and the swap: three bits of the cell, then 59 + 32 bits, and a half.
        let bits = u128::from(word << 5 >> 5) << 33 | u128::from(low >> 32) << 1 | 1;
        let v = (bits >> 40) as f64 * pow2_neg(52) - 0.5;
        let v_lo = (bits & ((1 << 40) - 1)) as f64 * pow2_neg(92);
        let [cos, cos_lo, sin, sin_lo] = self.circle.call(&[(word >> 59 & 7) as f64, v, v_lo]);
        let [cos, sin] =
            [[cos, cos_lo], [sin, sin_lo]].map(|[side, lo]| self.product.call(&[r, r_lo, side, lo]));
        if word >> 62 & 1 == 1 { [sin, cos] } else { [cos, sin] }
    }
}

/// On how many pairs, of the edges and `n` more, the kernel and a text differ.
fn differences(text: &str, path: Path, n: usize) -> usize {
    let pairs = pairs(n);
    let text = Text::new(text, path);
    let bits = |both: [[f64; 2]; 2]| both.map(|value| value.map(f64::to_bits));
    let shipped = path.run(Magnitudes(&pairs));
    pairs.iter().zip(shipped).filter(|(pair, shipped)| bits(text.magnitudes(pair)) != bits(*shipped)).count()
}

#[test]
fn the_text_is_the_kernel() {
    for path in Path::available() {
        assert_eq!(differences(TEXT, path, more(10_000)), 0, "{path:?}");
    }
}

#[test]
fn another_text_is_not() {
    let changes = [
        // Constants, and entries of the tables.
        ("k1_lo: f64 = 0x1.1a62633145c07p-58", "k1_lo: f64 = 0x1.1a62633145c06p-58"),
        ("k3: f64 = -0x1.4abbce625be53p-13", "k3: f64 = -0x1.4abbce625be52p-13"),
        ("k9: f64 = 0x1.50783487ee781b", "k9: f64 = 0x1.50783487ef781b"),
        ("c4_lo: f64 = 0x1.32b33f87fc145p-72", "c4_lo: f64 = 0x1.32b33f87fd145p-72"),
        ("c := 0x1.7b5df226aafafp-1", "c := 0x1.7b5df226aafaep-1"),
        ("s_lo := -0x1.75720992bfbb2p-55", "s_lo := -0x1.75720992bfbb1p-55"),
        ("0.5 / r", "0.25 / r"),
        // Operations.
        ("cos0_lo := c - cos0 + a1", "cos0_lo := c - cos0 - a1"),
        ("a1 := s * minus", "a1 := c * minus"),
        ("sin_left := sin0 - sin - b2", "sin_left := sin0 - sin + b2"),
        ("e_lo := lo - (e - hi)", "e_lo := hi - (e - lo)"),
        ("left + 2 * e_lo", "left + e_lo"),
    ];
    for (old, new) in changes {
        for path in Path::available() {
            assert!(differences(&changed(TEXT, old, new), path, 300) > 0, "{path:?}: {new}");
        }
    }
}

/// The tails that are proved are those that are computed.
#[test]
fn the_tails_are_parts_of_the_series() {
    for path in Path::available() {
        for (name, variable) in [("sine_tail", "pk"), ("versine_tail", "pc")] {
            let tail = Function::new(TEXT, name, path, &["w"]);
            let inside = Function::of(lowered(TEXT, "circle", path, Some(variable)), &["v"]);
            for k in 0..5000 {
                let v = f64::from(k) / 10_000.0;
                assert_eq!(tail.call::<1>(&[v * v]), inside.call(&[v]), "{name}");
            }
        }
    }
}

/// `(π/32)^n/n!`.
fn coefficient(n: u32) -> Enclosure {
    let angle = pi(400).shl(-5);
    (1..=n).fold(Enclosure::exact(Dyadic::from(1)), |product, i| {
        let factor = Enclosure::exact(Dyadic::from(u64::from(i)));
        (&product * &angle).div(&factor, 400).expect("not zero")
    })
}

/// The constants of the tails are ±(π/32)^n/n! to 160 bits.
#[test]
fn constants_of_the_tails() {
    for (name, n) in [("k7", 7), ("k9", 9), ("k11", 11), ("c6", 6), ("c8", 8), ("c10", 10), ("c12", 12)] {
        let (_, after) = TEXT.split_once(&format!("param {name}: f64 = ")).expect("a parameter");
        let constant = rational(after.lines().next().expect("a line")).abs();
        let exact = coefficient(n);
        let off = (Rational::from(exact.lo().clone()) - &constant).abs();
        assert!(off <= constant * Rational::pow2(-160), "{name}");
    }
}

/// The low parts of the tables take no more of those of the sides than the text says.
#[test]
fn low_parts_of_the_tables() {
    let [_, c_lo, _, s_lo] = &circle::CENTRES;
    assert!(c_lo.entries().into_iter().chain(s_lo.entries()).all(|lo| lo.abs() <= pow2_neg(54)));
}

/// What steps 2 and 3 of `circle.rs` say. The terms of the series alternate and fall, so that the first one left out is above what is left out.
#[test]
fn the_numbers_of_the_derivation() {
    let above = |n: u32| Rational::from(coefficient(n).hi().clone());
    let v = |n: i64| Rational::pow2(-n);
    // v·w⁶·K13 and w⁷·C14, with v = 1/2.
    assert!(above(13) * v(13) < Rational::pow2(-89));
    assert!(above(14) * v(14) < Rational::pow2(-97));
    // The errors of the tails, times v·w³ and w³.
    assert_eq!(Rational::pow2(-88) * v(7), Rational::pow2(-95));
    assert_eq!(Rational::pow2(-82) * v(6), Rational::pow2(-88));
}
