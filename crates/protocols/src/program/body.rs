//! What shows that an opening tag which names a tool begins a call: the grammar of its body.
//!
//! Such a tag may as well be mentioned in a text. So its header does not end at its `>`: it goes on
//! until the body has shown itself, and the payload is read from after the tag all the same. What
//! only the closing tag of the tool can tell from text is looked for within a bound.

use toolweir_rjson::{Object, Value};
use toolweir_schema_coerce::{Member, Schema};

use super::code::{Ahead, Argument, Code, Exit, Op, Same, Slot};

/// The property that a body of plain text fills.
pub(crate) const MESSAGE: &str = "message";

/// Signs that a YAML body may begin with where it does not begin with a key.
const YAML_SIGNS: [char; 13] = ['#', '{', '[', '"', '\'', '?', '&', '!', '%', '-', '|', '>', '*'];

/// How the bodies of the tools' elements are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// As elements; `repair`: a body may be plain text, or stand inside the tag of its call.
    Elements {
        repair: bool,
    },
    Yaml,
    /// As parameters of a pattern that begin with the tag of their key. Tags are read as they are spelled.
    Params,
}

impl Body {
    /// What a body inside its tag begins with, where one may stand there.
    pub(super) fn inside(self) -> Option<Argument> {
        match self {
            Self::Elements { repair } => repair.then_some(Argument::Element { any: false }),
            Self::Yaml => Some(Argument::Key { any: false }),
            Self::Params => None,
        }
    }
}

/// Whether a tool takes a body of plain text: its string property `message` is all that it requires.
pub(crate) fn takes_text(schema: &Schema) -> bool {
    let Member::Declared(node) = schema.root().member(MESSAGE) else { return false };
    let mut example = Object::new();
    example.insert(MESSAGE.to_owned(), Value::from("text"));
    let takes = node.is_untyped() || node.allows_string();
    takes && schema.root().validate(&Value::Object(example)).is_ok()
}

impl Code {
    /// The lookahead after the opening tag of a tool; its payload begins here.
    pub(super) fn body(&mut self, body: Body, exit: Exit) {
        self.push(Op::Mark);
        match body {
            Body::Elements { repair } => self.element_body(repair, exit),
            Body::Yaml => self.yaml_body(exit),
            Body::Params => self.params_body(exit),
        }
    }

    fn params_body(&mut self, exit: Exit) {
        self.space();
        self.push(Op::Char('<'));
        self.alternatives(&[
            &|code| code.extend([Op::Argument(Argument::Element { any: true }), Op::Exit(exit)]),
            &|code| {
                let own = Same { slot: Slot::Name, fold: false };
                code.extend([Op::Char('/'), Op::Same(own), Op::Char('>'), Op::Exit(exit)]);
            },
        ]);
    }

    fn element_body(&mut self, repair: bool, exit: Exit) {
        if repair {
            self.optional(|code| code.push(Op::Whole(exit)));
        }
        self.space();
        self.push(Op::Char('<'));
        self.alternatives(&[
            &|code| code.extend([Op::Argument(Argument::Element { any: true }), Op::Exit(exit)]),
            &|code| code.own_closing_tag(exit),
            // Another element or an element around all of them, a comment, a section, a declaration.
            &|code| code.extend([Op::Closes { elements: true }, Op::Exit(exit)]),
        ]);
    }

    fn yaml_body(&mut self, exit: Exit) {
        self.space();
        let sign = |code: &mut Self| {
            code.join(YAML_SIGNS, false, |code, sign| code.push(Op::Char(sign)));
            code.extend([Op::Closes { elements: false }, Op::Exit(exit)]);
        };
        self.alternatives(&[
            &|code| {
                code.extend([Op::Quote, Op::Argument(Argument::Key { any: true })]);
                code.push(Op::Ahead(Ahead::Space, exit));
            },
            &|code| {
                code.push(Op::Char('<'));
                code.alternatives(&[
                    &|code| code.own_closing_tag(exit),
                    &|code| {
                        code.extend([
                            Op::Argument(Argument::Element { any: false }),
                            Op::Exit(exit),
                        ]);
                    },
                    &|code| code.extend([Op::Closes { elements: false }, Op::Exit(exit)]),
                ]);
            },
            &|code| {
                code.extend([
                    Op::Argument(Argument::AnyKey),
                    Op::Closes { elements: false },
                    Op::Exit(exit),
                ])
            },
            &sign,
        ]);
    }

    /// The rest of the closing tag of the tool, after its `<`.
    fn own_closing_tag(&mut self, exit: Exit) {
        self.extend([Op::Space, Op::Char('/')]);
        self.space();
        self.push(Op::Same(Same { slot: Slot::Name, fold: true }));
        self.space();
        self.extend([Op::Char('>'), Op::Exit(exit)]);
    }

    /// Ways to go on, the preferred one first; each ends the header.
    pub(super) fn alternatives(&mut self, compile: &[&dyn Fn(&mut Self)]) {
        self.fork(compile, |code, compile| compile(code));
    }
}
