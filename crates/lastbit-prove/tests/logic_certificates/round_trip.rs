//! What is written is read back, and holds.

use lastbit_lang::parse;
use lastbit_lang::symbolic::Program;
use lastbit_prove::logic::certificate::{only_used, read, to_json};
use lastbit_prove::logic::search::search;

use super::proved::{certificates, texts};

#[test]
fn every_mechanism_that_is_proved_has_a_certificate() {
    let names: Vec<&str> = certificates().iter().map(|c| c.declaration.as_str()).collect();
    assert_eq!(names.len(), 25, "{names:?}");
    for certificate in certificates() {
        let theorem =
            certificate.check().unwrap_or_else(|error| panic!("{}: {error}", certificate.declaration));
        assert_eq!(theorem.claim.as_ref(), Some(&theorem.cost), "{}", certificate.declaration);
    }
}

#[test]
fn reading_gives_back_what_was_written() {
    for certificate in certificates() {
        let (text, name, values) = (&certificate.text, &certificate.declaration, &certificate.values);
        let again = to_json(text, name, values, &certificate.proof).to_string();
        assert_eq!(read(&again).as_ref(), Ok(certificate), "{name}");
    }
}

#[test]
fn lemmas_that_are_not_needed_are_left_out() {
    for (text, name) in texts().iter().filter(|(_, name)| name == "snap" || name == "above_threshold") {
        let (file, _) = parse(text);
        let program = Program::new(&file, &file.declarations[0], &Default::default()).expect("it runs");
        let (proof, _) = search(&program).expect("it runs").proved.expect("it is proved");
        let mut more = proof.clone();
        more.lemmas.extend(super::proved::certificate("histogram").proof.lemmas.clone());
        let slim = only_used(&program, &more).expect("it holds");
        assert!(slim.lemmas.len() <= proof.lemmas.len(), "{name}");
        assert_eq!(slim.lemmas, only_used(&program, &slim).expect("it holds").lemmas, "{name}");
    }
}
