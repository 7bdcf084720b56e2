//! From a row to its unit, its group and its integers.

use crate::batch::{Batch, Cell};
use crate::error::TableError;
use crate::expression::Row;
use crate::hash::put_part;
use crate::plan::{Grid, Plan, Reading, Slot, put_key_part};

/// What became of the rows of one thread.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Notes {
    pub(super) rows: u64,
    pub(super) filtered: u64,
    pub(super) without_unit: u64,
    pub(super) without_key: u64,
}

/// Buffers for the rows of one thread.
pub(super) struct Rows {
    pub(super) notes: Notes,
    text: Text,
    /// For each slot 0 if the row has no value, else the value plus 1.
    slots: Vec<u64>,
}

/// Room for texts that are put together.
#[derive(Default)]
struct Text {
    unit: Vec<u8>,
    key: Vec<u8>,
}

impl Rows {
    pub(super) fn new(plan: &Plan) -> Rows {
        Rows { notes: Notes::default(), text: Text::default(), slots: vec![0; plan.slots.len()] }
    }

    /// Calls `each` with the unit, the group and the slots of each row that counts.
    ///
    /// A row of no declared group is dropped here, before groups are chosen: whether it is depends on that row alone, and it would take the
    /// place of a group that is released.
    pub(super) fn each(
        &mut self,
        plan: &Plan,
        batch: &Batch,
        mut each: impl FnMut(&[u8], u32, &[u64]) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        self.notes.rows += batch.rows() as u64;
        let mut row = Row { batch, index: 0, derived: Vec::with_capacity(plan.derived.len()) };
        for index in 0..batch.rows() {
            row.index = index;
            row.derived.clear();
            for derived in &plan.derived {
                let value = derived.expression.value(&row);
                row.derived.push(value);
            }
            if plan.filter.as_ref().is_some_and(|filter| !filter.expression.holds(&row)) {
                self.notes.filtered += 1;
                continue;
            }
            let Some(group) = self.text.group(plan, &row) else {
                self.notes.without_key += 1;
                continue;
            };
            for (value, slot) in self.slots.iter_mut().zip(&plan.slots) {
                *value = slot_value(slot, &row).map_or(0, |value| value + 1);
            }
            match self.text.unit(plan, &row) {
                Some(unit) => each(unit, group, &self.slots)?,
                None => self.notes.without_unit += 1,
            }
        }
        Ok(())
    }
}

impl Text {
    #[inline]
    fn group(&mut self, plan: &Plan, row: &Row<'_>) -> Option<u32> {
        // Declared keys are valid text, so cells that are not are not found.
        if let [by] = plan.by.as_slice()
            && let Some(Cell::Text(text)) = by.cell(row)
        {
            return plan.keys.place(text);
        }
        self.key.clear();
        for by in &plan.by {
            put_key_part(&mut self.key, by.text(row)?.as_bytes(), plan.by.len());
        }
        plan.keys.place(&self.key)
    }

    /// The canonical bytes of the row's unit; `None` if a part of it is null.
    #[inline]
    fn unit<'a>(&'a mut self, plan: &Plan, row: &Row<'a>) -> Option<&'a [u8]> {
        let sources = plan.unit.as_deref().unwrap_or_default();
        if let [source] = sources
            && let Some(Cell::Text(text)) = source.cell(row)
        {
            return (text.is_ascii() || std::str::from_utf8(text).is_ok()).then_some(text);
        }
        self.unit.clear();
        for source in sources {
            let text = source.text(row)?;
            match sources.len() {
                1 => self.unit.extend_from_slice(text.as_bytes()),
                _ => put_part(&mut self.unit, text.as_bytes()),
            }
        }
        Some(&self.unit)
    }
}

#[inline]
fn slot_value(slot: &Slot, row: &Row<'_>) -> Option<u64> {
    match &slot.reading {
        Reading::Steps(grid) => Some((steps(grid, slot, row)? - grid.low) as u64),
        Reading::Square(squares) => Some(squares.of(steps(squares.grid(), slot, row)?)),
        Reading::Value(values) => values.place(slot.source.text(row)?.as_bytes()).map(u64::from),
        Reading::Rank(edges) => Some(u64::from(edges.rank(&slot.source.number(row)?))),
        Reading::Bin(edges) => edges.bin(&slot.source.number(row)?).map(u64::from),
    }
}

#[inline]
fn steps(grid: &Grid, slot: &Slot, row: &Row<'_>) -> Option<i64> {
    match slot.source.cell(row) {
        Some(cell) => grid.steps_of_cell(cell),
        None => grid.steps(&slot.source.number(row)?),
    }
}
