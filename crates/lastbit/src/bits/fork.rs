//! Notices `fork`, so that a child process never draws its parent's words.
//!
//! There are two ways, and both are used. The kernel puts zeros in place of a [secret](super::pages) in a child, however that was made; Linux does so since
//! 4.14. And the C library calls a handler in a child made by its `fork`, which counts here; that is all there is elsewhere. Keys say which
//! count they belong to, and no count is 0: one comparison tells both.
//!
//! Asking for the process id instead would need no `unsafe`, but costs a system call, 220 ns, per check.
#![allow(unsafe_code)]

#[cfg(unix)]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicU64, Ordering};

/// One more than the forks between this process and the one that first asked.
static GENERATION: AtomicU64 = AtomicU64::new(1);

#[cfg(unix)]
extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// The current generation: a copy made by `fork` sees another number than its original. Never 0.
#[inline]
pub(super) fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// Makes sure that forks are counted from now on. To be called before the first key is drawn.
pub(super) fn watch() {
    #[cfg(unix)]
    {
        // Not a lock: a child process that was made while another thread is here must not wait for that thread for ever. Registered twice, the
        // handler counts by two, which does no harm.
        static REGISTERED: AtomicBool = AtomicBool::new(false);
        if !REGISTERED.load(Ordering::Relaxed) {
            // SAFETY: the handler only adds to an atomic, which is allowed in a child of a threaded process
            // (async-signal-safe), takes no arguments and lives as long as the program.
            let status = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
            assert_eq!(status, 0, "pthread_atfork is out of memory");
            REGISTERED.store(true, Ordering::Relaxed);
        }
    }
}
