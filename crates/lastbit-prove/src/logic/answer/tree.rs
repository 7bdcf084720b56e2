//! A proof of the relational logic as a tree of rules.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::ast::Side;
use lastbit_lang::symbolic::{Constraint, Fresh, Law, Path, Polynomial, Program, Value, paths};

use crate::logic::kernel::{
    Alignment, Axiom, Direction, Leaf, Lemma, Map, Obligation, Piece, Proof, Trace, event, hypotheses,
};

/// A rule, and what it rests on.
#[derive(Default)]
pub(super) struct Node {
    pub(super) text: String,
    pub(super) children: Vec<Node>,
    /// What the children are: `cases`.
    pub(super) noun: &'static str,
}

impl Node {
    fn new(text: impl Into<String>, children: Vec<Node>, noun: &'static str) -> Node {
        Node { text: text.into(), children, noun }
    }

    /// At most `width` children of a node are shown, and nothing deeper than `depth`.
    pub(super) fn render(&self, width: usize, depth: usize) -> String {
        let mut text = format!("{}\n", self.text);
        self.render_children("", width, depth, &mut text);
        text
    }

    fn render_children(&self, indent: &str, width: usize, depth: usize, text: &mut String) {
        let count = self.children.len();
        let shown = match depth {
            0 => 0,
            _ if count > width => width.saturating_sub(1),
            _ => count,
        };
        for (i, child) in self.children.iter().take(shown).enumerate() {
            let is_last = i + 1 == count;
            *text += &format!("{indent}{} {}\n", if is_last { "└" } else { "├" }, child.text);
            let below = format!("{indent}{}", if is_last { "  " } else { "│ " });
            child.render_children(&below, width, depth - 1, text);
        }
        if shown < count {
            let more = if shown == 0 { "" } else { "more " };
            *text += &format!("{indent}└ … {} {more}{}\n", count - shown, self.noun);
        }
    }
}

/// `farkas x3, handelman x8 (degree <= 3)`: the lemmas that a leaf needs.
fn summary(leaf: usize, proof: &Proof, trace: &Trace) -> String {
    let own = trace.obligations.iter().filter(|obligation| obligation.is_of_leaf(leaf));
    let lemmas: BTreeSet<usize> = own.filter_map(Obligation::lemma).collect();
    let degrees: Vec<usize> = lemmas.iter().map(|lemma| degree(&proof.lemmas[*lemma])).collect();
    let farkas = degrees.iter().filter(|degree| **degree <= 1).count();
    let most = degrees.iter().max().copied().unwrap_or(0);
    let mut parts = Vec::new();
    if farkas > 0 {
        parts.push(format!("farkas x{farkas}"));
    }
    if most > 1 {
        parts.push(format!("handelman x{}, degree <= {most}", degrees.len() - farkas));
    }
    parts.join(", ")
}

/// The most factors of a product, not counting those that only say which sign a variable has: 1 for Farkas' lemma. A multiple of an
/// equation by more than a number counts as two.
fn degree(lemma: &Lemma) -> usize {
    let is_sign =
        |place: &usize| lemma.constraints.get(*place).is_some_and(|c| c.polynomial.terms().count() == 1);
    let products = lemma.refutation.products.iter();
    let products = products
        .map(|(_, factors)| factors.iter().filter(|place| !is_sign(place)).count().max(factors.len().min(2)));
    let multiples =
        lemma.refutation.multiples.iter().map(|(p, _)| if p.as_constant().is_some() { 1 } else { 2 });
    products.chain(multiples).max().unwrap_or(0)
}

fn of_axiom(axiom: &Axiom) -> Node {
    let conclusions: Vec<String> = axiom.conclusions().iter().map(Constraint::to_string).collect();
    Node::new(format!("AXIOM {}", conclusions.join(", ")), Vec::new(), "")
}

/// The derivation of a proof.
pub(super) fn derivation(program: &Program<'_>, proof: &Proof, trace: &Trace) -> Node {
    let Ok(cases) = hypotheses(program) else { return Node::default() };
    let first = paths(program, Side::One, &Fresh).unwrap_or_default();
    let shape = Shape { program, first, cost: &proof.cost };
    let mut children = Vec::new();
    for (index, (case, leaf)) in cases.iter().zip(&proof.leaves).enumerate() {
        let inner = shape.leaf(leaf, &summary(index, proof, trace));
        children.push(match (cases.len(), case.name.as_str()) {
            (1, _) => inner,
            (_, "") => Node::new("CASE", vec![inner], "rules"),
            (_, name) => Node::new(format!("CASE {name}"), vec![inner], "rules"),
        });
    }
    let both = cases.iter().any(|case| case.direction == Direction::Backward);
    Node::new(if both { "DP, in both directions" } else { "DP" }, children, "cases")
}

/// The names of the rules of a proof, but for those that every proof has.
pub(super) fn rules(program: &Program<'_>, proof: &Proof) -> Vec<String> {
    let first = paths(program, Side::One, &Fresh).unwrap_or_default();
    let shape = Shape { program, first, cost: &proof.cost };
    let mut found = Vec::new();
    let mut nodes: Vec<Node> = proof.leaves.iter().rev().map(|leaf| shape.leaf(leaf, "")).collect();
    while let Some(node) = nodes.pop() {
        let is_rule = |word: &str| word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || c == '-');
        let name = node.text.split([' ', ',']).next().unwrap_or_default();
        let is_new = is_rule(name) && !["CASE", "SEQ", "AXIOM"].contains(&name);
        if is_new && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
        nodes.extend(node.children.into_iter().rev());
    }
    found
}

/// The program whose leaves are printed.
struct Shape<'s, 'a> {
    program: &'s Program<'a>,
    first: Vec<Path>,
    cost: &'s Polynomial,
}

impl Shape<'_, '_> {
    fn leaf(&self, leaf: &Leaf, lemmas: &str) -> Node {
        let cost = self.cost;
        let with = |text: String| if lemmas.is_empty() { text } else { format!("{text}   {lemmas}") };
        match leaf {
            Leaf::Vacuous => Node::new(with("no such inputs".into()), Vec::new(), ""),
            Leaf::Split(on, leaves) => {
                let mut ways = on.negated();
                ways.insert(0, on.clone());
                let way = |(way, leaf): (&Constraint, &Leaf)| {
                    Node::new(format!("CASE {way}"), vec![self.leaf(leaf, "")], "rules")
                };
                let children = ways.iter().zip(leaves).map(way).collect();
                Node::new(with(format!("CASE on {on}")), children, "cases")
            }
            Leaf::Align(alignment) => self.alignment(alignment, &with(format!("[{cost}]"))),
            Leaf::Event(event) => {
                let all = event::cases();
                let tails = all.iter().filter(|(name, _)| name.contains(',')).count();
                let bounded = all.iter().filter(|(name, _)| name.contains(' ')).count() - tails;
                let samples = self.samples();
                let rule =
                    format!("EVENT ({}) [{cost}]   {bounded} cases + {tails} tails", samples.join(", "));
                let children = vec![
                    Node::new(with(rule), Vec::new(), ""),
                    Node::new(
                        format!("ASSN {0}, PREIM of what is returned in {0}", event.variable),
                        Vec::new(),
                        "",
                    ),
                ];
                let sequence = Node::new(format!("SEQ [{cost} + 0]"), children, "rules");
                let scalar = self.program.declaration.result.scalar;
                let text = match event.pointwise {
                    true => format!("PW-EQ e : {} (countable)", scalar.text()),
                    false => "PW-INT [a, b) : intervals of reals".into(),
                };
                Node::new(text, vec![sequence], "rules")
            }
            Leaf::Finite(finite) => {
                let axioms = finite.axioms.iter().map(of_axiom);
                Node::new(with(format!("ENUMERATE [{cost}]")), axioms.collect(), "axioms")
            }
        }
    }

    fn samples(&self) -> Vec<String> {
        let Some(path) = self.first.first() else { return Vec::new() };
        let continuous = path.samples.iter().map(|sample| sample.name.to_string());
        continuous.chain(path.choices.iter().map(|choice| choice.name.to_string())).collect()
    }

    fn alignment(&self, alignment: &Alignment, tail: &str) -> Node {
        let mut pieces: Vec<Node> = alignment.pieces.iter().map(|piece| self.piece(piece)).collect();
        let by_output = alignment.pieces.iter().all(|piece| piece.label.is_some());
        let axioms: Vec<Node> = alignment.axioms.iter().map(of_axiom).collect();
        // One piece without conditions needs no node of its own.
        if let ([only], false) = (pieces.as_mut_slice(), axioms.is_empty())
            && only.text.is_empty()
        {
            pieces = std::mem::take(&mut only.children);
        }
        pieces.extend(axioms);
        let align = |text: String| format!("{text} {tail}");
        match (by_output, pieces.as_mut_slice()) {
            (true, [_, _, ..]) => Node::new(align("PW-EQ by ALIGN".into()), pieces, "outputs"),
            // One piece without conditions is the rule itself.
            (_, [only]) if only.text.is_empty() && only.children.len() == 1 => {
                let mut rule = only.children.remove(0);
                rule.text = format!("{}   {}", rule.text, tail.split_once("   ").map_or("", |(_, l)| l));
                rule.text.truncate(rule.text.trim_end().len());
                rule
            }
            (_, [only]) if only.text.is_empty() => {
                let children = std::mem::take(&mut only.children);
                Node::new(align("SEQ".into()), children, "samples")
            }
            (_, all) => {
                let unconditional = all.iter_mut().filter(|piece| piece.text.is_empty());
                unconditional.for_each(|piece| piece.text = "always".into());
                Node::new(
                    align("ALIGN".into()),
                    pieces,
                    if alignment.pieces.len() > 1 { "pieces" } else { "rules" },
                )
            }
        }
    }

    /// A piece: where it applies, and what it does with the samples.
    fn piece(&self, piece: &Piece) -> Node {
        let mut conditions: Vec<String> = Vec::new();
        conditions.extend(piece.label.as_ref().map(|label| format!("r = {label}")));
        conditions.extend(
            piece.choices.iter().map(|(name, value)| format!("{name} = {}", self.value(name, *value))),
        );
        conditions.extend(piece.guard.iter().map(Constraint::to_string));
        let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut children = Vec::new();
        for (name, (map, cost)) in &piece.maps {
            match self.rule(name, map) {
                (rule @ ("LAP-NULL" | "AX-NULL"), _) if cost.is_zero() => {
                    groups.entry(rule).or_default().push(name.to_string());
                }
                (rule, what) => children.push(Node::new(format!("{rule} {what} [{cost}]"), Vec::new(), "")),
            }
        }
        for (rule, names) in groups {
            children.push(Node::new(format!("{rule} {} [0]", names.join(", ")), Vec::new(), ""));
        }
        if children.is_empty() {
            children.push(Node::new("AX-NULL, all samples the same [0]", Vec::new(), ""));
        }
        Node::new(conditions.join(", "), children, "samples")
    }

    /// The rule that a map is an instance of, and what it does.
    fn rule(&self, name: &str, map: &Map) -> (&'static str, String) {
        let mut samples = self.first.iter().flat_map(|path| &path.samples);
        let sample = samples.find(|sample| *sample.name == *name);
        match map {
            Map::Permute(images) => {
                let is_moved = |(from, to): &(usize, &usize)| from != *to;
                let moved = images.iter().enumerate().filter(is_moved);
                let moved: Vec<String> = moved
                    .map(|(from, to)| format!("{} -> {}", self.value(name, from), self.value(name, *to)))
                    .collect();
                match moved.is_empty() {
                    true => ("AX-NULL", name.into()),
                    false => ("RND-BIJ", format!("{name}: {}", moved.join(", "))),
                }
            }
            Map::Affine { negate, shift } => {
                let law = sample.map(|sample| &sample.law);
                let coordinate = sample.map_or(name.into(), |sample| sample.coordinate().to_string());
                let is_null = !negate && shift.is_zero();
                let rule = match (law, is_null) {
                    (Some(Law::Laplace(_)), true) => "LAP-NULL",
                    (_, true) => "AX-NULL",
                    (Some(Law::Laplace(_)), _) => "LAP-GEN",
                    (Some(Law::DiscreteLaplace(..)), _) => "DLAP",
                    (Some(Law::Uniform), _) if !negate => "UNIF-SHRINK",
                    _ => "ALIGN",
                };
                let v = Polynomial::variable(coordinate.as_str());
                let image = if *negate { shift - &v } else { shift + &v };
                (rule, if is_null { name.into() } else { format!("{coordinate} -> {image}") })
            }
        }
    }

    /// A value of a sample by its number, as some path has it.
    fn value(&self, name: &str, number: usize) -> String {
        let is_it = |path: &&Path| path.choices.iter().any(|c| *c.name == *name && c.value == number);
        let value = self.first.iter().filter(is_it).find_map(|path| match path.variables.get(name)? {
            Value::Bool(value) => Some(value.to_string()),
            Value::Number(p) => p.as_constant().map(|number| number.to_string()),
            _ => None,
        });
        value.unwrap_or_else(|| format!("value {number}"))
    }
}
