//! Certificates as Coq files, on top of the library in `coq/`.
//!
//! A certificate is translated as it stands, without being checked: Coq is the judge. It accepts and rejects what
//! [`crate::check`] accepts and rejects, by functions of its own that are proved sound once and for all.
//!
//! ```
//! use lastbit_lang::fpcore;
//! use lastbit_prove::analysis::{Effort, analyse};
//! use lastbit_prove::{certificate, coq};
//!
//! let program = fpcore::read("(FPCore (x) :name \"square\" :pre (<= 0 x 3) (* x x))").remove(0)?;
//! let analysis = analyse(&program, Effort::FAST, |_| {})?;
//! let certificate = certificate::to_json(&program, &analysis).to_string();
//!
//! let file = coq::error_bound(&certificate)?;
//! assert!(file.contains("Theorem square (lib : libm 53 1024) : meets lib CorrectlyRounded CorrectlyRounded ->"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod loss;
mod readable;
mod text;

pub use error::error_bound;
pub use loss::{Unsupported, loss_bound};

/// The names of what a file of a certificate states: its theorems and corollaries, one at the beginning of a line.
pub fn theorems(file: &str) -> Vec<&str> {
    let (mut names, mut depth) = (Vec::new(), 0_usize);
    for line in file.lines() {
        // Comments nest, and come in a line's beginning or at its end; there are no strings.
        let stated = line.strip_prefix("Theorem ").or_else(|| line.strip_prefix("Corollary "));
        if let (0, Some(rest)) = (depth, stated) {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '\'');
            names.push(&rest[..end.unwrap_or(rest.len())]);
        }
        depth = (depth + line.matches("(*").count()).saturating_sub(line.matches("*)").count());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::theorems;

    #[test]
    fn names_of_theorems() {
        let file = "(* a comment\nTheorem in_it : True.\n (* inner *)\nTheorem in_it_too *)\n\
                    Lemma no : True. Proof. exact I. Qed. (* one line *)\nTheorem one' (x : R) : True.\n\
                    Corollary two_2 : True.\n  Theorem indented : True.\n";
        assert_eq!(theorems(file), ["one'", "two_2"]);
    }
}
