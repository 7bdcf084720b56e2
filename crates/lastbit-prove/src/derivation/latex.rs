//! Derivations as LaTeX, with the package `bussproofs`.

use std::fmt::Write;

use lastbit_lang::NodeId;

use super::{Derivation, Reading, expression, rule};

/// A whole document with the derivation of `root`; steps more than `depth` above it, and those shown before, are
/// folded into dots.
pub fn latex(derivation: &Derivation<'_>, root: NodeId, depth: usize) -> String {
    let mut out = String::from(
        "% Compile with pdflatex.\n\\documentclass{article}\n\
         \\usepackage[paperwidth=120cm,paperheight=60cm,margin=1cm]{geometry}\n\\usepackage{bussproofs}\n\\begin{document}\n\\begin{prooftree}\n",
    );
    // Premises come before the conclusion: a walk that visits each node twice.
    let mut waiting = vec![(root, 0, false)];
    let mut printed = vec![false; root + 1];
    while let Some((id, level, done)) = waiting.pop() {
        let premises = derivation.premises(id);
        // A derivation that is used twice is shown once.
        let folded = !done && !premises.is_empty() && (level >= depth || printed[id]);
        if !done && !folded && !premises.is_empty() {
            printed[id] = true;
            waiting.push((id, level, true));
            waiting.extend(premises.iter().rev().map(|&premise| (premise, level + 1, false)));
            continue;
        }
        if folded {
            out += "\\AxiomC{$\\vdots$}\n";
        } else if premises.is_empty() {
            out += "\\AxiomC{}\n";
        }
        let _ = writeln!(
            out,
            "\\RightLabel{{\\textsc{{{}}}}}",
            rule(&derivation.program.nodes[id].op).to_lowercase()
        );
        let inference = match premises.len() {
            _ if folded => "Unary",
            0 | 1 => "Unary",
            2 => "Binary",
            3 => "Trinary",
            _ => "Quaternary",
        };
        let _ = writeln!(out, "\\{inference}InfC{{${}$}}", conclusion(derivation, id));
    }
    out += "\\end{prooftree}\n\\end{document}\n";
    out
}

fn conclusion(derivation: &Derivation<'_>, id: NodeId) -> String {
    let [real, float] =
        [Reading::Real, Reading::Float].map(|reading| escape(&expression(derivation.program, id, reading)));
    format!("{real} \\Downarrow {float} : {}", escape(&derivation.bounds(id)))
}

/// Text of an expression in math mode.
fn escape(text: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    let flush = |word: &mut String, out: &mut String| {
        match word.chars().count() {
            0 => {}
            1 => out.push_str(word),
            _ => {
                let _ = write!(out, "\\mathrm{{{word}}}");
            }
        }
        word.clear();
    };
    let mut in_exponent = false;
    for c in text.chars() {
        if in_exponent && c != '-' && !c.is_ascii_digit() {
            out.push('}');
            in_exponent = false;
        }
        if c.is_ascii_alphabetic() {
            word.push(c);
            continue;
        }
        flush(&mut word, &mut out);
        out.push_str(match c {
            '⊕' => "\\oplus ",
            '⊖' => "\\ominus ",
            '⊗' => "\\otimes ",
            '⊘' => "\\oslash ",
            '·' => "\\cdot ",
            '±' => "\\pm ",
            '⌊' => "\\lfloor ",
            '⌉' => "\\rceil ",
            '_' => "\\_",
            '^' => {
                in_exponent = true;
                "^{"
            }
            '#' => "\\#",
            '%' => "\\%",
            '&' => "\\&",
            '$' => "\\$",
            '{' => "\\{",
            '}' => "\\}",
            '~' => "\\sim ",
            '\\' => "\\backslash ",
            ' ' => "\\ ",
            '<' => "<",
            c if c.is_ascii() => {
                out.push(c);
                continue;
            }
            // Letters of other alphabets in names: by their code, so that every compiler reads it.
            c => {
                let _ = write!(out, "\\mathrm{{U{:x}}}", u32::from(c));
                continue;
            }
        });
    }
    flush(&mut word, &mut out);
    if in_exponent {
        out.push('}');
    }
    out
}
