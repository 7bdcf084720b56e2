//! What a release costs in time on the disk of a directory: `cargo run -p lastbit-ledger --example cost -- DIRECTORY [RELEASES]`.

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use lastbit_ledger::{Charge, Digest, Ledger, Limit, Options, Request};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let most: u32 = std::env::args().nth(2).map_or(Ok(1_000), |number| number.parse())?;
    let path = directory.join(format!("cost-{}.db", std::process::id()));
    let mut ledger = Ledger::create(&path, &Options::default())?;
    ledger.declare("trips", "one rider added or removed", &Limit::pure("1000000".parse()?)?)?;

    let mut next = 0;
    for releases in [most / 10, most] {
        let from = Instant::now();
        let first = next;
        while next < releases {
            ledger.release(&request(next)?, || Ok(b"1041".to_vec()))?;
            next += 1;
        }
        let each = from.elapsed() / (next - first);
        let from = Instant::now();
        ledger.release(&request(0)?, || unreachable!())?;
        let again = from.elapsed();
        let from = Instant::now();
        ledger.verify()?;
        println!(
            "{next} releases: {:.1} ms each, {:.2} ms asked again, {:.0} ms to verify",
            each.as_secs_f64() * 1e3,
            again.as_secs_f64() * 1e3,
            from.elapsed().as_secs_f64() * 1e3
        );
    }
    drop(ledger);
    std::fs::remove_file(&path)?;
    Ok(())
}

fn request(number: u32) -> Result<Request, Box<dyn Error>> {
    Ok(Request {
        id: format!("release-{number}"),
        spec: Digest::of(&number.to_be_bytes()),
        dataset: "trips".to_owned(),
        analyst: Some(format!("analyst-{}", number % 10)),
        neighbours: "one rider added or removed".to_owned(),
        // A hundred different losses.
        charge: Charge::pure(format!("1/{}", number % 100 + 1).parse()?)?,
        claim: "{}".to_owned(),
        fingerprint: None,
    })
}
