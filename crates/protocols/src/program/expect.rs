//! What a damaged payload is expected to be: a call object, a list of them, or the arguments of a tool.

use std::sync::Arc;

use toolweir_rjson::{Expect, Follow, Kinds, Member, Shape};

use super::Keys;
use crate::spec::BareArgs;

/// The shapes of a call object.
const CALL: usize = 0;
const TEXT: usize = 1;
const ARGS: usize = 2;
const LIST: usize = 3;
const CARRIER: usize = 4;
const NAME_OR_CALL: usize = 5;

/// What a call is, by itself and as the first of a list.
#[derive(Debug)]
pub(crate) struct CallShapes {
    alone: Expect,
    listed: Expect,
}

impl CallShapes {
    pub(super) fn new(keys: &Keys, follow: Follow, markers: &Arc<[String]>) -> Self {
        let of =
            |in_list| of_call(keys, in_list).with_follow(follow).with_markers(Arc::clone(markers));
        Self { alone: of(false), listed: of(true) }
    }

    pub(crate) fn of(&self, in_list: bool) -> Expect {
        if in_list { self.listed.clone() } else { self.alone.clone() }
    }
}

/// What a payload of these keys is. The arguments are known once the name is.
fn of_call(keys: &Keys, in_list: bool) -> Expect {
    let texts = keys.name.iter().filter(|key| !keys.wrappers.contains(key)).chain(&keys.id);
    let of = |shape| move |key: &String| Member::optional(key, shape);
    let both = keys.name.iter().filter(|key| keys.wrappers.contains(key));
    let call = texts.map(of(TEXT)).chain(keys.args.iter().map(of(ARGS)));
    let call = call.chain(both.map(of(NAME_OR_CALL))).chain(keys.wrappers.iter().map(of(CALL)));
    let call = call.chain([Member::optional("type", TEXT)]);
    let carrier = keys.text.iter().map(of(TEXT)).chain(keys.wrappers.iter().map(of(CALL)));
    let expect = Expect::new([
        Shape::object(call),
        Shape::new(Kinds::STRING.with(Kinds::NUMBER).with(Kinds::NULL)),
        Shape::new(match keys.bare_args {
            BareArgs::Refuse => Kinds::ANY.with(Kinds::EMBEDDED),
            _ => Kinds::ANY,
        }),
        Shape::array(CALL),
        Shape::object(carrier),
        Shape::new(Kinds::STRING.with(Kinds::OBJECT)),
    ]);
    if keys.keyed {
        return Expect::anything();
    }
    let root = match (in_list, keys.text.is_empty()) {
        (true, _) => LIST,
        (false, true) => CALL,
        (false, false) => CARRIER,
    };
    expect.with_root(root)
}
