//! Noise that is charged to a ledger before it is drawn, and stored before it is shown.

use std::path::PathBuf;

use clap::Args;
use lastbit_engine::ledger::Book;
use lastbit_engine::noise::{Charged, Input, MOST_VALUES, Plan, Promise};

use crate::args::Io;
use crate::entry::Entry;
use crate::error::{Error, of_engine, tell_or_fail};
use crate::input::Numbers;
use crate::output::{Sink, tell_promise};
use crate::plan::Noisy;
use crate::source::Source;
use crate::stdout::lines_written;
use crate::value::Value;

/// Values of so many bytes beside themselves are too many: those with thousands of digits.
const MOST_BYTES: usize = 64 << 20;

/// The ledger of noise.
#[derive(Args)]
#[command(next_help_heading = "Ledger")]
pub(crate) struct NoiseBook {
    /// Charge the noise to this ledger, once; --unit, --dataset and --id go with it
    ///
    /// The charge is on the disk before noise is drawn, and the noisy values are before they are printed. --sensitivity is then what one
    /// unit, added or removed, can change: the loss adds to that of all releases from the dataset, which must be about the same unit.
    #[arg(long, value_name = "FILE", requires_all = ["dataset", "id"], conflicts_with_all = ["explain", "insecure_seed"])]
    ledger: Option<PathBuf>,
    /// The name of the data that the values were computed from
    #[arg(long, value_name = "NAME", requires = "ledger")]
    dataset: Option<String>,
    /// The name of the release: asked again under the same name, the stored values are shown at no charge
    #[arg(long, value_name = "NAME", requires = "ledger")]
    id: Option<String>,
    /// Who asks, if the ledger has budgets by analyst
    #[arg(long, value_name = "NAME", requires = "ledger")]
    analyst: Option<String>,
    /// Accept a ledger on a network file system, which only one machine may use
    #[arg(long, requires = "ledger")]
    force_network: bool,
}

impl NoiseBook {
    pub(crate) fn book(&self) -> Option<Book> {
        let mut book = Book::at(self.ledger.as_ref()?);
        book.id = self.id.clone();
        book.analyst = self.analyst.clone();
        book.force_network = self.force_network;
        Some(book)
    }
}

/// What tells these values from others, as the command line has it.
fn input_of(io: &Io) -> Input {
    let file = io.file.as_ref().map_or("-".to_owned(), |path| path.display().to_string());
    let header = if io.shared.no_header { "no header" } else { "header" };
    let column = io.shared.column.as_ref().map(|column| [column.clone(), header.to_owned()]);
    Input {
        dataset: io.book.dataset.clone().unwrap_or_default(),
        place: [file].into_iter().chain(column.into_iter().flatten()).collect(),
    }
}

/// All values; they must be few.
pub(crate) fn read_all<X: Entry<T>, T>(mut numbers: Numbers<'_>) -> Result<Vec<X>, Error> {
    let (mut all, mut batch, mut bytes) = (Vec::new(), Vec::new(), 0);
    loop {
        numbers.next_batch::<X, T>(&mut batch)?;
        if batch.is_empty() {
            return if all.is_empty() { Err(Error::Empty) } else { Ok(all) };
        }
        bytes += batch.iter().map(Entry::heap_bytes).sum::<usize>();
        if all.len() + batch.len() > MOST_VALUES || bytes > MOST_BYTES {
            return Err(Error::usage(
                format!(
                    "{} has more values than a ledger keeps of one release, {MOST_VALUES}",
                    numbers.name()
                ),
                "noise is for results, which are few; add up first, or release parts of it under ids of their own",
            ));
        }
        all.append(&mut batch);
    }
}

/// Adds noise to all values under the charge, and prints what the ledger has then.
pub(crate) fn release<X: Noisy<T>, T: Value>(
    plan: &Plan,
    book: &Book,
    io: &Io,
    values: &[X],
    source: &mut Source,
    promise: &Promise,
) -> Result<(), Error> {
    let charged = plan.charged(book, &input_of(io), || {
        let mut noisy = Vec::new();
        X::add_noise(&plan.mechanism, source, values, &mut noisy)?;
        Ok(noisy.into_iter().map(text_of).collect())
    });
    let Charged { values, entered, warnings, .. } = charged.map_err(of_engine)?;
    let noisy: Vec<T> =
        values.iter().map(|text| text.parse().map_err(|_| unreadable())).collect::<Result<_, _>>()?;
    if !io.shared.json {
        tell_promise(promise)?;
        tell_or_fail(&entered.text())?;
    }
    warnings.iter().try_for_each(|warning| tell_or_fail(&format!("warning: {warning}")))?;
    let mut sink = Sink::new(io.shared.json, io.hex);
    sink.write(&noisy, &mut String::new()).map_err(|error| error.after(lines_written()))?;
    sink.finish(promise, Some(&entered))
}

fn text_of<T: Value>(value: T) -> String {
    let mut text = String::new();
    value.print(&mut text);
    text
}

fn unreadable() -> Error {
    Error::usage(
        "the stored values of this release are of another type",
        "ask for it as it was asked for first",
    )
}
