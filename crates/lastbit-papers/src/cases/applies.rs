//! Which mechanisms the tables are about.

use lastbit_lang::ast::Side;
use lastbit_lang::symbolic::{Fresh, Law, Path, Polynomial, Program, Value, paths};

/// Whether a mechanism is ideal snapping, `clamp(round(x + s·ln(u)/eps, L), B)`, with parameters of these names.
pub fn applies(program: &Program<'_>) -> bool {
    paths(program, Side::One, &Fresh).is_ok_and(|paths| paths.iter().all(|path| is_snapping(path).is_some()))
}

fn is_snapping(path: &Path) -> Option<()> {
    let [eps, step, bound] = ["eps", "L", "B"].map(Polynomial::variable);
    let ([sample], [sign]) = (path.samples.as_slice(), path.choices.as_slice()) else { return None };
    let is_fair = sign.law.weights.len() == 2 && sign.law.weights[0] == sign.law.weights[1];
    let mut rounded = path.applications.iter().filter(|(_, application)| application.function == "round");
    let (name, application) = rounded.next()?;
    let [w, grid] = application.arguments.as_slice() else { return None };
    let (x, slope) = w.split(&sample.coordinate())?;
    let rate = eps.inverse()?;
    let wanted = if sign.value == 0 { rate } else { -&rate };
    let is_input = x
        .variables()
        .iter()
        .all(|symbol| symbol.ends_with("<1>") && x == Polynomial::variable(symbol.clone()));
    let [Value::Number(r)] = path.result.as_slice() else { return None };
    let is_clamped = [Polynomial::variable(name.clone()), bound.clone(), -&bound].contains(r);
    let all = sample.law == Law::Uniform
        && is_fair
        && rounded.next().is_none()
        && *grid == step
        && slope == wanted
        && is_input
        && is_clamped;
    all.then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_about(body: &str) -> bool {
        let text = format!(
            "mechanism m(x: real) -> grid param eps: real > 0, L: real > 0, B: real > 0 {{ u <$ unif(0,1];  s <$ sign;  {body} }}"
        );
        let (file, messages) = lastbit_lang::parse(&text);
        assert!(messages.is_empty(), "{messages:?}");
        applies(&Program::new(&file, &file.declarations[0], &Default::default()).expect("a program"))
    }

    #[test]
    fn only_of_snapping() {
        assert!(is_about("return clamp(round(x + s * ln(u) / eps, L, up), B)"));
        assert!(is_about("y := ln(u) / eps;  w := s * y + x;  r := round(w, L, up);  return clamp(r, B)"));
        assert!(!is_about("return clamp(round(x + 2 * s * ln(u) / eps, L, up), B)"));
        assert!(!is_about("return clamp(round(x + s * ln(u) / eps, B, up), B)"));
        assert!(!is_about("return clamp(round(x + s * ln(u) / eps, L, up), L)"));
        assert!(!is_about("return clamp(round(clamp(x, B) + s * ln(u) / eps, L, up), B)"));
        assert!(!is_about("return round(x + s * ln(u) / eps, L, up) + L"));
    }
}
