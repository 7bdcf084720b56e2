//! The Coq sources that certificates stand on, as they were when this program was built.

use std::fs;
use std::path::Path;

/// A file of `coq/`.
pub(super) struct Module {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

macro_rules! modules {
    ($($name:literal),* $(,)?) => {
        &[$(Module { name: $name, text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/coq/", $name, ".v")) }),*]
    };
}

/// What [`ROOTS`] need, each after what it needs itself.
pub(super) const MODULES: &[Module] = modules![
    "Dyadic",
    "Nearest",
    "ExpSeries",
    "Enclosure",
    "RealRules",
    "Rounding",
    "Judgement",
    "Snapping",
    "Program",
    "Libm",
    "RulesExact",
    "RulesRounded",
    "RulesLibrary",
    "Rules",
    "Linear",
    "Boxes",
    "ErrorCertificate",
    "Double",
    "FloatSum",
    "FloatCell",
    "FloatNoise",
    "FloatLn",
    "Lengths",
    "FloatSnap",
    "FloatSnapBinary",
    "SnapProgram",
    "LossCertificate",
    "Relational",
    "Finite",
    "FiniteTactics",
    "Handelman",
    "Ideal",
    "EventTactics",
];

/// What the files of certificates require, one for each kind.
pub(super) const ROOTS: [&str; 4] = ["ErrorCertificate", "LossCertificate", "FiniteTactics", "EventTactics"];

impl Module {
    pub(super) fn source(&self) -> String {
        format!("{}.v", self.name)
    }

    pub(super) fn compiled(&self) -> String {
        format!("{}.vo", self.name)
    }

    /// The names in `From Lastbit Require Import A B.`
    pub(super) fn requires(&self) -> impl Iterator<Item = &'static str> {
        let lines = self.text.lines().filter_map(|line| line.strip_prefix("From Lastbit Require "));
        let words = lines.flat_map(|line| line.trim_end().trim_end_matches('.').split_whitespace());
        words.filter(|word| !["Import", "Export"].contains(word))
    }
}

/// Whether the sources in a directory are these.
pub(super) fn are_in(directory: &Path) -> bool {
    let is_same = |module: &Module| {
        fs::read(directory.join(module.source())).is_ok_and(|text| text == module.text.as_bytes())
    };
    MODULES.iter().all(is_same)
}

/// Tells sources and compilers apart: FNV-1a of all of it.
pub(super) fn fingerprint(compiler: &str) -> u64 {
    let parts = MODULES.iter().flat_map(|module| [module.name, module.text]).chain([compiler]);
    // No source has a zero byte, which keeps the parts apart.
    let bytes = parts.flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn all_that_is_needed_is_here_and_nothing_else() {
        let mut known = BTreeSet::new();
        for module in MODULES {
            for needed in module.requires() {
                assert!(
                    known.contains(needed),
                    "{} needs {needed}, which does not come before it",
                    module.name
                );
            }
            assert!(known.insert(module.name), "{} twice", module.name);
        }
        let needed: BTreeSet<&str> = MODULES.iter().flat_map(Module::requires).chain(ROOTS).collect();
        assert_eq!(known, needed);
        assert_eq!(MODULES.iter().filter(|module| module.text.contains('\0')).count(), 0);
    }

    /// A sentence that is written in another way would be overlooked.
    #[test]
    fn sentences_that_require_are_lines() {
        for module in MODULES {
            let sentences = module.text.matches("Lastbit Require").count();
            let lines = module.text.lines().filter(|line| {
                line.starts_with("From Lastbit Require ")
                    && line.ends_with('.')
                    && line.matches('.').count() == 1
            });
            assert_eq!(lines.count(), sentences, "{}", module.name);
            assert!(!module.text.contains("Require Import Lastbit"), "{}", module.name);
        }
    }

    #[test]
    fn the_project_has_them_all() {
        let project = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/coq/_CoqProject"));
        let listed: BTreeSet<&str> = project.lines().filter_map(|line| line.strip_suffix(".v")).collect();
        let missing: Vec<&str> =
            MODULES.iter().map(|module| module.name).filter(|name| !listed.contains(name)).collect();
        assert_eq!(missing, [""; 0]);
    }
}
