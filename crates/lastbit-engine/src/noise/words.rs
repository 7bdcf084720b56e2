//! What explanations of noise and of choices share.

use lastbit::Claim;

/// The loss, the formula with its parameters, and the claim.
pub(super) fn head(formula: &str, claim: &Claim) -> String {
    let mut text = format!("{}: {}\n\n{}", claim.mechanism(), claim.loss_in_words(), wrapped(formula));
    for (name, value) in claim.parameters() {
        text += &format!("  {name} = {value}\n");
    }
    text + &format!("\nclaim\n\n{}", wrapped(&claim.to_string()))
}

/// The last paragraph.
pub(super) fn meaning(words: &str) -> String {
    format!("\nwhat the loss means\n\n{}", wrapped(words))
}

/// The text in lines that are easy to read, indented; words longer than a line stay whole.
pub(super) fn wrapped(text: &str) -> String {
    const WIDTH: usize = 96;
    let (mut out, mut used) = (String::new(), 0);
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > WIDTH {
            out.push('\n');
            used = 0;
        }
        out.push_str(if used == 0 { "  " } else { " " });
        out.push_str(word);
        used += 1 + length;
    }
    out.push('\n');
    out
}
