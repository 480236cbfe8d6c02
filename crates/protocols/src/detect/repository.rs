//! From the files of a model's repository: its chat template first, then what it is called.

use toolweir_rjson::{Mode, Value, parse};

use super::{Candidate, Detector, NameSource, ranked};

/// What of a repository is looked at; each is the content of a file. Reading them is the caller's.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Repository<'a> {
    /// The name of the folder, or the whole path. Default: empty.
    pub folder: &'a str,
    /// `config.json`: of it the members `_name_or_path`, `model_type` and `architectures`.
    pub config: Option<&'a str>,
    /// `tokenizer_config.json`: of it the member `chat_template`.
    pub tokenizer_config: Option<&'a str>,
    /// `chat_template.jinja`; where it is there, no other template counts.
    pub chat_template: Option<&'a str>,
    /// `chat_template.json`.
    pub chat_template_json: Option<&'a str>,
}

/// What the template counts, of ten; the rest is the name's.
const TEMPLATE: u32 = 6;

impl Detector {
    /// The formats that the files of a repository speak for, best first.
    #[must_use]
    pub fn repository(&self, files: &Repository<'_>) -> Vec<Candidate> {
        let templates = [files.chat_template, files.chat_template_json, files.tokenizer_config];
        let templates = templates.into_iter().flatten().map(|text| self.template(text));
        let template = templates.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        let mut named = self.named(files.folder, NameSource::Folder);
        if named.is_empty() {
            let names = config_names(files.config.unwrap_or_default()).into_iter();
            let mut found = names.map(|name| self.named(&name, NameSource::Config));
            named = found.find(|found| !found.is_empty()).unwrap_or_default();
        }
        if template.is_empty() {
            return named;
        }
        let mut all = template;
        for candidate in &mut all {
            candidate.score = candidate.score * TEMPLATE / 10;
        }
        for name in named {
            let score = name.score * (10 - TEMPLATE) / 10;
            match all.iter_mut().find(|candidate| candidate.format == name.format) {
                Some(candidate) => {
                    candidate.score += score;
                    candidate.evidence.extend(name.evidence);
                }
                None => all.push(Candidate { score, ..name }),
            }
        }
        ranked(all)
    }
}

/// What a configuration calls its model, the surest first.
fn config_names(config: &str) -> Vec<String> {
    let Ok(parsed) = parse(config, Mode::Strict) else { return Vec::new() };
    let text = |key: &str| parsed.value.get(key).and_then(Value::as_str).map(str::to_owned);
    let architectures = parsed.value.get("architectures").and_then(Value::as_array);
    let architectures = architectures.into_iter().flatten().filter_map(Value::as_str);
    // `Qwen3MoeForCausalLM`: the words after `For` name the head.
    let architectures =
        architectures.map(|name| name.split("For").next().unwrap_or(name).to_owned());
    let names = [text("_name_or_path"), text("model_type")];
    names.into_iter().flatten().filter(|name| !name.is_empty()).chain(architectures).collect()
}
