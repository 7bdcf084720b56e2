//! Standard output: all of it is written, or there is an error. Never silence.
//!
//! The standard library is kinder than that. A standard output that is closed when the program starts is opened again, to nowhere, before `main`
//! runs; and an error that says so is taken for success. So this module asks before that, and writes to the file itself.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A pipe takes as many bytes as this in one piece or not at all (`PIPE_BUF` of Linux; POSIX promises 512).
const PIECE: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// Held while a piece is written: who has it knows that what is out ends with a line.
static WRITING: Mutex<()> = Mutex::new(());

/// Lines that are out.
static LINES: AtomicU64 = AtomicU64::new(0);

/// Something is being written that is worth nothing unless all of it is there.
static WHOLE: AtomicBool = AtomicBool::new(false);

/// Lines that [`write_lines`] has written so far.
pub(crate) fn lines_written() -> u64 {
    LINES.load(Ordering::Relaxed)
}

/// Whether [`write_whole`] is at work.
pub(crate) fn is_writing_a_whole() -> bool {
    WHOLE.load(Ordering::Relaxed)
}

/// Runs `f` while nothing is being written, unless something is and that does not end: then `None`.
pub(crate) fn between_lines<T>(f: impl FnOnce() -> T) -> Option<T> {
    use std::sync::TryLockError::{Poisoned, WouldBlock};
    match WRITING.try_lock() {
        Ok(_guard) => Some(f()),
        Err(Poisoned(_guard)) => Some(f()),
        Err(WouldBlock) => None,
    }
}

/// Writes text that is one thing, such as a report.
pub(crate) fn write_whole(text: &str) -> io::Result<()> {
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    WHOLE.store(true, Ordering::Relaxed);
    let result = write(text.as_bytes(), |_| {});
    WHOLE.store(false, Ordering::Relaxed);
    result
}

/// Writes lines, and counts those that are out; an error may leave some of them.
pub(crate) fn write_lines(text: &str) -> io::Result<()> {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let most = &rest[..rest.len().min(PIECE)];
        // A line longer than a piece, which no number is, goes in pieces.
        let end = most.iter().rposition(|byte| *byte == b'\n').map_or(most.len(), |last| last + 1);
        let (piece, more) = rest.split_at(end);
        let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        write(piece, |written| {
            let lines = written.iter().filter(|byte| **byte == b'\n').count();
            LINES.fetch_add(lines as u64, Ordering::Relaxed);
        })?;
        rest = more;
    }
    Ok(())
}

/// Refuses a standard output that nothing can be written to, before work is done for it.
pub(crate) fn check() -> io::Result<()> {
    open_at_start(&start::WAS_CLOSED)
}

/// The same of standard error, for what must not be lost.
pub(crate) fn check_stderr() -> io::Result<()> {
    open_at_start(&start::STDERR_WAS_CLOSED)
}

fn open_at_start(was_closed: &AtomicBool) -> io::Result<()> {
    if was_closed.load(Ordering::Relaxed) {
        return Err(io::Error::new(io::ErrorKind::NotConnected, "it is closed"));
    }
    Ok(())
}

/// Calls `on_written` with each part that is out.
fn write(mut bytes: &[u8], mut on_written: impl FnMut(&[u8])) -> io::Result<()> {
    check()?;
    let mut file = file()?;
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => {
                on_written(&bytes[..n]);
                bytes = &bytes[n..];
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    file.flush()
}

/// The file behind standard output.
#[cfg(unix)]
fn file() -> io::Result<&'static std::fs::File> {
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::sync::OnceLock;
    static FILE: OnceLock<File> = OnceLock::new();
    if let Some(file) = FILE.get() {
        return Ok(file);
    }
    let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    Ok(FILE.get_or_init(|| file))
}

#[cfg(not(unix))]
fn file() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

/// What can be seen only before the standard library starts.
///
/// The one module of the command with `unsafe` code: a function among those that the loader runs before `main`. The standard library gets its
/// arguments in the same way.
#[allow(unsafe_code)]
mod start {
    use std::sync::atomic::AtomicBool;

    pub(super) static WAS_CLOSED: AtomicBool = AtomicBool::new(false);
    pub(super) static STDERR_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    // SAFETY: the section holds pointers to functions of this type, and nothing else; the loader runs each of them once, in this thread.
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    // SAFETY: as above; this is the name of that section there.
    #[cfg(target_vendor = "apple")]
    #[used]
    #[unsafe(link_section = "__DATA,__mod_init_func")]
    static LOOK: extern "C" fn() = look;

    /// Nothing of the standard library that needs it to have started is used here.
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd", target_vendor = "apple"))]
    extern "C" fn look() {
        for (descriptor, was_closed) in
            [(libc::STDOUT_FILENO, &WAS_CLOSED), (libc::STDERR_FILENO, &STDERR_WAS_CLOSED)]
        {
            // SAFETY: asks for the flags of a descriptor, changes nothing, and takes any number.
            let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFD) };
            was_closed.store(flags == -1, std::sync::atomic::Ordering::Relaxed);
        }
    }
}
