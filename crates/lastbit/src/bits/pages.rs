//! Memory for secrets: pages of their own that are locked, left out of core dumps, zero in a child process, and wiped in the end.
//!
//! `unsafe` because mapping memory, and calling it a value, is. What is safe to call here stays within three rules: a [`Secret`] owns its pages
//! alone, what lies in them is of a type for which zeros are a value ([`Zeroed`]), and a [`Slot`] says whether it is full.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{Ordering, compiler_fence};

use crate::Error;

/// A type for which memory full of zeros is a value, and which needs no `drop`.
///
/// # Safety
/// Both must hold. The kernel may put zeros in place of a value at a fork.
pub(super) unsafe trait Zeroed {}

/// A value in pages of its own. Made of zeros, filled in place, never moved, wiped on drop.
pub(super) struct Secret<T: Zeroed> {
    place: NonNull<T>,
    pages: system::Pages,
}

// SAFETY: a `Secret` owns its value as a `Box` does.
unsafe impl<T: Zeroed + Send> Send for Secret<T> {}
// SAFETY: as above; a shared `Secret` gives out shared references only.
unsafe impl<T: Zeroed + Sync> Sync for Secret<T> {}

impl<T: Zeroed> Secret<T> {
    /// Zeros.
    ///
    /// # Errors
    /// [`Error::NoKeyMemory`] if there is no memory.
    pub(super) fn zeroed() -> Result<Self, Error> {
        let pages = system::Pages::map(std::alloc::Layout::new::<T>())
            .ok_or_else(|| Error::NoKeyMemory { reason: std::io::Error::last_os_error().to_string() })?;
        let mut secret: Secret<T> = Secret { place: pages.start().cast(), pages };
        secret.protect();
        Ok(secret)
    }

    /// Asks the operating system to keep the pages in memory, out of core dumps, and out of child processes. It may refuse any of them (an
    /// old kernel, `RLIMIT_MEMLOCK`), and then noise is as good as with them: what is lost is a line of defence. To be asked again after a
    /// fork, which undoes the first.
    pub(super) fn protect(&mut self) {
        self.pages.protect();
    }

    /// Zeros in place of the value.
    pub(super) fn wipe(&mut self) {
        // SAFETY: the place holds a `T`, which is ours alone, and zeros are one.
        unsafe { write_zeros(self.place.as_ptr()) };
    }

    /// The addresses of the value.
    #[cfg(test)]
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        let start = self.place.as_ptr() as usize;
        start..start + size_of::<T>()
    }

    /// As on a kernel that does not know how to wipe pages at a fork.
    #[cfg(all(test, any(target_os = "linux", target_os = "android")))]
    pub(super) fn keep_on_fork(&mut self) {
        self.pages.keep_on_fork();
    }
}

impl<T: Zeroed> Deref for Secret<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the pages are mapped, aligned and large enough while `self` lives, and hold a `T`: zeros at first.
        unsafe { self.place.as_ref() }
    }
}

impl<T: Zeroed> DerefMut for Secret<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as for `deref`, and `&mut self` is the only way to the value.
        unsafe { self.place.as_mut() }
    }
}

impl<T: Zeroed> Drop for Secret<T> {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// Zeros over all bytes of a place, with writes that the compiler must not leave out.
///
/// # Safety
/// The place is valid for writes, and whoever reads it as a `T` later knows that it is zeros.
unsafe fn write_zeros<T>(place: *mut T) {
    const { assert!(align_of::<T>() >= 8 && size_of::<T>().is_multiple_of(8)) };
    let words = place.cast::<u64>();
    for i in 0..size_of::<T>() / 8 {
        // SAFETY: within the place, which is aligned for words.
        unsafe { words.add(i).write_volatile(0) };
    }
    // Nothing that comes later is moved before the zeros.
    compiler_fence(Ordering::SeqCst);
}

/// Room for a cipher within a secret. Empty if it is all zeros.
#[repr(C, align(16))]
pub(super) struct Slot<T> {
    full: u64,
    value: MaybeUninit<T>,
}

impl<T> Slot<T> {
    /// The value, if there is one.
    #[inline]
    pub(super) fn get(&self) -> Option<&T> {
        // SAFETY: `full` is 1 only after `fill` and before `wipe`.
        (self.full == 1).then(|| unsafe { self.value.assume_init_ref() })
    }

    /// Puts a value in. Making it may leave copies on the stack, and they are for the caller to [scrub](super::scrub).
    #[inline]
    pub(super) fn fill(&mut self, value: T) -> &mut T {
        self.full = 1;
        self.value.write(value)
    }

    /// Zeros in place of the value, which is not dropped: ciphers own nothing but their bytes.
    #[inline]
    pub(super) fn wipe(&mut self) {
        // SAFETY: the place is ours, and an empty slot is all zeros.
        unsafe { write_zeros(self) };
    }
}

#[cfg(unix)]
mod system {
    use std::alloc::Layout;
    use std::ptr::{NonNull, null_mut};

    /// Pages from the kernel between two pages that nobody may touch, so that reading or writing past the end of something else ends
    /// there.
    pub(super) struct Pages {
        /// With both guards.
        mapping: NonNull<libc::c_void>,
        page: usize,
        /// Without the guards: whole pages.
        length: usize,
    }

    // SAFETY: an address range that belongs to this value alone.
    unsafe impl Send for Pages {}
    // SAFETY: as above.
    unsafe impl Sync for Pages {}

    impl Pages {
        /// Zeros. `None` if the kernel refuses; `errno` says why.
        pub(super) fn map(layout: Layout) -> Option<Pages> {
            // SAFETY: no arguments but a name.
            let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
            assert!(layout.align() <= page);
            let length = layout.size().next_multiple_of(page);
            // SAFETY: a new private mapping, at an address that the kernel chooses.
            let mapping = unsafe {
                libc::mmap(
                    null_mut(),
                    length + 2 * page,
                    libc::PROT_NONE,
                    libc::MAP_PRIVATE | libc::MAP_ANON,
                    -1,
                    0,
                )
            };
            if mapping == libc::MAP_FAILED {
                return None;
            }
            // From here on, dropping `pages` unmaps them.
            let pages = Pages { mapping: NonNull::new(mapping)?, page, length };
            // SAFETY: the part of the mapping between the guards.
            let status = unsafe {
                libc::mprotect(pages.start().as_ptr().cast(), length, libc::PROT_READ | libc::PROT_WRITE)
            };
            (status == 0).then_some(pages)
        }

        /// The first byte after the first guard.
        pub(super) fn start(&self) -> NonNull<u8> {
            // SAFETY: within the mapping.
            unsafe { self.mapping.cast::<u8>().add(self.page) }
        }

        /// See [`Secret::protect`](super::Secret::protect).
        pub(super) fn protect(&mut self) {
            let start = self.start().as_ptr().cast();
            // SAFETY: the range is ours, and none of these changes what is in it in this process.
            unsafe {
                libc::mlock(start, self.length);
                #[cfg(any(target_os = "linux", target_os = "android"))]
                {
                    libc::madvise(start, self.length, libc::MADV_DONTDUMP);
                    libc::madvise(start, self.length, libc::MADV_WIPEONFORK);
                }
            }
        }

        #[cfg(all(test, any(target_os = "linux", target_os = "android")))]
        pub(super) fn keep_on_fork(&mut self) {
            // SAFETY: as in `protect`.
            let status =
                unsafe { libc::madvise(self.start().as_ptr().cast(), self.length, libc::MADV_KEEPONFORK) };
            assert_eq!(status, 0);
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: the mapping is ours, and its owner is being dropped. Unlocks it, too.
            unsafe { libc::munmap(self.mapping.as_ptr(), self.length + 2 * self.page) };
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    /// Memory of the allocator: wiped in the end as any secret, and not protected otherwise.
    pub(super) struct Pages {
        start: NonNull<u8>,
        layout: Layout,
    }

    // SAFETY: memory that belongs to this value alone.
    unsafe impl Send for Pages {}
    // SAFETY: as above.
    unsafe impl Sync for Pages {}

    impl Pages {
        pub(super) fn map(layout: Layout) -> Option<Pages> {
            assert!(layout.size() > 0);
            // SAFETY: the size is not 0.
            NonNull::new(unsafe { alloc_zeroed(layout) }).map(|start| Pages { start, layout })
        }

        pub(super) fn start(&self) -> NonNull<u8> {
            self.start
        }

        pub(super) fn protect(&mut self) {}
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: from `alloc_zeroed` with this layout.
            unsafe { dealloc(self.start.as_ptr(), self.layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C, align(8))]
    struct Bytes([u8; 5000]);

    // SAFETY: bytes.
    unsafe impl Zeroed for Bytes {}

    #[test]
    fn zeros_at_first_and_after_a_wipe() {
        let mut secret = Secret::<Bytes>::zeroed().unwrap();
        assert!(secret.0.iter().all(|&byte| byte == 0));
        secret.0.fill(7);
        assert!(secret.0.iter().all(|&byte| byte == 7));
        secret.wipe();
        assert!(secret.0.iter().all(|&byte| byte == 0));
    }

    #[test]
    fn a_slot_is_empty_full_and_empty() {
        // SAFETY: zeros are an empty slot.
        let mut slot: Slot<[u64; 3]> = unsafe { std::mem::zeroed() };
        assert_eq!(slot.get(), None);
        slot.fill([1, 2, 3]);
        assert_eq!(slot.get(), Some(&[1, 2, 3]));
        slot.wipe();
        assert_eq!(slot.get(), None);
    }

    /// What the kernel says about the pages of a secret: locked, not dumped, wiped on fork, and guarded on both sides.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_kernel_agrees() {
        let secret = Secret::<Bytes>::zeroed().unwrap();
        let start = secret.range().start;
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let flags = smaps
            .lines()
            .skip_while(|line| !line.starts_with(&format!("{start:08x}-")))
            .find_map(|line| line.strip_prefix("VmFlags:"))
            .unwrap_or_else(|| panic!("no mapping starts at {start:x}"));
        let has = |flag| flags.split_whitespace().any(|f| f == flag);
        assert!(has("dd") && has("wf"), "{flags}");
        // Locking may be limited; the other tests lock some memory, too.
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
        let limit = limits.lines().find_map(|line| line.strip_prefix("Max locked memory")).unwrap();
        let limit = limit.split_whitespace().next().unwrap();
        if limit.parse::<u64>().is_ok_and(|limit| limit < 1 << 20) {
            eprintln!("at most {limit} bytes may be locked: not tested");
        } else {
            assert!(has("lo"), "{flags}");
        }
        let guards = smaps
            .lines()
            .filter(|line| line.contains(&format!("-{start:08x} ---p")) || is_guard_after(line, start))
            .count();
        assert_eq!(guards, 2, "one before and one after");
    }

    #[cfg(target_os = "linux")]
    fn is_guard_after(line: &str, start: usize) -> bool {
        let Some((from, _)) = line.split_once('-') else { return false };
        line.contains(" ---p ")
            && usize::from_str_radix(from, 16) == Ok(start + 5000usize.next_multiple_of(4096))
    }
}
