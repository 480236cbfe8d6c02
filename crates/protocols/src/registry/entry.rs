//! One entry of a registry: a protocol, or what it is made from when it is first asked for.

use std::sync::{Arc, OnceLock};

use crate::protocol::Protocol;
use crate::reasoning::Family;
use crate::spec::FormatSpec;
use crate::spec_protocol::SpecProtocol;

/// What a protocol that is built in is made from.
pub(super) enum Source {
    /// A row, and those whose calls it reads too.
    Row(Arc<FormatSpec>, Vec<Arc<FormatSpec>>),
    Family(&'static Family<'static>),
    ByHand(fn() -> Arc<dyn Protocol>),
}

/// A protocol; of a row also as what it is.
struct Made {
    protocol: Arc<dyn Protocol>,
    compiled: Option<Arc<SpecProtocol>>,
}

pub(super) struct Entry {
    source: Option<Source>,
    /// Nothing: it could not be compiled, which no entry that is built in is.
    made: OnceLock<Option<Made>>,
}

impl Entry {
    pub(super) fn of(protocol: Arc<dyn Protocol>) -> Self {
        Self::ready(Made { protocol, compiled: None })
    }

    pub(super) fn compiled(row: Arc<SpecProtocol>) -> Self {
        Self::ready(Made::from(row))
    }

    fn ready(made: Made) -> Self {
        Self { source: None, made: OnceLock::from(Some(made)) }
    }

    fn made(&self) -> Option<&Made> {
        let make = || self.source.as_ref().and_then(Source::make);
        self.made.get_or_init(make).as_ref()
    }

    pub(super) fn protocol(&self) -> Option<&Arc<dyn Protocol>> {
        self.made().map(|made| &made.protocol)
    }

    /// The protocol of a row.
    pub(super) fn row(&self) -> Option<&Arc<SpecProtocol>> {
        self.made()?.compiled.as_ref()
    }
}

impl From<Source> for Entry {
    fn from(source: Source) -> Self {
        Self { source: Some(source), made: OnceLock::new() }
    }
}

impl Source {
    fn make(&self) -> Option<Made> {
        match self {
            Self::Row(row, reads) => {
                let reads: Vec<&FormatSpec> = reads.iter().map(|row| &**row).collect();
                Some(Made::from(Arc::new(SpecProtocol::reading(row, &reads).ok()?)))
            }
            Self::Family(family) => {
                let protocol = SpecProtocol::of_family(family).ok()?;
                Some(Made { protocol, compiled: None })
            }
            Self::ByHand(make) => Some(Made { protocol: make(), compiled: None }),
        }
    }
}

impl From<Arc<SpecProtocol>> for Made {
    fn from(row: Arc<SpecProtocol>) -> Self {
        Self { protocol: Arc::clone(&row) as Arc<dyn Protocol>, compiled: Some(row) }
    }
}
