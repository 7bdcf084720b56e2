//! The arguments of `lastbit certify`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[command(after_help = "Examples:
  lastbit prove kernel.fpcore --program doppler1 --certificate doppler1.json
  lastbit certify doppler1.json --coq doppler1.v
  lastbit certify doppler1.json --run
  lastbit certify doppler1.json --gappa doppler1.g && gappa doppler1.g
  lastbit prove mechanisms/snapping_f64.lb --epsilon 1 --bound 340 --certificate snap.json
  lastbit certify snap.json --run

The Coq file stands on the library in coq/, whose sources are part of this program. With --run they are compiled once, which takes
about a minute, into the user's cache directory. A coq/ in the working directory is not looked at; --library or $LASTBIT_COQ
name another compiled library, and the verdict says so. With the verdict stands what the theorem assumes: anything but the
axioms of Coq's real numbers, classical logic, functional extensionality and Coq's machine integers is rejected.
Installing Coq, and a file by hand: coq/check --install; coqc -Q coq Lastbit OUT.v

Exit codes: 0 written, and with --run accepted by Coq; 1 rejected by Coq, or more is assumed than may be; 2 not a certificate,
or not one that can be written so; 3 with --run: not checked, because there is no coqc, or no library could be compiled.")]
pub(crate) struct Certify {
    /// A certificate that `lastbit prove --certificate` wrote; it is translated as it stands, and not checked here
    #[arg(value_name = "CERT")]
    pub(crate) file: PathBuf,
    /// Write it as a Coq file (- for standard output)
    #[arg(long, value_name = "OUT.v")]
    pub(crate) coq: Option<PathBuf>,
    /// Let Coq check it: compile the Coq file with coqc, and list what it assumes
    #[arg(long)]
    pub(crate) run: bool,
    /// Write the error bound as a Gappa script (- for standard output); what the certificate says of ln and exp becomes a hypothesis, and
    /// Gappa may not find the bound
    #[arg(long, value_name = "OUT.g")]
    pub(crate) gappa: Option<PathBuf>,
    /// A compiled library to use instead of this program's own [default: $LASTBIT_COQ, if it is set]
    #[arg(long, value_name = "DIR", requires = "run")]
    pub(crate) library: Option<PathBuf>,
    /// Print JSON: an object
    #[arg(long)]
    pub(crate) json: bool,
}
