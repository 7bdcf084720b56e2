//! The search for a tight bound: rules, linear forms, and the cutting of boxes into smaller ones.
//!
//! Nothing here has to be trusted: whatever the search does, the result is a tree of cuts with a bound for every leaf, which
//! [`crate::check`] goes through again.

use std::cmp::Ordering;
use std::sync::Mutex;
use std::sync::atomic::{self, AtomicUsize};
use std::thread;

use lastbit_lang::{NodeId, Op, StraightLine};
use lastbit_real::Dyadic;

use crate::analysis::{Analysis, Leaf, Method, NoBound, Tree};
use crate::boxes::{Cut, InputBox, decisive_cuts, middle_cut, whole_box};
use crate::linear::linear_form;
use crate::refusal::Refusal;
use crate::rules::Rules;

/// The effort of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The largest number of boxes.
    pub boxes: usize,
    /// No further box is cut after so many judgements, about a million a second; one of a root or a library function counts for
    /// eight.
    pub judgements: usize,
}

impl Effort {
    /// A few boxes: milliseconds.
    pub const FAST: Effort = Effort { boxes: 6, judgements: 20_000 };
    /// Up to a thousand boxes: a second or two.
    pub const NORMAL: Effort = Effort { boxes: 1024, judgements: 1_500_000 };
    /// Many thousands of boxes: minutes.
    pub const HIGH: Effort = Effort { boxes: 16384, judgements: 100_000_000 };

    /// So many boxes, however long it takes.
    pub const fn of_boxes(boxes: usize) -> Effort {
        Effort { boxes, judgements: usize::MAX }
    }
}

/// The progress of a search.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// Boxes so far.
    pub boxes: usize,
    /// The bound so far, if there is one.
    pub error: Option<&'a Dyadic>,
}

/// How many judgements a box counts for.
fn work_of_a_box(program: &StraightLine) -> usize {
    let of_node = |op: &Op| if matches!(op, Op::Sqrt(_) | Op::Ln(_) | Op::Exp(_)) { 8 } else { 1 };
    program.nodes.iter().map(|node| of_node(&node.op)).sum()
}

/// The bound on one box.
fn bound(goal: Goal<'_>, inputs: InputBox) -> Outcome {
    let program = goal.program;
    let judgements = Rules::new(program).derive(&inputs);
    let claim = goal.claim.map(|claim| judgements[claim].as_ref()).transpose();
    let (result, claim) = match (&judgements[program.result], claim) {
        (Ok(result), Ok(claim)) => (result, claim),
        (Err(refusal), _) | (_, Err(refusal)) => return Err(NoBound { refusal: refusal.clone(), inputs }),
    };
    let claimed = claim.map(|claim| claim.range.lo().clone());
    let linear = linear_form(program, &judgements).map(|form| form.error);
    let (error, method) = match linear {
        Some(linear) if linear < result.error => (linear, Method::Linear),
        _ => (result.error.clone(), Method::Interval),
    };
    Ok(Leaf { range: result.range.clone(), error, method, claimed, inputs })
}

/// Boxes that are cut in one round.
const ROUND: usize = 16;

/// How many cuts of one box are tried: the work on a box grows with the length of the program, not with its square.
const MOST_CUTS: usize = 32;

/// How many boxes to cut in the hope that a refused premise holds on the parts.
const REFUSED_CUTS: usize = 256;

/// The goal of a search: a bound on the error of the program's result; and that it is at most a claimed one.
#[derive(Clone, Copy, Debug)]
pub struct Goal<'a> {
    /// The program.
    pub program: &'a StraightLine,
    /// The node whose real value is the claimed bound.
    pub claim: Option<NodeId>,
}

/// Analyses a program, reporting after each round.
pub fn analyse(
    program: &StraightLine,
    effort: Effort,
    report: impl FnMut(Progress<'_>),
) -> Result<Analysis, NoBound> {
    analyse_goal(Goal { program, claim: None }, effort, report)
}

/// As [`analyse`], with a claimed bound.
pub fn analyse_goal(
    goal: Goal<'_>,
    effort: Effort,
    mut report: impl FnMut(Progress<'_>),
) -> Result<Analysis, NoBound> {
    analyse_while(goal, effort, |progress| {
        report(progress);
        true
    })
}

/// As [`analyse_goal`], as long as `report` says to go on: what is found by then is a bound like any other, only less tight.
pub fn analyse_while(
    goal: Goal<'_>,
    effort: Effort,
    mut report: impl FnMut(Progress<'_>) -> bool,
) -> Result<Analysis, NoBound> {
    let program = goal.program;
    let root = whole_box(program).map_err(|(input, reason)| {
        let is_input = |op: &Op| *op == Op::Input(input);
        let node = program.nodes.iter().position(|node| is_input(&node.op)).unwrap_or(0);
        NoBound { refusal: Refusal { node, reason }, inputs: vec![] }
    })?;
    let mut search = Search::new(goal, root);
    while search.leaves < effort.boxes
        && search.judgements < effort.judgements
        && search.refused_cuts < REFUSED_CUTS
    {
        let of_one_box = 2 * program.nodes.len() * program.inputs.len().clamp(1, MOST_CUTS);
        let affordable = ((effort.judgements - search.judgements) / of_one_box).max(1);
        if !search.cut_the_worst((effort.boxes - search.leaves).min(affordable).min(ROUND)) {
            break;
        }
        let goes_on = report(Progress {
            boxes: search.leaves,
            error: search.worst().as_ref().ok().map(|leaf| &leaf.error),
        });
        if !goes_on || search.is_stuck() || search.is_proved() {
            break;
        }
    }
    search.finish()
}

/// The bound on a box, or why it has none.
type Outcome = Result<Leaf, NoBound>;

/// A box in the tree.
enum State {
    Leaf {
        outcome: Outcome,
        /// Whether a cut may still help.
        open: bool,
    },
    /// The parts, and what the whole box had.
    Cut(Cut, [usize; 2], Outcome),
}

impl State {
    fn open(outcome: Outcome) -> State {
        State::Leaf { outcome, open: true }
    }

    fn outcome(&self) -> Option<&Outcome> {
        match self {
            State::Leaf { outcome, .. } => Some(outcome),
            State::Cut(..) => None,
        }
    }
}

struct Search<'a> {
    goal: Goal<'a>,
    decisive: Vec<Cut>,
    tree: Vec<State>,
    leaves: usize,
    judgements: usize,
    refused_cuts: usize,
    /// The number of leaves and the bound when it was last worth a note.
    milestone: Option<(usize, Dyadic)>,
}

/// Refused boxes are worse than any bound.
fn compare(a: &Outcome, b: &Outcome) -> Ordering {
    match (a, b) {
        (Ok(a), Ok(b)) => a.excess().cmp(&b.excess()),
        (a, b) => a.is_err().cmp(&b.is_err()),
    }
}

fn inputs_of(outcome: &Outcome) -> &InputBox {
    match outcome {
        Ok(leaf) => &leaf.inputs,
        Err(refused) => &refused.inputs,
    }
}

impl<'a> Search<'a> {
    fn new(goal: Goal<'a>, root: InputBox) -> Search<'a> {
        let program = goal.program;
        let tree = vec![State::open(bound(goal, root))];
        let decisive = decisive_cuts(program);
        Search { goal, decisive, tree, leaves: 1, judgements: 0, refused_cuts: 0, milestone: None }
    }

    /// The leaf with the largest bound.
    fn worst(&self) -> &Outcome {
        self.tree.iter().filter_map(State::outcome).max_by(|a, b| compare(a, b)).expect("a tree has leaves")
    }

    /// Whether the claim holds on every box: then there is nothing left to do.
    fn is_proved(&self) -> bool {
        self.goal.claim.is_some() && self.worst().as_ref().is_ok_and(|worst| worst.excess().signum() <= 0)
    }

    /// Whether the bound has hardly moved, by less than one part in 64, while the number of boxes doubled (from 256 on).
    fn is_stuck(&mut self) -> bool {
        let Ok(worst) = self.worst() else { return false };
        if self.goal.claim.is_some() {
            return false;
        }
        let error = worst.error.clone();
        match &self.milestone {
            Some((leaves, _)) if self.leaves < 2 * leaves => false,
            Some((_, bound)) if self.leaves >= 512 && error > bound - &bound.shl(-6) => true,
            _ => {
                self.milestone = Some((self.leaves, error));
                false
            }
        }
    }

    /// Cuts of a box that may help: of many, some, and others for the next box.
    fn cuts(&self, inputs: &InputBox) -> Vec<Cut> {
        let decisive = self.decisive.iter().filter(|cut| {
            let range = &inputs[cut.input];
            *range.lo() <= cut.left && cut.right <= *range.hi()
        });
        let decisive: Vec<Cut> = decisive.cloned().collect();
        if !decisive.is_empty() {
            return self.some_of(decisive);
        }
        let program = self.goal.program;
        let middle = |i: usize| middle_cut(i, program.inputs[i].kind, program.format, &inputs[i]);
        self.some_of((0..inputs.len()).filter_map(middle).collect())
    }

    fn some_of(&self, mut cuts: Vec<Cut>) -> Vec<Cut> {
        if cuts.len() > MOST_CUTS {
            let start = self.leaves * MOST_CUTS % cuts.len();
            cuts.rotate_left(start);
            cuts.truncate(MOST_CUTS);
        }
        cuts
    }

    /// The open leaves that hold the bound up, the worst first.
    fn worst_open(&self, count: usize) -> Vec<usize> {
        let mut open = Vec::new();
        let mut limit: Option<&Outcome> = None;
        for (i, state) in self.tree.iter().enumerate() {
            match state {
                State::Leaf { outcome, open: true } => open.push((i, outcome)),
                State::Leaf { outcome, open: false } => {
                    limit = Some(limit.map_or(outcome, |limit| {
                        if compare(limit, outcome).is_lt() { outcome } else { limit }
                    }))
                }
                State::Cut(..) => {}
            }
        }
        if let Some(limit) = limit {
            open.retain(|(_, outcome)| compare(outcome, limit).is_gt());
        }
        open.sort_by(|(_, a), (_, b)| compare(b, a));
        open.into_iter().take(count).map(|(i, _)| i).collect()
    }

    /// Cuts the worst leaves; false if there is nothing left to cut that would lower the bound.
    fn cut_the_worst(&mut self, count: usize) -> bool {
        let chosen = self.worst_open(count);
        let inputs = |i: usize| inputs_of(self.tree[i].outcome().expect("a leaf was chosen"));
        let tasks: Vec<(usize, Cut)> =
            chosen.iter().flat_map(|&i| self.cuts(inputs(i)).into_iter().map(move |cut| (i, cut))).collect();
        let goal = self.goal;
        let parts = in_parallel(&tasks, |(i, cut)| cut.apply(inputs(*i)).map(|part| bound(goal, part)));
        self.judgements += 2 * tasks.len() * work_of_a_box(goal.program);
        let mut tried = tasks.into_iter().zip(parts).peekable();
        for &i in &chosen {
            let mut best: Option<(Cut, [Outcome; 2])> = None;
            while let Some(((_, cut), parts)) = tried.next_if(|((leaf, _), _)| *leaf == i) {
                if best.as_ref().is_none_or(|(_, best)| compare_parts(&parts, best).is_lt()) {
                    best = Some((cut, parts));
                }
            }
            self.replace(i, best);
        }
        !chosen.is_empty()
    }

    /// Puts a cut in the place of a leaf, or closes it if there is none.
    fn replace(&mut self, i: usize, best: Option<(Cut, [Outcome; 2])>) {
        let next = self.tree.len();
        match (best, &mut self.tree[i]) {
            (Some((cut, parts)), state) => {
                let State::Leaf { outcome, .. } = state else { return };
                self.refused_cuts += usize::from(outcome.is_err());
                *state = State::Cut(cut, [next, next + 1], outcome.clone());
                self.tree.extend(parts.map(State::open));
                self.leaves += 1;
            }
            (None, State::Leaf { open, .. }) => *open = false,
            (None, State::Cut(..)) => {}
        }
    }

    /// The tree, without the cuts that did not help.
    fn finish(self) -> Result<Analysis, NoBound> {
        let excess = self.worst().clone()?.excess();
        let helped = |whole: &Outcome| !whole.as_ref().is_ok_and(|leaf| leaf.excess() <= excess);
        let mut tree: Vec<Tree> = Vec::new();
        // Places in the old tree, and which part of which place in the new one they are.
        let mut waiting: Vec<(usize, Option<(usize, usize)>)> = vec![(0, None)];
        while let Some((old, part)) = waiting.pop() {
            let place = tree.len();
            if let Some((cut, side)) = part
                && let Tree::Cut { parts, .. } = &mut tree[cut]
            {
                parts[side] = place;
            }
            tree.push(match &self.tree[old] {
                State::Cut(cut, [left, right], whole) if helped(whole) => {
                    waiting.extend([(*right, Some((place, 1))), (*left, Some((place, 0)))]);
                    Tree::Cut { cut: cut.clone(), parts: [0, 0] }
                }
                State::Cut(_, _, outcome) | State::Leaf { outcome, .. } => Tree::Leaf(outcome.clone()?),
            });
        }
        Ok(Analysis::of(tree, self.goal.claim))
    }
}

/// Compares two cuts by how many parts are refused, then by the sum of the bounds.
fn compare_parts(a: &[Outcome; 2], b: &[Outcome; 2]) -> Ordering {
    fn score(parts: &[Outcome; 2]) -> (usize, Dyadic) {
        let refused = parts.iter().filter(|part| part.is_err()).count();
        let sum = parts.iter().flatten().fold(Dyadic::ZERO, |sum, leaf| &sum + &leaf.excess());
        (refused, sum)
    }
    score(a).cmp(&score(b))
}

/// `function` of each task, in order, on all processors.
fn in_parallel<T: Sync, R: Send>(tasks: &[T], function: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = thread::available_parallelism().map_or(1, usize::from).min(tasks.len());
    if workers <= 1 || tasks.len() < 4 {
        return tasks.iter().map(function).collect();
    }
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(tasks.len()));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, atomic::Ordering::Relaxed);
                    let Some(task) = tasks.get(i) else { break };
                    let result = function(task);
                    results.lock().expect("no worker panics").push((i, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no worker panics");
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, result)| result).collect()
}
