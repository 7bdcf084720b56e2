//! What is asked of the ledger, and which names it takes.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::entry::as_json;
use crate::error::Difference;
use crate::{Charge, Digest, Error};

/// A release that is to be charged.
///
/// It goes into the ledger as it is, so everything in it must be public: a description of the release, never a value of the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    /// The name of the release: the ledger charges it once, however often it is asked for.
    pub id: String,
    /// The hash of all that determines what is computed, but for the data: of a spec in a canonical form.
    pub spec: Digest,
    /// The dataset that it is about, as its owner declared it.
    pub dataset: String,
    /// The person who asks, if budgets are kept by analyst.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analyst: Option<String>,
    /// What neighbouring data differ in, in the words of the dataset's declaration.
    pub neighbours: String,
    /// What it costs.
    pub charge: Charge,
    /// The claim that will be shown with the result, as JSON. It is stored and given back, and not looked into.
    #[serde(serialize_with = "as_json")]
    pub claim: String,
    /// A text that changes when the input files change, such as their paths, sizes and times; a change gives a warning. A plain hash of the
    /// contents is better avoided: whoever reads the ledger could test guesses of small data against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// What stands for the neighbours of a dataset whose first release settles them.
pub(crate) const BY_FIRST_RELEASE: &str = "as the first release says";

/// The longest name of a dataset, an analyst or a release.
const LONGEST_NAME: usize = 128;

/// The longest free text.
const LONGEST_TEXT: usize = 500;

/// The longest claim.
const LONGEST_CLAIM: usize = 1 << 20;

impl Request {
    /// Refuses what the ledger does not take.
    pub(crate) fn check(&self) -> Result<(), Error> {
        check_name("the id of a release", &self.id)?;
        check_name("the name of a dataset", &self.dataset)?;
        self.analyst.iter().try_for_each(|analyst| check_name("the name of an analyst", analyst))?;
        check_text("the description of neighbours", &self.neighbours)?;
        self.fingerprint.iter().try_for_each(|text| check_text("the fingerprint", text))?;
        let bad_claim = |reason| Err(Error::BadClaim { most: LONGEST_CLAIM, reason });
        if self.claim.len() > LONGEST_CLAIM {
            return bad_claim(format!("it has {}", self.claim.len()));
        }
        match serde_json::from_str::<&RawValue>(&self.claim) {
            Ok(_) => Ok(()),
            Err(error) => bad_claim(error.to_string()),
        }
    }

    /// What differs in a release that was charged under the same id. The claim may: it is made from the spec, perhaps in newer words.
    pub(crate) fn differences(&self, charged: &Request) -> Vec<Difference> {
        let differs = [
            (self.spec != charged.spec, Difference::Specification),
            (self.dataset != charged.dataset, Difference::Dataset),
            (self.analyst != charged.analyst, Difference::Analyst),
            (self.neighbours != charged.neighbours, Difference::Neighbours),
            (self.charge != charged.charge, Difference::Charge),
        ];
        differs.into_iter().filter_map(|(differs, what)| differs.then_some(what)).collect()
    }
}

/// Refuses a name that is empty, long, or has other characters than those that are safe in shells, file names and tables.
pub(crate) fn check_name(what: &'static str, name: &str) -> Result<(), Error> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-:/@+".contains(&byte);
    if name.is_empty() || name.len() > LONGEST_NAME {
        let reason = format!("must have 1 to {LONGEST_NAME} characters, but has {}", name.len());
        return Err(Error::Name { what, reason });
    }
    if !name.bytes().all(is_allowed) || !name.as_bytes()[0].is_ascii_alphanumeric() {
        let reason =
            "must begin with a letter or digit and have only letters and digits of ASCII and . _ - : / @ +";
        return Err(Error::Name { what, reason: reason.to_owned() });
    }
    Ok(())
}

/// Refuses a text that is empty, long, or not on one line.
pub(crate) fn check_text(what: &'static str, text: &str) -> Result<(), Error> {
    if text.trim().is_empty() || text.len() > LONGEST_TEXT || text.chars().any(char::is_control) {
        let reason = format!("must be a text of 1 to {LONGEST_TEXT} bytes on one line");
        return Err(Error::Name { what, reason });
    }
    Ok(())
}
