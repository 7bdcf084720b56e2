//! The loss in each of the seven cases, over all pairs of inputs.

use lastbit_audit::snapping::Case;
use lastbit_lang::Tie;
use lastbit_real::Rational;

use super::kappa::{Ingredients, Relative, excess};
use super::{EndpointError, FloatSnap};

/// The bound of a case, over all `f, f'` in `[-B, B]` at most `Δ` apart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaseBound {
    /// The case.
    pub case: Case,
    /// The loss of the ideal mechanism on the perturbed grid.
    pub ideal: Rational,
    /// An upper bound on what floating point adds.
    pub excess: Rational,
    /// The largest distance between an input and a threshold of `x`.
    pub farthest: Rational,
    /// A line that says why the bound holds.
    pub reason: &'static str,
}

impl CaseBound {
    /// The loss is at most this.
    pub fn loss(&self) -> Rational {
        &self.ideal + &self.excess
    }
}

/// What decides how far inputs and thresholds are apart.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// From `B` down to the lowest midpoint.
    pub(super) down: Rational,
    /// From `-B` up to the highest midpoint.
    pub(super) up: Rational,
    /// From `-B` up to the lowest midpoint, if that lies above.
    pub(super) inside_lower: Option<Rational>,
    /// From the highest midpoint up to `B`, if that lies above.
    pub(super) inside_upper: Option<Rational>,
    /// Whether an input can lie above (or below) a whole inner cell.
    pub(super) has_below: bool,
    pub(super) has_above: bool,
}

impl Reach {
    pub(super) fn of(mechanism: &FloatSnap) -> Reach {
        let (bound, top) = (mechanism.exact_bound(), mechanism.top());
        let at = |k: i64| Rational::from(mechanism.midpoint(k));
        let (down, up, inside_lower, inside_upper) = if mechanism.tie() == Tie::Up {
            let [lowest, highest] = [at(1 - top), at(top)];
            (bound - &lowest, bound + &highest, bound + lowest, bound - highest)
        } else {
            // Midpoints lie half an ulp to either side of the middles between multiples. Which side is not looked at, as in Coq.
            let middle = (Rational::from(top) - Rational::pow2(-1)) * mechanism.grid();
            let half_ulp = (mechanism.widths().1 - mechanism.grid()) / Rational::from(2);
            let (far, near) = (bound + &middle + &half_ulp, bound - middle + half_ulp);
            (far.clone(), far, near.clone(), near)
        };
        Reach {
            down,
            up,
            inside_lower: Some(inside_lower).filter(Rational::is_positive),
            inside_upper: Some(inside_upper).filter(Rational::is_positive),
            has_below: at(2 - top) < *bound,
            has_above: at(top - 1) > -bound,
        }
    }

    /// As if no threshold that counts were farther than `most` from either input.
    pub(super) fn capped(mut self, most: &Rational) -> Reach {
        self.down = self.down.min(most.clone());
        self.up = self.up.min(most.clone());
        self
    }
}

/// The bounds of all cases that can occur.
pub(super) fn case_bounds(
    ingredients: &Ingredients,
    reach: &Reach,
    sensitivity: &Rational,
) -> Result<Vec<CaseBound>, EndpointError> {
    let mut bounds = Vec::new();
    let ideal = sensitivity * &ingredients.rate;
    let mut add = |case, ideal: &Rational, farthest: &Rational, f: &Relative, f2: &Relative, reason| {
        let excess = excess(f, f2)?;
        bounds.push(CaseBound { case, ideal: ideal.clone(), excess, farthest: farthest.clone(), reason });
        Ok::<(), EndpointError>(())
    };
    let widest = reach.down.clone().max(reach.up.clone());
    // An input's own cell, and a cell of the other input, at most Δ away, which is the same one or lies to one side.
    let own = ingredients.straddling(&ingredients.widest.clone().min(widest.clone()))?;
    let neighbour = (sensitivity + &ingredients.widest).min(widest.clone());
    let other = own.clone().or(ingredients.one_sided(&neighbour)?);
    let around = "κ·coth(Λ'/2c) around one input, the same or one-sided for the other";

    let lower = ingredients.end(&reach.down, reach.inside_lower.as_ref())?;
    add(Case::LowerEnd, &ideal, &reach.down, &lower, &lower, "κ: a half-line has no second threshold")?;
    if reach.has_below {
        let cell = ingredients.one_sided(&reach.down)?;
        add(Case::Below, &ideal, &reach.down, &cell, &cell, "(κ + rκ')/(1 - r), r = e^(-Λ'/c), for both")?;
    }
    add(Case::AtF, &ideal, &neighbour, &own, &other, around)?;
    if *sensitivity >= ingredients.narrowest {
        // Both inputs lie outside of the cell, on different sides: the ideal loss is |f + f' - g - g'|/c <= (Δ - Λ')/c.
        let farthest = sensitivity.clone().min(widest);
        let cell = ingredients.one_sided(&farthest)?;
        let ideal = (sensitivity - &ingredients.narrowest) * &ingredients.rate;
        add(
            Case::Between,
            &ideal,
            &farthest,
            &cell,
            &cell,
            "one-sided for both, and the ideal loss is less by Λ'/c",
        )?;
    }
    add(Case::AtF2, &ideal, &neighbour, &other, &own, around)?;
    if reach.has_above {
        let cell = ingredients.one_sided(&reach.up)?;
        add(Case::Above, &ideal, &reach.up, &cell, &cell, "as below f")?;
    }
    let upper = ingredients.end(&reach.up, reach.inside_upper.as_ref())?;
    add(Case::UpperEnd, &ideal, &reach.up, &upper, &upper, "as x = -B")?;
    Ok(bounds)
}
