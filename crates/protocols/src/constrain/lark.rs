//! Lark: the grammars of llguidance.
//!
//! Its lexer takes the longest lexeme and never goes back. So what ends a free text is of one terminal
//! with it, every part that is regular is a terminal, and markers that may be missing at the end of a
//! terminal are terminals of their own: what follows may begin as they do.

use toolweir_rjson::to_string;

use super::gbnf::count;
use super::node::{Node, Rules};
use super::until::{Class, Until, escaped};
use crate::render::quoted;

/// Writes one grammar.
pub(super) struct Lark<'a> {
    rules: &'a Rules,
    /// Texts that are special tokens.
    special: Vec<&'a str>,
    /// Rules and terminals with their bodies.
    out: Vec<(String, String)>,
    /// Rules that are being written, or are.
    known: Vec<usize>,
}

impl<'a> Lark<'a> {
    pub(super) fn new(rules: &'a Rules, special: &'a [String]) -> Self {
        // The notation has no other way to name a token.
        let named = |text: &&str| text.len() > 2 && text.starts_with('<') && text.ends_with('>');
        let special = special.iter().map(String::as_str).filter(named).collect();
        Self { rules, special, out: Vec::new(), known: Vec::new() }
    }

    /// The grammar of that node.
    pub(super) fn write(mut self, root: &'a Node) -> String {
        let start = self.row(&[root]);
        let mut out = format!("start: {start}\n");
        for (name, body) in &self.out {
            out.push_str(&format!("{name}: {body}\n"));
        }
        out
    }

    fn named(&mut self, prefix: &str, body: String) -> String {
        let known = |(name, known): &&(String, String)| *known == body && name.starts_with(prefix);
        if let Some((name, _)) = self.out.iter().find(known) {
            return name.clone();
        }
        let name = format!("{prefix}{}", self.out.len());
        self.out.push((name.clone(), body));
        name
    }

    /// A terminal of these nodes, all of which are regular; there or not, if it may be empty.
    fn terminal(&mut self, nodes: &[&'a Node]) -> String {
        if nodes.is_empty() {
            return String::new();
        }
        let each: Vec<String> = nodes.iter().map(|node| self.regular(node)).collect();
        let body = each.join(" ");
        if nodes.iter().all(|node| self.may_be_empty(node, 0)) {
            let name = self.named("T", format!("({body}) & /(?s:.+)/"));
            return format!("{name}?");
        }
        self.named("T", body)
    }

    /// The nodes in a row, as the body of a rule.
    fn row(&mut self, nodes: &[&'a Node]) -> String {
        let nodes = self.flat(nodes);
        let mut out: Vec<String> = Vec::new();
        let mut run: Vec<&'a Node> = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            if self.is_regular(node, 0) || matches!(node, Node::Until(..)) {
                run.push(node);
                // Smaller terminals are smaller automata.
                if matches!(node, Node::Text(_)) && run.iter().any(|n| matches!(n, Node::Until(..)))
                {
                    out.push(self.terminal(&std::mem::take(&mut run)));
                }
                continue;
            }
            // Free text, and nothing after it that shows its end.
            let free = run.iter().rposition(|node| matches!(node, Node::Until(..)));
            let open = free.is_some_and(|at| {
                let after = run.get(at + 1..).unwrap_or_default();
                after.iter().all(|node| self.may_be_empty(node, 0))
            });
            // A longer lexeme might begin with whitespace too.
            let whitespace =
                |node: &&Node| matches!(node, Node::Text(text) if text.trim().is_empty());
            let open = open || !run.is_empty() && run.iter().all(whitespace);
            if !open {
                self.terminals(&std::mem::take(&mut run), &mut out);
                out.push(self.node(node));
                continue;
            }
            // Free text ends with what follows it, whichever that is.
            let rest = nodes.get(at + 1..).unwrap_or_default();
            let with = |more: &[&'a Node]| -> Vec<&'a Node> {
                run.iter().copied().chain(more.iter().copied()).collect()
            };
            let node = match node {
                Node::Rule(at) => self.rules.get(*at).map_or(*node, |(_, inner)| inner),
                node => node,
            };
            match node {
                Node::Seq(inner) => {
                    let inner: Vec<&'a Node> = inner.iter().collect();
                    out.push(self.row(&with(&[&inner, rest].concat())));
                    return joined(&out);
                }
                Node::Any(each) => {
                    let rows: Vec<Vec<&'a Node>> = each.iter().map(|node| with(&[node])).collect();
                    let each: Vec<String> = rows.iter().map(|row| self.row(row)).collect();
                    out.push(format!("({})", each.join(" | ")));
                    run.clear();
                    continue;
                }
                Node::Opt(inner) => {
                    let taken = with(&[&[&**inner], rest].concat());
                    let skipped = with(rest);
                    out.push(format!("({} | {})", self.row(&taken), self.row(&skipped)));
                }
                Node::Repeat(inner, ..) => {
                    let once = with(&[&**inner]);
                    let (once, again) = (self.row(&once), self.node(node));
                    let (after, skipped) = (self.row(rest), with(rest));
                    out.push(format!("({once} {again} {after} | {})", self.row(&skipped)));
                }
                node => {
                    out.push(self.terminal(&std::mem::take(&mut run)));
                    out.push(self.node(node));
                    continue;
                }
            }
            return joined(&out);
        }
        self.terminals(&run, &mut out);
        joined(&out)
    }

    /// A terminal of these nodes, and one each of the markers at its end that may be missing.
    fn terminals(&mut self, nodes: &[&'a Node], out: &mut Vec<String>) {
        let always = nodes.iter().rposition(|node| !self.is_optional_marker(node));
        let always = always.map_or(0, |last| last + 1);
        let (head, tail) = nodes.split_at_checked(always).unwrap_or((nodes, &[]));
        if head.last().is_some_and(|node| matches!(node, Node::Until(..))) {
            return out.push(self.terminal(nodes));
        }
        out.push(self.terminal(head));
        for node in tail {
            out.push(format!("{}?", self.terminal(&[node.inner()])));
        }
    }

    /// Whether it is there or not, and if it is, begins with more than a space.
    fn is_optional_marker(&self, node: &Node) -> bool {
        matches!(node, Node::Opt(inner) if !inner.literal_prefix().trim().is_empty()
            && !self.may_be_empty(inner, 0))
    }

    /// Rows inside the row taken out of it; texts cut at special tokens.
    fn flat(&self, nodes: &[&'a Node]) -> Vec<&'a Node> {
        let mut out = Vec::new();
        for node in nodes {
            match node {
                Node::Seq(inner) => out.extend(self.flat(&inner.iter().collect::<Vec<_>>())),
                node => out.push(node),
            }
        }
        out
    }

    /// A node that is not regular, beside others.
    fn node(&mut self, node: &'a Node) -> String {
        match node {
            Node::Text(text) => self.text(text),
            Node::Seq(nodes) => {
                let body = self.row(&nodes.iter().collect::<Vec<_>>());
                format!("({body})")
            }
            Node::Any(nodes) => {
                let each: Vec<String> = nodes.iter().map(|node| self.row(&[node])).collect();
                if each.iter().any(String::is_empty) {
                    let each: Vec<String> = each.into_iter().filter(|e| !e.is_empty()).collect();
                    return format!("({})?", each.join(" | "));
                }
                format!("({})", each.join(" | "))
            }
            Node::Opt(inner) => format!("({})?", self.row(&[inner])),
            Node::Repeat(inner, least, most) => {
                format!("({}){}", self.row(&[inner]), count(*least, *most))
            }
            Node::Json(schema, _) => self.named("r", format!("%json {}", to_string(schema))),
            Node::Rule(at) => {
                let name = self.rules.get(*at).map(|(name, _)| rule_name(name)).unwrap_or_default();
                if !self.known.contains(at) {
                    self.known.push(*at);
                    let body = self.rules.get(*at).map(|(_, node)| self.row(&[node]));
                    self.out.push((name.clone(), body.unwrap_or_default()));
                }
                name
            }
            node => self.terminal(&[node]),
        }
    }

    /// Text in a row, its special tokens as such.
    fn text(&self, text: &str) -> String {
        let mut out = Vec::new();
        let mut rest = text;
        while let Some((at, token)) = self.next_special(rest) {
            let (before, found) = rest.split_at_checked(at).unwrap_or((rest, ""));
            out.extend((!before.is_empty()).then(|| quoted(before)));
            out.push(token.to_owned());
            rest = found.get(token.len()..).unwrap_or_default();
        }
        out.extend((!rest.is_empty()).then(|| quoted(rest)));
        out.join(" ")
    }

    fn next_special(&self, text: &str) -> Option<(usize, &'a str)> {
        let found = self.special.iter().filter_map(|token| Some((text.find(token)?, *token)));
        found.min_by_key(|(at, token)| (*at, std::cmp::Reverse(token.len())))
    }

    /// A regular node as part of a terminal.
    fn regular(&mut self, node: &'a Node) -> String {
        match node {
            Node::Text(text) => quoted(text),
            Node::Seq(nodes) if nodes.is_empty() => "\"\"".to_owned(),
            Node::Seq(nodes) => {
                let each: Vec<String> = nodes.iter().map(|node| self.regular(node)).collect();
                format!("({})", each.join(" "))
            }
            Node::Any(nodes) => {
                let empty = nodes.contains(&Node::empty());
                let each = nodes.iter().filter(|node| **node != Node::empty());
                let each: Vec<String> = each.map(|node| self.regular(node)).collect();
                format!("({}){}", each.join(" | "), if empty { "?" } else { "" })
            }
            Node::Opt(inner) => format!("({})?", self.regular(inner)),
            Node::Repeat(inner, least, most) => {
                format!("({}){}", self.regular(inner), count(*least, *most))
            }
            Node::Class(chars) => format!("/{}/", class(chars)),
            Node::Until(until, matching) => {
                free(until, matching.as_ref().map(|matching| matching.regex.as_str()))
            }
            Node::Rule(at) => {
                let Some((_, node)) = self.rules.get(*at) else { return String::new() };
                let body = self.regular(node);
                self.named("T", body)
            }
            Node::Json(..) => String::new(),
        }
    }

    /// Whether a node can be a terminal by itself.
    fn is_regular(&self, node: &Node, depth: usize) -> bool {
        // A rule inside itself is none.
        if depth > 64 {
            return false;
        }
        let inner = |node: &Node| self.is_regular(node, depth + 1);
        match node {
            Node::Text(text) => self.next_special(text).is_none(),
            Node::Seq(nodes) | Node::Any(nodes) => nodes.iter().all(inner),
            Node::Opt(node) | Node::Repeat(node, ..) => inner(node),
            Node::Class(_) => true,
            // Only what stands beside it shows its end.
            Node::Until(..) | Node::Json(..) => false,
            Node::Rule(at) => self.rules.get(*at).is_some_and(|(_, node)| inner(node)),
        }
    }

    fn may_be_empty(&self, node: &Node, depth: usize) -> bool {
        if depth > 64 {
            return false;
        }
        let inner = |node: &Node| self.may_be_empty(node, depth + 1);
        match node {
            Node::Text(text) => text.is_empty(),
            Node::Seq(nodes) => nodes.iter().all(inner),
            Node::Any(nodes) => nodes.iter().any(inner),
            Node::Opt(_) | Node::Repeat(_, 0, _) => true,
            Node::Repeat(node, ..) => inner(node),
            Node::Until(until, _) => until.states().first().is_some_and(|state| state.accepts),
            Node::Class(_) | Node::Json(..) => false,
            Node::Rule(at) => self.rules.get(*at).is_some_and(|(_, node)| inner(node)),
        }
    }
}

fn joined(parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
    parts.join(" ")
}

/// Text up to a marker, as a terminal.
fn free(until: &Until, pattern: Option<&str>) -> String {
    let (all, but) = until.regexes();
    let mut out = format!("(/{}/", slashed(&all));
    if !but.is_empty() {
        out.push_str(&format!(" & ~/{}/", slashed(&but)));
    }
    if let Some(pattern) = pattern {
        let inner = pattern.strip_prefix('^').unwrap_or(pattern);
        let before = if inner.len() < pattern.len() { "" } else { "(?s:.*)" };
        let whole = inner.strip_suffix('$').unwrap_or(inner);
        let after = if whole.len() < inner.len() { "" } else { "(?s:.*)" };
        out.push_str(&format!(" & /{before}({}){after}/", slashed(whole)));
    }
    out + ")"
}

/// A regular expression between slashes.
fn slashed(regex: &str) -> String {
    let mut out = String::with_capacity(regex.len());
    let mut escaped = false;
    for c in regex.chars() {
        if c == '/' && !escaped {
            out.push('\\');
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out
}

fn class(class: &Class) -> String {
    let mut out = String::from(if class.negated { "[^" } else { "[" });
    for (low, high) in &class.ranges {
        out.push_str(&slashed(&escaped(*low)));
        if low != high {
            out.push('-');
            out.push_str(&slashed(&escaped(*high)));
        }
    }
    out + "]"
}

fn rule_name(name: &str) -> String {
    format!("g_{}", name.to_ascii_lowercase().replace('-', "_"))
}
