//! The command `budget`: ledgers.

pub(crate) mod args;

use lastbit_engine::budget::{self, Amount as Most};

use crate::error::{Error, of_engine};
use crate::output::{print_now, to_json};
use args::{Action, Amount, Budget};

pub(crate) fn run(args: &Budget) -> Result<(), Error> {
    match &args.action {
        Action::Create(args) => {
            let file = &args.file;
            let made = budget::create(
                &file.path,
                &args.dataset,
                args.unit.as_deref(),
                &args.amount.most(),
                file.force_network,
            );
            print_now(&made.map_err(of_engine)?.text())
        }
        Action::Limit(args) => {
            let (file, amount) = (&args.file, args.amount.most());
            let made = budget::limit(
                &file.path,
                &args.dataset,
                args.analyst.as_deref(),
                &amount,
                file.force_network,
            );
            print_now(&made.map_err(of_engine)?.text())
        }
        Action::Show(args) => {
            let shown = budget::show(&args.file.path, args.file.force_network).map_err(of_engine)?;
            print_now(&if args.json { to_json(&shown)? + "\n" } else { shown.text() })
        }
        Action::History(args) => {
            let history = budget::history(&args.file.path, args.file.force_network).map_err(of_engine)?;
            print_now(&if args.json { to_json(&history)? + "\n" } else { history.text() })
        }
        Action::Export(args) => {
            let export = budget::export(&args.file.path, args.file.force_network).map_err(of_engine)?;
            print_now(&(to_json(&export)? + "\n"))
        }
        Action::Verify(args) => {
            let found = budget::verify(&args.file.path, args.head.as_deref(), args.file.force_network)
                .map_err(of_engine)?;
            print_now(&if args.json { to_json(&found)? + "\n" } else { found.text() })?;
            if found.holds() { Ok(()) } else { Err(Error::Told(1)) }
        }
    }
}

impl Amount {
    fn most(&self) -> Most {
        match (&self.epsilon, &self.rho, &self.delta) {
            (Some(epsilon), _, Some(delta)) => {
                Most::Approximate { epsilon: epsilon.clone(), delta: delta.clone() }
            }
            (Some(epsilon), _, None) => Most::Pure { epsilon: epsilon.clone() },
            // One of the two is there.
            (None, rho, _) => Most::ZeroConcentrated { rho: rho.clone().unwrap_or_default() },
        }
    }
}
