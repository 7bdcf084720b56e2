//! What the rules in proofs mean, in a sentence or two each. The rules themselves are in docs/logic.md, docs/semantics.md and docs/endpoint.md.

/// A rule by its name, and what it means.
pub const RULES: [(&str, &str); 26] = [
    (
        "ALIGN",
        "Every run on the first input is matched with a run on the second that returns the same: its noise is a shifted or \
         exchanged copy. What the match costs in probability is the loss.",
    ),
    (
        "ASSN",
        "An assignment changes nothing but its variable; every operation in it must be defined for all inputs.",
    ),
    ("AUDIT", "Two inputs were weighed exactly, output by output; there is no bound for all inputs."),
    ("AX-NULL", "A sample is the same in both runs. That costs nothing."),
    (
        "AX-UNIF",
        "A uniform sample of the first run is within a factor of that of the second. It is true and says nothing: equal \
         samples satisfy it at no cost.",
    ),
    ("CASE", "The inputs are split into cases, and each case is proved by itself."),
    ("COMP", "The costs of what is done one after the other add up. The same rule is called SEQ."),
    ("CONSEQ", "What is assumed may be more than needed, and what is shown more than claimed."),
    (
        "DLAP",
        "LAP-GEN for discrete Laplace noise: the shift is a multiple of the grid, and costs its length divided by the scale.",
    ),
    (
        "DP",
        "The claim itself: for all neighbours, in both directions, the runs return the same at a cost of at most what is claimed.",
    ),
    (
        "ENDPT",
        "The snapping mechanism in floating point: from the relative error of its noise, bounds on the thresholds of u at which \
         the output changes, and from these the loss of every output (docs/endpoint.md).",
    ),
    (
        "ENUMERATE",
        "Samples and outputs are finitely many: every output's probability is compared for both inputs.",
    ),
    (
        "EVENT",
        "The probability that x + noise falls into an interval is compared for both inputs, by cases of where the inputs lie.",
    ),
    (
        "FARKAS",
        "A lemma: a sum of the assumptions, each times a number, is a contradiction. `x17` says how many such lemmas are used.",
    ),
    (
        "HANDELMAN",
        "A lemma: a sum of products of the assumptions is a contradiction; the degree is the number of factors.",
    ),
    (
        "LAP-GEN",
        "Laplace noise of the second run is that of the first, shifted. A shift by k costs |k| divided by the scale: with scale \
         1/eps and inputs 1 apart, eps.",
    ),
    ("LAP-NULL", "Laplace noise is the same in both runs. That costs nothing."),
    ("PREIM", "The outputs of a set are given by the noisy values of an interval."),
    (
        "PW-EQ",
        "Outputs are countable: if for every single output the second run gives it whenever the first does, the runs return the same.",
    ),
    ("PW-INT", "As PW-EQ, for real outputs: it is shown for every interval of them."),
    (
        "RND-BIJ",
        "A sample with finitely many values is exchanged for another: the ratio of the two probabilities is the cost.",
    ),
    ("SEQ", "The costs of what is done one after the other add up."),
    (
        "UNIF-SHRINK",
        "A uniform sample of the second run is that of the first times e^-k, with k >= 0. It costs k.",
    ),
    ("VAR", "An input: in floating point it is what it is over the reals, or rounded on entry."),
    ("CONST", "A constant: in floating point it is the nearest float."),
    ("AXIOM", "A fact about exp or a reciprocal that the proof uses; it is checked, not assumed."),
];

/// What a rule means, in any case of letters.
pub fn meaning(name: &str) -> Option<(&'static str, &'static str)> {
    RULES.iter().find(|(rule, _)| rule.eq_ignore_ascii_case(name)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_by_their_names() {
        assert!(meaning("lap-gen").is_some_and(|(rule, words)| rule == "LAP-GEN" && words.contains("shift")));
        assert_eq!(meaning("nothing"), None);
    }
}
