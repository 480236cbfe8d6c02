//! Texts for comparing two builds: what each of them decodes is drawn and written down once.
//!
//! A [`Job`] is one source (a fixture or a case of a vector file) with its request and the
//! [`Variant`]s of its text: whole, in its own chunks, at random splits, and damaged. As a line of
//! JSON it is what the example `lister` of this package reads.
//!
//! Laws: a variant depends on the source's id, the seed and its own number alone, so that a part of
//! the jobs is the same as those jobs among all.

use std::ops::Range;

use toolweir_protocols::{Protocol, Request, Tool, ToolSet};
use toolweir_rjson::{Array, Object, Value, to_string};
use toolweir_segments::StreamEnd;

use crate::case::Case;
use crate::generate::Damage;
use crate::split::Split;
use crate::vectors::TextCase;

/// One source: its request, and the texts to decode under it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Job {
    /// Where the text is from.
    pub id: String,
    /// The protocol that decodes it.
    pub format: String,
    /// Declared tools.
    pub tools: Vec<Tool>,
    /// Options in the order they are set.
    pub options: Vec<(String, String)>,
    /// Why the stream ended.
    pub end: StreamEnd,
    /// The texts.
    pub variants: Vec<Variant>,
}

/// One text and where it is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variant {
    /// What was done to the source's text.
    pub name: String,
    /// The text.
    pub text: String,
    /// The length of each chunk, in bytes.
    pub chunks: Vec<usize>,
    /// Byte ranges from special tokens; `None`: not attributed.
    pub special: Option<Vec<Range<usize>>>,
    /// Every event that can be asked for, not only `Markup`.
    pub all_events: bool,
}

impl Job {
    /// The job of a fixture; `id` names it.
    #[must_use]
    pub fn of_fixture(id: String, case: Case) -> Self {
        let Case { format, end, tools, options, special, text, .. } = case;
        let whole = Variant::new("whole", text, &Split::whole(), special);
        Self { id, format, tools, options, end, variants: vec![whole] }
    }

    /// The job of a case of a vector file; `file` is how the file is called.
    #[must_use]
    pub fn of_vector(file: &str, case: TextCase) -> Self {
        let TextCase { line, id, format, tools, options, end, text, chunks, .. } = case;
        let own = Split::own(chunks.iter().map(String::as_str));
        let mut variants = vec![Variant::new("whole", text.clone(), &Split::whole(), None)];
        if !chunks.is_empty() {
            variants.push(Variant::new("own chunks", text, &own, None));
        }
        Self { id: format!("{file}:{line} {id}"), format, tools, options, end, variants }
    }

    /// Adds the text at two random splits, the second with every event, and `mutations` damaged
    /// texts at a random split each. `protocol` says which markers the damage is made of.
    pub fn vary(&mut self, protocol: &dyn Protocol, seed: u64, mutations: u64) {
        let Some(whole) = self.variants.first().cloned() else { return };
        let (text, special) = (whole.text, whole.special);
        let seed = seed ^ hash(&self.id);
        for number in 0..2 {
            let split = Split::random(&text, seed.wrapping_add(number));
            let name = format!("split {number}");
            let mut variant = Variant::new(&name, text.clone(), &split, special.clone());
            variant.all_events = number == 1;
            self.variants.push(variant);
        }
        let markers = self.request().map(|request| protocol.markers(&request)).unwrap_or_default();
        let tokens = texts_at(&text, special.as_deref());
        for number in 0..mutations {
            let seed = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9));
            let text = Damage::seeded(seed).apply(&text, &markers);
            let special = tokens.as_ref().map(|tokens| occurrences(&text, tokens));
            let split = Split::random(&text, seed);
            self.variants.push(Variant::new(&format!("mutation {number}"), text, &split, special));
        }
    }

    /// The request of the job. `Err` says which option is at fault.
    fn request(&self) -> Result<Request, String> {
        let mut request = Request::new(ToolSet::lenient(self.tools.iter().cloned()).0);
        for (key, value) in &self.options {
            request.set(key, value).map_err(|e| e.to_string())?;
        }
        Ok(request)
    }

    /// The job as one line of JSON.
    ///
    /// ```
    /// use std::path::Path;
    /// use toolweir_testkit::Case;
    /// use toolweir_testkit::jobs::Job;
    /// let case = Case::parse(Path::new("hermes/a.case"), "---\nHi\n").unwrap();
    /// let line = Job::of_fixture("a".into(), case).to_line();
    /// assert!(line.starts_with(r#"{"id":"a","format":"hermes","end":"stop","#), "{line}");
    /// ```
    #[must_use]
    pub fn to_line(&self) -> String {
        let pair = |(key, value): &(String, String)| {
            Value::Array([key.as_str(), value.as_str()].into_iter().map(Value::from).collect())
        };
        let mut job = Object::new();
        job.insert("id", self.id.as_str());
        job.insert("format", self.format.as_str());
        job.insert("end", self.end.to_string());
        job.insert("tools", self.tools.iter().map(tool).collect::<Array>());
        job.insert("options", self.options.iter().map(pair).collect::<Array>());
        job.insert("variants", self.variants.iter().map(Variant::to_value).collect::<Array>());
        to_string(&Value::Object(job))
    }
}

impl Variant {
    fn new(name: &str, text: String, split: &Split, special: Option<Vec<Range<usize>>>) -> Self {
        let chunks = split.chunks(&text).map(str::len).collect();
        Self { name: name.to_owned(), text, chunks, special, all_events: false }
    }

    fn to_value(&self) -> Value {
        let mut variant = Object::new();
        variant.insert("name", self.name.as_str());
        variant.insert("text", self.text.as_str());
        variant.insert("chunks", numbers(&self.chunks));
        if let Some(special) = &self.special {
            let range = |r: &Range<usize>| Value::Array(numbers(&[r.start, r.end]));
            variant.insert("special", special.iter().map(range).collect::<Array>());
        }
        variant.insert("all_events", self.all_events);
        Value::Object(variant)
    }
}

fn numbers(list: &[usize]) -> Array {
    list.iter().map(|n| Value::from(u64::try_from(*n).unwrap_or(u64::MAX))).collect()
}

fn tool(tool: &Tool) -> Value {
    let mut object = Object::new();
    object.insert("name", tool.name.as_str());
    if let Some(text) = &tool.description {
        object.insert("description", text.as_str());
    }
    let schemas = [("parameters", &tool.parameters), ("original_schema", &tool.original_schema)];
    for (key, schema) in schemas {
        if let Some(schema) = schema {
            object.insert(key, schema.clone());
        }
    }
    Value::Object(object)
}

/// FNV-1a: the standard library's hashes may change from one version to the next.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The texts of the special tokens.
fn texts_at(text: &str, special: Option<&[Range<usize>]>) -> Option<Vec<String>> {
    let texts = special?.iter().filter_map(|range| text.get(range.clone()));
    Some(texts.map(str::to_owned).collect())
}

/// Where a damaged text holds those tokens, in order and without overlap.
fn occurrences(text: &str, tokens: &[String]) -> Vec<Range<usize>> {
    let found = tokens
        .iter()
        .flat_map(|token| text.match_indices(token.as_str()).map(|(at, _)| at..at + token.len()));
    let mut found: Vec<Range<usize>> = found.filter(|range| !range.is_empty()).collect();
    found.sort_by_key(|range| (range.start, range.end));
    let mut end = 0;
    found.retain(|range| {
        let apart = range.start >= end;
        end = if apart { range.end } else { end };
        apart
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Fault, Toy};
    use std::path::Path;
    use toolweir_rjson::{Mode, parse};

    fn job(source: &str) -> Job {
        let case = Case::parse(Path::new("toy/a.case"), source).unwrap();
        let mut job = Job::of_fixture("toy/a.case".into(), case);
        job.vary(&Toy(Fault::None), 1, 5);
        job
    }

    #[test]
    fn the_same_seed_gives_the_same_job_and_another_one_others() {
        let source = "tools = [{ name = \"roll\" }]\n---\nsome words [roll] and [roll] more\n";
        let first = job(source);
        assert_eq!(first.to_line(), job(source).to_line());
        assert_eq!(first.variants.len(), 1 + 2 + 5);
        let mut other = job(source);
        other.variants.truncate(1);
        other.vary(&Toy(Fault::None), 2, 5);
        assert_ne!(first.to_line(), other.to_line());
        let texts: std::collections::BTreeSet<_> =
            first.variants.iter().map(|variant| &variant.text).collect();
        assert!(texts.len() >= 5, "{texts:?}");
    }

    #[test]
    fn fewer_mutations_are_the_first_ones_of_more() {
        let mut few = job("---\na[roll]b\n");
        few.variants.truncate(1);
        few.vary(&Toy(Fault::None), 1, 2);
        assert_eq!(few.variants, job("---\na[roll]b\n").variants[..5]);
    }

    #[test]
    fn a_line_holds_all_of_the_job() {
        let source = "end = \"length\"\noptions = { unclosed = \"text\" }\n\
                      tools = [{ name = \"roll\", parameters = { type = \"object\" } }]\n\
                      special = [\"[roll]\"]\n---\na[roll]é\n";
        let line = job(source).to_line();
        assert!(!line.contains('\n'));
        let value = parse(&line, Mode::Strict).unwrap().value;
        let at = |pointer: &str| value.pointer(pointer).map(to_string);
        for (pointer, wanted) in [
            ("/end", "\"length\""),
            ("/options", r#"[["unclosed","text"]]"#),
            ("/tools", r#"[{"name":"roll","parameters":{"type":"object"}}]"#),
            ("/variants/0/chunks", "[9]"),
            ("/variants/0/special", "[[1,7]]"),
            ("/variants/1/all_events", "false"),
            ("/variants/2/all_events", "true"),
        ] {
            assert_eq!(at(pointer).as_deref(), Some(wanted), "{pointer}");
        }
    }

    #[test]
    fn chunks_add_up_to_the_text() {
        for variant in job("---\na[roll]é😀 and some more\n").variants {
            assert_eq!(variant.chunks.iter().sum::<usize>(), variant.text.len(), "{variant:?}");
        }
    }

    #[test]
    fn special_tokens_are_found_again_without_overlap() {
        let tokens = ["<a>".to_owned(), "a>b".to_owned(), String::new()];
        assert_eq!(occurrences("<a>b a>b <a", &tokens), [0..3, 5..8]);
    }
}
