//! Dependencies point strictly down the ranks.
//!
//! The table holds packages that are planned too, so that adding one is adding the package.

use crate::metadata::{Dependency, Package};

const KIT: &str = "toolweir-testkit";

/// Where a package stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A rank of the design.
    Layer(u8),
    /// Sees the facade and all below it, and is seen by the programs; by all for their tests.
    Kit,
    /// The programs on top.
    Program,
    /// Seen by nobody.
    Tool,
}

const TABLE: &[(&str, Rank)] = &[
    ("toolweir-markers", Rank::Layer(0)),
    ("toolweir-rjson", Rank::Layer(0)),
    ("toolweir-segments", Rank::Layer(1)),
    ("toolweir-schema-coerce", Rank::Layer(1)),
    ("toolweir-rxml", Rank::Layer(2)),
    ("toolweir-protocols", Rank::Layer(3)),
    ("toolweir-middleware", Rank::Layer(4)),
    ("toolweir-adapters", Rank::Layer(5)),
    ("toolweir-mcp", Rank::Layer(5)),
    ("toolweir", Rank::Layer(6)),
    // A library that one program runs.
    ("toolweir-gateway", Rank::Layer(7)),
    (KIT, Rank::Kit),
    ("toolweir-cli", Rank::Program),
    ("xtask", Rank::Tool),
];

/// Edges that point down and are wanted by nobody all the same.
const NEVER: &[(&str, &str)] = &[("toolweir", "toolweir-mcp")];

fn rank(name: &str) -> Option<Rank> {
    TABLE.iter().find(|(known, _)| *known == name).map(|(_, rank)| *rank)
}

/// True for the libraries of ranks 0 to 4, which do no input or output.
pub(crate) fn is_core(name: &str) -> bool {
    rank(name).is_some_and(|rank| rank <= Rank::Layer(4))
}

/// The libraries from rank 0 to this one.
pub(crate) fn up_to(most: u8) -> Vec<&'static str> {
    let within = TABLE.iter().filter(|(_, rank)| *rank <= Rank::Layer(most));
    within.map(|(name, _)| *name).collect()
}

/// One line for each package without a rank and each edge that does not point down.
pub(crate) fn check(packages: &[Package]) -> Vec<String> {
    let mut findings = Vec::new();
    for package in packages {
        let Some(own) = rank(&package.name) else {
            findings.push(format!("{}: not in the table of ranks", package.name));
            continue;
        };
        let inside = |d: &&Dependency| packages.iter().any(|p| p.name == d.name);
        for dependency in package.dependencies.iter().filter(inside) {
            findings.extend(edge(&package.name, own, dependency));
        }
    }
    findings
}

fn edge(from: &str, own: Rank, dependency: &Dependency) -> Option<String> {
    let to = &dependency.name;
    let for_tests = dependency.kind.as_deref() == Some("dev");
    if for_tests && to == KIT {
        // A version here would make the two packages wait for each other when published.
        return (dependency.req != "*")
            .then(|| format!("{from}: dev-dependency {to} must be a path without a version"));
    }
    if NEVER.contains(&(from, to)) {
        return Some(format!("{from}: must not know {to}"));
    }
    match rank(to) {
        Some(other) if other < own => None,
        // A package without a rank is named once, on its own line.
        None => None,
        Some(_) => Some(format!("{from}: the edge to {to} does not point down the ranks")),
    }
}

#[cfg(test)]
mod tests {
    use super::{check, is_core};
    use crate::metadata::Package;

    fn packages(json: &str) -> Vec<Package> {
        serde_json::from_str(json).unwrap()
    }

    fn one_edge(from: &str, to: &str, rest: &str) -> Vec<String> {
        check(&packages(&format!(
            r#"[{{"name": "{from}", "dependencies": [{{"name": "{to}"{rest}}}]}},
                {{"name": "{to}"}}]"#
        )))
    }

    #[test]
    fn an_edge_down_is_fine() {
        assert!(one_edge("toolweir-protocols", "toolweir-rjson", "").is_empty());
        assert!(one_edge("toolweir-cli", "toolweir-testkit", r#", "req": "^0.1""#).is_empty());
        assert!(one_edge("toolweir-testkit", "toolweir", "").is_empty());
    }

    #[test]
    fn an_edge_up_or_sideways_is_found() {
        assert_eq!(
            one_edge("toolweir-rjson", "toolweir-protocols", ""),
            ["toolweir-rjson: the edge to toolweir-protocols does not point down the ranks"]
        );
        assert_eq!(one_edge("toolweir-segments", "toolweir-schema-coerce", "").len(), 1);
        assert_eq!(one_edge("toolweir", "toolweir-testkit", "").len(), 1);
        assert_eq!(one_edge("toolweir", "toolweir-mcp", "").len(), 1);
        assert_eq!(one_edge("toolweir-cli", "xtask", "").len(), 1);
    }

    #[test]
    fn the_test_kit_is_open_to_tests_by_path_only() {
        let by_path = r#", "kind": "dev", "req": "*""#;
        assert!(one_edge("toolweir-rjson", "toolweir-testkit", by_path).is_empty());
        let by_version = r#", "kind": "dev", "req": "^0.1.0""#;
        assert_eq!(one_edge("toolweir-rjson", "toolweir-testkit", by_version).len(), 1);
        let other = r#", "kind": "dev", "req": "*""#;
        assert_eq!(one_edge("toolweir-rjson", "toolweir-protocols", other).len(), 1);
    }

    #[test]
    fn a_package_without_a_rank_is_found() {
        let found = check(&packages(r#"[{"name": "toolweir-utils"}]"#));
        assert_eq!(found, ["toolweir-utils: not in the table of ranks"]);
    }

    #[test]
    fn the_core_ends_below_the_adapters() {
        assert!(is_core("toolweir-middleware") && is_core("toolweir-markers"));
        assert!(!is_core("toolweir-adapters") && !is_core("toolweir-testkit"));
        assert!(!is_core("serde"));
    }
}
