//! Formats of blocks: what a block begins with, as headers, and what its reader needs.
//!
//! A block begins with a tag, with a JSON object after `[[SEG_START`, or with the beginning of a JSON call
//! (a signature). A content class pipes one argument out of its block while it is written.

use std::sync::Arc;

use litemap::LiteMap;
use toolweir_markers::{MarkerSet, SetError};

use super::code::{Ahead, Code, Exit, Found, Op};
use super::forms::{Form, Forms, Opener};
use super::payload::PayloadProgram;
use super::table::{Entries, Role, leads};
use super::{Build, Program};
use crate::classes::{Classes, ContentClass};
use crate::error::SpecError;
use crate::policy::Unclosed;

/// What a block begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockSpec<'a> {
    /// Tags of content classes, and `<tool …>`.
    pub(crate) tags: bool,
    /// Beginnings of JSON calls, whitespace left out.
    pub(crate) signatures: &'a [String],
    /// `[[SEG_START` and a JSON object.
    pub(crate) sentinels: bool,
    pub(crate) classes: &'a Classes,
}

/// The compiled reader of blocks.
#[derive(Debug)]
pub(crate) struct Blocks {
    classes: Vec<Arc<BlockClass>>,
    pub(crate) argument: Arc<Ends>,
    pub(crate) sentinel: Arc<Ends>,
}

/// A content class with the ends of its content.
#[derive(Debug)]
pub(crate) struct BlockClass {
    pub(crate) class: Arc<ContentClass>,
    /// Ends of `<TAG>` content, by tag.
    tags: Vec<(String, Arc<Ends>)>,
    pub(crate) marked: Option<Arc<Ends>>,
}

/// What ends a content, with the set of what may begin it.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) set: MarkerSet,
    pub(crate) grammar: Grammar,
}

#[derive(Debug)]
pub(crate) enum Grammar {
    Literal,
    Tag(String),
    Argument,
    /// After the start marker: this end marker, or the closing tags; the set of both markers, for what
    /// is in doubt.
    Marked {
        start: String,
        end: String,
        set: Box<MarkerSet>,
    },
}

/// The name of the tag that names its tool.
pub(crate) const TOOL: &str = "tool";

/// The closing tag of an argument.
pub(crate) const ARGUMENT: &str = "</arg>";

/// What a JSON header stands after, and what ends its content.
const SENTINEL: &str = "[[SEG_START";
const SENTINEL_END: &str = "[[SEG_END]]";

impl Program {
    /// Compiles a format of blocks.
    pub(crate) fn of_blocks(
        format: &str,
        spec: &BlockSpec<'_>,
        build: Build<'_>,
    ) -> Result<Self, SpecError> {
        let bad = |source| SpecError::Markers { format: format.to_owned(), source };
        let mut calls = Forms::default();
        let leads = spec.lower(&mut calls);
        calls.forms.push(Form::of(0));
        let blocks = Blocks::new(spec.classes).map_err(bad)?;
        Ok(Self {
            calls,
            payloads: vec![PayloadProgram::Block(Arc::new(blocks))],
            unclosed: Unclosed::Text,
            ..Self::text_with(format, build, leads)?
        })
    }
}

impl BlockSpec<'_> {
    /// Compiles the headers; what begins them.
    fn lower(&self, forms: &mut Forms) -> Entries {
        let mut leads = Entries::new();
        let mut open = |forms: &mut Forms, text: String, entry: usize| {
            let opener = forms.openers.len();
            forms.openers.push(Opener::new(&text, entry));
            leads.push((text, Role::Open { framing: 0, opener }));
        };
        if self.tags {
            let words = self.classes.tags().chain([TOOL]);
            for (first, rests) in by_first(words.map(str::to_ascii_lowercase)) {
                let entry = forms.code.here();
                any_word(&mut forms.code, rests, Sort::Tag);
                open(forms, format!("<{first}"), entry);
                open(forms, format!("<{}", first.to_ascii_uppercase()), entry);
            }
        }
        for (first, rests) in by_first(self.signatures.iter().cloned()) {
            let entry = forms.code.here();
            any_word(&mut forms.code, rests, Sort::Signature { in_string: false });
            open(forms, first.to_string(), entry);
        }
        if self.sentinels {
            let entry = forms.code.here();
            forms.code.space();
            forms.code.push(Op::Ahead(Ahead::Object, exit(Found::ObjectHeader)));
            open(forms, SENTINEL.to_owned(), entry);
        }
        leads
    }
}

fn exit(found: Found) -> Exit {
    Exit { form: 0, found, section: false }
}

/// Words by their first characters, each without it.
fn by_first(words: impl IntoIterator<Item = String>) -> LiteMap<char, Vec<String>> {
    let mut all: LiteMap<char, Vec<String>> = LiteMap::new();
    for word in words {
        let mut chars = word.chars();
        if let Some(first) = chars.next() {
            all.entry(first).or_default().push(chars.as_str().to_owned());
        }
    }
    all
}

/// What words are of.
#[derive(Clone, Copy)]
enum Sort {
    /// Names of tags, in any letter case; the tag goes on after them.
    Tag,
    /// JSON, with whitespace anywhere but in strings; the call begins with it.
    Signature { in_string: bool },
}

/// Compiles alternatives so that no two begin alike: as many threads live as there are words that fit.
fn any_word(code: &mut Code, mut words: Vec<String>, mut sort: Sort) {
    loop {
        let whole = words.iter().any(String::is_empty);
        let groups = by_first(words);
        match (sort, whole, groups.len()) {
            (Sort::Tag, true, 0) => {
                return code.push(Op::Ahead(Ahead::TagEnd, exit(Found::TagHeader)));
            }
            // A signature that is whole counts whatever follows.
            (Sort::Signature { .. }, true, _) => {
                return code.push(Op::Exit(exit(Found::Signature)));
            }
            (_, false, 1) => {}
            _ => {
                let own = whole.then(|| (None, vec![String::new()]));
                let others = groups.into_iter().map(|(c, rests)| (Some(c), rests));
                return code.fork(own.into_iter().chain(others), |code, (first, rests)| {
                    let sort = first.map_or(sort, |first| sort.next(code, first));
                    any_word(code, rests, sort);
                });
            }
        }
        let Some((first, rests)) = groups.into_iter().next() else { return };
        sort = sort.next(code, first);
        words = rests;
    }
}

impl Sort {
    /// Compiles one more character.
    fn next(self, code: &mut Code, c: char) -> Self {
        match self {
            Self::Tag => {
                code.push(Op::Fold(c));
                self
            }
            Self::Signature { in_string } => {
                if !in_string {
                    code.space();
                }
                code.push(Op::Char(c));
                Self::Signature { in_string: in_string ^ (c == '"') }
            }
        }
    }
}

impl Blocks {
    fn new(classes: &Classes) -> Result<Self, SetError> {
        let classes = classes.iter().map(|class| Ok(Arc::new(BlockClass::new(class)?)));
        Ok(Self {
            classes: classes.collect::<Result<_, SetError>>()?,
            argument: Ends::argument()?,
            sentinel: Ends::new(MarkerSet::new([SENTINEL_END])?, Grammar::Literal),
        })
    }

    /// The class of a tool name, in any letter case.
    pub(crate) fn class_of_tool(&self, name: &str) -> Option<&Arc<BlockClass>> {
        self.classes.iter().find(|compiled| compiled.class.is_called(name))
    }

    /// The class written as that tag.
    pub(crate) fn class_of_tag(&self, tag: &str) -> Option<&Arc<BlockClass>> {
        self.classes.iter().find(|compiled| compiled.tag_ends(tag).is_some())
    }
}

impl BlockClass {
    fn new(class: &ContentClass) -> Result<Self, SetError> {
        let tags = class.tags.iter().map(|tag| Ok((tag.clone(), Ends::tag(tag)?)));
        let marked = class.markers.as_ref().map(|(start, end)| Ends::marked(start, end));
        Ok(Self {
            class: Arc::new(class.clone()),
            tags: tags.collect::<Result<_, SetError>>()?,
            marked: marked.transpose()?,
        })
    }

    /// What ends the content of that tag.
    pub(crate) fn tag_ends(&self, tag: &str) -> Option<&Arc<Ends>> {
        self.tags.iter().find(|(own, _)| own.eq_ignore_ascii_case(tag)).map(|(_, ends)| ends)
    }
}

impl Ends {
    fn new(set: MarkerSet, grammar: Grammar) -> Arc<Self> {
        Arc::new(Self { set, grammar })
    }

    /// Content up to the closing tag of that name.
    fn tag(name: &str) -> Result<Arc<Self>, SetError> {
        Ok(Self::new(closing(name, None)?, Grammar::Tag(format!("</{name}>"))))
    }

    /// The content of an argument.
    pub(crate) fn argument() -> Result<Arc<Self>, SetError> {
        Ok(Self::new(closing("arg", None)?, Grammar::Argument))
    }

    /// The content of an argument after a start marker.
    pub(crate) fn marked(start: &str, end: &str) -> Result<Arc<Self>, SetError> {
        let mut both = vec![start, end];
        both.dedup();
        let set = Box::new(MarkerSet::new(&both)?);
        let grammar = Grammar::Marked { start: start.to_owned(), end: end.to_owned(), set };
        Ok(Self::new(closing("arg", Some(end))?, grammar))
    }
}

/// The beginnings of the closing tag of that name, in any letter case, and a marker.
fn closing(name: &str, marker: Option<&str>) -> Result<MarkerSet, SetError> {
    let mut all = leads("</", &[name]);
    all.extend(marker.filter(|marker| !all.iter().any(|lead| lead == marker)).map(str::to_owned));
    MarkerSet::new(&all)
}
