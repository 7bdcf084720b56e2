//! Whether there are any neighbours at all: a proof about none is true, and says nothing.

use std::collections::BTreeMap;
use std::fmt;

use lastbit_audit::discrete::{Argument, Inputs};
use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::symbolic::{Constraint, Polynomial, Program};
use lastbit_real::Rational;

use super::neighbours::Space;
use super::parameters::candidates;
use crate::logic::kernel::{self, Judge, KernelError};
use crate::logic::search::Finder;

/// Whether there are inputs that a privacy claim is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Neighbours {
    /// There are neighbours: these inputs satisfy all declarations, exactly.
    Exist(Example),
    /// There are none: the declarations are contradictory in every case, by a lemma that was checked. The claim is vacuous.
    None,
    /// None were found, and no contradiction.
    Unknown,
}

/// Two neighbouring inputs, and numbers for the parameters that are open.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Example {
    /// The values of all parameters.
    pub parameters: BTreeMap<String, Rational>,
    /// The inputs, by the names of the arguments.
    pub inputs: [Inputs; 2],
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> =
            self.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        for (run, inputs) in self.inputs.iter().enumerate() {
            let number = |x: &Rational| x.to_string();
            parts.extend(inputs.iter().map(|(name, argument)| {
                let value = match argument {
                    Argument::Number(x) => number(x),
                    Argument::Bool(x) => x.to_string(),
                    Argument::Numbers(list) => {
                        format!("[{}]", list.iter().map(number).collect::<Vec<_>>().join(", "))
                    }
                    Argument::Bools(list) => format!("{list:?}"),
                };
                format!("{name}<{}> = {value}", run + 1)
            }));
        }
        f.write_str(&parts.join(", "))
    }
}

/// Looks for two inputs that satisfy what a declaration says of neighbours, and if there seem to be none, for a contradiction.
///
/// This is computed from the declaration, whatever a proof says about it.
///
/// # Errors
/// If the declaration cannot be read.
pub fn neighbours(
    file: &File,
    declaration: &Declaration,
    values: &BTreeMap<String, Rational>,
) -> Result<Neighbours, KernelError> {
    let open = Program::new(file, declaration, values)?;
    for parameters in candidates(&open, values, &Polynomial::zero())? {
        let program = Program::new(file, declaration, &parameters)?;
        let space = Space::new(&program, &Rational::ONE);
        let origin = vec![Rational::ZERO; space.len()];
        for case in kernel::hypotheses(&program)? {
            let Some(first) = space.nearest(&case, &origin) else { continue };
            if let Some(second) = space.neighbour(&case, &first, &origin) {
                let inputs = [space.arguments(&first), space.arguments(&second)];
                return Ok(Neighbours::Exist(Example { parameters, inputs }));
            }
        }
    }
    let mut finder = Finder::default();
    let mut is_impossible =
        |constraints: &[Constraint]| finder.are_refuted(&constraints.iter().collect::<Vec<&Constraint>>());
    let all = kernel::hypotheses(&open)?;
    Ok(match all.iter().all(|case| is_impossible(&case.constraints)) {
        true => Neighbours::None,
        false => Neighbours::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use lastbit_lang::parse;

    use super::*;

    fn of(clauses: &str) -> Neighbours {
        let text = format!(
            "mechanism m(x: real) -> real\n  param eps: real > 0, t: real\n{clauses}\n  claim pure eps\n{{ return x }}"
        );
        let (file, messages) = parse(&text);
        assert!(messages.is_empty(), "{messages:?}");
        neighbours(&file, &file.declarations[0], &BTreeMap::new()).expect("it can be read")
    }

    #[test]
    fn three_answers() {
        let Neighbours::Exist(example) = of("adjacent |x<1> - x<2>| <= 1") else { panic!("there are some") };
        assert_eq!(example.to_string(), "eps = 1, t = 0, x<1> = 0, x<2> = 1");
        assert_eq!(of("adjacent |x<1> - x<2>| <= 1\n  assume t > 1\n  assume t < 0"), Neighbours::None);
        assert_eq!(of("adjacent x<1> > x<2> + 1\n  assume x < 0\n  assume x > 0"), Neighbours::None);
        // True of t = 100 and others, which are not tried.
        assert_eq!(of("adjacent |x<1> - x<2>| <= 1\n  assume t > 99"), Neighbours::Unknown);
    }

    /// What `prove` shows is about something.
    #[test]
    fn the_standard_mechanisms_have_neighbours() {
        for text in [
            include_str!("../../../../../mechanisms/snapping.lb"),
            include_str!("../../../../../mechanisms/laplace.lb"),
            include_str!("../../../../../mechanisms/grid_laplace.lb"),
            include_str!("../../../../../mechanisms/randomized_response.lb"),
            include_str!("../../../../../mechanisms/standard/noisy_max.lb"),
            include_str!("../../../../../mechanisms/standard/selection.lb"),
            include_str!("../../../../../mechanisms/standard/sums.lb"),
            include_str!("../../../../../mechanisms/standard/sparse_vector.lb"),
        ] {
            let (file, _) = parse(text);
            for declaration in &file.declarations {
                let name = &declaration.name.text;
                let found = neighbours(&file, declaration, &BTreeMap::new());
                assert!(matches!(found, Ok(Neighbours::Exist(_))), "{name}: {found:?}");
            }
        }
    }
}
