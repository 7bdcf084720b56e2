use super::*;
use lastbit_real::Rounding;

fn double(x: &Rational) -> f64 {
    x.to_f64(Rounding::Nearest)
}

fn drawn(noise: &Noise, random: &mut Random) -> f64 {
    let size = -random.uniform().ln() * double(noise.scale());
    match noise {
        Noise::Laplace(_) if random.word().is_multiple_of(2) => -size,
        _ => size,
    }
}

/// Random regions, by drawing.
#[test]
fn frequencies() {
    const DRAWS: u32 = 20_000;
    for seed in 0..60 {
        let mut random = Random(1000 + seed);
        let (n, m) = [(2, 2), (3, 2), (3, 4), (4, 3), (5, 2)][seed as usize % 5];
        let (noises, region) = random.problem(n, m);
        let p = estimate(&noises, &region, Budget::default()).unwrap();
        let lines: Vec<(Vec<f64>, f64)> = (region.iter())
            .map(|half| (half.coefficients.iter().map(double).collect(), double(&half.constant)))
            .collect();
        let inside = |random: &mut Random| {
            let point: Vec<f64> = noises.iter().map(|noise| drawn(noise, random)).collect();
            let value = |(line, constant): &(Vec<f64>, f64)| {
                constant + line.iter().zip(&point).map(|(c, v)| c * v).sum::<f64>()
            };
            lines.iter().all(|line| value(line) >= 0.0)
        };
        let hits = (0..DRAWS).filter(|_| inside(&mut random)).count() as f64;
        let deviation = (p * (1.0 - p) / f64::from(DRAWS)).sqrt();
        let frequency = hits / f64::from(DRAWS);
        assert!((frequency - p).abs() <= 5.0 * deviation + 1e-12, "seed {seed}: {frequency} for {p}");
    }
}

/// The sparse vector technique is an integral over the threshold of a product: Simpson's rule between the kinks.
#[test]
fn simpson() {
    let above =
        |x: f64, scale: f64| if x < 0.0 { 1.0 - (x / scale).exp() / 2.0 } else { (-x / scale).exp() / 2.0 };
    let queries = [0, 1, -2, 4, 1];
    let noises = laplace(&["2", "4", "4", "4", "4", "4"]);
    for pattern in [0, 31, 0b10110, 0b00101] {
        let density = |rho: f64| {
            let answers = queries.iter().enumerate().map(|(i, q)| {
                let p = above(rho - f64::from(*q), 4.0);
                if pattern >> i & 1 == 0 { p } else { 1.0 - p }
            });
            answers.product::<f64>() * (-rho.abs() / 2.0).exp() / 4.0
        };
        // Kinks lie at whole numbers.
        let panel = |i: i32| {
            let at = |k: i32| density(f64::from(i) + f64::from(k) / 16.0);
            let inner = (1..16).map(|k| if k % 2 == 1 { 4.0 * at(k) } else { 2.0 * at(k) }).sum::<f64>();
            (at(0) + inner + at(16)) / 48.0
        };
        let numerical: f64 = (-80..80).map(panel).sum();
        let queries = queries.map(i64::from);
        let region = signed(&sparse_vector(&queries), pattern);
        let p = estimate(&noises, &region, Budget::default()).unwrap();
        assert!((p / numerical - 1.0).abs() < 1e-6, "{pattern}: {p} {numerical}");
    }
}
