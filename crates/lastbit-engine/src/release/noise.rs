//! The noise of a release: for every component of a plan a mechanism of the noise library, and what all of them promise together.

use lastbit::{
    AnyMechanism, BitSource, Claim, Contract, DiscreteGaussian, DiscreteLaplace, HalfWidth, Mechanism,
    Neighbours, ValueType,
};
use lastbit_account::largest_rho;
use lastbit_ledger::Digest;
use lastbit_real::{IBig, Rational, Rounding};
use lastbit_table::{Aggregates, Component, Measure, Noise, Plan, Query, Released};

use super::choice::Choice;
use crate::Refusal;
use crate::noise::Approximate;

/// Digits of the ρ that an (ε, δ) comes to.
const RHO_DIGITS: usize = 12;

/// Bits of an ε that is no fraction.
const EPSILON_BITS: i64 = 48;

/// A pure loss of ε is a zero-concentrated one of ε² over this, and that of the exponential mechanism over the other.
const PURE_DIVISOR: i64 = 2;
const CHOICE_DIVISOR: i64 = 8;

/// Digits of a distance that is no fraction: the noise is larger by less than a part in 10¹⁰ for it.
const DISTANCE_DIGITS: usize = 11;

/// Noise of a scale below 2 to this power is below 2⁶², whatever is drawn: the noise library bounds it by 2³⁸ scales.
const SMALL_SCALE: i64 = 23;

/// The noise of one component.
#[derive(Clone, Debug)]
pub(super) struct ComponentNoise {
    drawn: Drawn,
    claim: Claim,
}

/// What noise does to the integers of a component.
#[derive(Clone, Debug)]
enum Drawn {
    /// It is added to all of them.
    Added(Box<AnyMechanism>),
    /// It settles which of so many candidates is chosen in a group, where the integers are their scores.
    Chosen { choice: Choice, candidates: usize },
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

    /// What is released, by component in the order of the plan: all integers of the first group, then those of the second.
    pub(super) fn add_to<S: BitSource>(
        &self,
        plan: &Plan,
        exact: &Aggregates,
        source: &mut S,
    ) -> Result<Vec<Vec<i128>>, lastbit::Error> {
        let mut noisy = Vec::new();
        for (query, noises) in plan.queries().iter().zip(&self.queries) {
            for (component, noise) in query.components.iter().zip(noises) {
                let groups = (0..exact.keys().len()).map(|group| exact.integers(component, group));
                noisy.push(match &noise.drawn {
                    Drawn::Added(mechanism) => {
                        noise.add_to(mechanism, groups.flatten().copied().collect(), source)?
                    }
                    Drawn::Chosen { choice, .. } => groups
                        .map(|scores| Ok(choice.choose(source, scores)? as i128))
                        .collect::<Result<_, lastbit::Error>>()?,
                });
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
    fn add_to<S: BitSource>(
        &self,
        mechanism: &AnyMechanism,
        cells: Vec<i128>,
        source: &mut S,
    ) -> Result<Vec<i128>, lastbit::Error> {
        if self.scale().floor_log2().is_none_or(|log| log < SMALL_SCALE) {
            let mut drawn = vec![0i64; cells.len()];
            mechanism.release_in_place(source, &mut drawn)?;
            return Ok(cells
                .iter()
                .zip(drawn)
                .map(|(cell, noise)| cell.saturating_add(noise.into()))
                .collect());
        }
        let noisy = |cell: i128| {
            let sum = IBig::from(cell) + draw(mechanism, source)?;
            let end = if sum < IBig::ZERO { i128::MIN } else { i128::MAX };
            Ok(i128::try_from(sum).unwrap_or(end))
        };
        cells.into_iter().map(noisy).collect()
    }

    /// The name of the mechanism.
    pub(super) fn name(&self) -> &'static str {
        match &self.drawn {
            Drawn::Added(mechanism) => mechanism.name(),
            Drawn::Chosen { choice, .. } => choice.name(),
        }
    }

    /// The scale of Laplace noise or of a choice, the standard deviation of Gaussian noise, to many digits, in steps.
    pub(super) fn scale(&self) -> Rational {
        match &self.drawn {
            Drawn::Added(mechanism) => match &**mechanism {
                AnyMechanism::DiscreteGaussian(noise) => root_above(noise.variance()),
                AnyMechanism::DiscreteLaplace(noise) => noise.scale().clone(),
                _ => Rational::ZERO,
            },
            Drawn::Chosen { choice, .. } => choice.scale().clone(),
        }
    }

    /// How far off an integer is at most, or the score of a choice from the best, with this probability or more.
    pub(super) fn half_width(&self, confidence: &Rational) -> Result<IBig, Refusal> {
        let mechanism = match &self.drawn {
            Drawn::Added(mechanism) => mechanism,
            Drawn::Chosen { choice, candidates } => return choice.shortfall(*candidates, confidence),
        };
        match mechanism.half_width(ValueType::I64, confidence)? {
            HalfWidth::Integer(width) => Ok(width),
            HalfWidth::Float(width) => Ok(Rational::try_from(width).unwrap_or_default().ceil()),
        }
    }
}

/// Noise of any size.
fn draw<S: BitSource>(mechanism: &AnyMechanism, source: &mut S) -> Result<IBig, lastbit::Error> {
    match mechanism {
        AnyMechanism::DiscreteLaplace(noise) => noise.sample(source),
        AnyMechanism::DiscreteGaussian(noise) => noise.sample(source),
        other => other.release(source, 0i64).map(IBig::from),
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
            (Measure::Zcdp, _, _) => Amount::Pure(pure_within(&privacy.loss, PURE_DIVISOR)),
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
        match component.released {
            Released::Noisy => self.added(component, unit),
            Released::Chosen => self.chosen(component, unit),
        }
    }

    /// The choice of one of the integers of each group.
    fn chosen(&self, component: &Component, unit: &str) -> Result<ComponentNoise, Refusal> {
        let sensitivity = &component.sensitivity;
        let (choice, claim) = match self {
            Amount::Pure(epsilon) => Choice::pure(epsilon, sensitivity, unit)?,
            Amount::ZeroConcentrated(rho) => {
                let each = pure_within(&(rho / Rational::from(sensitivity.groups)), CHOICE_DIVISOR);
                Choice::concentrated(&each, sensitivity, unit)?
            }
        };
        Ok(ComponentNoise { drawn: Drawn::Chosen { choice, candidates: component.cells }, claim })
    }

    /// Noise that is added to all integers.
    fn added(&self, component: &Component, unit: &str) -> Result<ComponentNoise, Refusal> {
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
        Ok(ComponentNoise { drawn: Drawn::Added(Box::new(mechanism)), claim })
    }
}

/// An ε, rounded down, with `min(ε, ε²/divisor) <= rho`.
fn pure_within(rho: &Rational, divisor: i64) -> Rational {
    let divisor = Rational::from(divisor);
    if *rho >= divisor {
        return rho.clone();
    }
    let shift = EPSILON_BITS - rho.floor_log2().unwrap_or(0).div_euclid(2);
    let root = (rho * divisor * Rational::pow2(2 * shift)).floor_sqrt().unwrap_or_default();
    Rational::from(root) * Rational::pow2(-shift)
}

/// The root, exact if it is an integer, else rounded up.
fn root_above(square: &Rational) -> Rational {
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
            let Drawn::Added(mechanism) = &noise.drawn else { panic!("noise that is added") };
            let noisy = noise.add_to(mechanism, vec![cell; 2000], &mut source).expect("noise of any size");
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
        for divisor in [PURE_DIVISOR, CHOICE_DIVISOR] {
            for rho in ["1/2", "1e-9", "1.9", "2", "5", "7.9", "8", "11"] {
                let (rho, epsilon) = (rational(rho), pure_within(&rational(rho), divisor));
                let cost = epsilon.clone().min(epsilon.pow(2) / Rational::from(divisor));
                assert!(cost <= rho && cost > &rho * rational("0.999999999999"), "{rho}");
            }
        }
    }
}
