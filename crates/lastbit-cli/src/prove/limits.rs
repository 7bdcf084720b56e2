//! What a proof may cost, and Ctrl-C: options, progress, and how it ends.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use lastbit::Rational;
use lastbit_lang::watch::{self, Pulse};

use super::args::number;
use crate::audit::args::Budget;
use crate::audit::interrupt;
use crate::progress::LateBar;

#[derive(Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// How long each privacy claim or certificate may take, such as 10s, 5m or 2h [default: 60s]; for an error bound only if given: then the best bound so far is reported
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true)]
    pub(crate) timeout: Option<Budget>,
    /// By how much the process may grow for a privacy claim or certificate, such as 500MB or 8GB; measured on Linux only
    #[arg(long, value_name = "SIZE", default_value = "2GB", allow_hyphen_values = true)]
    pub(crate) memory: Size,
}

impl Limits {
    /// For one claim or certificate of this name, with a line about what is being done once that takes long.
    pub(crate) fn of(&self, name: &str) -> watch::Limits {
        // From here on, not from the first pulse on.
        let interrupted = flag();
        let usual = watch::Limits::default();
        let time = self.time().or(usual.time);
        let bar = LateBar::new(name, "{prefix}: {msg}", 0);
        let pulse: Pulse = Arc::new(move |doing, elapsed: Duration| {
            let of = time.map_or(String::new(), |limit| format!(" of {}", limit.as_secs_f64()));
            bar.show(0, format!("{doing} ({:.0}{of} s)", elapsed.as_secs_f64()));
            !interrupted.load(Ordering::Relaxed)
        });
        watch::Limits { time, memory: Some(self.memory.0), pulse: Some(pulse) }
    }

    /// The time that was asked for.
    pub(crate) fn time(&self) -> Option<Duration> {
        self.timeout.map(|timeout| timeout.0)
    }
}

/// The code of Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// True once somebody has pressed Ctrl-C; from the first question on, that does not end the program.
pub(crate) fn flag() -> &'static AtomicBool {
    interrupt::flag()
}

/// `2GB`, `500MB`, `1.5GiB`
#[derive(Clone, Copy)]
pub(crate) struct Size(pub(crate) u64);

impl FromStr for Size {
    type Err = String;
    fn from_str(text: &str) -> Result<Size, String> {
        const UNITS: [(&str, u64); 8] = [
            ("kb", 1000),
            ("mb", 1_000_000),
            ("gb", 1_000_000_000),
            ("tb", 1_000_000_000_000),
            ("kib", 1 << 10),
            ("mib", 1 << 20),
            ("gib", 1 << 30),
            ("tib", 1 << 40),
        ];
        let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (count, unit) = text.split_at(end);
        let unit = UNITS.iter().find(|(name, _)| unit.eq_ignore_ascii_case(name)).map(|(_, bytes)| *bytes);
        let count = number(count.trim()).ok().filter(Rational::is_positive);
        let (Some(unit), Some(count)) = (unit, count) else {
            return Err("it must be a size such as 500MB or 8GB".into());
        };
        let bytes = u64::try_from((count * Rational::from(unit)).floor()).ok();
        bytes.filter(|bytes| *bytes >= 1_000_000).map(Size).ok_or_else(|| "at least 1MB".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let bytes = |text: &str| text.parse::<Size>().map(|size| size.0).ok();
        for (text, expected) in [
            ("2GB", Some(2_000_000_000)),
            ("500MB", Some(500_000_000)),
            ("1.5gib", Some(1_610_612_736)),
            ("2 GB", Some(2_000_000_000)),
            ("1kB", None),
            ("2", None),
            ("-2GB", None),
            ("0GB", None),
            ("99999999999TB", None),
            ("GB", None),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }
}
