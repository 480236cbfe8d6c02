//! Tools of servers in our words, and what happens when two have one name.

use rmcp::model::Tool as RemoteTool;
use serde_json::{Map, Value};
use toolweir_protocols::Tool;
use toolweir_rjson::Mode;

/// What happens when tools of several servers have one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameClash {
    /// Connecting fails and says which. Names stay as the servers give them.
    #[default]
    Error,
    /// Every tool of every server is named `server__tool`, so that no name depends on which other servers
    /// there are. What clashes even so is an error.
    Prefix,
}

/// What a server says of one of its tools. Hints are the server's word, not a promise: an approval may
/// use those of a server it trusts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolInfo {
    /// The server.
    pub server: String,
    /// The name the server knows the tool by.
    pub remote_name: String,
    /// A name for people.
    pub title: Option<String>,
    /// Hint: it changes nothing.
    pub read_only: Option<bool>,
    /// Hint: it may destroy something.
    pub destructive: Option<bool>,
    /// Hint: running it again with the same arguments changes nothing more.
    pub idempotent: Option<bool>,
}

impl NameClash {
    pub(crate) fn name(self, server: &str, tool: &str) -> String {
        match self {
            Self::Error => tool.to_owned(),
            Self::Prefix => format!("{server}__{tool}"),
        }
    }
}

pub(crate) const NO_LIST: &str = "the answer is no list of tools";

/// A page of a list in which something is not as it should be, and where the list goes on.
pub(crate) fn page(page: Value) -> Result<(Vec<RemoteTool>, Option<String>), String> {
    let Value::Object(mut page) = page else { return Err(NO_LIST.to_owned()) };
    let Some(Value::Array(tools)) = page.remove("tools") else { return Err(NO_LIST.to_owned()) };
    let cursor = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
    let tools = tools.into_iter().enumerate().map(|(place, tool)| {
        let unread = |error| format!("tool {} of the page: {error}", place.saturating_add(1));
        read(tool).map_err(unread)
    });
    Ok((tools.collect::<Result<_, _>>()?, cursor))
}

/// A tool with those of its members that can be read. Without a schema it takes anything.
fn read(tool: Value) -> Result<RemoteTool, serde_json::Error> {
    let Value::Object(members) = tool else { return serde_json::from_value(tool) };
    let mut kept = Map::new();
    let (needed, others): (Map<_, _>, Map<_, _>) =
        members.into_iter().partition(|(key, _)| key == "name" || key == "inputSchema");
    kept.extend(needed);
    if !kept.get("inputSchema").is_some_and(Value::is_object) {
        kept.insert("inputSchema".to_owned(), Value::Object(Map::new()));
    }
    let mut read: RemoteTool = serde_json::from_value(Value::Object(kept.clone()))?;
    for (key, member) in others {
        kept.insert(key.clone(), member);
        match serde_json::from_value(Value::Object(kept.clone())) {
            Ok(more) => read = more,
            Err(_) => drop(kept.remove(&key)),
        }
    }
    Ok(read)
}

/// The tool under that name.
pub(crate) fn convert(server: &str, name: &str, remote: RemoteTool) -> (Tool, ToolInfo) {
    let hints = remote.annotations.unwrap_or_default();
    let title = remote.title.or(hints.title);
    let mut tool = Tool::new(name);
    tool.description =
        remote.description.map(std::borrow::Cow::into_owned).or_else(|| title.clone());
    let schema = serde_json::Value::Object((*remote.input_schema).clone()).to_string();
    // What `serde_json` writes is strict JSON; only its depth could be beyond ours.
    tool.parameters = toolweir_rjson::parse(&schema, Mode::Strict).ok().map(|parsed| parsed.value);
    let info = ToolInfo {
        server: server.to_owned(),
        remote_name: remote.name.into_owned(),
        title,
        read_only: hints.read_only_hint,
        destructive: hints.destructive_hint,
        idempotent: hints.idempotent_hint,
    };
    (tool, info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_of_a_tool_costs_no_other() {
        let list = serde_json::json!({"nextCursor": "2", "tools": [
            {"name": "tide", "inputSchema": {"type": "object"}, "description": "Now"},
            {"name": "bare"},
            {"name": "odd", "inputSchema": null, "description": "Odd", "icons": "a.png",
                "annotations": {"readOnlyHint": "yes"}},
        ]});
        let (tools, cursor) = page(list).unwrap();
        assert_eq!(cursor.as_deref(), Some("2"));
        let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["tide", "bare", "odd"]);
        let (tool, info) = convert("harbour", "odd", tools[2].clone());
        assert_eq!(tool.description.as_deref(), Some("Odd"));
        assert_eq!(tool.parameters.unwrap().to_string(), "{}");
        assert_eq!(info.read_only, None);

        let nameless = serde_json::json!({"tools": [{"name": "tide"}, {"inputSchema": {}}]});
        assert_eq!(page(nameless).unwrap_err(), "tool 2 of the page: missing field `name`");
        assert_eq!(page(serde_json::json!({"tools": "none"})).unwrap_err(), NO_LIST);
    }

    #[test]
    fn a_tool_keeps_description_schema_and_hints() {
        let remote: RemoteTool = serde_json::from_str(
            r#"{"name":"tide","title":"Tide table","inputSchema":{"type":"object"},
                "annotations":{"readOnlyHint":true}}"#,
        )
        .unwrap();
        let (tool, info) = convert("harbour", "harbour__tide", remote);
        assert_eq!(tool.name, "harbour__tide");
        assert_eq!(tool.description.as_deref(), Some("Tide table"));
        assert_eq!(tool.parameters.unwrap().to_string(), r#"{"type":"object"}"#);
        assert_eq!((&*info.server, &*info.remote_name), ("harbour", "tide"));
        assert_eq!((info.read_only, info.destructive), (Some(true), None));
    }
}
