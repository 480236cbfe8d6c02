//! Content classes: tools whose one argument is piped out as it comes, as values.
//!
//! A class says how its tag or tool is called, which argument the content fills, what must be known
//! before the segment begins, and which other arguments become facts. The built-in classes are made
//! by the same constructor that users call; nothing is global.

use toolweir_segments::{CallClass, MetaRole};

/// A tool whose content goes out while it is written: the body of a file, a patch, a command.
///
/// ```
/// use toolweir_protocols::segments::{ContentClass, Fact};
///
/// let note = ContentClass::new("save_note", "text")
///     .tag("note")
///     .require("title")
///     .fact(Fact::boolean("pinned"))
///     .markers("__START_NOTE__", "__END_NOTE__");
/// assert_eq!((note.tool(), note.body()), ("save_note", "text"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentClass {
    pub(crate) class: CallClass,
    pub(crate) tool: String,
    pub(crate) shorthand: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) body: String,
    pub(crate) facts: Vec<Fact>,
    pub(crate) markers: Option<(String, String)>,
    pub(crate) empty: bool,
}

/// An argument of a content class beside its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub(crate) key: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) required: bool,
    pub(crate) reading: Reading,
}

/// How the text of a fact is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Trimmed; empty is none.
    Text,
    /// `true`, `1`, `yes` and `false`, `0`, `no` in any letter case; anything else is none.
    Boolean,
    /// A whole number above zero; anything else is none.
    Positive,
}

impl Fact {
    fn new(key: &str, reading: Reading) -> Self {
        Self { key: key.to_owned(), aliases: Vec::new(), required: false, reading }
    }

    /// A string argument. White space around it goes; an empty one counts as missing.
    #[must_use]
    pub fn text(key: &str) -> Self {
        Self::new(key, Reading::Text)
    }

    /// A boolean argument, from `true`, `1`, `yes` or `false`, `0`, `no`.
    #[must_use]
    pub fn boolean(key: &str) -> Self {
        Self::new(key, Reading::Boolean)
    }

    /// An argument that is a whole number above zero.
    #[must_use]
    pub fn positive(key: &str) -> Self {
        Self::new(key, Reading::Positive)
    }

    /// The segment begins only when this is known, and without it nothing is run.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Another name it is written under.
    #[must_use]
    pub fn alias(mut self, name: &str) -> Self {
        self.aliases.push(name.to_owned());
        self
    }

    /// The fact as it goes out, with its role; none where the text is no such value.
    pub(crate) fn read(&self, text: &str) -> Option<(String, MetaRole)> {
        let text = text.trim();
        match self.reading {
            Reading::Text => (!text.is_empty()).then(|| (text.to_owned(), MetaRole::Text)),
            Reading::Boolean => {
                let value = match text.to_ascii_lowercase().as_str() {
                    "true" | "1" | "yes" => "true",
                    "false" | "0" | "no" => "false",
                    _ => return None,
                };
                Some((value.to_owned(), MetaRole::Literal))
            }
            Reading::Positive => {
                let digits = text.trim_start_matches('0');
                let whole = !digits.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                whole.then(|| (digits.to_owned(), MetaRole::Literal))
            }
        }
    }

    fn is_called(&self, name: &str) -> bool {
        let same = |own: &str| own.eq_ignore_ascii_case(name);
        same(&self.key) || self.aliases.iter().any(|alias| same(alias))
    }
}

impl ContentClass {
    /// A class of that name for the tool of the same name, whose argument `body` is the content.
    #[must_use]
    pub fn new(tool: &str, body: &str) -> Self {
        Self {
            class: CallClass::from_name(tool),
            tool: tool.to_owned(),
            shorthand: None,
            tags: Vec::new(),
            body: body.to_owned(),
            facts: Vec::new(),
            markers: None,
            empty: true,
        }
    }

    /// The segment type, where it is not the name of the tool.
    #[must_use]
    pub fn segment_type(mut self, name: &str) -> Self {
        self.class = CallClass::from_name(name);
        self
    }

    /// A second name under which the class is looked up and dispatched, in any letter case.
    #[must_use]
    pub fn shorthand(mut self, name: &str) -> Self {
        self.shorthand = Some(name.to_owned());
        self
    }

    /// It may also be written as `<TAG …>content</TAG>`, facts as attributes.
    #[must_use]
    pub fn tag(mut self, tag: &str) -> Self {
        self.tags.push(tag.to_ascii_lowercase());
        self
    }

    /// A string argument that must be known before the segment begins.
    #[must_use]
    pub fn require(self, key: &str) -> Self {
        self.fact(Fact::text(key).required())
    }

    /// A further argument.
    #[must_use]
    pub fn fact(mut self, fact: Fact) -> Self {
        self.facts.push(fact);
        self
    }

    /// Markers that may enclose the content inside its argument, so that it can hold anything.
    #[must_use]
    pub fn markers(mut self, start: &str, end: &str) -> Self {
        let usable = !start.is_empty() && !end.is_empty();
        self.markers = usable.then(|| (start.to_owned(), end.to_owned()));
        self
    }

    /// Nothing is run where the content is empty.
    #[must_use]
    pub fn never_empty(mut self) -> Self {
        self.empty = false;
        self
    }

    /// The tool that is called.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The segment type.
    #[must_use]
    pub fn class(&self) -> &CallClass {
        &self.class
    }

    /// The argument that the content fills.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The other arguments, required ones marked, in the order of their registration.
    pub fn facts(&self) -> impl Iterator<Item = (&str, bool)> {
        self.facts.iter().map(|fact| (fact.key.as_str(), fact.required))
    }

    /// The place of the fact written under that name.
    pub(crate) fn fact_at(&self, name: &str) -> Option<usize> {
        self.facts.iter().position(|fact| fact.is_called(name))
    }

    pub(crate) fn fact_of(&self, at: usize) -> Option<&Fact> {
        self.facts.get(at)
    }

    /// The first required fact that is not known; `known` has a place for each fact.
    pub(crate) fn missing(&self, known: &[bool]) -> Option<&str> {
        let known = |at: usize| known.get(at).copied().unwrap_or_default();
        let mut facts = self.facts.iter().enumerate();
        facts.find(|(at, fact)| fact.required && !known(*at)).map(|(_, fact)| fact.key.as_str())
    }

    /// Whether that is its tool, its segment type or its shorthand, in any letter case.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let same = |own: &str| own.eq_ignore_ascii_case(name);
        same(&self.tool) || same(self.class.name()) || self.shorthand.as_deref().is_some_and(same)
    }
}

/// The registered classes: which tag or tool name is which, and what it calls with which arguments.
///
/// | segment type | tool | content fills | other arguments |
/// | --- | --- | --- | --- |
/// | `write_file` | `write_file` | `content` | `path`, required |
/// | `patch_file` | `patch_file` | `patch` | `path`, required |
/// | `edit_file` | `edit_file` | `patch` | `path`, required |
/// | `run_bash` (also `RUN_TERMINAL_CMD`) | `run_bash` | `command` | `background`, `timeout_seconds` |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    list: Vec<ContentClass>,
}

impl Default for Classes {
    fn default() -> Self {
        let patch = |tool| {
            let class = ContentClass::new(tool, "patch").require("path");
            class.markers("__START_PATCH__", "__END_PATCH__")
        };
        let write = ContentClass::new("write_file", "content").require("path").tag("write_file");
        let bash = ContentClass::new("run_bash", "command").tag("run_bash").never_empty();
        let bash = bash.shorthand("run_terminal_cmd").fact(Fact::boolean("background"));
        let timeout = Fact::positive("timeout_seconds").alias("timeoutSeconds").alias("timeout");
        let list = vec![
            write.markers("__START_CONTENT__", "__END_CONTENT__"),
            patch("patch_file"),
            patch("edit_file"),
            bash.fact(timeout),
        ];
        Self { list }
    }
}

impl Classes {
    /// Adds a class; it shadows one of the same tool name, which is returned.
    pub fn register(&mut self, class: ContentClass) -> Option<ContentClass> {
        let at = self.list.iter().position(|old| old.tool.eq_ignore_ascii_case(&class.tool));
        let old = at.map(|at| self.list.remove(at));
        self.list.insert(0, class);
        old
    }

    /// The class of a tool name, segment type or shorthand, in any letter case.
    ///
    /// ```
    /// use toolweir_protocols::segments::Classes;
    ///
    /// let classes = Classes::default();
    /// assert_eq!(classes.of_tool("RUN_TERMINAL_CMD").unwrap().tool(), "run_bash");
    /// assert!(classes.of_tool("forecast").is_none());
    /// ```
    #[must_use]
    pub fn of_tool(&self, name: &str) -> Option<&ContentClass> {
        self.list.iter().find(|class| class.is_called(name))
    }

    /// The class written as a tag of that name, in any letter case.
    #[must_use]
    pub fn of_tag(&self, tag: &str) -> Option<&ContentClass> {
        let tag = tag.to_ascii_lowercase();
        self.list.iter().find(|class| class.tags.contains(&tag))
    }

    /// The classes, the last registered first.
    pub fn iter(&self) -> impl Iterator<Item = &ContentClass> {
        self.list.iter()
    }

    /// Every tag of a class.
    pub(crate) fn tags(&self) -> impl Iterator<Item = &str> {
        self.list.iter().flat_map(|class| class.tags.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_by_their_sort() {
        let read = |fact: Fact, text| fact.read(text).map(|(value, _)| value);
        assert_eq!(read(Fact::text("path"), " /a "), Some("/a".into()));
        assert_eq!(read(Fact::text("path"), "  "), None);
        assert_eq!(read(Fact::boolean("b"), "Yes"), Some("true".into()));
        assert_eq!(read(Fact::boolean("b"), "0"), Some("false".into()));
        assert_eq!(read(Fact::boolean("b"), "maybe"), None);
        assert_eq!(read(Fact::positive("n"), "030"), Some("30".into()));
        for none in ["0", "-1", "1.5", "", "1s"] {
            assert_eq!(read(Fact::positive("n"), none), None, "{none}");
        }
    }

    #[test]
    fn a_class_shadows_the_one_of_the_same_tool() {
        let mut classes = Classes::default();
        let old = classes.register(ContentClass::new("Write_File", "text"));
        assert_eq!(old.unwrap().body(), "content");
        assert_eq!(classes.of_tool("WRITE_FILE").unwrap().body(), "text");
        assert_eq!(classes.iter().count(), 4);
    }
}
