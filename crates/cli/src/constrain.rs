//! `toolweir constrain`: a grammar that holds a model to the calls of a format.
//!
//! The grammar stands on standard output as its engine takes it. What the schemas say and it does not is
//! a warning on standard error. A format or tool that has none is a finding: exit code 1.

use toolweir::protocols::constrain::{Choice, ToolUse, Written};

use crate::args::{ConstrainArgs, Engine};
use crate::failure::{Failure, Verdict};
use crate::render;
use crate::term::{Out, Paint, complain};
use crate::tools;

/// Runs the command.
pub(crate) fn run(args: &ConstrainArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let protocol = render::writer(&args.format)?;
    let tools = tools::load(&args.tools)?;
    let wanted = ToolUse {
        choice: match args.choice.as_str() {
            "auto" => Choice::Auto,
            "required" => Choice::Required,
            name => Choice::Tool(name.to_owned()),
        },
        parallel: !args.single,
        in_reasoning: args.in_reasoning,
        ..ToolUse::default()
    };
    let constraint = protocol
        .constraint(&tools, &wanted)
        .map_err(|error| Failure::Finding(error.to_string()))?;
    let Written { text, unsaid, .. } = match args.engine {
        Engine::StructuralTag => constraint.structural_tag(),
        Engine::Lark if args.tokens => constraint.lark(&protocol.special_markers()),
        Engine::Lark => constraint.lark(&[]),
        Engine::Gbnf => constraint.gbnf(),
    };
    for unsaid in unsaid {
        complain(&format!("warning: not in the grammar: {unsaid}"));
    }
    out.text(Paint::Plain, text.trim_end())?;
    out.line("")?;
    Ok(Verdict::Fine)
}
