//! A front end that follows a long answer being made, and may stop it.

use std::sync::atomic::{AtomicBool, Ordering};

/// The progress of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// The current activity, such as `weighing`.
    pub doing: &'a str,
    /// The share that is done, from 0 to 1; `None` if that is not known.
    pub share: Option<f64>,
    /// The best that is known so far, or nothing.
    pub message: &'a str,
}

/// A watcher of an answer: it hears of progress, and may ask to stop.
#[derive(Clone, Copy)]
pub struct Watcher<'a> {
    /// Set when the answer should stop.
    pub cancel: &'a AtomicBool,
    /// Called now and then, from the thread that asked.
    pub progress: &'a dyn Fn(Progress<'_>),
}

impl Watcher<'static> {
    /// Nobody watches.
    pub fn nobody() -> Watcher<'static> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Watcher { cancel: &NEVER, progress: &|_| {} }
    }
}

impl Watcher<'_> {
    /// Tells how far it is.
    pub fn tell(&self, doing: &str, share: f64, message: &str) {
        (self.progress)(Progress { doing, share: Some(share), message });
    }

    /// Whether the answer should stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}
