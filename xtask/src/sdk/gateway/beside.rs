//! The same clients and the same upstream with LiteLLM between: what gets through it, and how the rest
//! differs.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

use super::clients::Client;
use super::{Cell, damage, page};
use crate::litellm::{self, LiteLlm};
use crate::run::{Outcome, Repo};

/// How a verdict begins where an answer that was not whole ended as if it were.
const AS_WHOLE: &str = "no error; it ended with Some";
/// How a verdict begins where the stream just stopped.
const STOPPED: &str = "no error; it ended with None";

/// What is asked of it: it asks the upstream as it is asked, and the script knows streams only.
pub(super) const STREAMS: [bool; 1] = [true];

/// Longest verdict that is shown, in characters.
const SHOWN: usize = 160;

/// LiteLLM before that upstream and where it listens; a reason is printed where it cannot be had.
pub(super) fn start(
    repo: &Repo,
    folder: &Path,
    upstream: SocketAddr,
) -> Outcome<Option<(LiteLlm, SocketAddr)>> {
    let address = super::free()?;
    let on = |program: &Path, words: &[&str]| repo.program(program, words);
    let url = format!("http://{upstream}");
    match litellm::start(repo, &folder.join("litellm"), &url, address, on)? {
        Ok(running) => Ok(Some((running, address))),
        Err(reason) => {
            println!("LiteLLM is left out: {reason}");
            Ok(None)
        }
    }
}

/// Prints the totals, and writes the table if asked.
pub(super) fn told(
    repo: &Repo,
    clients: &[Client],
    cells: &[Cell],
    version: &str,
    to_page: bool,
) -> Outcome<()> {
    for (at, client) in clients.iter().enumerate() {
        let Counts { right, asked, as_whole, stopped } = Counts::of(cells, at);
        println!(
            "{} before LiteLLM {version}: {right} of {asked} right; of answers that are not whole \
             {as_whole} end as complete, {stopped} just stop",
            client.key
        );
    }
    match to_page {
        true => page::region(repo, "beside", |commit| body(clients, cells, version, commit)),
        false => Ok(()),
    }
}

/// Right, asked, complete though they are not, without any end.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    right: usize,
    asked: usize,
    as_whole: usize,
    stopped: usize,
}

impl Counts {
    fn of(cells: &[Cell], client: usize) -> Self {
        let own = || cells.iter().filter(move |cell| cell.client == client);
        let begins = |with| {
            let wrong = own().filter_map(|cell| cell.wrong.as_deref());
            wrong.filter(|wrong| wrong.starts_with(with)).count()
        };
        let right = own().filter(|cell| cell.wrong.is_none()).count();
        Self { right, asked: own().count(), as_whole: begins(AS_WHOLE), stopped: begins(STOPPED) }
    }
}

fn body(clients: &[Client], cells: &[Cell], version: &str, commit: &str) -> String {
    let mut out = format!(
        "Commit `{commit}`, `cargo xtask sdk --gateway --beside --write`, LiteLLM {version}; right of the \
         answers, streamed:\n\n"
    );
    let rows: Vec<&str> = damage::all().iter().map(|case| case.row).collect();
    page::table(&mut out, clients, cells, "what the upstream sends", &rows);
    let counts: Vec<Counts> = (0..clients.len()).map(|at| Counts::of(cells, at)).collect();
    let totals = |of: fn(&Counts) -> usize| {
        let all: Vec<String> = counts.iter().map(|counts| of(counts).to_string()).collect();
        all.join(" | ")
    };
    out.push_str(&format!("| *all right* | {} |\n", totals(|c| c.right)));
    out.push_str(&format!("| *not whole, but end as complete* | {} |\n", totals(|c| c.as_whole)));
    out.push_str(&format!("| *not whole, and just stop* | {} |\n", totals(|c| c.stopped)));
    out.push_str("\nHow they differ, with the clients that see it so:\n\n");
    for row in rows {
        let mut differences: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for cell in cells.iter().filter(|cell| cell.row == row) {
            let Some((what, client)) = cell.wrong.as_ref().zip(clients.get(cell.client)) else {
                continue;
            };
            let seen = differences.entry(shortened(what)).or_default();
            if !seen.contains(&client.key) {
                seen.push(client.key);
            }
        }
        for (what, keys) in differences {
            out.push_str(&format!("- {row}: {what} ({})\n", keys.join(", ")));
        }
    }
    out
}

/// A verdict in one line of Markdown.
fn shortened(what: &str) -> String {
    let one: String = what.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = one.chars().take(SHOWN).collect();
    let dots = if cut.len() < one.len() { "…" } else { "" };
    format!("`{}{dots}`", cut.replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::{Cell, Counts, shortened};

    #[test]
    fn ends_are_counted_by_what_they_pretend() {
        let cell = |wrong: Option<&str>| Cell {
            client: 0,
            row: "cut",
            name: String::new(),
            wrong: wrong.map(str::to_owned),
        };
        let cells = [
            cell(None),
            cell(Some("no error; it ended with Some(\"stop\")")),
            cell(Some("no error; it ended with None")),
            cell(Some("text \"a\", not \"b\"")),
        ];
        let counts = Counts { right: 1, asked: 4, as_whole: 1, stopped: 1 };
        assert_eq!(Counts::of(&cells, 0), counts);
        assert_eq!(Counts::of(&cells, 1).asked, 0);
    }

    #[test]
    fn verdicts_stay_one_line() {
        assert_eq!(shortened("a `b`\n c"), "`a 'b' c`");
        assert!(shortened(&"ž".repeat(500)).ends_with("…`"));
    }
}
