//! What is timed, and the bar for it.

use lastbit::{
    DiscreteGaussian, DiscreteLaplace, FloatSnapping, Gaussian, GridLaplace, Laplace, Rational, Snapping,
};

use crate::sources::secure;
use crate::textbook::Textbook;
use crate::work::{InPlace, OneByOne, SliceToSlice, WordsAlone, Work};

/// The most that a case may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bar {
    /// Times the textbook's time.
    Ratio(f64),
    /// Nanoseconds per value.
    Nanoseconds(f64),
}

/// One line of the table.
pub(crate) struct Case {
    /// As the command line spells it.
    pub(crate) name: &'static str,
    /// As the table spells it.
    pub(crate) title: &'static str,
    pub(crate) bar: Option<Bar>,
    /// Timed a second time without AVX2.
    pub(crate) portable_too: bool,
    work: fn(usize) -> Box<dyn Work>,
}

impl Case {
    const fn new(name: &'static str, title: &'static str, work: fn(usize) -> Box<dyn Work>) -> Case {
        Case { name, title, bar: None, portable_too: false, work }
    }

    const fn at_most(mut self, bar: Bar) -> Case {
        self.bar = Some(bar);
        self
    }

    const fn portable_too(mut self) -> Case {
        self.portable_too = true;
        self
    }

    /// The case on `n` values.
    pub(crate) fn work(&self, n: usize) -> Box<dyn Work> {
        (self.work)(n)
    }
}

/// The case of that name.
pub(crate) fn find(name: &str) -> Result<&'static Case, String> {
    CASES.iter().find(|case| case.name == name).ok_or_else(|| {
        let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        format!("no case {name}; there are: {}", names.join(" "))
    })
}

pub(crate) fn laplace() -> Laplace {
    Laplace::new(Rational::ONE).expect("a scale")
}

pub(crate) fn grid_laplace(k: Option<i32>) -> GridLaplace<f64> {
    GridLaplace::new(Rational::ONE, k).expect("a scale and an exponent")
}

pub(crate) fn discrete_laplace() -> DiscreteLaplace {
    DiscreteLaplace::new(Rational::from(10)).expect("a scale")
}

/// In constant time.
pub(crate) fn constant_time(scale: Rational) -> DiscreteLaplace {
    DiscreteLaplace::new(scale).and_then(DiscreteLaplace::constant_time).expect("a scale")
}

fn discrete_gaussian() -> DiscreteGaussian {
    DiscreteGaussian::new(&Rational::from(10)).expect("a scale")
}

pub(crate) fn gaussian() -> Gaussian {
    Gaussian::new(&Rational::ONE).expect("a scale")
}

pub(crate) fn snapping() -> Snapping {
    Snapping::new(Rational::ONE, Rational::from(1000)).expect("a bound")
}

/// With a bound that its theorem allows.
fn float_snapping() -> FloatSnapping {
    FloatSnapping::new(1.0, 300.0).expect("a bound")
}

/// Batches of `2²⁰` values unless they say otherwise. Scales are 1 for floats and 10 for integers.
pub(crate) static CASES: &[Case] = &[
    Case::new("textbook", "the textbook itself", |n| Box::new(Textbook::new(n))),
    Case::new("words", "the words alone", |n| Box::new(WordsAlone::new(n))),
    Case::new("laplace", "Laplace f64, x = 0", |n| Box::new(InPlace::new(laplace(), 0.0, n)))
        .at_most(Bar::Ratio(1.0))
        .portable_too(),
    Case::new("laplace-far", "Laplace f64, x = 1e6", |n| Box::new(InPlace::new(laplace(), 1e6, n)))
        .at_most(Bar::Ratio(1.0)),
    Case::new("gaussian", "Gaussian f64, x = 0", |n| Box::new(InPlace::new(gaussian(), 0.0, n)))
        .portable_too(),
    Case::new("gaussian-i64", "Gaussian i64", |n| {
        let mechanism = Gaussian::new(&Rational::from(10)).expect("a scale");
        Box::new(InPlace::new(mechanism, 0i64, n))
    }),
    Case::new("gaussian-f32", "Gaussian f32, x = 0", |n| Box::new(InPlace::new(gaussian(), 0.0f32, n))),
    Case::new("one-gaussian", "Gaussian f64, one a call", |n| Box::new(OneByOne::new(gaussian(), 0.0, n)))
        .at_most(Bar::Nanoseconds(100.0)),
    Case::new("grid-20", "GridLaplace f64, k = -20", |n| {
        Box::new(InPlace::new(grid_laplace(Some(-20)), 0.0, n))
    })
    .at_most(Bar::Ratio(0.8))
    .portable_too(),
    Case::new("discrete-laplace", "DiscreteLaplace i64", |n| {
        Box::new(InPlace::new(discrete_laplace(), 0i64, n))
    })
    .at_most(Bar::Ratio(0.8))
    .portable_too(),
    Case::new("discrete-laplace-constant-time", "DiscreteLaplace i64, constant time", |n| {
        Box::new(InPlace::new(constant_time(Rational::from(10)), 0i64, n))
    })
    .portable_too(),
    Case::new("discrete-laplace-constant-time-40", "the same, scale 2^40", |n| {
        Box::new(InPlace::new(constant_time(Rational::pow2(40)), 0i64, n))
    })
    .portable_too(),
    Case::new("snapping", "Snapping f64, B = 1000", |n| Box::new(InPlace::new(snapping(), 0.0, n)))
        .at_most(Bar::Ratio(0.8))
        .portable_too(),
    Case::new("one-laplace", "Laplace f64, one a call", |n| Box::new(OneByOne::new(laplace(), 0.0, n)))
        .at_most(Bar::Nanoseconds(60.0)),
    Case::new("one-discrete-laplace", "DiscreteLaplace i64, one a call", |n| {
        Box::new(OneByOne::new(discrete_laplace(), 0i64, n))
    })
    .at_most(Bar::Nanoseconds(60.0)),
    Case::new("one-snapping", "Snapping f64, one a call", |n| Box::new(OneByOne::new(snapping(), 0.0, n)))
        .at_most(Bar::Nanoseconds(60.0)),
    Case::new("laplace-to", "Laplace f64, slice to slice", |n| {
        Box::new(SliceToSlice::new(secure(), laplace(), 0.0, n))
    }),
    Case::new("laplace-f32", "Laplace f32, x = 0", |n| Box::new(InPlace::new(laplace(), 0.0f32, n))),
    Case::new("laplace-i64", "Laplace i64", |n| {
        let mechanism = Laplace::new(Rational::from(10)).expect("a scale");
        Box::new(InPlace::new(mechanism, 0i64, n))
    }),
    Case::new("grid-default", "GridLaplace f64, default k", |n| {
        Box::new(InPlace::new(grid_laplace(None), 0.0, n))
    }),
    Case::new("grid-1074", "GridLaplace f64, k = -1074", |n| {
        Box::new(InPlace::new(grid_laplace(Some(-1074)), 0.0, n))
    }),
    Case::new("discrete-gaussian", "DiscreteGaussian i64", |n| {
        Box::new(InPlace::new(discrete_gaussian(), 0i64, n))
    }),
    Case::new("float-snapping", "FloatSnapping f64, B = 300", |n| {
        Box::new(InPlace::new(float_snapping(), 0.0, n))
    }),
];
