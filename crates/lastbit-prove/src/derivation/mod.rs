//! Derivations: the judgements of a program on a box, to be read by people.

mod figure;
mod latex;
mod text;
mod tree;

pub use figure::figure;
pub use latex::latex;
pub use text::{Reading, expression, rule};
pub use tree::{detail, tree};

use lastbit_lang::{NodeId, StraightLine};
use lastbit_real::{Dyadic, Rational, Rounding};

use crate::analysis::NoBound;
use crate::boxes::InputBox;
use crate::linear::{LinearForm, linear_form};
pub use crate::rules::Judgement;
use crate::rules::{Judgements, Rules};

/// The judgements of all nodes of a program on one box.
pub struct Derivation<'a> {
    /// The program.
    pub program: &'a StraightLine,
    /// The box.
    pub inputs: InputBox,
    /// The judgements, one for each node.
    pub judgements: Judgements,
    /// The linear form of the result.
    pub linear: Option<LinearForm>,
}

impl<'a> Derivation<'a> {
    /// Derives.
    pub fn new(program: &'a StraightLine, inputs: InputBox) -> Derivation<'a> {
        let judgements = Rules::new(program).derive(&inputs);
        let linear = linear_form(program, &judgements);
        Derivation { program, inputs, judgements, linear }
    }

    /// The judgement of a node, if it has one.
    pub fn judgement(&self, id: NodeId) -> Option<&Judgement> {
        self.judgements[id].as_ref().ok()
    }

    /// The premises of a node's rule: its operands, each once.
    pub fn premises(&self, id: NodeId) -> Vec<NodeId> {
        let mut premises = Vec::new();
        for operand in self.program.nodes[id].op.operands() {
            if !premises.contains(&operand) {
                premises.push(operand);
            }
        }
        premises
    }

    /// `[lo, hi] ± d`, in decimals.
    fn bounds(&self, id: NodeId) -> String {
        match &self.judgements[id] {
            Ok(judgement) => {
                let [lo, hi] = ends(judgement.range.lo(), judgement.range.hi());
                let range = if lo == hi { format!("[{lo}]") } else { format!("[{lo}, {hi}]") };
                format!("{range} ± {}", error(&judgement.error))
            }
            Err(refusal) => format!("refused: {refusal}"),
        }
    }

    /// The nodes that the result rests on, in order.
    pub fn needed(&self, root: NodeId) -> Vec<NodeId> {
        let mut needed = vec![false; root + 1];
        needed[root] = true;
        for id in (0..=root).rev() {
            if needed[id] {
                self.program.nodes[id].op.operands().for_each(|operand| needed[operand] = true);
            }
        }
        (0..=root).filter(|&id| needed[id]).collect()
    }
}

/// Significant digits of what people read.
const DIGITS: usize = 6;

/// A number in decimals, without zeros at the end where it is exact.
fn decimal(x: &Dyadic, rounding: Rounding) -> String {
    let x = Rational::from(x);
    let text = x.to_decimal(DIGITS, rounding);
    let exact = text == x.to_decimal(DIGITS, Rounding::Down) && text == x.to_decimal(DIGITS, Rounding::Up);
    if exact && text.contains('.') && !text.contains('e') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// A bound on an error in decimals, rounded up.
pub fn error(d: &Dyadic) -> String {
    decimal(d, Rounding::Up)
}

/// A range in decimals, rounded outward.
pub fn ends(lo: &Dyadic, hi: &Dyadic) -> [String; 2] {
    [decimal(lo, Rounding::Down), decimal(hi, Rounding::Up)]
}

/// Inputs of a box that are named.
const NAMED: usize = 8;

/// The reason why a program has no bound as text, with the node and the box of inputs.
pub fn no_bound(program: &StraightLine, no_bound: &NoBound) -> String {
    let node = no_bound.refusal.node;
    let expression = expression(program, node, Reading::Real);
    let mut message = format!("{} (node {node}: {expression})", no_bound.refusal);
    let inputs = program.inputs.iter().zip(&no_bound.inputs).map(|(input, range)| {
        let [lo, hi] = ends(range.lo(), range.hi());
        format!("{} in [{lo}, {hi}]", input.name)
    });
    let inputs: Vec<String> = inputs.take(NAMED).collect();
    if !inputs.is_empty() {
        message += &format!(", for {}", inputs.join(", "));
    }
    message
}
