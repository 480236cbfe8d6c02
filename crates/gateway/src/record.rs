//! What upstreams answer, byte for byte, one file an answer: for looking at later, off by default.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use crate::config::ConfigError;
use crate::upstream::UpstreamKind;

/// Whether the directory can be written to; makes it where it is missing.
pub(crate) fn prepare(directory: &Path) -> Result<(), ConfigError> {
    let wrong =
        |error: std::io::Error| ConfigError::Record(format!("{}: {error}", directory.display()));
    std::fs::create_dir_all(directory).map_err(wrong)?;
    let probe = directory.join(".toolweir");
    File::create(&probe).map_err(wrong)?;
    std::fs::remove_file(&probe).map_err(wrong)
}

/// Writes one answer. Trouble is told once, and ends the recording alone.
#[derive(Debug)]
pub(crate) struct Recording {
    file: Option<File>,
}

impl Recording {
    pub(crate) fn none() -> Self {
        Self { file: None }
    }

    /// To `ID.sse` or `ID.ndjson`. Ids hold nothing that means something to a file system.
    pub(crate) fn new(directory: &Path, id: &str, kind: UpstreamKind) -> Self {
        let ending = if kind == UpstreamKind::Ollama { "ndjson" } else { "sse" };
        match File::create(directory.join(format!("{id}.{ending}"))) {
            Ok(file) => Self { file: Some(file) },
            Err(error) => {
                tracing::warn!(id, %error, "an answer cannot be recorded");
                Self::none()
            }
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        if let Err(error) = file.write_all(bytes) {
            tracing::warn!(%error, "the recording of an answer stops");
            self.file = None;
        }
    }
}
