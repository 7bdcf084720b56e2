//! Statements of the language as definitions of Coq: the mechanism, or when it is defined.

use lastbit_lang::ast::{Distribution, ExprId, ExprKind, Shape, Statement, StatementKind};
use lastbit_real::Rational;

use super::Unsupported;
use super::expressions::Reader;
use super::names::Names;
use super::terms::atom;
use super::text::{MAX_TEXT, Meaning, Scopes, Text, Written};

/// What is left to write.
#[derive(Clone)]
pub(super) enum Step<'s> {
    Do(&'s Statement),
    /// A loop's variable gets a value, or the meaning that it had before.
    Set(&'s str, Option<Meaning>),
}

/// Writes the mechanism, or when it is defined.
pub(super) struct Writer<'t, 'p, 'a> {
    pub(super) text: &'t Text<'p, 'a>,
    pub(super) names: Names,
    pub(super) defined: bool,
    pub(super) written: Written,
    pub(super) size: usize,
}

impl Writer<'_, '_, '_> {
    fn line(&mut self, indent: usize, text: String) -> Result<(), Unsupported> {
        self.size += text.len();
        self.written.lines.push((indent, text));
        if self.size > MAX_TEXT { Err(Unsupported::Size) } else { Ok(()) }
    }

    fn conditions(
        &mut self,
        reader: &Reader<'_, '_, '_>,
        ids: &[ExprId],
        indent: usize,
    ) -> Result<(), Unsupported> {
        let mut found = Vec::new();
        for id in ids.iter().filter(|_| self.defined) {
            reader.conditions(*id, &mut found)?;
        }
        found.into_iter().try_for_each(|condition| self.line(indent, format!("{condition} /\\")))
    }

    /// The rest of the program; the next step is the last one.
    pub(super) fn steps(
        &mut self,
        mut rest: Vec<Step<'_>>,
        mut scopes: Scopes,
        indent: usize,
    ) -> Result<(), Unsupported> {
        while let Some(step) = rest.pop() {
            let statement = match step {
                Step::Do(statement) => statement,
                Step::Set(name, meaning) => {
                    match meaning {
                        Some(meaning) => scopes.insert(name.to_owned(), meaning),
                        None => scopes.remove(name),
                    };
                    continue;
                }
            };
            let reader = Reader { text: self.text, names: Names::default(), scopes: scopes.clone() };
            match &statement.kind {
                StatementKind::Declare(name, ty) => {
                    if let Shape::Array(length) = ty.shape {
                        let length = usize::try_from(reader.whole(length)?).map_err(|_| Unsupported::Size)?;
                        scopes.insert(name.text.clone(), Meaning::Elements(vec![None; length]));
                    }
                }
                StatementKind::Assign(place, value) => {
                    self.conditions(&reader, &[*value], indent)?;
                    let (term, is_truth_value) = reader.typed(*value)?;
                    let at = place.index.map(|index| reader.whole(index)).transpose()?;
                    let name = self.set(&mut scopes, &place.name.text, at, is_truth_value)?;
                    self.line(indent, format!("let {name} := {term} in"))?;
                }
                StatementKind::Sample(place, distribution) => {
                    let at = place.index.map(|index| reader.whole(index)).transpose()?;
                    let is_truth_value = matches!(distribution, Distribution::Bernoulli(_));
                    self.conditions(&reader, &parameters(distribution), indent)?;
                    let (law, demand, values) = law(&reader, distribution)?;
                    let name = self.set(&mut scopes, &place.name.text, at, is_truth_value)?;
                    match self.defined {
                        // A function of the uniform sample first, and then of the sign, whichever is drawn first.
                        false if self.text.is_event => {
                            let place = if matches!(distribution, Distribution::Sign) {
                                self.written.samples.len()
                            } else {
                                0
                            };
                            self.written.samples.insert(place, name);
                        }
                        true => self.line(
                            indent,
                            format!(
                                "{demand}forall {name} : {},{}",
                                if is_truth_value { "bool" } else { "R" },
                                values(&name)
                            ),
                        )?,
                        false => self.line(indent, format!("{name} <$ {law} ;;"))?,
                    }
                }
                StatementKind::If { condition, then, otherwise } => {
                    self.conditions(&reader, &[*condition], indent)?;
                    self.line(indent, format!("if {} then", reader.term(*condition)?))?;
                    for (index, block) in [then, otherwise].into_iter().enumerate() {
                        let mut branch = rest.clone();
                        branch.extend(block.statements.iter().rev().map(Step::Do));
                        let names = self.names.clone();
                        self.steps(branch, scopes.clone(), indent + 2)?;
                        self.names = names;
                        if index == 0 {
                            self.line(indent, "else".into())?;
                        }
                    }
                    return Ok(());
                }
                StatementKind::For { variable, from, to, body } => {
                    let (first, end) = (reader.whole(*from)?, reader.whole(*to)?);
                    rest.push(Step::Set(&variable.text, scopes.get(&variable.text).cloned()));
                    for index in (first..end).rev() {
                        rest.extend(body.statements.iter().rev().map(Step::Do));
                        rest.push(Step::Set(&variable.text, Some(Meaning::Constant(Rational::from(index)))));
                        if rest.len() > MAX_TEXT {
                            return Err(Unsupported::Size);
                        }
                    }
                }
                StatementKind::Return(id) => {
                    self.conditions(&reader, &[*id], indent)?;
                    let value = self.returned(&reader, *id)?;
                    let text = match (self.defined, self.text.is_event) {
                        (true, _) => "True".into(),
                        (false, true) => value,
                        (false, false) => format!("unit {}", atom(&value)),
                    };
                    return self.line(indent, text);
                }
            }
        }
        Err(Unsupported::Expression("a program that returns nothing".into()))
    }

    /// A new name for a variable.
    fn set(
        &mut self,
        scopes: &mut Scopes,
        variable: &str,
        at: Option<i64>,
        is_truth_value: bool,
    ) -> Result<String, Unsupported> {
        let Some(at) = at else {
            let name = self.names.fresh(variable);
            scopes.insert(variable.to_owned(), Meaning::Term(name.clone(), is_truth_value));
            return Ok(name);
        };
        let name = self.names.fresh(&format!("{variable}_{at}"));
        let Some(Meaning::Elements(items)) = scopes.get_mut(variable) else {
            return Err(Unsupported::Expression(format!("`{variable}` here")));
        };
        let item = usize::try_from(at).ok().and_then(|at| items.get_mut(at));
        *item.ok_or_else(|| Unsupported::Expression(format!("`{variable}` here")))? =
            Some(Meaning::Term(name.clone(), is_truth_value));
        Ok(name)
    }

    fn returned(&self, reader: &Reader<'_, '_, '_>, id: ExprId) -> Result<String, Unsupported> {
        if self.text.program.declaration.result.shape == Shape::One {
            return reader.term(id);
        }
        let terms = match reader.kind(id) {
            ExprKind::List(items) => {
                items.iter().map(|item| reader.term(*item)).collect::<Result<Vec<_>, _>>()?
            }
            _ => match reader.meaning(id)? {
                Meaning::Elements(items) => {
                    let term = |item: Option<Meaning>| match item {
                        Some(Meaning::Term(term, _)) => Ok(term),
                        _ => Err(Unsupported::Expression("an element that is not set".into())),
                    };
                    items.into_iter().map(term).collect::<Result<Vec<_>, _>>()?
                }
                Meaning::Input(name, length, _) => (0..length).map(|i| format!("{name} {i}%nat")).collect(),
                _ => return Err(Unsupported::Expression("what is returned".into())),
            },
        };
        Ok(format!("[{}]", terms.join("; ")))
    }
}

/// The expressions in a distribution.
fn parameters(distribution: &Distribution) -> Vec<ExprId> {
    match distribution {
        Distribution::Bernoulli(p) => vec![*p],
        Distribution::Choose(weights) => weights.clone(),
        _ => Vec::new(),
    }
}

/// A distribution; what must hold for it to be one; and which values a name for a sample has.
#[expect(clippy::type_complexity)]
fn law(
    reader: &Reader<'_, '_, '_>,
    distribution: &Distribution,
) -> Result<(String, String, Box<dyn Fn(&str) -> String>), Unsupported> {
    Ok(match distribution {
        Distribution::Bernoulli(p) => {
            let law = format!("bernoulli {}", reader.argument(*p)?);
            (law, format!("0 <= {} <= 1 /\\ ", reader.term(*p)?), Box::new(|_| String::new()))
        }
        Distribution::Sign => {
            ("sign".into(), String::new(), Box::new(|name| format!(" {name} = 1 \\/ {name} = -1 ->")))
        }
        Distribution::Choose(weights) => {
            let terms = weights.iter().map(|w| reader.term(*w)).collect::<Result<Vec<_>, _>>()?;
            let demand: String = terms.iter().map(|w| format!("0 < {w} /\\ ")).collect();
            let count = terms.len();
            let values = move |name: &str| {
                let ways: Vec<String> = (0..count).map(|i| format!("{name} = {i}")).collect();
                format!(" {} ->", ways.join(" \\/ "))
            };
            (format!("choose [{}]", terms.join("; ")), demand, Box::new(values))
        }
        Distribution::Unif { .. } if reader.text.is_event => {
            (String::new(), String::new(), Box::new(|name| format!(" 0 < {name} <= 1 ->")))
        }
        other => return Err(Unsupported::Noise(other.text())),
    })
}
