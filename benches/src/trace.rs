//! One release of values and noise that come from outside: for tools that record every address that a program reads, writes and runs.
//!
//! `benches/traces` compares the records: if they are the same for all values and all noise, no branch and no address depends on either.

use std::hint::black_box;
use std::io::Read;

use lastbit::{BitSource, InsecureSeededSource, Mechanism, Rational};

use crate::cases::{constant_time, discrete_laplace, gaussian, grid_laplace, laplace, snapping};
use crate::textbook;

/// Values of a release: chunks of 128, of 16 and of 1.
const N: usize = 3 * 128 + 16 + 3;

/// What a release is made of, as 16 bytes: reading them takes the same steps whatever they say.
struct Input {
    x: [u8; 8],
    seed: u64,
}

fn release<T: Copy>(mechanism: &impl Mechanism<T>, x: T, mut source: impl BitSource) {
    let mut values = [x; N];
    mechanism.release_in_place(&mut source, &mut values).expect("values in range");
    black_box(&values);
}

/// The release of a case from the 16 bytes of standard input: a double or an integer, and a seed.
pub(crate) fn run(case: &str) -> Result<(), String> {
    let mut bytes = [0; 16];
    std::io::stdin().read_exact(&mut bytes).map_err(|e| format!("16 bytes are wanted: {e}"))?;
    let (x, seed) = bytes.split_at(8);
    let (x, seed) = (x.try_into().expect("8 bytes"), seed.try_into().expect("8 bytes"));
    let Input { x, seed } = Input { x, seed: u64::from_le_bytes(seed) };
    let (double, integer) = (f64::from_le_bytes(x), i64::from_le_bytes(x));
    let source = InsecureSeededSource::<u64>::from_seed(seed);
    match case {
        "laplace" => release(&laplace(), double, source),
        "laplace-f32" => release(&laplace(), double as f32, source),
        "laplace-i64" => release(&laplace(), integer, source),
        "grid-20" => release(&grid_laplace(Some(-20)), double, source),
        "grid-default" => release(&grid_laplace(None), double, source),
        "grid-1074" => release(&grid_laplace(Some(-1074)), double, source),
        "snapping" => release(&snapping(), double, source),
        "discrete-laplace" => release(&discrete_laplace(), integer, source),
        "constant-time" => release(&constant_time(Rational::from(10)), integer, source),
        "gaussian" => release(&gaussian(), double, source),
        "gaussian-i64" => release(&gaussian(), integer, source),
        // For comparison, two that leak: the logarithm of a library, and too few bits to decide all values.
        "textbook" => {
            let mut source = source;
            black_box((0..N).map(|_| double - textbook::noise(source.next_word())).sum::<f64>());
        }
        "laplace-32" => release(&laplace(), double, InsecureSeededSource::<u32>::from_seed(seed)),
        _ => return Err(format!("no case {case} to trace")),
    }
    Ok(())
}
