//! Which powers the monomials of a product may have.

use super::candidates::{Exponents, Terms};

/// The least and the greatest power of every variable in 1 and some monomials, and the greatest degree of one, counted from the least
/// powers: the degree that it has when negative powers are multiplied out.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    pub(super) least: Exponents,
    pub(super) greatest: Exponents,
    pub(super) degree: i32,
}

impl Extent {
    pub(super) fn of<'a>(variables: usize, monomials: impl Iterator<Item = &'a Exponents> + Clone) -> Extent {
        let one = vec![0; variables];
        let mut extent = Extent { least: one.clone(), greatest: one.clone(), degree: 0 };
        for monomial in monomials.clone() {
            for (j, &power) in monomial.iter().enumerate() {
                extent.least[j] = extent.least[j].min(power);
                extent.greatest[j] = extent.greatest[j].max(power);
            }
        }
        let degrees = monomials.map(|monomial| extent.degree_of(monomial));
        extent.degree = degrees.fold(extent.degree_of(&one), i32::max);
        extent
    }

    /// With one more power of every variable.
    pub(super) fn wider(&self) -> Extent {
        let greatest = self.greatest.iter().map(|power| power + 1).collect();
        Extent { least: self.least.clone(), greatest, degree: self.degree + 1 }
    }

    fn degree_of(&self, monomial: &Exponents) -> i32 {
        monomial.iter().zip(&self.least).map(|(power, least)| power - least).sum()
    }

    /// Whether a polynomial has no wider range of powers.
    pub(super) fn spans(&self, terms: &Terms) -> bool {
        (0..self.least.len()).all(|j| {
            let (low, high) = powers_of(terms, j);
            high - low <= self.greatest[j] - self.least[j]
        })
    }

    pub(super) fn holds(&self, monomial: &Exponents) -> bool {
        let inside = |(j, &power): (usize, &i32)| self.least[j] <= power && power <= self.greatest[j];
        self.degree_of(monomial) <= self.degree && monomial.iter().enumerate().all(inside)
    }
}

/// The least and the greatest power of a variable.
pub(super) fn powers_of(terms: &Terms, variable: usize) -> (i32, i32) {
    let powers = || terms.keys().map(|monomial| monomial[variable]);
    (powers().min().unwrap_or(0), powers().max().unwrap_or(0))
}
