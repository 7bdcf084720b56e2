//! FPCore programs that are read, and what is said of those that are not.

use lastbit_lang::fpcore::{FpcoreError, read};
use lastbit_lang::{Accuracy, Comparison, Diagnostic, Format, Op, StraightLine};
use lastbit_real::Rational;
use proptest::prelude::*;

fn program(source: &str) -> StraightLine {
    let mut programs = read(source);
    assert_eq!(programs.len(), 1);
    programs.remove(0).unwrap_or_else(|error| panic!("{source}: {error}"))
}

fn error(source: &str) -> FpcoreError {
    let mut programs = read(source);
    programs.remove(0).expect_err(source)
}

/// The only message about a program, and the text that it points at.
fn complaint(source: &str) -> (Diagnostic, &str) {
    let mut error = error(source);
    assert_eq!(error.diagnostics.len(), 1, "{error}");
    let diagnostic = error.diagnostics.remove(0);
    let place = &source[diagnostic.span.start..diagnostic.span.end];
    (diagnostic, place)
}

fn body(expression: &str) -> StraightLine {
    program(&format!("(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2)) {expression})"))
}

fn ops(expression: &str) -> Vec<Op> {
    body(expression).nodes.into_iter().skip(2).map(|node| node.op).collect()
}

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn range(precondition: &str) -> (Rational, Rational) {
    let source = format!("(FPCore (x) :pre {precondition} (+ x 1))");
    let input = program(&source).inputs.remove(0);
    (input.lo, input.hi)
}

#[test]
fn operands_come_first_and_left_to_right() {
    assert_eq!(
        ops("(- (* x y) (+ x 1/3))"),
        [Op::Mul(0, 1), Op::Const(rational("1/3")), Op::Add(0, 3), Op::Sub(2, 4)]
    );
    assert_eq!(ops("(+ x y x)"), [Op::Add(0, 1), Op::Add(2, 0)]);
    assert_eq!(ops("(* (+ x) y)"), [Op::Mul(0, 1)]);
    assert_eq!(ops("(fma x y (- x))"), [Op::Neg(0), Op::Fma(0, 1, 2)]);
    assert_eq!(ops("(sqrt (fabs (log (exp x))))"), [Op::Exp(0), Op::Ln(2), Op::Abs(3), Op::Sqrt(4)]);
    assert_eq!(ops("(fmin x (fmax y x))"), [Op::Max(1, 0), Op::Min(0, 2)]);
}

#[test]
fn spans_and_names_point_into_the_text() {
    let source = "; a comment\n(FPCore area (r) :pre (<= 0 r 9) (let ([s* (* r r)]) (* 3.25 s*)))";
    let area = program(source);
    assert_eq!(area.name, "area");
    let texts: Vec<&str> =
        area.nodes.iter().map(|node| node.span.map_or("", |span| &source[span.start..span.end])).collect();
    assert_eq!(texts, ["r", "(* r r)", "3.25", "(* 3.25 s*)"]);
    assert_eq!(area.nodes[1].name.as_deref(), Some("s*"));
}

#[test]
fn let_is_parallel_and_let_star_sequential() {
    // In a let, the x of y's binding is the argument.
    assert_eq!(ops("(let ([x (* x x)] [y (+ x y)]) (- x y))"), [Op::Mul(0, 0), Op::Add(0, 1), Op::Sub(2, 3)]);
    assert_eq!(
        ops("(let* ([x (* x x)] [y (+ x y)]) (- x y))"),
        [Op::Mul(0, 0), Op::Add(2, 1), Op::Sub(2, 3)]
    );
    // The name ends with the expression of the let.
    assert_eq!(ops("(+ (let ([x (* x y)]) x) x)"), [Op::Mul(0, 1), Op::Add(2, 0)]);
}

#[test]
fn what_the_result_does_not_need_is_left_out() {
    assert_eq!(ops("(let ([unused (/ 1 0)] [z (* x y)]) (if TRUE z (log 0)))"), [Op::Mul(0, 1)]);
    assert_eq!(body("y").result, 1);
    assert_eq!(ops("y"), []);
}

#[test]
fn constants_are_images_of_exact_numbers() {
    assert_eq!(ops("(* x LN2)"), [Op::Const(rational("2")), Op::Ln(2), Op::Mul(0, 3)]);
    assert_eq!(ops("E"), [Op::Const(rational("1")), Op::Exp(2)]);
    let (pi, place) = complaint("(FPCore (x) :pre (<= 0 x 1) (* 2 PI x))");
    assert_eq!((pi.message.as_str(), place), ("`PI` is not supported", "PI"));
}

#[test]
fn conditions_become_choices() {
    let less = Comparison::Less;
    let at_most = Comparison::LessOrEqual;
    let select = |test, lhs, rhs, then, otherwise| Op::Select { test, lhs, rhs, then, otherwise };
    assert_eq!(ops("(if (< x y) x y)"), [select(less, 0, 1, 0, 1)]);
    assert_eq!(ops("(if (>= x y) x y)"), [select(at_most, 1, 0, 0, 1)]);
    assert_eq!(ops("(if (!= x y) x y)"), [select(Comparison::Equal, 0, 1, 1, 0)]);
    // The chain 0 <= x <= 1 is two comparisons, the later one inside of the earlier one's branch.
    assert_eq!(
        ops("(if (<= 0 x 1) x y)"),
        [
            Op::Const(rational("0")),
            Op::Const(rational("1")),
            select(at_most, 0, 3, 0, 1),
            select(at_most, 2, 0, 4, 1)
        ]
    );
    assert_eq!(
        ops("(if (or (< x y) (not (< y x))) x y)"),
        [select(less, 1, 0, 1, 0), select(less, 0, 1, 0, 2)]
    );
    assert_eq!(ops("(if (and) x y)"), []);
    assert_eq!(body("(if (or) x y)").result, 1);
    assert_eq!(body("(if (and (or (< x y) FALSE) TRUE) x y)").nodes.len(), 3);
}

#[test]
fn properties() {
    let single = program(
        "(FPCore f (x) :precision binary32 :round nearestEven :cite (a b) :name \"a \\\"b\\\"\" :pre (<= 0 x 1) x)",
    );
    assert_eq!((single.format, single.name.as_str()), (Format::Binary32, "a \"b\""));
    let library = program("(FPCore (x) :lastbit-log-ulps 3/4 :pre (<= 1 x 2) (log x))");
    assert_eq!(library.libm.ln, Accuracy::Ulps(rational("3/4")));
    assert_eq!(library.libm.exp, Accuracy::CorrectlyRounded);
}

#[test]
fn ranges_come_from_the_precondition() {
    let unit = (rational("0"), rational("1"));
    for condition in [
        "(<= 0 x 1)",
        "(>= 1 x 0)",
        "(and (<= 0 x) (<= x 1))",
        "(and (>= x 0) (and (>= 1 x)))",
        "(and (<= -5 x 1) (<= 0 x 7) TRUE)",
        "(<= (- 1 1) x (/ 2 (+ 1 1)))",
        "(<= -1 0 x 1)",
    ] {
        assert_eq!(range(condition), unit, "{condition}");
    }
    assert_eq!(range("(== x 3/4)"), (rational("3/4"), rational("3/4")));
    assert_eq!(range("(<= -3969/625 x (- 0.1))"), (rational("-3969/625"), rational("-1/10")));
}

#[test]
fn strict_bounds_are_the_next_floats() {
    let exact = |value: f64| Rational::try_from(value).expect("finite");
    assert_eq!(range("(< 1 x 2)"), (exact(1f64.next_up()), exact(2f64.next_down())));
    assert_eq!(range("(> 1 x 0)"), (exact(f64::from_bits(1)), exact(1f64.next_down())));
    // The double nearest to 1/10 is above it, and so is the least one above it.
    assert_eq!(range("(< 0.1 x 0.5)").0, exact(0.1));
    let single = program("(FPCore (x) :precision binary32 :pre (< -1 x 1/3) x)");
    let exact = |value: f32| Rational::try_from(value).expect("finite");
    assert_eq!(single.inputs[0].lo, exact((-1f32).next_up()));
    assert_eq!(single.inputs[0].hi, exact((1f32 / 3.0).next_down()));
    // Arguments are finite.
    assert_eq!(range("(<= -1e400 x 0)").0, -Rational::try_from(f64::MAX).expect("finite"));
}

#[test]
fn other_conditions_are_noted() {
    let source = "(FPCore (x y) :pre (and (<= 0 x y 4) (>= (+ x y)\n   1) (or (< x 1) (< y 1))) (* x y))";
    let program = program(source);
    assert_eq!(
        program.notes,
        [
            "precondition left out: (<= 0 x y 4)",
            "precondition left out: (>= (+ x y) 1)",
            "precondition left out: (or (< x 1) (< y 1))"
        ]
    );
    // A chain bounds all of its arguments from both sides.
    for input in program.inputs {
        assert_eq!((input.lo, input.hi), (rational("0"), rational("4")));
    }
}

#[test]
fn arguments_need_a_range() {
    let two = error("(FPCore (x y) :pre (<= 0 x) (tan y))");
    let messages: Vec<&str> = two.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        messages,
        ["the argument `x` has no upper bound", "the argument `y` has no range", "`tan` is not supported"]
    );
    assert_eq!(two.diagnostics[1].hint.as_deref(), Some("give it in :pre (<= lo y hi)"));
    for empty in [
        "(<= 2 x 1)",
        "(< 1 x 1)",
        "(== x 0.1)",
        "(<= 1e400 x 1e401)",
        "(< -1e400 x -0x1.fffffffffffffp1023)",
    ] {
        let source = format!("(FPCore (x) :pre {empty} x)");
        assert!(
            complaint(&source).0.message.starts_with("the precondition leaves no binary64 number"),
            "{empty}"
        );
    }
}

#[test]
fn refusals_name_the_construct_and_its_place() {
    let cases = [
        ("(FPCore (x) :pre (<= 0 x 1) (while (< x 1) ([i 0 (+ i 1)]) i))", "`while` is not supported", None),
        ("(FPCore (x) :pre (<= 0 x 1) (+ x (sin x)))", "`sin` is not supported", Some("(sin x)")),
        ("(FPCore (x) :pre (<= 0 x 1) (! :precision binary32 x))", "`!` is not supported", None),
        ("(FPCore (x) :pre (<= 0 x 1) (tensor ([i 3]) i))", "`tensor` is not supported", None),
        ("(FPCore (x) :pre (<= 0 x 1) (pow x 2))", "`pow` is not supported", Some("(pow x 2)")),
        ("(FPCore (x) :pre (<= 0 x 1) z)", "`z` is neither an argument nor bound by a let", Some("z")),
        ("(FPCore (x) :pre (<= 0 x 1) (- x x x))", "`-` takes one or two operands, not 3", None),
        ("(FPCore (x) :pre (<= 0 x 1) (+))", "`+` takes at least one operand, not 0", Some("(+)")),
        ("(FPCore (x) :pre (<= 0 x 1) (if x x x))", "x is not a condition", Some("x")),
        (
            "(FPCore (x) :pre (<= 0 x 1) (if (+ x 1) x x))",
            "`+` gives a number where a condition is expected",
            Some("(+ x 1)"),
        ),
        (
            "(FPCore (x) :pre (<= 0 x 1) (if (isnan x) x x))",
            "`isnan` is not supported as a condition",
            Some("(isnan x)"),
        ),
        (
            "(FPCore (x) :pre (<= 0 x 1) (+ 1 (< x 1)))",
            "the condition `<` stands where a number is expected",
            Some("(< x 1)"),
        ),
        ("(FPCore (x) :pre (<= 0 x 1) (+ 1 TRUE))", "TRUE stands where a number is expected", Some("TRUE")),
        (
            "(FPCore (x) :pre (<= 0 x 1) (+ 1 1.2.3))",
            "1.2.3 is not a number: unexpected '.' at byte 3; expected the end of the number",
            Some("1.2.3"),
        ),
        ("(FPCore (x) :pre (<= 0 x 1) (let ([y]) y))", "a binding is written [name expression]", Some("[y]")),
        (
            "(FPCore (x) :pre (<= 0 x 1) (let y y))",
            "a list of bindings ([name expression] …) is expected",
            Some("y"),
        ),
        ("(FPCore (x) :pre (<= 0 x 1) ())", "an expression starts with the name of an operation", Some("()")),
        (
            "(FPCore (x) :round toZero :pre (<= 0 x 1) x)",
            "the rounding mode toZero is not supported",
            Some("toZero"),
        ),
        (
            "(FPCore (x) :precision (float 5 16) :pre (<= 0 x 1) x)",
            "the precision (float 5 16) is not supported",
            Some("(float 5 16)"),
        ),
        ("(FPCore ((! :precision real x)) x)", "(! :precision real x) is not an argument's name", None),
        ("(FPCore (x x) x)", "the argument `x` is given twice", Some("x")),
        ("(FPCore (x) :pre TRUE :pre TRUE x)", "the property :pre is given twice", Some(":pre")),
        ("(FPCore (x) :pre (<= 0 x 1))", "the program has no expression", None),
        ("(FPCore (x) :pre)", "the property :pre has no value", Some(":pre")),
        ("(FPCore (x) :pre (<= 0 x 1) x x)", "nothing may follow the program's expression", Some("x")),
        ("(FPCore x)", "the list of the arguments is missing", None),
        ("(define (f x) x)", "a program starts with FPCore", Some("define")),
        ("()", "a program starts with FPCore", Some("()")),
        (
            "(FPCore (x) :lastbit-exp-ulps -1 :pre (<= 0 x 1) x)",
            "an accuracy must not be negative",
            Some("-1"),
        ),
    ];
    for (source, message, place) in cases {
        let (diagnostic, found) = complaint(source);
        assert_eq!(diagnostic.message, message, "{source}");
        if let Some(place) = place {
            assert_eq!(found, place, "{source}");
        }
    }
    let (sin, _) = complaint("(FPCore (x) :pre (<= 0 x 1) (sin x))");
    assert!(sin.hint.expect("it says what there is").contains("sqrt log exp"));
}

#[test]
fn programs_are_read_each_by_itself() {
    let programs = read(
        "(FPCore first (x) :pre (<= 0 x 1) x) (FPCore second (x) x)\n(FPCore (x) (sin x)) (FPCore fourth () (exp 1))",
    );
    let names: Vec<Result<String, Option<String>>> =
        programs.into_iter().map(|program| program.map(|p| p.name).map_err(|error| error.program)).collect();
    let failed = |name: &str| Err(Some(name.to_owned()));
    assert_eq!(
        names,
        [Ok("first".to_owned()), failed("second"), failed("program 3"), Ok("fourth".to_owned())]
    );
}

#[test]
fn malformed_texts_are_reported_behind_what_was_read() {
    let good = "(FPCore f (x) :pre (<= 0 x 1) x)";
    let cases = [
        ("(+ 1 2", "`)` is missing for this bracket", "("),
        (")", "`)` closes nothing", ")"),
        ("(a [b)", "`)` closes a bracket that needs `]`", "[b)"),
        ("word (a)", "text outside of a program", "word"),
        ("\"text\"", "text outside of a program", "\""),
        ("(a \"text)", "the string is not closed", "\""),
        ("(a b#c)", "'#' cannot stand in a symbol or a number", "#"),
        ("(a λx)", "'λ' cannot stand in a symbol or a number", "λ"),
    ];
    for (tail, message, place) in cases {
        let source = format!("{good}\n{tail}");
        let mut programs = read(&source);
        assert_eq!(programs.len(), 2, "{tail}");
        let error = programs.pop().expect("two").expect_err(tail);
        assert!(programs[0].is_ok());
        assert_eq!(error.program, None);
        let span = error.diagnostics[0].span;
        assert_eq!((error.diagnostics[0].message.as_str(), &source[span.start..span.end]), (message, place));
    }
    for empty in ["", " \n", "; a comment"] {
        assert_eq!(error(empty).to_string(), "no program: the text is empty");
    }
}

#[test]
fn depth_costs_no_stack() {
    let depth = 10_000;
    let sum = format!("{}x{}", "(+ ".repeat(depth), " y)".repeat(depth));
    assert_eq!(body(&sum).nodes.len(), depth + 2);
    let not = format!("(if {}(< x y){} x y)", "(not ".repeat(depth), ")".repeat(depth));
    assert_eq!(body(&not).nodes.len(), 3);
    let and = format!("(if {}(< x y){} x y)", "(and (< y x) ".repeat(depth), ")".repeat(depth));
    assert_eq!(body(&and).nodes.len(), depth + 3);
    let lets = format!("{}x{}", "(let ([x (* x y)]) ".repeat(depth), ")".repeat(depth));
    assert_eq!(body(&lets).nodes.len(), depth + 2);
    let choices = format!("{}x{}", "(if (< x y) x ".repeat(depth), ")".repeat(depth));
    assert_eq!(body(&choices).nodes.len(), depth + 2);
    let bound = format!("{}2{}", "(- ".repeat(depth), ")".repeat(depth));
    assert_eq!(range(&format!("(<= 0 x {bound})")).1, rational("2"));
    let brackets = "(".repeat(1_000_000);
    assert!(read(&brackets)[0].is_err());
    let closed = format!("{}{}", "[".repeat(500_000), "]".repeat(500_000));
    assert!(read(&closed)[0].is_err());
}

/// A megabyte of bytes from a small alphabet that gets past the lexer, and one of any bytes.
#[test]
fn a_megabyte_of_noise_gives_a_message() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    let bytes: Vec<u8> = (0..1_000_000).map(|_| next()).collect();
    assert!(read(&String::from_utf8_lossy(&bytes)).last().is_some_and(Result::is_err));
    let words = [" ", "(", ")", "FPCore", "x", "1", "let", "if", "<", "\"", ":pre", "[", "]", "1e9"];
    let text: String = (0..300_000).map(|_| words[usize::from(next()) % words.len()]).collect();
    assert!(read(&format!("({text}")).iter().any(Result::is_err));
}

proptest! {
    /// Messages point into the text, at character boundaries, whatever the text is.
    #[test]
    fn spans_lie_in_the_text(words in prop::collection::vec(
        prop::sample::select(vec![
            "(", ")", "[", "]", "FPCore", "(FPCore (x) :pre (<= 0 x 1) ", "x", "y", "let", "let*", "if", "and", "<", "==", "+",
            "-", "1", "-2/3", "1e5000", "λ", "\"", ":pre", ":name", "\"n\"", "TRUE", "PI", "sqrt", "(x)", "((x x))",
        ]),
        0..40,
    )) {
        let source = words.join(" ");
        let programs = read(&source);
        prop_assert!(!programs.is_empty());
        for error in programs.into_iter().filter_map(Result::err) {
            prop_assert!(!error.diagnostics.is_empty());
            for diagnostic in error.diagnostics {
                prop_assert!(source.get(diagnostic.span.start..diagnostic.span.end).is_some());
            }
        }
    }
}
