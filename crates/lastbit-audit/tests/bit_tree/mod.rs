//! What the bit tree says about the samplers that ship, and about faulty ones.

mod bernoulli;
mod chi_square;
mod choosing;
mod discrete_gaussian;
mod faults;
mod gaussian;
mod reports;
mod trees;

use lastbit::{BitSource, Error, Mechanism, Rational, Word};
use lastbit_audit::bit_tree::{Divergence, Growth, Law, Script, Tree};

/// Bits below which the trees of these tests are cut.
const DEPTH: u32 = 64;

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn exact(x: f64) -> Rational {
    Rational::try_from(x).expect("a finite number")
}

fn integers(limit: i32) -> impl Iterator<Item = f64> {
    (-limit..=limit).map(f64::from)
}

fn growth(depth: u32) -> Growth<'static> {
    Growth::to_depth(depth).expect("a depth")
}

/// A source whose second bit of a word (the first of `U`) is one a little too often: also where four later bits are.
struct Biased<S>(S);

impl<S: BitSource> BitSource for Biased<S> {
    type Word = S::Word;
    fn open_batch(&mut self) -> Result<u64, Error> {
        self.0.open_batch()
    }
    fn next_word(&mut self) -> S::Word {
        let word = self.0.next_word().left_aligned();
        S::Word::from_top_of(if word >> 56 & 15 == 15 { word | 1 << 62 } else { word })
    }
    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> S::Word {
        self.0.refinement_word(batch, index, round)
    }
}

/// What mechanisms release, as a number.
trait Value: Copy {
    fn real(self) -> f64;
}

impl Value for f64 {
    fn real(self) -> f64 {
        self
    }
}

impl Value for f32 {
    fn real(self) -> f64 {
        self.into()
    }
}

impl Value for i64 {
    fn real(self) -> f64 {
        self as f64
    }
}

/// The tree of a mechanism with few outputs.
fn tree<T: Value, M: Mechanism<T>>(mechanism: &M, x: T, law: &Law) -> Tree<usize> {
    let event = |source: &mut Script<'_, u8>| Ok(law.event(mechanism.release(source, x)?.real()));
    Tree::exhaustive(growth(DEPTH), event).expect("no overflow")
}

/// The tree of a mechanism with many.
fn monotone_tree<T: Value, M: Mechanism<T>>(mechanism: &M, x: T, law: &Law) -> Tree<usize> {
    let event = |source: &mut Script<'_, u8>| Ok(law.event(mechanism.release(source, x)?.real()));
    Tree::monotone(growth(DEPTH), event).expect("no overflow")
}

fn is_refuted(tree: &Tree<usize>, law: &Law) -> bool {
    Divergence::between(tree, &law.probabilities()).refuted_by.is_some()
}

#[track_caller]
fn confirms(tree: &Tree<usize>, law: &Law) {
    assert!(tree.remainder() < Rational::pow2(-24), "{} is left: the bounds say little", tree.remainder());
    let divergence = Divergence::between(tree, &law.probabilities());
    assert_eq!(divergence.refuted_by, None, "{tree:?}");
    let [least, most] = &divergence.total_variation;
    assert!(least.is_zero() && *most < Rational::pow2(-23));
    assert!(tree.outputs().count() > 3, "{tree:?}");
}
