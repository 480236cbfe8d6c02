//! The body of a call, read while its lines come.
//!
//! Lines at the indent of the first that begin with a declared key divide it, as they do one that is
//! no YAML (`keyed`). What stands between two of them is written when the second comes: it is YAML by
//! itself, so no later line changes what it means. The text of a block scalar is written as it comes.
//! From the first part on that is anything else, the body is held, and read when it is whole: a
//! comment or an undeclared key before the others, a line indented less, a value that is no YAML, an
//! anchor.

use toolweir_rjson::write_string;
use toolweir_schema_coerce::{Member, Schema};

use super::block::{Block, Header};
use super::end::End;
use super::keyed::holds_a_key;
use super::{Builder, Scope, Trouble, WHITESPACE, dedented, no_mapping, salvage, takes_text};
use crate::engine::{FloorBoundary, Result, is_whitespace};
use crate::program::ToolTags;
use crate::readers::declares;

/// Divides a body and writes its arguments.
#[derive(Debug, Default)]
pub(crate) struct Body {
    end: End,
    /// The part being read: lines as they came, without the text of a block.
    pub(crate) text: String,
    /// The key that begins it, the keys of those before, and the indent of both.
    key: String,
    given: Vec<String>,
    indent: String,
    header: Option<Header>,
    block: Option<Block>,
    /// It was begun before the line of its key had ended.
    early: bool,
    /// All the rest is read at the end.
    held: bool,
    /// Its first line has ended; the line break that it may be is not the body's.
    begun: bool,
    /// Lines that have ended.
    lines: usize,
    any: bool,
    /// Arguments that are certain, as JSON.
    pub(crate) json: String,
    /// Keys whose values are no YAML and were taken as they stand.
    pub(crate) raw: Vec<String>,
    /// Backslashes that begin no escape were kept.
    pub(crate) kept: bool,
    /// A line as long as this is looked at before its end.
    long: usize,
}

/// From this length on a line of a block does not wait for its end.
const LONG: usize = 4096;
/// In so many bytes a line shows its key before its end.
const KEY: usize = 256;

impl Body {
    pub(crate) fn new(name: &str, within: bool) -> Self {
        Self { end: End::new(name, within), long: LONG, ..Self::default() }
    }

    pub(crate) const fn is_within(&self) -> bool {
        self.end.within
    }

    /// See [`End::closed`].
    pub(crate) fn closed(&mut self, line: &str) -> Option<usize> {
        self.end.closed(line)
    }

    /// Looks at a line that goes on and has just grown by so many bytes: its key ends the part before.
    pub(crate) fn grown(&mut self, line: &str, bytes: usize, scope: Scope<'_, '_>) -> Result {
        let decided = self.held || self.early || self.end.cut || self.key.is_empty();
        if decided || line.len() - bytes >= KEY {
            return Ok(());
        }
        let (head, _) = line.split_up_to(KEY);
        let inner = head.strip_prefix(self.indent.as_str());
        let Some((key, _)) = inner.and_then(|inner| self.part(inner, scope.schema)) else {
            return Ok(());
        };
        let ended = self.begin_part(key, scope);
        self.early = !self.held;
        ended
    }

    /// Looks at a line that has just grown by a piece with a `>` at its end: where in it the tag of
    /// another call begins, if it ends in one where a key is due.
    pub(crate) fn other_call(
        &self,
        line: &str,
        tools: &ToolTags,
        schema: &Schema,
    ) -> Option<usize> {
        let at = line.rfind('<')?;
        let name = line.get(at + 1..line.len() - 1)?.trim_end_matches('/').trim_matches(WHITESPACE);
        let declares = |key: &str| declares(schema.root(), key);
        if self.end.cut || self.header.is_some() || !tools.contains(name) || declares(name) {
            return None;
        }
        let begins = self.text.is_empty() && self.block.is_none();
        let inner = line.strip_prefix(self.indent.as_str()).filter(|_| !begins);
        let before = inner.unwrap_or(line.trim_start_matches(WHITESPACE));
        let before = before.get(..at - (line.len() - before.len()).min(at)).unwrap_or_default();
        if before.starts_with(['-', '#', ' ', '\t']) || self.value_is_open() {
            return None;
        }
        if let Some((key, _)) = before.split_once(':') {
            let key = key.trim_matches([' ', '\t', '"', '\'']);
            if declares(key) || schema.root().property_names().next().is_none() {
                return None;
            }
        }
        Some(at)
    }

    /// What a line that has ended may begin though a plain text would go on there: another call, by the tags
    /// of tools that it ends with. They are all it holds, indented deeper than the keys, or stand after a key in
    /// a plain value. Where they begin, and the last name.
    pub(crate) fn tags_at_end(
        &self,
        line: &str,
        tools: &ToolTags,
        schema: &Schema,
    ) -> Option<(usize, String)> {
        let inner = line.strip_prefix(self.indent.as_str())?;
        let mut before = inner.trim_end_matches(is_whitespace);
        let mut last = None;
        while let Some((text, name)) = before.strip_suffix('>').and_then(|t| t.rsplit_once('<')) {
            if !tools.contains(name) || declares(schema.root(), name) {
                break;
            }
            last = last.or(Some(name));
            before = text;
        }
        let last = last?;
        let at = line.len() - inner.len() + before.len();
        let in_block = |block: &Block| {
            self.text.is_empty() && (block.is_inside() || block.own(inner).is_some())
        };
        let block = self.header.is_some() || self.block.as_ref().is_some_and(in_block);
        let text = block || self.held || self.end.cut;
        let alone =
            !self.key.is_empty() && before.starts_with(WHITESPACE) && before.trim().is_empty();
        if text || !alone && !self.begins_plain(before, schema) || self.value_is_open() {
            return None;
        }
        Some((at, last.to_owned()))
    }

    /// Whether a line begins with a key that is due and a plain value.
    fn begins_plain(&self, line: &str, schema: &Schema) -> bool {
        let value = line.split_once(':').map_or("", |(_, value)| value.trim());
        self.part(line, schema).is_some()
            && !value.starts_with(['"', '\'', '[', '{', '|', '>', '<', '&', '*'])
    }

    /// Whether the line after such a line, as far as it has come, is of the call of that tool: at the
    /// indent of the keys, one of its keys that is not due here.
    pub(crate) fn is_of_call(
        &self,
        line: &str,
        before: &str,
        tool: &Schema,
        schema: &Schema,
    ) -> bool {
        let key_of = |line: &'_ str| {
            let (key, _) = line.strip_prefix(self.indent.as_str())?.split_once(':')?;
            Some(key.trim_end_matches(WHITESPACE).trim_matches(['"', '\'']).to_owned())
        };
        let Some(key) = key_of(line) else { return false };
        let given =
            self.key == key || self.given.contains(&key) || key_of(before).as_ref() == Some(&key);
        declares(tool.root(), &key) && (given || !declares(schema.root(), &key))
    }

    /// Whether the value of the part is one that goes on whatever the indent of its lines.
    fn value_is_open(&self) -> bool {
        if self.text.len() > LONG {
            return true;
        }
        let text = self.text.trim_matches(is_whitespace);
        if text.starts_with('<') {
            // Elements: the last tag opened one.
            let last = text.rsplit('<').find(|tag| tag.contains('>'));
            return !last.is_some_and(|tag| tag.starts_with('/'));
        }
        let value =
            text.split_once(':').map_or("", |(_, value)| value.trim_start_matches(WHITESPACE));
        let count = |sign: char| value.matches(sign).count();
        match value.chars().next() {
            Some('"') => (count('"') - value.matches("\\\"").count()) % 2 == 1,
            Some('\'') => count('\'') % 2 == 1,
            Some('[') => count('[') > count(']'),
            Some('{') => count('{') > count('}'),
            _ => false,
        }
    }

    /// Takes the beginning of a long line that goes on, where it is text of a block; how much.
    /// `full`: there is no room for more of the line.
    pub(crate) fn begin_line(&mut self, line: &str, full: bool) -> usize {
        let in_block = self.header.is_some() || self.block.is_some() && self.text.is_empty();
        if !in_block || line.len() < self.long && !full {
            return 0;
        }
        let certain = self.end.certain(line);
        let inner = certain.strip_prefix(self.indent.as_str()).filter(|inner| !inner.is_empty());
        if let Some(block) = inner.zip(self.header).and_then(|(l, h)| self.opens(h, l)) {
            self.begin_block(block);
        }
        // C12: what is not taken is not looked at again before it is twice as long.
        self.long = 2 * line.len();
        let Some(block) = self.block.as_mut() else { return 0 };
        let own = match block.is_inside() {
            true => Some(certain),
            false => inner.and_then(|line| block.own(line)),
        };
        let Some(text) = own.filter(|text| !text.is_empty()) else { return 0 };
        self.long = LONG;
        self.end.cut = true;
        block.feed(text, &mut self.json);
        certain.len()
    }

    /// Takes a whole line, or the rest of one.
    pub(crate) fn line(&mut self, line: &str, scope: Scope<'_, '_>) -> Result {
        self.end.end_line(line);
        self.long = LONG;
        if !std::mem::replace(&mut self.begun, true) && matches!(line, "\n" | "\r\n") {
            return Ok(());
        }
        self.lines += 1;
        match self.block_takes(line) {
            "" => Ok(()),
            rest => self.take(rest, scope),
        }
    }

    fn take(&mut self, line: &str, scope: Scope<'_, '_>) -> Result {
        let mut result = Ok(());
        if !self.held && !is_empty(line) {
            if self.key.is_empty() {
                self.indent = line.chars().take_while(|c| *c == ' ').collect();
            }
            let inner = line.strip_prefix(self.indent.as_str());
            let header = self.header.take();
            if let Some((key, header)) = inner.and_then(|inner| self.part(inner, scope.schema)) {
                if !std::mem::take(&mut self.early) {
                    result = self.begin_part(key, scope);
                }
                self.header = header.filter(|_| !self.held);
            } else if let Some(block) = inner.zip(header).and_then(|(l, h)| self.opens(h, l)) {
                self.begin_block(block);
                return match self.block_takes(line) {
                    "" => Ok(()),
                    rest => self.take(rest, scope),
                };
            } else {
                self.held = inner.is_none() || self.key.is_empty();
            }
        }
        self.text.push_str(line);
        result
    }

    /// The body has ended; its last line was taken.
    pub(crate) fn finish(&mut self, scope: Scope<'_, '_>) -> Result {
        self.end_part(None, scope)
    }

    /// Gives a line to the block that is open; what is not its own comes back.
    fn block_takes<'t>(&mut self, line: &'t str) -> &'t str {
        let Some(block) = self.block.as_mut().filter(|_| self.text.is_empty()) else { return line };
        let mut rest = line;
        while !rest.is_empty() {
            // In YAML a CR ends a line, too.
            let end = rest.find('\r').filter(|at| rest.get(at + 1..) != Some("\n"));
            let end = end.map_or(rest.len(), |at| at + 1);
            let (now, later) = rest.split_at_checked(end).unwrap_or((rest, ""));
            let begins = rest.len() == line.len();
            let indent = if begins { self.indent.as_str() } else { "" };
            let inner = now.strip_prefix(indent);
            let own = match inner.or(is_empty(now).then(|| now.trim_start_matches(WHITESPACE))) {
                _ if block.is_inside() => Some(now),
                inner => inner.and_then(|inner| block.own(inner)),
            };
            let Some(text) = own else { break };
            block.feed(text, &mut self.json);
            rest = later;
        }
        rest
    }

    /// The key of a line that begins a part, and the header of a block after it.
    fn part(&self, line: &str, schema: &Schema) -> Option<(String, Option<Header>)> {
        let (key, value) = line.split_once(':')?;
        let key = key.trim_end_matches(WHITESPACE);
        // Any other is not surely a key.
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let plain = key.starts_with(word) && key.chars().all(|c| word(c) || matches!(c, '-' | '.'));
        let own = self.key == key && !self.early;
        let given = || own || self.given.iter().any(|given| given == key);
        match schema.root().member(key) {
            Member::Declared(node) if plain && !given() => {
                let header = Header::read(value).filter(|_| takes_text(node));
                Some((key.to_owned(), header))
            }
            _ => None,
        }
    }

    /// Ends the part before, unless all is held from there on.
    fn begin_part(&mut self, key: String, scope: Scope<'_, '_>) -> Result {
        let first = self.key.is_empty();
        let ended = if first { Ok(()) } else { self.end_part(Some(&key), scope) };
        if !self.held {
            let last = std::mem::replace(&mut self.key, key);
            self.given.extend((!first).then_some(last));
            (self.header, self.block) = (None, None);
            self.text.clear();
        }
        ended
    }

    /// The block whose first line that is not empty this is.
    fn opens(&self, header: Header, line: &str) -> Option<Block> {
        let before = self.text.split_inclusive('\n').skip(1);
        let before = before.map(|line| {
            line.strip_prefix(self.indent.as_str()).unwrap_or(line.trim_start_matches(WHITESPACE))
        });
        Block::begin(header, before, line)
    }

    fn begin_block(&mut self, block: Block) {
        self.begin_member();
        write_string(&mut self.json, &self.key);
        self.json.push_str(":\"");
        (self.header, self.block) = (None, Some(block));
        self.text.clear();
    }

    fn begin_member(&mut self) {
        if !std::mem::replace(&mut self.any, true) {
            self.json.push('{');
        }
    }

    /// The part has ended, with the body if no key comes next. It is written, or held with all the rest.
    fn end_part(&mut self, next: Option<&str>, scope: Scope<'_, '_>) -> Result {
        let last = next.is_none();
        let head = match self.block {
            Some(_) => format!("{}{}: \"\"\n", self.indent, self.key),
            None => String::new(),
        };
        let text = dedented(&(head + &self.text));
        let mut builder = Builder::new(scope);
        builder.lines = self.lines.saturating_sub(text.split_inclusive('\n').count());
        let read = builder.read(&text);
        if !last && !builder.anchors.is_empty() {
            self.held = true;
            return Ok(());
        }
        match read {
            Ok(json) => self.write(&json),
            Err(Trouble::Fault(fault)) => return Err(fault),
            Err(Trouble::Unreadable(_)) if self.block.is_some() && !self.held => {
                self.go_on(&text, next, scope)?;
            }
            Err(Trouble::Unreadable(_)) if !last => {
                self.held = true;
                return Ok(());
            }
            Err(Trouble::Unreadable(why)) => {
                let salvaged = self.block.is_none().then(|| salvage(&text, &self.given, scope));
                let arguments = salvaged.flatten().unwrap_or_else(|| Err(no_mapping(&why)))?;
                self.raw.extend(arguments.raw);
                self.kept |= arguments.kept;
                self.write(&arguments.json);
            }
        }
        self.json.push(if last { '}' } else { ',' });
        Ok(())
    }

    /// Writes the members of an object; with a block, those after its own.
    fn write(&mut self, object: &str) {
        let mut inner = object.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        match self.block.take() {
            None => self.begin_member(),
            Some(block) => {
                block.end(&mut self.json);
                // The key has nothing to escape.
                inner = inner.and_then(|text| text.get(self.key.len() + r#""":"""#.len()..));
            }
        }
        self.json.push_str(inner.unwrap_or_default());
    }

    /// What stands after the block is no YAML: it is more of its text, indented less.
    fn go_on(&mut self, text: &str, next: Option<&str>, scope: Scope<'_, '_>) -> Result {
        let Some(mut block) = self.block.take() else { return Ok(()) };
        let lines = text.split_inclusive('\n').skip(1);
        let is_given =
            |key: &str| next == Some(key) || self.key == key || self.given.iter().any(|k| k == key);
        if holds_a_key(lines.clone(), scope.schema, is_given) {
            return Err(no_mapping("a line of a block may be another argument"));
        }
        for line in lines {
            let key = line.split_once(':').map_or("", |(key, _)| key.trim_end_matches(WHITESPACE));
            scope.ctx.check_key(key)?;
            block.feed(block.outdented(line), &mut self.json);
        }
        block.end(&mut self.json);
        self.raw.push(self.key.clone());
        Ok(())
    }
}

fn is_empty(line: &str) -> bool {
    line.trim_matches([' ', '\t', '\r', '\n']).is_empty()
}
