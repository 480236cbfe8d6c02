//! One call, or a list of calls, by one pattern.

use super::args::{elements, gemma, is_element, python, yaml};
use super::id::{composed, is_plain};
use super::params::Param;
use super::raw::Place;
use super::raw::escaped;
use super::stops::{Run, runs};
use super::{Format, Prepared, Written};
use crate::error::FormatError;
use crate::pattern::{Args, At, AttributeValue, Part, Pattern, Slots, Tag, Template, any};
use crate::spec::Entities;

/// Writes the parts of a pattern in order.
pub(super) struct CallWriter<'a> {
    pub(super) format: &'a Format,
    /// The calls that one list holds; else the one call.
    calls: &'a [Prepared<'a>],
    pub(super) call: &'a Prepared<'a>,
    pub(super) out: String,
    /// The arguments with a place of their own.
    pub(super) placed: Vec<&'a str>,
    /// The hole for all arguments was written.
    all: bool,
    /// Whitespace that stands next goes with arguments that are not there.
    skip_space: bool,
    /// Elements or YAML: the name is that of an element.
    element: bool,
    pub(super) param: Option<Param<'a>>,
}

/// What follows a pattern inside a hole, outwards.
#[derive(Clone, Copy)]
pub(crate) struct After<'p> {
    pub(crate) parts: &'p [Part],
    pub(crate) outer: Option<&'p After<'p>>,
}

impl After<'_> {
    /// The markers further out, for a tool of that name.
    pub(crate) fn outer_runs(&self, name: &str) -> Vec<Run> {
        let mut all = Vec::new();
        let mut next = self.outer;
        while let Some(level) = next {
            let own = runs(level.parts, Some(name), None);
            all.extend(own.into_iter().filter(Run::is_telling));
            next = level.outer;
        }
        all
    }
}

impl<'a> CallWriter<'a> {
    /// The text of these calls.
    pub(super) fn write(
        format: &'a Format,
        parts: &'a [Part],
        calls: &'a [Prepared<'a>],
    ) -> Result<String, FormatError> {
        let Some(call) = calls.first() else { return Ok(String::new()) };
        let element = any(parts, |part| matches!(part, Part::Args(Args::Elements | Args::Yaml)));
        let mut writer = Self {
            format,
            calls,
            call,
            out: String::new(),
            placed: Vec::new(),
            all: false,
            skip_space: false,
            element,
            param: None,
        };
        writer.parts(parts, None)?;
        writer.refuse_left_over()?;
        Ok(writer.out)
    }

    /// Arguments that no hole has written.
    fn refuse_left_over(&self) -> Written {
        let mut keys = self.calls.iter().flat_map(|call| call.args.keys());
        let left = keys.find(|key| !self.all && !self.placed.contains(key));
        left.map_or(Ok(()), |key| {
            let (format, key) = (self.format.name.clone(), key.to_owned());
            Err(FormatError::Argument { format, key })
        })
    }

    pub(super) fn parts(&mut self, parts: &'a [Part], outer: Option<&After<'_>>) -> Written {
        for (at, part) in parts.iter().enumerate() {
            let before = parts.get(..at).unwrap_or_default();
            let after = After { parts: parts.get(at + 1..).unwrap_or_default(), outer };
            self.part(part, &Place { before, after })?;
        }
        Ok(())
    }

    fn part(&mut self, part: &'a Part, place: &Place<'_>) -> Written {
        let skip_space = std::mem::take(&mut self.skip_space);
        match part {
            Part::Space(_) if skip_space => {}
            Part::Literal(text) | Part::Space(text) => self.out.push_str(text),
            Part::Name => {
                self.check_name()?;
                self.out.push_str(&self.call.call.name);
            }
            Part::Id(None) => {
                let id = self.plain_id().ok_or_else(|| self.format.bad_id(self.name()))?;
                self.out.push_str(id);
            }
            Part::Id(Some(pattern)) => {
                let id = self.call.call.native_id.as_deref();
                match id.filter(|id| composed(&pattern.parts, id, self.name())) {
                    Some(id) => {
                        self.check_name()?;
                        self.out.push_str(id);
                    }
                    None => self.parts(&pattern.parts, Some(&place.after))?,
                }
            }
            Part::Index => self.out.push_str(&self.call.index.to_string()),
            Part::Args(args) => {
                self.all = true;
                self.args(args, place)?;
            }
            Part::Key => self.key(place)?,
            Part::Value(kind) => self.value(*kind, place)?,
            Part::Type(words) => {
                let word = self.type_word(words.as_ref());
                self.out.push_str(word);
            }
            Part::Arg { key, pattern } => self.arg(key, pattern.as_ref(), place)?,
            Part::Content => self.content(place)?,
            Part::Call(template) => self.template(template)?,
            Part::Any(patterns) => {
                if let Some(pattern) = patterns.first() {
                    self.parts(&pattern.parts, Some(&place.after))?;
                }
            }
            Part::Opt(pattern) if self.says(pattern) => {
                self.parts(&pattern.parts, Some(&place.after))?;
            }
            Part::At(At::Line) => self.line_start()?,
            Part::Tag(tag) => self.tag(tag)?,
            _ => {}
        }
        Ok(())
    }

    pub(super) fn name(&self) -> &'a str {
        &self.call.call.name
    }

    fn args(&mut self, args: &'a Args, place: &Place<'_>) -> Written {
        let written = match args {
            Args::Json => self.call.json.to_owned(),
            Args::Pattern(pattern) => {
                // Nothing but a parameter shows that such a call is one.
                let ends = |part: &Part| !matches!(part, Part::Space(_) | Part::Also(_));
                let open_ended = !place.after.parts.iter().any(ends);
                let spaced = matches!(place.before.last(), Some(Part::Space(_)));
                if open_ended && spaced && self.call.args.is_empty() {
                    return Err(self.format.no_arguments(self.call.call));
                }
                return self.params(pattern, &place.after);
            }
            Args::Python => python(self.format, &self.call.args)?,
            Args::Gemma(delimiter) => gemma(self.format, delimiter, &self.call.args)?,
            Args::Yaml => yaml(self.format, &self.call.args),
            Args::Elements => elements(self.format, &self.call.args)?,
        };
        if written.is_empty() && matches!(args, Args::Yaml | Args::Elements) {
            self.skip_space = true;
            // An element without any is empty.
            if let (Args::Elements, Some(Part::Space(space))) = (args, place.before.last()) {
                self.out.truncate(self.out.len().saturating_sub(space.len()));
            }
        }
        self.out.push_str(&written);
        Ok(())
    }

    /// JSON that names itself: any name can stand in it.
    fn template(&mut self, template: &Template) -> Written {
        let nameless = self.calls.iter().find(|call| call.call.name.is_empty());
        if let Some(call) = nameless.filter(|_| template.has_name()) {
            return Err(self.format.bad_name(call.call));
        }
        self.all |= template.has_args();
        let slots: Vec<Slots<'_>> = self.calls.iter().map(Prepared::slots).collect();
        self.out.push_str(&template.render_all(&slots));
        Ok(())
    }

    /// Attributes in double quotes.
    fn tag(&mut self, tag: &'a Tag) -> Written {
        self.out.push_str(&tag.open);
        for attribute in &tag.attributes {
            self.out.extend([&attribute.space, &attribute.key, "=\""]);
            match &attribute.value {
                AttributeValue::Fixed(text) => self.out.push_str(text),
                AttributeValue::Hole(hole) => self.attribute(hole)?,
            }
            self.out.push('"');
        }
        self.out.push_str(&tag.close);
        Ok(())
    }

    fn attribute(&mut self, hole: &'a Part) -> Written {
        let start = self.out.len();
        match hole {
            // What shows the number of a call counts from one, what makes an id of it from zero.
            Part::Index => {
                self.out.push_str(&self.call.index.saturating_add(1).to_string());
            }
            Part::Key => self.out.push_str(self.param_key()),
            hole => {
                let after = After { parts: &[], outer: None };
                self.part(hole, &Place { before: &[], after })?;
            }
        }
        let written = self.out.split_off(start);
        let spelled = match self.format.entities {
            Entities::Verbatim => written,
            _ => escaped(&written),
        };
        if is_attribute(&spelled, self.format.entities) {
            self.out.push_str(&spelled);
            return Ok(());
        }
        Err(match hole {
            Part::Key => {
                self.format.bad_value(self.param_key(), "a key that is no attribute value")
            }
            Part::Id(_) => self.format.bad_id(self.name()),
            _ => self.format.bad_name(self.call.call),
        })
    }

    /// Whether a group has something to say: none of its holes is silent.
    fn says(&self, pattern: &Pattern) -> bool {
        pattern.parts.iter().all(|part| match part {
            Part::Id(None) => self.plain_id().is_some(),
            Part::Arg { key, .. } => self.call.args.contains_key(key),
            Part::Content => !self.call.args.is_empty(),
            Part::Skip => false,
            Part::Any(patterns) => patterns.first().is_none_or(|pattern| self.says(pattern)),
            Part::Tag(tag) => tag
                .holes()
                .all(|(_, hole)| !matches!(hole, Part::Id(None)) || self.plain_id().is_some()),
            _ => true,
        })
    }

    /// The id, if it can stand where only what follows ends it.
    fn plain_id(&self) -> Option<&'a str> {
        self.call.call.native_id.as_deref().filter(|id| is_plain(id))
    }

    fn check_name(&self) -> Written {
        match carries_name(self.name(), self.element, self.format.any_case) {
            true => Ok(()),
            false => Err(self.format.bad_name(self.call.call)),
        }
    }

    /// A line must begin here: a reader looks for what follows nowhere else.
    fn line_start(&self) -> Written {
        match self.placed.last() {
            Some(key) if !self.out.is_empty() && !self.out.ends_with('\n') => {
                Err(self.format.bad_value(key, "no line break at its end"))
            }
            _ => Ok(()),
        }
    }
}

impl Prepared<'_> {
    fn slots(&self) -> Slots<'_> {
        let id = self.call.native_id.as_deref();
        Slots { name: &self.call.name, args: self.json, id, text: None }
    }
}

/// Whether a name can stand where a pattern has it. `element`: as that of an element; `free`: in tags that
/// are read freely, which take any name that a tag can hold.
pub(crate) fn carries_name(name: &str, element: bool, free: bool) -> bool {
    match (element, free) {
        (true, _) => is_element(name),
        (false, true) => is_tag_name(name),
        (false, false) => is_name(name),
    }
}

/// Whether a name can stand in text: it has no whitespace, bracket or quote, and does not begin as three dots do.
fn is_name(name: &str) -> bool {
    is_tag_name(name) && !name.starts_with(['.', '…']) && name.chars().all(is_name_char)
}

/// Whether a name survives inside a tag such as `<word=NAME>` unchanged.
pub(crate) fn is_tag_name(name: &str) -> bool {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '<' | '>' | '"' | '\'');
    // One that ends in a slash would read as a tag that closes itself.
    !name.is_empty() && !name.ends_with('/') && name.chars().all(plain)
}

/// Whether a character can be of a name that what follows it ends.
pub(crate) fn is_name_char(c: char) -> bool {
    let sign = matches!(c, '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '`');
    !sign && !c.is_whitespace() && !c.is_control()
}

/// Whether a text, its entities spelled, can stand between double quotes in a tag.
pub(crate) fn is_attribute(text: &str, entities: Entities) -> bool {
    let entity = |c: char| c == '&' && entities == Entities::Verbatim;
    let plain = |c: char| !c.is_control() && !matches!(c, '"' | '<' | '>') && !entity(c);
    !text.is_empty() && text.trim() == text && text.chars().all(plain)
}
