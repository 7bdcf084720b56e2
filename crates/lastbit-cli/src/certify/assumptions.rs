//! What a theorem assumes, as Coq lists it, beside what may be assumed.
//!
//! Coq prints the shortest name of an axiom that means it at that place, so that a name alone does not say which axiom it is: a library may have
//! a `Classical_Prop.classic` of its own. The file that is made here therefore also asks what the names of the allowed axioms mean, and
//! an axiom counts as allowed only if its printed name means one in full. Lines of our own stand between the parts, with a number that nothing
//! knew before; whatever else is printed makes the answer unreadable, and the certificate is rejected.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher, RandomState};

/// The axioms of Coq's real numbers, classical logic, and functions that are equal if their values are.
const LOGIC: [&str; 4] = [
    "Coq.Logic.Classical_Prop.classic",
    "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep",
    "Coq.Reals.ClassicalDedekindReals.sig_forall_dec",
    "Coq.Reals.ClassicalDedekindReals.sig_not_dec",
];

/// Coq's machine integers, by which it computes with numbers: the operations, and what is known of them.
const INT63: &str = "Coq.Numbers.Cyclic.Int63.";
const INT63_OPERATIONS: &[&str] = &[
    "add",
    "addc",
    "addcarryc",
    "addmuldiv",
    "asr",
    "compare",
    "compares",
    "div",
    "diveucl",
    "diveucl_21",
    "divs",
    "eqb",
    "head0",
    "int",
    "land",
    "leb",
    "lesb",
    "lor",
    "lsl",
    "lsr",
    "ltb",
    "ltsb",
    "lxor",
    "mod",
    "mods",
    "mul",
    "mulc",
    "sub",
    "subc",
    "subcarryc",
    "tail0",
];
const INT63_FACTS: &[&str] = &[
    "add_spec",
    "addc_def_spec",
    "addcarryc_def_spec",
    "addmuldiv_def_spec",
    "compare_def_spec",
    "div_spec",
    "diveucl_21_spec",
    "diveucl_def_spec",
    "eqb_correct",
    "eqb_refl",
    "head0_spec",
    "land_spec",
    "leb_spec",
    "lor_spec",
    "lsl_spec",
    "lsr_spec",
    "ltb_spec",
    "lxor_spec",
    "mod_spec",
    "mul_spec",
    "mulc_spec",
    "of_to_Z",
    "sub_spec",
    "subc_def_spec",
    "subcarryc_def_spec",
    "tail0_spec",
];

/// All that a theorem may assume, by its full name.
fn allowed() -> impl Iterator<Item = String> {
    let operations = INT63_OPERATIONS.iter().map(|name| format!("{INT63}PrimInt63.{name}"));
    let facts = INT63_FACTS.iter().map(|name| format!("{INT63}Uint63.{name}"));
    LOGIC.iter().map(ToString::to_string).chain(operations).chain(facts)
}

/// The last two parts of a name.
fn ending(name: &str) -> &str {
    let last = name.rfind('.').unwrap_or(0);
    name[..last].rfind('.').map_or(name, |dot| &name[dot + 1..])
}

/// A number that nobody could know.
pub(super) fn marker() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("lastbit-{:016x}{:016x}", random(), random())
}

/// The file that asks what theorems of a compiled module assume.
pub(super) fn question(module: &str, theorems: &[&str], marker: &str) -> String {
    let mark = |what: &str| format!("Goal True. idtac \"{marker} {what}\". Abort.\n");
    // One proof of all of them, since Coq goes through everything below for each question.
    let all: Vec<String> = theorems.iter().map(|theorem| format!("{module}.{theorem}")).collect();
    let (last, before) = all.split_last().map_or(("I", &all[..]), |(last, before)| (last, before));
    let proof = before.iter().rfold(last.to_owned(), |proof, one| format!("(conj {one} {proof})"));
    let mut file =
        format!("Require {module}.\nSet Printing Width 10000.\nDefinition everything := {proof}.\n");
    file += &mark("assumptions");
    file += "Print Assumptions everything.\n";
    for name in allowed() {
        file += &mark("name");
        file += &format!("Locate {}.\n", ending(&name));
    }
    file + &mark("end")
}

/// The assumptions of the theorems.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Assumptions {
    /// Full names, all of them allowed.
    pub(super) allowed: BTreeSet<String>,
    /// Names as Coq prints them, of what is not.
    pub(super) others: BTreeSet<String>,
}

impl Assumptions {
    /// Short names, with the machine integers as one.
    pub(super) fn in_words(&self) -> String {
        let logic = self.allowed.iter().filter(|name| !name.starts_with(INT63));
        let mut words: Vec<&str> = logic.filter_map(|name| name.rsplit('.').next()).collect();
        if self.allowed.iter().any(|name| name.starts_with(INT63)) {
            words.push("int63 (machine integers)");
        }
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    }
}

/// Reads what Coq answers to [`question`]; nothing if there is anything that is not expected.
pub(super) fn answer(printed: &str, marker: &str) -> Option<Assumptions> {
    let mut parts = printed.split(marker);
    // What the marker is printed into must be a line of its own.
    let is_start = |text: &str| text.is_empty() || text.ends_with('\n');
    let before = parts.next()?;
    let parts: Vec<&str> = parts.collect();
    let whole = parts[..parts.len().checked_sub(1)?].iter().all(|part| is_start(part));
    if !before.is_empty() || !whole || parts.len() != allowed().count() + 2 || *parts.last()? != " end\n" {
        return None;
    }
    let listed = axioms(parts[0].strip_prefix(" assumptions\n")?)?;
    let mut meanings: BTreeMap<&str, &str> = BTreeMap::new();
    let full: Vec<String> = allowed().collect();
    for (part, name) in parts[1..].iter().zip(&full) {
        let located = part.strip_prefix(" name\n")?;
        for (shortest, meaning) in constants(located, ending(name)) {
            // One name cannot mean two things.
            if *meanings.entry(shortest).or_insert(meaning) != meaning {
                return None;
            }
        }
    }
    let mut found = Assumptions { allowed: BTreeSet::new(), others: BTreeSet::new() };
    for name in listed {
        match meanings.get(name).filter(|meaning| full.iter().any(|full| full == *meaning)) {
            Some(meaning) => found.allowed.insert((*meaning).to_owned()),
            None => found.others.insert(name.to_owned()),
        };
    }
    Some(found)
}

/// The names in a list of `name : type`; what belongs to a type and does not fit the line is indented.
fn axioms(listed: &str) -> Option<Vec<&str>> {
    if listed == "Closed under the global context\n" {
        return Some(Vec::new());
    }
    let mut names = Vec::new();
    for line in listed.strip_prefix("Axioms:\n")?.lines() {
        let is_indented = line.starts_with(' ');
        match line.split_once(' ') {
            _ if is_indented && !names.is_empty() => {}
            Some((name, rest)) if rest.starts_with(": ") && is_name(name) => names.push(name),
            None if is_name(line) => names.push(line),
            _ => return None,
        }
    }
    Some(names).filter(|names| !names.is_empty())
}

/// Whether a text is identifiers with dots between them. What is not plain ASCII is none of ours.
fn is_name(text: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'')
    };
    text.split('.').all(is_part)
}

/// The constants that `Locate` lists: the shortest name that means each, and its full name.
fn constants<'t>(located: &'t str, asked: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    located.lines().filter_map(move |line| {
        let rest = line.strip_prefix("Constant ")?;
        Some(match rest.split_once(" (shorter name to refer to it in current context is ") {
            Some((full, shortest)) => (shortest.strip_suffix(')')?, full),
            None => (asked, rest),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASSIC: &str = "Coq.Logic.Classical_Prop.classic";

    /// What Coq prints, if it lists `listed` and says of `classic` what `located` says.
    fn printed(listed: &str, located: &str) -> String {
        let mut text = format!("MARK assumptions\n{listed}");
        for name in allowed() {
            let says = match name == CLASSIC {
                true => located.to_owned(),
                false => format!(
                    "Constant {name} (shorter name to refer to it in current context is {})\n",
                    ending(&name)
                ),
            };
            text += &format!("MARK name\n{says}");
        }
        text + "MARK end\n"
    }

    const AS_USUAL: &str = "Constant Coq.Logic.Classical_Prop.classic\n";

    #[test]
    fn what_is_allowed() {
        let listed = "Axioms:\nUint63.sub_spec : forall x y, x\n  = y\nClassical_Prop.classic\n  : forall P : Prop, P \\/ ~ P\n";
        let found = answer(&printed(listed, AS_USUAL), "MARK").expect("readable");
        assert_eq!(found.others, BTreeSet::new());
        assert_eq!(found.in_words(), "classic, int63 (machine integers)");
        let nothing = answer(&printed("Closed under the global context\n", AS_USUAL), "MARK").unwrap();
        assert_eq!(nothing.in_words(), "nothing");
    }

    #[test]
    fn what_is_not() {
        let listed = "Axioms:\nLossCertificate.bad : False\n";
        let found = answer(&printed(listed, AS_USUAL), "MARK").expect("readable");
        assert_eq!(found.others, BTreeSet::from(["LossCertificate.bad".to_owned()]));
    }

    /// An axiom of the same name, in a module of the same name.
    #[test]
    fn a_name_is_not_an_axiom() {
        let listed = "Axioms:\nClassical_Prop.classic : False\n";
        let located = "Constant Lastbit.Classical_Prop.classic\n\
                       Constant Coq.Logic.Classical_Prop.classic (shorter name to refer to it in current context is Logic.Classical_Prop.classic)\n";
        let found = answer(&printed(listed, located), "MARK").expect("readable");
        assert_eq!(found.allowed, BTreeSet::new());
        assert_eq!(found.others, BTreeSet::from(["Classical_Prop.classic".to_owned()]));
        let both = "Constant Lastbit.Classical_Prop.classic\nConstant Coq.Logic.Classical_Prop.classic\n";
        assert_eq!(answer(&printed(listed, both), "MARK"), None);
    }

    #[test]
    fn anything_unexpected_is_unreadable() {
        let classic = "Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\n";
        assert!(answer(&printed(classic, AS_USUAL), "MARK").is_some());
        for listed in [
            "",
            "Axioms:\n",
            "Axioms:\n  indented : False\n",
            "Axioms:\nf is assumed to be guarded.\n",
            "Axioms:\nTheory: Set is impredicative\n",
            "Axioms:\nbad. : False\n",
            "Section Variables:\nx : nat\n",
            "Closed under the global context\nAxioms:\nbad : False\n",
            "Axioms:\nClassical_Prop.classic : P\n\nbad : False\n",
            // A line that looks like ours, from something that has seen the marker.
            "Axioms:\nClassical_Prop.classic : P\nMARK end\n",
            "Axioms:\nClassical_Prop.classic : P\nMARK name\n",
        ] {
            assert_eq!(answer(&printed(listed, AS_USUAL), "MARK"), None, "{listed}");
        }
        let whole = printed(classic, AS_USUAL);
        for changed in [
            format!("Closed under the global context\n{whole}"),
            format!("{whole}bad : False\n"),
            whole.replace("MARK end\n", ""),
            whole.replace("\nMARK end", " MARK end"),
        ] {
            assert_eq!(answer(&changed, "MARK"), None, "{changed}");
        }
        assert_eq!(answer("", "MARK"), None);
    }

    #[test]
    fn questions() {
        let file = question("Out.Certificate", &["one", "two", "three"], "MARK");
        let proof = "(conj Out.Certificate.one (conj Out.Certificate.two Out.Certificate.three))";
        assert!(file.contains(&format!("Definition everything := {proof}.\n")), "{file}");
        assert!(file.contains("Locate Classical_Prop.classic.\n"));
        assert_ne!(marker(), marker());
    }
}
