//! The table of `docs/gateway-clients.md`.

use super::clients::{Client, Run};
use super::{Cell, EXCUSED, Excuse, damage, scenarios};
use crate::codegen::regions;
use crate::run::{Failure, Outcome, Repo};

const PAGE: &str = "docs/gateway-clients.md";

/// What the page is made from.
pub(super) struct Found<'a> {
    pub(super) clients: &'a [Client],
    pub(super) runs: &'a [Run],
    pub(super) cells: &'a [Cell],
    /// Right of the native answers without the gateway, by client.
    pub(super) without: Vec<Option<usize>>,
}

/// Writes the region of the clients.
pub(super) fn write(repo: &Repo, found: &Found<'_>) -> Outcome<()> {
    region(repo, "clients", |commit| found.body(commit))
}

/// Writes a region, given the commit.
pub(super) fn region(repo: &Repo, name: &str, body: impl FnOnce(&str) -> String) -> Outcome<()> {
    let old = repo.read(PAGE)?;
    let commit = repo.program("git", ["rev-parse", "--short", "HEAD"]).stdout()?;
    let new = regions::replace(&old, name, &body(commit.trim()))
        .map_err(|e| Failure::Check(format!("{PAGE}: {e}")))?;
    repo.write(PAGE, &new)?;
    println!("wrote {PAGE}");
    Ok(())
}

impl Found<'_> {
    fn body(&self, commit: &str) -> String {
        let mut out = format!("Commit `{commit}`, `cargo xtask sdk --write`:\n\n");
        out.push_str("| client | wire | packages | on |\n| --- | --- | --- | --- |\n");
        for (client, run) in self.clients.iter().zip(self.runs) {
            let (packages, on) = (&run.version.client, &run.version.on);
            out.push_str(&format!("| {} | {} | {packages} | {on} |\n", client.key, client.wire));
        }
        let formats = scenarios::FORMATS.len();
        out.push_str(&format!(
            "\nRight of all answers, {formats} formats, streamed and whole:\n\n"
        ));
        table(&mut out, self.clients, self.cells, "what the model writes", scenarios::ROWS);
        out.push_str(
            "\nRight of all answers, streamed and whole, of upstreams that know tools:\n\n",
        );
        let rows: Vec<&str> = damage::all().iter().map(|case| case.row).collect();
        table(&mut out, self.clients, self.cells, "what the upstream sends", &rows);
        let count = |right: &Option<usize>| match right {
            Some(right) => format!("{right} of {}", rows.len()),
            None => "–".to_owned(),
        };
        let counts: Vec<String> = self.without.iter().map(count).collect();
        out.push_str(&format!(
            "| *all of these without the gateway, streamed* | {} |\n",
            counts.join(" | ")
        ));
        for Excuse { clients, rows, reason, .. } in EXCUSED {
            out.push_str(&format!("\n{}; {}: {reason}.\n", clients.join(", "), rows.join(", ")));
        }
        out
    }
}

/// One row a scenario, one column a client.
pub(super) fn table(
    out: &mut String,
    clients: &[Client],
    cells: &[Cell],
    first: &str,
    rows: &[&str],
) {
    let keys: Vec<&str> = clients.iter().map(|client| client.key).collect();
    out.push_str(&format!("| {first} | {} |\n", keys.join(" | ")));
    out.push_str(&format!("| --- |{}\n", " --: |".repeat(keys.len())));
    for row in rows {
        let counts: Vec<String> = (0..keys.len()).map(|client| right(cells, client, row)).collect();
        out.push_str(&format!("| {row} | {} |\n", counts.join(" | ")));
    }
}

fn right(cells: &[Cell], client: usize, row: &str) -> String {
    let own = cells.iter().filter(|cell| cell.client == client && cell.row == row);
    let right = own.clone().filter(|cell| cell.wrong.is_none()).count();
    format!("{right} of {}", own.count())
}
