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

#[cfg(all(test, unix))]
mod tests {
    use crate::{BitSource, InsecureSeededSource, SecureSource};

    /// Draws four words in this process and in a child made by `fork`.
    fn in_parent_and_child<S: BitSource<Word = u64>>(source: &mut S) -> ([u64; 4], [u64; 4]) {
        let mut words = [0u64; 4];
        let mut pipe = [0; 2];
        // SAFETY: the child only draws words, writes to the pipe and leaves without running destructors; the C library keeps its
        // allocator usable across fork. Buffers and lengths match.
        unsafe {
            assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
            let child = libc::fork();
            assert!(child >= 0);
            source.fill_words(&mut words);
            if child == 0 {
                libc::write(pipe[1], words.as_ptr().cast(), size_of_val(&words));
                libc::_exit(0);
            }
            let mut from_child = [0u64; 4];
            let read = libc::read(pipe[0], from_child.as_mut_ptr().cast(), size_of_val(&from_child));
            assert_eq!(read as usize, size_of_val(&from_child));
            libc::waitpid(child, std::ptr::null_mut(), 0);
            libc::close(pipe[0]);
            libc::close(pipe[1]);
            (words, from_child)
        }
    }

    #[test]
    fn parent_and_child_share_no_words() {
        let mut source = SecureSource::new().unwrap();
        source.next_word(); // so that there is a buffer of unread words to share
        let (parent, child) = in_parent_and_child(&mut source);
        assert!(parent.iter().all(|word| !child.contains(word)), "{parent:x?} {child:x?}");
    }

    /// The test above can fail: a source that does not look out for forks repeats itself.
    #[test]
    fn a_source_that_does_not_notice_repeats() {
        let mut source = InsecureSeededSource::<u64>::from_seed(1);
        let (parent, child) = in_parent_and_child(&mut source);
        assert_eq!(parent, child);
    }
}
