//! Random programs over `x: real` and `b: bool`, written from a list of choices.

/// The text of a program.
pub(super) fn program(choices: &[u8]) -> String {
    let mut writer = Writer {
        choices,
        text: String::new(),
        numbers: vec!["x".into()],
        bools: vec!["b".into()],
        noise: 2,
        count: 0,
    };
    let result = writer.pick(3);
    let ty = ["real", "bool", "[real]"][result];
    for _ in 0..1 + writer.pick(5) {
        writer.statement(result);
    }
    let value = writer.result(result);
    format!("mechanism random(x: real, b: bool) -> {ty}\n{{\n{}return {value};\n}}\n", writer.text)
}

struct Writer<'c> {
    choices: &'c [u8],
    text: String,
    numbers: Vec<String>,
    bools: Vec<String>,
    /// How many more samples of infinitely many values.
    noise: u32,
    count: u32,
}

impl Writer<'_> {
    /// A number below `count`; 0 when there are no more choices.
    fn pick(&mut self, count: usize) -> usize {
        let Some((first, rest)) = self.choices.split_first() else { return 0 };
        self.choices = rest;
        usize::from(*first) % count
    }

    fn one_of(&mut self, list: &[&str]) -> String {
        list[self.pick(list.len())].to_owned()
    }

    fn fresh(&mut self) -> String {
        self.count += 1;
        format!("v{}", self.count)
    }

    fn number_name(&mut self) -> String {
        let place = self.pick(self.numbers.len());
        self.numbers[place].clone()
    }

    /// A variable that may be set again.
    fn local(&mut self) -> Option<String> {
        let locals: Vec<String> = self.numbers.iter().filter(|name| name.starts_with('v')).cloned().collect();
        if locals.is_empty() { None } else { Some(locals[self.pick(locals.len())].clone()) }
    }

    fn number(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.pick(3) {
                0 => self.one_of(&["0", "1", "2", "0.5", "-3"]),
                _ => self.number_name(),
            };
        }
        let mut part = || self.number(depth - 1);
        let (a, b) = (part(), part());
        match self.pick(10) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 => format!("(2 * {a})"),
            4 => format!("min({a}, {b})"),
            5 => format!("max({a}, {b})"),
            6 => format!("|({a})|"),
            7 => {
                let grid = self.one_of(&["1", "2", "0.5", "3"]);
                let tie = self.one_of(&["up", "even", "away"]);
                format!("round({a}, {grid}, {tie})")
            }
            8 => format!("clamp({a}, 4)"),
            _ => {
                let condition = self.condition(depth - 1);
                format!("(if {condition} {{ {a} }} else {{ {b} }})")
            }
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        match self.pick(5) {
            0 => {
                let place = self.pick(self.bools.len());
                self.bools[place].clone()
            }
            1 if depth > 0 => format!("!({})", self.condition(depth - 1)),
            2 if depth > 0 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                let op = self.one_of(&["&", "|"]);
                format!("(({a}) {op} ({b}))")
            }
            _ => {
                let (a, b) = (self.number(depth.min(1)), self.number(depth.min(1)));
                let op = self.one_of(&["<", "<=", ">", ">=", "=", "!="]);
                format!("({a} {op} {b})")
            }
        }
    }

    fn result(&mut self, result: usize) -> String {
        match result {
            0 => self.number(2),
            1 => self.condition(2),
            _ => format!("[{}, {}]", self.number(1), self.number(1)),
        }
    }

    fn statement(&mut self, result: usize) {
        let text = match self.pick(9) {
            0 | 1 if self.noise > 0 => {
                self.noise -= 1;
                let name = self.fresh();
                self.numbers.push(name.clone());
                let law = self.one_of(&["dlap(1, 0)", "dlap(1 / 2, 0)", "dlap(1 / 2, -1)", "dlap(2, 1)"]);
                format!("{name} <$ {law};")
            }
            2 => {
                let name = self.fresh();
                let p = self.one_of(&["1 / 3", "1 / (exp(1) + 1)", "if b { 1 / 4 } else { 1 / 2 }"]);
                self.bools.push(name.clone());
                format!("{name} <$ bernoulli({p});")
            }
            3 => {
                let name = self.fresh();
                let law = self.one_of(&["sign", "choose(1, 2, 3)", "choose(exp(1), exp(x / 8))"]);
                self.numbers.push(name.clone());
                format!("{name} <$ {law};")
            }
            4 => {
                let (name, value) = (self.fresh(), self.condition(2));
                self.bools.push(name.clone());
                format!("{name} := {value};")
            }
            5 => {
                let (condition, value) = (self.condition(2), self.result(result));
                format!("if {condition} {{ return {value}; }}")
            }
            6 => match self.local() {
                Some(name) => {
                    let (condition, a, b) = (self.condition(1), self.number(1), self.number(1));
                    format!("if {condition} {{ {name} := {a}; }} else {{ {name} := {b}; }}")
                }
                None => String::new(),
            },
            7 => {
                // An array, and its sum.
                let (array, sum, index) = (self.fresh(), self.fresh(), format!("i{}", self.count));
                let (a, b, condition) = (self.number(1), self.number(1), self.condition(0));
                self.numbers.push(sum.clone());
                format!(
                    "{array} := [{a}, {b}, 1]; {sum} := {array}[0] * 0.5;\n\
                     for {index} in 1..3 {{ if {condition} {{ {sum} := {sum} + {array}[{index}]; }} }}"
                )
            }
            _ => {
                let (name, value) = (self.fresh(), self.number(2));
                self.numbers.push(name.clone());
                format!("{name} := {value};")
            }
        };
        self.text.push_str(&text);
        self.text.push('\n');
    }
}
