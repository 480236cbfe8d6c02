//! Streams and whole texts.

use toolweir::rjson::{ArrayWriter, ObjectWriter, quoted};
use toolweir::{Chunk, Decoder, Fold, ProtocolExt as _, StreamEnd};

use crate::answer::{self, Events, Mistake, mistake};
use crate::ask::Ask;
use crate::core::{Core, Held};

/// A stream that is read.
pub(crate) struct Decoding {
    decoder: Box<dyn Decoder>,
    events: Events,
}

/// A decoder; gives its number and what is said of the tools.
pub(crate) fn begin(core: &mut Core, ask: &Ask) -> Result<String, Mistake> {
    let protocol = core.formats().get(ask.needed("format")?)?;
    let (request, notes) = ask.request()?;
    let decoder = protocol.decoder(&request).map_err(|error| mistake(error.to_string()))?;
    let decoding = Decoding { decoder, events: Events::default() };
    let number = core.objects().add(Held::Decoding(Box::new(decoding)));
    Ok(ObjectWriter::new()
        .number("object", u64::from(number))
        .list("notes", notes.iter().map(|note| quoted(note)))
        .end())
}

pub(crate) fn push(core: &mut Core, object: u32, chunk: &str) -> Result<String, Mistake> {
    let Decoding { decoder, events } = decoding(core, object)?;
    let mut written = events.chunk(chunk);
    decoder.push(Chunk::text(chunk), &mut written);
    Ok(written.end())
}

pub(crate) fn finish(core: &mut Core, object: u32, end: &str) -> Result<String, Mistake> {
    let end = stream_end(Some(end))?;
    let Decoding { decoder, events } = decoding(core, object)?;
    let mut written = events.chunk("");
    decoder.finish(end, &mut written);
    Ok(written.end())
}

/// A whole text: the same decoder, pushed once.
pub(crate) fn parse(core: &mut Core, ask: &Ask, text: &str) -> Result<String, Mistake> {
    let protocol = core.formats().get(ask.needed("format")?)?;
    let (request, notes) = ask.request()?;
    let end = stream_end(ask.text("end"))?;
    let mut decoder = protocol.decoder(&request).map_err(|error| mistake(error.to_string()))?;
    let mut fold = Fold::new();
    decoder.push(Chunk::text(text), &mut fold);
    decoder.finish(end, &mut fold);
    Ok(answer::turn(&fold.into_turn(), &notes, text))
}

/// The source of every call that would run.
pub(crate) fn segments(core: &mut Core, ask: &Ask, text: &str) -> Result<String, Mistake> {
    let protocol = core.formats().get(ask.needed("format")?)?;
    let (request, _) = ask.request()?;
    let found = protocol.tool_call_segments(text, &request);
    let found = found.map_err(|error| mistake(error.to_string()))?;
    Ok(ArrayWriter::joined(found.iter().map(|segment| {
        ObjectWriter::new()
            .text("source", segment.source)
            .text("name", &segment.name)
            .span("span", segment.span)
            .end()
    })))
}

fn decoding(core: &mut Core, object: u32) -> Result<&mut Decoding, Mistake> {
    match core.objects().get(object)? {
        Held::Decoding(decoding) => Ok(decoding),
        _ => Err(mistake("this object is no decoder")),
    }
}

fn stream_end(word: Option<&str>) -> Result<StreamEnd, Mistake> {
    match word {
        None | Some("") => Ok(StreamEnd::Stop),
        Some(word) => word.parse().map_err(|_| {
            mistake(format!("a stream ends with stop, length or aborted, not with `{word}`"))
        }),
    }
}
