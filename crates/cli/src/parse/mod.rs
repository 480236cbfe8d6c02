//! `toolweir parse`: decodes text into events or a turn.
//!
//! Each chunk is decoded, printed and sent on before the next is read, so the first argument bytes
//! of a call are out long before its end. Spans count bytes of the input as it was given, also
//! where bytes that are no UTF-8 were replaced.
//!
//! What is printed is described in [`lines`] (JSON Lines) and [`turn`]; a terminal gets
//! [`listing`] instead. [`outside`] prints the shapes of other programs. A diagnostic
//! of severity error (a call was lost) is a finding: exit code 1, whatever the shape; `--fail-on` says
//! more or less.

mod debug;
pub(crate) mod lines;
mod listing;
mod outside;
mod turn;

use std::borrow::Cow;
use std::env;
use std::io::{self, Read};
use std::sync::Arc;

use toolweir::{
    Decoder, Diagnostic, Event, Outcome, Protocol, Registry, Request, Severity, Span, StreamEnd,
    UnionError,
    protocols::{Chunk, segments::choose_parser},
};

use crate::args::{FailOn, Input, ParseArgs, Setting, Shape};
use crate::failure::{Failure, Verdict};
use crate::input::{self, Cut, Feed, Offsets, Replaced};
use crate::specs;
use crate::term::{Look, Out};
use crate::tools;

/// Shows events. `Finish` is the last.
pub(crate) trait View {
    /// Shows one event, or keeps it for later.
    fn event(&mut self, event: &Event<'_>, out: &mut Out<'_>) -> io::Result<()>;

    /// A chunk has been read.
    fn chunk_end(&mut self, _out: &mut Out<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Why the stream ends; said before its last events.
    fn ends_with(&mut self, _end: StreamEnd) {}
}

/// Runs the command.
pub(crate) fn run(args: &ParseArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let mut reader = input::open(args.file.as_deref())?;
    decode(args, reader.as_mut(), out)
}

/// Decodes what the reader gives, as the arguments ask. A call that was lost is a finding.
pub(crate) fn decode(
    args: &ParseArgs,
    reader: &mut dyn Read,
    out: &mut Out<'_>,
) -> Result<Verdict, Failure> {
    let protocol = protocol(args)?;
    let mut request = request(args)?;
    // The content of a call in these shapes is its source.
    request.emit.raw = matches!(args.shape, Shape::Segments | Shape::Host);
    let decoder = protocol.decoder(&request).map_err(|error| {
        Failure::usage(
            format_args!("format `{}`: {error}", protocol.name()),
            "`toolweir parse --help` describes --set and --reasoning",
        )
    })?;
    if args.raw {
        out.look = Look::default();
    }
    let mut session = Session {
        decoder,
        view: view(args, out.look, &request)?,
        out,
        offsets: Offsets::default(),
        map: args.input == Input::Text,
        to_tell: request.limits.max_diagnostics,
        untold: None,
        failed: None,
        errors: false,
        cut: args.end != StreamEnd::Stop,
        debug: debug::Debug::of_environment(),
    };
    session.read(args, reader)?;
    session.finish(args.end)?;
    session.debug.end(&*protocol, &request);
    let found = match args.fail_on {
        FailOn::Error => session.errors,
        FailOn::Truncated => session.errors || session.cut,
        FailOn::Nothing => false,
    };
    Ok(if found { Verdict::Findings } else { Verdict::Fine })
}

/// The format that is named, or that the patterns describe.
fn protocol(args: &ParseArgs) -> Result<Arc<dyn Protocol>, Failure> {
    if !args.patterns.calls.is_empty() {
        return specs::nameless(&args.patterns);
    }
    let registry = specs::registry(&args.specs)?;
    find(&registry, &format_name(args.format.as_deref())?)
}

/// The format that is named, else the one of the segment parser that the environment names.
fn format_name(named: Option<&str>) -> Result<Cow<'_, str>, Failure> {
    const VARIABLE: &str = "AUTOBYTEUS_STREAM_PARSER";
    if let Some(name) = named {
        return Ok(Cow::Borrowed(name));
    }
    let word = env::var(VARIABLE).ok().filter(|word| !word.is_empty());
    let Some(word) = word else {
        return Err(Failure::usage(
            "no format is named",
            "say --format NAME or --pattern PATTERN; `toolweir formats` lists the names",
        ));
    };
    let parser = choose_parser(true, None, Some(&word), None)
        .map_err(|error| Failure::usage(error, "or say --format NAME"))?;
    Ok(Cow::Borrowed(parser.format()))
}

/// The protocol of that name, or of several names with commas between them.
pub(crate) fn find(registry: &Registry, names: &str) -> Result<Arc<dyn Protocol>, Failure> {
    registry.union(names).map_err(|error| {
        let fix = match error {
            UnionError::Unknown(_) => "`toolweir formats` lists them",
            UnionError::NoRow(_) => "name it alone",
            _ => "name one of them",
        };
        Failure::usage(error, fix)
    })
}

/// Applies `--set` options.
pub(crate) fn apply(request: &mut Request, options: &[Setting]) -> Result<(), Failure> {
    for Setting { key, value } in options {
        set(request, key, value)?;
    }
    Ok(())
}

fn set(request: &mut Request, key: &str, value: &str) -> Result<(), Failure> {
    request.set(key, value).map_err(|error| {
        let known: Vec<&str> = Request::keys().collect();
        Failure::usage(error, format_args!("options are {}", known.join(", ")))
    })
}

fn request(args: &ParseArgs) -> Result<Request, Failure> {
    let mut request = match &args.tools {
        Some(path) => Request::new(tools::load(path)?),
        None => Request::default(),
    };
    apply(&mut request, &args.options)?;
    if let Some(reasoning) = &args.reasoning {
        set(&mut request, "reasoning", reasoning)?;
    }
    if let Some(state) = &args.start_state {
        set(&mut request, "start_state", state)?;
    }
    if let Some(prefix) = &args.prefix {
        request.prefix.clone_from(prefix);
    }
    Ok(request)
}

fn view(args: &ParseArgs, look: Look, request: &Request) -> Result<Box<dyn View>, Failure> {
    if let Some(view) = outside::view(args, request)? {
        return Ok(view);
    }
    let depth = request.limits.max_depth;
    Ok(match (args.shape, look.terminal) {
        (Shape::Turn, terminal) => Box::new(turn::Folded::new(depth, terminal)),
        (_, true) => Box::new(listing::Listing::new()),
        (_, false) => Box::new(lines::Lines::new(depth)),
    })
}

/// One stream on its way from the input to the output.
struct Session<'o, 'w> {
    decoder: Box<dyn Decoder>,
    view: Box<dyn View>,
    out: &'o mut Out<'w>,
    offsets: Offsets,
    /// Whether offsets in the text are offsets in the input.
    map: bool,
    /// How many parts that are not UTF-8 are still told one by one.
    to_tell: usize,
    /// The further ones: how many, and from where to where.
    untold: Option<(u64, Span)>,
    /// The first failure of the output; a sink cannot return it.
    failed: Option<io::Error>,
    /// A diagnostic of severity error came.
    errors: bool,
    /// The answer was cut off.
    cut: bool,
    debug: debug::Debug,
}

impl Session<'_, '_> {
    fn read(&mut self, args: &ParseArgs, reader: &mut dyn Read) -> Result<(), Failure> {
        let name = input::name(args.file.as_deref());
        let cut = args.chunk.unwrap_or(Cut::Arrival);
        match args.input {
            Input::Text => input::read_text(reader, &name, cut, self),
            Input::Chunks => input::read_chunks(reader, &name, cut, self),
        }
    }

    fn finish(&mut self, end: StreamEnd) -> Result<(), Failure> {
        if let Some((count, span)) = self.untold.take() {
            let message = format!("{count} further parts are not UTF-8");
            self.tell(span, message)?;
        }
        self.view.ends_with(end);
        self.drive(|decoder, sink| decoder.finish(end, sink))
    }

    /// Runs the decoder and shows what it says.
    fn drive(
        &mut self,
        step: impl FnOnce(&mut dyn Decoder, &mut dyn toolweir::EventSink),
    ) -> Result<(), Failure> {
        let Self { decoder, view, out, offsets, failed, errors, cut, debug, .. } = self;
        let mut sink = |event: Event<'_>| {
            debug.event(&event);
            *errors |= matches!(&event, Event::Diagnostic(d) if d.severity == Severity::Error);
            *cut |= matches!(&event, Event::End { outcome: Outcome::Truncated, .. });
            if failed.is_none() {
                *failed = view.event(&at_input(event, offsets), out).err();
            }
        };
        step(decoder.as_mut(), &mut sink);
        match failed.take() {
            Some(error) => Err(Failure::Output(error)),
            None => Ok(self.out.flush()?),
        }
    }

    fn tell(&mut self, span: Span, message: impl Into<Cow<'static, str>>) -> Result<(), Failure> {
        let told = Diagnostic::new("input::invalid-utf8", Severity::Warning, span, message)
            .with_help("the text is decoded with U+FFFD in their place");
        Ok(self.view.event(&Event::Diagnostic(told), self.out)?)
    }
}

impl Feed for Session<'_, '_> {
    fn chunk(&mut self, text: &str) -> Result<(), Failure> {
        self.debug.chunk(text);
        self.drive(|decoder, sink| decoder.push(Chunk::text(text), sink))?;
        Ok(self.view.chunk_end(self.out)?)
    }

    fn replaced(&mut self, part: Replaced) -> Result<(), Failure> {
        if self.map {
            self.offsets.note(part);
        }
        let span = Span::new(part.input, part.input + part.len);
        let Some(left) = self.to_tell.checked_sub(1) else {
            let (count, all) = self.untold.unwrap_or((0, span));
            self.untold = Some((count + 1, Span::new(all.start, span.end)));
            return Ok(());
        };
        self.to_tell = left;
        let message = match part.len {
            1 => format!("the byte at {} is not UTF-8", part.input),
            len => format!("the {len} bytes from {} are not UTF-8", part.input),
        };
        self.tell(span, message)
    }
}

/// The event with spans that count bytes of the input.
fn at_input<'a>(event: Event<'a>, offsets: &Offsets) -> Event<'a> {
    let at = |span: Span| Span::new(offsets.input(span.start), offsets.input(span.end));
    match event {
        Event::Start { kind, span } => Event::Start { kind, span: at(span) },
        Event::Markup { span } => Event::Markup { span: at(span) },
        Event::End { outcome, reason, span } => Event::End { outcome, reason, span: at(span) },
        Event::Diagnostic(diagnostic) => {
            Event::Diagnostic(Diagnostic { span: at(diagnostic.span), ..diagnostic })
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use proptest::prelude::*;

    use super::*;
    use crate::args::{Cli, Command};

    fn shown(words: &[&str], input: &[u8], look: Look) -> String {
        let cli = Cli::try_parse_from(["toolweir", "parse"].iter().chain(words)).unwrap();
        let Command::Parse(args) = cli.command else { panic!("not a parse command") };
        let (mut bytes, mut reader) = (Vec::new(), input);
        decode(&args, &mut reader, &mut Out::new(&mut bytes, look)).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    const SHAPES: [&str; 11] = [
        "events",
        "turn",
        "segments",
        "openai",
        "responses",
        "anthropic",
        "ai-sdk",
        "ui-message",
        "ag-ui",
        "agent",
        "host",
    ];

    /// Our own colours, taken out.
    fn without_colours(text: &str) -> String {
        ["0", "1", "2", "31", "32", "33", "36"]
            .iter()
            .fold(text.to_owned(), |text, code| text.replace(&format!("\x1b[{code}m"), ""))
    }

    /// Pieces that lead into every state, and characters that act on a terminal.
    fn hostile() -> impl Strategy<Value = String> {
        let pieces = prop_oneof![
            Just("<tool_call>{\"name\": \"a\u{1b}[2J\", \"arguments\": {".to_owned()),
            Just("<tool_call>{\"name\": \"dice\", \"arguments\": {\"a\": \"".to_owned()),
            Just("\"}}</tool_call>".to_owned()),
            Just("<think>".to_owned()),
            Just("</think>".to_owned()),
            "[\u{0}-\u{a0}\u{200b}-\u{202f}\u{2066}\u{feff}]{1,6}",
            "\\PC{0,4}",
        ];
        proptest::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn nothing_of_the_model_acts_on_a_terminal(
            text in hostile(),
            shape in prop::sample::select(&SHAPES[..]),
            colour in any::<bool>(),
        ) {
            let look = Look { terminal: true, colour };
            let words = ["--format", "hermes", "--as", shape, "--chunk", "random:1"];
            let mut seen = shown(&words, text.as_bytes(), look);
            if colour {
                seen = without_colours(&seen);
            }
            let acts = |c: char| c.is_control() && c != '\n' && c != '\t';
            prop_assert!(!seen.contains(acts), "{seen:?}");
        }
    }

    #[test]
    fn raw_is_what_a_pipe_gets() {
        let terminal = Look { terminal: true, colour: true };
        let words = ["--format", "hermes"];
        let raw = ["--format", "hermes", "--raw"];
        let text = b"a \xc2\x9b <tool_call>{\"name\": \"dice\", \"arguments\": {}}</tool_call>";
        assert_eq!(shown(&raw, text, terminal), shown(&words, text, Look::default()));
    }
}
