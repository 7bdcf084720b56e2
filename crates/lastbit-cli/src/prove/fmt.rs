//! `lastbit fmt`.

use std::path::Path;

use lastbit_lang::{format, parse, render};

use super::args::Fmt;
use super::read_text;
use crate::error::{Error, tell};
use crate::output::print_now;

pub(crate) fn run(args: &Fmt) -> Result<(), Error> {
    let mut changed = 0;
    let mut bad = false;
    for path in &args.files {
        let (name, text) = read_text(path)?;
        let (file, diagnostics) = parse(&text);
        if !diagnostics.is_empty() {
            tell(render(&name, &text, &diagnostics).trim_end());
            bad = true;
            continue;
        }
        let formatted = format(&file);
        let is_changed = formatted != text;
        changed += usize::from(is_changed);
        match (args.check, path == Path::new("-")) {
            (true, _) if is_changed => tell(&format!("{name} would change")),
            (true, _) => {}
            (false, true) => print_now(&formatted)?,
            (false, false) if is_changed => {
                std::fs::write(path, formatted).map_err(|e| Error::io(format!("write {name}"), e))?;
            }
            (false, false) => {}
        }
    }
    match (bad, args.check && changed > 0) {
        (true, _) => Err(Error::Told(2)),
        (false, true) => Err(Error::Told(1)),
        (false, false) => Ok(()),
    }
}
