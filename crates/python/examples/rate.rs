//! The rate of the core alone, on the works of `bench/bench.py`: what its figures are compared with.
//!
//! Reads a JSON file of works and prints a line for each: its name and the nanoseconds of one pass, the
//! best of several rounds.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

use cpu_time::ProcessTime;

use toolweir::rjson::{self, Mode, PartialValue, Value};
use toolweir::{Chunk, Fold, ProtocolExt, Registry, Request, StreamEnd};

const ROUNDS: u32 = 7;
const ROUND: Duration = Duration::from_millis(150);

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("give the file of works")?;
    let works = rjson::parse(&std::fs::read_to_string(path)?, Mode::Strict)?.value;
    let registry = Registry::builtin();
    for work in works.as_array().into_iter().flat_map(|works| works.iter()) {
        let word = |key: &str| work.get(key).and_then(Value::as_str).unwrap_or_default();
        let (text, chunks) = (word("text"), word("chunk").parse().unwrap_or(0));
        let nanoseconds = match word("kind") {
            "parse" => {
                let protocol = registry.get(word("format"))?;
                let request = Request::default();
                best(|| {
                    let turn = protocol.parse(text, &request);
                    black_box(turn.is_ok_and(|turn| turn.text().len() + turn.calls().count() > 0));
                })
            }
            "stream" => {
                let protocol = registry.get(word("format"))?;
                let pieces = pieces(text, chunks);
                best(|| {
                    let Ok(mut decoder) = protocol.decoder(&Request::default()) else { return };
                    let mut fold = Fold::new();
                    for piece in &pieces {
                        decoder.push(Chunk::text(piece), &mut fold);
                    }
                    decoder.finish(StreamEnd::Stop, &mut fold);
                    black_box(fold.into_turn());
                })
            }
            "json" => best(|| {
                black_box(rjson::parse(text, Mode::Repair).is_ok());
            }),
            _ => {
                let pieces = pieces(text, chunks);
                best(|| {
                    let mut partial = PartialValue::new(&Mode::Repair.into());
                    for piece in &pieces {
                        black_box(partial.push(piece).is_ok());
                    }
                    black_box(partial.finish().is_ok());
                })
            }
        };
        println!("{} {nanoseconds}", word("name"));
    }
    Ok(())
}

/// So many characters each.
fn pieces(text: &str, size: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(size.max(1)).map(|piece| piece.iter().collect()).collect()
}

/// Nanoseconds of one pass, in the best round.
fn best(mut pass: impl FnMut()) -> u128 {
    pass();
    let round = |pass: &mut dyn FnMut()| {
        let (started, mut passes) = (ProcessTime::now(), 0_u128);
        while started.elapsed() < ROUND {
            pass();
            passes += 1;
        }
        started.elapsed().as_nanos() / passes.max(1)
    };
    (0..ROUNDS).map(|_| round(&mut pass)).min().unwrap_or_default()
}
