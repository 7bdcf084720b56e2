//! An oracle: z3, if it is on the machine, asked by SMT-LIB. It finds models, which are verified, and it may say that constraints cannot
//! hold together, which is not: what rests on that is called `oracle` and never proved.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use lastbit_lang::symbolic::{Constraint, Monomial, Polynomial, Symbol};
use lastbit_real::Rational;

/// How long it may think about one question, in milliseconds.
const PATIENCE: u32 = 2000;

/// The program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Z3 {
    path: PathBuf,
}

/// The answer of the oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The constraints cannot hold together. Nobody has checked this.
    Unsatisfiable,
    /// They hold for these values, which have been checked.
    Model(BTreeMap<Symbol, Rational>),
    /// Nothing that is of use.
    Unknown,
}

impl Z3 {
    /// The program that `LASTBIT_Z3` names, or `z3` where programs are looked for; `LASTBIT_Z3` empty: none.
    pub fn find() -> Option<Z3> {
        let is_program = |path: &PathBuf| path.is_file();
        let path = match std::env::var_os("LASTBIT_Z3") {
            Some(path) => Some(PathBuf::from(path)).filter(is_program),
            None => {
                let directories = std::env::var_os("PATH")?;
                std::env::split_paths(&directories).map(|directory| directory.join("z3")).find(is_program)
            }
        };
        path.map(|path| Z3 { path })
    }

    /// Asks whether constraints can hold together.
    pub(crate) fn ask(&self, constraints: &[Constraint]) -> Answer {
        let answer = self.run(&question(constraints)).unwrap_or_default();
        let mut lines = answer.splitn(2, '\n');
        match lines.next().map(str::trim) {
            Some("unsat") => Answer::Unsatisfiable,
            Some("sat") => {
                model(constraints, lines.next().unwrap_or_default()).map_or(Answer::Unknown, Answer::Model)
            }
            _ => Answer::Unknown,
        }
    }

    fn run(&self, question: &str) -> Option<String> {
        let mut process = Command::new(&self.path)
            .args(["-in", &format!("-t:{PATIENCE}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        process.stdin.take()?.write_all(question.as_bytes()).ok()?;
        let output = process.wait_with_output().ok()?;
        String::from_utf8(output.stdout).ok()
    }
}

fn variables(constraints: &[Constraint]) -> Vec<Symbol> {
    let all: BTreeSet<Symbol> = constraints.iter().flat_map(|c| c.polynomial.variables()).collect();
    all.into_iter().collect()
}

/// Variables are numbered: their names are not those of SMT-LIB.
fn question(constraints: &[Constraint]) -> String {
    let names = variables(constraints);
    let mut text = String::from("(set-logic QF_NRA)\n");
    for index in 0..names.len() {
        let _ = writeln!(text, "(declare-const v{index} Real)");
    }
    for constraint in constraints {
        let sum: Vec<String> =
            constraint.polynomial.terms().map(|(monomial, c)| product(monomial, c, &names)).collect();
        let _ = writeln!(text, "(assert ({} (+ 0 {}) 0))", constraint.relation.text(), sum.join(" "));
    }
    text + "(check-sat)\n(get-model)\n"
}

fn product(monomial: &Monomial, coefficient: &Rational, names: &[Symbol]) -> String {
    let mut text = format!("(* {}", rational(coefficient));
    for (symbol, power) in monomial.powers() {
        let index = names.iter().position(|name| name == symbol).unwrap_or_default();
        for _ in 0..power.unsigned_abs() {
            let _ = if *power > 0 { write!(text, " v{index}") } else { write!(text, " (/ 1 v{index})") };
        }
    }
    text + ")"
}

fn rational(value: &Rational) -> String {
    let size = value.abs();
    let text = format!("(/ {} {})", size.numerator(), size.denominator());
    if value.is_negative() { format!("(- {text})") } else { text }
}

/// The values of a model; `None` if one is missing or irrational, or if they do not satisfy the constraints.
fn model(constraints: &[Constraint], text: &str) -> Option<BTreeMap<Symbol, Rational>> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut values = BTreeMap::new();
    for (index, name) in variables(constraints).into_iter().enumerate() {
        let wanted = format!("v{index}");
        // (define-fun v0 () Real VALUE)
        let value = match tokens.iter().position(|token| *token == wanted) {
            Some(at) => read(&mut tokens.get(at + 4..)?.iter().copied())?,
            None => Rational::ZERO,
        };
        values.insert(name, value);
    }
    let at: BTreeMap<Symbol, Polynomial> =
        values.iter().map(|(name, value)| (name.clone(), Polynomial::constant(value.clone()))).collect();
    let holds = |constraint: &Constraint| {
        let value = constraint.polynomial.substitute(&at).and_then(|p| p.as_constant());
        value.is_some_and(|value| constraint.relation.holds(&value))
    };
    constraints.iter().all(holds).then_some(values)
}

/// `0.5`, `(- V)`, `(/ V W)`
fn read<'t>(tokens: &mut impl Iterator<Item = &'t str>) -> Option<Rational> {
    match tokens.next()? {
        "(" => {
            let operation = tokens.next()?;
            let first = read(tokens)?;
            let value = match operation {
                "-" => -first,
                "/" => first.checked_div(&read(tokens)?)?,
                _ => return None,
            };
            (tokens.next()? == ")").then_some(value)
        }
        number => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraints() -> [Constraint; 2] {
        let (x, y) = (Polynomial::variable("x<1>"), Polynomial::variable("y"));
        // x·y >= 1/2 and x + y = -3/2
        let half = Polynomial::constant(Rational::pow2(-1));
        let sum = &(&x + &y) + &half.scale(&Rational::from(3));
        [Constraint::non_negative(&(&x * &y) - &half), Constraint::zero(sum)]
    }

    #[test]
    fn a_model_is_read_and_verified() {
        let text =
            "(\n  (define-fun v1 () Real\n    (- (/ 1.0 2.0)))\n  (define-fun v0 () Real\n    (- 1.0))\n)";
        let found = model(&constraints(), text).expect("a model");
        assert_eq!(found["x<1>"], Rational::from(-1));
        assert!(model(&constraints(), &text.replace("2.0", "3.0")).is_none());
        assert!(model(&constraints(), "(define-fun v0 () Real (root-obj (+ (^ x 2) (- 2)) 1))").is_none());
        assert!(model(&constraints(), "(define-fun v0 () Real").is_none());
    }

    #[test]
    fn the_program_agrees() {
        let Some(z3) = Z3::find() else {
            eprintln!("skipped: there is no z3 on this machine");
            return;
        };
        assert!(matches!(z3.ask(&constraints()), Answer::Model(_)));
        let [product, sum] = constraints();
        let positive = Constraint::positive(Polynomial::variable("y"));
        assert_eq!(z3.ask(&[product, sum, positive]), Answer::Unsatisfiable);
    }
}
