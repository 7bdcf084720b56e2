//! What a wrong expression would come from: formats that mix, values that the declaration excludes, names that hide others,
//! and control flow, which is compared with an interpreter.

use lastbit_lang::eval::{RealValue, eval_real_value};
use lastbit_lang::{Bindings, Lowered, Op, fpcore, lower, parse, render};
use lastbit_real::Rational;

fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

fn with(values: &[(&str, &str)]) -> Bindings {
    let values = values.iter().map(|(name, value)| (name.to_string(), number(value))).collect();
    Bindings { values, ..Bindings::default() }
}

#[track_caller]
fn lowered(source: &str, bindings: &Bindings) -> Lowered {
    let (file, messages) = parse(source);
    assert!(messages.is_empty(), "{}", render("test.lb", source, &messages));
    lower(&file, None, bindings, None).unwrap_or_else(|m| panic!("{}", render("test.lb", source, &m)))
}

#[track_caller]
fn refused(source: &str, bindings: &Bindings, target: Option<&str>, message: &str) {
    let (file, messages) = parse(source);
    assert!(messages.is_empty(), "{}", render("test.lb", source, &messages));
    let messages = lower(&file, None, bindings, target).expect_err(source);
    assert_eq!(messages.iter().filter(|m| m.message.contains(message)).count(), 1, "{messages:#?}");
}

#[test]
fn one_program_has_one_format() {
    let none = Bindings::default();
    let refused = |source| refused(source, &none, None, "they do not mix");
    // In the other format the condition would be rounded differently, and the argument would have other values.
    refused(
        "function f(x: f32 in [0, 1], y: f64 in [0, 1]) -> f32 { return if y + 0.1 > 1 { x } else { -x } }",
    );
    refused(
        "function f(x: f64 in [0, 1]) -> f64 { var t: f32; t := 0.1; return if t * 3 > 0.3 { x } else { -x } }",
    );
    refused(
        "function f(x: real in [0, 1]) -> real { var t: f32; t := 0.1; return if t * 3 > 0.3 { x } else { -x } }",
    );
    refused("function f(x: f32 in [0, 1]) -> f64 { return 0.1 }");
    refused("function f(x: f32 in [0, 1]) -> f32 param c: f64 = 1 { return x }");
}

#[test]
fn values_that_are_excluded_also_where_only_a_clause_uses_them() {
    let refused = |source, name, value| refused(source, &with(&[(name, value)]), None, "is not a value of");
    refused("function f(x: f64 in [-B, B]) -> f64 param B: f64 = 4 { return x }", "B", "2");
    refused("function f(x: f64 in [-B, B]) -> f64 param B: f64 in (0, 4] { return x }", "B", "5");
    let library = "function f(x: f64 in [0, 1]) -> f64 param k: real = 4 libm exp = ulp(k) { return exp(x) }";
    refused(library, "k", "1");
    refused("function f(q: f64[n] in [0, 1]) -> f64 param n: int { return q[0] }", "n", "5/2");
    // An open interval of reals is closed for the analysis, not for values.
    let open = "function f(x: real in [0, 1]) -> real param B: real in (0, 4) { return clamp(x, B) }";
    refused(open, "B", "0");
    refused(open, "B", "4");
    assert!(lowered(open, &with(&[("B", "2")])).program.notes.is_empty());
    refused("function f(x: f64 in [0, 1], s: sign) -> f64 { return s * x }", "s", "3");
    refused("function f(x: f64 in [0, 1], b: bool) -> f64 { return if b { x } else { 0 } }", "b", "2");
}

#[test]
fn values_of_arrays_and_queries() {
    let source = "function f(q: f64[2] in [0, 1]) -> f64 { return q[0] + q[1] }";
    let one = lowered(source, &with(&[("q[0]", "1/4"), ("q", "1/2")])).program;
    let constants = [Op::Const(number("1/4")), Op::Const(number("1/2")), Op::Add(0, 1)];
    assert_eq!(one.nodes.into_iter().map(|node| node.op).collect::<Vec<_>>(), constants);
    let source = "mechanism m(a: data) -> f64 query f: f64 in [0, 1] { return f(a) }";
    assert!(lowered(source, &with(&[("f", "1")])).program.inputs.is_empty());

    let source = "function f(q: f64[n] in [0, 1]) -> [f64] param n: int { return q }";
    for length in ["0", "-1", "10001", "1000000000"] {
        refused(source, &with(&[("n", length)]), None, "the length of an array");
    }
    let source =
        "function f(x: f64 in [0, 1]) -> [f64] param n: int { var z: f64[n]; z := [x, x]; return z }";
    refused(source, &with(&[("n", "3")]), None, "`z` has 3 elements, this has 2");
}

#[test]
fn names_that_would_hide_others() {
    let none = Bindings::default();
    for query in ["EXP", "exp", "round", "LN"] {
        let source = format!("mechanism m(a: data) -> f64 query {query}: f64 in [0, 1] {{ return 1 }}");
        refused(&source, &none, None, "is a function of the language");
    }
    let source = "mechanism m(a: data) -> f64 param f: f64 = 1 query f: f64 in [0, 1] { return f(a) + f }";
    refused(source, &none, None, "`f` is already defined");
    let source = "function f(result: f64 in [0, 1]) -> f64 ensures error <= |result| { return 1 / 3 }";
    refused(source, &none, None, "`result` is what is returned");
    let list =
        "function f(x: f64 in [0, 1]) -> [f64] ensures error <= |result| { result := x; return [x, x] }";
    refused(list, &none, None, "`result` has no value here");
}

#[test]
fn targets_that_are_not_there() {
    let source = "function f(x: f64 in [0, 1]) -> f64
        { w := x * x; var z: f64[2]; z[0] := w; z[1] := x; if x > w { y := [x, w]; } else { y := [w, x, x]; } return w }";
    let none = Bindings::default();
    refused(source, &none, Some("w[0]"), "`w` is not an array");
    refused(source, &none, Some("z[i]"), "`i` is not an index of `z`");
    refused(source, &none, Some("z[2]"), "index 2 is outside");
    refused(source, &none, Some("y"), "different lengths");
}

#[test]
fn preconditions_with_functions_of_constants() {
    // None of these bounds is known; (exp 2) is not 2.
    for bound in ["(exp 2)", "(sqrt 4)", "(fabs -3)", "(unknown 3)", "(/ 2)"] {
        let programs = fpcore::read(&format!("(FPCore (x) :pre (<= 0 x {bound}) x)"));
        let error = programs[0].as_ref().expect_err(bound).to_string();
        assert!(error.contains("has no upper bound"), "{bound}: {error}");
        let programs = fpcore::read(&format!("(FPCore (x) :pre (and (<= 0 x 9) (<= x {bound})) x)"));
        let program = programs[0].as_ref().expect("the other bound is left");
        assert_eq!((program.inputs[0].hi.clone(), program.notes.len()), (number("9"), 1));
    }
    let programs = fpcore::read("(FPCore (x) :pre (<= (- 3) x (+ 4)) x)");
    let program = programs[0].as_ref().expect("both are known");
    assert_eq!((&program.inputs[0].lo, &program.inputs[0].hi), (&number("-3"), &number("4")));
}

/// Random programs over whole numbers, as text and as what they do.
struct Random(u64);

enum Expr {
    Constant(i64),
    Variable(usize),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<[Expr; 2]>),
    If(Box<(Test, [Expr; 2])>),
}

enum Test {
    Compare(&'static str, Box<[Expr; 2]>),
    Logic(&'static str, Box<[Test; 2]>),
    Not(Box<Test>),
}

enum Step {
    Set(usize, Expr),
    If(Test, Vec<Step>, Vec<Step>),
    For(i64, Vec<Step>),
    Return(Expr),
}

/// Variables: three arguments, three that are set, two of loops.
const NAMES: [&str; 8] = ["a", "b", "c", "x", "y", "z[1]", "i", "j"];

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }

    fn pick(&mut self, texts: &[&'static str]) -> &'static str {
        texts[self.below(texts.len() as u64) as usize]
    }

    fn expr(&mut self, depth: u64, loops: usize) -> Expr {
        let two = |random: &mut Random| [random.expr(depth - 1, loops), random.expr(depth - 1, loops)];
        match if depth == 0 { self.below(2) } else { self.below(6) } {
            0 => Expr::Constant(self.below(3) as i64),
            1 => Expr::Variable(self.below(6 + loops as u64) as usize),
            2 => Expr::Unary(self.pick(&["-", "abs"]), Box::new(self.expr(depth - 1, loops))),
            3 | 4 => Expr::Binary(self.pick(&["+", "-", "min", "max"]), Box::new(two(self))),
            _ => Expr::If(Box::new((self.test(depth - 1, loops), two(self)))),
        }
    }

    fn test(&mut self, depth: u64, loops: usize) -> Test {
        match if depth == 0 { 0 } else { self.below(4) } {
            0 | 1 => {
                let sides = [self.expr(depth / 2, loops), self.expr(depth / 2, loops)];
                Test::Compare(self.pick(&["=", "!=", "<", "<=", ">", ">="]), Box::new(sides))
            }
            2 => {
                let sides = [self.test(depth - 1, loops), self.test(depth - 1, loops)];
                Test::Logic(self.pick(&["&", "|"]), Box::new(sides))
            }
            _ => Test::Not(Box::new(self.test(depth - 1, loops))),
        }
    }

    fn steps(&mut self, depth: u64, loops: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..=self.below(3) {
            steps.push(match if depth == 0 { self.below(2) } else { self.below(6) } {
                0 | 1 => Step::Set(3 + self.below(3) as usize, self.expr(2, loops)),
                5 if loops < 2 => Step::For(self.below(2) as i64 + 1, self.steps(depth - 1, loops + 1)),
                _ => {
                    Step::If(self.test(2, loops), self.steps(depth - 1, loops), self.steps(depth - 1, loops))
                }
            });
        }
        if self.below(4) == 0 && depth < 3 {
            steps.push(Step::Return(self.expr(1, loops)));
        }
        steps
    }
}

impl Expr {
    fn text(&self) -> String {
        match self {
            Expr::Constant(value) => value.to_string(),
            Expr::Variable(variable) => NAMES[*variable].to_owned(),
            Expr::Unary(op, a) => format!("{op}({})", a.text()),
            Expr::Binary(op @ ("+" | "-"), sides) => {
                format!("({} {op} {})", sides[0].text(), sides[1].text())
            }
            Expr::Binary(op, sides) => format!("{op}({}, {})", sides[0].text(), sides[1].text()),
            Expr::If(parts) => {
                let (test, [then, otherwise]) = &**parts;
                format!("if {} {{ {} }} else {{ {} }}", test.text(), then.text(), otherwise.text())
            }
        }
    }

    fn value(&self, at: &[i64; 8]) -> i64 {
        match self {
            Expr::Constant(value) => *value,
            Expr::Variable(variable) => at[*variable],
            Expr::Unary("-", a) => -a.value(at),
            Expr::Unary(_, a) => a.value(at).abs(),
            Expr::Binary(op, sides) => {
                let (a, b) = (sides[0].value(at), sides[1].value(at));
                match *op {
                    "+" => a + b,
                    "-" => a - b,
                    "min" => a.min(b),
                    _ => a.max(b),
                }
            }
            Expr::If(parts) => parts.1[usize::from(!parts.0.holds(at))].value(at),
        }
    }
}

impl Test {
    fn text(&self) -> String {
        match self {
            Test::Compare(op, sides) => format!("{} {op} {}", sides[0].text(), sides[1].text()),
            Test::Logic(op, sides) => format!("(({}) {op} ({}))", sides[0].text(), sides[1].text()),
            Test::Not(test) => format!("!({})", test.text()),
        }
    }

    fn holds(&self, at: &[i64; 8]) -> bool {
        match self {
            Test::Compare(op, sides) => {
                let (a, b) = (sides[0].value(at), sides[1].value(at));
                match *op {
                    "=" => a == b,
                    "!=" => a != b,
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    _ => a >= b,
                }
            }
            Test::Logic("&", sides) => sides[0].holds(at) && sides[1].holds(at),
            Test::Logic(_, sides) => sides[0].holds(at) || sides[1].holds(at),
            Test::Not(test) => !test.holds(at),
        }
    }
}

fn text(steps: &[Step], loops: usize) -> String {
    let step = |step: &Step| match step {
        Step::Set(variable, value) => format!("{} := {}; ", NAMES[*variable], value.text()),
        Step::If(test, then, otherwise) => {
            format!("if {} {{ {}}} else {{ {}}} ", test.text(), text(then, loops), text(otherwise, loops))
        }
        Step::For(count, body) => {
            format!("for {} in 0..{count} {{ {}}} ", NAMES[6 + loops], text(body, loops + 1))
        }
        Step::Return(value) => format!("return {}; ", value.text()),
    };
    steps.iter().map(step).collect()
}

fn run(steps: &[Step], at: &mut [i64; 8], loops: usize) -> Option<i64> {
    for step in steps {
        let returned = match step {
            Step::Set(variable, value) => {
                at[*variable] = value.value(at);
                None
            }
            Step::If(test, then, otherwise) => run(if test.holds(at) { then } else { otherwise }, at, loops),
            Step::For(count, body) => (0..*count).find_map(|index| {
                at[6 + loops] = index;
                run(body, at, loops + 1)
            }),
            Step::Return(value) => Some(value.value(at)),
        };
        if returned.is_some() {
            return returned;
        }
    }
    None
}

/// The real reading of a program over whole numbers.
fn evaluate(lowered: &Lowered, inputs: &[(&str, i64)]) -> i64 {
    let program = &lowered.program;
    let of = |name: &String| inputs.iter().find(|(other, _)| other == name).unwrap().1;
    let inputs: Vec<Rational> = program.inputs.iter().map(|input| Rational::from(of(&input.name))).collect();
    match eval_real_value(program, &inputs, 64).unwrap() {
        RealValue::Exact(value) if value.is_integer() => i64::try_from(value.numerator()).unwrap(),
        other => panic!("{other:?} is no whole number"),
    }
}

#[test]
fn control_flow_is_that_of_an_interpreter() {
    let mut random = Random(1);
    let mut compared = 0;
    for _ in 0..3000 {
        let mut steps = random.steps(3, 0);
        steps.push(Step::Return(random.expr(2, 0)));
        let source = format!(
            "function f(a: int in [-2, 2], b: int in [-2, 2], c: int in [-2, 2]) -> int
               {{ var z: int[2]; x := a; y := 1; z[1] := b; {}}}",
            text(&steps, 0)
        );
        let (file, messages) = parse(&source);
        assert!(messages.is_empty(), "{}", render("test.lb", &source, &messages));
        // Statements behind a return on all paths are refused.
        let Ok(lowered) = lower(&file, None, &Bindings::default(), None) else { continue };
        compared += 1;
        for _ in 0..12 {
            let [a, b, c] = [(); 3].map(|()| random.below(5) as i64 - 2);
            let expected = run(&steps, &mut [a, b, c, a, 1, b, 0, 0], 0);
            let found = evaluate(&lowered, &[("a", a), ("b", b), ("c", c)]);
            assert_eq!(Some(found), expected, "a = {a}, b = {b}, c = {c} in\n{source}");
        }
    }
    assert!(compared > 1000, "{compared}");
}
