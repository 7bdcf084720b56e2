//! A small generator of its own, so that a seed means the same programs for ever.

/// Marsaglia's xorshift64*.
pub(crate) struct Xorshift(u64);

impl Xorshift {
    pub(crate) fn new(seed: u64) -> Xorshift {
        // Zero is the fixed point of the shifts; the multiplication spreads small seeds.
        let mut rng = Xorshift(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        rng.next();
        rng
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`, which is not 0; the bias of the remainder does not matter here.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 11) % n as u64) as usize
    }

    /// A number from `lo` to `hi`, both included; the range may be that of all floats.
    pub(crate) fn between(&mut self, lo: i64, hi: i64) -> i64 {
        let span = hi.abs_diff(lo);
        let offset = self.next().rotate_left(32);
        lo.wrapping_add_unsigned(span.checked_add(1).map_or(offset, |count| offset % count))
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// True once in `n` times.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}
