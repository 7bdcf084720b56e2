//! Trees of bits.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use lastbit::{Error, Word};
use lastbit_real::{Dyadic, Enclosure, Rational, UBig};

use super::error::BitTreeError;
use super::script::{Fill, Script};
use super::tiers::{Tier, Tiers};
use super::word::all_words;

/// The deepest tree, in bits: monotone trees fill scripts up to 480.
const MOST_DEPTH: u32 = 320;

/// The deepest tree of a sampler of pairs. Corners are missed by less than `2^-62` of a rectangle's sides: all that lies outside of them is less than
/// one unit of this depth.
pub(crate) const MOST_PAIR_DEPTH: u32 = 56;

/// Words before which a script of a pair does not say which function of `U` and `V` it is about.
const PAIR_WORDS: usize = 2;

/// Replays between two looks at the clock.
const REPLAYS_PER_REPORT: u64 = 1 << 12;

/// The limits of a tree, and the callback that watches it grow.
pub struct Growth<'a> {
    depth: u32,
    most_replays: u64,
    cancelled: Option<&'a AtomicBool>,
    progress: Option<&'a mut dyn FnMut(f64)>,
}

impl<'a> Growth<'a> {
    /// A tree of `depth` bits; what is undecided there is its remainder. If words have more than one bit, the depth is rounded
    /// up to whole words.
    ///
    /// # Errors
    /// [`BitTreeError::OutOfRange`] unless `1 <= depth <= 320`.
    pub fn to_depth(depth: u32) -> Result<Growth<'a>, BitTreeError> {
        if !(1..=MOST_DEPTH).contains(&depth) {
            return Err(BitTreeError::out_of_range("depth", depth, "it must be 1 to 320 bits"));
        }
        Ok(Growth { depth, most_replays: u64::MAX, cancelled: None, progress: None })
    }

    /// Gives up after so many runs of the sampler.
    #[must_use]
    pub fn at_most(mut self, replays: u64) -> Growth<'a> {
        self.most_replays = replays;
        self
    }

    /// Stops when this is set: what was not tried then is undecided.
    #[must_use]
    pub(crate) fn unless(mut self, cancelled: &'a AtomicBool) -> Growth<'a> {
        self.cancelled = Some(cancelled);
        self
    }

    /// Tells the share of all scripts that is done, now and then.
    #[must_use]
    pub(crate) fn telling(mut self, progress: &'a mut dyn FnMut(f64)) -> Growth<'a> {
        self.progress = Some(progress);
        self
    }
}

/// Exact bounds on the probability of each output of a sampler.
///
/// The sampler is replayed on every script of words, depth-first. A script that is long enough to decide the output gives it
/// the weight `2^-bits`; one that runs out is continued with every word. What is left at the depth is the remainder: it
/// may belong to any output, so that a probability lies between an output's weight and that with the remainder. Of a monotone sampler it is
/// known between which outputs a script lies, and it counts for those.
///
/// ```
/// use lastbit_audit::bit_tree::{Bits, Growth, Tree};
/// use lastbit_real::Rational;
///
/// // A third, by rejection: two bits are a number of 0..4, and 3 starts over.
/// let tree = Tree::exhaustive(Growth::to_depth(20)?, |source: &mut lastbit_audit::bit_tree::Script<Bits<1>>| {
///     loop {
///         match (source.bit(), source.bit()) {
///             (true, true) => continue,
///             (high, low) => return Ok(2 * u8::from(high) + u8::from(low)),
///         }
///     }
/// })?;
/// assert_eq!(tree.remainder(), Rational::pow2(-20)); // ten times 3
/// let third = Rational::new(1, 3).unwrap();
/// for output in 0..3 {
///     assert!(tree.least(&output) < third && third < tree.most(&output));
/// }
/// # Ok::<(), lastbit_audit::bit_tree::BitTreeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree<O> {
    depth: u32,
    weights: BTreeMap<O, UBig>,
    /// The mass that is undecided, but lies between two outputs.
    between: BTreeMap<[O; 2], UBig>,
    /// The mass that is undecided and may be any output.
    unknown: UBig,
    leaves: Tiers,
    replays: u64,
    interrupted: bool,
}

impl<O: Ord> Tree<O> {
    /// The tree of a sampler, which is run on every script. `sample` may be any function of the source.
    ///
    /// # Errors
    /// The sampler's, or those of [`Growth`].
    pub fn exhaustive<W: Word>(
        growth: Growth<'_>,
        sample: impl FnMut(&mut Script<'_, W>) -> Result<O, Error>,
    ) -> Result<Tree<O>, BitTreeError> {
        Tree::exhaustive_under(Vec::new(), growth, sample)
    }

    /// The same, of the scripts that begin with these words: probabilities are conditional, and the depth counts from there.
    ///
    /// # Errors
    /// As [`exhaustive`](Self::exhaustive).
    pub fn exhaustive_under<W: Word>(
        first: Vec<W>,
        growth: Growth<'_>,
        mut sample: impl FnMut(&mut Script<'_, W>) -> Result<O, Error>,
    ) -> Result<Tree<O>, BitTreeError> {
        Branches::grow(first, growth, |words| {
            let mut source = Script::new(words, Fill::Varied);
            let output = sample(&mut source)?;
            Ok(if source.ran_out() { Said::Nothing } else { Said::Output(output, source.tier()) })
        })
    }

    /// The tree of a sampler with too many outputs to enumerate, but whose output increases or decreases with `U` for each
    /// sign, as events that are intervals of outputs: if both ends of what a script says about `U` have the same event, all
    /// between them do. The sampler must read a sign and `U` and nothing else, and be monotone.
    ///
    /// # Errors
    /// As [`exhaustive`](Self::exhaustive).
    pub fn monotone<W: Word>(
        growth: Growth<'_>,
        mut event: impl FnMut(&mut Script<'_, W>) -> Result<O, Error>,
    ) -> Result<Tree<O>, BitTreeError> {
        let mut tree = Branches::grow(Vec::new(), growth, |words: &[W]| {
            let mut at_end = |fill| {
                let mut source = Script::new(words, fill);
                event(&mut source).map(|event| (event, source.tier()))
            };
            Ok(between([at_end(Fill::Zeros)?, at_end(Fill::Ones)?]))
        })?;
        // The ends are not reached by 2^-480: all these gaps together are less than one unit.
        tree.unknown += UBig::ONE;
        Ok(tree)
    }

    /// The same of a sampler of pairs: its output increases or decreases with `U` for each `V` and with `V` for each `U`, once the two words are
    /// known that have the signs and the exchange of sine and cosine. Then the outputs of a rectangle lie between those of its four corners.
    ///
    /// # Errors
    /// As [`exhaustive`](Self::exhaustive); the depth is at most 56.
    pub fn monotone_in_both<W: Word>(
        growth: Growth<'_>,
        mut event: impl FnMut(&mut Script<'_, W>) -> Result<O, Error>,
    ) -> Result<Tree<O>, BitTreeError> {
        if growth.depth > MOST_PAIR_DEPTH {
            let reason = "a tree of pairs is at most 56 bits deep";
            return Err(BitTreeError::out_of_range("depth", growth.depth, reason));
        }
        let mut tree = Branches::grow(Vec::new(), growth, |words: &[W]| {
            if words.len() < PAIR_WORDS {
                return Ok(Said::Nothing);
            }
            let mut at_corner = |u, v| {
                let mut source = Script::corner(words, [u, v]);
                event(&mut source).map(|event| (event, source.tier()))
            };
            use Fill::{Ones, Zeros};
            Ok(between([
                at_corner(Zeros, Zeros)?,
                at_corner(Ones, Ones)?,
                at_corner(Zeros, Ones)?,
                at_corner(Ones, Zeros)?,
            ]))
        })?;
        // See MOST_PAIR_DEPTH.
        tree.unknown += UBig::ONE;
        Ok(tree)
    }
}

/// What is said by the least and the greatest output of a script, and the tiers that decided them.
fn between<O: Ord, const N: usize>(ends: [(O, Tier); N]) -> Said<O> {
    let tier = ends.iter().map(|(_, tier)| *tier).max().expect("ends");
    let mut outputs: Vec<O> = ends.into_iter().map(|(output, _)| output).collect();
    outputs.sort();
    let greatest = outputs.pop().expect("ends");
    let least = outputs.into_iter().next().expect("two ends");
    if least == greatest { Said::Output(least, tier) } else { Said::Between([least, greatest]) }
}

impl<O: Ord> Tree<O> {
    /// The depth in bits, a whole number of words.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// The number of runs of the sampler.
    pub fn replays(&self) -> u64 {
        self.replays
    }

    /// Whether somebody asked to stop before all scripts were tried.
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupted
    }

    /// How many leaves each tier decided.
    pub(crate) fn tiers(&self) -> &Tiers {
        &self.leaves
    }

    /// The outputs that came, in order.
    pub fn outputs(&self) -> impl Iterator<Item = &O> {
        self.weights.keys()
    }

    /// The weight of an output and the most that it can be with what is undecided, in units of `2^-depth`.
    pub fn weight(&self, output: &O) -> Enclosure {
        let least = self.weights.get(output).cloned().unwrap_or(UBig::ZERO);
        let may_be =
            self.between.iter().filter(|([least, greatest], _)| least <= output && output <= greatest);
        let most = may_be.fold(&least + &self.unknown, |most, (_, weight)| most + weight);
        Enclosure::new(Dyadic::from(least), Dyadic::from(most)).expect("a remainder is not negative")
    }

    /// The bounds on the probability of an output.
    pub fn probability(&self, output: &O) -> Enclosure {
        self.weight(output).shl(-i64::from(self.depth))
    }

    /// The least that the probability of an output can be.
    pub fn least(&self, output: &O) -> Rational {
        Rational::from(self.probability(output).lo())
    }

    /// The most that the probability of an output can be.
    pub fn most(&self, output: &O) -> Rational {
        Rational::from(self.probability(output).hi())
    }

    /// The probability that nothing is decided at the depth, or was not tried.
    pub fn remainder(&self) -> Rational {
        let undecided = self.between.values().fold(self.unknown.clone(), |sum, weight| sum + weight);
        Rational::from(Dyadic::from(undecided)) * Rational::pow2(-i64::from(self.depth))
    }
}

/// A tree while it grows.
struct Branches<'a, W, O> {
    tree: Tree<O>,
    script: Vec<W>,
    /// Words before the tree begins.
    root: usize,
    growth: Growth<'a>,
}

/// The answer of a script.
enum Said<O> {
    /// The output, by this tier.
    Output(O, Tier),
    /// That the output is one of these or between them.
    Between([O; 2]),
    Nothing,
}

type Decision<O> = Result<Said<O>, Error>;

impl<W: Word, O: Ord> Branches<'_, W, O> {
    fn grow(
        first: Vec<W>,
        growth: Growth<'_>,
        mut decide: impl FnMut(&[W]) -> Decision<O>,
    ) -> Result<Tree<O>, BitTreeError> {
        let depth = growth.depth.next_multiple_of(W::BITS);
        let tree = Tree {
            depth,
            weights: BTreeMap::new(),
            between: BTreeMap::new(),
            unknown: UBig::ZERO,
            leaves: Tiers::default(),
            replays: 0,
            interrupted: false,
        };
        let mut branches = Branches { tree, root: first.len(), script: first, growth };
        branches.branch(0.0, 1.0, &mut decide)?;
        Ok(branches.tree)
    }

    /// Continues the script with every word. The scripts before it are the share `done` of all, its own the share `share`.
    fn branch(
        &mut self,
        done: f64,
        share: f64,
        decide: &mut impl FnMut(&[W]) -> Decision<O>,
    ) -> Result<(), BitTreeError> {
        let share = share / (1u64 << W::BITS) as f64;
        for (i, word) in all_words::<W>().enumerate() {
            let done = done + i as f64 * share;
            self.script.push(word);
            let left = self.tree.depth - (self.script.len() - self.root) as u32 * W::BITS;
            let weight = UBig::ONE << left as usize;
            self.count_replay(done)?;
            // After an interruption no script is tried, and none continued.
            let said = if self.tree.interrupted { Said::Nothing } else { decide(&self.script)? };
            let is_last = left == 0 || self.tree.interrupted;
            match said {
                Said::Output(output, tier) => {
                    *self.tree.weights.entry(output).or_insert(UBig::ZERO) += weight;
                    self.tree.leaves.count(tier);
                }
                Said::Between(ends) if is_last => {
                    *self.tree.between.entry(ends).or_insert(UBig::ZERO) += weight;
                }
                Said::Nothing if is_last => self.tree.unknown += weight,
                _ => self.branch(done, share, decide)?,
            }
            self.script.pop();
        }
        Ok(())
    }

    fn count_replay(&mut self, done: f64) -> Result<(), BitTreeError> {
        if self.tree.interrupted {
            return Ok(());
        }
        if self.tree.replays == self.growth.most_replays {
            let done = format!("{:.3}%", 100.0 * done);
            return Err(BitTreeError::TooManyReplays { replays: self.tree.replays, done });
        }
        if (self.tree.replays + 1).is_multiple_of(REPLAYS_PER_REPORT) {
            if self.growth.cancelled.is_some_and(|cancelled| cancelled.load(Ordering::Relaxed)) {
                self.tree.interrupted = true;
                return Ok(());
            }
            if let Some(progress) = &mut self.growth.progress {
                progress(done);
            }
        }
        self.tree.replays += 1;
        Ok(())
    }
}
