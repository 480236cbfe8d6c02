//! Members of a call object that are none of its own: neither its name, its arguments, its id nor its
//! type, or that the tool declares as parameters of such a name.
//!
//! Where the tool declares none of them they are ignored. Where there is no key for the arguments and
//! it declares all of them, they are the arguments. Anything else has two readings (policy 31): also an object under
//! a key that resembles one of arguments, where there are none.

use toolweir_rjson::{Kind, Token, write_string};
use toolweir_schema_coerce::Member as Property;
use toolweir_segments::Span;

use super::{ArgsState, CallReader};
use crate::diagnostics::{
    AMBIGUOUS_CALL, BAD_ARGUMENTS, FLAT_ARGUMENTS, IGNORED_MEMBER, LIMIT_HELD,
};
use crate::engine::{Ctx, Fault, Result, shown};
use crate::program::Keys;
use crate::wording::nearness;

/// The member that says what kind of object it is, and what it says.
pub(super) const TYPE: &str = "type";
const FUNCTION: &str = "\"function\"";

/// Keys that a message names at most.
const SHOWN: usize = 8;

/// The members so far.
#[derive(Debug, Default)]
pub(in super::super) struct Strays {
    members: Vec<Stray>,
    /// The value of the last one is being read, and it is kept.
    open: bool,
    /// Bytes of the values that are kept.
    bytes: usize,
    /// Keys with a role that the arguments have of their own.
    given: Vec<String>,
}

#[derive(Debug)]
struct Stray {
    key: String,
    /// Its value, where it may be an argument.
    json: String,
    /// Call objects have a member of this name: it is one unless the tool declares it.
    role: bool,
    /// Its value is an object, and its key may be one of arguments, misspelled.
    misspelled: bool,
    /// It stands before the name under a key for the arguments: a parameter of that name, if the tool declares
    /// one, or else the arguments.
    arguments: bool,
}

impl Strays {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether the value of one is being read.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    pub(super) fn close(&mut self) {
        self.open = false;
    }

    /// The value of the last one is an object.
    pub(super) fn holds_object(&mut self, keys: &Keys) {
        if let Some(member) = self.members.last_mut() {
            let key = member.key.to_ascii_lowercase();
            member.misspelled = keys.args.iter().any(|known| nearness(&key, known).is_some());
        }
    }

    /// Whether a value is being read that may be the arguments.
    pub(in super::super) fn holds_arguments(&self) -> bool {
        self.open && self.members.last().is_some_and(|member| member.arguments)
    }

    /// The value that is being read is the arguments.
    pub(in super::super) fn drop_arguments(&mut self) {
        self.members.pop();
        self.open = false;
    }

    /// A key of the arguments object.
    pub(super) fn give(&mut self, key: &str) {
        self.given.push(key.to_owned());
    }
}

/// Whether the tool of the open call declares the parameter; none: the tool is not known yet.
pub(super) fn declares(key: &str, ctx: &Ctx<'_>) -> Option<bool> {
    let name = ctx.call.name.as_ref()?;
    let member = ctx.request.tools.schema(name).map(|schema| schema.root().member(key));
    Some(matches!(member, Some(Property::Declared(_))))
}

/// Whether the tool of the open call may have arguments.
fn takes_arguments(ctx: &Ctx<'_>) -> bool {
    let name = ctx.call.name.as_deref().unwrap_or_default();
    ctx.request
        .tools
        .schema(name)
        .is_none_or(|schema| schema.root().property_names().next().is_some())
}

impl CallReader {
    /// A member that is none of the call's, or that may be an argument although its key has a `role`.
    pub(super) fn stray(&mut self, key: &str, role: bool, ctx: &Ctx<'_>) {
        let declared = declares(key, ctx);
        if role && declared == Some(false) {
            return;
        }
        self.strays.open = declared != Some(false);
        let key = key.to_owned();
        let (json, misspelled, arguments) = (String::new(), false, false);
        self.strays.members.push(Stray { key, json, role, misspelled, arguments });
    }

    /// A value under a key for the arguments that is no object: may it be an argument of that name?
    pub(super) fn stray_argument(&mut self, ctx: &Ctx<'_>) -> bool {
        let declared = declares(&self.args_key, ctx);
        if declared != Some(false) {
            let key = self.args_key.clone();
            self.stray(&key, true, ctx);
            if let Some(member) = self.strays.members.last_mut() {
                member.arguments = declared.is_none();
            }
        }
        declared != Some(false)
    }

    /// Keeps what the token adds to the open member.
    pub(super) fn keep_stray(&mut self, token: &Token<'_>, limit: usize) {
        let at_member = self.depth == self.level;
        match token.kind {
            Kind::Key(_) | Kind::Colon | Kind::Whitespace if at_member => {}
            Kind::Comma if at_member => self.strays.close(),
            Kind::ObjectEnd | Kind::ArrayEnd if self.depth < self.level => self.strays.close(),
            // C3: how much comes at once depends on the chunk, so the limit counts at the end.
            _ if self.strays.bytes <= limit => {
                self.strays.bytes += token.wire.len();
                if let Some(member) = self.strays.members.last_mut() {
                    member.json.push_str(token.wire);
                }
            }
            _ => {}
        }
    }

    /// Whether any of them may be an argument.
    pub(super) fn has_doubt(&self, ctx: &Ctx<'_>) -> bool {
        self.strays.members.iter().any(|stray| stray.arguments || self.is_argument(stray, ctx))
    }

    fn is_argument(&self, stray: &Stray, ctx: &Ctx<'_>) -> bool {
        let role = stray.role && (stray.json == FUNCTION || self.strays.given.contains(&stray.key));
        !role && declares(&stray.key, ctx) == Some(true)
    }

    /// The object is closed: what becomes of them. True: they were the arguments.
    pub(super) fn resolve_strays(&mut self, ctx: &mut Ctx<'_>) -> Result<bool> {
        let (own, others): (Vec<&Stray>, Vec<&Stray>) =
            self.strays.members.iter().partition(|stray| self.is_argument(stray, ctx));
        let has_text = |stray: &&Stray| !stray.json.trim_matches('"').trim().is_empty();
        if others.iter().filter(|stray| stray.arguments).any(has_text) {
            return Err(Fault::new(BAD_ARGUMENTS, "the arguments of the call are not an object"));
        }
        let ignored: Vec<&Stray> = others.into_iter().filter(|stray| !stray.role).collect();
        let flat = self.args == ArgsState::Missing && !own.is_empty();
        if !own.is_empty() && ctx.refuses_guesses() {
            let beside = match (flat, ignored.is_empty()) {
                (true, true) => None,
                (true, false) => Some("others of its members are none"),
                (false, _) => Some("it gives arguments as well"),
            };
            if let Some(beside) = beside {
                let message = format!(
                    "the call object has members named like parameters of the tool ({}), but {beside}",
                    list(&own)
                );
                return Err(Fault::new(AMBIGUOUS_CALL, message));
            }
        }
        if self.args == ArgsState::Missing
            && ignored.iter().any(|stray| stray.misspelled)
            && takes_arguments(ctx)
            && ctx.refuses_guesses()
        {
            let message = "the arguments may stand under a misspelled key";
            return Err(Fault::new(AMBIGUOUS_CALL, message));
        }
        let ignored = if flat { ignored } else { own.iter().copied().chain(ignored).collect() };
        if !ignored.is_empty() {
            let message = format!("members of the call object were ignored: {}", list(&ignored));
            ctx.note(IGNORED_MEMBER, Span::empty(ctx.out.at), &message);
        }
        if !flat {
            return Ok(false);
        }
        if self.strays.bytes > ctx.request.limits.max_held_bytes {
            let message = "arguments that are members of the call object are longer than the limit";
            return Err(Fault::new(LIMIT_HELD, message));
        }
        let message = format!("members of the call object are its arguments: {}", list(&own));
        ctx.note(FLAT_ARGUMENTS, Span::empty(ctx.out.at), &message);
        let mut document = String::from("{");
        for (at, stray) in own.iter().enumerate() {
            document.push_str(if at > 0 { "," } else { "" });
            write_string(&mut document, &stray.key);
            document.push(':');
            document.push_str(&stray.json);
        }
        document.push('}');
        (ctx.call.repaired, ctx.call.noted) = (true, true);
        ctx.source_args(&document);
        self.document(&document, ctx)?;
        Ok(true)
    }
}

/// The keys, for a message.
fn list(strays: &[&Stray]) -> String {
    let keys: Vec<String> =
        strays.iter().take(SHOWN).map(|stray| format!("`{}`", shown(&stray.key))).collect();
    let more = if strays.len() > SHOWN { ", ..." } else { "" };
    keys.join(", ") + more
}
