//! Random programs at adversarial inputs: the ground on which bounds are checked.

mod attacks;
mod attacks_choices;
mod bounds;
pub(crate) mod broken;
mod broken_rules;
mod check_point;
mod fpcore_round_trip;
mod random_inputs;
mod random_programs;
pub(crate) mod xorshift;

/// `n`, times what the environment asks for.
fn more(n: u64) -> u64 {
    let factor = std::env::var("LASTBIT_MORE").map_or(1, |k| k.parse().expect("LASTBIT_MORE is a number"));
    n * factor
}
