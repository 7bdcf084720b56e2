//! The proof of one leaf in Coq, from the certificate's own data.
//!
//! The leaf's hypotheses are in the context as the kernel has them. What a rule needs is asserted, premise by premise, and each premise is
//! shown by the lemma of the certificate whose constraints are all known: the one that the kernel would find. Where there is none,
//! the script says so, and Coq stops there.

use std::collections::BTreeMap;

use lastbit_lang::ast::{Shape, Side};
use lastbit_lang::symbolic::{
    Choice, Constraint, FiniteLaw, Fresh, Path, Polynomial, Relation, Symbol, Value, applied, paths,
};

use super::layout::{Lines, comment};
use super::terms::{Stated, Terms, atom, number};
use super::text::Text;
use super::{Unsupported, program_error};
use crate::logic::kernel::finite::{excess, output, probability};
use crate::logic::kernel::hypotheses::exp;
use crate::logic::proof::{Alignment, Axiom, Finite, Leaf, Lemma, Map, Piece};

/// Most paths of a run.
const MAX_PATHS: usize = 256;

/// What all leaves look at.
pub(super) struct Leaves<'l, 'p, 'a> {
    pub(super) text: &'l Text<'p, 'a>,
    pub(super) lemmas: &'l [Lemma],
    pub(super) stated: &'l [Stated],
    pub(super) cost: &'l Polynomial,
    /// The claim, as it is written, and as a polynomial.
    pub(super) claim: (String, Polynomial),
    pub(super) terms: Terms,
}

/// What is known, and the script so far.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) constraints: Vec<Constraint>,
    pub(super) terms: Terms,
    pub(super) indent: usize,
}

/// Where the paths of a run go.
struct Run {
    /// The paths that are not refuted.
    paths: Vec<Path>,
    /// Their rows in Coq.
    rows: Vec<(String, String)>,
}

impl Leaves<'_, '_, '_> {
    /// A lemma with the leaf's hypotheses, and its proof.
    pub(super) fn write(
        &self,
        lines: &mut Lines,
        name: &str,
        hypotheses: &[Constraint],
        leaf: &Leaf,
    ) -> Result<(), Unsupported> {
        let text = self.text;
        lines.push(0, &format!("Lemma {name}{} :", text.binders(&[1, 2])));
        for constraint in hypotheses {
            lines.push(2, &format!("{} ->", self.terms.constraint(constraint)?));
        }
        self.conclusion(lines);
        lines.push(0, "Proof.");
        lines.push(2, "intros.");
        let known = Known { constraints: hypotheses.to_vec(), terms: self.terms.clone(), indent: 2 };
        self.leaf(lines, known, leaf)?;
        lines.push(0, "Qed.");
        Ok(())
    }

    /// One direction of what is to be shown.
    pub(super) fn conclusion(&self, lines: &mut Lines) {
        let text = self.text;
        lines.push(2, &format!("{}_defined{} /\\", text.name, text.arguments(&[1])));
        let [one, two] = [1, 2].map(|run| format!("{}{}", text.name, text.arguments(&[run])));
        let claim = atom(&self.claim.0);
        match text.is_event {
            false => lines.push(2, &format!("at_most (exp {claim}) ({one}) ({two}).")),
            true => {
                let [set, first, second] = self.events();
                let mut names = text.names.clone();
                let [p, q] = ["p1", "p2"].map(|name| names.fresh(name));
                lines.push(2, &format!("forall {set} : R -> Prop, convex {set} -> exists {p} {q},"));
                lines.push(4, &format!("{first} /\\"));
                lines.push(4, &format!("{second} /\\"));
                lines.push(4, &format!("{p} <= exp {claim} * {q}."));
            }
        }
    }

    /// A name for a set of outputs, and that it has probability `p1` in the first run, `p2` in the second.
    pub(super) fn events(&self) -> [String; 3] {
        let text = self.text;
        let mut names = text.names.clone();
        let [set, u, s, p, q] = ["O", "u", "s", "p1", "p2"].map(|name| names.fresh(name));
        let event = |run: usize, probability: &str| {
            let arguments = text.arguments(&[run]);
            format!("event_prob (fun {u} {s} => {set} ({}{arguments} {u} {s})) {probability}", text.name)
        };
        let [first, second] = [event(1, &p), event(2, &q)];
        [set, first, second]
    }

    fn leaf(&self, lines: &mut Lines, known: Known, leaf: &Leaf) -> Result<(), Unsupported> {
        match leaf {
            Leaf::Vacuous => {
                lines.push(known.indent, "exfalso.");
                lines.push(known.indent, &format!("{}.", self.premise(&known, &[])?));
                Ok(())
            }
            Leaf::Split(on, leaves) => self.split(lines, &known, on, leaves),
            Leaf::Event(event) if self.text.is_event => self.event(lines, &known, event),
            Leaf::Align(alignment) if !self.text.is_event => self.align(lines, known, alignment),
            Leaf::Finite(finite) if !self.text.is_event => self.enumerate(lines, known, finite),
            _ => Err(Unsupported::Rule),
        }
    }

    /// What shows that known constraints and some more cannot hold together.
    pub(super) fn premise(&self, known: &Known, more: &[Constraint]) -> Result<String, Unsupported> {
        if more.iter().any(|constraint| constraint.decided() == Some(false)) {
            return Ok("closed".into());
        }
        let has =
            |constraint: &Constraint| known.constraints.contains(constraint) || more.contains(constraint);
        let found = self.lemmas.iter().position(|lemma| lemma.constraints.iter().all(has));
        let Some(index) = found else { return Ok("no_lemma".into()) };
        let stated = &self.stated[index];
        let mut application = stated.name.clone();
        for symbol in &stated.symbols {
            // A variable of multipliers only may be anything.
            let term = known.terms.get(symbol).map_or("1", String::as_str);
            application += &format!(" {}", atom(term));
        }
        Ok(format!("premise ({application})"))
    }

    fn is_refuted(&self, known: &Known, more: &[Constraint]) -> bool {
        let has =
            |constraint: &Constraint| known.constraints.contains(constraint) || more.contains(constraint);
        more.iter().any(|constraint| constraint.decided() == Some(false))
            || self.lemmas.iter().any(|lemma| lemma.constraints.iter().all(has))
    }

    /// Asserts that a constraint does not hold.
    pub(super) fn refute(
        &self,
        lines: &mut Lines,
        known: &Known,
        wrong: &Constraint,
    ) -> Result<(), Unsupported> {
        let premise = self.premise(known, std::slice::from_ref(wrong))?;
        lines.push(known.indent, &format!("assert ({}) by ({premise}).", known.terms.negation(wrong)?));
        Ok(())
    }

    /// CASE.
    fn split(
        &self,
        lines: &mut Lines,
        known: &Known,
        on: &Constraint,
        leaves: &[Leaf],
    ) -> Result<(), Unsupported> {
        let p = known.terms.polynomial(&on.polynomial)?;
        let order = match on.relation {
            Relation::NonNegative => format!("destruct (Rle_or_lt 0 ({p}))."),
            Relation::Positive => format!("destruct (Rlt_or_le 0 ({p}))."),
            Relation::Zero => format!("destruct (Rtotal_order 0 ({p})) as [?|[?|?]]."),
        };
        lines.push(known.indent, &order);
        let mut ways = on.negated();
        // In the order of the cases of Coq.
        let place = if on.relation == Relation::Zero { 1 } else { 0 };
        ways.insert(place, on.clone());
        let mut ordered: Vec<Option<&Leaf>> = leaves.iter().map(Some).collect();
        if on.relation == Relation::Zero && ordered.len() > 1 {
            ordered.swap(0, 1);
        }
        ordered.resize(ways.len().max(leaves.len()), None);
        for (index, leaf) in ordered.into_iter().enumerate() {
            lines.push(known.indent, "{");
            let mut inner = Known { indent: known.indent + 2, ..known.clone() };
            if let Some(way) = ways.get(index) {
                lines.push(inner.indent, &format!("assert ({}) by lra.", known.terms.constraint(way)?));
                inner.constraints.push(way.clone());
            }
            match leaf {
                Some(leaf) => self.leaf(lines, inner, leaf)?,
                None => lines.push(inner.indent, "no_lemma."),
            }
            lines.push(known.indent, "}");
        }
        Ok(())
    }

    /// What is used of `exp` and reciprocals.
    fn axioms(&self, lines: &mut Lines, known: &mut Known, axioms: &[Axiom]) -> Result<(), Unsupported> {
        for axiom in axioms {
            let list = |terms: &Terms, list: &[Polynomial]| -> Result<String, Unsupported> {
                let terms = list.iter().map(|p| terms.polynomial(p)).collect::<Result<Vec<_>, _>>()?;
                Ok(format!("[{}]", terms.join("; ")))
            };
            let exps: Vec<&Polynomial> = match axiom {
                Axiom::ExpPositive(p) | Axiom::ExpTangent(p) => vec![p],
                Axiom::ExpAtMost(left, right) => left.iter().chain(right).collect(),
                Axiom::Reciprocal(p) => {
                    known.terms.apply("recip", p)?;
                    Vec::new()
                }
            };
            for p in exps {
                known.terms.apply("exp", p)?;
            }
            if let Some(premise) = axiom.premise() {
                self.refute(lines, known, &premise)?;
            }
            let reasons = match axiom {
                Axiom::ExpPositive(p) => {
                    vec![format!("positive_by (exp_pos {})", atom(&known.terms.polynomial(p)?))]
                }
                Axiom::ExpTangent(p) => {
                    vec![format!("nonnegative_by (exp_tangent {})", atom(&known.terms.polynomial(p)?))]
                }
                Axiom::ExpAtMost(left, right) => {
                    let (left, right) = (list(&known.terms, left)?, list(&known.terms, right)?);
                    vec![format!("exps_by {left} {right}")]
                }
                Axiom::Reciprocal(p) => {
                    let p = atom(&known.terms.polynomial(p)?);
                    vec![format!("reciprocal_by {p}"), format!("reciprocal_positive_by {p}")]
                }
            };
            for (conclusion, reason) in axiom.conclusions().iter().zip(reasons) {
                lines.push(
                    known.indent,
                    &format!("assert ({}) by ({reason}).", known.terms.constraint(conclusion)?),
                );
            }
            known.constraints.extend(axiom.conclusions());
        }
        Ok(())
    }

    /// The paths of a run that count.
    fn run(&self, known: &mut Known, side: Side, is_shown: bool) -> Result<Run, Unsupported> {
        let all = paths(self.text.program, side, &Fresh).map_err(program_error)?;
        if all.len() > MAX_PATHS {
            return Err(Unsupported::Size);
        }
        let mut kept = Vec::new();
        for path in all {
            if let Some(sample) = path.samples.first() {
                return Err(super::noise(&sample.law));
            }
            known.terms.applications(&path.applications)?;
            let counts = match is_shown {
                true => path
                    .guards
                    .iter()
                    .flat_map(Constraint::negated)
                    .all(|negation| self.is_refuted(known, &[negation])),
                false => !self.is_refuted(known, &path.guards),
            };
            let is_flag =
                |symbol: &Symbol| known.terms.get(symbol).is_some_and(|term| term.starts_with("flag "));
            let about_flags = |guard: &Constraint| guard.polynomial.variables().iter().all(is_flag);
            if !path.guards.iter().all(about_flags) {
                return Err(Unsupported::Comparison);
            }
            if counts {
                kept.push(path);
            }
        }
        let mut rows = Vec::new();
        for path in &kept {
            let mut weight = String::from("1");
            for choice in path.choices.iter().rev() {
                let share = self.share(known, &choice.law, choice.value)?;
                weight = format!("{} * {}", atom(&share), atom(&weight));
            }
            rows.push((self.output(path)?, weight));
        }
        Ok(Run { paths: kept, rows })
    }

    /// The probability of a value.
    fn share(&self, known: &mut Known, law: &FiniteLaw, value: usize) -> Result<String, Unsupported> {
        let inverse = match law.total.inverse() {
            Some(inverse) => inverse,
            None => {
                known.terms.apply("recip", &law.total)?;
                Polynomial::variable(applied("recip", std::slice::from_ref(&law.total), ""))
            }
        };
        known.terms.polynomial(&(&law.weights[value] * &inverse))
    }

    /// What a path returns, in Coq.
    fn output(&self, path: &Path) -> Result<String, Unsupported> {
        let value = |value: &Value| match value {
            Value::Bool(value) => Ok(value.to_string()),
            Value::Number(p) => p.as_constant().map(|value| number(&value)).ok_or(Unsupported::Output),
            _ => Err(Unsupported::Output),
        };
        let values = path.result.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        match (self.text.program.declaration.result.shape, values.as_slice()) {
            (Shape::One, [one]) => Ok(one.clone()),
            (Shape::One, _) => Err(Unsupported::Output),
            _ => Ok(format!("[{}]", values.join("; "))),
        }
    }

    /// That the program is defined, and what the paths of both runs are.
    fn runs(&self, lines: &mut Lines, known: &Known, first: &Run, second: &Run) -> Result<(), Unsupported> {
        let mut asserted: Vec<&Constraint> = Vec::new();
        for obligation in first.paths.iter().flat_map(|path| &path.obligations) {
            if !asserted.contains(&&obligation.forbidden) {
                asserted.push(&obligation.forbidden);
                self.refute(lines, known, &obligation.forbidden)?;
            }
        }
        let name = &self.text.name;
        let flags = self.flags(known);
        for (index, run) in [first, second].into_iter().enumerate() {
            let rows: Vec<String> =
                run.rows.iter().map(|(output, weight)| format!("({output}, {weight})")).collect();
            let arguments = self.text.arguments(&[index + 1]);
            lines.push(
                known.indent,
                &format!("assert (run{} : {name}{arguments} = [{}]).", index + 1, rows.join("; ")),
            );
            lines.push(known.indent, &format!("{{ unfold {name}. {flags}same_run. }}"));
        }
        lines.push(
            known.indent,
            &format!("split; [unfold {name}_defined; {}is_defined |].", flags.replace(". ", "; ")),
        );
        let weaker = Constraint::positive(self.cost - &self.claim.1);
        self.refute(lines, known, &weaker)?;
        lines.push(known.indent, "rewrite run1, run2.");
        Ok(())
    }

    /// Replaces truth values among the inputs by what they are in this case.
    fn flags(&self, known: &Known) -> String {
        let mut text = String::new();
        for input in self.text.inputs.iter().filter(|input| input.is_truth_value) {
            for run in [1, 2] {
                let names = match input.length {
                    None => vec![(format!("{}<{run}>", input.name), input.coq[run].clone())],
                    Some(length) => (0..length)
                        .map(|i| {
                            (format!("{}[{i}]<{run}>", input.name), format!("({} {i}%nat)", input.coq[run]))
                        })
                        .collect(),
                };
                for (symbol, coq) in names {
                    let p = Polynomial::variable(symbol.as_str());
                    let is = |value: i64| {
                        known.constraints.contains(&Constraint::zero(&p - &Polynomial::constant(value)))
                    };
                    for (_, name) in [(1, "true"), (0, "false")].into_iter().filter(|(value, _)| is(*value)) {
                        text += &format!("rewrite ?(flag_is_{name} {coq}) by assumption. ");
                    }
                }
            }
        }
        text
    }

    /// That a law is one: the weights in question and the total.
    fn law(
        &self,
        lines: &mut Lines,
        known: &Known,
        law: &FiniteLaw,
        asserted: &mut Vec<Constraint>,
    ) -> Result<(), Unsupported> {
        let weights = law.weights.iter().map(|weight| Constraint::positive(-weight));
        for wrong in weights.chain([Constraint::non_negative(-&law.total)]) {
            if !asserted.contains(&wrong) {
                self.refute(lines, known, &wrong)?;
                asserted.push(wrong);
            }
        }
        Ok(())
    }

    /// That the rows of the second run are not negative.
    fn shares(&self, lines: &mut Lines, known: &mut Known, run: &Run) -> Result<(), Unsupported> {
        let mut asserted = Vec::new();
        for choice in run.paths.iter().flat_map(|path| &path.choices) {
            let share = self.share(known, &choice.law, choice.value)?;
            if !asserted.contains(&share) {
                let [w, t] =
                    [&choice.law.weights[choice.value], &choice.law.total].map(|p| known.terms.polynomial(p));
                let reason = format!("share_nonnegative_by {} {}", atom(&w?), atom(&t?));
                lines.push(known.indent, &format!("assert (0 <= {share}) by ({reason})."));
                asserted.push(share);
            }
        }
        Ok(())
    }

    /// From the cost of the proof to what is claimed.
    fn weaken(&self, lines: &mut Lines, known: &Known) -> Result<(), Unsupported> {
        let cost = format!("{}_cost{}", self.text.name, self.text.arguments(&[]));
        lines.push(known.indent, &format!("weaken {}.", atom(&cost)));
        lines.push(known.indent, &format!("unfold {}_cost.", self.text.name));
        Ok(())
    }

    /// ENUMERATE.
    fn enumerate(&self, lines: &mut Lines, mut known: Known, finite: &Finite) -> Result<(), Unsupported> {
        lines.push(known.indent, "(* ENUMERATE: the probability of every output. *)");
        self.axioms(lines, &mut known, &finite.axioms)?;
        let first = self.run(&mut known, Side::One, false)?;
        let second = self.run(&mut known, Side::Two, true)?;
        let mut asserted = Vec::new();
        for choice in first.paths.iter().chain(&second.paths).flat_map(|path| &path.choices) {
            self.law(lines, &known, &choice.law, &mut asserted)?;
        }
        self.shares(lines, &mut known, &second)?;
        self.runs(lines, &known, &first, &second)?;
        let mut table: BTreeMap<String, (String, [Polynomial; 2])> = BTreeMap::new();
        for (index, run) in [&first, &second].into_iter().enumerate() {
            for (path, (coq, _)) in run.paths.iter().zip(&run.rows) {
                let label = output(path).ok_or(Unsupported::Output)?;
                let row = table.entry(label).or_insert_with(|| (coq.clone(), Default::default()));
                row.1[index] = &row.1[index] + &probability(path);
            }
        }
        let mut rows = Vec::new();
        known.terms.apply("exp", self.cost)?;
        for (coq, [one, two]) in table.values() {
            if !one.is_zero() {
                self.refute(lines, &known, &excess(self.cost, one, two))?;
            }
            let [one, two] = [one, two].map(|p| known.terms.polynomial(p));
            rows.push(format!("({coq}, ({}, {}))", one?, two?));
        }
        self.weaken(lines, &known)?;
        lines.push(known.indent, &format!("apply (enumerate _ _ _ [{}]);", rows.join("; ")));
        lines.push(known.indent + 2, "[same_table | same_table | no_excesses].");
        Ok(())
    }

    /// ALIGN.
    fn align(&self, lines: &mut Lines, mut known: Known, alignment: &Alignment) -> Result<(), Unsupported> {
        lines.push(known.indent, "(* ALIGN: where the samples of the first run go. *)");
        self.axioms(lines, &mut known, &alignment.axioms)?;
        let first = self.run(&mut known, Side::One, false)?;
        let second = self.run(&mut known, Side::Two, false)?;
        let names = |path: &Path| path.choices.iter().map(|choice| choice.name.clone()).collect::<Vec<_>>();
        let mut all = first.paths.iter().chain(&second.paths).map(names);
        let drawn = all.next().unwrap_or_default();
        if all.any(|other| other != drawn) {
            return Err(Unsupported::Draws);
        }
        let mut asserted = Vec::new();
        for choice in first.paths.iter().chain(&second.paths).flat_map(|path| &path.choices) {
            self.law(lines, &known, &choice.law, &mut asserted)?;
        }
        self.shares(lines, &mut known, &second)?;
        self.runs(lines, &known, &first, &second)?;
        let mut pairs = Vec::new();
        for (number, piece) in alignment.pieces.iter().enumerate() {
            self.piece(lines, &mut known, number + 1, piece, [&first, &second], &mut pairs)?;
        }
        self.weaken(lines, &known)?;
        let default = first.rows.first().map_or("0", |(output, _)| output.as_str());
        let pairs: Vec<String> = pairs.iter().map(|(i, j)| format!("({i}, {j})")).collect();
        lines.push(
            known.indent,
            &format!("apply (align {} _ _ _ [{}]%nat);", atom(default), pairs.join("; ")),
        );
        lines.push(
            known.indent + 2,
            "[reflexivity | reflexivity | reflexivity | nonnegative_rows | aligned_rows].",
        );
        Ok(())
    }

    /// What a piece costs, and where it takes the paths that it is for.
    fn piece(
        &self,
        lines: &mut Lines,
        known: &mut Known,
        number: usize,
        piece: &Piece,
        [first, second]: [&Run; 2],
        pairs: &mut Vec<(usize, usize)>,
    ) -> Result<(), Unsupported> {
        if !piece.guard.iter().all(|constraint| known.constraints.contains(constraint)) {
            return Err(Unsupported::Guard);
        }
        let choices: &[Choice] = first.paths.first().map_or(&[], |path| &path.choices);
        let there: &[Choice] = second.paths.first().map_or(&[], |path| &path.choices);
        if let Some(name) = piece.maps.keys().find(|name| choices.iter().all(|choice| choice.name != **name))
        {
            lines.push(known.indent, &format!("(* There is no sample {}. *) no_lemma.", comment(name)));
        }
        let (zero, mut total, mut costs) = (Polynomial::zero(), Polynomial::zero(), Vec::new());
        let mut images_of = BTreeMap::new();
        for (place, (one, two)) in choices.iter().zip(there).enumerate() {
            let count = one.law.weights.len();
            let (images, cost) = match piece.maps.get(&one.name) {
                Some((Map::Permute(images), cost)) => (images.clone(), cost),
                Some((Map::Affine { .. }, _)) => return Err(Unsupported::Shift),
                None => ((0..count).collect(), &zero),
            };
            let list: Vec<String> = images.iter().map(usize::to_string).collect();
            lines.push(
                known.indent,
                &format!("assert (is_permutation {count} [{}]%nat = true) by reflexivity.", list.join("; ")),
            );
            total = &total + cost;
            known.terms.apply("exp", cost)?;
            let cost_term = atom(&known.terms.polynomial(cost)?);
            let wanted = piece.choices.get(&one.name);
            for (value, image) in images.iter().enumerate().take(count) {
                if *image >= two.law.weights.len() || wanted.is_some_and(|wanted| *wanted != value) {
                    continue;
                }
                let (w1, w2) = (&one.law.weights[value], &two.law.weights[*image]);
                let left = w1 * &two.law.total;
                let right = &exp(cost) * &(w2 * &one.law.total);
                let exceeds = Constraint::positive(&left - &right);
                self.refute(lines, known, &exceeds)?;
                let [s1, s2] = [self.share(known, &one.law, value)?, self.share(known, &two.law, *image)?];
                let reason = [w1, &one.law.total, w2, &two.law.total, &exceeds.polynomial]
                    .into_iter()
                    .map(|p| Ok(format!(" {}", atom(&known.terms.polynomial(p)?))))
                    .collect::<Result<String, Unsupported>>()?;
                lines.push(
                    known.indent,
                    &format!(
                        "assert (s{number}_{place}_{value} : 0 <= {s1} <= exp {cost_term} * {}) by (share_by{reason}).",
                        atom(&s2)
                    ),
                );
            }
            images_of.insert(one.name.clone(), images);
            costs.push(cost_term);
        }
        let sum = costs.iter().rev().fold("0".to_owned(), |sum, cost| format!("{cost} + {}", atom(&sum)));
        let exceeds = Constraint::positive(&total - self.cost);
        self.refute(lines, known, &exceeds)?;
        for (i, path) in first.paths.iter().enumerate().filter(|(_, path)| piece.selects(path)) {
            let image =
                |choice: &Choice| images_of.get(&choice.name).and_then(|images| images.get(choice.value));
            let is_image = |other: &Path| {
                path.choices.iter().zip(&other.choices).all(|(one, two)| image(one) == Some(&two.value))
            };
            let Some(j) = second.paths.iter().position(is_image) else {
                lines.push(known.indent, "(* A path without an image. *) no_lemma.");
                continue;
            };
            let shares =
                path.choices.iter().enumerate().rev().fold("path_nil".to_owned(), |rest, (place, choice)| {
                    format!("(path_cons s{number}_{place}_{} {rest})", choice.value)
                });
            let (one, two) = (&first.rows[i].1, &second.rows[j].1);
            let cost = atom(&known.terms.polynomial(self.cost)?);
            let excess = atom(&known.terms.polynomial(&exceeds.polynomial)?);
            lines.push(
                known.indent,
                &format!(
                    "assert (0 <= {one} <= exp {cost} * {}) by (path_by ({sum}) {excess} {shares}).",
                    atom(two)
                ),
            );
            pairs.push((i, j));
        }
        Ok(())
    }
}
