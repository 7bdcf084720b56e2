//! `lastbit certify`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Mutex;

use crate::common::{lastbit, output, stderr, stdout};
use lastbit_real::Rational;

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

/// The library of this project, if `coq/check` has compiled it; `LASTBIT_COQ` names another, or none.
fn compiled_library() -> PathBuf {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../coq");
    std::env::var_os("LASTBIT_COQ").map_or(project, PathBuf::from)
}

/// `certify --run` with that library.
fn run_with_project(path: &Path) -> Output {
    output(lastbit("certify --run --library").arg(compiled_library()).arg(path))
}

const RESPONSE: &str = "../../mechanisms/randomized_response.lb";
const SNAPPING: &str = "../../mechanisms/snapping_f64.lb --epsilon 1 --bound 340";
const KERNEL: &str = "../../examples/kernels.fpcore --program logistic --effort 2";

/// Whether Coq can be asked; if not, it is said, past what the test harness keeps to itself.
fn coq_is_here(what: &str) -> bool {
    let has_coqc = std::process::Command::new("coqc").arg("--version").output().is_ok();
    let is_here = has_coqc && compiled_library().join("LossCertificate.vo").is_file();
    if !is_here {
        use std::io::Write;
        let reason = "no coqc, or coq/ is not compiled";
        let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}: {what} was not checked by Coq");
    }
    is_here
}

/// What is wrong is refused by `lastbit check` and by Coq, and what is right is accepted.
fn both_judge(name: &str, proved: &str, wrong: &[(&str, &str)]) {
    let folder = Folder::new(name);
    let certificate = folder.certificate(proved);
    let coq = coq_is_here(name);
    if coq {
        let said = run_with_project(&certificate);
        assert_eq!(said.status.code(), Some(0), "{}{}", stdout(&said), stderr(&said));
        assert!(stdout(&said).contains(": ACCEPTED by Coq\n  it assumes "), "{}", stdout(&said));
    }
    let text = fs::read_to_string(&certificate).unwrap();
    for (from, to) in wrong {
        assert!(text.contains(from), "{from} in {text}");
        let changed = folder.0.join("changed.json");
        fs::write(&changed, text.replace(from, to)).unwrap();
        assert_eq!(output(lastbit("check").arg(&changed)).status.code(), Some(1), "{to}");
        if coq {
            let said = run_with_project(&changed);
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
    let folder = Folder::new("loss");
    let text = fs::read_to_string(folder.certificate(SNAPPING)).unwrap();
    let loss = text.split("\"loss\":\"").nth(1).unwrap().split('"').next().unwrap();
    // The claim is stated exactly: a little less is refused by both. And a loss of 1 is what the ideal mechanism has.
    let exact: Rational = loss.parse().unwrap();
    let less = (exact - Rational::pow2(-70)).to_string();
    both_judge("losses", SNAPPING, &[(loss, less.as_str()), (loss, "1")]);
    // What is lost at a distance of 1 is not enough at a distance of 2.
    let farther = format!("{SNAPPING} --sensitivity 2");
    let text = fs::read_to_string(Folder::new("farther").certificate(&farther)).unwrap();
    let own = text.split("\"loss\":\"").nth(1).unwrap().split('"').next().unwrap();
    both_judge("distances", &farther, &[(own, loss)]);
}

/// What stands beside the text is what the text says: `u` is every double that the sampler draws, and it is drawn.
#[test]
fn a_loss_is_about_its_text() {
    let folder = Folder::new("uniform");
    let certificate = folder.certificate(SNAPPING);
    let text = fs::read_to_string(&certificate).unwrap();
    for (field, value) in [("lo", "1/4"), ("hi", "3/4"), ("role", "argument")] {
        let mut forged: serde_json::Value = serde_json::from_str(&text).unwrap();
        let u = &mut forged["statement"]["program"]["inputs"][0];
        assert_eq!(u["name"], "u");
        u[field] = value.into();
        fs::write(&certificate, forged.to_string()).unwrap();
        let said = certify(&certificate, "--coq -");
        assert_eq!((said.status.code(), stdout(&said)), (Some(2), ""), "{field}");
        assert!(stderr(&said).contains("the text says"), "{}", stderr(&said));
    }
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

/// The commands that make a copy of the compiled library, with one file of ours in place of another.
fn evil_library(folder: &Folder, name: &str, text: &str) -> PathBuf {
    let library = folder.0.join("coq");
    fs::create_dir_all(&library).unwrap();
    for entry in fs::read_dir(compiled_library()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "vo") {
            fs::copy(&path, library.join(path.file_name().unwrap())).unwrap();
        }
    }
    fs::copy(compiled_library().join("ErrorCertificate.v"), library.join("ErrorCertificate.v")).unwrap();
    let source = library.join(format!("{name}.v"));
    fs::write(&source, text).unwrap();
    let compiled = output(
        std::process::Command::new("coqc").current_dir(&library).args(["-Q", ".", "Lastbit"]).arg(&source),
    );
    assert!(compiled.status.success(), "{}", stderr(&compiled));
    library
}

/// The certificate of a loss that is false.
fn false_loss(folder: &Folder) -> PathBuf {
    let certificate = folder.certificate(SNAPPING);
    let text = fs::read_to_string(&certificate).unwrap();
    let loss = text.split("\"loss\":\"").nth(1).unwrap().split('"').next().unwrap();
    fs::write(&certificate, text.replace(loss, "1")).unwrap();
    certificate
}

fn source(name: &str) -> String {
    fs::read_to_string(compiled_library().join(format!("{name}.v"))).unwrap()
}

/// The library that is part of the program, compiled once for all tests and runs of them.
fn run_pinned(path: &Path, folder: &Path) -> Output {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _compiles = ONE_AT_A_TIME.lock();
    let mut command = lastbit("certify --run");
    command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR")).env_remove("LASTBIT_COQ");
    // Where the environment might find other files of that name.
    command.env("COQPATH", folder).env("XDG_DATA_HOME", folder).env("XDG_DATA_DIRS", folder);
    output(command.current_dir(folder).arg(path))
}

/// A library with an axiom, used by a tactic: it is seen if it is named, and not used if it is not.
#[test]
fn an_axiom_in_a_library() {
    if !coq_is_here("a library with an axiom") {
        return;
    }
    let folder = Folder::new("axiom");
    let text = source("LossCertificate");
    let text = text.replace(
        "Ltac loss_numbers :=\n  first\n    [ lia",
        "Axiom bad : False.\nLtac loss_numbers := first [ exfalso; exact bad",
    );
    assert!(text.contains("exact bad"), "{text}");
    let library = evil_library(&folder, "LossCertificate", &text);
    let certificate = false_loss(&folder);
    for said in [
        output(lastbit("certify --run --library").arg(&library).arg(&certificate)),
        output(lastbit("certify --run").env("LASTBIT_COQ", &library).arg(&certificate)),
    ] {
        assert_eq!(said.status.code(), Some(1), "{}{}", stdout(&said), stderr(&said));
        assert!(
            stdout(&said).contains("assuming what may not be assumed: LossCertificate.bad\n"),
            "{}",
            stdout(&said)
        );
        assert!(stdout(&said).contains("its sources are NOT those of this lastbit"), "{}", stdout(&said));
    }
    let said = output(lastbit("certify --run --json --library").arg(&library).arg(&certificate));
    let value: serde_json::Value = serde_json::from_str(stdout(&said)).unwrap();
    assert_eq!(value["accepted"], false);
    assert_eq!(value["assumptions"]["others"], serde_json::json!(["LossCertificate.bad"]));
    assert_eq!(value["library"]["given"], true);
    assert_eq!(value["library"]["our_sources"], false);
    let said = run_pinned(&certificate, &folder.0);
    assert_eq!(said.status.code(), Some(1), "{}{}", stdout(&said), stderr(&said));
    assert!(stdout(&said).contains("No applicable tactic"), "{}", stdout(&said));
    assert!(stdout(&said).contains("library: lastbit's own"), "{}", stdout(&said));
}

/// An axiom by the name of one that is allowed, in a module by the name of its own.
#[test]
fn an_axiom_under_a_false_name() {
    if !coq_is_here("a library with a false name") {
        return;
    }
    let folder = Folder::new("name");
    evil_library(&folder, "Classical_Prop", "Axiom classic : False.\n");
    let text = source("LossCertificate");
    let text = text.replace(
        "Ltac loss_numbers :=\n  first\n    [ lia",
        "From Lastbit Require Classical_Prop.\nLtac loss_numbers := first [ exfalso; exact Lastbit.Classical_Prop.classic",
    );
    let library = evil_library(&folder, "LossCertificate", &text);
    let said = output(lastbit("certify --run --library").arg(&library).arg(false_loss(&folder)));
    assert_eq!(said.status.code(), Some(1), "{}{}", stdout(&said), stderr(&said));
    assert!(stdout(&said).contains("assuming what may not be assumed: "), "{}", stdout(&said));
}

/// Put in front of the tactics of the library: the words of the statement mean nothing, and theorems by the old names prove it.
const OTHER_MEANINGS: &str = "
Definition ratio_at_most (c : R) (M M' : R -> R -> option R) (e : R) : Prop := True.
Definition loss_bound (lib : libm 53 1024) (p : program) (result : positive)
  (inputs : float64 -> float64 -> float64 -> list float64) (Delta loss : R) : Prop := True.
Theorem certified_loss (choice : Z -> bool) (loss eps rho B d Delta near W Dn : R) (yF : R -> R) (k N j : Z) :
  eps = eps -> rho = rho -> d = d -> near = near -> W = W -> Dn = Dn -> N = N -> j = j ->
  forall f f' e, F f -> F f' -> Rabs (f - f') <= Delta ->
  ratio_at_most (exp loss) (snap choice yF (bpow radix2 k) B f) (snap choice yF (bpow radix2 k) B f') e.
Proof. intros; exact I. Qed.
Theorem program_loss (lib : libm 53 1024) (correct : correct_ln_and_grid lib) form (a b : bool) k t m e p result inputs Delta loss :
  0 = 0 -> 0 <= 1 -> 0 <= 1 -> 0 <= 1 -> 0 <= 1 ->
  (forall LN, correctly_rounded_ln LN -> forall f f' e', F f -> F f' -> Rabs (f - f') <= Delta ->
    ratio_at_most (exp loss)
      (snap (tie_up t) (noiseR form LN) (bpow radix2 k) (value m e) f)
      (snap (tie_up t) (noiseR form LN) (bpow radix2 k) (value m e) f') e') ->
  loss_bound lib p result inputs Delta loss.
Proof. intros; exact I. Qed.
";

/// A library that has another meaning for the words of a statement assumes nothing. It is not used unless it is named, and then the verdict
/// says so.
#[test]
fn another_meaning_in_a_library() {
    if !coq_is_here("a library with another statement") {
        return;
    }
    let folder = Folder::new("meaning");
    let text = source("LossCertificate");
    let tactic = "Ltac loss_numbers :=\n  first\n    [ ";
    assert!(text.contains(tactic), "{text}");
    let text = text.replace(tactic, &format!("{OTHER_MEANINGS}\n{tactic}reflexivity | "));
    let library = evil_library(&folder, "LossCertificate", &text);
    let certificate = false_loss(&folder);
    let said = output(lastbit("certify --run --library").arg(&library).arg(&certificate));
    assert_eq!(said.status.code(), Some(0), "{}{}", stdout(&said), stderr(&said));
    assert!(stdout(&said).contains("its sources are NOT those of this lastbit"), "{}", stdout(&said));
    fs::create_dir_all(folder.0.join("below")).unwrap();
    for place in [folder.0.clone(), folder.0.join("below"), folder.0.join("coq")] {
        let said = run_pinned(&certificate, &place);
        assert_eq!(said.status.code(), Some(1), "{}{}", stdout(&said), stderr(&said));
        assert!(stdout(&said).contains("library: lastbit's own"), "{}", stdout(&said));
    }
}

/// What is right is accepted with the library of the program, from anywhere.
#[test]
fn the_library_of_the_program() {
    if !coq_is_here("the library of the program") {
        return;
    }
    let folder = Folder::new("own");
    let certificate = folder.certificate(RESPONSE);
    let said = run_pinned(&certificate, &folder.0);
    assert_eq!(said.status.code(), Some(0), "{}{}", stdout(&said), stderr(&said));
    let assumed = "it assumes classic, functional_extensionality_dep, sig_forall_dec, sig_not_dec\n";
    assert!(stdout(&said).contains(assumed), "{}", stdout(&said));
}

const VACUOUS: &str = "
mechanism leaks(x: real) -> real
  param eps: real > 0, t: real
  adjacent |x<1> - x<2>| <= 1
  assume t > 1
  assume t < 0
  claim pure eps
{ return x }
";

#[test]
fn what_is_about_nothing_says_so() {
    let folder = Folder::new("vacuous");
    let text = folder.0.join("leaks.lb");
    fs::write(&text, VACUOUS).unwrap();
    let certificate = folder.certificate(text.to_str().unwrap());
    let vacuous = "VACUOUS: no two inputs satisfy what is declared about them";
    let said = output(lastbit("check").arg(&certificate));
    assert_eq!(said.status.code(), Some(0));
    assert!(stdout(&said).contains(&format!(": ACCEPTED, {vacuous}: leaks: eps-DP")), "{}", stdout(&said));
    let said = output(lastbit("check --json").arg(&certificate));
    let value: serde_json::Value = serde_json::from_str(stdout(&said)).unwrap();
    assert_eq!((&value[0]["accepted"], &value[0]["vacuous"]), (&true.into(), &true.into()));
    let said = certify(&certificate, "--coq -");
    assert!(stdout(&said).starts_with(&format!("(* {vacuous}. ")), "{}", stdout(&said));
    assert!(stderr(&said).contains(vacuous), "{}", stderr(&said));
    let file = folder.0.join("out.v");
    let said = output(lastbit("certify --json --coq").arg(&file).arg(&certificate));
    let value: serde_json::Value = serde_json::from_str(stdout(&said)).unwrap();
    assert_eq!(value["vacuous"], true);
    if coq_is_here("a theorem about nothing") {
        let said = run_with_project(&certificate);
        assert_eq!(said.status.code(), Some(0), "{}{}", stdout(&said), stderr(&said));
        assert!(stdout(&said).contains(&format!("ACCEPTED by Coq, {vacuous}\n")), "{}", stdout(&said));
    }
    // A mechanism that has neighbours is not called vacuous.
    let certificate = folder.certificate(RESPONSE);
    let said = output(lastbit("check --json").arg(&certificate));
    let value: serde_json::Value = serde_json::from_str(stdout(&said)).unwrap();
    assert_eq!(value[0]["vacuous"], false);
}

/// The words that leave something open are found anywhere in a line, and not in comments.
#[test]
fn open_proofs_are_found() {
    let folder = Folder::new("open");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../coq/open");
    let is_open = |text: &str| {
        let file = folder.0.join("Some.v");
        fs::write(&file, text).unwrap();
        !output(std::process::Command::new(&script).arg(&file)).status.success()
    };
    for text in [
        "Lemma oops : 0 = 1. Proof. Admitted.",
        "Lemma oops : 0 = 1. Proof. (* (* nested *) *) Admitted.",
        "Lemma oops : 0 = 1 /\\ True. Proof. split; [admit | exact I]. Abort.",
        "#[global] Axiom bad : False.",
        "Definition x := 1. Parameter bad : False.",
        "Variable x : nat.",
        "Section A. Variable y : nat.\nEnd A.\nHypothesis bad : False.",
        "Unset Guard Checking.",
        "(* \" *) Axiom bad : False. (* \" *)",
    ] {
        assert!(is_open(text), "{text}");
    }
    for text in [
        "(* Admitted. *) Lemma fine : True. Proof. exact I. Qed.",
        "(* a\n  comment (* with *) Axiom\n *)\nLemma not_Admitted : True. Proof. exact I. Qed.",
        "Section A.\nVariable x : nat.\nEnd A.",
        "Ltac say := idtac \"(* Admitted\".",
    ] {
        assert!(!is_open(text), "{text}");
    }
}

#[test]
fn what_can_not_be_written_is_refused() {
    let folder = Folder::new("refused");
    let certificate = folder.certificate("../../mechanisms/laplace.lb");
    let said = certify(&certificate, "--coq -");
    assert_eq!((said.status.code(), stdout(&said)), (Some(2), ""));
    assert!(stderr(&said).contains("cannot be written for Coq"), "{}", stderr(&said));
    let said = certify(&certificate, "--gappa -");
    assert!(stderr(&said).contains("is not an error certificate"), "{}", stderr(&said));
    let said = certify(&certificate, "");
    assert!(stderr(&said).contains("nothing to do"), "{}", stderr(&said));
    let said = certify(Path::new("Cargo.toml"), "--run");
    assert_eq!(said.status.code(), Some(2));
    assert!(stderr(&said).contains("is not a certificate"), "{}", stderr(&said));
}
