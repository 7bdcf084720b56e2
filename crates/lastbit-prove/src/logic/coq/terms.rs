//! Polynomials, constraints and lemmas as Coq has them.

use std::collections::BTreeMap;

use lastbit_lang::symbolic::{Application, Constraint, Polynomial, Relation, Symbol, applied};
use lastbit_real::Rational;

use super::Unsupported;
use super::layout::Lines;
use super::names::Names;
use crate::logic::proof::Lemma;

/// Most factors of a product.
const MAX_FACTORS: usize = 8;

/// What stands for the symbols of the logic.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms(BTreeMap<Symbol, String>);

/// A number.
pub(super) fn number(value: &Rational) -> String {
    match (value.is_integer(), value.is_negative()) {
        (true, _) => value.to_string(),
        (false, false) => format!("{} / {}", value.numerator(), value.denominator()),
        (false, true) => format!("- ({} / {})", value.abs().numerator(), value.denominator()),
    }
}

/// In parentheses, unless it is one word.
pub(super) fn atom(term: &str) -> String {
    let is_word = term.chars().all(|c| c.is_ascii_alphanumeric() || "_'".contains(c));
    let mut depth = 0;
    let closes_early = term.char_indices().any(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && at + 1 < term.len()
    });
    if is_word || !closes_early { term.to_owned() } else { format!("({term})") }
}

impl Terms {
    pub(super) fn insert(&mut self, symbol: impl Into<Symbol>, term: String) {
        self.0.insert(symbol.into(), term);
    }

    pub(super) fn get(&self, symbol: &str) -> Option<&String> {
        self.0.get(symbol)
    }

    /// A function of polynomials that are known.
    pub(super) fn apply(&mut self, function: &str, argument: &Polynomial) -> Result<(), Unsupported> {
        let argument_term = atom(&self.polynomial(argument)?);
        let term = match function {
            "recip" => format!("(/ {argument_term})"),
            "exp" | "ln" | "sqrt" => format!("{function} {argument_term}"),
            _ => return Err(Unsupported::Expression(format!("`{function}`"))),
        };
        self.insert(applied(function, std::slice::from_ref(argument), ""), term);
        Ok(())
    }

    /// The functions that a run applies; what is inside of another comes first.
    pub(super) fn applications(
        &mut self,
        applications: &BTreeMap<Symbol, Application>,
    ) -> Result<(), Unsupported> {
        let mut left: Vec<&Application> = applications.values().collect();
        while !left.is_empty() {
            let before = left.len();
            let is_open = |application: &&Application| {
                application
                    .arguments
                    .iter()
                    .any(|p| p.variables().iter().any(|symbol| self.get(symbol).is_none()))
            };
            let (open, ready): (Vec<_>, Vec<_>) = left.into_iter().partition(is_open);
            for application in ready {
                match application.arguments.as_slice() {
                    [argument] => self.apply(application.function, argument)?,
                    _ => return Err(Unsupported::Expression(format!("`{}`", application.function))),
                }
            }
            left = open;
            if left.len() == before {
                return Err(Unsupported::Expression(format!("`{}`", left[0].function)));
            }
        }
        Ok(())
    }

    pub(super) fn polynomial(&self, p: &Polynomial) -> Result<String, Unsupported> {
        let mut text = String::new();
        for (monomial, coefficient) in p.terms() {
            let mut factors = Vec::new();
            let size = coefficient.abs();
            if monomial.is_one() || size != Rational::ONE {
                factors.push(number(&size));
            }
            for (symbol, power) in monomial.powers() {
                let known = || Unsupported::Symbol(symbol.to_string());
                let term = self.get(symbol).ok_or_else(known)?;
                let base = if *power < 0 { format!("(/ {})", atom(term)) } else { term.clone() };
                factors.push(match power.unsigned_abs() {
                    1 => base,
                    power => format!("{base} ^ {power}"),
                });
            }
            text += match (text.is_empty(), coefficient.is_negative()) {
                (true, false) => "",
                (true, true) => "- ",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text += &factors.join(" * ");
        }
        Ok(if text.is_empty() { "0".into() } else { text })
    }

    pub(super) fn constraint(&self, constraint: &Constraint) -> Result<String, Unsupported> {
        let p = self.polynomial(&constraint.polynomial)?;
        Ok(match constraint.relation {
            Relation::NonNegative => format!("0 <= {p}"),
            Relation::Positive => format!("0 < {p}"),
            Relation::Zero => format!("{p} = 0"),
        })
    }

    /// That a constraint does not hold.
    pub(super) fn negation(&self, constraint: &Constraint) -> Result<String, Unsupported> {
        let p = self.polynomial(&constraint.polynomial)?;
        Ok(match constraint.relation {
            Relation::NonNegative => format!("{p} < 0"),
            Relation::Positive => format!("{p} <= 0"),
            Relation::Zero => format!("{p} <> 0"),
        })
    }
}

/// A lemma of the certificate in Coq, and what it is applied to.
#[derive(Debug)]
pub(super) struct Stated {
    pub(super) name: String,
    /// Its variables, in order.
    pub(super) symbols: Vec<Symbol>,
}

/// The positive numbers of a fraction.
fn fraction(value: &Rational) -> String {
    format!("{} {}", value.numerator(), value.denominator())
}

/// States and proves a lemma by the certificate's sum. Whether the proof is right is for Coq to say.
pub(super) fn lemma(lines: &mut Lines, number: usize, lemma: &Lemma) -> Result<Stated, Unsupported> {
    if lemma.refutation.products.iter().any(|(_, factors)| factors.len() > MAX_FACTORS) {
        return Err(Unsupported::Size);
    }
    let polynomials = lemma.constraints.iter().map(|c| &c.polynomial);
    let polynomials: Vec<&Polynomial> =
        polynomials.chain(lemma.refutation.multiples.iter().map(|(q, _)| q)).collect();
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut inverted: Vec<Symbol> = Vec::new();
    for (symbol, power) in
        polynomials.iter().flat_map(|p| p.terms()).flat_map(|(monomial, _)| monomial.powers())
    {
        if !symbols.contains(symbol) {
            symbols.push(symbol.clone());
        }
        if *power < 0 && !inverted.contains(symbol) {
            inverted.push(symbol.clone());
        }
    }
    let (mut names, mut terms) = (Names::default(), Terms::default());
    let mut variables = Vec::new();
    for symbol in &symbols {
        let name = if symbol.len() <= 24 { names.fresh(symbol) } else { names.fresh("v") };
        variables.push(name.clone());
        terms.insert(symbol.clone(), name);
    }
    let name = format!("lemma_{number}");
    let mut statement = match variables.is_empty() {
        true => format!("Lemma {name} :"),
        false => format!("Lemma {name} ({} : R) :", variables.join(" ")),
    };
    for symbol in &inverted {
        statement += &format!(" {} <> 0 ->", terms.polynomial(&Polynomial::variable(symbol.clone()))?);
    }
    for constraint in &lemma.constraints {
        statement += &format!(" {} ->", terms.constraint(constraint)?);
    }
    lines.push(0, &(statement + " False."));
    lines.push(0, "Proof.");
    let divisors: Vec<String> = (1..=inverted.len()).map(|i| format!("N{i}")).collect();
    let hypotheses: Vec<String> = (1..=lemma.constraints.len()).map(|i| format!("H{i}")).collect();
    lines.push(2, &format!("intros {}.", [divisors, hypotheses].concat().join(" ")));
    lines.push(2, &format!("{}.", sum(lemma, &terms)?));
    lines.push(0, "Qed.");
    Ok(Stated { name, symbols })
}

/// The proof: the sum, and the identity that it is a number.
fn sum(lemma: &Lemma, terms: &Terms) -> Result<String, Unsupported> {
    let relation = |place: &usize| lemma.constraints.get(*place).map(|c| c.relation);
    let hypothesis = |place: &usize| format!("H{}", place + 1);
    let is_strict = |factors: &[usize]| factors.iter().all(|f| relation(f) == Some(Relation::Positive));
    let total = lemma.sum().ok().and_then(|sum| sum.as_constant());
    let products = &lemma.refutation.products;
    // A sum that is 0 needs one product that is positive; it comes first.
    let wanted = total.as_ref().is_some_and(Rational::is_zero);
    let strict = products.iter().position(|(_, factors)| is_strict(factors)).filter(|_| wanted);
    let mut parts = Vec::new();
    for (index, (coefficient, factors)) in products.iter().enumerate() {
        let (times, mul, one) = match strict == Some(index) {
            true => ("times_strict", "mul_strict", "Rlt_0_1"),
            false => ("times", "mul", "Rle_0_1"),
        };
        let factor = |place: &usize| match relation(place) {
            Some(Relation::Positive) if strict != Some(index) => format!("(weak {})", hypothesis(place)),
            _ => hypothesis(place),
        };
        let mut list: Vec<String> = factors.iter().map(factor).collect();
        let last = list.pop().unwrap_or_else(|| one.into());
        let product = list.iter().rev().fold(last, |product, factor| format!("({mul} {factor} {product})"));
        let part = format!("({times} {} {product})", fraction(coefficient));
        if strict == Some(index) { parts.insert(0, part) } else { parts.push(part) }
    }
    for (multiplier, place) in &lemma.refutation.multiples {
        parts.push(format!("(any {} {})", atom(&terms.polynomial(multiplier)?), hypothesis(place)));
    }
    let last = parts.pop().unwrap_or_else(|| "Rle_0_1".into());
    let joined = parts.iter().enumerate().rev().fold(last, |sum, (index, part)| {
        let add = if strict.is_some() && index == 0 { "add_strict" } else { "add" };
        format!("({add} {part} {sum})")
    });
    Ok(match (strict, total) {
        (Some(_), _) => format!("apply (sum_refuted_strict {joined}); identity"),
        (None, Some(total)) if total.is_negative() => {
            format!("apply (sum_refuted {} {joined}); [identity | closed]", atom(&self::number(&total.abs())))
        }
        // Wrong, as Coq will find.
        _ => format!("apply (sum_refuted 1 {joined}); [identity | closed]"),
    })
}
