//! From how far off values may be to the least loss with which they are that close.

use lastbit::{DiscreteGaussian, DiscreteLaplace};
use lastbit_real::{Rational, Rounding};
use lastbit_table::spec::{Accuracy, QuerySpec};
use lastbit_table::{Measure, Noise, Plan, Query, Released, Spec};

use super::of_spec;
use crate::Refusal;

/// Digits of a loss that is found: it is rounded up, so that values are as close as was asked for.
const DIGITS: usize = 6;

/// The spec in which queries that say how far off they may be say what they cost instead; `None` if there are none.
///
/// # Errors
/// Queries whose error is not the same for all tables; a measure in which noise of one query depends on the others; numbers that make no sense.
pub(super) fn settled(spec: &Spec) -> Result<Option<Spec>, Refusal> {
    if spec.queries.iter().all(|query| query.within.is_none()) {
        return Ok(None);
    }
    for query in &spec.queries {
        check(query)?;
    }
    let plan = of_spec(&draft(spec))?;
    let mut settled = spec.clone();
    for (asked, query) in settled.queries.iter_mut().zip(plan.queries()) {
        let Some(accuracy) = asked.within.take() else { continue };
        let loss = least_loss(&plan, query, &accuracy)?;
        let loss: Rational = loss.to_decimal(DIGITS, Rounding::Up).parse().unwrap_or(loss);
        match plan.privacy().measure {
            Measure::Zcdp => asked.rho = Some(loss),
            _ => asked.epsilon = Some(loss),
        }
    }
    let whole = &settled.privacy;
    if whole.epsilon.is_none() && whole.rho.is_none() {
        // Told from the numbers of the queries.
        settled.privacy.measure = Some(plan.privacy().measure.name().to_owned());
    }
    Ok(Some(settled))
}

fn check(query: &QuerySpec) -> Result<(), Refusal> {
    let Some(accuracy) = &query.within else { return Ok(()) };
    let refused = |what: &str, hint: &str| {
        Err(Refusal::usage(format!("query {}, within: {what}", query.name), hint.to_owned()))
    };
    if query.epsilon.is_some() || query.rho.is_some() || query.share.is_some() {
        return refused(
            "it settles what the query costs, and so do epsilon, rho and share",
            "leave out the one or the other",
        );
    }
    if !accuracy.half_width.is_positive() {
        return refused("it must be positive", "say how far off the answer may be, such as 20");
    }
    if !accuracy.confidence.is_positive() || accuracy.confidence >= Rational::ONE {
        return refused("its confidence must be between 0 and 1", "give a number such as 0.95");
    }
    Ok(())
}

/// The spec with some loss in place of every accuracy: what one unit can change does not depend on it.
fn draft(spec: &Spec) -> Spec {
    let mut draft = spec.clone();
    let in_rho = spec.privacy.rho.is_some()
        || spec.privacy.measure.as_deref() == Some("zcdp")
        || spec.queries.iter().any(|query| query.rho.is_some());
    (draft.privacy.epsilon, draft.privacy.rho) = (None, None);
    for query in &mut draft.queries {
        (query.within, query.share) = (None, None);
        let loss = if in_rho { &mut query.rho } else { &mut query.epsilon };
        loss.get_or_insert(Rational::ONE);
    }
    draft
}

/// The least loss with which noise moves the answer so far at most, with that probability.
fn least_loss(plan: &Plan, query: &Query, accuracy: &Accuracy) -> Result<Rational, Refusal> {
    let refused = |what: String, hint: &str| {
        Err(Refusal::usage(format!("query {}, within: {what}", query.name), hint.to_owned()))
    };
    let [component] = query.components.as_slice() else {
        return refused(
            "how far off this answer is depends on the number of values, which is private".to_owned(),
            "give the query an epsilon or a share; a count of the same rows can have an accuracy",
        );
    };
    if component.released == Released::Chosen {
        return refused(
            "how far off a value is that is chosen among candidates depends on how the values lie, which is private".to_owned(),
            "give the query an epsilon or a share; --dry-run says how far off its rank may be",
        );
    }
    let steps = (&accuracy.half_width / &component.step).floor();
    let (steps, sensitivity) = (Rational::from(steps), &component.sensitivity);
    match (plan.privacy().measure, plan.privacy().noise) {
        (Measure::Pure, Noise::Laplace) => {
            let noise = DiscreteLaplace::for_half_width(&steps, &accuracy.confidence)?;
            Ok(&sensitivity.l1 / noise.scale())
        }
        (Measure::Zcdp, Noise::Gaussian) => {
            let noise = DiscreteGaussian::for_half_width(&steps, &accuracy.confidence)?;
            Ok(&sensitivity.l2_squared / (Rational::from(2) * noise.variance()))
        }
        (measure, noise) => refused(
            format!(
                "it is not known what it costs with the measure {:?} and {} noise",
                measure.name(),
                noise.name()
            ),
            "use the measure \"pure\" with Laplace noise, or \"zcdp\" with Gaussian noise",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::noise::ReleaseNoise;
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    fn spec(privacy: &str, queries: &str) -> Spec {
        let text = format!(
            "[table]\npath = \"-\"\nunit = \"rider\"\n[bounds]\ngroups = 2\nrows = 3\n[by]\ncolumns = \"city\"\nkeys = [\"a\", \"b\", \"c\"]\n\
             [privacy]\n{privacy}\n{queries}"
        );
        Spec::parse(&text, "".as_ref()).expect("a spec")
    }

    fn query(name: &str, rest: &str) -> String {
        format!("[[query]]\nname = \"{name}\"\n{rest}\n")
    }

    /// The loss is enough, and a little less is not.
    #[test]
    fn the_least_loss_is_found() {
        for (measure, least) in [("pure", "0.999"), ("zcdp", "0.999")] {
            for (kind, within, confidence) in [
                ("kind = \"count\"", "20", "0.95"),
                ("kind = \"count\"", "1.5", "0.5"),
                ("kind = \"count-units\"", "400", "0.999"),
                ("kind = \"sum\"\ncolumn = \"fare\"\nbounds = [-5, 10]\ngrid = 0.01", "37.505", "0.9"),
                ("kind = \"histogram\"\ncolumn = \"fare\"\nedges = [0, 1, 2]", "50", "0.95"),
            ] {
                let asked = query("n", &format!("{kind}\nwithin = {within}\nconfidence = {confidence}"));
                let settled = settled(&spec(&format!("measure = \"{measure}\""), &asked))
                    .expect("a loss")
                    .expect("one");
                let width = |spec: &Spec| {
                    let plan = of_spec(spec).expect("a plan");
                    let noise = ReleaseNoise::of(&plan).expect("noise");
                    let steps = noise.queries[0][0].half_width(&rational(confidence)).expect("a width");
                    Rational::from(steps) * &plan.queries()[0].components[0].step
                };
                assert!(width(&settled) <= rational(within), "{measure} {kind}");
                let mut less = settled.clone();
                let loss =
                    if measure == "zcdp" { &mut less.queries[0].rho } else { &mut less.queries[0].epsilon };
                *loss = loss.take().map(|loss| loss * rational(least));
                assert!(width(&less) > rational(within), "{measure} {kind}");
            }
        }
    }

    #[test]
    fn accuracies_share_a_budget_with_the_others() {
        let count = query("n", "kind = \"count-units\"\nwithin = 10");
        let other = query("m", "kind = \"count\"");
        let plan =
            of_spec(&settled(&spec("epsilon = 2", &(count.clone() + &other))).expect("a loss").expect("one"))
                .expect("a plan");
        let [n, m] = plan.queries() else { panic!("two queries") };
        assert_eq!(&n.loss + &m.loss, rational("2"));
        assert!(n.loss > rational("0.5") && n.loss < rational("0.6"), "{}", n.loss);
        let alone = of_spec(&settled(&spec("", &count)).expect("a loss").expect("one")).expect("a plan");
        assert_eq!(alone.privacy().loss, n.loss);
        // More than the whole is refused.
        let dear = settled(&spec("epsilon = 0.1", &count)).expect("a loss").expect("one");
        assert!(of_spec(&dear).is_err());
    }

    #[test]
    fn what_has_no_accuracy_is_refused() {
        let count = |rest: &str| query("n", &format!("kind = \"count\"\nwithin = 10\n{rest}"));
        for (privacy, asked) in [
            ("", query("n", "kind = \"mean\"\ncolumn = \"fare\"\nbounds = [0, 1]\nwithin = 1")),
            ("", query("n", "kind = \"median\"\ncolumn = \"fare\"\nedges = [0, 1]\nwithin = 1")),
            ("epsilon = 1\ndelta = 1e-6", count("")),
            ("measure = \"zcdp\"\nnoise = \"laplace\"", count("")),
            ("", count("epsilon = 1")),
            ("epsilon = 1", count("share = 2")),
            ("", count("confidence = 1")),
            ("", query("n", "kind = \"count\"\nwithin = 0")),
            ("", query("n", "kind = \"count\"\nwithin = -1")),
        ] {
            let error = settled(&spec(privacy, &asked)).expect_err(&asked);
            assert!(error.to_string().contains("query n, within"), "{error}");
        }
        // A plan alone does not know what an accuracy costs.
        assert!(spec("", &count("")).plan().expect_err("no noise").to_string().contains("within"));
    }
}
