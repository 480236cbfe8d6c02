//! Reading gives back what was printed, for parts and for texts made at random.

use proptest::prelude::*;
use proptest::sample::select;
use toolweir_protocols::pattern::{
    Args, At, Part, Pattern, Role, Template, ValueKind, check, parse,
};
use toolweir_testkit::generate::config;

/// Text of characters and fragments that mean something in the notation or make a tag.
fn text() -> impl Strategy<Value = String> {
    let fragments = [
        "{",
        "}",
        "|",
        "||",
        "\\",
        ":",
        "=",
        "\"",
        "<",
        ">",
        "/",
        " ",
        "\n",
        "\t",
        "\r",
        "a",
        "B",
        "n",
        "é",
        "｜",
        "<b",
        "<b k=\"",
        " k=\"",
        "\"",
        "\">",
        "<|o|>b",
        "<|s|>",
        "<b k=\"v\">",
        "name",
    ];
    proptest::collection::vec(select(fragments.to_vec()), 1..6).prop_map(|f| f.concat())
}

fn template() -> impl Strategy<Value = Part> {
    let sources = [
        "{name: args}",
        "[\n\t{name: args}\r\n]",
        r#"{"a":name,"b" : args , "c":[1, {"}": "||\\\"}"}]}"#,
        r#"{"t": text, "x": {"i": id, "n": name}}"#,
        r#"[ {"k":{ },"n":name} ]"#,
    ];
    let templates: Vec<_> = sources.iter().map(|s| Template::parse(s).unwrap()).collect();
    let short = [Template::call(), Template::calls()];
    select([templates, short.to_vec()].concat()).prop_map(Part::Call)
}

/// The hole that decides which holes may stand inside.
#[derive(Clone, Copy, Debug)]
enum Inside {
    Top,
    Hole,
    Args,
    Arg,
    Id,
}

fn simple(inside: Inside) -> Vec<Part> {
    let verbatim = Part::Value(ValueKind::Verbatim);
    match inside {
        Inside::Top | Inside::Hole => {
            let mut parts = vec![
                Part::Name,
                Part::Id(None),
                Part::Index,
                Part::Args(Args::Json),
                Part::Args(Args::Python),
                Part::Args(Args::Yaml),
                Part::Args(Args::Elements),
                Part::Content,
                Part::Text,
                Part::Reasoning,
                Part::Skip,
                Part::Commit,
                Part::At(At::Line),
                Part::At(At::Message),
                Part::ResponseContent,
            ];
            parts.extend(matches!(inside, Inside::Top).then_some(Part::Calls));
            parts
        }
        Inside::Args => vec![
            Part::Key,
            verbatim,
            Part::Value(ValueKind::Trim),
            Part::Value(ValueKind::Nested),
            Part::Type(None),
            Part::Name,
            Part::Skip,
        ],
        Inside::Arg => vec![verbatim, Part::At(At::Line), Part::Skip],
        Inside::Id => vec![Part::Name, Part::Index],
    }
}

fn part(inside: Inside, depth: u32) -> BoxedStrategy<Part> {
    let text = text().prop_map(Part::Literal);
    let hole = select(simple(inside));
    let flat = prop_oneof![3 => text, 2 => hole];
    if depth == 0 {
        return flat.boxed();
    }
    let deeper = if matches!(inside, Inside::Top) { Inside::Hole } else { inside };
    let inner = || pattern(deeper, depth - 1);
    let nested = prop_oneof![
        inner().prop_map(Part::Opt),
        inner().prop_map(Part::Also),
        proptest::collection::vec(inner(), 2..4).prop_map(Part::Any),
    ];
    let own = match inside {
        Inside::Top | Inside::Hole => own(depth),
        Inside::Args => {
            (self::text(), self::text()).prop_map(|words| Part::Type(Some(words))).boxed()
        }
        Inside::Arg | Inside::Id => self::text().prop_map(Part::Literal).boxed(),
    };
    prop_oneof![4 => flat, 2 => nested, 1 => own].boxed()
}

/// Holes that stand only outside of arguments and hold something.
fn own(depth: u32) -> BoxedStrategy<Part> {
    let arg = proptest::option::of(pattern(Inside::Arg, depth - 1));
    prop_oneof![
        text().prop_map(Part::NameIs),
        text().prop_map(Part::Tools),
        text().prop_map(|delimiter| Part::Args(Args::Gemma(delimiter))),
        (text(), arg).prop_map(|(key, pattern)| Part::Arg { key, pattern }),
        pattern(Inside::Id, depth - 1).prop_map(|p| Part::Id(Some(p))),
        args(depth - 1),
        template(),
    ]
    .boxed()
}

fn args(depth: u32) -> impl Strategy<Value = Part> {
    let parts = || proptest::collection::vec(part(Inside::Args, depth), 0..3);
    (parts(), parts(), parts()).prop_map(|(mut parts, middle, after)| {
        parts.push(Part::Key);
        parts.extend(middle);
        parts.push(Part::Value(ValueKind::Trim));
        parts.extend(after);
        Part::Args(Args::Pattern(Box::new(Pattern::new(parts))))
    })
}

fn pattern(inside: Inside, depth: u32) -> BoxedStrategy<Pattern> {
    proptest::collection::vec(part(inside, depth), 1..5).prop_map(Pattern::new).boxed()
}

/// Texts that resemble patterns, most of them wrong somewhere.
fn scribble() -> impl Strategy<Value = String> {
    let fragments = [
        "{name}",
        "{name=",
        "{id:",
        "{index}",
        "{args}",
        "{args:",
        "{key}",
        "{value}",
        "{value:trim}",
        "{type:",
        "{arg:",
        "{arg}",
        "{call}",
        "{call:",
        "{\"n\": name",
        "[{name: args}]",
        "{any:",
        "{opt:",
        "{also:",
        "||",
        "}",
        "}}",
        "{{",
        "\\n",
        "\\",
        " ",
        "\n",
        "<a",
        " k=\"",
        "\"",
        ">",
        "{*}",
        "{!}",
        "{at:line}",
        "x",
        "é",
        ":",
    ];
    proptest::collection::vec(select(fragments.to_vec()), 0..12).prop_map(|f| f.concat())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn printed_parts_read_back(pattern in pattern(Inside::Top, 3)) {
        let text = pattern.to_string();
        prop_assert_eq!(parse(&text).map_err(|e| format!("{text}: {e}")), Ok(pattern));
    }

    #[test]
    fn any_text_is_read_or_refused_at_a_place(text in scribble()) {
        match parse(&text) {
            Ok(pattern) => {
                let printed = pattern.to_string();
                prop_assert_eq!(parse(&printed), Ok(pattern));
                prop_assert_eq!(parse(&printed).unwrap().to_string(), printed);
            }
            Err(error) => {
                prop_assert!(text.is_char_boundary(error.at));
                let message = error.to_string();
                prop_assert!(!message.contains('\n') && !message.ends_with('.'), "{}", message);
            }
        }
    }

    #[test]
    fn checks_find_places_in_the_printed_pattern(pattern in pattern(Inside::Top, 3)) {
        let printed = pattern.to_string();
        for role in [Role::Call, Role::Wrap, Role::Message, Role::Section, Role::Response] {
            if let Err(error) = check(&pattern, role) {
                prop_assert!(printed.is_char_boundary(error.at), "{}", error);
            }
        }
    }
}
