//! Limits of time, memory and number: what is reached is told, nothing is proved or refuted by running out, and what needs none is not held up.

use std::sync::Arc;
use std::time::Duration;

use lastbit_lang::parse;
use lastbit_lang::symbolic::Program;
use lastbit_lang::watch::{Limits, Reason, Stopped, Watch};
use lastbit_prove::logic::answer::{Answer, Shown, Task};
use lastbit_prove::logic::certificate;
use lastbit_prove::logic::kernel::{self, KernelError};
use lastbit_prove::logic::prove::{Conclusion, Options, Report, prove};

/// What came of a text's first declaration.
fn report(text: &str, limits: Limits) -> Report {
    let (file, messages) = parse(text);
    assert_eq!(messages, []);
    let options = Options { limits, ..Options::default() };
    prove(&file, &file.declarations[0], &Default::default(), &options, &mut |_| {}).expect("it can be read")
}

/// No test waits longer than this for something that should end early.
fn patient() -> Limits {
    Limits { time: Some(Duration::from_secs(600)), ..Limits::default() }
}

fn noisy_max(n: usize) -> String {
    format!(
        "mechanism max(q: real[{n}]) -> int param eps: real > 0 adjacent forall i: |q[i]<1> - q[i]<2>| <= 1 claim pure eps
        {{ var z: real[{n}]; for i in 0..{n} {{ z[i] <$ lap(2 / eps); }} best := 0; top := q[0] + z[0];
           for i in 1..{n} {{ v := q[i] + z[i]; if v > top {{ best := i; top := v; }} }} return best; }}"
    )
}

fn histogram(n: usize, adjacent: &str) -> String {
    format!(
        "mechanism h(q: real[{n}]) -> [real] param eps: real > 0 adjacent {adjacent} i: |q[i]<1> - q[i]<2>| <= 1 claim pure eps
        {{ var z: real[{n}]; var out: real[{n}]; for i in 0..{n} {{ z[i] <$ lap(1 / eps); out[i] := q[i] + z[i]; }} return out; }}"
    )
}

fn bits(n: usize, returned: &str) -> String {
    format!(
        "mechanism b(a: bool[{n}]) -> bool param eps: real > 0 claim pure eps {{ c <$ bernoulli(1/2); return {returned}; }}"
    )
}

#[test]
fn inputs_that_nobody_reads_have_no_cases() {
    for n in [1, 14, 10_000] {
        let found = report(&bits(n, "c"), patient());
        assert_eq!((found.conclusion, found.stopped), (Conclusion::Proved, None), "{n}");
    }
    // Read by a clause: then they count, and the claim is still true.
    let text = bits(2, "c").replace("claim", "adjacent a[0]<1> = a[0]<2> claim");
    assert_eq!(report(&text, patient()).conclusion, Conclusion::Proved);
    // Read by the body: the claim is false, and that is found.
    assert_eq!(report(&bits(1, "c & a[0]"), patient()).conclusion, Conclusion::Refuted);
}

#[test]
fn too_many_cases_are_counted_before_they_are_made() {
    let found = report(&bits(14, "c & a[0]"), patient());
    assert_eq!(found.conclusion, Conclusion::Undecided);
    let reason = found.stopped.expect("a limit").reason;
    let Reason::Count { of, count, .. } = &reason else { panic!("{reason:?}") };
    assert_eq!((*of, count.as_str()), ("cases of two inputs", "268435456"));
    let reason = report(&bits(10_000, "c & a[0]"), patient()).stopped.expect("a limit").reason;
    assert!(reason.to_string().starts_with("there are more than 10^38 cases"), "{reason}");
}

#[test]
fn too_many_ways_are_undecided() {
    let stopped = report(&noisy_max(14), patient()).stopped.expect("8192 ways");
    assert!(matches!(stopped.reason, Reason::Count { of: "ways through the program", .. }), "{stopped:?}");
}

#[test]
fn time_runs_out_wherever_it_is() {
    for text in
        [noisy_max(12), histogram(1000, "at most one"), histogram(1000, "forall"), bits(8, "c & a[0]")]
    {
        for milliseconds in [0, 1, 300] {
            let time = Duration::from_millis(milliseconds);
            let found = report(&text, Limits { time: Some(time), ..Limits::default() });
            assert_eq!(found.conclusion, Conclusion::Undecided, "{text}");
            assert_eq!(found.stopped.expect("a limit").reason, Reason::Time(time));
        }
    }
}

/// In a process of its own: other tests allocate, too.
#[cfg(target_os = "linux")]
#[test]
fn memory_runs_out() {
    const INSIDE: &str = "LASTBIT_TEST_MEMORY";
    if std::env::var_os(INSIDE).is_none() {
        let this = std::env::current_exe().expect("this test");
        let arguments = ["memory_runs_out", "--exact", "--nocapture"];
        let output =
            std::process::Command::new(this).args(arguments).env(INSIDE, "1").output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let memory = 20_000_000;
    let found = report(&histogram(2000, "at most one"), Limits { memory: Some(memory), ..patient() });
    assert_eq!(found.conclusion, Conclusion::Undecided);
    assert_eq!(found.stopped.expect("a limit").reason, Reason::Memory(memory));
}

#[test]
fn somebody_may_ask_to_stop() {
    let limits = Limits { pulse: Some(Arc::new(|_, _| false)), ..patient() };
    let Stopped { reason, doing } = report(&noisy_max(10), limits).stopped.expect("it was asked");
    assert_eq!(reason, Reason::Interrupted);
    assert!(doing.starts_with("looking for a proof, case 1 of 1"), "{doing}");
}

/// A true claim is not refuted and a false one not proved because there is no time: at every moment it may stop, nothing is decided wrongly.
#[test]
fn stopping_decides_nothing_wrongly() {
    let laplace = |scale: &str, proof: &str| {
        format!(
            "mechanism m(x: real) -> real param eps: real > 0 adjacent |x<1> - x<2>| <= 1 claim pure eps
             {{ z <$ lap({scale}); r := x + z; return r }} {proof}"
        )
    };
    let script = "proof { lap z shift (x<1> - x<2>) cost eps; have r<1> = r<2>; }";
    let good = [Conclusion::Proved, Conclusion::Undecided];
    let bad = [Conclusion::Refuted, Conclusion::Undecided];
    for (text, allowed) in [
        (laplace("1 / eps", ""), good),
        (laplace("1 / eps", script), good),
        (laplace("1 / (2 * eps)", ""), bad),
        (noisy_max(4), good),
        (bits(2, "c & a[0]"), bad),
    ] {
        for microseconds in (0..12).map(|i| 100 << i) {
            let time = Some(Duration::from_micros(microseconds));
            let found = report(&text, Limits { time, ..Limits::default() });
            assert!(
                allowed.contains(&found.conclusion),
                "{:?} after {microseconds} µs: {text}",
                found.conclusion
            );
            assert_eq!(found.stopped.is_some(), found.conclusion == Conclusion::Undecided, "{text}");
        }
        assert_eq!(report(&text, patient()).conclusion, allowed[0]);
    }
}

#[test]
fn the_answer_says_which_limit_and_what_to_do() {
    let text = noisy_max(12);
    let (file, _) = parse(&text);
    let task = Task { file: &file, declaration: &file.declarations[0], file_name: "max.lb", text: &text };
    let limits = Limits { time: Some(Duration::from_millis(100)), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let answer = Answer::find(task, Default::default(), &options, &mut |_| {}).expect("it can be read");
    let words = answer.in_words(Shown::default());
    assert!(
        words.starts_with("max: eps-DP UNDECIDED: the time limit of 0.1 s is reached\n  it was "),
        "{words}"
    );
    assert!(words.contains("--timeout"), "{words}");
    assert_eq!(answer.certificates(), []);
    assert_eq!(answer.found.conclusion, Conclusion::Undecided);
    let stopped = answer.found.stopped.as_ref().expect("it was stopped");
    assert!(matches!(stopped.reason, Reason::Time(_)), "{stopped}");
}

/// A certificate is not accepted for want of time either.
#[test]
fn certificates_are_checked_within_limits() {
    let text = histogram(5, "at most one");
    let found = report(&text, patient());
    let (proof, _) = found.proved().expect("it is proved");
    let values = Default::default();
    let written = certificate::to_json(&text, "h", &values, proof).to_string();
    let read = certificate::read(&written).expect("a certificate");
    assert!(read.check().is_ok());
    let none = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let refusal = read.check_within(&none).unwrap_err();
    assert!(matches!(&refusal, certificate::CertificateError::Kernel(KernelError::Stopped(_))), "{refusal}");

    let (file, _) = parse(&text);
    let watch = Watch::start(&none);
    let stopped = kernel::check_until(&file, &file.declarations[0], &values, proof, &watch).unwrap_err();
    assert!(matches!(stopped, KernelError::Stopped(_)), "{stopped}");
    let program = Program::new(&file, &file.declarations[0], &values).expect("a program");
    assert!(kernel::hypotheses(&program.clone().watched(&watch)).is_err());
    assert_eq!(kernel::hypotheses(&program).expect("few").len(), proof.leaves.len());
}

#[test]
fn a_histogram_of_a_hundred_cells_is_proved() {
    let found = report(&histogram(100, "at most one"), patient());
    assert_eq!((found.conclusion, found.stopped), (Conclusion::Proved, None));
}
