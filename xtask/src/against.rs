//! `cargo xtask against COMMIT`: today's tree and that commit on the same texts, event by event.
//!
//! The example `jobs` of the test kit draws the texts once: every fixture, every text of the vector
//! files where they are at hand, and seeded mutations of both, at random splits. The example
//! `lister` writes the events of each; it is built in both trees from today's source, under the
//! same profile, with every assertion on. What differs is printed, with what it takes to see it
//! again.
//!
//! All of it lies in `against/` of the target folder: a tree and a lister for each commit, one
//! target folder for all trees, and the jobs and listings of the last run.

mod diff;
mod report;

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::metadata::Workspace;
use crate::run::{Done, Failure, Outcome, Repo, fail};

/// The source of the lister, in both trees.
const LISTER: &str = "crates/testkit/examples/lister.rs";

/// Both sides are built alike, whatever profile their trees have.
const PROFILE: &[&str] = &[
    "profile.dev.opt-level=1",
    "profile.dev.package.\"*\".opt-level=0",
    "profile.dev.debug=false",
    "profile.dev.debug-assertions=true",
    "profile.dev.overflow-checks=true",
];

/// What the command line asks for.
struct Options {
    commit: String,
    mutations: u64,
    seed: u64,
    filter: String,
    shown: usize,
}

/// Compares; differences are a failure.
pub(crate) fn run(repo: &Repo, args: Args) -> Outcome {
    let options = Options::read(args)?;
    let commit = repo
        .program("git", ["rev-parse", "--verify", "--quiet"])
        .args([format!("{}^{{commit}}", options.commit)])
        .stdout()
        .map_err(|_| Failure::Usage(format!("no commit `{}`", options.commit)))?;
    let folder = Path::new(&Workspace::load(repo)?.target_directory).join("against");
    let old = folder.join(commit.trim());
    make(&old)?;

    let old_lister = build_old(repo, commit.trim(), &old)?;
    let examples = build(repo, repo.path("."), &folder.join("today"), &["lister", "jobs"])?;
    let jobs = folder.join("jobs.jsonl");
    write_jobs(repo, &program(&examples, "jobs"), &jobs, &options)?;
    let new_lister = program(&examples, "lister");

    let (left, right) = (old.join("events"), folder.join("events"));
    list(repo, &[(old_lister, &left), (new_lister, &right)], &jobs)?;
    let summary = report::compare(&jobs, &left, &right, options.shown, options.seed)?;
    println!("{summary}");
    if summary.differ == 0 { Ok(Done::Passed) } else { fail("the two trees read differently") }
}

impl Options {
    fn read(mut args: Args) -> Outcome<Self> {
        let mutations = number(&mut args, "--mutations", 50)?;
        let seed = number(&mut args, "--seed", 1)?;
        let shown = usize::try_from(number(&mut args, "--show", 20)?).unwrap_or(usize::MAX);
        let filter = args.value("--filter")?.unwrap_or_default();
        let commit = args.free();
        args.done()?;
        let Some(commit) = commit else {
            return Err(Failure::Usage("`against` needs a COMMIT".into()));
        };
        Ok(Self { commit, mutations, seed, filter, shown })
    }
}

fn number(args: &mut Args, name: &str, default: u64) -> Outcome<u64> {
    let Some(word) = args.value(name)? else { return Ok(default) };
    word.parse().map_err(|_| Failure::Usage(format!("`{name} {word}` is not a whole number")))
}

/// The lister of a commit. What was built from the same source before is used again.
fn build_old(repo: &Repo, commit: &str, folder: &Path) -> Outcome<PathBuf> {
    let source = repo.read(LISTER)?;
    let (lister, built_from) = (program(folder, "lister"), folder.join("lister.rs"));
    if lister.is_file() && std::fs::read_to_string(&built_from).is_ok_and(|old| old == source) {
        return Ok(lister);
    }
    let tree = folder.join("tree");
    check_out(repo, commit, folder, &tree)?;
    let place = tree.join(LISTER);
    place.parent().map_or(Ok(()), make)?;
    save(&place, &source)?;
    let target = folder.with_file_name("trees");
    let built = build(repo, tree, &target, &["lister"]).map_err(|failure| match failure {
        Failure::Check(what) => Failure::Check(format!(
            "{what}\nthe lister does not build at {commit}: see the head of {LISTER}"
        )),
        other => other,
    })?;
    let built = program(&built, "lister");
    std::fs::copy(&built, &lister)
        .map_err(|e| Failure::Check(format!("cannot copy {}: {e}", built.display())))?;
    save(&built_from, &source)?;
    Ok(lister)
}

/// Writes the files of a commit, without a word of it in the repository: its index is a file apart.
fn check_out(repo: &Repo, commit: &str, folder: &Path, tree: &Path) -> Outcome<()> {
    make(tree)?;
    let index = folder.join("index");
    repo.program("git", ["read-tree", commit]).env("GIT_INDEX_FILE", &index).run()?;
    let prefix = format!("--prefix={}/", tree.display());
    repo.program("git", ["checkout-index", "--all", "--force", "--quiet", &prefix])
        .env("GIT_INDEX_FILE", &index)
        .run()
}

/// Builds examples of the test kit in a tree and gives the folder they are in.
fn build(repo: &Repo, tree: PathBuf, target: &Path, examples: &[&str]) -> Outcome<PathBuf> {
    let mut cargo = repo.cargo(["build", "--quiet", "-p", "toolweir-testkit"]);
    for example in examples {
        cargo = cargo.args(["--example", example]);
    }
    for setting in PROFILE {
        cargo = cargo.args(["--config", setting]);
    }
    cargo.env("CARGO_TARGET_DIR", target).within(tree).run()?;
    Ok(target.join("debug/examples"))
}

fn write_jobs(repo: &Repo, writer: &Path, jobs: &Path, options: &Options) -> Outcome<()> {
    let vectors = std::env::var_os("TOOLWEIR_VECTORS").map(PathBuf::from);
    let vectors = vectors.unwrap_or_else(|| repo.path("../shared/vectors"));
    let mut program = repo
        .program(writer, [jobs])
        .args([options.seed.to_string(), options.mutations.to_string(), options.filter.clone()])
        .args([repo.path("fixtures")]);
    if vectors.is_dir() {
        program = program.args([vectors]);
    } else {
        println!("no vector files (../shared/vectors, or TOOLWEIR_VECTORS=FOLDER)");
    }
    program.run()
}

/// Runs both listers side by side.
fn list(repo: &Repo, sides: &[(PathBuf, &PathBuf); 2], jobs: &Path) -> Outcome<()> {
    let start =
        |(lister, out): &(PathBuf, &PathBuf)| repo.program(lister, [jobs, out.as_path()]).start();
    let running: Vec<_> = sides.iter().map(start).collect::<Outcome<_>>()?;
    // Both are waited for, whatever comes of the first.
    let ended: Vec<_> = running.into_iter().map(crate::run::Running::wait).collect();
    ended.into_iter().collect()
}

fn program(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn make(folder: &Path) -> Outcome<()> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::Check(format!("cannot make {}: {e}", folder.display())))
}

fn save(path: &Path, text: &str) -> Outcome<()> {
    std::fs::write(path, text)
        .map_err(|e| Failure::Check(format!("cannot write {}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::Options;
    use crate::args::Args;

    fn options(line: &str) -> Option<Options> {
        Options::read(Args::new(line.split_whitespace().map(str::to_owned))).ok()
    }

    #[test]
    fn a_commit_is_needed_and_the_rest_has_defaults() {
        let found = options("HEAD~3 --seed 7 --filter hermes").unwrap();
        assert_eq!((found.commit.as_str(), found.filter.as_str()), ("HEAD~3", "hermes"));
        assert_eq!((found.seed, found.mutations), (7, 50));
        for wrong in ["", "--seed 7", "HEAD --seed x", "HEAD HEAD", "HEAD --all"] {
            assert!(options(wrong).is_none(), "{wrong}");
        }
    }
}
