//! The fast path of nearly all calls: strict JSON whose arguments fit their schema as they stand.
//!
//! It reads ahead of the reader that knows what to do about damage, and sends the name and the arguments
//! as early as that reader would or later. At the first byte that is anything but the plainest way to write
//! a call, that reader reads the payload from its beginning; what has gone out already is matched with what
//! it says ([`Ahead`](crate::engine::Ahead)) and is not sent again. So the fast path decides nothing: it
//! cannot know a call that the other reader does not know.
//!
//! Long payloads are left to the other reader, so that little is kept and little is read twice.

use toolweir_markers::Anchored;
use toolweir_rjson::{Follow, Kind, NumberText};
use toolweir_schema_coerce::{StringPlan, Verbatim};

use super::super::coercion::policy;
use crate::engine::{Ahead, Backoff, Begin, Ctx, FloorBoundary};
use crate::program::{Json, Member, PlainBytes};

/// Bytes of a payload that are read here.
const MOST: usize = 2 << 10;
/// Containers inside one another in arguments that are read here.
const DEEPEST: usize = 16;
/// Whitespace after an entry of a list that is looked through for what follows.
const NEXT_ENTRY: usize = 64;
/// Characters of a number that is read here.
const LONGEST_NUMBER: usize = 32;

/// What was made of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fast {
    /// All of it is taken; the payload goes on.
    More,
    /// The payload ends in it.
    Closed,
    /// The other reader must read the payload, from its beginning.
    Left,
}

/// What comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Start,
    Key,
    /// A key, or the end of an object that has just begun.
    FirstKey,
    InKey,
    Colon,
    Value,
    /// A value, or the end of a list that has just begun.
    FirstValue,
    InString,
    /// Inside a number or a literal.
    InScalar,
    /// A comma, or the end of what is open.
    Comma,
    /// The end marker, after whitespace.
    EndMarker,
}

/// The reader of one payload after another.
#[derive(Debug, Default)]
pub(super) struct FastPath {
    on: bool,
    backoff: Backoff,
    /// The payload so far, where it did not come at once.
    source: String,
    place: Place,
    args: Verbatim,
    #[cfg(feature = "meter")]
    examined: u64,
}

/// How far the payload is read.
#[derive(Debug, Default)]
struct Place {
    /// Bytes that are read.
    read: usize,
    at: At,
    /// Where the string or scalar that is read begins, after its quote.
    token: usize,
    /// Whether the string goes out while it comes.
    streams: bool,
    /// The string must be one of those that its schema lists.
    listed: bool,
    /// It holds an escape.
    escaped: bool,
    /// The member of the call object that is read.
    member: Member,
    /// The payload is the arguments alone.
    args_only: bool,
    /// It is an entry of a list.
    in_list: bool,
    /// It ends with its last bracket, whatever stands after it.
    ends_itself: bool,
    /// Where the name stands.
    name: Option<(usize, usize)>,
    /// Where the arguments stand.
    args: Option<usize>,
    args_end: usize,
    /// Where the payload ends, and where its end marker begins.
    end: usize,
    end_marker: usize,
    /// The bytes before this one of the arguments have gone out; those before the other may: after them
    /// there is text of a string that is a member of an object, or of a key.
    sent: usize,
    certain: usize,
    /// Where the last number or literal of the arguments ends.
    ended: usize,
}

/// The plainest way to write a call is not this one.
struct Unusual;

impl FastPath {
    /// Begins a payload, if it may be read here. `ends_itself`: its last bracket shows its end.
    pub(super) fn begin(
        &mut self,
        begin: &Begin<'_>,
        ends_itself: bool,
        spec: &Json,
        ctx: &Ctx<'_>,
    ) -> bool {
        let keys = &spec.keys;
        let usual = !keys.keyed && keys.text.is_empty() && spec.plain.is_some();
        self.on = usual && is_for(ctx) && self.backoff.tries();
        if !self.on {
            return false;
        }
        self.source.clear();
        if self.args.depth() > 0 {
            // The payload before was left.
            self.args.begin(None, &policy(ctx.request));
        }
        let (args_only, in_list) = (keys.args_only, begin.in_list);
        self.place = Place { args_only, in_list, ends_itself, ..Place::default() };
        if args_only {
            self.place.member = Member::Args;
            self.place.at = At::Value;
        }
        true
    }

    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// Whether the payload is an entry of a list.
    pub(super) fn is_in_list(&self) -> bool {
        self.place.in_list
    }

    /// Bytes that are read but not accounted for.
    pub(super) fn unaccounted(&self) -> usize {
        self.source.len()
    }

    /// Takes text up to the end of the payload. `unread`: what was taken before and is not the payload's.
    pub(super) fn read(
        &mut self,
        input: &mut &str,
        unread: &mut String,
        spec: &Json,
        ctx: &mut Ctx<'_>,
    ) -> Fast {
        let mut source = std::mem::take(&mut self.source);
        let before = source.len();
        let room = MOST.saturating_sub(before);
        let (now, later) = match input.len() <= room {
            true => (*input, ""),
            false => {
                input.split_at_checked(input.floor_char_boundary_up_to(room)).unwrap_or((input, ""))
            }
        };
        let text = if before == 0 {
            now
        } else {
            source.push_str(now);
            source.as_str()
        };
        #[cfg(feature = "meter")]
        let begun = self.place.read;
        let scanned = self.scan(text, spec, ctx);
        #[cfg(feature = "meter")]
        {
            self.examined += self.place.read.saturating_sub(begun) as u64;
        }
        let sent = scanned.and_then(|closed| match closed || later.is_empty() {
            true => self.send(text, closed, ctx).map(|()| closed),
            false => Err(Unusual),
        });
        let fast = match sent {
            Ok(true) => Fast::Closed,
            Ok(false) => Fast::More,
            Err(Unusual) => Fast::Left,
        };
        match fast {
            Fast::More => {
                if before == 0 {
                    source.push_str(now);
                }
                *input = "";
            }
            Fast::Closed => {
                let taken = self.close_payload(text, before, unread, ctx);
                *input = input.get(taken..).unwrap_or_default();
                source.clear();
            }
            Fast::Left => source.truncate(before),
        }
        self.source = source;
        fast
    }

    /// The payload is whole; how many bytes of the input are taken. `before`: bytes of the text that
    /// came before it.
    fn close_payload(
        &mut self,
        text: &str,
        before: usize,
        unread: &mut String,
        ctx: &mut Ctx<'_>,
    ) -> usize {
        let place = &self.place;
        ctx.consumed(text.get(..place.end).unwrap_or_default());
        self.on = false;
        self.backoff.hit();
        // What stands after the payload is the stream's: all of the end marker is read again, if a part of
        // it was taken before.
        let again = if place.end < before { place.read.max(before) } else { place.end };
        unread.push_str(text.get(place.end..again).unwrap_or_default());
        again - before
    }

    /// Leaves the payload to the other reader: what was taken, which it must read again. What has gone
    /// out is noted in the call.
    pub(super) fn leave(&mut self, ctx: &mut Ctx<'_>) -> String {
        self.on = false;
        self.backoff.miss();
        let source = std::mem::take(&mut self.source);
        let place = &self.place;
        let name = if place.args_only { None } else { ctx.take_name() };
        let sent = place.args.and_then(|at| source.get(at..place.sent)).unwrap_or_default();
        ctx.call.ahead = Ahead::new(name, sent);
        source
    }

    /// Name and arguments go out, as far as they are certain; all of them where the payload is closed.
    fn send(&mut self, text: &str, closed: bool, ctx: &mut Ctx<'_>) -> Result<(), Unusual> {
        let place = &mut self.place;
        let Some(args) = place.args else { return Ok(()) };
        if let Some((from, to)) = place.name.filter(|_| ctx.call.name.is_none()) {
            let name = text.get(from..to).unwrap_or_default();
            ctx.set_name(name.to_owned()).map_err(|_| Unusual)?;
        }
        let certain = if closed { place.args_end } else { place.certain };
        let from = place.sent.max(args);
        ctx.args(text.get(from..certain).unwrap_or_default());
        place.sent = from.max(certain);
        Ok(())
    }

    /// Reads on; whether the payload ends.
    fn scan(&mut self, text: &str, spec: &Json, ctx: &Ctx<'_>) -> Result<bool, Unusual> {
        let plain = spec.plain.as_deref().ok_or(Unusual)?;
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(self.place.read) {
            match self.place.at {
                At::InString | At::InKey => {
                    if !self.string_text(text, spec, plain)? {
                        return Ok(false);
                    }
                    self.string_end(text, spec, ctx)?;
                    continue;
                }
                At::EndMarker
                    if is_whitespace(byte) && self.place.end_marker == self.place.read =>
                {
                    self.place.end_marker += 1;
                }
                At::EndMarker => return self.end_marker(text, spec),
                At::InScalar if is_scalar(byte) => {}
                At::InScalar => {
                    self.scalar_end(text)?;
                    continue;
                }
                _ if is_whitespace(byte) => {}
                at => {
                    if self.structure(at, byte, text, ctx)? {
                        return Ok(true);
                    }
                }
            }
            self.place.read += 1;
        }
        Ok(false)
    }

    /// Reads on in a string or key; whether its closing quote is read.
    fn string_text(
        &mut self,
        text: &str,
        spec: &Json,
        plain: &PlainBytes,
    ) -> Result<bool, Unusual> {
        let place = &mut self.place;
        let bytes = text.as_bytes();
        loop {
            let from = place.read;
            let rest = bytes.get(from..).unwrap_or_default();
            place.read += rest.iter().take_while(|byte| plain.holds(**byte)).count();
            if place.streams && place.at == At::InString {
                let more = text.get(from..place.read).unwrap_or_default();
                let certain = more.trim_end_matches(may_follow_string);
                if !certain.is_empty() {
                    place.certain = from + certain.len();
                }
            }
            if place.at == At::InKey && place.read > place.token {
                // A key begins: a number or literal before it has ended.
                place.certain = place.certain.max(place.ended);
            }
            match (bytes.get(place.read), bytes.get(place.read + 1)) {
                (Some(b'"'), _) => {
                    place.read += 1;
                    return Ok(true);
                }
                (None, _) | (Some(b'\\'), None) => return Ok(false),
                (Some(b'\\'), Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => {
                    place.escaped = true;
                    place.read += 2;
                }
                // At the start or after such a run it may be a quote or a fence.
                (Some(b'`'), _) if is_inside_text(text.get(place.token..place.read)) => {
                    place.read += 1;
                }
                (Some(b'\\' | b'`' | 0..b' '), _) => return Err(Unusual),
                _ => match spec.between.set.match_at(text.get(place.read..).unwrap_or_default()) {
                    Anchored::None => place.read += 1,
                    Anchored::Prefix => return Ok(false),
                    Anchored::Marker { .. } => return Err(Unusual),
                },
            }
        }
    }

    /// The string or key before this place is whole.
    fn string_end(&mut self, text: &str, spec: &Json, ctx: &Ctx<'_>) -> Result<(), Unusual> {
        let place = &mut self.place;
        let (from, to) = (place.token, place.read - 1);
        let string = text.get(from..to).ok_or(Unusual)?;
        if place.at == At::InKey {
            place.at = At::Colon;
            if place.escaped {
                return Err(Unusual);
            }
            if self.args.depth() > 0 {
                return self.args.key(string).then_some(()).ok_or(Unusual);
            }
            place.member = spec.keys.member(string, 0);
            return match place.member {
                Member::Name if place.name.is_none() => Ok(()),
                Member::Args if place.name.is_some() && place.args.is_none() => Ok(()),
                _ => Err(Unusual),
            };
        }
        place.at = At::Comma;
        if self.args.depth() > 0 {
            let fits = !place.listed || !place.escaped && self.args.listed(string);
            return fits.then_some(()).ok_or(Unusual);
        }
        let tools = &ctx.request.tools;
        let known = tools.contains(string) || tools.is_empty() && !ctx.rules.names_declared;
        let fits = string.len() <= ctx.request.limits.max_name_bytes && !string.is_empty();
        if place.escaped || !known || !fits {
            return Err(Unusual);
        }
        place.name = Some((from, to));
        Ok(())
    }

    /// The number or literal before this place is whole.
    fn scalar_end(&mut self, text: &str) -> Result<(), Unusual> {
        let place = &mut self.place;
        let wire = text.get(place.token..place.read).ok_or(Unusual)?;
        let kind = match wire {
            "true" => Kind::True,
            "false" => Kind::False,
            "null" => Kind::Null,
            _ if wire.len() <= LONGEST_NUMBER
                && NumberText::new(wire).is_some_and(|number| number.is_json()) =>
            {
                Kind::Number
            }
            _ => return Err(Unusual),
        };
        (place.at, place.ended) = (At::Comma, place.read);
        self.args.scalar(&kind, wire).then_some(()).ok_or(Unusual)
    }

    /// A byte of structure; whether the payload ends with it.
    fn structure(&mut self, at: At, byte: u8, text: &str, ctx: &Ctx<'_>) -> Result<bool, Unusual> {
        let (inside, in_list) = (self.args.depth() > 0, self.args.in_array());
        let place = &mut self.place;
        let closes = match byte {
            b']' => in_list && matches!(at, At::Comma | At::FirstValue),
            b'}' => inside && !in_list && matches!(at, At::Comma | At::FirstKey),
            _ => false,
        };
        if closes {
            return self.close();
        }
        if inside && matches!(at, At::Value | At::FirstValue) {
            return self.value(byte).map(|()| false);
        }
        place.at = match (at, byte) {
            (At::Start, b'{') => At::FirstKey,
            (At::Key | At::FirstKey, b'"') => {
                (place.token, place.escaped) = (place.read + 1, false);
                At::InKey
            }
            (At::Colon, b':') => At::Value,
            (At::Value, b'"') if place.member == Member::Name => {
                (place.token, place.escaped, place.streams) = (place.read + 1, false, false);
                At::InString
            }
            (At::Value, b'{') if place.member == Member::Args => {
                return self.begin_args(text, ctx).map(|()| false);
            }
            (At::Comma, b',') if in_list => At::Value,
            (At::Comma, b',') if inside || place.args.is_none() => At::Key,
            (At::Comma, b'}') if !inside && place.args.is_some() => {
                return self.payload_ends();
            }
            _ => return Err(Unusual),
        };
        Ok(false)
    }

    fn begin_args(&mut self, text: &str, ctx: &Ctx<'_>) -> Result<(), Unusual> {
        let place = &mut self.place;
        let name = match place.name {
            Some((from, to)) => text.get(from..to),
            None => ctx.call.name.as_deref(),
        };
        let schema = name.and_then(|name| ctx.request.tools.schema(name));
        self.args.begin(schema, &policy(ctx.request));
        place.args = Some(place.read);
        (place.sent, place.certain, place.ended) = (place.read, place.read, place.read);
        place.at = At::FirstKey;
        self.args.open(false).then_some(()).ok_or(Unusual)
    }

    /// A value inside the arguments begins.
    fn value(&mut self, byte: u8) -> Result<(), Unusual> {
        let place = &mut self.place;
        place.token = place.read;
        place.at = match byte {
            b'"' => {
                let plan = self.args.string();
                if plan == StringPlan::Unknown {
                    return Err(Unusual);
                }
                place.token += 1;
                (place.escaped, place.listed) = (false, plan == StringPlan::Listed);
                place.streams = !place.listed && !self.args.in_array();
                At::InString
            }
            b'{' | b'[' => {
                let list = byte == b'[';
                if self.args.depth() >= DEEPEST || !self.args.open(list) {
                    return Err(Unusual);
                }
                if list { At::FirstValue } else { At::FirstKey }
            }
            _ if is_scalar(byte) => At::InScalar,
            _ => return Err(Unusual),
        };
        Ok(())
    }

    /// The innermost object or list of the arguments ends; whether the payload does.
    fn close(&mut self) -> Result<bool, Unusual> {
        let place = &mut self.place;
        if !self.args.close() {
            return Err(Unusual);
        }
        place.at = At::Comma;
        if self.args.depth() > 0 {
            return Ok(false);
        }
        place.args_end = place.read + 1;
        if place.args_only { self.payload_ends() } else { Ok(false) }
    }

    /// The payload ends with this byte; whether that is certain.
    fn payload_ends(&mut self) -> Result<bool, Unusual> {
        let place = &mut self.place;
        (place.end, place.end_marker) = (place.read + 1, place.read + 1);
        place.at = At::EndMarker;
        Ok(place.ends_itself)
    }

    /// Whether an end marker or another payload follows, whitespace apart.
    fn end_marker(&mut self, text: &str, spec: &Json) -> Result<bool, Unusual> {
        let place = &mut self.place;
        let mut rest = text.get(place.end_marker..).unwrap_or_default();
        let objects = spec.follow == Follow::Objects && !place.in_list;
        let separator = match rest.as_bytes().first() {
            Some(b',') => objects || place.in_list,
            Some(b';') => objects,
            _ => false,
        };
        if separator {
            place.read = text.len().min(place.end_marker + NEXT_ENTRY);
            let next = rest.get(1..).unwrap_or_default();
            let begins = next_entry(next.get(..NEXT_ENTRY).unwrap_or(next))?;
            if begins {
                place.read = place.end_marker + 1;
            }
            return Ok(begins);
        }
        if let Some(after) = rest.strip_prefix(']').filter(|_| place.in_list) {
            rest = after.trim_start_matches(is_whitespace_char);
            if after.len() - rest.len() > NEXT_ENTRY {
                return Err(Unusual);
            }
        }
        place.read = text.len().min(place.end_marker + spec.between.set.longest());
        match spec.between.set.match_at(rest) {
            Anchored::Marker { id, len, may_grow: false } if spec.between.role(id).closes() => {
                place.read = text.len() - rest.len() + len;
                Ok(true)
            }
            Anchored::Prefix | Anchored::Marker { .. } => Ok(false),
            Anchored::None => Err(Unusual),
        }
    }

    /// The stream ends: whether the payload is whole, and nothing but the end of its list stands after it.
    pub(super) fn finish(&mut self, unread: &mut String, ctx: &mut Ctx<'_>) -> bool {
        let source = std::mem::take(&mut self.source);
        let place = &self.place;
        let after = source.get(place.end..).unwrap_or_default().trim_matches(is_whitespace_char);
        let whole = place.at == At::EndMarker
            && (after.is_empty() || after == "]" && place.in_list)
            && self.send(&source, true, ctx).is_ok();
        if whole {
            self.close_payload(&source, source.len(), unread, ctx);
        } else {
            self.source = source;
        }
        whole
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        self.examined
    }
}

/// Whether the request wants nothing but the arguments as they are, and its limits are no closer than those
/// here.
fn is_for(ctx: &Ctx<'_>) -> bool {
    let (policies, limits, emit) = (&ctx.request.policies, &ctx.request.limits, ctx.out.emit);
    let plain = !(ctx.wants_source() || emit.raw || emit.field) && policies.deny_keys.is_empty();
    let wide = limits.max_held_bytes >= MOST && limits.max_keys >= MOST;
    plain && wide && limits.max_depth > DEEPEST + 1
}

/// Where a closing quote is missing, these signs may stand after the string.
const fn may_follow_string(sign: char) -> bool {
    matches!(sign, ' ' | '\t' | '\n' | '\r' | ',' | '}' | ']')
}

/// Whether another entry of a list begins after its comma; in vain where too much whitespace comes first.
fn next_entry(text: &str) -> Result<bool, Unusual> {
    let mut rest = text;
    for sign in ['{', '"'] {
        rest = rest.trim_start_matches(is_whitespace_char);
        if rest.is_empty() {
            return if text.len() < NEXT_ENTRY { Ok(false) } else { Err(Unusual) };
        }
        rest = rest.strip_prefix(sign).ok_or(Unusual)?;
    }
    Ok(true)
}

/// Whether what stands after this part of a string is in the midst of its text.
fn is_inside_text(before: Option<&str>) -> bool {
    before.is_some_and(|text| !text.is_empty() && !text.ends_with(may_follow_string))
}

const fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_whitespace_char(c: char) -> bool {
    u8::try_from(c).is_ok_and(is_whitespace)
}

const fn is_scalar(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'E' | b'a'..=b'z')
}
