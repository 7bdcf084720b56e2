//! An answer as HTML: no scripts, nothing from elsewhere, legible on light and dark.

use std::fmt::Write;

use super::histogram::{Bin, tick};
use super::text::grouped;
use super::{AttackAnswer, Verdict};
use crate::html::{escaped, page};

/// The colours of the two inputs, which colour-blind people can tell apart, on white and on black.
const COLOURS: [&str; 2] = ["#2a86c7", "#d9741a"];

const WIDTH: f64 = 660.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 12.0;
/// Of one histogram: its heading, its bars, its axis.
const HEAD: f64 = 22.0;
const BARS: f64 = 96.0;
const FOOT: f64 = 28.0;

impl AttackAnswer {
    /// A page of its own.
    pub fn html_page(&self) -> String {
        page(&self.headline, "", &self.html())
    }

    /// A part of a page: verdict, histograms with the event marked, counts and bounds.
    pub fn html(&self) -> String {
        let colour = match self.verdict {
            Verdict::Leaks => "#d03030",
            Verdict::NotSeenToLeak => "#2e9e6b",
            Verdict::TooFewSamples => "#c98a00",
            Verdict::NoClaim => "#888",
        };
        let rows: String = self.rows().iter().map(|(name, value)| row(name, value)).collect();
        let seldom = self.favoured == 1;
        format!(
            "<div style=\"overflow-x:auto\"><p style=\"font-size:115%;font-weight:600;margin:6px 0;border-left:5px solid {colour};\
             padding-left:10px\">{}</p>{}<table style=\"border-collapse:collapse;margin:6px 0\"><tbody>{rows}</tbody></table>\
             <p style=\"max-width:{WIDTH}px;margin:6px 0\">{}</p></div>",
            escaped(&self.headline),
            self.svg(if seldom { [1, 0] } else { [0, 1] }),
            escaped(&self.explanation),
        )
    }

    /// Both histograms, one above the other, the one with more of the event first.
    fn svg(&self, order: [usize; 2]) -> String {
        let panel = HEAD + BARS + FOOT;
        let height = 2.0 * panel;
        let label = format!("how often each output came, and where {}", self.event);
        let mut svg = format!(
            "<svg role=\"img\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
             style=\"max-width:100%;height:auto;font:11px system-ui,sans-serif;display:block;margin:10px 0\"><title>{}</title>",
            escaped(&label),
        );
        for (place, input) in order.into_iter().enumerate() {
            self.panel(&mut svg, input, place as f64 * panel);
        }
        text(&mut svg, WIDTH - RIGHT, 14.0, "end", "in full colour: in the event");
        svg + "</svg>"
    }

    fn panel(&self, svg: &mut String, input: usize, top: f64) {
        let (histogram, about, colour) = (&self.histogram, &self.inputs[input], COLOURS[input]);
        let total = histogram.total(input).max(1) as f64;
        let tallest = histogram.tallest().max(f64::MIN_POSITIVE);
        let base = top + HEAD + BARS;
        let width = (WIDTH - LEFT - RIGHT) / histogram.bins[input].len() as f64;
        let outside = histogram.outside(input);
        let outside = if outside.is_empty() { outside } else { format!("; {outside}") };
        let heading = format!(
            "{}: {} of {} in the event{outside}",
            about.name,
            grouped(about.tested.hits),
            grouped(about.tested.trials)
        );
        text(svg, LEFT, top + 14.0, "start", &heading);
        for (i, bin) in histogram.bins[input].iter().enumerate() {
            let tall = |count: u64| count as f64 / total / tallest * BARS;
            let (all, hit) = (tall(bin.count), tall(bin.in_event));
            let from = histogram.low
                + (histogram.high - histogram.low) / histogram.bins[input].len() as f64 * i as f64;
            let x = LEFT + width * i as f64;
            bar(svg, [x, base - all, 0.86 * width, all - hit], colour, 0.3, from, bin);
            bar(svg, [x, base - hit, 0.86 * width, hit], colour, 1.0, from, bin);
        }
        let right = WIDTH - RIGHT;
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{base:.1}\" x2=\"{right}\" y2=\"{base:.1}\" stroke=\"currentColor\" stroke-opacity=\"0.5\"/>"
        );
        text(svg, LEFT - 6.0, top + HEAD + 8.0, "end", &format!("{:.1}%", 100.0 * tallest));
        const TICKS: u32 = 4;
        for i in 0..=TICKS {
            let share = f64::from(i) / f64::from(TICKS);
            let anchor = if i == 0 {
                "start"
            } else if i == TICKS {
                "end"
            } else {
                "middle"
            };
            let y = histogram.low + share * (histogram.high - histogram.low);
            text(svg, LEFT + share * (right - LEFT), base + 14.0, anchor, &tick(y));
        }
    }
}

fn bar(svg: &mut String, [x, y, width, height]: [f64; 4], colour: &str, opacity: f64, from: f64, bin: &Bin) {
    if height <= 0.0 {
        return;
    }
    let _ = write!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.2}\" fill=\"{colour}\" \
         fill-opacity=\"{opacity}\"><title>from {}: {}, {} in the event</title></rect>",
        tick(from),
        bin.count,
        bin.in_event,
    );
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let text = escaped(text);
    let _ = write!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"currentColor\">{text}</text>"
    );
}

fn row(name: &str, value: &str) -> String {
    format!(
        "<tr><th scope=\"row\" style=\"padding:2px 14px 2px 0;text-align:left;vertical-align:top;font-weight:600\">{}</th>\
         <td style=\"padding:2px 0;text-align:left\">{}</td></tr>",
        escaped(name),
        escaped(value),
    )
}
