//! A mechanism that is private, and one whose noise is too small: `cargo run --example prove -p lastbit-engine`.

use lastbit_engine::prove::{Plan, Question};
use lastbit_engine::{Source, Watcher};

const LAPLACE: &str = "
mechanism laplace(x: real) -> real
  param eps: real > 0
  adjacent |x<1> - x<2>| <= 1
  claim pure eps
{ z <$ lap(1 / eps);  return x + z }

mechanism too_little(x: real) -> real
  param eps: real > 0
  adjacent |x<1> - x<2>| <= 1
  claim pure eps
{ z <$ lap(1 / (2 * eps));  return x + z }
";

fn main() -> Result<(), lastbit_engine::Refusal> {
    let question = Question::of(Source { name: "laplace.lb", text: LAPLACE });
    let plan = Plan::of(&question)?;
    for number in 0..plan.len() {
        let answer = plan.answer(number, &Default::default(), Watcher::nobody())?;
        println!("{}: {:?}: {}", answer.name, answer.verdict, answer.statement);
    }
    Ok(())
}
