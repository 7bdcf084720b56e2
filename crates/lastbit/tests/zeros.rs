//! No release gives `-0`: whoever sees it could tell on which side of 0 the value was. Seeded sources, and words that are next to
//! the ends of what a sampler can do.

use lastbit::{
    FloatSnapping, GridLaplace, InsecureSeededSource, Laplace, Mechanism, Rational, ReplaySource, SnapParams,
    Snapping, snap_f,
};

/// A float that has a sign.
trait Signed: Copy + 'static {
    const INPUTS: &[Self];
    fn is_zero(self) -> bool;
    fn is_minus_zero(self) -> bool;
}

macro_rules! signed {
    ($($t:ident),*) => {$(
        impl Signed for $t {
            const INPUTS: &[$t] = &[
                0.0, -0.0, $t::from_bits(1), -$t::from_bits(1), $t::MIN_POSITIVE, -$t::MIN_POSITIVE, 1e-30, -1e-30, 0.25, -0.25, 0.5, -0.5,
                1.0, -1.0,
            ];
            fn is_zero(self) -> bool {
                self == 0.0
            }
            fn is_minus_zero(self) -> bool {
                self == 0.0 && self.is_sign_negative()
            }
        }
    )*};
}
signed!(f32, f64);

/// Words whose bits are all alike but for a few: both signs, and the smallest and the largest noise.
fn adversarial() -> Vec<u64> {
    let ends = [0, 1, 2, 3, 1 << 10, 1 << 11, 1 << 12, 1 << 52, 1 << 53, 1 << 61, 1 << 62];
    let near =
        ends.into_iter().flat_map(|word: u64| [word, word.wrapping_sub(1), !word, !word.wrapping_add(1)]);
    near.flat_map(|word| [word, word ^ 1 << 63]).collect()
}

/// How often a mechanism gives 0, always `+0`.
fn zeros<T: Signed + std::fmt::Debug, M: Mechanism<T>>(what: &str, mechanism: &M) -> u64 {
    let mut zeros = 0;
    let mut check = |x: T, y: T| {
        assert!(!y.is_minus_zero(), "{what} gives -0 for {x:?}");
        zeros += u64::from(y.is_zero());
    };
    for &x in T::INPUTS {
        for first in adversarial() {
            for rest in [0, !0] {
                let mut script = [rest; 64];
                script[0] = first;
                check(x, mechanism.release(&mut ReplaySource::new(&script), x).expect("in range"));
            }
        }
        // Many at once go another way than one.
        let mut values = vec![x; 1_000];
        let mut source = InsecureSeededSource::<u64>::from_seed(7);
        mechanism.release_in_place(&mut source, &mut values).expect("in range");
        values.into_iter().for_each(|y| check(x, y));
    }
    zeros
}

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

#[test]
fn snapping() {
    for (epsilon, bound) in [("1", "10"), ("1/3", "2"), ("4", "1/2")] {
        let exact = Snapping::new(number(epsilon), number(bound)).expect("parameters");
        assert!(zeros("snapping", &exact) > 300);
    }
    for (epsilon, bound) in [(1.0, 10.0), (0.3, 2.0), (4.0, 0.5)] {
        let float = FloatSnapping::new(epsilon, bound).expect("parameters");
        assert!(zeros("snapping in floats", &float) > 300);
    }
}

/// The core takes any parameters, a bound of 0 included.
#[test]
fn the_core_of_snapping() {
    for bound in [0.0, 1e-300, 0.5, 1.0] {
        let params = SnapParams { epsilon: 1.0, bound, grid: 1.0 };
        for &f in f64::INPUTS {
            for u in [f64::from_bits(1), 0.25, 0.5, 0.75, 1f64.next_down(), 1.0] {
                for s in [1.0, -1.0] {
                    let y = snap_f(&params, f, u, s);
                    assert!(!y.is_minus_zero(), "{bound} {f} {u} {s}");
                }
            }
        }
    }
}

#[test]
fn laplace() {
    // The smallest scales give 0 by underflow, from both sides.
    for scale in ["1", "1e-30", "1e-44", "1e-300", "1e-323"] {
        let laplace = Laplace::new(number(scale)).expect("a scale");
        let doubles = zeros::<f64, _>("Laplace in doubles", &laplace);
        let singles = zeros::<f32, _>("Laplace in singles", &laplace);
        assert!(scale != "1e-300" || singles > 300, "{singles}");
        assert!(scale != "1e-323" || doubles > 100, "{doubles}");
    }
}

#[test]
fn grid_laplace() {
    for (scale, k) in [("1", Some(0)), ("3", Some(-2)), ("1/10", Some(0)), ("1", None), ("1e-44", Some(-149))]
    {
        let doubles = GridLaplace::<f64>::new(number(scale), k).expect("a scale and a grid");
        let singles = GridLaplace::<f32>::new(number(scale), k).expect("a scale and a grid");
        let seen = [zeros("grid Laplace in doubles", &doubles), zeros("grid Laplace in singles", &singles)];
        assert!(k.is_none() || seen.iter().all(|zeros| *zeros > 100), "{scale} {k:?}: {seen:?}");
    }
    let least = GridLaplace::<f64>::new(number("1e-323"), Some(-1074)).expect("a scale and a grid");
    assert!(zeros("grid Laplace of the least doubles", &least) > 100);
}
