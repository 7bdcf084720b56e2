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

The Coq file stands on the library in coq/, which is proved once: `coq/check --install` installs Coq and compiles it. By hand:
coqc -Q coq Lastbit OUT.v

Exit codes: 0 written, and with --run accepted by Coq; 1 rejected by Coq; 2 not a certificate, or not one that can be written so;
3 with --run: not checked, because there is no coqc or no compiled library.")]
pub(crate) struct Certify {
    /// A certificate that `lastbit prove --certificate` wrote; it is translated as it stands, and not checked here
    #[arg(value_name = "CERT")]
    pub(crate) file: PathBuf,
    /// Write it as a Coq file (- for standard output)
    #[arg(long, value_name = "OUT.v")]
    pub(crate) coq: Option<PathBuf>,
    /// Let Coq check it: compile the Coq file with coqc
    #[arg(long)]
    pub(crate) run: bool,
    /// Write the error bound as a Gappa script (- for standard output); what the certificate says of ln and exp becomes a hypothesis, and
    /// Gappa may not find the bound
    #[arg(long, value_name = "OUT.g")]
    pub(crate) gappa: Option<PathBuf>,
    /// Where the compiled library is [default: $LASTBIT_COQ, or coq/ here or in a directory above]
    #[arg(long, value_name = "DIR", requires = "run")]
    pub(crate) library: Option<PathBuf>,
    /// Print JSON: an object
    #[arg(long)]
    pub(crate) json: bool,
}
