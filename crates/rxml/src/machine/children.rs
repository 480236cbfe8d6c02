//! The elements in the content of a list, delimited before it is known what they are.

use std::ops::Range;

use super::Machine;
use super::frame::{End, Extent};
use super::text_end::{assumed, foreign_end, own_end};
use crate::error::{Code, Diagnostic, Error, ParseErrorKind};
use crate::tags::{CDATA, Mark, Seq, Tag, TagKind};

/// The direct child elements of a stretch of content.
#[derive(Default)]
pub(super) struct Children {
    pub(super) extents: Vec<Extent>,
    /// Their content is raw text.
    pub(super) texts: bool,
    /// There is text beside them.
    pub(super) text: bool,
    /// There are closing tags beside them that close nothing.
    pub(super) strays: bool,
    /// What was repaired, for whoever takes the children as they are.
    pub(super) notes: Vec<Diagnostic>,
}

impl Children {
    fn note(&mut self, code: Code, span: Range<usize>) {
        self.notes.push(code.at(span));
    }
}

impl Machine {
    /// The direct child elements, delimited by counting tags of their own name; in repair also by
    /// what stands in for a closing tag that is missing. `texts`: their content is raw text.
    pub(super) fn children(&mut self, inner: Range<usize>, texts: bool) -> Result<Children, Error> {
        let mut children = Children { texts, ..Children::default() };
        let mut at = inner.start;
        while at < inner.end {
            let angle = self.tags.angle(&self.buf, at);
            let text = at..angle.map_or(inner.end, |angle| angle.at.min(inner.end));
            let tag = self.tags.reach(text.end);
            children.text |= !text.is_empty() && !self.is_whitespace(text.clone(), angle);
            at = text.end;
            if at >= inner.end {
                break;
            }
            if let Some((after, is_text)) = self.skipped_child(at, inner.end) {
                children.text |= is_text;
                at = after;
                continue;
            }
            match tag {
                Some(seq) => at = self.child_extent(seq, inner.end, &mut children)?,
                None if self.options.repair => {
                    children.text = true;
                    children.note(Code::TextLt, at..at + 1);
                    at += 1;
                }
                None => return Err(Error::parse(ParseErrorKind::BadTag, at..at + 1)),
            }
        }
        Ok(children)
    }

    /// Offset after the comment, CDATA section, processing instruction or declaration at an
    /// offset, and whether it counts as text. What has no end goes up to `end`.
    fn skipped_child(&mut self, at: usize, end: usize) -> Option<(usize, bool)> {
        let markup = self.buf.slice(at..end);
        let section = markup.starts_with(CDATA);
        let skipped = markup.starts_with("<!") || markup.starts_with("<?");
        skipped.then(|| (self.after_skipped(at, end).unwrap_or(end), section))
    }

    /// Offset after the comment, CDATA section, processing instruction or declaration at an
    /// offset, where it ends before another.
    pub(super) fn after_skipped(&mut self, at: usize, end: usize) -> Option<usize> {
        let marks = [("<!--", Mark::Comment), (CDATA, Mark::Section), ("<?", Mark::Instruction)];
        let markup = self.buf.slice(at..end);
        for (begin, mark) in marks {
            if markup.starts_with(begin) {
                let after = self.tags.after(mark, at + begin.len());
                return after.filter(|after| *after <= end);
            }
        }
        if markup.starts_with("<!") { self.after_declaration(at, end) } else { None }
    }

    /// Takes the child whose tag this is, or passes a closing tag that closes nothing; where reading
    /// goes on.
    fn child_extent(
        &mut self,
        seq: Seq,
        end: usize,
        children: &mut Children,
    ) -> Result<usize, Error> {
        let bad = |kind, span| Err(Error::parse(kind, span));
        let Some(tag) = self.tags.get(seq) else {
            return bad(ParseErrorKind::BadTag, end..end);
        };
        let (span, name) = (tag.start..tag.end, tag.name.clone());
        if !tag.whole || tag.end > end {
            return bad(ParseErrorKind::BadTag, span);
        }
        let (inner, after) = match tag.kind {
            TagKind::Close if self.options.repair => {
                children.strays = true;
                children.note(Code::StrayClose, span.clone());
                return Ok(span.end);
            }
            TagKind::Close => return bad(ParseErrorKind::StrayClose, span),
            TagKind::SelfClosed => (tag.end..tag.end, tag.end),
            TagKind::Open => {
                let Some(mut found) = self.child_end(seq, end, children.texts) else {
                    return bad(ParseErrorKind::Unclosed, span);
                };
                let unpaired = tag.matching.and_then(|matching| self.tags.get(matching));
                let unpaired = unpaired.is_none_or(|matching| matching.start != found.inner);
                if unpaired && self.options.repair {
                    let own = self.buf.slice(name.clone());
                    found = self.cut_end(own, span.end..found.inner).unwrap_or(found);
                }
                if unpaired && !found.assumed && self.is_opened_twice(seq, found.inner) {
                    self.note(Code::DoubtfulClose, span.clone());
                }
                if found.assumed {
                    if let Some(tag) = self.left_open(seq, &found) {
                        self.note(Code::DoubtfulClose, tag);
                    }
                    let inner = self.blanks_before(found.inner);
                    match self.reopened(self.buf.slice(name.clone()), seq + 1, inner) {
                        None => {}
                        Some(tag) if tag.end == inner => {
                            let code = Code::OpenForClose;
                            found = assumed(tag.start, found.after, code);
                        }
                        Some(_) if self.inside.is_none() => {}
                        Some(tag) => self.note(Code::DoubtfulClose, tag.start..tag.end),
                    }
                }
                children.notes.extend(found.note.map(|code| code.at(found.inner..found.after)));
                let inner =
                    if found.assumed { self.blanks_before(found.inner) } else { found.inner };
                (span.end..inner.max(span.end), found.after)
            }
        };
        children.extents.push(Extent { name, tag: span, inner });
        Ok(after)
    }

    /// In a call, in repair: whether two more elements of the name begin in one whose closing tag is
    /// that of another, so that one of the tags was perhaps meant to close.
    fn is_opened_twice(&self, seq: Seq, end: usize) -> bool {
        let Some(tag) = self.tags.get(seq).filter(|_| self.inside.is_some()) else { return false };
        let name = self.buf.slice(tag.name.clone());
        let next = |from: Seq| {
            let found = self.tags.first_open(name, from)?;
            self.tags.get(found).filter(|tag| tag.start < end).map(|_| found)
        };
        self.options.repair && next(seq + 1).and_then(|second| next(second + 1)).is_some()
    }

    /// Where the child with this opening tag ends, before an offset.
    fn child_end(&self, seq: Seq, end: usize, texts: bool) -> Option<End> {
        let tag = self.tags.get(seq)?;
        let before = |seq: &Seq| self.tags.get(*seq).is_some_and(|tag| tag.start < end);
        let name = self.buf.slice(tag.name.clone());
        let matching = tag.matching.filter(before).and_then(|seq| self.tags.get(seq));
        let first = || self.tags.get(self.tags.first_close(name, seq + 1, end)?);
        if matching.is_some() || !self.options.repair {
            return matching.or_else(first).map(own_end);
        }
        let outer = tag.outer.filter(before).and_then(|seq| self.tags.get(seq));
        let foreign = outer.map(|tag| foreign_end(tag, name, self.buf.slice(tag.name.clone())));
        // The first of its own name may be that of the next element.
        let cased = foreign.clone().filter(|end| end.by_case);
        let is_own = |close: &&Tag| texts || foreign.is_none() || close.matching < tag.outer;
        let own = first().filter(is_own).map(own_end);
        let found = cased.or(own).or(foreign);
        Some(found.unwrap_or_else(|| assumed(end, end, Code::AssumedClose)))
    }

    /// Where the whitespace directly before a tag begins.
    fn blanks_before(&mut self, tag: usize) -> usize {
        let angle = self.tags.angle(&self.buf, tag).filter(|angle| angle.at == tag);
        angle.and_then(|angle| angle.whitespace).unwrap_or(tag)
    }
}
