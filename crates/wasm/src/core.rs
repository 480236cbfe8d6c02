//! The buffers, the objects that JavaScript holds numbers of, and what each number of a call means.

#[cfg(feature = "complete")]
use toolweir::protocols::{FormatSpec, detect::Detector};
#[cfg(feature = "decoding")]
use {
    litemap::LiteMap,
    std::sync::Arc,
    toolweir::{Protocol, Registry},
};

use crate::answer::{Mistake, mistake};
use crate::ask::Ask;
#[cfg(feature = "complete")]
use crate::middleware;
use crate::values::{self, Growing};
#[cfg(feature = "decoding")]
use crate::{decode, formats};

/// The buffer has at least so many bytes; of one that was larger the memory is given back.
const SMALL: usize = 1 << 12;
const KEPT: usize = 1 << 20;

/// Everything that lives between calls.
#[derive(Default)]
pub(crate) struct Core {
    input: Vec<u8>,
    output: String,
    objects: Objects,
    #[cfg(feature = "decoding")]
    formats: Formats,
}

/// Does what a number says: with the number of an object, a head and a body.
type Run = fn(&mut Core, u32, &str, &str) -> Result<String, Mistake>;

/// A call that has no object yet gives this number.
const NEW: u32 = 0;

/// What can be asked for, in the order of their numbers; `js/core.js` has the same list. A core without a
/// feature lacks the end of it.
const WHAT: &[&[(&str, Run)]] = &[
    JSON,
    #[cfg(feature = "decoding")]
    DECODING,
    #[cfg(feature = "complete")]
    COMPLETE,
];

#[rustfmt::skip]
const JSON: &[(&str, Run)] = &[
    ("free", |core, object, _, _| { core.objects.take(object); Ok(String::new()) }),
    ("repair", |_, _, head, body| values::repair(&Ask::read(head)?, body)),
    ("coerce", |_, _, head, _| values::coerce(&Ask::read(head)?)),
    ("partial", |core, _, head, _| values::begin(core, &Ask::read(head)?)),
    ("partialPush", |core, object, _, body| values::push(core, object, body)),
    ("partialFinish", |core, object, _, _| values::finish(core, object)),
    ("partialValue", |core, object, _, _| values::value(core, object)),
];

#[cfg(feature = "decoding")]
#[rustfmt::skip]
const DECODING: &[(&str, Run)] = &[
    ("decoder", |core, _, head, _| decode::begin(core, &Ask::read(head)?)),
    ("push", |core, object, _, body| decode::push(core, object, body)),
    ("finish", |core, object, _, body| decode::finish(core, object, body)),
    ("parse", |core, _, head, body| decode::parse(core, &Ask::read(head)?, body)),
    ("segments", |core, _, head, body| decode::segments(core, &Ask::read(head)?, body)),
    ("formats", |_, _, _, _| Ok(formats::list())),
];

#[cfg(feature = "complete")]
#[rustfmt::skip]
const COMPLETE: &[(&str, Run)] = &[
    ("detect", |core, _, head, body| formats::detect(core, &Ask::read(head)?, body)),
    ("register", |core, _, _, body| core.formats.register(body)),
    ("format", |core, _, head, _| formats::write(core, &Ask::read(head)?)),
    ("middleware", |core, _, head, _| middleware::begin(core, &Ask::read(head)?)),
    ("prepare", |core, object, head, _| middleware::prepare(core, object, &Ask::read(head)?)),
    ("session", |core, object, head, body| {
        middleware::session(core, object, &Ask::read(head)?, body)
    }),
    ("sessionPush", |core, object, _, body| middleware::push(core, object, body)),
    ("sessionFinish", |core, object, _, body| middleware::finish(core, object, body)),
    ("write", |core, object, head, _| middleware::write(core, object, &Ask::read(head)?)),
    ("sources", |core, object, head, body| middleware::sources(core, object, &Ask::read(head)?, body)),
];

impl Core {
    /// The buffer for a request, for at least so many bytes. What has been written stays.
    pub(crate) fn input(&mut self, length: usize) -> *mut u8 {
        if self.input.len() < length {
            // Zeroed as a whole: the target resizes byte by byte.
            let old = std::mem::replace(&mut self.input, vec![0; length.max(SMALL)]);
            if let Some(start) = self.input.get_mut(..old.len()) {
                start.copy_from_slice(&old);
            }
        }
        self.input.as_mut_ptr()
    }

    pub(crate) fn output(&self) -> *const u8 {
        self.output.as_ptr()
    }

    pub(crate) fn call(&mut self, what: u32, object: u32, head: usize, length: usize) -> isize {
        let input = std::mem::take(&mut self.input);
        let asked = input.get(..length).unwrap_or(&input);
        let answer = self.answer(what, object, asked, head);
        self.input = if input.len() > KEPT { Vec::new() } else { input };
        let (text, wrong) = match answer {
            Ok(text) => (text, false),
            Err(mistake) => (mistake.json(), true),
        };
        self.output = text;
        let length = isize::try_from(self.output.len()).unwrap_or(isize::MAX);
        if wrong { -length } else { length }
    }

    fn answer(
        &mut self,
        what: u32,
        object: u32,
        input: &[u8],
        head: usize,
    ) -> Result<String, Mistake> {
        let (head, body) = input.split_at_checked(head).unwrap_or((input, &[]));
        let text = |bytes| {
            std::str::from_utf8(bytes)
                .map_err(|error| mistake("the text is not UTF-8").at(error.valid_up_to() as u64))
        };
        let known =
            usize::try_from(what).ok().and_then(|what| WHAT.iter().copied().flatten().nth(what));
        let (_, run) = known.ok_or_else(|| {
            mistake("this core cannot do that: import it from `toolweir`, or use one version of all files")
        })?;
        run(self, object, text(head)?, text(body)?)
    }

    pub(crate) fn objects(&mut self) -> &mut Objects {
        &mut self.objects
    }

    #[cfg(feature = "decoding")]
    pub(crate) fn formats(&mut self) -> &mut Formats {
        &mut self.formats
    }
}

/// What JavaScript holds a number of.
pub(crate) enum Held {
    Growing(Box<Growing>),
    #[cfg(feature = "decoding")]
    Decoding(Box<decode::Decoding>),
    #[cfg(feature = "complete")]
    Standing(Box<middleware::Standing>),
    #[cfg(feature = "complete")]
    Answering(Box<middleware::Answering>),
}

/// Objects by number; numbers are given again once they are free.
#[derive(Default)]
pub(crate) struct Objects {
    held: Vec<Option<Held>>,
    free: Vec<u32>,
}

impl Objects {
    /// Keeps an object; gives its number.
    pub(crate) fn add(&mut self, object: Held) -> u32 {
        if let Some(number) = self.free.pop()
            && let Some(place) = self.place(number)
        {
            *place = Some(object);
            return number;
        }
        self.held.push(Some(object));
        u32::try_from(self.held.len()).unwrap_or(NEW)
    }

    pub(crate) fn take(&mut self, number: u32) {
        if self.place(number).and_then(Option::take).is_some() {
            self.free.push(number);
        }
    }

    fn place(&mut self, number: u32) -> Option<&mut Option<Held>> {
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        self.held.get_mut(place)
    }

    /// The object of that number.
    pub(crate) fn get(&mut self, number: u32) -> Result<&mut Held, Mistake> {
        let held = self.place(number).and_then(Option::as_mut);
        held.ok_or_else(|| mistake("this object has been freed; make a new one"))
    }
}

/// Formats, and what is made of them once.
#[cfg(feature = "decoding")]
#[derive(Default)]
pub(crate) struct Formats {
    registry: Option<Registry>,
    unions: LiteMap<String, Arc<dyn Protocol>>,
    #[cfg(feature = "complete")]
    detector: Option<Detector>,
}

#[cfg(feature = "decoding")]
impl Formats {
    pub(crate) fn registry(&mut self) -> &mut Registry {
        self.registry.get_or_insert_with(Registry::builtin)
    }

    /// A format by name, several by their names with commas, or `auto`.
    pub(crate) fn get(&mut self, names: &str) -> Result<Arc<dyn Protocol>, Mistake> {
        if let Some(known) = self.unions.get(names) {
            return Ok(Arc::clone(known));
        }
        let found = self.registry().union(names).map_err(|error| mistake(error.to_string()))?;
        self.unions.insert(names.to_owned(), Arc::clone(&found));
        Ok(found)
    }

    #[cfg(feature = "complete")]
    pub(crate) fn detector(&mut self) -> &Detector {
        let registry = self.registry.get_or_insert_with(Registry::builtin);
        self.detector.get_or_insert_with(|| Detector::new(registry))
    }

    #[cfg(feature = "complete")]
    /// Adds a format from its spec as JSON, or puts it in the place of the one of its name.
    fn register(&mut self, spec: &str) -> Result<String, Mistake> {
        let spec = FormatSpec::from_json(spec).map_err(|error| mistake(error.to_string()))?;
        self.registry().replace_spec(&spec).map_err(|error| mistake(error.to_string()))?;
        self.unions.clear();
        self.detector = None;
        Ok(toolweir::rjson::quoted(&spec.name))
    }
}

#[cfg(all(test, feature = "complete"))]
mod tests {
    use super::*;

    /// As JavaScript does it.
    fn ask(core: &mut Core, what: &str, object: u32, head: &str, body: &str) -> (bool, String) {
        let number = WHAT.iter().copied().flatten().position(|(name, _)| *name == what).unwrap();
        let text = format!("{head}{body}");
        core.input(text.len());
        core.input[..text.len()].copy_from_slice(text.as_bytes());
        let length = core.call(number as u32, object, head.len(), text.len());
        assert_eq!(length.unsigned_abs(), core.output.len());
        (length >= 0, core.output.clone())
    }

    #[test]
    fn the_shell_numbers_what_can_be_asked_alike() {
        let shell = include_str!("../js/core.js");
        let list = shell.split("const WHAT = [").nth(1).and_then(|rest| rest.split(']').next());
        let shell: Vec<&str> = list.unwrap().split('\'').skip(1).step_by(2).collect();
        assert_eq!(
            shell,
            WHAT.iter().copied().flatten().map(|(name, _)| *name).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_stream_is_read_through_the_buffers() {
        let mut core = Core::default();
        let head = r#"{"format": "hermes", "tools": [{"name": "dice"}]}"#;
        assert_eq!(
            ask(&mut core, "decoder", 0, head, ""),
            (true, r#"{"object":1,"notes":[]}"#.into())
        );
        let (_, events) =
            ask(&mut core, "push", 1, "", "a<tool_call>{\"name\": \"dice\", \"arguments\": {");
        assert!(events.contains(r#"{"type":"name","name":"dice"}"#), "{events}");
        let (_, events) = ask(&mut core, "finish", 1, "", "length");
        assert!(events.contains(r#""outcome":"truncated""#), "{events}");
        assert!(events.ends_with(r#"{"type":"finish"}]"#), "{events}");
    }

    #[test]
    fn numbers_of_freed_objects_are_given_again_and_mean_nothing_until_then() {
        let mut core = Core::default();
        assert_eq!(ask(&mut core, "partial", 0, "{}", ""), (true, "1".into()));
        ask(&mut core, "free", 1, "", "");
        ask(&mut core, "free", 1, "", "");
        let (fine, told) = ask(&mut core, "partialPush", 1, "", "{");
        assert!(!fine && told.contains("freed"), "{told}");
        assert_eq!(ask(&mut core, "partial", 0, "{}", ""), (true, "1".into()));
        assert_eq!(ask(&mut core, "partial", 0, "{}", ""), (true, "2".into()));
        let (fine, told) = ask(&mut core, "push", 1, "", "x");
        assert!(!fine && told.contains("no decoder"), "{told}");
    }

    #[test]
    fn what_is_asked_wrongly_is_told() {
        let mut core = Core::default();
        for (what, head, body, told) in [
            ("decoder", "{", "", "unexpected end"),
            ("decoder", "[]", "", "no object"),
            ("decoder", "{}", "", "`format` is missing"),
            ("coerce", "{\"value\": \"1\"}", "", "no schema"),
            ("middleware", "{\"preset\": \"none\"}", "", "no preset `none`"),
            ("register", "", "{}", ""),
        ] {
            let (fine, answer) = ask(&mut core, what, 0, head, body);
            assert!(!fine && answer.contains(told), "{what} {head}: {answer}");
        }
        core.input(1);
        core.input[0] = 0xff;
        assert!(core.call(1, 0, 0, 1) < 0 && core.output.contains("not UTF-8"));
        assert!(core.call(99, 0, 0, 0) < 0 && core.output.contains("one version"));
    }

    #[test]
    fn a_large_buffer_is_not_kept() {
        let mut core = Core::default();
        let long = "x".repeat(KEPT * 2);
        ask(&mut core, "repair", 0, "{}", &long);
        assert_eq!(core.input.capacity(), 0);
    }

    #[test]
    fn long_texts_are_told_of_by_their_places() {
        let mut core = Core::default();
        let long = "long ".repeat(30);
        let call =
            format!(r#"<tool_call>{{"name": "f", "arguments": {{"a": "{long}"}}}}</tool_call>"#);
        let text = format!("é {long}{call}");
        let (_, turn) = ask(&mut core, "parse", 0, r#"{"format": "hermes"}"#, &text);
        let args = text.encode_utf16().count() - r#"}</tool_call>"#.len();
        let (from, to) = (args - long.len() - 9, args);
        for told in [
            format!(r#""text":[0,{}]"#, 2 + long.len()),
            format!(r#""argumentsText":[{from},{to}]"#),
            format!(r#""args":[{from},{to}]"#),
        ] {
            assert!(turn.contains(&told), "{told} {turn}");
        }
        ask(&mut core, "decoder", 0, r#"{"format": "hermes"}"#, "");
        let (_, events) = ask(&mut core, "push", 1, "", &long);
        assert!(events.ends_with(r#"{"type":"delta","text":[0,150]}]"#), "{events}");
        for chunk in [long.as_str(), "x"] {
            assert_eq!(ask(&mut core, "push", 1, "", chunk), (true, "delta".to_owned()));
        }
    }
}
