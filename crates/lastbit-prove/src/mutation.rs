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
    /// The relative bound of a sum, whatever the signs.
    AnySigns,
    /// Scaling by a power of two taken for exact where it makes subnormal numbers.
    ScalingIsExact,
    /// Numbers rounded to a grid, as if ties always went up.
    ForgetTies,
    /// Choices taken for the same in both readings.
    NeverCrossed,
    /// Comparisons decided by the real values alone.
    DecideOnReals,
    /// Products without the product of the errors.
    FirstOrder,
    /// `e^d - 1` taken for `d`.
    LinearGrowth,
    /// A quotient's error divided by the least real divisor instead of the least float.
    RealDivisor,
    /// A logarithm's error divided by the largest argument.
    FarLogarithm,
    /// A root's error divided by the largest roots.
    FarRoot,
    /// Relative bounds without the operation's own rounding.
    RelativelyExact,
    /// The error of a linear form without that of a clamp's bound.
    ForgetBound,
    /// The rounding bound beyond a power of two without what lies below it.
    BeyondThePower,
    /// Half the error of a library that is so many ulps off.
    HalfTheUlps,
}

#[cfg(test)]
impl Mutation {
    pub(crate) const ALL: [Mutation; 21] = [
        Mutation::HalfTheRounding,
        Mutation::ForgetUnderflow,
        Mutation::WrongCorner,
        Mutation::ForgetSlope,
        Mutation::ForgetPropagation,
        Mutation::WrongDenominator,
        Mutation::SterbenzAnyway,
        Mutation::AnySigns,
        Mutation::ScalingIsExact,
        Mutation::ForgetTies,
        Mutation::NeverCrossed,
        Mutation::DecideOnReals,
        Mutation::FirstOrder,
        Mutation::LinearGrowth,
        Mutation::RealDivisor,
        Mutation::FarLogarithm,
        Mutation::FarRoot,
        Mutation::RelativelyExact,
        Mutation::ForgetBound,
        Mutation::BeyondThePower,
        Mutation::HalfTheUlps,
    ];
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
