use lastbit_lang::symbolic::Program;
use lastbit_prove::logic::{kernel, search};
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let (file, d) = lastbit_lang::parse(&text);
        assert!(d.is_empty(), "{d:?}");
        for declaration in &file.declarations {
            let start = std::time::Instant::now();
            let name = &declaration.name.text;
            let program = match Program::new(&file, declaration, &Default::default()) {
                Ok(p) => p,
                Err(e) => {
                    println!("{name}: {}", e.message);
                    continue;
                }
            };
            match search::search(&program) {
                Err(e) => println!("{name}: ERROR {e}"),
                Ok(s) => {
                    let t = start.elapsed();
                    match &s.proved {
                        Some((proof, th)) => {
                            let start = std::time::Instant::now();
                            let c = kernel::check(&file, declaration, &Default::default(), proof);
                            println!(
                                "{name}: PROVED cost {} claim {:?} premises {} lemmas {} {:?} in {t:?}; check {:?} {}",
                                th.cost,
                                th.claim.as_ref().map(|c| c.to_string()),
                                th.premises,
                                proof.lemmas.len(),
                                s.strategies,
                                start.elapsed(),
                                c.is_ok()
                            );
                            if let Err(e) = c {
                                println!("   {e}")
                            }
                        }
                        None => {
                            println!("{name}: not proved {t:?}");
                            for a in &s.attempts {
                                println!(
                                    "   {} [{}]: {}",
                                    a.strategy,
                                    a.case,
                                    match &a.failure {
                                        search::Failure::NotApplicable(t) => t.clone(),
                                        search::Failure::Refused(e) => match e {
                                            kernel::KernelError::Open { open, .. } => format!(
                                                "{e}: {}",
                                                open.iter()
                                                    .map(|c| c.to_string())
                                                    .collect::<Vec<_>>()
                                                    .join(" & ")
                                            ),
                                            _ => e.to_string(),
                                        },
                                    }
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}
