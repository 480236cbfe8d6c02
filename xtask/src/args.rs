//! Command line words, taken one by one; whatever is left at the end is an error.

use crate::run::Failure;

/// The words after the command, each taken at most once.
pub(crate) struct Args {
    words: Vec<String>,
}

impl Args {
    /// Holds `words` in the order given.
    pub(crate) fn new(words: impl Iterator<Item = String>) -> Self {
        Self { words: words.collect() }
    }

    /// Takes the flag `name`; true if it was there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let found = self.words.iter().position(|word| word == name);
        found.map(|at| self.words.remove(at)).is_some()
    }

    /// Takes `name VALUE` or `name=VALUE`. A name without a value is a usage error.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let joined = |word: &String| word.strip_prefix(name).is_some_and(|r| r.starts_with('='));
        if let Some(at) = self.words.iter().position(joined) {
            let word = self.words.remove(at);
            return Ok(word.split_once('=').map(|(_, value)| value.to_owned()));
        }
        let Some(at) = self.words.iter().position(|word| word == name) else {
            return Ok(None);
        };
        self.words.remove(at);
        match self.words.get(at) {
            Some(next) if !next.starts_with("--") => Ok(Some(self.words.remove(at))),
            _ => Err(Failure::Usage(format!("`{name}` needs a value"))),
        }
    }

    /// Takes `name N`, a whole number; `default` where it is not given.
    pub(crate) fn number(&mut self, name: &str, default: u64) -> Result<u64, Failure> {
        let Some(word) = self.value(name)? else { return Ok(default) };
        word.parse().map_err(|_| Failure::Usage(format!("`{name} {word}` is not a whole number")))
    }

    /// Takes the first word that is not a flag.
    pub(crate) fn free(&mut self) -> Option<String> {
        let at = self.words.iter().position(|word| !word.starts_with("--"))?;
        Some(self.words.remove(at))
    }

    /// Fails if a word is left over.
    pub(crate) fn done(self) -> Result<(), Failure> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(Failure::Usage(format!("unexpected `{word}`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Args;

    fn args(line: &str) -> Args {
        Args::new(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn flags_values_and_free_words_come_in_any_order() {
        let mut a = args("--keep-going target --seconds 5 --seed=7");
        assert_eq!(a.value("--seconds").unwrap().as_deref(), Some("5"));
        assert_eq!(a.value("--seed").unwrap().as_deref(), Some("7"));
        assert!(a.flag("--keep-going"));
        assert!(!a.flag("--keep-going"));
        assert_eq!(a.free().as_deref(), Some("target"));
        assert!(a.done().is_ok());
    }

    #[test]
    fn a_value_that_is_missing_is_an_error() {
        assert!(args("--only").value("--only").is_err());
        assert!(args("--only --skip x").value("--only").is_err());
    }

    #[test]
    fn words_left_over_are_an_error() {
        assert!(args("--chekc").done().is_err());
    }
}
