//! What commands say of a claim: meaning, exit code, what to do next.

use super::{Entry, Group};

const fn verdict(
    word: &'static str,
    aliases: &'static [&'static str],
    statement: &'static str,
    reason: &'static str,
    example: &'static str,
    see: &'static str,
) -> Entry {
    Entry { group: Group::Verdicts, word, aliases, statement, reason, example, see }
}

pub(super) const VERDICTS: [Entry; 12] = [
    verdict(
        "PROVED",
        &["proof"],
        "The claim holds for all inputs, and the certificate shows it. Exit code 0.",
        "Next: write the certificate with --certificate, and check it with lastbit check or in Coq with lastbit certify.",
        "`lastbit prove mechanisms/laplace.lb`.",
        "docs/logic.md",
    ),
    verdict(
        "REFUTED",
        &[],
        "The claim is false: two inputs and an event show it, with exact probabilities. Exit code 1.",
        "Next: more noise, a larger claim, or other neighbours. The witness shows where the loss is.",
        "Laplace noise of scale 1/(2·eps) that claims eps.",
        "docs/logic.md",
    ),
    verdict(
        "REJECTED",
        &[],
        "A proof in the text, or a certificate, is wrong at the place shown; the claim itself may still be true. Exit code 1.",
        "Next: fix the step, or remove the proof and let lastbit prove look for one.",
        "`step lapgen z cost eps/2: …` with a shift that costs eps.",
        "docs/logic.md",
    ),
    verdict(
        "UNDECIDED",
        &["not decided", "NOT PROVED"],
        "Neither a proof nor a witness was found, or a limit was reached. The claim may be true or false. Exit code 3.",
        "Next: give values for parameters, narrower ranges, a proof in the text, or a larger --timeout and --memory.",
        "A mechanism whose noise depends on other noise.",
        "docs/logic.md",
    ),
    verdict(
        "VACUOUS",
        &["POSSIBLY VACUOUS"],
        "No two inputs satisfy what the text declares about neighbours, so the claim is about nothing. It stands next to a verdict and does not change the exit code.",
        "Next: find the contradiction between the adjacent clauses, the assumptions and the ranges.",
        "`adjacent |x<1> - x<2>| <= -1`.",
        "docs/coq.md",
    ),
    verdict(
        "ACCEPTED",
        &[],
        "The certificate proves what it says: every step was checked, without any search. Exit code 0.",
        "Next: give the program, too, to check that the certificate is about it.",
        "`lastbit check certificate.json`.",
        "docs/coq.md",
    ),
    verdict(
        "NOT CHECKED",
        &[],
        "A limit was reached before the certificate was checked. It may be right or wrong. Exit code 3.",
        "Next: give a larger --timeout and --memory.",
        "`lastbit check huge.json --timeout 1s`.",
        "docs/logic.md",
    ),
    verdict(
        "HOLDS",
        &["within its claim"],
        "What was computed is within the claim, for these inputs or this file. Exit code 0.",
        "Next: an audit is about two inputs; lastbit prove is about all of them.",
        "`lastbit audit sampler discrete-laplace --scale 5/2 --inputs 0 1`.",
        "docs/audit.md",
    ),
    verdict(
        "VIOLATED",
        &["exceeds"],
        "What was computed exceeds the claim, and the output that shows it is named. Exit code 1.",
        "Next: use a mechanism that is exact, or claim what the audit found.",
        "`lastbit audit textbook-laplace --epsilon 1 --inputs 0 1` has an infinite loss.",
        "docs/audit.md",
    ),
    verdict(
        "LEAKS",
        &["leak"],
        "Samples show that the loss is above the claim, with the confidence given. Exit code 1.",
        "Next: the event shows what gives the input away. Use noise that is exact to the last bit.",
        "`lastbit attack --command 'python3 examples/textbook_laplace.py {input} {samples}' --inputs 0 1 --epsilon 1`.",
        "docs/attack.md",
    ),
    verdict(
        "NOT SEEN TO LEAK",
        &["no leak", "no leak seen"],
        "No event that was tried exceeds the claim. That is no proof: others may. Exit code 0.",
        "Next: more samples, or an audit or a proof, which consider every output.",
        "`lastbit attack` of `lastbit noise laplace`.",
        "docs/attack.md",
    ),
    verdict(
        "INFINITE",
        &["inf", "infinite loss"],
        "One input can give an output that the other cannot: no ε is large enough. As a verdict on a claim it is VIOLATED or REFUTED.",
        "Next: look at the output. Often its last bits reveal the input.",
        "Textbook Laplace noise in doubles, for almost any two inputs.",
        "docs/audit.md",
    ),
];
