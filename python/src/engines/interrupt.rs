//! Ctrl-C while an engine runs without the interpreter's lock.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The interval at which Python's signals are checked.
const EVERY: Duration = Duration::from_millis(50);

/// Asked now and then by an engine.
pub(super) struct Interrupt {
    flag: AtomicBool,
    state: Mutex<State>,
}

struct State {
    asked: Instant,
    error: Option<PyErr>,
}

impl Interrupt {
    pub(super) fn new() -> Interrupt {
        Interrupt {
            flag: AtomicBool::new(false),
            state: Mutex::new(State { asked: Instant::now(), error: None }),
        }
    }

    /// Set when the engine should stop.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// Checks for Ctrl-C, if the last check was a while ago, and sets the flag if it was pressed.
    pub(super) fn look(&self) {
        if let Ok(mut state) = self.state.lock()
            && state.asked.elapsed() >= EVERY
        {
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                state.error.get_or_insert(error);
                self.flag.store(true, Ordering::Relaxed);
            }
            state.asked = Instant::now();
        }
    }

    /// Looks, and says whether the flag is set.
    pub(super) fn is_set(&self) -> bool {
        self.look();
        self.flag.load(Ordering::Relaxed)
    }

    /// The exception of the signal's handler, if it raised one.
    pub(super) fn raised(&self) -> PyResult<()> {
        match self.state.lock().ok().and_then(|mut state| state.error.take()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}
