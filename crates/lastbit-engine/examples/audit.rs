//! Does a mechanism keep its claim? `cargo run --example audit -p lastbit-engine`.

use lastbit_engine::audit::inputs::Input;
use lastbit_engine::audit::program::{Question, audit};
use lastbit_engine::audit::{Shown, Wishes};
use lastbit_engine::{Source, Watcher};

const COIN: &str = "
mechanism coin(answer: bool) -> bool
  claim pure 1
{ lie <$ bernoulli(1/4);  return if lie { !answer } else { answer } }
";

fn main() -> Result<(), lastbit_engine::Refusal> {
    let question = Question {
        source: Source { name: "coin.lb", text: COIN },
        program: None,
        values: Vec::new(),
        inputs: Some(["true", "false"].map(|answer| Input::Written(answer.into()))),
        ln: None,
        map: false,
    };
    let answer = audit(&question, &Wishes::default(), &Watcher::nobody())?;
    // The claim is 1, and the loss is ln 3: VIOLATED.
    print!("{}", answer.text(Shown { details: true, ..Shown::default() }));
    Ok(())
}
