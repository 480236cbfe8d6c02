//! One entry of a registry: a protocol, or what it is made from when it is first asked for.

use std::sync::{Arc, LazyLock};

use crate::protocol::Protocol;
use crate::spec_protocol::SpecProtocol;

/// A protocol; of a row also as what it is.
pub(super) struct Made {
    protocol: Arc<dyn Protocol>,
    compiled: Option<Arc<SpecProtocol>>,
}

/// Nothing: it could not be compiled, which no entry that is built in is.
pub(super) struct Entry(LazyLock<Option<Made>, Box<dyn FnOnce() -> Option<Made> + Send>>);

impl Entry {
    /// What is made when it is asked for first.
    pub(super) fn new<M: Into<Made>>(make: impl FnOnce() -> Option<M> + Send + 'static) -> Self {
        Self(LazyLock::new(Box::new(|| make().map(M::into))))
    }

    pub(super) fn protocol(&self) -> Option<&Arc<dyn Protocol>> {
        self.0.as_ref().map(|made| &made.protocol)
    }

    /// The protocol of a row.
    pub(super) fn row(&self) -> Option<&Arc<SpecProtocol>> {
        self.0.as_ref()?.compiled.as_ref()
    }
}

impl From<Arc<dyn Protocol>> for Made {
    fn from(protocol: Arc<dyn Protocol>) -> Self {
        Self { protocol, compiled: None }
    }
}

impl From<SpecProtocol> for Made {
    fn from(row: SpecProtocol) -> Self {
        let row = Arc::new(row);
        Self { protocol: Arc::clone(&row) as Arc<dyn Protocol>, compiled: Some(row) }
    }
}
