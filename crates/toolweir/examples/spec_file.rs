//! A wire format of one's own as a file: no code at all.
//!
//! Run it with `cargo run -p toolweir --example spec_file --features toml`.
// An example prints.
#![allow(clippy::print_stdout)]

use toolweir::{ProtocolExt, Registry, Request};

/// The file; a program of yours reads it from where it likes.
pub const FILE: &str = include_str!("brackets.toml");

/// The built-in formats and the one of the file.
pub fn registry() -> Result<Registry, Box<dyn std::error::Error>> {
    let mut registry = Registry::builtin();
    registry.register_toml(FILE)?;
    Ok(registry)
}

/// Decodes one answer and prints what came of it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = registry()?;
    let answer = "Rolling.\n[[call]]{\"name\": \"dice\", \"with\": {\"sides\": 6}}[[/call]]";
    let turn = registry.get("double-brackets")?.parse(answer, &Request::default())?;
    for call in turn.calls() {
        println!("{} {}", call.name, call.arguments);
    }
    println!("{}", turn.text());
    Ok(())
}
