//! A gateway as a process of its own, and a client of it.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::thread;

use crate::{Record, binary};

/// A running `toolweir serve`; it is ended with this value.
pub(crate) struct Served {
    child: Child,
    pub(crate) address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        // One that has ended by itself cannot be killed.
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }
}

impl Served {
    /// Starts it on a free port, with these arguments.
    pub(crate) fn start<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Self {
        let mut child = binary()
            .args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let address = Record::read(&line).get("address");
        // What is logged later is nobody's; the pipe must not fill up.
        thread::spawn(move || io::copy(&mut log, &mut io::sink()));
        Self { child, address }
    }

    /// Sends a request.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            socket,
            "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        socket
    }

    /// Sends a request; gives the reply, head and all.
    pub(crate) fn reply(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let mut reply = String::new();
        self.ask(method, path, headers, body).read_to_string(&mut reply).unwrap();
        reply
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> String {
        self.reply("POST", path, "", body)
    }

    /// Tells it to stop, as a service manager does.
    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        let id = self.child.id().to_string();
        let told = std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(told.success());
    }

    /// Waits until it has ended; its exit code.
    #[cfg(unix)]
    pub(crate) fn ended(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}
