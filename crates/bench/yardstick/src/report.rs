//! What is printed: tables in Markdown, or one JSON document.

use serde_json::{Value, json};

use crate::row::{Cell, Row};

/// Everything one run found. The first column is ours, with its strings joined as everybody's.
pub struct Report {
    pub columns: Vec<String>,
    /// Whether the column is another sink of the library to its left.
    pub extra: Vec<bool>,
    pub rows: Vec<Row>,
    /// What could not be had, and why.
    pub missing: Vec<String>,
}

impl Report {
    /// The tables: times a format, what was read wrong, where a peer is faster, blocks.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        let mut formats: Vec<&str> = self.rows.iter().map(|row| row.format).collect();
        formats.dedup();
        for format in formats {
            let of_format = || self.rows.iter().filter(|row| row.format == format);
            section(&mut out, &format!("`{format}`, ns a chunk"), &self.times(of_format()));
            section(&mut out, &format!("`{format}`, blocks"), &self.blocks(of_format()));
        }
        section(&mut out, "Rows that a peer wins", &self.lost());
        section(&mut out, "Read wrong, or not at all", &self.wrong());
        for missing in &self.missing {
            out.push_str(&format!("Left out: {missing}.\n"));
        }
        out
    }

    /// The best peer of a row: its column and nanoseconds.
    fn best(&self, row: &Row) -> Option<(usize, f64)> {
        let right = |at: usize| match row.cells.get(at) {
            Some(Cell::Right { ns, .. }) => Some((at, *ns)),
            _ => None,
        };
        // Ours and its other sinks stand first.
        let ours = self.extra.iter().skip(1).take_while(|extra| **extra).count();
        (ours + 1..row.cells.len()).filter_map(right).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Our time in that of the best peer.
    fn ratio(&self, row: &Row) -> Option<f64> {
        let Some(Cell::Right { ns, .. }) = row.cells.first() else { return None };
        Some(ns / self.best(row)?.1)
    }

    fn times<'a>(&self, rows: impl Iterator<Item = &'a Row>) -> Vec<Vec<String>> {
        let mut table = vec![self.head(&["work", "chunks", "C"], &["ours / best peer"])];
        for row in rows {
            let mut line = row.place(row.chunks);
            line.push(number(row.chunk(row.floor)));
            line.extend(row.cells.iter().map(|cell| match cell {
                Cell::Right { ns, pieces, .. } if row.held(*pieces) => {
                    format!("{}, held", number(row.chunk(*ns)))
                }
                Cell::Right { ns, .. } => number(row.chunk(*ns)),
                Cell::Wrong(_) => "wrong".to_owned(),
                Cell::None(why) if why.starts_with('>') => why.clone(),
                Cell::None(_) => "–".to_owned(),
            }));
            line.push(self.ratio(row).map(|ratio| format!("{ratio:.2}")).unwrap_or_default());
            table.push(line);
        }
        table
    }

    /// Blocks a call where the work has calls, else a thousand chunks; the making of the reader is in
    /// it.
    fn blocks<'a>(&self, rows: impl Iterator<Item = &'a Row>) -> Vec<Vec<String>> {
        let mut table = vec![self.head(&["work", "chunks"], &["a"])];
        for row in rows {
            let (per, unit) = match row.calls {
                0 => (row.chunks as f64 / 1000.0, "1,000 chunks"),
                calls => (calls as f64, "call"),
            };
            let mut line = row.place(row.chunks);
            line.extend(row.cells.iter().map(|cell| match cell {
                Cell::Right { blocks: Some(blocks), .. } => number(*blocks as f64 / per),
                Cell::Wrong(_) => "wrong".to_owned(),
                _ => "–".to_owned(),
            }));
            line.push(unit.to_owned());
            table.push(line);
        }
        table
    }

    fn lost(&self) -> Vec<Vec<String>> {
        let head =
            ["format", "work", "chunks", "ours, ns", "best peer, ns", "", "ours / best peer"];
        let mut lost: Vec<(f64, &Row)> =
            self.rows.iter().filter_map(|row| Some((self.ratio(row)?, row))).collect();
        lost.retain(|(ratio, _)| *ratio > 1.0);
        lost.sort_by(|a, b| b.0.total_cmp(&a.0));
        let line = |(ratio, row): (f64, &Row)| {
            let (at, best) = self.best(row)?;
            let mut line = vec![row.format.to_owned()];
            line.extend(row.place(row.chunks));
            line.push(number(row.chunk(best * ratio)));
            line.push(number(row.chunk(best)));
            line.push(self.columns.get(at).cloned().unwrap_or_default());
            line.push(format!("{ratio:.2}"));
            Some(line)
        };
        let head = head.iter().map(|cell| (*cell).to_owned()).collect();
        std::iter::once(head).chain(lost.into_iter().filter_map(line)).collect()
    }

    /// One line for each reason of a reader in a work, with the chunks it holds for.
    fn wrong(&self) -> Vec<Vec<String>> {
        let mut found: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for row in &self.rows {
            for (cell, column) in row.cells.iter().zip(&self.columns) {
                let (Cell::Wrong(why) | Cell::None(why)) = cell else { continue };
                let line = [row.format, row.work, column, why].map(|word| word.replace('|', "\\|"));
                let chunks = row.chunking.to_owned();
                match found.iter_mut().find(|(known, _)| *known == line) {
                    Some((_, known)) => known.push(chunks),
                    None => found.push((line.to_vec(), vec![chunks])),
                }
            }
        }
        let head = ["format", "work", "reader", "why", "chunks"].map(str::to_owned).to_vec();
        let line = |(mut line, chunks): (Vec<String>, Vec<String>)| {
            line.push(chunks.join(", "));
            line
        };
        std::iter::once(head).chain(found.into_iter().map(line)).collect()
    }

    fn head(&self, before: &[&str], after: &[&str]) -> Vec<String> {
        let owned = |cell: &&str| (*cell).to_owned();
        let columns = self.columns.iter().cloned();
        before.iter().map(owned).chain(columns).chain(after.iter().map(owned)).collect()
    }

    /// One JSON document with every figure.
    pub fn json(&self) -> String {
        let cell = |(cell, column): (&Cell, &String)| match cell {
            Cell::Right { ns, blocks, pieces } => {
                json!({ "reader": column, "ns": ns, "blocks": blocks, "pieces": pieces })
            }
            Cell::Wrong(why) => json!({ "reader": column, "wrong": why }),
            Cell::None(why) => json!({ "reader": column, "none": why }),
        };
        let row = |row: &Row| {
            json!({
                "format": row.format,
                "work": row.work,
                "chunking": row.chunking,
                "bytes": row.bytes,
                "chunks": row.chunks,
                "calls": row.calls,
                "c_ns": row.floor,
                "ours_in_best_peer": self.ratio(row),
                "readers": row.cells.iter().zip(&self.columns).map(cell).collect::<Vec<Value>>(),
            })
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        format!("{:#}\n", json!({ "rows": rows, "missing": self.missing }))
    }
}

/// In a stream of at least so many chunks, fewer than one piece in [`SPARSE`] chunks says that what came was
/// held back.
const MANY: usize = 100;
const SPARSE: usize = 10;

impl Row {
    /// Whether so few pieces came that they were held back; 0 is unknown.
    fn held(&self, pieces: usize) -> bool {
        pieces > 0 && self.chunks >= MANY && pieces < self.chunks / SPARSE
    }

    /// The work, and into what it is cut.
    fn place(&self, chunks: usize) -> Vec<String> {
        vec![
            self.work.replace('<', "`<`").replace('{', "`{`"),
            match self.chunking {
                "whole" => "whole".to_owned(),
                name => format!("{chunks} × {name}"),
            },
        ]
    }
}

/// Few digits for many, one after the point for few.
fn number(number: f64) -> String {
    match number {
        ..100.0 => format!("{number:.1}"),
        ..1e6 => format!("{number:.0}"),
        _ => format!("{:.2}e6", number / 1e6),
    }
}

fn section(out: &mut String, title: &str, table: &[Vec<String>]) {
    if table.len() < 2 {
        return;
    }
    out.push_str(&format!("## {title}\n\n"));
    for (at, row) in table.iter().enumerate() {
        out.push_str(&format!("| {} |\n", row.join(" | ")));
        if at == 0 {
            out.push_str(&format!("|{}\n", " --- |".repeat(row.len())));
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(ns: f64) -> Cell {
        Cell::Right { ns, blocks: Some(20), pieces: 3 }
    }

    fn report(peer: Cell) -> Report {
        let row = Row {
            format: "hermes",
            work: "one call",
            chunking: "tok",
            bytes: 90,
            chunks: 20,
            calls: 2,
            floor: 100.0,
            cells: vec![right(1000.0), right(1.0), peer],
        };
        let columns = ["toolweir", "toolweir, counted", "other"].map(str::to_owned).to_vec();
        let extra = vec![false, true, false];
        Report { columns, extra, rows: vec![row], missing: vec!["third: not here".to_owned()] }
    }

    #[test]
    fn a_peer_that_is_faster_is_named_and_our_own_sinks_are_no_peers() {
        let shown = report(right(500.0)).markdown();
        assert!(
            shown.contains("| one call | 20 × tok | 5.0 | 50.0 | 0.1 | 25.0 | 2.00 |"),
            "{shown}"
        );
        assert!(shown.contains("| one call | 20 × tok | 10.0 | 10.0 | 10.0 | call |"), "{shown}");
        assert!(shown.contains("| hermes | one call | 20 × tok | 50.0 | 25.0 | other | 2.00 |"));
        assert!(shown.ends_with("Left out: third: not here.\n"));
        assert!(!report(right(5000.0)).markdown().contains("wins"));
    }

    #[test]
    fn what_came_in_few_pieces_was_held() {
        let mut held = report(right(500.0));
        held.rows[0].chunks = 1000;
        assert!(held.markdown().contains("| 1.0, held | 0.0, held | 0.5, held |"));
    }

    #[test]
    fn what_is_read_wrong_wins_nothing() {
        let shown = report(Cell::Wrong("1 calls of 2".to_owned())).markdown();
        assert!(shown.contains("| 50.0 | 0.1 | wrong |  |"), "{shown}");
        assert!(shown.contains("| hermes | one call | other | 1 calls of 2 | tok |"));
        let json: Value = serde_json::from_str(&report(right(1.0)).json()).unwrap();
        assert_eq!(json["rows"][0]["ours_in_best_peer"], 1000.0);
    }
}
