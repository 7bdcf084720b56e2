//! Programs, inputs and options in few words.

use std::collections::BTreeMap;

use lastbit_audit::program::{Options, ProgramError, ProgramReport, audit};
use lastbit_lang::{Bindings, File, parse};
use lastbit_real::{Float, Rational};

pub(crate) type Values = BTreeMap<String, Rational>;

/// Values as text: `x=1/2 eps=0x1.8p-1`.
pub(crate) fn values(text: &str) -> Values {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').expect("name=value");
        (name.to_owned(), number(value))
    };
    text.split_whitespace().map(pair).collect()
}

/// A number, a hexadecimal float included.
pub(crate) fn number(text: &str) -> Rational {
    match f64::parse_hex(text) {
        Ok(float) => Rational::try_from(float).expect("finite"),
        Err(_) => text.parse().expect("a number"),
    }
}

pub(crate) fn parsed(source: &str) -> File {
    let (file, messages) = parse(source);
    assert_eq!(messages, []);
    file
}

/// The program with these parameters on two inputs.
pub(crate) fn audited(
    source: &str,
    parameters: &str,
    inputs: [&str; 2],
    options: &Options<'_>,
) -> Result<ProgramReport, ProgramError> {
    let bindings = Bindings { values: values(parameters), ..Bindings::default() };
    let [first, second] = inputs.map(values);
    audit(&parsed(source), None, &bindings, [&first, &second], options)
}

/// All outcomes are listed.
pub(crate) fn listing() -> Options<'static> {
    Options { listed: usize::MAX, ..Options::default() }
}
