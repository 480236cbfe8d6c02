//! `cargo xtask book`: the pages of `docs/` as a site, in `target/book`.

use crate::run::{Done, Failure, Outcome, Repo};

const CONFIG: &str = "docs/book.toml";
const SITE: &str = "target/book";

/// Builds the site with mdbook, where that is installed. What the pages link to beside themselves is in
/// the repository.
pub(crate) fn run(repo: &Repo) -> Outcome {
    if !repo.program("mdbook", ["--version"]).quiet().0 {
        return Ok(Done::Skipped("mdbook is not installed (cargo install mdbook)".into()));
    }
    repo.program("mdbook", ["build", "docs"]).run()?;
    let repository = repository(&repo.read(CONFIG)?)?;
    for page in repo.files(SITE)?.iter().filter(|page| page.extension() == Some("html".as_ref())) {
        let page = repo.relative(page);
        repo.write(&page, &linked(&repo.read(&page)?, &repository))?;
    }
    Ok(Done::Passed)
}

/// The address of the repository that the settings of the site name.
fn repository(config: &str) -> Outcome<String> {
    let wrong = |what: &str| Failure::Check(format!("{CONFIG}: {what}"));
    let config: toml::Table = toml::from_str(config).map_err(|e| wrong(&e.to_string()))?;
    let html = config.get("output").and_then(|output| output.get("html"));
    let address = html.and_then(|html| html.get("git-repository-url")?.as_str());
    Ok(address.ok_or_else(|| wrong("no git-repository-url"))?.to_owned())
}

/// A page whose links out of the site lead to the repository. mdbook has made pages of the texts there.
fn linked(page: &str, repository: &str) -> String {
    const LINK: &str = "href=\"../";
    let mut parts = page.split(LINK);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (path, rest) = part.split_once('"').unwrap_or((part, ""));
        let path = path.replacen(".html", ".md", 1);
        out += &format!("href=\"{repository}/blob/main/{path}\"{rest}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_site_lead_to_the_repository() {
        let page = r##"<a href="rust.html">a</a><a href="../crates/cli/README.html#bugs">b</a>"##;
        let want =
            r##"<a href="rust.html">a</a><a href="r/blob/main/crates/cli/README.md#bugs">b</a>"##;
        assert_eq!(linked(page, "r"), want);
        assert_eq!(linked("no link", "r"), "no link");
        assert_eq!(
            repository("[output.html]\ngit-repository-url = 'r'").ok().as_deref(),
            Some("r")
        );
        assert!(repository("").is_err());
    }
}
