//! The tables of a spec file, one reader each.

use super::table::{Table, choice};
use crate::error::SpecFileError;
use crate::spec::{
    BareArgs, FormatSpec, Framing, Header, JSON_KEYS, JsonKeys, JsonReading, Lead, Payload, Render,
    ResponseBody, Tags, ToolsBlock, Trim, Wrap,
};

const WRAP: &[&str] = &["open", "close"];
const HEADER: &[&str] = &["tag", "declared_tag", "line"];
const TAGS: &[&str] = &["calls", "params"];
const FRAMING: &[&str] = &["first", "next"];
const RENDER: &[&str] = &[
    "tools",
    "before_tools",
    "behind_tools",
    "inner",
    "spaced",
    "before_response",
    "behind_response",
    "response",
];

/// Markers of a section or a call.
#[derive(Default)]
pub(super) struct Markers<'v> {
    open: Vec<&'v str>,
    close: Vec<&'v str>,
}

impl<'v> Markers<'v> {
    pub(super) fn read(root: &Table<'v>, key: &str) -> Result<Self, SpecFileError> {
        let Some(table) = root.table(key, WRAP)? else { return Ok(Self::default()) };
        Ok(Self {
            open: table.texts("open")?.unwrap_or_default(),
            close: table.texts("close")?.unwrap_or_default(),
        })
    }

    pub(super) fn wrap(&self) -> Wrap<'_> {
        Wrap { open: &self.open, close: &self.close }
    }
}

/// Where the name stands: `tag = "WORD"`, or `declared_tag = true`, which `line` goes with.
pub(super) fn header<'v>(root: &Table<'v>) -> Result<Header<'v>, SpecFileError> {
    let Some(table) = root.table("header", HEADER)? else { return Ok(FormatSpec::DEFAULT.header) };
    if table.flag("declared_tag")? == Some(true) {
        return match table.text("tag")? {
            Some(_) => Err(table.unfit("tag", "absent where `declared_tag` is true")),
            None => Ok(Header::DeclaredTag { line: table.flag("line")?.unwrap_or_default() }),
        };
    }
    match table.flag("line")? {
        Some(_) => Err(table.unfit("line", "absent unless `declared_tag` is true")),
        None => Ok(Header::Tag { word: table.required("tag")? }),
    }
}

/// More words of tags; with the table, tags are read freely.
pub(super) struct TagWords<'v>(Option<[Vec<&'v str>; 2]>);

impl<'v> TagWords<'v> {
    pub(super) fn read(root: &Table<'v>) -> Result<Self, SpecFileError> {
        let Some(table) = root.table("tags", TAGS)? else { return Ok(Self(None)) };
        let [calls, params] = [table.texts("calls")?, table.texts("params")?];
        Ok(Self(Some([calls.unwrap_or_default(), params.unwrap_or_default()])))
    }

    pub(super) fn lend(&self) -> Tags<'_> {
        match &self.0 {
            Some([calls, params]) => Tags::Free { calls, params },
            None => FormatSpec::DEFAULT.tags,
        }
    }
}

/// The keys of JSON calls; `None`: the usual ones.
#[derive(Default)]
pub(super) struct Keys<'v> {
    name: Option<Vec<&'v str>>,
    args: Option<Vec<&'v str>>,
    id: Option<Vec<&'v str>>,
    wrappers: Option<Vec<&'v str>>,
    text: Option<Vec<&'v str>>,
    lead: Option<Lead>,
}

impl<'v> Keys<'v> {
    const NAMES: &'static [&'static str] = &["name", "args", "id", "wrappers", "text", "lead"];

    fn read(table: &Table<'v>) -> Result<Self, SpecFileError> {
        Ok(Self {
            name: table.texts("name")?,
            args: table.texts("args")?,
            id: table.texts("id")?,
            wrappers: table.texts("wrappers")?,
            text: table.texts("text")?,
            lead: choice(table, "lead", &[("known", Lead::Known), ("any", Lead::Any)])?,
        })
    }

    fn lend(&self) -> JsonKeys<'_> {
        JsonKeys {
            name: self.name.as_deref().unwrap_or(JSON_KEYS.name),
            args: self.args.as_deref().unwrap_or(JSON_KEYS.args),
            id: self.id.as_deref().unwrap_or(JSON_KEYS.id),
            wrappers: self.wrappers.as_deref().unwrap_or(JSON_KEYS.wrappers),
            text: self.text.as_deref().unwrap_or(JSON_KEYS.text),
            lead: self.lead.unwrap_or_default(),
        }
    }
}

#[derive(Clone, Copy)]
enum Reader {
    Json,
    TaggedParams,
    Element,
    Yaml,
}

const READERS: &[(&str, Reader)] = &[
    ("json", Reader::Json),
    ("tagged-params", Reader::TaggedParams),
    ("element", Reader::Element),
    ("yaml", Reader::Yaml),
];
const READINGS: &[(&str, JsonReading)] = &[
    ("relaxed", JsonReading::Relaxed),
    ("repair", JsonReading::Repair),
    ("repair-drop-escapes", JsonReading::RepairDropEscapes),
];
const BARE_ARGS: &[(&str, BareArgs)] = &[("refuse", BareArgs::Refuse), ("keep", BareArgs::Keep)];
const TRIMS: &[(&str, Trim)] = &[("none", Trim::None), ("newline", Trim::OneNewline)];

/// The payload, its lists owned.
pub(super) enum PayloadParts<'v> {
    Json { keys: Keys<'v>, list: bool, reading: JsonReading, bare_args: BareArgs },
    TaggedParams { word: &'v str, trim: Trim },
    Element { repair: bool },
    Yaml { foreign: Keys<'v> },
}

impl<'v> PayloadParts<'v> {
    pub(super) fn read(root: &Table<'v>) -> Result<Self, SpecFileError> {
        // Which keys there may be depends on the reader, which is one of them.
        let known = |keys: &[&'static str]| [&["reader"], keys].concat();
        let json = &[Keys::NAMES, &["list", "reading", "bare_args"]].concat();
        let all = [json.as_slice(), &["word", "trim", "repair"]].concat();
        let Some(table) = root.table("payload", &known(&all))? else {
            return Ok(Self::Json {
                keys: Keys::default(),
                list: true,
                reading: JsonReading::default(),
                bare_args: BareArgs::default(),
            });
        };
        let reader = choice(&table, "reader", READERS)?.unwrap_or(Reader::Json);
        let own = |keys: &[&'static str]| root.table("payload", &known(keys));
        match reader {
            Reader::Json => own(json)?,
            Reader::TaggedParams => own(&["word", "trim"])?,
            Reader::Element => own(&["repair"])?,
            Reader::Yaml => own(Keys::NAMES)?,
        };
        Ok(match reader {
            Reader::Json => Self::Json {
                keys: Keys::read(&table)?,
                list: table.flag("list")?.unwrap_or(true),
                reading: choice(&table, "reading", READINGS)?.unwrap_or_default(),
                bare_args: choice(&table, "bare_args", BARE_ARGS)?.unwrap_or_default(),
            },
            Reader::TaggedParams => Self::TaggedParams {
                word: table.required("word")?,
                trim: choice(&table, "trim", TRIMS)?.unwrap_or_default(),
            },
            Reader::Element => Self::Element { repair: table.flag("repair")?.unwrap_or(true) },
            Reader::Yaml => Self::Yaml { foreign: Keys::read(&table)? },
        })
    }

    pub(super) fn lend(&self) -> Payload<'_> {
        match self {
            Self::Json { keys, list, reading, bare_args } => Payload::Json {
                keys: keys.lend(),
                list: *list,
                reading: *reading,
                bare_args: *bare_args,
            },
            Self::TaggedParams { word, trim } => Payload::TaggedParams { word, trim: *trim },
            Self::Element { repair } => Payload::Element { repair: *repair },
            Self::Yaml { foreign } => Payload::Yaml { foreign: foreign.lend() },
        }
    }
}

pub(super) fn framing<'v>(root: &Table<'v>) -> Result<Framing<'v>, SpecFileError> {
    let Some(table) = root.table("framing", FRAMING)? else {
        return Ok(FormatSpec::DEFAULT.framing);
    };
    Ok(Framing {
        first: table.text("first")?.unwrap_or_default(),
        next: table.text("next")?.unwrap_or_default(),
    })
}

const BODIES: &[(&str, ResponseBody)] = &[
    ("content", ResponseBody::Content),
    ("object", ResponseBody::Object),
    ("elements", ResponseBody::Elements),
];

pub(super) fn render<'v>(root: &Table<'v>) -> Result<Render<'v>, SpecFileError> {
    let default = FormatSpec::DEFAULT.render;
    let Some(table) = root.table("render", RENDER)? else { return Ok(default) };
    let before = table.text("before_tools")?.unwrap_or("<tools>\n");
    let behind = table.text("behind_tools")?.unwrap_or("\n</tools>");
    let lines = ToolsBlock::OpenAiLines(before, behind);
    let blocks = &[
        ("openai-lines", lines),
        ("array", ToolsBlock::Array(before, behind)),
        ("tags", ToolsBlock::Tags(before, behind)),
        ("headings", ToolsBlock::Headings(before, behind)),
    ];
    Ok(Render {
        tools: choice(&table, "tools", blocks)?.unwrap_or(lines),
        inner: table.text("inner")?.unwrap_or(default.inner),
        spaced: table.flag("spaced")?.unwrap_or(default.spaced),
        response: (
            table.text("before_response")?.unwrap_or(default.response.0),
            table.text("behind_response")?.unwrap_or(default.response.1),
        ),
        response_body: choice(&table, "response", BODIES)?.unwrap_or(default.response_body),
    })
}
