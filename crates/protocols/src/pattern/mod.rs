//! Wire patterns: a format as the line that the model writes, with holes in it.
//!
//! A [`Pattern`] is a list of typed [`Part`]s. They are what readers, renderers and grammars are
//! compiled from; the notation is a spelling of them, read by [`parse`] and written by `Display`.
//!
//! ```
//! use toolweir_protocols::pattern::{Part, parse};
//!
//! let line = r"<tool_call>\n{call}\n</tool_call>";
//! let pattern = parse(line).unwrap();
//! assert_eq!(pattern.parts.len(), 5);
//! assert_eq!(pattern.parts[1], Part::Space("\n".into()));
//! assert_eq!(pattern.to_string(), line);
//! ```
//!
//! # Text
//!
//! Everything outside braces stands for itself. A run of whitespace (space, tab, line feed, carriage
//! return) is a part of its own, because readers treat it more freely than the text around it.
//!
//! | written | is |
//! | --- | --- |
//! | `{{` | a literal `{` |
//! | `}}` outside holes, `\}` everywhere | a literal `}`. Inside a hole every unescaped `}` closes a hole, so `}}` closes two |
//! | `\n` `\t` `\r` `\\` | line feed, tab, carriage return, backslash |
//! | `\{` | a literal `{`, printed as `{{` |
//! | `\|` | a literal `\|`, needed only in `{any:…}` and `{type:…}`, where two of them separate alternatives |
//! | `\:` | a literal `:`, needed only in the key of `{arg:KEY}` |
//!
//! # Holes
//!
//! | hole | part | stands for |
//! | --- | --- | --- |
//! | `{name}` | [`Part::Name`] | the name of the tool |
//! | `{name=WORD}` | [`Part::NameIs`] | no text; the tool is WORD |
//! | `{id}`, `{id:PATTERN}` | [`Part::Id`] | the call's id, of any shape or composed by a pattern |
//! | `{index}` | [`Part::Index`] | the ordinal of the call; its attribute may be missing |
//! | `{args}` | [`Args::Json`] | the arguments as a JSON object |
//! | `{args:PATTERN}` | [`Args::Pattern`] | the arguments, one repetition each; must hold `{key}` and `{value}` |
//! | `{args:python}` `{args:gemma D}` `{args:yaml}` `{args:elements}` | [`Args`] | the arguments in another syntax; D delimits Gemma's strings |
//! | `{key}` `{value}` `{value:trim}` `{value:nested}` `{type}` `{type:A\|\|B}` | [`Part::Key`] … | the members of one parameter, only inside `{args:…}` |
//! | `{arg:KEY}`, `{arg:KEY:PATTERN}` | [`Part::Arg`] | one argument as bare text; with a pattern, in which `{value}` is any text, all of it |
//! | `{arg}` | [`Part::Content`] | the content of the tool's content class |
//! | `{call}` `{calls}` `{call:JSON}` | [`Part::Call`] | a JSON object or list that holds the name too, see [`Template`] |
//! | `{text}` `{reasoning}` | [`Part::Text`] [`Part::Reasoning`] | visible text, reasoning |
//! | `{any:A\|\|B}` | [`Part::Any`] | one of two or more patterns; the first is written |
//! | `{opt:PATTERN}` | [`Part::Opt`] | the pattern or nothing |
//! | `{also:PATTERN}` | [`Part::Also`] | the pattern or nothing; read, never written |
//! | `{skip}` | [`Part::Skip`] | anything up to the next literal |
//! | `{!}` | [`Part::Commit`] | no text; from here on a mismatch is an error |
//! | `{at:line}` `{at:message}` | [`Part::At`] | no text; the start of a line, or of the message |
//! | `{*}` | [`Part::Calls`] | the calls of a turn, never inside another hole |
//! | `{tools:WORD}` | [`Part::Tools`] | the descriptions of the tools, in the layout WORD |
//! | `{content}` | [`Part::ResponseContent`] | the content of a tool's response |
//!
//! Whitespace between a hole and text is free to read. Between two holes, or a hole and a text that
//! begins with anything, it has to be there: it ends a name, an id, an index and a type, a line break
//! ends a key.
//!
//! # Attribute tags
//!
//! Text such as `<invoke name="{name}">` becomes one part, a [`Tag`], because attributes may be read
//! in any order. No notation asks for it: the shape decides. In EBNF, over text and holes:
//!
//! ```text
//! tag       = open , attribute , { attribute } , close ;
//! open      = "<" , [ dress ] , [ space ] , word ;      (* space only after a dress or "<" *)
//! dress     = ? text without whitespace, quotes, "=" and "<", whose last character is not of a word
//!               and where no ">" follows "/" or a character of a word ? ;
//! attribute = space , word , '="' , ( hole | ? text without '"' ? ) , '"' ;
//! hole      = ? {name}, {key}, {type}, {index} or {id}, in any of their spellings ? ;
//! close     = [ space ] , [ "<" , ? neither "/" nor a character of a word ? ] ,
//!             ? text without whitespace, quotes, "=", "<" and ">" ? , ">" ;
//! word      = ? letters, digits, "_", "-", "." and ":" ? ;
//! ```
//!
//! So `<｜DSML｜ invoke name="` opens with `<｜DSML｜ invoke`, `<|open|>call tool="` with `<|open|>call` and
//! ends with `<|sep|>`, and in `<a><b key="` only `<b` is of the tag. Attributes may all be fixed text. A
//! tag with anything else in it, as in `<{also:antml:}invoke name="{name}">`, stays separate parts.
//!
//! # Laws
//!
//! `parse(print(p)) == p` for every pattern that [`parse`] returns, and `print(parse(s)) == s` where
//! `s` spells text as printing does (raw line breaks and needless escapes are not kept). A pattern built
//! by hand has both if its parts went through [`Pattern::new`], each level by itself, and holes stand
//! only where [`parse`] allows them.
//!
//! [`parse`] refuses what is not in the notation, [`check`] what does not fit the role of the pattern in
//! a format. Absent on purpose: where a hole ends and whether a reader reads it, which only the compiler
//! of a format can tell; its refusals are [`PatternError`]s too. Of `{arg:KEY:PATTERN}`
//! whole lines are read: `{at:line}FIRST\n…{value}{at:line}LAST`. Not read so far: `{arg}`, lists under a key in templates, and calls in a message.

mod check;
mod error;
mod normal;
mod parse;
mod print;
mod tag;
mod template;

pub use check::{Role, check};
pub use error::{PatternError, PatternErrorKind};
pub use parse::parse;
pub(crate) use print::Wrong;
pub(crate) use tag::is_word;
pub use template::{Key, Node, Slots, Spacing, Template};

/// A wire pattern: text and holes, in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// The parts. Text is in normal form: no two literals and no two whitespace runs in a row.
    pub parts: Vec<Part>,
}

impl Pattern {
    /// The pattern with these parts in normal form: adjacent text joined, whitespace separated from
    /// it, attribute tags recognised. Patterns inside the parts are left as they are.
    #[must_use]
    pub fn new(parts: Vec<Part>) -> Self {
        Self { parts: normal::parts(&normal::items(parts)) }
    }

    /// True if there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Calls `visit` with every part, outer parts before the parts inside them.
    pub fn visit(&self, visit: &mut dyn FnMut(&Part)) {
        self.flat().for_each(visit);
    }

    /// Every part, outer parts before the parts inside them.
    pub(crate) fn flat(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().flat_map(Part::flat)
    }

    /// True if a part, here or inside a hole, satisfies `test`.
    pub fn any(&self, test: impl Fn(&Part) -> bool) -> bool {
        any(&self.parts, test)
    }

    /// The only tool that it is for, where it says so.
    pub(crate) fn tool(&self) -> Option<String> {
        let names = self.flat().filter_map(|part| match part {
            Part::NameIs(name) => Some(name.clone()),
            _ => None,
        });
        names.last()
    }
}

/// Whether one of these parts, or one inside them, satisfies `test`.
pub(crate) fn any(parts: &[Part], test: impl Fn(&Part) -> bool) -> bool {
    parts.iter().flat_map(Part::flat).any(test)
}

/// One of these: what is alone stands for itself.
pub(crate) fn one_of(mut ways: Vec<Vec<Part>>) -> Vec<Part> {
    match ways.len() {
        0 | 1 => ways.pop().unwrap_or_default(),
        _ => vec![Part::Any(ways.into_iter().map(Pattern::new).collect())],
    }
}

impl std::str::FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        parse(text)
    }
}

/// One part of a pattern: text, or a hole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Fixed text without whitespace.
    Literal(String),
    /// A run of whitespace, as it is written out.
    Space(String),
    /// `{name}`: the name of the tool.
    Name,
    /// `{name=WORD}`: the text does not say the name, it is this one.
    NameIs(String),
    /// `{id}` or `{id:PATTERN}`: the native id of the call.
    Id(Option<Pattern>),
    /// `{index}`: the ordinal of the call.
    Index,
    /// `{args}` and its other spellings: the arguments.
    Args(Args),
    /// `{key}`: the key of one argument.
    Key,
    /// `{value}`: the value of one argument.
    Value(ValueKind),
    /// `{type}`: a word that says how the value is meant; with two words, the first stands for text and
    /// the second for JSON.
    Type(Option<(String, String)>),
    /// `{arg:KEY}`: one argument, as text.
    Arg {
        /// The argument's key.
        key: String,
        /// The text of the value, literals included.
        pattern: Option<Pattern>,
    },
    /// `{arg}`: the content of the tool's class.
    Content,
    /// `{call}`: a JSON object, or a list of them, that names itself.
    Call(Template),
    /// `{text}`: visible text.
    Text,
    /// `{reasoning}`: reasoning.
    Reasoning,
    /// `{any:A||B}`: one of these; the first is written.
    Any(Vec<Pattern>),
    /// `{opt:PATTERN}`: there or not; written when its holes have something to say.
    Opt(Pattern),
    /// `{also:PATTERN}`: there or not; never written.
    Also(Pattern),
    /// `{skip}`: anything up to the next literal, as markup.
    Skip,
    /// `{!}`: what does not match from here on is an error, not text.
    Commit,
    /// `{at:line}`, `{at:message}`: what begins here.
    At(At),
    /// `{*}`: the calls of a turn.
    Calls,
    /// `{tools:WORD}`: the descriptions of the tools, in the layout of that name.
    Tools(String),
    /// `{content}`: the content of a tool's response.
    ResponseContent,
    /// An attribute tag.
    Tag(Tag),
}

/// The holes that are spelled in one way.
const FIXED: [(&str, Part); 21] = [
    ("{name}", Part::Name),
    ("{id}", Part::Id(None)),
    ("{index}", Part::Index),
    ("{args}", Part::Args(Args::Json)),
    ("{args:python}", Part::Args(Args::Python)),
    ("{args:yaml}", Part::Args(Args::Yaml)),
    ("{args:elements}", Part::Args(Args::Elements)),
    ("{key}", Part::Key),
    ("{value}", Part::Value(ValueKind::Verbatim)),
    ("{value:trim}", Part::Value(ValueKind::Trim)),
    ("{value:nested}", Part::Value(ValueKind::Nested)),
    ("{type}", Part::Type(None)),
    ("{arg}", Part::Content),
    ("{text}", Part::Text),
    ("{reasoning}", Part::Reasoning),
    ("{skip}", Part::Skip),
    ("{!}", Part::Commit),
    ("{at:line}", Part::At(At::Line)),
    ("{at:message}", Part::At(At::Message)),
    ("{*}", Part::Calls),
    ("{content}", Part::ResponseContent),
];

/// The names of all holes, some more than once.
fn hole_names() -> impl Iterator<Item = &'static str> {
    let fixed = FIXED.into_iter().map(|(spelling, _)| spelling);
    let others = ["{call}", "{calls}", "{any}", "{opt}", "{also}", "{tools}"];
    fixed.chain(others).filter_map(|hole| hole.strip_prefix('{')?.split([':', '}']).next())
}

impl Part {
    /// The part as messages call it: `{name}`, `{opt:…}`, `text`.
    #[must_use]
    pub fn label(&self) -> &'static str {
        if let Some((spelling, _)) = FIXED.iter().find(|(_, part)| part == self) {
            return spelling;
        }
        match self {
            Self::Literal(_) => "text",
            Self::Space(_) => "whitespace",
            Self::NameIs(_) => "{name=…}",
            Self::Id(_) => "{id:…}",
            Self::Args(_) => "{args:…}",
            Self::Type(_) => "{type:…}",
            Self::Arg { .. } => "{arg:…}",
            Self::Call(template) => template.label(),
            Self::Any(_) => "{any:…}",
            Self::Opt(_) => "{opt:…}",
            Self::Also(_) => "{also:…}",
            Self::Tools(_) => "{tools:…}",
            _ => "an attribute tag",
        }
    }

    /// Calls `visit` with this part, then with every part inside it.
    pub fn visit(&self, visit: &mut dyn FnMut(&Self)) {
        self.flat().into_iter().for_each(visit);
    }

    /// This part and every part inside it, outer parts before the parts inside them.
    pub(crate) fn flat(&self) -> Vec<&Self> {
        let inner = self.inner().into_iter().flatten();
        std::iter::once(self).chain(inner.flat_map(Self::flat)).collect()
    }

    /// The lists of parts directly inside it: each alternative, each hole of a tag.
    pub(crate) fn inner(&self) -> Vec<&[Self]> {
        match self {
            Self::Id(Some(p)) | Self::Opt(p) | Self::Also(p) => vec![&p.parts],
            Self::Arg { pattern: Some(p), .. } => vec![&p.parts],
            Self::Args(Args::Pattern(p)) => vec![&p.parts],
            Self::Any(alternatives) => alternatives.iter().map(|p| p.parts.as_slice()).collect(),
            Self::Tag(tag) => tag.holes().map(|(_, hole)| std::slice::from_ref(hole)).collect(),
            _ => Vec::new(),
        }
    }
}

/// How arguments are written. Complete: each is a reader of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Args {
    /// `{args}`: one JSON object.
    Json,
    /// `{args:PATTERN}`: the pattern once for each argument.
    Pattern(Box<Pattern>),
    /// `{args:python}`: keyword arguments of a Python call.
    Python,
    /// `{args:gemma D}`: Gemma's objects; the field is the delimiter of strings.
    Gemma(String),
    /// `{args:yaml}`: a YAML mapping.
    Yaml,
    /// `{args:elements}`: an XML element for each argument.
    Elements,
}

/// How a value is delimited. Complete: the notation has no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// `{value}`: the text as it stands.
    Verbatim,
    /// `{value:trim}`: without whitespace at its ends.
    Trim,
    /// `{value:nested}`: text, or the pattern of the arguments again.
    Nested,
}

/// What begins at a place. Complete: the notation has no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// `{at:line}`: a line.
    Line,
    /// `{at:message}`: the message.
    Message,
}

/// A tag with attributes: `<invoke name="{name}">`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its text before the attributes: `<invoke`, `<｜DSML｜ parameter`, `<|open|>call`.
    pub open: String,
    /// The attributes as written, at least one.
    pub attributes: Vec<Attribute>,
    /// Its text after the attributes: `>`, ` />`, `<|sep|>`.
    pub close: String,
}

impl Tag {
    /// The attributes that are holes: their keys and what stands in them.
    pub fn holes(&self) -> impl Iterator<Item = (&str, &Part)> {
        self.attributes.iter().filter_map(|attribute| match &attribute.value {
            AttributeValue::Hole(part) => Some((attribute.key.as_str(), &**part)),
            AttributeValue::Fixed(_) => None,
        })
    }
}

/// One attribute of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The whitespace before it, as written.
    pub space: String,
    /// Its key.
    pub key: String,
    /// Its value, between double quotes.
    pub value: AttributeValue,
}

/// The value of an attribute. Complete: text or one hole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    /// `name="{name}"`: `{name}`, `{key}`, `{type}`, `{index}` or `{id}`.
    Hole(Box<Part>),
    /// `type="object"`: that text.
    Fixed(String),
}
