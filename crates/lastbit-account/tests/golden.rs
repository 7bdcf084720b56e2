//! Integrals to 15 digits and more, made by `golden.py` with another library, against the bounds.

use lastbit_account::Mechanism;
use lastbit_real::Rational;

use crate::truth::{composition, laplace, rational};

/// The bounds hold the number, but for its rounding, and are near it.
#[track_caller]
fn holds(terms: &[(Mechanism, u64)], epsilon: &str, truth: &str, near: &str) {
    let (truth, rounding) = (rational(truth), rational("1e-14"));
    let found = composition(terms).delta(&rational(epsilon)).unwrap();
    let upper = found.upper.unwrap();
    assert!(found.lower <= &truth * (Rational::ONE + &rounding), "{truth} {}", found.lower);
    assert!(upper >= &truth * (Rational::ONE - &rounding), "{truth} {upper}");
    assert!(&upper - found.lower <= truth * rational(near), "{terms:?} {epsilon}");
}

#[test]
fn laplace_twice_and_three_times() {
    for (loss, epsilon, twice, three_times) in [
        ("1", "0", "0.448180838242836518", "0.567685314712417206"),
        ("1", "0.5", "0.350495989981104778", "0.449373593534322151"),
        ("1", "1.2", "0.195615944757232839", "0.277830641885760828"),
        ("0.3", "0", "0.148059046216024454", "0.208145539204710292"),
        ("0.3", "0.15", "0.11165070663019304", "0.147439127449761206"),
        ("0.3", "0.36", "0.0598643370798130335", "0.0750798624177894696"),
    ] {
        holds(&[(laplace(loss), 2)], epsilon, twice, "1e-6");
        holds(&[(laplace(loss), 3)], epsilon, three_times, "1e-6");
    }
}

/// One case of each rate, or all if the environment variable `LASTBIT_MORE` is set: half a minute.
fn of_each_rate<T, const N: usize>(cases: [T; N]) -> impl Iterator<Item = T> {
    cases.into_iter().step_by(if std::env::var_os("LASTBIT_MORE").is_some() { 1 } else { 4 })
}

#[test]
fn sampled_gaussian() {
    // Sample rate, mean over standard deviation, ε, δ of one and of two: with the row against without it, which is the worse direction.
    for (rate, mu, epsilon, once, twice) in of_each_rate([
        ("0.1", "1", "0.1", "0.018471930688062075374", "0.03333981362544533"),
        ("0.1", "1", "0.5", "0.0020325369203403576533", "0.0046058961098051026"),
        ("0.1", "1", "1", "0.00020712148602139211376", "0.00051416042939650286"),
        ("0.5", "0.5", "0.1", "0.064166474468984181347", "0.103741113693195009"),
        ("0.5", "0.5", "0.5", "0.0073944506632902262023", "0.0235571956903438314"),
        ("0.5", "0.5", "1", "0.00021035025119815330124", "0.00204390519004005453"),
    ]) {
        let rho = rational(mu).pow(2) * Rational::pow2(-1);
        let noise = Mechanism::SampledGaussian { rate: rational(rate), rho };
        holds(&[(noise.clone(), 1)], epsilon, once, "1e-5");
        holds(&[(noise, 2)], epsilon, twice, "1e-5");
    }
}

#[test]
fn sampled_laplace() {
    // The worse direction: with the row against without it, but for two releases at a rate of 1/2.
    for (rate, loss, epsilon, once, twice) in of_each_rate([
        ("0.1", "2", "0", "0.0632120558828557678", "0.102826007962593428"),
        ("0.1", "2", "0.1", "0.0473057267725575041", "0.0788086009354793911"),
        ("0.1", "2", "0.3", "0.0219732295043661137", "0.0358596072880346796"),
        ("0.5", "1", "0", "0.196734670143683288", "0.253809967059220671"),
        ("0.5", "1", "0.1", "0.166361019097829374", "0.219640166192709099"),
        ("0.5", "1", "0.3", "0.10462322829629435", "0.14953856866519587"),
    ]) {
        let noise = Mechanism::SampledLaplace { rate: rational(rate), epsilon: rational(loss) };
        holds(&[(noise.clone(), 1)], epsilon, once, "1e-5");
        holds(&[(noise, 2)], epsilon, twice, "1e-5");
    }
}
