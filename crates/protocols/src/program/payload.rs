//! What the payload readers are made from.

use std::sync::Arc;

use toolweir_markers::MarkerSet;
use toolweir_rjson::{Follow, PlainBytes};

use super::blocks::Blocks;
use super::code::{Ahead, Code, Exit, Found, Op};
use super::expect::CallShapes;
use super::forms::{Forms, Opener, Wanted};
use super::keys::Keys;
use super::lines::Lines;
use super::parts::{
    Cut, Trim, edges, ends_in_hole, first_token, has_special_token, literals, opening_tag, trim_of,
    value_lead,
};
use super::table::{Entries, Role, Table, leads};
use super::words::{Words, param_words};
use crate::error::SpecError;
use crate::pattern::{Part, Pattern, ValueKind};
use crate::policy::JsonReading;
use crate::spec::{Entities, FormatSpec};

/// What a payload reader is made from.
#[derive(Debug)]
pub(crate) enum PayloadProgram {
    Json(Arc<Json>),
    Params(Arc<Params>),
    Tagged(Arc<Tagged>),
    Expression(Expression),
    Raw(Arc<Raw>),
    Lines(Arc<Lines>),
    Block(Arc<Blocks>),
    Element {
        repair: bool,
    },
    #[cfg_attr(not(feature = "yaml"), allow(dead_code, reason = "such formats do not compile"))]
    Yaml,
}

/// The compiled reader of JSON calls.
#[derive(Debug)]
pub(crate) struct Json {
    pub(crate) keys: Keys,
    pub(crate) reading: JsonReading,
    /// What may stand after a payload.
    pub(crate) follow: Follow,
    /// What begins another call wherever it stands.
    pub(crate) markers: Arc<[String]>,
    pub(crate) call: CallShapes,
    /// Markers that may end a damaged payload.
    pub(crate) between: Arc<Table>,
    /// Those of them after which a name stands.
    pub(crate) named: Vec<String>,
    /// What a string holds that has neither a quote, nor an escape, nor a marker in it. None: a marker may
    /// begin with a sign of JSON.
    pub(crate) plain: Option<Box<PlainBytes>>,
}

/// The bytes that are text in a string and begin no marker. None: a marker may begin with a sign of JSON.
fn plain_bytes(between: &Table) -> Option<Box<PlainBytes>> {
    if between.markers().any(may_be_json) {
        return None;
    }
    let firsts = between.markers().filter_map(|marker| marker.as_bytes().first().copied());
    Some(Box::new(PlainBytes::except(firsts)))
}

/// Whether strict JSON may go on with a marker, or begin like it, outside of strings.
fn may_be_json(marker: &str) -> bool {
    const WHITESPACE: &str = " \t\r\n";
    let value = |text: &str, more: &str| {
        let mut literals = ["true", "false", "null"].iter();
        literals.any(|word| text.starts_with(word))
            || text.starts_with(|c: char| {
                c.is_ascii_digit() || more.contains(c) || WHITESPACE.contains(c)
            })
    };
    match marker.split_at_checked(1) {
        Some(("[", rest)) => rest.is_empty() || value(rest, "\"-{[]"),
        Some(("{", rest)) => rest.is_empty() || rest.starts_with(['"', '}', ' ', '\t', '\r', '\n']),
        _ => value(marker, "}],:\"-+."),
    }
}

/// The compiled reader of one argument as text.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) key: String,
    pub(crate) trim: Trim,
    /// Any marker of the format ends it.
    pub(crate) between: Arc<Table>,
}

/// The compiled reader of arguments that are an expression.
#[derive(Debug)]
pub(crate) struct Expression {
    /// What stands around strings in an object; none: keyword arguments of a Python call, up to its
    /// closing parenthesis.
    pub(crate) delimiter: Option<String>,
    /// What begins a call, where strings have a delimiter that nothing escapes.
    pub(crate) openers: Vec<String>,
    /// What may follow them.
    pub(crate) follow: Vec<String>,
    /// Calls are separated by commas.
    pub(crate) commas: bool,
    /// Several stand in one wrapper.
    pub(crate) listed: bool,
}

/// The compiled reader of parameters that a pattern describes.
#[derive(Debug)]
pub(crate) struct Params {
    /// The header of one parameter, from its opener up to its value.
    pub(crate) code: Code,
    /// Where the headers go on after each opener.
    pub(crate) openers: Vec<(String, usize)>,
    /// What a `{type}` says: text, and JSON; empty where any word but `string` is JSON.
    pub(crate) types: Option<(String, String)>,
    pub(crate) trim: Trim,
    /// The words of the tags of parameters: the format's own, and those that models write for it.
    pub(crate) words: Vec<String>,
    /// The tags of a parameter, where its key stands in both.
    pub(crate) tags: Option<KeyTags>,
    /// The opener of the next parameter ends an open value wherever it stands, not only where a line
    /// begins.
    pub(crate) next_anywhere: bool,
    /// A line break is written after a parameter.
    pub(crate) framed: bool,
    /// The tag that a parameter's header ends with, where `tags` is set up to its key; empty where it
    /// ends otherwise.
    pub(crate) lead: String,
    /// A value may hold elements of the same pattern.
    pub(crate) nested: bool,
    /// Where entities are decoded.
    pub(crate) entities: Entities,
    /// What ends a CDATA section in a value, or begins another one.
    pub(crate) cdata: Table,
    /// The closing delimiters of the call, by their order: the spellings of the first are its own.
    pub(crate) end_markers: Vec<Vec<String>>,
    /// The call stands in the tags of its tool. Only declared keys begin parameters, and in a value only
    /// its own closing tag counts.
    pub(crate) enclosed: bool,
    /// Keys whose values are the text of files: the call goes on after their closing tags.
    pub(crate) file_text: Vec<String>,
    /// Markers inside a value.
    pub(crate) value: Table,
    /// Markers between parameters.
    pub(crate) gap: Table,
    /// Markers of the format after a call.
    pub(crate) between: Arc<Table>,
}

/// What stands before and after the key in the two tags of an element.
#[derive(Clone, Debug)]
pub(crate) struct KeyTags {
    pub(crate) open: String,
    pub(crate) open_end: String,
    pub(crate) close: String,
    pub(crate) close_end: String,
}

impl KeyTags {
    /// Those of `<{key}>{value}</{key}>`.
    fn of(head: &[Part], tail: &[Part]) -> Option<Self> {
        let around = |parts: &[Part]| {
            let at = parts.iter().position(|part| *part == Part::Key)?;
            let (before, after) = parts.split_at_checked(at)?;
            let before = literals(before).pop()?;
            let after = literals(after.get(1..)?).into_iter().next()?;
            Some((before, after))
        };
        let ((open, open_end), (close, close_end)) = (around(head)?, around(tail)?);
        Some(Self { open, open_end, close, close_end })
    }
}

/// The compiled reader of tagged parameters.
#[derive(Debug)]
pub(crate) struct Tagged {
    pub(crate) words: Words,
    /// Markers inside the value of a parameter tag, and inside any other value.
    pub(crate) value: Table,
    pub(crate) loose: Table,
    /// Block markers.
    pub(crate) between: Arc<Table>,
    /// Each of them ends in `>`, so that none is whole where a tag goes on.
    pub(crate) tags_end_markers: bool,
}

impl PayloadProgram {
    /// The readers that the forms want, in their order.
    pub(super) fn compile(
        spec: &FormatSpec,
        forms: &mut Forms,
        between: &Arc<Table>,
    ) -> Result<Vec<Self>, SpecError> {
        let mut words = forms.words.take();
        let mut payloads = Vec::new();
        for wanted in &forms.wanted {
            payloads.push(match wanted {
                Wanted::Call | Wanted::Keyed | Wanted::Object => {
                    let mut keys = match wanted {
                        Wanted::Keyed => Keys::by_name(),
                        _ => forms.keys.clone(),
                    };
                    keys.alone = forms.unmarked;
                    keys.args_only = *wanted == Wanted::Object;
                    let between = Arc::clone(between);
                    let follow = match forms.separators.is_empty() {
                        true => Follow::Anything,
                        false => Follow::Objects,
                    };
                    let markers = forms.openers.iter().filter(|o| !o.at_line && !o.at_message);
                    let markers = markers.map(|opener| opener.text.clone()).collect();
                    let call = CallShapes::new(&keys, follow, &markers);
                    let (reading, named) = (spec.json, forms.named.clone());
                    let plain = plain_bytes(&between);
                    let json = Json { keys, reading, follow, markers, call, between, named, plain };
                    Self::Json(Arc::new(json))
                }
                Wanted::Params(pattern, end_markers) => {
                    let end_markers = Some(end_markers.as_slice());
                    Self::Params(Arc::new(Params::new(spec, pattern, end_markers, between)?))
                }
                Wanted::Enclosed(pattern) => {
                    Self::Params(Arc::new(Params::new(spec, pattern, None, between)?))
                }
                Wanted::Free => {
                    let words = words.take().unwrap_or_default();
                    Self::Tagged(Arc::new(Tagged::new(&spec.name, words, between)?))
                }
                Wanted::Python => Self::Expression(Expression::new(spec, forms, None)),
                Wanted::Gemma(delimiter) => {
                    Self::Expression(Expression::new(spec, forms, Some(delimiter.clone())))
                }
                Wanted::Elements => Self::Element { repair: spec.repair },
                #[cfg(feature = "yaml")]
                Wanted::Yaml => Self::Yaml,
                #[cfg(not(feature = "yaml"))]
                Wanted::Yaml => {
                    return Err(SpecError::Feature { format: spec.name.clone(), feature: "yaml" });
                }
                Wanted::Raw(key, trim) => {
                    let between = Arc::clone(between);
                    Self::Raw(Arc::new(Raw { key: key.clone(), trim: *trim, between }))
                }
                Wanted::Lines(lines) => Self::Lines(Arc::new(lines.clone())),
            });
        }
        Ok(payloads)
    }

    /// The bytes of plain text in its strings, and the markers that begin with others.
    #[inline]
    pub(crate) fn plain_text(&self) -> Option<(&PlainBytes, &MarkerSet)> {
        match self {
            Self::Json(json) => json.plain.as_deref().map(|plain| (plain, &json.between.set)),
            _ => None,
        }
    }

    /// The spellings of the closing delimiter of a call that its reader looks for.
    pub(crate) fn own_end_markers(&self) -> &[String] {
        match self {
            Self::Params(params) => params.end_markers.first().map_or(&[], Vec::as_slice),
            _ => &[],
        }
    }

    /// Whether a call that it reads has ended with its payload: no marker follows.
    pub(crate) fn ends_itself(&self) -> bool {
        matches!(self, Self::Element { .. } | Self::Yaml | Self::Block(_))
    }

    /// Whether its reader opens and ends the segment: when it begins depends on what is read, and it may make
    /// several calls or none.
    pub(crate) fn owns_segment(&self) -> bool {
        matches!(self, Self::Block(_))
    }

    /// Whether the closing delimiter of a call is its own.
    pub(crate) fn closes_itself(&self) -> bool {
        match self {
            Self::Expression(expression) => expression.delimiter.is_none(),
            payload => matches!(payload, Self::Params(_)),
        }
    }

    /// Whether its reader takes the closing delimiter of the call.
    pub(crate) fn reads_end_marker(&self) -> bool {
        matches!(self, Self::Params(_))
    }

    /// Whether brackets too many may stand between it and the end marker.
    pub(crate) fn forgives_brackets(&self) -> bool {
        matches!(self, Self::Json(_) | Self::Expression(_))
    }

    /// What stands after the opener of a parameter with a word of its own: empty where the text does not begin
    /// with one; `None`: not known yet.
    pub(crate) fn after_param_opener<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Params(params) if params.tags.is_none() => {
                let mut openers = params.openers.iter().map(|(opener, _)| opener.trim());
                if openers.clone().any(|opener| opener.starts_with(text)) {
                    return None;
                }
                Some(openers.find_map(|opener| text.strip_prefix(opener)).unwrap_or_default())
            }
            Self::Tagged(tagged) => tagged.words.after_param(text),
            Self::Element { .. } if text.starts_with('<') => {
                text.get(1..).filter(|tag| !tag.is_empty())
            }
            Self::Yaml => {
                match text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_') {
                    "" => None,
                    rest => Some(if rest.starts_with(':') { text } else { "" }),
                }
            }
            _ => Some(""),
        }
    }

    /// Whether what follows its last bracket or tag is examined for showing that this came too early. Not in
    /// relaxed JSON, whose calls are acted on at once. `empty`: its tag closed itself.
    pub(crate) fn may_end_early(&self, empty: bool) -> bool {
        match self {
            Self::Element { .. } | Self::Yaml => empty,
            Self::Json(json) => json.reading == JsonReading::Repair,
            Self::Expression(expression) => expression.delimiter.is_some(),
            payload => matches!(payload, Self::Params(_) | Self::Tagged(_)),
        }
    }

    /// Whether its end is known from its own structure: what follows may be forgiven.
    pub(crate) fn is_json(&self) -> bool {
        matches!(self, Self::Json(_))
    }
}

impl Expression {
    fn new(spec: &FormatSpec, forms: &Forms, delimiter: Option<String>) -> Self {
        let commas = forms.separators.contains(&',');
        let end_markers = forms.end_markers.iter().map(|end_marker| end_marker.text.clone());
        let mut follow: Vec<String> = end_markers.collect();
        // Another call, alone or as this format writes it after one; a bracket may be a value's.
        let marks = |opener: &&Opener| opener.text.contains(char::is_alphanumeric);
        let openers = forms.openers.iter().filter(marks).map(|opener| opener.text.clone());
        let mut openers: Vec<String> = openers.collect();
        for opener in &openers {
            follow.extend([opener.clone(), format!("{}{opener}", spec.between)]);
        }
        for text in &mut follow {
            text.retain(|c| !c.is_whitespace());
        }
        follow.retain(|text| !text.is_empty());
        openers.retain(|_| delimiter.is_some());
        let listed = commas || forms.bare_calls;
        Self { delimiter, openers, follow, commas, listed }
    }
}

/// The header of a value in tags of its own after its key: up to those, and from the opening one on.
fn without_value_tag<'p>(head: &'p [Part], lead: &str) -> (&'p [Part], &'p [Part]) {
    let is_tag = |part: &Part| matches!(part, Part::Literal(tag) if tag == lead);
    let key = head.split_last().filter(|(last, _)| is_tag(last)).map_or(&[][..], |(_, key)| key);
    match head.split_at_checked(without_edge(key)) {
        Some((key, tag)) if !key.is_empty() && !ends_in_hole(key) => (key, tag),
        _ => (head, &[]),
    }
}

/// How many parts there are before the whitespace and alternatives at the end.
fn without_edge(parts: &[Part]) -> usize {
    let is_edge = |part: &Part| matches!(part, Part::Space(_) | Part::Also(_));
    parts.iter().rposition(|part| !is_edge(part)).map_or(0, |at| at + 1)
}

impl Params {
    /// What the exit of a header names where the opening tag of the value is missing.
    pub(crate) const UNOPENED: usize = 1;

    fn new(
        spec: &FormatSpec,
        pattern: &Pattern,
        end_markers: Option<&[Vec<String>]>,
        between: &Arc<Table>,
    ) -> Result<Self, SpecError> {
        let (enclosed, end_markers) = (end_markers.is_none(), end_markers.unwrap_or_default());
        let own = end_markers.first().map_or(&[][..], Vec::as_slice);
        let unfit =
            || SpecError::NoPayload { format: spec.name.clone(), pattern: pattern.to_string() };
        let at = pattern.parts.iter().position(|part| matches!(part, Part::Value(_)));
        let at = at.ok_or_else(unfit)?;
        let (head, tail) = pattern.parts.split_at_checked(at).ok_or_else(unfit)?;
        let mut code = Code::new(&spec.whitespace);
        let head_code = head.get(..without_edge(head)).unwrap_or(head);
        let exit = Exit { form: 0, found: Found::Payload, section: false };
        let tags = KeyTags::of(head, tail);
        let lead = match &tags {
            Some(tags) => opening_tag(&tags.open),
            None => value_lead(head),
        };
        let (key, value_tag) = match tags {
            Some(_) => (head_code, &[][..]),
            None => without_value_tag(head_code, lead),
        };
        code.parts(key);
        if !value_tag.is_empty() {
            // The value may lack its opening tag.
            code.fork([true, false], |code, tag| {
                if tag {
                    code.parts(value_tag);
                    code.push(Op::Exit(exit));
                } else {
                    code.optional(|code| code.literal("\n"));
                    code.push(Op::Ahead(Ahead::Text, Exit { form: Self::UNOPENED, ..exit }));
                }
            });
        }
        // What ends a hole is there; else it is the value's own edge.
        let mut trim = trim_of(pattern);
        match edges(head, &[]).first {
            Cut::LineBreak if ends_in_hole(head_code) => {
                code.line_break(exit);
                trim.first = Cut::Nothing;
            }
            Cut::Whitespace if ends_in_hole(head_code) => {
                code.space();
                code.push(Op::Exit(exit));
            }
            _ => code.push(Op::Exit(exit)),
        }
        let openers: Vec<(String, usize)> =
            code.entries(0).into_iter().map(|entry| (entry.opener, entry.at)).collect();
        let ends: Vec<String> =
            literals(tail.get(1..).unwrap_or_default()).into_iter().take(1).collect();
        if ends.is_empty() || openers.iter().any(|(opener, _)| opener.is_empty()) {
            return Err(unfit());
        }
        let types = head.iter().find_map(|part| match part {
            Part::Type(types) => Some(types.clone()),
            Part::Tag(tag) => tag.holes().find_map(|(_, part)| match part {
                Part::Type(types) => Some(types.clone()),
                _ => None,
            }),
            _ => None,
        });
        let next_anywhere = openers.iter().any(|(opener, _)| has_special_token(opener));
        let framed = matches!(tail.last(), Some(Part::Space(text)) if text.contains('\n'));
        let mut entries = Entries::new();
        entries.extend(ends.iter().map(|end| (end.clone(), Role::Close)));
        let own_tag = ends.first().filter(|_| tags.is_none()).map_or("", String::as_str);
        let lead = lead.to_owned();
        for (opener, _) in openers.iter().filter(|_| !enclosed) {
            if framed || !next_anywhere {
                entries.push((format!("\n{opener}"), Role::TagLead));
            }
            // Where the key is the tag's own word, any tag would begin like it.
            if next_anywhere || tags.is_none() {
                entries.push((opener.clone(), Role::TagLead));
            }
        }
        // A token that no text holds, without the rest of the closing delimiter.
        let token = ends.first().filter(|_| tags.is_none()).and_then(|end| first_token(end));
        entries.extend(token.map(|token| (token.to_owned(), Role::Stray)));
        let cut = ends.first().filter(|_| tags.is_none()).and_then(|end| end.strip_suffix('>'));
        entries.extend(cut.map(|cut| (cut.to_owned(), Role::CutClose)));
        // What closes something else of a call, where the closing delimiter of the value is due.
        let mut others = literals(head_code);
        others.retain(|text| text.starts_with("</"));
        others.extend(between.end_markers().map(str::to_owned));
        for other in others {
            if tags.is_none() && !own.contains(&other) {
                entries.push((other, Role::CutClose));
            }
        }
        let calls = between.openers().filter(|_| !enclosed);
        entries.extend(calls.map(|opener| (opener.to_owned(), Role::CallOpen)));
        for end_marker in own {
            entries.push((end_marker.clone(), Role::BlockClose));
            // The line break after a closing delimiter that is missing is none of the value.
            if framed && trim.last == Cut::Nothing {
                entries.push((format!("\n{end_marker}"), Role::BlockClose));
            }
        }
        if spec.entities == Entities::Text {
            entries.push(("<![CDATA[".to_owned(), Role::Data));
        }
        let open = |(opener, (text, _)): (usize, &(String, usize))| {
            (text.clone(), Role::Open { framing: 0, opener })
        };
        let mut gap: Entries = openers.iter().enumerate().map(open).collect();
        gap.extend(own.iter().map(|end_marker| (end_marker.clone(), Role::CloseInner)));
        gap.extend(spec.whitespace.iter().map(|text| (text.clone(), Role::Stray)));
        // A token that a parameter begins with as well shows nothing.
        let shared = |marker: &str| openers.iter().any(|(opener, _)| opener.starts_with(marker));
        let others = between.markers().filter(|marker| !enclosed && !shared(marker));
        gap.extend(others.map(|marker| (marker.to_owned(), Role::BlockClose)));
        Ok(Self {
            code,
            openers,
            types: types.flatten(),
            trim,
            words: param_words(own_tag),
            tags,
            lead,
            next_anywhere,
            framed,
            enclosed,
            file_text: spec.file_text.clone(),
            entities: spec.entities,
            cdata: Table::build(
                &spec.name,
                vec![("]]>".to_owned(), Role::Close), ("<![CDATA[".to_owned(), Role::Data)],
            )?,
            nested: tail.first() == Some(&Part::Value(ValueKind::Nested)),
            end_markers: end_markers.to_vec(),
            value: Table::build(&spec.name, entries)?,
            gap: Table::build(&spec.name, gap)?,
            between: Arc::clone(between),
        })
    }
}

impl Tagged {
    fn new(format: &str, words: Words, between: &Arc<Table>) -> Result<Self, SpecError> {
        let params: Vec<&str> = words.param.iter().map(String::as_str).collect();
        let outer: Vec<&str> = words.wrap.iter().chain(&words.call).map(String::as_str).collect();
        let closing: Vec<&str> = params.iter().chain(&outer).copied().collect();
        let mut value = [leads("<", &outer), leads("</", &closing)].concat();
        value.extend(["</ ", "< /"].map(str::to_owned));
        value.extend([leads("<", &params), leads("\n<", &params)].concat());
        let value = value.into_iter().map(|lead| (lead, Role::TagLead)).collect();
        Ok(Self {
            value: Table::build(format, value)?,
            loose: Table::build(format, vec![("<".to_owned(), Role::TagLead)])?,
            between: Arc::clone(between),
            tags_end_markers: between.markers().all(|marker| marker.ends_with('>')),
            words,
        })
    }
}
