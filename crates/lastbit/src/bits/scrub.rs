//! Overwrites what ciphers leave behind on the stack and in vector registers.
//!
//! A cipher is made by value, in registers and on the stack, before it lies where it is wanted; and its rounds may spill. So whatever
//! handles keys is a function that is not inlined, and the next thing that its caller does is to overwrite the same stretch of the stack.
#![allow(unsafe_code)]

/// How deep a stack is overwritten: several times what the ciphers use, which the tests of memory look at.
const DEPTH: usize = 1024;

/// Calls `f`, which handles keys, and cleans up after it.
#[inline(always)]
pub(super) fn scrubbed<A, R>(f: fn(A) -> R, argument: A) -> R {
    // `black_box`: what the compiler does not know it can not inline.
    let result = std::hint::black_box(f)(argument);
    zeroize::zeroize_stack::<DEPTH>();
    clear_registers();
    result
}

/// The registers that the ciphers work in. Nobody saves them across a call, but a signal handler's frame has a copy of all.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn clear_registers() {
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
fn clear_registers() {}
