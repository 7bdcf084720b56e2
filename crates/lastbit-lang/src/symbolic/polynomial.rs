//! Polynomials with exact coefficients, in variables that may have negative powers.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::{Add, Mul, Neg, Sub};
use std::sync::Arc;

use lastbit_real::Rational;

/// A variable, or the value of a function that is no polynomial, named by its canonical text: `exp(eps)`.
pub type Symbol = Arc<str>;

/// A product of powers of variables, by name; no power is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monomial(Vec<(Symbol, i32)>);

impl Monomial {
    /// The powers, sorted by variable.
    pub fn powers(&self) -> &[(Symbol, i32)] {
        &self.0
    }

    /// Whether this is the empty product, 1.
    pub fn is_one(&self) -> bool {
        self.0.is_empty()
    }

    fn times(&self, other: &Monomial) -> Monomial {
        let mut powers: BTreeMap<Symbol, i32> = self.0.iter().cloned().collect();
        for (symbol, power) in &other.0 {
            let sum = powers.entry(symbol.clone()).or_insert(0);
            *sum += power;
        }
        Monomial(powers.into_iter().filter(|(_, power)| *power != 0).collect())
    }

    fn inverse(&self) -> Monomial {
        Monomial(self.0.iter().map(|(symbol, power)| (symbol.clone(), -power)).collect())
    }
}

/// A Laurent polynomial: `Σ c·x₁^k₁·…·xₙ^kₙ` with rational `c` and whole `k`, in its one canonical form. Where it has a negative
/// power, whoever made it has taken care that the variable is not zero.
///
/// ```
/// use lastbit_lang::symbolic::Polynomial;
///
/// let (x, eps) = (Polynomial::variable("x"), Polynomial::variable("eps"));
/// let p = &(&x * &eps) + &(&x * &eps.inverse().unwrap());
/// assert_eq!(p.to_string(), "x/eps + eps*x");
/// assert_eq!(&(&p * &eps) - &x, &(&eps * &eps) * &x);
/// ```
#[derive(Clone)]
pub struct Polynomial(
    /// Shared: the same constraints stand in many cases, and a copy of each would fill the memory.
    Arc<Shared>,
);

type Terms = BTreeMap<Monomial, Rational>;

struct Shared {
    terms: Terms,
    /// Of the terms: proofs look up the same constraints over and over again.
    hash: u64,
}

impl Default for Polynomial {
    fn default() -> Polynomial {
        Polynomial::of(Terms::new())
    }
}

impl PartialEq for Polynomial {
    fn eq(&self, other: &Polynomial) -> bool {
        let may_be = self.0.hash == other.0.hash;
        Arc::ptr_eq(&self.0, &other.0) || may_be && self.0.terms == other.0.terms
    }
}

impl Eq for Polynomial {}

impl PartialOrd for Polynomial {
    fn partial_cmp(&self, other: &Polynomial) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Polynomial {
    fn cmp(&self, other: &Polynomial) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.terms.cmp(&other.0.terms) }
    }
}

impl Hash for Polynomial {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl fmt::Debug for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Polynomial").field(&self.0.terms).finish()
    }
}

impl Polynomial {
    /// The number 0.
    pub fn zero() -> Polynomial {
        Polynomial::default()
    }

    /// A number.
    pub fn constant(value: impl Into<Rational>) -> Polynomial {
        Polynomial::term(value.into(), Monomial::default())
    }

    /// A variable.
    pub fn variable(name: impl Into<Symbol>) -> Polynomial {
        Polynomial::term(Rational::ONE, Monomial(vec![(name.into(), 1)]))
    }

    /// A number times powers of variables.
    pub(crate) fn term(coefficient: Rational, monomial: Monomial) -> Polynomial {
        let terms = (!coefficient.is_zero()).then_some((monomial, coefficient));
        Polynomial::of(terms.into_iter().collect())
    }

    fn of(terms: Terms) -> Polynomial {
        let mut hasher = DefaultHasher::new();
        terms.hash(&mut hasher);
        Polynomial(Arc::new(Shared { hash: hasher.finish(), terms }))
    }

    /// The terms, in the order of their monomials.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, &Rational)> {
        self.0.terms.iter()
    }

    /// The coefficient of a monomial.
    pub fn coefficient(&self, monomial: &Monomial) -> Rational {
        self.0.terms.get(monomial).cloned().unwrap_or_default()
    }

    /// Whether this is 0 identically.
    pub fn is_zero(&self) -> bool {
        self.0.terms.is_empty()
    }

    /// The number that it is, if it has no variables.
    pub fn as_constant(&self) -> Option<Rational> {
        match self.0.terms.len() {
            0 => Some(Rational::ZERO),
            1 => self.0.terms.get(&Monomial::default()).cloned(),
            _ => None,
        }
    }

    /// The variables.
    pub fn variables(&self) -> BTreeSet<Symbol> {
        self.0.terms.keys().flat_map(|monomial| monomial.0.iter().map(|(symbol, _)| symbol.clone())).collect()
    }

    /// The number of terms times a number.
    pub fn scale(&self, factor: &Rational) -> Polynomial {
        if factor.is_zero() {
            return Polynomial::zero();
        }
        Polynomial::of(self.0.terms.iter().map(|(monomial, c)| (monomial.clone(), c * factor)).collect())
    }

    /// The reciprocal, if the polynomial is a single term.
    pub fn inverse(&self) -> Option<Polynomial> {
        let (monomial, coefficient) = self.0.terms.iter().next().filter(|_| self.0.terms.len() == 1)?;
        Some(Polynomial::term(coefficient.recip()?, monomial.inverse()))
    }

    /// `p = rest + factor·symbol` with neither containing the symbol, if the symbol occurs to the first power only.
    pub fn split(&self, symbol: &str) -> Option<(Polynomial, Polynomial)> {
        let (mut rest, mut factor) = (Terms::new(), Terms::new());
        for (monomial, coefficient) in self.0.terms.iter() {
            match monomial.0.iter().position(|(name, _)| **name == *symbol) {
                None => drop(rest.insert(monomial.clone(), coefficient.clone())),
                Some(at) if monomial.0[at].1 == 1 => {
                    let mut powers = monomial.0.clone();
                    powers.remove(at);
                    factor.insert(Monomial(powers), coefficient.clone());
                }
                Some(_) => return None,
            }
        }
        Some((Polynomial::of(rest), Polynomial::of(factor)))
    }

    /// The polynomial with some variables replaced; `None` if a variable with a negative power becomes more than a single term.
    pub fn substitute(&self, values: &BTreeMap<Symbol, Polynomial>) -> Option<Polynomial> {
        if !self
            .0
            .terms
            .keys()
            .any(|monomial| monomial.0.iter().any(|(symbol, _)| values.contains_key(symbol)))
        {
            return Some(self.clone());
        }
        let mut sum = Polynomial::zero();
        for (monomial, coefficient) in self.0.terms.iter() {
            let mut product = Polynomial::constant(coefficient.clone());
            for (symbol, power) in &monomial.0 {
                let base = match values.get(symbol) {
                    Some(value) if *power < 0 => value.inverse()?,
                    Some(value) => value.clone(),
                    None => Polynomial::term(Rational::ONE, Monomial(vec![(symbol.clone(), power.signum())])),
                };
                for _ in 0..power.unsigned_abs() {
                    product = &product * &base;
                }
            }
            sum = &sum + &product;
        }
        Some(sum)
    }
}

impl From<Rational> for Polynomial {
    fn from(value: Rational) -> Polynomial {
        Polynomial::constant(value)
    }
}

fn add_scaled(a: &Polynomial, b: &Polynomial, sign: i64) -> Polynomial {
    let mut sum = Terms::clone(&a.0.terms);
    let sign = Rational::from(sign);
    for (monomial, coefficient) in b.0.terms.iter() {
        let value = sum.remove(monomial).unwrap_or_default() + coefficient * &sign;
        if !value.is_zero() {
            sum.insert(monomial.clone(), value);
        }
    }
    Polynomial::of(sum)
}

impl Add for &Polynomial {
    type Output = Polynomial;
    fn add(self, other: &Polynomial) -> Polynomial {
        add_scaled(self, other, 1)
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;
    fn sub(self, other: &Polynomial) -> Polynomial {
        add_scaled(self, other, -1)
    }
}

impl Neg for &Polynomial {
    type Output = Polynomial;
    fn neg(self) -> Polynomial {
        self.scale(&-Rational::ONE)
    }
}

impl Mul for &Polynomial {
    type Output = Polynomial;
    fn mul(self, other: &Polynomial) -> Polynomial {
        let mut product = Terms::new();
        for (left, c) in self.0.terms.iter() {
            for (right, d) in other.0.terms.iter() {
                let monomial = left.times(right);
                let value = product.remove(&monomial).unwrap_or_default() + c * d;
                if !value.is_zero() {
                    product.insert(monomial, value);
                }
            }
        }
        Polynomial::of(product)
    }
}

impl fmt::Display for Monomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (symbol, power) in self.0.iter().filter(|(_, power)| *power > 0) {
            f.write_str(if first { "" } else { "*" })?;
            first = false;
            f.write_str(symbol)?;
            if *power > 1 {
                write!(f, "^{power}")?;
            }
        }
        if first {
            f.write_str("1")?;
        }
        for (symbol, power) in self.0.iter().filter(|(_, power)| *power < 0) {
            write!(f, "/{symbol}")?;
            if *power < -1 {
                write!(f, "^{}", -power)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        // Positive terms first: nobody likes to read a sum that begins with a minus.
        let (positive, negative): (Vec<_>, Vec<_>) = self.0.terms.iter().partition(|(_, c)| c.is_positive());
        for (index, (monomial, coefficient)) in positive.into_iter().chain(negative).enumerate() {
            let sign = match (index, coefficient.is_negative()) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            f.write_str(sign)?;
            let size = coefficient.abs();
            match (monomial.is_one(), size == Rational::ONE) {
                (true, _) => write!(f, "{size}")?,
                (false, true) => write!(f, "{monomial}")?,
                (false, false) => write!(f, "{size}*{monomial}")?,
            }
        }
        Ok(())
    }
}
