//! Random operations beside a model in whole numbers.

use std::collections::BTreeMap;

use lastbit_ledger::{
    Charge, Digest, Error, Ledger, Limit, Measure, Options, Rational, Request, Reservation,
};
use proptest::prelude::*;

use crate::common::{NEIGHBOURS, directory};

/// Losses in whole parts: ε in 60ths, ρ in 7200ths (so that ε²/2 is whole), δ in 10⁻⁹.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Loss {
    is_pure: bool,
    parts: u64,
    delta: u64,
}

impl Loss {
    fn rho(self) -> u64 {
        if self.is_pure { (self.parts * self.parts).min(120 * self.parts) } else { self.parts }
    }

    fn amount(self) -> Rational {
        Rational::new(self.parts, if self.is_pure { 60 } else { 7200 }).unwrap()
    }

    fn delta(self) -> Rational {
        Rational::new(self.delta, 1_000_000_000u64).unwrap()
    }

    fn charge(self) -> Charge {
        let charge =
            if self.is_pure { Charge::pure(self.amount()) } else { Charge::zero_concentrated(self.amount()) };
        charge.unwrap().with_delta(self.delta()).unwrap()
    }

    fn limit(self) -> Limit {
        match (self.is_pure, self.delta) {
            (true, 0) => Limit::pure(self.amount()),
            (true, _) => Limit::by_sums(self.amount(), self.delta()),
            (false, _) => Limit::zero_concentrated(self.amount()),
        }
        .unwrap()
    }

    /// A limit in ρ has no δ.
    fn as_limit(self) -> Loss {
        Loss { delta: if self.is_pure { self.delta } else { 0 }, ..self }
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Declare(u8, Loss),
    SetLimit(u8, Option<u8>, Loss),
    Reserve { id: u8, spec: u8, dataset: u8, analyst: Option<u8>, loss: Loss },
    End { id: u8, bytes: Vec<u8>, fails: bool },
    Reopen,
}

fn loss(most: u64) -> impl Strategy<Value = Loss> {
    let delta = prop_oneof![3 => Just(0u64), 1 => 1..5u64];
    (prop::bool::weighted(0.8), 1..most, delta).prop_map(|(is_pure, parts, delta)| Loss {
        is_pure,
        parts,
        delta,
    })
}

fn operation() -> impl Strategy<Value = Operation> {
    let analyst = || prop::option::of(0..2u8);
    let bytes = prop_oneof![
        9 => prop::collection::vec(any::<u8>(), 0..9),
        1 => any::<u8>().prop_map(|byte| vec![byte; 70_000]),
    ];
    prop_oneof![
        1 => (0..2u8, loss(200)).prop_map(|(dataset, limit)| Operation::Declare(dataset, limit.as_limit())),
        1 => (0..2u8, analyst(), loss(200)).prop_map(|(dataset, analyst, limit)| {
            Operation::SetLimit(dataset, analyst, limit.as_limit())
        }),
        8 => (0..12u8, prop::bool::weighted(0.1), 0..2u8, analyst(), loss(40)).prop_map(|(id, other, dataset, analyst, loss)| {
            Operation::Reserve { id, spec: u8::from(other), dataset, analyst, loss }
        }),
        5 => (0..12u8, bytes, any::<bool>()).prop_map(|(id, bytes, fails)| Operation::End { id, bytes, fails }),
        1 => Just(Operation::Reopen),
    ]
}

#[derive(Clone, Debug, PartialEq)]
struct Release {
    spec: u8,
    dataset: u8,
    analyst: Option<u8>,
    loss: Loss,
    end: Option<Vec<u8>>,
}

#[derive(Default)]
struct Model {
    limits: BTreeMap<(u8, Option<u8>), Loss>,
    releases: BTreeMap<u8, Release>,
}

impl Model {
    fn made(&self, dataset: u8, analyst: Option<u8>) -> Vec<Loss> {
        let counts = |release: &&Release| {
            release.dataset == dataset && (analyst.is_none() || release.analyst == analyst)
        };
        self.releases.values().filter(counts).map(|release| release.loss).collect()
    }

    fn fits(&self, dataset: u8, analyst: Option<u8>, loss: Loss) -> bool {
        let Some(limit) = self.limits.get(&(dataset, analyst)) else { return analyst.is_some() };
        let mut all = self.made(dataset, analyst);
        all.push(loss);
        let sum = if limit.is_pure {
            // No pure loss follows from one in ρ.
            if all.iter().any(|loss| !loss.is_pure) {
                return false;
            }
            all.iter().map(|loss| loss.parts).sum::<u64>()
        } else {
            all.iter().map(|loss| loss.rho()).sum()
        };
        sum <= limit.parts && all.iter().map(|loss| loss.delta).sum::<u64>() <= limit.delta
    }
}

fn name(letter: char, number: u8) -> String {
    format!("{letter}{number}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_ledger_does_what_the_model_does(operations in prop::collection::vec(operation(), 1..50)) {
        let directory = directory();
        let path = directory.path().join("l.db");
        let mut ledger = Ledger::create(&path, &Options::default()).unwrap();
        let mut model = Model::default();
        let mut heads = vec![ledger.head().unwrap()];
        for operation in operations {
            let head = ledger.head().unwrap();
            let mut changed = false;
            match operation {
                Operation::Declare(dataset, limit) => {
                    changed = !model.limits.contains_key(&(dataset, None));
                    let declared = ledger.declare(&name('d', dataset), NEIGHBOURS, &limit.limit());
                    prop_assert_eq!(declared.is_ok(), changed);
                    if changed {
                        model.limits.insert((dataset, None), limit);
                    }
                }
                Operation::SetLimit(dataset, analyst, limit) => {
                    let convertible = !limit.is_pure || model.made(dataset, analyst).iter().all(|loss| loss.is_pure);
                    changed = model.limits.contains_key(&(dataset, None)) && convertible;
                    let analyst_name = analyst.map(|analyst| name('a', analyst));
                    let set = ledger.set_limit(&name('d', dataset), analyst_name.as_deref(), &limit.limit());
                    prop_assert_eq!(set.is_ok(), changed);
                    if changed {
                        model.limits.insert((dataset, analyst), limit);
                    }
                }
                Operation::Reserve { id, spec, dataset, analyst, loss } => {
                    let asked = Request {
                        id: name('r', id),
                        spec: Digest::of(&[spec]),
                        dataset: name('d', dataset),
                        analyst: analyst.map(|analyst| name('a', analyst)),
                        neighbours: NEIGHBOURS.to_owned(),
                        charge: loss.charge(),
                        claim: "{}".to_owned(),
                        fingerprint: None,
                    };
                    let found = ledger.reserve(&asked).map(|reserved| reserved.reservation);
                    let new = Release { spec, dataset, analyst, loss, end: None };
                    match model.releases.get(&id) {
                        Some(old) => match (&old.end, Release { end: None, ..old.clone() } == new) {
                            (_, false) => prop_assert!(matches!(found, Err(Error::IdTaken { .. })), "{:?}", found),
                            (None, true) => prop_assert_eq!(found, Ok(Reservation::Unfinished)),
                            (Some(end), true) => {
                                let is_same = matches!(&found, Ok(Reservation::Done(stored)) if stored.bytes == *end);
                                prop_assert!(is_same, "{:?}", found);
                            }
                        },
                        None => {
                            changed = model.limits.contains_key(&(dataset, None))
                                && model.fits(dataset, None, loss)
                                && analyst.is_none_or(|analyst| model.fits(dataset, Some(analyst), loss));
                            if changed {
                                prop_assert_eq!(found, Ok(Reservation::New));
                                model.releases.insert(id, new);
                            } else {
                                let is_refused = matches!(
                                    found,
                                    Err(Error::Exceeded { .. } | Error::NoPureLoss { .. } | Error::UnknownDataset { .. })
                                );
                                prop_assert!(is_refused, "{:?}", found);
                            }
                        }
                    }
                }
                Operation::End { id, bytes, fails } => {
                    let text: String = bytes.iter().map(|byte| char::from(byte % 26 + b'a')).collect();
                    let given = if fails { text.as_bytes().to_vec() } else { bytes.clone() };
                    let ended = if fails { ledger.fail(&name('r', id), &text) } else { ledger.finish(&name('r', id), &bytes) };
                    match model.releases.get_mut(&id) {
                        None => prop_assert_eq!(ended, Err(Error::NotReserved { id: name('r', id) })),
                        Some(release) => {
                            changed = release.end.is_none();
                            let end = release.end.get_or_insert(given);
                            let ended = ended.unwrap();
                            prop_assert_eq!((&ended.bytes, ended.is_new), (&*end, changed));
                        }
                    }
                }
                Operation::Reopen => ledger = crate::common::open(&path),
            }
            // One entry for what was done, none for what was refused.
            let now = ledger.head().unwrap();
            prop_assert_eq!(now.entry, head.entry + u64::from(changed));
            heads.push(now);
        }
        let verified = ledger.verify().unwrap();
        prop_assert_eq!(verified.charges, model.releases.len() as u64);
        for head in heads {
            prop_assert_eq!(ledger.contains_head(&head), Ok(lastbit_ledger::Standing::Contained));
        }
        for budget in ledger.budgets().unwrap() {
            let number = |name: &str| name[1..].parse::<u8>().unwrap();
            let (dataset, analyst) = (number(&budget.dataset), budget.analyst.as_deref().map(number));
            let made = model.made(dataset, analyst);
            let (sum, parts) = match budget.measure {
                Measure::Pure => (made.iter().map(|loss| loss.parts).sum::<u64>(), 60),
                Measure::ZeroConcentrated => (made.iter().map(|loss| loss.rho()).sum(), 7200),
            };
            prop_assert_eq!(&budget.spent, &Rational::new(sum, parts).unwrap());
            prop_assert_eq!(budget.charges, made.len() as u64);
            prop_assert_eq!(budget.limit.is_some(), model.limits.contains_key(&(dataset, analyst)));
        }
    }
}
