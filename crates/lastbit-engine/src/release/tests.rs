//! Releases with a ledger, from the template on.

use lastbit::InsecureSeededSource;
use lastbit_real::Rational;
use lastbit_table::Spec;

use super::{Book, Question, ReleaseAnswer, template};
use crate::budget::{self, Amount};
use crate::{Refusal, Watcher};

const TABLE: &str = "rider;city\nann;Bern\nann;Bern\nbob;Biel\n";

/// What the template of a table becomes when it is filled in, with a ledger of ε = 1.
fn question(folder: &std::path::Path) -> Question {
    let path = folder.join("trips.csv");
    std::fs::write(&path, TABLE).expect("a file");
    let spec = template(&path).expect("a template").replace("# dataset = \"…\"", "dataset = \"trips\"");
    let spec = Spec::parse(&spec, &folder.join("release.toml")).expect("a spec");
    let ledger = folder.join("budget.db");
    let epsilon = Rational::ONE;
    budget::create(&ledger, "trips", None, &Amount::Pure { epsilon }, false).expect("a ledger");
    let mut question = Question::new(spec);
    question.book = Some(Book::at(ledger));
    question
}

fn with_keys(mut question: Question) -> Question {
    let by = question.spec.by.as_mut().expect("groups");
    assert_eq!(by.columns, ["city"]);
    by.keys = lastbit_table::spec::KeysSpec::List(vec![vec!["Bern".to_owned()]]);
    question
}

fn answer(question: &Question) -> Result<ReleaseAnswer, Refusal> {
    question.answer(&mut InsecureSeededSource::<u64>::from_seed(1), &Watcher::nobody())
}

#[test]
fn a_template_is_not_released_before_its_groups_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let question = question(folder.path());
    assert!(
        answer(&question).expect_err("no groups").to_string().contains("stands where the groups should be")
    );
    assert!(!question.dry_run().expect("a dry run").ledger.expect("a ledger").was_charged);
    assert!(answer(&with_keys(question)).is_ok());
}

#[test]
fn a_dry_run_knows_what_was_charged() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut question = with_keys(question(folder.path()));
    let outlook = |question: &Question| question.dry_run().expect("a dry run").ledger.expect("a ledger");
    let before = outlook(&question);
    assert!((before.was_charged, before.fits) == (false, true), "{}", before.text());
    let first = answer(&question).expect("a release");
    let after = outlook(&question);
    assert!((after.was_charged, after.fits) == (true, true), "{}", after.text());
    assert_eq!(answer(&question).expect("the same").rows, first.rows);
    question.book.as_mut().expect("a ledger").id = Some("another".to_owned());
    let other = outlook(&question);
    assert!((other.was_charged, other.fits) == (false, false), "{}", other.text());
    assert!(other.text().contains("only 0 is left"), "{}", other.text());
    assert!(answer(&question).is_err());
}

/// Whatever the ledger would refuse.
#[test]
fn a_dry_run_knows_what_will_be_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut question = with_keys(question(folder.path()));
    let half = Rational::new(1, 2).expect("a number");
    question.spec.privacy.epsilon = Some(half.clone());
    question.book.as_mut().expect("a ledger").id = Some("first".to_owned());
    assert!(answer(&question).is_ok());
    let outlook = |question: &Question| question.dry_run().expect("a dry run").ledger.expect("a ledger");
    let mut other = question.clone();
    other.spec.privacy.epsilon = Some(half / Rational::from(2));
    assert!(!outlook(&other).fits && outlook(&other).text().contains("was used for another release"));
    other.book.as_mut().expect("a ledger").id = None;
    assert!(outlook(&other).fits);
    other.spec.table.unit = Some(lastbit_table::spec::Unit::Row);
    (other.spec.bounds.groups, other.spec.bounds.rows) = (None, None);
    assert!(!outlook(&other).fits && outlook(&other).text().contains("the same neighbours"));
}

#[test]
fn a_failure_says_that_it_stays_charged() {
    let folder = tempfile::tempdir().expect("a folder");
    let question = with_keys(question(folder.path()));
    std::fs::write(folder.path().join("trips.csv"), format!("{TABLE}cid\n")).expect("a file");
    for said in ["the release stays charged", "failed before, and stays charged"] {
        let message = answer(&question).expect_err("a row of one cell").to_string();
        assert!(message.contains(said), "{message}");
    }
    assert_eq!(budget::show(&folder.path().join("budget.db"), false).expect("budgets").budgets[0].charges, 1);
}

#[test]
fn rows_from_elsewhere_need_an_id_and_are_read_once() {
    use std::cell::Cell;

    use lastbit_table::{Batch, HeaderError, Plan, TableError, TableSource};

    type Opened = Result<Box<dyn TableSource>, TableError>;

    let folder = tempfile::tempdir().expect("a folder");
    let mut question = with_keys(question(folder.path()));
    let ledger = question.book.as_ref().expect("a ledger").path.clone();
    std::fs::remove_file(folder.path().join("trips.csv")).expect("a file that is not looked at");
    let opened = Cell::new(0);
    let open = |plan: &Plan| -> Opened {
        opened.set(opened.get() + 1);
        assert_eq!(plan.columns(), ["rider", "city"]);
        let mut rows = Batch::new(3);
        rows.push_text([Some("ann".as_bytes()), Some(b"ann"), Some(b"bob")])?;
        rows.push_text([Some("Bern".as_bytes()), Some(b"Bern"), Some(b"Biel")])?;
        Ok(Box::new([Ok(rows)].into_iter()))
    };
    let ask = |question: &Question, open: &dyn Fn(&Plan) -> Opened| {
        let mut source = InsecureSeededSource::<u64>::from_seed(1);
        question.answer_rows(open, &mut source, &Watcher::nobody())
    };
    let charges = || budget::show(&ledger, false).expect("budgets").budgets[0].charges;

    let nameless = ask(&question, &open).expect_err("no id").to_string();
    assert!(nameless.contains("from memory") && opened.get() == 0, "{nameless}");
    question.book.as_mut().expect("a ledger").id = Some("a".to_owned());
    // What the columns tell is refused before the charge.
    let lacking = |_: &Plan| -> Opened {
        let fault = HeaderError::Missing { name: "city".to_owned(), suggestion: None };
        Err(TableError::Header { path: "table".into(), fault })
    };
    assert!(ask(&question, &lacking).is_err());
    assert_eq!(charges(), 0);
    let (first, exact) = ask(&question, &open).expect("a release");
    assert_eq!(exact.expect("fresh").notes.rows, 3);
    let (again, exact) = ask(&question, &open).expect("the same");
    assert!(exact.is_none() && again.rows == first.rows);
    assert_eq!(charges(), 1);

    // Other intervals come from the same integers.
    let mut wide = question.processing.clone();
    wide.confidence = "0.999".parse().expect("a number");
    let wider = first.processed(&wide).expect("intervals").rows[0].values[0][0].clone();
    assert_eq!(wider.value, first.rows[0].values[0][0].value);
    let high = |value: &super::Value| value.interval().expect("a count has one")[1].clone();
    assert!(high(&wider) > high(&first.rows[0].values[0][0]));
    question.processing = wide.clone();
    assert_eq!(ask(&question, &open).expect("the same").0.rows[0].values[0][0], wider);
    wide.confidence = lastbit_real::Rational::ONE;
    assert!(first.processed(&wide).is_err());
}
