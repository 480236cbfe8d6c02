//! The client that speaks to the upstream.
//!
//! Dropping a response, or the future of one, closes its connection: that is how an answer nobody waits
//! for is cancelled.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::uri::Scheme;
use http::{HeaderMap, HeaderValue, Method, Request, Uri};
use http_body_util::Full;
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client as Pool, ResponseFuture};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use crate::config::{Config, ConfigError};

pub(crate) struct Client {
    pool: Pool<HttpsConnector<HttpConnector>, Full<Bytes>>,
    config: Arc<Config>,
}

/// Whom connections trust: the authorities of that file, else those of the system. Where none is needed (an
/// upstream without TLS) none is loaded: they cost half a mebibyte and the time to read them.
fn trust(config: &Config) -> Result<ClientConfig, ConfigError> {
    let start = |error: &dyn std::fmt::Display| {
        ConfigError::Start(format!(
            "no certificates to trust: {error}; install those of the system, or set upstream-ca"
        ))
    };
    // Named, because a build may hold several.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| start(&error))?;
    let builder = match &config.upstream_ca {
        Some(file) => builder.with_root_certificates(authorities(file)?),
        None if config.target.scheme() == Some(&Scheme::HTTPS) => {
            builder.with_native_roots().map_err(|error| start(&error))?
        }
        None => builder.with_root_certificates(RootCertStore::empty()),
    };
    Ok(builder.with_no_client_auth())
}

/// The certificates of a file in PEM, all of them.
fn authorities(file: &Path) -> Result<RootCertStore, ConfigError> {
    let unusable = |error: &dyn std::fmt::Display| {
        ConfigError::Certificates(file.display().to_string(), error.to_string())
    };
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unusable(&error))? {
        let certificate = certificate.map_err(|error| unusable(&error))?;
        store.add(certificate).map_err(|error| unusable(&error))?;
    }
    if store.is_empty() { Err(unusable(&"it holds none")) } else { Ok(store) }
}

impl Client {
    pub(crate) fn new(config: Arc<Config>) -> Result<Self, ConfigError> {
        let mut http = HttpConnector::new();
        http.set_nodelay(true);
        http.enforce_http(false);
        http.set_connect_timeout(Some(Duration::from_secs(10)));
        let tls = HttpsConnectorBuilder::new().with_tls_config(trust(&config)?);
        let connector = tls.https_or_http().enable_http1().wrap_connector(http);
        let pool = Pool::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(60))
            .build(connector);
        Ok(Self { pool, config })
    }

    /// Sends a body to the model.
    pub(crate) fn post(&self, body: String, key: Option<HeaderValue>, id: &str) -> ResponseFuture {
        let mut request = self.request(Method::POST, &self.config.target, key, id, body);
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/x-ndjson"));
        self.pool.request(request)
    }

    /// Asks which models there are.
    pub(crate) fn models(&self, key: Option<HeaderValue>, id: &str) -> ResponseFuture {
        self.pool.request(self.request(Method::GET, &self.config.models, key, id, String::new()))
    }

    fn request(
        &self,
        method: Method,
        to: &Uri,
        key: Option<HeaderValue>,
        id: &str,
        body: String,
    ) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = method;
        *request.uri_mut() = to.clone();
        let headers = request.headers_mut();
        if let Some(key) = key {
            headers.insert(AUTHORIZATION, key);
        }
        if let Ok(id) = HeaderValue::from_str(id) {
            headers.insert("x-request-id", id);
        }
        request
    }

    /// The key of the gateway, else that of the client, wherever it stands in its headers. A copy: a part of
    /// the headers would keep the buffer that they were read into.
    pub(crate) fn authorization(&self, from: &HeaderMap) -> Option<HeaderValue> {
        let bearer = |key: &str| {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).ok()?;
            value.set_sensitive(true);
            Some(value)
        };
        if let Some(key) = &self.config.upstream_key {
            return bearer(key.secret());
        }
        // A key that is the gateway's own is not the upstream's.
        if self.config.client_key.is_some() {
            return None;
        }
        if let Some(value) = from.get(AUTHORIZATION) {
            let mut value = HeaderValue::from_bytes(value.as_bytes()).ok()?;
            value.set_sensitive(true);
            return Some(value);
        }
        bearer(from.get("x-api-key")?.to_str().ok()?)
    }
}
