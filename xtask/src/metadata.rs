//! What `cargo metadata` says of the workspace's own packages.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::run::{Failure, Outcome, Repo};

/// The workspace as cargo sees it.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    /// Its members, in no order to rely on.
    pub(crate) packages: Vec<Package>,
    /// The target folder in force.
    pub(crate) target_directory: String,
}

/// One member.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// `Some` of an empty list: never published.
    #[serde(default)]
    pub(crate) publish: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) manifest_path: String,
    #[serde(default)]
    pub(crate) features: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(crate) dependencies: Vec<Dependency>,
    #[serde(default)]
    pub(crate) targets: Vec<Target>,
}

/// One line of a dependency table.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// The version requirement; `*` when none is written.
    #[serde(default)]
    pub(crate) req: String,
    /// `None` for a normal dependency, else `dev` or `build`.
    #[serde(default)]
    pub(crate) kind: Option<String>,
}

/// One thing a package builds.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) kind: Vec<String>,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn load(repo: &Repo) -> Outcome<Self> {
        let text = repo.cargo(["metadata", "--format-version", "1", "--no-deps"]).stdout()?;
        serde_json::from_str(&text)
            .map_err(|e| Failure::Check(format!("`cargo metadata` was not understood: {e}")))
    }
}

impl Package {
    /// True unless the manifest says `publish = false`.
    pub(crate) fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|registries| !registries.is_empty())
    }

    /// True if it has a library.
    pub(crate) fn has_library(&self) -> bool {
        self.targets.iter().any(|t| t.kind.iter().any(|k| k == "lib" || k == "proc-macro"))
    }
}
