//! Three releases from a budget that has room for two: `cargo run --example budget -p lastbit`.

use lastbit::{Budget, Contract, Laplace, Mechanism, Neighbours, Rational, SecureSource, ValueType};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut budget = Budget::pure("1".parse()?)?.for_unit("person")?;
    let mut source = SecureSource::new()?;
    for (name, sum) in [("income", 54_321.5), ("rent", 12_080.25), ("savings", 3_100.0)] {
        let laplace = Laplace::for_epsilon(&"0.4".parse()?, &Rational::from(100))?;
        // Pay first: noise that was drawn and then refused would still have been drawn.
        match budget.spend(laplace.claim(ValueType::F64, &Neighbours::at(Rational::from(100)))?) {
            Ok(()) => {
                let mut value = [sum];
                laplace.release_in_place(&mut source, &mut value)?;
                println!("{name}: {}", value[0]);
            }
            Err(refusal) => println!("{name}: refused: {refusal}"),
        }
    }
    Ok(())
}
