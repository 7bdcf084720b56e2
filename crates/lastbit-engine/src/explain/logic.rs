//! Rules of the relational logic, and the lemmas that they stand on.

use super::{Entry, Group};

const LOGIC: &str = "docs/logic.md";

const fn rule(
    word: &'static str,
    aliases: &'static [&'static str],
    statement: &'static str,
    reason: &'static str,
    example: &'static str,
) -> Entry {
    Entry { group: Group::Logic, word, aliases, statement, reason, example, see: LOGIC }
}

pub(super) const RULES: [Entry; 26] = [
    rule(
        "ASSN",
        &["assn"],
        "x := e in both runs: what is known about e is known about x. A logarithm needs a positive argument, a division a divisor that is not zero.",
        "An assignment is a substitution, if its right side is defined.",
        "`step assn z: …` after `z := s * y`.",
    ),
    rule(
        "AXIOM",
        &["axiom"],
        "A fact about exp or a reciprocal that a proof uses, such as exp(eps) >= 1.",
        "The kernel knows a few such facts for all values; a proof says which of them it needs.",
        "In the derivation of randomized response, whose probabilities are exp(eps)/(1 + exp(eps)).",
    ),
    rule(
        "COMP",
        &["SEQ", "comp"],
        "One statement after the other: costs add.",
        "The middle assertion of the first is what the second begins with.",
        "Two draws of `lap(2/eps)`, each shifted by 1, cost eps/2 + eps/2.",
    ),
    rule(
        "CONSEQ",
        &["conseq"],
        "A stronger first assertion, a weaker second one, at the same cost.",
        "The conclusion says less, so it still holds.",
        "From z<2> = z<1> + 1 follows z<2> >= z<1>.",
    ),
    rule(
        "FRAME",
        &[],
        "Facts about variables that a statement does not set stay true.",
        "The statement does not touch them.",
        "|x<1> - x<2>| <= 1 still holds after `z <$ lap(1/eps)`.",
    ),
    rule(
        "CASE",
        &["case"],
        "A proof for each of several cases that cover everything; the cost is the largest. Cases may depend on inputs, not on samples.",
        "Every pair of inputs is in one of the cases.",
        "x<1> <= x<2>, and x<1> > x<2>.",
    ),
    rule(
        "EXISTS",
        &[],
        "`exists k: Ψ` holds if some value of k makes Ψ true.",
        "The value is found from an equation, and shown.",
        "From w<2> = w<1> + (x<2> - x<1>): k = x<2> - x<1>.",
    ),
    rule(
        "COND",
        &["if"],
        "A branch is taken both ways, each with its condition.",
        "Every run takes one of the two.",
        "`if q >= t { return true }` is two paths.",
    ),
    rule(
        "FOR",
        &["loop"],
        "A loop is unrolled: its bounds are numbers.",
        "The loop is the same as its iterations, one after the other.",
        "`for i in 0..3 { … }` is three statements.",
    ),
    rule(
        "AX-NULL",
        &["RND-ID", "axnull", "rndid"],
        "The same law in both runs: x<1> = x<2>, in its support, at cost 0.",
        "Take the same sample in both runs.",
        "A sign that both runs draw alike.",
    ),
    rule(
        "AX-UNIF",
        &["axunif"],
        "u uniform: e^-c·u<2> <= u<1> <= e^c·u<2> at cost c. It says nothing, so its use is warned about.",
        "It follows from u<1> = u<2> at cost 0: the cost c buys nothing.",
        "Use UNIF-SHRINK instead.",
    ),
    rule(
        "UNIF-SHRINK",
        &["unifshrink"],
        "u uniform in (0, 1], k >= 0: u<2> = e^-k·u<1> at cost k.",
        "The map is injective, stays in (0, 1], and has density e^k on its image. For k < 0 it would leave (0, 1].",
        "-ln(u) shifted by k is exponential noise shifted by k.",
    ),
    rule(
        "LAP-GEN",
        &["lapgen"],
        "z Laplace of scale b: z<2> = z<1> + k at cost |k|/b, where k is free of z.",
        "The density exp(-|z|/b)/(2b) changes by a factor of at most e^(|k|/b) if z is shifted by k.",
        "`lap z shift x<1> - x<2>`: both runs return the same sum, at cost |x<1> - x<2>|·eps for scale 1/eps.",
    ),
    rule(
        "LAP-NULL",
        &["lapnull"],
        "z Laplace: z<1> = z<2> at cost 0.",
        "LAP-GEN with k = 0.",
        "Noise that hides nothing on this path keeps its value.",
    ),
    rule(
        "DLAP",
        &["dlap rule"],
        "z discrete Laplace on the grid 2^j·Z: as LAP-GEN, where k is a multiple of 2^j.",
        "A shift by a multiple of the grid is a bijection of the grid.",
        "`z <$ dlap(1/eps, 0)` and counts that differ by 1.",
    ),
    rule(
        "RND-BIJ",
        &["rndbij"],
        "A finite law: x<2> = f(x<1>) at cost c, where f is a bijection and μ₁(v) <= e^c·μ₂(f(v)).",
        "Each value has a partner that is likely enough.",
        "Randomized response: the lie of one run is the truth of the other, at cost ln 3.",
    ),
    rule(
        "ALIGN",
        &["align", "alignment"],
        "A map of the samples, in pieces that shift, mirror or permute them, under which both runs return the same; its cost is the largest cost of a piece.",
        "Each piece is injective and keeps volumes, so that the probability of an output under one input is at most e^cost times that under the other.",
        "Above a threshold, the noise of the threshold is shifted by 1 and that of the query by 2.",
    ),
    rule(
        "EVENT",
        &[],
        "Probabilities of intervals of x + s·c·ln(u), compared directly.",
        "They have a closed form in exponentials; each case is an inequality of polynomials with a certificate.",
        "mechanisms/snapping.lb: which u and s give an output.",
    ),
    rule(
        "PREIM",
        &["preimage"],
        "If g is monotone, the w with g(w) = e form an interval.",
        "Rounding and clamping are monotone, so that intervals of w are all that EVENT needs.",
        "clamp(round(w, L), B) = e.",
    ),
    rule(
        "ENDPT",
        &["endpoint"],
        "In floating point, the error of the noise bounds where the least u that gives an output lies; the loss follows case by case.",
        "Addition, rounding and clamp cost nothing; only the error of the noise moves thresholds, by a factor that the error semantics bounds.",
        "`lastbit prove mechanisms/snapping_f64.lb --epsilon 1 --bound 10`.",
    ),
    rule(
        "PW-EQ",
        &["pointwise"],
        "Countably many outputs: if r<1> = e implies r<2> = e for every e, each at a cost of at most ε, then r<1> = r<2>.",
        "Sum over the outputs of an event. It is unsound for real outputs, each of which has probability 0.",
        "A different shift of the noise for each index that may be returned.",
    ),
    rule(
        "PW-INT",
        &[],
        "Real outputs, δ = 0: it is enough to compare the probabilities of all intervals.",
        "An inequality between measures on all intervals extends to all events.",
        "The snapping mechanism without its rounding.",
    ),
    rule(
        "ENUMERATE",
        &["enumeration", "enumerate"],
        "All outputs of a program with finitely many samples, with their probabilities in both runs.",
        "Sums of finitely many paths: the first run's from above, the second's from below.",
        "Randomized response: two outputs, 3/4 and 1/4.",
    ),
    rule(
        "DP",
        &["dp"],
        "The last step: r<1> = r<2> in both directions, at a cost of at most the claim.",
        "That is the definition of differential privacy. If neighbours are symmetric, one direction is both.",
        "`step dp` at the end of a derivation.",
    ),
    rule(
        "LET",
        &["let"],
        "A name for an expression in a proof.",
        "It costs nothing and says nothing new.",
        "`let d = x<2> - x<1>;`.",
    ),
    rule(
        "AUDIT",
        &["audit step"],
        "A comparison of all outputs, computed exactly, where no rule applies: for given values only.",
        "It holds for these values, and proves nothing for others.",
        "The refutation of a float mechanism by two inputs.",
    ),
];

const fn lemma(
    word: &'static str,
    aliases: &'static [&'static str],
    statement: &'static str,
    reason: &'static str,
    example: &'static str,
) -> Entry {
    Entry { group: Group::Lemmas, word, aliases, statement, reason, example, see: LOGIC }
}

pub(super) const LEMMAS: [Entry; 4] = [
    lemma(
        "lemma",
        &["lemmas"],
        "Constraints cannot hold together, because a sum of products of them is a negative number.",
        "Every premise of a rule is such a statement; the kernel multiplies the sum out and trusts nothing else.",
        "x >= 1 and x <= 0: (x - 1) + (0 - x) = -1.",
    ),
    lemma(
        "Farkas",
        &["farkas"],
        "A lemma with one constraint in each product: Σ c·p = a negative number, with c > 0.",
        "For linear constraints there always is one, if they contradict each other (Farkas' lemma).",
        "`farkas x17` in a report: so many premises were shown like this.",
    ),
    lemma(
        "Handelman",
        &["handelman"],
        "A lemma with products of two or three constraints: `degree <= 2` is how many at most.",
        "Products of what is not negative are not negative; Handelman's theorem says that they are enough on bounded polyhedra.",
        "x >= 1, y >= 1 and x·y < 1: (x - 1)·(y - 1) + (x - 1) + (y - 1) + (1 - x·y) = 0, and the last of these is positive.",
    ),
    lemma(
        "oracle",
        &["z3"],
        "What z3 vouches for where no lemma is found. It is not certified, and the verdict is UNDECIDED.",
        "z3 gives no proof that the kernel could check.",
        "`lastbit prove FILE --oracle`.",
    ),
];
