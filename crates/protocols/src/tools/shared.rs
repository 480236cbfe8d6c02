//! Tool sets that are compiled once for many requests.

use std::fmt::Write as _;

use super::{Tool, ToolSet};
use crate::error::ToolError;
use crate::recent::Recent;

/// So many sets are kept.
const SETS: usize = 64;
/// Sets whose tools have more bytes than that as JSON are not kept.
const LARGEST: usize = 1 << 20;

/// The sets of recent requests, for a server: most requests of a program declare the same tools.
///
/// Of declarations that are equal to the byte every request gets the same set, so that schemas are compiled
/// once, and what formats compile of a set, too. At most 64 sets are kept, those that were asked for last; of
/// one tool that changes with each request nothing stays but those.
///
/// ```
/// use toolweir_protocols::{Tool, ToolSets};
///
/// let sets = ToolSets::default();
/// let dice = || [Tool::new("dice").parameters(r#"{"type": "object"}"#)];
/// let (set, errors) = sets.lenient(dice());
/// assert!(set.contains("dice") && errors.is_empty());
/// assert_eq!(sets.lenient(dice()).0.len(), 1); // compiled before
/// ```
#[derive(Debug, Default)]
pub struct ToolSets {
    /// By the text of the declarations.
    kept: Recent<String, (ToolSet, Vec<ToolError>), SETS>,
}

impl ToolSets {
    /// The set of these tools, as [`ToolSet::lenient`] compiles it.
    #[must_use]
    pub fn lenient(&self, tools: impl IntoIterator<Item = Tool>) -> (ToolSet, Vec<ToolError>) {
        let tools: Vec<Tool> = tools.into_iter().collect();
        let key = key(&tools);
        if let Some(known) = self.kept.get(|known| *known == key) {
            return known;
        }
        let made = ToolSet::lenient(tools);
        if key.len() <= LARGEST {
            self.kept.keep(key, made.clone());
        }
        made
    }
}

/// All of the declarations as text: values that are equal may differ in the order of their members, which
/// prompts show.
fn key(tools: &[Tool]) -> String {
    let mut key = String::new();
    for Tool { name, description, parameters, original_schema, unreadable } in tools {
        // Writing into a string cannot fail.
        let _ = write!(key, "{name:?}{description:?}{unreadable:?}");
        for schema in [parameters, original_schema] {
            let _ = match schema {
                Some(schema) => writeln!(key, "{schema}"),
                None => key.write_str("-\n"),
            };
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::{SETS, ToolSets};
    use crate::Tool;

    fn tool(name: &str, schema: &str) -> Tool {
        Tool::new(name).parameters(schema)
    }

    #[test]
    fn equal_declarations_share_a_set() {
        let sets = ToolSets::default();
        let first = sets.lenient([tool("a", r#"{"type":"object"}"#)]).0;
        assert!(sets.lenient([tool("a", r#"{"type":"object"}"#)]).0.is(&first));
        let others = [
            vec![tool("b", r#"{"type":"object"}"#)],
            vec![tool("a", r#"{"type":"object","title":"A"}"#)],
            vec![tool("a", r#"{"type":"object"}"#).description("A")],
            vec![tool("a", r#"{"type":"object"}"#), Tool::new("b")],
            vec![Tool::new("a").original_schema(r#"{"type":"object"}"#)],
            vec![Tool::new("a")],
            vec![],
        ];
        for other in others {
            assert!(!sets.lenient(other.clone()).0.is(&first), "{other:?}");
        }
    }

    #[test]
    fn the_order_of_members_counts() {
        let sets = ToolSets::default();
        let one = sets.lenient([tool("a", r#"{"title":"A","type":"object"}"#)]).0;
        let two = sets.lenient([tool("a", r#"{"type":"object","title":"A"}"#)]).0;
        let shown = |set: &crate::ToolSet| {
            set.iter().map(|tool| tool.parameters.as_ref().unwrap().to_string()).collect::<String>()
        };
        assert_ne!(shown(&one), shown(&two));
    }

    #[test]
    fn errors_are_kept_with_the_set() {
        let sets = ToolSets::default();
        let told = || sets.lenient([tool("a", r##"{"$ref":"#/none"}"##)]).1;
        assert_eq!(told().len(), 1);
        assert_eq!(told().len(), 1);
    }

    #[test]
    fn the_oldest_go() {
        let sets = ToolSets::default();
        let asked = |name: &str| sets.lenient([Tool::new(name)]).0;
        let (first, second) = (asked("first"), asked("second"));
        for number in 0..SETS - 1 {
            asked(&number.to_string());
            assert!(asked("first").is(&first));
        }
        assert!(!asked("second").is(&second));
    }
}
