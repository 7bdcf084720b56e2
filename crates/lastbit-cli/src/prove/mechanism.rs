//! Values of parameters, as the command line gives them.

use lastbit::Rational;
use lastbit_lang::Bindings;
use lastbit_lang::ast::Declaration;
use lastbit_lang::values::{rounded, scalar};

use super::args::Assignment;

/// Values of `eps`, `B` and `L`, and of others by name, rounded to floats where the declaration says that they are floats.
pub(crate) fn values(
    declaration: &Declaration,
    named: [&Option<Rational>; 3],
    listed: &[Assignment],
) -> (Bindings, Vec<String>) {
    let mut bindings = Bindings::default();
    let mut notes = Vec::new();
    let named = ["eps", "B", "L"].into_iter().zip(named);
    let named = named.filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let listed = listed.iter().map(|assignment| (assignment.name.as_str(), &assignment.value));
    for (name, value) in named.chain(listed) {
        let (rounded, note) = rounded(scalar(declaration, name), name, value);
        notes.extend(note);
        bindings.values.insert(name.to_owned(), rounded);
    }
    (bindings, notes)
}
