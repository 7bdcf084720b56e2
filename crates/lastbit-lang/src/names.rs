//! "Did you mean …?"

/// Longest name that is compared: the comparison takes the product of two lengths.
const MAX_LENGTH: usize = 40;

/// A hint with the closest of the names, if one is close.
pub(crate) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let length = name.chars().count();
    if length > MAX_LENGTH {
        return None;
    }
    let allowed = (length / 3).max(1);
    let close =
        known.filter(|other| other.chars().count() <= MAX_LENGTH).map(|other| (distance(name, other), other));
    let (_, best) = close.filter(|(distance, _)| *distance <= allowed).min()?;
    // For a name of one letter everything is close: only the other case is meant.
    if length == 1 && !best.eq_ignore_ascii_case(name) {
        return None;
    }
    Some(format!("did you mean `{best}`?"))
}

/// How many letters to insert, delete, replace or swap with their neighbour, at most about; not counting case.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn close_names_are_suggested() {
        assert_eq!(suggestion("epz", ["x", "eps"].into_iter()).as_deref(), Some("did you mean `eps`?"));
        assert_eq!(suggestion("l", ["x", "L"].into_iter()).as_deref(), Some("did you mean `L`?"));
        assert_eq!(suggestion("w", ["x", "eps"].into_iter()), None);
    }
}
