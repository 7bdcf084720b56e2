//! What `docs/paper-map.md` and `docs/errata.md` name exists; and steps of the papers' proofs that they call false are.

use std::fs;
use std::path::{Path, PathBuf};

use lastbit_real::{Enclosure, Rational, exp_rational};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A path as the documents have it: from the root, or from `crates`.
fn resolve(path: &str) -> Option<PathBuf> {
    ["", "crates"].into_iter().map(|folder| root().join(folder).join(path)).find(|path| path.exists())
}

/// The text of a file, or of all files in a folder.
fn text_of(path: &Path) -> String {
    if !path.is_dir() {
        return fs::read_to_string(path).expect("text");
    }
    let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.map(|path| text_of(&path)).collect()
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_'".contains(c))
}

/// Whether a word of the text follows one of the keywords, or stands anywhere if there are none.
fn has(text: &str, keywords: &[&str], name: &str) -> bool {
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || "_'".contains(c)));
    let mut before = "";
    words.any(|word| {
        let found = word == name && (keywords.is_empty() || keywords.contains(&before));
        before = word;
        found
    })
}

/// The cells of a row of a table; `\|` is no end of one.
fn cells(row: &str) -> Vec<String> {
    let row = row.replace("\\|", "¦");
    row.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// `name`, `name` in `path`: what is missing of it.
fn missing(column: &str, cell: &str) -> Vec<String> {
    let keywords: &[&str] = match column {
        "Coq" => &["Theorem", "Lemma", "Corollary", "Definition", "Fixpoint", "Inductive", "Record"],
        "test" => &["fn"],
        _ => &[],
    };
    let (mut missing, mut names) = (Vec::new(), Vec::new());
    for quoted in cell.split('`').skip(1).step_by(2) {
        if is_name(quoted) {
            names.push(quoted);
        } else if quoted.contains('/') && !quoted.contains(' ') {
            let Some(path) = resolve(quoted) else {
                missing.push(quoted.to_owned());
                continue;
            };
            let text = if names.is_empty() { String::new() } else { text_of(&path) };
            let gone = names.drain(..).filter(|name| !has(&text, keywords, name));
            missing.extend(gone.map(|name| format!("{name} in {quoted}")));
        }
    }
    missing
}

/// How many cells of a document's columns were looked at. Nothing may be missing.
fn check(document: &str, columns: &[&str]) -> usize {
    let text = fs::read_to_string(root().join("docs").join(document)).expect("the document");
    let (mut header, mut count) = (Vec::new(), 0);
    for (number, line) in (1..).zip(text.lines()) {
        if !line.starts_with('|') {
            header.clear();
        } else if header.is_empty() {
            header = cells(line);
        } else {
            let row = cells(line);
            assert_eq!(row.len(), header.len(), "{document}:{number}");
            for (column, cell) in
                header.iter().zip(&row).filter(|(column, _)| columns.contains(&column.as_str()))
            {
                let missing = missing(column, cell);
                assert!(missing.is_empty(), "{document}:{number} names what is not there: {missing:?}");
                count += 1;
            }
        }
    }
    count
}

#[test]
fn what_is_named_exists() {
    assert!(check("paper-map.md", &["code", "Coq", "test"]) > 300);
    assert!(check("errata.md", &["Coq"]) > 20);
}

#[test]
fn what_does_not_exist_is_noticed() {
    let here = "lastbit-cli/tests/paper_map.rs";
    assert!(missing("test", &format!("`what_is_named_exists` in `{here}`")).is_empty());
    assert_eq!(missing("test", &format!("`missing_test` in `{here}`; `keywords` in `{here}`")).len(), 2);
    assert_eq!(
        missing("Coq", "`snap_public`, `snap_private` in `coq/Ideal.v`"),
        ["snap_public in coq/Ideal.v"]
    );
    assert_eq!(missing("code", "`coq/Nothing.v`"), ["coq/Nothing.v"]);
}

const BITS: u32 = 300;

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn eta() -> Rational {
    Rational::pow2(-53)
}

/// `(1 + η)^n`.
fn grown(n: i32) -> Rational {
    let power = (Rational::ONE + eta()).pow(n.unsigned_abs());
    if n < 0 { power.recip().expect("positive") } else { power }
}

fn exp(x: &Rational) -> Enclosure {
    exp_rational(x, BITS).expect("small")
}

fn e() -> Enclosure {
    exp(&Rational::ONE)
}

fn exactly(x: &Rational) -> Enclosure {
    Enclosure::of_rational(x, BITS)
}

fn is_less(a: &Enclosure, b: &Enclosure) -> bool {
    a.hi() < b.lo()
}

/// *Floating Point Implementation Version*, Theorem 2, case `x = -B`: the exponents of (⋆) and of the line below,
/// in units of `ε`.
#[test]
fn a_step_below_is_false() {
    let star = |x: &Rational, f: &Rational| {
        x * (grown(-3) - grown(3)) - f * grown(-2) + (f + Rational::ONE) * grown(2)
    };
    let line = |x: &Rational, f: &Rational, factor: Rational| {
        let slope = (eta() * Rational::from(9) + Rational::from(6)) * factor
            / (Rational::ONE + eta() * Rational::from(3));
        -(slope * x) + number("4.1") * eta() * f + Rational::ONE + number("2.1") * eta()
    };
    let claimed = |b: Rational| number("10.1") * eta() * b + Rational::ONE + number("2.1") * eta();
    let two = Rational::from(2);
    // As printed, without a factor η, the line is far above what is claimed of it.
    assert!(line(&-two.clone(), &Rational::ZERO, Rational::ONE) > claimed(two.clone()));
    // With it, (⋆) is not below the line. Nothing is wrong with the claim.
    assert!(star(&-two.clone(), &-two.clone()) > line(&-two.clone(), &-two.clone(), eta()));
    assert!(star(&-two.clone(), &two) < line(&-two.clone(), &two, eta()));
    assert!(star(&-two.clone(), &two) < claimed(two));
}

/// The same, case `x = B`: the step after (⋆), in which `(1 + η)² f` is said to be more than `(1 + 2η) f`.
#[test]
fn a_step_above_is_false() {
    let double = Rational::ONE + eta() * Rational::from(2);
    let x = Rational::from(2);
    let at_x = &x * (grown(-1) - grown(1));
    for (f, holds) in [("-2", false), ("-1", false), ("0", true), ("1", true)] {
        let f = number(f);
        let f2 = &f + Rational::ONE;
        let star = &f * grown(2) - &f2 * grown(-2) + &at_x;
        let line = &f * &double - &f2 * double.recip().expect("positive") + &at_x;
        assert_eq!(star > line, holds, "{f}");
    }
}

/// The same, case `x ∈ (-B, ⌊f⌉)`: "`y₁ > -B`", and hence `L̲/L >= e^(-5εBη)`. With `ε = Λ = 1`, `B = f = 5/4` and
/// `x = -1`, `y₁` is `-3/2`.
#[test]
fn the_last_threshold_may_be_beyond_the_bound() {
    let (y, f) = (number("-3/2"), number("5/4"));
    let exponent = &y * (grown(3) - Rational::ONE) - &f * (grown(2) - Rational::ONE);
    assert!(y < -f.clone() && exponent < -(Rational::from(5) * &f * eta()));
}

/// The same: `e^(ln(e/(e-1)) + 5k) < e^(11k)` with `k = εBη`, although `B < 2⁴²/ε`; and a line that is said to be
/// equal to the one above it.
#[test]
fn eleven_does_not_follow() {
    let most = Rational::pow2(42) * eta();
    let quotient = e().div(&(&e() - &exactly(&Rational::ONE)), BITS).expect("positive");
    assert!(is_less(&exp(&(most * Rational::from(6))), &quotient));
    // In units of L, with Λε = 1, so that e^(Λε) - 1 cancels e - 1: one has e^(-5k) once, the
    // other e/(e-1) times.
    let five = Rational::pow2(-40) * Rational::from(5);
    let (up, down) = (exp(&five), exp(&-five));
    let cells = &(&e() * &up) - &up;
    let above = &(&cells + &up) - &down;
    let below = &quotient * &(&cells - &down);
    assert!(is_less(&below, &above));
}

/// The same, subcase `x = 0`: `e^(2k)R - e^(-5k)L < (R - L)e^(6k)`. It fails for `R/L = e`, where `Λε = 1`; it holds
/// for `Λε = 1.02`.
#[test]
fn six_does_not_follow() {
    let x = Rational::from(100) * eta();
    let times = |n: i64| exp(&(&x * Rational::from(n)));
    for (width, holds) in [("1", false), ("1.02", true)] {
        let ratio = exp(&number(width));
        let left = &(&times(2) * &ratio) - &times(-5);
        let right = &(&ratio - &exactly(&Rational::ONE)) * &times(6);
        assert!(if holds { is_less(&left, &right) } else { is_less(&right, &left) }, "{width}");
    }
}

/// The version of February 17, the cases between the ends: a ratio of probabilities, bounded by what is to be its logarithm.
#[test]
fn a_ratio_is_not_its_logarithm() {
    let claimed = |epsilon: &str, x: &str| {
        let epsilon = number(epsilon);
        exactly(&(&epsilon + Rational::from(12) * number(x) * &epsilon * eta() + Rational::from(2) * eta()))
    };
    // ε = Λ = 1, f = 0, f' = 1, x = 0: (1 - e^(-1/2))/(½(e^(-1/2) - e^(-3/2))).
    let half = exp(&number("-1/2"));
    let inside = &exactly(&Rational::ONE) - &half;
    let outside = (&half - &exp(&number("-3/2"))).shl(-1);
    assert!(is_less(&claimed("1", "0"), &inside.div(&outside, BITS).expect("positive")));
    // ε = 3.7, Λ = 1/2, f = 0.24, f' = 1.24, x = 1/2: e^(2·0.24·ε).
    assert!(is_less(&claimed("3.7", "0.5"), &exp(&number("1.776"))));
    // ε = 1/2, x = ⌊f'⌉ or beyond: at least e^-ε.
    assert!(is_less(&claimed("1/2", "100"), &half));
}

/// The same version, case `x = B`: `e^(-ε(1+η)²·2B) >= e^(-(ε + 12Bεη))`.
#[test]
fn two_bounds_do_not_follow() {
    let fails =
        |b: Rational| grown(2) * Rational::from(2) * &b > Rational::ONE + Rational::from(12) * &b * eta();
    assert!(!fails(number("1/2")) && fails(Rational::ONE) && fails(Rational::pow2(42)));
}

/// *Verifying Snapping Mechanism* (2019), Proposition 4, with `ε = Λ = 1` and `u` uniform on (0, 1/2] in both runs. The
/// density is 2 or 0 and does not grow, so that `μ(E) <= e·μ(E/e)` for all `E`. But from 1 the output 0 has a positive
/// probability and from 0 it has none.
#[test]
fn a_dilation_does_not_bound_snapping() {
    let half = exactly(&number("1/2"));
    // From 1, with s = 1: u in [e^(-3/2), e^(-1/2)), cut off at 1/2.
    assert!(is_less(&exp(&number("-3/2")), &half));
    // From 0, with either sign: u in [e^(-1/2), 1], all above 1/2.
    assert!(is_less(&half, &exp(&number("-1/2"))));
}
