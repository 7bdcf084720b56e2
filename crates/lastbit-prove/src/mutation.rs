//! Broken rules, for the tests that must notice them. In a build that is not a test nothing is ever broken.

/// A way to break a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutation {
    /// A rounding bound of half its size.
    HalfTheRounding,
    /// A relative bound that takes no notice of subnormal results: the dropped τ.
    ForgetUnderflow,
    /// The product's range from two corners instead of four.
    WrongCorner,
    /// The error of a linear form without the slope of one operand.
    ForgetSlope,
    /// A product's error without what the second operand's error does.
    ForgetPropagation,
    /// A quotient's error divided by the largest divisor instead of the least.
    WrongDenominator,
    /// Every difference taken for exact.
    SterbenzAnyway,
}

#[cfg(test)]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<Mutation>> = const { std::cell::Cell::new(None) };
}

/// Breaks a rule on this thread, until the next call.
#[cfg(test)]
pub(crate) fn set(mutation: Option<Mutation>) {
    ACTIVE.set(mutation);
}

/// Whether this rule is broken now.
#[cfg(test)]
pub(crate) fn is(mutation: Mutation) -> bool {
    ACTIVE.get() == Some(mutation)
}

/// Whether this rule is broken now.
#[cfg(not(test))]
#[inline(always)]
pub(crate) const fn is(_: Mutation) -> bool {
    false
}
