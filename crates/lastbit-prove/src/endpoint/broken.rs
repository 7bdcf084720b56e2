//! What ties a text to the theorem, each of which tests turn off, one at a time: every one must be needed.
//!
//! With a tie cut, some mechanism of `near_misses` that is not private is proved, or one that is private is refuted; with all of them in place
//! none is. Outside of tests all are in place. The table in `docs/endpoint.md` has a row for each.

/// A tie between a text and the theorem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tie {
    /// `u` is a sample of `unif`.
    UniformIsSampled,
    /// `s` is a sample of `sign`.
    SignIsSampled,
    /// The scale of the noise is public.
    PublicScale,
    /// The bounds of the clamps are public.
    PublicBound,
    /// Both clamps have one bound.
    OneBound,
    /// The clamped value is an argument, and nothing made of it.
    ValueIsArgument,
    /// Nothing else is returned.
    OneResult,
    /// The distance of neighbours is that of the argument which is clamped.
    DistanceOfTheValue,
    /// No number is put in the place of an argument.
    ArgumentsStayOpen,
    /// `u` is drawn from the sampler that the text declares.
    SamplerOfTheText,
    /// Two inputs that refute a claim satisfy the text's ranges, assumptions and adjacency.
    AdmissibleWitness,
    /// An improbable event does not refute a claim that allows it.
    DeltaOfTheClaim,
}

#[cfg(test)]
impl Tie {
    pub(crate) const ALL: [Tie; 12] = [
        Tie::UniformIsSampled,
        Tie::SignIsSampled,
        Tie::PublicScale,
        Tie::PublicBound,
        Tie::OneBound,
        Tie::ValueIsArgument,
        Tie::OneResult,
        Tie::DistanceOfTheValue,
        Tie::ArgumentsStayOpen,
        Tie::SamplerOfTheText,
        Tie::AdmissibleWitness,
        Tie::DeltaOfTheClaim,
    ];
}

#[cfg(test)]
thread_local! {
    static CUT: std::cell::Cell<Option<Tie>> = const { std::cell::Cell::new(None) };
}

/// Runs something with one of the ties cut, on this thread.
#[cfg(test)]
pub(crate) fn without<T>(tie: Tie, run: impl FnOnce() -> T) -> T {
    CUT.set(Some(tie));
    let result = run();
    CUT.set(None);
    result
}

/// Whether a tie is not to be checked.
#[cfg(test)]
pub(crate) fn is_cut(tie: Tie) -> bool {
    CUT.get() == Some(tie)
}

/// Whether a tie is not to be checked: never.
#[cfg(not(test))]
#[inline]
pub(crate) fn is_cut(_: Tie) -> bool {
    false
}
