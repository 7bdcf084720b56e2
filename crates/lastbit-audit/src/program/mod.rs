//! The exact distribution of a float program: one uniform sample `u`, any number of operations, a few signs.
//!
//! A program that is monotone in `u` gives every output on an interval of samples, the ends of which bisection finds. That it
//! is monotone is checked, not assumed: see [`Reason`] for what can be missing. Where there are few enough samples they are all
//! evaluated, monotone or not.
//!
//! `-0` and `+0` are two outputs, as whoever sees a float can tell. What gives which is said in `docs/language.md`; rounding to a
//! grid gives `+0`.
//!
//! ```
//! use lastbit_audit::decimal::scientific_of;
//! use lastbit_audit::program::{Method, Options, audit};
//! use lastbit_lang::{Bindings, parse};
//! use lastbit_real::Rational;
//!
//! let (file, _) = parse("
//!     mechanism snap(x: f64) -> grid
//!       param eps: f64 > 0, B: f64 > 0
//!     {
//!       u <$ unif(0,1);  s <$ sign;
//!       return clamp(round(clamp(x, B) + s * (ln(u) / eps), 1, up), B)
//!     }");
//! let values = [("eps".to_owned(), Rational::ONE), ("B".to_owned(), Rational::from(4))].into();
//! let bindings = Bindings { values, ..Bindings::default() };
//! let inputs = [0, 1].map(|x| [("x".to_owned(), Rational::from(x))].into());
//! let report = audit(&file, None, &bindings, [&inputs[0], &inputs[1]], &Options::default())?;
//! assert_eq!(report.method, Method::Monotone);
//! assert_eq!(report.comparison.outputs(), 9);
//! let loss = scientific_of(17, |bits| report.comparison.finite_loss(bits));
//! assert_eq!(loss, "1.0000000000000004e+00");
//! # Ok::<(), lastbit_audit::program::ProgramError>(())
//! ```

mod branch;
mod claim;
mod collect;
mod error;
mod exhaustive;
mod grid;
mod machine;
mod merge;
mod monotone;
mod neighbours;
mod number;
mod options;
mod prepare;
mod rules;
#[cfg(test)]
mod tests;
mod textbook;
mod walk;
mod witness;

use std::collections::BTreeMap;

use lastbit_lang::{Bindings, File, Format};
use lastbit_real::Rational;

use crate::{Comparison, ExactLoss, Sampler};
use branch::{Branch, Monotone};
use claim::Target;
use collect::{Collected, Collector};
use number::Number;
use options::{MAX_SAMPLES, Watch};
use prepare::Program;
use walk::Budget;

pub use claim::{Claim, EpsilonOf};
pub use collect::{Part, ProgramOutcome};
pub use error::{Expression, ProgramError, Run};
pub use neighbours::Neighbours;
pub use number::Library;
pub use options::{Limits, Options, Progress};
pub use rules::Reason;
pub use textbook::textbook_laplace;

/// The method by which outputs are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All outputs: the program is monotone in `u`, or lies between two programs that are.
    Monotone,
    /// All outputs: the program was run on all samples.
    Exhaustive,
    /// Some of them: there are too many. The loss is at least what is found.
    Witness,
}

/// The distributions of a program on two inputs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProgramReport {
    /// All outputs, or the witnesses that were weighed.
    pub comparison: Comparison<f64>,
    /// The outcomes, at most as many as were asked for: in increasing order, or, for witnesses, the simplest first.
    pub outcomes: Vec<ProgramOutcome>,
    /// The sampler of `u`.
    pub sampler: Sampler,
    /// The format of the program.
    pub format: Format,
    /// The library that it was run with.
    pub library: Library,
    /// The method by which outputs are found.
    pub method: Method,
    /// The ε of the divergences.
    pub epsilon: Rational,
    /// The origin of ε.
    pub epsilon_of: EpsilonOf,
    /// The claim of the text, if it is a number, and the verdict on it at these inputs.
    pub claim: Option<Claim>,
    /// Whether the inputs are neighbours by the text.
    pub neighbours: Neighbours,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

impl ProgramReport {
    /// `max |ln(P/P')|` over all outputs, to `bits`; at least that of the witnesses, if not all outputs are known.
    pub fn loss(&self, bits: u32) -> ExactLoss {
        match (self.method, self.comparison.loss(bits)) {
            (Method::Witness, ExactLoss::Finite(loss)) => ExactLoss::AtLeast(loss.lo().clone()),
            (_, loss) => loss,
        }
    }

    /// The claim and its verdict, in words.
    pub fn claim_in_words(&self) -> Option<String> {
        self.claim.as_ref().map(|claim| claim.in_words(self.neighbours))
    }

    /// An output that only one input can return, with a probability above `delta`, which refutes every claim with this `delta`. Of
    /// several it is the one with the fewest bits, and then one of the first input.
    pub fn one_sided(&self, delta: &Rational) -> Option<OneSided> {
        let outcome = self.simplest_of_one_input()?;
        let input = usize::from(outcome.weights[0].is_zero());
        let total = Rational::from(self.comparison.total().clone());
        let probability = Rational::from(outcome.weights[input].clone()) / total;
        (probability > *delta).then_some(OneSided { output: outcome.output, input, probability })
    }

    fn simplest_of_one_input(&self) -> Option<&ProgramOutcome> {
        let alone = |outcome: &&ProgramOutcome| {
            let zeros = outcome.weights.iter().filter(|weight| weight.is_zero()).count();
            zeros == 1
        };
        let fraction_bits = |x: f64| 52 - (x.to_bits() << 12).trailing_zeros().min(52);
        let key = |outcome: &&ProgramOutcome| (fraction_bits(outcome.output), outcome.weights[0].is_zero());
        self.outcomes.iter().filter(alone).min_by_key(key)
    }
}

/// An output that only one of two inputs can return.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OneSided {
    /// The output.
    pub output: f64,
    /// The input, 0 or 1.
    pub input: usize,
    /// The probability under that input.
    pub probability: Rational,
}

/// The exact distributions of a program on two inputs, compared.
///
/// `bindings` gives the parameters, `inputs` the arguments by name. An argument of a float type must be a float; parameters and
/// numbers in the text are rounded to nearest, as the language has it.
///
/// # Errors
/// See [`ProgramError`].
pub fn audit(
    file: &File,
    declaration: Option<&str>,
    bindings: &Bindings,
    inputs: [&BTreeMap<String, Rational>; 2],
    options: &Options<'_>,
) -> Result<ProgramReport, ProgramError> {
    options.check()?;
    let [first, second] = inputs.map(|input| Program::new(file, declaration, bindings, input));
    let programs = [first?, second?];
    let format = programs[0].line.format;
    let mut setup = Setup {
        format,
        sampler: prepare::sampler(file, declaration, format)?,
        library: prepare::library(&programs, options.library)?,
        target: Target::new(
            file,
            prepare::declaration(file, declaration)?,
            bindings,
            options.epsilon.as_ref(),
        ),
        neighbours: Neighbours::of(file, prepare::declaration(file, declaration)?, bindings, inputs),
        notes: prepare::notes(file, declaration, &programs)?,
    };
    setup.notes.extend(setup.target.note.take());
    match format {
        Format::Binary64 => setup.run::<f64>(&programs, options),
        Format::Binary32 => setup.run::<f32>(&programs, options),
    }
}

/// The data that both runs share.
struct Setup {
    format: Format,
    sampler: Sampler,
    library: Library,
    target: Target,
    neighbours: Neighbours,
    notes: Vec<String>,
}

impl Setup {
    fn run<F: Number>(
        self,
        programs: &[Program<'_>; 2],
        options: &Options<'_>,
    ) -> Result<ProgramReport, ProgramError> {
        let signs = programs.iter().map(Program::signs).max().unwrap_or(0);
        let of = |input: usize| Branch::<F>::all(&programs[input], input, signs, self.sampler, self.library);
        let runs: Vec<Branch<'_, F>> = [0, 1].into_iter().flat_map(of).collect();
        let samples = self.sampler.end() - 1;
        let watch = Watch::new(options, u128::from(samples) * runs.len() as u128);
        let can_try_all =
            collect::is_grid(self.sampler) && samples <= options.limits.samples.min(MAX_SAMPLES);

        // Nothing needs to be assumed of the platform's library if it is run on all samples.
        if can_try_all && self.library == Library::Std {
            return self.exhaustive(&runs, options, &watch);
        }
        let monotone: Result<Vec<_>, ProgramError> = runs.iter().map(Branch::monotone).collect();
        match monotone {
            Ok(monotone) => {
                let limit = if can_try_all { u64::MAX } else { options.limits.outputs };
                self.monotone(&runs, &monotone, limit, options, &watch)
            }
            Err(_) if can_try_all => self.exhaustive(&runs, options, &watch),
            Err(error) => Err(error),
        }
    }

    fn collector<F: Number>(&self, runs: &[Branch<'_, F>], options: &Options<'_>) -> Collector {
        let runs = runs.iter().map(|branch| branch.run.clone()).collect();
        Collector::new(self.format, self.sampler, runs, &self.target, options.listed)
    }

    fn exhaustive<F: Number>(
        self,
        runs: &[Branch<'_, F>],
        options: &Options<'_>,
        watch: &Watch<'_>,
    ) -> Result<ProgramReport, ProgramError> {
        let mut collector = self.collector(runs, options);
        exhaustive::collect(runs, watch, &mut collector)?;
        let mut report = self.report(collector, Method::Exhaustive);
        exhaustive::add_parts(runs, &mut report.outcomes, watch)?;
        Ok(report)
    }

    fn monotone<F: Number>(
        mut self,
        runs: &[Branch<'_, F>],
        monotone: &[Monotone<'_, '_, F>],
        limit: u64,
        options: &Options<'_>,
        watch: &Watch<'_>,
    ) -> Result<ProgramReport, ProgramError> {
        let budget = Budget::new(options.limits.band);
        let mut too_many = false;
        for run in monotone {
            too_many = too_many || walk::seems_to_exceed(run, limit, &budget)?;
        }
        let mut collector = self.collector(runs, options);
        let is_complete = !too_many && merge::collect(monotone, &budget, limit, watch, &mut collector)?;
        if !is_complete {
            collector = self.collector(runs, options);
            witness::collect(monotone, self.sampler, &budget, watch, &mut collector)?;
            let note =
                "there are too many outputs to go through: the loss is that of some, and at least that";
            self.notes.push(note.to_owned());
        }
        if self.library == Library::Std {
            self.notes.push(format!(
                "this platform's ln and exp are taken to be within {} floats of the correctly rounded ones; \
                 {} samples were tried one by one",
                Library::STD_FLOATS,
                budget.spent()
            ));
        }
        let method = if is_complete { Method::Monotone } else { Method::Witness };
        Ok(self.report(collector, method))
    }

    fn report(self, collector: Collector, method: Method) -> ProgramReport {
        let Setup { format, sampler, library, target, neighbours, notes } = self;
        let Collected { comparison, also, outcomes } = collector.finish();
        let claim = target.claim(also.as_ref().unwrap_or(&comparison), method != Method::Witness);
        let Target { epsilon, of: epsilon_of, .. } = target;
        ProgramReport {
            comparison,
            outcomes,
            sampler,
            format,
            library,
            method,
            epsilon,
            epsilon_of,
            claim,
            neighbours,
            notes,
        }
    }
}
