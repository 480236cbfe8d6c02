//! What has been read of a schema.

use super::super::level::Level;
use super::super::regex::{self, Refusal, Sequence};
use super::super::{Draft, Read, ResponseTemplateError as Error, unsaid};

/// The reading of a schema. The nodes of its expressions are counted through, so that one tells where it
/// stands.
pub(super) struct Reading<'d> {
    /// Of the expressions: from which node on, the member that holds it, and its text.
    expressions: Vec<(usize, String, String)>,
    next: usize,
    pub(super) draft: &'d mut Draft,
}

impl<'d> Reading<'d> {
    pub(super) fn new(draft: &'d mut Draft) -> Self {
        Self { expressions: Vec::new(), next: 0, draft }
    }

    /// Reports what the format does not say.
    pub(super) fn report(&mut self, path: impl Into<String>, what: impl Into<String>) {
        self.draft.report.add(path, what);
    }

    /// What was read; nothing where it cannot be said, which is reported.
    pub(super) fn or_report<T>(&mut self, read: Read<T>) -> Result<Option<T>, Error> {
        self.draft.report.or_report(read)
    }

    /// Reports the members of a level that say how text is read and are not among `read`.
    pub(super) fn check(&mut self, level: &Level<'_>, read: &[&str]) {
        for key in level.object.keys().filter(|key| key.starts_with("x-") && !read.contains(key)) {
            self.report(level.at(key), "nothing here reads it");
        }
    }

    /// The alternatives of the expression in a member, if there is one.
    pub(super) fn read(&mut self, level: &Level<'_>, key: &str) -> Read<Option<Vec<Sequence>>> {
        let Some(text) = level.text(key)? else { return Ok(None) };
        let base = self.next;
        self.next += text.len() + 1;
        self.expressions.push((base, level.at(key), text.to_owned()));
        let ways = regex::parse_from(text, base);
        ways.map(Some).map_err(|refusal| unsaid(level.at(key), refusal.about(text)))
    }

    /// The only alternative of the expression in a member, if there is one.
    pub(super) fn read_one(&mut self, level: &Level<'_>, key: &str) -> Read<Option<Sequence>> {
        let mut ways = self.read(level, key)?.unwrap_or_default();
        if ways.len() > 1 {
            return Err(unsaid(level.at(key), "alternatives without a group around them"));
        }
        Ok(ways.pop())
    }

    /// What is made of an expression.
    pub(super) fn accept<T>(&self, made: Result<T, Refusal>) -> Read<T> {
        made.map_err(|refusal| {
            let of = self.expressions.iter().rfind(|(base, ..)| *base <= refusal.at);
            let (base, path, text) = of.cloned().unwrap_or_default();
            unsaid(path, Refusal::new(refusal.at - base, refusal.what).about(&text))
        })
    }
}
