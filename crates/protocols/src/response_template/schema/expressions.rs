//! The expressions that have been read of a schema.

use super::super::level::Level;
use super::super::regex::{self, Refusal, Sequence};
use super::super::{Report, ResponseTemplateError as Error};

/// The expressions of a schema. Their nodes are counted through, so that one tells where it stands.
#[derive(Default)]
pub(super) struct Expressions<'v> {
    /// From which node on, the member that holds it, and its text.
    all: Vec<(usize, String, &'v str)>,
    next: usize,
}

impl<'v> Expressions<'v> {
    /// The alternatives of the expression in a member; `None`: there is none, or it is reported.
    pub(super) fn read(
        &mut self,
        level: &Level<'v>,
        key: &str,
        report: &mut Report,
    ) -> Result<Option<Vec<Sequence>>, Error> {
        let Some(text) = level.text(key)? else { return Ok(None) };
        let base = self.next;
        self.next += text.len() + 1;
        self.all.push((base, level.at(key), text));
        let ways = regex::parse_from(text, base);
        Ok(ways.map_err(|refusal| report.add(level.at(key), refusal.about(text))).ok())
    }

    /// The only alternative of the expression in a member.
    pub(super) fn read_one(
        &mut self,
        level: &Level<'v>,
        key: &str,
        report: &mut Report,
    ) -> Result<Option<Sequence>, Error> {
        let Some(mut ways) = self.read(level, key, report)? else { return Ok(None) };
        if ways.len() > 1 {
            report.add(level.at(key), "alternatives without a group around them");
            return Ok(None);
        }
        Ok(ways.pop())
    }

    /// Reports what of an expression cannot be said.
    pub(super) fn refuse(&self, refusal: &Refusal, report: &mut Report) {
        let of = self.all.iter().rev().find(|(base, ..)| *base <= refusal.at);
        if let Some((base, path, text)) = of {
            let refusal = Refusal::new(refusal.at - base, refusal.what.clone());
            report.add(path.clone(), refusal.about(text));
        }
    }
}
