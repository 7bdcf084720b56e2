//! The audit of a shipped sampler, from a request to a report.

use std::sync::atomic::AtomicBool;

use lastbit::{AnyMechanism, Word};
use lastbit_real::{Enclosure, Rational};

use super::discrete_gaussian;
use super::divergence::Divergence;
use super::error::BitTreeError;
use super::events::Events;
use super::loss::{LossAudit, check_loss};
use super::production::Production;
use super::report::{EventRow, REJECTED, SamplerReport, Side};
use super::script::Script;
use super::shipped::{Enumeration, ShippedSampler};
use super::tree::{Growth, Tree};
use super::word::Bits;

/// The sampler to audit, with its parameters and inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplerRequest {
    /// The mechanism.
    pub mechanism: ShippedSampler,
    /// The two inputs whose loss is asked for.
    pub inputs: [f64; 2],
    /// The depth of the trees in bits, rounded up to whole words: 1 to 320.
    pub depth_bits: u32,
    /// The bits of a word, 2, 4 or 8. A wide word leaves more to tier 1, as 64 bits do; a narrow one makes a smaller tree.
    pub word_bits: u32,
    /// About how many cuts make the events.
    pub cuts: u32,
    /// Runs of the sampler for each input before the audit gives up.
    pub most_replays: u64,
}

/// Three bits for the signs and the exchange, 10 of `U` and 7 of `V`.
const GAUSSIAN_DEPTH: u32 = 20;

impl SamplerRequest {
    /// An audit of 64 bits that takes seconds.
    ///
    /// The Gaussians read two uniform numbers, and every pair of undecided prefixes is a branch: there it is fewer bits, of narrow words. The
    /// undecided rectangles of the real Gaussian lie along a curve for each cut, and it has fewer of these.
    pub fn new(mechanism: ShippedSampler, inputs: [f64; 2]) -> SamplerRequest {
        let (depth_bits, word_bits, cuts) = match mechanism.mechanism() {
            AnyMechanism::DiscreteGaussian(_) => (32, 2, 64),
            AnyMechanism::Gaussian(_) => (GAUSSIAN_DEPTH, 2, 16),
            _ => (64, 8, 64),
        };
        SamplerRequest { mechanism, inputs, depth_bits, word_bits, cuts, most_replays: 20_000_000 }
    }
}

/// Grows the trees of both inputs, compares them with the law, with each other and with the claim, and replays the words of the
/// production width next to thresholds.
///
/// `progress` hears the share that is done. Soon after `cancelled` is set the trees stop growing, and what is known by then is
/// reported: the scripts that were not tried are undecided.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use lastbit::{DiscreteLaplace, Rational};
/// use lastbit_audit::bit_tree::{SamplerRequest, ShippedSampler, Tier, sampler_audit};
///
/// let mechanism = ShippedSampler::of(DiscreteLaplace::new(Rational::from(2))?.into());
/// let request = SamplerRequest { depth_bits: 32, ..SamplerRequest::new(mechanism, [0.0, 1.0]) };
/// let report = sampler_audit(&request, &AtomicBool::new(false), &mut |_| {})?;
/// assert!(!report.is_refuted());
/// assert_eq!(report.loss.claim.loss(), &Rational::new(1, 2).unwrap());
/// assert!(report.sides[0].tiers.as_ref().unwrap().of(Tier::Two) > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`BitTreeError`].
pub fn sampler_audit(
    request: &SamplerRequest,
    cancelled: &AtomicBool,
    progress: &mut dyn FnMut(f64),
) -> Result<SamplerReport, BitTreeError> {
    match request.word_bits {
        2 => audit::<Bits<2>>(request, cancelled, progress),
        4 => audit::<Bits<4>>(request, cancelled, progress),
        8 => audit::<u8>(request, cancelled, progress),
        other => Err(BitTreeError::out_of_range("word", other, "words of 2, 4 or 8 bits can be enumerated")),
    }
}

fn audit<W: Word>(
    request: &SamplerRequest,
    cancelled: &AtomicBool,
    progress: &mut dyn FnMut(f64),
) -> Result<SamplerReport, BitTreeError> {
    let SamplerRequest { mechanism, inputs, .. } = request;
    inputs.iter().try_for_each(|x| mechanism.check_input(*x))?;
    mechanism.check_distance(*inputs)?;
    let claim = mechanism.claim(*inputs)?;
    check_loss(claim.loss())?;
    let events = Events::around(mechanism, *inputs, request.cuts)?;
    let mut part = |i: usize| {
        let mut tell = |share: f64| progress((i as f64 + share) / 2.0);
        let growth = Growth::to_depth(request.depth_bits)?
            .at_most(request.most_replays)
            .unless(cancelled)
            .telling(&mut tell);
        Part::grow::<W>(mechanism, inputs[i], &events, growth)
    };
    let parts = [part(0)?, part(1)?];
    let rows = (0..parts[0].law.len()).map(|event| EventRow {
        label: if event < events.count() { events.label(event) } else { REJECTED.into() },
        bounds: [0, 1].map(|i| {
            let bounds = parts[i].tree.probability(&event);
            [bounds.lo(), bounds.hi()].map(Rational::from)
        }),
        law: [0, 1].map(|i| parts[i].law[event].clone()),
    });
    Ok(SamplerReport {
        mechanism: mechanism.name(),
        inputs: *inputs,
        word_bits: W::BITS,
        depth_bits: parts[0].tree.depth(),
        enumeration: mechanism.enumeration(),
        events: rows.collect(),
        loss: LossAudit::of([&parts[0].tree, &parts[1].tree], claim)?,
        interrupted: parts.iter().any(|part| part.tree.interrupted()),
        sides: parts.map(|part| part.side(mechanism)),
    })
}

/// What is found out about one input.
struct Part {
    input: f64,
    tree: Tree<usize>,
    law: Vec<Enclosure>,
    production: Production,
}

impl Part {
    fn grow<W: Word>(
        mechanism: &ShippedSampler,
        x: f64,
        events: &Events,
        growth: Growth<'_>,
    ) -> Result<Part, BitTreeError> {
        let law = mechanism.law(x, events.cuts().to_vec())?;
        let rejected = events.count();
        let event = |source: &mut Script<'_, W>| {
            if mechanism.is_discrete_gaussian() {
                source.one_round(discrete_gaussian::MAIN_WORDS);
            }
            let output = mechanism.release(source, x)?;
            Ok(if source.started_over() { rejected } else { law.event(output) })
        };
        let tree = match mechanism.enumeration() {
            Enumeration::Exhaustive => Tree::exhaustive(growth, event),
            Enumeration::Monotone => Tree::monotone(growth, event),
            Enumeration::MonotoneInBoth => Tree::monotone_in_both(growth, event),
        }?;
        let production = Production::of(mechanism, x, &law)?;
        let law = match mechanism.mechanism() {
            AnyMechanism::DiscreteGaussian(gaussian) => {
                discrete_gaussian::gaussian_round(gaussian, x, events.cuts())?
            }
            _ => law.probabilities(),
        };
        Ok(Part { input: x, tree, law, production })
    }

    fn side(self, mechanism: &ShippedSampler) -> Side {
        Side {
            input: self.input,
            remainder: self.tree.remainder(),
            replays: self.tree.replays(),
            tiers: mechanism.has_tiers().then(|| self.tree.tiers().clone()),
            divergence: Divergence::between(&self.tree, &self.law),
            production: self.production,
        }
    }
}
