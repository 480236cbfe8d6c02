//! Cases that may fail, each with a reason, in a committed list.
//!
//! ```text
//! # a comment
//! [formats/hermes.jsonl]
//! some/case/id | policy | white space between text and a call is kept (policy 6)
//! other/case/id | deferred | needs repair of unescaped quotes
//! ```
//!
//! A heading names the file that the cases below it are in (the end of its path). An excuse is
//! judged only when its file was among the inputs: without a case there it is a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use super::{CaseResult, Verdict};

/// Why a case may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExcuseKind {
    /// The source follows another policy than ours.
    Policy,
    /// It needs a part that is not built yet.
    Deferred,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excuse {
    /// End of the path of the file that the case is in; `None`: any file.
    pub file: Option<PathBuf>,
    /// What sort of reason it is.
    pub kind: ExcuseKind,
    /// The reason.
    pub reason: String,
}

/// A list of excuses, by case id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excuses {
    by_id: BTreeMap<String, Excuse>,
}

/// A list that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcuseError {
    /// The line, counted from 1; 0 where the file cannot be read.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for ExcuseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ExcuseError {}

impl Excuses {
    /// Reads a list.
    ///
    /// ```
    /// use toolweir_testkit::vectors::Excuses;
    /// let list = Excuses::parse("[a.jsonl]\na/1 | policy | trims text").unwrap();
    /// assert_eq!(list.reason("a/1"), Some("trims text"));
    /// ```
    ///
    /// # Errors
    /// [`ExcuseError`] for a line without id, kind and reason, or an id given twice.
    pub fn parse(text: &str) -> Result<Self, ExcuseError> {
        let mut list = Self::default();
        let mut file = None;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            let error = |message: &str| ExcuseError { line: index + 1, message: message.into() };
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                file = Some(PathBuf::from(name));
                continue;
            }
            let mut cells = line.splitn(3, '|').map(str::trim);
            let (Some(id), Some(kind), Some(reason)) = (cells.next(), cells.next(), cells.next())
            else {
                return Err(error("not of the form `ID | KIND | REASON`"));
            };
            let kind = match kind {
                "policy" => ExcuseKind::Policy,
                "deferred" => ExcuseKind::Deferred,
                _ => return Err(error("the kind is neither `policy` nor `deferred`")),
            };
            if id.is_empty() || reason.is_empty() {
                return Err(error("the id or the reason is empty"));
            }
            let excuse = Excuse { file: file.clone(), kind, reason: reason.to_owned() };
            if list.by_id.insert(id.to_owned(), excuse).is_some() {
                return Err(error("the case is excused twice"));
            }
        }
        Ok(list)
    }

    /// Reads the list in a file.
    ///
    /// # Errors
    /// [`ExcuseError`] when the file cannot be read or as [`Excuses::parse`].
    pub fn load(path: &Path) -> Result<Self, ExcuseError> {
        let text = std::fs::read_to_string(path);
        let error = |e| ExcuseError { line: 0, message: format!("{}: {e}", path.display()) };
        Self::parse(&text.map_err(error)?)
    }

    /// Why that case may fail, if it may.
    #[must_use]
    pub fn reason(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(|excuse| excuse.reason.as_str())
    }

    /// Every excuse with its case id, sorted by id.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Excuse)> {
        self.by_id.iter().map(|(id, excuse)| (id.as_str(), excuse))
    }

    /// A failure for each excuse whose file is among `files` but whose case was not `seen`.
    pub(super) fn without_case(&self, files: &[PathBuf], seen: &BTreeSet<&str>) -> Vec<CaseResult> {
        let of_file = |excuse: &Excuse| match &excuse.file {
            Some(name) => files.iter().find(|file| file.ends_with(name)).cloned(),
            None => files.first().cloned(),
        };
        let missing = self.by_id.iter().filter(|(id, _)| !seen.contains(id.as_str()));
        let failure = |(id, excuse): (&String, &Excuse)| {
            let verdict = Verdict::Failed("excused, but there is no such case".into());
            Some(CaseResult { file: of_file(excuse)?, line: 0, id: id.clone(), verdict })
        };
        missing.filter_map(failure).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_comments_and_kinds_are_read() {
        let list =
            Excuses::parse("# c\n[f/a.jsonl]\n\na/1 | policy | x | y\na/2|deferred|z").unwrap();
        let found: Vec<_> = list.iter().collect();
        assert_eq!(found[0].1.kind, ExcuseKind::Policy);
        assert_eq!(found[0].1.reason, "x | y");
        assert_eq!(found[1].1.kind, ExcuseKind::Deferred);
        assert_eq!(found[1].1.file.as_deref(), Some(Path::new("f/a.jsonl")));
    }

    #[test]
    fn bad_lines_are_refused_with_their_number() {
        for text in ["a/1", "a/1 | policy", "a/1 | maybe | x", "| policy | x", "a/1 | policy |"] {
            assert_eq!(Excuses::parse(&format!("\n{text}")).unwrap_err().line, 2, "{text}");
        }
        assert!(Excuses::parse("a | policy | x\na | policy | y").is_err());
    }

    #[test]
    fn only_excuses_of_the_files_given_are_judged() {
        let list = Excuses::parse("[a.jsonl]\na/1|policy|x\n[b.jsonl]\nb/1|policy|x").unwrap();
        let files = [PathBuf::from("some/a.jsonl")];
        let stale = list.without_case(&files, &BTreeSet::new());
        assert_eq!(stale.iter().map(|r| r.id.as_str()).collect::<Vec<_>>(), ["a/1"]);
        assert!(list.without_case(&files, &BTreeSet::from(["a/1"])).is_empty());
    }
}
