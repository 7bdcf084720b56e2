//! Lines, indentation, and the comments between them.

use crate::Span;
use crate::ast::Comment;

const INDENT: &str = "  ";

/// Puts lines below each other and each comment next to the line that it stood next to.
pub(super) struct Layout<'a> {
    pub(super) depth: usize,
    comments: &'a [Comment],
    blank_lines: &'a [usize],
    out: String,
    next_comment: usize,
    next_blank: usize,
}

impl<'a> Layout<'a> {
    pub(super) fn new(comments: &'a [Comment], blank_lines: &'a [usize]) -> Layout<'a> {
        Layout { depth: 0, comments, blank_lines, out: String::new(), next_comment: 0, next_blank: 0 }
    }

    fn comment_before(&mut self, end: usize) -> Option<&'a Comment> {
        let comment = self.comments.get(self.next_comment).filter(|comment| comment.span.start < end)?;
        self.next_comment += 1;
        Some(comment)
    }

    /// Keeps one blank line where the source had some, except at the start of a block.
    fn blank_line_before(&mut self, position: usize) {
        if self.skip_blank_lines(position + 1) {
            self.separate();
        }
    }

    /// Leaves out the blank lines before `end`.
    ///
    /// Ensures: whether there was one.
    fn skip_blank_lines(&mut self, end: usize) -> bool {
        let before = self.next_blank;
        while self.blank_lines.get(self.next_blank).is_some_and(|blank| *blank < end) {
            self.next_blank += 1;
        }
        self.next_blank > before
    }

    /// An empty line, unless nothing stands above it or there is one.
    pub(super) fn separate(&mut self) {
        let at_start = self.out.is_empty() || self.out.ends_with("{\n") || self.out.ends_with("\n\n");
        if !at_start {
            self.out.push('\n');
        }
    }

    fn indented(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str(INDENT);
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// The comments that start before `end`, each in its own line.
    fn comments_before(&mut self, end: usize) {
        while let Some(comment) = self.comment_before(end) {
            self.blank_line_before(comment.span.start);
            self.indented(&comment.text);
        }
    }

    /// A line for the part `span` of the source: comments before or inside it above, a comment right after it behind.
    pub(super) fn line(&mut self, span: Span, text: &str) {
        self.comments_before(span.end);
        self.blank_line_before(span.start);
        self.indented(text);
        self.trailing(span.end);
    }

    /// The line of a closing brace that ends at `end`, or of all that follows it in its line up to `end`. Comments up to there are
    /// put into the block.
    pub(super) fn closing(&mut self, end: usize, text: &str) {
        self.depth += 1;
        self.comments_before(end);
        self.depth -= 1;
        self.skip_blank_lines(end);
        self.indented(text);
        self.trailing(end);
    }

    /// The comment right after what ends at `end`, except behind an opening brace: there it belongs to what follows.
    fn trailing(&mut self, end: usize) {
        if self.out.ends_with("{\n") {
            return;
        }
        let Some(comment) = self.comments.get(self.next_comment) else { return };
        if comment.trails == Some(end) {
            self.next_comment += 1;
            self.out.pop();
            self.out.push_str(INDENT);
            self.out.push_str(&comment.text);
            self.out.push('\n');
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.comments_before(usize::MAX);
        self.out
    }
}
