//! `lastbit audit sampler`.

use clap::ValueEnum;
use lastbit::{Amount, Family, Rational, Rounding, ValueType};
use lastbit_audit::bit_tree::{BitTreeError, SamplerReport, SamplerRequest, ShippedSampler, sampler_audit};
use serde_json::{Value, json};

use super::args::{Sampler, SamplerName};
use super::{interrupt, out_of_range, print_json};
use crate::error::Error;
use crate::progress::LateBar;
use crate::prove::files::print;

/// Steps of the bar.
const STEPS: f64 = 1000.0;

pub(crate) fn run(args: &Sampler) -> Result<(), Error> {
    check_options(args)?;
    let mut request = SamplerRequest::new(shipped(args)?, inputs(args)?);
    if let Some(depth) = args.depth {
        request.depth_bits = depth;
    }
    let bar = LateBar::new("replaying", "{prefix} {wide_bar} {percent}%, {eta} left {msg}", STEPS as u64);
    let mut progress = |share: f64| bar.show((share * STEPS) as u64, "");
    let report = sampler_audit(&request, interrupt::flag(), &mut progress);
    drop(bar);
    let report = report.map_err(|error| match error {
        BitTreeError::OutOfRange(error) => out_of_range(&error),
        BitTreeError::Sampler(lastbit::Error::Overflow { .. }) => Error::usage(
            "the noise overflows the type of the outputs",
            "give a smaller --scale, or smaller inputs",
        ),
        BitTreeError::Sampler(error) => Error::Library(error),
        BitTreeError::TooManyReplays { replays, done } => Error::usage(
            format!("the tree is too large: after {replays} replays {done} of it is grown"),
            "give a smaller --depth, or a smaller --scale",
        ),
    })?;
    if args.json { print_json(&json(args, &report)) } else { print(&report.to_string()) }
}

/// The report, with the arguments that make it again.
fn json(args: &Sampler, report: &SamplerReport) -> Value {
    let mut value = report.to_json();
    value["sampler"] = json!(args.sampler.to_possible_value().map(|name| name.get_name().to_owned()));
    value["scale"] = json!(args.scale.to_string());
    value["bound"] = json!(args.bound.as_ref().map(Rational::to_string));
    value["k"] = json!(args.k);
    value
}

/// Options that belong to other samplers.
fn check_options(args: &Sampler) -> Result<(), Error> {
    let snaps = matches!(args.sampler, SamplerName::Snapping | SamplerName::FloatSnapping);
    if args.bound.is_some() != snaps {
        let (message, hint) = match snaps {
            true => ("the snapping mechanisms need --bound", "give --bound B, such as 10"),
            false => ("--bound is for snapping and float-snapping", "leave out --bound"),
        };
        return Err(Error::usage(message, hint));
    }
    if args.k.is_some() && args.sampler != SamplerName::GridLaplace {
        return Err(Error::usage("--k is for grid-laplace", "leave out --k"));
    }
    Ok(())
}

fn inputs(args: &Sampler) -> Result<[f64; 2], Error> {
    let double = |value: &Rational| value.to_f64(Rounding::Nearest);
    match args.inputs.as_deref() {
        None => Ok([0.0, 1.0]),
        Some([f, f2]) if double(f).is_finite() && double(f2).is_finite() => Ok([double(f), double(f2)]),
        Some(_) => Err(Error::usage("the inputs are too large for doubles", "give numbers such as 0 and 1")),
    }
}

fn shipped(args: &Sampler) -> Result<ShippedSampler, Error> {
    let bound = args.bound.clone().unwrap_or(Rational::ONE);
    let family = match args.sampler {
        SamplerName::Laplace => Family::Laplace,
        SamplerName::Gaussian => Family::Gaussian,
        SamplerName::DiscreteLaplace => Family::DiscreteLaplace,
        SamplerName::DiscreteGaussian => Family::DiscreteGaussian,
        SamplerName::GridLaplace => Family::GridLaplace { values: ValueType::F64, k: args.k },
        SamplerName::Snapping => Family::Snapping { bound, clamp_infinite: false },
        SamplerName::FloatSnapping => Family::FloatSnapping { bound },
    };
    Ok(ShippedSampler::of(family.with(&Amount::Scale(args.scale.clone()))?))
}
