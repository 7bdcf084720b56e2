//! `lastbit check` of privacy certificates.

use std::path::Path;
use std::process::{Command, Output};
use std::{env, fs, process};

use lastbit_lang::parse;
use lastbit_lang::symbolic::Program;
use lastbit_prove::logic::{certificate, search::search};

const SNAPPING: &str = "../../mechanisms/snapping.lb";

fn check(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lastbit")).arg("check").args(arguments).output().expect("it runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_privacy_certificate_is_checked() {
    let text = fs::read_to_string(SNAPPING).expect("it ships");
    let (file, _) = parse(&text);
    let values = Default::default();
    let program = Program::new(&file, &file.declarations[0], &values).expect("it runs on symbols");
    let (proof, _) = search(&program).expect("it runs on symbols").proved.expect("it is proved");
    let written = certificate::to_json(&text, "snap", &values, &proof).to_string();
    let folder = env::temp_dir().join(format!("lastbit-check-privacy-{}", process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str, contents: &str| {
        let path = folder.join(name);
        fs::write(&path, contents).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };

    let good = path("good.json", &written);
    let output = check(&[&good, "--program", SNAPPING]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("good.json: ACCEPTED: snap: eps-DP (pure, cost eps), for all eps > 0, "), "{said}");
    let json: serde_json::Value = serde_json::from_str(&stdout(&check(&[&good, "--json"]))).expect("JSON");
    assert_eq!(json[0]["kind"], "privacy");
    assert_eq!((&json[0]["cost"], &json[0]["claim"]), (&"eps".into(), &"eps".into()));

    let other = path("other.lb", &text.replace("<= 1", "<= 2"));
    let output = check(&[&good, "--program", &other]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("`adjacent |x<1> - x<2>| <= 1` in the certificate"), "{said}");

    let forged = path("forged.json", &written.replace("<= 1", "<= 2"));
    assert_eq!(check(&[&forged]).status.code(), Some(1));
    let later = path("later.json", &written.replace("\"version\":1", "\"version\":2"));
    assert_eq!(check(&[&later]).status.code(), Some(2));
    assert!(Path::new(&good).exists());
    fs::remove_dir_all(&folder).expect("the folder is removed");
}
