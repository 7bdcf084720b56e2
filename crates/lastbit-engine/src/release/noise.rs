//! The noise of a release: for every component of a plan a mechanism of the noise library, and what all of them promise together.

use lastbit::{
    AnyMechanism, BitSource, Claim, Contract, DiscreteGaussian, DiscreteLaplace, HalfWidth, Mechanism,
    Neighbours, ValueType,
};
use lastbit_account::largest_rho;
use lastbit_ledger::Digest;
use lastbit_real::{IBig, Rational, Rounding};
use lastbit_table::{Aggregates, Component, Measure, Noise, Plan, Query};

use crate::Refusal;
use crate::noise::Approximate;

/// Digits of the ρ that an (ε, δ) comes to.
const RHO_DIGITS: usize = 12;

/// Bits of an ε that is no fraction.
const EPSILON_BITS: i64 = 48;

/// Digits of a distance that is no fraction: the noise is larger by less than a part in 10¹⁰ for it.
const DISTANCE_DIGITS: usize = 11;

/// Noise of a scale below 2 to this power is below 2⁶², whatever is drawn: the noise library bounds it by 2³⁸ scales.
const SMALL_SCALE: i64 = 23;

/// The noise of one component.
#[derive(Clone, Debug)]
pub(super) struct ComponentNoise {
    pub(super) mechanism: AnyMechanism,
    claim: Claim,
}

/// The noise of a plan.
#[derive(Clone, Debug)]
pub(super) struct ReleaseNoise {
    /// By query and component.
    pub(super) queries: Vec<Vec<ComponentNoise>>,
    /// What the release promises.
    pub(super) claim: Claim,
    /// The (ε, δ) that was asked for and that the claim was made for.
    pub(super) approximate: Option<Approximate>,
}

/// What neighbouring tables differ in, as claims and ledgers name it: the columns of the unit, with a hash where their names have signs that claims
/// do not take, so that no two units have the same name.
pub(super) fn unit_of(plan: &Plan) -> String {
    const MOST_CHARS: usize = 40;
    let described = plan.describe();
    let name = described.unit.join(" and ");
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    // A column may be called as rows are, or as two columns are together; and what is derived may be called as a column is.
    let derivations = plan.unit_derivations();
    let is_taken = name == "row"
        || !derivations.is_empty()
        || described.unit.iter().any(|column| column.contains(" and "));
    match described.unit.is_empty() {
        true => "row".to_owned(),
        false if !is_taken && name.chars().all(is_plain) && name.chars().count() <= MOST_CHARS => name,
        false => {
            let plain: String = name.chars().filter(|c| is_plain(*c)).take(MOST_CHARS).collect();
            let all = format!("{:?} {derivations:?}", described.unit);
            format!("{plain} {}", &Digest::of(all.as_bytes()).to_string()[..12])
        }
    }
}

/// Neighbouring tables in words.
pub(super) fn neighbours(plan: &Plan) -> String {
    crate::ledger::neighbours(&unit_of(plan))
}

impl ReleaseNoise {
    /// The noise with which the release costs what the plan says.
    pub(super) fn of(plan: &Plan) -> Result<ReleaseNoise, Refusal> {
        let unit = unit_of(plan);
        let all = Amount::of(plan)?;
        let query = |query: &Query| {
            let parts = Rational::from(query.components.len() as u64);
            let amount = all.part(&query.loss, &plan.privacy().loss, &parts);
            query
                .components
                .iter()
                .map(|component| amount.noise(component, &unit))
                .collect::<Result<Vec<_>, _>>()
        };
        let queries = plan.queries().iter().map(query).collect::<Result<Vec<_>, Refusal>>()?;
        let claims: Vec<Claim> = queries.iter().flatten().map(|noise| noise.claim.clone()).collect();
        let claim = Claim::compose(&claims)?;
        let privacy = plan.privacy();
        let is_converted = privacy.measure == Measure::Approx && privacy.noise == Noise::Gaussian;
        let delta = privacy.delta.as_ref().filter(|_| is_converted);
        let approximate = delta.map(|delta| Approximate::new(&privacy.loss, delta));
        Ok(ReleaseNoise { queries, claim, approximate })
    }

    /// The integers with noise, by component in the order of the plan: all cells of the first group, then those of the second.
    pub(super) fn add_to<S: BitSource>(
        &self,
        plan: &Plan,
        exact: &Aggregates,
        source: &mut S,
    ) -> Result<Vec<Vec<i128>>, lastbit::Error> {
        let mut noisy = Vec::new();
        for (query, noises) in plan.queries().iter().zip(&self.queries) {
            for (component, noise) in query.components.iter().zip(noises) {
                let groups = 0..exact.keys().len();
                let cells: Vec<i128> =
                    groups.flat_map(|group| exact.integers(component, group).iter().copied()).collect();
                noisy.push(noise.add_to(cells, source)?);
            }
        }
        Ok(noisy)
    }
}

impl ComponentNoise {
    /// The integers with noise, which is drawn at 0, since it does not depend on them.
    ///
    /// Noise that may not fit in 64 bits is drawn as big integers: if it were cut off, or drawn again, sums with it would tell the exact integers
    /// apart at the ends. Sums are cut off at 128 bits, which looks at nothing but the sum.
    fn add_to<S: BitSource>(&self, cells: Vec<i128>, source: &mut S) -> Result<Vec<i128>, lastbit::Error> {
        if self.scale().floor_log2().is_none_or(|log| log < SMALL_SCALE) {
            let mut drawn = vec![0i64; cells.len()];
            self.mechanism.release_in_place(source, &mut drawn)?;
            return Ok(cells
                .iter()
                .zip(drawn)
                .map(|(cell, noise)| cell.saturating_add(noise.into()))
                .collect());
        }
        let noisy = |cell: i128| {
            let sum = IBig::from(cell) + self.draw(source)?;
            let end = if sum < IBig::ZERO { i128::MIN } else { i128::MAX };
            Ok(i128::try_from(sum).unwrap_or(end))
        };
        cells.into_iter().map(noisy).collect()
    }

    /// Noise of any size.
    fn draw<S: BitSource>(&self, source: &mut S) -> Result<IBig, lastbit::Error> {
        match &self.mechanism {
            AnyMechanism::DiscreteLaplace(noise) => noise.sample(source),
            AnyMechanism::DiscreteGaussian(noise) => noise.sample(source),
            other => other.release(source, 0i64).map(IBig::from),
        }
    }

    /// The scale of Laplace noise, the standard deviation of Gaussian noise, to many digits, in steps.
    pub(super) fn scale(&self) -> Rational {
        match &self.mechanism {
            AnyMechanism::DiscreteGaussian(noise) => root_above(noise.variance()),
            AnyMechanism::DiscreteLaplace(noise) => noise.scale().clone(),
            _ => Rational::ZERO,
        }
    }

    /// How far off an integer is at most, with this probability or more.
    pub(super) fn half_width(&self, confidence: &Rational) -> Result<IBig, Refusal> {
        match self.mechanism.half_width(ValueType::I64, confidence)? {
            HalfWidth::Integer(width) => Ok(width),
            HalfWidth::Float(width) => Ok(Rational::try_from(width).unwrap_or_default().ceil()),
        }
    }
}

/// What may be lost.
#[derive(Clone, Debug)]
enum Amount {
    Pure(Rational),
    ZeroConcentrated(Rational),
}

impl Amount {
    /// That of a whole release.
    fn of(plan: &Plan) -> Result<Amount, Refusal> {
        let privacy = plan.privacy();
        Ok(match (privacy.measure, privacy.noise, &privacy.delta) {
            (Measure::Zcdp, Noise::Gaussian, _) => Amount::ZeroConcentrated(privacy.loss.clone()),
            // The least ε that is known to come to this ρ: ε²/2, or ε where that is less.
            (Measure::Zcdp, _, _) => Amount::Pure(pure_within(&privacy.loss)),
            (Measure::Approx, Noise::Gaussian, Some(delta)) => {
                let rho = largest_rho(&privacy.loss, delta).map_err(|error| {
                    Refusal::usage(error.to_string(), "give an epsilon above 0 and a delta between 0 and 1")
                })?;
                let rho: Rational = rho.to_decimal(RHO_DIGITS, Rounding::Down).parse().unwrap_or(rho);
                Amount::ZeroConcentrated(rho)
            }
            _ => Amount::Pure(privacy.loss.clone()),
        })
    }

    /// The part that a component of a query may lose: the query's share of the whole, over the components.
    fn part(&self, share: &Rational, whole: &Rational, components: &Rational) -> Amount {
        let part = |amount: &Rational| amount * share / (whole * components);
        match self {
            Amount::Pure(epsilon) => Amount::Pure(part(epsilon)),
            Amount::ZeroConcentrated(rho) => Amount::ZeroConcentrated(part(rho)),
        }
    }

    fn noise(&self, component: &Component, unit: &str) -> Result<ComponentNoise, Refusal> {
        let sensitivity = &component.sensitivity;
        let (mechanism, distance): (AnyMechanism, Rational) = match self {
            Amount::Pure(epsilon) => {
                let distance = sensitivity.l1.clone();
                (DiscreteLaplace::for_epsilon(epsilon, &distance)?.into(), distance)
            }
            Amount::ZeroConcentrated(rho) => {
                let distance = root_above(&sensitivity.l2_squared);
                (DiscreteGaussian::for_rho(rho, &distance)?.into(), distance)
            }
        };
        let claim = mechanism.claim(ValueType::I64, &Neighbours::at(distance).one(unit)?)?;
        Ok(ComponentNoise { mechanism, claim })
    }
}

/// An ε, rounded down, with `min(ε, ε²/2) <= rho`.
fn pure_within(rho: &Rational) -> Rational {
    let two = Rational::from(2);
    if *rho >= two {
        return rho.clone();
    }
    let shift = EPSILON_BITS - rho.floor_log2().unwrap_or(0).div_euclid(2);
    let root = (rho * two * Rational::pow2(2 * shift)).floor_sqrt().unwrap_or_default();
    Rational::from(root) * Rational::pow2(-shift)
}

/// The root, exact if it is an integer, else rounded up.
pub(super) fn root_above(square: &Rational) -> Rational {
    let whole = Rational::from(square.floor_sqrt().unwrap_or_default());
    if whole.pow(2) == *square {
        return whole;
    }
    let shift = EPSILON_BITS - square.floor_log2().unwrap_or(0).div_euclid(2);
    let root = (square * Rational::pow2(2 * shift)).floor_sqrt().unwrap_or_default() + IBig::ONE;
    let root = Rational::from(root) * Rational::pow2(-shift);
    root.to_decimal(DISTANCE_DIGITS, Rounding::Up).parse().unwrap_or(root)
}

#[cfg(test)]
mod tests {
    use lastbit_table::Spec;

    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    /// Beyond 64 bits noise is neither cut off nor refused, and as wide as its half-widths say.
    #[test]
    fn large_noise_keeps_its_law() {
        let spec = "[table]\npath = \"-\"\nunit = \"row\"\n[privacy]\nepsilon = 1\n[[query]]\nname = \"n\"\nkind = \"count\"\n";
        let plan = Spec::parse(spec, "".as_ref()).expect("a spec").plan().expect("a plan");
        let component = &plan.queries()[0].components[0];
        for amount in [
            Amount::Pure(rational("1e-4")),
            Amount::Pure(rational("1e-19")),
            Amount::ZeroConcentrated(rational("1e-16")),
            Amount::ZeroConcentrated(rational("1e-40")),
        ] {
            let noise = amount.noise(component, "row").expect("noise");
            let mut source = lastbit::InsecureSeededSource::<u64>::from_seed(7);
            let cell = 3_i128 << 64;
            let noisy = noise.add_to(vec![cell; 2000], &mut source).expect("noise of any size");
            let width = noise.half_width(&rational("1/2")).expect("a width");
            let within = noisy.iter().filter(|x| {
                let off = IBig::from(**x - cell);
                off <= width && -off <= width
            });
            // Half of 2000, give or take five standard deviations.
            assert!((888..=1112).contains(&within.count()), "{amount:?}");
            let above = noisy.iter().filter(|x| **x > cell).count();
            assert!((888..=1112).contains(&above), "{amount:?}");
        }
    }

    #[test]
    fn units_of_different_columns_have_different_names() {
        let name = |unit: &str| {
            let spec = format!(
                "[table]\npath = \"-\"\nunit = {unit}\n[bounds]\nrows = 1\n[privacy]\nepsilon = 1\n[[query]]\nname = \"n\"\nkind = \"count\"\n"
            );
            unit_of(&Spec::parse(&spec, "".as_ref()).expect("a spec").plan().expect("a plan"))
        };
        let units = [
            r#""row""#,
            r#"["row"]"#,
            r#"["a", "b"]"#,
            r#"["a and b"]"#,
            r#"["a and b", "c"]"#,
            r#"["a", "b and c"]"#,
            r#"["b", "a"]"#,
            r#""a""#,
            r#""a(""#,
            r#""a)""#,
        ];
        let names: std::collections::BTreeSet<String> = units.into_iter().map(name).collect();
        assert_eq!(names.len(), units.len(), "{names:?}");
        assert_eq!((name(units[0]).as_str(), name(units[2]).as_str()), ("row", "a and b"));
    }

    #[test]
    fn roots_are_on_the_safe_side() {
        for square in ["2", "3", "1/3", "1e-30", "12345678901234567890", "7/5"] {
            let (square, root) = (rational(square), root_above(&rational(square)));
            assert!(root.pow(2) >= square && root.pow(2) < &square * rational("1.000000001"), "{square}");
        }
        assert_eq!(root_above(&rational("49")), rational("7"));
        for rho in ["1/2", "1e-9", "1.9", "2", "5"] {
            let (rho, epsilon) = (rational(rho), pure_within(&rational(rho)));
            let cost = epsilon.clone().min(epsilon.pow(2) / Rational::from(2));
            assert!(cost <= rho && cost > &rho * rational("0.999999999999"), "{rho}");
        }
    }
}
