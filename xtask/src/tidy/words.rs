//! Words and paths that do not belong in a committed file.
//!
//! Paths of some machine and hosts of registries are joined from parts, so that they do not stand
//! here either. This file is the one exception to the rest of the list.

/// What to look for.
enum Needle {
    /// These parts joined by the first field, at the start of a word.
    Joined(&'static str, &'static [&'static str]),
    /// This text as it stands.
    Exactly(&'static str),
    /// A word of its own, in any case.
    Word(&'static str),
    /// This text in any case, then a digit.
    Numbered(&'static str),
}

struct Rule {
    needle: Needle,
    /// What to do about it.
    instead: &'static str,
}

const fn rule(needle: Needle, instead: &'static str) -> Rule {
    Rule { needle, instead }
}

const PATH: &str =
    "a path of one machine; use one relative to the workspace, or a temporary folder";
const HOST: &str = "the host of a registry; name the registry's client or nothing";
const PROCESS: &str = "about how the file came to be; say what is so";
const TOOL: &str = "the name of an assistant; only a documented wire format or model may carry it";
const STUB: &str = "unfinished or left behind; finish it, or assert the behaviour as it is";

const RULES: &[Rule] = &[
    rule(Needle::Joined("/", &["", "work", ""]), PATH),
    rule(Needle::Joined("/", &["", "root", ""]), PATH),
    rule(Needle::Joined("/", &["", "tmp", ""]), PATH),
    rule(Needle::Joined("/", &["", "farm"]), PATH),
    rule(Needle::Joined(".", &["index", "crates", "io"]), HOST),
    rule(Needle::Joined(".", &["static", "crates", "io"]), HOST),
    rule(Needle::Joined(".", &["registry", "npmjs", "org"]), HOST),
    rule(Needle::Joined(".", &["pypi", "org"]), HOST),
    rule(Needle::Joined(".", &["files", "pythonhosted", "org"]), HOST),
    rule(Needle::Joined(".", &["deb", "debian", "org"]), HOST),
    rule(Needle::Numbered("issue #"), PROCESS),
    rule(Needle::Word("this session"), PROCESS),
    rule(Needle::Word("previous session"), PROCESS),
    rule(Needle::Word("subagent"), PROCESS),
    rule(Needle::Word("sub-agent"), PROCESS),
    rule(Needle::Word("claude"), TOOL),
    rule(Needle::Word("codex"), TOOL),
    rule(Needle::Word("copilot"), TOOL),
    rule(Needle::Exactly("todo!("), STUB),
    rule(Needle::Exactly("unimplemented!("), STUB),
    rule(Needle::Exactly("dbg!("), STUB),
    rule(Needle::Exactly("#[ignore"), STUB),
    rule(Needle::Exactly("should_panic"), STUB),
];

/// A word that may stand on a line which also has one of these, in any case.
struct Allow {
    word: &'static str,
    beside: &'static [&'static str],
}

const ALLOWED: &[Allow] = &[
    // The patch format is known by the program that made it.
    Allow { word: "codex", beside: &["apply-patch", "apply_patch", "begin patch"] },
    // The models that write the format, as detection by model name has them.
    Allow {
        word: "claude",
        beside: &["anthropic-xml", "anthropic_xml", "claude-2", "claude-3", "claude-instant"],
    },
    // Model names in requests and detection.
    Allow { word: "claude", beside: &["claude-opus", "claude-sonnet", "claude-haiku"] },
];

const THIS_FILE: &str = "xtask/src/tidy/words.rs";

/// True for the text files whose words are ours.
pub(crate) fn is_ours(path: &str) -> bool {
    const ENDS: &[&str] = &[".rs", ".toml", ".md", ".case", ".snap", ".sh", ".json", ".mjs", ".py"];
    path == ".ci/run" || ENDS.iter().any(|end| path.ends_with(end))
}

/// One line for each rule that a line of the file breaks.
pub(crate) fn scan(path: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for rule in RULES {
        let (word, edge) = rule.needle.text();
        if path == THIS_FILE && !matches!(rule.needle, Needle::Joined(..)) {
            continue;
        }
        for (number, line) in (1..).zip(text.lines()) {
            let low = line.to_ascii_lowercase();
            let hay = if matches!(rule.needle, Needle::Exactly(_)) { line } else { &low };
            if edge.found(hay, &word) && !is_allowed(&word, &low) {
                findings.push(format!("{path}:{number}: `{word}`: {}", rule.instead));
            }
        }
    }
    findings
}

fn is_allowed(word: &str, line: &str) -> bool {
    let beside = |allow: &Allow| allow.beside.iter().any(|near| line.contains(near));
    ALLOWED.iter().any(|allow| allow.word == word && beside(allow))
}

/// What must be around a hit.
#[derive(Clone, Copy)]
enum Edge {
    Any,
    Before,
    Both,
    Digit,
}

impl Needle {
    fn text(&self) -> (String, Edge) {
        match self {
            Self::Joined(glue, parts) => (parts.join(glue), Edge::Before),
            Self::Exactly(text) => ((*text).to_owned(), Edge::Any),
            Self::Word(text) => ((*text).to_owned(), Edge::Both),
            Self::Numbered(text) => ((*text).to_owned(), Edge::Digit),
        }
    }
}

impl Edge {
    fn found(self, line: &str, word: &str) -> bool {
        line.match_indices(word).any(|(at, _)| {
            let before = line.get(..at).and_then(|s| s.chars().next_back());
            let after = line.get(at + word.len()..).and_then(|s| s.chars().next());
            let starts =
                !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'));
            let ends = !after.is_some_and(char::is_alphanumeric);
            match self {
                Self::Any => true,
                Self::Before => starts && (word.ends_with('/') || ends),
                Self::Both => !before.is_some_and(char::is_alphanumeric) && ends,
                Self::Digit => after.is_some_and(|c| c.is_ascii_digit()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{THIS_FILE, is_ours, scan};

    fn hits(line: &str) -> usize {
        scan("docs/a.md", line).len()
    }

    /// A path or host of the list, joined here as it is there.
    fn joined(glue: &str, parts: &[&str]) -> String {
        parts.join(glue)
    }

    #[test]
    fn machine_paths_are_found_and_parts_of_other_paths_are_not() {
        for parts in [["", "work", "x"], ["", "root", "x"], ["", "tmp", "x"], ["", "farm", "x"]] {
            assert_eq!(hits(&format!("see {} here", joined("/", &parts))), 1, "{parts:?}");
        }
        assert_eq!(hits(&format!("file://{}", joined("/", &["", "tmp", "x"]))), 1);
        for free in ["a/work/b", "./work/b", "https://example.com/tmp/x", "/workspace/x"] {
            assert_eq!(hits(free), 0, "{free}");
        }
    }

    #[test]
    fn registry_hosts_are_found() {
        assert_eq!(hits(&format!("https://{}/a", joined(".", &["index", "crates", "io"]))), 1);
        assert_eq!(hits(&joined(".", &["pypi", "org"])), 1);
        assert_eq!(hits("crates.io"), 0);
    }

    #[test]
    fn words_about_the_making_are_found_in_any_case() {
        assert_eq!(hits("see Issue #12"), 1);
        assert_eq!(hits("an issue # of its own"), 0);
        assert_eq!(hits("in This Session we"), 1);
        assert_eq!(hits("written by Codex"), 1);
        assert_eq!(hits("codexes are books"), 0);
    }

    #[test]
    fn a_wire_format_or_model_may_be_named() {
        assert_eq!(hits("`apply-patch` (Codex): `*** Begin Patch`"), 0);
        assert_eq!(hits("a model called claude-3-opus"), 0);
        assert_eq!(hits("claude-code wrote it"), 1);
    }

    #[test]
    fn stubs_are_found_as_written() {
        assert_eq!(hits("    todo!(\"later\")"), 1);
        assert_eq!(hits("#[ignore = \"slow\"]"), 1);
        assert_eq!(hits("a TODO list"), 0);
    }

    #[test]
    fn a_finding_has_file_and_line_and_the_list_itself_is_exempt() {
        let found = scan("a/b.rs", "fine\ntodo!()\n");
        assert!(found[0].starts_with("a/b.rs:2: `todo!(`: "), "{found:?}");
        assert!(scan(THIS_FILE, "todo!()").is_empty());
    }

    #[test]
    fn only_our_own_text_files_are_read() {
        assert!(is_ours("docs/a.md") && is_ours(".ci/run") && is_ours("fixtures/a/b.case"));
        assert!(is_ours("a/package-lock.json") && is_ours("a/b.mjs"));
        assert!(!is_ours("Cargo.lock") && !is_ours("a.png"));
    }
}
