//! One request to a server, and what went wrong with it in words.

use std::error::Error;

use rmcp::model::{ClientRequest, ServerResult};
use rmcp::service::{ClientInitializeError, PeerRequestOptions, RequestHandle, ServiceError};
use rmcp::{Peer, RoleClient};
use tokio::runtime::Handle;

/// Asks. The server is told when the future is dropped before the answer.
pub(crate) async fn ask(
    peer: &Peer<RoleClient>,
    request: ClientRequest,
) -> Result<ServerResult, ServiceError> {
    let options = PeerRequestOptions::no_options();
    let mut asked = Asked(Some(peer.send_cancellable_request(request, options).await?));
    let Some(handle) = asked.0.as_mut() else { return Err(ServiceError::TransportClosed) };
    let answer = (&mut handle.rx).await;
    asked.0 = None;
    answer.unwrap_or(Err(ServiceError::TransportClosed))
}

/// A request without an answer yet.
struct Asked(Option<RequestHandle<RoleClient>>);

impl Drop for Asked {
    fn drop(&mut self) {
        if let (Some(handle), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            let reason = "nobody waits for it any more".to_owned();
            runtime.spawn(async move { handle.cancel(Some(reason)).await });
        }
    }
}

/// An error of a request, for whoever set the server up.
pub(crate) fn said(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => format!("error {}: {}", error.code.0, error.message),
        ServiceError::TransportSend(error) => chain(&*error.error),
        ServiceError::TransportClosed => "the server closed the connection".to_owned(),
        other => other.to_string(),
    }
}

/// An error of the first request, likewise.
pub(crate) fn refused(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => chain(&*error.error),
        ClientInitializeError::ConnectionClosed(_) => {
            "the server closed the connection before it answered".to_owned()
        }
        ClientInitializeError::ExpectedInitResult(Some(ServerResult::CustomResult(result))) => {
            let wanted = ["protocolVersion", "capabilities", "serverInfo"];
            let missing = wanted.into_iter().find(|member| result.0.get(member).is_none());
            match missing {
                Some(member) => format!("the answer to `initialize` has no `{member}`"),
                None => "the answer to `initialize` is not of the form it should have".to_owned(),
            }
        }
        ClientInitializeError::JsonRpcError(error) => {
            format!("error {}: {}", error.code.0, with_data(error))
        }
        other => other.to_string(),
    }
}

/// The server's message, and what it says besides.
pub(crate) fn with_data(error: &rmcp::model::ErrorData) -> String {
    match &error.data {
        Some(data) if !data.is_null() => format!("{} ({data})", error.message),
        _ => error.message.to_string(),
    }
}

/// An error and what caused it, each said once. Without the address, which may hold a key.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut said = error.to_string();
    if let Some(address) = said.find(" for url (") {
        said.truncate(address);
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !said.contains(&more) {
            said.push_str(": ");
            said.push_str(&more);
        }
        cause = error.source();
    }
    said
}
