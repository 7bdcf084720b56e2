//! Ctrl-C: the first one asks what runs to stop and show what it has.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static ASKED: AtomicBool = AtomicBool::new(false);

/// `timeout -s INT` and some shells send the signal twice, to the program and to its group. That is one Ctrl-C.
const SAME: Duration = Duration::from_secs(1);

/// True once somebody has pressed Ctrl-C. Another one, later, ends the program at once.
pub(crate) fn flag() -> &'static AtomicBool {
    static HANDLER: OnceLock<()> = OnceLock::new();
    HANDLER.get_or_init(|| {
        // Without a handler Ctrl-C ends the program, which is no worse than before.
        let first = OnceLock::new();
        let _ = ctrlc::set_handler(move || {
            ASKED.store(true, Ordering::Relaxed);
            if first.get_or_init(Instant::now).elapsed() > SAME {
                std::process::exit(130);
            }
        });
    });
    &ASKED
}
