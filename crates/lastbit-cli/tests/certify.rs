//! `lastbit certify`.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use common::{lastbit, output, stderr, stdout};

/// A folder for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("lastbit-certify-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    /// What `lastbit prove` certifies.
    fn certificate(&self, arguments: &str) -> PathBuf {
        let path = self.0.join("certificate.json");
        let said =
            output(lastbit("prove").args(arguments.split_whitespace()).arg("--certificate").arg(&path));
        assert!(said.status.success(), "{}", stderr(&said));
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn certify(path: &Path, arguments: &str) -> Output {
    output(lastbit("certify").arg(path).args(arguments.split_whitespace()))
}

const RESPONSE: &str = "../../mechanisms/randomized_response.lb";
const SNAPPING: &str = "../../mechanisms/snapping_f64.lb --epsilon 1 --bound 340";
const KERNEL: &str = "../../examples/kernels.fpcore --program logistic --effort 2";

/// Whether Coq can be asked; if not, it is said, past what the test harness keeps to itself.
fn coq_is_here(path: &Path) -> bool {
    let is_here = certify(path, "--run").status.code() != Some(3);
    if !is_here {
        use std::io::Write;
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no coqc, or coq/ is not compiled: {} was not checked by Coq",
            path.display()
        );
    }
    is_here
}

/// What is wrong is refused by `lastbit check` and by Coq, and what is right is accepted.
fn both_judge(name: &str, proved: &str, wrong: &[(&str, &str)]) {
    let folder = Folder::new(name);
    let certificate = folder.certificate(proved);
    let coq = coq_is_here(&certificate);
    if coq {
        let said = certify(&certificate, "--run");
        assert_eq!(said.status.code(), Some(0), "{}", stdout(&said));
        assert!(stdout(&said).ends_with("ACCEPTED by Coq\n"));
    }
    let text = fs::read_to_string(&certificate).unwrap();
    for (from, to) in wrong {
        assert!(text.contains(from), "{from} in {text}");
        let changed = folder.0.join("changed.json");
        fs::write(&changed, text.replace(from, to)).unwrap();
        assert_eq!(output(lastbit("check").arg(&changed)).status.code(), Some(1), "{to}");
        if coq {
            let said = certify(&changed, "--run");
            assert_eq!(said.status.code(), Some(1), "{to}: {}{}", stdout(&said), stderr(&said));
            assert!(stdout(&said).contains("REJECTED by Coq"));
        }
    }
}

#[test]
fn error_bounds() {
    let folder = Folder::new("claim");
    let text = fs::read_to_string(folder.certificate(KERNEL)).unwrap();
    let claim = text.split("\"error\":\"").nth(1).unwrap().split('"').next().unwrap();
    let (mantissa, exponent) = claim.split_once('p').unwrap();
    let smaller = format!("\"error\":\"{}p{exponent}\"", mantissa.parse::<i64>().unwrap() - 2);
    both_judge("errors", KERNEL, &[(&format!("\"error\":\"{claim}\""), &smaller)]);
}

#[test]
fn losses() {
    // A loss of exactly 1 is what the ideal mechanism has.
    let folder = Folder::new("loss");
    let text = fs::read_to_string(folder.certificate(SNAPPING)).unwrap();
    let loss = text.split("\"loss\":\"").nth(1).unwrap().split('"').next().unwrap();
    both_judge("losses", SNAPPING, &[(loss, "1"), ("\"sensitivity\":\"1\"", "\"sensitivity\":\"2\"")]);
}

#[test]
fn finite_mechanisms() {
    both_judge("finite", RESPONSE, &[("(exp(eps) + 1)", "(exp(eps) + 2)")]);
}

#[test]
fn files_are_written_and_results_are_json() {
    let folder = Folder::new("files");
    let certificate = folder.certificate("../../examples/kernels.fpcore --program snapping-core --effort 1");
    let [coq, gappa] = ["core.v", "core.g"].map(|name| folder.0.join(name));
    let mut command = lastbit("certify --json");
    let said = output(command.arg(&certificate).arg("--coq").arg(&coq).arg("--gappa").arg(&gappa));
    assert!(said.status.success(), "{}", stderr(&said));
    let value: serde_json::Value = serde_json::from_str(stdout(&said)).unwrap();
    assert_eq!(value["accepted"], serde_json::Value::Null);
    assert!(fs::read_to_string(&coq).unwrap().contains("\nTheorem snapping_core (lib : libm 53 1024)"));
    assert!(fs::read_to_string(&gappa).unwrap().contains("| <= 17b-43 }"));
    // The same to standard output.
    let said = certify(&certificate, "--coq -");
    assert_eq!(stdout(&said), fs::read_to_string(&coq).unwrap());
}

#[test]
fn without_the_library_nothing_is_said_to_be_checked() {
    let folder = Folder::new("missing");
    let certificate = folder.certificate(RESPONSE);
    let said = output(lastbit("certify --run --library").arg(&folder.0).arg(&certificate));
    assert_eq!(said.status.code(), Some(3));
    assert!(stderr(&said).contains("NOT CHECKED: the library in"), "{}", stderr(&said));
    assert_eq!(stdout(&said), "");
}

#[test]
fn what_can_not_be_written_is_refused() {
    let folder = Folder::new("refused");
    let certificate = folder.certificate("../../mechanisms/laplace.lb");
    let said = certify(&certificate, "--coq -");
    assert_eq!((said.status.code(), stdout(&said)), (Some(2), ""));
    assert!(stderr(&said).contains("can not be written for Coq"), "{}", stderr(&said));
    let said = certify(&certificate, "--gappa -");
    assert!(stderr(&said).contains("is not an error certificate"), "{}", stderr(&said));
    let said = certify(&certificate, "");
    assert!(stderr(&said).contains("nothing to do"), "{}", stderr(&said));
    let said = certify(Path::new("Cargo.toml"), "--run");
    assert_eq!(said.status.code(), Some(2));
    assert!(stderr(&said).contains("is not a certificate"), "{}", stderr(&said));
}
