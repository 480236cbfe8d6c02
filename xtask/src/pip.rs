//! Packages from the Python package index for the commands that run Python: they lie in an environment in
//! the target folder, at the versions of a list of ours. What cannot be had is a reason to skip.

use std::path::{Path, PathBuf};

use crate::npm::write;
use crate::run::{Outcome, Repo};

/// The list that an environment was installed from.
const INSTALLED: &str = "installed.txt";

/// The Python of an environment in `folder` that has what `requirements.txt` in `source` (below the root)
/// names and nothing else, or why there is none.
pub(crate) fn install(
    repo: &Repo,
    source: &str,
    folder: &Path,
) -> Outcome<Result<PathBuf, String>> {
    let list = format!("{source}/requirements.txt");
    let wanted = repo.read(&list)?;
    let installed = folder.join(INSTALLED);
    let python = folder.join("bin").join("python");
    if std::fs::read_to_string(&installed).is_ok_and(|known| known == wanted) {
        return Ok(Ok(python));
    }
    let (made, said) = repo.program("python3", ["-m", "venv"]).args([folder]).quiet();
    if !made {
        return Ok(Err(format!("no virtual environment of Python: {}", last_line(&said))));
    }
    let words = ["-m", "pip", "install", "--quiet", "--no-deps", "--timeout", "15", "-r"];
    println!("$ pip install -r {list}");
    let (had, said) = repo.program(&python, words).args([repo.path(&list)]).quiet();
    if !had {
        return Ok(Err(format!("its packages cannot be had: {}", last_line(&said))));
    }
    write(&installed, &wanted)?;
    Ok(Ok(python))
}

/// What a program said last.
pub(crate) fn last_line(said: &str) -> &str {
    said.trim().lines().last().unwrap_or("nothing was said")
}
