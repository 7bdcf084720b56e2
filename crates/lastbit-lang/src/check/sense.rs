//! Numbers that make no sense whatever the parameters are: scales, probabilities, weights, claims, accuracies.
//!
//! Problems that depend on values which are given later are reported where the values are known.

use lastbit_real::Rational;

use super::Checker;
use super::sign::signs;
use crate::ast::ExprId;
use crate::constant::constant;
use crate::{Accuracy, Diagnostic};

impl Checker<'_> {
    fn exact(&self, id: ExprId) -> Option<Rational> {
        constant(self.file, id, |name| self.parameter_value(name)).ok()
    }

    /// Whether it is negative for certain.
    fn is_negative(&self, id: ExprId) -> bool {
        let exact = self.exact(id).map(|value| value.is_negative());
        exact.unwrap_or_else(|| signs(self.file, self.declaration, id).always_negative())
    }

    fn senseless(&mut self, id: ExprId, message: String, hint: &str) {
        self.report(Diagnostic::new(self.file.expr(id).span, message).with_hint(hint));
    }

    /// The scale of `lap`, `expo` or `dlap`.
    pub(super) fn scale(&mut self, law: &str, id: ExprId) {
        let exact = self.exact(id).map(|value| !value.is_positive());
        if exact.unwrap_or_else(|| signs(self.file, self.declaration, id).never_positive()) {
            let message = format!("the scale of `{law}` must be positive, but this one never is");
            self.senseless(id, message, "a scale is a distance over ε, such as 1 / eps");
        }
    }

    pub(super) fn probability(&mut self, id: ExprId) {
        let exact = self.exact(id).filter(|p| p.is_negative() || *p > Rational::ONE);
        if exact.is_some() || self.is_negative(id) {
            let is = exact.map_or("this one is negative".into(), |p| format!("this one is {p}"));
            self.senseless(
                id,
                format!("a probability must lie in [0, 1], but {is}"),
                "for example bernoulli(1/2)",
            );
        }
    }

    pub(super) fn weight(&mut self, id: ExprId) {
        if self.is_negative(id) {
            let message = "a weight must not be negative, but this one is".to_owned();
            self.senseless(id, message, "weights are proportional to probabilities, as in choose(1, 2, 1)");
        }
    }

    /// A claimed ε.
    pub(super) fn loss(&mut self, id: ExprId) {
        if self.is_negative(id) {
            let message = "a privacy loss must not be negative, but the claimed one is".to_owned();
            self.senseless(id, message, "the strongest claim is `claim pure 0`");
        }
    }

    /// A claimed δ.
    pub(super) fn delta(&mut self, id: ExprId) {
        if self.is_negative(id) {
            let message = "δ must not be negative, but the claimed one is".to_owned();
            self.senseless(id, message, "δ is a probability: `claim pure eps` is the claim for δ = 0");
        }
    }

    /// The accuracy of a library function.
    pub(super) fn accuracy(&mut self, id: ExprId) {
        if let Some(value) = self.exact(id).filter(|ulps| !Accuracy::is_possible(ulps)) {
            let message = format!("no library is as good as {value} ulp");
            self.senseless(id, message, Accuracy::BEST);
        }
    }
}
