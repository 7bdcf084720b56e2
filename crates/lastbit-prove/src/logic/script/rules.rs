//! The rules that a `step` can name: what each says of the two copies of a sample.
//!
//! | rule | statement | needs |
//! |---|---|---|
//! | `assn` | `x := e`: substitution | `e` defined |
//! | `axnull`, also `rndid` | `x <$ μ`: `x<1> = x<2>`, in the support | the same μ in both runs |
//! | `lapnull` | `z <$ lap(b)`: `z<1> = z<2>` | the same `b` |
//! | `lapgen` | `z <$ lap(b)`: `z<2> = z<1> + k` at cost `c` | `\|k\| <= c·b`, `k` free of `z` |
//! | `dlap` | `z <$ dlap(b, j)`: as `lapgen` | also `k` a multiple of `2^j` |
//! | `axunif` | `u <$ unif`: `e^-c·u<2> <= u<1> <= e^c·u<2>` | nothing: it follows from `u<1> = u<2>` |
//! | `unifshrink` | `u <$ unif`: `u<2> = e^-k·u<1>` at cost `k` | `k >= 0` |
//! | `rndbij` | `x <$ μ` finite: `x<2> = f(x<1>)` at cost `c` | `f` a bijection, `μ₁(v) <= e^c·μ₂(f(v))` |
//! | `conseq` | no statement: the second assertion follows from the first | |
//! | `dp` | the last: `r<1> = r<2>` follows | |
//!
//! COMP adds up costs and FRAME keeps what is known of other variables: every step's first assertion must follow from what is known by
//! then. EXISTS finds the value of a logical variable from an equation.

use lastbit_lang::ast::Distribution;

/// A rule of a `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// ASSN
    Assn,
    /// AX-NULL, also RND-ID
    AxNull,
    /// LAP-NULL
    LapNull,
    /// LAP-GEN
    LapGen,
    /// DLAP
    Dlap,
    /// AX-UNIF
    AxUnif,
    /// UNIF-SHRINK
    UnifShrink,
    /// RND-BIJ
    RndBij,
    /// CONSEQ
    Conseq,
    /// DP
    Dp,
}

/// The rules by the names they have in scripts.
pub const RULES: [(&str, Rule); 12] = [
    ("assn", Rule::Assn),
    ("axnull", Rule::AxNull),
    ("rndid", Rule::AxNull),
    ("lapnull", Rule::LapNull),
    ("lapgen", Rule::LapGen),
    ("dlap", Rule::Dlap),
    ("axunif", Rule::AxUnif),
    ("unifshrink", Rule::UnifShrink),
    ("rndbij", Rule::RndBij),
    ("conseq", Rule::Conseq),
    ("comp", Rule::Conseq),
    ("dp", Rule::Dp),
];

impl Rule {
    /// As derivations print it.
    pub fn text(self) -> &'static str {
        match self {
            Rule::Assn => "ASSN",
            Rule::AxNull => "AX-NULL",
            Rule::LapNull => "LAP-NULL",
            Rule::LapGen => "LAP-GEN",
            Rule::Dlap => "DLAP",
            Rule::AxUnif => "AX-UNIF",
            Rule::UnifShrink => "UNIF-SHRINK",
            Rule::RndBij => "RND-BIJ",
            Rule::Conseq => "CONSEQ",
            Rule::Dp => "DP",
        }
    }

    /// Why the rule is not for samples of this law.
    pub(super) fn misfit(self, distribution: &Distribution) -> Option<&'static str> {
        let fits = match self {
            Rule::AxUnif | Rule::UnifShrink => matches!(distribution, Distribution::Unif { .. }),
            Rule::LapGen | Rule::LapNull => matches!(distribution, Distribution::Lap(_)),
            Rule::Dlap => matches!(distribution, Distribution::Dlap(..)),
            Rule::RndBij => matches!(distribution, Distribution::Sign | Distribution::Bernoulli(_)),
            Rule::AxNull => true,
            Rule::Assn | Rule::Conseq | Rule::Dp => false,
        };
        let wanted = match self {
            Rule::AxUnif | Rule::UnifShrink => "it is about samples of unif",
            Rule::LapGen | Rule::LapNull => "it is about samples of lap",
            Rule::Dlap => "it is about samples of dlap",
            Rule::RndBij => "it is about samples of sign and bernoulli",
            _ => "it is not about samples",
        };
        (!fits).then_some(wanted)
    }
}
