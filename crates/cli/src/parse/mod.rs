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
#[cfg(test)]
mod tests;
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
