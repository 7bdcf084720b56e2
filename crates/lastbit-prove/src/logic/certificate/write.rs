//! From proofs to JSON.

use std::collections::{BTreeMap, HashMap};

use lastbit_lang::parse;
use lastbit_lang::symbolic::{Constraint, Polynomial, Program};
use lastbit_real::Rational;
use serde_json::{Map as Object, Value, json};

use super::{KIND, only_used};
use crate::logic::kernel::{Axiom, Leaf, Lemma, Map, Piece, Proof};

/// The certificate of a proof about a declaration of a text. Lemmas that the proof does not need are left out.
pub fn to_json(text: &str, declaration: &str, values: &BTreeMap<String, Rational>, proof: &Proof) -> Value {
    let (file, _) = parse(text);
    let program = file.declaration(declaration).and_then(|found| Program::new(&file, found, values).ok());
    // A proof that does not hold is written as it is: that is for the one who checks it to say.
    let slim = program.and_then(|program| only_used(&program, proof).ok());
    let proof = slim.as_ref().unwrap_or(proof);
    let mut table = Table::default();
    let lemmas: Vec<Value> = proof.lemmas.iter().map(|lemma| table.lemma(lemma)).collect();
    let leaves: Vec<Value> = proof.leaves.iter().map(|leaf| table.leaf(leaf)).collect();
    let values: Object<String, Value> =
        values.iter().map(|(name, value)| (name.clone(), json!(value.to_string()))).collect();
    json!({
        "lastbit": KIND,
        "version": 1,
        "text": text,
        "declaration": declaration,
        "values": values,
        "cost": polynomial(&proof.cost),
        "constraints": table.constraints,
        "lemmas": lemmas,
        "leaves": leaves,
    })
}

/// `[["3/2", {"eps": 1, "x<1>": -1}], …]`
fn polynomial(p: &Polynomial) -> Value {
    let term = |(monomial, coefficient): (&lastbit_lang::symbolic::Monomial, &Rational)| {
        let powers: Object<String, Value> =
            monomial.powers().iter().map(|(symbol, power)| (symbol.to_string(), json!(power))).collect();
        json!([coefficient.to_string(), powers])
    };
    p.terms().map(term).collect()
}

fn polynomials(list: &[Polynomial]) -> Value {
    list.iter().map(polynomial).collect()
}

/// All constraints that occur, each once.
#[derive(Default)]
struct Table {
    constraints: Vec<Value>,
    places: HashMap<Constraint, usize>,
}

impl Table {
    fn place(&mut self, constraint: &Constraint) -> usize {
        if let Some(place) = self.places.get(constraint) {
            return *place;
        }
        let place = self.constraints.len();
        self.constraints.push(json!([polynomial(&constraint.polynomial), constraint.relation.text()]));
        self.places.insert(constraint.clone(), place);
        place
    }

    fn lemma(&mut self, lemma: &Lemma) -> Value {
        // A place that is not there stays one that is not there.
        let mut place = |index: &usize| match lemma.constraints.get(*index) {
            Some(constraint) => self.place(constraint),
            None => usize::MAX,
        };
        let mut products = Vec::new();
        for (coefficient, factors) in &lemma.refutation.products {
            let factors: Vec<usize> = factors.iter().map(&mut place).collect();
            products.push(json!([coefficient.to_string(), factors]));
        }
        let multiples = lemma.refutation.multiples.iter();
        let multiples: Vec<Value> =
            multiples.map(|(multiplier, index)| json!([polynomial(multiplier), place(index)])).collect();
        json!({ "products": products, "multiples": multiples })
    }

    fn leaf(&mut self, leaf: &Leaf) -> Value {
        match leaf {
            Leaf::Vacuous => json!({ "rule": "vacuous" }),
            Leaf::Split(on, leaves) => {
                let on = self.place(on);
                let leaves: Vec<Value> = leaves.iter().map(|leaf| self.leaf(leaf)).collect();
                json!({ "rule": "case", "on": on, "leaves": leaves })
            }
            Leaf::Align(alignment) => {
                let pieces: Vec<Value> = alignment.pieces.iter().map(|piece| self.piece(piece)).collect();
                json!({ "rule": "align", "axioms": axioms(&alignment.axioms), "pieces": pieces })
            }
            Leaf::Event(event) => json!({
                "rule": "event",
                "variable": event.variable,
                "positive": event.positive,
                "pointwise": event.pointwise,
            }),
            Leaf::Finite(finite) => json!({ "rule": "enumerate", "axioms": axioms(&finite.axioms) }),
        }
    }

    fn piece(&mut self, piece: &Piece) -> Value {
        let guard: Vec<usize> = piece.guard.iter().map(|constraint| self.place(constraint)).collect();
        let choices = piece.choices.iter().map(|(name, value)| (name.to_string(), json!(value)));
        let maps = piece.maps.iter().map(|(name, (map, cost))| (name.to_string(), self::map(map, cost)));
        json!({
            "label": piece.label,
            "choices": choices.collect::<Object<String, Value>>(),
            "guard": guard,
            "maps": maps.collect::<Object<String, Value>>(),
        })
    }
}

fn map(map: &Map, cost: &Polynomial) -> Value {
    match map {
        Map::Affine { negate, shift } => {
            json!({ "negate": negate, "shift": polynomial(shift), "cost": polynomial(cost) })
        }
        Map::Permute(images) => json!({ "permute": images, "cost": polynomial(cost) }),
    }
}

fn axioms(axioms: &[Axiom]) -> Value {
    let axiom = |axiom: &Axiom| match axiom {
        Axiom::ExpPositive(p) => json!({ "axiom": "exp > 0", "of": polynomial(p) }),
        Axiom::ExpTangent(p) => json!({ "axiom": "exp >= 1 + p", "of": polynomial(p) }),
        Axiom::ExpAtMost(left, right) => {
            json!({ "axiom": "exp <= exp", "left": polynomials(left), "right": polynomials(right) })
        }
        Axiom::Reciprocal(p) => json!({ "axiom": "reciprocal", "of": polynomial(p) }),
    };
    axioms.iter().map(axiom).collect()
}
