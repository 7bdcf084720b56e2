//! Choices as they ship, on every sequence of bits, against the closed forms; and broken copies, which must be found out.

use lastbit::{
    BitSource, Exponential, InsecureSeededSource, Metric, Neighbours, NoisyMax, Rational, Selection, Word,
};
use lastbit_audit::ExactLoss;
use lastbit_audit::bit_tree::{Bits, Divergence, Script, Tree, compare};
use lastbit_audit::choosing;
use lastbit_real::{Enclosure, Float, Rounding};

use super::chi_square::is_unlikely;
use super::{growth, rational};

/// A sign, which is not looked at, and one bit of `U` at first; then two.
type Narrow = Bits<2>;

fn rationals(texts: &[&str]) -> Vec<Rational> {
    texts.iter().map(|text| rational(text)).collect()
}

fn ones(n: usize) -> Vec<Rational> {
    vec![Rational::ONE; n]
}

fn law_of_noisy_max(scores: &[Rational], scale: &Rational) -> Vec<Enclosure> {
    choosing::noisy_max(scores, scale).iter().map(|probability| probability.enclose_to(100)).collect()
}

/// Four bits more if the environment variable `LASTBIT_MORE` is set: some minutes.
fn deep(depth: u32) -> u32 {
    if std::env::var_os("LASTBIT_MORE").is_some() { depth + 4 } else { depth }
}

fn tree(depth: u32, choose: impl Fn(&mut Script<'_, Narrow>) -> usize) -> Tree<usize> {
    let tree = Tree::exhaustive(growth(deep(depth)), |source| Ok(choose(source))).unwrap();
    eprintln!("{} replays, undecided {}", tree.replays(), tree.remainder().to_decimal(3, Rounding::Up));
    tree
}

fn noisy_max(depth: u32, scores: &[Rational], scale: &Rational) -> Tree<usize> {
    let mechanism = NoisyMax::new(scale.clone()).unwrap();
    tree(depth, |source| mechanism.choose(source, scores).unwrap())
}

fn exponential(depth: u32, scores: &[Rational], weights: &[Rational], scale: &Rational) -> Tree<usize> {
    let mechanism = Exponential::new(scale.clone()).unwrap();
    tree(depth, |source| mechanism.choose_weighted(source, scores, weights).unwrap())
}

/// The probabilities of the shipped code lie where the closed form says, and leave little room.
#[track_caller]
fn fits(tree: &Tree<usize>, law: &[Enclosure], most_undecided: &str) {
    let divergence = Divergence::between(tree, law);
    assert_eq!(divergence.refuted_by, None);
    assert!(tree.remainder() < rational(most_undecided), "{}", tree.remainder());
}

#[test]
fn two_candidates() {
    let scale = rational("3/2");
    for scores in [["0", "0"], ["1", "0"], ["-1/3", "2"]] {
        let scores = rationals(&scores);
        fits(&noisy_max(16, &scores, &scale), &law_of_noisy_max(&scores, &scale), "0.1");
        for weights in [["1", "1"], ["2/7", "5"]] {
            let weights = rationals(&weights);
            let law = choosing::exponential(&scores, &weights, &scale, 100);
            fits(&exponential(16, &scores, &weights, &scale), &law, "0.1");
        }
    }
}

#[test]
fn three_candidates() {
    let scale = Rational::ONE;
    let scores = rationals(&["0", "1", "1/2"]);
    fits(&noisy_max(16, &scores, &scale), &law_of_noisy_max(&scores, &scale), "0.3");
    let law = choosing::exponential(&scores, &ones(3), &scale, 100);
    fits(&exponential(16, &scores, &ones(3), &scale), &law, "0.3");
}

/// The law of other scores, or of another scale, is found to be another.
#[test]
fn another_law_is_refuted() {
    let scores = rationals(&["1", "0"]);
    let found = noisy_max(22, &scores, &Rational::ONE);
    for (other, scale) in [(["1", "0"], "1.1"), (["1.05", "0"], "1"), (["0", "1"], "1")] {
        let law = law_of_noisy_max(&rationals(&other), &rational(scale));
        assert!(Divergence::between(&found, &law).refuted_by.is_some(), "{other:?} {scale}");
    }
    // Neither is the exponential mechanism permute-and-flip.
    let law = choosing::exponential(&scores, &ones(2), &Rational::ONE, 100);
    assert!(Divergence::between(&found, &law).refuted_by.is_some());
}

/// Whether the loss between two trees is not certainly above the claim.
fn loss_is_within(claim: &Rational, trees: [&Tree<usize>; 2]) -> bool {
    let loss = compare(trees, claim).unwrap().loss(100);
    match &loss {
        ExactLoss::Finite(loss) => eprintln!("claimed {claim}, true {loss}"),
        other => eprintln!("claimed {claim}, true {other:?}"),
    }
    !loss.exceeds(claim)
}

/// The loss of the shipped code between neighbours is not above the claim. Half of the noise, as for monotone scores, is refuted by scores of
/// which one goes up and another down.
#[test]
fn losses() {
    let one = Rational::ONE;
    let [before, after] = [rationals(&["0", "3/2"]), rationals(&["1", "1/2"])]; // range distance 2
    for metric in [Metric::LInfinity, Metric::Range] {
        let noisy = NoisyMax::for_epsilon(&one, &one, metric).unwrap();
        let softmax = Exponential::for_epsilon(&one, &one, metric).unwrap();
        let claim = noisy.claim(lastbit::ValueType::Real, metric, &Neighbours::at(one.clone())).unwrap();
        assert_eq!(claim.loss(), &one);
        let trees = [&before, &after].map(|scores| noisy_max(16, scores, noisy.scale()));
        let weighted = [&before, &after].map(|scores| exponential(16, scores, &ones(2), softmax.scale()));
        let is_sound = metric == Metric::LInfinity;
        assert_eq!(loss_is_within(&one, [&trees[0], &trees[1]]), is_sound, "{metric}");
        assert_eq!(loss_is_within(&one, [&weighted[0], &weighted[1]]), is_sound, "{metric}");
    }
    // Both go up: monotone, and the smaller noise is enough.
    let after = rationals(&["1", "3/2"]);
    let trees = [&before, &after].map(|scores| noisy_max(16, scores, &one));
    assert!(loss_is_within(&one, [&trees[0], &trees[1]]));
}

/// In closed form: the loss is never above range/b, and reaches it but for a part in a thousand, for several scores and moves.
#[test]
fn range_over_scale_is_the_loss() {
    let scale = rational("1/2");
    let scores = rationals(&["0", "4", "3.5", "-5"]);
    let mut largest = Rational::ZERO;
    for moves in
        [["1", "0", "0", "0"], ["1", "-1", "0.5", "0"], ["-1", "-1", "-1", "0"], ["1/3", "1/3", "1/3", "1/3"]]
    {
        let moves = rationals(&moves);
        let range = moves.iter().max().unwrap() - moves.iter().min().unwrap();
        let bound = &range / &scale;
        let moved: Vec<Rational> = scores.iter().zip(&moves).map(|(score, by)| score + by).collect();
        for laws in [
            [&scores, &moved].map(|scores| law_of_noisy_max(scores, &scale)),
            [&scores, &moved]
                .map(|scores| choosing::exponential(scores, &rationals(&["1", "2", "3", "4"]), &scale, 100)),
        ] {
            for (p, q) in laws[0].iter().zip(&laws[1]) {
                let ratio = |a: &Enclosure, b: &Enclosure| {
                    Rational::from(lastbit_real::ln_quotient(a.hi(), b.lo(), 80).unwrap().hi())
                };
                // Enclosures are 2^-90 wide.
                let loss = ratio(p, q).max(ratio(q, p));
                assert!(loss <= &bound + Rational::pow2(-60), "{loss} {bound}");
                if !range.is_zero() {
                    largest = largest.max(loss / &bound);
                }
            }
        }
    }
    assert!(largest > rational("0.999") && largest <= rational("1.0001"), "{largest}");
}

/// What a hurried author would write: one word for each candidate, its middle for `U`, the first of equals.
fn by_first_words<W: Word>(source: &mut Script<'_, W>, scores: &[f64], scale: f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (i, score) in scores.iter().enumerate() {
        let u =
            (source.next_word().left_aligned() << 1) as f64 / 2f64.powi(64) + 2f64.powi(-(W::BITS as i32));
        let noisy = score - scale * u.ln();
        if noisy > best.1 {
            best = (i, noisy);
        }
    }
    best.0
}

/// Ties broken by index, and comparisons of what is only half known.
#[test]
fn hurried_copies_are_refuted() {
    for scores in [[0.0, 0.0], [1.0, 0.0], [0.25, 0.0]] {
        let found = Tree::exhaustive(growth(10), |source: &mut Script<'_, Bits<5>>| {
            Ok(by_first_words(source, &scores, 1.0))
        })
        .unwrap();
        assert!(found.remainder().is_zero());
        let exact: Vec<Rational> = scores.iter().map(|score| Rational::try_from(*score).unwrap()).collect();
        let law = law_of_noisy_max(&exact, &Rational::ONE);
        let refuted = Divergence::between(&found, &law).refuted_by;
        assert!(refuted.is_some(), "{scores:?}");
    }
}

/// Draws at the width that ships.
const DRAWS: usize = 200_000;

#[test]
fn chi_square_of_choices() {
    let scores = [3i64, 5, 4, 0, 5, 1, 2, -1, 4, 5];
    let weights = [1i64, 2, 1, 9, 1, 3, 1, 40, 1, 1];
    let scale = rational("3/2");
    let exact: Vec<Rational> = scores.iter().map(|score| Rational::from(*score)).collect();
    let nearest = |law: &[Enclosure]| -> Vec<f64> {
        law.iter().map(|p| f64::from_dyadic(p.lo(), Rounding::Nearest)).collect()
    };
    let noisy_max = NoisyMax::new(scale.clone()).unwrap();
    let exponential = Exponential::new(scale.clone()).unwrap();
    let count = |choose: &dyn Fn(&mut InsecureSeededSource<u64>) -> usize| {
        let mut source = InsecureSeededSource::<u64>::from_seed(21);
        let mut counts = vec![0; scores.len()];
        (0..DRAWS).for_each(|_| counts[choose(&mut source)] += 1);
        counts
    };
    let law = nearest(&law_of_noisy_max(&exact, &scale));
    let counts = count(&|source| noisy_max.choose(source, &scores).unwrap());
    assert!(!is_unlikely(&counts, &law));
    let weighted: Vec<Rational> = weights.iter().map(|weight| Rational::from(*weight)).collect();
    let softmax = nearest(&choosing::exponential(&exact, &weighted, &scale, 100));
    let with_weights = count(&|source| exponential.choose_weighted(source, &scores, &weights).unwrap());
    assert!(!is_unlikely(&with_weights, &softmax));
    assert!(is_unlikely(&counts, &softmax) && is_unlikely(&with_weights, &law));
}
