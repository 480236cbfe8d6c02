//! Servers behind streamable HTTP.

use std::fmt;

use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::Settings;
use super::connect::{Connected, connect};
use crate::error::{ConnectError, ConnectErrorKind};

/// Where a server is. Redirects lead to another place of the same server at most.
///
/// `https://` works with the feature `tls`, and where the program turns on a TLS library of its choice by
/// features of its own (those of the crate `rmcp`, for example). Elsewhere connecting to it fails.
#[derive(Clone)]
pub struct HttpServer {
    url: String,
    bearer: Option<String>,
    max_concurrent: usize,
}

impl fmt::Debug for HttpServer {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer")
            .field("url", &self.url)
            .field("bearer", &self.bearer.is_some())
            .field("max_concurrent", &self.max_concurrent)
            .finish()
    }
}

impl HttpServer {
    /// A server at that address, `http://127.0.0.1:8000/mcp` for example.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), bearer: None, max_concurrent: 100 }
    }

    /// With a token for the `Authorization` header. It is never shown.
    #[must_use]
    pub fn bearer(mut self, token: impl Into<String>) -> Self {
        self.bearer = Some(token.into());
        self
    }

    /// How many requests may be under way at once. Default: 100.
    #[must_use]
    pub fn max_concurrent(mut self, most: usize) -> Self {
        self.max_concurrent = most;
        self
    }

    pub(crate) async fn connect(
        self,
        name: String,
        settings: Settings,
    ) -> Result<Connected, ConnectError> {
        if !["http://", "https://"].iter().any(|scheme| self.url.starts_with(scheme)) {
            let what = "the address must begin with `http://` or `https://`";
            return Err(ConnectError::new(&name, ConnectErrorKind::Setting(what.to_owned())));
        }
        let mut config = StreamableHttpClientTransportConfig::with_uri(self.url)
            .max_concurrent_requests(self.max_concurrent);
        config.auth_header = self.bearer;
        connect(name, &settings, StreamableHttpClientTransport::from_config(config)).await
    }
}
