//! Events of scripts.

use std::collections::BTreeSet;

use lastbit_lang::ast::{ProofStep, ProofStepKind};
use lastbit_lang::symbolic::Symbol;

use super::elaborate::Elaborator;
use super::{Status, cost_of};
use crate::logic::kernel::{Event, Hypotheses, KernelError, Leaf, check_one};

impl Elaborator<'_, '_> {
    /// PW-EQ or PW-INT, PREIM, EVENT.
    pub(super) fn event(
        &mut self,
        case: &Hypotheses,
        steps: &[ProofStep],
        event: &ProofStep,
    ) -> Result<Option<Leaf>, KernelError> {
        let mut variable = None;
        let mut pointwise = false;
        for step in steps {
            match &step.kind {
                ProofStepKind::Pointwise(_) => pointwise = true,
                ProofStepKind::Preimage { variable: place, .. } => variable = Some(place.name.text.clone()),
                ProofStepKind::Event(..) | ProofStepKind::Let(..) => {}
                _ => return Err(Self::malformed(step, "this does not go together with `event`")),
            }
            self.set(step, Status::Accepted(None));
        }
        let ProofStepKind::Event(places, cost) = &event.kind else { return Ok(None) };
        let Some(variable) = variable else {
            return Err(Self::malformed(event, "an event needs a `preimage … as w in [a, b)` before it"));
        };
        let cost = cost_of(self.program, *cost)?;
        self.costs.push((cost.clone(), event.span));
        let named = places
            .iter()
            .map(|place| self.drawn.name(self.program, place))
            .collect::<Result<BTreeSet<_>, _>>()?;
        let all: BTreeSet<Symbol> =
            self.drawn.continuous.keys().chain(self.drawn.finite.keys()).cloned().collect();
        if named != all {
            let list =
                |names: &BTreeSet<Symbol>| names.iter().map(|name| &**name).collect::<Vec<_>>().join(", ");
            let premise = format!(
                "the event is of all samples together, ({}), not of ({}) alone",
                list(&all),
                list(&named)
            );
            self.reject(event, "EVENT", premise, None);
            return Ok(None);
        }
        let leaf = |positive| Leaf::Event(Event { variable: variable.clone(), positive, pointwise });
        let mut found = Ok(());
        for leaf in [leaf(1), leaf(0)] {
            found = check_one(self.program, &cost, case, &leaf, &mut self.finder);
            if found.is_ok() {
                self.cost.get_or_insert(cost);
                return Ok(Some(leaf));
            }
        }
        self.cost.get_or_insert(cost);
        let Err(error) = found else { return Ok(None) };
        // A premise belongs to the step that brought it in.
        let rule = match &error {
            KernelError::Open { rule, .. } | KernelError::Rule { rule, .. } => *rule,
            _ => "EVENT",
        };
        let step = steps.iter().find(|step| match rule {
            "PW-EQ" => matches!(step.kind, ProofStepKind::Pointwise(_)),
            "PREIM" => matches!(step.kind, ProofStepKind::Preimage { .. }),
            _ => false,
        });
        self.refused(step.unwrap_or(event), error).map(|()| None)
    }
}
