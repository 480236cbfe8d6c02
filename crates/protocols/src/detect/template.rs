//! From a chat template: the literals of each format's patterns that occur in it. Nothing is evaluated,
//! but names of constant strings are read as these.
//!
//! A literal counts by how few formats share it; one that the format always writes and that is missing
//! counts twice against it.

use std::borrow::Cow;

use toolweir_rjson::{Mode, Value, parse};

use super::literals::Usage;
use super::{
    Candidate, Detector, Evidence, Row, SHOWN, Section, constants, insert, points, ranked,
};

impl Detector {
    /// The formats that a chat template writes, best first.
    ///
    /// `text` is Jinja, or a JSON object with a member `chat_template`: a string, or a list of named
    /// templates (`tokenizer_config.json`, `chat_template.json`). All templates of a list count as one.
    #[must_use]
    pub fn template(&self, text: &str) -> Vec<Candidate> {
        // A quote inside a string of the template is escaped there.
        let template = constants::inlined(&jinja(text)).replace("\\\"", "\"");
        let has = |texts: &[String]| texts.iter().any(|text| template.contains(text.as_str()));
        let sections: Vec<&Section> =
            self.sections.iter().filter(|s| has(&s.opens) && has(&s.closes)).collect();
        let readings: Vec<Reading<'_>> =
            self.rows.iter().filter_map(|row| Reading::of(row, &template)).collect();
        let best = readings.iter().map(Reading::weight).fold(0.0, f64::max);
        let candidates =
            readings.iter().map(|reading| reading.candidate(best, &template, &sections));
        ranked(candidates.collect())
    }
}

/// The templates of a configuration, or the text itself.
fn jinja(text: &str) -> Cow<'_, str> {
    if !text.trim_start().starts_with('{') {
        return Cow::Borrowed(text);
    }
    let Ok(parsed) = parse(text, Mode::Strict) else { return Cow::Borrowed(text) };
    let texts: Vec<&str> = match parsed.value.get("chat_template") {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(list)) => list
            .iter()
            .filter_map(|entry| entry.get("template").unwrap_or(entry).as_str())
            .collect(),
        _ => Vec::new(),
    };
    Cow::Owned(texts.join("\n"))
}

/// What of a row occurs in a template.
struct Reading<'d> {
    row: &'d Row,
    found: f64,
    missing: f64,
    against: f64,
}

impl<'d> Reading<'d> {
    fn of(row: &'d Row, template: &str) -> Option<Self> {
        let (mut found, mut written, mut missing, mut against) = (0.0, 0.0, 0.0, 0.0);
        // Words and keys alone say little: then all have to be there that are written.
        let mut marked = false;
        let mut complete = row.literals.iter().any(|literal| literal.usage == Usage::Required);
        for literal in &row.literals {
            let (usage, weight) = (literal.usage, literal.weight());
            if template.contains(literal.text.as_str()) {
                found += weight * usage.found();
                written += if usage == Usage::Known { 0.0 } else { weight };
                marked |= usage == Usage::Required && !literal.plain;
                continue;
            }
            against += weight * usage.missing();
            if usage == Usage::Required {
                missing += weight;
                complete = false;
            }
        }
        // What is only read does not stand for what is always written.
        ((marked || complete) && written > missing).then_some(Self { row, found, missing, against })
    }

    fn weight(&self) -> f64 {
        (self.found - self.against).max(0.0)
    }

    fn candidate(&self, best: f64, template: &str, sections: &[&Section]) -> Candidate {
        let share = if best > 0.0 { self.weight() / best } else { 0.0 };
        let whole = self.found / (self.found + self.missing);
        let mut all: Vec<&super::Literal> = Vec::new();
        for literal in &self.row.literals {
            insert(&mut all, literal, |other| other.weight() >= literal.weight());
        }
        let places = all.iter().map(|literal| (*literal, template.find(literal.text.as_str())));
        let (found, missing): (Vec<_>, Vec<_>) = places.partition(|(_, place)| place.is_some());
        let found = found.into_iter().take(SHOWN).map(|(literal, place)| Evidence::Literal {
            literal: literal.text.clone(),
            offset: place.unwrap_or_default(),
            formats: literal.formats,
        });
        let missing =
            missing.into_iter().filter(|(literal, _)| literal.usage == Usage::Required).take(SHOWN);
        let missing =
            missing.map(|(literal, _)| Evidence::Missing { literal: literal.text.clone() });
        Candidate {
            format: self.row.name.clone(),
            reasoning: self.row.family(self.row.section(sections)),
            score: points(0.9 * share + 0.1 * whole),
            evidence: found.chain(missing).collect(),
        }
    }
}
