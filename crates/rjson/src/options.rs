//! What is accepted, how much may be held while reading, and what a caller expects of a value, for repair mode.
//!
//! Limits are counts of bytes or items, never of time: the same text gives the same result on every
//! machine and for every way of cutting it into chunks.
//!
//! Which quote ends a damaged string is often clear only to someone who knows what may follow it: the
//! keys that the object may have, what their values are, and what stands after the value. A caller
//! that knows says so in [`Options::expect`]. Expectations say nothing about
//! text that is not damaged: that is read as without them.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Which grammar is read. Each mode accepts all that the one before it accepts, with equal values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Mode {
    /// RFC 8259: one value with whitespace around it, no byte order mark.
    #[default]
    Strict,
    /// The relaxed grammar of the crate documentation: JSON5, `#` comments, Python literals,
    /// `undefined`, raw line breaks and tabs in strings, a byte order mark.
    Relaxed,
    /// The relaxed grammar and a rule for each of its usual kinds of damage; text around the value
    /// goes by. Whatever is changed is a [`Diagnostic`](crate::Diagnostic); only a text without a
    /// value and the limits are errors.
    Repair,
}

/// Which value a tree keeps when an object gives a key twice.
///
/// Complete: keep the last, keep the first, or refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Duplicates {
    /// The last value wins, at the place of the first; reported as `rjson::duplicate-key`.
    #[default]
    Last,
    /// The first value stays; reported as `rjson::duplicate-key`.
    First,
    /// [`ErrorKind::DuplicateKey`](crate::ErrorKind::DuplicateKey) at the later key.
    Error,
}

/// What becomes of `NaN`, `Infinity` and `undefined`, which strict JSON cannot say.
///
/// Complete: there is no fourth way to write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NonFinite {
    /// `null`, reported as `rjson::non-finite` or `rjson::undefined`.
    #[default]
    Null,
    /// A string that holds the word (`"NaN"`, `"-Infinity"`, `"undefined"`), reported likewise.
    String,
    /// The words are not part of the grammar: a syntax error at the first byte that fits nowhere.
    Error,
}

/// What becomes, in relaxed and repair mode, of a backslash that begins no escape, as in `"C:\dir"`.
/// Reported as `rjson::invalid-escape`.
///
/// Complete: it stays or it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InvalidEscape {
    /// The backslash stays data: nothing is lost.
    #[default]
    Keep,
    /// The backslash goes, as JavaScript has it.
    Drop,
}

/// How to read: the grammar and the limits.
///
/// ```
/// use toolweir_rjson::{Mode, Options, parse_with};
///
/// let mut options = Options::new(Mode::Relaxed);
/// options.max_depth = 2;
/// assert!(parse_with("[[1,],]", &options).is_ok());
/// assert!(parse_with("[[[1]]]", &options).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The grammar. Default: [`Mode::Strict`].
    pub mode: Mode,
    /// Containers that may be open at once; one more is
    /// [`TooDeep`](crate::ErrorKind::TooDeep). Default: 128. `0` accepts scalars only.
    pub max_depth: usize,
    /// Bytes that may wait until they are certain: a number, a key (content, as JSON text), the
    /// whitespace after a comma. More is [`TooLarge`](crate::ErrorKind::TooLarge); whitespace is dropped
    /// and reported instead. String values are never held. Default: 1 MiB (1,048,576).
    pub max_held_bytes: usize,
    /// Keys one object may give, repeated ones counted; one more is
    /// [`TooManyKeys`](crate::ErrorKind::TooManyKeys). Default: no limit (`usize::MAX`).
    pub max_keys: usize,
    /// Diagnostics that a tree lists; one more stands for all others
    /// (`rjson::more-diagnostics`). Tokens carry all of them. Default: 10,000.
    pub max_diagnostics: usize,
    /// Which value of a repeated key a tree keeps. Default: [`Duplicates::Last`].
    pub duplicates: Duplicates,
    /// What `NaN`, `Infinity` and `undefined` become. Default: [`NonFinite::Null`].
    pub non_finite: NonFinite,
    /// What becomes of a backslash that begins no escape, in relaxed and repair mode. Default:
    /// [`InvalidEscape::Keep`].
    pub invalid_escape: InvalidEscape,
    /// What the caller expects of the value, in repair mode: it decides which quotes end damaged
    /// strings, and a value of which another reading fits as well is reported as `rjson::ambiguous`.
    /// Default: nothing; quotes are judged by what follows them alone.
    pub expect: Option<Expect>,
}

macro_rules! setters {
    ($($(#[$doc:meta])* [$($const:ident)?] $name:ident $field:ident: $type:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub $($const)? fn $name(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    )*};
}

impl Options {
    /// The defaults of every limit, with this mode.
    #[must_use]
    pub const fn new(mode: Mode) -> Self {
        Self {
            mode,
            max_depth: 128,
            max_held_bytes: 1 << 20,
            max_keys: usize::MAX,
            max_diagnostics: 10_000,
            duplicates: Duplicates::Last,
            non_finite: NonFinite::Null,
            invalid_escape: InvalidEscape::Keep,
            expect: None,
        }
    }

    setters! {
        /// The same with another mode.
        [const] with_mode mode: Mode;
        /// The same with another number of open containers.
        [const] with_max_depth max_depth: usize;
        /// The same with another number of bytes that may wait.
        [const] with_max_held_bytes max_held_bytes: usize;
        /// The same with another number of keys an object.
        [const] with_max_keys max_keys: usize;
        /// The same with another number of diagnostics that a tree lists.
        [const] with_max_diagnostics max_diagnostics: usize;
        /// The same with another answer to repeated keys.
        [const] with_duplicates duplicates: Duplicates;
        /// The same with another answer to `NaN`, `Infinity` and `undefined`.
        [const] with_non_finite non_finite: NonFinite;
        /// The same with another answer to backslashes that begin no escape.
        [const] with_invalid_escape invalid_escape: InvalidEscape;
    }

    /// The same with expectations of the value.
    #[must_use]
    pub fn with_expect(mut self, expect: Expect) -> Self {
        self.expect = Some(expect);
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new(Mode::Strict)
    }
}

impl From<Mode> for Options {
    fn from(mode: Mode) -> Self {
        Self::new(mode)
    }
}

/// The shapes that a value and the values in it may have, and what may follow it.
///
/// Shapes speak of each other by number, so they may be recursive.
///
/// ```
/// use toolweir_rjson::{Expect, Kinds, Member, Mode, Options, Shape, parse_with};
///
/// let expect = Expect::new([
///     Shape::object([Member::required("path", 1), Member::required("content", 1)]),
///     Shape::new(Kinds::STRING),
/// ]);
/// let options = Options::new(Mode::Repair).with_expect(expect);
/// let text = r#"{"content": "f(x="a", y="b")", "path": "a.py"}"#;
/// let parsed = parse_with(text, &options)?;
/// assert_eq!(parsed.value.get("content").unwrap().as_str(), Some(r#"f(x="a", y="b")"#));
/// assert!(parsed.diagnostics.iter().all(|note| note.code != "rjson::ambiguous"));
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expect {
    shapes: Arc<[Shape]>,
    root: usize,
    pub(crate) follow: Follow,
    pub(crate) markers: Arc<[String]>,
}

/// What may stand after the value.
///
/// Complete: something known, anything, or anything that may be a list without brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Follow {
    /// The end of the input, a Markdown fence apart.
    #[default]
    End,
    /// Anything: a value that is closed by its own structure stands.
    Anything,
    /// Anything, or after a comma or semicolon more objects.
    Objects,
}

/// The kinds of value that a shape allows: a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

/// What one value may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    kinds: Kinds,
    /// The strings that are allowed, if not all are.
    texts: Vec<Box<str>>,
    /// Sorted by name; none: nothing is known of the keys.
    members: Option<Vec<Member>>,
    /// None: nothing is known of the entries.
    pub(crate) entry: Option<usize>,
}

/// The shape that says nothing.
static ANY: Shape = Shape::new(Kinds::ANY);

/// A key that an object may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    name: Box<str>,
    pub(crate) shape: usize,
    pub(crate) required: bool,
}

impl Kinds {
    /// Strings.
    pub const STRING: Self = Self(1);
    /// Numbers.
    pub const NUMBER: Self = Self(2);
    /// `true` and `false`.
    pub const BOOLEAN: Self = Self(4);
    /// `null`.
    pub const NULL: Self = Self(8);
    /// Objects.
    pub const OBJECT: Self = Self(16);
    /// Arrays.
    pub const ARRAY: Self = Self(32);
    /// Every kind.
    pub const ANY: Self = Self(63);
    /// Beside others: of strings only those that hold an object as JSON.
    pub const EMBEDDED: Self = Self(64);
    /// None; to be built on.
    pub const NONE: Self = Self(0);

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the two sets have a kind in common.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl Shape {
    /// A value of these kinds; nothing is said of keys and entries.
    #[must_use]
    pub const fn new(kinds: Kinds) -> Self {
        Self { kinds, texts: Vec::new(), members: None, entry: None }
    }

    /// An object with these keys and no others. Of keys with the same name the first counts.
    #[must_use]
    pub fn object(members: impl IntoIterator<Item = Member>) -> Self {
        Self::new(Kinds::OBJECT).with_members(members)
    }

    /// An array whose entries have this shape.
    #[must_use]
    pub const fn array(entry: usize) -> Self {
        Self::new(Kinds::ARRAY).with_entry(entry)
    }

    /// The same, where strings are one of these; none: any.
    #[must_use]
    pub fn with_texts(mut self, texts: impl IntoIterator<Item = Box<str>>) -> Self {
        self.texts = texts.into_iter().collect();
        self
    }

    /// The same, where objects have these keys.
    #[must_use]
    pub fn with_members(self, members: impl IntoIterator<Item = Member>) -> Self {
        self.with_member_list(members.into_iter().collect())
    }

    /// The same for all kinds of iterators, as sorting is much code.
    fn with_member_list(mut self, mut members: Vec<Member>) -> Self {
        members.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        members.dedup_by(|later, first| later.name == first.name);
        self.members = Some(members);
        self
    }

    /// The same, where the entries of arrays have this shape.
    #[must_use]
    pub const fn with_entry(mut self, entry: usize) -> Self {
        self.entry = Some(entry);
        self
    }

    pub(crate) fn allows(&self, kinds: Kinds) -> bool {
        self.kinds.meets(kinds)
    }

    /// Whether a string is one that is allowed.
    pub(crate) fn allows_text(&self, text: &str) -> bool {
        self.texts.is_empty() || self.texts.iter().any(|known| **known == *text)
    }

    pub(crate) fn lists_texts(&self) -> bool {
        !self.texts.is_empty()
    }

    pub(crate) fn members(&self) -> Option<&[Member]> {
        self.members.as_deref()
    }

    /// The place of a key among the members.
    pub(crate) fn member(&self, name: &str) -> Option<usize> {
        let members = self.members.as_deref()?;
        members.binary_search_by(|member| (*member.name).cmp(name)).ok()
    }
}

impl Member {
    /// A key that may be missing. `shape`: the number of its value's shape.
    #[must_use]
    pub fn optional(name: &str, shape: usize) -> Self {
        Self { name: name.into(), shape, required: false }
    }

    /// A key that may not be missing.
    #[must_use]
    pub fn required(name: &str, shape: usize) -> Self {
        Self { required: true, ..Self::optional(name, shape) }
    }
}

impl Expect {
    /// These shapes, the first of which is the root's; nothing but the end may follow the root. A
    /// number without a shape stands for anything.
    #[must_use]
    pub fn new(shapes: impl IntoIterator<Item = Shape>) -> Self {
        let shapes = shapes.into_iter().collect();
        Self { shapes, root: 0, follow: Follow::End, markers: Arc::default() }
    }

    /// Anything: a quote inside a string is a guess wherever it could be the end.
    #[must_use]
    pub fn anything() -> Self {
        Self::new([])
    }

    setters! {
        /// The same shapes with another one for the root.
        [] with_root root: usize;
        /// The same where something else may follow the root.
        [] with_follow follow: Follow;
        /// The same where these texts show the end of the root, whatever they look like in a string.
        [] with_markers markers: Arc<[String]>;
    }

    pub(crate) fn shape(&self) -> &Shape {
        self.shapes.get(self.root).unwrap_or(&ANY)
    }

    pub(crate) fn shape_at(&self, shape: Option<usize>) -> &Shape {
        shape.and_then(|at| self.shapes.get(at)).unwrap_or(&ANY)
    }

    /// The expectations of a value in it.
    pub(crate) fn of(&self, shape: Option<usize>) -> Self {
        self.clone().with_root(shape.unwrap_or(usize::MAX))
    }
}

impl Default for Expect {
    fn default() -> Self {
        Self::anything()
    }
}
