//! Upstreams behind TLS, with certificates of an authority that only these tests know.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use toolweir_gateway::{ConfigError, Gateway, Settings};

use crate::support::{Act, CHAT, answer, chunk, gateway, get, hi, post, send, upstream};

/// An authority, and its certificate in a file.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    file: PathBuf,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let file = file(name, &certificate.pem());
        Self { issuer: Issuer::new(params, key), file }
    }

    /// A server with a certificate for that name: what it decrypts goes to the address, and back.
    async fn server(&self, name: &str, to: SocketAddr) -> String {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let certificate = CertificateDer::from(certificate);
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // A client that does not trust us ends the handshake.
                    let Ok(mut socket) = acceptor.accept(socket).await else { return };
                    let mut plain = TcpStream::connect(to).await.unwrap();
                    let _ = copy_bidirectional(&mut socket, &mut plain).await;
                });
            }
        });
        format!("https://{address}")
    }

    fn trusted(&self) -> String {
        format!("upstream-ca = '{}'", self.file.display())
    }
}

fn file(name: &str, content: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// The scripted upstream, behind TLS with a certificate for that name.
async fn encrypted(authority: &Authority, name: &str, scripts: Vec<Vec<Act>>) -> String {
    let (url, _asked) = upstream(scripts).await;
    let to = url.strip_prefix("http://").unwrap().parse().unwrap();
    authority.server(name, to).await
}

#[tokio::test]
async fn an_authority_of_ones_own_is_trusted_by_name() {
    let authority = Authority::new("trusted.pem");
    let list = r#"{"object":"list","data":[{"id":"m","object":"model"}]}"#;
    let models = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{list}",
        list.len()
    );
    let scripts = vec![answer(&hi()), answer(&hi()), vec![send(&models)]];
    let url = encrypted(&authority, "127.0.0.1", scripts).await;
    let (to, _stop) = gateway(&url, &authority.trusted()).await;
    let (status, text) = post(to, "/v1/chat/completions", CHAT).await;
    assert!(status == 200 && text.contains("Hi.") && text.ends_with("[DONE]\n\n"), "{text}");
    let whole = CHAT.replace("true", "false");
    let (status, text) = post(to, "/v1/chat/completions", &whole).await;
    assert!(status == 200 && text.contains("\"content\":\"Hi.\""), "{text}");
    let (status, text) = get(to, "/v1/models").await;
    assert!(status == 200 && text.contains("\"id\":\"m\""), "{text}");
}

/// A certificate of another authority, or for another name: no request leaves, the client hears why.
#[tokio::test]
async fn who_cannot_be_trusted_is_asked_nothing() {
    let (one, other) = (Authority::new("one.pem"), Authority::new("other.pem"));
    for (name, trusted) in [("127.0.0.1", other.trusted()), ("model.example", one.trusted())] {
        let (plain, mut asked) = upstream(vec![answer(&hi())]).await;
        let to = plain.strip_prefix("http://").unwrap().parse().unwrap();
        let url = one.server(name, to).await;
        let (to, _stop) = gateway(&url, &trusted).await;
        for stream in ["true", "false"] {
            let (status, text) =
                post(to, "/v1/chat/completions", &CHAT.replace("true", stream)).await;
            assert!(status == 502 && text.contains("certificate"), "{name}: {status} {text}");
            assert!(text.contains("cannot be reached") && !text.contains("choices"), "{text}");
        }
        assert!(asked.try_recv().is_err());
    }
}

/// A connection that is cut says nothing of the answer's end, encrypted or not.
#[tokio::test]
async fn an_answer_that_is_cut_is_never_complete() {
    let authority = Authority::new("cut.pem");
    let begun = chunk(r#"{"content":"first"}"#, "null");
    let url = encrypted(&authority, "127.0.0.1", vec![answer(&begun)]).await;
    let (to, _stop) = gateway(&url, &authority.trusted()).await;
    let (_, text) = post(to, "/v1/chat/completions", CHAT).await;
    assert!(text.contains("first") && text.contains("\"error\""), "{text}");
    assert!(!text.contains("[DONE]") && !text.contains("\"stop\""), "{text}");
}

#[tokio::test]
async fn a_file_without_certificates_is_refused_at_the_start() {
    let none = file("none.pem", "no certificate");
    let broken =
        file("broken.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
    for path in [none, broken, PathBuf::from("no-such-file.pem")] {
        let mut settings = Settings::default();
        settings.upstream = Some("https://127.0.0.1:9".to_owned());
        settings.upstream_ca = Some(path.clone());
        let refused = Gateway::bind(settings.into_config().unwrap()).await.unwrap_err();
        assert!(matches!(refused, ConfigError::Certificates(..)), "{refused}");
        let told = refused.to_string();
        assert!(told.contains(&*path.to_string_lossy()) && told.contains("PEM"), "{told}");
    }
}
