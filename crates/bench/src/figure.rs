//! A figure: our time beside that of something else, and what their ratio should be.

use serde_json::{Value, json};

use crate::report::{milliseconds, rows, yes};

/// What the ratio should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn met(self, ratio: f64) -> bool {
        match self {
            Self::AtLeast(limit) => ratio >= limit,
            Self::AtMost(limit) => ratio <= limit,
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtLeast(limit) => format!("≥ {limit}"),
            Self::AtMost(limit) => format!("≤ {limit}"),
        }
    }
}

/// One line of a table of ratios.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// The table it belongs to.
    pub(crate) table: &'static str,
    pub(crate) work: String,
    pub(crate) bytes: usize,
    /// Nanoseconds of ours.
    pub(crate) ours: Result<f64, String>,
    /// What it is compared with.
    pub(crate) other: String,
    /// Nanoseconds of that, or why there are none.
    pub(crate) theirs: Result<f64, String>,
    pub(crate) goal: Option<Bound>,
    /// What is worth knowing beside the ratio.
    pub(crate) note: String,
}

impl Figure {
    /// The other's time in ours.
    pub(crate) fn ratio(&self) -> Option<f64> {
        Some(*self.theirs.as_ref().ok()? / *self.ours.as_ref().ok()?)
    }

    fn met(&self) -> Option<bool> {
        Some(self.goal?.met(self.ratio()?))
    }

    /// The rows of one table.
    pub(crate) fn table(figures: &[Self], table: &str) -> Vec<Vec<String>> {
        let head =
            ["work", "bytes", "ours", "beside", "theirs", "theirs / ours", "goal", "met", ""];
        let reason = |time: &Result<f64, String>| time.as_ref().err().cloned();
        let row = |figure: &Self| {
            let note = reason(&figure.ours).or(reason(&figure.theirs));
            vec![
                figure.work.clone(),
                figure.bytes.to_string(),
                figure.ours.as_ref().map_or("–".to_owned(), |ns| duration(*ns)),
                figure.other.clone(),
                figure.theirs.as_ref().map_or("–".to_owned(), |ns| duration(*ns)),
                figure.ratio().map(two_digits).unwrap_or_default(),
                figure.goal.map(Bound::text).unwrap_or_default(),
                figure.met().map(yes).unwrap_or_default(),
                note.unwrap_or_else(|| figure.note.clone()),
            ]
        };
        rows(&head, figures.iter().filter(|figure| figure.table == table).map(row))
    }

    /// The same as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({
            "table": self.table,
            "work": self.work,
            "bytes": self.bytes,
            "ours_ns": self.ours.as_ref().ok(),
            "beside": self.other,
            "theirs_ns": self.theirs.as_ref().ok(),
            "why_not": self.ours.as_ref().err().or(self.theirs.as_ref().err()),
            "ratio": self.ratio(),
            "goal": self.goal.map(Bound::text),
            "met": self.met(),
            "note": self.note,
        })
    }
}

/// Nanoseconds, microseconds or milliseconds.
fn duration(ns: f64) -> String {
    match ns {
        ..1e4 => format!("{ns:.0} ns"),
        ..1e6 => format!("{:.1} µs", ns / 1e3),
        _ => format!("{} ms", milliseconds(ns)),
    }
}

/// Two digits that count, and no more.
fn two_digits(ratio: f64) -> String {
    if ratio >= 20.0 { format!("{ratio:.0}") } else { format!("{ratio:.2}") }
}

/// Blocks allocated for one document, which a gate limits, beside those of another reader.
#[derive(Clone, Debug)]
pub(crate) struct Allocations {
    pub(crate) work: String,
    pub(crate) ours: u64,
    pub(crate) other: &'static str,
    pub(crate) theirs: Option<u64>,
    /// The limit of the gate.
    pub(crate) limit: u64,
}

impl Allocations {
    /// The rows of the table.
    pub(crate) fn table(all: &[Self]) -> Vec<Vec<String>> {
        let head = ["document", "ours", "limit", "beside", "theirs"];
        let row = |found: &Self| {
            vec![
                found.work.clone(),
                found.ours.to_string(),
                found.limit.to_string(),
                found.other.to_owned(),
                found.theirs.map(|blocks| blocks.to_string()).unwrap_or_default(),
            ]
        };
        rows(&head, all.iter().map(row))
    }

    /// The same as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({
            "work": self.work,
            "ours": self.ours,
            "limit": self.limit,
            "beside": self.other,
            "theirs": self.theirs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_others_time_in_ours() {
        let figure = Figure {
            table: "strict",
            work: "call".to_owned(),
            bytes: 200,
            ours: Ok(500.0),
            other: "serde_json".to_owned(),
            theirs: Ok(250.0),
            goal: Some(Bound::AtLeast(0.8)),
            note: String::new(),
        };
        assert_eq!(figure.ratio(), Some(0.5));
        assert_eq!(figure.met(), Some(false));
        let skipped = Figure { theirs: Err("no Node".to_owned()), ..figure.clone() };
        assert_eq!(skipped.met(), None);
        let shown = Figure::table(&[figure, skipped], "strict");
        assert_eq!(shown[1][5..8], ["0.50", "≥ 0.8", "no"]);
        assert_eq!((shown[2][7].as_str(), shown[2][8].as_str()), ("", "no Node"));
    }
}
