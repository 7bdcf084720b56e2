//! Derivations in the terminal, as a tree with the conclusion on top.

use std::fmt::Write;

use lastbit_lang::NodeId;
use lastbit_real::{Dyadic, Enclosure};

use super::{Derivation, Reading, error, expression, rule};

/// The derivation of `root`, down to `depth` steps above it; what lies deeper is folded into a line with its number.
pub fn tree(derivation: &Derivation<'_>, root: NodeId, depth: usize) -> String {
    let mut out = String::new();
    let mut printed = vec![false; root + 1];
    // What to print: the node, what stands before its own lines, and its depth.
    let mut waiting = vec![(root, String::new(), String::new(), 0)];
    while let Some((id, branch, indent, level)) = waiting.pop() {
        let node = &derivation.program.nodes[id];
        let again = std::mem::replace(&mut printed[id], true);
        let premises = derivation.premises(id);
        let fold = !premises.is_empty() && (again || level >= depth);
        let marker = match (fold, again) {
            (true, true) => format!("  (see {id} above)"),
            (true, false) => format!("  … ({} steps; --node {id})", derivation.needed(id).len()),
            _ => String::new(),
        };
        let name = node.name.as_ref().filter(|_| !premises.is_empty());
        let name = name.map(|name| format!("{name} = ")).unwrap_or_default();
        let real = expression(derivation.program, id, Reading::Real);
        let float = expression(derivation.program, id, Reading::Float);
        let both = if real == float { real } else { format!("{real} ⇓ {float}") };
        let line =
            format!("{branch}{id} {:<5} {name}{both} : {}{marker}", rule(&node.op), derivation.bounds(id));
        let _ = writeln!(out, "{line}");
        if fold {
            continue;
        }
        for (i, &premise) in premises.iter().enumerate().rev() {
            let last = i + 1 == premises.len();
            let branch = format!("{indent}{}", if last { "└ " } else { "├ " });
            let indent = format!("{indent}{}", if last { "  " } else { "│ " });
            waiting.push((premise, branch, indent, level + 1));
        }
    }
    out
}

/// A number exactly: `2^-52`, `-5·2^2`, `0`.
fn power(x: &Dyadic) -> String {
    match (x.mantissa().to_string().as_str(), x.exponent()) {
        _ if x.is_zero() => "0".to_owned(),
        (mantissa, 0) => mantissa.to_owned(),
        ("1", exponent) => format!("2^{exponent}"),
        ("-1", exponent) => format!("-2^{exponent}"),
        (mantissa, exponent) => format!("{mantissa}·2^{exponent}"),
    }
}

/// Everything about one node: the papers' form of its error, the parts of the bound, exact numbers.
pub fn detail(derivation: &Derivation<'_>, id: NodeId) -> String {
    let mut out = tree(derivation, id, 1);
    let Some(judgement) = derivation.judgement(id) else { return out };
    let mut line = |name: &str, text: String| {
        let _ = writeln!(out, "  {name:<22}{text}");
    };
    let number = |x: &Dyadic| match x.is_zero() {
        true => "0".to_owned(),
        false => format!("{}  = {}", error(x), power(x)),
    };
    let range = |x: &Enclosure| {
        let [lo, hi] = super::ends(x.lo(), x.hi());
        format!("[{lo}, {hi}]  = [{}, {}]", power(x.lo()), power(x.hi()))
    };
    line("real value in", range(&judgement.range));
    line("float in", range(&judgement.float));
    line("from the operands, x", number(&judgement.propagated));
    line("rounding, p", number(&judgement.rounding));
    match &judgement.relative {
        Some(rho) => line("relative, ρ", number(rho)),
        None => line("relative, ρ", "not known".into()),
    }
    line("error, d", number(&judgement.error));
    line("papers' form", format!("err = (r - {0}, r + {0})", error(&judgement.error)));
    if let Some(form) = &derivation.linear {
        let coefficient = &form.coefficients[id];
        let [lo, hi] = super::ends(coefficient.lo(), coefficient.hi());
        line("effect on the result", format!("× [{lo}, {hi}] in the linear form"));
    }
    out
}
