//! `toolweir parse`: decodes text, or the saved stream of a provider, into events or a turn.
//!
//! Each chunk is decoded, printed and sent on before the next is read, so the first argument bytes
//! of a call are out long before its end. Spans count bytes of the input as it was given, also
//! where bytes that are no UTF-8 were replaced; of a stream, bytes of what it says ([`answer`]).
//!
//! What is printed is described in [`lines`] (JSON Lines) and [`turn`]; a terminal gets
//! [`joined`] or [`listing`] instead, and `--view` also [`live`]. [`outside`] prints the shapes of other programs. A diagnostic
//! of severity error (a call was lost) is a finding: exit code 1, whatever the shape; `--fail-on` says
//! more or less.

mod answer;
mod debug;
mod joined;
pub(crate) mod lines;
mod listing;
pub(crate) mod live;
mod outside;
pub(crate) mod shown;
mod text;
mod turn;

use std::borrow::Cow;
use std::env;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use toolweir::adapters::read::Dialect;
use toolweir::middleware::engine::MixedSession;
use toolweir::{Protocol, Registry, Request, UnionError, protocols::segments::choose_parser};

use crate::args::{Input, ParseArgs, Reading, Setting, Shape, Showing, Shows};
use crate::failure::{Failure, Verdict};
use crate::input::{self, Cut, Kind};
use crate::specs;
use crate::term::{self, Look, Out};
use crate::tools;
use answer::Answer;
use shown::{Shown, View};
use text::Text;

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
    let name = input::name(args.file.as_deref());
    let (dialect, mut reader) = taken_for(args, &name, reader)?;
    let mut reading = Decoding::new(&args.reading, args.showing.shape, dialect)?;
    if args.showing.raw {
        out.look = Look::default();
    }
    let whole = args.file.as_deref().is_some_and(|file| file != Path::new("-"));
    let view = view(&args.showing, out.look, &reading.request, whole)?;
    reading.request.emit.markup |= view.places_in_text();
    let mut shown = Shown::new(view, out);
    reading.read(&args.reading, &mut reader, &name, &mut shown)?;
    shown.debug.end(&*reading.protocol, &reading.request);
    Ok(shown.verdict(args.showing.fail_on))
}

/// The provider whose stream the input is, or none; and the input.
fn taken_for<'r>(
    args: &ParseArgs,
    name: &str,
    reader: &'r mut dyn Read,
) -> Result<(Option<Dialect>, Box<dyn Read + 'r>), Failure> {
    let (dialect, reader): (_, Box<dyn Read + 'r>) = match args.reading.input {
        Input::Auto => {
            let fail = |error| input::unreadable(name, &error);
            let (kind, reader) = input::guess(reader).map_err(fail)?;
            if kind == Kind::Foreign {
                term::complain(&format!(
                    "{name} looks like server-sent events of no provider that is known, and is read as \
                     text; --input says otherwise"
                ));
            }
            let dialect = if let Kind::Answer(dialect) = kind { Some(dialect) } else { None };
            (dialect, Box::new(reader))
        }
        named => (of_input(named), Box::new(reader)),
    };
    if args.verbose {
        let word = match (args.reading.input, dialect) {
            (Input::Auto, dialect) => dialect.map_or(Input::Text, input_of).word(),
            (named, _) => named.word(),
        };
        term::complain(&format!("{name} is read as {word} (--input {word})"));
    }
    Ok((dialect, reader))
}

/// The provider whose streams are named so.
pub(crate) const fn of_input(input: Input) -> Option<Dialect> {
    Some(match input {
        Input::OpenaiSse => Dialect::Chat,
        Input::ResponsesSse => Dialect::Responses,
        Input::AnthropicSse => Dialect::Anthropic,
        Input::Ollama => Dialect::Ollama,
        Input::Auto | Input::Text | Input::Chunks => return None,
    })
}

/// The name of streams of that provider.
pub(crate) const fn input_of(dialect: Dialect) -> Input {
    match dialect {
        Dialect::Responses => Input::ResponsesSse,
        Dialect::Anthropic => Input::AnthropicSse,
        Dialect::Ollama => Input::Ollama,
        _ => Input::OpenaiSse,
    }
}

/// A format, and what it is asked for.
pub(crate) struct Decoding {
    protocol: Arc<dyn Protocol>,
    pub(crate) request: Request,
    dialect: Option<Dialect>,
}

impl Decoding {
    /// What the arguments ask for.
    pub(crate) fn new(
        reading: &Reading,
        shape: Shape,
        dialect: Option<Dialect>,
    ) -> Result<Self, Failure> {
        if dialect.is_some() && reading.end.is_some() {
            return Err(Failure::usage(
                "a stream of a provider says itself why it ended",
                "leave --end out, or say --input text",
            ));
        }
        let protocol = protocol(reading, dialect.is_some())?;
        let mut request = request(reading)?;
        // The content of a call in these shapes is its source.
        request.emit.raw = matches!(shape, Shape::Segments | Shape::Host);
        Ok(Self { protocol, request, dialect })
    }

    /// Reads the input to its end.
    pub(crate) fn read(
        &self,
        reading: &Reading,
        reader: &mut dyn Read,
        name: &str,
        shown: &mut Shown<'_, '_>,
    ) -> Result<(), Failure> {
        let Self { protocol, request, dialect } = self;
        match dialect {
            None => {
                let decoder = protocol.decoder(request).map_err(|e| unsuited(&**protocol, e))?;
                let most = request.limits.max_diagnostics;
                Text::new(decoder, most, shown).read(reading, reader, name)
            }
            Some(dialect) => {
                let session = MixedSession::decoding(Arc::clone(protocol), request);
                let session = session.map_err(|error| unsuited(&**protocol, error))?;
                let cut = reading.chunk.unwrap_or(Cut::Arrival);
                Answer::new(session, cut, reading.choice, shown).read(*dialect, reader, name)
            }
        }
    }
}

fn unsuited(protocol: &dyn Protocol, error: impl std::fmt::Display) -> Failure {
    Failure::usage(
        format_args!("format `{}`: {error}", protocol.name()),
        "`toolweir parse --help` describes --set and --reasoning",
    )
}

/// The format that is named, or that the patterns describe. `any`: without a name, whatever comes.
fn protocol(reading: &Reading, any: bool) -> Result<Arc<dyn Protocol>, Failure> {
    if !reading.patterns.calls.is_empty() {
        return specs::nameless(&reading.patterns);
    }
    let registry = specs::registry(&reading.specs)?;
    find(&registry, &format_name(reading.format.as_deref(), any)?)
}

/// The format that is named, else the one of the segment parser that the environment names.
fn format_name(named: Option<&str>, any: bool) -> Result<Cow<'_, str>, Failure> {
    const VARIABLE: &str = "AUTOBYTEUS_STREAM_PARSER";
    if let Some(name) = named {
        return Ok(Cow::Borrowed(name));
    }
    let word = env::var(VARIABLE).ok().filter(|word| !word.is_empty());
    let Some(word) = word else {
        if any {
            return Ok(Cow::Borrowed("auto"));
        }
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

fn request(reading: &Reading) -> Result<Request, Failure> {
    let mut request = match &reading.tools {
        Some(path) => Request::new(tools::load(path)?),
        None => Request::default(),
    };
    apply(&mut request, &reading.options)?;
    if let Some(reasoning) = &reading.reasoning {
        set(&mut request, "reasoning", reasoning)?;
    }
    if let Some(state) = &reading.start_state {
        set(&mut request, "start_state", state)?;
    }
    if let Some(prefix) = &reading.prefix {
        request.prefix.clone_from(prefix);
    }
    Ok(request)
}

/// How events are shown on an output of that look. `whole`: the input is there already.
pub(crate) fn view(
    showing: &Showing,
    look: Look,
    request: &Request,
    whole: bool,
) -> Result<Box<dyn View>, Failure> {
    if showing.view.is_some() && showing.shape != Shape::Events {
        return Err(Failure::usage("--view is for events", "leave out --as, or --view"));
    }
    if let Some(view) = outside::view(showing, request)? {
        return Ok(view);
    }
    let depth = request.limits.max_depth;
    if showing.shape == Shape::Turn {
        return Ok(Box::new(turn::Folded::new(depth, look.terminal)));
    }
    let shows = match (showing.view, look.terminal) {
        (Some(shows), _) => shows,
        (None, false) => return Ok(Box::new(lines::Lines::new(depth))),
        (None, true) if whole => Shows::Joined,
        (None, true) => Shows::Each,
    };
    Ok(match shows {
        Shows::Each => Box::new(listing::Listing::new()),
        Shows::Joined => Box::new(joined::Joined::default()),
        Shows::Live => Box::new(live::LiveView::new()),
    })
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
        let colours = ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m", "[36m"];
        let cursor = ["7", "8", "[J", "[?7l", "[?7h"];
        (colours.iter().chain(&cursor))
            .fold(text.to_owned(), |text, code| text.replace(&format!("\x1b{code}"), ""))
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
            view in prop::sample::select(&["each", "joined", "live"][..]),
        ) {
            let look = Look { terminal: true, colour };
            let mut words = vec!["--format", "hermes", "--as", shape, "--chunk", "random:1"];
            if shape == "events" {
                words.extend(["--view", view]);
            }
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

    /// What is printed of a file that ends there.
    fn cut_at(stream: &str, at: usize, shape: &str) -> String {
        let bytes = stream.as_bytes().get(..at).unwrap();
        shown(
            &["--as", shape, "--input", "openai-sse", "--format", "hermes,qwen3-coder"],
            bytes,
            Look::default(),
        )
    }

    /// A native call, a leaked one with its end marker, a leaked one that only its end of the stream
    /// closes.
    const STREAM: &str = concat!(
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi.\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"dice\",\"arguments\":\"{\\\"a\\\": \"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"<tool_call>{\\\"name\\\": \\\"spin\\\", \\\"arguments\\\": {}\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"}</tool_call>\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"<tool_call><function=flip>\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
    );

    /// From which byte on each call stands, whatever comes: where something stands behind a native call, and
    /// where the arguments of a leaked one have closed.
    #[test]
    fn a_stream_cut_at_any_byte_never_shows_a_call_that_was_cut() {
        let behind = |part: &str| STREAM.find(part).unwrap() + part.len();
        // A frame without its blank line counts: its line feed may be cut, its JSON may not.
        let stands = [
            ("\"name\":\"dice\"", behind("{}\"}}]}"), "dice"),
            ("\"name\":\"spin\"", behind(": {}\"}}]}"), "spin"),
        ];
        for at in 0..=STREAM.len() {
            let events = cut_at(STREAM, at, "events");
            for (line, from, name) in &stands {
                let runs = events.lines().any(|shown| {
                    shown.starts_with("{\"type\":\"invocation\"") && shown.contains(line)
                });
                assert_eq!(runs, at >= *from, "{name} at {at}: {events}");
            }
            assert!(!events.contains("\"name\":\"flip\"") || at >= behind("flip>\"}}]}"), "{at}");
        }
    }

    #[test]
    fn no_shape_makes_a_cut_stream_look_whole() {
        let finish = STREAM.find("\"stop\"}]}").unwrap() + "\"stop\"}]}".len();
        for at in 0..=STREAM.len() {
            let chat = cut_at(STREAM, at, "openai");
            let whole = chat.contains("\"finish_reason\":\"tool_calls\"")
                || chat.contains("\"finish_reason\":\"stop\"");
            assert!(!whole || at >= finish, "{at}: {chat}");
            let message = cut_at(STREAM, at, "anthropic");
            assert!(!message.contains("message_stop") || at >= finish, "{at}: {message}");
        }
    }

    #[test]
    fn a_file_on_a_terminal_is_a_line_for_each_segment() {
        let terminal = Look { terminal: true, colour: false };
        let text = "<think>Six.</think>Rolling.\n<tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}\
                    </tool_call><tool_call>{\"name\": \"dice\", \"argu";
        let of = |words: &[&str]| shown(words, text.as_bytes(), terminal);
        let joined = of(&["answer.txt", "--format", "hermes", "--chunk", "char"]);
        let mut lines = joined.lines();
        assert_eq!(lines.next(), Some("reasoning 0..19     \"Six.\""));
        assert_eq!(lines.next(), Some("text      19..28    \"Rolling.\\n\""));
        assert_eq!(lines.next(), Some("call      28..82    dice {\"sides\": 6} complete"));
        assert!(
            lines.next().unwrap().ends_with(" dice truncated stream-end: does not run"),
            "{joined}"
        );
        assert!(lines.next().unwrap().starts_with("error "), "{joined}");
        let each = of(&["--format", "hermes", "--chunk", "char"]);
        assert_eq!(
            each,
            of(&["answer.txt", "--format", "hermes", "--chunk", "char", "--view", "each"])
        );
        assert!(each.lines().count() > 20, "{each}");
        let piped = |words: &[&str]| shown(words, text.as_bytes(), Look::default());
        let words = ["answer.txt", "--format", "hermes", "--chunk", "char"];
        assert!(piped(&words).starts_with("{\"type\":\"start\""), "machines get what they got");
        assert_eq!(piped(&[&words[..], &["--view", "joined"]].concat()), joined);
    }
}
