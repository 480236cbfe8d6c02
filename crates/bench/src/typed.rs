//! Strict JSON read into types: ours beside `serde_json`.

use std::collections::HashMap;
use std::hint::black_box;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use toolweir_rjson::{Mode, from_str};

use crate::documents::{CALLS, floats, nested, numbers, wide};
use crate::figure::{Bound, Figure};
use crate::foundation::figure;
use crate::race::{Pace, here};

/// The document of [`nested`].
#[derive(Debug, PartialEq, Deserialize)]
struct Plan {
    plan: Vec<Row>,
    rows: u32,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Row {
    row: u32,
    yarn: String,
    done: bool,
    size: Size,
    by: Option<String>,
    note: String,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Size {
    width: f64,
    marks: Vec<u16>,
}

/// The first of [`CALLS`].
#[derive(Debug, PartialEq, Deserialize)]
struct Call {
    row: u32,
    yarn: String,
}

/// Every document as its type.
pub(crate) fn typed(pace: Pace) -> Result<Vec<Figure>, String> {
    let [(small, call), _] = CALLS;
    Ok(vec![
        one::<Call>(small, call, pace)?,
        one::<Plan>("nested, 16 KiB", &nested(16 << 10), pace)?,
        one::<Plan>("nested, 256 KiB", &nested(256 << 10), pace)?,
        one::<HashMap<String, IgnoredAny>>("nested, 16 KiB, ignored", &nested(16 << 10), pace)?,
        one::<HashMap<String, u32>>("one object of 500 keys", &wide(500), pace)?,
        one::<Vec<f64>>("floats of 15 to 17 digits", &floats(2000), pace)?,
        one::<Vec<f64>>("mixed numbers", &numbers(2000), pace)?,
        one::<serde_json::Value>("nested, 16 KiB, `serde_json::Value`", &nested(16 << 10), pace)?,
    ])
}

fn one<T: DeserializeOwned + std::fmt::Debug>(
    work: &str,
    text: &str,
    pace: Pace,
) -> Result<Figure, String> {
    let (ours, theirs) = (from_str::<T>(text, Mode::Strict), serde_json::from_str::<T>(text));
    let (ours, theirs) = (ours.map_err(|e| e.to_string())?, theirs.map_err(|e| e.to_string())?);
    // What is printed shows every field; a map's order is its own.
    let same = text.len() > 4096 || format!("{ours:?}") == format!("{theirs:?}");
    same.then_some(()).ok_or_else(|| format!("{work}: not what serde_json reads"))?;
    let ways = [
        here(|| from_str::<T>(black_box(text), Mode::Strict).is_ok()),
        here(|| serde_json::from_str::<T>(black_box(text)).is_ok()),
    ];
    let what = ("typed", work.to_owned(), text.len());
    Ok(figure(what, "serde_json", ways, Some(Bound::AtLeast(0.5)), pace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_read_as_its_type() {
        let figures = typed(Pace { pass_ns: 1.0, rounds: 1 }).unwrap();
        assert!(figures.len() == 8 && figures.iter().all(|figure| figure.ours.is_ok()));
        let text = nested(4 << 10);
        let ours: Plan = from_str(&text, Mode::Strict).unwrap();
        assert_eq!(ours, serde_json::from_str::<Plan>(&text).unwrap());
    }
}
