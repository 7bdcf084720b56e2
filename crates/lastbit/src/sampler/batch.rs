//! From single values to slices: words in, tier 1 over a chunk, the rest one by one; all or nothing.

use lastbit_real::Float;

use super::arith::{Arith, Kernel, Path, float_environment_is_default, run_loop};
use super::scale::Scale;
use super::tier1::{Floor, FloorParams, PLAIN_LIMIT, Round, RoundParams, Rounded, Summand};
use super::tier2::Prefix;
use super::{Address, Law, parallel, resolve, try_tier2};
use crate::bits::{BitSource, Part, SplitSource, Word};
use crate::{Error, Mechanism, Real, RealMechanism, Threads};

/// Values that go through tier 1 together: enough to share the cost of a call, few enough to stay in the cache. What
/// is left of a slice goes in chunks of 16 and of 1.
pub(crate) const CHUNK: usize = 256;

/// A batch is closed after this many words, well below what a source can address.
const BATCH_WORDS: u64 = 1 << 31;

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

/// What a mechanism does to a few values. Everything in [`Mechanism`] follows from it.
pub trait Chunked<T: Copy> {
    /// Refuses values outside the declared domain, before anything is drawn or written. Tells whether some noise may
    /// make a result overflow.
    #[doc(hidden)]
    fn validate(&self, values: &[T]) -> Result<Overflow, Error>;

    /// Adds noise in place; fails with the least index of a result that overflows, and then may leave anything. The least
    /// of all, so that it is a function of the noisy results and does not tell which of them were hard to decide.
    #[doc(hidden)]
    fn chunk<S: BitSource, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        values: &mut [T; N],
    ) -> Result<(), usize>;
}

/// What a mechanism does to a few real numbers. Everything in [`RealMechanism`] follows from it.
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
        large.iter_mut().try_for_each(|chunk| self.chunk(chunk))?;
        medium.iter_mut().try_for_each(|chunk| self.chunk(chunk))?;
        small.as_chunks_mut::<1>().0.iter_mut().try_for_each(|chunk| self.chunk(chunk))
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
    fn chunk<T: Copy, const N: usize>(&mut self, values: &mut [T; N]) -> Result<(), Error>
    where
        M: Chunked<T>,
    {
        if self.cursor.next >= BATCH_WORDS {
            self.cursor = Cursor::open(self.source)?;
        }
        self.mechanism
            .chunk(self.source, &mut self.cursor, values)
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
        large.iter().zip(large_out).try_for_each(|(chunk, out)| self.chunk_of_reals(chunk, out))?;
        medium.iter().zip(medium_out).try_for_each(|(chunk, out)| self.chunk_of_reals(chunk, out))?;
        small.iter().zip(small_out).try_for_each(|(chunk, out)| self.chunk_of_reals(chunk, out))
    }

    fn chunk_of_reals<T: Copy, const N: usize>(
        &mut self,
        values: &[Real; N],
        out: &mut [T; N],
    ) -> Result<(), Error>
    where
        M: ChunkedReals<T>,
    {
        if self.cursor.next >= BATCH_WORDS {
            self.cursor = Cursor::open(self.source)?;
        }
        self.mechanism
            .chunk_of_reals(self.source, &mut self.cursor, values, out)
            .map_err(|lane| Error::Overflow { index: self.done + lane })?;
        self.done += N;
        Ok(())
    }
}

/// Whether nothing can go wrong once the first chunk is written: no overflow, and no second batch to open.
fn cannot_fail(overflow: Overflow, n: usize) -> bool {
    overflow == Overflow::Impossible && (n as u64) < BATCH_WORDS / 16
}

/// A copy, or an error where memory is short.
pub(super) fn copy<T: Copy>(values: &[T]) -> Result<Vec<T>, Error> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(values.len()).map_err(|_| Error::OutOfMemory { values: values.len() })?;
    copy.extend_from_slice(values);
    Ok(copy)
}

impl<T: Copy, M: Chunked<T>> Mechanism<T> for M {
    fn release_in_place<S: BitSource>(&self, source: &mut S, values: &mut [T]) -> Result<(), Error> {
        let overflow = self.validate(values)?;
        let mut release = Release::open(self, source)?;
        if cannot_fail(overflow, values.len()) {
            return release.in_place(values);
        }
        let mut scratch = copy(values)?;
        release.in_place(&mut scratch)?;
        values.copy_from_slice(&scratch);
        Ok(())
    }

    fn release_to<S: BitSource>(&self, source: &mut S, values: &[T], out: &mut [T]) -> Result<(), Error> {
        if values.len() != out.len() {
            return Err(Error::LengthMismatch { values: values.len(), out: out.len() });
        }
        let overflow = self.validate(values)?;
        let mut release = Release::open(self, source)?;
        if cannot_fail(overflow, values.len()) {
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
        Release::open(self, source)?.chunk(&mut values)?;
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
        if values.len() != out.len() {
            return Err(Error::LengthMismatch { values: values.len(), out: out.len() });
        }
        let overflow = self.validate_reals(values)?;
        let mut release = Release::open(self, source)?;
        if cannot_fail(overflow, values.len()) {
            return release.reals(values, out);
        }
        let mut scratch = copy(out)?;
        release.reals(values, &mut scratch)?;
        out.copy_from_slice(&scratch);
        Ok(())
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

/// The words of a chunk, and where their refinements are.
pub(crate) struct Words<W, const N: usize> {
    words: [W; N],
    first: Address,
    /// The distance of neighbours in the main stream.
    stride: usize,
}

impl<W: Word, const N: usize> Words<W, N> {
    #[inline]
    pub(crate) fn draw<S: BitSource<Word = W>>(source: &mut S, cursor: &mut Cursor) -> Self {
        let mut words = Words { words: [W::from_top_of(0); N], first: cursor.advance(N), stride: 1 };
        source.fill_words(&mut words.words);
        words
    }

    /// Draws `n <= N` pairs of words that stand side by side in the main stream.
    #[inline]
    pub(crate) fn draw_pairs<S: BitSource<Word = W>>(
        source: &mut S,
        cursor: &mut Cursor,
        n: usize,
    ) -> (Self, Self) {
        let zero = W::from_top_of(0);
        let first = cursor.advance(2 * n);
        let mut left = Words { words: [zero; N], first, stride: 2 };
        let mut right = Words { words: [zero; N], first: first.plus(1), stride: 2 };
        let mut pairs = [[zero; 2]; 32];
        for (left, right) in left.words[..n].chunks_mut(32).zip(right.words[..n].chunks_mut(32)) {
            source.fill_words(pairs[..left.len()].as_flattened_mut());
            for ((left, right), pair) in left.iter_mut().zip(right).zip(&pairs) {
                [*left, *right] = *pair;
            }
        }
        (left, right)
    }

    pub(crate) fn words(&self) -> &[W; N] {
        &self.words
    }

    pub(crate) fn address(&self, i: usize) -> Address {
        self.first.plus(i * self.stride)
    }

    pub(crate) fn prefix(&self, i: usize) -> Prefix {
        Prefix::new(self.words[i].left_aligned(), W::BITS)
    }

    /// Decides what tier 1 did not.
    pub(crate) fn resolve<S: BitSource<Word = W>, L: Law>(
        &self,
        i: usize,
        law: &L,
        source: &mut S,
    ) -> L::Output {
        resolve(law, self.prefix(i), 0, source, self.address(i))
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

/// How tier 1 makes integers of some scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloorTier {
    Plain,
    DoubleDouble,
    /// Not at all: the scale is out of its range.
    None,
}

impl FloorTier {
    /// The fastest that leaves few values undecided.
    pub(crate) fn for_scale(s: &Scale) -> FloorTier {
        if !s.fits(-1000, 44) {
            FloorTier::None
        } else if s.hi() <= PLAIN_LIMIT {
            FloorTier::Plain
        } else {
            FloorTier::DoubleDouble
        }
    }
}

/// The first `n` integers `floor(α_σ + σ·s·E)` by tier 1, through `finish`; see [`Floor`]. True if some output is not finite.
#[inline]
pub(crate) fn floor_tier1<W: Word, const N: usize>(
    words: &[W; N],
    n: usize,
    s: &Scale,
    tier: FloorTier,
    out: &mut [f64; N],
    offset: impl Fn(usize, u64) -> f64,
    finish: impl Fn(usize, f64) -> f64,
) -> bool {
    let params = FloorParams { s_hi: s.hi(), s_lo: s.lo() };
    match tier {
        FloorTier::Plain => {
            Path::detect().run(Floor::<_, N, false, _, _> { params, words, out, n, offset, finish })
        }
        FloorTier::DoubleDouble => {
            Path::detect().run(Floor::<_, N, true, _, _> { params, words, out, n, offset, finish })
        }
        FloorTier::None => {
            out.fill(f64::NAN);
            true
        }
    }
}

/// Rounded sums `RN(x + σ·b·E)`.
pub(crate) struct RoundChunk {
    /// `None` if the scale is out of the range of tier 1.
    pub(crate) tier1: Option<RoundParams>,
    /// Run tier 2 on a fixed number of values of each chunk, whether they need it or not.
    pub(crate) hardened: bool,
}

/// The values of a chunk that tier 2 gets in hardened mode. Tier 1 leaves at most about 1.3% of the values undecided (most
/// where `|x|/b` is near `ln √2`, so that small results come from the words with the largest radius), 3.3 of 256 on average;
/// more than 24 come with a probability below 2⁻⁴⁰.
pub(crate) const HARDENED_LANES: usize = 24;

impl RoundChunk {
    /// Adds noise to `x`, where `law` is the law of a value by its index, for what tier 1 leaves; fails with the least index of
    /// a result that overflows.
    #[inline]
    pub(crate) fn run<S, X, T, L, const N: usize>(
        &self,
        source: &mut S,
        cursor: &mut Cursor,
        x: &[X; N],
        law: impl Fn(usize) -> L,
        out: &mut [T; N],
    ) -> Result<(), usize>
    where
        S: BitSource,
        X: Summand,
        T: Rounded,
        L: Law<Output = T>,
    {
        let words = Words::<S::Word, N>::draw(source, cursor);
        let undecided = match self.tier1 {
            Some(params) => Path::detect().run(Round { params, words: &words.words, x, out }),
            None => {
                *out = [T::NAN; N];
                true
            }
        };
        if self.hardened {
            settle_fixed_number(source, &words, law, out)
        } else if undecided {
            for_each_undecided(out, |i, y| {
                *y = words.resolve(i, &law(i), source);
                finite(*y, i)
            })
        } else {
            Ok(())
        }
    }
}

/// Tier 2 on [`HARDENED_LANES`] values: those that need it, by a selection without branches, and others to fill up.
fn settle_fixed_number<S, T, L, const N: usize>(
    source: &mut S,
    words: &Words<S::Word, N>,
    law: impl Fn(usize) -> L,
    out: &mut [T; N],
) -> Result<(), usize>
where
    S: BitSource,
    T: Rounded,
    L: Law<Output = T>,
{
    let mut more = [S::Word::from_top_of(0); N];
    source.fill_refinement_words(words.first.batch, words.first.index, 0, &mut more);
    let longer = |i: usize| words.prefix(i).then(more[i].left_aligned(), S::Word::BITS);

    let mut chosen = [0usize; HARDENED_LANES + 1];
    let mut count = 0;
    for (i, y) in out.iter().enumerate() {
        chosen[count.min(HARDENED_LANES)] = i;
        count += usize::from(!y.is_finite());
    }
    let mut left = count > HARDENED_LANES;
    for (lane, &i) in chosen[..HARDENED_LANES.min(N)].iter().enumerate() {
        let settled = try_tier2(&law(i), longer(i)).unwrap_or(T::NAN);
        out[i] = if lane < count { settled } else { out[i] };
        left |= !out[i].is_finite();
    }
    if !left {
        return Ok(());
    }
    for_each_undecided(out, |i, y| {
        *y = resolve(&law(i), longer(i), 1, source, words.address(i));
        finite(*y, i)
    })
}

/// Fails with the index of an overflow.
pub(crate) fn finite<T: Float>(y: T, i: usize) -> Result<(), usize> {
    if y.is_finite() { Ok(()) } else { Err(i) }
}
