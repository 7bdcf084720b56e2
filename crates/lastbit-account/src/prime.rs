//! Arithmetic modulo primes just below 2⁶², and the number-theoretic transform over each.

/// Primes `c·2²⁶ + 1` below 2⁶², so that there are roots of unity of every order up to 2²⁶.
pub(crate) const PRIMES: [u64; 3] = [0x3fff_ffff_cc00_0001, 0x3fff_ffff_3400_0001, 0x3fff_fffe_0800_0001];

/// The largest order of a root of unity is 2 to this.
#[cfg(test)]
const MOST_LOG2: u32 = 26;

/// A factor, and its quotient by the prime, which makes multiplications cheap (Shoup).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factor {
    value: u64,
    /// `floor(value·2⁶⁴/p)`.
    quotient: u64,
}

/// A prime `p` of [`PRIMES`], with what divisions by it need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prime {
    pub(crate) p: u64,
    /// `floor(2¹²⁵/p)`, which is below 2⁶⁴ because `p > 2⁶¹`.
    inverse: u64,
}

impl Prime {
    pub(crate) fn new(p: u64) -> Prime {
        Prime { p, inverse: u64::try_from((1u128 << 125) / u128::from(p)).expect("p is above 2^61") }
    }

    /// `a·b mod p`. Requires: `a, b < p`.
    ///
    /// With `x = a·b < 2¹²⁴` the estimate `floor(floor(x/2⁶¹)·inverse/2⁶⁴)` of the quotient is at most `x/p`, and less than 3 below it: each of
    /// the three roundings takes off less than 1, where `x/2⁶¹ < 2⁶³` multiplies the second and `1/p·2⁶¹ < 1` the first.
    pub(crate) fn product(&self, a: u64, b: u64) -> u64 {
        let x = u128::from(a) * u128::from(b);
        let quotient = (((x >> 61) * u128::from(self.inverse)) >> 64) as u64;
        let mut rest = (x as u64).wrapping_sub(quotient.wrapping_mul(self.p));
        // Less than 4p, which is below 2⁶⁴: the low word is all of it.
        while rest >= self.p {
            rest -= self.p;
        }
        rest
    }

    pub(crate) fn difference(&self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.p - b }
    }

    pub(crate) fn power(&self, base: u64, mut exponent: u64) -> u64 {
        let (mut power, mut square) = (1, base);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = self.product(power, square);
            }
            square = self.product(square, square);
            exponent >>= 1;
        }
        power
    }

    pub(crate) fn reciprocal(&self, x: u64) -> u64 {
        self.power(x, self.p - 2)
    }

    /// Requires: `value < p`.
    pub(crate) fn factor(&self, value: u64) -> Factor {
        Factor { value, quotient: ((u128::from(value) << 64) / u128::from(self.p)) as u64 }
    }

    /// `x·factor mod p`, or `p` more, for any `x`: the quotient is at most 1 too small.
    #[inline]
    pub(crate) fn lazy_product(&self, x: u64, factor: Factor) -> u64 {
        let quotient = ((u128::from(x) * u128::from(factor.quotient)) >> 64) as u64;
        x.wrapping_mul(factor.value).wrapping_sub(quotient.wrapping_mul(self.p))
    }

    /// `x·factor mod p`.
    pub(crate) fn product_with(&self, x: u64, factor: Factor) -> u64 {
        let rest = self.lazy_product(x, factor);
        if rest >= self.p { rest - self.p } else { rest }
    }

    /// A root of unity of order `2^log2` exactly.
    ///
    /// `g^((p-1)/2) = -1` for the `g` that is found, so `g^((p-1)/2^log2)` has a power of -1 just before its order.
    pub(crate) fn root(&self, log2: u32) -> u64 {
        let minus_one = self.p - 1;
        let g = (2..).find(|g| self.power(*g, minus_one / 2) == minus_one).expect("half of all numbers are");
        self.power(g, minus_one >> log2)
    }
}

/// The transform over one prime. The roots are kept, and those of a size serve all smaller ones.
#[derive(Clone, Debug)]
pub(crate) struct Transform {
    pub(crate) prime: Prime,
    /// At `t + j` the `j`-th power of the root of order `2t`, for `t` each power of two and `j < t`.
    roots: Vec<Factor>,
}

impl Transform {
    pub(crate) fn new(p: u64) -> Transform {
        Transform { prime: Prime::new(p), roots: Vec::new() }
    }

    /// Makes the roots for transforms of `n` values. Requires: `n` is a power of two, at most 2²⁶.
    pub(crate) fn prepare(&mut self, n: usize) {
        if self.roots.len() >= n {
            return;
        }
        let prime = self.prime;
        let one = prime.factor(1);
        let mut roots = vec![one; n.max(2)];
        let mut t = n / 2;
        if t >= 1 {
            let root = prime.factor(prime.root(n.trailing_zeros()));
            let mut power = 1;
            for j in 0..t {
                roots[t + j] = prime.factor(power);
                power = prime.product_with(power, root);
            }
        }
        while t > 1 {
            t /= 2;
            for j in 0..t {
                roots[t + j] = roots[2 * t + 2 * j];
            }
        }
        self.roots = roots;
    }

    /// The transform, in bit-reversed order; values are below `2p` before and after.
    pub(crate) fn forward(&self, values: &mut [u64]) {
        let (prime, twice) = (self.prime, 2 * self.prime.p);
        let mut t = values.len() / 2;
        while t >= 1 {
            let roots = &self.roots[t..2 * t];
            for block in values.chunks_exact_mut(2 * t) {
                let (left, right) = block.split_at_mut(t);
                for ((u, v), root) in left.iter_mut().zip(right).zip(roots) {
                    let (a, b) = (*u, *v);
                    let sum = a + b;
                    *u = if sum >= twice { sum - twice } else { sum };
                    *v = prime.lazy_product(a + twice - b, *root);
                }
            }
            t /= 2;
        }
    }

    /// The inverse of [`forward`](Self::forward), but for a factor of the length; values are below `2p` before and after.
    pub(crate) fn backward(&self, values: &mut [u64]) {
        let (prime, twice) = (self.prime, 2 * self.prime.p);
        let reduce = |x: u64| if x >= twice { x - twice } else { x };
        let mut t = 1;
        while t < values.len() {
            let roots = &self.roots[t..2 * t];
            for block in values.chunks_exact_mut(2 * t) {
                let (left, right) = block.split_at_mut(t);
                let (u, v) = (left[0], right[0]);
                (left[0], right[0]) = (reduce(u + v), reduce(u + twice - v));
                // The j-th power of the reciprocal root is minus the (t-j)-th power of the root.
                for ((u, v), root) in left[1..].iter_mut().zip(&mut right[1..]).zip(roots[1..].iter().rev()) {
                    let (a, b) = (*u, prime.lazy_product(*v, *root));
                    *u = reduce(a + twice - b);
                    *v = reduce(a + b);
                }
            }
            t *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic for all numbers below 2⁶⁴ (Sorenson and Webster 2015).
    fn is_prime(p: u64) -> bool {
        let prime = Prime::new(p);
        let (odd, twos) = ((p - 1) >> (p - 1).trailing_zeros(), (p - 1).trailing_zeros());
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].into_iter().all(|base| {
            let mut x = prime.power(base, odd);
            x == 1
                || (0..twos).any(|_| {
                    let is_minus_one = x == p - 1;
                    x = prime.product(x, x);
                    is_minus_one
                })
        })
    }

    #[test]
    fn primes() {
        for p in PRIMES {
            assert!(is_prime(p) && p < 1 << 62 && p > 1 << 61 && (p - 1) % (1 << MOST_LOG2) == 0, "{p:#x}");
            let root = Prime::new(p).root(MOST_LOG2);
            assert_eq!(Prime::new(p).power(root, 1 << (MOST_LOG2 - 1)), p - 1);
        }
        assert!(PRIMES.is_sorted_by(|a, b| a > b));
        assert!(!is_prime(PRIMES[0] - 2) && !is_prime((1 << 61) + 1));
    }

    #[test]
    fn products() {
        for p in PRIMES {
            let prime = Prime::new(p);
            for a in [0, 1, 2, 3, p / 2, p - 2, p - 1, 0x1234_5678_9abc_def0] {
                for b in [0, 1, p / 3, p - 2, p - 1, 0x0fed_cba9_8765_4321] {
                    let exact = (u128::from(a) * u128::from(b) % u128::from(p)) as u64;
                    assert_eq!(prime.product(a, b), exact);
                    assert_eq!(prime.product_with(a, prime.factor(b)), exact);
                    assert_eq!(prime.product_with(u64::MAX - a, prime.factor(b)), {
                        (u128::from(u64::MAX - a) * u128::from(b) % u128::from(p)) as u64
                    });
                }
                assert!(a == 0 || prime.product(a % p, prime.reciprocal(a % p)) == 1);
            }
        }
    }

    #[test]
    fn forth_and_back() {
        for p in PRIMES {
            let mut transform = Transform::new(p);
            for log2 in 0..8 {
                let n = 1usize << log2;
                transform.prepare(n);
                let values: Vec<u64> =
                    (0..n as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % p).collect();
                let mut there = values.clone();
                transform.forward(&mut there);
                transform.backward(&mut there);
                let expected = values.iter().map(|x| transform.prime.product(*x, n as u64));
                assert!(there.iter().map(|x| x % p).eq(expected), "{p:#x} {n}");
            }
        }
    }
}
