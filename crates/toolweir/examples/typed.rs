//! Arguments as a type: its schema goes into the prompt, its value comes out of the answer.
//!
//! Run it with `cargo run -p toolweir --example typed --features schemars`.
// An example prints.
#![allow(clippy::print_stdout)]

use toolweir::{ProtocolExt, Registry, Request, Tool, ToolSet};

/// What the tool `dice` takes.
#[derive(schemars::JsonSchema, serde::Deserialize)]
struct Dice {
    /// How many sides the die has.
    sides: u32,
    /// How often it is thrown.
    #[serde(default = "once")]
    throws: u32,
}

fn once() -> u32 {
    1
}

/// Runs the example; gives the sides and throws of every call that runs.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dice = Tool::new("dice").description("Rolls a die.").parameters_of::<Dice>();
    let request = Request::new(ToolSet::new([dice])?);
    let registry = Registry::builtin();
    let hermes = registry.get("hermes")?;

    let answer = "Rolling. <tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</tool_call>\
                  <tool_call>{\"name\": \"roulette\", \"arguments\": {}}</tool_call>";
    let turn = hermes.parse(answer, &request)?;
    for call in turn.calls() {
        let Dice { sides, throws } = call.arguments_as()?;
        println!("{throws} × a die of {sides} sides");
    }
    for refused in &turn.refused {
        println!("{refused}");
    }
    Ok(())
}
