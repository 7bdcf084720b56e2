use lastbit_lang::symbolic::Program;
use lastbit_prove::logic::script;
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let (file, d) = lastbit_lang::parse(&text);
        assert!(d.is_empty(), "{}", lastbit_lang::render("f", &text, &d));
        let d = lastbit_lang::check(&file);
        assert!(d.is_empty(), "{}", lastbit_lang::render("f", &text, &d));
        for declaration in &file.declarations {
            let name = &declaration.name.text;
            let program = match Program::new(&file, declaration, &Default::default()) {
                Ok(p) => p,
                Err(e) => {
                    println!("{name}: {}", e.message);
                    continue;
                }
            };
            for s in &declaration.proofs {
                let start = std::time::Instant::now();
                match script::check(&program, s) {
                    Err(lastbit_prove::logic::kernel::KernelError::Program(d)) => {
                        println!("{}", lastbit_lang::render("f", &text, &[d]))
                    }
                    Err(e) => println!("ERR {e}"),
                    Ok(r) => {
                        println!(
                            "{name} {:?}: {} {:?}",
                            r.name,
                            match &r.verdict {
                                script::Verdict::Proved(p) => format!("PROVED {}", p.1.cost),
                                v => format!("{v:?}"),
                            },
                            start.elapsed()
                        );
                        for st in &r.steps {
                            println!(
                                "  {} {} {}",
                                st.number,
                                st.rule,
                                match &st.status {
                                    script::Status::Rejected(r) => format!(
                                        "REJECTED {}: {}\n        {}",
                                        r.rule,
                                        r.premise,
                                        r.counterexample.as_ref().map_or("-".into(), |c| c.to_string())
                                    ),
                                    o => format!("{o:?}"),
                                }
                            );
                        }
                    }
                }
            }
        }
    }
}
