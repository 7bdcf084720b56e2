use lastbit::{BitSource, InsecureSeededSource};

use super::*;

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

#[test]
fn refuses_what_makes_no_sense() {
    for confidence in ["0", "1", "-0.5", "1.5"].map(rational) {
        assert_eq!(Attack::new(confidence.clone()), Err(AttackError::Confidence(confidence)));
    }
    let attack = Attack::new(rational("0.99")).unwrap();
    for delta in ["-0.1", "1"].map(rational) {
        assert_eq!(attack.clone().with_delta(delta.clone()), Err(AttackError::Delta(delta)));
    }
    assert_eq!(attack.clone().with_inputs([0.0, f64::NAN]), Err(AttackError::Input("NaN".into())));
    let few = attack.run([&[0.0; 4], &[0.0; 3]]).unwrap_err();
    assert_eq!(few.to_string(), "3 samples for the second input: at least 4 are needed");
}

#[test]
fn the_bound_on_the_loss_is_below_the_logarithm() {
    let bound =
        |p: &str, q: &str, delta: &str| loss_lower_bound(&rational(p), &rational(q), &rational(delta));
    assert_eq!(bound("0.3", "0.4", "0"), Rational::ZERO);
    assert_eq!(bound("0.3", "0.1", "0.25"), Rational::ZERO);
    assert_eq!(bound("0.1", "0.1", "0"), Rational::ZERO);
    // ln 3 = 1.0986122886681098…, from (0.4 - 0.1)/0.1.
    let ln3 = bound("0.4", "0.1", "0.1");
    assert!(rational("1.09861228866810969") < ln3 && ln3 < rational("1.09861228866810970"));
    assert!(bound("1e-9", "1e-300", "0") > rational("670"));
}

/// How many of `runs` tests of one and the same distribution find that it differs from itself.
fn false_alarms(runs: u64, test: impl Fn(&Attack, [&[f64]; 2]) -> Finding) -> usize {
    let attack = Attack::new(rational("0.5")).unwrap();
    let mut source = InsecureSeededSource::<u64>::from_seed(7);
    let mut uniform = || (source.next_word() >> 11) as f64;
    let alarm = |_: &u64| {
        let samples = [0, 1].map(|_| (0..200).map(|_| uniform()).collect::<Vec<f64>>());
        test(&attack, [&samples[0], &samples[1]]).exceeds(&Rational::ZERO)
    };
    (0..runs).filter(alarm).count()
}

#[test]
fn choosing_and_testing_by_the_same_samples_would_be_wrong() {
    let runs = 100;
    let honest = false_alarms(runs, |attack, samples| attack.run(samples).unwrap());
    let broken = false_alarms(runs, |attack, samples| {
        attack.choose_and_test(samples, samples, Watch(&|| true)).unwrap()
    });
    // At most one in two is what the confidence allows.
    assert!(honest <= 50, "{honest}");
    assert!(broken > 60, "{broken} {honest}");
}

#[test]
fn explains_itself() {
    let zeros = [0.0; 40];
    let ones = [1.0; 40];
    let attack = Attack::new(rational("0.9")).unwrap();
    let finding = attack.run([&zeros, &ones]).unwrap();
    assert_eq!(
        finding.explanation(),
        "y = 0: in 20 of 20 outputs for the first input, and in 0 of 20 for the second one. A single output tells the inputs \
         apart. Noise must give it about equally often for both, even where it fails, saturates or leaves the value unchanged."
    );
    let nothing = attack.run([&zeros, &zeros]).unwrap();
    assert!(nothing.explanation().starts_with("Nothing is certain. The most telling event is "));
    assert!(!nothing.exceeds(&Rational::ZERO));
}

/// Whenever it is stopped, there is no finding of a half-done search.
#[test]
fn a_stopped_attack_finds_nothing() {
    let attack = Attack::new(rational("0.99")).unwrap().with_inputs([0.0, 1.0]).unwrap();
    let samples: [Vec<f64>; 2] = [0, 1].map(|i| (0..100).map(|j| f64::from(i + j % 7)).collect());
    let samples = [&samples[0][..], &samples[1][..]];
    let asked = std::cell::Cell::new(0);
    let count = |last: u32| {
        asked.set(0);
        attack.run_while(samples, &|| {
            asked.set(asked.get() + 1);
            asked.get() <= last
        })
    };
    assert_eq!(count(u32::MAX), attack.run(samples));
    let questions = asked.get();
    assert!(questions > 20, "{questions}");
    for last in 0..questions {
        assert_eq!(count(last), Err(AttackError::Cancelled), "after {last} questions");
        assert_eq!(asked.get(), last + 1, "somebody asks again");
    }
}
