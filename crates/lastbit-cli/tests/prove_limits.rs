//! Limits of `lastbit prove` and `lastbit check`, Ctrl-C, and what is refused before anything is proved.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{code, folder, interrupted, json, lastbit, names_in, output, put, stderr, stdout};

/// Report noisy max of this many queries: the ways through it double with every one.
fn noisy_max(n: usize) -> String {
    format!(
        "mechanism max(q: real[{n}]) -> int param eps: real > 0 adjacent forall i: |q[i]<1> - q[i]<2>| <= 1 claim pure eps
        {{ var z: real[{n}]; for i in 0..{n} {{ z[i] <$ lap(2 / eps); }} best := 0; top := q[0] + z[0];
           for i in 1..{n} {{ v := q[i] + z[i]; if v > top {{ best := i; top := v; }} }} return best; }}"
    )
}

fn real(clauses: &str, value: &str) -> String {
    format!(
        "mechanism m(x: real) -> real\n  param eps: real > 0\n  adjacent |x<1> - x<2>| <= 1\n  {clauses}\n  claim pure eps\n\
         {{ u <$ unif(0,1); s <$ sign; w := {value}; return w; }}\n"
    )
}

#[test]
fn a_limit_makes_the_claim_undecided() {
    let folder = folder();
    let path = put(&folder, "max.lb", noisy_max(12));
    let certificate = folder.path().join("c.json");
    let command = |options: &str| {
        output(lastbit(&format!("prove {options}")).arg(&path).arg("--certificate").arg(&certificate))
    };
    let found = command("--timeout 200ms");
    let said = stdout(&found);
    assert_eq!(code(&found), 3, "{said}");
    assert!(
        said.starts_with("max: UNDECIDED: eps-DP")
            && said.contains("so far: the time limit of 0.2 s is reached while "),
        "{said}"
    );
    assert!(said.contains("try: allow more time (--timeout 10m)"), "{said}");
    let found = command("--timeout 200ms --json");
    assert_eq!(code(&found), 3);
    assert_eq!(json(&found)[0]["stopped"]["limit"], "time");
    assert_eq!(names_in(folder.path()), ["max.lb"], "there is nothing to certify");

    let path = put(
        &folder,
        "bits.lb",
        "mechanism b(a: bool[14]) -> bool param eps: real > 0 claim pure eps { c <$ bernoulli(1/2); return c & a[3]; }",
    );
    let found = output(lastbit("prove").arg(&path));
    assert_eq!(code(&found), 3);
    assert!(
        stdout(&found).contains("there are 268435456 cases of two inputs, and at most 65536 are allowed"),
        "{}",
        stdout(&found)
    );
}

#[test]
fn a_certificate_may_take_too_long_to_check() {
    let folder = folder();
    let text = put(&folder, "max.lb", noisy_max(4));
    let certificate = folder.path().join("c.json");
    let proved = output(lastbit("prove").arg(&text).arg("--certificate").arg(&certificate));
    assert_eq!(code(&proved), 0, "{}", stdout(&proved));
    let check = |options: &str| output(lastbit(&format!("check {options}")).arg(&certificate));
    assert_eq!(code(&check("")), 0);
    let late = check("--timeout 1ms");
    assert_eq!(code(&late), 3, "{}", stdout(&late));
    assert!(
        stdout(&late).contains("NOT CHECKED: the time limit of 0.001 s is reached while checking"),
        "{}",
        stdout(&late)
    );
}

#[test]
fn limits_are_numbers_with_a_unit() {
    for option in
        ["--timeout 0s", "--timeout -1s", "--timeout soon", "--memory 2", "--memory -2GB", "--memory 1kB"]
    {
        let refused =
            output(lastbit(&format!("prove ../../mechanisms/laplace.lb {option}")).stdin(Stdio::null()));
        let name = option.split(' ').next().unwrap_or_default();
        assert_eq!(code(&refused), 2, "{option}");
        assert!(
            stderr(&refused).contains(&format!("hint: write it like {name} ")),
            "{option}: {}",
            stderr(&refused)
        );
    }
    let fine = output(&mut lastbit("prove ../../mechanisms/laplace.lb --timeout 1.5m --memory 1.5GiB"));
    assert_eq!(code(&fine), 0, "{}", stderr(&fine));
}

/// A bound on an error is what it is when the time is over, and holds.
#[test]
fn an_error_bound_is_the_best_so_far() {
    let folder = folder();
    let path = put(
        &folder,
        "f.lb",
        "function f(x: f64 in [1, 2], y: f64 in [1, 2]) -> f64 { return ln(x * y) / (x + y * y) }",
    );
    let [short, long] = ["--timeout 1ms", "--effort fast"].map(|options| {
        let found = output(lastbit(&format!("prove --json {options}")).arg(&path));
        assert_eq!(code(&found), 0, "{}", stderr(&found));
        json(&found).remove(0)
    });
    assert!(short["late"].as_str().is_some_and(|note| note.contains("best bound so far")), "{short}");
    assert!(long["late"].is_null(), "{long}");
    let error = short["abs_error"]["decimal"].as_str().and_then(|error| error.parse::<f64>().ok());
    assert!(error.is_some_and(|error| error > 0.0 && error < 1e-14), "{short}");
}

#[cfg(unix)]
#[test]
fn control_c_leaves_nothing_half_done() {
    let folder = folder();
    let path = put(&folder, "max.lb", noisy_max(12));
    let certificate = folder.path().join("c.json");
    // One that was not ready for it is given more time.
    let interrupted = |seconds: u64| {
        let mut command = lastbit("prove --timeout 1h");
        let command = command.arg(&path).arg("--certificate").arg(&certificate);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        thread::sleep(Duration::from_secs(seconds));
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "it ended by itself");
        child.wait_with_output().expect("it ends")
    };
    let ended = [1, 4, 16].into_iter().map(interrupted).find(|ended| ended.status.code().is_some());
    let ended = ended.expect("Ctrl-C ended it");
    let said = stderr(&ended);
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.starts_with("max: interrupted while ") && said.contains("nothing was written"), "{said}");
    assert_eq!((stdout(&ended), names_in(folder.path())), ("", vec!["max.lb".to_owned()]));
}

#[cfg(unix)]
#[test]
fn control_c_ends_a_bench_with_words() {
    let output = interrupted(|| lastbit("bench logic"));
    assert_eq!((code(&output), stdout(&output), stderr(&output)), (130, "", "stopped before it was done\n"));
}

#[test]
fn words_of_floats_over_the_reals_are_errors() {
    let folder = folder();
    for (clauses, value, place, message) in [
        ("libm ln = ulp(3)", "x + s * ln(u) / eps", "4:3", "`libm` says how accurate a library of floats is"),
        (
            "sampler unif = grid53(0,1)",
            "x + s * ln(u) / eps",
            "4:3",
            "`sampler` says which floats `unif` draws",
        ),
        ("", "x ⊕ s ⊗ ln(u) ⊘ eps", "6:35", "`⊕` rounds"),
    ] {
        let path = put(&folder, "m.lb", real(clauses, value));
        for command in ["prove", "prove --epsilon 1", "audit --inputs 0 1 --epsilon 1"] {
            let found = output(lastbit(command).arg(&path));
            assert_eq!(code(&found), 2, "{command}: {}", stdout(&found));
            assert!(
                stderr(&found).contains(&format!("error: {message}, and `m` is over the reals")),
                "{}",
                stderr(&found)
            );
            assert!(stderr(&found).contains(&format!("m.lb:{place}")), "{command}: {}", stderr(&found));
            assert!(
                stderr(&found).contains("hint: for a float program declare the arguments as f64"),
                "{}",
                stderr(&found)
            );
            assert!(!stdout(&found).contains("PROVED"), "{}", stdout(&found));
        }
        // Its float reading is another matter.
        let error = output(lastbit("prove --of w --epsilon 1 --range x=-1,1 --range u=0.25,0.5").arg(&path));
        assert!(!stderr(&error).contains("over the reals"), "{}", stderr(&error));
    }
    // The same without them is proved.
    let path = put(&folder, "m.lb", real("", "x + s * ln(u) / eps"));
    let certificate = folder.path().join("c.json");
    assert_eq!(code(&output(lastbit("prove").arg(&path).arg("--certificate").arg(&certificate))), 0);
    // A certificate whose text has them is not accepted.
    let written = std::fs::read_to_string(&certificate).expect("a certificate");
    let check = |text: &str| output(lastbit("check").arg(put(&folder, "forged.json", text)));
    assert_eq!(code(&check(&written)), 0);
    for (from, to) in [("x + s", "x ⊕ s"), ("  claim pure eps", "  libm ln = ulp(3) claim pure eps")] {
        assert!(written.contains(from), "{written}");
        let forged = check(&written.replace(from, to));
        assert_eq!(code(&forged), 1, "{}", stdout(&forged));
        assert!(stdout(&forged).contains("is over the reals"), "{}", stdout(&forged));
    }
}

#[test]
fn numbers_that_make_no_sense_are_errors_with_their_place() {
    let folder = folder();
    for (text, place, message) in [
        ("claim pure eps { z <$ lap(0); return x + z; }", "1:78", "the scale of `lap` must be positive"),
        ("claim pure eps { z <$ lap(-1/eps); return x + z; }", "1:78", "the scale of `lap` must be positive"),
        (
            "claim pure eps { b <$ bernoulli(3/2); return x; }",
            "1:84",
            "a probability must lie in [0, 1], but this one is 3/2",
        ),
        ("claim approx(eps, 0-1/10) { return x; }", "1:70", "δ must not be negative"),
        ("claim pure 0-1 { return x; }", "1:63", "a privacy loss must not be negative"),
        ("claim pure eps claim pure 2 * eps { return x; }", "1:67", "a second `claim`"),
    ] {
        let text = format!(
            "mechanism m(x: real) -> real param eps: real > 0 {}",
            text.replacen("claim", "  claim", 1)
        );
        let path = put(&folder, "m.lb", text);
        for command in ["prove", "audit --inputs 0 1 --epsilon 1"] {
            let found = output(lastbit(command).arg(&path));
            assert_eq!(code(&found), 2, "{command}: {}", stdout(&found));
            assert!(stderr(&found).contains(message), "{command}: {}", stderr(&found));
            assert!(stderr(&found).contains(&format!("m.lb:{place}")), "{place}: {}", stderr(&found));
            assert!(stderr(&found).contains("hint: "), "{}", stderr(&found));
        }
    }
    // With values, a claim may become one.
    let path =
        put(&folder, "m.lb", "mechanism m(x: int) -> real param eps: real claim pure eps - 1 { return 1; }");
    let found = output(lastbit("prove --epsilon 1/2").arg(&path));
    assert_eq!(code(&found), 2, "{}", stdout(&found));
    assert!(
        stderr(&found).contains("a privacy loss must not be negative, but the claimed one is -1/2"),
        "{}",
        stderr(&found)
    );
    assert_eq!(code(&output(lastbit("prove --epsilon 1").arg(&path))), 0);
    // More than 1 is no mistake, but says nothing.
    let path = put(&folder, "m.lb", "mechanism m(x: int) -> real claim approx(0, 2) { return 1; }");
    let found = output(lastbit("prove").arg(&path));
    assert_eq!(code(&found), 0, "{}", stderr(&found));
    assert!(stdout(&found).contains("note: δ = 2 claims nothing"), "{}", stdout(&found));
}
