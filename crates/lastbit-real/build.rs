//! Compiles CORE-MATH's logarithm and exponential (`core-math/README.md`).

fn main() {
    println!("cargo::rerun-if-changed=core-math");
    cc::Build::new()
        .files(["core-math/exp.c", "core-math/log.c"])
        // Names of our own: a program may have all of CORE-MATH, too.
        .define("cr_exp", "lastbit_core_math_exp")
        .define("cr_log", "lastbit_core_math_log")
        // Its error analysis has a fused multiplication where the text has one, and nowhere else.
        .flag_if_supported("-ffp-contract=off")
        .warnings(false)
        .compile("lastbit_core_math");
}
