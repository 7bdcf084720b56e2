//! What the user reads, as files: `TRYCMD=overwrite cargo test -p lastbit-cli --test all snapshots` writes them anew.

#[test]
fn what_the_user_reads() {
    trycmd::TestCases::new().env("COLUMNS", "100").case("tests/snapshots/*.trycmd");
}
