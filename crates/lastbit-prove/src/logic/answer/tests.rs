//! What people read of a proof.

use lastbit_lang::parse;

use super::{Answer, Shown, Task};
use crate::logic::prove::Options;

fn in_words(text: &str) -> String {
    let (file, _) = parse(text);
    let task = Task { file: &file, declaration: &file.declarations[0], file_name: "a.lb", text };
    let answer = Answer::find(task, Default::default(), &Options::default(), &mut |_| {}).expect("a program");
    answer.in_words(Shown { all: true, depth: 9, time: false })
}

#[test]
fn every_node_says_something() {
    let text = in_words(
        "mechanism exponential(score: real[2]) -> int
           param eps: real > 0
           adjacent forall i: |score[i]<1> - score[i]<2>| <= 1
           claim pure eps
         { k <$ choose(exp(eps * score[0] / 2), exp(eps * score[1] / 2));  return k }",
    );
    let nodes = text.lines().filter_map(|line| line.split_once(['├', '└']));
    let texts: Vec<&str> = nodes.map(|(_, node)| node.trim()).collect();
    assert!(texts.contains(&"AX-NULL k [eps]"), "{text}");
    assert!(texts.iter().any(|node| node.starts_with("AXIOM ")) && !texts.contains(&""), "{text}");
}

#[test]
fn an_equation_is_listed_once() {
    let text = in_words(
        "mechanism above(q: real, T: real) -> bool
           param eps: real > 0
           adjacent |q<1> - q<2>| <= 1
           adjacent T<1> = T<2>
           claim pure eps
         { z <$ lap(1 / eps);  return q + z >= T }",
    );
    let used = "assumptions used: eps > 0, |q<1> - q<2>| <= 1, T<1> = T<2>      not used: none";
    assert!(text.lines().any(|line| line == used), "{text}");
}
