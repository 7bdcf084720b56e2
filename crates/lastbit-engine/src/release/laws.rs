//! The exact laws of small releases with choices and with numbers of values, over all neighbours of many tables.

use lastbit_audit::choosing;
use lastbit_real::{Enclosure, Rational, Rounding, exp_rational};
use lastbit_table::{Aggregates, Batch, Options, Plan, Spec, aggregate};

use super::noise::ReleaseNoise;

const BITS: u32 = 120;

/// A unit, a group and a value.
type Row = (u32, usize, usize);

const GROUPS: [&str; 4] = ["a", "b", "c", "elsewhere"];
const VALUES: [&str; 7] = ["-1", "0", "0.5", "1", "2", "-1.5", "nothing"];

fn plan(privacy: &str, queries: &str) -> Plan {
    let spec = format!(
        "[table]\npath = \"-\"\nunit = \"u\"\n[bounds]\ngroups = 2\nrows = 2\n[by]\ncolumns = \"g\"\nkeys = [\"a\", \"b\", \"c\"]\n\
         [privacy]\n{privacy}\n{queries}"
    );
    Spec::parse(&spec, "".as_ref()).expect("a spec").plan().expect("a plan")
}

const QUANTILE: &str =
    "[[query]]\nname = \"q\"\nkind = \"quantile\"\nq = 0.25\ncolumn = \"x\"\nedges = [0, 1, 2]\n";
const DISTINCT: &str = "[[query]]\nname = \"d\"\nkind = \"distinct\"\ncolumn = \"x\"\nvalues = [\"-1\", \"-1.5\", \"nothing\"]\n";

fn exact(plan: &Plan, rows: &[Row]) -> Aggregates {
    let mut batch = Batch::new(rows.len());
    for name in plan.columns() {
        let cells = rows.iter().map(|&(unit, group, value)| match name.as_str() {
            "u" => format!("unit {unit}"),
            "g" => GROUPS[group].to_owned(),
            _ => VALUES[value].to_owned(),
        });
        let cells: Vec<String> = cells.collect();
        batch.push_text(cells.iter().map(|cell| Some(cell.as_bytes()))).expect("a column");
    }
    aggregate(plan, &mut [Ok(batch)].into_iter(), &Options::default()).expect("aggregates").aggregates
}

/// Tables of a few units, and the tables without one of them.
fn neighbours() -> Vec<(Vec<Row>, Vec<Row>)> {
    let mut state = 1u64;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut pairs = Vec::new();
    for _ in 0..60 {
        let row = |below: &mut dyn FnMut(u64) -> u64| (below(4) as u32, below(4) as usize, below(7) as usize);
        let rows: Vec<Row> = (0..below(24) + 1).map(|_| row(&mut below)).collect();
        for unit in 0..4 {
            let others = rows.iter().filter(|row| row.0 != unit).copied().collect();
            pairs.push((rows.clone(), others));
        }
    }
    // Far apart: one candidate too low and one too high, and a unit that moves both, with values that nobody else has.
    let many: Vec<Row> = (1..200).flat_map(|unit| [(unit, 0, 2), (unit, 1, 2)]).collect();
    let more = [0, 1].into_iter().flat_map(|group| [(0, group, 0), (0, group, 5)]);
    pairs.push((many.iter().copied().chain(more).collect(), many));
    pairs
}

/// The probabilities of the candidates of each group.
fn laws(
    plan: &Plan,
    query: usize,
    aggregates: &Aggregates,
    scale: &Rational,
    pure: bool,
) -> Vec<Vec<Enclosure>> {
    let component = &plan.queries()[query].components[0];
    let law = |group: usize| {
        let scores: Vec<Rational> =
            aggregates.integers(component, group).iter().map(|score| Rational::from(*score)).collect();
        match pure {
            true => choosing::noisy_max(&scores, scale).iter().map(|p| p.enclose_to(BITS)).collect(),
            false => choosing::exponential(&scores, &vec![Rational::ONE; scores.len()], scale, BITS),
        }
    };
    (0..plan.keys().len()).map(law).collect()
}

/// The largest quotient of the probabilities of an output: that of the product over groups is the product of theirs.
fn largest_quotient(one: &[Vec<Enclosure>], other: &[Vec<Enclosure>]) -> Rational {
    let of_group = |(one, other): (&Vec<Enclosure>, &Vec<Enclosure>)| {
        let quotients = one.iter().zip(other).map(|(p, q)| Rational::from(p.hi()) / Rational::from(q.lo()));
        quotients.max().expect("a candidate")
    };
    one.iter().zip(other).map(of_group).fold(Rational::ONE, |product, quotient| product * quotient)
}

/// How far the counts of values move in all groups together.
fn moved(plan: &Plan, query: usize, one: &Aggregates, other: &Aggregates) -> Rational {
    let component = &plan.queries()[query].components[0];
    let of_group = |group| one.integers(component, group)[0] - other.integers(component, group)[0];
    (0..plan.keys().len()).map(|group| Rational::from(of_group(group)).abs()).sum()
}

/// The largest loss of a release of both over all neighbours, in either direction, and the claim; with noise of `factor` times the scale.
fn largest_loss(factor: &str) -> (f64, f64) {
    let plan = plan("epsilon = 1", &format!("{QUANTILE}{DISTINCT}"));
    let noise = ReleaseNoise::of(&plan).expect("noise");
    assert_eq!([noise.queries[0][0].name(), noise.queries[1][0].name()], ["noisy-max", "discrete-laplace"]);
    let factor: Rational = factor.parse().expect("a number");
    let [choice, laplace] = [0, 1].map(|query| noise.queries[query][0].scale() * &factor);
    let mut largest = 0.0f64;
    for (rows, others) in neighbours() {
        let (one, other) = (exact(&plan, &rows), exact(&plan, &others));
        let [p, q] = [&one, &other].map(|table| laws(&plan, 0, table, &choice, true));
        // Of discrete Laplace noise an output beyond both integers has the largest quotient, e^(distance/scale).
        let laplace = moved(&plan, 1, &one, &other) / &laplace;
        for quotient in [largest_quotient(&p, &q), largest_quotient(&q, &p)] {
            let loss = quotient.to_f64(Rounding::Up).ln() + laplace.to_f64(Rounding::Up);
            largest = largest.max(loss);
        }
        if factor == Rational::ONE {
            // Within an enclosure of 120 bits.
            let rest = exp_rational(&(noise.claim.loss() - &laplace), BITS).expect("a small number");
            let limit = Rational::from(rest.hi()) * (Rational::ONE + Rational::pow2(-80));
            assert!(largest_quotient(&p, &q) <= limit && largest_quotient(&q, &p) <= limit, "{rows:?}");
        }
    }
    (largest, noise.claim.loss().to_f64(Rounding::Nearest))
}

#[test]
fn pure_releases_lose_what_they_claim_and_no_more() {
    let (loss, claim) = largest_loss("1");
    assert!(
        (claim - 1.0).abs() < 1e-12 && loss <= claim + 1e-12 && loss > 0.999 * claim,
        "{loss} of {claim}"
    );
    // Less noise is found out.
    let (loss, claim) = largest_loss("3/4");
    assert!(loss > claim, "{loss} of {claim}");
}

#[test]
fn concentrated_choices_lose_no_more_than_they_claim() {
    let plan = plan("rho = \"1/8\"", QUANTILE);
    let noise = ReleaseNoise::of(&plan).expect("noise");
    assert_eq!(noise.queries[0][0].name(), "exponential");
    assert_eq!(noise.claim.measure(), lastbit::Measure::ZeroConcentratedDivergence);
    let rho = noise.claim.loss().to_f64(Rounding::Up);
    assert!(rho <= 0.125 && rho > 0.124_999, "{rho}");
    let scale = noise.queries[0][0].scale();
    let mut largest = 0.0f64;
    for (rows, others) in neighbours() {
        let [p, q] = [rows, others].map(|rows| laws(&plan, 0, &exact(&plan, &rows), &scale, false));
        for (p, q) in [(&p, &q), (&q, &p)] {
            for order in [1.01, 1.5, 2.0, 4.0, 20.0] {
                // Divergences of independent choices add.
                let of_group = |(p, q): (&Vec<Enclosure>, &Vec<Enclosure>)| {
                    let number = |x: &Enclosure| Rational::from(x.hi()).to_f64(Rounding::Nearest);
                    let terms =
                        p.iter().zip(q).map(|(p, q)| number(p).powf(order) * number(q).powf(1.0 - order));
                    terms.sum::<f64>().ln() / (order - 1.0)
                };
                let divergence: f64 = p.iter().zip(q).map(of_group).sum();
                assert!(divergence <= order * rho + 1e-9, "{divergence} at {order}");
                largest = largest.max(divergence / (order * rho));
            }
        }
    }
    // A quarter of it is what the pure loss would need.
    assert!(largest > 0.25, "{largest}");
}
