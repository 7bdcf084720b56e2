//! What is printed is read back as the same tree; the layout is stable; comments stay.

mod generate;

use generate::Generator;
use lastbit_lang::{File, float_reading, format, parse, render};
use proptest::prelude::*;

/// The tree without the places in the text.
fn shape(file: &File) -> String {
    let bare = File { comments: Vec::new(), blank_lines: Vec::new(), ..file.clone() };
    let text = format!("{bare:#?}");
    let place = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with("start: ") && !line.starts_with("end: ")
    };
    text.lines().filter(place).map(|line| format!("{line}\n")).collect()
}

#[track_caller]
fn read(source: &str) -> File {
    let (file, messages) = parse(source);
    assert!(messages.is_empty(), "{}\n{source}", render("test.lb", source, &messages));
    file
}

/// Puts comments into a text wherever there is white space.
fn with_comments(text: &str, places: &[(u16, u8)]) -> (String, Vec<String>) {
    let spaces: Vec<usize> = text.match_indices([' ', '\n']).map(|(at, _)| at).collect();
    let mut places: Vec<(usize, u8)> =
        places.iter().map(|(place, style)| (spaces[usize::from(*place) % spaces.len()], *style)).collect();
    places.sort();
    places.dedup_by_key(|place| place.0);
    let (mut out, mut comments, mut done) = (String::new(), Vec::new(), 0);
    for (index, (at, style)) in places.iter().enumerate() {
        let mark = if style & 1 == 0 { "//" } else { "#" };
        let comment = format!("{mark} comment {index}, ε");
        out.push_str(&text[done..*at]);
        out.push_str(["\n\n", "\n", " ", "  "][usize::from(style >> 1) % 4]);
        out.push_str(&comment);
        out.push_str(["\n", "\n\n\n", "\r\n", " \t\n"][usize::from(style >> 3) % 4]);
        comments.push(comment);
        done = *at;
    }
    out.push_str(&text[done..]);
    (out, comments)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn printed_trees_are_read_back(choices in proptest::collection::vec(any::<u16>(), 0..400)) {
        let file = Generator::new(choices).file();
        let text = format(&file);
        let again = read(&text);
        prop_assert_eq!(shape(&again), shape(&file), "{}", text);
        prop_assert_eq!(format(&again), text);
    }

    #[test]
    fn comments_stay(
        choices in proptest::collection::vec(any::<u16>(), 0..200),
        places in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..8),
    ) {
        let file = Generator::new(choices).file();
        let (text, comments) = with_comments(&format(&file), &places);
        let commented = read(&text);
        prop_assert_eq!(shape(&commented), shape(&file));
        let formatted = format(&commented);
        let kept: Vec<&str> = formatted
            .lines()
            .filter_map(|line| line.find("// c").or_else(|| line.find("# c")).map(|at| &line[at..]))
            .collect();
        prop_assert_eq!(&kept, &comments, "{}\n{}", text, formatted);
        let again = read(&formatted);
        prop_assert_eq!(shape(&again), shape(&file), "{}", formatted);
        prop_assert_eq!(format(&again), formatted.clone(), "{}", text);
    }
}

#[test]
fn comments_next_to_what_they_explain() {
    let source = "\
# A file.


function f(x: f64) -> f64 // the header
  // The range is open.
  param c: f64 > 0 // a parameter
{ // first
  y := x * // inside
    c;   // after


  if y > 1 { return 1 } // behind the brace
  else { return y } // the end
  // last
}
// of all
";
    assert_eq!(
        format(&read(source)),
        "\
# A file.

function f(x: f64) -> f64  // the header
  // The range is open.
  param c: f64 > 0  // a parameter
{
  // first
  // inside
  y := x * c;  // after

  if y > 1 {
    return 1;
  } else {
    // behind the brace
    return y;
  }  // the end
  // last
}
// of all
"
    );
}

#[test]
fn both_spellings() {
    let circled = "function f(x: f64) -> f64 { return x ⊕ (2 ⊗ LN(x) ⊘ 3) ⊖ abs(−x) }";
    let plain = "function f(x: f64) -> f64 { return x + 2 * ln(x) / 3 - |-x| }";
    // In a float program they mean the same, and each is printed as it was typed.
    let [one, two] = [circled, plain].map(read);
    let reading = |file: &File| float_reading(file, &file.declarations[0]);
    assert_eq!(reading(&one), reading(&two));
    assert!(format(&one).contains("return x ⊕ 2 ⊗ LN(x) ⊘ 3 ⊖ |-x|;"), "{}", format(&one));
    assert!(format(&two).contains("return x + 2 * ln(x) / 3 - |-x|;"), "{}", format(&two));
    let greek = "mechanism m(x: real) -> grid param ε: real > 0, Λ: real = 1 assume ε ≤ 1 ∧ ¬(ε ≠ 1) { return round(x / ε, Λ, up) }";
    read(greek);
}
