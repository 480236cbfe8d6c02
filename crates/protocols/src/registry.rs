//! Protocols by name. A registry is a value: no globals, no registration at start-up.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{SpecError, UnknownFormat, near_names};
use crate::formats;
use crate::protocol::Protocol;
use crate::reasoning::FAMILIES;
use crate::spec::FormatSpec;
use crate::spec_protocol::SpecProtocol;

/// Protocols by name and alias.
///
/// ```
/// use toolweir_protocols::Registry;
/// let registry = Registry::builtin();
/// assert_eq!(registry.get("nous").unwrap().name(), "hermes");
/// assert!(registry.get("hermse").is_err_and(|e| e.near == ["hermes"]));
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    entries: BTreeMap<String, Arc<dyn Protocol>>,
    aliases: BTreeMap<String, String>,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry")
            .field("formats", &self.entries.keys().collect::<Vec<_>>())
            .field("aliases", &self.aliases)
            .finish()
    }
}

impl Registry {
    /// No protocols at all.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Every built-in wire format, and every reasoning family as a format without calls.
    #[must_use]
    pub fn builtin() -> Self {
        let mut registry = Self::empty();
        for family in FAMILIES {
            // Families and specs are constants; a test compiles each of them.
            if let Ok(protocol) = SpecProtocol::reasoning_only(family) {
                registry.register(Arc::new(protocol));
                for alias in family.aliases {
                    registry.alias(alias, family.name);
                }
            }
        }
        for spec in formats::SPECS {
            if let Ok(protocol) = SpecProtocol::new(spec) {
                registry.register(Arc::new(protocol));
                for alias in spec.aliases {
                    registry.alias(alias, spec.name);
                }
            }
        }
        for format in formats::HAND_WRITTEN {
            registry.register((format.protocol)());
            for alias in format.aliases {
                registry.alias(alias, format.name);
            }
        }
        registry
    }

    /// Adds a protocol under its own name and returns the one it shadows, if any.
    pub fn register(&mut self, protocol: Arc<dyn Protocol>) -> Option<Arc<dyn Protocol>> {
        let name = protocol.name().to_owned();
        let alias_of = self.aliases.remove(&name);
        let old = self.entries.insert(name, protocol);
        old.or_else(|| alias_of.and_then(|n| self.entries.get(&n).cloned()))
    }

    /// Compiles and adds a spec, with its aliases.
    ///
    /// # Errors
    /// [`SpecError`] when the spec cannot work.
    pub fn register_spec(
        &mut self,
        spec: &FormatSpec<'_>,
    ) -> Result<Option<Arc<dyn Protocol>>, SpecError> {
        let old = self.register(Arc::new(SpecProtocol::new(spec)?));
        for alias in spec.aliases {
            self.alias(alias, spec.name);
        }
        Ok(old)
    }

    /// Makes `alias` another name of `name`. A protocol registered under `alias` itself wins.
    pub fn alias(&mut self, alias: &str, name: &str) {
        self.aliases.insert(alias.to_owned(), name.to_owned());
    }

    /// The protocol of that name or alias.
    ///
    /// # Errors
    /// [`UnknownFormat`] lists names that look like it.
    pub fn get(&self, name: &str) -> Result<&Arc<dyn Protocol>, UnknownFormat> {
        let direct = self.entries.get(name);
        direct.or_else(|| self.entries.get(self.aliases.get(name)?)).ok_or_else(|| UnknownFormat {
            name: name.to_owned(),
            near: near_names(name, self.names().chain(self.aliases.keys().map(String::as_str))),
        })
    }

    /// The registered names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The aliases of a name, sorted.
    pub fn aliases_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.aliases.iter().filter(move |(_, n)| n.as_str() == name).map(|(a, _)| a.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_spec_and_family_compiles() {
        let registry = Registry::builtin();
        for spec in formats::SPECS {
            assert_eq!(registry.get(spec.name).unwrap().name(), spec.name);
            for alias in spec.aliases {
                assert_eq!(registry.get(alias).unwrap().name(), spec.name);
            }
        }
        for family in FAMILIES {
            assert_eq!(registry.get(family.name).unwrap().name(), family.name);
        }
    }

    #[test]
    fn a_registered_protocol_shadows_and_returns_the_old_one() {
        let mut registry = Registry::builtin();
        let own = FormatSpec { name: "hermes", aliases: &[], ..formats::json_mix::SPEC };
        let old = registry.register_spec(&own).unwrap();
        assert_eq!(old.unwrap().name(), "hermes");
        let alias = FormatSpec { name: "nous", aliases: &[], ..formats::json_mix::SPEC };
        assert!(registry.register_spec(&alias).unwrap().is_some());
        assert_eq!(registry.get("nous").unwrap().name(), "nous");
    }
}
