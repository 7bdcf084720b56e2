//! Proofs as data: kinds, verdicts, numbers, and what to try where nothing is decided.

use lastbit_engine::prove::{DerivationWish, Form, Found, Given, Plan, ProofAnswer, Question, Verdict};
use lastbit_engine::{Loss, Source, Watcher};
use lastbit_real::Rational;

const SNAPPING: &str = include_str!("../../../mechanisms/snapping_f64.lb");

fn answered(question: &Question<'_>) -> ProofAnswer {
    let plan = Plan::of(question).expect("it can be read");
    plan.answer(0, &Default::default(), Watcher::nobody()).expect("there is an answer")
}

fn prove(text: &str) -> ProofAnswer {
    answered(&Question::of(Source { name: "m.lb", text }))
}

fn given(values: &[(&str, &str)]) -> Given {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), value.parse().expect("a number")));
    Given { values: values.collect(), ..Given::default() }
}

#[test]
fn a_loss_in_floating_point() {
    let source = Source { name: "s.lb", text: SNAPPING };
    let question =
        Question { given: given(&[("eps", "1/2"), ("B", "10")]), certificates: true, ..Question::of(source) };
    let answer = answered(&question);
    assert_eq!((answer.verdict, answer.certificates.len()), (Verdict::Proved, 1));
    let Found::Loss(found) = &answer.found else { panic!("{:?}", answer.found) };
    let Some(Loss::Finite(loss)) = &found.loss else { panic!("{:?}", found.loss) };
    assert!(loss.decimal().parse::<Rational>().expect("a number") >= *loss.upper());
    assert_eq!(found.audit_holds, Some(true));
    let json = serde_json::to_value(&answer).expect("JSON");
    assert_eq!(
        (&json["kind"], &json["schema"], &json["certified"]["kind"]),
        (&"loss".into(), &1.into(), &"pure".into())
    );
    // The digits that matter are those of what floating point adds.
    assert!(
        answer.headline(6).rest.starts_with("eps-DP (pure) with eps <= 1/2 + 4.70e-15,"),
        "{}",
        answer.headline(6).rest
    );
}

#[test]
fn parameters_may_stay_open() {
    let answer = prove(SNAPPING);
    assert_eq!(answer.verdict, Verdict::Proved);
    assert!(matches!(answer.found, Found::Theorem(_)));
    let json = serde_json::to_value(&answer).expect("JSON");
    assert_eq!(json["for_all"], serde_json::json!(["eps", "L", "B"]));
}

#[test]
fn what_is_undecided_says_what_to_try() {
    let header = "param eps: real > 0, B: real > 0  adjacent |x<1> - x<2>| <= B  claim pure eps";
    // The square of one noise multiplies the other: nothing is found.
    let body = "z <$ lap(B / eps);  r := (x + z) * (1 + z * z);  return r";
    let answer = prove(&format!("mechanism m(x: real) -> real {header} {{ {body} }}"));
    assert_eq!(answer.verdict, Verdict::Undecided);
    let next = answer.next.join("\n");
    assert!(next.contains("proof { lap z shift (x<1> - x<2>) cost eps; have r<1> = r<2>; }"), "{next}");
    assert!(next.contains("--param B=100"), "{next}");
    assert!(!answer.tried.is_empty());

    let body = "z <$ lap(1 / eps);  return (x + z) * (1 + z * z)";
    let header = "param eps: real > 0  claim pure eps";
    let answer = prove(&format!("mechanism m(x: int) -> real {header} {{ {body} }}"));
    assert_ne!(answer.verdict, Verdict::Proved);
    let answer = prove(&format!("mechanism m(x: int in [0, 2]) -> real {header} {{ {body} }}"));
    if answer.verdict == Verdict::Undecided {
        assert!(
            answer.next.iter().any(|next| next.contains("assume x<1> = 0 | x<1> = 1 | x<1> = 2")),
            "{:?}",
            answer.next
        );
    }
}

#[test]
fn what_can_not_be_answered_is_an_answer_with_its_place() {
    let text = "function f(x: f64 in [-1, 1]) -> f64 { return 1 / x }";
    let answer = prove(text);
    assert_eq!((answer.verdict, answer.verdict.exit_code()), (Verdict::Refused, 2));
    let Found::Refused(refused) = &answer.found else { panic!("{:?}", answer.found) };
    assert_eq!((refused.line, refused.column), (Some(1), Some(47)));
    assert!(refused.error.contains("division"), "{}", refused.error);
}

#[test]
fn the_tree_says_why_its_bound_is_another() {
    let text = "(FPCore (x) :name \"p\" :pre (<= 0 x 1) (- (* x x) x))";
    let derivation = Some(DerivationWish { form: Form::Tree, node: None, depth: 6, all: true });
    let answer = answered(&Question { derivation, ..Question::of(Source { name: "p.fpcore", text }) });
    let Found::ErrorBound(bound) = &answer.found else { panic!("{:?}", answer.found) };
    assert!(bound.boxes > 1);
    let shown = bound.derivation.as_ref().expect("it was asked for");
    assert!(
        shown.text.starts_with("on the whole box; the headline is after cutting into "),
        "{}",
        shown.text
    );
}
