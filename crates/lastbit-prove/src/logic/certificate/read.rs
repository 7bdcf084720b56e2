//! From JSON to proofs. Not trusted: what it makes of a file is for the kernel to judge.

use std::collections::BTreeMap;

use lastbit_lang::symbolic::{Constraint, Polynomial, Relation, Symbol};
use lastbit_real::Rational;

use super::{Certificate, CertificateError, KIND};
use crate::check::CheckError;
use crate::check::json::{Json, Limits, parse_within};
use crate::check::read::{Place, array, field, object, place_between, rational, text};
use crate::logic::kernel::{Alignment, Axiom, Event, Finite, Leaf, Lemma, Map, Piece, Proof, Refutation};
use crate::subject::{self, MAX_TEXT};

/// Most lemmas, constraints, leaves.
const MAX_ITEMS: usize = 100_000;
/// How deep cases may be nested.
const MAX_CASES: usize = 64;
/// The largest power of a variable, up or down.
const MAX_POWER: i64 = 100;
/// Every case is an object in an array; what is in a case is less deep than this.
const LIMITS: Limits = Limits { depth: 2 * MAX_CASES + 20, fields: 1024 };

/// Reads a certificate.
///
/// Ensures: never panics. That the result is read says nothing about whether it is a proof.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read(certificate: &str) -> Result<Certificate, CertificateError> {
    of_json(&parse_within(certificate, LIMITS)?)
}

/// As [`read`], of what is parsed already.
pub(crate) fn of_json(certificate: &Json<'_>) -> Result<Certificate, CertificateError> {
    let root = Place::Root;
    // What kind of file it is comes first, whatever else is wrong.
    for (name, wanted) in [("lastbit", format!("{KIND:?}")), ("version", "1".into())] {
        let found = field(certificate, name);
        if found.is_none_or(|found| found.to_string() != wanted) {
            let found = found.map_or("none".into(), Json::to_string);
            return Err(root.field(name).expected(wanted, found).into());
        }
    }
    let names =
        ["lastbit", "version", "text", "declaration", "values", "cost", "constraints", "lemmas", "leaves"];
    let [_, _, source, declaration, values, cost, constraints, lemmas, leaves] =
        object(certificate, &root, names)?;
    let place = root.field("text");
    let source = text(source, &place)?;
    if source.len() > MAX_TEXT {
        return Err(place.expected(format!("at most {MAX_TEXT} bytes"), source.len()).into());
    }
    let table = items(constraints, &root.field("constraints"), constraint)?;
    let reader = Reader { table };
    let proof = Proof {
        cost: polynomial(cost, &root.field("cost"))?,
        lemmas: items(lemmas, &root.field("lemmas"), |lemma, place| reader.lemma(lemma, place))?,
        leaves: items(leaves, &root.field("leaves"), |leaf, place| reader.leaf(leaf, place, 0))?,
    };
    Ok(Certificate {
        text: source.to_owned(),
        declaration: text(declaration, &root.field("declaration"))?.to_owned(),
        values: subject::values(values, &root.field("values"))?,
        proof,
    })
}

/// The items of an array, not too many.
fn items<T>(
    value: &Json<'_>,
    place: &Place<'_>,
    mut read: impl FnMut(&Json<'_>, &Place<'_>) -> Result<T, CheckError>,
) -> Result<Vec<T>, CheckError> {
    let items = array(value, place)?;
    if items.len() > MAX_ITEMS {
        return Err(place.expected(format!("at most {MAX_ITEMS} items"), items.len()));
    }
    items.iter().enumerate().map(|(index, item)| read(item, &place.index(index))).collect()
}

/// The fields of an object whose names are data.
fn by_name<T>(
    value: &Json<'_>,
    place: &Place<'_>,
    read: impl Fn(&Json<'_>, &Place<'_>) -> Result<T, CheckError>,
) -> Result<Vec<(String, T)>, CheckError> {
    let Json::Object(fields) = value else { return Err(place.expected("an object", value)) };
    fields.iter().map(|(name, value)| Ok((name.to_string(), read(value, &place.field(name))?))).collect()
}

fn by_symbol<T>(
    value: &Json<'_>,
    place: &Place<'_>,
    read: impl Fn(&Json<'_>, &Place<'_>) -> Result<T, CheckError>,
) -> Result<BTreeMap<Symbol, T>, CheckError> {
    Ok(by_name(value, place, read)?.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

fn pair<'v, 'a>(value: &'v Json<'a>, place: &Place<'_>) -> Result<[&'v Json<'a>; 2], CheckError> {
    match array(value, place)? {
        [first, second] => Ok([first, second]),
        _ => Err(place.expected("an array of 2", value)),
    }
}

fn truth(value: &Json<'_>, place: &Place<'_>) -> Result<bool, CheckError> {
    match value {
        Json::Bool(value) => Ok(*value),
        _ => Err(place.expected("true or false", value)),
    }
}

fn small(value: &Json<'_>, place: &Place<'_>) -> Result<usize, CheckError> {
    place_between(value, 0, MAX_ITEMS, place)
}

fn polynomial(value: &Json<'_>, place: &Place<'_>) -> Result<Polynomial, CheckError> {
    let terms = items(value, place, term)?;
    let sum = terms.iter().fold(Polynomial::zero(), |sum, term| &sum + term);
    // In a sum in its canonical form no term is zero, and none occurs twice.
    match sum.terms().count() == terms.len() {
        true => Ok(sum),
        false => Err(place.expected("terms that are not zero, of different powers", value)),
    }
}

/// `["3/2", {"eps": 1, "x<1>": -1}]`
fn term(value: &Json<'_>, place: &Place<'_>) -> Result<Polynomial, CheckError> {
    let [coefficient, powers] = pair(value, place)?;
    let mut product = Polynomial::constant(rational(coefficient, &place.index(0))?);
    for (name, power) in by_name(powers, &place.index(1), power)? {
        let variable = Polynomial::variable(name.as_str());
        let inverse = variable.inverse();
        let factor = inverse.filter(|_| power < 0).unwrap_or(variable);
        for _ in 0..power.unsigned_abs() {
            product = &product * &factor;
        }
    }
    Ok(product)
}

fn power(value: &Json<'_>, place: &Place<'_>) -> Result<i64, CheckError> {
    match value {
        Json::Integer(power) if *power != 0 && power.abs() <= MAX_POWER => Ok(*power),
        _ => Err(place.expected(format!("a power from -{MAX_POWER} to {MAX_POWER}, not 0"), value)),
    }
}

/// `[polynomial, ">="]`
fn constraint(value: &Json<'_>, place: &Place<'_>) -> Result<Constraint, CheckError> {
    let [p, relation] = pair(value, place)?;
    let polynomial = polynomial(p, &place.index(0))?;
    let all = [Relation::NonNegative, Relation::Positive, Relation::Zero];
    let name = text(relation, &place.index(1))?;
    let relation = all.into_iter().find(|relation| relation.text() == name);
    let relation = relation.ok_or_else(|| place.index(1).expected("one of >=, >, =", name))?;
    Ok(Constraint { polynomial, relation })
}

/// What has places in the table of constraints.
struct Reader {
    table: Vec<Constraint>,
}

impl Reader {
    fn constraint(&self, value: &Json<'_>, place: &Place<'_>) -> Result<Constraint, CheckError> {
        Ok(self.table[place_between(value, 0, self.table.len(), place)?].clone())
    }

    /// The constraints of a lemma are those that its sum names.
    fn lemma(&self, value: &Json<'_>, place: &Place<'_>) -> Result<Lemma, CheckError> {
        let [products, multiples] = object(value, place, ["products", "multiples"])?;
        let mut used: Vec<usize> = Vec::new();
        let mut number = |value: &Json<'_>, place: &Place<'_>| {
            let wanted = place_between(value, 0, self.table.len(), place)?;
            let known = used.iter().position(|known| *known == wanted);
            Ok(known.unwrap_or_else(|| {
                used.push(wanted);
                used.len() - 1
            }))
        };
        let products = items(products, &place.field("products"), |product, place| {
            let [coefficient, factors] = pair(product, place)?;
            let coefficient: Rational = rational(coefficient, &place.index(0))?;
            Ok((coefficient, items(factors, &place.index(1), &mut number)?))
        })?;
        let multiples = items(multiples, &place.field("multiples"), |multiple, place| {
            let [multiplier, of] = pair(multiple, place)?;
            Ok((polynomial(multiplier, &place.index(0))?, number(of, &place.index(1))?))
        })?;
        let constraints = used.into_iter().map(|place| self.table[place].clone()).collect();
        Ok(Lemma { constraints, refutation: Refutation { products, multiples } })
    }

    fn leaf(&self, value: &Json<'_>, place: &Place<'_>, depth: usize) -> Result<Leaf, CheckError> {
        if depth > MAX_CASES {
            return Err(place.expected(format!("at most {MAX_CASES} cases in each other"), "more"));
        }
        let rule_place = place.field("rule");
        let rule = field(value, "rule").ok_or_else(|| rule_place.expected("a value", "none"))?;
        match text(rule, &rule_place)? {
            "vacuous" => object(value, place, ["rule"]).map(|_| Leaf::Vacuous),
            "case" => {
                let [_, on, leaves] = object(value, place, ["rule", "on", "leaves"])?;
                let on = self.constraint(on, &place.field("on"))?;
                let below = |leaf: &Json<'_>, place: &Place<'_>| self.leaf(leaf, place, depth + 1);
                Ok(Leaf::Split(on, items(leaves, &place.field("leaves"), below)?))
            }
            "align" => {
                let [_, axioms, pieces] = object(value, place, ["rule", "axioms", "pieces"])?;
                let axioms = items(axioms, &place.field("axioms"), axiom)?;
                let piece = |piece: &Json<'_>, place: &Place<'_>| self.piece(piece, place);
                Ok(Leaf::Align(Alignment { axioms, pieces: items(pieces, &place.field("pieces"), piece)? }))
            }
            "event" => {
                let [_, variable, positive, pointwise] =
                    object(value, place, ["rule", "variable", "positive", "pointwise"])?;
                Ok(Leaf::Event(Event {
                    variable: text(variable, &place.field("variable"))?.to_owned(),
                    positive: small(positive, &place.field("positive"))?,
                    pointwise: truth(pointwise, &place.field("pointwise"))?,
                }))
            }
            "enumerate" => {
                let [_, axioms] = object(value, place, ["rule", "axioms"])?;
                Ok(Leaf::Finite(Finite { axioms: items(axioms, &place.field("axioms"), axiom)? }))
            }
            _ => Err(rule_place.expected("one of vacuous, case, align, event, enumerate", rule)),
        }
    }

    fn piece(&self, value: &Json<'_>, place: &Place<'_>) -> Result<Piece, CheckError> {
        let [label, choices, guard, maps] = object(value, place, ["label", "choices", "guard", "maps"])?;
        let label = match label {
            Json::Null => None,
            label => Some(text(label, &place.field("label"))?.to_owned()),
        };
        let constraint = |value: &Json<'_>, place: &Place<'_>| self.constraint(value, place);
        Ok(Piece {
            label,
            choices: by_symbol(choices, &place.field("choices"), small)?,
            guard: items(guard, &place.field("guard"), constraint)?,
            maps: by_symbol(maps, &place.field("maps"), map)?,
        })
    }
}

fn map(value: &Json<'_>, place: &Place<'_>) -> Result<(Map, Polynomial), CheckError> {
    let (map, cost) = if field(value, "permute").is_some() {
        let [images, cost] = object(value, place, ["permute", "cost"])?;
        (Map::Permute(items(images, &place.field("permute"), small)?), cost)
    } else {
        let [negate, shift, cost] = object(value, place, ["negate", "shift", "cost"])?;
        let negate = truth(negate, &place.field("negate"))?;
        (Map::Affine { negate, shift: polynomial(shift, &place.field("shift"))? }, cost)
    };
    Ok((map, polynomial(cost, &place.field("cost"))?))
}

fn axiom(value: &Json<'_>, place: &Place<'_>) -> Result<Axiom, CheckError> {
    let name_place = place.field("axiom");
    let name = field(value, "axiom").ok_or_else(|| name_place.expected("a value", "none"))?;
    let of = || {
        let [_, of] = object(value, place, ["axiom", "of"])?;
        polynomial(of, &place.field("of"))
    };
    match text(name, &name_place)? {
        "exp > 0" => of().map(Axiom::ExpPositive),
        "exp >= 1 + p" => of().map(Axiom::ExpTangent),
        "reciprocal" => of().map(Axiom::Reciprocal),
        "exp <= exp" => {
            let [_, left, right] = object(value, place, ["axiom", "left", "right"])?;
            let left = items(left, &place.field("left"), polynomial)?;
            Ok(Axiom::ExpAtMost(left, items(right, &place.field("right"), polynomial)?))
        }
        _ => Err(name_place.expected("one of exp > 0, exp >= 1 + p, exp <= exp, reciprocal", name)),
    }
}
