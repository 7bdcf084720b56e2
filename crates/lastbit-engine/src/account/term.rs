//! Terms: what was released, and how often, in one word such as `laplace:epsilon=0.1*1000`.

use std::collections::BTreeMap;

use lastbit::{About, Claim, Family, ValueType};
use lastbit_account::{Composition, Mechanism};
use lastbit_real::Rational;

use super::claims;
use crate::noise::{Amount, Noise, Question};
use crate::number;
use crate::refusal::{Refusal, cut};

/// Releases with the same mechanism.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Term {
    /// The mechanism and its parameters as they were written, without the number of times.
    pub text: String,
    /// What it loses; several where a claim has several parts.
    pub mechanisms: Vec<Mechanism>,
    /// The number of releases.
    pub times: u64,
}

/// The names of mechanisms, with what is to be given of each.
const FORMS: [(&str, &str); 12] = [
    ("laplace", "epsilon=E | scale=B [,sensitivity=D] [,rate=R]"),
    ("discrete-laplace", "epsilon=E | scale=B [,sensitivity=D]"),
    ("grid-laplace", "epsilon=E | scale=B [,sensitivity=D] [,k=K] [,max-changed=C]"),
    ("gaussian", "sigma=S | variance=V | rho=R [,sensitivity=D] [,rate=R]"),
    ("discrete-gaussian", "sigma=S | variance=V | rho=R [,sensitivity=D]"),
    ("snapping", "epsilon=E | scale=B, bound=B [,sensitivity=D] [,form=exact|float]"),
    ("randomized-response", "epsilon=E"),
    ("noisy-max", "epsilon=E"),
    ("pure", "epsilon=E"),
    ("approximate", "epsilon=E, delta=D"),
    ("zcdp", "rho=R"),
    ("threshold", "epsilon=E | scale=B, threshold=T [,keys=L]"),
];

/// What can be given, a line for each mechanism.
pub fn forms() -> String {
    FORMS.map(|(name, keys)| format!("  {name}: {keys}")).join("\n")
}

impl Term {
    /// What a claim is about, once.
    ///
    /// # Errors
    /// A claim about equal inputs.
    pub fn of_claim(claim: &Claim) -> Result<Term, Refusal> {
        let parameters = claim.parameters().iter().map(|(name, value)| format!("{name}={value}"));
        let distance = match claim.about() {
            About::Columns { neighbours, .. } => {
                Some(format!("sensitivity={}", neighbours.distance().to_short()))
            }
            _ => None,
        };
        let written: Vec<String> = parameters.chain(distance).collect();
        let text = match claim.parts().len() {
            0 => format!("{}:{}", claim.mechanism(), written.join(",")),
            parts => format!("{parts} claims"),
        };
        Ok(Term { text, mechanisms: claims::mechanisms(claim)?, times: 1 })
    }

    /// The same so many times.
    pub fn repeated(self, times: u64) -> Term {
        Term { times, ..self }
    }

    /// A term in writing: `NAME:key=value[,key=value…][*times]`.
    ///
    /// ```
    /// use lastbit_engine::account::Term;
    /// let term = Term::parse("laplace:scale=10,sensitivity=2*1000")?;
    /// assert_eq!((term.text.as_str(), term.times), ("laplace:scale=10,sensitivity=2", 1000));
    /// assert!(Term::parse("laplace:epsilon=0").is_err());
    /// # Ok::<(), lastbit_engine::Refusal>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Term, Refusal> {
        let text = text.trim();
        let (what, times) = match text.rsplit_once('*') {
            Some((what, times)) => (what.trim(), number_of_times(text, times)?),
            None => (text, 1),
        };
        let (name, rest) = what.split_once(':').unwrap_or((what, ""));
        let Some((name, form)) = FORMS.iter().find(|(known, _)| *known == name.trim()) else {
            return Err(Refusal::usage(
                format!("there is no mechanism {}", quoted(name.trim())),
                format!(
                    "a term is NAME:key=value[,key=value…][*times], with one of these names:\n{}",
                    forms()
                ),
            ));
        };
        let mut keys = Keys::parse(name, form, what, rest)?;
        let mechanisms = keys.mechanisms()?;
        keys.finish()?;
        let term = Term { text: what.to_owned(), mechanisms, times };
        // What the accountant refuses is refused here, where the term is known.
        term.add_to(&mut Composition::new())?;
        Ok(term)
    }

    /// Counts the releases with others.
    pub(super) fn add_to(&self, releases: &mut Composition) -> Result<(), Refusal> {
        for mechanism in &self.mechanisms {
            releases.add(mechanism.clone(), self.times).map_err(|error| {
                Refusal::usage(format!("{}: {error}", quoted(&self.text)), super::hint(&error))
            })?;
        }
        Ok(())
    }
}

fn quoted(text: &str) -> String {
    format!("`{}`", cut(text))
}

fn number_of_times(term: &str, times: &str) -> Result<u64, Refusal> {
    let hint = "give a whole number from 1 to 1000000000, such as laplace:epsilon=0.1*1000";
    let times = times.trim();
    let whole = || -> Option<Rational> { number::parse(times).ok().filter(Rational::is_integer) };
    match whole() {
        Some(n) if n.is_positive() => u64::try_from(n.numerator()).ok().ok_or_else(|| {
            Refusal::usage(format!("{}: {} releases are too many", quoted(term), cut(times)), hint)
        }),
        Some(_) => Err(Refusal::usage(
            format!("{}: the number of releases must be positive, but it is {}", quoted(term), cut(times)),
            hint,
        )),
        None => Err(Refusal::usage(
            format!("{}: {} is not a whole number of releases", quoted(term), quoted(times)),
            hint,
        )),
    }
}

/// The keys of a term that have not been looked at, with their values.
struct Keys<'a> {
    name: &'static str,
    form: &'static str,
    term: &'a str,
    values: BTreeMap<String, &'a str>,
}

impl<'a> Keys<'a> {
    fn parse(
        name: &'static str,
        form: &'static str,
        term: &'a str,
        rest: &'a str,
    ) -> Result<Keys<'a>, Refusal> {
        let mut keys = Keys { name, form, term, values: BTreeMap::new() };
        for pair in rest.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(keys.refused(&format!("{} has no value", quoted(pair))));
            };
            // As options are written, or as Python writes them.
            let key = key.trim().replace('_', "-");
            if keys.values.insert(key.clone(), value.trim()).is_some() {
                return Err(keys.refused(&format!("{} is given twice", quoted(&key))));
            }
        }
        Ok(keys)
    }

    fn refused(&self, problem: &str) -> Refusal {
        Refusal::usage(
            format!("{}: {problem}", quoted(self.term)),
            format!("give {}:{}", self.name, self.form),
        )
    }

    fn number(&mut self, key: &str) -> Result<Option<Rational>, Refusal> {
        let Some(text) = self.values.remove(key) else { return Ok(None) };
        number::parse(text).map(Some).map_err(|problem| self.refused(&format!("{key}: {problem}")))
    }

    fn needed(&mut self, key: &str) -> Result<Rational, Refusal> {
        self.number(key)?.ok_or_else(|| self.refused(&format!("{key} is missing")))
    }

    fn positive(&mut self, key: &str) -> Result<Option<Rational>, Refusal> {
        match self.number(key)? {
            Some(number) if !number.is_positive() => {
                Err(self.refused(&format!("{key} must be positive, but it is {}", cut(&number.to_short()))))
            }
            number => Ok(number),
        }
    }

    fn whole(&mut self, key: &str) -> Result<Option<u64>, Refusal> {
        let Some(number) = self.positive(key)? else { return Ok(None) };
        let whole = number.is_integer().then(|| u64::try_from(number.numerator()).ok()).flatten();
        whole.map(Some).ok_or_else(|| {
            self.refused(&format!("{key} must be a whole number, but it is {}", cut(&number.to_short())))
        })
    }

    /// One of several keys, of which exactly one must be there.
    fn one_of(&mut self, keys: &[&'static str]) -> Result<(&'static str, Rational), Refusal> {
        let mut found = None;
        for key in keys {
            if let Some(number) = self.positive(key)? {
                if let Some((other, _)) = found {
                    return Err(self.refused(&format!("{other} and {key} are two ways to say the same")));
                }
                found = Some((*key, number));
            }
        }
        found.ok_or_else(|| {
            self.refused(&format!("it does not say how much noise: {} is missing", keys.join(" or ")))
        })
    }

    fn sensitivity(&mut self) -> Result<Rational, Refusal> {
        Ok(self.positive("sensitivity")?.unwrap_or(Rational::ONE))
    }

    fn whole_sensitivity(&mut self) -> Result<u64, Refusal> {
        Ok(self.whole("sensitivity")?.unwrap_or(1))
    }

    /// Nothing is left that was not understood.
    fn finish(self) -> Result<(), Refusal> {
        match self.values.keys().next() {
            Some(key) => Err(self.refused(&format!("{} has no {}", self.name, quoted(key)))),
            None => Ok(()),
        }
    }

    fn mechanisms(&mut self) -> Result<Vec<Mechanism>, Refusal> {
        let one = match self.name {
            "laplace" => {
                let (sensitivity, amount) = (self.sensitivity()?, self.one_of(&["epsilon", "scale"])?);
                let epsilon = loss(amount, &sensitivity);
                match self.number("rate")? {
                    Some(rate) => Mechanism::SampledLaplace { rate, epsilon },
                    None => Mechanism::Laplace { epsilon },
                }
            }
            "discrete-laplace" => {
                let sensitivity = self.whole_sensitivity()?;
                let scale = match self.one_of(&["epsilon", "scale"])? {
                    ("epsilon", epsilon) => Rational::from(sensitivity) / epsilon,
                    (_, scale) => scale,
                };
                Mechanism::DiscreteLaplace { scale, sensitivity }
            }
            "gaussian" => {
                let (sensitivity, amount) =
                    (self.sensitivity()?, self.one_of(&["sigma", "scale", "variance", "rho"])?);
                let rho = match amount {
                    ("rho", rho) => rho,
                    amount => sensitivity.pow(2) / (variance(amount) * Rational::from(2)),
                };
                match self.number("rate")? {
                    Some(rate) => Mechanism::SampledGaussian { rate, rho },
                    None => Mechanism::Gaussian { rho },
                }
            }
            "discrete-gaussian" => {
                let sensitivity = self.whole_sensitivity()?;
                let variance = match self.one_of(&["sigma", "scale", "variance", "rho"])? {
                    ("rho", rho) => Rational::from(sensitivity).pow(2) / (rho * Rational::from(2)),
                    amount => variance(amount),
                };
                Mechanism::DiscreteGaussian { variance, sensitivity }
            }
            "grid-laplace" | "snapping" => return self.by_claim(),
            "randomized-response" => Mechanism::RandomizedResponse { epsilon: self.needed("epsilon")? },
            "noisy-max" | "pure" => Mechanism::Pure { epsilon: self.needed("epsilon")? },
            "approximate" => {
                Mechanism::Approximate { epsilon: self.needed("epsilon")?, delta: self.needed("delta")? }
            }
            "zcdp" => Mechanism::ZeroConcentrated { rho: self.needed("rho")? },
            "threshold" => {
                let keys = self.whole("keys")?.unwrap_or(1);
                let scale = match self.one_of(&["epsilon", "scale"])? {
                    ("epsilon", epsilon) => Rational::from(keys) / epsilon,
                    (_, scale) => scale,
                };
                let threshold = self.whole("threshold")?;
                let threshold = threshold.ok_or_else(|| self.refused("threshold is missing"))?;
                Mechanism::Threshold { scale, threshold, keys }
            }
            _ => unreachable!("a name of the table"),
        };
        Ok(vec![one])
    }

    /// What the noise library claims, where the loss depends on more than the noise.
    fn by_claim(&mut self) -> Result<Vec<Mechanism>, Refusal> {
        let sensitivity = self.sensitivity()?;
        let amount = match self.one_of(&["epsilon", "scale"])? {
            ("epsilon", epsilon) => Amount::Loss(epsilon),
            (_, scale) => Amount::Scale(scale),
        };
        let family = match self.name {
            "grid-laplace" => {
                let k = self.number("k")?.map(|k| {
                    let whole = k.is_integer().then(|| i32::try_from(k.numerator()).ok()).flatten();
                    whole.ok_or_else(|| self.refused("k must be a whole number"))
                });
                Family::GridLaplace { values: ValueType::F64, k: k.transpose()? }
            }
            _ => {
                let bound = self.needed("bound")?;
                match self.values.remove("form") {
                    None | Some("exact") => Family::Snapping { bound, clamp_infinite: false },
                    Some("float") => Family::FloatSnapping { bound },
                    Some(other) => {
                        return Err(
                            self.refused(&format!("form must be exact or float, not {}", quoted(other)))
                        );
                    }
                }
            }
        };
        let max_changed = Some(self.whole("max-changed")?.unwrap_or(1));
        let question = Question { max_changed, ..Question::new(Noise::new(family, amount), sensitivity) };
        claims::mechanisms(&question.plan()?.claim)
    }
}

/// Sensitivity over scale.
fn loss(amount: (&'static str, Rational), sensitivity: &Rational) -> Rational {
    match amount {
        ("epsilon", epsilon) => epsilon,
        (_, scale) => sensitivity / scale,
    }
}

fn variance(amount: (&'static str, Rational)) -> Rational {
    match amount {
        ("variance", variance) => variance,
        (_, sigma) => sigma.pow(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    fn one(text: &str) -> Mechanism {
        let term = Term::parse(text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
        assert_eq!(term.mechanisms.len(), 1, "{text}");
        term.mechanisms[0].clone()
    }

    #[test]
    fn the_same_noise_in_several_ways() {
        let laplace = Mechanism::Laplace { epsilon: rational("1/5") };
        for text in ["laplace:epsilon=0.2", "laplace:scale=10,sensitivity=2", "laplace: scale = 5 "] {
            assert_eq!(one(text), laplace, "{text}");
        }
        let gaussian = Mechanism::Gaussian { rho: rational("1/8") };
        for text in [
            "gaussian:sigma=2",
            "gaussian:scale=2",
            "gaussian:variance=4",
            "gaussian:rho=1/8",
            "gaussian:sigma=6,sensitivity=3",
        ] {
            assert_eq!(one(text), gaussian, "{text}");
        }
        let discrete = Mechanism::DiscreteGaussian { variance: rational("2500"), sensitivity: 1 };
        for text in
            ["discrete-gaussian:variance=2500", "discrete-gaussian:sigma=50", "discrete-gaussian:rho=1/5000"]
        {
            assert_eq!(one(text), discrete, "{text}");
        }
        let sampled = Mechanism::SampledGaussian { rate: rational("1/256"), rho: rational("1/8") };
        assert_eq!(one("gaussian:sigma=2,rate=1/256"), sampled);
    }

    #[test]
    fn snapping_and_grids_are_what_is_shipped() {
        let snapping =
            Mechanism::Snapping { epsilon: Rational::ONE, grid: Rational::ONE, bound: rational("100") };
        assert_eq!(one("snapping:epsilon=1,bound=100"), snapping);
        let float = one("snapping:epsilon=1,bound=100,form=float");
        assert!(matches!(float, Mechanism::Pure { epsilon } if epsilon <= Rational::ONE));
        let grid = Mechanism::DiscreteLaplace { scale: rational("160"), sensitivity: 16 };
        assert_eq!(one("grid-laplace:scale=10,k=-4"), grid);
    }

    #[test]
    fn what_is_refused() {
        for (text, problem) in [
            ("laplce:epsilon=1", "no mechanism `laplce`"),
            ("laplace", "epsilon or scale is missing"),
            ("laplace:epsilon=1,scale=1", "two ways"),
            ("laplace:epsilon=1,epsilon=2", "given twice"),
            ("laplace:epsilon=1,sigma=2", "laplace has no `sigma`"),
            ("laplace:epsilon=x", "epsilon"),
            ("laplace:epsilon=-1", "must be positive"),
            ("laplace:epsilon=nan", "epsilon"),
            ("laplace:epsilon=1*0", "must be positive"),
            ("laplace:epsilon=1*-3", "must be positive"),
            ("laplace:epsilon=1*1.5", "not a whole number"),
            ("laplace:epsilon=1*1000000000000", "too many"),
            ("laplace:epsilon=1*1e40", "too many"),
            ("gaussian:sigma=1,rate=0", "rate must be positive"),
            ("gaussian:sigma=1,rate=1.01", "rate must be at most 1"),
            ("gaussian:epsilon=1", "variance or rho is missing"),
            ("discrete-laplace:epsilon=1,sensitivity=1/2", "whole number"),
            ("approximate:epsilon=1,delta=1", "between 0 and 1"),
            ("threshold:epsilon=1", "threshold is missing"),
            ("snapping:epsilon=1", "bound is missing"),
        ] {
            let message = Term::parse(text).expect_err(text).to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
    }
}
