//! A count of people, released: `cargo run --example count -p lastbit`.

use lastbit::{Contract, DiscreteLaplace, Mechanism, Neighbours, Rational, SecureSource, ValueType};

fn main() -> Result<(), lastbit::Error> {
    let smokers: i64 = 1234; // one person more or less changes it by 1
    let noise = DiscreteLaplace::for_epsilon(&Rational::new(1, 2).expect("2 is not 0"), &Rational::ONE)?;
    let mut released = [smokers];
    noise.release_in_place(&mut SecureSource::new()?, &mut released)?;
    println!("smokers, with noise: {}", released[0]);
    println!("{}", noise.claim(ValueType::I64, &Neighbours::at(Rational::ONE))?);
    Ok(())
}
