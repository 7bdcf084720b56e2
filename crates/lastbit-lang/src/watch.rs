//! What a question may cost: time, memory, and the patience of whoever asked.
//!
//! A [`Watch`] is asked in every loop that can grow. The first time that a limit is passed it says so, and from then on always:
//! whatever runs winds down with what says least ("nothing found"), and whoever started it reads [`Watch::stopped`].

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Memory is measured, and the [`Pulse`] called, at most this often.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Called now and then with what is being done and for how long; `false` asks to stop.
pub type Pulse = Arc<dyn Fn(&str, Duration) -> bool + Send + Sync>;

/// The limits of a question.
#[derive(Clone)]
pub struct Limits {
    /// The longest time that it may take.
    pub time: Option<Duration>,
    /// The number of bytes by which the process may grow; measured on Linux only.
    pub memory: Option<u64>,
    /// A callback that hears of progress, and may ask to stop.
    pub pulse: Option<Pulse>,
}

impl Limits {
    /// However long it takes, and however much.
    pub const NONE: Limits = Limits { time: None, memory: None, pulse: None };
}

impl Default for Limits {
    /// A minute and 2 GB.
    fn default() -> Limits {
        Limits { time: Some(Duration::from_secs(60)), memory: Some(2_000_000_000), pulse: None }
    }
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("time", &self.time)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

/// The reason why something was not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit.
    Time(Duration),
    /// The memory limit, in bytes.
    Memory(u64),
    /// More of something than can be gone through, known before it was begun.
    Count {
        /// The things of which there are too many: `cases of the inputs`.
        of: &'static str,
        /// Their number, as text: `4^14`.
        count: String,
        /// The most.
        most: usize,
    },
    /// Somebody asked.
    Interrupted,
}

/// A computation that was not finished: the limit that it reached, and what was being done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The limit that was reached.
    pub reason: Reason,
    /// The work that was under way.
    pub doing: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Time(limit) => write!(f, "the time limit of {} s is reached", limit.as_secs_f64()),
            Reason::Memory(limit) => write!(f, "the memory limit of {} is reached", bytes(*limit)),
            Reason::Count { of, count, most } => {
                write!(f, "there are {count} {of}, and at most {most} are allowed")
            }
            Reason::Interrupted => f.write_str("it was interrupted"),
        }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} while {}", self.reason, self.doing)
    }
}

/// `2 GB`, `500 MB`, `1234 bytes`.
fn bytes(count: u64) -> String {
    for (unit, name) in [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")] {
        if count >= unit && (count * 10).is_multiple_of(unit) {
            let (whole, tenth) = (count / unit, count % unit * 10 / unit);
            return if tenth == 0 { format!("{whole} {name}") } else { format!("{whole}.{tenth} {name}") };
        }
    }
    format!("{count} bytes")
}

/// Looks at the limits of one question. Copies watch the same question; the default one has no limits.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<Inner>>);

struct Inner {
    limits: Limits,
    start: Instant,
    /// The size of the process at the start.
    size: Option<u64>,
    /// When memory was last measured, in nanoseconds after the start.
    looked: AtomicU64,
    doing: Mutex<String>,
    is_over: AtomicBool,
    stopped: OnceLock<Stopped>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watch").field(&self.0.as_ref().map(|inner| &inner.limits)).finish()
    }
}

impl Watch {
    /// Starts: time runs from now on, and memory is what the process grows by from now on.
    pub fn start(limits: &Limits) -> Watch {
        Watch(Some(Arc::new(Inner {
            limits: limits.clone(),
            start: Instant::now(),
            size: limits.memory.and_then(|_| resident()),
            looked: AtomicU64::new(0),
            doing: Mutex::new("reading the declaration".into()),
            is_over: AtomicBool::new(false),
            stopped: OnceLock::new(),
        })))
    }

    /// Says what is being done, for messages and progress.
    pub fn doing(&self, doing: impl FnOnce() -> String) {
        if let Some(inner) = &self.0
            && !inner.is_over.load(Ordering::Relaxed)
        {
            *inner.doing.lock().unwrap_or_else(PoisonError::into_inner) = doing();
        }
    }

    /// Whether to stop. It is cheap enough for every loop that does more than add two numbers.
    pub fn is_over(&self) -> bool {
        let Some(inner) = &self.0 else { return false };
        if inner.is_over.load(Ordering::Relaxed) {
            return true;
        }
        let elapsed = inner.start.elapsed();
        if let Some(limit) = inner.limits.time.filter(|limit| elapsed >= *limit) {
            inner.stop(Reason::Time(limit));
            return true;
        }
        let now = elapsed.as_nanos() as u64;
        if now < inner.looked.load(Ordering::Relaxed) + LOOK_EVERY.as_nanos() as u64 {
            return false;
        }
        inner.looked.store(now, Ordering::Relaxed);
        inner.look(elapsed);
        inner.is_over.load(Ordering::Relaxed)
    }

    /// Stops because there is too much of something.
    pub(crate) fn too_many(&self, of: &'static str, count: String, most: usize) {
        if let Some(inner) = &self.0 {
            inner.stop(Reason::Count { of, count, most });
        }
    }

    /// The reason why it was stopped, if it was.
    pub fn stopped(&self) -> Option<Stopped> {
        self.0.as_ref()?.stopped.get().cloned()
    }
}

impl Inner {
    fn look(&self, elapsed: Duration) {
        if let (Some(limit), Some(before)) = (self.limits.memory, self.size)
            && resident().is_some_and(|size| size.saturating_sub(before) > limit)
        {
            self.stop(Reason::Memory(limit));
        }
        let doing = || self.doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if self.limits.pulse.as_ref().is_some_and(|pulse| !pulse(&doing(), elapsed)) {
            self.stop(Reason::Interrupted);
        }
    }

    fn stop(&self, reason: Reason) {
        let doing = self.doing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let _ = self.stopped.set(Stopped { reason, doing });
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// The bytes of the process that are in memory.
#[cfg(target_os = "linux")]
fn resident() -> Option<u64> {
    // Pages of 4096 bytes: where they are larger, the limit is reached later.
    const PAGE: u64 = 4096;
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    sizes.split_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| pages * PAGE)
}

/// Not known here: time and counts have to do.
#[cfg(not(target_os = "linux"))]
fn resident() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(time: Option<Duration>, memory: Option<u64>) -> Limits {
        Limits { time, memory, pulse: None }
    }

    /// Polls until the watch is over, with a step between two polls.
    fn reason(watch: &Watch, mut step: impl FnMut()) -> Reason {
        while !watch.is_over() {
            step();
        }
        watch.stopped().expect("it is over").reason
    }

    #[test]
    fn no_limits_never_stop() {
        let watch = Watch::default();
        watch.too_many("cases", "4^14".into(), 10);
        assert!(!watch.is_over());
        assert_eq!(watch.stopped(), None);
        assert!(!Watch::start(&limits(None, None)).is_over());
    }

    #[test]
    fn time_runs_out_and_stays_out() {
        let limit = Duration::from_millis(5);
        let watch = Watch::start(&limits(Some(limit), None));
        watch.doing(|| "waiting".into());
        assert_eq!(reason(&watch, || {}), Reason::Time(limit));
        watch.doing(|| "something later".into());
        assert!(watch.clone().is_over());
        assert_eq!(
            watch.stopped().unwrap().to_string(),
            "the time limit of 0.005 s is reached while waiting"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn growth_is_noticed() {
        let limit = 8_000_000;
        let watch = Watch::start(&limits(Some(Duration::from_secs(600)), Some(limit)));
        let mut hoard: Vec<Vec<u8>> = Vec::new();
        let found = reason(&watch, || {
            if hoard.len() < 1000 {
                hoard.push(vec![1; 100_000]);
            }
        });
        assert_eq!(found, Reason::Memory(limit));
        assert!(hoard.len() >= 40, "it stopped after {} of about 80", hoard.len());
    }

    #[test]
    fn whoever_hears_the_pulse_may_stop_it() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        let pulse: Pulse = Arc::new(move |doing, _| {
            hears.lock().unwrap().push(doing.to_owned());
            false
        });
        let watch = Watch::start(&Limits { pulse: Some(pulse), ..limits(None, None) });
        watch.doing(|| "counting".into());
        assert_eq!(reason(&watch, || {}), Reason::Interrupted);
        assert_eq!(*heard.lock().unwrap(), ["counting"]);
    }

    #[test]
    fn sizes_are_told_shortly() {
        for (count, text) in
            [(2_000_000_000, "2 GB"), (1_500_000, "1.5 MB"), (1_234_567, "1234567 bytes"), (12, "12 bytes")]
        {
            assert_eq!(bytes(count), text);
        }
    }
}
