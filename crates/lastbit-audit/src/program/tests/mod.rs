//! The evaluator against the language's own; the rules against brute force, and wrong rules against it too; zeros.

mod agreement;
mod broken_rules;
mod random;
mod soundness;
mod zeros;
