//! The JSON of `{call:JSON}`: which member is the name, which the arguments, and how it is spaced.
//!
//! Quoted strings stand for themselves; the unquoted words `name`, `args`, `id` and `text` are holes;
//! every other value must be there as written. `{name: args}` is an object whose only key is the name.
//! A list holds one object, which stands for each call. Whitespace between tokens is kept and written;
//! there, and only there, `\n`, `\t` and `\r` are the notation's, while strings have JSON's escapes.

mod layout;
mod scan;

use self::layout::Layout;
use super::error::PatternErrorKind;
use crate::pattern::PatternError;

/// The JSON around a call that names itself. Made by [`Template::parse`] or a short form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The JSON with its holes, whitespace as it is written out. Of a short form: what it stands for.
    pub source: String,
    /// What it holds: an object or a list.
    pub root: Node,
    /// True for `{call}` and `{calls}`, which print as these.
    pub short: bool,
    layout: Layout,
}

/// A value in a template. Complete: readers have to handle each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// An object: its members in the order in which they are written.
    Object(Vec<(Key, Node)>),
    /// A list of such objects, one for each call.
    List(Box<Node>),
    /// `name`: a string, the name of the tool.
    Name,
    /// `args`: the arguments.
    Args,
    /// `id`: a string, the id of the call; its member is left out where there is none.
    Id,
    /// `text`: a string of visible text; its member is left out where there is none.
    Text,
    /// JSON that must be there, as written: a string, number or literal, or a list without holes.
    Literal(String),
}

/// The key of a member of a template. Complete, like [`Node`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// This key, without quotes and escapes.
    Word(String),
    /// The name of the tool.
    Name,
}

/// What is written into the holes of a template for one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots<'a> {
    /// The name of the tool, not yet quoted.
    pub name: &'a str,
    /// The arguments as JSON, written as they are.
    pub args: &'a str,
    /// The id, not yet quoted; its member is left out where there is none.
    pub id: Option<&'a str>,
    /// Visible text, not yet quoted; its member is left out where there is none.
    pub text: Option<&'a str>,
}

/// Whether there is whitespace after the separators of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spacing {
    /// After the colons.
    pub colon: bool,
    /// After the commas; in a template without one, as after its colons.
    pub comma: bool,
}

impl Template {
    /// Reads the JSON of a template.
    ///
    /// ```
    /// use toolweir_protocols::pattern::Template;
    ///
    /// let template = Template::parse(r#"{"tool": name, "params": args}"#).unwrap();
    /// assert_eq!((template.name_key(), template.args_key()), (Some("tool"), Some("params")));
    /// assert_eq!(template.render("dice", "{}", None), r#"{"tool": "dice", "params": {}}"#);
    /// ```
    ///
    /// # Errors
    ///
    /// The first place that is not a template, as an offset in `json`.
    pub fn parse(json: &str) -> Result<Self, PatternError> {
        let (template, length) = Self::scan(json, 0).map_err(|(kind, at)| kind.at(json, at))?;
        if length < json.len() {
            return Err(PatternErrorKind::Template("the end").at(json, length));
        }
        Ok(template)
    }

    /// The template at the start of `text`, which holes of that depth surround, and its length there.
    pub(super) fn scan(
        text: &str,
        depth: usize,
    ) -> Result<(Self, usize), (PatternErrorKind, usize)> {
        let (layout, length) = scan::scan(text, depth)?;
        Ok((Self::of(layout, false), length))
    }

    /// `{call}`: `{"name": name, "arguments": args}`.
    #[must_use]
    pub fn call() -> Self {
        Self::of(Layout::call(), true)
    }

    /// `{calls}`: the list of [`Template::call`].
    #[must_use]
    pub fn calls() -> Self {
        Self::of(Layout::list("", Layout::call(), ""), true)
    }

    fn of(layout: Layout, short: bool) -> Self {
        Self { source: layout.source(), root: layout.node(), short, layout }
    }

    /// The hole as it is written in a pattern.
    pub(crate) fn notation(&self) -> String {
        if self.short {
            return self.label().to_owned();
        }
        let mut out = "{call:".to_owned();
        for c in self.source.chars() {
            // Control characters stand only between tokens: JSON forbids them in strings.
            if c.is_ascii_control() { out.extend(c.escape_default()) } else { out.push(c) }
        }
        out + "}"
    }

    pub(super) fn label(&self) -> &'static str {
        match (&self.root, self.short) {
            (_, false) => "{call:…}",
            (Node::List(_), true) => "{calls}",
            _ => "{call}",
        }
    }

    /// True if calls stand in a list, which takes all calls of the turn.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.list_depth().is_some()
    }

    /// The number of wrappers around the list, if calls stand in one: `[…]` has 0,
    /// `{"tool_calls": […]}` has 1.
    #[must_use]
    pub fn list_depth(&self) -> Option<usize> {
        fn depth(node: &Node) -> Option<usize> {
            match node {
                Node::List(_) => Some(0),
                Node::Object(members) => {
                    members.iter().find_map(|(_, node)| Some(depth(node)? + 1))
                }
                _ => None,
            }
        }
        depth(&self.root)
    }

    /// Of a list: what opens it, what stands between two calls, what closes it, and one call.
    pub(crate) fn list(&self) -> Option<(String, String, String, Self)> {
        let Layout::List { before, item, after } = &self.layout else { return None };
        let comma = format!(",{}", self.layout.between_items());
        let item = Self::of((**item).clone(), false);
        Some((format!("[{before}"), comma, format!("{after}]"), item))
    }

    /// The keys of the objects around the one that holds the name (the arguments or the text, in a
    /// template without a name), outermost first: `["tool_calls", "function"]`.
    #[must_use]
    pub fn wrappers(&self) -> Vec<&str> {
        let paths = [Node::Name, Node::Args, Node::Text].map(|hole| self.path(&hole));
        let mut path = paths.into_iter().flatten().next().unwrap_or_default();
        path.pop();
        path.into_iter().filter_map(Key::word).collect()
    }

    /// The keys from the root to that hole, its own last; lists do not show. Of a name that is a key the
    /// last is [`Key::Name`].
    #[must_use]
    pub fn path(&self, hole: &Node) -> Option<Vec<&Key>> {
        fn find<'a>(node: &'a Node, hole: &Node, path: &mut Vec<&'a Key>) -> bool {
            match node {
                Node::Object(members) => members.iter().any(|(key, value)| {
                    path.push(key);
                    let found = *key == Key::Name && *hole == Node::Name || find(value, hole, path);
                    if !found {
                        path.pop();
                    }
                    found
                }),
                Node::List(item) => find(item, hole, path),
                node => node == hole,
            }
        }
        let mut path = Vec::new();
        find(&self.root, hole, &mut path).then_some(path)
    }

    /// The key whose value is the name.
    #[must_use]
    pub fn name_key(&self) -> Option<&str> {
        self.key(&Node::Name)
    }

    /// The key whose value is the arguments; none where the name is their key.
    #[must_use]
    pub fn args_key(&self) -> Option<&str> {
        self.key(&Node::Args)
    }

    /// The key whose value is the id.
    #[must_use]
    pub fn id_key(&self) -> Option<&str> {
        self.key(&Node::Id)
    }

    /// The key whose value is visible text.
    #[must_use]
    pub fn text_key(&self) -> Option<&str> {
        self.key(&Node::Text)
    }

    fn key(&self, hole: &Node) -> Option<&str> {
        self.path(hole)?.last()?.word()
    }

    /// True if the name is the key of the arguments: `{name: args}`.
    #[must_use]
    pub fn keyed(&self) -> bool {
        self.path(&Node::Name).is_some_and(|path| path.last() == Some(&&Key::Name))
    }

    /// True if the template says the name.
    #[must_use]
    pub fn has_name(&self) -> bool {
        self.path(&Node::Name).is_some()
    }

    /// True if the template holds the arguments.
    #[must_use]
    pub fn has_args(&self) -> bool {
        self.path(&Node::Args).is_some()
    }

    /// The JSON of one call, spaced as the template is.
    #[must_use]
    pub fn render(&self, name: &str, args: &str, id: Option<&str>) -> String {
        self.render_all(&[Slots { name, args, id, text: None }])
    }

    /// The JSON of these calls; a template without a list takes the first. Where there is no call, a list
    /// is empty and other templates stay as they are written.
    #[must_use]
    pub fn render_all(&self, calls: &[Slots<'_>]) -> String {
        let mut out = String::new();
        let calls: Vec<_> = calls.iter().copied().map(Some).collect();
        self.layout.write(&calls, &mut out);
        out
    }

    /// Whether there is whitespace after the first colon and the first comma.
    #[must_use]
    pub fn spacing(&self) -> Spacing {
        self.layout.spacing()
    }
}

impl Key {
    fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Name => None,
        }
    }
}
