//! Rules of the floating-point error semantics: how far a float is from the real number that it stands for.

use super::{Entry, Group};

const fn rule(
    word: &'static str,
    aliases: &'static [&'static str],
    statement: &'static str,
    reason: &'static str,
    example: &'static str,
) -> Entry {
    Entry { group: Group::Semantics, word, aliases, statement, reason, example, see: "docs/semantics.md" }
}

pub(super) const RULES: [Entry; 20] = [
    rule(
        "VAR",
        &["input"],
        "An input: a float, a sign or an integer has no error; a real number has that of rounding it.",
        "Both readings have the same float; of a real number, the float reading has the nearest float.",
        "x in [-1024, 1024].",
    ),
    rule(
        "CONST",
        &["constant"],
        "A constant c: the error is |fl(c) - c|, exactly known.",
        "The float reading has the nearest float.",
        "0.1 is off by 2^-57.",
    ),
    rule(
        "OP",
        &["operation"],
        "In the papers' notation, any of ADD, SUB, MUL, DIV, NEG: the operands' errors go through, and the result is rounded once more.",
        "Each operation of IEEE 754 is correctly rounded.",
        "`lastbit prove FILE --rules paper`.",
    ),
    rule(
        "LN-OP",
        &[],
        "In the papers' notation, the logarithm of something that already has an error.",
        "|ln f - ln r| <= |f - r|/min(f, r).",
        "ln(x + y).",
    ),
    rule(
        "NEG",
        &["negation"],
        "-x: the error of x, and none of its own.",
        "Changing the sign is exact.",
        "-(x + y) is as far off as x + y.",
    ),
    rule(
        "ABS",
        &["absolute value"],
        "|x|: the error of x, and none of its own.",
        "It is exact, and 1-Lipschitz.",
        "|x - y|.",
    ),
    rule(
        "ADD",
        &["sum"],
        "x + y: the errors of both, and one rounding. Exact if Sterbenz' lemma applies.",
        "(f₁ + f₂) - (r₁ + r₂) = (f₁ - r₁) + (f₂ - r₂).",
        "x + 10·ln(u).",
    ),
    rule(
        "SUB",
        &["difference"],
        "x - y: ADD with the second operand negated. Exact if both are within a factor of 2.",
        "As ADD.",
        "1 - u for u in [1/2, 1].",
    ),
    rule(
        "MUL",
        &["product"],
        "x·y: |x|·d₂ + |y|·d₁ + d₁·d₂, and one rounding; none if a factor is a power of two or a sign.",
        "f₁f₂ - r₁r₂ = r₁(f₂ - r₂) + r₂(f₁ - r₁) + (f₁ - r₁)(f₂ - r₂).",
        "s·y with a sign s is exact.",
    ),
    rule(
        "DIV",
        &["quotient"],
        "x/y: (d₁ + |x/y|·d₂)/min|y|, and one rounding. Refused if y may be 0.",
        "f₁/f₂ - r₁/r₂ = ((f₁ - r₁) - (r₁/r₂)(f₂ - r₂))/f₂.",
        "ln(u)/eps.",
    ),
    rule(
        "FMA",
        &["fused multiply-add"],
        "x·y + z with a single rounding.",
        "As MUL and ADD, but the product is not rounded.",
        "fma(a, b, c).",
    ),
    rule(
        "SQRT",
        &["root"],
        "√x: d/(√lo + √lo), or √d near 0, and one rounding. Refused of negative numbers.",
        "√f - √r = (f - r)/(√f + √r).",
        "√(x·x + y·y).",
    ),
    rule(
        "LN",
        &["ln", "log"],
        "ln x: d/min x, and the error of the library. Refused of 0 and negative numbers.",
        "|ln f - ln r| <= |f - r|/min(f, r).",
        "ln(u) of a sample u: the error of the library alone, `--libm ln=1ulp`.",
    ),
    rule(
        "EXP",
        &["exp"],
        "e^x: e^x·(d + d²), and the error of the library. Refused if it may overflow.",
        "e^d - 1 <= d + d² for d <= 1.",
        "exp(-x) for x in [0, 10].",
    ),
    rule(
        "MIN",
        &["min"],
        "min(x, y): the larger of both errors, and none of its own.",
        "It is exact on floats, monotone and 1-Lipschitz.",
        "min(x, 1).",
    ),
    rule(
        "MAX",
        &["max"],
        "max(x, y): the larger of both errors, and none of its own.",
        "As MIN.",
        "max(x, 0).",
    ),
    rule(
        "CLAMP",
        &["clamp"],
        "clamp(x, B): MIN with B, then MAX with -B. Refused if B may be negative.",
        "As MIN and MAX.",
        "clamp(x, 100).",
    ),
    rule(
        "ROUND",
        &["ROUND_Λ", "round"],
        "round(x, Λ): exact on floats, but the two readings may fall into different cells: an error of Λ, or none.",
        "However close two numbers are, a boundary may lie between them. So privacy goes through thresholds (ENDPT), not through this rule.",
        "round(w, L) in the snapping mechanism.",
    ),
    rule(
        "IF",
        &["select"],
        "if a < b: the branch, if the comparison has one answer. Otherwise both, and how far one is from the other if the readings may choose differently.",
        "The two readings compare different numbers.",
        "if x < 0 { 0 } else { x }.",
    ),
    rule(
        "linear form",
        &["linear forms"],
        "The error of a result as a sum of the errors of all operations, each times its coefficient.",
        "f - r = Σ S·(f_j - r_j) + ε holds for every operation, so the errors of a variable that occurs twice may cancel.",
        "x - x/2 has a smaller error than its parts.",
    ),
];
