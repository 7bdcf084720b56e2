//! Attacks on noise that leaks, and on noise that does not.

use std::f64::consts::TAU;

use lastbit::{
    BitSource, DiscreteLaplace, GridLaplace, InsecureSeededSource, Laplace, Mechanism, Rational, Snapping,
};
use lastbit_audit::black_box::{Attack, Event, Finding};

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn attack() -> Attack {
    Attack::new(rational("0.999")).expect("a confidence")
}

/// The finding for samples of a function of the input and uniform numbers in `[0, 1)` of 53 bits.
fn run(
    attack: &Attack,
    seed: u64,
    n: usize,
    mut noisy: impl FnMut(f64, &mut dyn FnMut() -> f64) -> f64,
) -> Finding {
    let mut source = InsecureSeededSource::<u64>::from_seed(seed);
    let mut uniform = || (source.next_word() >> 11) as f64 * 2f64.powi(-53);
    let samples = [0.0, 1.0].map(|x| (0..n).map(|_| noisy(x, &mut uniform)).collect::<Vec<f64>>());
    attack.run([&samples[0], &samples[1]]).expect("enough samples")
}

fn textbook_laplace(x: f64, scale: f64, uniform: &mut dyn FnMut() -> f64) -> f64 {
    let u = uniform() - 0.5;
    x - scale * u.signum() * (1.0 - 2.0 * u.abs()).ln()
}

#[test]
fn the_textbook_laplace_leaks() {
    let finding = run(&attack(), 1, 20_000, |x, uniform| textbook_laplace(x, 1.0, uniform));
    assert!(finding.exceeds(&Rational::from(5)), "{finding:?}");
    assert_eq!(finding.event.to_string(), "y is not a multiple of 2^-53");
    assert_eq!((finding.favoured, finding.tested[1].hits), (0, 0));
    assert!(finding.explanation().contains("finer bits"), "{}", finding.explanation());
}

#[test]
fn known_inputs_tell_more() {
    // Both inputs have the same grid, so that only the doubles in reach of a sum tell them apart.
    let known = attack().with_inputs([0.1, 0.3]).unwrap();
    let noisy = |x: f64, uniform: &mut dyn FnMut() -> f64| {
        textbook_laplace(if x == 0.0 { 0.1 } else { 0.3 }, 1.0, uniform)
    };
    let finding = run(&known, 2, 20_000, noisy);
    assert!(
        matches!(&finding.event, Event::Not(event) if matches!(**event, Event::Reachable { .. })),
        "{finding:?}"
    );
    assert!(finding.exceeds(&rational("4")), "{finding:?}");
    assert!(finding.loss_lower_bound > run(&attack(), 2, 20_000, noisy).loss_lower_bound);
}

#[test]
fn the_textbook_gaussian_leaks() {
    let attack = attack().with_delta(rational("1e-5")).unwrap();
    // σ = 4.85 is the classical calibration for ε = 1 and this δ.
    let finding = run(&attack, 3, 20_000, |x, uniform| {
        let radius = (-2.0 * (1.0 - uniform()).ln()).sqrt();
        x + 4.85 * radius * (TAU * uniform()).cos()
    });
    assert!(finding.exceeds(&Rational::from(3)), "{finding:?}");
    assert!(matches!(finding.event, Event::Not(_)), "{finding:?}");
}

#[test]
fn half_the_noise_shows_in_a_threshold() {
    // Rounded to a grid, so that nothing but the scale is wrong: the loss is 2, and 1 is claimed.
    let finding =
        run(&attack(), 4, 20_000, |x, uniform| (textbook_laplace(x, 0.5, uniform) * 1024.0).round() / 1024.0);
    assert!(matches!(finding.event, Event::AtMost(_) | Event::AtLeast(_)), "{finding:?}");
    assert!(finding.exceeds(&rational("1.5")) && !finding.exceeds(&Rational::from(2)), "{finding:?}");
}

#[test]
fn failing_for_one_input_shows() {
    let finding = run(&attack(), 5, 2_000, |x, uniform| {
        let u = uniform();
        if x == 1.0 && u < 0.05 { f64::NAN } else { (8.0 * u).floor() }
    });
    assert_eq!((finding.event.to_string().as_str(), finding.favoured), ("y is NaN", 1));
    assert!(finding.exceeds(&Rational::ONE), "{finding:?}");
}

#[test]
fn no_noise_at_all_shows() {
    let finding = attack().run([&[0.0; 200], &[1.0; 200]]).unwrap();
    assert_eq!((finding.event.to_string().as_str(), finding.favoured), ("y = 0", 0));
    assert_eq!(finding.tested.map(|count| (count.hits, count.trials)), [(100, 100), (0, 100)]);
    assert!(finding.exceeds(&rational("2.4")), "{finding:?}");
}

#[test]
fn values_that_only_one_input_can_give_show_as_a_set() {
    // Multiples of 3 for one input, their successors for the other, and so many that none comes often.
    let finding = run(&attack(), 6, 20_000, |x, uniform| {
        3.0 * (uniform() * 500.0).floor() + if uniform() < 0.9 { x } else { 1.0 - x }
    });
    assert!(matches!(&finding.event, Event::OneOf(values) if values.len() > 100), "{finding:?}");
    assert!(
        finding.exceeds(&rational("1.5")) && !finding.exceeds(&rational("2.2")),
        "{}",
        finding.loss_lower_bound
    );
}

#[test]
fn the_same_samples_tell_nothing() {
    let samples: Vec<f64> = (0..2000).map(|i| f64::from(i * i % 509) / 7.0).collect();
    let finding = attack().run([&samples, &samples]).unwrap();
    assert_eq!(finding.loss_lower_bound, Rational::ZERO);
    assert!(!finding.exceeds(&Rational::ZERO));
}

/// How many of 100 attacks on a mechanism refute its claim of `ε = 1` for the inputs 0 and 1.
fn accusations<T: Copy>(
    mechanism: &impl Mechanism<T>,
    inputs: [T; 2],
    to_f64: impl Fn(T) -> f64 + Copy,
) -> usize {
    let attack = attack().with_inputs([0.0, 1.0]).unwrap();
    let accused = |seed: &u64| {
        let mut source = InsecureSeededSource::<u64>::from_seed(*seed);
        let samples = inputs.map(|x| {
            let mut outputs = vec![x; 2000];
            mechanism.release_in_place(&mut source, &mut outputs).expect("noise");
            outputs.into_iter().map(to_f64).collect::<Vec<f64>>()
        });
        attack.run([&samples[0], &samples[1]]).expect("enough samples").exceeds(&Rational::ONE)
    };
    (0..100).filter(accused).count()
}

#[test]
fn exact_noise_is_not_accused() {
    let one = Rational::ONE;
    let laplace = Laplace::new(one.clone()).unwrap();
    assert_eq!(accusations(&laplace, [0.0, 1.0], |y: f64| y), 0);
    let grid = GridLaplace::<f64>::new(one.clone(), Some(-10)).unwrap();
    assert_eq!(accusations(&grid, [0.0, 1.0], |y| y), 0);
    let snapping = Snapping::new(one.clone(), Rational::from(4)).unwrap();
    assert_eq!(accusations(&snapping, [0.0, 1.0], |y| y), 0);
    let discrete = DiscreteLaplace::new(one).unwrap();
    assert_eq!(accusations(&discrete, [0i64, 1], |y| y as f64), 0);
}
