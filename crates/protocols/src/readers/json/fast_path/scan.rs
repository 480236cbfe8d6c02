//! What the bytes of a payload are to the fast path: strings, scalars, structure, and what ends it.

use toolweir_markers::Anchored;
use toolweir_rjson::{Follow, Kind, NumberText, PlainBytes, may_follow_string};
use toolweir_schema_coerce::StringPlan;

use super::{At, DEEPEST, FastPath, Place, Unusual};
use crate::engine::{Ctx, Result, is_whitespace};
use crate::program::{Json, Member};
use crate::readers::coercion::policy;

/// Whitespace after an entry of a list that is looked through for what follows.
const NEXT_ENTRY: usize = 64;
/// Characters of a number that is read here.
const LONGEST_NUMBER: usize = 32;

impl FastPath {
    /// Reads on; whether the payload ends.
    pub(super) fn scan(&mut self, text: &str, spec: &Json, ctx: &Ctx<'_>) -> Result<bool, Unusual> {
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
                    if is_whitespace(char::from(byte))
                        && self.place.end_marker == self.place.read =>
                {
                    self.place.end_marker += 1;
                }
                At::EndMarker => return self.end_marker(text, spec),
                At::InScalar if is_scalar(byte) => {}
                At::InScalar => {
                    self.scalar_end(text)?;
                    continue;
                }
                _ if is_whitespace(char::from(byte)) => {}
                at => {
                    if self.structure(at, byte, ctx)? {
                        return Ok(true);
                    }
                    if matches!(self.place.at, At::Key | At::FirstKey) {
                        self.place.take_key(bytes);
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
            place.take_colon(text.as_bytes());
            if place.escaped {
                return Err(Unusual);
            }
            if self.args.is_open() {
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
        if self.args.is_open() {
            let fits = !place.listed || !place.escaped && self.args.listed(string);
            return fits.then_some(()).ok_or(Unusual);
        }
        let tools = &ctx.request.tools;
        let schema = tools.schema(string);
        let known = schema.is_some() || tools.is_empty() && !ctx.rules.names_declared;
        let fits = string.len() <= ctx.request.limits.max_name_bytes && !string.is_empty();
        if place.escaped || !known || !fits {
            return Err(Unusual);
        }
        place.name = Some((from, to));
        self.args.begin(schema, &policy(ctx.request));
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
    fn structure(&mut self, at: At, byte: u8, ctx: &Ctx<'_>) -> Result<bool, Unusual> {
        let (inside, in_list) = (self.args.is_open(), self.args.in_array());
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
                place.begin_key();
                return Ok(false);
            }
            (At::Colon, b':') => At::Value,
            (At::Value, b'"') if place.member == Member::Name => {
                (place.token, place.escaped, place.streams) = (place.read + 1, false, false);
                At::InString
            }
            (At::Value, b'{') if place.member == Member::Args => {
                return self.begin_args(ctx).map(|()| false);
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

    fn begin_args(&mut self, ctx: &Ctx<'_>) -> Result<(), Unusual> {
        let place = &mut self.place;
        if place.args_only {
            let schema = ctx.call.name.as_deref().and_then(|name| ctx.request.tools.schema(name));
            self.args.begin(schema, &policy(ctx.request));
        }
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
        if self.args.is_open() {
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
            rest = after.trim_start_matches(is_whitespace);
            if after.len() - rest.len() > NEXT_ENTRY {
                return Err(Unusual);
            }
        }
        place.read = text.len().min(place.end_marker + spec.between.set.longest());
        let at = text.len() - rest.len();
        match spec.between.match_grown(rest, at, &mut place.grown) {
            Anchored::Marker { id, len, may_grow: false } if spec.between.role(id).closes() => {
                place.read = at + len;
                Ok(true)
            }
            Anchored::Prefix | Anchored::Marker { .. } => Ok(false),
            Anchored::None => Err(Unusual),
        }
    }
}

impl Place {
    /// After a key: takes its colon, and a space, if they have come.
    fn take_colon(&mut self, bytes: &[u8]) {
        self.at = At::Colon;
        if bytes.get(self.read) == Some(&b':') {
            (self.at, self.read) = (At::Value, self.read + 1);
            self.read += usize::from(bytes.get(self.read) == Some(&b' '));
        }
    }

    /// Before a key, at what it comes after: goes to its quote, if that has come, at most a space before it.
    fn take_key(&mut self, bytes: &[u8]) {
        let quote = match bytes.get(self.read + 1) {
            Some(b' ') => self.read + 2,
            _ => self.read + 1,
        };
        if bytes.get(quote) == Some(&b'"') {
            self.read = quote;
            self.begin_key();
        }
    }

    /// A key begins after the quote that comes next.
    fn begin_key(&mut self) {
        (self.at, self.token, self.escaped) = (At::InKey, self.read + 1, false);
    }
}

/// Whether another entry of a list begins after its comma; in vain where too much whitespace comes first.
fn next_entry(text: &str) -> Result<bool, Unusual> {
    let mut rest = text;
    for sign in ['{', '"'] {
        rest = rest.trim_start_matches(is_whitespace);
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

const fn is_scalar(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'E' | b'a'..=b'z')
}
