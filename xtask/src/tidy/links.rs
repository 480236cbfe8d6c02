//! Pages of `docs/`: each is in the table of contents, and what pages link to is there.

use std::collections::BTreeSet;

/// The table of contents of the site.
const SUMMARY: &str = "docs/SUMMARY.md";

/// One line for each page that the table of contents lacks or has twice, and for each relative link of a
/// page or a README that leads nowhere. `files` are the tracked paths, `sources` their texts.
pub(crate) fn check(files: &[String], sources: &[(String, String)]) -> Vec<String> {
    let pages: Vec<&(String, String)> = sources.iter().filter(|(path, _)| is_page(path)).collect();
    let mut findings = match pages.iter().find(|(path, _)| path == SUMMARY) {
        Some((_, summary)) => listed(files, summary),
        None => vec![format!("{SUMMARY}: the site has no table of contents")],
    };
    for (path, text) in &pages {
        findings.extend(dead(path, text, files, sources));
    }
    findings
}

fn is_page(path: &str) -> bool {
    let is_doc = path.starts_with("docs/") || !path.contains('/') || path.ends_with("/README.md");
    is_doc && path.ends_with(".md")
}

fn listed(files: &[String], summary: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for (line, to) in links(summary) {
        if !seen.insert(format!("docs/{to}")) {
            findings.push(format!("{SUMMARY}:{line}: {to} is listed twice"));
        }
    }
    let pages = files.iter().filter(|path| path.starts_with("docs/") && path.ends_with(".md"));
    for page in pages.filter(|page| *page != SUMMARY && !seen.contains(*page)) {
        findings.push(format!("{page}: not in {SUMMARY}"));
    }
    findings
}

fn dead(path: &str, text: &str, files: &[String], sources: &[(String, String)]) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut findings = Vec::new();
    for (line, to) in links(text) {
        if to.contains("://") || to.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = to.split_once('#').unwrap_or((to, ""));
        let target = if file.is_empty() { Some(path.to_owned()) } else { resolved(folder, file) };
        let there = target.as_ref().is_some_and(|target| is_there(target, files));
        let page = target.and_then(|target| sources.iter().find(|(path, _)| *path == target));
        if !there {
            findings.push(format!("{path}:{line}: {to} is not there"));
        } else if !anchor.is_empty() && page.is_some_and(|(_, text)| !has_heading(text, anchor)) {
            findings.push(format!("{path}:{line}: {to}: no such heading"));
        }
    }
    findings
}

/// A file, or a folder that holds one.
fn is_there(target: &str, files: &[String]) -> bool {
    let folder = format!("{}/", target.trim_end_matches('/'));
    files.iter().any(|file| file == target || file.starts_with(&folder))
}

/// The path from the root; none where it leaves that.
fn resolved(folder: &str, to: &str) -> Option<String> {
    let mut path: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                path.pop()?;
            }
            part => path.push(part),
        }
    }
    Some(path.join("/"))
}

/// The targets of links outside code, with their lines counted from 1.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        // Every second piece between backticks is code.
        for piece in line.split('`').step_by(2) {
            let mut rest = piece;
            while let Some((_, after)) = rest.split_once("](") {
                let Some((to, after)) = after.split_once(')') else { break };
                found.push((number, to.split(' ').next().unwrap_or_default()));
                rest = after;
            }
        }
    }
    found
}

/// Whether the page has a heading of that anchor, as sites make them: lower case, words joined by `-`.
fn has_heading(text: &str, anchor: &str) -> bool {
    let slug = |heading: &str| -> String {
        let kept = heading.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| line.trim_start_matches('#')).any(|heading| slug(heading) == anchor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pages: &[(&str, &str)]) -> Vec<String> {
        let pages = pages.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        let sources: Vec<(String, String)> = pages.collect();
        let files: Vec<String> = sources.iter().map(|(path, _)| path.clone()).collect();
        check(&files, &sources)
    }

    #[test]
    fn every_page_is_listed_once() {
        let summary = ("docs/SUMMARY.md", "# Summary\n\n- [A](a.md)\n- [B](b.md)\n");
        assert_eq!(found(&[summary, ("docs/a.md", "# A"), ("docs/b.md", "# B")]), [""; 0]);
        assert_eq!(
            found(&[summary, ("docs/a.md", ""), ("docs/c.md", "")]),
            ["docs/c.md: not in docs/SUMMARY.md", "docs/SUMMARY.md:4: b.md is not there"]
        );
        let twice = ("docs/SUMMARY.md", "- [A](a.md)\n- [A](a.md)\n");
        assert_eq!(found(&[twice, ("docs/a.md", "")]), ["docs/SUMMARY.md:2: a.md is listed twice"]);
        assert_eq!(
            found(&[("README.md", "")]),
            ["docs/SUMMARY.md: the site has no table of contents"]
        );
    }

    #[test]
    fn links_lead_somewhere() {
        let of = |text: &str| {
            let summary = ("docs/SUMMARY.md", "[A](a.md)");
            let readme = ("crates/x/README.md", "# Two words, one");
            found(&[summary, ("docs/a.md", text), readme])
        };
        for fine in [
            "[x](https://example.com/y.md)",
            "[x](../crates/x/README.md#two-words-one) [y](../crates/x)",
            "# Up\n[x](#up)",
            "`[x](nowhere.md)`",
            "```\n[x](nowhere.md)\n```",
        ] {
            assert_eq!(of(fine), [""; 0], "{fine}");
        }
        for (wrong, what) in [
            ("[x](b.md)", "docs/a.md:1: b.md is not there"),
            ("\n[x](../../up.md)", "docs/a.md:2: ../../up.md is not there"),
            ("[x](#down)", "docs/a.md:1: #down: no such heading"),
            (
                "[x](../crates/x/README.md#three)",
                "docs/a.md:1: ../crates/x/README.md#three: no such heading",
            ),
        ] {
            assert_eq!(of(wrong), [what], "{wrong}");
        }
    }
}
