//! Trees of well-formed elements: ours beside `roxmltree`.

use std::hint::black_box;

use toolweir_rxml::{NodeOptions, parse_node, parse_strict};

use crate::figure::{Bound, Figure};
use crate::foundation::figure;
use crate::race::{Pace, here};
use crate::text::{Seeded, WORDS};

/// A document of about `bytes` bytes: records on lines of their own, with attributes and references.
fn document(bytes: usize) -> String {
    let (mut random, mut out, mut row) = (Seeded::new(6), String::from("<plan>\n"), 0);
    while out.len() < bytes {
        let words: Vec<&str> = (0..6).map(|_| random.pick(WORDS)).collect();
        let (yarn, note) = (words[..2].join(" "), words[2..].join(" "));
        out.push_str(&format!(
            "  <row id=\"r{row}\" done=\"true\">\n    <yarn>{yarn}</yarn>\n    \
             <size width=\"{}.5\"/>\n    <note>{note} &amp; {row}</note>\n  </row>\n",
            random.below(90)
        ));
        row += 1;
    }
    out.push_str("</plan>\n");
    out
}

/// Both readers of trees.
pub(crate) fn trees(pace: Pace) -> Result<Vec<Figure>, String> {
    let options = NodeOptions::default();
    let mut figures = Vec::new();
    for bytes in [1 << 10, 64 << 10] {
        let text = document(bytes);
        let rows = parse_strict(&text, &options).map_err(|e| e.to_string())?;
        let nodes = parse_node(&text, &options).map_err(|e| e.to_string())?;
        let theirs = roxmltree::Document::parse(&text).map_err(|e| e.to_string())?;
        let elements = theirs.root_element().children().filter(|node| node.is_element()).count();
        let same = rows.children.iter().filter(|node| node.as_element().is_some()).count()
            == elements
            && nodes.len() == 1;
        same.then_some(()).ok_or("trees: not the elements that roxmltree reads")?;
        let mut line = |name: &str, ours: &dyn Fn() -> bool| {
            let theirs = || roxmltree::Document::parse(black_box(&text)).is_ok();
            let what = ("trees", format!("{name}, {} KiB", bytes >> 10), text.len());
            let ways = [here(ours), here(theirs)];
            figures.push(figure(what, "roxmltree", ways, Some(Bound::AtLeast(0.5)), pace));
        };
        line("strict", &|| parse_strict(black_box(&text), &options).is_ok());
        line("nodes", &|| parse_node(black_box(&text), &options).is_ok());
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_readers_read_the_document() {
        let figures = trees(Pace { pass_ns: 1.0, rounds: 1 }).unwrap();
        assert!(figures.len() == 4 && figures.iter().all(|figure| figure.ours.is_ok()));
    }
}
