//! The wide logarithm against `mechanisms/kernels/wide.lb`.

use super::*;
use crate::sampler::tests::lows;

const TEXT: &str = include_str!("../../../../../../mechanisms/kernels/wide.lb");

/// `E` by the text.
pub(super) struct Text {
    quotient: Function,
    minus_ln: Function,
}

impl Text {
    pub(super) fn shipped(path: Path) -> Text {
        Text::new(TEXT, path)
    }

    fn new(text: &str, path: Path) -> Text {
        Text {
            quotient: Function::new(text, "quotient", path, &["z", "z_lo"]),
            minus_ln: Function::new(text, "minus_ln", path, &["t", "t_lo", "c", "n"]),
        }
    }

    /// `[hi, lo]` from a word and the half that goes with it, of which the first 32 bits count.
    pub(super) fn exponential(&self, word: u64, low: u64) -> [f64; 2] {
        // A = a + g, where g has the bits of the half and one more; f = RN(a) = 2^e·z.
        let a = centre::<u64>(word);
        let g = (2 * (low >> 32) + 1) as f64 * pow2_neg(32) - 1.0;
        let f = a as f64;
        let f_lo = (i128::from(a) - f as i128) as f64 + g;
        let e = f.log2().floor();
        let e = if f / e.exp2() >= 23.0 / 16.0 { e + 1.0 } else { e };
        let [t, t_lo, c] = self.quotient.call(&[f / e.exp2(), f_lo / e.exp2()]);
        self.minus_ln.call(&[t, t_lo, c, 64.0 - e])
    }
}

/// On how many words, of the edges and `n` more, the kernel and a text differ.
fn differences(text: &str, path: Path, n: usize) -> usize {
    let words: Vec<u64> = words(8, n);
    let lows = lows::<u64>(8, words.len());
    let text = Text::new(text, path);
    let shipped = path.run(Logarithms { words: &words, lows: &lows });
    let differs = |((word, low), shipped): ((&u64, &u64), &enclosures::Enclosed)| {
        text.exponential(*word, *low).map(f64::to_bits) != [shipped.hi, shipped.lo].map(f64::to_bits)
    };
    words.iter().zip(&lows).zip(&shipped).filter(|of_word| differs(*of_word)).count()
}

#[test]
fn the_text_is_the_kernel() {
    for path in Path::available() {
        assert_eq!(differences(TEXT, path, more(20_000)), 0, "{path:?}");
    }
}

#[test]
fn another_text_is_not() {
    let changes = [
        // Constants, and entries of the tables.
        ("third_lo: f64 = 0x1.5555555555555p-56", "third_lo: f64 = 0x1.5555p-56"),
        ("0x1.ef35793c7673p-45", "0x1.ef35793c7672p-45"),
        ("l_hi := 0x1.08598b59e4p-4", "l_hi := 0x1.08598b59e5p-4"),
        ("l_lo := -0x1.7e5dd7009902cp-46", "l_lo := -0x1.7e5dd7009902dp-46"),
        ("c15: f64 = 1 / 15", "c15: f64 = 1 / 17"),
        ("z < 0.90625", "z < 0.890625"),
        // Operations.
        ("r0 + r1 - series_lo", "r0 - r1 - series_lo"),
        ("den_lo := z - (den - c) + z_lo", "den_lo := z - (den + c) + z_lo"),
        ("p3_lo := p3_left +", "p3_lo := p3_left -"),
        ("t_lo := rem * r", "t_lo := rem / den"),
    ];
    for (old, new) in changes {
        for path in Path::available() {
            assert!(differences(&changed(TEXT, old, new), path, 1000) > 0, "{path:?}: {new}");
        }
    }
}

/// The tail that is proved is the one that is computed.
#[test]
fn the_tail_is_part_of_the_series() {
    for path in Path::available() {
        let tail = Function::new(TEXT, "tail", path, &["w"]);
        let inside = Function::of(lowered(TEXT, "minus_ln", path, Some("p")), &["t"]);
        for k in 0..1000 {
            let t = f64::from(k) / (33.0 * 5000.0);
            assert_eq!(tail.call::<1>(&[t * t]), inside.call(&[t]));
        }
    }
}

/// What step 4 of the derivation says, for `|t| = 1/33`, and what it leaves to `m_lo` in step 5.
#[test]
fn the_numbers_of_the_derivation() {
    let tau = rational("1/33");
    let two = Rational::from(2);
    // Each is a power of two and a root of two, 2^0.2 or 2^0.3: rounded up.
    let rest = &two * tau.pow(17) / (Rational::from(17) * (Rational::ONE - &tau * &tau));
    assert!(rest < rational("1.149") * Rational::pow2(-89));
    let tail = Rational::from(3) * Rational::pow2(-56) * &two * tau.pow(7);
    assert!(tail < rational("1.232") * Rational::pow2(-89));

    let ([ln2, ..], [_, lo]) = super::super::wide::constants();
    for n in 0..=64 {
        for lo in lo {
            let m_lo =
                Rational::from(n) * Rational::try_from(ln2.1).unwrap() + Rational::try_from(lo).unwrap();
            assert!(m_lo.abs() <= rational("0.56") * Rational::from(n + 1) * Rational::pow2(-43));
        }
    }
}
