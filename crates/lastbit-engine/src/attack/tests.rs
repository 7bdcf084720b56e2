use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

fn question(epsilon: &str) -> Question {
    Question { epsilon: Some(epsilon.parse().unwrap()), ..Question::default() }
}

fn layout(width: usize) -> Layout {
    Layout { width, details: true, histogram: true }
}

/// Multiples of a half for one input, and none of them for the other.
fn halves(count: u32) -> [Vec<f64>; 2] {
    [0.0, 1.0 / 3.0].map(|shift| (0..count).map(|i| (f64::from(i * 171 % count) + shift) / 2.0).collect())
}

fn answer(question: &Question, [first, second]: &[Vec<f64>; 2]) -> AttackAnswer {
    question.answer([first, second], &Watcher::nobody()).unwrap()
}

#[test]
fn the_verdicts() {
    let samples = halves(401);
    let same = [samples[0].clone(), samples[0].clone()];
    let few = [samples[0][..5].to_vec(), samples[1][..5].to_vec()];
    for (question, samples, verdict, headline) in [
        (
            question("1"),
            &samples,
            Verdict::Leaks,
            "LEAKS: loss at least 3.25, above ε = 1 (confidence 99.9%)",
        ),
        (
            question("3.25"),
            &samples,
            Verdict::Leaks,
            "LEAKS: loss at least 3.2509, above ε = 3.25 (confidence 99.9%)",
        ),
        (
            question("1"),
            &same,
            Verdict::NotSeenToLeak,
            "NOT SEEN TO LEAK: no loss was shown; the claim is ε = 1 (confidence 99.9%)",
        ),
        (
            question("1"),
            &few,
            Verdict::TooFewSamples,
            "TOO FEW SAMPLES: 5 cannot show a loss above ε = 1, which takes 50 of each input (confidence 99.9%)",
        ),
        (Question::default(), &samples, Verdict::NoClaim, "LOSS AT LEAST 3.25 (confidence 99.9%)"),
    ] {
        let answer = answer(&question, samples);
        assert_eq!((answer.verdict, answer.headline.as_str()), (verdict, headline));
        assert!(answer.text(layout(80)).starts_with(headline));
        assert!(answer.html().contains(&headline.replace('>', "&gt;")));
    }
}

/// The number that is told is the first one that decides.
#[test]
fn the_least_number_of_samples_is_enough() {
    let needed = answer(&question("1"), &halves(401)).samples_needed.unwrap();
    let least = needed.at_least.unwrap() as usize;
    let separated = |count: usize| [vec![0.0; count], vec![1.0; count]];
    assert_eq!(answer(&question("1"), &separated(least)).verdict, Verdict::Leaks);
    assert_eq!(answer(&question("1"), &separated(least - 1)).verdict, Verdict::TooFewSamples);
}

#[test]
fn noise_that_passes_is_not_accused() {
    let shifted =
        [0.0, 0.5].map(|shift| (0..2000).map(|i| f64::from(i * 769 % 2000) / 100.0 + shift).collect());
    let answer = answer(&question("1"), &shifted);
    assert_eq!(answer.verdict, Verdict::NotSeenToLeak);
    let text = answer.text(layout(80));
    for accusation in ["amount of noise", "LEAKS", "more often"] {
        assert!(!text.contains(accusation), "{text}");
    }
}

#[test]
fn lines_fit_the_terminal() {
    let answer = answer(&question("1"), &halves(401));
    for width in [40, 60, 80, 200] {
        let text = answer.text(layout(width));
        // The verdict is one line, whatever the width.
        for line in text.lines().skip(1) {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn the_numbers_have_one_form() {
    let json = answer(&question("1"), &halves(401)).json();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["verdict"], "leaks");
    for number in [&json["epsilon"], &json["delta"], &json["confidence"], &json["loss_lower_bound"]] {
        assert!(number["exact"].is_string() && number["decimal"].is_string(), "{number}");
    }
    assert_eq!(json["inputs"][0]["probability"]["kind"], "at_least");
    assert_eq!(json["inputs"][1]["probability"]["kind"], "at_most");
}

#[test]
fn a_page_is_whole_and_holds_no_script() {
    let names = ["<a>", "b & c"].map(str::to_owned);
    let question = Question { names, ..question("1") };
    let page = answer(&question, &halves(401)).html_page();
    assert!(page.contains("&lt;a&gt;") && page.contains("b &amp; c"));
    for forbidden in ["<script", "http://", "https://", "url(", "<a>"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("prefers-color-scheme:dark") && page.contains("<rect"));
}

#[test]
fn whoever_watches_may_stop_it() {
    let cancel = AtomicBool::new(false);
    let heard = Cell::new(0);
    // At the third question, as Ctrl-C would come: while it runs.
    let progress = |_: Progress<'_>| {
        heard.set(heard.get() + 1);
        cancel.store(heard.get() == 3, Ordering::Relaxed);
    };
    let watcher = Watcher { cancel: &cancel, progress: &progress };
    let [first, second] = halves(401);
    let stopped = question("1").answer([&first, &second], &watcher);
    assert!(matches!(stopped, Err(Refusal::Interrupted { .. })), "{stopped:?}");
    assert_eq!(heard.get(), 3);
}
