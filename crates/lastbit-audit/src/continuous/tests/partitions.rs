use super::*;

/// The sum over all signs of the half-spaces.
fn total(noises: &[Noise], half_spaces: &[HalfSpace]) -> ExponentialSum {
    let patterns = 0..1 << half_spaces.len();
    patterns
        .map(|pattern| exact(noises, &signed(half_spaces, pattern)))
        .fold(ExponentialSum::default(), |x, y| &x + &y)
}

#[test]
fn signs_of_random_forms() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let (n, m) = [(2, 3), (2, 5), (3, 3), (3, 4), (4, 3)][seed as usize % 5];
        let (noises, half_spaces) = random.problem(n, m);
        assert_eq!(total(&noises, &half_spaces), one(), "seed {seed}");
    }
}

/// A region is cut in two by one more half-space.
#[test]
fn one_more_cut() {
    for seed in 100..130 {
        let mut random = Random(seed);
        let (noises, mut region) = random.problem(4, 3);
        let whole = exact(&noises, &region);
        region.push(random.half_space(4));
        let parts = [0, 1 << 3].map(|pattern| exact(&noises, &signed(&region, pattern)));
        assert_eq!(&parts[0] + &parts[1], whole, "seed {seed}");
    }
}

/// All answers of the sparse vector technique, without a stop, and up to the first that is above.
#[test]
fn sparse_vectors() {
    let noises = laplace(&["2", "4", "4", "4", "4", "4"]);
    for queries in [[0, 0, 0, 0, 0], [1, 0, 1, 1, 0], [-1, 0, 2, 5, 1]] {
        let half_spaces = sparse_vector(&queries);
        assert_eq!(total(&noises, &half_spaces), one());
        let stops_at = |i: usize| signed(&half_spaces[..=i], (1 << i) - 1);
        let stops = (0..5).map(|i| exact(&noises, &stops_at(i)));
        let never = exact(&noises, &signed(&half_spaces, 31));
        assert_eq!(stops.fold(never, |x, y| &x + &y), one());
    }
}

/// Each of the noisy values is the largest with some probability.
#[test]
fn noisy_max() {
    let queries = [0i64, 1, 1, 3, 2, 0];
    for noises in [laplace(&["2"; 6]), exponential(&["2"; 6])] {
        let wins = |i: usize| {
            let beats = |j: usize| {
                let coefficients = (0..6).map(|v| i64::from(v == i) - i64::from(v == j));
                half_space(&coefficients.collect::<Vec<_>>(), &(queries[i] - queries[j]).to_string())
            };
            (0..6).filter(|j| *j != i).map(beats).collect::<Vec<_>>()
        };
        let sum = (0..6).map(|i| exact(&noises, &wins(i))).fold(ExponentialSum::default(), |x, y| &x + &y);
        assert_eq!(sum, one());
    }
}
