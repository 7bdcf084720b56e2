//! Certificates to work with: what the search proves of the mechanisms that ship.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use lastbit_lang::parse;
use lastbit_lang::symbolic::Program;
use lastbit_prove::logic::certificate::{Certificate, read, to_json};
use lastbit_prove::logic::search::search;

const FILES: [&str; 9] = [
    "laplace",
    "grid_laplace",
    "randomized_response",
    "snapping",
    "standard/noisy_max",
    "standard/selection",
    "standard/sparse_vector",
    "standard/sparse_vector_variants",
    "standard/sums",
];

/// The search does not prove it.
const OPEN: &str = "exponential";

/// The text of every mechanism on its own, without its proofs, and its name.
pub(crate) fn texts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../mechanisms");
    let mut found = Vec::new();
    for name in FILES {
        let text =
            fs::read_to_string(folder.join(name).with_extension("lb")).expect("a mechanism that ships");
        let (file, messages) = parse(&text);
        assert!(messages.is_empty(), "{name}: {messages:?}");
        for declaration in file.declarations.iter().filter(|declaration| declaration.name.text != OPEN) {
            let source = &text[declaration.header.start..declaration.body_span.end];
            found.push((source.to_owned(), declaration.name.text.clone()));
        }
    }
    found
}

/// A certificate of a text, through its JSON.
pub(crate) fn prove(text: &str, name: &str) -> Certificate {
    let (file, messages) = parse(text);
    assert!(messages.is_empty(), "{name}: {messages:?}");
    let values = Default::default();
    let declaration = file.declaration(name).expect("it is in its text");
    let program = Program::new(&file, declaration, &values).expect("it can be run on symbols");
    let found = search(&program).expect("it can be searched");
    let (proof, _) = found.proved.unwrap_or_else(|| panic!("{name} is not proved: {:?}", found.attempts));
    read(&to_json(text, name, &values, &proof).to_string()).expect("what is written can be read")
}

/// All certificates.
pub(crate) fn certificates() -> &'static [Certificate] {
    static ALL: OnceLock<Vec<Certificate>> = OnceLock::new();
    ALL.get_or_init(|| texts().iter().map(|(text, name)| prove(text, name)).collect())
}

/// One of them.
pub(crate) fn certificate(name: &str) -> &'static Certificate {
    certificates().iter().find(|certificate| certificate.declaration == name).expect("it is among them")
}

/// Numbers that look random and are always the same (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}
