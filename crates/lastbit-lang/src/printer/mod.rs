//! From the syntax tree to text.

mod body;
mod expression;
mod layout;

pub use expression::{Reading, expression_text};

use crate::ast::{
    Binder, ClauseKind, Constraint, Declaration, DeclarationKind, ExprId, File, Interval, LibmAccuracy,
    LibmFunction, Place, Quantifier, Sampler, Shape, Type,
};
use layout::Layout;

/// The file in its canonical layout, with its comments.
///
/// ```
/// let (file, _) = lastbit_lang::parse("function f(x:f64)->f64{y:=x*x;// a square\nreturn y}");
/// assert_eq!(lastbit_lang::format(&file), "\
/// function f(x: f64) -> f64
/// {
///   y := x * x;  // a square
///   return y;
/// }
/// ");
/// ```
pub fn format(file: &File) -> String {
    let mut printer =
        Printer { layout: Layout::new(&file.comments, &file.blank_lines), file, reading: Reading::Real };
    for declaration in &file.declarations {
        printer.layout.separate();
        printer.declaration(declaration);
    }
    printer.layout.finish()
}

/// The declaration as floats compute it: the same text, every operation that rounds in a circle. Without comments.
///
/// ```
/// let (file, _) = lastbit_lang::parse("function f(x: f64) -> f64 { return x * x + 1 }");
/// assert_eq!(lastbit_lang::float_reading(&file, &file.declarations[0]), "\
/// function f(x: f64) -> f64
/// {
///   return (x ⊗ x) ⊕ 1;
/// }
/// ");
/// ```
pub fn float_reading(file: &File, declaration: &Declaration) -> String {
    let mut printer = Printer { layout: Layout::new(&[], &[]), file, reading: Reading::Float };
    printer.program(declaration);
    printer.layout.finish()
}

struct Printer<'a> {
    layout: Layout<'a>,
    file: &'a File,
    /// Of the body; clauses and proofs speak about real numbers.
    reading: Reading,
}

impl Printer<'_> {
    fn expr(&self, id: ExprId) -> String {
        expression_text(self.file, id, Reading::Real)
    }

    fn list(&self, list: &[ExprId]) -> String {
        list.iter().map(|id| self.expr(*id)).collect::<Vec<_>>().join(", ")
    }

    fn declaration(&mut self, declaration: &Declaration) {
        self.program(declaration);
        for proof in &declaration.proofs {
            self.proof(proof);
        }
    }

    /// A declaration without its proofs.
    fn program(&mut self, declaration: &Declaration) {
        let keyword = match declaration.kind {
            DeclarationKind::Mechanism => "mechanism",
            DeclarationKind::Function => "function",
        };
        let arguments: Vec<String> =
            declaration.arguments.iter().map(|argument| self.binder(argument)).collect();
        let result = self.ty(&declaration.result);
        let header = format!("{keyword} {}({}) -> {result}", declaration.name.text, arguments.join(", "));
        self.layout.line(declaration.header, &header);
        self.layout.depth += 1;
        for clause in &declaration.clauses {
            let text = self.clause(&clause.kind);
            self.layout.line(clause.span, &text);
        }
        self.layout.depth -= 1;
        self.body(declaration);
    }

    fn binder(&self, binder: &Binder) -> String {
        let constraint = match binder.constraint {
            None => String::new(),
            Some(Constraint::Compare(op, value)) => format!(" {} {}", op.text(), self.expr(value)),
            Some(Constraint::In(interval)) => format!(" in {}", self.interval(&interval)),
        };
        format!("{}: {}{constraint}", binder.name.text, self.ty(&binder.ty))
    }

    fn ty(&self, ty: &Type) -> String {
        let scalar = ty.scalar.text();
        match ty.shape {
            Shape::One => scalar.to_owned(),
            Shape::Array(length) => format!("{scalar}[{}]", self.expr(length)),
            Shape::List => format!("[{scalar}]"),
        }
    }

    fn interval(&self, interval: &Interval) -> String {
        let open = if interval.lo_closed { '[' } else { '(' };
        let close = if interval.hi_closed { ']' } else { ')' };
        format!("{open}{}, {}{close}", self.expr(interval.lo), self.expr(interval.hi))
    }

    fn place(&self, place: &Place) -> String {
        match place.index {
            None => place.name.text.clone(),
            Some(index) => format!("{}[{}]", place.name.text, self.expr(index)),
        }
    }

    fn clause(&self, clause: &ClauseKind) -> String {
        match clause {
            ClauseKind::Param(binders) => {
                let binders: Vec<String> = binders.iter().map(|binder| self.binder(binder)).collect();
                format!("param {}", binders.join(", "))
            }
            ClauseKind::Query(binder) => format!("query {}", self.binder(binder)),
            ClauseKind::Assume(condition) => format!("assume {}", self.expr(*condition)),
            ClauseKind::Adjacent(quantifier, condition) => {
                let quantifier = match quantifier {
                    Quantifier::None => String::new(),
                    Quantifier::ForAll(index) => format!("forall {}: ", index.text),
                    Quantifier::AtMostOne(index) => format!("at most one {}: ", index.text),
                };
                format!("adjacent {quantifier}{}", self.expr(*condition))
            }
            ClauseKind::ClaimPure(None) => "claim pure infer".to_owned(),
            ClauseKind::ClaimPure(Some(loss)) => format!("claim pure {}", self.expr(*loss)),
            ClauseKind::ClaimApprox(epsilon, delta) => {
                format!("claim approx({}, {})", self.expr(*epsilon), self.expr(*delta))
            }
            ClauseKind::Sampler(sampler) => {
                let text =
                    Sampler::ALL.iter().find(|(other, _)| other == sampler).map_or("", |(_, text)| text);
                format!("sampler unif = {text}(0,1)")
            }
            ClauseKind::Libm(function, accuracy) => {
                let function = match function {
                    LibmFunction::Ln => "ln",
                    LibmFunction::Exp => "exp",
                };
                match accuracy {
                    LibmAccuracy::CorrectlyRounded => format!("libm {function} = correctly_rounded"),
                    LibmAccuracy::Ulp(ulps) => format!("libm {function} = ulp({})", self.expr(*ulps)),
                }
            }
            ClauseKind::EnsuresError(bound) => format!("ensures error <= {}", self.expr(*bound)),
        }
    }
}
