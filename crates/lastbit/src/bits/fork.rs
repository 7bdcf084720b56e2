//! Notices `fork`, so that a child process never draws its parent's words.
//!
//! One of the crate's two modules with `unsafe` code: registering a handler is a call into the C library.
//! Asking for the process id instead would need no `unsafe`, but costs a system call, 220 ns, per check;
//! reading a counter costs one load.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering};

/// How many forks lie between this process and the one that first asked.
static GENERATION: AtomicU64 = AtomicU64::new(0);

#[cfg(unix)]
extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// The current generation: a copy made by `fork` sees another number than its original.
#[inline]
pub(super) fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// Makes sure that forks are counted from now on. To be called before the first key is drawn.
pub(super) fn watch() {
    #[cfg(unix)]
    {
        static REGISTERED: std::sync::Once = std::sync::Once::new();
        REGISTERED.call_once(|| {
            // SAFETY: the handler only adds to an atomic, which is allowed in a child of a threaded process
            // (async-signal-safe), takes no arguments and lives as long as the program.
            let status = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
            assert_eq!(status, 0, "pthread_atfork is out of memory");
        });
    }
}
