//! The word that somebody meant.

/// The known word that is nearest to the one written, if it is near.
pub(crate) fn closest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    let distance = |word: &str| edits(&written, &word.to_lowercase());
    let nearest = known.into_iter().map(|word| (distance(word), word)).min()?;
    (nearest.0 <= 1 + written.chars().count() / 4).then_some(nearest.1)
}

/// The least number of letters to insert, delete or replace.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn near_words_are_suggested() {
        assert_eq!(closest("colunm", ["column", "kind"]), Some("column"));
        assert_eq!(closest("epsilo", ["epsilon", "rho"]), Some("epsilon"));
        assert_eq!(closest("Clmap", ["clamp", "round"]), Some("clamp"));
        assert_eq!(closest("zebra", ["column", "kind"]), None);
        assert_eq!(closest("x", []), None);
    }
}
