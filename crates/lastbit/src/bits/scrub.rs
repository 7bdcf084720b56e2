//! Overwrites what ciphers leave behind on the stack and in vector registers.
//!
//! A cipher is made by value, in registers and on the stack, before it lies where it is wanted; and its rounds may spill. So whatever
//! handles keys is a function that is not inlined, and the next thing that its caller does is to overwrite the same stretch of the stack.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::sync::atomic::{Ordering, compiler_fence};

/// How deep the stack is overwritten: twice what the ciphers use in optimized builds, 1.3 KiB for AES and 1.5 KiB for ChaCha20 on x86-64, and much
/// more in others. The tests of memory look at what is left.
const DEPTH: usize = if cfg!(debug_assertions) { 32 << 10 } else { 3 << 10 };

/// Calls `f`, which handles keys, and cleans up after it.
#[inline(always)]
pub(super) fn scrubbed<A, R>(f: fn(A) -> R, argument: A) -> R {
    // `black_box`: what the compiler does not know it cannot inline.
    let result = std::hint::black_box(f)(argument);
    overwrite_stack();
    clear_registers();
    result
}

/// As wide as every processor of the target stores at once. `memset` would do as well, but takes longer to get going than all these stores take.
#[cfg(target_arch = "x86_64")]
type Wide = std::arch::x86_64::__m128i;
#[cfg(not(target_arch = "x86_64"))]
type Wide = u64;

/// Zeros over the stack below the caller's frame: what a function that the caller has called before had there.
#[inline(never)]
fn overwrite_stack() {
    let mut room = [const { MaybeUninit::<Wide>::uninit() }; DEPTH / size_of::<Wide>()];
    for place in &mut room {
        // SAFETY: the place is ours, and zeros are a `Wide`. Volatile, so that the compiler must not leave it out.
        unsafe { place.as_mut_ptr().write_volatile(std::mem::zeroed()) };
    }
    // Nothing that comes later is moved before the zeros.
    compiler_fence(Ordering::SeqCst);
}

/// The registers that the ciphers work in. Nobody saves them across a call, but a signal handler's frame has a copy of all.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn clear_registers() {
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the processor has AVX.
        unsafe { clear_ymm() };
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
fn clear_ymm() {
    std::arch::x86_64::_mm256_zeroall();
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn clear_registers() {}
