//! Lines of Coq.

/// The longest line.
const WIDTH: usize = 110;

/// A file as it grows.
#[derive(Debug, Default)]
pub(super) struct Lines(String);

impl Lines {
    /// One sentence, wrapped between words; what follows the first line is indented by two more.
    pub(super) fn push(&mut self, indent: usize, sentence: &str) {
        let mut width = 0;
        for (index, word) in sentence.split(' ').enumerate() {
            if index == 0 {
                self.0.push_str(&" ".repeat(indent));
                width = indent;
            } else if width + 1 + word.chars().count() > WIDTH {
                self.0.push('\n');
                self.0.push_str(&" ".repeat(indent + 2));
                width = indent + 2;
            } else {
                self.0.push(' ');
                width += 1;
            }
            self.0.push_str(word);
            width += word.chars().count();
        }
        self.0.push('\n');
    }

    /// Lines that are as they should be.
    pub(super) fn verbatim(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// An empty line.
    pub(super) fn blank(&mut self) {
        self.0.push('\n');
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// What can stand in a comment: neither its end, nor the beginning of another or of a text.
pub(super) fn comment(text: &str) -> String {
    text.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
}
