//! What an answer says is true as it stands: with all that the text assumes.

use lastbit_engine::check::{self, check};
use lastbit_engine::prove::{Found, Plan, ProofAnswer, Question, Verdict};
use lastbit_engine::{Source, Watcher};

fn prove(text: &str) -> ProofAnswer {
    let mut question = Question::of(Source { name: "text", text });
    question.certificates = true;
    let plan = Plan::of(&question).unwrap();
    plan.answer(0, &Default::default(), Watcher::nobody()).unwrap()
}

/// At eps = 1 the loss would be 5, and not 1: only the assumption makes it true.
#[test]
fn assumptions_are_part_of_the_statement() {
    let answer = prove(
        "mechanism m(x: real in [0, 9]) -> real
           param eps: real in (0, 100]
           assume eps >= 5
           adjacent |x<1> - x<2>| <= 5
           claim pure eps * eps
         { z <$ lap(1 / eps);  return x + z }",
    );
    let scope = "for all eps in (0, 100] and all |x<1> - x<2>| <= 5, if x in [0, 9] and eps >= 5";
    assert_eq!(
        (answer.verdict, &*answer.statement),
        (Verdict::Proved, &*format!("eps^2-DP (pure), {scope}"))
    );
    let certificate = Source { name: "certificate", text: &answer.certificates[0].text };
    let checked = check(&check::Question { certificate, program: None }, &Default::default()).unwrap();
    let (_, statement) = checked.statement(6).unwrap();
    assert_eq!(statement, format!("eps^2-DP (pure, cost eps^2), {scope}"));
}

/// Queries have ranges, too.
#[test]
fn ranges_of_queries_are_part_of_the_statement() {
    let answer = prove(
        "mechanism m(a: data) -> real
           param eps: real > 0
           query q: real in [0, 1]
           adjacent |q(a<1>) - q(a<2>)| <= 1
           claim pure eps
         { z <$ lap(1 / eps);  return q(a) + z }",
    );
    assert!(answer.statement.ends_with(", if q in [0, 1]"), "{}", answer.statement);
}

/// The event is likelier with the input that `adjacent` calls the second one.
#[test]
fn inputs_of_a_witness_are_named_as_in_the_text() {
    let answer = prove(
        "mechanism m(x: real in [0, 1]) -> real
           param eps: real > 0
           adjacent x<1> >= x<2>
           claim pure eps
         { z <$ expo(1 / eps);  return x + z }",
    );
    assert_eq!(answer.verdict, Verdict::Refuted);
    let Found::Privacy(found) = &answer.found else { panic!("{answer:?}") };
    let witness = found.witness.as_ref().unwrap();
    let value = |i: usize| witness.inputs[i]["x"].parse::<lastbit_real::Rational>().unwrap();
    let [one, two] = if witness.exchanged { [value(1), value(0)] } else { [value(0), value(1)] };
    assert!(one >= two, "{witness:?}");
}
