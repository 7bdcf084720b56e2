//! Linear forms in numbered variables.

use lastbit_real::Rational;

/// The part of a form that is not constant, by variables. No coefficient is 0.
pub(super) type Direction = Vec<(usize, Rational)>;

/// `Σ cᵢ·vᵢ + constant`
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LinearForm {
    pub(super) direction: Direction,
    pub(super) constant: Rational,
}

impl LinearForm {
    pub(super) const ZERO: LinearForm = LinearForm { direction: Vec::new(), constant: Rational::ZERO };

    /// `c·v`
    pub(super) fn multiple(coefficient: Rational, variable: usize) -> LinearForm {
        LinearForm { direction: vec![(variable, coefficient)], constant: Rational::ZERO }
    }

    pub(super) fn is_constant(&self) -> bool {
        self.direction.is_empty()
    }

    /// The coefficient of a variable and the rest of the form, or `None` if the variable is not in it.
    pub(super) fn without(&self, variable: usize) -> Option<(Rational, LinearForm)> {
        let place = self.direction.iter().position(|(v, _)| *v == variable)?;
        let mut rest = self.clone();
        let (_, coefficient) = rest.direction.remove(place);
        Some((coefficient, rest))
    }

    /// `self + factor·other`
    pub(super) fn plus(&self, factor: &Rational, other: &LinearForm) -> LinearForm {
        let constant = &self.constant + factor * &other.constant;
        let mut direction = self.direction.clone();
        for (variable, coefficient) in &other.direction {
            let added = factor * coefficient;
            match direction.binary_search_by_key(variable, |(v, _)| *v) {
                Ok(place) => direction[place].1 = &direction[place].1 + added,
                Err(place) => direction.insert(place, (*variable, added)),
            }
        }
        direction.retain(|(_, coefficient)| !coefficient.is_zero());
        LinearForm { direction, constant }
    }

    pub(super) fn minus(&self, other: &LinearForm) -> LinearForm {
        self.plus(&-Rational::ONE, other)
    }

    pub(super) fn scaled(&self, factor: &Rational) -> LinearForm {
        LinearForm::ZERO.plus(factor, self)
    }
}
