//! What the harness is given: the parts of a stream, and what the SDK should make of them.
//!
//! A fixture is read as the fixture runner reads it, as far as the command line can say it: one
//! whose characters are attributed to special tokens is left out.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::npm::write;
use crate::run::{Failure, Outcome, Repo, fail};

const CASES: &str = "xtask/sdk/cases.toml";
const FIXTURES: &str = "fixtures";

/// How the streams are cut: not at all, and at every character.
const CUTS: [&str; 2] = ["whole", "char"];

/// Fixtures of which the SDK makes something else, by the reason; the harness sees to it that each
/// still differs.
const EXCUSED: &[(&str, &str)] = &[
    ("fixtures/formats/hermes/undeclared_keys_are_kept.case", PROTOTYPE),
    ("fixtures/formats/json-mix/prototype_keys_are_data.case", PROTOTYPE),
    ("fixtures/formats/qwen3-coder/prototype_keys_are_data.case", PROTOTYPE),
];
const PROTOTYPE: &str = "the SDK calls every input with a key `__proto__` invalid";

/// Formats whose input deltas are the model's own spelling where nothing else is asked for.
const SPELLED: &[&str] = &["agent-prompt", "agent-structured"];

/// One stream for the harness.
#[derive(Debug, Serialize)]
struct Job {
    name: String,
    parts: String,
    /// The folded turn, where that says what is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    /// What is right, written by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finish: Option<String>,
    /// With `content`: the errors that the SDK should report.
    failed: Vec<String>,
    source: bool,
    control: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    excused: Option<&'static str>,
}

/// A case written by hand.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// A fixture, or a recording that is nothing but the model's output.
    input: String,
    /// For a recording: the format.
    format: Option<String>,
    /// For a recording: a file of tools.
    tools: Option<String>,
    /// For a recording: why it ended.
    end: Option<String>,
    /// `{ text }`, `{ reasoning }` or `{ call, input }` in order; an input is JSON text.
    content: Vec<Value>,
    finish: String,
    /// What the errors say, of calls that do not run for one.
    #[serde(default)]
    failed: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct WrittenCases {
    case: Vec<Written>,
}

/// What `toolweir parse` is to decode.
#[derive(Debug, Default, PartialEq)]
struct Input {
    format: String,
    text: String,
    end: String,
    /// As `--set` takes them.
    options: Vec<String>,
    /// JSON.
    tools: Option<String>,
}

/// All jobs as one JSON document. `program` is the command line, `folder` for what it reads.
pub(super) fn all(repo: &Repo, program: &Path, folder: &Path) -> Outcome<String> {
    let mut jobs = Vec::new();
    let run = Run { repo, program, folder };
    let cases: WrittenCases =
        toml::from_str(&repo.read(CASES)?).map_err(|e| Failure::Check(format!("{CASES}: {e}")))?;
    for case in &cases.case {
        jobs.extend(run.written(case)?);
    }
    let (mut left_out, mut excused) = (0, 0);
    for path in repo.files(FIXTURES)?.iter().map(|path| repo.relative(path)) {
        if !path.ends_with(".case") {
            continue;
        }
        excused += usize::from(excuse(&path).is_some());
        match fixture(repo, &path)? {
            Some(input) => jobs.extend(run.fixture(&path, &input)?),
            None => left_out += 1,
        }
    }
    if excused != EXCUSED.len() {
        return fail("a fixture that is excused is not there");
    }
    println!("{} streams; left out for their special tokens: {left_out} fixtures", jobs.len());
    serde_json::to_string(&jobs).map_err(|e| Failure::Check(e.to_string()))
}

/// The command line and where its input goes.
struct Run<'a> {
    repo: &'a Repo,
    program: &'a Path,
    folder: &'a Path,
}

impl Run<'_> {
    fn written(&self, case: &Written) -> Outcome<Vec<Job>> {
        let input = match (&case.format, case.input.ends_with(".case")) {
            (None, true) => fixture(self.repo, &case.input)?
                .ok_or_else(|| Failure::Check(format!("{CASES}: {}: special", case.input)))?,
            (Some(format), false) => Input {
                format: format.clone(),
                text: self.repo.read(&case.input)?,
                end: case.end.clone().unwrap_or_else(|| "stop".into()),
                options: Vec::new(),
                tools: case.tools.as_ref().map(|path| self.repo.read(path)).transpose()?,
            },
            _ => return fail(format!("{CASES}: {}: only a recording has a format", case.input)),
        };
        let job = |(cut, parts)| Job {
            name: format!("{} ({cut})", case.input),
            parts,
            turn: None,
            content: Some(case.content.clone()),
            finish: Some(case.finish.clone()),
            failed: case.failed.clone(),
            source: input.is_source(),
            control: cut == "whole",
            excused: None,
        };
        Ok(self.parts(&input)?.map(job).into())
    }

    fn fixture(&self, path: &str, input: &Input) -> Outcome<Vec<Job>> {
        let turn = self.parse(input, "turn", "whole")?;
        let finish = match input.end.as_str() {
            "length" => Some("length"),
            "aborted" => Some("error"),
            _ => None,
        };
        let job = |(cut, parts)| Job {
            name: format!("{path} ({cut})"),
            parts,
            turn: Some(turn.clone()),
            content: None,
            finish: finish.map(str::to_owned),
            failed: Vec::new(),
            source: input.is_source(),
            control: false,
            excused: excuse(path),
        };
        Ok(self.parts(input)?.map(job).into())
    }

    fn parts(&self, input: &Input) -> Outcome<[(&'static str, String); 2]> {
        let [whole, char] = CUTS;
        Ok([
            (whole, self.parse(input, "ai-sdk", whole)?),
            (char, self.parse(input, "ai-sdk", char)?),
        ])
    }

    /// The output of `toolweir parse`, which exits with 1 where a call was cut or refused.
    fn parse(&self, input: &Input, shape: &str, cut: &str) -> Outcome<String> {
        let text = self.folder.join("input.txt");
        write(&text, &input.text)?;
        let words = ["parse", "--format", &input.format, "--end", &input.end];
        let mut program =
            self.repo.program(self.program, words).args(["--as", shape, "--chunk", cut]);
        if let Some(tools) = &input.tools {
            let path = self.folder.join("tools.json");
            write(&path, tools)?;
            program = program.args(["--tools".as_ref(), path.as_os_str()]);
        }
        for option in &input.options {
            program = program.args(["--set", option]);
        }
        program.args([text]).stdout_unless(|code| code > 1)
    }
}

impl Input {
    /// From the text of a fixture; `shared` gives a file of tools by its name.
    fn of_fixture(
        path: &str,
        source: &str,
        shared: impl FnOnce(&str) -> Outcome<String>,
    ) -> Outcome<Option<Self>> {
        let wrong = |what: &str| Failure::Check(format!("{path}: {what}"));
        let table = |text: &str| text.parse::<toml::Table>().map_err(|e| wrong(e.message()));
        let (front, body) = split(source).ok_or_else(|| wrong("no line `---`"))?;
        let front = table(front)?;
        if front.contains_key("special") {
            return Ok(None);
        }
        let word = |key: &str| front.get(key).and_then(toml::Value::as_str);
        let body = body.strip_suffix('\n').unwrap_or(body);
        let text = match word("encoding") {
            Some(_) => serde_json::from_str(body).map_err(|e| wrong(&e.to_string()))?,
            None => body.to_owned(),
        };
        let tools = match front.get("tools") {
            Some(toml::Value::String(name)) => table(&shared(name)?)?.get("tools").map(json),
            list => list.map(json),
        };
        let folder = path.rsplit('/').nth(1).unwrap_or_default();
        let options = front.get("options").and_then(toml::Value::as_table);
        Ok(Some(Self {
            format: word("format").unwrap_or(folder).to_owned(),
            text,
            end: word("end").unwrap_or("stop").to_owned(),
            options: options.into_iter().flatten().map(setting).collect(),
            tools,
        }))
    }

    /// Whether the deltas are the model's own spelling.
    fn is_source(&self) -> bool {
        let asked = self.options.iter().find_map(|option| option.strip_prefix("deltas="));
        asked.map_or(SPELLED.contains(&self.format.as_str()), |deltas| deltas == "source")
    }
}

fn excuse(path: &str) -> Option<&'static str> {
    EXCUSED.iter().find(|(name, _)| *name == path).map(|(_, reason)| *reason)
}

/// What a fixture asks for; `None` if the command line cannot be asked that.
fn fixture(repo: &Repo, path: &str) -> Outcome<Option<Input>> {
    let tools = |name: &str| repo.read(&format!("{FIXTURES}/tools/{name}.toml"));
    Input::of_fixture(path, &repo.read(path)?, tools)
}

fn split(source: &str) -> Option<(&str, &str)> {
    source.strip_prefix("---\n").map(|body| ("", body)).or_else(|| source.split_once("\n---\n"))
}

fn setting((key, value): (&String, &toml::Value)) -> String {
    match value.as_str() {
        Some(word) => format!("{key}={word}"),
        None => format!("{key}={}", json(value)),
    }
}

fn json(value: &toml::Value) -> String {
    serde_json::to_value(value).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::{Input, WrittenCases};
    use crate::run::fail;

    fn input(path: &str, source: &str) -> Option<Input> {
        let shared = |name: &str| match name {
            "dice" => Ok("[[tools]]\nname = \"dice\"\n".to_owned()),
            _ => fail("no such file"),
        };
        Input::of_fixture(path, source, shared).unwrap()
    }

    #[test]
    fn a_fixture_becomes_words_of_the_command_line() {
        let source = "tools = \"dice\"\nend = \"length\"\n\
                      options = { deltas = \"source\", max_depth = 3 }\n---\na\nb\n";
        let found = input("fixtures/formats/hermes/a.case", source).unwrap();
        let expected = Input {
            format: "hermes".into(),
            text: "a\nb".into(),
            end: "length".into(),
            options: vec!["deltas=source".into(), "max_depth=3".into()],
            tools: Some("[{\"name\":\"dice\"}]".into()),
        };
        assert_eq!(found, expected);
        assert!(found.is_source());
    }

    #[test]
    fn a_fixture_may_say_nothing_but_its_text() {
        let found = input("fixtures/formats/agent-prompt/a.case", "---\ntext\n").unwrap();
        assert_eq!((found.end.as_str(), found.tools.as_ref()), ("stop", None));
        assert!(found.is_source());
        let canonical = "options = { deltas = \"canonical\" }\n---\ntext\n";
        assert!(!input("fixtures/formats/agent-prompt/a.case", canonical).unwrap().is_source());
        let escaped = input("x/hermes/a.case", "encoding = \"json\"\n---\n\"a\\u0000\"\n").unwrap();
        assert_eq!(escaped.text, "a\0");
    }

    #[test]
    fn special_tokens_are_beyond_the_command_line() {
        assert_eq!(input("x/hermes/a.case", "special = [\"<a>\"]\n---\n<a>\n"), None);
    }

    #[test]
    fn every_written_case_says_what_is_right() {
        let cases: WrittenCases = toml::from_str(include_str!("../../sdk/cases.toml")).unwrap();
        for case in &cases.case {
            assert!(!case.content.is_empty(), "{}", case.input);
            for part in &case.content {
                let keys: Vec<&str> =
                    part.as_object().unwrap().keys().map(String::as_str).collect();
                match keys[..] {
                    ["text"] | ["reasoning"] => {}
                    ["call", "input"] => {
                        let input = part["input"].as_str().unwrap();
                        assert!(
                            serde_json::from_str::<serde_json::Value>(input).is_ok(),
                            "{input}"
                        );
                    }
                    _ => panic!("{}: {keys:?}", case.input),
                }
            }
        }
    }
}
