//! Processes that are killed at any time: each release is charged once, and nothing is shown that the ledger does not have.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{Place, SPEC};
use crate::common::{code, stderr, stdout};

/// Releases that are asked for, and those that fit.
const IDS: u64 = 14;
const FIT: u64 = 10;

/// Numbers that only look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// What a ledger has of its releases: ids that were charged, with whether they have a result.
fn entries(place: &Place) -> (BTreeMap<String, bool>, Vec<Value>) {
    let history = place.json("budget history ledger.db");
    let entries = history["entries"].as_array().expect("entries").clone();
    let mut found = BTreeMap::new();
    for entry in &entries {
        let id = || entry["id"].as_str().expect("an id").to_owned();
        match entry["kind"].as_str() {
            Some("charge") => assert_eq!(found.insert(id(), false), None, "charged twice"),
            Some("ending") => {
                assert_eq!(found.insert(id(), true), Some(false), "ended twice, or never charged")
            }
            _ => {}
        }
    }
    (found, entries)
}

/// What was shown must be what is stored, and what was shown before.
fn check(place: &Place, id: &str, said: &str, shown: &mut BTreeMap<String, Value>) {
    if said.is_empty() {
        return;
    }
    // Whatever is shown, be it half of an answer, comes after the entry.
    assert_eq!(entries(place).0.get(id), Some(&true), "{id} was shown without an entry");
    let Ok(answer) = serde_json::from_str::<Value>(said) else { return };
    assert_eq!((&answer["ledger"]["id"], &answer["claim"]["loss"]), (&id.into(), &"1/10".into()));
    let what = serde_json::json!([answer["rows"], answer["ledger"]["head"]]);
    assert_eq!(
        shown.entry(id.to_owned()).or_insert_with(|| what.clone()),
        &what,
        "{id} was shown in two ways"
    );
}

fn start(place: &Place, id: &str) -> Child {
    let mut command = place.command("release release.toml --ledger ledger.db --json --id");
    command.arg(id).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the command runs")
}

/// Kills so many processes, three at a time, at random moments; how often a release was then charged and without a result.
fn sweep(kills: usize, seed: u64) -> usize {
    let place = Place::with_ledger("--epsilon 1");
    place.put("release.toml", SPEC.replace("epsilon = 1", "epsilon = 0.1"));
    let usual = {
        let begun = std::time::Instant::now();
        place.run("release release.toml --dry-run");
        begun.elapsed().as_micros() as u64
    };
    let mut dice = Dice(seed);
    let (mut shown, mut killed, mut unfinished) = (BTreeMap::new(), 0, 0);
    while killed < kills {
        let mut running: Vec<(String, Child)> = (0..3)
            .map(|_| format!("r{}", dice.below(IDS)))
            .map(|id| (id.clone(), start(&place, &id)))
            .collect();
        for (_, child) in &mut running {
            std::thread::sleep(Duration::from_micros(dice.below(2 * usual)));
            if child.try_wait().expect("it can be asked").is_none() {
                child.kill().expect("it can be killed");
                killed += 1;
            }
        }
        for (id, mut child) in running {
            let mut said = String::new();
            child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("UTF-8");
            child.wait().expect("it ends");
            check(&place, &id, &said, &mut shown);
        }
        unfinished += entries(&place).0.values().filter(|ended| !**ended).count();
    }
    // What was interrupted is computed now, at no charge; and what does not fit is refused.
    let charged_before = entries(&place).0;
    for id in (0..IDS).map(|id| format!("r{id}")) {
        let output = start(&place, &id).wait_with_output().expect("it ends");
        assert!(matches!(code(&output), 0 | 2), "{}", stderr(&output));
        check(&place, &id, stdout(&output), &mut shown);
        assert!(!charged_before.contains_key(&id) || code(&output) == 0, "{id} was charged, and is refused");
    }
    let (charged, all) = entries(&place);
    assert_eq!((charged.len() as u64, shown.len() as u64), (FIT, FIT));
    assert!(charged.values().all(|ended| *ended));
    assert_eq!(all.len() as u64, 2 + 2 * FIT);
    let budget = place.json("budget show ledger.db")["budgets"][0].clone();
    assert_eq!((&budget["spent"]["exact"], &budget["left"]["exact"]), (&"1".into(), &"0".into()));
    for what in shown.values() {
        let head = what[1].as_str().expect("a head");
        let verified = place.run(&format!("budget verify ledger.db --head {head}"));
        assert_eq!(code(&verified), 0, "{}", stdout(&verified));
    }
    unfinished
}

#[test]
fn sixty_processes() {
    println!("{} times a release was charged and had no result yet", sweep(60, 1));
}

#[test]
#[ignore = "takes minutes"]
fn two_thousand_processes() {
    let unfinished: usize = (0..20).map(|seed| sweep(100, 1000 + seed)).sum();
    println!("{unfinished} times a release was charged and had no result yet");
    assert!(unfinished > 0, "no process was killed between the charge and the result");
}
