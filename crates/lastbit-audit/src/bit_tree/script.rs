//! The source that an audit puts in place of the generator.

use lastbit::{BitSource, Error, Word};

use super::tiers::Tier;

/// Bits that a fill goes on for. Then come varied words, so that a sampler that waits for a one returns: what is filled with
/// zeros or ones is within `2^-FILL_BITS` of the end of what its script says about `U`.
pub(super) const FILL_BITS: u32 = 480;

/// What comes after the words of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// Anything: the result means nothing.
    Varied,
    /// Zeros: the least `U`.
    Zeros,
    /// Ones: the largest `U`.
    Ones,
}

/// Replays a script of words in the order in which a sampler asks for them, and watches how it asks.
///
/// Nothing is built into the sampler for this: which tier decided shows in the refinement words that were asked for.
#[derive(Clone, Debug)]
pub struct Script<'a, W> {
    words: &'a [W],
    fill: Fill,
    /// Words of the main stream that belong to the script.
    round: u64,
    asked: usize,
    main_words: u64,
    outside: u64,
    rounds: u32,
}

impl<'a, W: Word> Script<'a, W> {
    pub(super) fn new(words: &'a [W], fill: Fill) -> Script<'a, W> {
        Script { words, fill, round: u64::MAX, asked: 0, main_words: 0, outside: 0, rounds: 0 }
    }

    /// The script of one round of a sampler that starts over: `main_words` words of the main stream and their refinements. A
    /// sampler that asks for more has started over ([`started_over`](Self::started_over)); what it then gets is arbitrary.
    pub fn one_round(&mut self, main_words: u64) {
        self.round = main_words;
    }

    /// Whether the sampler began a second round.
    pub fn started_over(&self) -> bool {
        self.outside > 0
    }

    /// Whether more words were asked for than the script holds.
    pub fn ran_out(&self) -> bool {
        self.asked > self.words.len()
    }

    /// The tier that decided, of a sampler that has tiers.
    pub fn tier(&self) -> Tier {
        Tier::after(self.rounds, W::BITS)
    }

    /// The next bit, for samplers that are written bit by bit: the top bit of a word.
    pub fn bit(&mut self) -> bool {
        self.next_word().left_aligned() >> 63 == 1
    }

    fn in_script(&mut self) -> W {
        let word = self.words.get(self.asked).copied();
        self.asked += 1;
        let filled = self.asked as u32 * W::BITS > FILL_BITS;
        word.unwrap_or_else(|| match self.fill {
            Fill::Zeros if !filled => W::from_top_of(0),
            Fill::Ones if !filled => W::from_top_of(u64::MAX),
            _ => varied(self.asked as u64),
        })
    }

    fn outside_script(&mut self) -> W {
        self.outside += 1;
        varied(self.outside)
    }
}

/// Arbitrary but varied: the top bits of the multiples of the golden ratio.
fn varied<W: Word>(n: u64) -> W {
    W::from_top_of(n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

impl<W: Word> BitSource for Script<'_, W> {
    type Word = W;

    fn open_batch(&mut self) -> Result<u64, Error> {
        Ok(0)
    }

    fn next_word(&mut self) -> W {
        self.main_words += 1;
        if self.main_words > self.round { self.outside_script() } else { self.in_script() }
    }

    fn refinement_word(&mut self, _batch: u64, index: u64, round: u32) -> W {
        if index >= self.round {
            return self.outside_script();
        }
        self.rounds = self.rounds.max(round + 1);
        self.in_script()
    }
}
