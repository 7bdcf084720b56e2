//! Densities that are wrong, and the identities that notice.

use super::*;

fn part(side: i64, slope: i64, weight: &str) -> Part {
    Part { side: side.into(), slope: slope.into(), weight: rational(weight) }
}

/// In how many random partitions the parts do not add up to 1 or are not as likely as their mirror images, if all noises have
/// this density.
fn failures(density: &[Part]) -> usize {
    let noises = laplace(&["1", "1"]);
    let densities = vec![density.to_vec(); 2];
    let integral = |region: &[HalfSpace]| {
        let region = polyhedron(&noises, region);
        region.map_or(ExponentialSum::default(), |region| {
            integrate(&densities, region, Budget::default()).unwrap()
        })
    };
    let fails = |seed: &u64| {
        let mut random = Random(*seed);
        let half_spaces: Vec<_> = (0..3).map(|_| random.half_space(2)).collect();
        let parts: Vec<_> = (0..8).map(|pattern| signed(&half_spaces, pattern)).collect();
        let sum = parts.iter().map(|part| integral(part)).fold(ExponentialSum::default(), |x, y| &x + &y);
        sum != one() || parts.iter().any(|part| integral(part) != integral(&mirrored(part)))
    };
    (0..20).filter(fails).count()
}

fn mirrored(region: &[HalfSpace]) -> Vec<HalfSpace> {
    let mirror = |half: &HalfSpace| HalfSpace {
        coefficients: half.coefficients.iter().map(|c| -c).collect(),
        ..half.clone()
    };
    region.iter().map(mirror).collect()
}

#[test]
fn wrong_densities_are_noticed() {
    let right = part(1, -1, "1/2");
    assert_eq!(failures(&[right.clone(), part(-1, 1, "1/2")]), 0);
    for (what, left) in [
        ("no kink: it falls on the left, too", part(-1, -1, "1/2")),
        ("a side twice", part(1, -1, "1/2")),
        ("a weight that is wrong", part(-1, 1, "1/3")),
        ("a slope that is wrong", part(-1, 2, "1/2")),
    ] {
        assert!(failures(&[right.clone(), left]) > 10, "{what}");
    }
    assert!(failures(&[right]) > 10, "a side is missing");
}
