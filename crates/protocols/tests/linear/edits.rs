//! Edit blocks: patches, and search-and-replace blocks.

use crate::harness::{BYTEWISE, FILE, Flood, PROSE, check, examined, flood, unlimited};

const PATCH: &str = "*** Begin Patch\n*** Add File: a\n";
const PATCH_END: &str = "*** End Patch\n";
const SEARCH: &str = "a.rs\n```\n<<<<<<< SEARCH\n";
const DIVIDER: &str = "=======\n";
const REPLACE: &str = ">>>>>>> REPLACE\n```\n";

fn ordinary() -> [(&'static str, Vec<Flood>); 2] {
    let lines: String = FILE.lines().map(|line| format!("+{line}\n")).collect();
    let small = format!("{PATCH}+x\n{PATCH_END}");
    let patches = vec![
        flood("prose", PROSE),
        flood("a big patch", lines).inside(PATCH, PATCH_END),
        flood("small patches", small),
    ];
    let small = format!("{SEARCH}x\n{DIVIDER}y\n{REPLACE}");
    let after = format!("{DIVIDER}{REPLACE}");
    let blocks = vec![
        flood("prose", PROSE),
        flood("thinking", PROSE).inside("<think>\n", "</think>\n\nSo."),
        flood("a big text", format!("{FILE}\n")).inside(SEARCH, after),
        flood("small blocks", small),
    ];
    [("apply-patch", patches), ("aider-diff", blocks)]
}

#[test]
fn twice_the_edits_are_twice_the_work() {
    for (format, floods) in ordinary() {
        let counts = examined(&[format], &floods, &unlimited(), &[BYTEWISE / 2, BYTEWISE]);
        for pair in counts.chunks(2) {
            let [(what, small), (_, large)] = pair else { continue };
            for (small, large) in small.iter().zip(large) {
                assert!(10 * large <= 22 * small, "{what}: {small}, then {large}");
            }
        }
        for (what, counts) in counts {
            let whole = counts.first().copied().unwrap_or_default();
            for count in counts {
                assert!(2 * count <= 3 * whole, "{what}: {count} in chunks, {whole} whole");
            }
        }
    }
}

#[test]
fn floods_of_lines_that_may_be_markers() {
    let blanks = " ".repeat(64);
    let patch = || {
        [
            flood("openers", "*** Begin Patch\n"),
            flood("openers and blanks", format!("*** Begin Patch{blanks}\n\n")),
            flood("beginnings of headers", "*** Begin Patch\n*** Add Fi\n"),
            flood("last lines that go on", "*** End Patch x\n"),
            flood("beginnings of the last line", "*** End Patc\n"),
            flood("indents", format!("{blanks}\n")),
            flood("blanks", " "),
            flood("signs", "*"),
            flood("line breaks", "\n"),
        ]
    };
    check(&["apply-patch"], &patch());
    check(&["apply-patch"], &patch().map(|flood| flood.inside(PATCH, PATCH_END)));
    let blocks = || {
        [
            flood("paths", "a/b.rs\n"),
            flood("fences", "```\n"),
            flood("paths in fences", "```\na.rs\n```\n"),
            flood("openers without a path", "<<<<<<< SEARCH\n"),
            flood("paths that are prose", format!("a.rs{blanks}x\n")),
            flood("beginnings of openers", "<<<<<<< SEARC\n"),
            flood("dividers", DIVIDER),
            flood("dividers that go on", format!("======={blanks}x\n")),
            flood("ends", REPLACE),
            flood("one long path", "a/"),
            flood("blanks", " "),
            flood("backticks", "`"),
            flood("line breaks", "\n"),
        ]
    };
    check(&["aider-diff"], &blocks());
    check(&["aider-diff"], &blocks().map(|flood| flood.inside(SEARCH, "")));
    let second = format!("{SEARCH}{DIVIDER}");
    check(&["aider-diff"], &blocks().map(|flood| flood.inside(second.as_str(), REPLACE)));
}
