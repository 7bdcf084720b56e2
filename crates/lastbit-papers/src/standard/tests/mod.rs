//! The list is complete and says what the texts say; variants are what they claim to be.

mod losses;
mod texts;

use lastbit_lang::ast::{ClauseKind, Shape};
use lastbit_lang::{Reading, expression_text, format, parse};

use super::variants::extract;
use super::{ALL, Expected, Standard, VariantError, variants};

#[test]
fn files_are_listed_whole_and_in_canonical_layout() {
    let mut listed: Vec<&str> = ALL.iter().map(|standard| standard.name).collect();
    let mut files: Vec<&str> = ALL.iter().map(|standard| standard.file).collect();
    files.dedup();
    let mut declared = Vec::new();
    for text in files {
        let (file, messages) = parse(text);
        assert!(messages.is_empty(), "{messages:?}");
        assert_eq!(format(&file), text);
        declared.extend(file.declarations.into_iter().map(|declaration| declaration.name.text));
    }
    listed.sort_unstable();
    declared.sort_unstable();
    assert_eq!(listed, declared);
}

#[test]
fn every_program_has_its_clauses_and_no_proof() {
    for standard in ALL {
        let file = extract(standard.file, standard.name).unwrap();
        let declaration = &file.declarations[0];
        assert_eq!(declaration.parameters().next().unwrap().name.text, "eps", "{}", standard.name);
        let is_adjacent = |kind: &ClauseKind| matches!(kind, ClauseKind::Adjacent(..));
        assert!(declaration.clauses.iter().any(|clause| is_adjacent(&clause.kind)), "{}", standard.name);
        for argument in &declaration.arguments {
            if let Shape::Array(length) = argument.ty.shape {
                let length: u32 = expression_text(&file, length, Reading::Real).parse().unwrap();
                assert!(length >= 5, "{}", standard.name);
            }
        }
        let (whole, _) = parse(standard.file);
        assert!(whole.declaration(standard.name).unwrap().proofs.is_empty());
    }
}

#[test]
fn a_claim_is_the_cost_exactly_if_it_is_true() {
    for standard in ALL {
        let file = extract(standard.file, standard.name).unwrap();
        let claim = file.declarations[0].clauses.iter().find_map(|clause| match clause.kind {
            ClauseKind::ClaimPure(Some(loss)) => Some(expression_text(&file, loss, Reading::Real)),
            _ => None,
        });
        let is_true = claim.as_deref() == Some(standard.cost);
        assert_eq!(is_true, standard.expected == Expected::Proved, "{}", standard.name);
    }
}

#[test]
fn names_are_found() {
    assert_eq!(Standard::named("svt_6").unwrap().expected, Expected::Refuted);
    assert_eq!(Standard::named("svt_7"), None);
}

#[test]
fn refusals() {
    let text = "mechanism m(x: real) -> real { s <$ sign;  return s * x }";
    assert_eq!(variants::halved(text, "m"), Err(VariantError::Noiseless("m".to_owned())));
    assert_eq!(variants::renamed(text, "n"), Err(VariantError::Unknown("n".to_owned())));
    let wrong = variants::reordered("mechanism m(x: real) -> real { return y }", "m");
    assert_eq!(wrong.unwrap_err().to_string(), "the text is not well formed: unknown name `y`");
}
