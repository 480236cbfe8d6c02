//! `toolweir doctor`: an input in words that say nothing, for a bug report.
//!
//! Letters and digits of contents are replaced; structure, markers, quotes, whitespace, frames and lengths
//! stay, and a word stands for the same word everywhere ([`words`]). What comes out is an input of the same
//! kind ([`slots`]), which must give the same events: kinds, outcomes, places, codes of diagnostics. Where it
//! does not, the fewest words that make the difference stay, and are told; where that does not help within
//! the budget, it says so: exit code 1.

mod slots;
mod words;

use std::collections::BTreeSet;
use std::io::{self, Cursor, Read as _};

use toolweir::adapters::read::Dialect;
use toolweir::{Event, ToolSet};

use crate::args::{DoctorArgs, Input, Shape};
use crate::failure::{Failure, Verdict};
use crate::input::{self, Kind};
use crate::parse::shown::{Shown, View};
use crate::parse::{Decoding, input_of, of_input};
use crate::term::{self, Look, Out, Paint};
use crate::{specs, tools};
use slots::Slots;
use words::Words;

/// Runs the command.
pub(crate) fn run(args: &DoctorArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let mut case = Case::of(args)?;
    let (raw, listed) = (case.raw.clone(), case.listed.clone());
    let wanted = case.story(&raw, listed.as_deref())?;
    let words = case.words(args)?;
    let every: BTreeSet<&str> = words.learned().into_iter().collect();
    let mut budget = Budget(MOST_BYTES / case.raw.len().max(4096));
    let all: Vec<&str> = every.iter().copied().collect();
    let kept = needed(&all, &BTreeSet::new(), &mut |kept| {
        budget.take()?;
        let (text, tools) = case.redacted(&words, kept);
        Ok(case.story(&text, tools.as_deref())? == wanted)
    });
    let (kept, same) = match kept {
        Ok(kept) => (kept, true),
        Err(Stopped::Budget) => (BTreeSet::new(), false),
        Err(Stopped::Failure(failure)) => return Err(failure),
    };
    let (text, tools) = case.redacted(&words, &kept);
    out.text(Paint::Plain, &text)?;
    if let (Some(path), Some(tools)) = (&args.tools_out, &tools) {
        std::fs::write(path, tools).map_err(|error| {
            Failure::usage(format!("cannot write `{}`: {error}", path.display()), "check the path")
        })?;
    }
    case.tell(args, &kept, every.len(), wanted.len(), same);
    Ok(if same { Verdict::Fine } else { Verdict::Findings })
}

/// So many bytes are decoded at most to find words that make a difference.
const MOST_BYTES: usize = 64 << 20;

/// How many times more may be decoded.
struct Budget(usize);

enum Stopped {
    Budget,
    Failure(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl Budget {
    fn take(&mut self) -> Result<(), Stopped> {
        self.0 = self.0.checked_sub(1).ok_or(Stopped::Budget)?;
        Ok(())
    }
}

/// The fewest words, as far as halving finds them, that must stay beside those that do. With all of them the
/// events are the same, as then nothing is replaced.
fn needed<'w>(
    words: &[&'w str],
    kept: &BTreeSet<&'w str>,
    same: &mut dyn FnMut(&BTreeSet<&'w str>) -> Result<bool, Stopped>,
) -> Result<BTreeSet<&'w str>, Stopped> {
    if same(kept)? {
        return Ok(BTreeSet::new());
    }
    if words.len() <= 1 {
        return Ok(words.iter().copied().collect());
    }
    let (left, right) = words.split_at(words.len() / 2);
    let with = |more: &mut dyn Iterator<Item = &'w str>| kept.iter().copied().chain(more).collect();
    let mut found = needed(left, &with(&mut right.iter().copied()), same)?;
    let with_left = with(&mut found.iter().copied());
    found.extend(needed(right, &with_left, same)?);
    Ok(found)
}

/// An input and how it is read.
struct Case {
    args_input: Input,
    reading: crate::args::Reading,
    raw: String,
    slots: Slots,
    decoding: Decoding,
    /// The text of the tools.
    listed: Option<String>,
}

impl Case {
    fn of(args: &DoctorArgs) -> Result<Self, Failure> {
        let name = input::name(args.file.as_deref());
        let fail = |error: io::Error| input::unreadable(&name, &error);
        let mut bytes = Vec::new();
        input::open(args.file.as_deref())?.read_to_end(&mut bytes).map_err(fail)?;
        let raw = String::from_utf8_lossy(&bytes).into_owned();
        if raw.as_bytes() != bytes {
            term::complain("bytes that are not UTF-8 are replaced by U+FFFD");
        }
        let dialect: Option<Dialect> = match args.reading.input {
            Input::Auto => match input::guess(&mut raw.as_bytes()).map_err(fail)?.0 {
                Kind::Answer(dialect) => Some(dialect),
                _ => None,
            },
            named => of_input(named),
        };
        let args_input = match (args.reading.input, dialect) {
            (Input::Auto, dialect) => dialect.map_or(Input::Text, input_of),
            (named, _) => named,
        };
        let mut decoding = Decoding::new(&args.reading, Shape::Events, dialect)?;
        decoding.request.emit.markup = true;
        let slots = match (args_input, dialect) {
            (Input::Chunks, _) => Slots::chunks(raw.clone()),
            (_, Some(_)) => Slots::answer(raw.clone()),
            _ => Slots::text(raw.clone()),
        };
        let listed = match &args.reading.tools {
            Some(path) => Some(crate::source::read(Some(path), "tools are UTF-8 text")?.1),
            None => None,
        };
        let mut reading = args.reading.clone();
        reading.input = args_input;
        Ok(Self { args_input, reading, raw, slots, decoding, listed })
    }

    /// The words of the case.
    fn words(&self, args: &DoctorArgs) -> Result<Words, Failure> {
        let mut own: Vec<String> = args.reading.patterns.calls.clone();
        own.extend(args.reading.patterns.wraps.iter().cloned());
        own.extend(args.reading.patterns.between.iter().cloned());
        own.extend(args.reading.options.iter().map(|option| option.value.clone()));
        for path in &args.reading.specs {
            own.push(crate::source::read(Some(path), "specs are UTF-8 text")?.1);
        }
        let registry = specs::registry(&args.reading.specs)?;
        let mut words = Words::new(&registry, own.iter().map(String::as_str));
        self.slots.contents().iter().for_each(|content| words.learn(content));
        if let Some(listed) = &self.listed {
            words.learn(listed);
        }
        Ok(words)
    }

    /// Input and tools in other words.
    fn redacted(&self, words: &Words, kept: &BTreeSet<&str>) -> (String, Option<String>) {
        let contents = self.slots.contents();
        let contents: Vec<String> =
            contents.iter().map(|text| words.redacted(text, kept)).collect();
        let listed = self.listed.as_ref().map(|listed| words.redacted(listed, kept));
        (self.slots.written(&contents), listed)
    }

    /// What happens when that input is read.
    fn story(&mut self, text: &str, listed: Option<&str>) -> Result<Vec<String>, Failure> {
        if let Some(listed) = listed {
            let tools =
                tools::read(listed).map_err(|wrong| Failure::Usage(format!("tools: {wrong}")))?;
            self.decoding.request.tools = ToolSet::lenient(tools).0;
        }
        let mut nowhere = io::sink();
        let mut out = Out::new(&mut nowhere, Look::default());
        let story = std::rc::Rc::default();
        let mut shown = Shown::new(Box::new(Story(std::rc::Rc::clone(&story))), &mut out);
        let mut reader = Cursor::new(text.as_bytes());
        self.decoding.read(&self.reading, &mut reader, "the input", &mut shown)?;
        drop(shown);
        Ok(std::rc::Rc::unwrap_or_clone(story).into_inner())
    }

    fn tell(
        &self,
        args: &DoctorArgs,
        kept: &BTreeSet<&str>,
        words: usize,
        events: usize,
        same: bool,
    ) {
        let input = self.args_input.word();
        let replaced = words - kept.len();
        term::complain(&match same {
            true => format!(
                "{replaced} words replaced; it gives the same {events} events (toolweir parse --input {input})"
            ),
            false => format!(
                "{words} words replaced; it does not give the same events: add to the report what `toolweir parse` \
                 prints of the original, as far as that may be shown"
            ),
        });
        if !kept.is_empty() {
            let kept: Vec<&str> = kept.iter().copied().collect();
            term::complain(&format!("kept, as the events depend on them: {}", kept.join(" ")));
        }
        if self.listed.is_some() && args.tools_out.is_none() {
            term::complain(
                "the tools belong to the case: --tools-out FILE writes them in the same words",
            );
        }
    }
}

/// Keeps what happens, without what is said.
struct Story(std::rc::Rc<std::cell::RefCell<Vec<String>>>);

impl View for Story {
    fn event(&mut self, event: &Event<'_>, _: &mut Out<'_>) -> io::Result<()> {
        let mut lines = self.0.borrow_mut();
        let line = match event {
            Event::Start { kind, span } => format!("start {kind} {span}"),
            Event::Name { native_id, body, .. } => {
                format!("name {} {}", native_id.is_some(), body.is_some())
            }
            Event::Meta { role, .. } => format!("meta {}", role.as_str()),
            Event::Delta(_) => "delta".to_owned(),
            Event::Args(_) => "args".to_owned(),
            Event::Markup { span } => format!("markup {span}"),
            Event::End { outcome, reason, span } => format!("end {outcome} {reason} {span}"),
            Event::Invocation(call) => {
                let flags = [call.repaired, call.coerced, call.known, call.trusted];
                format!("call {flags:?}")
            }
            Event::Diagnostic(found) => format!("{} {} {}", found.severity, found.code, found.span),
            Event::Finish => "finish".to_owned(),
            _ => return Ok(()),
        };
        let goes_on = matches!(event, Event::Delta(_) | Event::Args(_));
        if !goes_on || lines.last() != Some(&line) {
            lines.push(line);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use clap::Parser as _;

    use super::*;
    use crate::args::{Cli, Command};

    /// The first cases of every format that are text from end to end.
    fn cases() -> Vec<(String, PathBuf)> {
        let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/formats");
        let files = |folder: &Path| -> Vec<PathBuf> {
            let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let mut found: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
            found.sort();
            found
        };
        let mut cases = Vec::new();
        for folder in files(&formats) {
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            let of_format = files(&folder);
            let of_format =
                of_format.iter().filter(|path| path.extension().is_some_and(|e| e == "case"));
            cases.extend(of_format.take(4).map(|path| (name.clone(), path.clone())));
        }
        cases
    }

    #[test]
    fn fixtures_of_every_format_give_the_same_events_in_other_words() {
        let (mut words, mut kept_in_all) = (0, Vec::new());
        for (format, path) in cases() {
            let text = std::fs::read_to_string(&path).unwrap();
            let (front, text) = text.split_once("---\n").unwrap();
            if front.contains("chunks") || front.contains("format") {
                continue;
            }
            let folder =
                std::env::temp_dir().join(format!("toolweir-doctor-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            let file = folder.join(format!("{format}.txt"));
            std::fs::write(&file, text).unwrap();
            let line = [
                "toolweir",
                "doctor",
                file.to_str().unwrap(),
                "--input",
                "text",
                "--format",
                &format,
            ];
            let Command::Doctor(args) = Cli::try_parse_from(line).unwrap().command else {
                panic!()
            };
            let mut case = Case::of(&args).unwrap();
            let wanted = case.story(text, None).unwrap();
            let learned = case.words(&args).unwrap();
            let all = learned.learned();
            let kept = needed(&all, &BTreeSet::new(), &mut |kept| {
                let (text, _) = case.redacted(&learned, kept);
                Ok(case.story(&text, None)? == wanted)
            });
            let Ok(kept) = kept else { panic!("{}", path.display()) };
            words += all.len();
            kept_in_all.extend(kept.iter().map(|word| format!("{format}: {word}")));
            std::fs::remove_dir_all(&folder).unwrap();
        }
        assert!(words > 500, "{words}");
        // What tools do is data of the formats that name them: hardly anything else may be left.
        assert!(kept_in_all.len() * 20 < words, "{words}, {kept_in_all:#?}");
    }
}
