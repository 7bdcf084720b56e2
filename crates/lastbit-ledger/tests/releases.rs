//! Each release exactly once.

use lastbit_ledger::{Difference, Digest, Error, Limit, Outcome, Request, Reservation, Warning};

use crate::common::{NEIGHBOURS, ledger, open, pure, rational, request, zcdp};

fn one() -> Limit {
    Limit::pure(rational("1")).unwrap()
}

#[test]
fn reserved_unfinished_done() {
    let (_directory, path, mut first) = ledger(one());
    let asked = request("a", pure("1/3"));
    let reserved = first.reserve(&asked).unwrap();
    assert_eq!(reserved.reservation, Reservation::New);
    // Another process, or the same after a crash, may compute it again for nothing.
    let mut second = open(&path);
    let again = second.reserve(&asked).unwrap();
    assert_eq!((again.reservation, again.charged), (Reservation::Unfinished, reserved.charged));
    assert_eq!(second.budgets().unwrap()[0].spent, rational("1/3"));
    assert_eq!(second.budgets().unwrap()[0].unfinished, 1);
    // The first to finish decides what is shown.
    let theirs = second.finish("a", b"theirs").unwrap();
    assert!(theirs.is_new);
    let ours = first.finish("a", b"ours").unwrap();
    assert_eq!((ours.bytes.as_slice(), ours.head, ours.is_new), (b"theirs".as_slice(), theirs.head, false));
    let late = first.fail("a", "too late").unwrap();
    assert_eq!((late.bytes, late.outcome), (b"theirs".to_vec(), Outcome::Result));
    let shown = first.release(&asked, || unreachable!()).unwrap();
    assert_eq!((shown.bytes, shown.claim), (b"theirs".to_vec(), asked.claim));
    assert_eq!(first.verify().unwrap().charges, 1);
}

#[test]
fn large_results_of_two_processes() {
    let (_directory, path, mut first) = ledger(one());
    let mut second = open(&path);
    let asked = request("a", pure("1/3"));
    for ledger in [&mut first, &mut second] {
        ledger.reserve(&asked).unwrap();
    }
    let (ours, theirs) = (vec![1; 1 << 20], vec![2; 1 << 20]);
    assert_eq!(first.finish("a", &ours).unwrap().bytes, ours);
    assert_eq!(second.finish("a", &theirs).unwrap().bytes, ours);
}

#[test]
fn a_failure_stays_charged_and_is_repeated() {
    let (_directory, path, mut ledger) = ledger(one());
    let asked = request("a", pure("1"));
    let failed = ledger.release(&asked, || Err("the noisy sum overflowed".to_owned())).unwrap();
    assert_eq!(failed.outcome, Outcome::Failure);
    let mut later = open(&path);
    let again = later.release(&asked, || unreachable!()).unwrap();
    assert_eq!(
        (again.outcome, again.bytes.as_slice()),
        (Outcome::Failure, b"the noisy sum overflowed".as_slice())
    );
    let other = later.reserve(&request("b", pure("1/1000")));
    assert!(matches!(other, Err(Error::Exceeded { .. })), "{other:?}");
}

/// An id stands for one release: what differs is told, not the values.
#[test]
fn an_id_is_used_for_one_release() {
    let (_directory, _, mut ledger) = ledger(one());
    ledger.declare("bikes", NEIGHBOURS, &one()).unwrap();
    let asked = request("a", pure("1/3"));
    ledger.reserve(&asked).unwrap();
    let cases = [
        (Request { spec: Digest::of(b"other"), ..asked.clone() }, vec![Difference::Specification]),
        (Request { dataset: "bikes".into(), ..asked.clone() }, vec![Difference::Dataset]),
        (Request { analyst: Some("ann".into()), ..asked.clone() }, vec![Difference::Analyst]),
        (Request { neighbours: "one row".into(), ..asked.clone() }, vec![Difference::Neighbours]),
        (Request { charge: pure("1/4"), ..asked.clone() }, vec![Difference::Charge]),
        (
            Request { charge: zcdp("1/3"), spec: Digest::of(b"other"), ..asked.clone() },
            vec![Difference::Specification, Difference::Charge],
        ),
    ];
    for (other, differs) in cases {
        let error = ledger.reserve(&other).unwrap_err();
        assert_eq!(error, Error::IdTaken { id: "a".into(), differs });
        assert!(!error.to_string().contains("1/4"));
    }
    // A claim may be worded anew; the stored one is shown.
    let reworded = Request { claim: "{}".into(), ..asked.clone() };
    assert_eq!(ledger.reserve(&reworded).unwrap().reservation, Reservation::Unfinished);
    assert_eq!(ledger.release(&reworded, || Ok(vec![1])).unwrap().claim, asked.claim);
    assert_eq!(ledger.verify().unwrap().charges, 1);
}

#[test]
fn nothing_is_stored_without_a_charge() {
    let (_directory, _, mut ledger) = ledger(one());
    let before = ledger.head().unwrap();
    assert_eq!(ledger.finish("a", b"1"), Err(Error::NotReserved { id: "a".into() }));
    assert_eq!(ledger.finish("a", &[0; 100_000]), Err(Error::NotReserved { id: "a".into() }));
    assert_eq!(ledger.head(), Ok(before));
}

#[test]
fn bad_requests_are_refused_and_cost_nothing() {
    let (_directory, _, mut ledger) = ledger(one());
    let before = ledger.head().unwrap();
    let asked = request("a", pure("1/3"));
    let long = "x".repeat(129);
    for id in ["", " a", "a b", "a\n", "-a", "a'b", "ä", "a\0", long.as_str()] {
        let refused = ledger.reserve(&Request { id: id.into(), ..asked.clone() });
        assert!(matches!(refused, Err(Error::Name { .. })), "{id:?} {refused:?}");
        let refused = ledger.reserve(&Request { dataset: id.into(), ..asked.clone() });
        assert!(matches!(refused, Err(Error::Name { .. })), "{id:?} {refused:?}");
        let refused = ledger.reserve(&Request { analyst: Some(id.into()), ..asked.clone() });
        assert!(matches!(refused, Err(Error::Name { .. })), "{id:?} {refused:?}");
        assert!(matches!(ledger.declare(id, NEIGHBOURS, &one()), Err(Error::Name { .. })), "{id:?}");
        assert!(matches!(ledger.set_limit("trips", Some(id), &one()), Err(Error::Name { .. })), "{id:?}");
    }
    for text in ["", " ", "a\nb", "\u{1b}[2J"] {
        let refused = ledger.reserve(&Request { neighbours: text.into(), ..asked.clone() });
        assert!(matches!(refused, Err(Error::Name { .. })), "{text:?} {refused:?}");
        let refused = ledger.reserve(&Request { fingerprint: Some(text.into()), ..asked.clone() });
        assert!(matches!(refused, Err(Error::Name { .. })), "{text:?} {refused:?}");
    }
    for claim in ["", "{", "{} {}", "nan"] {
        let refused = ledger.reserve(&Request { claim: claim.into(), ..asked.clone() });
        assert!(matches!(refused, Err(Error::BadClaim { .. })), "{claim:?} {refused:?}");
    }
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    assert!(matches!(ledger.reserve(&Request { claim: long, ..asked.clone() }), Err(Error::BadClaim { .. })));
    let refused = ledger.reserve(&Request { neighbours: "one row".into(), ..asked.clone() });
    assert!(matches!(refused, Err(Error::OtherNeighbours { .. })), "{refused:?}");
    let refused = ledger.reserve(&Request { dataset: "bikes".into(), ..asked.clone() });
    assert_eq!(refused, Err(Error::UnknownDataset { dataset: "bikes".into() }));
    assert!(matches!(ledger.declare("trips", NEIGHBOURS, &one()), Err(Error::DatasetExists { .. })));
    assert!(matches!(ledger.set_limit("bikes", None, &one()), Err(Error::UnknownDataset { .. })));
    assert_eq!(ledger.head(), Ok(before));
}

#[test]
fn a_changed_input_is_a_warning() {
    let (_directory, _, mut ledger) = ledger(one());
    let mut warnings = |id: &str, fingerprint: Option<&str>| {
        let asked = Request { fingerprint: fingerprint.map(str::to_owned), ..request(id, pure("1/10")) };
        ledger.reserve(&asked).unwrap().warnings
    };
    let changed = |since| vec![Warning::InputChanged { dataset: "trips".into(), since }];
    assert_eq!(warnings("a", None), []);
    assert_eq!(warnings("b", Some("trips.csv 214 MB")), []);
    assert_eq!(warnings("c", None), []);
    assert_eq!(warnings("d", Some("trips.csv 214 MB")), []);
    assert_eq!(warnings("e", Some("trips.csv 215 MB")), changed(6));
    assert_eq!(warnings("f", Some("trips.csv 215 MB")), []);
    // Asked again, a release is compared with itself.
    assert_eq!(warnings("b", Some("trips.csv 214 MB")), []);
    assert_eq!(warnings("e", Some("trips.csv 214 MB")), changed(7));
    assert_eq!(ledger.budgets().unwrap()[0].charges, 6);
}
