//! From a transcript: the decoders of the formats whose markers occur read it, and the results are
//! compared.
//!
//! A format comes first that reads whole calls, of declared tools if any are declared, and leaves no marker
//! of any format in the text. Then count: how many calls it reads, without repairs, how much of the text
//! they explain, and how rare its markers are.

use std::collections::BTreeMap;

use toolweir_segments::{Kind, Outcome, Part, Severity, Turn};

use super::literals::{Usage, is_marker};
use super::{Candidate, Detector, Evidence, FULL, Row, SHOWN, Section, points, ranked, share};
use crate::diagnostics;
use crate::policy::Names;
use crate::protocol::ProtocolExt;
use crate::request::{Emit, Reasoning, Request, StartState};

/// Markers beyond this length are spellings of shorter ones with whitespace before or after.
const LONGEST: usize = 64;

impl Detector {
    /// The formats that may have written `text`, best first: those of which a marker occurs in it.
    ///
    /// The request says what the decoders are told: declared tools make the answer more certain, since
    /// a call of an undeclared tool speaks against a format. Its reasoning family is replaced by the one
    /// whose markers occur. Of formats that are written alike the first one is the best.
    #[must_use]
    pub fn transcript(&self, text: &str, request: &Request) -> Vec<Candidate> {
        let seen = Seen::of(text, self, request);
        let mut readings: Vec<Reading<'_>> = Vec::new();
        for (row, own) in self.rows.iter().zip(&seen.of_rows) {
            if !own.is_empty() {
                readings.extend(Reading::of(row, own, text, request, &seen));
            }
        }
        let most = readings.iter().map(|reading| reading.calls).max().unwrap_or_default();
        let candidates = readings.iter().map(|reading| reading.candidate(most, text)).collect();
        ranked(candidates)
    }
}

/// The markers that occur.
struct Seen<'d> {
    /// Every marker with its first place, if it occurs, and the number of formats that have it.
    all: BTreeMap<String, (Option<usize>, usize)>,
    /// Those of each row.
    of_rows: Vec<Vec<String>>,
    /// Reasoning families whose markers occur.
    sections: Vec<&'d Section>,
}

impl<'d> Seen<'d> {
    fn of(text: &str, detector: &'d Detector, request: &Request) -> Self {
        let mut all: BTreeMap<String, (Option<usize>, usize)> = BTreeMap::new();
        let mut of_rows = Vec::new();
        let lower = text.to_ascii_lowercase();
        for row in &detector.rows {
            let markers = row.protocol.markers(request);
            let markers = markers.iter().map(String::as_str);
            let usual = |marker: &&str| marker.len() <= LONGEST && !marker.trim().is_empty();
            let mut own: Vec<&str> = markers.filter(usual).collect();
            own.sort_unstable();
            own.dedup();
            own.retain(|marker| {
                // Some formats are read in any letter case.
                let find =
                    || text.find(marker).or_else(|| lower.find(&marker.to_ascii_lowercase()));
                let (place, formats) =
                    all.entry((*marker).to_owned()).or_insert_with(|| (find(), 0));
                *formats += 1;
                place.is_some()
            });
            of_rows.push(own.into_iter().map(str::to_owned).collect());
        }
        let occurs = |section: &&Section| section.markers().any(|marker| text.contains(marker));
        Self { all, of_rows, sections: detector.sections.iter().filter(occurs).collect() }
    }
}

/// A text as one format reads it.
struct Reading<'d> {
    row: &'d Row,
    own: &'d [String],
    seen: &'d Seen<'d>,
    section: Option<&'d Section>,
    turn: Turn,
    /// Whole calls, and how many of them are of declared tools.
    calls: usize,
    declared: usize,
    /// Markers that stay in the visible text.
    left: Vec<&'d str>,
}

impl<'d> Reading<'d> {
    fn of(
        row: &'d Row,
        own: &'d [String],
        text: &str,
        request: &Request,
        seen: &'d Seen<'d>,
    ) -> Option<Self> {
        let mut request = request.clone();
        request.emit = Emit::default();
        let section = row.section(&seen.sections);
        if let Some(section) = section {
            request.reasoning = Reasoning::Family(section.family.name.to_owned());
            // The prompt has written the opener where the first marker is a closing one.
            let first = |markers: &[String]| markers.iter().filter_map(|m| text.find(&**m)).min();
            let (open, close) = (first(&section.opens), first(&section.closes));
            if close.is_some_and(|close| open.is_none_or(|open| close < open)) {
                request.start_state = StartState::Reasoning;
            }
        }
        if request.tools.is_empty() {
            request.policies.names = Some(Names::Any);
        }
        let turn = row.protocol.parse(text, &request).ok()?;
        let visible = turn.text();
        let sections = seen.sections.iter().flat_map(|section| section.markers());
        let all =
            seen.all.iter().filter(|(marker, (place, _))| place.is_some() && is_marker(marker));
        let all = all.map(|(marker, _)| marker.as_str());
        let mut left: Vec<_> =
            all.chain(sections).filter(|marker| visible.contains(marker)).collect();
        left.sort_unstable();
        let left = without_beginnings(&left);
        let (calls, declared) = (turn.every_call().count(), turn.calls().count());
        Some(Self { row, own, seen, section, turn, calls, declared, left })
    }

    fn candidate(&self, most: usize, text: &str) -> Candidate {
        Candidate {
            format: self.row.name.clone(),
            reasoning: self.row.family(self.section),
            score: self.score(most, text),
            evidence: self.evidence(),
        }
    }

    /// A quarter of the points for how it was read, up to another quarter for how well.
    fn score(&self, most: usize, text: &str) -> u32 {
        let marked = self.own.iter().any(|marker| is_marker(marker));
        let whole = self.calls > 0 && self.calls == self.declared && !self.turn.has_errors();
        let class = match () {
            () if whole && self.left.is_empty() && marked => 3,
            () if self.calls > 0 => 2,
            () if self.broken().next().is_some() => 1,
            () => 0,
        };
        let exact = |marker: &String| is_marker(marker) && text.contains(marker.as_str());
        if class == 0 && !self.own.iter().any(exact) {
            return 0;
        }
        let repaired = self.turn.parts.iter().any(|part| part.outcome == Some(Outcome::Repaired));
        let warned = self.turn.diagnostics_from(Severity::Warning);
        let clean =
            !repaired && warned.filter(|d| d.code != diagnostics::OTHER_FORMAT.code).count() == 0;
        let hidden = text.len().saturating_sub(self.turn.text().len());
        // Each in a place of its own, so that a later one decides only between equals.
        let well = 0.35 * share(self.calls, most)
            + 0.25 * share(1, 1 + self.left.len())
            + if clean { 0.1 } else { 0.0 }
            + 0.06 * share(hidden, text.len())
            + 0.2 * self.exactness(text)
            + 0.02 * self.rarity();
        FULL / 4 * class + points(well) / 4 + 1
    }

    /// How much of what the format always writes occurs; of two that are complete the longer one has
    /// more.
    fn exactness(&self, text: &str) -> f64 {
        let required = self.row.literals.iter().filter(|literal| literal.usage == Usage::Required);
        let (mut all, mut found) = (1, 0);
        for literal in required {
            all += 1;
            found += usize::from(text.contains(literal.text.as_str()));
        }
        share(found, all)
    }

    /// One share of the rarest of its markers.
    fn rarity(&self) -> f64 {
        let formats = self
            .own
            .iter()
            .filter(|marker| is_marker(marker))
            .filter_map(|marker| self.seen.all.get(marker).map(|(_, formats)| *formats));
        share(1, formats.min().unwrap_or(usize::MAX))
    }

    fn broken(&self) -> impl Iterator<Item = &Part> {
        let calls = self.turn.parts.iter().filter(|part| matches!(part.kind, Kind::Call(_)));
        calls.filter(|part| part.invocations.is_empty())
    }

    fn evidence(&self) -> Vec<Evidence> {
        let place = |marker: &str| self.seen.all.get(marker)?.0;
        let own: Vec<_> = self.own.iter().map(String::as_str).collect();
        let own = without_beginnings(&own).into_iter();
        let markers: Vec<_> = own.filter_map(|marker| Some((place(marker)?, marker))).collect();
        let first = markers.iter().min();
        let next = |last: &&(usize, _)| markers.iter().filter(|marker| marker > last).min();
        let markers = std::iter::successors(first, next).take(SHOWN);
        let mut all: Vec<Evidence> = markers
            .map(|(offset, marker)| Evidence::Marker {
                marker: (*marker).to_owned(),
                offset: *offset,
            })
            .collect();
        let calls = self.turn.every_call().take(SHOWN);
        all.extend(self.turn.invocations().take(SHOWN).zip(calls).map(|((part, _), call)| {
            Evidence::Call { name: call.name.to_owned(), span: part.span }
        }));
        let unknown = self.turn.every_call().find(|call| !call.known);
        all.extend(unknown.map(|call| Evidence::Undeclared { name: call.name.to_owned() }));
        all.extend(self.broken().take(SHOWN).map(|part| Evidence::Broken { span: part.span }));
        let left = self.left.iter().take(SHOWN);
        all.extend(left.map(|marker| Evidence::Left { marker: (*marker).to_owned() }));
        all
    }
}

/// Sorted markers, each once, without those that only begin another one.
fn without_beginnings<'t>(markers: &[&'t str]) -> Vec<&'t str> {
    let next = markers.iter().skip(1).map(Some).chain([None]);
    let longest = |(marker, next): (&&'t str, Option<&&'t str>)| {
        next.is_none_or(|next| !next.starts_with(*marker)).then_some(*marker)
    };
    markers.iter().zip(next).filter_map(longest).collect()
}
