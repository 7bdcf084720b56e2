//! `lastbit fmt`.

use lastbit_lang::{format, parse, render};

use super::args::Fmt;
use super::files::{is_stdin, name_of, print, read_text, write_whole};
use crate::error::{Error, tell};

pub(crate) fn run(args: &Fmt) -> Result<(), Error> {
    let mut changed = 0;
    let mut bad = false;
    for path in &args.files {
        let name = name_of(path);
        let text = match read_text(path) {
            Ok(text) => text,
            Err(error) => {
                error.print();
                bad = true;
                continue;
            }
        };
        let (file, diagnostics) = parse(&text);
        if !diagnostics.is_empty() {
            tell(render(&name, &text, &diagnostics).trim_end());
            bad = true;
            continue;
        }
        let formatted = format(&file);
        let is_changed = formatted != text;
        changed += usize::from(is_changed);
        match (args.check, is_stdin(path)) {
            (true, _) if is_changed => tell(&format!("{name} would change")),
            (true, _) => {}
            (false, true) => print(&formatted)?,
            (false, false) if is_changed => write_whole(path, &formatted)?,
            (false, false) => {}
        }
    }
    match (bad, args.check && changed > 0) {
        (true, _) => Err(Error::Told(2)),
        (false, true) => Err(Error::Told(1)),
        (false, false) => Ok(()),
    }
}
