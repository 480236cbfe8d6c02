//! Protocols by name. A registry is a value: no globals, no registration at start-up.
//!
//! What is built in is compiled when it is first asked for: most programs use one format of some eighty.

mod entry;
mod union;

use std::collections::BTreeMap;
use std::sync::Arc;

use litemap::LiteMap;

use self::entry::Entry;
use crate::error::{SpecError, UnknownFormat};
use crate::formats;
use crate::protocol::Protocol;
use crate::reasoning::FAMILIES;
use crate::spec::FormatSpec;
use crate::spec_protocol::SpecProtocol;
use crate::wording::near_names;

/// Wire formats by name and alias, and beside them reasoning families, which have a name space of
/// their own: a format and a family may bear one name.
///
/// ```
/// use toolweir_protocols::Registry;
/// let registry = Registry::builtin();
/// assert_eq!(registry.get("nous").unwrap().name(), "hermes");
/// assert!(registry.get("hermse").is_err_and(|e| e.near == ["hermes"]));
/// assert_eq!(registry.reasoning("basic").unwrap().name(), "think-tags");
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    formats: Names,
    families: Names,
    /// The rows of the formats that are data: others may read their calls.
    specs: LiteMap<String, Arc<FormatSpec>>,
    /// The names of the formats, in the order in which they were added.
    order: Vec<String>,
}

/// One name space.
#[derive(Clone, Default)]
struct Names {
    entries: LiteMap<String, Arc<Entry>>,
    aliases: BTreeMap<String, String>,
}

impl Names {
    fn get(&self, name: &str) -> Option<&Arc<dyn Protocol>> {
        let entry = self.entries.get(name);
        entry.or_else(|| self.entries.get(self.aliases.get(name)?))?.protocol()
    }

    /// The entry of that name, or of one that is spelled like it.
    fn find(&self, name: &str) -> Option<&Arc<dyn Protocol>> {
        self.get(name).or_else(|| self.spelled_like(name))
    }

    /// The entry that has this name or alias but for letter case and separators, if only one has.
    fn spelled_like(&self, name: &str) -> Option<&Arc<dyn Protocol>> {
        let name = letters(name);
        let alike = self.all().filter(|own| letters(own) == name);
        let mut owners = alike.filter_map(|own| self.owner(own));
        let first = owners.next()?;
        owners.all(|owner| owner == first).then(|| self.get(first)).flatten()
    }

    /// Whose name or alias it is already.
    fn owner(&self, name: &str) -> Option<&str> {
        let entry = self.entries.find_index(name).ok();
        let entry = entry.and_then(|place| self.entries.get_indexed(place));
        entry.map(|(name, _)| name.as_str()).or_else(|| self.aliases.get(name).map(String::as_str))
    }

    fn free(&self, name: &str) -> Result<(), SpecError> {
        match self.owner(name) {
            Some(by) => Err(SpecError::Taken { name: name.to_owned(), by: by.to_owned() }),
            None => Ok(()),
        }
    }

    fn add<'a>(&mut self, name: &str, aliases: impl Iterator<Item = &'a str>, entry: Entry) {
        self.entries.insert(name.to_owned(), Arc::new(entry));
        self.aliases.extend(aliases.map(|alias| (alias.to_owned(), name.to_owned())));
    }

    /// Every name and alias.
    fn all(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().chain(self.aliases.keys()).map(String::as_str)
    }
}

/// A name in lower case without separators: `Kimi_K2` as `kimik2`.
fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry")
            .field("formats", &self.formats.entries.keys().collect::<Vec<_>>())
            .field("aliases", &self.formats.aliases)
            .field("families", &self.families.entries.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
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
        // Rows and families are constants; a test compiles each of them and registers them without
        // an error.
        for family in FAMILIES {
            let make =
                || -> Option<Arc<dyn Protocol>> { Some(SpecProtocol::of_family(family).ok()?) };
            registry.families.add(family.name, family.aliases.iter().copied(), Entry::new(make));
        }
        let rows: Vec<_> = formats::specs().into_iter().map(Arc::new).collect();
        for row in &rows {
            registry.specs.insert(row.name.clone(), Arc::clone(row));
        }
        for row in rows {
            let reads = row.reads.iter().filter_map(|other| registry.specs.get(other)).cloned();
            let (spec, reads) = (Arc::clone(&row), reads.collect::<Vec<_>>());
            let entry = Entry::new(move || {
                let reads: Vec<&FormatSpec> = reads.iter().map(|row| &**row).collect();
                SpecProtocol::staying(&spec, &reads, Vec::new()).ok()
            });
            registry.order.push(row.name.clone());
            registry.formats.add(&row.name, row.aliases.iter().map(String::as_str), entry);
        }
        let by_hand = if cfg!(feature = "by-hand") { formats::HAND_WRITTEN } else { &[] };
        for format in by_hand {
            let aliases = format.aliases.iter().copied();
            registry.order.push(format.name.to_owned());
            registry.formats.add(format.name, aliases, Entry::new(|| Some((format.protocol)())));
        }
        registry
    }

    /// Adds a protocol under its own name.
    ///
    /// # Errors
    /// [`SpecError::Taken`] when a format has that name or alias; [`Registry::replace`] shadows it.
    pub fn register(&mut self, protocol: Arc<dyn Protocol>) -> Result<(), SpecError> {
        self.formats.free(protocol.name())?;
        self.insert(protocol.name().to_owned(), Entry::new(|| Some(protocol)));
        Ok(())
    }

    /// Adds a protocol under its own name and returns the one it shadows, if any.
    pub fn replace(&mut self, protocol: Arc<dyn Protocol>) -> Option<Arc<dyn Protocol>> {
        self.put(protocol.name().to_owned(), Entry::new(|| Some(protocol)))
    }

    /// Puts an entry in the place of what has its name; gives that back.
    fn put(&mut self, name: String, entry: Entry) -> Option<Arc<dyn Protocol>> {
        let old = self.formats.get(&name).cloned();
        self.formats.aliases.remove(&name);
        self.specs.remove(&name);
        self.insert(name, entry);
        old
    }

    fn insert(&mut self, name: String, entry: Entry) {
        if !self.order.contains(&name) {
            self.order.push(name.clone());
        }
        self.formats.entries.insert(name, Arc::new(entry));
    }

    /// Compiles and adds a spec, with its aliases. What it `reads` must be there already.
    ///
    /// # Errors
    /// [`SpecError`] when the spec cannot work, or a name of it is taken.
    pub fn register_spec(&mut self, spec: &FormatSpec) -> Result<(), SpecError> {
        for name in std::iter::once(&spec.name).chain(&spec.aliases) {
            self.formats.free(name)?;
        }
        let compiled = self.compile(spec)?;
        self.insert(spec.name.clone(), Entry::new(|| Some(compiled)));
        self.add_names(spec)
    }

    /// Compiles a spec and adds it in the place of the format that has its name, if one has;
    /// returns that one.
    ///
    /// # Errors
    /// [`SpecError`] when the spec cannot work, or an alias of it is the name of another format.
    pub fn replace_spec(
        &mut self,
        spec: &FormatSpec,
    ) -> Result<Option<Arc<dyn Protocol>>, SpecError> {
        let own = |owner: &str| owner == spec.name;
        for alias in &spec.aliases {
            if !self.formats.owner(alias).is_some_and(own) {
                self.formats.free(alias)?;
            }
        }
        let compiled = self.compile(spec)?;
        let old = self.put(spec.name.clone(), Entry::new(|| Some(compiled)));
        self.formats.aliases.retain(|_, name| *name != spec.name);
        self.add_names(spec)?;
        Ok(old)
    }

    fn compile(&self, spec: &FormatSpec) -> Result<SpecProtocol, SpecError> {
        let mut reads = Vec::new();
        for other in &spec.reads {
            let row = self.specs.get(other).ok_or_else(|| SpecError::Reads {
                format: spec.name.clone(),
                other: other.clone(),
                near: near_names(other, self.specs.keys().map(String::as_str)),
            })?;
            reads.push(&**row);
        }
        SpecProtocol::reading(spec, &reads)
    }

    fn add_names(&mut self, spec: &FormatSpec) -> Result<(), SpecError> {
        self.specs.insert(spec.name.clone(), Arc::new(spec.clone()));
        spec.aliases.iter().try_for_each(|alias| self.alias(alias, &spec.name))
    }

    /// Makes `alias` another name of the format `name`.
    ///
    /// # Errors
    /// [`SpecError::Taken`] when it is the name or alias of another format.
    pub fn alias(&mut self, alias: &str, name: &str) -> Result<(), SpecError> {
        if self.formats.aliases.get(alias).is_none_or(|owner| owner != name) {
            self.formats.free(alias)?;
        }
        self.formats.aliases.insert(alias.to_owned(), name.to_owned());
        Ok(())
    }

    /// The wire format of that name or alias; where no format has it, or after `reasoning:`, the
    /// reasoning family, as a format without calls. A name that none has may differ in letter case and
    /// separators, as servers spell it: `kimi_k2`, `deepseekv31`.
    ///
    /// # Errors
    /// [`UnknownFormat`] lists names that look like it.
    pub fn get(&self, name: &str) -> Result<&Arc<dyn Protocol>, UnknownFormat> {
        if let Some(family) = name.strip_prefix("reasoning:") {
            return self.reasoning(family);
        }
        let found = self.formats.find(name).or_else(|| self.families.find(name));
        let all = || self.formats.all().chain(self.families.all());
        found.ok_or_else(|| UnknownFormat { name: name.to_owned(), near: near_names(name, all()) })
    }

    /// The reasoning family of that name or alias, as a format without calls.
    ///
    /// # Errors
    /// [`UnknownFormat`] lists names that look like it.
    pub fn reasoning(&self, name: &str) -> Result<&Arc<dyn Protocol>, UnknownFormat> {
        self.families.find(name).ok_or_else(|| UnknownFormat {
            name: name.to_owned(),
            near: near_names(name, self.families.all()),
        })
    }

    /// The names of the formats, then of the families that no format shares one with; each sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let families = self.families.entries.keys();
        let families = families.filter(|name| !self.formats.entries.contains_key(name.as_str()));
        self.formats.entries.keys().chain(families).map(String::as_str)
    }

    /// The wire formats in the order in which they were added, with the rows of those that are data.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&Arc<dyn Protocol>, Option<&FormatSpec>)> {
        self.order.iter().filter_map(|name| {
            let row = self.specs.get(name).map(|row| &**row);
            Some((self.formats.entries.get(name)?.protocol()?, row))
        })
    }

    /// The aliases of a format, sorted.
    pub fn aliases_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let aliases = self.formats.aliases.iter();
        aliases.filter(move |(_, owner)| owner.as_str() == name).map(|(alias, _)| alias.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_row_and_family_compiles_and_no_name_is_taken_twice() {
        let mut families = Names::default();
        for family in FAMILIES {
            SpecProtocol::reasoning_only(family).unwrap();
            for name in std::iter::once(&family.name).chain(family.aliases) {
                families.free(name).unwrap();
                families.aliases.insert((*name).to_owned(), family.name.to_owned());
            }
        }
        let mut registry = Registry::empty();
        let specs = formats::specs();
        registry.specs.extend(specs.iter().map(|s| (s.name.clone(), Arc::new(s.clone()))));
        for spec in &specs {
            registry.register_spec(spec).unwrap();
        }
        for format in formats::HAND_WRITTEN {
            registry.register((format.protocol)()).unwrap();
            format.aliases.iter().for_each(|alias| registry.alias(alias, format.name).unwrap());
        }
        let builtin = Registry::builtin();
        assert!(registry.formats.all().eq(builtin.formats.all()));
        assert_eq!(registry.order, builtin.order);
        assert!(builtin.rows().count() == builtin.order.len());
        assert!(builtin.families.entries.keys().all(|name| builtin.reasoning(name).is_ok()));
        assert_eq!(builtin.get("hermes2-pro").unwrap().name(), "hermes");
    }

    #[test]
    fn names_as_servers_spell_them_are_found_where_one_format_has_them() {
        let mut registry = Registry::builtin();
        let name = |registry: &Registry, name: &str| registry.get(name).unwrap().name().to_owned();
        assert_eq!(name(&registry, "kimi_k2"), "kimi-k2");
        assert_eq!(name(&registry, "DeepSeekV3.1"), "deepseek-v31");
        assert_eq!(name(&registry, "interns1"), "internlm2");
        assert_eq!(registry.reasoning("Think_Tags").unwrap().name(), "think-tags");
        assert!(registry.get("-").is_err());
        for alike in ["own-brackets", "own_brackets"] {
            let own = FormatSpec {
                name: alike.into(),
                aliases: Vec::new(),
                ..formats::spec("hermes").unwrap()
            };
            registry.register_spec(&own).unwrap();
        }
        assert_eq!(
            registry.get("ownbrackets").map(|_| ()).unwrap_err().near,
            ["own-brackets", "own_brackets"]
        );
        assert_eq!(name(&registry, "own_brackets"), "own_brackets");
    }
}
