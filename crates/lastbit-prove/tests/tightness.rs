//! How tight the bounds are, on programs whose errors are known by other means.

use lastbit_lang::{StraightLine, fpcore};
use lastbit_prove::analysis::{Analysis, Method};
use lastbit_prove::analysis::{Effort, analyse};
use lastbit_prove::derivation::Derivation;
use lastbit_prove::whole_box;
use lastbit_real::{Dyadic, Rational};

fn program(text: &str) -> StraightLine {
    fpcore::read(text).remove(0).expect("a good program")
}

fn bound(text: &str, effort: Effort) -> (StraightLine, Analysis) {
    let program = program(text);
    let analysis = analyse(&program, effort, |_| {}).expect("a bound");
    (program, analysis)
}

/// `1/ε = 10`, `|x| <= 1024`, any double `u`: half an ulp of `ln u` ten times, of the product, and of the sum.
#[test]
fn the_snapping_core() {
    let text = "(FPCore (x u) :pre (and (<= -1024 x 1024) (<= 0x1p-1074 u 1)) (+ x (* 10 (log u))))";
    let (_, analysis) = bound(text, Effort::FAST);
    assert_eq!(analysis.error, Dyadic::new(17, -43));
    assert_eq!(analysis.leaves().count(), 1);
}

/// Sums of numbers of (1, 2): each rounds by half an ulp of its binade, also the last one, whose bound of 16 is met from below only.
#[test]
fn eight_terms() {
    let text = "(FPCore (a b c d e f g h)
        :pre (and (< 1 a 2) (< 1 b 2) (< 1 c 2) (< 1 d 2) (< 1 e 2) (< 1 f 2) (< 1 g 2) (< 1 h 2))
        (+ (+ (+ (+ (+ (+ (+ a b) c) d) e) f) g) h))";
    let (_, analysis) = bound(text, Effort::FAST);
    assert_eq!(analysis.error, Dyadic::new(1 + 2 + 2 + 4 + 4 + 4 + 4, -52));
}

/// What is exact costs nothing: differences of near numbers, scaling by powers of two, 0 and signs.
#[test]
fn exact_operations() {
    for text in [
        "(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2)) (- x y))",
        "(FPCore (x) :pre (<= 1e-100 x 1e100) (* 0.25 (- (fabs (* -8 x)))))",
        "(FPCore (x) :pre (<= 1e-200 x 1e100) (+ (/ x 1024) 0))",
        "(FPCore (x y) :pre (and (<= -3 x 7) (<= -1 y 1)) (fmax (fmin x y) (if (< x y) x y)))",
    ] {
        let (_, analysis) = bound(text, Effort::FAST);
        assert_eq!(analysis.error, Dyadic::ZERO, "{text}");
    }
}

/// `(a - b)·c` with `a - b` rounded once: the rounding of `x·y` comes in twice and cancels.
#[test]
fn errors_cancel_in_linear_forms() {
    let text = "(FPCore (x y z) :pre (and (<= 1 x 2) (<= 1 y 2) (<= 1 z 2))
        (let ([t (* x y)]) (- (+ t z) (- t z))))";
    let program = program(text);
    let derivation = Derivation::new(&program, whole_box(&program).expect("a box"));
    let by_rules = &derivation.judgement(program.result).expect("a judgement").error;
    let linear = &derivation.linear.as_ref().expect("a linear form").error;
    // t rounds by 2^-52, and counts twice for the rules: that is the difference.
    assert_eq!(by_rules - linear, Dyadic::pow2(-51));
    let (_, analysis) = bound(text, Effort::of_boxes(1));
    assert!(analysis.leaves().all(|leaf| leaf.method == Method::Linear));
}

/// Boxes: `z/(z + 1)` has a relative error of two roundings and stays below 1, which no single box shows.
#[test]
fn boxes_find_what_one_box_can_not() {
    let text = "(FPCore (z) :pre (<= 0 z 999) (/ z (+ z 1)))";
    let (_, one) = bound(text, Effort::of_boxes(1));
    let (_, many) = bound(text, Effort::NORMAL);
    assert!(many.error <= Dyadic::new(2, -53));
    assert!(one.error > many.error.shl(8));
    assert!(*many.range.hi() < Dyadic::from(2));
}

/// A choice on an input is cut where it changes, so that each side is as good as alone; also where the other branch has no value.
#[test]
fn choices_are_cut() {
    let text = "(FPCore (x) :pre (<= -4 x 4) (if (< x 1) (- 1 x) (log x)))";
    let (_, analysis) = bound(text, Effort::of_boxes(2));
    assert_eq!(analysis.leaves().count(), 2);
    let text = "(FPCore (x) :pre (<= 1 x 4) (log x))";
    let (_, branch) = bound(text, Effort::FAST);
    // 1 - x rounds by half an ulp of numbers up to 5, and that is more.
    assert_eq!(analysis.error, Dyadic::pow2(-51));
    assert!(branch.error < analysis.error);
}

/// `fma` rounds once.
#[test]
fn fma_rounds_once() {
    let ranges = ":pre (and (<= 1 x 2) (<= 1 y 2) (<= 1 z 2))";
    let (_, fused) = bound(&format!("(FPCore (x y z) {ranges} (fma x y z))"), Effort::FAST);
    let (_, plain) = bound(&format!("(FPCore (x y z) {ranges} (+ (* x y) z))"), Effort::FAST);
    assert_eq!(fused.error, Dyadic::pow2(-51));
    assert_eq!(plain.error, &Dyadic::pow2(-51) + &Dyadic::pow2(-52));
}

/// A search that cuts more never says more.
#[test]
fn effort_pays() {
    let text = "(FPCore (u v T) :pre (and (<= -100 u 100) (<= 20 v 20000) (<= -30 T 50))
        (let ([t (+ 331.4 (* 0.6 T))]) (/ (* (- t) v) (* (+ t u) (+ t u)))))";
    let errors: Vec<Rational> =
        [1, 16, 128, 512].map(|boxes| Rational::from(&bound(text, Effort::of_boxes(boxes)).1.error)).to_vec();
    assert!(errors.windows(2).all(|pair| pair[1] <= pair[0]), "{errors:?}");
    assert!(&errors[3] * Rational::from(3) < &errors[0] * Rational::from(2));
}
