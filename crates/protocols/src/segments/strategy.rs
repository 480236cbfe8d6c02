//! Which syntaxes a segment decoder looks for, and which one suits a provider: pure functions.

use crate::error::OptionError;
use crate::policy::words;

/// One way calls are found in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// `<write_file …>`, `<run_bash>`, `<tool name=…>` and registered tags.
    XmlTag,
    /// JSON objects and lists that begin with a signature.
    JsonTool,
    /// `[[SEG_START {…}]]` to `[[SEG_END]]`.
    Sentinel,
}

words!(Strategy { XmlTag = "xml_tag", JsonTool = "json_tool", Sentinel = "sentinel", });

impl Strategy {
    /// An order written as words between commas, or as a JSON list of words; each counts once.
    pub(super) fn order(value: &str) -> Result<Vec<Self>, OptionError> {
        let bad = || OptionError::bad("strategy_order", value, Self::WORDS);
        let words = value.trim().trim_start_matches('[').trim_end_matches(']').split(',');
        let words =
            words.map(|word| word.trim().trim_matches(['"', '\''])).filter(|w| !w.is_empty());
        let mut order = Vec::new();
        for word in words {
            let strategy = Self::from_word(word).ok_or_else(bad)?;
            if !order.contains(&strategy) {
                order.push(strategy);
            }
        }
        Ok(order)
    }
}

/// How a provider's models write calls as JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum JsonProfile {
    /// `{"tool_calls": [{"function": {"name", "arguments"}}]}` and its relatives.
    OpenAi,
    /// `{"name", "args"}`, or a list of them.
    Gemini,
    /// `{"tool": {"function", "parameters"}}`.
    #[default]
    Default,
}

words!(JsonProfile { OpenAi = "openai", Gemini = "gemini", Default = "default", });

impl JsonProfile {
    /// What a call begins with, whitespace left out.
    #[must_use]
    pub const fn signatures(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &[
                "{\"tool\":",
                "{\"tool_calls\":",
                "{\"tools\":",
                "{\"function\":",
                "[{\"tool\":",
                "[{\"function\":",
            ],
            Self::Gemini => &["{\"name\":", "[{\"name\":"],
            Self::Default => &["{\"tool\":", "{\"function\":"],
        }
    }
}

/// Which parser reads a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Parser {
    /// Tags: format `segments-xml`.
    Xml,
    /// JSON: format `segments-json`.
    Json(JsonProfile),
    /// Sentinels: format `segments-sentinel`.
    Sentinel,
    /// The provider's own tool-call stream: format `segments-api`. Text is never looked into.
    ApiToolCall,
    /// There are no tools: format `pass-through`.
    PassThrough,
}

impl Parser {
    /// Every spelling, the old name `native` of `api_tool_call` included.
    pub const WORDS: &'static [&'static str] =
        &["xml", "json", "sentinel", "api_tool_call", "native"];

    /// The parser of that spelling; `json` has the default profile.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "xml" => Some(Self::Xml),
            "json" => Some(Self::Json(JsonProfile::Default)),
            "sentinel" => Some(Self::Sentinel),
            "api_tool_call" | "native" => Some(Self::ApiToolCall),
            _ => None,
        }
    }

    /// The name of its format.
    #[must_use]
    pub const fn format(self) -> &'static str {
        match self {
            Self::Xml => "segments-xml",
            Self::Json(_) => "segments-json",
            Self::Sentinel => "segments-sentinel",
            Self::ApiToolCall => "segments-api",
            Self::PassThrough => "pass-through",
        }
    }
}

/// The parser that suits a provider, by its name in any letter case.
///
/// ```
/// use toolweir_protocols::segments::{JsonProfile, Parser, strategy_for};
///
/// assert_eq!(strategy_for(Some("Anthropic")), Parser::Xml);
/// assert_eq!(strategy_for(Some("mistral")), Parser::Json(JsonProfile::OpenAi));
/// assert_eq!(strategy_for(None), Parser::ApiToolCall);
/// ```
#[must_use]
pub fn strategy_for(provider: Option<&str>) -> Parser {
    let name = provider.unwrap_or_default().trim().to_ascii_lowercase();
    match name.as_str() {
        "" => Parser::ApiToolCall,
        "anthropic" => Parser::Xml,
        "gemini" | "google" => Parser::Json(JsonProfile::Gemini),
        "openai" | "mistral" | "deepseek" | "grok" | "xai" => Parser::Json(JsonProfile::OpenAi),
        _ => Parser::Json(JsonProfile::Default),
    }
}

/// The parser of a stream: without tools none, else the explicit choice, else the value of the
/// environment variable `AUTOBYTEUS_STREAM_PARSER` as the caller read it, else what suits the provider.
///
/// ```
/// use toolweir_protocols::segments::{Parser, choose_parser};
///
/// assert_eq!(choose_parser(true, None, Some("native"), None), Ok(Parser::ApiToolCall));
/// assert!(choose_parser(true, None, Some("yaml"), None).is_err());
/// ```
///
/// # Errors
/// [`OptionError::BadValue`] lists the values where the environment holds another one.
pub fn choose_parser(
    has_tools: bool,
    explicit: Option<Parser>,
    environment: Option<&str>,
    provider: Option<&str>,
) -> Result<Parser, OptionError> {
    if !has_tools {
        return Ok(Parser::PassThrough);
    }
    match (explicit, environment) {
        (Some(parser), _) => Ok(parser),
        (None, Some(word)) => Parser::from_word(word)
            .ok_or_else(|| OptionError::bad("AUTOBYTEUS_STREAM_PARSER", word, Parser::WORDS)),
        (None, None) => Ok(strategy_for(provider)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_words_or_a_list() {
        let order = [Strategy::Sentinel, Strategy::XmlTag];
        assert_eq!(Strategy::order("sentinel, xml_tag").unwrap(), order);
        assert_eq!(Strategy::order("[\"sentinel\",\"xml_tag\",\"sentinel\"]").unwrap(), order);
        assert_eq!(Strategy::order("").unwrap(), []);
        assert!(Strategy::order("xml").is_err());
    }

    #[test]
    fn an_explicit_choice_wins_over_the_environment_and_that_over_the_provider() {
        let choose = |explicit, environment| {
            choose_parser(true, explicit, environment, Some("openai")).unwrap()
        };
        assert_eq!(choose(Some(Parser::Sentinel), Some("xml")), Parser::Sentinel);
        assert_eq!(choose(None, Some("xml")), Parser::Xml);
        assert_eq!(choose(None, Some("json")), Parser::Json(JsonProfile::Default));
        assert_eq!(choose(None, None), Parser::Json(JsonProfile::OpenAi));
        assert_eq!(choose_parser(true, None, None, None), Ok(Parser::ApiToolCall));
        let none = choose_parser(false, Some(Parser::Xml), None, None);
        assert_eq!(none.unwrap().format(), "pass-through");
    }

    #[test]
    fn every_provider_has_a_parser() {
        for (provider, format) in [
            ("anthropic", "segments-xml"),
            ("GEMINI", "segments-json"),
            ("ollama", "segments-json"),
        ] {
            assert_eq!(strategy_for(Some(provider)).format(), format);
        }
        assert_eq!(strategy_for(Some(" ")).format(), "segments-api");
    }

    #[test]
    fn every_word_of_the_environment_has_its_format() {
        let formats = Parser::WORDS.iter().map(|word| {
            let parser = choose_parser(true, None, Some(word), Some("anthropic")).unwrap();
            (*word, parser.format())
        });
        let wanted = [
            ("xml", "segments-xml"),
            ("json", "segments-json"),
            ("sentinel", "segments-sentinel"),
            ("api_tool_call", "segments-api"),
            ("native", "segments-api"),
        ];
        assert!(formats.eq(wanted));
        assert_eq!(Parser::from_word("json"), Some(Parser::Json(JsonProfile::Default)));
        for other in ["XML", "none", ""] {
            let error = choose_parser(true, None, Some(other), None).unwrap_err().to_string();
            assert!(Parser::WORDS.iter().all(|word| error.contains(word)), "{error}");
        }
    }
}
