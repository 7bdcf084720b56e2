//! Derivations in the terminal, as the papers draw them: premises above a line, the conclusion below it, the rule beside it.

use lastbit_lang::NodeId;

use super::{Derivation, Reading, expression, rule};

/// A block of text, all of whose lines have the same width in characters, and where its last line, the conclusion, stands.
struct Block {
    lines: Vec<String>,
    width: usize,
    conclusion: (usize, usize),
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn pad(text: &str, left: usize, total: usize) -> String {
    format!("{}{text}{}", " ".repeat(left), " ".repeat(total.saturating_sub(left + width(text))))
}

/// The derivation of `root`, or `None` if it is wider than `columns`.
pub fn figure(derivation: &Derivation<'_>, root: NodeId, columns: usize) -> Option<String> {
    let needed = derivation.needed(root);
    // Every node takes some characters of width: what cannot fit is not worth drawing.
    if needed.len() > columns {
        return None;
    }
    let mut blocks: Vec<Option<Block>> = (0..=root).map(|_| None).collect();
    for &id in &needed {
        let premises = derivation.premises(id);
        let premises: Vec<&Block> = premises.iter().map(|&p| blocks[p].as_ref()).collect::<Option<_>>()?;
        let block = draw(derivation, id, &premises);
        if block.width > columns {
            return None;
        }
        blocks[id] = Some(block);
    }
    let block = blocks[root].take()?;
    Some(block.lines.iter().map(|line| format!("{}\n", line.trim_end())).collect())
}

fn draw(derivation: &Derivation<'_>, id: NodeId, premises: &[&Block]) -> Block {
    let real = expression(derivation.program, id, Reading::Real);
    let float = expression(derivation.program, id, Reading::Float);
    let conclusion = format!("{real} ⇓ {float} : {}", derivation.bounds(id));
    let label = rule(&derivation.program.nodes[id].op);

    const GAP: usize = 3;
    let height = premises.iter().map(|block| block.lines.len()).max().unwrap_or(0);
    let above: usize =
        premises.iter().map(|block| block.width).sum::<usize>() + GAP * premises.len().saturating_sub(1);
    let mut lines = vec![String::new(); height];
    let (mut first, mut last, mut at) = (usize::MAX, 0, 0);
    for block in premises {
        let missing = height - block.lines.len();
        for (row, line) in lines.iter_mut().enumerate() {
            let part = if row < missing { "" } else { block.lines[row - missing].as_str() };
            let gap = if at == 0 { 0 } else { GAP };
            *line += &pad(part, gap, gap + block.width);
        }
        at += if at == 0 { 0 } else { GAP };
        first = first.min(at + block.conclusion.0);
        last = last.max(at + block.conclusion.1);
        at += block.width;
    }
    if premises.is_empty() {
        (first, last) = (0, 0);
    }
    // The line spans the premises' conclusions and this one, which is centred under them.
    let own = width(&conclusion);
    let bar = own.max(last - first);
    let middle = (first + last) / 2;
    let shift = (bar / 2).saturating_sub(middle);
    let bar_at = middle + shift - bar / 2;
    let own_at = bar_at + (bar - own) / 2;
    let total = (above + shift).max(bar_at + bar + 1 + width(label));
    let mut lines: Vec<String> = lines.iter().map(|line| pad(line, shift, total)).collect();
    lines.push(pad(&format!("{} {label}", "─".repeat(bar)), bar_at, total));
    lines.push(pad(&conclusion, own_at, total));
    Block { lines, width: total, conclusion: (own_at, own_at + own) }
}
