//! Certificates that are written are accepted; certificates in which anything is changed are refused.

use lastbit_lang::{
    Accuracy, Comparison, Format, Input, InputKind, NodeId, Op, Role, StraightLine, Tie, fpcore,
};
use lastbit_prove::analysis::{Effort, Goal, analyse, analyse_goal};
use lastbit_prove::certificate::to_json;
use lastbit_prove::check::{check, same_program};
use lastbit_real::{Dyadic, IBig, Rational, Rounding};
use serde_json::{Value, json};

/// Programs of the exchange format, with the number of boxes to ask for.
const FPCORES: [(usize, &str); 14] = [
    (
        1,
        r#"(FPCore (u v T) :name "doppler" :pre (and (<= -100 u 99) (<= 20 v 20000) (<= -30 T 50))
        (let ((t1 (+ 1657/5 (* 3/5 T)))) (/ (* (- t1) v) (* (+ t1 u) (+ t1 u)))))"#,
    ),
    (
        40,
        r#"(FPCore (u v T) :name "doppler, 40 boxes" :pre (and (<= -100 u 99) (<= 20 v 20000) (<= -30 T 50))
        (let ((t1 (+ 1657/5 (* 3/5 T)))) (/ (* (- t1) v) (* (+ t1 u) (+ t1 u)))))"#,
    ),
    (7, r#"(FPCore (x) :name "roots" :pre (<= 1 x 1000) (- (sqrt (+ x 1)) (sqrt x)))"#),
    (3, r#"(FPCore (x y) :name "root of 0" :pre (and (<= 0 x 3) (<= 0 y 1)) (sqrt (+ (* x 1/10) y)))"#),
    (12, r#"(FPCore (x) :name "sigmoid" :pre (<= -8 x 7) (/ 1 (+ 1 (exp (- x)))))"#),
    (4, r#"(FPCore (x) :name "softplus" :precision binary32 :pre (<= -4 x 5) (log (+ 1 (exp x))))"#),
    (
        20,
        r#"(FPCore (x1 x2 x3) :name "rigid body" :pre (and (<= -15 x1 14) (<= -13 x2 12) (<= -11 x3 10))
        (- (- (- (* x1 x2)) (* (* 2 x2) x3)) (+ x1 x3)))"#,
    ),
    (
        5,
        r#"(FPCore (x y z) :name "fused" :pre (and (<= 1/3 x 2) (<= -3 y 4) (<= 5 z 7)) (fma (+ x 1/7) y (fma x x z)))"#,
    ),
    (
        6,
        r#"(FPCore (x y) :name "extrema" :precision binary32 :pre (and (<= -2 x 3) (<= -1 y 5/2))
        (fmax (fmin (* x 1/3) (+ y x)) (fabs (- y 1/10))))"#,
    ),
    (
        9,
        r#"(FPCore (x y) :name "branches" :pre (and (<= -2 x 3) (<= 1 y 4))
        (if (< x 1/2) (* x y) (if (== (* x y) 2) (+ x 1/3) (/ y x))))"#,
    ),
    (8, r#"(FPCore (x) :name "subnormal" :pre (<= 1e-309 x 1e-290) (* (* x 1/4) (+ x (/ x 8))))"#),
    (
        16,
        r#"(FPCore (r K) :name "verhulst" :pre (and (<= 1/10 r 3/10) (<= 1 K 5/4)) (/ (* 4 r) (+ 1 (/ r K))))"#,
    ),
    (1, r#"(FPCore (x) :name "nothing rounds" :pre (<= 1 x 2) (- (* 2 x) (* x 2)))"#),
    (10, r#"(FPCore (x) :name "near 1" :pre (<= 9/10 x 11/10) (log (* x x)))"#),
];

fn ratio(n: i64, d: i64) -> Rational {
    Rational::new(n, d).expect("not zero")
}

fn input(program: &mut StraightLine, kind: InputKind, lo: Rational, hi: Rational) -> NodeId {
    let name = format!("v{}", program.inputs.len());
    program.input(Input { name, role: Role::Argument, kind, lo, hi }, None)
}

/// What the exchange format lacks.
fn built() -> Vec<(usize, StraightLine)> {
    let mut all = Vec::new();

    let mut p = StraightLine::new("laplace", Format::Binary64);
    p.libm.ln = Accuracy::Ulps(Rational::ONE);
    let u = input(&mut p, InputKind::Float, ratio(1, 1 << 40), Rational::ONE);
    let sign = input(&mut p, InputKind::Sign, -Rational::ONE, Rational::ONE);
    let q = input(&mut p, InputKind::Integer, Rational::from(-1000), Rational::from(999));
    let scale = input(&mut p, InputKind::Real, ratio(1, 10), ratio(5, 2));
    let ln = p.push(Op::Ln(u), None);
    let scaled = p.push(Op::Mul(scale, ln), None);
    let noise = p.push(Op::Mul(sign, scaled), None);
    p.result = p.push(Op::Add(q, noise), None);
    all.push((12, p.clone()));
    let sum = p.result;
    let bound = p.push(Op::Const(Rational::from(1200)), None);
    let clamped = p.push(Op::Clamp { arg: sum, bound }, None);
    p.result = p.push(Op::Round { arg: clamped, exponent: -10, tie: Tie::Even }, None);
    p.name = "snapping".into();
    all.push((5, p));

    for (tie, format) in
        [(Tie::Up, Format::Binary64), (Tie::Even, Format::Binary32), (Tie::Away, Format::Binary64)]
    {
        let mut p = StraightLine::new(format!("grid {tie:?}"), format);
        let x = input(&mut p, InputKind::Real, ratio(-7, 2), ratio(9, 2));
        let y = input(&mut p, InputKind::Float, ratio(-5, 2), ratio(5, 4));
        let coarse = p.push(Op::Round { arg: y, exponent: 0, tie }, None);
        let sum = p.push(Op::Add(x, coarse), None);
        let fine = p.push(Op::Round { arg: sum, exponent: -8, tie }, None);
        p.result = p.push(Op::Mul(fine, y), None);
        all.push((6, p));
    }

    for test in [Comparison::Less, Comparison::LessOrEqual, Comparison::Equal] {
        let mut p = StraightLine::new(format!("choice {test:?}"), Format::Binary64);
        let x = input(&mut p, InputKind::Float, Rational::from(-2), Rational::from(3));
        let n = input(&mut p, InputKind::Integer, Rational::from(-3), Rational::from(4));
        let zero = p.push(Op::Const(Rational::ZERO), None);
        let root = p.push(Op::Sqrt(x), None);
        let tenth = p.push(Op::Const(ratio(1, 10)), None);
        let product = p.push(Op::Mul(n, tenth), None);
        let choice = p.push(Op::Select { test, lhs: x, rhs: zero, then: product, otherwise: tenth }, None);
        let positive = p.push(Op::Const(ratio(7, 3)), None);
        // The root is refused for negative numbers, and never chosen.
        let chosen = p.push(
            Op::Select { test: Comparison::Less, lhs: zero, rhs: positive, then: choice, otherwise: root },
            None,
        );
        let crossed =
            p.push(Op::Select { test, lhs: chosen, rhs: product, then: positive, otherwise: chosen }, None);
        let minimum = p.push(Op::Min(crossed, n), None);
        let clamp = p.push(Op::Clamp { arg: minimum, bound: positive }, None);
        let absolute = p.push(Op::Abs(clamp), None);
        let negated = p.push(Op::Neg(absolute), None);
        p.result = p.push(Op::Fma(negated, negated, x), None);
        all.push((10, p));
    }

    for (name, format) in [("everything", Format::Binary64), ("everything, single", Format::Binary32)] {
        let mut p = StraightLine::new(name, format);
        p.libm.exp = Accuracy::Ulps(ratio(2, 3));
        p.libm.ln = Accuracy::Ulps(ratio(5, 2));
        let x = input(&mut p, InputKind::Real, ratio(1, 3), ratio(7, 5));
        let y = input(&mut p, InputKind::Float, ratio(-3, 4), ratio(11, 7));
        let e = p.push(Op::Exp(y), None);
        let l = p.push(Op::Ln(x), None);
        let quarter = p.push(Op::Const(ratio(-1, 4)), None);
        let scaled = p.push(Op::Mul(l, quarter), None);
        let halved = p.push(Op::Div(scaled, quarter), None);
        let maximum = p.push(Op::Max(halved, e), None);
        let square = p.push(Op::Mul(maximum, maximum), None);
        let difference = p.push(Op::Sub(square, y), None);
        let sum = p.push(Op::Add(x, x), None);
        let root = p.push(Op::Sqrt(sum), None);
        let tiny = p.push(Op::Exp(difference), None);
        let quotient = p.push(Op::Div(tiny, root), None);
        p.result = p.push(Op::Sub(quotient, x), None);
        all.push((15, p));
    }
    for (i, op) in edges().into_iter().enumerate() {
        all.push((i % 3 + 1, op));
    }
    all
}

/// Four sums of constants, each a tie that goes up, and a difference that is exact: the real value is `(n - 1/2)·Λ` and the float
/// `(n + 1/2)·Λ`, with `Λ = 2^-52` and `n` odd. To even, they go to `n - 1` and `n + 1`.
fn two_cells_apart() -> StraightLine {
    let mut p = StraightLine::new("two cells apart", Format::Binary64);
    let unit = |n: i64| ratio(1, 1 << 54) * Rational::from(n);
    let mut sum = p.push(Op::Const(ratio(3, 4) + unit(2)), None);
    for odd in [1, 3, 3, 3] {
        let tie = p.push(Op::Const(unit(odd)), None);
        sum = p.push(Op::Add(sum, tie), None);
    }
    let shift = p.push(Op::Const(ratio(1, 2) - unit(6)), None);
    let difference = p.push(Op::Sub(sum, shift), None);
    p.result = p.push(Op::Round { arg: difference, exponent: -52, tie: Tie::Even }, None);
    p
}

/// Programs at the edges of the rules.
fn edges() -> Vec<StraightLine> {
    type Build = fn(&mut StraightLine) -> NodeId;
    let list: &[(&str, Format, Build)] = &[
        ("large constant", Format::Binary64, |p| {
            let c = p.push(Op::Const(Rational::pow2(1023) * ratio(15, 11)), None);
            p.push(Op::Neg(c), None)
        }),
        ("rounded large constant", Format::Binary64, |p| {
            let c = p.push(Op::Const(Rational::pow2(1021) * ratio(15, 11)), None);
            p.push(Op::Round { arg: c, exponent: 1000, tie: Tie::Up }, None)
        }),
        ("real of any size", Format::Binary64, |p| {
            let x = input(p, InputKind::Real, Rational::pow2(-4000), Rational::ONE);
            let y = p.push(Op::Mul(x, x), None);
            let z = p.push(Op::Mul(y, y), None);
            let w = p.push(Op::Add(z, x), None);
            p.push(Op::Sqrt(w), None)
        }),
        ("exponents far below", Format::Binary32, |p| {
            let x = input(p, InputKind::Float, Rational::from(-1500), Rational::from(3));
            let tenth = p.push(Op::Const(ratio(1, 10)), None);
            let y = p.push(Op::Add(x, tenth), None);
            let z = p.push(Op::Exp(y), None);
            p.push(Op::Add(z, tenth), None)
        }),
        ("exponents far below, double", Format::Binary64, |p| {
            let x = input(p, InputKind::Float, Rational::from(-9000), Rational::from(-2000));
            let tenth = p.push(Op::Const(ratio(1, 10)), None);
            let y = p.push(Op::Mul(x, tenth), None);
            let a = p.push(Op::Exp(y), None);
            let b = p.push(Op::Exp(x), None);
            p.push(Op::Add(a, b), None)
        }),
        ("wide error in an exponent", Format::Binary64, |p| {
            let x = input(p, InputKind::Float, Rational::pow2(53), Rational::pow2(54));
            let y = input(p, InputKind::Float, ratio(1, 3), ratio(5, 3));
            let sum = p.push(Op::Add(x, y), None);
            let back = p.push(Op::Sub(sum, x), None);
            let clamp = p.push(Op::Const(Rational::from(7)), None);
            let back = p.push(Op::Clamp { arg: back, bound: clamp }, None);
            p.push(Op::Exp(back), None)
        }),
        ("negated sign", Format::Binary64, |p| {
            let s = input(p, InputKind::Sign, -Rational::ONE, Rational::ONE);
            let x = input(p, InputKind::Real, ratio(1, 3), ratio(5, 3));
            let t = p.push(Op::Neg(s), None);
            let y = p.push(Op::Mul(t, x), None);
            let z = p.push(Op::Mul(y, s), None);
            let tiny = p.push(Op::Const(Rational::pow2(-1070)), None);
            let w = p.push(Op::Mul(s, tiny), None);
            let w = p.push(Op::Mul(tiny, w), None);
            let v = p.push(Op::Mul(tiny, s), None);
            let w = p.push(Op::Sub(w, v), None);
            p.push(Op::Add(z, w), None)
        }),
        ("zeros", Format::Binary32, |p| {
            let x = input(p, InputKind::Float, Rational::ZERO, ratio(5, 3));
            let y = input(p, InputKind::Float, Rational::from(-2), Rational::ZERO);
            let zero = p.push(Op::Const(Rational::ZERO), None);
            let a = p.push(Op::Sub(zero, x), None);
            let b = p.push(Op::Mul(a, zero), None);
            let b = p.push(Op::Add(b, a), None);
            let tenth = p.push(Op::Const(ratio(1, 10)), None);
            let c = p.push(Op::Mul(x, tenth), None);
            let d = p.push(Op::Abs(c), None);
            let e = p.push(Op::Abs(y), None);
            let f = p.push(Op::Sqrt(d), None);
            let g = p.push(Op::Fma(c, c, e), None);
            let h = p.push(Op::Min(f, g), None);
            p.push(Op::Sub(h, b), None)
        }),
        ("powers of two", Format::Binary64, |p| {
            let x = input(p, InputKind::Float, Rational::pow2(-1030), Rational::pow2(-1000));
            let two = p.push(Op::Const(Rational::from(-2)), None);
            let eighth = p.push(Op::Const(ratio(1, 8)), None);
            let one = p.push(Op::Mul(eighth, two), None);
            let a = p.push(Op::Mul(x, one), None);
            let b = p.push(Op::Div(a, two), None);
            let c = p.push(Op::Div(b, eighth), None);
            let d = p.push(Op::Mul(two, c), None);
            p.push(Op::Sub(d, b), None)
        }),
        ("refusals", Format::Binary64, |p| {
            let x = input(p, InputKind::Float, Rational::from(-2), Rational::from(3));
            let n = input(p, InputKind::Integer, Rational::from(-2), Rational::pow2(53));
            let large = p.push(Op::Const(Rational::pow2(1023) * ratio(15, 11)), None);
            let larger = p.push(Op::Const(Rational::pow2(1023) * ratio(19, 10)), None);
            let c = p.push(Op::Const(Rational::pow2(1022) * ratio(15, 11)), None);
            for arg in [x, large, larger, c] {
                for exponent in [-1075, -1074, 0, 1000, 1021, 1022, 1023, 1024] {
                    for tie in [Tie::Up, Tie::Even, Tie::Away] {
                        p.push(Op::Round { arg, exponent, tie }, None);
                    }
                }
                p.push(Op::Sqrt(arg), None);
                p.push(Op::Ln(arg), None);
                let e = p.push(Op::Exp(arg), None);
                p.push(Op::Add(e, e), None);
                p.push(Op::Div(arg, x), None);
                p.push(Op::Clamp { arg: x, bound: arg }, None);
                p.push(Op::Mul(arg, large), None);
                p.push(Op::Add(arg, large), None);
                p.push(Op::Max(arg, n), None);
            }
            for hi in [704, 708, 709, 710, 2046, 2047] {
                let c = p.push(Op::Const(Rational::from(hi)), None);
                p.push(Op::Exp(c), None);
            }
            p.push(Op::Const(Rational::pow2(1024)), None);
            let half = p.push(Op::Const(ratio(1, 2)), None);
            let y = p.push(Op::Mul(large, half), None);
            p.push(Op::Mul(y, half), None);
            p.push(Op::Add(x, half), None)
        }),
        ("real near overflow", Format::Binary64, |p| {
            let x = input(p, InputKind::Real, Rational::pow2(1021), Rational::pow2(1022));
            p.push(Op::Sqrt(x), None)
        }),
    ];
    list.iter()
        .map(|&(name, format, build)| {
            let mut p = StraightLine::new(name, format);
            p.result = build(&mut p);
            p
        })
        .collect()
}

fn programs() -> Vec<(usize, StraightLine)> {
    let read = |&(boxes, text): &(usize, &str)| {
        let program = fpcore::read(text).remove(0).unwrap_or_else(|e| panic!("{e}"));
        (boxes, program)
    };
    FPCORES.iter().map(read).chain(built()).collect()
}

fn certificate(boxes: usize, program: &StraightLine) -> Value {
    let analysis = analyse(program, Effort::of_boxes(boxes), |_| {})
        .unwrap_or_else(|e| panic!("{}: {e:?}", program.name));
    to_json(program, &analysis)
}

#[test]
fn what_is_written_is_accepted() {
    let mut failures = Vec::new();
    for (boxes, program) in programs() {
        let text = certificate(boxes, &program).to_string();
        match check(&text) {
            Ok(checked) => {
                same_program(&checked.program, &program).expect("it is about this program");
                println!("{}: {} leaves, {} judgements", program.name, checked.leaves, checked.judgements);
            }
            Err(error) => failures.push(format!("{}: {error}", program.name)),
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Ties to even part two numbers that are `Λ` apart by `2Λ`: no certificate may say `Λ`.
#[test]
fn ties_part_by_two_cells() {
    let mut certificate = certificate(1, &two_cells_apart());
    for (error, accepted) in [("1p-52", false), ("1p-51", true)] {
        let leaf = &mut certificate["tree"][0]["leaf"];
        let judgement =
            leaf["judgements"].as_array_mut().and_then(|list| list.last_mut()).expect("a judgement");
        for number in [4, 7] {
            judgement[number] = json!(error);
        }
        leaf["error"] = json!(error);
        certificate["claim"]["error"] = json!(error);
        assert_eq!(check(&certificate.to_string()).is_ok(), accepted, "{error}");
    }
}

fn dyadic_text(x: &Dyadic) -> String {
    if x.is_zero() { "0".into() } else { format!("{}p{}", x.mantissa(), x.exponent()) }
}

/// A DYADIC one and two units off, with its exponent one off, and written in another way.
fn near_dyadics(text: &str) -> Option<Vec<String>> {
    if text == "0" {
        let other = ["1p-1100", "-1p-1100", "1p-4096", "-0", "0p0", "", "00"];
        return Some(other.map(String::from).to_vec());
    }
    let (mantissa, exponent) = text.split_once('p')?;
    let (m, e): (IBig, i64) = (mantissa.parse().ok()?, exponent.parse().ok()?);
    let off = [-2, -1, 1, 2].map(|unit| dyadic_text(&Dyadic::new(&m + IBig::from(unit), e)));
    let shifted = [e - 1, e + 1].map(|e| format!("{m}p{e}"));
    let same = [
        format!("{}p{}", &m * IBig::from(2), e - 1),
        format!("{m}p{e}.0"),
        format!("0{m}p{e}"),
        format!("{}p{e}", -&m),
    ];
    Some([&off[..], &shifted[..], &same[..]].concat())
}

/// A fraction with its numerator or its denominator one off.
fn near_fractions(text: &str) -> Option<Vec<String>> {
    let value: Rational = text.parse().ok()?;
    let (n, d) = (value.numerator(), IBig::from(value.denominator()));
    let one = IBig::ONE;
    let pairs =
        [(&n - &one, d.clone()), (&n + &one, d.clone()), (n.clone(), &d + &one), (n.clone(), &d - &one)];
    let near = pairs.into_iter().filter_map(|(n, d)| Rational::new(n, d)).map(|near| near.to_string());
    let same = format!("{}/{}", &n * IBig::from(2), &d * IBig::from(2));
    Some(near.filter(|near| near != text).chain([same]).collect())
}

/// What a word of a certificate may be changed to.
fn other_words(word: &str) -> Vec<String> {
    let groups: &[&[&str]] = &[
        &["binary64", "binary32"],
        &["interval", "linear"],
        &["correctly_rounded", "1 ulp", "1/2 ulp", "0 ulp", "-1 ulp"],
        &["float", "real", "sign", "integer"],
        &["up", "even", "away"],
        &["<", "<=", "=="],
        &["neg", "abs", "sqrt", "ln", "exp"],
        &["add", "sub", "mul", "div", "min", "max", "clamp"],
        &["error certificate", "certificate"],
    ];
    let group = groups.iter().find(|group| group.contains(&word)).copied().unwrap_or_default();
    group.iter().filter(|other| **other != word).map(|other| other.to_string()).collect()
}

/// All that the value at one place may be changed to.
fn changes(value: &Value, path: &str) -> Vec<Value> {
    let in_program = path.starts_with("/program");
    match value {
        Value::String(_) if path.ends_with("/name") => vec![],
        Value::String(text) => {
            let ulps = text.strip_suffix(" ulp").and_then(near_fractions).unwrap_or_default();
            let ulps = ulps.into_iter().map(|k| format!("{k} ulp"));
            let numbers = if in_program { near_fractions(text) } else { near_dyadics(text) };
            let texts = numbers.unwrap_or_default().into_iter().chain(ulps).chain(other_words(text));
            texts.map(Value::from).chain([Value::Null, json!(1)]).collect()
        }
        Value::Number(number) => {
            let n = number.as_i64().expect("small");
            vec![json!(n - 1), json!(n + 1), json!(n.to_string()), json!(n as f64), Value::Null]
        }
        Value::Null => vec![json!("0"), json!("1p0"), json!(["0", "0", "0", "0", "0", "0", "0", "0"])],
        Value::Array(items) => {
            let mut changed = vec![Value::Null, json!([])];
            for i in 0..items.len() {
                let mut fewer = items.clone();
                let item = fewer.remove(i);
                changed.push(Value::Array(fewer.clone()));
                fewer.insert(i, item.clone());
                fewer.insert(i, item);
                changed.push(Value::Array(fewer));
            }
            for i in 1..items.len() {
                let mut swapped = items.clone();
                swapped.swap(i - 1, i);
                if swapped != *items {
                    changed.push(Value::Array(swapped));
                }
            }
            changed
        }
        Value::Object(fields) => {
            let mut changed = vec![Value::Null];
            for name in fields.keys() {
                let mut fewer = fields.clone();
                fewer.remove(name);
                changed.push(Value::Object(fewer));
            }
            let mut more = fields.clone();
            more.insert("comment".into(), Value::Null);
            changed.push(Value::Object(more));
            changed
        }
        Value::Bool(_) => vec![],
    }
}

/// The places of all values, as JSON pointers.
fn places(value: &Value) -> Vec<String> {
    let mut places = Vec::new();
    let mut todo = vec![(String::new(), value)];
    while let Some((path, value)) = todo.pop() {
        match value {
            Value::Array(items) => {
                todo.extend(items.iter().enumerate().map(|(i, v)| (format!("{path}/{i}"), v)))
            }
            Value::Object(fields) => todo.extend(fields.iter().map(|(k, v)| (format!("{path}/{k}"), v))),
            _ => {}
        }
        places.push(path);
    }
    places
}

/// Every change is refused, of every fourth place, or of all if the environment variable `LASTBIT_MORE` is set. A few of the program section would be true of another program: there only the fingerprint tells.
#[test]
fn what_is_changed_is_refused() {
    let (mut refused, mut others, mut accepted) = (0, 0, Vec::new());
    let step = if std::env::var_os("LASTBIT_MORE").is_some() { 1 } else { 4 };
    // One of the programs is long and made of refusals, which any other refusal may replace.
    for (boxes, program) in programs().into_iter().filter(|(_, program)| program.name != "refusals") {
        let analysis =
            analyse(&program, Effort::of_boxes(boxes.min(4)), |_| {}).expect("it was analysed before");
        let mut certificate = to_json(&program, &analysis);
        for place in places(&certificate).into_iter().step_by(step) {
            let value = certificate.pointer(&place).expect("it is there").clone();
            for change in changes(&value, &place).into_iter().filter(|change| *change != value) {
                *certificate.pointer_mut(&place).expect("it is there") = change.clone();
                let what = || format!("{}{place}: {value} -> {change}", program.name);
                match check(&certificate.to_string()) {
                    Err(error) => {
                        refused += 1;
                        others += usize::from(error.to_string().starts_with("claim.program"));
                    }
                    Ok(_) => accepted.push(what()),
                }
            }
            *certificate.pointer_mut(&place).expect("it is there") = value;
        }
    }
    println!("{refused} changed certificates refused, {others} of them by the fingerprint alone");
    assert!(refused > 40_000 / step && others < refused / 50);
    assert!(accepted.is_empty(), "{}: {accepted:#?}", accepted.len());
}

/// A claimed bound is part of the certificate where it holds, and only there.
#[test]
fn claimed_bounds_are_checked() {
    let mut p = StraightLine::new("claim", Format::Binary64);
    let x = input(&mut p, InputKind::Float, Rational::ONE, Rational::from(1024));
    p.result = p.push(Op::Mul(x, x), None);
    let [small, large] = [-53, -52].map(|k| {
        let u = p.push(Op::Const(Rational::pow2(k)), None);
        p.push(Op::Mul(u, p.result), None)
    });
    let goal = |claim| Goal { program: &p, claim: Some(claim) };
    // x·x is off by half an ulp: at most 2^-53 of itself in truth, but a box spans more than a point.
    let proved = analyse_goal(goal(large), Effort::NORMAL, |_| {}).expect("a bound");
    assert!(proved.meets_claim());
    let mut certificate = to_json(&p, &proved);
    assert_eq!(check(&certificate.to_string()).expect("it is right").at_most, Some(large));
    certificate["claim"]["at_most"] = json!(small);
    assert_refused(&certificate.to_string(), &format!("at most what node {small} is worth"));

    let missed = analyse_goal(goal(small), Effort::of_boxes(4), |_| {}).expect("a bound");
    assert!(!missed.meets_claim());
    assert_eq!(to_json(&p, &missed)["claim"]["at_most"], Value::Null);
}

/// Lies that agree with each other.
#[test]
fn coherent_lies_are_refused() {
    let (boxes, program) = programs().remove(2);
    let certificate = certificate(boxes, &program);
    let result = program.result;

    let mut lowered = certificate.clone();
    let half = |value: &mut Value| {
        let text = value.as_str().expect("a number");
        let (mantissa, exponent) = text.split_once('p').expect("not 0");
        *value = json!(format!("{mantissa}p{}", exponent.parse::<i64>().expect("an exponent") - 1));
    };
    half(&mut lowered["claim"]["error"]);
    for entry in lowered["tree"].as_array_mut().expect("a tree") {
        if let Some(leaf) = entry.get_mut("leaf") {
            half(&mut leaf["error"]);
            half(&mut leaf["judgements"][result][7]);
        }
    }
    assert_refused(&lowered.to_string(), &format!(".judgements[{result}].d: the rules give "));

    // A gap between two boxes, of one float.
    let mut gap = certificate;
    let cut = gap["tree"][0]["left"].as_str().expect("a cut").to_owned();
    let (mantissa, exponent) = cut.split_once('p').expect("not 0");
    let (mantissa, exponent) = (mantissa.parse::<IBig>(), exponent.parse());
    let value = Rational::from(Dyadic::new(mantissa.expect("an integer"), exponent.expect("an exponent")));
    let beyond = value.to_f64(Rounding::Nearest).next_up().next_up();
    gap["tree"][0]["right"] = json!(dyadic_text(&Dyadic::try_from(beyond).expect("finite")));
    let message = "tree[0]: expected values of the input with none of its values between them";
    assert_refused(&gap.to_string(), message);
}

fn assert_refused(text: &str, message: &str) {
    let start = std::time::Instant::now();
    let error = check(text).expect_err("refused").to_string();
    assert!(error.contains(message), "{error:?} does not say {message:?}");
    assert!(start.elapsed().as_secs() < 5, "{error}");
}

/// A certificate with this program and this tree. The fingerprint is that of the program whose only node is the input.
fn with(nodes: &str, tree: &str) -> String {
    format!(
        r#"{{"lastbit": "error certificate", "version": 2,
"program": {{"name": "", "format": "binary64", "libm": {{"ln": "correctly_rounded", "exp": "correctly_rounded"}},
"inputs": [{{"name": "x", "role": "argument", "kind": "float", "lo": "1", "hi": "2"}}], "nodes": {nodes}, "result": 0}},
"claim": {{"program": "1ee0e795e39ae47b", "error": "0", "range": ["1p0", "1p1"], "at_most": null}}, "tree": {tree}}}"#
    )
}

#[test]
fn malformed_files_are_refused_quickly() {
    let leaf = |judgements: &str| {
        let start =
            r#"[{"leaf": {"box": [["1p0", "1p1"]], "method": "interval", "error": "0", "judgements": "#;
        format!("{start}{judgements}}}}}]")
    };
    let one = r#"[["1p0", "1p1", "1p0", "1p1", "0", "0", "0", "0"]]"#;
    let good = with(r#"[["input", 0]]"#, &leaf(one));
    let checked = check(&good).expect("it is right");
    assert_eq!((checked.leaves, checked.judgements), (1, 1));
    assert_eq!(checked.error, Dyadic::ZERO);

    assert_refused("", "line 1, column 1: expected a value, found the end");
    assert_refused("{\n  \"lastbit\": tru }", "line 2, column 14: expected a value, found `t`");
    assert_refused(&format!("{good} x"), "expected the end of the file, found `x`");
    assert_refused(
        &good.replacen("\"version\": 2", "\"version\": 2, \"version\": 2", 1),
        "a field that has not been given",
    );
    assert_refused(&good.replace("\"version\": 2", "\"version\": 2.0"), "an integer of 64 bits");
    assert_refused(&good.replace("\"version\": 2", "\"version\": 02"), "an integer of 64 bits");
    assert_refused(&good.replace("\"version\": 2", "\"version\": 1"), "version: expected 2, found 1");
    assert_refused(&good.replace("\"role\": \"argument\", ", ""), "role: expected a value, found none");
    assert_refused(&good.replace("\"argument\"", "\"sample\""), "role: expected");
    let other = good.replace("\"argument\"", "\"parameter\"");
    assert_refused(&other, "claim.program");
    assert_refused(
        &good.replace("\"version\": 2", "\"version\": 99999999999999999999"),
        "an integer of 64 bits",
    );
    assert_refused(&"[".repeat(1_000_000), "at most 16 levels of nesting");
    assert_refused(&"{\"a\":".repeat(1_000_000), "at most 16 levels of nesting");
    assert_refused(&format!("\"{}", "é\\u12".repeat(200_000)), "an escape of JSON");

    let number = "tree[0].leaf.judgements[0].lo: expected MpE";
    let digits = "7".repeat(1_000_000);
    for text in [
        "1p9999999999",
        "1p-9999999999",
        "1p99999999999999999999",
        "1p1048577",
        "2p0",
        "+1p0",
        "1p+0",
        "1",
        "1P0",
        "p0",
        "1p",
        &digits,
        &format!("{digits}p1"),
    ] {
        assert_refused(&with(r#"[["input", 0]]"#, &leaf(&one.replacen("1p0", text, 1))), number);
    }
    for text in
        ["2/4", "1/0", "1/-2", "-0", "01", "1/1", "0.5", "1e5", "", "1/", &digits, &format!("1/{digits}")]
    {
        let nodes = format!(r#"[["input", 0], ["const", "{text}"]]"#);
        assert_refused(&with(&nodes, &leaf(one)), "program.nodes[1][1]: expected a fraction in lowest terms");
    }

    // Long programs and trees, none of which may overflow the stack.
    let chain: Vec<String> = (0..100_000).map(|i| format!("[\"mul\",{i},{i}]")).collect();
    let chain = format!("[[\"input\",0],{}]", chain.join(","));
    assert_refused(&with(&chain, &leaf(one)), "tree[0].leaf.judgements: expected an array of 100001");
    let judgement = &one[1..one.len() - 1];
    let list = format!("[{}]", vec![judgement; 100_001].join(","));
    assert_refused(&with(&chain, &leaf(&list)), "tree[0].leaf.judgements[1].hi: the rules give 1*2^2");
    let count = 100_000;
    let cuts: Vec<String> = (0..count)
        .map(|i| format!(r#"{{"cut":0,"left":"1p0","right":"1p0","parts":[{},{}]}}"#, i + 1, 2 * count - i))
        .collect();
    let leaf = leaf(one);
    let leaf = &leaf[1..leaf.len() - 1];
    let tree = format!("[{},{}]", cuts.join(","), vec![leaf; count + 1].join(","));
    assert_refused(&with(r#"[["input", 0]]"#, &tree), "tree[100000].leaf.box[0]");

    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let noise: Vec<u8> = (0..1_000_000).map(|_| random() as u8).collect();
    assert_refused(&String::from_utf8_lossy(&noise), "line 1, column 1");
    // Any byte of a file changed to another one: no panic.
    let bytes_of_json = b"\\\"{}[],:0123456789-pn/ \xc3\xa9";
    for _ in 0..20_000 {
        let mut bytes = good.clone().into_bytes();
        let at = random() % bytes.len();
        bytes[at] = bytes_of_json[random() % bytes_of_json.len()];
        let _ = check(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn programs_are_compared_without_names() {
    let all = programs();
    let mut renamed = all[0].1.clone();
    renamed.name = "another".into();
    renamed.inputs[0].name = "y".into();
    renamed.notes.push("left out".into());
    assert_eq!(same_program(&all[0].1, &renamed), Ok(()));
    renamed.inputs[0].hi = Rational::from(98);
    assert!(same_program(&all[0].1, &renamed).is_err_and(|difference| difference.starts_with("input 0")));
    assert!(same_program(&all[0].1, &all[3].1).is_err());
}

/// A program of some twenty nodes, of all operations.
fn random_program(random: &mut dyn FnMut(usize) -> usize) -> StraightLine {
    let format = [Format::Binary64, Format::Binary32][random(2)];
    let mut p = StraightLine::new("random", format);
    let accuracies =
        [Accuracy::CorrectlyRounded, Accuracy::Ulps(ratio(2, 3)), Accuracy::Ulps(Rational::from(3))];
    (p.libm.ln, p.libm.exp) = (accuracies[random(3)].clone(), accuracies[random(3)].clone());
    let number = |random: &mut dyn FnMut(usize) -> usize| {
        let scale = Rational::pow2([0, 0, 0, 3, -2, -20, 40, -130, 100][random(9)]);
        ratio(random(41) as i64 - 20, 1 + random(12) as i64) * scale
    };
    for _ in 0..3 {
        let kind = [InputKind::Float, InputKind::Real, InputKind::Sign, InputKind::Integer][random(4)];
        let (a, b) = match kind {
            InputKind::Sign => (-Rational::ONE, Rational::ONE),
            InputKind::Integer => (Rational::from(-(random(9) as i64)), Rational::from(random(99))),
            _ => (number(random), number(random)),
        };
        input(&mut p, kind, a.clone().min(b.clone()), a.max(b));
    }
    for _ in 0..18 {
        let n = p.nodes.len();
        let mut node = || random(n);
        let (a, b, c, d) = (node(), node(), node(), node());
        let tie = [Tie::Up, Tie::Even, Tie::Away][random(3)];
        let test = [Comparison::Less, Comparison::LessOrEqual, Comparison::Equal][random(3)];
        let op = match random(24) {
            0 | 1 => Op::Const(number(random)),
            2 => Op::Neg(a),
            3 => Op::Abs(a),
            4..=6 => Op::Add(a, b),
            7 | 8 => Op::Sub(a, b),
            9..=11 => Op::Mul(a, b),
            12 => Op::Mul(a, a),
            13 | 14 => Op::Div(a, b),
            15 => Op::Fma(a, b, c),
            16 => Op::Sqrt(a),
            17 => Op::Ln(a),
            18 => Op::Exp(a),
            19 => Op::Min(a, b),
            20 => Op::Max(a, b),
            21 => Op::Clamp { arg: a, bound: b },
            22 => Op::Round { arg: a, exponent: random(60) as i64 - 50, tie },
            _ => Op::Select { test, lhs: a, rhs: b, then: c, otherwise: d },
        };
        p.push(op, None);
    }
    p
}

/// The two readings of the rules agree on whatever programs there are.
#[test]
fn random_certificates_are_accepted() {
    let mut state = 7u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut accepted = 0;
    for _ in 0..ROUNDS {
        let mut program = random_program(&mut random);
        // The last node that has a bound.
        for result in (0..program.nodes.len()).rev() {
            program.result = result;
            let Ok(analysis) = analyse(&program, Effort::of_boxes(1 + result % 3), |_| {}) else { continue };
            let text = to_json(&program, &analysis).to_string();
            if let Err(error) = check(&text) {
                panic!("{error}\n{text}");
            }
            accepted += 1;
            break;
        }
    }
    println!("{accepted} random certificates accepted");
    assert!(accepted > ROUNDS / 2);
}

const ROUNDS: usize = 1500;
