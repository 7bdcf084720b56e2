//! The rules of `step`: each in a right and in a wrong use.

use lastbit_real::Rational;

use super::super::Status;
use super::evaluate::verify;
use super::{assert_proved, assert_rejected, parsed, report, with_script};
use crate::logic::kernel::KernelError;

const LAPLACE: &str = "z <$ lap(1 / eps);  r := x + z;  return r";
const SHIFTED: &str = "|x<1> - x<2>| <= 1 => z<2> = z<1> + x<1> - x<2>";

fn sum(first: &str) -> lastbit_lang::ast::File {
    let rest = "step assn r: z<2> = z<1> + x<1> - x<2> => r<1> = r<2>;  step dp: r<1> = r<2> => r<1> = r<2>;";
    with_script("real", LAPLACE, &format!("{first};  {rest}"))
}

#[test]
fn laplace_by_steps() {
    assert_proved(&sum(&format!("step lapgen z cost eps: {SHIFTED}")));
}

/// That something holds in the end is not enough: it must be that both runs return the same.
#[test]
fn dp_is_about_what_is_returned() {
    for post in ["true", "z<1> = z<2>", "r<1> <= r<2>"] {
        let steps = format!(
            "step lapnull z: true => z<1> = z<2>;  step assn r: true => true;  step conseq: {post} => {post};  step dp: {post} => {post}"
        );
        let file = with_script("real", LAPLACE, &format!("{steps};"));
        let report = report(&file);
        let rejected = report.steps.last().map(|step| step.is_rejected());
        assert_eq!(rejected, Some(true), "{post}");
    }
}

#[test]
fn lapgen_needs_its_cost() {
    let values =
        assert_rejected(&sum(&format!("step lapgen z cost eps / 2: {SHIFTED}")), 1, "LAP-GEN").unwrap();
    let of = |name: &str| values.values[name].clone();
    // |k| is more than cost·b: k = x<1> - x<2>, b = 1/eps and the cost is eps/2.
    assert!((of("x<1>") - of("x<2>")).abs() > Rational::new(1, 2).unwrap(), "{values}");
}

#[test]
fn lapgen_is_fresh() {
    let file = sum("step lapgen z cost eps: |x<1> - x<2>| <= 1 => z<2> = 2 * z<1>");
    let declaration = &file.declarations[0];
    let program = lastbit_lang::symbolic::Program::new(&file, declaration, &Default::default()).unwrap();
    let error = super::super::check(&program, &declaration.proofs[0]).unwrap_err();
    assert!(error.to_string().contains("not free of z"), "{error}");
}

#[test]
fn lapgen_is_for_laplace_noise() {
    let file = with_script(
        "real",
        "z <$ expo(1 / eps);  r := x + z;  return r",
        &format!(
            "step lapgen z cost eps: {SHIFTED};  step assn r: z<2> = z<1> + x<1> - x<2> => r<1> = r<2>;  step dp: r<1> = r<2> => r<1> = r<2>;"
        ),
    );
    assert_rejected(&file, 1, "LAP-GEN");
}

#[test]
fn the_same_law_in_both_runs() {
    let text = |scale: &str, rule: &str| {
        with_script(
            "real",
            &format!("z <$ lap({scale});  r := z;  return r"),
            &format!(
                "step {rule} z: |x<1> - x<2>| <= 1 => z<1> = z<2>;  step assn r: z<1> = z<2> => r<1> = r<2>;  step dp: r<1> = r<2> => r<1> = r<2>;"
            ),
        )
    };
    for (rule, name) in [("lapnull", "LAP-NULL"), ("axnull", "AX-NULL")] {
        assert_proved(&text("1 / eps", rule));
        let report = report(&text("1 + x * x", rule));
        let Status::Rejected(rejection) = &report.steps[0].status else { panic!("{report:?}") };
        assert_eq!(rejection.rule, name);
        let values = &rejection.counterexample.as_ref().expect("values").values;
        let square = |name: &str| &values[name] * &values[name];
        assert_ne!(square("x<1>"), square("x<2>"));
    }
}

#[test]
fn dlap_moves_on_its_grid() {
    let text = |ty: &str| {
        parsed(&format!(
            "mechanism m(x: {ty}) -> real param eps: real > 0 adjacent |x<1> - x<2>| <= 1 claim pure eps
             {{ z <$ dlap(1 / eps, 0);  r := x + z;  return r }}
             proof {{ step dlap z cost eps: {SHIFTED};
               step assn r: z<2> = z<1> + x<1> - x<2> => r<1> = r<2>;  step dp: r<1> = r<2> => r<1> = r<2>; }}"
        ))
    };
    assert_proved(&text("int"));
    assert_rejected(&text("real"), 1, "DLAP");
}

#[test]
fn unifshrink_goes_one_way() {
    let text = |k: &str| {
        with_script(
            "real",
            "u <$ unif(0,1];  r := 0;  return r",
            &format!(
                "step unifshrink u cost {k}: true => u<2> <= u<1>;  step assn r: true => r<1> = r<2>;  step dp: r<1> = r<2> => r<1> = r<2>;"
            ),
        )
    };
    assert_proved(&text("eps"));
    assert_rejected(&text("-eps"), 1, "UNIF-SHRINK");
}

#[test]
fn axunif_says_nothing() {
    let file = with_script(
        "real",
        "u <$ unif(0,1];  r := u;  return r",
        "step axunif u cost eps: true => exp(-eps) * u<2> <= u<1>;
         step assn r: exp(-eps) * u<2> <= u<1> => r<1> = r<2>;  step dp: r<1> = r<2> => r<1> = r<2>;",
    );
    let report = report(&file);
    assert!(matches!(&report.steps[0].status, Status::Accepted(Some(note)) if note.starts_with("vacuous")));
    assert!(matches!(&report.steps[1].status, Status::Rejected(r) if r.rule == "ASSN"), "{report:?}");
}

#[test]
fn rndbij_compares_probabilities() {
    let text = |p: &str| {
        parsed(&format!(
            "mechanism m(x: int) -> int param eps: real > 0 adjacent x<1> = x<2> + 1 claim pure 2
             {{ b <$ bernoulli({p});  r := if b {{ 1 }} else {{ 0 }};  return r }}
             proof {{ step rndbij b cost 2: true => b<1> != b<2>;
               step assn r: b<1> != b<2> => r<1> = 1 - r<2>;  step dp: r<1> = 1 - r<2> => r<1> = r<2>; }}"
        ))
    };
    // That a coin becomes the other one costs ln 2 < 2; it does not give the same result.
    assert_rejected(&text("1/3"), 3, "DP");
    let report = report(&text("1/100"));
    assert!(matches!(&report.steps[0].status, Status::Rejected(r) if r.rule == "RND-BIJ"), "{report:?}");
}

#[test]
fn assignments_are_defined() {
    for expression in ["ln(x)", "1 / x"] {
        let file = with_script(
            "real",
            &format!("z <$ lap(1 / eps);  y := {expression};  r := x + z;  return r"),
            &format!(
                "step lapgen z cost eps: {SHIFTED};  step assn y: true => true;
                 step assn r: z<2> = z<1> + x<1> - x<2> => r<1> = r<2>;  step dp: r<1> = r<2> => r<1> = r<2>;"
            ),
        );
        let values = assert_rejected(&file, 2, "ASSN").unwrap();
        let at_zero =
            values.values.iter().any(|(name, value)| name.starts_with("x<") && !value.is_positive());
        assert!(at_zero, "{values}");
    }
}

#[test]
fn a_premise_must_be_known() {
    // COMP: nobody has said that the inputs are equal.
    let file = sum("step lapgen z cost eps: x<1> = x<2> => z<2> = z<1> + x<1> - x<2>");
    let values = assert_rejected(&file, 1, "COMP").unwrap();
    assert_ne!(values.values["x<1>"], values.values["x<2>"]);
}

#[test]
fn budgets_add_up() {
    let body = "y <$ lap(1 / eps);  z <$ lap(1 / eps);  r := 2 * x + y + z;  return r";
    let script = |cost: &str| {
        format!(
            "step lapgen y cost {cost}: |x<1> - x<2>| <= 1 => y<2> = y<1> + x<1> - x<2>;
             step lapgen z cost {cost}: {SHIFTED};
             step assn r: y<2> = y<1> + x<1> - x<2> & z<2> = z<1> + x<1> - x<2> => r<1> = r<2>;
             step dp: r<1> = r<2> => r<1> = r<2>;"
        )
    };
    let file = with_script("real", body, &script("eps"));
    let values = assert_rejected(&file, 4, "COMP").unwrap();
    assert!(values.values["eps"].is_positive());
    let text = format!(
        "mechanism m(x: real) -> real param eps: real > 0 adjacent |x<1> - x<2>| <= 1 claim pure 2 * eps {{ {body} }} proof {{ {} }}",
        script("eps")
    );
    assert_proved(&parsed(&text));
}

#[test]
fn a_consequence_must_follow() {
    let file = with_script(
        "real",
        LAPLACE,
        &format!(
            "step lapgen z cost eps: {SHIFTED};
             step conseq: |x<1> - x<2>| <= 1 => |x<1> - x<2>| <= 2;
             step conseq: |x<1> - x<2>| <= 1 => |x<1> - x<2>| <= 1/2;
             step assn r: z<2> = z<1> + x<1> - x<2> => r<1> = r<2>;  step dp: r<1> = r<2> => r<1> = r<2>;"
        ),
    );
    let values = assert_rejected(&file, 3, "CONSEQ").unwrap();
    verify(&file, (0, 3), &values, None);
}

#[test]
fn a_witness_is_needed_and_is_not_shared() {
    // FRAME and EXISTS: the k of one assertion is not that of another.
    let script = |last: &str| {
        format!(
            "step lapgen z cost eps: {SHIFTED};
             step conseq: |x<1> - x<2>| <= 1 => exists k: x<1> + k = x<2> & -1 <= k & k <= 1;
             step assn r: z<2> = z<1> + x<1> - x<2> => exists k: r<1> + k = r<2>;
             step dp: {last} => r<1> = r<2>;"
        )
    };
    let file = with_script("real", LAPLACE, &script("exists k: r<1> + k = r<2>"));
    let values = assert_rejected(&file, 4, "DP").unwrap();
    verify(&file, (0, 4), &values, None);
    let report =
        report(&with_script("real", LAPLACE, &script("exists k: x<1> + k = x<2> & r<1> + k = r<2>")));
    assert!(matches!(&report.steps[3].status, Status::Rejected(r) if r.rule == "COMP"), "{report:?}");
}

#[test]
fn what_is_not_a_derivation_is_said_to_be_none() {
    for script in [
        "step lapgen z cost eps: true => z<1> = z<2>;",
        "step dp: true => r<1> = r<2>;  step assn r: true => true;",
        "step laplace z: true => true;  step dp: true => true;",
        "step assn q: true => true;  step dp: true => true;",
        "step assn r: true => true;  step assn r: true => true;  step dp: true => true;",
        "step assn r: true => true;  step lapnull z: true => z<1> = z<2>;  step dp: true => true;",
        "step assn r: true => true;  step dp: true => true;",
    ] {
        let (file, messages) = lastbit_lang::parse(&format!(
            "mechanism m(x: real) -> real param eps: real > 0 adjacent |x<1> - x<2>| <= 1 claim pure eps
             {{ {LAPLACE} }} proof {{ {script} }}"
        ));
        assert!(messages.is_empty(), "{messages:?}");
        let declaration = &file.declarations[0];
        let program = lastbit_lang::symbolic::Program::new(&file, declaration, &Default::default());
        // The names are the language's business, the rest is the script's.
        let found =
            program.map_err(KernelError::from).and_then(|p| super::super::check(&p, &declaration.proofs[0]));
        assert!(matches!(found, Err(KernelError::Program(_))), "{script}");
    }
}
