//! What has been read of a schema.

use super::super::level::Level;
use super::super::regex::{self, Refusal, Sequence};
use super::super::{Draft, ResponseTemplateError as Error};

/// The reading of a schema. The nodes of its expressions are counted through, so that one tells where it
/// stands.
pub(super) struct Reading<'d, 'v> {
    /// Of the expressions: from which node on, the member that holds it, and its text.
    expressions: Vec<(usize, String, &'v str)>,
    next: usize,
    pub(super) draft: &'d mut Draft,
}

impl<'d, 'v> Reading<'d, 'v> {
    pub(super) fn new(draft: &'d mut Draft) -> Self {
        Self { expressions: Vec::new(), next: 0, draft }
    }

    /// Reports what the format does not say.
    pub(super) fn report(&mut self, path: impl Into<String>, what: impl Into<String>) {
        self.draft.report.add(path, what);
    }

    /// Reports the members of a level that say how text is read and are not among `read`.
    pub(super) fn check(&mut self, level: &Level<'v>, read: &[&str]) {
        for key in level.keys().filter(|key| key.starts_with("x-") && !read.contains(key)) {
            self.report(level.at(key), "nothing here reads it");
        }
    }

    /// The alternatives of the expression in a member; `None`: there is none, or it is reported.
    pub(super) fn read(
        &mut self,
        level: &Level<'v>,
        key: &str,
    ) -> Result<Option<Vec<Sequence>>, Error> {
        let Some(text) = level.text(key)? else { return Ok(None) };
        let base = self.next;
        self.next += text.len() + 1;
        self.expressions.push((base, level.at(key), text));
        let ways = regex::parse_from(text, base);
        Ok(ways.map_err(|refusal| self.report(level.at(key), refusal.about(text))).ok())
    }

    /// The only alternative of the expression in a member.
    pub(super) fn read_one(
        &mut self,
        level: &Level<'v>,
        key: &str,
    ) -> Result<Option<Sequence>, Error> {
        let Some(mut ways) = self.read(level, key)? else { return Ok(None) };
        if ways.len() > 1 {
            self.report(level.at(key), "alternatives without a group around them");
            return Ok(None);
        }
        Ok(ways.pop())
    }

    /// What is made of an expression; nothing where it cannot be said, which is reported.
    pub(super) fn accept<T>(&mut self, made: Result<T, Refusal>) -> Option<T> {
        made.map_err(|refusal| self.refuse(&refusal)).ok()
    }

    fn refuse(&mut self, refusal: &Refusal) {
        let of = self.expressions.iter().rev().find(|(base, ..)| *base <= refusal.at);
        if let Some((base, path, text)) = of {
            let refusal = Refusal::new(refusal.at - base, refusal.what.clone());
            self.draft.report.add(path.clone(), refusal.about(text));
        }
    }
}
