//! Mechanisms: what they compute, what they take, their loss, when to use them.

use super::{Entry, Group};

const fn mechanism(
    word: &'static str,
    aliases: &'static [&'static str],
    statement: &'static str,
    reason: &'static str,
    example: &'static str,
    see: &'static str,
) -> Entry {
    Entry { group: Group::Mechanisms, word, aliases, statement, reason, example, see }
}

pub(super) const MECHANISMS: [Entry; 14] = [
    mechanism(
        "laplace",
        &["lap"],
        "x -> the float or integer nearest to x + b·L, L real with density exp(-|l|)/2. Takes scale b, or ε and sensitivity. Loss: distance/b, pure, L1.",
        "The one to start with: floats or integers, pure ε-differential privacy, and exact.",
        "`lastbit noise laplace --epsilon 0.1 --sensitivity 1`.",
        "docs/noise.md",
    ),
    mechanism(
        "gaussian",
        &["normal"],
        "x -> the float or integer nearest to x + σ·G, G standard normal. Takes scale σ, variance, ρ, or ε and δ, with a sensitivity. Loss: ρ = distance²/(2σ²), L2.",
        "For many values at once, whose L2 distance is much smaller than their L1 distance, and for budgets in ρ.",
        "`lastbit noise gaussian --epsilon 1 --delta 1e-6 --sensitivity 1`.",
        "docs/noise.md",
    ),
    mechanism(
        "grid-laplace",
        &[],
        "x -> (r + Z)·2^k, r being x/2^k rounded and Z discrete Laplace. Takes scale, or ε and sensitivity, and k, max-changed, granularity. Loss: that of the rounded inputs, which may be farther apart.",
        "For outputs on a grid of your choice, as in OpenDP; it costs a little more privacy than laplace.",
        "`lastbit noise grid-laplace --epsilon 1 --sensitivity 1 --k -20 --max-changed 1`.",
        "docs/noise.md",
    ),
    mechanism(
        "discrete-laplace",
        &["dlap", "geometric"],
        "x -> x + Z, Z an integer z with probability proportional to exp(-|z|/b). Takes scale b, or ε and sensitivity. Loss: distance/b, pure, L1.",
        "For counts. --constant-time makes the same noise in a time that does not depend on it.",
        "`lastbit noise discrete-laplace --epsilon 1/2 --sensitivity 1`.",
        "docs/noise.md",
    ),
    mechanism(
        "discrete-gaussian",
        &[],
        "x -> x + Z, Z an integer z with probability proportional to exp(-z²/(2σ²)). Takes scale σ, variance, or ρ and sensitivity. Loss: ρ = distance²/(2σ²), L2.",
        "For many counts at once.",
        "`lastbit noise discrete-gaussian --rho 1/8 --sensitivity 1`.",
        "docs/noise.md",
    ),
    mechanism(
        "snapping",
        &["snap"],
        "x -> clamp(⌊clamp(x) + L/ε⌉_Λ): Laplace noise, rounded to the grid Λ and clamped to [-B, B], over the reals and sampled exactly. Takes ε, sensitivity, bound. Loss: ε·distance/sensitivity, pure.",
        "Mironov's mechanism, for bounded outputs on a coarse grid.",
        "`lastbit noise snapping --epsilon 1 --sensitivity 1 --bound 100`.",
        "docs/noise.md",
    ),
    mechanism(
        "float-snapping",
        &["snap_f", "snapping --form float"],
        "The snapping mechanism with every operation in doubles. Takes ε, sensitivity, bound. Loss: ε·distance and an excess of a few hundred η (Theorem A).",
        "For study, because others ship it; snapping has no excess.",
        "`lastbit noise snapping --form float --epsilon 1 --sensitivity 1 --bound 100`.",
        "docs/endpoint.md",
    ),
    mechanism(
        "noisy-max",
        &["report noisy max"],
        "scores -> the candidate with the largest s_i + b·E_i, E_i exponential. Takes scale b, or ε and the sensitivity of one score. Loss: 2·distance/b, or half of that if all scores move in the same direction (--monotone).",
        "Chooses the best of several candidates; only the choice is published. Medians and quantiles of `lastbit release` are chosen so.",
        "`lastbit choose noisy-max --epsilon 1 --sensitivity 1 scores.txt`.",
        "docs/choosing.md",
    ),
    mechanism(
        "exponential",
        &["exponential mechanism"],
        "scores -> candidate i with probability proportional to w_i·exp(s_i/b). Takes scale b, or ε and the sensitivity of one score, and public weights. Loss: 2·distance/b, or half of that if all scores move in the same direction.",
        "Like noisy-max, but with weights, and with probabilities given by a formula.",
        "`lastbit choose exponential --epsilon 1 --sensitivity 1 scores.txt`.",
        "docs/choosing.md",
    ),
    mechanism(
        "textbook-laplace",
        &["textbook"],
        "x -> x ⊕ s ⊗ (LN(u) ⊘ ε), with a random sign s and every operation in floating point. Takes ε and the type. Loss: infinite.",
        "Not for use, and not offered: it is what an audit shows to be broken, as many libraries have it.",
        "`lastbit audit textbook-laplace --epsilon 1 --inputs 0 1`.",
        "docs/audit.md",
    ),
    mechanism(
        "randomized-response",
        &["rr"],
        "a bit -> the bit with probability e^ε/(1 + e^ε), otherwise the other one. Takes ε. Loss: ε, pure.",
        "For answers that nobody may see, not even those who collect them; lastbit audits, proves and accounts for it.",
        "`lastbit account --delta 1e-6 randomized-response:epsilon=1*10`.",
        "docs/accounting.md",
    ),
    mechanism(
        "pure",
        &[],
        "In a term of lastbit account: anything whose loss is at most ε. Takes ε.",
        "For releases of others, of which nothing else is known.",
        "`lastbit account --delta 1e-6 pure:epsilon=0.1*100`.",
        "docs/accounting.md",
    ),
    mechanism(
        "approximate",
        &[],
        "In a term of lastbit account: anything that is (ε, δ)-differentially private. Takes ε and δ.",
        "For releases of others, of which nothing else is known.",
        "`lastbit account --delta 1e-4 approximate:epsilon=0.1,delta=1e-6*10`.",
        "docs/accounting.md",
    ),
    mechanism(
        "threshold",
        &["unknown keys"],
        "In a term of lastbit account: groups that the data name, each published if its noisy count reaches a threshold. Takes ε or scale, the threshold, and the keys of a unit.",
        "A group of one unit alone is published with a small probability, which costs δ.",
        "`lastbit account --delta 1e-6 threshold:epsilon=1,threshold=40`.",
        "docs/accounting.md",
    ),
];
