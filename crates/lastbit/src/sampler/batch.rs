//! From single values to slices: words in, tier 1 over a chunk, the rest one by one; all or nothing.

use std::marker::PhantomData;

use lastbit_real::Float;

use super::arith::{Arith, Kernel, Path, float_environment_is_default, run_loop};
use super::tier1::normal::Normals;
use super::tier1::round::{Round, RoundParams, Rounded, Summand};
use super::tier1::wide::Exponentials;
use super::tier2::Prefix;
use super::{Address, Law, parallel, resolve};
use crate::bits::{BitSource, Part, SplitSource, Word};
use crate::{Error, Mechanism, Real, RealMechanism, Threads};

/// Values that go through tier 1 together: enough to share the cost of a call, few enough to stay in the cache. What
/// is left of a slice goes in chunks of 16 and of 1.
pub(crate) const CHUNK: usize = 128;

/// A batch is closed after this many words, well below what a source can address.
const BATCH_WORDS: u64 = 1 << 31;

/// Words that a value may take, unless its mechanism says otherwise.
const MOST_WORDS: u64 = 16;

/// The place of a chunk among the refinement words.
pub struct Cursor {
    batch: u64,
    next: u64,
}

impl Cursor {
    /// Opens a batch.
    pub(crate) fn open<S: BitSource>(source: &mut S) -> Result<Cursor, Error> {
        if !float_environment_is_default() {
            return Err(Error::FloatEnvironment);
        }
        Ok(Cursor { batch: source.open_batch()?, next: 0 })
    }

    /// The addresses of the next `n` words of the main stream.
    pub(crate) fn advance(&mut self, n: usize) -> Address {
        let at = Address { batch: self.batch, index: self.next };
        self.next += n as u64;
        at
    }
}

impl Address {
    pub(crate) fn plus(self, i: usize) -> Address {
        Address { index: self.index + i as u64, ..self }
    }
}

/// The work of a mechanism on a few values. Everything in [`Mechanism`] follows from it.
pub trait Chunked<T: Copy> {
    /// Refuses values outside the declared domain, before anything is drawn or written. Tells whether some noise may
    /// make a result overflow.
    #[doc(hidden)]
    fn validate(&self, values: &[T]) -> Result<Overflow, Error>;

    /// A bound on the words of the main stream that a value takes, on average over a long slice.
    #[doc(hidden)]
    fn most_words(&self) -> u64 {
        MOST_WORDS
    }

    /// Adds noise in place; fails with the least index of a result that overflows, and then may leave anything. The least
    /// of all, so that it is a function of the noisy results and does not tell which of them were hard to decide.
    #[doc(hidden)]
    fn chunk<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        values: &mut [T; N],
    ) -> Result<(), usize>;
}

/// The work of a mechanism on a few real numbers. Everything in [`RealMechanism`] follows from it.
pub trait ChunkedReals<T: Copy> {
    /// As [`Chunked::validate`].
    #[doc(hidden)]
    fn validate_reals(&self, values: &[Real]) -> Result<Overflow, Error>;

    /// Writes the noisy values, from the words that [`Chunked::chunk`] would read; fails as that does.
    #[doc(hidden)]
    fn chunk_of_reals<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        scratch: &mut Scratch<S::Word, N>,
        values: &[Real; N],
        out: &mut [T; N],
    ) -> Result<(), usize>;
}

/// Whether a result can overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// No noise that a source can give is large enough.
    Impossible,
    /// However unlikely it is.
    Possible,
}

/// Values and noise that are both below 2 to this power have finite sums: half of the largest power of two.
pub(crate) fn room<T: Float>() -> i64 {
    i64::from(T::MAX_EXPONENT) - 1
}

impl Overflow {
    pub(crate) fn unless(impossible: bool) -> Overflow {
        if impossible { Overflow::Impossible } else { Overflow::Possible }
    }
}

/// One release of noise, chunk by chunk.
pub(super) struct Release<'a, M, S> {
    mechanism: &'a M,
    source: &'a mut S,
    cursor: Cursor,
    done: usize,
}

impl<'a, M, S: BitSource> Release<'a, M, S> {
    fn open(mechanism: &'a M, source: &'a mut S) -> Result<Self, Error> {
        let cursor = Cursor::open(source)?;
        Ok(Release { mechanism, source, cursor, done: 0 })
    }

    /// Of a block whose first value is at `done`.
    pub(super) fn of_block(mechanism: &'a M, part: &'a mut S, block: usize, done: usize) -> Self
    where
        S: Part,
    {
        let cursor = Cursor { batch: part.open_block(block as u64), next: 0 };
        Release { mechanism, source: part, cursor, done }
    }

    /// An error leaves the chunks before it changed.
    pub(super) fn in_place<T: Copy>(&mut self, values: &mut [T]) -> Result<(), Error>
    where
        M: Chunked<T>,
    {
        let (large, rest) = values.as_chunks_mut::<CHUNK>();
        let (medium, small) = rest.as_chunks_mut::<16>();
        self.chunks(large)?;
        self.chunks(medium)?;
        self.chunks(small.as_chunks_mut::<1>().0)
    }

    /// Noisy copies. The slices are of one length.
    pub(super) fn to<T: Copy>(&mut self, values: &[T], out: &mut [T]) -> Result<(), Error>
    where
        M: Chunked<T>,
    {
        // Piece by piece, so that what is copied is still in the cache when it is read.
        values.chunks(16 * CHUNK).zip(out.chunks_mut(16 * CHUNK)).try_for_each(|(values, out)| {
            out.copy_from_slice(values);
            self.in_place(out)
        })
    }

    #[inline]
    fn chunks<T: Copy, const N: usize>(&mut self, chunks: &mut [[T; N]]) -> Result<(), Error>
    where
        M: Chunked<T>,
    {
        if chunks.is_empty() {
            return Ok(());
        }
        let mut scratch = Scratch::new();
        chunks.iter_mut().try_for_each(|chunk| self.chunk(&mut scratch, chunk))
    }

    #[inline]
    fn chunk<T: Copy, const N: usize>(
        &mut self,
        scratch: &mut Scratch<S::Word, N>,
        values: &mut [T; N],
    ) -> Result<(), Error>
    where
        M: Chunked<T>,
    {
        self.renew_batch()?;
        self.mechanism
            .chunk(self.source, &mut self.cursor, scratch, values)
            .map_err(|lane| Error::Overflow { index: self.done + lane })?;
        self.done += N;
        Ok(())
    }

    /// As [`in_place`](Self::in_place), in the same chunks, so that the words are the same. The slices are of one length.
    pub(super) fn reals<T: Copy>(&mut self, values: &[Real], out: &mut [T]) -> Result<(), Error>
    where
        M: ChunkedReals<T>,
    {
        let ((large, rest), (large_out, rest_out)) =
            (values.as_chunks::<CHUNK>(), out.as_chunks_mut::<CHUNK>());
        let ((medium, small), (medium_out, small_out)) =
            (rest.as_chunks::<16>(), rest_out.as_chunks_mut::<16>());
        let (small, small_out) = (small.as_chunks::<1>().0, small_out.as_chunks_mut::<1>().0);
        self.chunks_of_reals(large, large_out)?;
        self.chunks_of_reals(medium, medium_out)?;
        self.chunks_of_reals(small, small_out)
    }

    fn chunks_of_reals<T: Copy, const N: usize>(
        &mut self,
        chunks: &[[Real; N]],
        out: &mut [[T; N]],
    ) -> Result<(), Error>
    where
        M: ChunkedReals<T>,
    {
        let mut scratch = Scratch::new();
        for (chunk, out) in chunks.iter().zip(out) {
            self.renew_batch()?;
            self.mechanism
                .chunk_of_reals(self.source, &mut self.cursor, &mut scratch, chunk, out)
                .map_err(|lane| Error::Overflow { index: self.done + lane })?;
            self.done += N;
        }
        Ok(())
    }

    /// Opens another batch where the one that is open has given nearly all of its words.
    #[inline]
    fn renew_batch(&mut self) -> Result<(), Error> {
        if self.cursor.next >= BATCH_WORDS {
            self.cursor = Cursor::open(self.source)?;
        }
        Ok(())
    }
}

/// Whether nothing can go wrong once the first chunk is written: no overflow, and no second batch to open.
fn cannot_fail(overflow: Overflow, n: usize, most_words: u64) -> bool {
    overflow == Overflow::Impossible && (n as u64) < BATCH_WORDS / most_words
}

/// A copy, or an error where memory is short.
fn copy<T: Copy>(values: &[T]) -> Result<Vec<T>, Error> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(values.len()).map_err(|_| Error::OutOfMemory { values: values.len() })?;
    copy.extend_from_slice(values);
    Ok(copy)
}

/// Lets `release` write to a copy, and takes it if nothing was refused.
pub(super) fn by_way_of_a_copy<T: Copy>(
    out: &mut [T],
    mut release: impl FnMut(&mut [T]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut scratch = copy(out)?;
    release(&mut scratch)?;
    out.copy_from_slice(&scratch);
    Ok(())
}

pub(super) fn check_lengths(values: usize, out: usize) -> Result<(), Error> {
    if values == out { Ok(()) } else { Err(Error::LengthMismatch { values, out }) }
}

impl<T: Copy, M: Chunked<T>> Mechanism<T> for M {
    fn release_in_place<S: BitSource>(&self, source: &mut S, values: &mut [T]) -> Result<(), Error> {
        let overflow = self.validate(values)?;
        let mut release = Release::open(self, source)?;
        if cannot_fail(overflow, values.len(), self.most_words()) {
            return release.in_place(values);
        }
        by_way_of_a_copy(values, |values| release.in_place(values))
    }

    fn release_to<S: BitSource>(&self, source: &mut S, values: &[T], out: &mut [T]) -> Result<(), Error> {
        check_lengths(values.len(), out.len())?;
        let overflow = self.validate(values)?;
        let mut release = Release::open(self, source)?;
        if cannot_fail(overflow, values.len(), self.most_words()) {
            return release.to(values, out);
        }
        let mut scratch = copy(values)?;
        release.in_place(&mut scratch)?;
        out.copy_from_slice(&scratch);
        Ok(())
    }

    fn release_in_place_with<S: SplitSource>(
        &self,
        source: &mut S,
        values: &mut [T],
        threads: Threads,
    ) -> Result<(), Error>
    where
        Self: Sync,
        T: Send + Sync,
    {
        if parallel::is_large(values.len()) {
            return parallel::in_place(self, source, values, threads);
        }
        self.release_in_place(source, values)
    }

    fn release_to_with<S: SplitSource>(
        &self,
        source: &mut S,
        values: &[T],
        out: &mut [T],
        threads: Threads,
    ) -> Result<(), Error>
    where
        Self: Sync,
        T: Send + Sync,
    {
        if parallel::is_large(values.len()) {
            return parallel::to(self, source, values, out, threads);
        }
        self.release_to(source, values, out)
    }

    #[inline]
    fn release<S: BitSource>(&self, source: &mut S, value: T) -> Result<T, Error> {
        let mut values = [value];
        self.validate(&values)?;
        Release::open(self, source)?.chunk(&mut Scratch::new(), &mut values)?;
        Ok(values[0])
    }
}

impl<T: Copy, M: ChunkedReals<T>> RealMechanism<T> for M {
    fn release_reals<S: BitSource>(
        &self,
        source: &mut S,
        values: &[Real],
        out: &mut [T],
    ) -> Result<(), Error> {
        check_lengths(values.len(), out.len())?;
        let overflow = self.validate_reals(values)?;
        let mut release = Release::open(self, source)?;
        if cannot_fail(overflow, values.len(), MOST_WORDS) {
            return release.reals(values, out);
        }
        by_way_of_a_copy(out, |out| release.reals(values, out))
    }

    fn release_reals_with<S: SplitSource>(
        &self,
        source: &mut S,
        values: &[Real],
        out: &mut [T],
        threads: Threads,
    ) -> Result<(), Error>
    where
        Self: Sync,
        T: Send + Sync,
    {
        if parallel::is_large(values.len()) {
            return parallel::reals(self, source, values, out, threads);
        }
        self.release_reals(source, values, out)
    }
}

/// No refinement goes on for more than 2³² rounds of 64 bits, so `E < 2³⁸·ln 2` whatever the source gives: the
/// noise is below `2^NOISE_EXPONENT` times the scale.
pub(crate) const NOISE_EXPONENT: i64 = 38;

/// The buffers that a chunk needs besides its values. A release keeps them from chunk to chunk, so that they are zeroed only once.
pub struct Scratch<W, const N: usize> {
    pub(crate) words: Words<W, N>,
    pub(crate) e: Exponentials<N>,
    pub(crate) g: Normals<N>,
}

impl<W: Word, const N: usize> Scratch<W, N> {
    #[inline(always)]
    pub(crate) fn new() -> Scratch<W, N> {
        Scratch { words: Words::undrawn(), e: Exponentials::new(), g: Normals::new() }
    }
}

/// The words of a chunk, and where their refinements are.
///
/// A chunk that needs more bits than a word has draws half a word more for each value, after the words: the first half of the values have
/// the upper halves of those words, and the second half the lower ones.
pub(crate) struct Words<W, const N: usize> {
    words: [W; N],
    /// The halves, left-aligned, if there are any.
    lows: [u64; N],
    /// The bits of each that are drawn.
    low_bits: u32,
    first: Address,
    /// The distance of neighbours in the main stream.
    stride: usize,
}

/// The upper half of a word.
#[inline(always)]
fn upper_half<W: Word>(word: W) -> u64 {
    word.left_aligned() & (u64::MAX << (64 - W::BITS / 2))
}

/// The lower half of a word.
#[inline(always)]
fn lower_half<W: Word>(word: W) -> u64 {
    word.left_aligned() << (W::BITS / 2)
}

impl<W: Word, const N: usize> Words<W, N> {
    /// Room for words, to be [drawn](Self::draw).
    #[inline(always)]
    pub(crate) fn undrawn() -> Self {
        let first = Address { batch: 0, index: 0 };
        Words { words: [W::from_top_of(0); N], lows: [0; N], low_bits: 0, first, stride: 1 }
    }

    /// Draws a word for each value.
    #[inline(always)]
    pub(crate) fn draw<S: BitSource<Word = W>>(&mut self, source: &mut S, cursor: &mut Cursor) {
        self.first = cursor.advance(N);
        self.low_bits = 0;
        source.fill_words(&mut self.words);
    }

    /// Draws a word and a half for each value.
    #[inline(always)]
    pub(crate) fn draw_wide<S: BitSource<Word = W>>(&mut self, source: &mut S, cursor: &mut Cursor) {
        self.draw(source, cursor);
        self.draw_lows(source, cursor, N);
    }

    /// Draws `n <= N` pairs of words that stand side by side in the main stream, and for the first of each half a word more if it is to be wide.
    #[inline]
    pub(crate) fn draw_pairs<S: BitSource<Word = W>>(
        source: &mut S,
        cursor: &mut Cursor,
        n: usize,
        wide: bool,
    ) -> (Self, Self) {
        let first = cursor.advance(2 * n);
        let [mut left, mut right] =
            [first, first.plus(1)].map(|first| Words { first, stride: 2, ..Self::undrawn() });
        let mut pairs = [[W::from_top_of(0); 2]; 32];
        for (left, right) in left.words[..n].chunks_mut(32).zip(right.words[..n].chunks_mut(32)) {
            source.fill_words(pairs[..left.len()].as_flattened_mut());
            for ((left, right), pair) in left.iter_mut().zip(right).zip(&pairs) {
                [*left, *right] = *pair;
            }
        }
        if wide {
            left.draw_lows(source, cursor, n);
        }
        (left, right)
    }

    /// Draws the halves of `n` values.
    #[inline(always)]
    fn draw_lows<S: BitSource<Word = W>>(&mut self, source: &mut S, cursor: &mut Cursor, n: usize) {
        let half = n.div_ceil(2);
        cursor.advance(half);
        let (upper, lower) = self.lows[..n].split_at_mut(half);
        if N == 1 {
            upper[0] = upper_half(source.next_word());
        } else {
            let mut words = [W::from_top_of(0); CHUNK / 2];
            source.fill_words(&mut words[..half]);
            upper.iter_mut().zip(&words).for_each(|(low, word)| *low = upper_half(*word));
            lower.iter_mut().zip(&words).for_each(|(low, word)| *low = lower_half(*word));
        }
        self.low_bits = W::BITS / 2;
    }

    pub(crate) fn words(&self) -> &[W; N] {
        &self.words
    }

    pub(crate) fn lows(&self) -> &[u64; N] {
        &self.lows
    }

    pub(crate) fn address(&self, i: usize) -> Address {
        self.first.plus(i * self.stride)
    }

    pub(crate) fn prefix(&self, i: usize) -> Prefix {
        let prefix = Prefix::new(self.words[i].left_aligned(), W::BITS);
        if self.low_bits == 0 { prefix } else { prefix.then(self.lows[i], self.low_bits) }
    }

    /// Decides what tier 1 did not.
    pub(crate) fn resolve<S: BitSource<Word = W>, L: Law>(
        &self,
        i: usize,
        law: &L,
        source: &mut S,
    ) -> L::Output {
        resolve(law, self.prefix(i), source, self.address(i))
    }

    /// Decides all results that are NaN, by the law of their index; fails with the least index of one that overflows.
    #[inline]
    pub(crate) fn resolve_all<S: BitSource<Word = W>, T: Float, L: Law<Output = T>>(
        &self,
        results: &mut [f64; N],
        law: impl Fn(usize) -> L,
        source: &mut S,
    ) -> Result<(), usize> {
        for_each_undecided(results, |i, y| {
            *y = self.resolve(i, &law(i), source).to_f64();
            if y.is_finite() { Ok(()) } else { Err(i) }
        })
    }
}

/// Calls `f` with each index where the output of tier 1 is not finite: undecided, or to be looked at again.
pub(crate) struct ForEachUndecided<'a, T, F> {
    pub(crate) out: &'a mut [T],
    pub(crate) f: F,
}

impl<T: Float, F: FnMut(usize, &mut T) -> Result<(), usize>> Kernel for ForEachUndecided<'_, T, F> {
    type Output = Result<(), usize>;

    #[inline(always)]
    fn run<A: Arith>(mut self) -> Result<(), usize> {
        // They are few: look at 16 at a time. Adding 1 to an exponent of all ones carries into the sign.
        const EXPONENT: u64 = 0x7ff << 52;
        let carry = |y: &T| (y.to_f64().to_bits() & EXPONENT).wrapping_add(1 << 52);
        let (groups, rest) = self.out.as_chunks_mut::<16>();
        for (group, some) in groups.iter_mut().enumerate() {
            if some.iter().fold(0, |any, y| any | carry(y)) >> 63 == 1 {
                Self::look_at_each(16 * group, some, &mut self.f)?;
            }
        }
        Self::look_at_each(16 * groups.len(), rest, &mut self.f)
    }
}

impl<T: Float, F: FnMut(usize, &mut T) -> Result<(), usize>> ForEachUndecided<'_, T, F> {
    fn look_at_each(first: usize, some: &mut [T], f: &mut F) -> Result<(), usize> {
        for (i, y) in (first..).zip(some) {
            if !y.is_finite() {
                f(i, y)?;
            }
        }
        Ok(())
    }
}

/// See [`ForEachUndecided`].
#[inline]
pub(crate) fn for_each_undecided<T: Float, const N: usize>(
    out: &mut [T; N],
    f: impl FnMut(usize, &mut T) -> Result<(), usize>,
) -> Result<(), usize> {
    run_loop(N, ForEachUndecided { out, f })
}

/// Rounded sums `RN(x + σ·b·E)` in the place of `E`, as doubles, where `law` is the law of a value by its index, for what tier 1 leaves; that is
/// everything if there are no parameters for it. Fails with the least index of a result that overflows.
#[inline]
pub(crate) fn round_chunk<S, X, T, L, const N: usize>(
    params: Option<RoundParams>,
    source: &mut S,
    cursor: &mut Cursor,
    scratch: &mut Scratch<S::Word, N>,
    x: &[X; N],
    law: impl Fn(usize) -> L,
) -> Result<(), usize>
where
    S: BitSource,
    X: Summand,
    T: Rounded,
    L: Law<Output = T>,
{
    let Scratch { words, e, .. } = scratch;
    words.draw_wide(source, cursor);
    let undecided = match params {
        Some(params) => {
            let (words, lows) = (words.words(), words.lows());
            Path::detect().run(Round { params, words, lows, e, x, rounds_to: PhantomData::<T> })
        }
        None => {
            e.hi.fill(f64::NAN);
            true
        }
    };
    if undecided { words.resolve_all(&mut e.hi, law, source) } else { Ok(()) }
}
