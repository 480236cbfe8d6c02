//! A turn: reasoning, text, and calls with what stands around them.

use std::sync::Arc;

use super::call::{CallGrammar, Row};
use super::node::{Node, Rules};
use super::shapes::arguments;
use super::until::Until;
use super::{Choice, Constraint, ConstraintError, Group, ToolUse};
use crate::error::Unsaid;
use crate::pattern::{Args, At, Part, Pattern};
use crate::program::{Patterns, unframed};
use crate::reasoning::{Family, Section, sections};
use crate::render::stops::Run;
use crate::render::{fixed, head};
use crate::spec::FormatSpec;
use crate::tools::{Tool, ToolSet};

/// The constraint of a row; `markers`: what begins and ends its calls.
pub(crate) fn constraint(
    spec: &FormatSpec,
    usual: &'static Family<'static>,
    markers: &[String],
    tools: &ToolSet,
    wanted: &ToolUse,
) -> Result<Constraint, ConstraintError> {
    let none = |why| ConstraintError::Format { format: spec.name.clone(), why };
    if !cfg!(feature = "grammars") {
        return Err(none("this build has no grammars (feature `grammars`)".into()));
    }
    // Reasoning that a row always splits off is read although none is asked for.
    let own = spec.always_split.then_some(usual);
    let sections = wanted
        .reasoning
        .with_family(usual, |family| family.or(own).map_or(Ok(Vec::new()), sections));
    let sections = sections.map_err(|error| none(error.to_string()))?;
    // A pattern of the request may be none.
    let sections = sections.map_err(|error| none(error.to_string()))?;
    let rows = Patterns::read(spec, str::to_owned);
    let mut rows = rows.map_err(|error| none(error.to_string()))?;
    rows.retain_calls(spec, |call| call.option.is_none());
    let tools = chosen(tools, wanted)?;
    let row = Row { spec, patterns: &rows, ends: rows.ends(), openers: rows.openers() };
    let mut made = Made::default();
    let mut calls = Vec::new();
    let mut list = None;
    for (number, tool) in tools.iter().enumerate() {
        let (node, of_list) = made.call(&row, (number, tool))?;
        list = list.or(of_list);
        calls.push(node);
    }
    let (before, after) = rows.around();
    let mut group = Group { before, calls, between: spec.between.clone(), after };
    if let Some((open, comma, close)) = list {
        group.before.push_str(&open);
        group.between = comma;
        group.after.insert_str(0, &close);
    }
    let turn = Turn { spec, sections: &sections, markers, rows: &rows, group: &group, wanted };
    let triggers = turn.triggers();
    let call = made.rules.named("call", || Node::any(group.calls.iter().cloned()));
    let root = turn.root(call, &triggers);
    let Made { rules, unsaid, unsaid_json } = made;
    Ok(Constraint { root, rules, triggers, group, wanted: wanted.clone(), unsaid, unsaid_json })
}

/// The tools that may be called.
fn chosen<'a>(tools: &'a ToolSet, wanted: &ToolUse) -> Result<Vec<&'a Tool>, ConstraintError> {
    let all: Vec<&Tool> = tools.iter().collect();
    match &wanted.choice {
        Choice::Tool(name) => {
            let tool = all.into_iter().find(|tool| tool.name == *name);
            tool.map(|tool| vec![tool]).ok_or_else(|| ConstraintError::UnknownTool(name.clone()))
        }
        _ if all.is_empty() => Err(ConstraintError::NoTools),
        _ => Ok(all),
    }
}

/// What is made beside the calls.
#[derive(Default)]
struct Made {
    rules: Rules,
    unsaid: Vec<Unsaid>,
    /// What only engines without schemas leave out.
    unsaid_json: Vec<Unsaid>,
}

/// A call; of a list what stands before, between and after its calls.
type Listed = Result<(Node, Option<(String, String, String)>), ConstraintError>;

impl Made {
    /// A call by the first pattern that fits the tool.
    fn call(&mut self, row: &Row<'_>, tool: (usize, &Tool)) -> Listed {
        let mut refused = None;
        let fits = |pattern: &&Pattern| pattern.tool().is_none_or(|name| name == tool.1.name);
        // Arguments that no pattern carries are left out only if they need not be there.
        for leaves_out in [false, true] {
            for pattern in row.patterns.calls.iter().filter(fits) {
                match self.by(row, pattern, tool, leaves_out) {
                    Ok(made) => return Ok(made),
                    Err(error) => _ = refused.get_or_insert(error),
                }
            }
        }
        let why = "no pattern of the format is for it".to_owned();
        let (format, tool) = (row.spec.name.clone(), tool.1.name.clone());
        Err(refused.unwrap_or(ConstraintError::Tool { format, tool, why }))
    }

    fn by(
        &mut self,
        row: &Row<'_>,
        pattern: &Pattern,
        tool: (usize, &Tool),
        leaves_out: bool,
    ) -> Listed {
        let mut parts = unframed(&pattern.parts).to_vec();
        let mut list = None;
        for (at, part) in parts.clone().iter().enumerate() {
            let Part::Call(template) = part else { continue };
            if let Some((open, comma, close, item)) = template.list() {
                let before = fixed(parts.get(..at).unwrap_or_default());
                let after = fixed(parts.get(at + 1..).unwrap_or_default());
                list = Some((before + &open, comma, close + &after));
                parts = vec![Part::Call(item)];
                break;
            }
        }
        let mut unsaid = Vec::new();
        let schema = arguments(tool.1);
        let mut call = CallGrammar::new(row, tool, &schema, &mut self.rules, &mut unsaid);
        call.leaves_out = leaves_out;
        let node = call.make(&parts)?;
        let is_json = |part: &Part| matches!(part, Part::Call(_) | Part::Args(Args::Json));
        if parts.iter().any(is_json) { &mut self.unsaid_json } else { &mut self.unsaid }
            .extend(unsaid);
        Ok((node, list))
    }
}

/// The grammar of what a model writes.
struct Turn<'a> {
    spec: &'a FormatSpec,
    /// Its sections of reasoning.
    sections: &'a [Section],
    /// What begins and ends its calls.
    markers: &'a [String],
    rows: &'a Patterns,
    group: &'a Group,
    wanted: &'a ToolUse,
}

impl Turn<'_> {
    fn root(&self, call: Node, triggers: &[String]) -> Node {
        let group = self.group;
        let calls = self.calls(&group.before, call.clone(), &call);
        let first = self.first(&call);
        match self.wanted.choice {
            Choice::Auto => self.free(calls, first, triggers),
            _ => {
                let after = Node::seq([self.reasoning(), self.framing(), calls]);
                Node::any(first.into_iter().chain([after]))
            }
        }
    }

    /// The calls with what stands around them.
    fn calls(&self, before: &str, first: Node, call: &Node) -> Node {
        let Group { between, after, .. } = self.group;
        let more = Node::seq([Node::text(between), call.clone()]);
        let more = if self.several() { Node::many(more, 0, None) } else { Node::empty() };
        Node::seq([Node::text(before), first, more, Node::text(after)])
    }

    /// The same right after a prompt that has written their beginning.
    fn first(&self, call: &Node) -> Option<Node> {
        let Group { before, calls, .. } = self.group;
        let prompt = self.spec.prompt.as_str();
        if prompt.is_empty() || self.wanted.in_reasoning {
            return None;
        }
        if let Some(before) = before.strip_prefix(prompt) {
            return Some(self.calls(before, call.clone(), call));
        }
        let first: Option<Vec<Node>> =
            calls.iter().map(|call| call.without_prefix(prompt)).collect();
        first.map(|first| self.calls(before, Node::any(first), call))
    }

    fn several(&self) -> bool {
        self.wanted.parallel && !matches!(self.wanted.choice, Choice::Tool(_))
    }

    /// Whitespace that usually stands before the calls.
    fn framing(&self) -> Node {
        let first = self.rows.wraps.first().or(self.rows.calls.first());
        match first.and_then(|pattern| pattern.parts.first()) {
            Some(Part::Space(space)) => Node::opt(Node::text(space)),
            _ => Node::empty(),
        }
    }

    /// A section of reasoning, or none.
    fn reasoning(&self) -> Node {
        let each: Vec<Node> =
            self.sections.iter().filter_map(|section| self.section(section)).collect();
        if each.is_empty() {
            return Node::empty();
        }
        if self.wanted.in_reasoning { Node::any(each) } else { Node::opt(Node::any(each)) }
    }

    fn section(&self, section: &Section) -> Option<Node> {
        let (open, close) = (section.opens.first()?, section.closes.first()?);
        let open = if self.wanted.in_reasoning { "" } else { open };
        let close_run = [Run::new(close)];
        // Calls might end it.
        let calls = self.triggers();
        let calls = calls.iter().map(|text| Run::new(text)).filter(Run::is_telling);
        let text = Until::new(&calls.collect::<Vec<_>>(), &close_run, false, false);
        Some(Node::seq([
            Node::text(open),
            Node::Until(Arc::new(text), None),
            Node::text(close),
            Node::opt(Node::text(&section.after_close.text)),
        ]))
    }

    /// What calls begin with.
    fn triggers(&self) -> Vec<String> {
        let Group { before, calls, .. } = self.group;
        let mut out: Vec<String> = Vec::new();
        let leads = calls.iter().map(|call| format!("{before}{}", call.literal_prefix()));
        for lead in if before.trim().is_empty() { leads.collect() } else { vec![before.clone()] } {
            // The name is of the trigger where nothing else tells the call.
            let own = self.rows.calls.iter().map(|pattern| head(unframed(&pattern.parts)));
            let own = own.filter(|head| !head.trim().is_empty() && lead.starts_with(head.as_str()));
            let lead = own.max_by_key(String::len).unwrap_or(lead).trim_end().to_owned();
            if !lead.is_empty() && !out.contains(&lead) {
                out.push(lead);
            }
        }
        out
    }

    /// Text with calls in it, or without any.
    fn free(&self, calls: Node, at_start: Option<Node>, triggers: &[String]) -> Node {
        let first = self.rows.wraps.first().or(self.rows.calls.first());
        let first = first.map_or(&[][..], |pattern| unframed(&pattern.parts));
        let follows: Vec<Run> = triggers.iter().map(|text| Run::new(text)).collect();
        let bare = |c: char| c.is_whitespace() || "[]{}()<".contains(c);
        let marked = !head(first).trim_matches(bare).is_empty();
        let mut stops = follows.clone();
        stops.extend(self.markers());
        if !marked {
            // Nothing but brackets tells a call: text holds none.
            let brackets = triggers.iter().filter_map(|text| text.get(..1)).map(Run::new);
            stops.extend(brackets);
        }
        let text = |follows: &[Run]| {
            Node::Until(Arc::new(Until::new(&stops, follows, false, false)), None)
        };
        let last = text(&[]);
        if !marked || first.contains(&Part::At(At::Message)) {
            return Node::any([calls, last]);
        }
        // Where nothing but a bracket ends a call, text beside it could be of a string that is not
        // closed: then a message follows that says what it is, or nothing.
        let Group { calls: each, after, .. } = self.group;
        let ended = match after.as_str() {
            "" => each.iter().all(Node::ends_marked),
            after => Node::text(after).ends_marked(),
        };
        let message = self.rows.messages.first().map(|message| head(unframed(&message.parts)));
        let message = message.filter(|head| !head.is_empty());
        let after = |text: Node| match &message {
            _ if ended => text,
            Some(head) => Node::opt(Node::seq([Node::text(head), text])),
            None => Node::empty(),
        };
        let before = match first.contains(&Part::At(At::Line)) {
            true => Node::any([Node::empty(), Node::seq([text(&[]), Node::text("\n")])]),
            false => text(&follows),
        };
        let again = self.several() && (ended || message.is_some());
        let more = Node::seq([after(before.clone()), calls.clone()]);
        let more = if again { Node::many(more, 0, None) } else { Node::empty() };
        let begun = Node::any(at_start.into_iter().chain([Node::seq([before, calls])]));
        Node::any([Node::seq([begun, more, after(last.clone())]), last])
    }

    /// What text never holds: what calls, wrappers and messages begin with, and what ends them.
    fn markers(&self) -> impl Iterator<Item = Run> {
        let heads = self.rows.heads().map(|head| Run::new(head.trim()));
        let heads = heads.filter(|run| !run.text.is_empty());
        // A word that only a header gives a meaning is text elsewhere.
        let word = |text: &&String| text.starts_with(|c: char| c.is_alphanumeric());
        let own = self.markers.iter().filter(move |text| !word(text));
        // A bracket may open a list where its marker is left out.
        let counts = |run: &Run| run.is_telling() || matches!(run.text.as_str(), "[" | "{");
        heads.chain(own.map(|text| Run::new(text.trim())).filter(counts))
    }
}
