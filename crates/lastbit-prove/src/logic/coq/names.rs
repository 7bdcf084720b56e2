//! Identifiers of Coq for the names of a program.

use std::collections::BTreeSet;

/// Words of Coq, and what the library or a certificate defines; of those with a capital, single letters.
const TAKEN: &[&str] = &[
    "H",
    "I",
    "N",
    "Q",
    "R",
    "S",
    "Z",
    "add",
    "add_strict",
    "adjacent",
    "align",
    "and",
    "andb",
    "any",
    "as",
    "at",
    "at_most",
    "backward",
    "bernoulli",
    "bind",
    "bool",
    "both_directions",
    "by",
    "choose",
    "clamp",
    "cofix",
    "cons",
    "convex",
    "convex_point",
    "covers",
    "dist",
    "distinct",
    "else",
    "end",
    "enumerate",
    "eq",
    "eqb",
    "event_inequalities",
    "event_private",
    "event_prob",
    "exists",
    "exists2",
    "exp",
    "exp_pos",
    "exp_tangent",
    "expect",
    "false",
    "fix",
    "flag",
    "flag_is_false",
    "flag_is_true",
    "for",
    "forall",
    "forward",
    "fst",
    "fun",
    "has_prob",
    "if",
    "in",
    "inequalities",
    "is_dist",
    "is_permutation",
    "law",
    "leb",
    "let",
    "list",
    "ln",
    "ltb",
    "map",
    "match",
    "mod",
    "mul",
    "mul_strict",
    "nat",
    "negb",
    "nil",
    "noisy",
    "nth",
    "one",
    "option",
    "or",
    "orb",
    "pair",
    "path_cons",
    "path_nil",
    "pow",
    "private",
    "prob",
    "prod",
    "rel",
    "return",
    "round_half_even",
    "round_half_up",
    "run1",
    "run2",
    "scale",
    "side_of_1",
    "sign",
    "snd",
    "sqrt",
    "struct",
    "sum",
    "sum_refuted",
    "sum_refuted_strict",
    "then",
    "times",
    "times_strict",
    "true",
    "two",
    "unit",
    "using",
    "weak",
    "where",
    "with",
];

/// Names that are in use.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// An identifier like this text that is not in use, and is from now on.
    pub(super) fn fresh(&mut self, text: &str) -> String {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
        let mut name: String = text.chars().map(|c| if is_letter(c) { c } else { '_' }).collect();
        while name.contains("__") {
            name = name.replace("__", "_");
        }
        let mut name = name.trim_matches('_').to_owned();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'x');
        }
        // As the lemmas of a certificate are called.
        if ["lemma_", "case_", "event_"].iter().any(|prefix| name.starts_with(prefix)) {
            name.push('_');
        }
        // Coq's commands, and much of its library: `Parameter`, `True`, `Rabs`.
        if name.len() > 1 && name.starts_with(|c: char| c.is_ascii_uppercase()) {
            name.push('_');
        }
        while TAKEN.contains(&name.as_str()) || !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_new_words() {
        let mut names = Names::default();
        let list =
            ["x", "x", "fun", "lemma_1", "ε", "exp(eps)", "score[0]<1>", "2x"].map(|text| names.fresh(text));
        assert_eq!(list, ["x", "x_", "fun_", "lemma_1_", "x__", "exp_eps", "score_0_1", "x2x"]);
        let list = ["True", "False", "Parameter", "Rabs", "B", "R"].map(|text| names.fresh(text));
        assert_eq!(list, ["True_", "False_", "Parameter_", "Rabs_", "B", "R_"]);
    }
}
