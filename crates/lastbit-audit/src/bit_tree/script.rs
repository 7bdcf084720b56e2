//! The source that an audit puts in place of the generator.

use lastbit::{BitSource, Error, Word};

use super::tiers::Tier;

/// Bits that a fill goes on for. Then come varied words, so that a sampler that waits for a one returns: what is filled with
/// zeros or ones is within `2^-FILL_BITS` of the end of what its script says about `U`.
const FILL_BITS: u32 = 480;

/// The same for each number of a pair, after the end of its script. Far enough for [`MOST_PAIR_DEPTH`](super::tree::MOST_PAIR_DEPTH).
const CORNER_BITS: u32 = 64;

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
    /// Of `U`, and of the second number of a sampler that reads two.
    fills: [Fill; 2],
    /// The number of words after which fills end.
    fill_end: usize,
    /// Words of the main stream that belong to the script.
    round: u64,
    asked: usize,
    main_words: u64,
    outside: u64,
    rounds: u32,
    pair: bool,
}

impl<'a, W: Word> Script<'a, W> {
    pub(super) fn new(words: &'a [W], fill: Fill) -> Script<'a, W> {
        let fill_end = (FILL_BITS / W::BITS) as usize;
        Script {
            words,
            fills: [fill; 2],
            fill_end,
            round: u64::MAX,
            asked: 0,
            main_words: 0,
            outside: 0,
            rounds: 0,
            pair: false,
        }
    }

    /// A corner of what a script says about `U` and `V`, for a sampler of pairs: each has its own fill.
    ///
    /// It goes on for [`CORNER_BITS`] of both after the script, so that the corner of a rectangle is missed by `2^-CORNER_BITS` of its sides.
    pub(super) fn corner(words: &'a [W], fills: [Fill; 2]) -> Script<'a, W> {
        let fill_end = words.len() + (2 * CORNER_BITS / W::BITS) as usize;
        Script { fills, fill_end, ..Script::new(words, Fill::Varied).of_a_pair() }
    }

    /// Of a sampler of pairs, which tries two tiers before it asks for more.
    pub(super) fn of_a_pair(self) -> Script<'a, W> {
        Script { pair: true, ..self }
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

    /// The words of the script.
    pub(super) fn words(&self) -> &'a [W] {
        self.words
    }

    /// Whether more words were asked for than the script holds.
    pub(crate) fn ran_out(&self) -> bool {
        self.asked > self.words.len()
    }

    /// The tier that decided, of a sampler that has tiers.
    pub(crate) fn tier(&self) -> Tier {
        if self.pair { Tier::of_pair(self.rounds, W::BITS) } else { Tier::after(self.rounds, W::BITS) }
    }

    /// The next bit, for samplers that are written bit by bit: the top bit of a word.
    pub fn bit(&mut self) -> bool {
        self.next_word().left_aligned() >> 63 == 1
    }

    /// The next word of the script, or what fills it up after its end.
    fn in_script(&mut self, halves: [Fill; 2]) -> W {
        let word = self.words.get(self.asked).copied();
        self.asked += 1;
        let [upper, lower] = halves.map(|fill| match fill {
            Fill::Zeros if self.asked <= self.fill_end => 0,
            Fill::Ones if self.asked <= self.fill_end => u64::MAX,
            _ => varied(self.asked as u64),
        });
        let mask = u64::MAX >> (W::BITS / 2);
        word.unwrap_or_else(|| W::from_top_of(upper & !mask | lower & mask))
    }

    fn outside_script(&mut self) -> W {
        self.outside += 1;
        W::from_top_of(varied(self.outside))
    }
}

/// Arbitrary but varied: the top bits of the multiples of the golden ratio.
fn varied(n: u64) -> u64 {
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<W: Word> BitSource for Script<'_, W> {
    type Word = W;

    fn open_batch(&mut self) -> Result<u64, Error> {
        Ok(0)
    }

    fn next_word(&mut self) -> W {
        self.main_words += 1;
        if self.main_words > self.round {
            return self.outside_script();
        }
        // Of a pair: a word of U, one of V, and one with half of each.
        let [u, v] = self.fills;
        self.in_script(match self.main_words {
            1 => [u, u],
            2 => [v, v],
            _ => [u, v],
        })
    }

    fn refinement_word(&mut self, _batch: u64, index: u64, round: u32) -> W {
        if index >= self.round {
            return self.outside_script();
        }
        self.rounds = self.rounds.max(round + 1);
        self.in_script([self.fills[usize::from(index > 0)]; 2])
    }
}
