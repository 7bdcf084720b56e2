//! Inputs that are likely to lose much.
use super::Variant;
use super::domain::{Domain, turning_point};
use super::outputs::powers_of_two_passed;

/// Inputs to start from: the ends, thresholds and their neighbours, zero and the least double, halves, and where something on the
/// way to an outermost threshold passes a power of two.
pub(super) fn anchors(variant: &Variant, domain: &Domain) -> Vec<f64> {
    let mechanism = &variant.mechanism;
    let (bound, top) = (mechanism.bound(), mechanism.top());
    let ends = [domain.low(), -bound, bound, domain.high()];
    let across = [domain.farthest_above(-bound), domain.farthest_below(bound)];
    let mut anchors: Vec<f64> = ends.into_iter().chain(across).chain([0.0]).collect();
    let outermost = [1 - top, top].map(|k| mechanism.threshold(k));
    for tie in outermost.into_iter().chain([0, 1].map(|k| mechanism.threshold(k))) {
        anchors.extend([tie, tie.next_down()]);
    }
    let ln2 = variant.noise().of(0.5).abs();
    for (threshold, toward_zero) in outermost.into_iter().zip([1.0, -1.0]) {
        let distances = powers_of_two_passed(variant, threshold);
        // u is a power of two, and the doubles above it are twice as coarse as those below.
        let halvings = [1.0, 2.0, 3.0, 4.0].map(|n| n * ln2);
        anchors
            .extend(distances.into_iter().chain(halvings).map(|distance| threshold + toward_zero * distance));
    }
    anchors.extend([0.5, 1.0, bound / 2.0, 5e-324].into_iter().flat_map(|f| [f, -f]));
    let mut anchors: Vec<f64> = anchors.into_iter().map(|f| domain.nearest(f) + 0.0).collect();
    let mut seen = std::collections::BTreeSet::new();
    anchors.retain(|f| seen.insert(f.to_bits()));
    anchors
}

/// Neighbouring doubles of which one can give an end and the other cannot, because the noise of the least `u` does not reach it.
fn at_the_end_of_reach(variant: &Variant, domain: &Domain) -> Vec<[f64; 2]> {
    let mechanism = &variant.mechanism;
    let farthest = variant.farthest();
    let [lowest, highest] = [1 - mechanism.top(), mechanism.top()].map(|k| mechanism.threshold(k));
    let (low, high) = (domain.low(), domain.high());
    let misses_lower_end = turning_point(low, high, |f| f + farthest >= lowest);
    let gives_upper_end = turning_point(low, high, |f| f - farthest >= highest);
    misses_lower_end.into_iter().chain(gives_upper_end).map(|f| [f.next_down(), f]).collect()
}

/// Pairs to look at first, the most likely ones first: at the end of the noise's reach, then as far apart as allowed, then neighbours.
pub(super) fn pairs(variant: &Variant, domain: &Domain, anchors: &[f64]) -> Vec<[f64; 2]> {
    let mut pairs = at_the_end_of_reach(variant, domain);
    pairs.extend(anchors.iter().map(|&f| [f, domain.farthest_above(f)]));
    pairs.extend(anchors.iter().map(|&f| [domain.farthest_below(f), f]));
    pairs.extend(anchors.iter().map(|&f| [f, f.next_up()]));
    pairs.extend(anchors.iter().map(|&f| [f.next_down(), f]));
    let mut seen = std::collections::BTreeSet::new();
    pairs.retain(|pair| domain.admits(*pair) && seen.insert(pair.map(f64::to_bits)));
    pairs
}
