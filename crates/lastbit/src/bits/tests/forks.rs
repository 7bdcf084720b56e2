//! Every way to copy a process. The child draws words and writes them into a pipe.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::bits::cipher::Cipher;
use crate::bits::environment::System;
use crate::bits::generator::Generator;
use crate::{BitSource, InsecureSeededSource, Part, SecureSource, SplitSource};

/// A way to copy the process: as `fork`, 0 in the child.
type Way = (&'static str, fn() -> libc::pid_t);

fn fork() -> libc::pid_t {
    // SAFETY: children only draw words, write to the pipe and leave without running destructors; what the source needs there is usable in a
    // child of a threaded process: system calls and memory of its own.
    unsafe { libc::fork() }
}

/// `_Fork`, which calls no handlers. POSIX has it since 2024, glibc since 2.34.
fn fork_without_handlers() -> libc::pid_t {
    // SAFETY: as for `fork`; the function has no arguments and returns a process id.
    unsafe {
        let function = libc::dlsym(libc::RTLD_DEFAULT, c"_Fork".as_ptr());
        if function.is_null() {
            return clone();
        }
        std::mem::transmute::<*mut libc::c_void, extern "C" fn() -> libc::pid_t>(function)()
    }
}

/// The system call, past the C library.
fn clone() -> libc::pid_t {
    // SAFETY: as for `fork`: a copy of the memory, on the same stack address.
    unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD as libc::c_long, 0, 0, 0, 0) as libc::pid_t }
}

#[cfg(target_arch = "x86_64")]
fn system_call_fork() -> libc::pid_t {
    // SAFETY: as for `fork`.
    unsafe { libc::syscall(libc::SYS_fork) as libc::pid_t }
}

const WAYS: &[Way] = &[
    ("fork", fork),
    ("_Fork", fork_without_handlers),
    ("clone", clone),
    #[cfg(target_arch = "x86_64")]
    ("SYS_fork", system_call_fork),
];

/// The same in this process and in a child.
fn in_parent_and_child<const N: usize>(
    copy: fn() -> libc::pid_t,
    mut draw: impl FnMut() -> [u64; N],
) -> ([u64; N], [u64; N]) {
    let mut pipe = [0; 2];
    // SAFETY: buffers and lengths match.
    unsafe {
        assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
        let child = copy();
        assert!(child >= 0);
        if child == 0 {
            let words = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut draw));
            if let Ok(words) = words {
                libc::write(pipe[1], words.as_ptr().cast(), size_of_val(&words));
            }
            libc::_exit(0);
        }
        libc::close(pipe[1]);
        let words = draw();
        let mut from_child = [0u64; N];
        let read = libc::read(pipe[0], from_child.as_mut_ptr().cast(), size_of_val(&from_child));
        libc::waitpid(child, std::ptr::null_mut(), 0);
        libc::close(pipe[0]);
        assert_eq!(read, size_of_val(&from_child) as isize, "the child gave up");
        (words, from_child)
    }
}

fn words<S: BitSource<Word = u64>>(source: &mut S) -> [u64; 4] {
    let mut words = [0; 4];
    source.fill_words(&mut words);
    words
}

fn nothing_in_common(way: &str, (parent, child): (impl AsRef<[u64]>, impl AsRef<[u64]>)) {
    let (parent, child) = (parent.as_ref(), child.as_ref());
    assert!(parent.iter().all(|word| !child.contains(word)), "{way}: {parent:x?} {child:x?}");
}

#[test]
fn parent_and_child_share_no_words() {
    for (way, copy) in WAYS {
        let mut source = SecureSource::new().unwrap();
        source.next_word(); // so that there is a buffer of unread words to share
        nothing_in_common(way, in_parent_and_child(*copy, || words(&mut source)));
        nothing_in_common(way, in_parent_and_child(*copy, || [source.next_word()]));
    }
}

/// The tests above can fail: a source that does not look out for forks repeats itself.
#[test]
fn a_source_that_does_not_notice_repeats() {
    for (way, copy) in WAYS {
        let mut source = InsecureSeededSource::<u64>::from_seed(1);
        let (parent, child) = in_parent_and_child(*copy, || words(&mut source));
        assert_eq!(parent, child, "{way}");
    }
}

/// Parts are copied with the process as any source is: before their first block, within one, and between two.
#[test]
fn parts_share_no_words() {
    for (way, copy) in WAYS {
        for blocks in 0..3 {
            let mut part = SecureSource::new().unwrap().split(2).unwrap().remove(1);
            let mut batch = 0;
            for block in 0..blocks {
                batch = part.open_block(block);
                part.refinement_word(batch, 0, 0);
                part.next_word();
            }
            let drawn = in_parent_and_child(*copy, || {
                let within = if blocks > 0 { part.refinement_word(batch, 1, 0) } else { part.next_word() };
                let next = part.open_block(blocks);
                let [a, b, c, d] = words(&mut part);
                [within, a, b, c, d, part.refinement_word(next, 1, 0)]
            });
            nothing_in_common(way, drawn);
        }
    }
}

/// The batch is open in both. Neither its words nor those of the next are shared, and its number does not come again.
#[test]
fn forks_within_a_batch() {
    for (way, copy) in WAYS {
        for table_is_made in [false, true] {
            let mut source = SecureSource::new().unwrap();
            source.open_batch().unwrap();
            source.next_word();
            let batch = source.open_batch().unwrap();
            if table_is_made {
                source.refinement_word(batch, 0, 0);
            }
            let drawn = in_parent_and_child(*copy, || {
                let early = source.refinement_word(batch, 1, 0);
                let [a, b, c, d] = words(&mut source);
                let late = source.refinement_word(batch, 2, 0);
                assert_eq!(source.refinement_word(batch, 1, 0), early);
                let next = source.open_batch().unwrap();
                assert_eq!(next, batch + 1);
                [early, a, b, c, d, late, source.refinement_word(next, 1, 0), source.next_word()]
            });
            nothing_in_common(way, drawn);
        }
    }
}

/// While another thread is in the middle of releases, and of making and dropping sources.
#[test]
fn forks_beside_a_thread_that_draws() {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut sink = [0; 700];
            while !stop.load(Ordering::Relaxed) {
                let mut source = SecureSource::new().unwrap();
                for _ in 0..50 {
                    let batch = source.open_batch().unwrap();
                    source.fill_words(&mut sink);
                    source.fill_refinement_words(batch, 0, 0, &mut sink);
                }
            }
        });
        let mut source = SecureSource::new().unwrap();
        for _ in 0..25 {
            for (way, copy) in WAYS {
                source.next_word();
                let drawn = in_parent_and_child(*copy, || {
                    let mut another = SecureSource::new().unwrap();
                    let [a, b, c, d] = words(&mut source);
                    [a, b, c, d, another.next_word()]
                });
                nothing_in_common(way, drawn);
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// A child of a child, and a child that never drew.
#[test]
fn grandchildren() {
    for (way, copy) in WAYS {
        let mut source = SecureSource::new().unwrap();
        source.next_word();
        let drawn = in_parent_and_child(*copy, || {
            let (child, grandchild) = in_parent_and_child(*copy, || words(&mut source));
            [child, grandchild].as_flattened().try_into().unwrap()
        });
        let (parent, child): ([u64; 8], [u64; 8]) = drawn;
        nothing_in_common(way, (parent, child));
        nothing_in_common(way, (&parent[..4], &parent[4..]));
        nothing_in_common(way, (&child[..4], &child[4..]));
    }
}

/// A child does not even have its parent's keys.
#[test]
fn a_child_finds_zeros() {
    for (way, copy) in WAYS {
        let mut source = Generator::new(Cipher::fastest(), System).unwrap();
        source.next_word();
        let secrets = source.secrets();
        let (parent, child) = in_parent_and_child(*copy, || {
            // SAFETY: mapped, and aligned for words, as long as the source lives.
            let words = unsafe { std::slice::from_raw_parts(secrets.start as *const u64, secrets.len() / 8) };
            [words.iter().filter(|word| **word != 0).count() as u64]
        });
        assert!(parent[0] > 500 && child[0] == 0, "{way}: {parent:?} {child:?}");
    }
}

/// Without the help of the kernel, `fork` is noticed by its handler, and that is all: what the first way is for.
#[test]
fn the_second_way_alone() {
    for (way, copy) in WAYS {
        let mut source = Generator::new(Cipher::fastest(), System).unwrap();
        source.keep_on_fork();
        let batch = source.open_batch().unwrap();
        source.next_word();
        let drawn = in_parent_and_child(*copy, || {
            let [a, b, c, d] = words(&mut source);
            [a, b, c, d, source.refinement_word(batch, 0, 0)]
        });
        if *way == "fork" {
            nothing_in_common(way, drawn);
        } else {
            assert_eq!(drawn.0, drawn.1, "{way}");
        }
    }
}
