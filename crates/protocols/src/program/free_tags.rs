//! Tags that are read freely, as headers: how models that were trained on `<function=NAME>` name a
//! call.
//!
//! A tag that names the call opens it at once. Every other way to name it is a model's mistake: there
//! the tool must be declared, if any is, and a tag of the call must follow, where its payload begins.

use super::code::{Ahead, Code, Exit, Found, Op, Same, Shape, Slot, TagName, Usual};
use super::forms::{Among, Form, Forms, Lead, Opener};
use super::table::{LEAD, leads};
use super::words::Words;

/// Elements whose text is a name.
const NAME_WORDS: [&str; 2] = ["name", "tool_name"];

/// A place in the code.
type At = usize;

/// The tag of a word.
struct WordTag {
    word: String,
    /// Where its word begins in the code.
    at: At,
    /// What usually follows the word, and where the code goes on then.
    usual: Option<Usual>,
}

impl Forms {
    /// Lowers the headers of tags. `object`: what reads a call object in the wrapper.
    pub(super) fn lower_tags(&mut self, words: &Words, object: usize) {
        let first = self.forms.len();
        let form = |word: &str, shape| Form { word: Some(word.to_owned()), shape, ..Form::of(0) };
        self.forms.push(form("", Shape::Enclosed));
        for word in &words.call {
            self.forms.extend([form(word, Shape::Enclosed), form(word, Shape::Empty)]);
        }
        self.forms.push(Form::of(object));
        let mut tags = Tags { code: &mut self.code, words, first };
        let (wraps, calls) = tags.openers();
        let mut closing = |word: &String, call| WordTag {
            word: word.clone(),
            at: tags.closing(word, call),
            usual: None,
        };
        let mut end_markers: Vec<_> = words.wrap.iter().map(|word| closing(word, false)).collect();
        end_markers.extend(words.call.iter().map(|word| closing(word, true)));
        self.add_leads("<", Among::Text, wraps.iter().chain(&calls));
        self.add_leads("<", Among::Reasoning, wraps.iter());
        self.add_leads("</", Among::Unframed, end_markers.iter());
    }

    /// The beginnings of the tags of these words, whose places in the code are known.
    fn add_leads<'a>(
        &mut self,
        before: &str,
        among: Among,
        words: impl Iterator<Item = &'a WordTag>,
    ) {
        let from = self.leads.len();
        for WordTag { word, at, usual } in words {
            let lead = word.chars().take(LEAD);
            let (spelled, entry) = (leads(before, &[word]), at + lead.clone().count());
            let mut own = self.leads.iter_mut().skip(from);
            match own.find(|lead| lead.spelled == spelled) {
                Some(lead) => lead.opener.entries.push(entry),
                None => {
                    let rest = word.get(lead.map(char::len_utf8).sum()..).unwrap_or_default();
                    let usual = usual.as_ref().map(|usual| {
                        let text = format!("{rest}{}", usual.text);
                        self.code.usual.push(Usual { text, at: usual.at });
                        self.code.usual.len() - 1
                    });
                    let closes = before == "</";
                    let opener = Opener { closes, usual, ..Opener::new(before, entry) };
                    self.leads.push(Lead { spelled, opener, among });
                }
            }
        }
    }
}

/// Lowers the tags of some words. What a block of code goes on with is lowered before it.
struct Tags<'a> {
    code: &'a mut Code,
    words: &'a Words,
    /// The form of a call without a word; two of each word follow it, the second of a tag that closes
    /// itself; then that of an object.
    first: usize,
}

impl Tags<'_> {
    /// Where the tags that open wrappers and calls begin.
    fn openers(&mut self) -> (Vec<WordTag>, Vec<WordTag>) {
        let words = self.words;
        let calls = |tags: &mut Self, section, commits: TagName| {
            let mut after = Vec::new();
            for word in 0..words.call.len() {
                after.push(tags.after_name(section, Some(word), &[]));
            }
            let mut calls = Vec::new();
            for (word, after) in after.iter().enumerate() {
                let unnamed = tags.unnamed(word, section, *after);
                calls.push(tags.call(word, section, Some(unnamed), commits));
            }
            (after, calls)
        };
        let name = TagName { slot: Slot::Name, commits: true, declared: false, empty: 0 };
        // In prose a tag that closes itself is only believed where the tool is declared.
        let (_, in_text) = calls(self, false, TagName { declared: true, ..name });
        let (after, in_wrap) = calls(self, true, name);
        let bare = self.after_name(true, None, &after);
        let call = words.call.iter().zip(&in_wrap).next();
        let usual = call.map(|(word, (_, at))| Usual { text: format!(">\n<{word}="), at: *at });
        let in_wrap = in_wrap.iter().map(|(tag, _)| *tag).collect();
        let content = self.content(in_wrap, &after, bare);
        let name = self.name(TagName { slot: Slot::Claim, commits: false, ..name }, bare);
        let ways = vec![self.attribute(name), self.after(">", content)];
        let mut wraps = Vec::new();
        for word in &words.wrap {
            let (word, at) = (word.clone(), self.tag(word, ways.clone()));
            wraps.push(WordTag { word, at, usual: usual.clone() });
        }
        let call = |(word, (at, name)): (&String, (At, At))| {
            let usual = Some(Usual { text: "=".to_owned(), at: name });
            WordTag { word: word.clone(), at, usual }
        };
        (wraps, words.call.iter().zip(in_text).map(call).collect())
    }

    /// What follows the tag of the wrapper.
    fn content(&mut self, calls: Vec<At>, after: &[At], bare: At) -> At {
        let words = self.words;
        let calls = self.block([Op::Char('<'), Op::Space, Op::Fork(calls)]);
        let mut ways = vec![calls, self.name_elements(bare)];
        for (word, after) in words.call.iter().zip(after) {
            let mut ops = fold(word);
            ops.extend([Op::Char('='), Op::Space, Op::Quote]);
            ops.extend(Op::bare_hole(Slot::Claim));
            ops.extend([Op::Quote, Op::Space, Op::Known { any: false }, Op::Jump(*after)]);
            ways.push(self.block(ops));
        }
        ways.push(self.block([Op::Declared(Slot::Claim), Op::Jump(bare)]));
        let form = self.first + 1 + 2 * words.call.len();
        let exit = |found| Exit { form, found, section: false };
        ways.push(self.block([Op::Tools, Op::Ahead(Ahead::Object, exit(Found::Payload))]));
        ways.push(self.block([Op::Tools]));
        self.code.call_list(&[], exit);
        self.block([Op::Space, Op::Fork(ways)])
    }

    /// After a name: what shows that it is one, or the tag of the call that says it again. `bare`:
    /// after the tag of a call without a name, by its word.
    fn after_name(&mut self, section: bool, word: Option<usize>, bare: &[At]) -> At {
        let words = self.words;
        let form = self.first + word.map_or(0, |word| 1 + 2 * word);
        let exit = self.block([Op::Exit(Exit { form, found: Found::Payload, section })]);
        let closed = self.block(text(">", exit));
        let ends = vec![closed, self.block(text("/>", exit))];
        let name = TagName { slot: Slot::Key, commits: false, declared: false, empty: 0 };
        let name = self.name(name, exit);
        let param = vec![
            self.after("=", name),
            self.attribute(name),
            self.after(">", exit),
            self.after("/>", exit),
        ];
        let mut ways: Vec<At> = Vec::new();
        for word in &words.param {
            ways.push(self.tag(word, param.clone()));
        }
        let end = self.after(">", exit);
        let mut closing = Vec::new();
        for word in words.call.iter().chain(&words.wrap) {
            closing.push(self.tag(word, vec![end]));
        }
        closing.push(
            self.block([Op::Same(Same { slot: Slot::Claim, fold: false }), Op::Jump(closed)]),
        );
        ways.push(self.block([Op::Char('/'), Op::Space, Op::Fork(closing)]));
        ways.push(self.block([Op::Property, Op::Fork(ends)]));
        let payload = self.block([Op::Mark, Op::Char('<'), Op::Space, Op::Fork(ways)]);
        let name = TagName { slot: Slot::Name, commits: false, declared: false, empty: 0 };
        let mut calls = Vec::new();
        for word in 0..words.call.len() {
            let (call, _) = self.call(word, section, bare.get(word).copied(), name);
            calls.push(call);
        }
        let call = self.block([Op::Char('<'), Op::Space, Op::Fork(calls)]);
        self.block([Op::Space, Op::Fork(vec![payload, call])])
    }

    /// The tag of a call, and its name in it; `unnamed`: what follows one that names nothing.
    fn call(&mut self, word: usize, section: bool, unnamed: Option<At>, name: TagName) -> (At, At) {
        let words = self.words;
        let form = self.first + 1 + 2 * word;
        let exit = |form| Op::Exit(Exit { form, found: Found::Payload, section });
        let empty = self.block([exit(form + 1)]);
        let name = self.block([Op::TagName(TagName { empty, ..name }), exit(form)]);
        let mut ways = vec![self.after("=", name), self.attribute(name)];
        ways.extend(unnamed.map(|to| self.after(">", to)));
        (self.tag(words.call.get(word).map_or("", String::as_str), ways), name)
    }

    /// After the tag of a call without a name: an element that holds it, or, in a wrapper, its text.
    fn unnamed(&mut self, word: usize, section: bool, then: At) -> At {
        let words = self.words;
        let mut ways = vec![self.name_elements(then)];
        if let Some(word) = words.call.get(word).filter(|_| section) {
            ways.push(self.element(word, true, then));
        }
        self.block([Op::Space, Op::Fork(ways)])
    }

    fn name_elements(&mut self, then: At) -> At {
        let mut ways = Vec::new();
        for word in NAME_WORDS {
            let text_at = self.element(word, false, then);
            let ends = vec![self.block(text(">", text_at)), self.block(text("/>", text_at))];
            ways.push(self.tag(word, ends));
        }
        self.block([Op::Char('<'), Op::Space, Op::Fork(ways)])
    }

    /// The text of an element, which is a name, and its closing tag.
    fn element(&mut self, word: &str, spaced: bool, then: At) -> At {
        let mut ops = vec![Op::Space];
        ops.extend(Op::bare_hole(Slot::Claim));
        ops.extend([Op::Char('<'), Op::Space, Op::Char('/'), Op::Space]);
        ops.extend(fold(word));
        ops.extend(spaced.then_some(Op::Space));
        ops.extend([Op::Known { any: true }, Op::Jump(then)]);
        self.block(ops)
    }

    /// A closing tag where none is due.
    fn closing(&mut self, word: &str, call: bool) -> At {
        let exit = Exit { form: 0, found: Found::EndMarker, section: !call };
        let exit = self.block([Op::Exit(exit)]);
        let end = self.after(">", exit);
        self.tag(word, vec![end])
    }

    /// A tag from its word on.
    fn tag(&mut self, word: &str, ways: Vec<At>) -> At {
        let mut ops = fold(word);
        ops.push(Op::Fork(ways));
        self.block(ops)
    }

    /// The name in a tag, whether it closes itself or not.
    fn name(&mut self, name: TagName, then: At) -> At {
        self.block([Op::TagName(TagName { empty: then, ..name }), Op::Jump(then)])
    }

    /// The attribute that names, up to its value.
    fn attribute(&mut self, then: At) -> At {
        let mut ops = vec![Op::Whitespace, Op::Space];
        ops.extend(fold("name"));
        ops.extend([Op::Space, Op::Char('='), Op::Jump(then)]);
        self.block(ops)
    }

    /// Whitespace and a literal.
    fn after(&mut self, literal: &str, then: At) -> At {
        self.block(std::iter::once(Op::Space).chain(text(literal, then)))
    }

    fn block(&mut self, ops: impl IntoIterator<Item = Op>) -> At {
        let start = self.code.here();
        self.code.extend(ops);
        start
    }
}

fn fold(word: &str) -> Vec<Op> {
    word.chars().map(|c| Op::Fold(c.to_ascii_lowercase())).collect()
}

fn text(literal: &str, then: At) -> impl Iterator<Item = Op> {
    literal.chars().map(Op::Char).chain([Op::Jump(then)])
}
