//! Side conditions that tests turn off, one at a time: each must be needed, or it would not be there.
//!
//! With a condition off the kernel accepts a proof of a false claim; with it on, it does not. Outside of tests all are on.

/// A list of variants, and all of them: none can be left out.
macro_rules! conditions {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A side condition of a rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum SideCondition {
            $($(#[$doc])* $name,)*
        }

        #[cfg(test)]
        impl SideCondition {
            pub(crate) const ALL: &'static [SideCondition] = &[$(SideCondition::$name,)*];
        }
    };
}

conditions! {
    /// ASSN: operations are defined.
    Defined,
    /// ALIGN: a name means the same law on every path.
    OneLaw,
    /// ALIGN: a sample is drawn from the same law in both runs.
    SameLaw,
    /// ALIGN: a path belongs to a piece only if it has drawn the values that the piece names.
    ChoicesDrawn,
    /// ALIGN: the pieces cover the sample space.
    Cover,
    /// ALIGN: their images do not overlap.
    Disjoint,
    /// ALIGN: both runs return the same.
    SameResult,
    /// ALIGN: shifts do not depend on samples.
    ShiftFreeOfSamples,
    /// ALIGN: exponential noise is not mirrored.
    ExponentialMirror,
    /// ALIGN: exponential noise is not shifted to the left.
    ExponentialSupport,
    /// ALIGN: a uniform sample stays at most 1.
    UniformSupport,
    /// LAP-GEN, DLAP: what a shift costs.
    ShiftCost,
    /// ALIGN: what it costs to move a uniform sample.
    UniformCost,
    /// RND-BIJ: values go to different values.
    Permutation,
    /// RND-BIJ: what a permutation costs.
    FiniteCost,
    /// RND-BIJ: the weights of a finite sample are a law, also where it is not drawn.
    LawEverywhere,
    /// DLAP: the shift is a multiple of the grid's step.
    OnGrid,
    /// ALIGN: costs add up to at most ε.
    TotalCost,
    /// ALIGN: the scale of a shifted sample is not zero, also where it is not drawn.
    ScaleDefined,
    /// PREIM: the body is a sequence of statements, each for a variable of its own.
    StraightBody,
    /// PREIM: what is returned is a monotone function of the variable.
    Monotone,
    /// EVENT: the sign is fair.
    FairSign,
    /// EVENT: the same centre and scale on all paths.
    OneCentre,
    /// EVENT: the same scale in both runs.
    OneScale,
    /// EVENT: the centres are close.
    EventDistance,
    /// ENUMERATE: the first probability is not too small.
    FirstFromAbove,
    /// ENUMERATE: the second probability is not too large.
    SecondFromBelow,
    /// ENUMERATE: the ratio of the two.
    Ratio,
    /// DP: both directions are shown.
    BothDirections,
    /// DP: equations, and nothing else, say the same with their sides exchanged.
    OnlyEquationsTurn,
    /// DP: the cost is at most the claim.
    ClaimCovers,
    /// DP: the claim is one expression in all cases.
    ClaimWithoutCases,
    /// CASE: an impossible case is impossible.
    Impossible,
    /// CASE: every way has its proof.
    SplitExhaustive,
    /// CASE: what is split on does not depend on samples.
    SplitFreeOfSamples,
    /// CONSEQ: the premise of an axiom.
    AxiomPremise,
    /// A lemma's sum is a contradiction.
    LemmaSum,
    /// A lemma's coefficients are positive.
    LemmaSigns,
    /// A sum of 0 contradicts only what is strictly positive.
    LemmaStrict,
    /// Only equations are multiplied by what may be negative.
    LemmaEquations,
    /// A multiplier does not divide by what may be zero.
    LemmaDivision,
}

#[cfg(test)]
thread_local! {
    static OFF: std::cell::Cell<Option<SideCondition>> = const { std::cell::Cell::new(None) };
}

/// Runs something with one of the conditions off, on this thread.
#[cfg(test)]
pub(crate) fn without<T>(condition: SideCondition, run: impl FnOnce() -> T) -> T {
    OFF.set(Some(condition));
    let result = run();
    OFF.set(None);
    result
}

/// Whether a condition is not to be checked.
#[cfg(test)]
pub(crate) fn is_off(condition: SideCondition) -> bool {
    OFF.get() == Some(condition)
}

/// Whether a condition is not to be checked: never.
#[cfg(not(test))]
#[inline]
pub(crate) fn is_off(_: SideCondition) -> bool {
    false
}
