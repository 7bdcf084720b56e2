//! S-expressions as a flat list of items, so that neither reading nor dropping them recurses.

use crate::{Diagnostic, Span};

/// What an item is, by its spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `( … )` or `[ … ]`
    List,
    /// `x`, `let*`, `+`
    Symbol,
    /// `1e-3`, `-2/3`
    Number,
    /// `"…"`
    Text,
    /// `:pre`
    Property,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    kind: Kind,
    span: Span,
    /// The item after everything that this one contains.
    end: usize,
}

/// The place of an item in its tree.
pub(super) type ItemId = usize;

/// Items in the order of the text: a list stands before what it contains.
pub(super) struct Tree<'s> {
    source: &'s str,
    items: Vec<Item>,
}

impl<'s> Tree<'s> {
    pub(super) fn kind(&self, id: ItemId) -> Kind {
        self.items[id].kind
    }

    pub(super) fn span(&self, id: ItemId) -> Span {
        self.items[id].span
    }

    /// The text as written, brackets and quotes included.
    pub(super) fn text(&self, id: ItemId) -> &'s str {
        let Span { start, end } = self.items[id].span;
        &self.source[start..end]
    }

    /// The name, if the item is a symbol.
    pub(super) fn symbol(&self, id: ItemId) -> Option<&'s str> {
        (self.kind(id) == Kind::Symbol).then(|| self.text(id))
    }

    /// The contents, if the item is a string.
    pub(super) fn string(&self, id: ItemId) -> Option<String> {
        if self.kind(id) != Kind::Text {
            return None;
        }
        let quoted = self.text(id);
        let mut escaped = false;
        let mut contents = String::new();
        for c in quoted[1..quoted.len() - 1].chars() {
            escaped = c == '\\' && !escaped;
            if !escaped {
                contents.push(c);
            }
        }
        Some(contents)
    }

    /// The items that a list contains, in order; none if it is no list.
    pub(super) fn children(&self, id: ItemId) -> impl Iterator<Item = ItemId> + '_ {
        self.siblings(id + 1, self.items[id].end)
    }

    /// The operator and the operands of a list that starts with a symbol.
    pub(super) fn form(&self, id: ItemId) -> Option<(&'s str, Vec<ItemId>)> {
        let mut children = self.children(id);
        let head = self.symbol(children.next()?)?;
        Some((head, children.collect()))
    }

    /// The item and all that it contains, in the order of the text.
    pub(super) fn subtree(&self, id: ItemId) -> std::ops::Range<ItemId> {
        id..self.items[id].end
    }

    /// The items that no list contains.
    pub(super) fn roots(&self) -> impl Iterator<Item = ItemId> + '_ {
        self.siblings(0, self.items.len())
    }

    fn siblings(&self, mut next: usize, end: usize) -> impl Iterator<Item = ItemId> + '_ {
        std::iter::from_fn(move || {
            let id = next;
            (id < end).then(|| {
                next = self.items[id].end;
                id
            })
        })
    }
}

/// Reads a text of lists. What stands before the first mistake is in the tree.
pub(super) fn parse(source: &str) -> (Tree<'_>, Option<Diagnostic>) {
    let mut reader = Reader { source, position: 0, items: Vec::new(), open: Vec::new() };
    let mistake = reader.run().err();
    // An unfinished list is not a form.
    if let Some(&(outermost, _)) = reader.open.first() {
        reader.items.truncate(outermost);
    }
    (Tree { source, items: reader.items }, mistake)
}

struct Reader<'s> {
    source: &'s str,
    position: usize,
    items: Vec<Item>,
    /// The unfinished lists and what closes them, the innermost last.
    open: Vec<(ItemId, u8)>,
}

impl Reader<'_> {
    fn run(&mut self) -> Result<(), Diagnostic> {
        let bytes = self.source.as_bytes();
        while let Some(&byte) = bytes.get(self.position) {
            let here = Span::new(self.position, self.position + 1);
            match byte {
                b';' => self.position = self.find(|b| b == b'\n'),
                b'(' | b'[' => {
                    self.open.push((self.items.len(), if byte == b'(' { b')' } else { b']' }));
                    self.items.push(Item { kind: Kind::List, span: here, end: 0 });
                    self.position += 1;
                }
                b')' | b']' => self.close(byte, here)?,
                _ if byte.is_ascii_whitespace() => self.position += 1,
                _ if self.open.is_empty() => return Err(self.stray()),
                b'"' => self.quoted()?,
                _ => self.atom()?,
            }
        }
        if let Some(&(list, closer)) = self.open.last() {
            let span = self.items[list].span;
            return Err(Diagnostic::new(span, format!("`{}` is missing for this bracket", closer as char)));
        }
        if self.items.is_empty() {
            return Err(Diagnostic::new(Span::new(0, self.source.len()), "no program: the text is empty")
                .with_hint("a program is written (FPCore (x …) :pre (<= lo x hi) expression)"));
        }
        Ok(())
    }

    fn close(&mut self, byte: u8, here: Span) -> Result<(), Diagnostic> {
        let found = byte as char;
        let Some((list, expected)) = self.open.last().copied() else {
            return Err(Diagnostic::new(here, format!("`{found}` closes nothing")));
        };
        if byte != expected {
            let message = format!("`{found}` closes a bracket that needs `{}`", expected as char);
            return Err(Diagnostic::new(self.items[list].span.to(here), message));
        }
        self.open.pop();
        self.position += 1;
        let end = self.items.len();
        let item = &mut self.items[list];
        item.span = item.span.to(here);
        item.end = end;
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), Diagnostic> {
        let start = self.position;
        let mut escaped = false;
        self.position += 1;
        let quote = self.find(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        if quote == self.source.len() {
            return Err(Diagnostic::new(Span::new(start, start + 1), "the string is not closed"));
        }
        self.position = quote + 1;
        self.push_atom(Kind::Text, start);
        Ok(())
    }

    fn atom(&mut self) -> Result<(), Diagnostic> {
        let start = self.position;
        let end = self.find(|byte| byte.is_ascii_whitespace() || b"()[]\";".contains(&byte));
        // All bytes up to `end` that pass are ASCII, so a foreign one starts a character.
        if let Some(at) = self.source.as_bytes()[start..end].iter().position(|&byte| !is_symbol_byte(byte)) {
            let at = start + at;
            let found = self.source[at..].chars().next().unwrap_or_default();
            let span = Span::new(at, at + found.len_utf8());
            return Err(Diagnostic::new(span, format!("{found:?} cannot stand in a symbol or a number")));
        }
        let text = &self.source[start..end];
        let kind = if text.starts_with(':') {
            Kind::Property
        } else if looks_like_a_number(text) {
            Kind::Number
        } else {
            Kind::Symbol
        };
        self.position = end;
        self.push_atom(kind, start);
        Ok(())
    }

    fn push_atom(&mut self, kind: Kind, start: usize) {
        let end = self.items.len() + 1;
        self.items.push(Item { kind, span: Span::new(start, self.position), end });
    }

    /// Text outside of every list.
    fn stray(&self) -> Diagnostic {
        let end = self.find(|byte| byte.is_ascii_whitespace() || b"()[]\";".contains(&byte));
        // A quote ends the search where it starts.
        let span = Span::new(self.position, end.max(self.position + 1));
        Diagnostic::new(span, "text outside of a program")
            .with_hint("a program is written (FPCore (x …) :pre (<= lo x hi) expression)")
    }

    /// The place of the first byte from here on that is asked for, or the end of the text.
    fn find(&self, mut wanted: impl FnMut(u8) -> bool) -> usize {
        let rest = &self.source.as_bytes()[self.position..];
        self.position + rest.iter().position(|&byte| wanted(byte)).unwrap_or(rest.len())
    }
}

/// Whether FPCore allows the byte in a symbol.
pub(super) fn is_symbol_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/:".contains(&byte)
}

/// Whether a word has to be read as a number: a sign or none, then a digit, perhaps after a point.
pub(super) fn looks_like_a_number(word: &str) -> bool {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    digits.strip_prefix('.').unwrap_or(digits).starts_with(|c: char| c.is_ascii_digit())
}
