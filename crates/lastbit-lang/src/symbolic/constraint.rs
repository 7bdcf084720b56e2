//! Comparisons of a polynomial with zero.

use std::fmt;

use lastbit_real::Rational;

use super::Polynomial;

/// A relation of a polynomial to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// `p >= 0`
    NonNegative,
    /// `p > 0`
    Positive,
    /// `p = 0`
    Zero,
}

/// `p >= 0`, `p > 0` or `p = 0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constraint {
    /// `p`
    pub polynomial: Polynomial,
    /// The relation to zero.
    pub relation: Relation,
}

impl Constraint {
    /// `p >= 0`
    pub fn non_negative(polynomial: Polynomial) -> Constraint {
        Constraint { polynomial, relation: Relation::NonNegative }
    }

    /// `p > 0`
    pub fn positive(polynomial: Polynomial) -> Constraint {
        Constraint { polynomial, relation: Relation::Positive }
    }

    /// `p = 0`
    pub fn zero(polynomial: Polynomial) -> Constraint {
        Constraint { polynomial, relation: Relation::Zero }
    }

    /// The constraints of which one holds if and only if this one does not.
    pub fn negated(&self) -> Vec<Constraint> {
        let p = &self.polynomial;
        match self.relation {
            Relation::NonNegative => vec![Constraint::positive(-p)],
            Relation::Positive => vec![Constraint::non_negative(-p)],
            Relation::Zero => vec![Constraint::positive(p.clone()), Constraint::positive(-p)],
        }
    }

    /// Whether it holds, if the polynomial is a number.
    pub fn decided(&self) -> Option<bool> {
        self.polynomial.as_constant().map(|value| self.relation.holds(&value))
    }
}

impl Relation {
    /// Whether the relation holds for a number.
    pub fn holds(self, value: &Rational) -> bool {
        match self {
            Relation::NonNegative => !value.is_negative(),
            Relation::Positive => value.is_positive(),
            Relation::Zero => value.is_zero(),
        }
    }

    /// The relation's spelling.
    pub fn text(self) -> &'static str {
        match self {
            Relation::NonNegative => ">=",
            Relation::Positive => ">",
            Relation::Zero => "=",
        }
    }
}

/// With the negative terms on the other side: `x<1> - x<2> - 1 >= 0` is written `x<1> >= 1 + x<2>`.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut left, mut right) = (Polynomial::zero(), Polynomial::zero());
        for (monomial, coefficient) in self.polynomial.terms() {
            let term = Polynomial::term(coefficient.abs(), monomial.clone());
            let side = if coefficient.is_negative() { &mut right } else { &mut left };
            *side = &*side + &term;
        }
        write!(f, "{left} {} {right}", self.relation.text())
    }
}
