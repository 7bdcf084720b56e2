//! Floating-point arithmetic with and without fused multiply-add, and the choice between them.
//!
//! Tier 1 runs in one of two ways, chosen once at run time: four lanes wide with AVX2 and FMA, or in portable
//! Rust. The radii of tier 1 hold for both, so both give the same noise, bit for bit; they differ in speed
//! and in how seldom they leave a value to tier 2.
//!
//! One of the crate's few modules with `unsafe` code: calling a function that was compiled for a processor feature
//! is unsafe unless the feature is there, which [`Path::detect`] has just asked.
#![allow(unsafe_code)]

use std::sync::OnceLock;

#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!("the x87 unit rounds twice, and no proof about floats holds: build with SSE2");

/// The operations that differ. The unit roundoff is `η = 2⁻⁵³`.
pub(crate) trait Arith: Copy {
    /// `a·b + c`, rounded once (fused) or after each operation.
    fn mul_add(a: f64, b: f64, c: f64) -> f64;

    /// `a·b - p` without error, where `p = RN(a·b)` and nothing under- or overflows.
    fn product_error(a: f64, b: f64, p: f64) -> f64;

    /// `c - a·b` with a relative error of at most `η`, where `a·b` is within `2⁻⁵⁰·|c|` of `c`.
    fn residual(c: f64, a: f64, b: f64) -> f64;

    /// `a·b + c` as an unevaluated sum: `h` is near it, and `l` is what `h` leaves with a relative error of `2η` at most, where
    /// `|a·b| <= |c|/4` and nothing under- or overflows.
    fn mul_add_exact(a: f64, b: f64, c: f64) -> (f64, f64);

    /// The largest integer that is not above `x`; without a branch. Of zeros, either.
    fn floor(x: f64) -> f64;

    /// `out[i] = table[index[i] mod 8]`. No address depends on an index, or all that can be asked for lies in one line of the
    /// cache. The slices are of one length.
    fn look_up(table: &Table8, index: &[u64], out: &mut [f64]);

    /// The product of two unevaluated sums, as such a sum: `lo` is rounded three times, and leaves out the product of the low parts.
    #[inline(always)]
    fn product(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        let p = a.0 * b.0;
        (p, Self::mul_add(a.0, b.1, Self::mul_add(a.1, b.0, Self::product_error(a.0, b.0, p))))
    }
}

/// Eight doubles to be [looked up](Arith::look_up).
#[repr(C, align(64))]
pub(crate) struct Table8 {
    line: [f64; 8],
    /// Their lower and upper halves, for processors that permute halves.
    halves: [[u32; 8]; 2],
}

impl Table8 {
    pub(crate) const fn from_bits(bits: [u64; 8]) -> Table8 {
        let mut table = Table8 { line: [0.0; 8], halves: [[0; 8]; 2] };
        let mut i = 0;
        while i < 8 {
            table.line[i] = f64::from_bits(bits[i]);
            table.halves[0][i] = bits[i] as u32;
            table.halves[1][i] = (bits[i] >> 32) as u32;
            i += 1;
        }
        table
    }

    #[inline(always)]
    fn look_up(&self, index: &[u64], out: &mut [f64]) {
        for (out, index) in out.iter_mut().zip(index) {
            *out = self.line[(index & 7) as usize];
        }
    }

    #[cfg(test)]
    pub(crate) fn entries(&self) -> [f64; 8] {
        self.line
    }
}

/// `c + p` and what rounding leaves of it, where `p = RN(a·b)` is a quarter of `c` at most and `error` is what that leaves of the
/// product: `c - h` and the next sum are exact, and only the last one rounds.
#[inline(always)]
fn exact_sum(c: f64, p: f64, error: f64) -> (f64, f64) {
    let h = c + p;
    (h, ((c - h) + p) + error)
}

macro_rules! fused {
    () => {
        #[inline(always)]
        fn mul_add(a: f64, b: f64, c: f64) -> f64 {
            a.mul_add(b, c)
        }
        #[inline(always)]
        fn product_error(a: f64, b: f64, p: f64) -> f64 {
            a.mul_add(b, -p)
        }
        #[inline(always)]
        fn residual(c: f64, a: f64, b: f64) -> f64 {
            (-a).mul_add(b, c)
        }
        /// `c - h` is exact, since `h` is between `c/2` and `2c`.
        #[inline(always)]
        fn mul_add_exact(a: f64, b: f64, c: f64) -> (f64, f64) {
            let h = a.mul_add(b, c);
            (h, a.mul_add(b, c - h))
        }
        #[inline(always)]
        fn floor(x: f64) -> f64 {
            x.floor()
        }
    };
}

/// One instruction for each operation, on processors that all have it.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
struct Fused;

#[cfg(not(target_arch = "x86_64"))]
impl Arith for Fused {
    fused!();

    #[inline(always)]
    fn look_up(table: &Table8, index: &[u64], out: &mut [f64]) {
        table.look_up(index, out);
    }
}

/// One instruction for each operation, and permutations in place of addresses. Not to be named outside of this module: it runs on
/// processors with AVX2 and FMA only.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Avx2Fma;

#[cfg(target_arch = "x86_64")]
impl Arith for Avx2Fma {
    fused!();

    #[inline(always)]
    fn look_up(table: &Table8, index: &[u64], out: &mut [f64]) {
        if index.len().is_multiple_of(4) {
            // SAFETY: kernels run with this arithmetic in `run_avx2_fma` alone.
            unsafe { permute(table, index.as_chunks().0, out.as_chunks_mut().0) }
        } else {
            table.look_up(index, out);
        }
    }
}

/// Four at a time: both halves of a double are taken from where its index says, then put together.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn permute(table: &Table8, index: &[[u64; 4]], out: &mut [[f64; 4]]) {
    use std::arch::x86_64::*;
    // SAFETY: the pointers are to 32 bytes each, and need not be aligned.
    let [low, high] = table.halves.each_ref().map(|half| unsafe { _mm256_loadu_si256(half.as_ptr().cast()) });
    for (out, index) in out.iter_mut().zip(index) {
        // SAFETY: as above.
        let index = unsafe { _mm256_loadu_si256(index.as_ptr().cast()) };
        let twice = _mm256_shuffle_epi32::<0b10_10_00_00>(index);
        let [low, high] = [low, high].map(|half| _mm256_permutevar8x32_epi32(half, twice));
        let entry = _mm256_castsi256_pd(_mm256_blend_epi32::<0b1010_1010>(low, high));
        // SAFETY: as above.
        unsafe { _mm256_storeu_pd(out.as_mut_ptr(), entry) };
    }
}

use super::tier1::TWO52;

/// Plain Rust. `f64::mul_add` would be a library call here, three times slower than all the rest.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Arith for Portable {
    #[inline(always)]
    fn mul_add(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
    /// Dekker's product (1971): Veltkamp's splitting makes the four partial products exact.
    #[inline(always)]
    fn product_error(a: f64, b: f64, p: f64) -> f64 {
        let (a1, a2) = split(a);
        let (b1, b2) = split(b);
        ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2
    }
    /// `c - p` is exact by Sterbenz's lemma, so that only the last subtraction rounds.
    #[inline(always)]
    fn residual(c: f64, a: f64, b: f64) -> f64 {
        let p = a * b;
        (c - p) - Self::product_error(a, b, p)
    }
    #[inline(always)]
    fn mul_add_exact(a: f64, b: f64, c: f64) -> (f64, f64) {
        let p = a * b;
        exact_sum(c, p, Self::product_error(a, b, p))
    }
    /// `f64::floor` would be a library call here, with branches. Beside 2⁵² a double has no fraction, and rounds to the nearest integer.
    #[inline(always)]
    fn floor(x: f64) -> f64 {
        let beside = TWO52.copysign(x);
        let nearest = (x + beside) - beside;
        let below = nearest - if nearest > x { 1.0 } else { 0.0 };
        if x.abs() < TWO52 { below } else { x }
    }
    #[inline(always)]
    fn look_up(table: &Table8, index: &[u64], out: &mut [f64]) {
        table.look_up(index, out);
    }
}

/// `a = high + low` without error, both with at most 26 significant bits. Needs `|a| < 2⁹⁹⁶`.
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2²⁷ + 1
    let c = SPLITTER * a;
    let high = c - (c - a);
    (high, a - high)
}

/// Which arithmetic a kernel runs with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Path {
    /// Compiled for processors with AVX2 and FMA, after asking the processor.
    #[cfg(target_arch = "x86_64")]
    Avx2Fma,
    /// Fused multiply-add is part of every processor of this target.
    #[cfg(not(target_arch = "x86_64"))]
    Native,
    /// Everything else; also if the environment variable `LASTBIT_PORTABLE` is set, to compare.
    Portable,
}

impl Path {
    /// The fastest path of this machine.
    #[inline]
    pub(crate) fn detect() -> Path {
        static PATH: OnceLock<Path> = OnceLock::new();
        *PATH.get_or_init(|| {
            if std::env::var_os("LASTBIT_PORTABLE").is_some() {
                return Path::Portable;
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                return Path::Avx2Fma;
            }
            #[cfg(not(target_arch = "x86_64"))]
            if cfg!(any(target_arch = "aarch64", target_arch = "riscv64", target_arch = "s390x")) {
                return Path::Native;
            }
            Path::Portable
        })
    }

    /// All paths that this machine can run, for tests that compare them.
    #[cfg(test)]
    pub(crate) fn available() -> Vec<Path> {
        let mut paths = vec![Path::detect(), Path::Portable];
        paths.dedup();
        paths
    }

    /// Runs a kernel.
    #[inline(always)]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            // SAFETY: this value is made by `detect` alone, which has found AVX2 and FMA on this processor.
            #[cfg(target_arch = "x86_64")]
            Path::Avx2Fma => unsafe { run_avx2_fma(kernel) },
            #[cfg(not(target_arch = "x86_64"))]
            Path::Native => kernel.run::<Fused>(),
            Path::Portable => kernel.run::<Portable>(),
        }
    }
}

/// A loop to be compiled once for each [`Path`]. `run` must be `#[inline(always)]`, so that it takes
/// on the processor features of its caller.
pub(crate) trait Kernel {
    type Output;
    fn run<A: Arith>(self) -> Self::Output;
}

/// Runs a loop over `n` values that computes the same with every arithmetic: in place if it is short, because the call
/// would cost more than the loop.
#[inline(always)]
pub(crate) fn run_loop<K: Kernel>(n: usize, kernel: K) -> K::Output {
    if n < 16 { kernel.run::<Portable>() } else { Path::detect().run(kernel) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2_fma<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2Fma>()
}

/// True if the processor's floating-point environment is Rust's: round to nearest even, no flushing of
/// subnormals. A library compiled with `-ffast-math` may have changed it for the whole thread, and then no proof
/// about floats holds.
#[inline]
pub(crate) fn float_environment_is_default() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        const FLUSH_TO_ZERO: u32 = 1 << 15;
        const ROUNDING: u32 = 3 << 13;
        const DENORMALS_ARE_ZERO: u32 = 1 << 6;
        let mut mxcsr = 0u32;
        // SAFETY: stores the control register to a variable that is large enough, and does nothing else.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags)) };
        mxcsr & (FLUSH_TO_ZERO | ROUNDING | DENORMALS_ARE_ZERO) == 0
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        behaves_like_default()
    }
}

/// The same, by trying.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn behaves_like_default() -> bool {
    use std::hint::black_box;
    let one = black_box(1.0f64);
    let half_ulp = black_box(f64::EPSILON / 2.0);
    let tiny = black_box(f64::MIN_POSITIVE);
    // Upward or downward rounding would move one of these two sums off ±1, rounding to zero the third.
    let nearest = one + half_ulp == 1.0 && -one - half_ulp == -1.0 && one + 1.5 * half_ulp > 1.0;
    // Flush-to-zero loses the product, denormals-are-zero loses it when it is read again.
    let gradual = black_box(tiny * 0.5) * 2.0 == f64::MIN_POSITIVE;
    nearest && gradual
}

#[cfg(test)]
mod tests {
    use lastbit_real::Rational;
    use proptest::prelude::*;

    use super::*;
    use crate::bits::{BitSource, InsecureSeededSource};

    struct LookUp<'a>(&'a Table8, &'a [u64; 64]);

    impl Kernel for LookUp<'_> {
        type Output = [f64; 64];

        #[inline(always)]
        fn run<A: Arith>(self) -> [f64; 64] {
            let mut out = [0.0; 64];
            A::look_up(self.0, self.1, &mut out);
            out
        }
    }

    #[test]
    fn every_path_finds_the_entry_of_an_index() {
        let mut source = InsecureSeededSource::<u64>::from_seed(3);
        let bits = std::array::from_fn(|_| source.next_word() >> 2);
        let table = Table8::from_bits(bits);
        let index = std::array::from_fn(|_| source.next_word());
        for path in Path::available() {
            let found = path.run(LookUp(&table, &index)).map(f64::to_bits);
            assert_eq!(found, index.map(|index| bits[(index % 8) as usize]), "{path:?}");
        }
    }

    #[test]
    fn this_environment_is_default() {
        assert!(float_environment_is_default());
        assert!(behaves_like_default());
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn other_environments_are_noticed() {
        const DEFAULT: u32 = 0x1f80;
        let set = |mxcsr: u32| {
            // SAFETY: loads a valid control word; the default is restored before anything else computes with floats.
            unsafe {
                std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack, preserves_flags))
            };
        };
        for changed in [1 << 15, 1 << 6, 1 << 13, 2 << 13, 3 << 13] {
            set(DEFAULT | changed);
            let noticed = (!float_environment_is_default(), !behaves_like_default());
            set(DEFAULT);
            assert_eq!(noticed, (true, true), "mxcsr {changed:#x}");
        }
    }

    proptest! {
        #[test]
        fn dekker_agrees_with_fma(a in -1e100f64..1e100, b in -1e100f64..1e100) {
            let p = a * b;
            prop_assert_eq!(Portable::product_error(a, b, p), a.mul_add(b, -p));
        }

        #[test]
        fn floors_agree(bits in any::<u64>(), x in -1e6f64..1e6, near in -100i64..100, ulps in -2i64..3) {
            let near = near as f64 / 2.0;
            for x in [f64::from_bits(bits), x, near, f64::from_bits(near.to_bits().wrapping_add_signed(ulps)), x * 5e9, x * 1e12] {
                prop_assert!(Portable::floor(x) == x.floor() || x.is_nan(), "{}", x);
            }
        }

        #[test]
        fn residuals_agree(a in 0.5f64..2.0, b in 0.5f64..2.0, ulps in -4i32..5) {
            let c = a * b * (1.0 + f64::from(ulps) * f64::EPSILON);
            prop_assert_eq!(Portable::residual(c, a, b), (-a).mul_add(b, c));
        }

        #[test]
        fn sums_of_products_leave_little(a in -0.5f64..0.5, b in -0.5f64..0.5, c in 1f64..2.0) {
            let (h, l) = Portable::mul_add_exact(a, b, c);
            let exact = Rational::try_from(a).unwrap() * Rational::try_from(b).unwrap() + Rational::try_from(c).unwrap();
            let left = exact - Rational::try_from(h).unwrap();
            let error = (&left - Rational::try_from(l).unwrap()).abs();
            prop_assert!(error <= left.abs() * Rational::pow2(-52));
        }
    }
}
