//! Scripts that are elaborated: each kind of step in a right and in a wrong use.

use super::{assert_proved, assert_rejected, parsed, with_script};

const LAPLACE: &str = "z <$ lap(1 / eps);  r := x + z;  return r";
const SNAP: &str =
    "u <$ unif(0,1];  s <$ sign;  w := x + s * ln(u) / eps;  r := clamp(round(w, 1, up), 4);  return r";
const REAL: &str = "u <$ unif(0,1];  s <$ sign;  w := x + s * ln(u) / eps;  r := w;  return r";

#[test]
fn shifts() {
    assert_proved(&with_script("real", LAPLACE, "lap z shift (x<1> - x<2>) cost eps;  have r<1> = r<2>;"));
    let values = assert_rejected(
        &with_script("real", LAPLACE, "lap z shift 0 cost eps;  have r<1> = r<2>;"),
        2,
        "CONSEQ",
    )
    .unwrap();
    assert_ne!(values.values["x<1>"], values.values["x<2>"]);
    let values =
        assert_rejected(&with_script("real", LAPLACE, "lap z shift (x<1> - x<2>) cost eps / 2;"), 1, "ALIGN")
            .unwrap();
    let moved = (&values.values["x<1>"] - &values.values["x<2>"]).abs();
    assert!(moved > "1/2".parse().unwrap(), "{values}");
    assert_rejected(&with_script("real", LAPLACE, "expo z shift (x<1> - x<2>) cost eps;"), 1, "LAP-GEN");
    let expo = LAPLACE.replace("lap(", "expo(");
    assert_rejected(&with_script("real", &expo, "expo z shift (x<1> - x<2>) cost eps;"), 1, "ALIGN");
}

#[test]
fn events() {
    let script = |pointwise: &str, samples: &str, cost: &str| {
        format!("{pointwise}  preimage r = e as w in [a, b);  event {samples} cost {cost};")
    };
    assert_proved(&with_script("grid", SNAP, &script("pointwise e;", "(u, s)", "eps")));
    // One sample alone tells on which side of the input the result lies.
    assert_rejected(&with_script("grid", SNAP, &script("pointwise e;", "u", "eps")), 3, "EVENT");
    assert_rejected(&with_script("grid", SNAP, &script("pointwise e;", "(u, s)", "eps / 2")), 3, "EVENT");
    // PW-EQ is for countable results.
    assert_rejected(&with_script("real", REAL, &script("pointwise e;", "(u, s)", "eps")), 1, "PW-EQ");
    let falling = SNAP.replace("clamp(round(w, 1, up), 4)", "clamp(round(-w, 1, up), 4)");
    assert_rejected(&with_script("grid", &falling, &script("pointwise e;", "(u, s)", "eps")), 2, "PREIM");
    let squared = SNAP.replace("clamp(round(w, 1, up), 4)", "clamp(round(w * w, 1, up), 4)");
    assert_rejected(&with_script("grid", &squared, &script("pointwise e;", "(u, s)", "eps")), 2, "PREIM");
}

#[test]
fn cases_cover() {
    let case = |condition: &str| format!("case {condition} {{ lap z shift (x<1> - x<2>) cost eps; }}");
    let both = format!("{} {}", case("x<1> >= x<2>"), case("x<1> < x<2>"));
    assert_proved(&with_script("real", LAPLACE, &both));
    let values = assert_rejected(&with_script("real", LAPLACE, &case("x<1> >= x<2>")), 1, "CASE").unwrap();
    assert!(values.values["x<1>"] < values.values["x<2>"], "{values}");
}

const ALIGNED: &str = "
    case x<1> >= x<2> {
      let K = exp(eps * (x<1> - x<2>));
      align (u, s) cost eps {
        s = 1 & K * u <= 1 => (K * u, 1);
        s = 1 & K * u > 1 => (1 / (K * u), -1);
        s = -1 => (u / K, -1);
      };
      have w<1> = w<2>;
    }
    case x<1> < x<2> by mirror (MIRRORED);";

#[test]
fn alignments_and_mirrors() {
    let script = ALIGNED.replace("MIRRORED", "s -> -s, x -> -x, w -> -w");
    assert_proved(&with_script("grid", SNAP, &script));
    // A mirror that forgets the input shifts the wrong way.
    let file = with_script("grid", SNAP, &ALIGNED.replace("MIRRORED", "s -> -s, w -> -w"));
    assert!(matches!(super::report(&file).verdict, super::ScriptVerdict::Rejected));
    for (right, wrong) in [
        // Two pieces with one image, a piece too few, a result that differs, and a map that stretches.
        ("s = -1 => (u / K, -1)", "s = -1 => (u, -1)"),
        ("s = 1 & K * u > 1 => (1 / (K * u), -1);", ""),
        ("(1 / (K * u), -1)", "(1 / (K * u), 1)"),
        ("(u / K, -1)", "(u * u, -1)"),
    ] {
        let broken = script.replace(right, wrong);
        assert_ne!(script, broken);
        let file = with_script("grid", SNAP, &broken);
        assert!(matches!(super::report(&file).verdict, super::ScriptVerdict::Rejected), "{wrong}");
    }
}

#[test]
fn both_directions_of_an_order() {
    let text = |law: &str| {
        parsed(&format!(
            "mechanism m(x: real) -> real param eps: real > 0 adjacent x<1> = x<2> + 1 claim pure eps
             {{ z <$ {law}(1 / eps);  r := x + z;  return r }} proof {{ {law} z shift (x<1> - x<2>) cost eps; }}"
        ))
    };
    assert_proved(&text("lap"));
    assert_rejected(&text("expo"), 1, "ALIGN");
}

#[test]
fn too_much_is_spent() {
    assert_rejected(
        &with_script(
            "real",
            "z <$ lap(1 / eps);  r := 2 * x + z;  return r",
            "lap z shift 2 * (x<1> - x<2>) cost 2 * eps;",
        ),
        1,
        "COMP",
    );
}

#[test]
fn randomized_response() {
    let text = include_str!("../../../../../../mechanisms/randomized_response.lb");
    assert_proved(&parsed(text));
    let file = parsed(&text.replace("exp(eps) + 1", "exp(eps) + 2"));
    assert!(matches!(super::report(&file).verdict, super::ScriptVerdict::Rejected));
}
