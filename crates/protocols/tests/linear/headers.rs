//! Floods of the markers of every row: openers, closing delimiters, and what may follow them.

use toolweir_protocols::{Registry, Request, formats};

use crate::harness::{BYTEWISE, Flood, examined, flood, tools};

/// What may stand after a marker, and provoke reading it again.
fn floods(markers: &[String]) -> Vec<Flood> {
    let blanks = " ".repeat(4000);
    let name = "n".repeat(250);
    let text = "x".repeat(3000);
    let mut floods = Vec::new();
    for marker in markers {
        let cut: String = marker.chars().take(marker.chars().count().saturating_sub(1)).collect();
        floods.extend([
            flood("a marker", marker.clone()),
            flood("a marker and blanks", format!("{marker}{blanks}")),
            flood("a marker and text", format!("{marker}{text}")),
            flood("a marker and a name", format!("{marker}{name}")),
            flood("a marker, a name and blanks", format!("{marker}f{blanks}")),
            flood("a marker and an attribute", format!("{marker} name=\"{name}")),
            flood("a marker and a bracket", format!("{marker}[")),
            flood("a marker and an object", format!("{marker}{{\"a\":")),
            flood("line breaks and a marker", format!("\n\n{marker}")),
        ]);
        if !cut.is_empty() {
            floods.push(flood("the beginning of a marker", cut));
        }
    }
    floods
}

/// Rows in parts, so that all cores work.
fn rows(part: usize) {
    let registry = Registry::builtin();
    for spec in formats::specs().iter().skip(part).step_by(4) {
        let markers = registry.get(&spec.name).unwrap().markers(&Request::default());
        let name = spec.name.as_str();
        let sizes = [BYTEWISE / 2];
        examined(&[name], &floods(&markers), &Request::new(tools()), &sizes);
    }
}

#[test]
fn markers_of_the_first_rows() {
    rows(0);
}

#[test]
fn markers_of_the_second_rows() {
    rows(1);
}

#[test]
fn markers_of_the_third_rows() {
    rows(2);
}

#[test]
fn markers_of_the_fourth_rows() {
    rows(3);
}
