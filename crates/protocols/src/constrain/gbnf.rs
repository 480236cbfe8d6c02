//! GBNF: the grammars of llama.cpp, which XGrammar reads too.

use super::node::{Node, Rules};
use super::until::{Class, Until};
use crate::error::Unsaid;
use crate::render::quoted;

/// Writes one grammar.
pub(super) struct Gbnf<'a> {
    rules: &'a Rules,
    /// Automata, each once.
    untils: Vec<&'a Until>,
    /// Rules that something names, in the order in which they were named.
    named: Vec<usize>,
    pub(super) unsaid: Vec<Unsaid>,
}

impl<'a> Gbnf<'a> {
    pub(super) fn new(rules: &'a Rules) -> Self {
        Self { rules, untils: Vec::new(), named: Vec::new(), unsaid: Vec::new() }
    }

    /// The grammar whose rule `root` is that node.
    pub(super) fn write(&mut self, root: &'a Node) -> String {
        let mut out = format!("root ::= {}\n", self.node(root, Place::Alone));
        let mut at = 0;
        while let Some(&rule) = self.named.get(at) {
            at += 1;
            let Some((name, node)) = self.rules.get(rule) else { continue };
            out.push_str(&format!("{name} ::= {}\n", self.node(node, Place::Alone)));
        }
        for (number, until) in self.untils.iter().enumerate() {
            for (at, state) in until.states().iter().enumerate() {
                let mut each: Vec<String> = Vec::new();
                each.extend(state.accepts.then(|| "\"\"".to_owned()));
                let edge =
                    |(chars, to): &(Class, usize)| format!("{} u{number}-{to}", class(chars));
                each.extend(state.edges.iter().map(edge));
                let escape = |(chars, to): &(Class, usize)| {
                    let hex = if chars.ranges == [('u', 'u')] { " [0-9a-fA-F]{4}" } else { "" };
                    format!("\"\\\\\" {}{hex} u{number}-{to}", class(chars))
                };
                each.extend(state.escapes.iter().map(escape));
                out.push_str(&format!("u{number}-{at} ::= {}\n", each.join(" | ")));
            }
        }
        out
    }

    fn node(&mut self, node: &'a Node, place: Place) -> String {
        match node {
            Node::Text(text) => quoted(text),
            Node::Seq(nodes) if nodes.is_empty() => "\"\"".to_owned(),
            Node::Seq(nodes) => {
                let each: Vec<String> =
                    nodes.iter().map(|node| self.node(node, Place::InRow)).collect();
                place.around(each.join(" "), Place::Counted)
            }
            Node::Any(nodes) => {
                let each: Vec<String> =
                    nodes.iter().map(|node| self.node(node, Place::Alone)).collect();
                place.around(each.join(" | "), Place::InRow)
            }
            Node::Opt(node) => place.around(self.node(node, Place::Counted) + "?", Place::Counted),
            Node::Repeat(node, least, most) => {
                let counted = self.node(node, Place::Counted) + &count(*least, *most);
                place.around(counted, Place::Counted)
            }
            Node::Class(chars) => class(chars),
            Node::Until(until, matching) => {
                if let Some(matching) = matching {
                    self.unsaid.push(Unsaid {
                        path: matching.path.clone(),
                        what: "`pattern` is not followed before a closing delimiter".into(),
                    });
                }
                let known = self.untils.iter().position(|known| **known == **until);
                let number = known.unwrap_or_else(|| {
                    self.untils.push(until);
                    self.untils.len() - 1
                });
                format!("u{number}-0")
            }
            Node::Json(_, node) => self.node(node, place),
            Node::Rule(at) => {
                if !self.named.contains(at) {
                    self.named.push(*at);
                }
                self.rules.get(*at).map(|(name, _)| name.clone()).unwrap_or_default()
            }
        }
    }
}

/// Where an expression stands: what has to be put in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// By itself.
    Alone,
    /// Beside others.
    InRow,
    /// Before a count.
    Counted,
}

impl Place {
    /// In parentheses from that place on.
    fn around(self, text: String, from: Self) -> String {
        if self >= from { format!("({text})") } else { text }
    }
}

/// How often.
pub(super) fn count(least: usize, most: Option<usize>) -> String {
    match (least, most) {
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (0, Some(1)) => "?".to_owned(),
        (least, Some(most)) if least == most => format!("{{{least}}}"),
        (least, most) => {
            format!("{{{least},{}}}", most.map(|most| most.to_string()).unwrap_or_default())
        }
    }
}

/// A set of characters between brackets.
///
/// The readers of these grammars agree on few escapes. So `-` stands last, and numbers before it: some
/// take every hexadecimal digit that follows.
pub(super) fn class(class: &Class) -> String {
    let (mut plain, mut numbers, mut hyphen) = (String::new(), String::new(), "");
    for &(low, high) in &class.ranges {
        let (mut low, mut high) = (low, high);
        // A range must not begin or end with the sign of ranges.
        if low == '-' {
            hyphen = "-";
            low = '.';
        } else if high == '-' {
            hyphen = "-";
            high = ',';
        }
        if low > high {
            continue;
        }
        let numbered = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        let out = if numbered(low) || numbered(high) { &mut numbers } else { &mut plain };
        out.push_str(&spelled(low));
        if low != high {
            out.push('-');
            out.push_str(&spelled(high));
        }
    }
    // At the beginning it would turn the set round.
    let caret = if plain.starts_with('^') { plain.remove(0).to_string() } else { String::new() };
    let not = if class.negated { "^" } else { "" };
    match (not, plain.as_str(), numbers.as_str(), hyphen) {
        ("", "", "", "") => quoted(&caret),
        _ => format!("[{not}{plain}{caret}{numbers}{hyphen}]"),
    }
}

fn spelled(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\\' | ']' | '[' | '"' => format!("\\{c}"),
        c if u32::from(c) < 0x100 && c.is_control() => format!("\\x{:02X}", u32::from(c)),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    }
}
