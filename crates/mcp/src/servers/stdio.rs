//! Servers that are child processes.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::Settings;
use super::connect::{Connected, connect};
use super::lines::RepairedLines;
use crate::error::{ConnectError, ConnectErrorKind};

/// How to start a server: a program that speaks MCP over its standard input and output.
///
/// No shell is involved. The process has the environment of this one, unless
/// [`StdioServer::clear_env`] says otherwise. When the connection is closed its input ends; if it does not
/// end then, it is asked to (`SIGTERM`) and at last killed. What it has started itself is its own to end.
#[derive(Clone, Debug)]
pub struct StdioServer {
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    clear_env: bool,
    current_dir: Option<PathBuf>,
}

impl StdioServer {
    /// A program, by path or to be found in `PATH`.
    #[must_use]
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            clear_env: false,
            current_dir: None,
        }
    }

    /// With one more argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// With one more variable.
    #[must_use]
    pub fn env(mut self, key: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((key.into(), value.into()));
        self
    }

    /// With no variables but those of [`StdioServer::env`].
    #[must_use]
    pub fn clear_env(mut self) -> Self {
        self.clear_env = true;
        self
    }

    /// In that folder.
    #[must_use]
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.current_dir = Some(folder.into());
        self
    }

    /// How long to wait for what a process that failed has written.
    const LAST_WORDS: Duration = Duration::from_secs(1);

    fn command(self) -> Command {
        let mut command = Command::new(self.program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        command.args(self.args);
        if self.clear_env {
            command.env_clear();
        }
        command.envs(self.env);
        if let Some(folder) = self.current_dir {
            command.current_dir(folder);
        }
        command
    }

    pub(crate) async fn connect(
        self,
        name: String,
        settings: Settings,
    ) -> Result<Connected, ConnectError> {
        let (process, stderr) = Process::spawn(self.command())
            .map_err(|error| ConnectError::new(&name, ConnectErrorKind::Spawn(error)))?;
        let tail = Tail::default();
        // Ends with the process.
        let draining = stderr.map(|stderr| tokio::spawn(tail.clone().drain(stderr)));
        match connect(name, &settings, process).await {
            Ok(mut connected) => {
                connected.stderr = Some(tail);
                Ok(connected)
            }
            Err(mut error) => {
                // The process is ended by now or being ended: what it said last may say why.
                if let Some(draining) = draining {
                    let _ = timeout(Self::LAST_WORDS, draining).await;
                }
                error.stderr = tail.text();
                Err(error)
            }
        }
    }
}

/// A child process and the connection to it.
struct Process {
    /// None once it has ended.
    child: Option<Box<dyn ChildWrapper>>,
    connection: AsyncRwTransport<RoleClient, RepairedLines<ChildStdout>, ChildStdin>,
}

impl Process {
    /// How long it may take to end by itself, and how long after it was asked to.
    const GRACE_PERIOD: Duration = Duration::from_secs(3);
    #[cfg(unix)]
    const SIGTERM: i32 = 15;

    fn spawn(command: Command) -> io::Result<(Self, Option<ChildStderr>)> {
        let mut child = CommandWrap::from(command).spawn()?;
        let (input, output) = (child.stdin().take(), child.stdout().take());
        let stderr = child.stderr().take();
        let (Some(input), Some(output)) = (input, output) else {
            return Err(io::Error::other("it has no standard input or output"));
        };
        let connection = AsyncRwTransport::new(RepairedLines::new(output), input);
        Ok((Self { child: Some(child), connection }, stderr))
    }

    /// Waits for its end, however that comes about.
    async fn end(child: &mut Box<dyn ChildWrapper>) -> io::Result<()> {
        if timeout(Self::GRACE_PERIOD, child.wait()).await.is_ok() {
            return Ok(());
        }
        #[cfg(unix)]
        if child.signal(Self::SIGTERM).is_ok()
            && timeout(Self::GRACE_PERIOD, child.wait()).await.is_ok()
        {
            return Ok(());
        }
        Box::into_pin(child.kill()).await
    }
}

impl Transport<RoleClient> for Process {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.connection.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.connection.receive().await
    }

    /// Ends its input, and then the process.
    async fn close(&mut self) -> io::Result<()> {
        self.connection.close().await?;
        if let Some(child) = &mut self.child {
            // It stays where dropping the future leaves it to `drop`.
            Self::end(child).await?;
            self.child = None;
        }
        Ok(())
    }
}

impl Drop for Process {
    /// Waits for the killed process, too, so that nothing is left of it.
    fn drop(&mut self) {
        if let (Some(mut child), Ok(runtime)) = (self.child.take(), Handle::try_current()) {
            runtime.spawn(async move { Box::into_pin(child.kill()).await });
        }
    }
}

/// The last that was written to a standard error.
#[derive(Clone, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    const KEPT: usize = 8 << 10;

    /// Reads everything and keeps the last of it.
    async fn drain(self, mut from: impl AsyncRead + Unpin) {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(buffer.iter().take(count));
            let surplus = kept.len().saturating_sub(Self::KEPT);
            kept.drain(..surplus);
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(kept.make_contiguous()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Tail;

    #[tokio::test]
    async fn everything_is_read_and_the_last_is_kept() {
        let written = "x".repeat(100_000) + "the end";
        let tail = Tail::default();
        tail.clone().drain(written.as_bytes()).await;
        let text = tail.text();
        assert_eq!(text.len(), Tail::KEPT);
        assert!(text.ends_with("xthe end"));
    }
}
