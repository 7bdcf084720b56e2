//! ALIGN for finite programs: which path of the second run each path of the first one becomes.

use std::collections::BTreeMap;

use lastbit_lang::ast::Side;
use lastbit_lang::symbolic::{Choice, Constraint, Path, Polynomial};

use super::Unsupported;
use super::layout::{Lines, comment};
use super::leaf::{Known, Leaves};
use super::runs::Run;
use super::terms::atom;
use crate::logic::kernel::hypotheses::exp;
use crate::logic::proof::{Alignment, Map, Piece};

impl Leaves<'_, '_, '_> {
    /// ALIGN.
    pub(super) fn align(
        &self,
        lines: &mut Lines,
        mut known: Known,
        alignment: &Alignment,
    ) -> Result<(), Unsupported> {
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
