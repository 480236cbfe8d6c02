//! What goes wrong when a model writes a call.
//!
//! A kind of damage changes the arguments before they are written, or the tokens afterwards. One that
//! finds nothing to change in this text says so, and another is drawn.

use serde_json::{Value, json};

use super::Format;
use super::edits::{
    around, capital, comment, crlf, cut, duplicate, edit, entities, indentation, literal_case,
    mention, remove, single_quotes, twice, unescape, unquoted_key,
};
use super::write::{Role, Token};
use crate::dice::Dice;

/// A kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Damage {
    MissingCloser,
    MissingOpener,
    CutEnd,
    WrongCloser,
    DoubledOpener,
    DoubledCloser,
    MissingFieldCloser,
    WrongFieldCloser,
    DoubledFieldCloser,
    StrayComma,
    MissingComma,
    MissingColon,
    SingleQuotes,
    UnquotedKey,
    MissingQuote,
    UnescapedQuote,
    MissingBracket,
    ExtraBracket,
    FenceAround,
    FenceInside,
    OtherCase,
    TagSpacing,
    CrLf,
    Indentation,
    Mention,
    Comment,
    LeadingText,
    TrailingText,
    Entities,
    LiteralCase,
    DuplicateKey,
    MissingRequired,
    WrongType,
    UndeclaredKey,
    EdgeSpace,
    EntityText,
    UnknownTool,
}

use Damage as D;

/// All of them, with the formats that they can befall.
const ALL: &[(Damage, &[Format])] = {
    use Format::{Hermes as H, MorphXml as M, Qwen3Coder as Q, YamlXml as Y};
    &[
        (D::MissingCloser, &[H, M, Y, Q]),
        (D::MissingOpener, &[H, M, Y, Q]),
        (D::CutEnd, &[H, M, Y, Q]),
        (D::WrongCloser, &[H, M, Y, Q]),
        (D::DoubledOpener, &[H, M, Y, Q]),
        (D::DoubledCloser, &[H, M, Y, Q]),
        (D::MissingFieldCloser, &[M, Q]),
        (D::WrongFieldCloser, &[M, Q]),
        (D::DoubledFieldCloser, &[M, Q]),
        (D::StrayComma, &[H, Y, Q]),
        (D::MissingComma, &[H, Y, Q]),
        (D::MissingColon, &[H, Y, Q]),
        (D::SingleQuotes, &[H, Y, Q]),
        (D::UnquotedKey, &[H]),
        (D::MissingQuote, &[H, Y]),
        (D::UnescapedQuote, &[H, Y]),
        (D::MissingBracket, &[H, Y, Q]),
        (D::ExtraBracket, &[H, Y, Q]),
        (D::FenceAround, &[H, M, Y, Q]),
        (D::FenceInside, &[H, M, Y, Q]),
        (D::OtherCase, &[H, M, Y, Q]),
        (D::TagSpacing, &[H, M, Y, Q]),
        (D::CrLf, &[H, M, Y, Q]),
        (D::Indentation, &[Y]),
        (D::Mention, &[H, M, Y, Q]),
        (D::Comment, &[H, M, Y, Q]),
        (D::LeadingText, &[H, M, Y, Q]),
        (D::TrailingText, &[H, M, Y, Q]),
        (D::Entities, &[H, Y, Q]),
        (D::LiteralCase, &[H, M, Y, Q]),
        (D::DuplicateKey, &[H, M, Y, Q]),
        (D::MissingRequired, &[H, M, Y, Q]),
        (D::WrongType, &[H, M, Y, Q]),
        (D::UndeclaredKey, &[H, M, Y, Q]),
        (D::EdgeSpace, &[H, M, Y, Q]),
        (D::EntityText, &[H, M, Y, Q]),
        (D::UnknownTool, &[H, M, Y, Q]),
    ]
};

/// Texts whose quotes a careless writer does not escape.
const QUOTED: &[&str] =
    &["He said \"hello\" twice", "<a href=\"#top\">up</a>", "print(\"x, y\")", "\"quoted\""];

impl Damage {
    /// One that can befall the format.
    pub(super) fn draw(dice: &mut Dice, format: Format) -> Self {
        let fits: Vec<Self> =
            ALL.iter().filter(|(_, of)| of.contains(&format)).map(|(damage, _)| *damage).collect();
        dice.pick(&fits).copied().unwrap_or(D::CutEnd)
    }

    /// Changes the name or the arguments of a call before it is written.
    pub(super) fn befall_arguments(self, dice: &mut Dice, call: &mut (String, Value)) -> bool {
        let Some(arguments) = call.1.as_object_mut() else { return false };
        let keys: Vec<String> = arguments.keys().cloned().collect();
        let texts: Vec<String> = keys
            .iter()
            .filter(|key| arguments.get(*key).is_some_and(Value::is_string))
            .cloned()
            .collect();
        let key = dice.pick(if self.wants_text() { &texts } else { &keys }).cloned();
        let (Some(key), value) = (key, dice.below(100)) else { return false };
        match self {
            D::MissingRequired => return keys.len() > 1 && arguments.remove(&key).is_some(),
            D::WrongType => {
                let Some(old) = arguments.get(&key) else { return false };
                arguments.insert(key, other_type(old, value));
            }
            D::UndeclaredKey => drop(arguments.insert("extra".to_owned(), json!(value))),
            D::EdgeSpace => drop(arguments.insert(key, json!("  indented\n  text\n"))),
            D::EntityText => drop(arguments.insert(key, json!("a &amp; b &lt; c"))),
            D::UnescapedQuote => {
                let text = dice.pick(QUOTED).copied().unwrap_or_default();
                arguments.insert(key, json!(text));
            }
            D::UnknownTool => call.0.push_str("_all"),
            _ => return false,
        }
        true
    }

    fn wants_text(self) -> bool {
        matches!(self, D::EdgeSpace | D::EntityText | D::UnescapedQuote)
    }

    /// Whether it changes arguments before they are written.
    pub(super) fn is_of_arguments(self) -> bool {
        use D::{MissingRequired, UndeclaredKey, UnknownTool, WrongType};
        self.wants_text()
            || matches!(self, MissingRequired | WrongType | UndeclaredKey | UnknownTool)
    }

    /// Changes the tokens; false if there is nothing to change.
    pub(super) fn befall(self, dice: &mut Dice, format: Format, tokens: &mut Vec<Token>) -> bool {
        use Role::{Close, CloseBracket, Colon, Comma, FieldClose, FieldOpen, Open, OpenBracket};
        let inside = format.inside();
        match self {
            D::MissingCloser => remove(dice, tokens, &[Close]),
            D::MissingOpener => remove(dice, tokens, &[Open]),
            D::CutEnd => cut(dice, tokens),
            D::WrongCloser => {
                let other = ["</tool>", "</think>", "</function_call>", "</tool_calls>"];
                let other = dice.pick(&other).copied().unwrap_or_default();
                edit(dice, tokens, &[Close], |_| other.to_owned())
            }
            D::DoubledOpener => edit(dice, tokens, &[Open, FieldOpen], twice),
            D::DoubledCloser => edit(dice, tokens, &[Close], twice),
            D::MissingFieldCloser => remove(dice, tokens, &[FieldClose]),
            D::WrongFieldCloser => edit(dice, tokens, &[FieldClose], |_| "</value>".into()),
            D::DoubledFieldCloser => edit(dice, tokens, &[FieldClose], twice),
            D::StrayComma => {
                let put = |text: &str| if text == "," { ",,".into() } else { format!(",{text}") };
                edit(dice, tokens, &[Comma, CloseBracket], put)
            }
            D::MissingComma => remove(dice, tokens, &[Comma]),
            D::MissingColon => remove(dice, tokens, &[Colon]),
            D::SingleQuotes => single_quotes(dice, tokens),
            D::UnquotedKey => unquoted_key(dice, tokens),
            D::MissingQuote => remove(dice, tokens, &[Role::Quote]),
            D::UnescapedQuote => unescape(tokens),
            D::MissingBracket => remove(dice, tokens, &[OpenBracket, CloseBracket, CloseBracket]),
            D::ExtraBracket => edit(dice, tokens, &[OpenBracket, CloseBracket], twice),
            D::FenceAround => around(dice, tokens, |opener, closer| {
                (format!("```{inside}\n{opener}"), format!("{closer}\n```"))
            }),
            D::FenceInside => around(dice, tokens, |opener, closer| {
                (format!("{opener}\n```{inside}\n"), format!("\n```\n{closer}"))
            }),
            D::OtherCase => {
                let upper = dice.below(2) == 0;
                edit(dice, tokens, &[Open, Close, FieldOpen, FieldClose, Role::Key], |text| {
                    if upper { text.to_uppercase() } else { capital(text) }
                })
            }
            D::TagSpacing => {
                let end = dice.below(2) == 0;
                edit(dice, tokens, &[Open, Close, FieldOpen, FieldClose], |text| {
                    if end { text.replace('>', " >") } else { text.replace('<', "< ") }
                })
            }
            D::CrLf => crlf(tokens),
            D::Indentation => indentation(dice, tokens),
            D::Mention => mention(dice, tokens),
            D::Comment => comment(dice, format, tokens),
            D::LeadingText => edit(dice, tokens, &[Open], |text| format!("{text} Here it is: ")),
            D::TrailingText => edit(dice, tokens, &[Close], |text| format!(" That is all.{text}")),
            D::Entities => entities(tokens),
            D::LiteralCase => literal_case(dice, tokens),
            D::DuplicateKey => duplicate(dice, tokens),
            _ => false,
        }
    }
}

fn other_type(old: &Value, number: usize) -> Value {
    match old {
        Value::Number(old) if number < 50 => json!(old.to_string()),
        Value::Number(_) => json!("many"),
        Value::Bool(_) if number < 50 => json!("yes"),
        Value::Bool(old) => json!(old.to_string()),
        Value::String(_) if number < 50 => json!(number),
        Value::String(old) => json!([old]),
        Value::Array(items) => items.first().cloned().unwrap_or_default(),
        other => json!(other.to_string()),
    }
}
