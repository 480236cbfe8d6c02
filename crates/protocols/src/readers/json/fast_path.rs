//! The fast path of nearly all calls: strict JSON whose arguments fit their schema as they stand.
//!
//! It reads ahead of the reader that knows what to do about damage, and sends the name and the arguments
//! as early as that reader would or later. At the first byte that is anything but the plainest way to write
//! a call, that reader reads the payload from its beginning; what has gone out already is matched with what
//! it says ([`Ahead`](crate::engine::Ahead)) and is not sent again. So the fast path decides nothing: it
//! cannot know a call that the other reader does not know.
//!
//! Long payloads are left to the other reader, so that little is kept and little is read twice.

mod scan;

use toolweir_schema_coerce::Verbatim;

use super::super::coercion::policy;
use crate::engine::{Ahead, Backoff, Ctx, FloorBoundary, Result, is_whitespace};
use crate::meter::Meter;
use crate::program::{Grown, Json, Member};

/// Bytes of a payload that are read here.
const MOST: usize = 2 << 10;
/// Bytes of a payload that there is room for at first.
const FIRST_SOURCE: usize = 256;
/// Containers inside one another in arguments that are read here.
const DEEPEST: usize = 16;

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
    pub(super) on: bool,
    backoff: Backoff,
    /// The payload so far, where it did not come at once.
    source: String,
    place: Place,
    args: Verbatim,
    examined: Meter,
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
    grown: Grown,
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
        in_list: bool,
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
        if self.args.is_open() {
            // The payload before was left.
            self.args.begin(None, &policy(ctx.request));
        }
        let args_only = keys.args_only;
        self.place = Place { args_only, in_list, ends_itself, ..Place::default() };
        if args_only {
            self.place.member = Member::Args;
            self.place.at = At::Value;
        }
        true
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
        let (now, later) = input.split_up_to(room);
        let text = if before == 0 {
            now
        } else {
            source.push_str(now);
            source.as_str()
        };
        let begun = self.place.read;
        let scanned = self.scan(text, spec, ctx);
        self.examined.add(self.place.read.saturating_sub(begun) as u64);
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
                    source.reserve(FIRST_SOURCE.max(now.len()));
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
        let next = again == place.end;
        ctx.call.end_marker =
            Some(if next { place.grown.after(place.end) } else { Grown::default() });
        unread.push_str(text.get(place.end..again).unwrap_or_default());
        again - before
    }

    /// Leaves the payload to the other reader: what was taken, which it must read again, and whether it is
    /// an entry of a list. What has gone out is noted in the call.
    pub(super) fn leave(&mut self, ctx: &mut Ctx<'_>) -> (String, bool) {
        self.on = false;
        self.backoff.miss();
        let source = std::mem::take(&mut self.source);
        let place = &self.place;
        let name = if place.args_only { None } else { ctx.take_name() };
        let sent = place.args.and_then(|at| source.get(at..place.sent)).unwrap_or_default();
        ctx.call.ahead = Ahead::new(name, sent);
        (source, place.in_list)
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

    /// The stream ends: whether the payload is whole, and nothing but the end of its list stands after it.
    pub(super) fn finish(&mut self, unread: &mut String, ctx: &mut Ctx<'_>) -> bool {
        let source = std::mem::take(&mut self.source);
        let place = &self.place;
        let after = source.get(place.end..).unwrap_or_default().trim_matches(is_whitespace);
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
        self.examined.bytes()
    }
}

/// Whether the request wants nothing but the arguments as they are, and its limits are no tighter than those
/// here.
fn is_for(ctx: &Ctx<'_>) -> bool {
    let (policies, limits, emit) = (&ctx.request.policies, &ctx.request.limits, ctx.out.emit);
    let plain = !(ctx.wants_source() || emit.raw || emit.field) && policies.deny_keys.is_empty();
    let wide = limits.max_held_bytes >= MOST && limits.max_keys >= MOST;
    plain && wide && ctx.call.refused.is_none() && limits.max_depth > DEEPEST + 1
}
