//! The files in `mechanisms/` and in `tests/programs/`: they parse, type-check and are laid out as the formatter would.

use std::fs;
use std::path::{Path, PathBuf};

use lastbit_lang::{check, format, parse, render};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "lb"))
        .collect();
    files.sort();
    files
}

fn is_good(path: &Path) {
    let source = fs::read_to_string(path).unwrap();
    let name = path.display().to_string();
    let (file, messages) = parse(&source);
    assert!(messages.is_empty(), "{}", render(&name, &source, &messages));
    let messages = check(&file);
    assert!(messages.is_empty(), "{}", render(&name, &source, &messages));
    assert_eq!(format(&file), source, "{name}");
}

#[test]
fn mechanisms() {
    let files = files("../../mechanisms");
    assert!(files.len() >= 7);
    files.iter().for_each(|path| is_good(path));
}

#[test]
fn programs() {
    let files = files("tests/programs");
    assert!(files.len() >= 3);
    files.iter().for_each(|path| is_good(path));
}

/// The blocks marked `lb` in the reference are whole files.
#[test]
fn the_examples_of_the_reference() {
    let reference =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md")).unwrap();
    let examples: Vec<&str> =
        reference.split("```lb\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 5);
    for example in examples {
        let (file, messages) = parse(example);
        assert!(messages.is_empty(), "{}", render("language.md", example, &messages));
        let messages = check(&file);
        assert!(messages.is_empty(), "{}", render("language.md", example, &messages));
        assert_eq!(format(&file), example);
    }
}

/// Two mechanisms in one file, clauses on one line, `return` without `;`.
const COMPACT: &str = "
    mechanism snap(x: real) -> grid
      param eps: real > 0, L: real > 0, B: real > 0
      adjacent |x<1> - x<2>| <= 1
      claim pure eps
    { u <$ unif(0,1];  s <$ sign;
      w := x + s * ln(u) / eps;
      r := clamp(round(w, L, up), B);
      return r }
    proof by_events { pointwise e;  preimage r = e as w in [a, b);  event (u, s) cost eps; }
    proof by_alignment { case x<1> >= x<2> { let K = exp(eps*(x<1>-x<2>));
        align (u,s) cost eps { s=+1 & K*u<=1 => (K*u,+1);  s=+1 & K*u>1 => (1/(K*u),-1);  s=-1 => (u/K,-1); };
        have w<1> = w<2>;  have r<1> = r<2>; }
      case x<1> < x<2> by mirror (s -> -s, x -> -x, w -> -w); }
    mechanism laplace(x: real) -> real
      param eps: real > 0   adjacent |x<1>-x<2>| <= 1   claim pure eps
    { z <$ lap(1/eps);  r := x + z;  return r }
    proof { lap z shift (x<1>-x<2>) cost eps;  have r<1> = r<2>; }
";

#[test]
fn compact_layout() {
    let (file, messages) = parse(COMPACT);
    assert!(messages.is_empty(), "{}", render("compact.lb", COMPACT, &messages));
    assert_eq!(check(&file), []);
    // Apart from comments, the layout is that of the files.
    let canonical = format(&file);
    for name in ["snapping", "laplace"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../mechanisms/{name}.lb"));
        let text = fs::read_to_string(path).unwrap();
        let bare: String =
            text.lines().filter(|line| !line.starts_with("//")).map(|line| format!("{line}\n")).collect();
        assert!(canonical.contains(bare.trim()), "{name}:\n{canonical}");
    }
}
