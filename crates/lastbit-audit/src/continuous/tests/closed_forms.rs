use super::*;

fn term(coefficient: &str, exponent: &str) -> ExponentialSum {
    ExponentialSum::term(rational(coefficient), rational(exponent))
}

/// `P[v <= t]`
#[test]
fn one_noise() {
    for (noise, t, expected) in [
        (laplace(&["3/2"]), "-2", term("1/2", "-4/3")),
        (laplace(&["3/2"]), "0", term("1/2", "0")),
        (laplace(&["3/2"]), "2", &one() - &term("1/2", "-4/3")),
        (exponential(&["3/2"]), "-2", ExponentialSum::default()),
        (exponential(&["3/2"]), "2", &one() - &term("1", "-4/3")),
    ] {
        // Whatever the half-space is multiplied by.
        for factor in ["1", "7/3"].map(rational) {
            let at_most = HalfSpace::new([-&factor], rational(t) * &factor);
            assert_eq!(exact(&noise, &[at_most]), expected, "{noise:?} {t}");
        }
    }
}

/// `P[v₀ >= v₁ + d]`
#[test]
fn two_noises() {
    for d in ["0", "1", "5/3"] {
        let ahead = [half_space(&[1, -1], &format!("-{d}"))];
        let (d, half) = (rational(d), Rational::pow2(-1));
        // (1 + d/2b)/2·e^(-d/b) for two of scale b.
        let b = rational("3/4");
        let ratio = &d / &b;
        let expected = ExponentialSum::term(&half * (Rational::ONE + &ratio * &half), -ratio);
        assert_eq!(exact(&laplace(&["3/4", "3/4"]), &ahead), expected);
        // (a²·e^(-d/a) - b²·e^(-d/b)) / (2(a² - b²)) for two of scales a and b.
        let (a, b) = (rational("3"), rational("2"));
        let tail = |x: &Rational, y: &Rational| {
            let (square, other) = (x * x, y * y);
            ExponentialSum::term(&square / (&square - other) * &half, -(&d / x))
        };
        assert_eq!(exact(&laplace(&["3", "2"]), &ahead), &tail(&a, &b) + &tail(&b, &a));
        // a/(a + b)·e^(-d/a) for two that are not negative.
        let expected = ExponentialSum::term(&a / (&a + &b), -(&d / &a));
        assert_eq!(exact(&exponential(&["3", "2"]), &ahead), expected);
    }
}

/// `P[Σ v >= t] = e^-t·Σ tᵏ/k!`
#[test]
fn sums_of_exponentials() {
    for n in 1..=6u32 {
        let t = rational("7/2");
        let sum = [half_space(&vec![1; n as usize], "-7/2")];
        let factorial = |k: u32| (1..=k).map(Rational::from).fold(Rational::ONE, |x, y| x * y);
        let coefficient = (0..n).map(|k| t.pow(k) / factorial(k)).sum::<Rational>();
        let expected = ExponentialSum::term(coefficient, -t);
        assert_eq!(exact(&exponential(&vec!["1"; n as usize]), &sum), expected);
    }
}

/// `P[max <= t]` is a product, also where a half-space that is no condition ties the noises together.
#[test]
fn the_largest_of_many() {
    for n in 1..=6usize {
        let noises: Vec<_> = laplace(&["1", "2", "1/3", "2", "5", "1"])[..n].to_vec();
        let unit = |i: usize| (0..n).map(|v| -i64::from(v == i)).collect::<Vec<_>>();
        let mut region: Vec<_> = (0..n).map(|i| half_space(&unit(i), "3/2")).collect();
        let alone = |i: usize| exact(&noises[i..=i], &[half_space(&[-1], "3/2")]);
        let product = (0..n).fold(one(), |product, i| &product * &alone(i));
        assert_eq!(exact(&noises, &region), product);
        region.push(half_space(&vec![-1; n], &format!("{}", 3 * n)));
        assert_eq!(exact(&noises, &region), product);
    }
}

/// All orders of noises of one kind are equally likely.
#[test]
fn orders() {
    for (n, each) in [(2, "1/2"), (3, "1/6"), (4, "1/24"), (5, "1/120")] {
        for noises in [laplace(&vec!["2/3"; n]), exponential(&vec!["2/3"; n])] {
            for order in permutations(n) {
                let step = |pair: &[usize]| {
                    let coefficients = (0..n).map(|v| i64::from(v == pair[1]) - i64::from(v == pair[0]));
                    half_space(&coefficients.collect::<Vec<_>>(), "0")
                };
                let region: Vec<_> = order.windows(2).map(step).collect();
                assert_eq!(exact(&noises, &region), ExponentialSum::from(rational(each)));
            }
        }
    }
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    let Some(last) = n.checked_sub(1) else { return vec![Vec::new()] };
    let insert = |order: Vec<usize>| {
        (0..n).map(move |place| [&order[..place], &[last], &order[place..]].concat()).collect::<Vec<_>>()
    };
    permutations(last).into_iter().flat_map(insert).collect()
}

/// A half-space without noise holds or does not; one with noise has a boundary of no probability.
#[test]
fn boundaries() {
    let noises = laplace(&["1", "1"]);
    for (constant, strict, expected) in
        [("0", false, 1), ("0", true, 0), ("1/9", true, 1), ("-1/9", false, 0), ("-1/9", true, 0)]
    {
        let region = [HalfSpace { strict, ..half_space(&[0, 0], constant) }];
        assert_eq!(exact(&noises, &region), ExponentialSum::from(Rational::from(expected)));
    }
    let line = half_space(&[1, -2], "1/2");
    let strict = HalfSpace { strict: true, ..line.clone() };
    assert_eq!(exact(&noises, std::slice::from_ref(&line)), exact(&noises, &[strict]));
    let other_side = HalfSpace { strict: false, ..line.complement() };
    assert!(exact(&noises, &[line, other_side]).is_zero());
    assert_eq!(exact(&noises, &[]), one());
    assert_eq!(exact(&[], &[]), one());
    // Three half-planes without a common point, though any two have one.
    let triangle = [half_space(&[1, 1], "-3"), half_space(&[-2, 1], "-3"), half_space(&[1, -2], "-3")];
    assert!(exact(&noises, &triangle).is_zero());
}
