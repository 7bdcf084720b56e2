//! Exact convolution of masses, by transforms modulo several primes and the Chinese remainder theorem.

use crate::Error;
use crate::mass::{Mass, Precision};
use crate::prime::{Factor, PRIMES, Prime, Transform};

/// The most values of a convolution: 400 MB.
const MOST_VALUES: usize = 1 << 21;

/// How a mass that is not a multiple of `2^-W` becomes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoundMass {
    Up,
    Down,
}

/// Transforms, whose roots are made once, and what puts their results together.
#[derive(Clone, Debug)]
pub(crate) struct Convolver {
    precision: Precision,
    fields: Vec<Field>,
}

#[derive(Clone, Debug)]
struct Field {
    transform: Transform,
    /// `2⁶⁴` and `2¹²⁸`.
    words: [Factor; 2],
    one: Factor,
    /// The reciprocals of the primes before this one.
    reciprocals: Vec<Factor>,
}

impl Convolver {
    pub(crate) fn new(precision: Precision) -> Convolver {
        let primes = &PRIMES[..precision.primes()];
        let field = |(i, p): (usize, &u64)| {
            let prime = Prime::new(*p);
            let word = ((1u128 << 64) % u128::from(*p)) as u64;
            Field {
                transform: Transform::new(*p),
                words: [word, prime.product(word, word)].map(|x| prime.factor(x)),
                one: prime.factor(1),
                reciprocals: primes[..i].iter().map(|q| prime.factor(prime.reciprocal(q % p))).collect(),
            }
        };
        Convolver { precision, fields: primes.iter().enumerate().map(field).collect() }
    }

    /// `Σ a_i·b_(n-i)` for all `n`, rounded to masses; `None` for `b` stands for `a`.
    ///
    /// Requires: the sum of each is at most 2. Then every value of the convolution is at most 4, and the primes tell it from all others.
    pub(crate) fn convolve(
        &mut self,
        a: &[Mass],
        b: Option<&[Mass]>,
        round: RoundMass,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Mass>, Error> {
        let length = a.len() + b.unwrap_or(a).len() - 1;
        let n = length.next_power_of_two();
        if n > MOST_VALUES {
            return Err(Error::TooFine);
        }
        let mut residues = Vec::with_capacity(self.fields.len());
        for field in &mut self.fields {
            if !goes_on() {
                return Err(Error::Cancelled);
            }
            field.transform.prepare(n);
            residues.push(field.convolve(a, b, n));
        }
        Ok((0..length).map(|i| self.join(&residues, i, round)).collect())
    }

    /// The number that is so modulo every prime, times `2^-W`: in mixed radix (Garner), then as an integer.
    fn join(&self, residues: &[Vec<u64>], at: usize, round: RoundMass) -> Mass {
        let mut digits = [0; PRIMES.len()];
        for (i, (field, residues)) in self.fields.iter().zip(residues).enumerate() {
            let prime = field.transform.prime;
            let mut x = residues[at];
            for (digit, reciprocal) in digits[..i].iter().zip(&field.reciprocals) {
                // Primes fall, so that a digit may be this prime or more, but not twice.
                let digit = if *digit >= prime.p { digit - prime.p } else { *digit };
                x = prime.product_with(prime.difference(x, digit), *reciprocal);
            }
            digits[i] = x;
        }
        let mut number = [0u64; 6];
        for (field, digit) in self.fields.iter().zip(&digits).rev() {
            let mut carry = *digit;
            for word in &mut number {
                let sum = u128::from(*word) * u128::from(field.transform.prime.p) + u128::from(carry);
                (*word, carry) = (sum as u64, (sum >> 64) as u64);
            }
        }
        self.rounded(number, round)
    }

    fn rounded(&self, number: [u64; 6], round: RoundMass) -> Mass {
        let bits = self.precision.bits() as usize;
        let (words, shift) = (bits / 64, bits % 64);
        let word = |i: usize| number.get(i).copied().unwrap_or(0);
        let shifted = |i: usize| match shift {
            0 => word(i + words),
            _ => word(i + words) >> shift | word(i + words + 1) << (64 - shift),
        };
        let mass = Mass([shifted(0), shifted(1), shifted(2)]);
        let is_exact = number[..words].iter().all(|word| *word == 0) && word(words) & ((1 << shift) - 1) == 0;
        match round {
            RoundMass::Up if !is_exact => mass.plus(Mass([1, 0, 0])),
            _ => mass,
        }
    }
}

impl Field {
    fn convolve(&self, a: &[Mass], b: Option<&[Mass]>, n: usize) -> Vec<u64> {
        let prime = self.transform.prime;
        let transformed = |masses: &[Mass]| {
            let mut values = vec![0; n];
            for (value, mass) in values.iter_mut().zip(masses) {
                *value = self.residue(*mass);
            }
            self.transform.forward(&mut values);
            values
        };
        let exact = |x: u64| if x >= prime.p { x - prime.p } else { x };
        let mut product = transformed(a);
        match b.map(transformed) {
            None => product.iter_mut().for_each(|x| *x = prime.product(exact(*x), exact(*x))),
            Some(b) => {
                product.iter_mut().zip(b).for_each(|(x, y)| *x = prime.product(exact(*x), exact(y)));
            }
        }
        self.transform.backward(&mut product);
        let share = prime.factor(prime.reciprocal(n as u64 % prime.p));
        product.iter_mut().for_each(|x| *x = prime.product_with(*x, share));
        product
    }

    fn residue(&self, mass: Mass) -> u64 {
        let prime = self.transform.prime;
        let [low, middle, high] = mass.0;
        let terms = [(low, self.one), (middle, self.words[0]), (high, self.words[1])];
        let sum: u64 = terms.iter().map(|(word, factor)| prime.product_with(*word, *factor)).sum();
        sum % prime.p
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastbit_real::UBig;
    use proptest::prelude::*;

    fn slowly(a: &[Mass], b: &[Mass], precision: Precision, round: RoundMass) -> Vec<Mass> {
        let mut sums = vec![UBig::ZERO; a.len() + b.len() - 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                sums[i + j] += x.to_ubig() * y.to_ubig();
            }
        }
        let last = if round == RoundMass::Up { precision.one() - UBig::ONE } else { UBig::ZERO };
        sums.into_iter().map(|sum| Mass::of(&((sum + &last) >> precision.bits() as usize))).collect()
    }

    proptest! {
        #[test]
        fn as_by_definition(
            a in prop::collection::vec(any::<[u64; 3]>(), 1..40),
            b in prop::collection::vec(any::<[u64; 3]>(), 1..40),
            which in 0usize..2,
            up: bool,
        ) {
            let precision = [Precision::Bits60, Precision::Bits90][which];
            let round = if up { RoundMass::Up } else { RoundMass::Down };
            // At most 1/32 each, and some of them at the ends.
            let small = |words: &[u64; 3]| {
                let bits = precision.bits() as usize - 5;
                let mass = Mass(*words).to_ubig() & ((UBig::ONE << bits) - UBig::ONE);
                Mass::of(&if words[0].is_multiple_of(5) { (UBig::ONE << bits) - UBig::ONE } else { mass })
            };
            let [a, b] = [a, b].map(|all| all.iter().map(small).collect::<Vec<_>>());
            let mut convolver = Convolver::new(precision);
            let found = convolver.convolve(&a, Some(&b), round, &|| true).unwrap();
            prop_assert_eq!(found, slowly(&a, &b, precision, round));
            let found = convolver.convolve(&a, None, round, &|| true).unwrap();
            prop_assert_eq!(found, slowly(&a, &a, precision, round));
        }
    }
}
