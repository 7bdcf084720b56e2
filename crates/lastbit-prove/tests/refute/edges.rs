//! Programs without noise, options, and refusals.

use std::collections::BTreeMap;

use lastbit_audit::LnRatio;
use lastbit_prove::logic::refute::{Options, RefutationOutcome, RefuteError, Witness, refute, refute_with};

use crate::witnesses::{looked_for, not_refuted, only, refuted};

const FLOAT: &str = include_str!("../../../../mechanisms/standard/broken_float.lb");
const SPARSE_VECTOR: &str = include_str!("../../../../mechanisms/standard/broken_sparse_vector.lb");

const PLAIN: &str = "mechanism plain(x: real) -> real
   param eps: real > 0
   adjacent |x<1> - x<2>| <= 1
   claim pure eps
 ";

#[test]
fn what_is_returned_as_it_is() {
    let witness = refuted(&format!("{PLAIN} {{ return x }}"));
    assert_eq!(witness.ln_ratio, LnRatio::OnlyFirst);
    assert_eq!(witness.observation.to_string(), "r = 0");
    assert!(not_refuted(&format!("{PLAIN} {{ return 1 }}"), 100).is_some());
}

#[test]
fn refusals() {
    let nonlinear = format!("{PLAIN} {{ z <$ lap(1 / eps);  return x + z * z }}");
    assert!(matches!(looked_for(&nonlinear, 100), Err(RefuteError::OutOfReach(_))));
    let silent = "mechanism silent(x: real) -> real adjacent |x<1> - x<2>| <= 1 { return x }";
    assert!(matches!(looked_for(silent, 100), Err(RefuteError::NoClaim(_))));
    assert!(matches!(looked_for(FLOAT, 100), Err(RefuteError::Program(_))));
    let none = "mechanism none(x: real) -> real
                  param a: real in (5, 6)
                  adjacent |x<1> - x<2>| <= 1
                  claim pure a
                { return x }";
    assert!(matches!(looked_for(none, 100), Err(RefuteError::Parameters(_))));
}

/// A scale that depends on the input is 0 at some of them, where the program is not defined.
#[test]
fn nothing_is_concluded_where_a_program_is_not_defined() {
    let text = format!("{PLAIN} {{ z <$ lap(x);  return z }}");
    match looked_for(&text, 400) {
        Ok(RefutationOutcome::Refuted(witness)) => {
            let is_zero = |(_, x): (_, &_)| *x == lastbit_audit::discrete::Argument::Number(0.into());
            assert!(!witness.inputs.iter().flatten().any(is_zero), "{witness}");
        }
        other => assert!(matches!(other, Err(RefuteError::OutOfReach(_))), "{other:?}"),
    }
}

#[test]
fn the_worst_is_worse_than_the_first() {
    let file = only(SPARSE_VECTOR);
    let declaration = file.declaration("svt_6").unwrap();
    let eps = BTreeMap::from([("eps".to_owned(), 1.into())]);
    let found = |worst: bool, evaluations: usize| -> Witness {
        match refute(&file, declaration, &eps, &Options { evaluations, worst }) {
            Ok(RefutationOutcome::Refuted(witness)) => witness,
            other => panic!("{other:?}"),
        }
    };
    let (first, worst) = (found(false, 1500), found(true, 1500));
    assert!(first.loss().unwrap() < worst.loss().unwrap(), "{worst}");
    // Two more than eps/2 are in reach, and five of them are the most.
    assert!(worst.loss().unwrap().cmp_rational(&"5/2".parse().unwrap()).is_le());
    assert!(worst.loss().unwrap().cmp_rational(&2.into()).is_gt(), "{worst}");
}

#[test]
fn given_values_are_kept_and_progress_is_told() {
    let file = only(&format!("{PLAIN} {{ z <$ lap(1 / (2 * eps));  return x + z }}"));
    let eps = BTreeMap::from([("eps".to_owned(), 3.into())]);
    let mut last = 0;
    let outcome = refute_with(
        &file,
        &file.declarations[0],
        &eps,
        &Options::default(),
        &Default::default(),
        &mut |count| {
            assert_eq!(count, last + 1);
            last = count;
        },
    );
    let Ok(RefutationOutcome::Refuted(witness)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(witness.parameters, eps);
    assert_eq!(witness.epsilon, 3.into());
    assert!(last > 0);
}
