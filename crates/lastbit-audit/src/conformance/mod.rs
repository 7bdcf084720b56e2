//! Files of exact values, recomputed.
//!
//! A conformance file lists cases (parameters, and what comes out of them to the last digit), so that implementations can be
//! compared that share no code; `docs/conformance.md` has the schema. [`check`] recomputes every value of a file, [`emit`]
//! writes one.

mod emit;
mod fields;
mod recompute;

use lastbit_real::{IBig, Rational};
use serde::Serialize;
use serde_json::Value;

pub use emit::{EmitError, Emitted, emit};
pub use fields::FieldError;
pub use recompute::recompute;

/// What is for people, and not compared.
const NOT_COMPARED: [&str; 4] = ["id", "note", "approx", "reached_from_f_by"];
/// The version of the schema that is understood.
const SCHEMA_VERSION: u64 = 1;

/// The reason why a file cannot be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConformanceError {
    /// The file is not JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// A field is missing, or is not what it should be.
    #[error("{0}")]
    Field(#[from] FieldError),
}

/// A value that is not what was recomputed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The place in the case, such as `outputs[3].p_f`.
    pub path: String,
    /// The value in the file; `None` if it is missing.
    pub file: Option<String>,
    /// The recomputed value; `None` if there is no such field.
    pub recomputed: Option<String>,
}

/// The result of checking a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CheckedCase {
    /// Its `id`, or its place.
    pub id: String,
    /// The kind.
    pub kind: String,
    /// The number of values that were compared.
    pub values: usize,
    /// Those that differ.
    pub mismatches: Vec<Mismatch>,
}

/// Recomputes every case of a file; `visit` gets each when it is done, with the number of all.
///
/// # Errors
/// [`ConformanceError`] if the file is not in the schema, with the place.
pub fn check(
    text: &str,
    mut visit: impl FnMut(&CheckedCase, usize),
) -> Result<Vec<CheckedCase>, ConformanceError> {
    let file: Value = serde_json::from_str(text)?;
    let version = &file["schema_version"];
    if version.as_u64() != Some(SCHEMA_VERSION) {
        return Err(FieldError::new("schema_version", version, "it must be 1").into());
    }
    let cases = fields::array(&file, "cases")?;
    if let Some(declared) = file.get("n_cases")
        && declared.as_u64() != Some(cases.len() as u64)
    {
        return Err(FieldError::new("n_cases", declared, "it is not the number of cases").into());
    }
    let mut checked = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        let id = case["id"].as_str().map_or_else(|| format!("cases[{i}]"), str::to_owned);
        let recomputed = recompute(case).map_err(|error| error.within(&id))?;
        let mut result = CheckedCase {
            kind: case["kind"].as_str().unwrap_or_default().to_owned(),
            values: 0,
            mismatches: Vec::new(),
            id,
        };
        result.compare(case, &recomputed, "");
        visit(&result, cases.len());
        checked.push(result);
    }
    Ok(checked)
}

impl CheckedCase {
    fn compare(&mut self, file: &Value, recomputed: &Value, path: &str) {
        match (file, recomputed) {
            (Value::Object(file), Value::Object(recomputed)) => {
                for (name, value) in file {
                    if !NOT_COMPARED.contains(&name.as_str()) {
                        self.compare_optional(Some(value), recomputed.get(name), &join(path, name));
                    }
                }
                for (name, value) in recomputed {
                    if !file.contains_key(name) {
                        self.compare_optional(None, Some(value), &join(path, name));
                    }
                }
            }
            (Value::Array(file), Value::Array(recomputed)) => {
                for i in 0..file.len().max(recomputed.len()) {
                    self.compare_optional(file.get(i), recomputed.get(i), &format!("{path}[{i}]"));
                }
            }
            _ => {
                self.values += 1;
                if file != recomputed && !(path.ends_with(".ln_ratio") && is_rounded_off(file, recomputed)) {
                    self.mismatch(Some(file), Some(recomputed), path);
                }
            }
        }
    }

    fn compare_optional(&mut self, file: Option<&Value>, recomputed: Option<&Value>, path: &str) {
        match (file, recomputed) {
            (Some(file), Some(recomputed)) => self.compare(file, recomputed, path),
            _ => self.mismatch(file, recomputed, path),
        }
    }

    fn mismatch(&mut self, file: Option<&Value>, recomputed: Option<&Value>, path: &str) {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let [file, recomputed] = [file, recomputed].map(|value| value.map(text));
        self.mismatches.push(Mismatch { path: path.to_owned(), file, recomputed });
    }
}

/// Whether the file has 0 for a ratio so near to 1 that the probabilities agree in the digits that are printed: files may be
/// made with as many digits.
fn is_rounded_off(file: &Value, recomputed: &Value) -> bool {
    let ratio = recomputed.as_str().and_then(|text| text.parse::<Rational>().ok());
    let negligible = Rational::new(1, IBig::from(10).pow(40)).expect("a positive number");
    file.as_str() == Some("0") && ratio.is_some_and(|ratio| ratio.abs() < negligible)
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
