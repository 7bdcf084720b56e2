//! Random programs at adversarial inputs: the ground on which bounds are checked.

mod attacks;
mod attacks_choices;
mod bounds;
mod check_point;
mod fpcore_round_trip;
mod random_inputs;
mod random_programs;
mod xorshift;
