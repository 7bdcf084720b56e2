//! Exact sums, and what does not fit.

use lastbit_ledger::{Charge, Error, Limit, Measure, Request};

use crate::common::{ledger, pure, rational, request, zcdp};

#[test]
fn ten_tenths_fill_one_and_nothing_fits_beside_them() {
    let (_directory, _, mut ledger) = ledger(Limit::pure(rational("1")).unwrap());
    for id in 0..10 {
        ledger.reserve(&request(&format!("r{id}"), pure("0.1"))).unwrap();
    }
    let budget = &ledger.budgets().unwrap()[0];
    assert_eq!((budget.spent.to_string(), budget.left.to_string()), ("1".to_owned(), "0".to_owned()));
    let before = ledger.head().unwrap();
    let refused = ledger.reserve(&request("more", pure("1e-30"))).unwrap_err();
    let (asked, left) = (Box::new(rational("1e-30")), Box::new(rational("0")));
    assert_eq!(refused, Error::Exceeded { scope: "dataset trips".into(), quantity: "epsilon", asked, left });
    assert_eq!(
        refused.to_string(),
        "the release costs epsilon = 1e-30, but of the limit of dataset trips only 0 is left"
    );
    assert_eq!(ledger.head(), Ok(before));
}

#[test]
fn what_is_left_is_told_exactly_and_as_a_decimal() {
    let (_directory, _, mut ledger) = ledger(Limit::pure(rational("1")).unwrap());
    ledger.reserve(&request("a", pure("1/3"))).unwrap();
    let refused = ledger.reserve(&request("b", pure("1"))).unwrap_err().to_string();
    assert!(refused.ends_with("only 2/3 is left (about 0.666666)"), "{refused}");
    ledger.reserve(&request("b", pure("2/3"))).unwrap();
}

#[test]
fn numbers_that_are_no_losses() {
    for bad in ["0", "-1", "-1e-30"] {
        assert!(matches!(Charge::pure(rational(bad)), Err(Error::NotPositive { .. })), "{bad}");
        assert!(matches!(Charge::zero_concentrated(rational(bad)), Err(Error::NotPositive { .. })), "{bad}");
    }
    for bad in ["-1", "1", "2"] {
        assert!(matches!(pure("1").with_delta(rational(bad)), Err(Error::NotProbability { .. })), "{bad}");
        assert!(matches!(Limit::by_sums(rational("1"), rational(bad)), Err(Error::NotProbability { .. })));
        assert!(matches!(Limit::by_filter(rational("1"), rational(bad)), Err(Error::NotProbability { .. })));
    }
    assert!(matches!(Limit::by_sums(rational("1"), rational("0")), Err(Error::NotProbability { .. })));
    assert!(matches!(Limit::pure(rational("-1")), Err(Error::Negative { .. })));
    assert!(matches!(Limit::by_filter(rational("-1"), rational("1e-6")), Err(Error::Negative { .. })));
    assert!(matches!(Charge::pure(rational("1e-2000")), Err(Error::TooLong { .. })));
    assert!(matches!(pure("1").with_delta(rational("1e-2000")), Err(Error::TooLong { .. })));
    assert!(matches!(Limit::pure(rational("1e2000")), Err(Error::TooLong { .. })));
    // Floats reach a rational only through a conversion that refuses these.
    assert!(lastbit_ledger::Rational::try_from(f64::NAN).is_err());
    assert!("nan".parse::<lastbit_ledger::Rational>().is_err());
}

/// Pure losses become min(ε, ε²/2); the other way there is none.
#[test]
fn measures_convert_one_way() {
    let (_directory, _, mut ledger) = ledger(Limit::zero_concentrated(rational("1")).unwrap());
    ledger.reserve(&request("small", pure("1/2"))).unwrap();
    assert_eq!(ledger.budgets().unwrap()[0].spent, rational("1/8"));
    ledger.reserve(&request("gauss", zcdp("1/2"))).unwrap();
    assert_eq!(ledger.budgets().unwrap()[0].spent, rational("5/8"));
    let large = ledger.reserve(&request("large", pure("4"))).unwrap_err();
    assert!(matches!(&large, Error::Exceeded { asked, .. } if **asked == rational("4")), "{large:?}");
    // A limit in ε has no place for a charge in ρ, earlier or later.
    let limit = Limit::pure(rational("100")).unwrap();
    assert!(matches!(ledger.set_limit("trips", None, &limit), Err(Error::NoPureLoss { .. })));
    ledger.declare("bikes", crate::common::NEIGHBOURS, &limit).unwrap();
    let gauss = Request { dataset: "bikes".into(), ..request("b", zcdp("1/8")) };
    assert!(matches!(ledger.reserve(&gauss), Err(Error::NoPureLoss { .. })));
    // From ε to ρ a limit can change.
    ledger.reserve(&Request { dataset: "bikes".into(), ..request("c", pure("1")) }).unwrap();
    ledger.set_limit("bikes", None, &Limit::zero_concentrated(rational("2")).unwrap()).unwrap();
    ledger.reserve(&gauss).unwrap();
    assert_eq!(ledger.budgets().unwrap()[0].spent, rational("5/8"));
    assert_eq!(ledger.verify().unwrap().charges, 4);
}

#[test]
fn deltas_add_in_their_own_column() {
    let limit = Limit::by_sums(rational("1"), rational("1e-6")).unwrap();
    let (_directory, _, mut ledger) = ledger(limit);
    let charge = |delta| pure("1/10").with_delta(rational(delta)).unwrap();
    ledger.reserve(&request("a", charge("9e-7"))).unwrap();
    let refused = ledger.reserve(&request("b", charge("2e-7"))).unwrap_err();
    assert!(
        matches!(&refused, Error::Exceeded { quantity: "delta", left, .. } if **left == rational("1e-7"))
    );
    ledger.reserve(&request("b", charge("1e-7"))).unwrap();
    ledger.reserve(&request("c", pure("8/10"))).unwrap();
    assert!(ledger.reserve(&request("d", pure("1e-30"))).is_err());
    assert!(matches!(ledger.reserve(&request("d", zcdp("1e-3"))), Err(Error::NoPureLoss { .. })));
    assert_eq!(ledger.budgets().unwrap()[0].spent_delta, rational("1e-6"));
    ledger.verify().unwrap();
}

#[test]
fn limits_without_delta_refuse_delta() {
    for limit in [
        Limit::pure(rational("1")).unwrap(),
        Limit::zero_concentrated(rational("1")).unwrap(),
        Limit::by_filter(rational("1"), rational("1e-6")).unwrap(),
    ] {
        let (_directory, _, mut ledger) = ledger(limit);
        let refused = ledger.reserve(&request("a", pure("1/100").with_delta(rational("1e-30")).unwrap()));
        assert!(matches!(refused, Err(Error::Exceeded { quantity: "delta", .. })), "{refused:?}");
    }
}

/// A filter of (1, 10⁻⁶) admits hundreds of releases of ε = 1/100; sums of ε admit a hundred.
#[test]
fn a_filter_admits_what_its_rho_admits() {
    let limit = Limit::by_filter(rational("1"), rational("1e-6")).unwrap();
    assert_eq!(limit.measure(), Measure::ZeroConcentrated);
    let rho = limit.amount().clone();
    assert_eq!(limit.target().map(|target| &target.epsilon), Some(&rational("1")));
    let (_directory, _, mut ledger) = ledger(limit);
    ledger.reserve(&request("a", Charge::zero_concentrated(rho.clone()).unwrap())).unwrap();
    assert!(ledger.reserve(&request("b", zcdp("1e-30"))).is_err());
    assert_eq!((rho * rational("20000")).floor(), 487.into());
    let shown = serde_json::to_value(&ledger.budgets().unwrap()[0]).unwrap();
    assert_eq!(shown["limit"]["target"]["delta"]["exact"], "1/1000000");
    ledger.verify().unwrap();
}

#[test]
fn the_analyst_and_the_dataset_must_both_have_it() {
    let (_directory, _, mut ledger) = ledger(Limit::pure(rational("1")).unwrap());
    let by = |analyst: &str, id: &str, epsilon| Request {
        analyst: Some(analyst.to_owned()),
        ..request(id, pure(epsilon))
    };
    ledger.set_limit("trips", Some("ann"), &Limit::pure(rational("1/2")).unwrap()).unwrap();
    ledger.reserve(&by("ann", "a", "1/3")).unwrap();
    let refused = ledger.reserve(&by("ann", "b", "1/3")).unwrap_err();
    assert!(
        matches!(&refused, Error::Exceeded { scope, left, .. }
        if scope == "analyst ann on dataset trips" && **left == rational("1/6")),
        "{refused:?}"
    );
    ledger.reserve(&by("bob", "c", "1/2")).unwrap();
    let budgets = ledger.budgets().unwrap();
    let rows: Vec<_> =
        budgets.iter().map(|row| (row.analyst.as_deref(), row.spent.clone(), row.left.clone())).collect();
    let number = rational;
    assert_eq!(
        rows,
        [
            (None, number("5/6"), number("1/6")),
            (Some("ann"), number("1/3"), number("1/6")),
            (Some("bob"), number("1/2"), number("1/6")),
        ]
    );
    let refused = ledger.reserve(&by("bob", "d", "1/3")).unwrap_err();
    assert!(matches!(&refused, Error::Exceeded { scope, .. } if scope == "dataset trips"), "{refused:?}");
    // An analyst may be limited in another measure than the dataset.
    ledger.set_limit("trips", Some("bob"), &Limit::zero_concentrated(rational("1/8")).unwrap()).unwrap();
    let refused = ledger.reserve(&by("bob", "d", "1/100")).unwrap_err();
    assert!(matches!(&refused, Error::Exceeded { quantity: "rho", .. }), "{refused:?}");
    ledger.verify().unwrap();
}

/// A limit of 0 closes a dataset, and a lower limit than what was spent leaves 0, not less.
#[test]
fn limits_change_by_entries_only() {
    let (_directory, _, mut ledger) = ledger(Limit::pure(rational("1")).unwrap());
    ledger.reserve(&request("a", pure("1/2"))).unwrap();
    let before = ledger.head().unwrap();
    ledger.set_limit("trips", None, &Limit::pure(rational("0")).unwrap()).unwrap();
    assert_eq!(ledger.head().unwrap().entry, before.entry + 1);
    assert_eq!(ledger.budgets().unwrap()[0].left, rational("0"));
    assert!(ledger.reserve(&request("b", pure("1e-9"))).is_err());
    ledger.set_limit("trips", None, &Limit::pure(rational("3/4")).unwrap()).unwrap();
    ledger.reserve(&request("b", pure("1/4"))).unwrap();
    ledger.verify().unwrap();
}
