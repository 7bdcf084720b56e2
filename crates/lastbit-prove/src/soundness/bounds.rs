//! Every judgement of every node, and the linear form, at random points of random programs.

use crate::boxes::whole_box;
use crate::derivation::Derivation;
use crate::rules::Judgement;
use lastbit_lang::eval::{EvalError, LibmModel, MachineFloat, RealValue, eval_float_nodes, eval_real_nodes};
use lastbit_lang::{Accuracy, Format, NodeId, StraightLine};
use lastbit_real::{Dyadic, Enclosure, Rational};

use super::attacks::{every_number, library};
use super::attacks_choices::{different_cells, large_errors};
use super::broken::{self, Mutation};
use super::check_point::check_point;
use super::more;
use super::random_programs::{random_points, random_program};
use crate::search::{Effort, analyse};

/// Real values are known to this many bits; what they leave open is not counted.
const BITS: u32 = 400;

/// A real number that is smaller counts as being somewhere between 0 and this power of two.
const FINEST: i64 = -8192;

/// What a run over many programs has seen.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) programs: usize,
    pub(crate) refused: usize,
    pub(crate) judgements: usize,
    pub(crate) violations: Vec<String>,
}

impl Tally {
    pub(super) fn violation(&mut self, program: &StraightLine, id: NodeId, point: &[Rational], wrong: &str) {
        self.violations.push(describe(program, id, point, wrong));
    }
}

/// Goes through the programs of these seeds, up to `most` violations.
pub(crate) fn tally(seeds: std::ops::Range<u64>, points: usize, most: usize) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        if tally.violations.len() >= most {
            break;
        }
        let program = random_program(seed);
        let Ok(inputs) = whole_box(&program) else { continue };
        let derivation = Derivation::new(&program, inputs);
        tally.programs += 1;
        tally.refused += usize::from(derivation.judgement(program.result).is_none());
        for point in random_points(&program, seed, points) {
            match program.format {
                Format::Binary64 => check::<f64>(&derivation, &point, &mut tally),
                Format::Binary32 => check::<f32>(&derivation, &point, &mut tally),
            }
        }
    }
    tally
}

pub(super) fn models(program: &StraightLine) -> &'static [LibmModel] {
    let exact = [&program.libm.ln, &program.libm.exp].iter().all(|a| **a == Accuracy::CorrectlyRounded);
    if exact { &[LibmModel::Nearest] } else { &[LibmModel::Up, LibmModel::Down, LibmModel::Seeded(1)] }
}

fn check<F: MachineFloat>(derivation: &Derivation<'_>, point: &[Rational], tally: &mut Tally) {
    let program = derivation.program;
    let reals = eval_real_nodes(program, point, BITS).expect("as many inputs as the program has");
    for &model in models(program) {
        let floats = eval_float_nodes::<F>(program, point, model).expect("as many inputs as the program has");
        for (id, (real, float)) in reals.iter().zip(&floats).enumerate() {
            let Some(judgement) = derivation.judgement(id) else { continue };
            tally.judgements += 1;
            let linear = derivation.linear.as_ref().filter(|_| id == program.result);
            let wrong = wrong_at(judgement, linear.map(|form| &form.error), real, float);
            if let Some(wrong) = wrong {
                tally.violation(program, id, point, &wrong);
            }
        }
    }
}

/// What is certainly wrong with a judgement at a point, if anything: both readings have values there, which are as it says.
pub(super) fn wrong_at<F: MachineFloat>(
    judgement: &Judgement,
    linear: Option<&Dyadic>,
    real: &Result<RealValue, EvalError>,
    float: &Result<F, EvalError>,
) -> Option<String> {
    let (real, float) = match (real, float) {
        (Err(EvalError::Undecided { .. }), _) => return None,
        (Err(error), _) | (_, Err(error)) => return Some(format!("no value: {error}")),
        (Ok(real), Ok(float)) => (real.enclosure(BITS), float),
    };
    let float = float.to_dyadic().expect("the evaluator gives finite values");
    let real = Enclosure::new(real.lo().floor_to(FINEST), real.hi().ceil_to(FINEST)).expect("outward");
    wrong(judgement, linear, &real, &float)
}

/// What is certainly wrong with a judgement of these values, if anything.
fn wrong(judgement: &Judgement, linear: Option<&Dyadic>, real: &Enclosure, float: &Dyadic) -> Option<String> {
    let off = (&Enclosure::exact(float.clone()) - real).abs();
    let outside = |range: &Enclosure, lo: &Dyadic, hi: &Dyadic| hi < range.lo() || lo > range.hi();
    if outside(&judgement.range, real.lo(), real.hi()) {
        return Some(format!("the real value {real} is not in {}", judgement.range));
    }
    if outside(&judgement.float, float, float) {
        return Some(format!("the float {float} is not in {}", judgement.float));
    }
    if *off.lo() > judgement.error {
        return Some(format!("off by {}, more than {}", off.lo(), judgement.error));
    }
    if let Some(rho) = &judgement.relative
        && *off.lo() > rho * real.abs().hi()
    {
        return Some(format!("relatively off by more than {rho}"));
    }
    if let Some(linear) = linear
        && off.lo() > linear
    {
        return Some(format!("off by {}, more than the linear form's {linear}", off.lo()));
    }
    None
}

fn describe(program: &StraightLine, id: NodeId, point: &[Rational], wrong: &str) -> String {
    format!("{}, node {id} ({:?}) at {point:?}: {wrong}", program.name, program.nodes[id].op)
}

#[test]
fn no_judgement_is_violated() {
    let tally = tally(0..more(3000), 12, usize::MAX);
    assert!(
        tally.violations.is_empty(),
        "{} violations, the first: {}",
        tally.violations.len(),
        tally.violations[0]
    );
    // Most programs have a bound: the test is not empty.
    assert!(
        tally.programs > 2500 && tally.refused * 2 < tally.programs && tally.judgements > 200_000,
        "{tally:?}"
    );
}

/// The first violation, of any test that is quick.
fn noticed() -> bool {
    let mut tally = Tally::default();
    large_errors(Format::Binary64, &mut tally);
    different_cells(&mut tally);
    !tally.violations.is_empty()
        || !every_number::<f32>().violations.is_empty()
        || !library::<f32>().violations.is_empty()
        || !self::tally(0..3000, 12, 1).violations.is_empty()
}

/// Whether the rules ended where two of them leave no place for the float.
fn is_contradiction(panic: &dyn std::any::Any) -> bool {
    let message = "the float lies in both";
    panic.downcast_ref::<String>().is_some_and(|text| text == message)
        || panic.downcast_ref() == Some(&message)
}

/// The same tests have to notice broken rules.
#[test]
fn broken_rules_are_noticed() {
    for &mutation in Mutation::ALL {
        broken::set(Some(mutation));
        let outcome = std::panic::catch_unwind(noticed);
        broken::set(None);
        // A broken rule may also contradict another one. Any other panic is a mistake of the tests.
        let outcome = outcome.unwrap_or_else(|panic| is_contradiction(&*panic));
        assert!(outcome, "{mutation:?} was not noticed");
    }
}

/// The bound of a search over boxes, at random points.
#[test]
fn no_bound_of_a_search_is_violated() {
    let mut bounded = 0;
    for seed in 0..300 {
        let program = random_program(seed);
        let Ok(analysis) = analyse(&program, Effort::of_boxes(6), |_| {}) else { continue };
        bounded += 1;
        let [lo, hi, error] = [analysis.range.lo(), analysis.range.hi(), &analysis.error].map(Rational::from);
        for point in random_points(&program, seed, 8) {
            let verdict = check_point(&program, &point, &lo, &hi, &error);
            assert!(verdict.is_ok(), "{} at {point:?}: {verdict:?}", program.name);
        }
    }
    assert!(bounded > 200);
}
