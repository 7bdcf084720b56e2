//! Where the papers' case map is incomplete or wrong.

use std::fmt;

use lastbit_audit::ExponentialSum;
use lastbit_audit::decimal::settled;
use lastbit_audit::snapping::{Case, IdealSnap};
use lastbit_real::{Enclosure, Rational, Rounding};

use super::values::quotient;

/// A remark on a case for a reader who compares the table with the papers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// "Verifying Snapping Mechanism" has no result here. It is this, for the cell of the input of this number, 0 or 1.
    LeftBlank(usize),
    /// Inputs that round to the clamped end, with what the papers' formula gives for them.
    RoundsToTheEnd {
        /// Whether this is the upper end.
        upper: bool,
        /// The probabilities of `f` and `f'`, where it is wrong.
        papers: [Option<ExponentialSum>; 2],
    },
    /// Both inputs round to this output. The papers' ratio is for two cells; it is the quotient of these.
    OneCell([ExponentialSum; 2]),
    /// The papers say that the ratio lies in `(1/e, e)`, and it does not.
    BeyondE,
}

impl Note {
    /// The note on a case with outputs; `starts` are the clamped inputs, and `low` is the number of the lower.
    pub(super) fn on(
        case: Case,
        mechanism: &IdealSnap,
        starts: &[Rational; 2],
        low: usize,
        exact_ln_ratio: Option<&Rational>,
    ) -> Option<Note> {
        let top = mechanism.top();
        match case {
            Case::LowerEnd | Case::UpperEnd => {
                let upper = case == Case::UpperEnd;
                let cut = mechanism.cut_below(top);
                // Mirrored at the lower end. How far an input lies beyond the cut:
                let beyond = starts.each_ref().map(|x| if upper { x - &cut } else { -x - &cut });
                let paper = |distance: Rational| {
                    let forgotten = distance.is_positive();
                    forgotten
                        .then(|| ExponentialSum::term(Rational::pow2(-1), mechanism.epsilon() * distance))
                };
                let papers = beyond.map(paper);
                papers.iter().any(Option::is_some).then_some(Note::RoundsToTheEnd { upper, papers })
            }
            Case::AtF | Case::AtF2 => {
                let own = if case == Case::AtF { low } else { 1 - low };
                let numbers = starts.each_ref().map(|x| mechanism.number_of(x));
                match () {
                    () if starts[0] == starts[1] => None,
                    () if numbers[0] == numbers[1] => Some(Note::OneCell(one_cell(mechanism, starts, low))),
                    () if mechanism.output(&numbers[own]) == starts[own] => Some(Note::LeftBlank(own)),
                    () => None,
                }
            }
            Case::Between => {
                let far = exact_ln_ratio.is_some_and(|ln| ln.abs() >= Rational::ONE);
                (far && *mechanism.grid() < Rational::ONE).then_some(Note::BeyondE)
            }
            Case::Below | Case::Above => None,
        }
    }

    /// The ratio by the papers' formula, where that is about the ratio.
    pub fn papers_ratio(&self, bits: u32) -> Option<Enclosure> {
        match self {
            Note::OneCell(parts) => Some(quotient(parts, bits)),
            _ => None,
        }
    }
}

/// The numerator and the denominator of the papers' ratio for the cell of the lower input, as if the other lay above the cell.
fn one_cell(mechanism: &IdealSnap, starts: &[Rational; 2], low: usize) -> [ExponentialSum; 2] {
    let number = mechanism.number_of(&starts[low]);
    let from = mechanism.cut_below(&number);
    let tail = |sign: i64, cut: Rational| {
        let half = Rational::new(sign, 2).expect("2 is not 0");
        ExponentialSum::term(half, (cut - &starts[1 - low]) * mechanism.epsilon())
    };
    let theirs = &tail(1, &from + mechanism.grid()) + &tail(-1, from);
    let right = mechanism.probability(&starts[low], &(number.clone()..=number));
    if low == 0 { [right, theirs] } else { [theirs, right] }
}

/// Three digits.
fn short(enclose: impl FnMut(u32) -> Enclosure) -> String {
    settled(enclose, |value| value.to_decimal(3, Rounding::Nearest))
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::LeftBlank(0) => write!(f, "a paper leaves this blank: e^(ε|f-f'|)·2/(1 + e^(εΛ/2))"),
            Note::LeftBlank(_) => write!(f, "a paper leaves this blank: e^(-ε|f-f'|)·(1 + e^(εΛ/2))/2"),
            Note::RoundsToTheEnd { upper, papers } => {
                let inputs = ["f", "f'"].into_iter().zip(papers);
                let wrong = inputs.filter_map(|(name, paper)| Some((name, paper.as_ref()?)));
                let (gives, forgets): (Vec<String>, Vec<String>) = wrong
                    .map(|(name, paper)| {
                        let beyond = if *upper { "> b+Λ/2" } else { "< -b-Λ/2" };
                        let value = short(|bits| paper.enclose_to(bits));
                        (format!("P[{name}] = {value}"), format!("{name} {beyond}"))
                    })
                    .unzip();
                let [gives, forgets] = [gives, forgets].map(|parts| parts.join(", "));
                write!(f, "the papers' formula gives {gives}; it forgets that {forgets}")
            }
            Note::OneCell(parts) => {
                let ratio = short(|bits| quotient(parts, bits));
                write!(f, "the papers' formula gives the ratio {ratio}; it forgets that ⌊f⌉ = ⌊f'⌉")
            }
            Note::BeyondE => write!(f, "a paper says that this ratio lies between 1/e and e"),
        }
    }
}
