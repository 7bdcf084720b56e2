//! The list.

use super::{Expected, Standard};

const SUMS: &str = include_str!("../../mechanisms/sums.lb");
const NOISY_MAX: &str = include_str!("../../mechanisms/noisy_max.lb");
const SELECTION: &str = include_str!("../../mechanisms/selection.lb");
const SPARSE_VECTOR: &str = include_str!("../../mechanisms/sparse_vector.lb");
const SPARSE_VECTOR_VARIANTS: &str = include_str!("../../mechanisms/sparse_vector_variants.lb");
const BROKEN_SCALES: &str = include_str!("../../mechanisms/broken_scales.lb");
const BROKEN_NOISY_MAX: &str = include_str!("../../mechanisms/broken_noisy_max.lb");
const BROKEN_SPARSE_VECTOR: &str = include_str!("../../mechanisms/broken_sparse_vector.lb");
const BROKEN_FLOAT: &str = include_str!("../../mechanisms/broken_float.lb");

const fn correct(
    name: &'static str,
    file: &'static str,
    cost: &'static str,
    source: &'static str,
) -> Standard {
    Standard { name, file, expected: Expected::Proved, cost, source, by_hand: false }
}

const fn broken(
    name: &'static str,
    file: &'static str,
    cost: &'static str,
    source: &'static str,
) -> Standard {
    Standard { expected: Expected::Refuted, ..correct(name, file, cost, source) }
}

/// All of them, the correct ones first.
pub const ALL: &[Standard] = &[
    correct("partial_sum", SUMS, "eps", "Dwork, McSherry, Nissim and Smith 2006"),
    correct("prefix_sum", SUMS, "eps", "Chan, Shi and Song 2011, Simple Counting Mechanism II"),
    correct("prefix_sum_fresh", SUMS, "5 * eps", "Chan, Shi and Song 2011, Simple Counting Mechanism I"),
    correct("smart_sum", SUMS, "2 * eps", "Chan, Shi and Song 2011, Two-Level Counting Mechanism"),
    correct("histogram", SUMS, "eps", "Dwork, McSherry, Nissim and Smith 2006"),
    correct("noisy_max_lap", NOISY_MAX, "eps", "Dwork and Roth 2014, Claim 3.9"),
    correct("noisy_max_expo", NOISY_MAX, "eps", "Dwork and Roth 2014, Report One-Sided Noisy Arg-Max"),
    correct("randomized_response", SELECTION, "eps", "Warner 1965"),
    correct("exponential", SELECTION, "eps", "McSherry and Talwar 2007"),
    correct("geometric", SELECTION, "eps", "Ghosh, Roughgarden and Sundararajan 2009"),
    correct("discrete_laplace", SELECTION, "eps", "Canonne, Kamath and Steinke 2020"),
    correct("above_threshold", SPARSE_VECTOR, "eps", "Dwork and Roth 2014, Algorithm 1"),
    correct("svt_1", SPARSE_VECTOR, "eps", "Lyu, Su and Li 2017, Algorithm 1, c = 1"),
    correct("svt_1_twice", SPARSE_VECTOR, "eps", "Lyu, Su and Li 2017, Algorithm 1, c = 2"),
    correct("svt_2", SPARSE_VECTOR, "eps", "Lyu, Su and Li 2017, Algorithm 2, c = 1"),
    correct("svt_2_twice", SPARSE_VECTOR, "eps", "Lyu, Su and Li 2017, Algorithm 2, c = 2"),
    correct("numeric_svt", SPARSE_VECTOR_VARIANTS, "eps", "Lyu, Su and Li 2017, Algorithm 7, c = 1"),
    correct("numeric_svt_twice", SPARSE_VECTOR_VARIANTS, "eps", "Lyu, Su and Li 2017, Algorithm 7, c = 2"),
    correct("gap_svt", SPARSE_VECTOR_VARIANTS, "eps", "Wang, Ding, Wang, Kifer and Zhang 2019, c = 1"),
    correct("gap_svt_twice", SPARSE_VECTOR_VARIANTS, "eps", "Wang, Ding, Wang, Kifer and Zhang 2019, c = 2"),
    correct("monotone_svt_rising", SPARSE_VECTOR_VARIANTS, "eps", "Lyu, Su and Li 2017, Section 4.3"),
    correct("monotone_svt_falling", SPARSE_VECTOR_VARIANTS, "eps", "Lyu, Su and Li 2017, Section 4.3"),
    broken("histogram_wrong_scale", BROKEN_SCALES, "1 / eps", "Ding, Wang, Wang, Zhang and Kifer 2018"),
    broken(
        "partial_sum_half_noise",
        BROKEN_SCALES,
        "2 * eps",
        "Dwork, McSherry, Nissim and Smith 2006, with half of the noise",
    ),
    broken(
        "randomized_response_linear",
        BROKEN_SCALES,
        "ln((1 + eps) / (1 - eps))",
        "Warner 1965, with a flip of (1 - eps)/2",
    ),
    broken("noisy_max_value_lap", BROKEN_NOISY_MAX, "5 * eps / 2", "Ding, Wang, Wang, Zhang and Kifer 2018"),
    broken("noisy_max_value_expo", BROKEN_NOISY_MAX, "infinite", "Ding, Wang, Wang, Zhang and Kifer 2018"),
    broken(
        "svt_3",
        BROKEN_SPARSE_VECTOR,
        "5 * eps / 2",
        "Lyu, Su and Li 2017, Algorithm 3 (Roth 2011), c = 1",
    ),
    broken(
        "svt_4",
        BROKEN_SPARSE_VECTOR,
        "7 * eps / 4",
        "Lyu, Su and Li 2017, Algorithm 4 (Lee and Clifton 2014), c = 1",
    ),
    broken(
        "svt_4_twice",
        BROKEN_SPARSE_VECTOR,
        "13 * eps / 4",
        "Lyu, Su and Li 2017, Algorithm 4 (Lee and Clifton 2014), c = 2",
    ),
    broken(
        "svt_5",
        BROKEN_SPARSE_VECTOR,
        "infinite",
        "Lyu, Su and Li 2017, Algorithm 5 (Stoddard, Chen and Machanavajjhala 2014)",
    ),
    broken(
        "svt_6",
        BROKEN_SPARSE_VECTOR,
        "5 * eps / 2",
        "Lyu, Su and Li 2017, Algorithm 6 (Chen, Xiao, Zhang and Xu 2015)",
    ),
    broken("laplace_inversion_f64", BROKEN_FLOAT, "infinite", "Mironov 2012"),
];
