//! `lastbit attack`, from the outside.

use std::path::Path;
use std::process::Output;

#[cfg(unix)]
use crate::common::interrupted;
use crate::common::{assert_refused, code, folder, lastbit, on_pipe, output, put, run, stderr, stdout};
use lastbit::Rational;
use serde_json::Value;

/// A prime, so that the order of samples has nothing to do with their size or their bits.
const SAMPLES: u64 = 401;

fn order() -> impl Iterator<Item = f64> {
    (0..SAMPLES).map(|i| (i * 171 % SAMPLES) as f64)
}

fn lines(values: impl Iterator<Item = f64>) -> String {
    values.map(|value| format!("{value:?}\n")).collect()
}

fn halves() -> String {
    lines(order().map(|i| i / 2.0))
}

fn thirds() -> String {
    lines(order().map(|i| (i + 1.0 / 3.0) / 2.0))
}

fn attack(a: &Path, b: &Path, options: &str) -> Output {
    output(lastbit("attack").args([a, b]).args(options.split_whitespace()))
}

fn json(output: &Output) -> Value {
    serde_json::from_str(stdout(output)).unwrap_or_else(|_| panic!("{}", stderr(output)))
}

#[test]
fn a_leak_has_an_exit_code_of_its_own() {
    let folder = folder();
    let (a, b) = (put(&folder, "a", halves()), put(&folder, "b", thirds()));
    for (options, expected, word) in [
        ("--epsilon 1", 1, "LEAKS: "),
        // Not even inputs that are told apart every time could show so much, or take so much δ from so little.
        ("--epsilon 10", 3, "TOO FEW SAMPLES: "),
        ("--epsilon 1 --delta 999/1000", 3, "TOO FEW SAMPLES: "),
        ("", 0, "LOSS AT LEAST "),
    ] {
        let output = attack(&a, &b, options);
        assert_eq!(code(&output), expected, "{options}: {}", stderr(&output));
        let verdict = stdout(&output).lines().next().unwrap();
        assert!(verdict.starts_with(word), "{verdict}");
        let value = json(&attack(&a, &b, &format!("{options} --json")));
        assert_eq!(value["headline"], verdict, "{options}");
    }
    let same = attack(&a, &a, "--epsilon 1");
    assert_eq!(code(&same), 0);
    assert!(stdout(&same).starts_with("NOT SEEN TO LEAK: "));
    // The same samples twice tell nothing.
    assert_eq!(code(&attack(&a, &a, "--epsilon 0")), 0);
}

#[test]
fn the_bound_is_below_its_exact_value_and_decides() {
    let folder = folder();
    let (a, b) = (put(&folder, "a", halves()), put(&folder, "b", thirds()));
    let value = json(&attack(&a, &b, "--json"));
    let number = |name: &str| value["loss_lower_bound"][name].as_str().unwrap().parse::<Rational>().unwrap();
    let (exact, decimal) = (number("exact"), number("decimal"));
    assert!(decimal <= exact && exact > Rational::ONE);
    // A claim of exactly this loss is not refuted; one that is smaller by a millionth is.
    let below = &exact - "0.000001".parse::<Rational>().unwrap();
    assert_eq!(code(&attack(&a, &b, &format!("--epsilon {exact}"))), 3);
    assert_eq!(code(&attack(&a, &b, &format!("--epsilon {below}"))), 1);
    assert_eq!((&value["schema"], &value["verdict"]), (&Value::from(1), &Value::from("no_claim")));
    assert_eq!((&value["confidence"]["exact"], &value["delta"]["exact"]), (&"999/1000".into(), &"0".into()));
    for (half, trials) in [("chosen", 201), ("tested", 200)] {
        assert_eq!(value["inputs"][0][half]["trials"], trials);
    }
    assert!([0, 1].iter().all(|i| value["inputs"][i]["samples"] == SAMPLES));
    for text in ["event", "explanation"] {
        assert!(!value[text].as_str().unwrap().is_empty(), "{text}");
    }
    let favoured = value["favoured"].as_u64().unwrap() as usize;
    assert_eq!(value["inputs"][favoured]["probability"]["kind"], "at_least");
    assert_eq!(value["inputs"][1 - favoured]["probability"]["kind"], "at_most");
}

/// Python's `float.hex()`, decimals, blank lines, line ends of others: the same samples.
#[test]
fn ways_to_write_samples() {
    let folder = folder();
    let (a, b) = (put(&folder, "a", halves()), put(&folder, "b", thirds()));
    let expected = json(&attack(&a, &b, "--json"));
    let hexadecimal: String = thirds()
        .lines()
        .map(|line| {
            let bits = line.parse::<f64>().unwrap().to_bits();
            format!("0x1.{:013x}p{:+}\r\n\r\n", bits & ((1 << 52) - 1), (bits >> 52) as i64 - 1023)
        })
        .collect();
    let c = put(&folder, "c", format!("\u{feff}{hexadecimal}"));
    let found = json(&attack(&a, &c, "--json"));
    for name in ["event", "loss_lower_bound", "histogram"] {
        assert_eq!(found[name], expected[name], "{name}");
    }
}

#[test]
fn standard_input_is_either_file() {
    let folder = folder();
    let (a, b) = (put(&folder, "a", halves()), put(&folder, "b", thirds()));
    let second = on_pipe(&format!("attack {} - --epsilon 1 --json", a.display()), thirds().as_bytes());
    let first = on_pipe(&format!("attack - {} --epsilon 1 --json", b.display()), halves().as_bytes());
    assert_eq!((code(&first), code(&second)), (1, 1));
    assert_eq!(json(&first)["event"], json(&second)["event"]);
    assert_eq!(json(&first)["inputs"][0]["name"], "standard input");
}

#[test]
fn what_is_no_number_is_a_sample_too() {
    let folder = folder();
    let specials =
        |other: &str| (0..200).map(|i| if i % 3 == 0 { "0.5\n" } else { other }).collect::<String>();
    for other in ["nan\n", "inf\n", "-inf\n", "-0x0.0p+0\n"] {
        let (a, b) = (put(&folder, "a", specials(other)), put(&folder, "b", specials("0\n")));
        let output = attack(&a, &b, "--epsilon 1");
        assert_eq!(code(&output), 1, "{other}: {}", stdout(&output));
    }
}

/// Commands of a shell, which `split_whitespace` would tear apart.
#[cfg(unix)]
fn of_command(command: &str, options: &str) -> Output {
    output(lastbit("attack --command").arg(command).args(options.split_whitespace()))
}

#[cfg(unix)]
#[test]
fn samples_of_a_command() {
    let one_step = "awk -v x={input} -v n={samples} 'BEGIN { for (i = 0; i < n; i++) print x + i % 7 }'";
    let output = of_command(one_step, "--inputs 0 64 --samples 400 --epsilon 1 --json");
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let value = json(&output);
    for (input, number) in value["inputs"].as_array().unwrap().iter().zip(["0", "64"]) {
        assert_eq!(input["value"]["exact"], number);
        assert_eq!(input["name"], format!("input {number}"));
        assert_eq!(input["samples"], 400);
    }
    let same = "awk -v x={input} -v n={samples} 'BEGIN { for (i = 0; i < n; i++) print i % 7 }'";
    assert_eq!(code(&of_command(same, "--inputs 0 1 --samples 400 --epsilon 1")), 0);
}

/// A command may print more than is asked for, without end.
#[cfg(unix)]
#[test]
fn a_command_without_end() {
    let output = of_command("yes -- {input}", "--inputs -1.5 1e300 --samples 400 --epsilon 1");
    assert_eq!(code(&output), 1, "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn commands_that_fail() {
    let options = "--inputs 0 1 --samples 400 --epsilon 1";
    for (command, told) in [
        ("seq {samples}; echo oh {input} >&2; exit 3", "exit status: 3"),
        ("seq {samples}; echo oh {input} >&2; kill -9 $$", "signal: 9"),
        ("seq 399; echo oh {input} >&2", "printed 399 samples, and 400 are needed"),
        (
            "echo oh {input} >&2; echo 1; echo one",
            "line 2 of the output of the command for input 0 is \"one\"",
        ),
        ("seq 9; for i in 1 2 3 4 5 6; do echo oh $i {input} >&2; done; exit 1", "last words:\n  oh 2 0\n"),
    ] {
        let output = of_command(command, options);
        assert_refused(&output, command);
        assert!(stderr(&output).contains(told), "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains("\n  oh"), "{command}: {}", stderr(&output));
    }
}

/// What a shell could take for something else is no number, and is refused before any command runs.
#[cfg(unix)]
#[test]
fn inputs_are_numbers() {
    let folder = folder();
    let mark = folder.path().join("mark");
    for input in ["$(id)", "0;id", "`id`", "0 1", "{samples}", "nan", "inf"] {
        let mut command = lastbit("attack --samples 10 --command");
        command.arg(format!("touch {}; seq 10; echo {{input}}", mark.display()));
        let output = output(command.args(["--inputs", "0", input]));
        assert_refused(&output, input);
        assert!(!mark.exists(), "{input}");
    }
}

/// Without Python every row of another package says why it was not run, and nothing is dropped.
#[test]
fn a_gallery_without_python() {
    let folder = folder();
    let venv = folder.path().join("venv");
    let table = folder.path().join("table.md");
    let mut command =
        lastbit("attack --gallery --samples 200 --false-alarms 2 --json --python no-such-python");
    command.arg("--venv").arg(&venv).arg("--markdown").arg(&table);
    let output = output(&mut command);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let value = json(&output);
    let rows = value["mechanisms"].as_array().unwrap();
    let (run, not_run): (Vec<&Value>, Vec<&Value>) = rows.iter().partition(|row| row["not_run"].is_null());
    assert_eq!((run.len(), not_run.len()), (6, 21));
    assert!(run.iter().all(|row| row["mechanism"].as_str().unwrap().starts_with("lastbit ")));
    assert!(not_run.iter().all(|row| row["not_run"].as_str().unwrap().contains("no-such-python")));
    assert_eq!(value["false_alarms"].as_array().unwrap().len(), 3);
    let table = std::fs::read_to_string(table).unwrap();
    assert_eq!(table.matches("| not run: no virtual environment: ").count(), 21, "{table}");
    assert!(table.contains(
        "    lastbit attack --gallery --samples 200 --false-alarms 2 --markdown docs/gallery.md\n"
    ));
}

#[test]
fn nothing_to_attack() {
    for arguments in ["attack", "attack one.txt", "attack - -", "attack absent.txt absent.txt"] {
        assert_refused(&run(arguments), arguments);
    }
}

/// The page and the drawing show both inputs, and the event.
#[test]
fn drawings() {
    let folder = folder();
    let (a, b) = (put(&folder, "a", halves()), put(&folder, "b", thirds()));
    let page = folder.path().join("report.html");
    let output = attack(&a, &b, &format!("--epsilon 1 --histogram --html {}", page.display()));
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let verdict = stdout(&output).lines().next().unwrap();
    assert!(stdout(&output).contains("█ in the event") && stdout(&output).contains("\n  ░"));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(verdict) && page.matches("<rect").count() > 20 && !page.contains("<script"));
    assert!(page.contains("y is a multiple of 2^-1"));
    let plain = attack(&a, &b, "--epsilon 1");
    assert!(!stdout(&plain).contains("in the event"));
}

/// No line of the gallery is wider than the terminal, and each mechanism has one.
#[test]
fn the_gallery_fits_the_terminal() {
    let folder = folder();
    let mut command = lastbit("attack --gallery --samples 200 --python no-such-python");
    command.arg("--venv").arg(folder.path().join("venv")).env("COLUMNS", "80");
    let output = output(&mut command);
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", stdout(&output));
    assert_eq!(lines.iter().filter(|line| line.starts_with("NOT RUN ")).count(), 21);
    assert_eq!(lines.iter().filter(|line| line.contains("  lastbit ")).count(), 6);
}

/// Whoever reads only a line, or none, is told by the exit code.
#[test]
fn a_leak_is_told_also_if_nobody_reads() {
    let folder = folder();
    let (a, b) = (put(&folder, "a", halves()), put(&folder, "b", thirds()));
    let mut child = lastbit("attack")
        .args([a, b])
        .args(["--epsilon", "1"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("ended").code(), Some(1));
}

/// While it waits for samples, and while it searches.
#[cfg(unix)]
#[test]
fn ctrl_c_decides_nothing() {
    let folder = folder();
    // Half a million values that come several times each: sets of them take long to look through.
    let many = |shift: u64| {
        let numbers = (0..4_000_000u64).map(|i| (i * 1_048_573 + shift) % 500_009);
        put(&folder, &format!("{shift}"), numbers.map(|number| format!("{number}\n")).collect::<String>())
    };
    let files = [many(0), many(1)];
    let search = || {
        let mut command = lastbit("attack --epsilon 1 --json");
        command.args(&files);
        command
    };
    let sampling = || {
        let mut command = lastbit("attack --inputs 0 1 --epsilon 1 --command");
        command.arg("echo {input}; exec sleep 30");
        command
    };
    for output in [interrupted(search), interrupted(sampling)] {
        assert_eq!((code(&output), stdout(&output)), (130, ""));
        assert_eq!(stderr(&output), "stopped: nothing was decided\n");
    }
}
