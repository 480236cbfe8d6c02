//! Connections: listening, limits, the end.

mod body;
mod exchange;
mod ids;
mod route;
mod whole;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::ids::Ids;
use crate::config::{Config, ConfigError, Settings};
use crate::demo::Demo;
use crate::metrics::Metrics;
use crate::plan::Planner;
use crate::record;
use crate::upstream::Client;

/// What all requests share. Nothing in it is of a client.
pub(crate) struct Shared {
    pub(crate) config: Arc<Config>,
    pub(crate) planner: Planner,
    pub(crate) client: Client,
    pub(crate) metrics: Metrics,
    pub(crate) ids: Ids,
    /// The gateway has been told to stop.
    pub(crate) draining: AtomicBool,
}

impl Shared {
    pub(crate) fn new(config: Config) -> Result<Self, ConfigError> {
        let config = Arc::new(config);
        if let Some(directory) = &config.record {
            record::prepare(directory)?;
        }
        Ok(Self {
            planner: Planner::new(Arc::clone(&config))?,
            client: Client::new(Arc::clone(&config))?,
            config,
            metrics: Metrics::default(),
            ids: Ids::random(),
            draining: AtomicBool::new(false),
        })
    }
}

/// A gateway that listens.
pub struct Gateway {
    shared: Arc<Shared>,
    listener: TcpListener,
    address: SocketAddr,
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Gateway {
    /// Listens; nothing is answered yet.
    ///
    /// # Errors
    /// [`ConfigError`] says what cannot be used, and what to do.
    pub async fn bind(config: Config) -> Result<Self, ConfigError> {
        let wanted = config.listen;
        let shared = Arc::new(Shared::new(config)?);
        let taken = |error: std::io::Error| ConfigError::Bind(wanted, error.to_string());
        let listener = listen(wanted).map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        Ok(Self { shared, listener, address })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is ready. Then `/ready` says no while connections are still taken for the time of
    /// draining; then running answers have the time of grace.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let drain = self.shared.config.drain;
        // A timer runs from when it is made: only once the gateway has been told to stop.
        self.serve_until(stop, async move { tokio::time::sleep(drain).await }).await;
    }

    /// The same, draining until `drained` is ready.
    async fn serve_until(self, stop: impl Future<Output = ()>, drained: impl Future<Output = ()>) {
        let Self { shared, listener, address } = self;
        let acceptor = Acceptor {
            room: Arc::new(Semaphore::new(shared.config.max_connections)),
            graceful: GracefulShutdown::new(),
            shared: &shared,
            listener,
        };
        tracing::info!(%address, target = %shown(&shared.config), mode = shared.config.mode.word(),
            format = shared.config.format, "listening");
        acceptor.accept_until(stop).await;
        shared.draining.store(true, Ordering::Relaxed);
        tracing::info!("stopping: running answers are finished");
        acceptor.accept_until(drained).await;
        let Acceptor { graceful, listener, .. } = acceptor;
        drop(listener);
        if tokio::time::timeout(shared.config.grace, graceful.shutdown()).await.is_err() {
            tracing::warn!("some answers were still running and are cut off");
        }
    }
}

/// Accepts connections, up to their limit.
struct Acceptor<'a> {
    shared: &'a Arc<Shared>,
    listener: TcpListener,
    room: Arc<Semaphore>,
    graceful: GracefulShutdown,
}

impl Acceptor<'_> {
    /// Takes connections until `stop` is ready.
    async fn accept_until(&self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        loop {
            let next = async {
                // A full house lets clients wait in the queue of the system.
                let permit = Arc::clone(&self.room).acquire_owned().await.ok();
                (permit, self.listener.accept().await)
            };
            let accepted = tokio::select! {
                accepted = next => accepted,
                () = &mut stop => break,
            };
            match accepted {
                (Some(permit), Ok((socket, _))) => {
                    connect(self.shared, socket, permit, &self.graceful);
                }
                (_, Err(error)) => {
                    // Mostly: no descriptors left. They come back as connections end.
                    tracing::warn!(%error, "a connection was not taken");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                (None, _) => {}
            }
        }
    }
}

/// Connections that the system may hold until they are accepted, as far as it lets us. With the 128 of the
/// standard library a burst of clients waits a second for the retransmission of what was dropped.
const BACKLOG: u32 = 4096;

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A gateway that was stopped leaves connections behind for a while; elsewhere the flag means more.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

fn shown(config: &Config) -> String {
    // Without what may stand before an `@`.
    let target = &config.target;
    let (scheme, host) = (target.scheme_str().unwrap_or("http"), target.host().unwrap_or_default());
    let port = target.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{scheme}://{host}{port}{}", target.path())
}

fn connect(
    shared: &Arc<Shared>,
    socket: TcpStream,
    permit: OwnedSemaphorePermit,
    graceful: &GracefulShutdown,
) {
    let _ = socket.set_nodelay(true);
    let handler = Arc::clone(shared);
    // Boxed: else the connection keeps room for this future while the answer streams, kibibytes of it.
    let service = service_fn(move |request| Box::pin(route::route(Arc::clone(&handler), request)));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(30))
        // What a client that does not read may cost.
        .max_buf_size(128 * 1024)
        .serve_connection(TokioIo::new(socket), service);
    let connection = graceful.watch(connection);
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        shared.metrics.connected();
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection ended");
        }
        shared.metrics.disconnected();
        drop(permit);
    });
}

/// Runs a gateway until the process is told to stop. With `demo` the scripted upstream answers.
///
/// # Errors
/// [`ConfigError`] says what cannot be used, and what to do.
pub fn run(settings: Settings, demo: bool) -> Result<(), ConfigError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| ConfigError::Start(error.to_string()))?;
    runtime.block_on(async {
        let mut settings = settings;
        if demo {
            let upstream = Demo::bind().await?;
            settings.upstream = Some(upstream.url());
            settings.upstream_kind = None;
            settings.mode = settings.mode.or(Some(crate::Mode::Clean));
            tokio::spawn(upstream.serve());
        }
        let gateway = Gateway::bind(settings.into_config()?).await?;
        // Told again, it drains no longer.
        let drain = gateway.shared.config.drain;
        let drained = async {
            let _ = tokio::time::timeout(drain, told_to_stop()).await;
        };
        gateway.serve_until(told_to_stop(), drained).await;
        Ok(())
    })
}

/// Checks settings as far as that goes without listening; gives what would be run, a line each.
///
/// # Errors
/// [`ConfigError`] says what cannot be used, and what to do.
pub fn check(settings: Settings, demo: bool) -> Result<Vec<String>, ConfigError> {
    let mut settings = settings;
    if demo {
        settings.upstream = Some("http://127.0.0.1".to_owned());
    }
    let shared = Shared::new(settings.into_config()?)?;
    let config = &shared.config;
    let upstream = if demo { "the embedded script".to_owned() } else { shown(config) };
    let constrain = shared.planner.constrains();
    let constrain = constrain.map_err(|failure| ConfigError::Format(failure.message))?;
    Ok(vec![
        format!("listen: {}", config.listen),
        format!("upstream: {upstream} ({})", config.upstream_kind),
        format!("mode: {}, format: {}", config.mode.word(), config.format),
        format!("constrain: {constrain}"),
    ])
}

async fn told_to_stop() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending::<()>().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
