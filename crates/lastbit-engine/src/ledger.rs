//! Releases and their ledger: charged before they are computed, stored before they are shown.
//!
//! Tables ([`release`](crate::release)) and noisy values ([`noise`](crate::noise)) go into the same ledger in the same way, and their losses add
//! where they are about the same unit.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use lastbit::{Claim, Measure};
use lastbit_ledger::{
    Budget, Charge, Digest, Error, Head, Ledger, Options, Outcome, Rational as Exact, Request, Reservation,
};
use lastbit_real::Rounding;
use serde::Serialize;

use crate::number::decimal;
use crate::{Number, Refusal};

/// Digits of what is left.
const DIGITS: usize = 6;

/// The ledger of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    /// The file.
    pub path: PathBuf,
    /// The name of the release; `None` names a table release after its plan, so that the same plan is charged once. Noise needs one.
    pub id: Option<String>,
    /// Who asks, if there are budgets by analyst.
    pub analyst: Option<String>,
    /// Whether a network file system is accepted.
    pub force_network: bool,
}

impl Book {
    /// The ledger at this path, for everybody.
    pub fn at(path: impl Into<PathBuf>) -> Book {
        Book { path: path.into(), id: None, analyst: None, force_network: false }
    }
}

/// What the ledger says of a release.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Entered {
    /// The file.
    pub path: String,
    /// The name of the release.
    pub id: String,
    /// The dataset.
    pub dataset: String,
    /// Who asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analyst: Option<String>,
    /// The entry with the result, as `17:` and a hash: a ledger that does not have it is an older copy, or another one.
    pub head: String,
    /// Whether the result was stored by an earlier release of this name, which is shown again at no charge.
    pub again: bool,
    /// `epsilon` or `rho`.
    pub measure: &'static str,
    /// What was spent of the dataset's budget.
    pub spent: Number,
    /// What is left of it.
    pub left: Number,
    /// Whether these are the analyst's own, and not those of the whole dataset.
    #[serde(skip)]
    pub(crate) is_analysts: bool,
    /// Whether what was spent has a δ beside it.
    #[serde(skip)]
    pub(crate) has_delta: bool,
}

impl Entered {
    /// In words.
    pub fn text(&self) -> String {
        format!(
            "ledger {}: {} {}, {} = {} left for {}, head {}",
            self.path,
            self.id,
            if self.again { "shown again at no charge" } else { "charged" },
            if self.measure == "epsilon" { "ε" } else { "ρ" },
            self.left,
            self.dataset,
            self.head,
        )
    }
}

/// Neighbouring data in words. Losses add only where the words are the same, so every front end takes them from here.
pub(crate) fn neighbours(unit: &str) -> String {
    format!("one {unit} added or removed")
}

/// A release that is to be entered.
pub(crate) struct Asked<'a> {
    /// The name that it has if the book gives none.
    pub(crate) usual_id: Option<String>,
    /// Everything that the release depends on but the data, or a hash of it.
    pub(crate) spec: &'a str,
    pub(crate) dataset: Option<&'a str>,
    /// Whose data neighbours differ in.
    pub(crate) unit: &'a str,
    pub(crate) claim: &'a Claim,
    /// The files with the data, to warn if they change.
    pub(crate) files: &'a [PathBuf],
}

/// A release that has been entered: what is to be shown, and nothing else.
pub(crate) struct Shown<T> {
    /// The bytes that the ledger has.
    pub(crate) bytes: Vec<u8>,
    pub(crate) entered: Entered,
    /// What the owner should look at.
    pub(crate) warnings: Vec<String>,
    /// What came with the bytes, unless they are those of another time.
    pub(crate) beside: Option<T>,
}

/// An open ledger, and the release that is to be entered.
pub(crate) struct Entry {
    ledger: Ledger,
    request: Request,
    path: String,
}

impl Entry {
    /// Opens the ledger. Nothing is charged.
    pub(crate) fn open(book: &Book, asked: &Asked<'_>) -> Result<Entry, Refusal> {
        let dataset = asked.dataset.ok_or_else(|| {
            Refusal::usage(
                "a ledger keeps budgets by dataset, and this release does not name one",
                "give the dataset's name: dataset = \"…\" in [table], or --dataset",
            )
        })?;
        let id = book.id.clone().or_else(|| asked.usual_id.clone()).ok_or_else(|| {
            Refusal::usage(
                "a ledger charges a release once by its id, and this release has none",
                "give it a name of its own: --id NAME; asked again under that name, the stored values are shown at no charge",
            )
        })?;
        let loss = asked.claim.loss().clone();
        let charge = match asked.claim.measure() {
            Measure::MaxDivergence => Charge::pure(loss),
            Measure::ZeroConcentratedDivergence => Charge::zero_concentrated(loss),
        };
        let request = Request {
            id,
            spec: Digest::of(asked.spec.as_bytes()),
            dataset: dataset.to_owned(),
            analyst: book.analyst.clone(),
            neighbours: neighbours(asked.unit),
            charge: charge.map_err(refused)?,
            claim: asked.claim.to_json(),
            fingerprint: fingerprint(asked.files),
        };
        let ledger = open(&book.path, book.force_network)?;
        Ok(Entry { ledger, request, path: book.path.display().to_string() })
    }

    /// Charges the release, computes it, stores what came out and only then gives it out; or gives out what is stored from before.
    ///
    /// # Errors
    /// What the ledger refuses: nothing is charged. Whatever stops `compute`: the release stays charged, and unless it was interrupted it has ended
    /// without a result, since whoever asks again must not learn more from another outcome.
    pub(crate) fn once<T>(
        mut self,
        compute: impl FnOnce() -> Result<(Vec<u8>, T), Refusal>,
    ) -> Result<Shown<T>, Refusal> {
        let reserved = self.ledger.reserve(&self.request).map_err(refused)?;
        let warnings = reserved.warnings.iter().map(ToString::to_string).collect();
        let (stored, beside) = match reserved.reservation {
            Reservation::Done(stored) => (stored, None),
            Reservation::New | Reservation::Unfinished => match compute() {
                Ok((bytes, beside)) => {
                    let stored = self.ledger.finish(&self.request.id, &bytes).map_err(refused)?;
                    // Another process may have been first: then its result is shown.
                    (stored, Some(beside))
                }
                Err(error @ Refusal::Interrupted { .. }) => return Err(error),
                Err(error) => {
                    let message = "it could not be computed from its data";
                    self.ledger.fail(&self.request.id, message).map_err(refused)?;
                    return Err(Refusal::usage(
                        format!(
                            "{error}; the release stays charged, since its failure tells something about the data"
                        ),
                        "check the data before the next release, which needs another id and is charged again",
                    ));
                }
            },
        };
        let (head, again) = (stored.head, !stored.is_new);
        let bytes = shown(stored.outcome, stored.bytes)?;
        let entered = self.entered(head, again)?;
        Ok(Shown { bytes, entered, warnings, beside: beside.filter(|_| !again) })
    }

    /// What is left of the dataset's budget, and what the ledger says of this release.
    fn entered(&self, head: Head, again: bool) -> Result<Entered, Refusal> {
        let budget = self.budget()?;
        Ok(Entered {
            path: self.path.clone(),
            id: self.request.id.clone(),
            dataset: self.request.dataset.clone(),
            analyst: self.request.analyst.clone(),
            head: head.to_string(),
            again,
            measure: budget.measure.quantity(),
            spent: Number::at_most(&budget.spent, DIGITS),
            left: Number::at_least(&budget.left, DIGITS),
            is_analysts: budget.analyst.is_some(),
            has_delta: !budget.spent_delta.is_zero(),
        })
    }

    /// The budget of the dataset, or of the analyst within it.
    fn budget(&self) -> Result<Budget, Refusal> {
        let mine = |budget: &Budget| {
            budget.dataset == self.request.dataset && budget.analyst == self.request.analyst
        };
        let whole = |budget: &Budget| budget.dataset == self.request.dataset && budget.analyst.is_none();
        let budgets = self.ledger.budgets().map_err(refused)?;
        let found = budgets
            .iter()
            .find(|budget| mine(budget))
            .or_else(|| budgets.iter().find(|budget| whole(budget)));
        found.cloned().ok_or_else(|| refused(Error::UnknownDataset { dataset: self.request.dataset.clone() }))
    }

    /// What the ledger leaves, in words; nothing is charged.
    pub(crate) fn outlook(&self) -> Result<Outlook, Refusal> {
        let budget = self.budget()?;
        let asked = self.request.charge.amount_in(budget.measure);
        let (was_charged, refusal) = match self.ledger.preview(&self.request) {
            Ok(was_charged) => (was_charged, None),
            Err(
                error @ (Error::Exceeded { .. }
                | Error::NoPureLoss { .. }
                | Error::IdTaken { .. }
                | Error::OtherNeighbours { .. }),
            ) => (false, Some(error.to_string())),
            Err(error) => return Err(refused(error)),
        };
        Ok(Outlook {
            dataset: budget.dataset.clone(),
            measure: budget.measure.quantity(),
            left: Number::at_least(&budget.left, DIGITS),
            asked: asked.map(|asked: Exact| Number::at_most(&asked, DIGITS)),
            was_charged,
            fits: refusal.is_none(),
            refusal,
        })
    }
}

/// Whether a release would fit into a budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Outlook {
    /// The dataset.
    pub dataset: String,
    /// `epsilon` or `rho`.
    pub measure: &'static str,
    /// What is left of the budget.
    pub left: Number,
    /// What the release would cost in that measure; `None` if it has no finite cost there.
    pub asked: Option<Number>,
    /// Whether this very release was charged before, so that it costs nothing more.
    pub was_charged: bool,
    /// Whether it fits.
    pub fits: bool,
    /// Why the ledger would refuse it, if it does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

impl Outlook {
    /// In words.
    pub fn text(&self) -> String {
        let left = decimal(self.left.lower(), DIGITS, Rounding::Down);
        let symbol = if self.measure == "epsilon" { "ε" } else { "ρ" };
        if self.was_charged {
            return format!(
                "was charged before, and costs nothing more; {symbol} = {left} is left for {}",
                self.dataset
            );
        }
        match (&self.refusal, &self.asked) {
            (Some(refusal), _) => {
                format!("does not fit: {refusal}; {symbol} = {left} is left for {}", self.dataset)
            }
            (None, Some(asked)) => {
                format!("fits: {symbol} = {asked} of the {left} that is left for {}", self.dataset)
            }
            (None, None) => format!("fits; {symbol} = {left} is left for {}", self.dataset),
        }
    }
}

fn shown(outcome: Outcome, bytes: Vec<u8>) -> Result<Vec<u8>, Refusal> {
    match outcome {
        Outcome::Result => Ok(bytes),
        Outcome::Failure => Err(Refusal::usage(
            format!("this release failed before, and stays charged: {}", String::from_utf8_lossy(&bytes)),
            "mend the data, and release under another id, which is charged again",
        )),
    }
}

/// Opens a ledger that exists.
pub(crate) fn open(path: &Path, force_network: bool) -> Result<Ledger, Refusal> {
    let usual = Options::default();
    let options = if force_network { usual.forcing_network() } else { usual };
    Ledger::open(path, &options).map_err(refused)
}

/// A text that changes when the files change: of their names, sizes and times, not of their contents, which could be guessed.
fn fingerprint(files: &[PathBuf]) -> Option<String> {
    if files.is_empty() {
        return None;
    }
    let mut text = String::new();
    for path in files {
        let metadata = std::fs::metadata(path).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        text.push_str(&format!("{} {} {}\n", path.display(), metadata.len(), modified.as_nanos()));
    }
    Some(format!("sha256 of names, sizes and times: {}", Digest::of(text.as_bytes())))
}

/// What a ledger refuses.
pub(crate) fn refused(error: Error) -> Refusal {
    let hint = match &error {
        Error::Missing { .. } => "create it: lastbit budget create LEDGER --dataset NAME --epsilon E",
        Error::UnknownDataset { .. } => "declare it: lastbit budget create LEDGER --dataset NAME --epsilon E",
        Error::DatasetExists { .. } => "lastbit budget limit LEDGER --dataset NAME --epsilon E",
        Error::Exceeded { .. } => {
            "ask for less, or let the owner of the data set another limit: lastbit budget limit"
        }
        Error::IdTaken { .. } => "give the release another id; it is charged then",
        Error::NoPureLoss { .. } => {
            "use Laplace noise and the measure pure, or let the owner set a limit in rho"
        }
        Error::Network { .. } => "put it on a local disk, or force it if only one machine ever uses it",
        Error::OtherNeighbours { .. } => {
            "losses add only for the same unit: name it as the dataset's declaration does, or declare another dataset"
        }
        _ => "lastbit budget --help has examples",
    };
    Refusal::usage(error.to_string(), hint)
}
